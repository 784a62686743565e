#pragma once
// Inside of the pass `normalise`: what its files share.

#include <map>
#include <string_view>
#include <utility>

#include "codegen/passes/assignments.hpp"
#include "codegen/passes/assumptions.hpp"
#include "codegen/passes/knowledge.hpp"
#include "codegen/passes/symbolic.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/core/tree.hpp"

namespace lockstep::passes {

/// Ends the pass with a message about the kernel.
struct Rejected {
  Diagnostic diagnostic;
};

/// The value of an expression.
struct Result {
  Operand operand;
  std::optional<Symbolic> symbolic;  ///< of an integer
  std::optional<Place> pointer;      ///< of a pointer, if it is known where it points
};

class Normaliser {
 public:
  Normaliser(const core::Program& program, const core::Function& kernel, bool assumes);

  Assignments run();

 private:
  /// What a variable of the present function is.
  struct Binding {
    std::optional<VarId> var;        ///< a register
    std::optional<ObjectId> object;  ///< an array, a __local variable, or one whose address is taken
  };

  /// One call that is being inlined (or the kernel).
  struct Frame {
    const core::Function* function = nullptr;
    std::vector<Binding> bindings;  ///< by core::VarId
    std::vector<bool> has_effects;  ///< by ExprId: it writes, calls, or looks at other items
    std::vector<bool> is_risky;     ///< by ExprId: has_effects, or it reads memory
    LabelId end = 0;                ///< what `return` leaves
    std::optional<VarId> result;
    std::vector<LabelId> breaks;     ///< innermost last
    std::vector<LabelId> continues;  ///< innermost last
  };

  // normalise_statements.cpp
  void bind_variables(Frame& frame);
  void statements(const core::Body& body);
  void statement(const core::Stmt& stmt);
  void declare(const core::Declare& declare);
  void if_statement(const core::If& statement);
  void switch_statement(const core::Switch& statement);
  void return_statement(const core::Return& statement);
  void forget_assigned(const core::Body& body);
  void forget_assigned(core::ExprId id);

  // normalise_loops.cpp
  void loop(const core::Loop& loop);

  // normalise_counted.cpp
  /// `for (…; compared op bound; counter = next)`, where nothing but the step changes what stands in the head.
  struct Head {
    core::VarId id = 0;  ///< the counter
    VarId var = 0;       ///< its register
    core::Type type;
    Symbolic from;  ///< with a range, and the same for the whole pack
    core::ExprId next = 0;
    Op op = Op::Lt;
    ScalarType compared_as = ScalarType::Int;
    core::ExprId compared = 0;  ///< speaks of the counter
    core::ExprId bound = 0;     ///< does not
  };
  /// `for (counter = from; counter < limit; counter += by)`, or with > where `by` is negative.
  struct Rounds {
    Polynomial limit;
    std::int64_t by = 1;
    Range inside;  ///< of the counter, in all rounds
  };

  std::optional<Head> head_of(const core::Loop& loop);
  /// With a range, and the same for the whole pack.
  std::optional<Symbolic> bound_of(const Head& head);
  /// By how much the expression lies above a counter in the range, if that is one number and nothing wraps: tried aside.
  std::optional<std::int64_t> above_counter(const Head& head, VarId counter, const Range& range, core::ExprId id);
  std::optional<Rounds> rounds_of(const Head& head, const Symbolic& bound, VarId counter);
  /// Gives the counter its value behind the loop: the first one that fails the condition.
  void write_last(const Head& head, const Rounds& rounds);
  /// Lowers the loop if it can be shown how often it runs.
  bool counted_loop(const core::Loop& loop);

  // normalise_calls.cpp
  void crev_call(const core::CrevCall& call);
  void inline_call(core::FunctionId id, const std::vector<Result>& arguments, std::optional<VarId> result);
  void check_call(core::FunctionId id);
  Result call(const core::Call& node);

  // normalise_places.cpp
  std::variant<VarId, Place> place(core::ExprId id);
  Result read_variable(VarId var, const core::Type& type);
  Result read(const std::variant<VarId, Place>& where, const core::Type& type);
  void write(const std::variant<VarId, Place>& where, const Result& result);
  Place pointed_at(core::ExprId pointer);
  void add_index(Place& place, const Polynomial& index);
  Result pointer_to(Place place);
  Operand operand_of_pointer(const Result& result);
  /// The value as it is now, whatever is assigned to the variables in it later.
  Result settled(Result result, const core::Type& type);

  // normalise_expressions.cpp
  Result value(core::ExprId id);
  Operand truth(core::ExprId id);
  Result operate(const core::Operate& node, const core::Expr& expr);
  Result compare_pointers(const core::Operate& node);
  Operand compare(Op op, ScalarType type, const Result& left, const Result& right);
  std::vector<Result> operands_in_order(const core::Operate& node);
  Operand short_circuit(const core::ShortCircuit& node);
  Result conditional(const core::Conditional& node, const core::Expr& expr);
  Result assign(const core::Assign& node);
  Result ask(const core::Ask& node);
  Result collective(const core::Collective& node, const core::Expr& expr);
  Result atomic(const core::Atomic& node, const core::Expr& expr);
  Result convert_value(const Result& source, ScalarType from, ScalarType to);
  Polynomial index_of(const Result& result, ScalarType type);
  Operand converted_truth(Operand truth, ScalarType to);
  /// The polynomial as a number of the type, if that may be assumed.
  std::optional<Symbolic> assumed(ScalarType type, const Polynomial& polynomial);
  std::optional<Symbolic> combined(Op op, ScalarType type, const Symbolic& a, const Symbolic& b);

  // Building.
  void emit(Statement statement);
  template <class Node>
  void emit(Node node) {
    emit(Statement{std::move(node), span_});
  }
  VarId new_variable(std::string_view name, Element element, bool implicit);
  Ref temporary(Right right, Element element, std::string_view name = "t");
  Result opaque(Right right, ScalarType type, std::optional<Range> range = std::nullopt, std::string_view name = "t");
  /// What `f` emits. What it comes to know is forgotten: nobody knows whether it is carried out.
  Body inside(const auto& f) {
    Body body;
    Body* const outer = std::exchange(body_, &body);
    const Knowledge::Moment before = known_.now();
    f();
    body_ = outer;
    known_.go_back(before);
    return body;
  }

  Frame& frame() { return frames_.back(); }
  const core::Expr& at(core::ExprId id) { return frames_.back().function->at(id); }

  const core::Program& program_;
  const core::Function& kernel_;
  Assignments out_;
  std::vector<Frame> frames_;
  Body* body_ = nullptr;
  Knowledge known_;
  bool assumes_ = false;
  Assumptions assumptions_;
  std::map<std::pair<const core::Function*, core::VarId>, ObjectId> locals_;
  std::unordered_map<core::ConstantId, ObjectId> constants_;
  std::vector<core::FunctionId> calls_;  ///< being inlined, outermost first
  std::vector<SourceSpan> call_spans_;
  std::vector<Result> old_values_;  ///< of the assignments around the present expression
  LabelId next_label_ = 0;
  std::size_t statements_ = 0;
  SourceSpan span_;
};

/// True if both are the same for all items whatever happens: they speak of loop variables, parameters and constants of the pack.
bool is_pack_wide(const Assignments& assignments, const Polynomial& polynomial);

}  // namespace lockstep::passes
