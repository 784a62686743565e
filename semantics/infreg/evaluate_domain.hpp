#pragma once
// What the rules of InfReg-IR (evaluate_rules.hpp) are written over: a domain says what numbers, conditions and memory are.
//
// A domain D has the types
//   Truth   a condition, with !, && and ||, made from bool: whether a lane is active, whether it is poison
//   Number  64-bit two's complement, with the primitives of semantics/ops/scalar.hpp: indices, bounds, loop variables
//   Word    what a lane holds, of any element type; a default-made one is any word, so that choose may give the other one
//   Lanes   the lanes of a value
//   Base    what an access counts from: an object and a place in it
//   Place   a cell of memory, or none where there is no such cell
// with choose(Truth, x, x) for Truth, Number and Word, and the operations
//   Lanes lanes(ValueId), Lanes result(ValueId)       (a value's, to be read; to be written)
//   get(lanes, n) -> LaneOf<D>, set(lanes, n, LaneOf<D>)
//   as_truth(Word), as_number(Word)                   of i1; of i64 and u64
//   from_truth(Truth), from_number(ScalarType, Number), from_bits(Element, bits)        to i1; converted as C does; a constant
//   ballot(std::vector<Truth>) -> Word                bit i is whether truth i, of at most 64, holds; u64
//   with_operation(Op, ScalarType, f), with_conversion(from, to, f)     f gets an object with `static constexpr int arity`,
//                                                     word(Word...) -> Word and undefined(Word...) -> Truth
//   bitcast(ScalarType to, Word) -> Word              the same bits as a number of another type of the same size
//   pick(Number index, count, f) -> LaneOf<D>         f(k) for the k that index is, poison if it is none of 0..count-1
//   parameter(ParameterId), object(ObjectId) -> Base, pointer(Base) -> Word, base(Word) -> Base
//   moved(pointer, Number, ScalarType), distance(p, q, ScalarType), compared(Op, p, q) -> LaneOf<D>     poison where it is undefined
//   place(Base, Number, ScalarType, Where) -> Place, exists(Place), writable(Place) -> Truth
//   read(Place, Truth, ScalarType) -> LaneOf<D>, write(Place, Truth, ScalarType, LaneOf<D>)       where the condition holds
//   change(Place, Truth, ScalarType, AtomicOp, LaneOf<D> compare, LaneOf<D> operand) -> LaneOf<D>     what was there, where it holds
//   demand(Truth, Cause, Where), demand(Truth, Cause, Where, Place)     the program is undefined where this is false
//   under(Truth, f) -> bool                           runs f for the case that the condition holds; false if it cannot
//   another_round(Truth going, std::uint64_t round) -> bool     false if `going` is; or this is one round too many, and then the domain
//                                                     takes it that `going` is false
//   begin(OperationId, std::uint64_t lanes) -> bool, stopped(), end(OperationId, const Operation&)

#include <cstdint>

#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/layout.hpp"
#include "semantics/ops/op.hpp"
#include "semantics/ops/scalar.hpp"

namespace lockstep::infreg {

/// A lane as an operation sees it; the word of a poison lane is some word.
template <class D>
struct LaneOf {
  typename D::Word word{};
  typename D::Truth poison{false};
};

/// Why a program is undefined.
enum class Cause : std::uint8_t { PoisonMask, PoisonAddress, NoSuchCell, ReadOnly, PoisonCondition, PoisonBound };

/// Which lane of which operation.
struct Where {
  OperationId operation;
  Lane lane;
  Layout::Kind kind = Layout::Kind::Pack;
};

/// Whether the comparison of signed numbers holds.
template <class Number>
auto holds(Op op, const Number& a, const Number& b) {
  switch (op) {
    case Op::Lt:
      return ops::holds::Lt(a, b);
    case Op::Le:
      return ops::holds::Le(a, b);
    case Op::Gt:
      return ops::holds::Gt(a, b);
    case Op::Ge:
      return ops::holds::Ge(a, b);
    case Op::Eq:
      return ops::holds::Eq(a, b);
    case Op::Ne:
      return ops::holds::Ne(a, b);
    default:
      break;
  }
  throw InternalError("a mask compares by something that is no comparison");
}

}  // namespace lockstep::infreg
