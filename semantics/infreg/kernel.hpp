#pragma once
// InfReg-IR (docs/infreg-ir.md; borG paper, section 3.2): a kernel as operations on InfReg values in SSA form, with structured control.
// Each value has an element type and a layout; operations on elements need equal layouts, only `reorder`, `shuffle`, `spread` and votes
// bring data from lane to lane. What every operation means, and what is undefined, stands in docs/infreg-ir.md; the text form too.
//
// Numbers: an operation on elements is total. Where it is undefined in the kernel language (a division by zero, a float that does not fit)
// it gives poison, and so does every operation with a poison operand (select: with a poison condition, or arm chosen). The program is
// undefined only where poison decides: in a mask of a memory operation, vote or shuffle, in an address, in the condition of a loop or `if`,
// and where an active lane's address lies outside its object.

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "semantics/base/scalar_type.hpp"
#include "semantics/base/source.hpp"
#include "semantics/infreg/layout.hpp"
#include "semantics/infreg/polynomial.hpp"
#include "semantics/ops/atomic.hpp"
#include "semantics/ops/op.hpp"

namespace lockstep::infreg {

using RegionId = std::uint32_t;     ///< index into Kernel::regions
using ParameterId = std::uint32_t;  ///< index into Kernel::parameters
using ObjectId = std::uint32_t;     ///< index into Kernel::objects

/// What a lane holds: a number of a scalar type (Bool is `i1`: masks and truth values), or a pointer.
struct Element {
  ScalarType scalar = ScalarType::Int;  ///< Int for pointers
  bool is_pointer = false;

  bool operator==(const Element&) const = default;

  static constexpr Element of(ScalarType type) { return {type, false}; }
  static constexpr Element pointer() { return {ScalarType::Int, true}; }
};
inline constexpr Element truth = Element::of(ScalarType::Bool);
inline constexpr Element index_element = Element::of(ScalarType::Long);  ///< of loop variables

struct Type {
  Element element;
  Layout layout;

  bool operator==(const Type&) const = default;
};

// ---- operations without memory ------------------------------------------------------------------------------------------

/// `constant`: the same number in all lanes; bits as core::Literal. Of a pointer 0 alone, the null pointer.
struct Constant {
  Type type;
  std::uint64_t bits = 0;
  bool operator==(const Constant&) const = default;
};
/// `lanes [..]`: a number for each lane of one group, the same for every group of the pack; layout Group or Item.
struct ConstantLanes {
  Type type;
  std::vector<std::uint64_t> bits;
  bool operator==(const ConstantLanes&) const = default;
};
/// `poison`: nothing known in any lane.
struct Poison {
  Type type;
  bool operator==(const Poison&) const = default;
};
/// `index { p }`: the polynomial's number in each lane, converted to the (integer) type as C does. A layout that lacks a coordinate which
/// p mentions is ill-formed.
struct Index {
  Type type;
  Polynomial value;
  bool operator==(const Index&) const = default;
};
/// `mask { a < b, c == d }`: true in the lanes in which all comparisons hold; they are signed, on 64 bits. Operators: < <= > >= == !=
struct Mask {
  struct Comparison {
    Polynomial left;
    Op op = Op::Lt;
    Polynomial right;
    bool operator==(const Comparison&) const = default;
  };
  Layout layout;
  std::vector<Comparison> all_of;  ///< none: true everywhere
  bool operator==(const Mask&) const = default;
};
/// `num_groups`: how many groups the launch has; u64, layout Pack.
struct NumGroups {
  bool operator==(const NumGroups&) const = default;
};
/// `spread v`: from Pack to every lane, or from Group(1) to the group's lanes of an Item layout, or from Item(1) to the item's elements.
struct Spread {
  ValueId source = 0;
  Layout layout;
  bool operator==(const Spread&) const = default;
};
/// An operation of ops.def on operands of one scalar type and one layout. Comparisons give `i1`. Not here: Select (below), and !, && and
/// ||, which are `eq`, `and` and `or` of i1. Of Bool are only BitAnd, BitOr, BitXor, Eq and Ne.
struct Elementwise {
  Op op = Op::Add;
  ScalarType operand_type = ScalarType::Int;
  std::vector<ValueId> operands;
  bool operator==(const Elementwise&) const = default;
};
/// `select m, a, b`: a where m is true, else b. The arms may be pointers.
struct Select {
  ValueId condition = 0;
  ValueId then = 0;
  ValueId otherwise = 0;
  bool operator==(const Select&) const = default;
};
/// `convert v`: as C does it; poison where C leaves it undefined. To Bool: whether it is not 0.
struct Convert {
  ValueId source = 0;
  ScalarType to = ScalarType::Int;
  bool operator==(const Convert&) const = default;
};
/// `bitcast v`: the same bits as a number of another type of the same size; neither is Bool.
struct Bitcast {
  ValueId source = 0;
  ScalarType to = ScalarType::Int;
  bool operator==(const Bitcast&) const = default;
};
/// `reorder v { (wi, ix) <- (item, element) }`: lane (wg, wi, ix) of the result gets lane (wg, item, element) of the source, poison where
/// that does not exist. From a Group layout: `(wi, ix) <- (element)`; to a Group layout `(ix) <- (item, element)`. The polynomials speak of
/// the result's lane, and not of wg.ix: what all groups do alike.
struct Reorder {
  struct Affine {
    Polynomial item;  ///< 0 where the source is a Group layout
    Polynomial element;
    bool operator==(const Affine&) const = default;
  };
  /// For each lane of the result in one group the source's lane in that group, or `nowhere`: poison.
  struct Table {
    static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
    std::vector<std::uint32_t> source;
    bool operator==(const Table&) const = default;
  };
  ValueId source = 0;
  Layout layout;  ///< of the result; Group or Item, as the source's
  std::variant<Affine, Table> pattern;
  bool operator==(const Reorder&) const = default;
};
/// `shuffle v, lane, m`: rule SVA at run time. In the active lanes: the source's element ix of item `lane` of the same group; poison where
/// that item does not exist or is not active in m. Poison in inactive lanes. lane is i64 and m is i1, both Item(1); v is Item(n).
struct Shuffle {
  ValueId source = 0;
  ValueId lane = 0;
  ValueId mask = 0;
  bool operator==(const Shuffle&) const = default;
};
/// `any v, m` and so on, over the active lanes: of each group (the result has layout Group(1)) or of the pack (layout Pack). v and m are
/// i1. any, all: i1; popcount: u64, how many are true; ballot: u64, bit i for item i (Item(1), at most 64 items, per group).
struct Vote {
  enum class Kind : std::uint8_t { Any, All, Popcount, Ballot };
  Kind kind = Kind::Any;
  bool whole_pack = false;
  ValueId value = 0;
  ValueId mask = 0;
  bool operator==(const Vote&) const = default;
};

// ---- pointers and memory -----------------------------------------------------------------------------------------------------

/// What an address or a place is counted from.
struct OfParameter {
  ParameterId id = 0;
  bool operator==(const OfParameter&) const = default;
};
struct OfObject {
  ObjectId id = 0;
  bool operator==(const OfObject&) const = default;
};
struct AtPointer {
  ValueId value = 0;
  bool operator==(const AtPointer&) const = default;
};

/// Where an object or a pointer parameter begins, in each lane: parameters in layout Pack, __constant objects too, __local ones in
/// Group(1), private ones in Item(1).
struct AddressOf {
  std::variant<OfParameter, OfObject> object;
  bool operator==(const AddressOf&) const = default;
};
/// `offset p, i`: the pointer i elements of `element` further on; i is i64.
struct PointerOffset {
  ScalarType element = ScalarType::Int;
  ValueId pointer = 0;
  ValueId index = 0;
  bool operator==(const PointerOffset&) const = default;
};
/// `distance p, q`: elements between two pointers into one object, i64; poison otherwise.
struct PointerDistance {
  ScalarType element = ScalarType::Int;
  ValueId left = 0;
  ValueId right = 0;
  bool operator==(const PointerDistance&) const = default;
};
/// A comparison of pointers; the orders give poison for different objects.
struct PointerCompare {
  Op op = Op::Eq;
  ValueId left = 0;
  ValueId right = 0;
  bool operator==(const PointerCompare&) const = default;
};

/// The cells that the lanes of a load or store touch: element number polynomial + index, counted from the base. A private object's own
/// item, and a __local one's own group, is meant.
struct Place {
  std::variant<OfParameter, OfObject, AtPointer> base;  ///< a pointer value has the layout of the access, or layout Pack
  Polynomial index;
  std::optional<ValueId> lanes;  ///< added to it: i64 or u64, of the layout of the access
  bool operator==(const Place&) const = default;
};
/// How the lanes of one group lie in memory, as far as it is known: lane k of the group at first + k; at first + k * stride for one stride
/// of all lanes; or anywhere.
enum class Access : std::uint8_t { Contiguous, Strided, Gather };
/// `load p [..] access, m`: poison in inactive lanes.
struct Load {
  Type type;
  Place place;
  Access access = Access::Gather;
  std::optional<ValueId> mask;  ///< i1 of the same layout; none: all lanes are active
  bool operator==(const Load&) const = default;
};
/// `store p [..] access, v, m`: of two lanes that meet in a cell the higher one wins.
struct Store {
  Place place;
  Access access = Access::Gather;
  ValueId value = 0;
  std::optional<ValueId> mask;
  bool operator==(const Store&) const = default;
};

/// `atomic.add p [..] access, v, m`, `atomic.compare p [..] access, c, v, m` and so on: one active lane after the other, groups, items and
/// elements ascending, changes its cell as ops/atomic.hpp has it; the result is what each has found, poison in inactive lanes. Nothing else
/// changes the cells in between. Layout Item(n): an item does it, not a group.
struct Atomic {
  AtomicOp op = AtomicOp::Exchange;
  Type type;
  Place place;
  Access access = Access::Gather;
  std::optional<ValueId> compare;  ///< of CompareExchange: what the cell has to have
  ValueId value = 0;
  std::optional<ValueId> mask;
  bool operator==(const Atomic&) const = default;
};

// ---- control -------------------------------------------------------------------------------------------------------------------

/// `if c { .. } else { .. }`: c is i1 of layout Pack. Each region yields the results.
struct If {
  ValueId condition = 0;
  RegionId then = 0;
  RegionId otherwise = 0;
  bool operator==(const If&) const = default;
};
/// `for s = from to limit step k (x = init, ..) { .. }`: rolled. The region's arguments are s (i64, layout Pack), then the carried values;
/// it yields their next ones. Runs while s < limit (step > 0) or s > limit (step < 0); s does not wrap. The bounds mention values only.
struct For {
  Polynomial from;
  Polynomial limit;
  std::int64_t step = 1;
  std::vector<ValueId> inits;
  RegionId body = 0;
  bool operator==(const For&) const = default;
};
/// `loop while c = init (x = init, ..) { .. }`: the first carried value is i1 of layout Pack, and before each round it is asked whether
/// there is one. Arguments and yields of the region: all carried values, the condition first.
struct Loop {
  std::vector<ValueId> inits;
  RegionId body = 0;
  bool operator==(const Loop&) const = default;
};

using Node = std::variant<Constant, ConstantLanes, Poison, Index, Mask, NumGroups, Spread, Elementwise, Select, Convert, Bitcast, Reorder,
                          Shuffle, Vote, AddressOf, PointerOffset, PointerDistance, PointerCompare, Load, Store, Atomic, If, For, Loop>;

struct Operation {
  Node node;
  std::vector<ValueId> results;  ///< none for a store; one for others; of if, for and loop: the yields, without a loop's variable
  SourceSpan span;               ///< in Kernel::source: the operation that it comes from
};

/// An operation's place in the kernel: Kernel::regions[region].operations[index].
struct OperationId {
  RegionId region = 0;
  std::uint32_t index = 0;

  auto operator<=>(const OperationId&) const = default;
};

/// A run of operations. Its values may be used in it and in the regions inside.
struct Region {
  std::vector<ValueId> arguments;
  std::vector<Operation> operations;
  std::vector<ValueId> yields;
};

// ---- kernels -------------------------------------------------------------------------------------------------------------------

/// A value's type, and a name for people: unique in the kernel, without the '%'. Each is defined once: as a scalar parameter, an argument
/// of a region, or a result.
struct Value {
  Type type;
  std::string name;
};

struct Parameter {
  std::string name;
  ScalarType scalar = ScalarType::Int;  ///< of the parameter, or of what it points to
  bool is_pointer = false;
  bool is_const = false;     ///< nothing is written through it
  bool is_restrict = false;  ///< what is written of the memory that it points to is met through this parameter only
  ValueId value = 0;         ///< of a scalar parameter: its value, of layout Pack
};

/// Memory of the kernel itself: a private array per item, a __local array per group (both uninitialised: poison), or a __constant one.
struct Object {
  std::string name;
  ScalarType element = ScalarType::Int;
  AddressSpace space = AddressSpace::Private;
  std::uint64_t count = 1;            ///< elements, of each item or group
  std::vector<std::uint64_t> values;  ///< of Constant: the bits of every element

  bool operator==(const Object&) const = default;
};

struct Kernel {
  std::shared_ptr<const SourceFile> source;  ///< what spans point into; may be null
  std::string name;
  Shape shape;
  std::vector<Parameter> parameters;
  std::vector<Object> objects;
  std::vector<Value> values;
  std::vector<Region> regions;
  RegionId body = 0;  ///< no arguments, no yields

  const Type& type_of(ValueId value) const { return values[value].type; }
};

}  // namespace lockstep::infreg
