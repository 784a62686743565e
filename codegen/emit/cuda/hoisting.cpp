#include "codegen/emit/cuda/hoisting.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "codegen/emit/cuda/rewriting.hpp"
#include "semantics/infreg/access.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

/// Rounds of the inner loop, and registers of a thread for all that is hoisted.
constexpr std::int64_t most_rounds = 16;
constexpr std::uint64_t most_words = 192;

class Hoister {
 public:
  explicit Hoister(Kernel kernel) : kernel_(std::move(kernel)) {}

  Kernel made() {
    for (RegionId region = 0; region < kernel_.regions.size(); ++region) {
      for (auto k = static_cast<std::uint32_t>(kernel_.regions[region].operations.size()); k-- > 0;) {
        const auto* loop = std::get_if<For>(&kernel_.regions[region].operations[k].node);
        if (loop == nullptr || !has_known_rounds(*loop)) {
          continue;
        }
        inside_.clear();
        stores_ = false;
        look_inside(loop->body);
        if (!stores_) {
          hoist_from(loop->body);
          std::vector<Operation>& operations = kernel_.regions[region].operations;
          operations.insert(operations.begin() + k, hoisted_.begin(), hoisted_.end());
          hoisted_.clear();
        }
      }
    }
    return std::move(kernel_);
  }

 private:
  void look_inside(RegionId id) {
    const Region& region = kernel_.regions[id];
    inside_.insert(region.arguments.begin(), region.arguments.end());
    for (const Operation& operation : region.operations) {
      inside_.insert(operation.results.begin(), operation.results.end());
      stores_ = stores_ || stored_place(operation.node) != nullptr;
      for_each_region(operation.node, [&](RegionId inner) { look_inside(inner); });
    }
  }

  /// Inner loops that each round of the outer one goes through.
  void hoist_from(RegionId outer) {
    for (std::size_t k = 0; k < kernel_.regions[outer].operations.size(); ++k) {
      const auto* loop = std::get_if<For>(&kernel_.regions[outer].operations[k].node);
      if (loop != nullptr && has_known_rounds(*loop) && loop->from.constant() == 0 && loop->limit.constant() <= most_rounds) {
        const auto rounds = static_cast<std::uint32_t>(loop->limit.constant());
        const RegionId body = loop->body;
        for (std::size_t at = 0; at < kernel_.regions[body].operations.size(); ++at) {
          hoist(body, at, rounds);
        }
      }
    }
  }

  bool is_outside(ValueId value) const { return !inside_.contains(value); }

  /// Of one element an item, at a place that only the inner loop's rounds change.
  bool is_invariant(const Load& load, ValueId counter) const {
    bool is_known = std::holds_alternative<OfParameter>(load.place.base) && !load.place.lanes && load.type.layout == Layout::item() &&
                    (!load.mask || is_outside(*load.mask));
    load.place.index.for_each_value([&](ValueId value) { is_known = is_known && (value == counter || is_outside(value)); });
    return is_known;
  }

  /// The conversion that alone reads the load.
  std::optional<std::size_t> conversion_of(RegionId id, ValueId loaded) const {
    const std::vector<Operation>& operations = kernel_.regions[id].operations;
    const auto found = std::ranges::find_if(operations, [&](const Operation& operation) {
      const auto* convert = std::get_if<Convert>(&operation.node);
      return convert != nullptr && convert->source == loaded;
    });
    return found != operations.end() && uses_within(kernel_, id, loaded) == 1 ? std::optional<std::size_t>(found - operations.begin())
                                                                              : std::nullopt;
  }

  void hoist(RegionId id, std::size_t at, std::uint32_t rounds) {
    const ValueId counter = kernel_.regions[id].arguments.front();
    const Operation operation = kernel_.regions[id].operations[at];
    const auto* load = std::get_if<Load>(&operation.node);
    if (load == nullptr || !is_invariant(*load, counter)) {
      return;
    }
    const auto conversion = conversion_of(id, operation.results.front());
    const ValueId last = conversion ? kernel_.regions[id].operations[*conversion].results.front() : operation.results.front();
    const Element element = kernel_.type_of(last).element;
    const std::uint64_t words = std::uint64_t{rounds} * kernel_.shape.wg_pack * (size_of(element.scalar) == 8 ? 2 : 1);
    if (words_ + words > most_words) {
      return;
    }
    words_ += words;

    const Layout all = Layout::item(rounds);
    Load wide{{load->type.element, all}, load->place, Access::Gather, std::nullopt};
    wide.place.index = load->place.index.substitute(Symbol::of(counter), Polynomial(Symbol::element()));
    wide.access = access_of(kernel_, wide.place, all);
    if (load->mask) {
      wide.mask = add_value(kernel_, {truth, all}, "is_loaded");
      hoisted_.push_back({Spread{*load->mask, all}, {*wide.mask}, operation.span});
    }
    ValueId held = add_value(kernel_, wide.type, "hoisted");
    hoisted_.push_back({wide, {held}, operation.span});
    if (conversion) {
      const ValueId converted = add_value(kernel_, {element, all}, "hoisted");
      hoisted_.push_back({Convert{held, element.scalar}, {converted}, operation.span});
      held = converted;
    }
    const Reorder taken{held, Layout::item(), Reorder::Affine{Polynomial(Symbol::item()), Polynomial(Symbol::of(counter))}};
    std::vector<Operation>& operations = kernel_.regions[id].operations;
    operations[conversion ? *conversion : at].node = taken;
    if (conversion) {
      operations[at].node = Constant{load->type, 0};  // nobody reads it
    }
  }

  Kernel kernel_;
  std::set<ValueId> inside_;  ///< of the outer loop: what is defined there
  bool stores_ = false;       ///< likewise
  std::vector<Operation> hoisted_;
  std::uint64_t words_ = 0;
};

}  // namespace

Kernel with_hoisted_loads(Kernel kernel) { return Hoister(std::move(kernel)).made(); }

}  // namespace lockstep::emit_cuda
