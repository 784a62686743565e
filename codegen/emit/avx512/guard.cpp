// Packs without masks.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/avx512/inside.hpp"
#include "codegen/emit/avx512/lowering.hpp"

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
      if (const std::optional<ValueId> mask = access_mask(operation.node)) {
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
    for_each_inside(kernel_, operation, [&](const Operation& inner) { stores = stores || stored_place(inner.node) != nullptr; });
    if (stores) {
      return nullptr;
    }
  }
  return nullptr;
}

/// Where the guard compares the lanes' numbers with a number that is the same for all: C++ that looks at the least and the greatest of them
/// alone. It may be false where the guard holds. Empty for other guards.
std::string Lowering::bounds_of(ValueId guard) {
  const auto* less = std::get_if<Elementwise>(&definitions_[guard]->node);
  const bool is_wide = less != nullptr && less->op == Op::Lt && size_of(less->operand_type) == 8 && is_integer(less->operand_type);
  const Operation* numbers = is_wide ? definitions_[less->operands[0]] : nullptr;
  const auto* index = numbers == nullptr ? nullptr : std::get_if<Index>(&numbers->node);
  if (index == nullptr || waits(less->operands[1])) {
    return "";
  }
  const Layout layout = kernel_.type_of(guard).layout;
  const Piece bound = chunk(less->operands[1], position(layout, 0));
  if (!bound.text.empty() || bound.scalar.empty()) {
    return "";
  }
  std::optional<Polynomial> least;
  Polynomial greatest;
  for (std::uint64_t k = 0; k < geometry(layout).chunks; ++k) {
    const Position here = position(layout, k);
    const Sum sum = sum_of(index->value, here, Groups::OfLaunch);
    if (!sum.vector.empty()) {
      return "";
    }
    std::int64_t low = 0;  // from the chunk's first lane, which exists
    std::int64_t high = 0;
    for (std::size_t lane = 0; lane < sum.steps.size(); ++lane) {
      if ((here.valid >> lane & 1) != 0) {
        low = std::min(low, sum.steps[lane]);
        high = std::max(high, sum.steps[lane]);
      }
    }
    const Polynomial first = sum.uniform + Polynomial(low);
    const Polynomial last = sum.uniform + Polynomial(high);
    if (!(first - least.value_or(first)).is_constant()) {
      return "";
    }
    greatest = !least || (last - greatest).constant() > 0 ? last : greatest;
    least = !least || (first - *least).constant() < 0 ? first : *least;
  }
  const std::string type(held(Element::of(less->operand_type)));
  const auto text = [&](const Polynomial& number) { return fmt::format("static_cast<{}>({})", type, index_text(number)); };
  // Numbers that grow past the greatest of their type begin again: then the least is not the first.
  return fmt::format("{} <= {} && {} < {}", text(*least), text(greatest), text(greatest), bound.scalar);
}

/// The mask holds everywhere from here on, as packs end before one in which it does not; unless it is known to hold everywhere in none.
void Lowering::assume(ValueId guard) {
  const std::string bounds = bounds_of(guard);
  flush();
  const Layout layout = kernel_.type_of(guard).layout;
  const std::vector<Piece> lanes = all_chunks(guard);
  std::vector<Piece> everywhere;
  std::vector<std::string> open;  // conditions of chunks of which it is not known
  for (std::uint64_t k = 0; k < lanes.size(); ++k) {
    const std::uint32_t valid = position(layout, k).valid;
    everywhere.push_back(mask(valid));
    if (!lanes[k].bits) {
      const std::string text = valid == full() ? mask_text(lanes[k]) : fmt::format("({} & {:#x})", mask_text(lanes[k]), valid);
      open.push_back(fmt::format("{} != {:#x}", text, valid));
    } else if ((*lanes[k].bits & valid) != valid) {
      return;  // in no pack does it hold everywhere
    }
  }
  assumed_ = !open.empty();
  if (assumed_ && !bounds.empty()) {
    open = {fmt::format("!({})", bounds)};
  }
  for (const std::string& condition : open) {
    code_.effect(fmt::format("if ({}) break;", condition));
  }
  define(guard, everywhere);
}

}  // namespace lockstep::emit_avx512
