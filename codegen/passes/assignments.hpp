#pragma once
// A kernel between its typed tree and InfReg-IR: elementary assignments to variables and arrays, as listing (b) of the borG paper's Example
// 2 shows them. Functions are inlined, expressions are taken apart, indices are polynomials that can be compared symbolically. First with
// structured control (If, Block, Leave, Loop), after the pass `masks` with a mask at each assignment instead.
//
// A polynomial (semantics/infreg/polynomial.hpp) speaks here of `wi`, `wg.ix` and variables: Symbol::of(v) is the number in variable v,
// extended to 64 bits as its type says.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/source.hpp"
#include "semantics/core/unroll_hint.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes {

using infreg::Element;
using infreg::Layout;
using infreg::ObjectId;
using infreg::OfObject;
using infreg::OfParameter;
using infreg::ParameterId;
using infreg::Polynomial;
using infreg::Symbol;

using VarId = std::uint32_t;    ///< index into Assignments::variables
using LabelId = std::uint32_t;  ///< of a Block

/// A private variable or array of the kernel or of an inlined function, or a temporary.
struct Variable {
  std::string name;
  Element element;
  std::uint32_t count = 1;  ///< elements; 1 for what is no array
  bool is_array = false;
  bool is_implicit = false;  ///< a temporary: one assignment, which everything that reads it follows under the same or a narrower mask
  bool is_loop = false;      ///< the variable of a For
  /// Of an array whose elements are values by themselves (elements.hpp): the variable of element 0; the others follow it.
  std::optional<VarId> first_element = std::nullopt;
  std::optional<infreg::ValueId> parameter;  ///< a scalar parameter of the kernel, never assigned: its ParameterId
  Layout::Kind kind = Layout::Kind::Item;    ///< how far its value is the same; set by the pass `kinds`
  SourceSpan span;
};

/// An element of a variable: number `index`, 0 for what is no array.
struct Ref {
  VarId var = 0;
  Polynomial index;

  bool operator==(const Ref&) const = default;
};
/// A number of the kernel's text.
struct Literal {
  Element element;
  std::uint64_t bits = 0;

  bool operator==(const Literal&) const = default;
};
/// The polynomial's number in a type that holds it (it is exact, or the type has 64 bits).
struct Number {
  ScalarType type = ScalarType::Long;
  Polynomial value;

  bool operator==(const Number&) const = default;
};
using Operand = std::variant<Literal, Ref, Number>;

/// An object or pointer, and an element of it counted from there.
struct Place {
  std::variant<OfParameter, OfObject, Operand> base;
  ScalarType element = ScalarType::Int;
  Polynomial index;
};

// ---- right-hand sides ---------------------------------------------------------------------------------------------------

struct Copy {
  Operand source;
};
/// As infreg::Elementwise.
struct Operate {
  Op op = Op::Add;
  ScalarType operand_type = ScalarType::Int;
  std::vector<Operand> operands;
};
struct Convert {
  ScalarType from = ScalarType::Int;
  ScalarType to = ScalarType::Int;
  Operand source;
};
/// The same bits as a number of another type, which is as large.
struct Bitcast {
  ScalarType to = ScalarType::Int;
  Operand source;
};
/// condition ? then : otherwise; condition is a truth value. All are evaluated.
struct Choose {
  Operand condition;
  Operand then;
  Operand otherwise;
};
/// A truth value known for each item without running anything: all comparisons hold (static_resolve of the paper).
struct Resolve {
  std::vector<infreg::Mask::Comparison> all_of;
};
/// The source as item `lane` has it; poison when that item does not exist or is not active.
struct Shuffle {
  Operand source;
  Operand lane;  ///< a long
};
/// How many groups the launch has, a ulong.
struct NumGroups {};
struct Vote {
  infreg::Vote::Kind kind = infreg::Vote::Kind::Any;
  Operand value;  ///< a truth value
};
struct Load {
  Place place;
};
/// As infreg::Atomic; what the place has had before.
struct Atomic {
  AtomicOp op = AtomicOp::Exchange;
  Place place;
  std::optional<Operand> compare;
  Operand value;
};
/// A pointer to the place.
struct Address {
  Place place;
};
struct PointerDistance {
  ScalarType element = ScalarType::Int;
  Operand left;
  Operand right;
};
struct PointerCompare {
  Op op = Op::Eq;
  Operand left;
  Operand right;
};
using Right = std::variant<Copy, Operate, Convert, Bitcast, Choose, Resolve, Shuffle, NumGroups, Vote, Load, Atomic, Address,
                           PointerDistance, PointerCompare>;

// ---- statements ------------------------------------------------------------------------------------------------------------

struct Statement;
using Body = std::vector<Statement>;

/// `target = right`, in the items where the mask (a truth value; none: all items) is true. An assignment to an implicit variable has a mask
/// only if its right-hand side looks at it (Load, Atomic, Shuffle, Vote).
struct Assign {
  Ref target;
  Right right;
  std::optional<Operand> mask;
};
struct Store {
  Place place;
  Operand value;
  std::optional<Operand> mask;
};
/// A declaration without a value is met: whatever is in it, nobody may read it any more.
struct Forget {
  std::variant<VarId, OfObject> what;
};
struct If {
  Operand condition;  ///< a truth value
  Body then;
  Body otherwise;
};
/// Control that leaves `label` goes on behind the block.
struct Block {
  LabelId label = 0;
  Body body;
};
struct Leave {
  LabelId label = 0;
};
/// The body runs for all items, whoever is active here (the everywhere block of a crev call).
struct Everywhere {
  Body body;
};
/// Repeats its body until every item has left. After `masks`: `live` is the variable that says who is in, and the loop goes on while it is
/// true somewhere in the pack.
struct Loop {
  Body body;
  std::optional<VarId> live;
};
/// How a counted loop is lowered (borG paper, section 4.1; docs/infreg-ir.md).
enum class LoopClass : std::uint8_t { Rolled, Unroll, Vectorise };
/// Rounds of a loop that are done at once: those in which its variable is from, from + step, … (`count` of them, from 1).
struct RoundSet {
  std::int64_t from = 0;
  std::int64_t step = 1;
  std::uint32_t count = 1;

  bool operator==(const RoundSet&) const = default;
};
/// var = from, from + step, … while var < limit (step > 0) or var > limit (step < 0). The bounds are the same for the whole pack. Where
/// items come to the loop, they are what the polynomials give over the integers, too, and within `countable` (counted.hpp).
struct For {
  VarId var = 0;
  Polynomial from;
  Polynomial limit;
  std::int64_t step = 1;
  Body body;
  LoopClass loop_class = LoopClass::Rolled;
  /// Of Vectorise: elements of the values that all rounds work on together, round number r as element r; 0 if they are done in sets.
  std::uint32_t elements = 0;
  std::vector<RoundSet> sets = {};  ///< of Vectorise, in this order; those of a set whose number the bounds exclude are no rounds
  /// A truth value: where it holds nowhere in the pack, nobody comes to the loop, its bounds mean nothing, and there are no rounds.
  std::optional<Operand> guard = std::nullopt;
  std::optional<core::UnrollHint> hint = std::nullopt;
};

struct Statement {
  std::variant<Assign, Store, Forget, If, Block, Leave, Everywhere, Loop, For> node;
  SourceSpan span;
};

struct Assignments {
  std::shared_ptr<const SourceFile> source;
  std::string name;
  std::uint32_t wg_size = 1;
  std::vector<infreg::Parameter> parameters;
  std::vector<infreg::Object> objects;
  std::vector<Variable> variables;
  Body body;
  Diagnostics remarks = {};  ///< warnings for who wrote the kernel: what was asked for and is not done, and why
};

}  // namespace lockstep::passes
