#include "codegen/emit/cuda/widening.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

constexpr std::uint64_t most_bytes = 16;

class Widths {
 public:
  Widths(const Kernel& kernel, Plan& plan) : kernel_(kernel), plan_(plan), definitions_(kernel.values.size(), nullptr) {
    for (const Region& region : kernel.regions) {
      for (const Operation& operation : region.operations) {
        for (const ValueId result : operation.results) {
          definitions_[result] = &operation;
        }
      }
    }
  }

  void choose() {
    for (RegionId region = 0; region < kernel_.regions.size(); ++region) {
      for (Run& run : plan_.runs[region]) {
        if (!can_be_in_parts(region, run)) {
          continue;
        }
        std::vector<OperationId> most;
        for (const unsigned width : {4U, 2U}) {
          std::vector<OperationId> wide = wide_ones(region, run, width);
          if (wide.size() > most.size()) {
            run.width = width;
            run.piece = width;
            most = std::move(wide);
          }
        }
        plan_.wide.insert(most.begin(), most.end());
      }
    }
  }

 private:
  Layout layout_of(const Operation& operation) const {
    const auto* store = std::get_if<Store>(&operation.node);
    return kernel_.type_of(store != nullptr ? store->value : operation.results.front()).layout;
  }

  /// Whether the operation is an expression for each element, or a store of each lane for itself.
  bool can_be_in_part(OperationId id, const Operation& operation) const {
    if (const auto store = plan_.stores.find(id); store != plan_.stores.end()) {
      return store->second == StoreWay::Own;
    }
    if (operation.results.size() != 1 || std::holds_alternative<Shuffle>(operation.node) || std::holds_alternative<Vote>(operation.node) ||
        std::holds_alternative<Atomic>(operation.node)) {
      return false;
    }
    const ValueId result = operation.results.front();
    const auto way = plan_.ways.find(result);
    const bool is_search = way != plan_.ways.end() && (way->second == Way::Pick || way->second == Way::Search);
    return !is_search && !plan_.alike.contains(result);
  }

  bool can_be_in_parts(RegionId region, const Run& run) const {
    const std::vector<Operation>& operations = kernel_.regions[region].operations;
    for (std::uint32_t k = run.first; k < run.last; ++k) {
      const Operation& operation = operations[k];
      if (operation.results.size() == 1 && plan_.homes[operation.results.front()] == Home::Expression) {
        continue;
      }
      if (!can_be_in_part({region, k}, operation)) {
        return false;
      }
      const Layout layout = layout_of(operation);
      if (layout.elements == 1 || plan_.is_rolled(layout)) {
        return false;
      }
    }
    return true;
  }

  /// Those that move `width` elements at once.
  std::vector<OperationId> wide_ones(RegionId region, const Run& run, unsigned width) const {
    std::vector<OperationId> result;
    const std::vector<Operation>& operations = kernel_.regions[region].operations;
    if (layout_of(operations[run.first]).elements % width != 0) {
      return result;
    }
    for (std::uint32_t k = run.first; k < run.last; ++k) {
      const Operation& operation = operations[k];
      const auto* load = std::get_if<Load>(&operation.node);
      const auto* store = std::get_if<Store>(&operation.node);
      const bool is_row = !operation.results.empty() && std::holds_alternative<Reorder>(operation.node) &&
                          plan_.ways.at(operation.results.front()) == Way::Row;
      const bool is_wide = load != nullptr    ? is_together(load->place, load->mask, width)
                           : store != nullptr ? is_together(store->place, store->mask, width)
                                              : is_row;
      const Element element = kernel_.type_of(store != nullptr ? store->value : operation.results.front()).element;
      if (is_wide && !element.is_pointer && size_of(element.scalar) >= 4 && size_of(element.scalar) * width <= most_bytes) {
        result.push_back({region, k});
      }
    }
    return result;
  }

  /// Whether element k lies k places behind the first one, for all of them or none, and that one's place is a multiple of the width.
  bool is_together(const Place& place, std::optional<ValueId> mask, unsigned width) const {
    if (!std::holds_alternative<OfParameter>(place.base) || place.lanes || (mask && !is_same_for_elements(*mask)) ||
        place.index.slope(Symbol::element()) != Polynomial(1)) {
      return false;
    }
    const Polynomial first = place.index.without(Symbol::element());
    return first.constant() % width == 0 &&
           std::ranges::all_of(first.terms(), [&](const Monomial& term) { return term.coefficient % width == 0; });
  }

  bool is_same_for_elements(ValueId condition) const {
    const Operation* operation = definitions_[condition];
    const auto* mask = operation != nullptr ? std::get_if<Mask>(&operation->node) : nullptr;
    const auto* spread = operation != nullptr ? std::get_if<Spread>(&operation->node) : nullptr;
    return (spread != nullptr && kernel_.type_of(spread->source).layout.elements == 1) ||
           (mask != nullptr && std::ranges::none_of(mask->all_of, [](const Mask::Comparison& one) {
              return one.left.mentions(Symbol::element()) || one.right.mentions(Symbol::element());
            }));
  }

  const Kernel& kernel_;
  Plan& plan_;
  std::vector<const Operation*> definitions_;
};

}  // namespace

void choose_widths(const Kernel& kernel, Plan& plan) { Widths(kernel, plan).choose(); }

}  // namespace lockstep::emit_cuda
