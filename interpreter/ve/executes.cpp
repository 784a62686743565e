// The functions that execute the rows.

#include "interpreter/ve/execute.hpp"
#include "interpreter/ve/rules.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::ve_machine {

using ve::Kind;

// The operations, which the rows name.
using namespace ve;  // NOLINT(google-build-using-namespace)

namespace {

Execute execute_of(Kind kind) {
  switch (kind) {
    case Kind::Scalar:
    case Kind::Vector:
    case Kind::Reduce:
    case Kind::Mask:
    case Kind::FormMask:
      break;
    case Kind::FormFullMask:
    case Kind::FormEmptyMask:
      return form_constant_mask;
    case Kind::QuadAdd:
    case Kind::QuadSubtract:
    case Kind::QuadMultiply:
    case Kind::QuadCompare:
    case Kind::QuadFromDouble:
    case Kind::QuadFromFloat:
    case Kind::DoubleFromQuad:
    case Kind::FloatFromQuad:
      return quad;
    case Kind::LoadAddress:
      return load_address;
    case Kind::LoadAddressHigh:
      return load_address_high;
    case Kind::ConditionalMove:
      return conditional_move;
    case Kind::Load:
      return load;
    case Kind::Store:
      return store;
    case Kind::CompareAndSwap:
      return compare_and_swap;
    case Kind::ExchangeBytes:
      return exchange_bytes;
    case Kind::Nothing:
      return nothing;
    case Kind::Branch:
      return branch;
    case Kind::BranchAlways:
      return branch_always;
    case Kind::BranchRelative:
      return branch_relative;
    case Kind::BranchRelativeAlways:
      return branch_relative_always;
    case Kind::Call:
      return call;
    case Kind::MonitorCall:
      return monitor_call;
    case Kind::SetLength:
      return set_length;
    case Kind::Length:
      return length;
    case Kind::MaxLength:
      return ve_machine::max_length;
    case Kind::SetElement:
      return set_element;
    case Kind::GetElement:
      return get_element;
    case Kind::SetMaskWord:
      return set_mask_word;
    case Kind::GetMaskWord:
      return get_mask_word;
    case Kind::CountMask:
    case Kind::LeadingMask:
    case Kind::TrailingMask:
      return count_mask;
    case Kind::VectorLoad:
    case Kind::VectorLoad2D:
    case Kind::Gather:
      return vector_load;
    case Kind::VectorStore:
    case Kind::VectorStore2D:
    case Kind::Scatter:
      return vector_store;
    case Kind::Sequence:
      return sequence;
    case Kind::MoveElements:
      return move_elements;
    case Kind::MergeElements:
      return merge_elements;
    case Kind::Compress:
      return compress;
    case Kind::Expand:
      return expand;
  }
  throw InternalError("a row of VE that needs a function has none");
}

/// What a row names in parentheses: a type with commas as one argument of a macro.
template <class T>
struct Named;
template <class T>
struct Named<void(T)> {
  using Type = T;
};

}  // namespace

const std::vector<Execute>& executes() {
  // NOLINTBEGIN(bugprone-macro-parentheses): the functions are types, in parentheses already
  static const std::vector<Execute> table = {
#define SCALAR(name, mnemonic, operands, kind_class, function, sentence) &execute_scalar<typename Named<void function>::Type>,
#define VECTOR(name, mnemonic, operands, kind_class, function, sentence) &execute_vector<typename Named<void function>::Type>,
#define REDUCE(name, mnemonic, operands, kind_class, function, sentence) &execute_reduce<typename Named<void function>::Type>,
#define MASK(name, mnemonic, operands, kind_class, function, sentence) &execute_mask<typename Named<void function>::Type>,
#define FORM_MASK(name, mnemonic, operands, kind_class, field, sentence) &execute_form_mask<field>,
#define RULE(name, mnemonic, operands, kind_class, kind, part, sentence) execute_of(Kind::kind),
#include "semantics/ve/instructions.def"
  };
  // NOLINTEND(bugprone-macro-parentheses)
  return table;
}

}  // namespace lockstep::ve_machine
