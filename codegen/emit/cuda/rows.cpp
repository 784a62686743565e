#include "codegen/emit/cuda/rows.hpp"

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

/// Fewer are cheaper by shuffles, if a row is stored for one reordering alone: for that the lanes meet twice.
constexpr std::uint64_t least_bytes_alone = 64;

class Rows {
 public:
  Rows(const Kernel& kernel, Plan& plan) : kernel_(kernel), plan_(plan) {}

  void choose() {
    const Geometry& geometry = plan_.geometry;
    if (geometry.vectors > 1 || geometry.shape.wg_pack > 1) {
      return;
    }
    for (const Region& region : kernel_.regions) {
      std::vector<Wanted> all;
      std::optional<ValueId> staged;  // whose rows are there
      for (const Operation& operation : region.operations) {
        bool has_regions = false;
        for_each_region(operation.node, [&](RegionId) { has_regions = true; });
        const auto* reorder = std::get_if<Reorder>(&operation.node);
        if (has_regions || (reorder != nullptr && plan_.ways.at(operation.results.front()) == Way::Memory)) {
          staged.reset();
        } else if (reorder != nullptr && is_row(*reorder, operation.results.front())) {
          if (staged == reorder->source && fits(*reorder, true)) {
            all.back().results.push_back(operation.results.front());
          } else {
            all.push_back({reorder, {operation.results.front()}});
            staged = reorder->source;
          }
        }
      }
      std::ranges::for_each(all, [&](const Wanted& wanted) { take(wanted); });
    }
  }

 private:
  /// Reorderings that want rows of one value, one behind the other.
  struct Wanted {
    const Reorder* reorder;
    std::vector<ValueId> results;
  };

  std::uint64_t bytes_of(const Reorder& reorder) const { return size_of(kernel_.type_of(reorder.source).element.scalar); }

  /// Of the rows of all items, or of one.
  std::uint64_t stage_bytes(const Reorder& reorder, bool is_all) const {
    const std::uint64_t row = row_bytes(reorder.layout.elements, bytes_of(reorder));
    return ((is_all ? plan_.geometry.lanes : 1) * row / 16 | 1U) * 16;  // so that slots meet different banks
  }

  bool fits(const Reorder& reorder, bool is_all) const { return stage_bytes(reorder, is_all) * plan_.geometry.slots <= most_stage_bytes; }

  bool is_row(const Reorder& reorder, ValueId result) const {
    const Type& from = kernel_.type_of(reorder.source);
    const auto* affine = std::get_if<Reorder::Affine>(&reorder.pattern);
    return affine != nullptr && plan_.ways.at(result) == Way::Broadcast && !plan_.covered.contains(result) &&
           !plan_.is_rolled(from.layout) && affine->element == Polynomial(Symbol::element()) && !affine->item.mentions(Symbol::element()) &&
           !from.element.is_pointer && bytes_of(reorder) >= 4 && reorder.layout.elements == from.layout.elements &&
           reorder.layout.elements * bytes_of(reorder) % 16 == 0 && fits(reorder, false);
  }

  void take(const Wanted& wanted) {
    const bool is_all = wanted.results.size() > 1;
    if (!is_all && wanted.reorder->layout.elements * bytes_of(*wanted.reorder) < least_bytes_alone) {
      return;
    }
    plan_.stage_bytes = std::max(plan_.stage_bytes, stage_bytes(*wanted.reorder, is_all));
    for (const ValueId result : wanted.results) {
      plan_.ways[result] = Way::Row;
      plan_.rows[result] = {result == wanted.results.front(), is_all};
    }
  }

  const Kernel& kernel_;
  Plan& plan_;
};

}  // namespace

void choose_rows(const Kernel& kernel, Plan& plan) { Rows(kernel, plan).choose(); }

}  // namespace lockstep::emit_cuda
