#include "codegen/emit/avx512/permute.hpp"

#include "codegen/emit/avx512/permute_forms.hpp"
#include "codegen/emit/avx512/permute_merge.hpp"
#include "codegen/emit/avx512/permute_pattern.hpp"

namespace lockstep::emit_avx512 {

namespace {

Sequence sequence_of(RegisterKind kind, const Pattern& pattern, const Single& single) {
  Sequence result{.kind = kind, .form = single.form, .cycles = single.cycles};
  if (single.step) {
    result.steps.push_back(*single.step);
    result.result = Operand{true, 0};
    result.masks = single.step->into && register_bits_of(kind) == 512 ? 1 : 0;
  } else if (single.form == Form::Reuse) {
    result.result = pattern.operand(0);
  }
  if (single.index_vector) {
    result.index_vectors.push_back(*single.index_vector);
  }
  return result;
}

}  // namespace

Allowed Allowed::none() { return {false, false, false, false, false, false, false, false, false}; }

namespace {

/// The switch of a form; null for those that have none.
template <class A>
auto switch_of(A& allowed, Form form) -> decltype(&allowed.reuse) {
  switch (form) {
    case Form::Reuse:
      return &allowed.reuse;
    case Form::ScalarBroadcast:
      return &allowed.scalar_broadcast;
    case Form::VectorBroadcast:
      return &allowed.vector_broadcast;
    case Form::SegmentedBroadcast:
      return &allowed.segmented_broadcast;
    case Form::WithinParts:
      return &allowed.within_parts;
    case Form::TwoWithinParts:
      return &allowed.two_within_parts;
    case Form::WholeParts:
      return &allowed.whole_parts;
    case Form::Window:
      return &allowed.window;
    case Form::Blend:
      return &allowed.blend;
    case Form::Anything:
    case Form::OneRegister:
    case Form::TwoRegisters:
    case Form::Merge:
      break;
  }
  return nullptr;
}

}  // namespace

bool Allowed::allows(Form form) const {
  const bool* found = switch_of(*this, form);
  return found == nullptr || *found;
}

bool Allowed::forbid(Form form) {
  bool* found = switch_of(*this, form);
  if (found != nullptr) {
    *found = false;
  }
  return found != nullptr;
}

Sequence cheapest(RegisterKind kind, const Wanted& wanted, const Allowed& allowed) {
  const Pattern pattern = pattern_of(kind, wanted);
  if (pattern.sources > 2) {
    return *cheapest_merge(kind, pattern, allowed);
  }
  Sequence alone = sequence_of(kind, pattern, cheapest_single(pattern, allowed));
  if (pattern.sources == 2) {
    std::optional<Sequence> merge = cheapest_merge(kind, pattern, allowed);
    if (merge->cycles < alone.cycles) {
      return std::move(*merge);
    }
  }
  return alone;
}

}  // namespace lockstep::emit_avx512
