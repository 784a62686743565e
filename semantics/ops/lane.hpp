#pragma once
// What operations, shuffles and votes do in one lane beside computing a number: where poison goes, who finds a number, who counts. Written
// once over conditions: a condition is a bool, a term (semantics/prove), or a set of lanes, for all of its lanes at a time.

#include "semantics/base/lane_set.hpp"
#include "semantics/ops/atomic.hpp"
#include "semantics/ops/op.hpp"
#include "semantics/ops/scalar.hpp"

namespace lockstep {

/// The members of `a` within `chosen`, and those of `b` outside.
inline LaneSet choose(const LaneSet& chosen, const LaneSet& a, const LaneSet& b) { return (a & chosen) | (b - chosen); }

namespace ops {

template <class T>
T either(const T& a, const T& b) {
  return a || b;
}
inline LaneSet either(const LaneSet& a, const LaneSet& b) { return a | b; }

template <class T>
T both(const T& a, const T& b) {
  return a && b;
}
inline LaneSet both(const LaneSet& a, const LaneSet& b) { return a & b; }

/// a, and not b.
template <class T>
T without(const T& a, const T& b) {
  return a && !b;
}
inline LaneSet without(const LaneSet& a, const LaneSet& b) { return a - b; }

/// Any operation but `?:` is poison where an operand is.
template <class T, class... Others>
T poison_of(const T& operand, const Others&... others) {
  T result = operand;
  ((result = either(result, others)), ...);
  return result;
}

/// `?:` is poison where its condition or the arm that is chosen is. `chosen`: where the condition is not 0.
template <class T>
T poison_of_choice(const T& condition, const T& chosen, const T& then, const T& otherwise) {
  return either(condition, choose(chosen, then, otherwise));
}

/// What an atomic change leaves is poison where what it is made of is. `same`: of CompareExchange, whether the old number is the one that
/// is asked for.
template <class T>
T poison_of_change(AtomicOp op, const T& old, const T& compare, const T& same, const T& operand) {
  if (op == AtomicOp::CompareExchange) {
    return poison_of_choice(poison_of(old, compare), same, operand, old);
  }
  return info(op).change ? poison_of(old, operand) : operand;
}

/// A shuffle finds a number where the lane that it names is one to look at, and has a number.
template <class T>
T finds_number(const T& looks, const T& written, const T& poison) {
  return without(both(looks, written), poison);
}

/// `any` holds if somebody says yes, `all` if nobody says no.
template <class T>
T says_yes(const T& active, const T& yes) {
  return both(active, yes);
}
template <class T>
T says_no(const T& active, const T& yes) {
  return without(active, yes);
}

/// Where operands may have no number: the one that the result is, an arm of `?:` or the first that counts and has none; -1 if the operation
/// is applied. `is_number(k)`, `is_true(k)`: of operand k; is_true is asked of numbers only.
template <class IsNumber, class IsTrue>
int passed_on(Op op, int operands, IsNumber&& is_number, IsTrue&& is_true) {
  if (op == Op::Select && is_number(0)) {
    return is_true(0) ? 1 : 2;
  }
  for (int k = 0; k < operands; ++k) {
    if (!is_number(k)) {
      return k;
    }
  }
  return -1;
}

}  // namespace ops
}  // namespace lockstep
