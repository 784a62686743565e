#pragma once
// From expressions to instructions. Pure parts stay together as one post-order expression; loads, stores, calls, assignments and
// collectives become instructions of their own, in the order of evaluation.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "semantics/core/translate/emitter.hpp"
#include "semantics/core/translate/facts.hpp"
#include "semantics/core/translate/module.hpp"

namespace lockstep::core::translation {

/// Where a variable lives: a register, a register array (arrays, and scalars whose address is taken), or an object (__local).
struct Home {
  enum class Kind : std::uint8_t { Register, Array, Object };
  Kind kind = Kind::Register;
  std::uint32_t id = 0;  ///< RegisterId or ObjectId
};

/// Lowers the expressions of one function.
///
/// Operands that are evaluated, but not used yet, wait on a stack of nodes, one behind the other; since they are in post-order, an
/// operation on the topmost ones is one more node. A waiting operand is computed later than it stands in the order of evaluation; so
/// before an instruction that could change its value, it is copied into a temporary.
class Expressions {
 public:
  /// `homes` by VarId.
  Expressions(Emitter& emitter, Module& module, const Function& function, const ValueFacts& facts, const std::vector<Home>& homes);

  /// The value of an expression, as one expression that is to be used at once.
  typed::Expr value(ExprId id);
  /// The same for `bz`: a pointer is compared with null.
  typed::Expr condition(ExprId id);
  /// Everything but the value.
  void effect(ExprId id);
  /// `id`'s value goes to a register that no expression outside of `id` reads meanwhile.
  void assign(typed::RegisterId target, ExprId id, SourceSpan span);
  /// Element `index` of the variable's register array := the value.
  void assign_element(typed::RegisterId array, std::uint64_t index, ExprId value, SourceSpan span);

  /// Evaluates the expressions in order, each into a register that keeps its value during the statement.
  std::vector<typed::RegisterId> registers_of(const std::vector<ExprId>& ids);

  /// `id` evaluated by the items that have `flag` set; 0 for the others. As for `bz`.
  typed::Expr guarded_condition(typed::RegisterId flag, ExprId id);

  /// Expressions over registers that are nobody's variable.
  typed::Expr register_value(typed::RegisterId id, SourceSpan span);
  static typed::Expr constant(typed::ValueType type, std::uint64_t bits, SourceSpan span);

  /// The statement is over: its temporaries are free.
  void end_statement();

 private:
  /// Where a place lies. What it needs of the stack stands from `operand` on: nothing (Register), the index (Element), base and index
  /// (Memory).
  struct Place {
    enum class Kind : std::uint8_t { Register, Element, Memory };
    Kind kind = Kind::Register;
    typed::RegisterId id = 0;
    typed::ValueType type;
    std::size_t operand = 0;
    SourceSpan span;
    bool carries = false;  ///< Expr::carries
  };
  typed::RegisterId temporary(typed::ValueType type, SourceSpan span);
  bool is_simple(ExprId id) const { return facts_.expressions[id].is_simple; }
  bool may_poison(ExprId id) const { return facts_.expressions[id].may_poison; }

  // The stack of operands.
  void push(const typed::ExprNode& node);
  void push_register(typed::RegisterId id, SourceSpan span);
  void push_constant(typed::ValueType type, std::uint64_t bits, SourceSpan span);
  void apply(const typed::ExprNode& node, std::size_t operands);
  std::optional<std::array<std::uint64_t, 3>> constants(std::size_t operands) const;
  void operate(Op op, ScalarType type, SourceSpan span, bool on_pointers = false);
  void convert(ScalarType to, SourceSpan span);
  void bitcast(ScalarType to, SourceSpan span);
  void check_within(const typed::Within& within, SourceSpan span);
  void multiply(std::uint64_t factor, SourceSpan span);
  void copy(std::size_t operand);
  /// Of the topmost operands the one at the bottom, which was evaluated first, becomes the last.
  void first_to_top(std::size_t operands);
  typed::Expr pop();
  const typed::ExprNode& top() const { return nodes_.back(); }
  std::size_t end_of(std::size_t operand) const;
  /// The register if the operand is nothing but one that certainly has a value.
  std::optional<typed::RegisterId> plain_register(std::size_t operand) const;

  // What keeps waiting operands from changes.
  void save(std::size_t operand);
  template <class Predicate>
  void save_if(Predicate&& predicate);
  void before_write(typed::RegisterId id);
  void before_check();
  void before_effect(bool may_write_arrays);
  bool may_fault(const typed::ExprNode& node) const;
  std::size_t begin_region(bool writes);
  void end_region(std::size_t outer_base) { region_base_ = outer_base; }

  // Values: one operand more on the stack.
  void push_value(ExprId id);
  void push_truth(ExprId id);
  void push_of(ExprId id, const Literal& node);
  void push_of(ExprId id, const Var& node);
  void push_of(ExprId id, const GlobalConstant& node);
  void push_of(ExprId id, const Subscript& node);
  void push_of(ExprId id, const AddressOf& node);
  void push_of(ExprId id, const PointerAdd& node);
  void push_of(ExprId id, const PointerDifference& node);
  void push_of(ExprId id, const OldValue& node);
  void push_of(ExprId id, const Operate& node);
  void push_of(ExprId id, const Convert& node);
  void push_of(ExprId id, const Bitcast& node);
  void push_of(ExprId id, const ShortCircuit& node);
  void push_of(ExprId id, const Conditional& node);
  void push_of(ExprId id, const Assign& node);
  void push_of(ExprId id, const Comma& node);
  void push_of(ExprId id, const Call& node);
  void push_of(ExprId id, const Ask& node);
  void push_of(ExprId id, const Collective& node);
  void push_of(ExprId id, const Atomic& node);

  // Values that an instruction of their own writes into a given register.
  bool is_load(ExprId id) const;
  bool is_select(const Expr& expression, const Conditional& node) const;
  bool produce(ExprId id, typed::RegisterId target);
  bool produce_in_temporary(ExprId id);
  template <class Arm>
  void branch(const Conditional& node, SourceSpan span, Arm&& arm);
  void collective(ExprId id, const Collective& node, typed::RegisterId target);
  void shuffle(ExprId id, const Collective& node, typed::RegisterId target);
  void call(ExprId id, const Call& node, std::optional<typed::RegisterId> target);
  void atomic(ExprId id, const Atomic& node, std::optional<typed::RegisterId> target);

  // Places.
  Place push_place(ExprId id);
  Place push_subscript(ExprId id, bool is_accessed);
  typed::Within index_of(const Expr& base);
  void push_indices(const std::vector<ExprId>& indices, const std::vector<std::uint64_t>& extents, typed::Within check, bool is_accessed);
  void push_address(ExprId place, SourceSpan span);
  void read(const Place& place);
  void read_again(const Place& place);
  void assignment(ExprId id, const Assign& node, bool wants_value);
  void write(const Place& place, SourceSpan span);

  Emitter& emitter_;
  Module& module_;
  const Function& function_;
  const ValueFacts& facts_;
  const std::vector<Home>& homes_;
  std::vector<typed::ExprNode> nodes_;
  std::vector<std::size_t> starts_;  // of the operands in nodes_
  // Operands below wait outside of the present region, whose instructions run for some of the items only; they are not to be touched.
  std::size_t region_base_ = 0;
  std::vector<bool> is_exposed_;                                            // per register: an array that pointers reach
  std::vector<Place> places_;                                               // of the assignments whose values are being lowered
  std::vector<std::pair<std::uint32_t, typed::RegisterId>> used_;           // by the present statement, with their types
  std::unordered_map<std::uint32_t, std::vector<typed::RegisterId>> free_;  // by type
};

}  // namespace lockstep::core::translation
