#pragma once
// The inside of the evaluator: what a warp knows, and how it goes through a function.

#include <compare>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "tests/evaluator/evaluator.hpp"

namespace lockstep::evaluator {

__extension__ using Offset = __int128;  ///< in elements; wide enough that no sum or product of indices overflows

/// A pointer must stay within so many bytes of its object's beginning (the machine keeps offsets of 40 bits): further on it is out of
/// bounds where it is computed.
inline constexpr Offset pointer_reach = Offset{1} << 39;

struct Storage;

/// A number or a pointer, or none.
struct Value {
  State state = State::Uninitialised;
  std::uint64_t bits = 0;
  std::shared_ptr<Storage> object;  ///< of a pointer; null for the null pointer
  Offset offset = 0;
};

/// Who was at a cell, after how many barriers of the group that order it.
struct Visit {
  std::uint64_t group = 0;
  unsigned warp = 0;
  std::uint64_t interval = 0;
  bool writes = false;
  bool atomic = false;  ///< no race with another one of these

  auto operator<=>(const Visit&) const = default;
};

/// Elements of one type. A private object has `count` of them for each lane of its warp.
struct Storage {
  AddressSpace space = AddressSpace::Private;
  std::size_t count = 1;
  std::vector<Value> elements;
  std::vector<std::set<Visit>> visits = {};  ///< of each element, in global and local memory; empty before the first one
};

using Mask = std::vector<bool>;     ///< a set of lanes
using Values = std::vector<Value>;  ///< one for each lane; only those of active lanes mean anything
struct Place {
  std::shared_ptr<Storage> object;
  Offset index = 0;
  bool is_poison = false;
};
using Places = std::vector<Place>;

bool is_empty(const Mask& mask);
void join(Mask& mask, const Mask& others);

/// Thrown at the first undefined behaviour.
struct Undefined {
  Fault fault;
};
/// Thrown when a limit is met.
struct GaveUp {};

/// What all warps of a launch share.
struct World {
  const core::Program& program;
  const Launch& launch;
  unsigned warp_size;
  std::vector<std::shared_ptr<Storage>> buffers;
  std::vector<std::shared_ptr<Storage>> constants;
  std::uint64_t steps = 0;
  std::uint64_t activations = 0;
  bool has_race = false;
};

/// Waiting for the other warps of the group. A warp gives its vote, and gets whether some and whether all of them voted true.
class Meeting {
 public:
  struct Votes {
    bool some = false;
    bool all = false;
  };
  Meeting() = default;
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;
  virtual ~Meeting() = default;
  virtual Votes wait(unsigned warp, bool some, bool all, SourceSpan span) = 0;
};

/// What the warps of one group share.
struct Group {
  World& world;
  std::uint64_t number = 0;
  unsigned warps = 1;
  Meeting& meeting;
  std::map<std::pair<const core::Function*, core::VarId>, std::shared_ptr<Storage>> locals;
};

/// The lanes that have left where they were, by how.
struct Exits {
  Mask broken;
  Mask continued;
  Mask returned;
};

/// One call of a function by some lanes.
struct Frame {
  const core::Function* function = nullptr;
  std::vector<std::shared_ptr<Storage>> variables;
  Values result;
  std::vector<const Places*> assigned;  ///< of the assignments that are being evaluated, the innermost last
};

class Warp {
 public:
  Warp(Group& group, unsigned number);

  void run(const core::Function& kernel);

 private:
  // statements.cpp. Each takes the lanes that reach it, and leaves in `active` those that go on behind it.
  void body(Frame& frame, const core::Body& statements, Mask& active, Exits& exits);
  void statement(Frame& frame, const core::Stmt& statement, Mask& active, Exits& exits);
  void declare(Frame& frame, const core::Declare& declaration, const Mask& active, SourceSpan span);
  void branch(Frame& frame, const core::If& branch, Mask& active, Exits& exits);
  void loop(Frame& frame, const core::Loop& loop, Mask& active, Exits& exits);
  void choose(Frame& frame, const core::Switch& choice, Mask& active, Exits& exits);
  void serve(Frame& frame, const core::CrevCall& call, const Mask& active);
  void barrier(const Mask& active, const Fences& fences, SourceSpan span);
  Exits no_exits() const;

  // expressions.cpp. Each is evaluated for the active lanes, operator by operator.
  Values value(Frame& frame, core::ExprId id, const Mask& active);
  Places place(Frame& frame, core::ExprId id, const Mask& active);
  Places element_places(Frame& frame, const core::Subscript& subscript, const Mask& active);
  Values load(const Places& places, const Mask& active, SourceSpan span) const;
  void store(const Places& places, const Values& values, const Mask& active, SourceSpan span) const;
  Value& cell(const Place& place, unsigned lane, SourceSpan span) const;

  // races.cpp
  void visit(const Place& place, bool writes, bool atomic = false) const;
  /// Two items store different values to one cell at once.
  void look_for_clashes(const Places& places, const Values& values, const Mask& active) const;

  // expressions.cpp
  Values operate(Frame& frame, const core::Operate& operation, const core::Expr& expression, const Mask& active);
  Values convert_all(Frame& frame, const core::Convert& conversion, const core::Expr& expression, const Mask& active);
  Values short_circuit(Frame& frame, const core::ShortCircuit& operation, const Mask& active);
  Values conditional(Frame& frame, const core::Conditional& choice, const Mask& active);
  Values assign(Frame& frame, const core::Assign& assignment, const Mask& active);
  Values atomic(Frame& frame, const core::Atomic& change, const core::Expr& expression, const Mask& active);
  /// For what it does alone: a call may have ended without a value.
  void effect(Frame& frame, core::ExprId id, const Mask& active);
  Values call(Frame& frame, const core::Call& call, const Mask& active);
  Values ask(core::Query query, const Mask& active) const;
  Values collective(Frame& frame, const core::Collective& operation, const core::Expr& expression, const Mask& active);
  Values group_vote(core::CollectiveOp op, const Values& operand, const core::Expr& of, const Mask& active, SourceSpan span);
  Values pointer_add(Frame& frame, const core::PointerAdd& sum, const core::Expr& expression, const Mask& active);
  void check_reach(const Values& pointers, const core::Expr& expression, const Mask& active) const;
  Values pointer_difference(Frame& frame, const core::PointerDifference& difference, const core::Expr& expression, const Mask& active);

  /// The lanes whose condition is true; poison is undefined.
  Mask truth(Frame& frame, core::ExprId condition, const Mask& active);
  std::vector<Values> arguments(Frame& frame, const std::vector<core::ExprId>& ids, const Mask& active);
  Values enter(const core::Function& function, const std::vector<Values>& arguments, const Mask& active);
  std::shared_ptr<Storage> make_private(const core::Type& type) const;
  std::shared_ptr<Storage> variable(Frame& frame, core::VarId id);

  void tick();
  [[noreturn]] void fail(FaultKind kind, unsigned lane, SourceSpan span) const;
  Mask all() const { return Mask(lanes_, true); }

  Group& group_;
  World& world_;
  unsigned number_;
  unsigned first_item_;
  unsigned lanes_;
  bool is_row_address_ = false;  ///< of the subscript that is looked at next only the address is taken, of a row
  unsigned depth_ = 0;
  std::uint64_t local_interval_ = 0;  ///< barriers that the group has passed, and that order local memory
  std::uint64_t global_interval_ = 0;
};

/// How many elements a variable of the type has.
std::size_t element_count(const core::Type& type);
Value number(std::uint64_t bits);

}  // namespace lockstep::evaluator
