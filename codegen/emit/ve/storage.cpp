#include "codegen/emit/ve/storage.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "codegen/emit/ve/reads.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

/// A loop's operands and its body.
struct Rounds {
  std::span<const ValueId> inits;
  std::span<const ValueId> arguments;
  RegionId body = 0;
};

std::optional<Rounds> rounds_of(const Kernel& kernel, const Node& node) {
  if (const auto* loop = std::get_if<For>(&node)) {
    return Rounds{loop->inits, std::span(kernel.regions[loop->body].arguments).subspan(1), loop->body};
  }
  if (const auto* loop = std::get_if<Loop>(&node)) {
    return Rounds{loop->inits, kernel.regions[loop->body].arguments, loop->body};
  }
  return std::nullopt;
}

class Sharing {
 public:
  Sharing(const Kernel& kernel, const Plan& plan)
      : kernel_(kernel), plan_(plan), reads_(kernel, plan.homes), storage_(kernel.values.size()) {
    std::iota(storage_.begin(), storage_.end(), 0);
  }

  std::vector<ValueId> made() {
    visit(kernel_.body, {});
    for (ValueId value = 0; value < storage_.size(); ++value) {
      storage_[value] = owner(value);
    }
    return std::move(storage_);
  }

 private:
  /// Where a region reads a value: the number of an operation, of control for what is inside of it; that behind all others for a yield.
  struct Read {
    std::uint32_t operation = 0;
    bool elsewhere = false;
  };
  using RegionReads = std::map<ValueId, std::vector<Read>>;

  ValueId owner(ValueId value) const {
    while (storage_[value] != value) {
      value = storage_[value];
    }
    return value;
  }

  bool is_scratch(ValueId value) const { return plan_.homes[value] == Home::Scratch; }

  /// What the region reads. `arguments` are those of the loop whose body it is.
  RegionReads visit(RegionId id, std::span<const ValueId> arguments) {
    const Region& region = kernel_.regions[id];
    RegionReads found;
    for (std::uint32_t k = 0; k < region.operations.size(); ++k) {
      const Operation& operation = region.operations[k];
      reads_.of(operation, [&](ValueId value, bool elsewhere) { found[value].push_back({k, elsewhere}); });
      const auto rounds = rounds_of(kernel_, operation.node);
      for_each_region(operation.node, [&](RegionId inner) {
        for (const auto& [value, reads] : visit(inner, rounds ? rounds->arguments : std::span<const ValueId>())) {
          found[value].insert(found[value].end(), reads.size(), Read{k, true});
        }
      });
      for (std::size_t j = 0; j < operation.results.size(); ++j) {
        if (rounds) {
          storage_[operation.results[j]] = rounds->arguments[j];
        }
        written_[owner(operation.results[j])] = {id, k};
      }
    }
    const auto end = static_cast<std::uint32_t>(region.operations.size());
    for (const ValueId yield : region.yields) {
      reads_.of(yield, true, [&](ValueId value, bool elsewhere) { found[value].push_back({end, elsewhere}); });
    }
    for (std::uint32_t k = 0; k < end; ++k) {
      if (const auto rounds = rounds_of(kernel_, region.operations[k].node)) {
        share_inits(id, k, arguments, *rounds, found);
      }
    }
    if (!arguments.empty()) {
      share_yields(id, arguments, found);
    }
    return found;
  }

  /// What a loop of the region begins with, if it is of that region, and the loop the last one to read it. What the region's rounds carry
  /// is also left there for the next one then.
  void share_inits(RegionId id, std::uint32_t loop, std::span<const ValueId> arguments, const Rounds& rounds, const RegionReads& found) {
    const Region& region = kernel_.regions[id];
    for (std::size_t k = 0; k < rounds.inits.size(); ++k) {
      const ValueId init = rounds.inits[k];
      const auto carried = std::ranges::find(arguments, init) - arguments.begin();
      const bool is_carried = static_cast<std::size_t>(carried) < arguments.size();
      const auto written = written_.find(owner(init));
      const bool is_here = is_carried ? region.yields[static_cast<std::size_t>(carried)] == region.operations[loop].results[k]
                                      : written != written_.end() && written->second.region == id;
      if (!is_scratch(init) || !is_here) {
        continue;
      }
      const std::vector<Read>& reads = found.at(init);
      const auto at_loop = std::ranges::count(reads, loop, &Read::operation);
      if (at_loop == 1 && std::ranges::all_of(reads, [&](const Read& read) { return read.operation <= loop; })) {
        written_.erase(owner(rounds.arguments[k]));
        storage_[owner(rounds.arguments[k])] = owner(init);
      }
    }
  }

  void share_yields(RegionId id, std::span<const ValueId> arguments, const RegionReads& found) {
    const std::vector<ValueId>& yields = kernel_.regions[id].yields;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const ValueId next = owner(yields[k]);
      const auto written = written_.find(next);
      const bool is_here = is_scratch(yields[k]) && written != written_.end() && written->second.region == id;
      if (!is_here || !is_scratch(arguments[k]) ||
          std::ranges::any_of(arguments, [&](ValueId argument) { return owner(argument) == next; })) {
        continue;
      }
      const auto reads = found.find(arguments[k]);
      if (reads == found.end() || std::ranges::all_of(reads->second, [&](const Read& read) { return is_before(read, written->second); })) {
        storage_[next] = owner(arguments[k]);
      }
    }
  }

  /// Whether the read comes before the operation writes the element.
  bool is_before(const Read& read, OperationId write) const {
    const Node& node = kernel_.regions[write.region].operations[write.index].node;
    const bool is_alone = std::holds_alternative<Vote>(node) || std::holds_alternative<If>(node) || rounds_of(kernel_, node);
    const auto run =
        std::ranges::find_if(plan_.runs[write.region], [&](const Run& one) { return one.first <= write.index && write.index < one.last; });
    return read.operation < run->first || (!is_alone && !read.elsewhere && read.operation <= write.index);
  }

  const Kernel& kernel_;
  const Plan& plan_;
  Reads reads_;
  std::vector<ValueId> storage_;
  std::map<ValueId, OperationId> written_;  ///< by owner: the first operation of a region that writes there
};

}  // namespace

std::vector<ValueId> names_of(const Kernel& kernel, const std::vector<ValueId>& storage) {
  std::vector<ValueId> named(storage.size());
  std::iota(named.begin(), named.end(), 0);
  for (const Region& region : kernel.regions) {
    for (const ValueId argument : region.arguments) {
      const ValueId owner = storage[argument];
      named[owner] = named[owner] == owner ? argument : named[owner];
    }
  }
  return named;
}

std::vector<ValueId> storage_of(const Kernel& kernel, const Plan& plan) { return Sharing(kernel, plan).made(); }

}  // namespace lockstep::emit_ve
