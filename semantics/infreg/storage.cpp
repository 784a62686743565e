#include "semantics/infreg/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "semantics/infreg/walk.hpp"
#include "semantics/infreg/words.hpp"

namespace lockstep::infreg {

namespace {

class Intervals {
 public:
  explicit Intervals(const Kernel& kernel) : kernel_(kernel), stored_(kernel.values.size()), parent_(kernel.values.size()) {
    std::iota(parent_.begin(), parent_.end(), ValueId{0});
    region(kernel.body);
  }

  /// Of all values that lie in InfRegs, with the number of their sets.
  std::vector<Stored> run(std::size_t& sets) {
    std::map<ValueId, std::size_t> numbers;
    std::vector<Stored> result;
    for (ValueId value = 0; value < stored_.size(); ++value) {
      if (stored_[value]) {
        result.push_back(*stored_[value]);
      }
    }
    std::ranges::stable_sort(result, {}, &Stored::begin);
    for (Stored& stored : result) {
      stored.set = numbers.emplace(root(stored.value), numbers.size()).first->second;
    }
    sets = numbers.size();
    return result;
  }

 private:
  ValueId root(ValueId value) {
    while (parent_[value] != value) {
      value = parent_[value] = parent_[parent_[value]];
    }
    return value;
  }

  bool has_lanes(ValueId value) const { return kernel_.type_of(value).layout.kind != Layout::Kind::Pack; }

  /// Values of one layout that appear in one assignment.
  void interact(ValueId a, ValueId b) {
    if (has_lanes(a) && kernel_.type_of(a).layout == kernel_.type_of(b).layout) {
      parent_[root(a)] = root(b);
    }
  }

  void define(ValueId value) {
    if (has_lanes(value) && !stored_[value]) {
      Stored stored;
      stored.value = value;
      stored.begin = stored.end = now_;
      stored_[value] = stored;
      loops_of_[value] = loops_.size();
    }
  }

  void use(ValueId value) {
    if (!stored_[value]) {
      return;
    }
    stored_[value]->end = now_;
    if (loops_of_[value] < loops_.size()) {
      loops_[loops_of_[value]].push_back(value);  // each round of the loop needs it again
    }
  }

  void region(RegionId id) {
    for (const Operation& operation : kernel_.regions[id].operations) {
      ++now_;
      visit(operation);
    }
  }

  void visit(const Operation& operation) {
    std::vector<ValueId> uses;
    for_each_use(operation.node, [&](ValueId value) { uses.push_back(value); });
    std::ranges::for_each(uses, [&](ValueId value) { use(value); });
    const bool moves = std::holds_alternative<Reorder>(operation.node) || std::holds_alternative<Shuffle>(operation.node) ||
                       std::holds_alternative<Spread>(operation.node);
    bool has_regions = false;
    for_each_region(operation.node, [&](RegionId inner) {
      has_regions = true;
      inside(operation, inner, uses);
    });
    for (const ValueId result : operation.results) {
      define(result);
      if (!moves && !has_regions) {
        std::ranges::for_each(uses, [&](ValueId value) { interact(value, result); });
      }
    }
    if (operation.results.empty() && !uses.empty()) {
      std::ranges::for_each(uses, [&](ValueId value) { interact(value, uses.front()); });
    }
  }

  void inside(const Operation& operation, RegionId inner, const std::vector<ValueId>& uses) {
    const Region& body = kernel_.regions[inner];
    const bool is_loop = !std::holds_alternative<If>(operation.node);
    if (is_loop) {
      loops_.emplace_back();
    }
    for (const ValueId argument : body.arguments) {
      define(argument);
    }
    region(inner);
    ++now_;
    for (const ValueId yield : body.yields) {
      use(yield);
    }
    // What a loop carries lies in one place; so does what both arms of an if give.
    const std::size_t skipped = body.arguments.size() > operation.results.size() ? 1 : 0;
    for (std::size_t i = 0; i < operation.results.size(); ++i) {
      interact(operation.results[i], body.yields[i]);
      if (is_loop) {
        interact(operation.results[i], body.arguments[i + skipped]);
        interact(operation.results[i], uses[i]);
      }
    }
    if (is_loop) {
      for (const ValueId value : loops_.back()) {
        stored_[value]->end = now_;
        if (loops_of_[value] + 1 < loops_.size()) {
          loops_[loops_.size() - 2].push_back(value);
        }
      }
      for (const ValueId argument : body.arguments) {
        if (stored_[argument]) {
          stored_[argument]->end = now_;
        }
      }
      loops_.pop_back();
    }
  }

  const Kernel& kernel_;
  std::vector<std::optional<Stored>> stored_;
  std::vector<ValueId> parent_;              ///< the interaction sets, as a forest
  std::map<ValueId, std::size_t> loops_of_;  ///< loops around a value's definition
  std::vector<std::vector<ValueId>> loops_;  ///< of the loops around: values from outside that they need
  std::uint32_t now_ = 0;
};

/// A run of lanes of each group.
struct Column {
  Layout layout;
  std::uint64_t first = 0;
  std::uint32_t end = 0;                                                      ///< last operation that needs anything in it
  std::map<std::tuple<bool, ScalarType>, std::vector<std::uint32_t>> rows{};  ///< by element type: until when each InfReg is taken here
};

std::tuple<bool, ScalarType> key_of(Element element) { return {element.is_pointer, element.scalar}; }

}  // namespace

Storage storage_of(const Kernel& kernel) {
  Storage storage;
  storage.values = Intervals(kernel).run(storage.sets);
  std::vector<std::uint32_t> ends(storage.sets, 0);
  for (const Stored& stored : storage.values) {
    ends[stored.set] = std::max(ends[stored.set], stored.end);
  }
  std::vector<Column> columns;
  std::vector<std::optional<std::size_t>> column_of(storage.sets);
  std::map<std::tuple<bool, ScalarType>, std::vector<std::size_t>> infregs;  ///< by element type: numbers of its InfRegs
  for (Stored& stored : storage.values) {
    const Type& type = kernel.type_of(stored.value);
    auto& number = column_of[stored.set];
    if (!number) {
      const auto free =
          std::ranges::find_if(columns, [&](const Column& column) { return column.layout == type.layout && column.end < stored.begin; });
      number = static_cast<std::size_t>(free - columns.begin());
      if (free == columns.end()) {
        columns.push_back({type.layout, storage.group_lanes, 0});
        storage.group_lanes += lanes_per_group(type.layout, kernel.shape);
      }
      columns[*number].end = std::max(columns[*number].end, ends[stored.set]);
    }
    Column& column = columns[*number];
    auto& rows = column.rows[key_of(type.element)];
    // An operation reads before it writes.
    const auto row =
        static_cast<std::size_t>(std::ranges::find_if(rows, [&](std::uint32_t end) { return end <= stored.begin; }) - rows.begin());
    rows.resize(std::max(rows.size(), row + 1));
    rows[row] = std::max(stored.end, stored.begin + 1);
    auto& numbers = infregs[key_of(type.element)];
    while (numbers.size() <= row) {
      numbers.push_back(storage.infregs.size());
      storage.infregs.push_back(type.element);
    }
    stored.infreg = numbers[row];
    stored.first = column.first;
  }
  return storage;
}

std::string text_of(const Kernel& kernel, const Storage& storage) {
  std::vector<std::map<std::uint64_t, std::vector<const Stored*>>> rows(storage.infregs.size());
  for (const Stored& stored : storage.values) {
    rows[stored.infreg][stored.first].push_back(&stored);
  }
  std::string text = fmt::format("{} values in {} interaction sets lie in {} InfRegs of {} lanes for each of {} groups\n",
                                 storage.values.size(), storage.sets, storage.infregs.size(), storage.group_lanes, kernel.shape.wg_pack);
  for (std::size_t number = 0; number < rows.size(); ++number) {
    for (const auto& [first, values] : rows[number]) {
      const Type& type = kernel.type_of(values.front()->value);
      text += fmt::format("ir{} : {}  lanes {}..{}", number, text_of(type, kernel.shape), first,
                          first + lanes_per_group(type.layout, kernel.shape) - 1);
      for (const Stored* stored : values) {
        text += fmt::format(" %{}", kernel.values[stored->value].name);
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace lockstep::infreg
