#pragma once
// A kernel with names, types and numbers decided: what sema makes of a syntax tree, and what everything later works on
// (translation to μ-SIMD, passes, evaluators). All implicit conversions are written out, compound assignments and ++ are
// expanded, contraction has been done, array sizes are numbers, get_local_size() is a literal.
//
// Expressions lie in one array per function, operands before the operations that use them; an ExprId is an index. Evaluation is
// strictly left to right (docs/kernel-language.md): operands in the order of the members below, an assignment its place, then its value,
// then the store.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "semantics/base/fences.hpp"
#include "semantics/base/scalar_type.hpp"
#include "semantics/base/source.hpp"
#include "semantics/core/options.hpp"
#include "semantics/core/unroll_hint.hpp"
#include "semantics/ops/atomic.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::core {

struct Record;

/// void, a scalar, a pointer to (arrays of) scalars, or an array of scalars. A vector is an array of its components; those of three
/// lie in four places, the last of which nobody uses (OpenCL C 6.1.5). While a text is checked there are structures as well: arrays of
/// their members, which differ in type (sema/records.hpp). In a finished program there are none.
struct Type {
  enum class Kind : std::uint8_t { Void, Scalar, Pointer, Array };
  Kind kind = Kind::Void;
  ScalarType scalar = ScalarType::Int;         ///< of the scalar, the pointee or the elements
  AddressSpace space = AddressSpace::Private;  ///< of the pointee or the elements
  bool is_const = false;                       ///< the pointee or the elements must not be written
  std::vector<std::uint64_t> extents;          ///< Array: outermost first, none 0. Pointer: of the array that it points to, usually none
  unsigned components = 0;                     ///< where the elements of the innermost array are components of a vector: how many, else 0
  std::shared_ptr<const Record> record = {};   ///< where the elements of the innermost array are members of a structure: which

  bool operator==(const Type&) const = default;

  static Type scalar_of(ScalarType type) { return {Kind::Scalar, type, AddressSpace::Private, false, {}}; }
  bool is_void() const { return kind == Kind::Void; }
  bool is_scalar() const { return kind == Kind::Scalar; }
  bool is_pointer() const { return kind == Kind::Pointer; }
  bool is_array() const { return kind == Kind::Array; }
  /// A vector itself, not an array of them.
  bool is_vector() const { return is_array() && components != 0 && extents.size() == 1; }
  /// A structure or union itself, not an array of them.
  bool is_record() const { return is_array() && record != nullptr && extents.size() == 1; }
};

/// "int", "const __global float *", "double[4][5]": as a diagnostic names it.
std::string name_of(const Type& type);

/// How many elements an array with these extents has: their product.
std::uint64_t product(std::span<const std::uint64_t> extents);

using VarId = std::uint32_t;       ///< index into Function::variables
using ConstantId = std::uint32_t;  ///< index into Program::constants
using FunctionId = std::uint32_t;  ///< index into Program::functions
using ExprId = std::uint32_t;      ///< index into Function::expressions

// ---- expressions -------------------------------------------------------------------------------------------------------

/// A number: the bits of the value in the low bytes, sign- or zero-extended by the expression's type; bool is 0 or 1. Of pointer type: the
/// null pointer, bits 0.
struct Literal {
  std::uint64_t bits = 0;
};
/// A variable as a place; as a value when it stands where a value is wanted (a scalar or pointer is then read).
struct Var {
  VarId id = 0;
};
/// A file-scope __constant object as a place.
struct GlobalConstant {
  ConstantId id = 0;
};
/// The place base[index]. The base is a place of array type or a value of pointer type; the index is an integer of any type
/// (its own sign counts). The result is an element, or a smaller array.
struct Subscript {
  ExprId base = 0;
  ExprId index = 0;
};
/// A pointer to a place; of an array, to its first element (so that arrays decay by this node).
struct AddressOf {
  ExprId place = 0;
};
/// pointer + index elements (of the pointee type); the index is a long.
struct PointerAdd {
  ExprId pointer = 0;
  ExprId index = 0;
};
/// left - right in elements, a long. Undefined between different objects.
struct PointerDifference {
  ExprId left = 0;
  ExprId right = 0;
};
/// The value that the place of the enclosing Assign has before it, read where this node stands in the order of evaluation.
struct OldValue {};
/// An operation of ops.def on operands of one type, `operand_type` (shift counts too, modulo its width). Comparisons and ! give int,
/// Op::Abs of a signed type the unsigned one, all others the operand type. Select is never here (see Conditional). Eq … Ge also
/// compare two pointers; all but Eq and Ne are undefined between different objects. Nothing smaller than int is an operand type, except of
/// Abs, Popcount, Min and Max.
struct Operate {
  Op op = Op::Add;
  ScalarType operand_type = ScalarType::Int;
  std::vector<ExprId> operands;  ///< one to three
  bool last_first = false;       ///< of an Fma made from z + x*y or z - x*y: the program's order is z, x, y
};
/// To the expression's (scalar) type; `implicit` when the program does not write it (contraction and messages care).
struct Convert {
  ExprId operand = 0;
  bool implicit = true;
};
/// The same bits as a number of the expression's type, which is as large; neither is bool. Of a pointer, the same place in memory that is
/// no private one, seen as elements of another size.
struct Bitcast {
  ExprId operand = 0;
};
/// && and ||: int 0 or 1; the right side runs only for the items that need it. Operands are scalars or pointers of any type.
struct ShortCircuit {
  bool is_and = true;
  ExprId left = 0;
  ExprId right = 0;
};
/// ?: with arms converted to the expression's type (which may be void or a pointer); each arm runs for its own items. The condition is any
/// scalar.
struct Conditional {
  ExprId condition = 0;
  ExprId then = 0;
  ExprId otherwise = 0;
};
/// Evaluates the place, then the value (of the place's type, where OldValue is the place's present value), then stores. Its own value is
/// the one stored, or with `yields_old` (i++) the one before.
struct Assign {
  ExprId place = 0;
  ExprId value = 0;
  bool yields_old = false;
};
struct Comma {
  ExprId left = 0;
  ExprId right = 0;
};
/// A call of an ordinary function. Scalar arguments are converted to the parameters' types.
struct Call {
  FunctionId function = 0;
  std::vector<ExprId> arguments;
};
/// Ids of OpenCL, all of them ulong. (get_global_id() is expanded to GroupId * WG_SIZE + LocalId.)
enum class Query : std::uint8_t { LocalId, GroupId, NumGroups, WarpSize, WarpId, LaneId };
struct Ask {
  Query query = Query::LocalId;
};
/// Builtins in which the active items of a warp or group look at each other.
///   Shuffle      operands e, lane: e of the item `lane` of the warp (of the group, when the warp is the group); poison when that
///                item is out of range or not active. lane is a long. The result has e's type.
///   ShuffleXor   as Shuffle with lane = LaneId ^ operand
///   Any, All     operand int: whether it is nonzero in some / every active item of the warp; int 0 or 1
///   Ballot       operand int: ulong with bit i set where item i of the warp is active and has nonzero; a warp has at most 64 items
///   GroupAny, GroupAll   as Any and All over all items of the group; every item must reach it, like a barrier
enum class CollectiveOp : std::uint8_t { Shuffle, ShuffleXor, Any, All, Ballot, GroupAny, GroupAll };
struct Collective {
  CollectiveOp op = CollectiveOp::Shuffle;
  std::vector<ExprId> operands;
};

/// Changes a place in __global or __local memory that several items may change at once, each after the other. Its own value is the one that
/// the place has before. Operands are evaluated in the order of the members.
struct Atomic {
  ExprId place = 0;
  std::optional<ExprId> compare;  ///< of CompareExchange: what the place has to have, bit for bit, to be changed
  ExprId value = 0;
  AtomicOp op = AtomicOp::Exchange;
};

struct Expr {
  std::variant<Literal, Var, GlobalConstant, Subscript, AddressOf, PointerAdd, PointerDifference, OldValue, Operate, Convert, Bitcast,
               ShortCircuit, Conditional, Assign, Comma, Call, Ask, Collective, Atomic>
      node;
  Type type;        ///< of the value, or of the place
  SourceSpan span;  ///< of the whole expression
  /// A scalar place in private memory that is read as a part of a vector or structure: where it has no value, what is read is poison, and
  /// no mistake (docs/kernel-language.md).
  bool carries = false;
};

// ---- statements --------------------------------------------------------------------------------------------------------

struct Stmt;
using Body = std::vector<Stmt>;

/// The expression for its effects; a statement that has none may be dropped by nobody but a pass.
struct Evaluate {
  ExprId expression = 0;
};
/// A variable comes into being, uninitialised each time; then its elements are set in order. `values` is empty without an initialiser, has
/// one value for a scalar or pointer, and for an initialised array one for each element, row by row (those not written out are literal
/// zeros).
/// __local variables and file-scope constants have no values here.
struct Declare {
  VarId variable = 0;
  std::vector<ExprId> values;
};
struct Block {
  Body body;
};
struct If {
  ExprId condition = 0;  ///< any scalar or pointer; so are the conditions below
  Body then;
  Body otherwise;
};
/// All loops. While: before each round the condition. DoWhile: after each round. For: init once, condition (if any) before and step after
/// each round; `continue` goes to the step (For) or the condition.
struct Loop {
  enum class Kind : std::uint8_t { While, DoWhile, For };
  Kind kind = Kind::While;
  Body init;
  std::optional<ExprId> condition;
  std::optional<ExprId> step;
  Body body;
  std::optional<UnrollHint> hint = std::nullopt;
};
/// A run of statements behind one or more labels; control falls through to the next one unless it breaks.
struct SwitchSection {
  std::vector<std::uint64_t> values;  ///< bits in the type of the switch's value
  bool is_default = false;
  Body body;
  SourceSpan span;
};
struct Switch {
  ExprId value = 0;  ///< promoted integer
  std::vector<SwitchSection> sections;
};
struct Break {};
struct Continue {};
struct Return {
  std::optional<ExprId> value;  ///< of the function's result type
};
/// crev f(a…): each active item's call is served once by all items (CREV paper, Fig. 8 and Algorithm 5, with erratum E11).
struct CrevCall {
  FunctionId function = 0;
  std::vector<ExprId> arguments;
};
struct Barrier {
  Fences fences;
};

struct Stmt {
  std::variant<Evaluate, Declare, Block, If, Loop, Switch, Break, Continue, Return, CrevCall, Barrier> node;
  SourceSpan span;
};

// ---- functions and programs --------------------------------------------------------------------------------------------

struct Variable {
  std::string name;
  Type type;  ///< a parameter declared as an array has pointer type
  AddressSpace space =
      AddressSpace::Private;   ///< of the variable itself: Private or Local (Local ones exist once per group, whatever the call depth)
  bool is_uniform = false;     ///< declared `uniform`
  bool address_taken = false;  ///< a private scalar or pointer whose address is taken
  bool is_const = false;       ///< the variable itself must not be written
  bool is_restrict =
      false;        ///< a pointer parameter: no other one's stores meet what is touched through it, and no other touches its stores
  SourceSpan span;  ///< of the name in its declaration
};

/// A pointer to __local memory among a kernel's parameters. OpenCL has whoever launches the kernel say how much there is; here that is
/// known before the kernel is translated, as WG_SIZE is, and so it becomes an array of the kernel and a variable that points to it.
struct LocalParameter {
  std::string name;
  ScalarType element = ScalarType::Int;
  std::size_t position = 0;  ///< in the parameter list as it is written
  std::uint64_t unit = 0;    ///< bytes of what Options::local_lengths counts: a structure or a number
  std::optional<std::uint64_t>
      length;  ///< elements; none where nobody has said it (Options::local_lengths): the array is as large as any can be
};

/// A pointer to structures among a kernel's parameters, which has become one to words.
struct StructureParameter {
  VarId variable = 0;
  std::shared_ptr<const Record> record;
  std::uint64_t words = 0;  ///< of one structure
};

/// A kernel's parameter as it is written. A vector has become one for each component, a structure one for each number in it, all others
/// have stayed what they are.
struct WrittenParameter {
  std::string name;
  VarId first = 0;                     ///< of those that it has become
  std::vector<std::uint64_t> offsets;  ///< of each of them, in the memory of the whole, in bytes
  std::uint64_t bytes = 0;             ///< of the whole
};

struct Function {
  std::string name;
  bool is_kernel = false;
  bool is_crev_target = false;  ///< some crev call names it
  Type result;
  std::size_t parameter_count = 0;  ///< variables[0 … parameter_count) are the parameters that are no
  /// Of a kernel or function that asks for its place in several dimensions: which of these are num_groups_x and num_groups_y, how many
  /// groups there are in the first and in the second one, side by side. No text declares them; whoever launches or calls it gives them.
  std::optional<VarId> group_parameters;
  std::vector<LocalParameter> local_parameters;          ///< of a kernel, in their order
  std::vector<StructureParameter> structure_parameters;  ///< of a kernel
  std::vector<WrittenParameter> written_parameters;      ///< of a kernel, in their order, without those to __local memory
  std::vector<Variable> variables;
  std::vector<Expr> expressions;
  Body body;
  SourceSpan span;  ///< the head

  const Expr& at(ExprId id) const { return expressions[id]; }
};

/// A file-scope __constant scalar or array; never written.
struct Constant {
  std::string name;
  Type type;
  std::vector<std::uint64_t> values;  ///< bits, row by row; one for a scalar
  SourceSpan span;
};

struct Program {
  std::shared_ptr<const SourceFile> source;
  Options options;
  std::vector<Constant> constants;
  std::vector<Function> functions;  ///< only those that have a body, in the order of the text

  /// The kernel of that name; with an empty name the only kernel. Null if there is none, or more than one.
  const Function* kernel(const std::string& name) const;
};

}  // namespace lockstep::core
