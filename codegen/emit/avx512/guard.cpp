// Packs without masks.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/avx512/inside.hpp"
#include "codegen/emit/avx512/lowering.hpp"
#include "semantics/base/mutants.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

/// What makes the mask of all loads and stores of the kernel that have one, if it is known before the first of them: what keeps items
/// behind the end of the data from touching memory.
const Operation* Lowering::guard_of_kernel() const {
  constexpr std::uint64_t most_chunks = 2000;  // of results: the code is there twice
  std::set<ValueId> masks;
  std::uint64_t chunks = 0;
  for (const Region& region : kernel_.regions) {
    for (const Operation& operation : region.operations) {
      const auto* load = std::get_if<Load>(&operation.node);
      const auto* store = std::get_if<Store>(&operation.node);
      const std::optional<ValueId> mask = load != nullptr ? load->mask : store != nullptr ? store->mask : std::nullopt;
      if (mask) {
        masks.insert(*mask);
      }
      for (const ValueId result : operation.results) {
        chunks += geometry(kernel_.type_of(result).layout).chunks;
      }
    }
  }
  const bool is_one = masks.size() == 1 && chunks <= most_chunks;
  const Layout layout = is_one ? kernel_.type_of(*masks.begin()).layout : Layout::pack();
  const bool fits = is_one && definitions_[*masks.begin()] != nullptr && region_of_[*masks.begin()] == kernel_.body && !is_scalar(layout) &&
                    !is_big(layout);
  const Operation* guard = fits ? definitions_[*masks.begin()] : nullptr;
  // A pack that is left is done again from its beginning.
  for (const Operation& operation : kernel_.regions[kernel_.body].operations) {
    if (&operation == guard) {
      return guard;
    }
    bool stores = false;
    for_each_inside(kernel_, operation, [&](const Operation& inner) { stores = stores || std::holds_alternative<Store>(inner.node); });
    if (LOCKSTEP_MUTATE(avx512_guard_behind_store, stores, false)) {
      return nullptr;
    }
  }
  return nullptr;
}

/// The mask holds everywhere from here on: packs end before one in which it does not.
void Lowering::assume(ValueId guard) {
  flush();
  const Layout layout = kernel_.type_of(guard).layout;
  const std::vector<Piece> lanes = all_chunks(guard);
  std::vector<Piece> everywhere;
  for (std::uint64_t k = 0; k < lanes.size(); ++k) {
    const std::uint32_t valid = position(layout, k).valid;
    everywhere.push_back(mask(valid));
    if (!lanes[k].bits || (*lanes[k].bits & valid) != valid) {
      const std::string text = valid == full() ? mask_text(lanes[k]) : fmt::format("({} & {:#x})", mask_text(lanes[k]), valid);
      code_.effect(fmt::format("if ({} != {:#x}) break;", text, LOCKSTEP_MUTATE(avx512_guard_of_nobody, valid, 0U)));
      assumed_ = true;
    }
  }
  define(guard, everywhere);
}

}  // namespace lockstep::emit_avx512
