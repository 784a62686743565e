#pragma once
// What a lane holds in the proofs about kernels: a scalar of one of OpenCL's types, or a pointer, as far as it is known.
//
// Constants are folded on machine numbers. A value that is one of a few constants keeps its cases apart, and so do the numbers computed
// from it: indices and loop counters under masks stay constants in each case, and never get as far as Z3. What is left is a term: a bit
// vector of the type's width. Floats are bit vectors whose operations are functions of which nothing is known (FloatMode::Uninterpreted),
// or IEEE numbers as Z3 has them (Exact). Pointers are an object, by number, and how many elements behind its beginning.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "semantics/base/scalar_type.hpp"
#include "semantics/ops/atomic.hpp"
#include "semantics/ops/op.hpp"
#include "semantics/prove/term.hpp"

namespace lockstep::prove {

enum class FloatMode : std::uint8_t { Uninterpreted, Exact };

/// While it lives, this thread's floats are of this mode. Values of one mode mean nothing in the other. `shows_bits`: somebody looks at the
/// bits of floats (`bitcast`). Which ones a NaN has that was computed is not known then; else any NaN may stand for any other, and
/// what constants give is what this machine computes.
class FloatTheory {
 public:
  explicit FloatTheory(FloatMode mode, bool shows_bits = false);
  ~FloatTheory();
  FloatTheory(const FloatTheory&) = delete;
  FloatTheory& operator=(const FloatTheory&) = delete;
  static FloatMode mode();
  static bool shows_bits();

 private:
  FloatMode outer_;
  bool outer_shows_bits_;
};

class Value {
 public:
  struct Choice;
  struct Pointer;

  /// Any value of any type; where a choice is between it and another one, it is the other one.
  Value() = default;
  /// The number with these bits (as core::Literal).
  static Value number(ScalarType type, std::uint64_t bits);
  /// The unknown number of this name.
  static Value named(ScalarType type, const std::string& name);
  /// 1 or 0.
  static Value truth(ScalarType type, const Truth& truth);
  static Value pointer(std::uint32_t object, const Value& element);
  static Value term(ScalarType type, Node node);

  ScalarType type() const { return type_; }  ///< Long for pointers; means nothing of any value
  bool is_any() const { return std::holds_alternative<std::monostate>(what_); }
  /// Its bits, if it is a constant.
  std::optional<std::uint64_t> known() const;
  const Choice* choice() const;
  const Pointer* as_pointer() const;
  /// The Z3 term; null if it is something else.
  Node as_term() const;
  /// How many cases it has.
  unsigned cases() const;
  /// The same bits as a number of another type of the same width. Not between floats and integers in exact mode: see bitcast.
  Value as(ScalarType type) const;

  friend Value choose(const Truth& c, const Value& a, const Value& b);
  friend bool identical(const Value& a, const Value& b);

 private:
  using Cases = std::shared_ptr<const Choice>;
  using Address = std::shared_ptr<const Pointer>;
  ScalarType type_ = ScalarType::Int;
  std::variant<std::monostate, std::uint64_t, Node, Cases, Address> what_;
};

/// `then` where the condition holds, else `otherwise`; each a constant, a pointer, or a choice again.
struct Value::Choice {
  Truth condition;
  Value then;
  Value otherwise;
  unsigned cases = 2;
};
struct Value::Pointer {
  std::uint32_t object = 0;  ///< 0 is nobody's: the null pointer's
  Value element;             ///< a Long
};

/// True if the two are certainly one value, by their form.
bool identical(const Value& a, const Value& b);
Value choose(const Truth& c, const Value& a, const Value& b);

/// f(case) of each case of `v`, put together by choose; of a value without cases, f(v).
template <class F>
auto by_cases(const Value& v, const F& f) -> decltype(f(v)) {
  if (const Value::Choice* choice = v.choice()) {
    return choose(choice->condition, by_cases(choice->then, f), by_cases(choice->otherwise, f));
  }
  return f(v);
}

/// The ulong whose bit i says whether truth i, of at most 64, holds.
Value ballot_of(std::span<const Truth> votes);

// ---- operations (semantics/ops) ----------------------------------------------------------------------------------------

/// `op` on operands of `type`, of which it takes as many as info(op).arity; comparisons, ! && and || give an int. Not for Select.
Value apply(Op op, ScalarType type, std::span<const Value> operands);
/// The same of operations that give a truth value.
Truth holds(Op op, ScalarType type, std::span<const Value> operands);
/// Where the operation is undefined.
Truth undefined(Op op, ScalarType type, std::span<const Value> operands);
/// C's conversion, and where it is undefined.
Value convert(ScalarType to, const Value& v);
Truth misfits(ScalarType to, const Value& v);
/// The same bits as a number of another type of the same width. What arithmetic or a conversion gives may be a NaN of any bits; other NaNs
/// keep theirs. From a float that is a term to an integer only where FloatTheory::shows_bits.
Value bitcast(ScalarType to, const Value& v);
/// What becomes of a number in memory by an atomic change with an operand, and whether that is poison.
struct MaybePoison {
  Value value;
  Truth poison{false};
};
MaybePoison changed(AtomicOp op, ScalarType type, const MaybePoison& old, const MaybePoison& compare, const MaybePoison& operand);
/// Whether it is not == 0.
Truth nonzero(const Value& v);
/// Whether the two are the same as results are: the same bits, or in exact mode two NaNs.
Truth same_result(const Value& a, const Value& b);

// ---- what is known where a condition holds -----------------------------------------------------------------------------

/// The parts of a condition, for values that are looked at only where it holds.
class Given {
 public:
  explicit Given(const Truth& condition);
  ~Given();
  Given(Given&&) noexcept;
  Given& operator=(Given&&) noexcept;
  const Truth& condition() const { return condition_; }
  /// True or false if the condition says so by its form, else `truth`.
  Truth operator()(const Truth& truth) const;
  /// The value without the cases that the condition rules out.
  Value operator()(const Value& value) const;

 private:
  struct Parts;
  Truth condition_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep::prove
