#pragma once
// Typed μ-SIMD: the target of the CoRe translation. The control instructions are those of the CREV paper (Fig. 1) and mean what
// they mean there; the extension (docs/typed-mus.md) adds types, register arrays, pointers, calls with frames, and
// collectives over Θ. Text form: docs/typed-mus.md.
//
// One kernel is one program: its functions lie one after the other in `code`, the kernel first. A call makes a frame with registers of
// its own; Π belongs to the frame.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "semantics/base/fences.hpp"
#include "semantics/base/scalar_type.hpp"
#include "semantics/base/source.hpp"
#include "semantics/ops/atomic.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::typed {

using Label = std::uint32_t;       ///< index into Program::code
using RegisterId = std::uint32_t;  ///< index into Function::registers
using FunctionId = std::uint32_t;  ///< index into Program::functions
using ObjectId = std::uint32_t;    ///< index into Program::objects

/// Elements of an array, at most: indices are 32 bits wide in the machine.
inline constexpr std::uint64_t max_elements = (std::uint64_t{1} << 31) - 1;
/// Items of a group in which one can `ballot`, at most: the result has a bit for each.
inline constexpr unsigned max_ballot_items = 64;

/// A scalar, or a pointer to scalars. (Pointers carry their object and a byte offset; any two may be compared by == and !=, those into one
/// object by < <= > >= too, and only one inside its object may be used.)
struct ValueType {
  ScalarType scalar = ScalarType::Int;
  bool is_pointer = false;
  AddressSpace space = AddressSpace::Private;  ///< of the pointee

  bool operator==(const ValueType&) const = default;
};

// ---- expressions: post-order, as in semantics/musimd/syntax.hpp ----------------------------------------------------------

/// A number, bits as in core::Literal; or the null pointer, bits 0.
struct Constant {
  std::uint64_t bits = 0;
};
/// A register that is not an array (rule MV). In `maybe(v)`, which `carries`, it is poison in the threads in which it has no value; so are
/// elements.
struct Register {
  RegisterId id = 0;
  bool carries = false;
};
/// Element of a register array; takes the index (long or any integer) from the stack. Undefined outside 0 … count-1.
struct Element {
  RegisterId array = 0;
  bool carries = false;
};
/// local_id (rule MT), group_id, num_groups, warp_size, warp_id, lane_id: all ulong.
enum class Query : std::uint8_t { LocalId, GroupId, NumGroups, WarpSize, WarpId, LaneId };
struct Ask {
  Query query = Query::LocalId;
};
/// A pointer to the first element of a register array of this frame.
struct RegisterAddress {
  RegisterId array = 0;
};
/// A pointer to the first element of an object of the program (a __local or __constant array).
struct ObjectAddress {
  ObjectId object = 0;
};
/// An operation of ops.def on operands of one type (rule BP). Comparisons, ! and the logical ones give int, Abs the unsigned type,
/// Select the type of its arms (`operand_type`; its condition is int), all others the operand type. Comparisons of two pointers have
/// `on_pointers` set, and their elements' type as `operand_type`; < <= > >= of pointers into different objects are undefined.
struct Operation {
  Op op = Op::Add;
  ScalarType operand_type = ScalarType::Int;
  bool on_pointers = false;
};
/// To the node's type. A float that does not fit the integer type is undefined; narrowing wraps; to bool means != 0.
struct Convert {
  ScalarType from = ScalarType::Int;
};
/// `as.float(e)`: the same bits as a number of the node's type, which is as large; neither is bool.
struct Bitcast {
  ScalarType from = ScalarType::Int;
};
/// The operand (any integer type), undefined unless 0 ≤ operand < limit: an index of an array of several dimensions.
struct Within {
  std::uint64_t limit = 0;
  /// Which index of what it is, for reports: number `number` (the first is 1; 0: nobody says) of a register, array or pointer, or of an
  /// object of the program.
  std::uint32_t number = 0;
  bool of_object = false;
  std::uint32_t of = 0;  ///< a RegisterId or an ObjectId
};
/// pointer, index: the pointer index elements further on.
struct PointerAdd {};
/// A pointer: the same place as one of elements of the node's type. The space is the same, and not private.
struct Reinterpret {
  ScalarType from = ScalarType::Int;
};
/// left, right: elements between two pointers into one object, a long; undefined for different objects.
struct PointerDifference {};

struct ExprNode {
  std::variant<Constant, Register, Element, Ask, RegisterAddress, ObjectAddress, Operation, Convert, Bitcast, Within, PointerAdd,
               Reinterpret, PointerDifference>
      node;
  ValueType type;   ///< of the result
  SourceSpan span;  ///< with its operands
};

/// How many results below it on the stack a node takes: 0 to 3.
unsigned operand_count(const ExprNode& node);

/// Operands before the operation that takes them, the root last. Never empty.
struct Expr {
  std::vector<ExprNode> nodes;

  const ValueType& type() const { return nodes.back().type; }
  SourceSpan span() const { return nodes.back().span; }
};

// ---- instructions ------------------------------------------------------------------------------------------------------

/// Where a value goes: a register, or an element of a register array.
struct Place {
  RegisterId id = 0;
  std::optional<Expr> index;  ///< set if and only if the register is an array
  SourceSpan span;
};

/// `bz e, L`; e is a scalar of any type, zero meaning == 0 (so that -0.0 is zero).
struct BranchZero {
  Expr condition;
  Label target = 0;
};
struct Jump {
  Label target = 0;
};
/// `jmp_mask e, L`; e is an integer, a lane of the warp.
struct JumpMask {
  Expr thread;
  Label target = 0;
};
/// `p = e`, types equal.
struct Assign {
  Place place;
  Expr value;
};
/// `p` becomes uninitialised in the active threads (a declaration without initialiser, met again); a whole array at once.
struct Forget {
  RegisterId id = 0;
};
/// `p = ld base[index]`: the element of base's pointee type, index an integer of any type.
struct Load {
  Place place;
  Expr base;
  Expr index;
};
/// `st base[index] = e`
struct Store {
  Expr base;
  Expr index;
  Expr value;
};
/// `v = atomic.add(b[e], e1)` and so on, rule AT, in __global or __local memory: for one active thread after the other, in the order of
/// their numbers, v becomes what the element is, and the element is changed. `atomic.compare(b[e], e2, e1)`: it becomes e1 where it has
/// the bits of e2. `v =` may be left out.
struct Atomic {
  AtomicOp op = AtomicOp::Exchange;
  std::optional<RegisterId> dst;  ///< no array
  Expr base;
  Expr index;
  std::optional<Expr> compare;  ///< of CompareExchange
  Expr value;
};
/// `v = shfl(v1, e)`: lane e of the warp, over the mask on top of Λ (rules SV, SI.shfl); `active`: `shfl.active`, over Θ (rule SVA).
struct Shuffle {
  RegisterId dst = 0;
  RegisterId source = 0;  ///< no array
  Expr lane;              ///< an integer
  bool active = false;
};
/// `v = any.active(e)`, `all.active`, `ballot.active` (ulong), over Θ; `any.group`, `all.group` over the items of the group, all of whose
/// warps must come here (like a barrier).
enum class VoteKind : std::uint8_t { Any, All, Ballot, GroupAny, GroupAll };
struct Vote {
  VoteKind kind = VoteKind::Any;
  RegisterId dst = 0;
  Expr value;  ///< any scalar; nonzero counts
};
/// `call f(e…)` or `p = call f(e…)`: rule CALL. Active threads only; scalar and pointer arguments in the order of the parameters.
struct Call {
  FunctionId function = 0;
  std::vector<Expr> arguments;
  std::optional<RegisterId> result;
};
/// `ret` or `ret e`: rule RET.
struct Return {
  std::optional<Expr> value;
};
struct Sync {};
struct Stop {};
struct Everywhere {};
struct EndEverywhere {};
/// `barrier`: nothing when the group is one warp; else waits for all warps of the group, and all items of each must be active. All memory
/// is ordered by it; OpenCL may promise less, written `barrier local`, `barrier global` and `barrier nothing` (docs/models.md).
struct Barrier {
  Fences fences;
};

using Instruction = std::variant<BranchZero, Jump, JumpMask, Assign, Forget, Load, Store, Atomic, Shuffle, Vote, Call, Return, Sync, Stop,
                                 Everywhere, EndEverywhere, Barrier>;

struct Statement {
  Instruction instruction;
  SourceSpan span;  ///< in Program::source: the statement or operation that it comes from
};

// ---- programs ----------------------------------------------------------------------------------------------------------

/// A register of a function: one value per thread, or an array of them.
struct RegisterInfo {
  std::string name;  ///< unique in its function, and readable: the variable's name, "x.2" for a second x, "t.3" for a temporary
  ValueType type;    ///< of the value or element
  std::optional<std::uint64_t> count;  ///< elements of an array, never 0
  std::string variable;                ///< the source variable's name; empty for temporaries and flags
  SourceSpan span;
  /// The extents of an array of several dimensions, outermost first (for people; the index is row-major); empty otherwise.
  std::vector<std::uint64_t> extents;
  /// It is certainly written before it is read, so that nobody need look (the front end's own temporaries).
  bool always_written = false;
};

struct Function {
  std::string name;
  std::vector<RegisterInfo> registers;  ///< the parameters first
  std::size_t parameter_count = 0;
  std::vector<bool> uniform_parameters;  ///< declared `uniform`
  std::optional<ValueType> result;
  Label begin = 0;  ///< its code is [begin, end)
  Label end = 0;
  SourceSpan span;
};

/// A __local array (one per group, uninitialised) or a __constant one (`values` holds the bits of every element). Scalars have count 1.
struct Object {
  std::string name;
  ScalarType element = ScalarType::Int;
  AddressSpace space = AddressSpace::Local;
  std::uint64_t count = 1;
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> extents;
  SourceSpan span;
};

struct LabelDefinition {
  std::string name;
  Label pc = 0;
};

struct Program {
  std::shared_ptr<const SourceFile> source;  ///< what the spans point into: the .cl file, or the typed .mus text
  unsigned wg_size = 1;
  std::vector<Statement> code;
  std::vector<Function> functions;  ///< [0] is the kernel: its parameters are the launch's, it ends in `stop`, the others in `ret`
  std::vector<Object> objects;
  std::vector<LabelDefinition> labels;  ///< by ascending pc; branch targets that have none are printed as numbers

  const Function& kernel() const { return functions.front(); }
};

/// The function that owns `pc`.
const Function& function_at(const Program& program, Label pc);

/// Which elements a program puns: pointers in that space are reinterpreted from them or to them, so that what lies there may be met as
/// elements of several types. Such objects are ones of bytes (semantics/memory/bytes.hpp); all others have a cell for each element.
/// Global and constant memory are one here: a buffer may be an argument for pointers to either.
class Puns {
 public:
  Puns() = default;
  explicit Puns(const Program& program);
  bool any() const { return types_ != decltype(types_){}; }
  bool operator()(AddressSpace space, ScalarType element) const {
    return (types_[number_of(space)] >> static_cast<unsigned>(element) & 1U) != 0;
  }

 private:
  static constexpr std::size_t number_of(AddressSpace space) {
    return static_cast<std::size_t>(space == AddressSpace::Constant ? AddressSpace::Global : space);
  }
  std::array<std::uint32_t, 4> types_{};  // by space: the types as a set
};

/// The array registers of each function whose address an instruction takes, ascending.
std::vector<std::vector<RegisterId>> addressed_arrays(const Program& program);

/// The program with no register `always_written`, so that a read of one that has no value is found whoever wrote the program. It means the
/// same.
Program with_all_watched(Program program);

/// True if the programs are the same up to spans and Program::source.
bool same(const Program& a, const Program& b);

}  // namespace lockstep::typed
