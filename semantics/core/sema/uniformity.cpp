#include "semantics/core/sema/uniformity.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "semantics/core/walk.hpp"

namespace lockstep::core::sema {
namespace {

/// Passes over one function after which loops are taken for varying altogether, so that no program makes the analysis slow.
constexpr unsigned max_precise_passes = 32;

/// For each variable whether its value (or its elements) varies; nothing is known of a place that control does not reach.
struct State {
  std::vector<bool> varies;
  bool is_live = false;

  /// True if something was added.
  bool join(const State& other) {
    if (!other.is_live) {
      return false;
    }
    if (!is_live) {
      *this = other;
      return true;
    }
    bool changed = false;
    for (std::size_t i = 0; i < varies.size(); ++i) {
      changed = changed || (other.varies[i] && !varies[i]);
      varies[i] = varies[i] || other.varies[i];
    }
    return changed;
  }
};

/// A part of the code that may be run by some of the work items only.
struct Region {
  enum class Kind { Branch, Switch, Loop };
  Kind kind = Kind::Branch;
  bool varies = false;   ///< the condition does
  bool thinned = false;  ///< some items have left by break or continue, and others have not
  State exits = {};      ///< at the breaks
  State continues = {};  ///< at the continues

  bool is_partial() const { return varies || thinned; }
};

/// What one pass over a loop leaves for the next one.
struct LoopMemory {
  State entry;
  bool varies = false;
};

/// For each function: whether its result varies although all arguments are uniform.
using Summaries = std::vector<bool>;

class Analysis {
 public:
  Analysis(const Program& program, const Function& function, const Summaries& summaries, Reporter* reporter)
      : program_(program), function_(function), summaries_(summaries), reporter_(reporter), escaped_(function.variables.size()) {
    for (const Expr& expr : function.expressions) {
      if (const auto* address = std::get_if<AddressOf>(&expr.node)) {
        if (const std::optional<VarId> root = root_of(address->place)) {
          escaped_[*root] = true;
        }
      }
    }
  }

  /// Runs to the end; the result is whether the function's own result varies. With a reporter, parameters vary unless they are uniform or a
  /// kernel's; without, none does.
  bool run() {
    unsigned passes = 0;
    const bool wants_reports = reporter_ != nullptr;
    Reporter* const reporter = reporter_;
    reporter_ = nullptr;
    do {
      widen_ = ++passes > max_precise_passes;
      pass(wants_reports);
    } while (again_);
    if (wants_reports) {
      reporter_ = reporter;
      pass(wants_reports);
    }
    return result_varies_;
  }

 private:
  void pass(bool with_varying_parameters) {
    again_ = false;
    state_ = {std::vector<bool>(function_.variables.size()), true};
    declared_at_.assign(function_.variables.size(), 0);
    for (VarId id = 0; id < function_.parameter_count; ++id) {
      state_.varies[id] = with_varying_parameters && !function_.is_kernel && !function_.variables[id].is_uniform;
    }
    run_body(function_.body);
  }

  // ---- control ----

  bool is_partial_above(std::size_t depth) const {
    return std::any_of(regions_.begin() + static_cast<std::ptrdiff_t>(depth), regions_.end(),
                       [](const Region& r) { return r.is_partial(); });
  }

  void run_body(const Body& body) {
    for (const Stmt& statement : body) {
      std::visit([&](const auto& node) { run_statement(node, statement); }, statement.node);
    }
  }

  void run_statement(const Evaluate& node, const Stmt&) { varies(node.expression); }

  void run_statement(const Declare& node, const Stmt&) {
    bool any = false;
    for (const ExprId value : node.values) {
      any = varies(value) || any;
    }
    declared_at_[node.variable] = regions_.size();
    state_.varies[node.variable] = any;
  }

  void run_statement(const Block& node, const Stmt&) { run_body(node.body); }

  void run_statement(const If& node, const Stmt&) {
    regions_.push_back({.kind = Region::Kind::Branch, .varies = varies(node.condition)});
    State before = state_;
    run_body(node.then);
    std::swap(before, state_);
    run_body(node.otherwise);
    state_.join(before);
    regions_.pop_back();
  }

  void run_statement(const Loop& node, const Stmt& statement) {
    run_body(node.init);
    LoopMemory& memory = loops_[&statement];
    memory.entry.varies.resize(function_.variables.size());
    memory.entry.join(state_);
    state_ = memory.entry;
    regions_.push_back({.kind = Region::Kind::Loop, .varies = memory.varies});
    const bool tests_first = node.kind != Loop::Kind::DoWhile;
    State exit;
    if (tests_first) {
      exit = run_condition(node);
    }
    run_body(node.body);
    state_.join(regions_.back().continues);
    regions_.back().thinned = false;
    if (node.step) {
      varies(*node.step);
    }
    if (!tests_first) {
      exit = run_condition(node);
    }
    exit.join(regions_.back().exits);
    end_of_round(memory, regions_.back().varies);
    regions_.pop_back();
    state_ = std::move(exit);
    state_.varies.resize(function_.variables.size());
  }

  /// Evaluates the condition; the result is the state where the loop ends because of it.
  State run_condition(const Loop& node) {
    if (!node.condition) {
      return {};
    }
    regions_.back().varies = varies(*node.condition) || regions_.back().varies;
    return state_;
  }

  void end_of_round(LoopMemory& memory, bool loop_varies) {
    const bool control_changed = loop_varies && !memory.varies;
    const bool values_changed = memory.entry.join(state_);
    memory.varies = loop_varies;
    if (control_changed || values_changed) {
      again_ = true;
      if (widen_) {
        memory.varies = true;
        memory.entry.varies.assign(function_.variables.size(), true);
      }
    }
  }

  void run_statement(const Switch& node, const Stmt&) {
    regions_.push_back({.kind = Region::Kind::Switch, .varies = varies(node.value)});
    const State before = state_;
    state_.is_live = false;
    bool has_default = false;
    for (const SwitchSection& section : node.sections) {
      has_default = has_default || section.is_default;
      state_.join(before);
      run_body(section.body);
    }
    if (!has_default) {
      state_.join(before);
    }
    state_.join(regions_.back().exits);
    regions_.pop_back();
  }

  void run_statement(const Break&, const Stmt&) {
    leave([](const Region& region) { return region.kind != Region::Kind::Branch; }, &Region::exits);
  }

  void run_statement(const Continue&, const Stmt&) {
    leave([](const Region& region) { return region.kind == Region::Kind::Loop; }, &Region::continues);
  }

  /// A jump out of regions, up to the innermost one that is a target.
  template <class IsTarget>
  void leave(IsTarget is_target, State Region::* where) {
    const auto target = std::find_if(regions_.rbegin(), regions_.rend(), is_target);
    const bool by_some = target->thinned || std::any_of(regions_.rbegin(), target, [](const Region& r) { return r.is_partial(); });
    ((*target).*where).join(state_);
    target->thinned = target->thinned || by_some;
    if (target->kind == Region::Kind::Loop && where == &Region::exits) {
      target->varies = target->varies || by_some;
    }
    state_.is_live = false;
  }

  void run_statement(const Return& node, const Stmt&) {
    const bool value_varies = node.value && varies(*node.value);
    result_varies_ = result_varies_ || value_varies || is_partial_above(0);
    state_.is_live = false;
  }

  /// Arguments may vary: each caller's are broadcast from its own lane, pointers too (erratum E11).
  void run_statement(const CrevCall& node, const Stmt&) {
    for (const ExprId argument : node.arguments) {
      varies(argument);
    }
  }

  void run_statement(const Barrier&, const Stmt&) {}

  // ---- values ----

  /// Whether the value varies; carries out its assignments.
  bool varies(ExprId id) {
    const Expr& expr = function_.at(id);
    return std::visit([&](const auto& node) { return value(node, id); }, expr.node);
  }

  bool value(const Var& node, ExprId) {
    const Variable& variable = function_.variables[node.id];
    if (variable.space == AddressSpace::Local) {
      return false;
    }
    return (escaped_[node.id] && !variable.type.is_pointer()) || state_.varies[node.id];
  }

  bool value(const Subscript& node, ExprId) {
    const Type& base = function_.at(node.base).type;
    const bool base_varies = varies(node.base);
    const bool index_varies = varies(node.index);
    return base_varies || index_varies || (base.is_pointer() && base.space == AddressSpace::Private);
  }

  bool value(const AddressOf& node, ExprId) { return address_varies(node.place); }

  bool value(const OldValue&, ExprId) { return old_values_.back(); }

  bool value(const ShortCircuit& node, ExprId) {
    const bool left = varies(node.left);
    const bool right = varies_under(left, node.right);
    return left || right;
  }

  bool value(const Conditional& node, ExprId) {
    const bool condition = varies(node.condition);
    const bool then = varies_under(condition, node.then);
    const bool otherwise = varies_under(condition, node.otherwise);
    return condition || then || otherwise;
  }

  bool value(const Assign& node, ExprId) {
    const bool old = varies(node.place);
    old_values_.push_back(old);
    const bool value_varies = varies(node.value);
    old_values_.pop_back();
    assign(node.place, value_varies, node.value);
    return node.yields_old ? old : value_varies;
  }

  bool value(const Comma& node, ExprId) {
    varies(node.left);
    return varies(node.right);
  }

  bool value(const Call& node, ExprId) {
    const Function& callee = program_.functions[node.function];
    bool any = summaries_[node.function];
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const bool argument_varies = varies(node.arguments[i]);
      any = any || argument_varies;
      if (argument_varies && i < callee.parameter_count && callee.variables[i].is_uniform) {
        report(node.arguments[i],
               "the parameter '" + shortened(callee.variables[i].name) + "' of '" + shortened(callee.name) +
                   "' is uniform, but this argument varies between work items",
               callee.variables[i]);
      }
    }
    return any;
  }

  static bool value(const Ask& node, ExprId) {
    return (node.query == Query::LocalId) || node.query == Query::WarpId || (node.query == Query::LaneId);
  }

  bool value(const Collective& node, ExprId) {
    std::vector<bool> operands;
    operands.reserve(node.operands.size());
    for (const ExprId operand : node.operands) {
      operands.push_back(varies(operand));
    }
    switch (node.op) {
      case CollectiveOp::Shuffle:
        return operands[1];
      case CollectiveOp::ShuffleXor:
        return operands[0] || operands[1];
      default:
        return false;
    }
  }

  /// What a place has had before differs from item to item, however many of them change it.
  bool value(const Atomic&, ExprId id) {
    for_each_operand(function_.at(id), [&](ExprId operand) { varies(operand); });
    return true;
  }

  /// Numbers, operations and conversions: as their operands.
  template <class Node>
  bool value(const Node&, ExprId id) {
    bool any = false;
    for_each_operand(function_.at(id), [&](ExprId operand) { any = varies(operand) || any; });
    return any;
  }

  /// An operand that not every active item evaluates, when `condition` varies; what it assigns may also keep its old value.
  bool varies_under(bool condition, ExprId id) {
    regions_.push_back({.kind = Region::Kind::Branch, .varies = condition});
    const State before = state_;
    const bool result = varies(id);
    state_.join(before);
    regions_.pop_back();
    return result;
  }

  /// Of the place itself, not of what lies there.
  bool address_varies(ExprId place) {
    const auto* subscript = std::get_if<Subscript>(&function_.at(place).node);
    if (subscript == nullptr) {
      return false;
    }
    const bool is_array = function_.at(subscript->base).type.is_array();
    const bool base = is_array ? address_varies(subscript->base) : varies(subscript->base);
    const bool index = varies(subscript->index);
    return base || index;
  }

  std::optional<VarId> root_of(ExprId place) const {
    const Expr& expr = function_.at(place);
    if (const auto* var = std::get_if<Var>(&expr.node)) {
      return var->id;
    }
    const auto* subscript = std::get_if<Subscript>(&expr.node);
    return subscript != nullptr && function_.at(subscript->base).type.is_array() ? root_of(subscript->base) : std::nullopt;
  }

  void assign(ExprId place, bool value_varies, ExprId value) {
    const std::optional<VarId> root = root_of(place);
    if (!root) {
      return;
    }
    const Variable& variable = function_.variables[*root];
    const bool by_some = is_partial_above(declared_at_[*root]);
    if (variable.is_uniform && (value_varies || by_some)) {
      report(value_varies ? value : place,
             "the parameter '" + shortened(variable.name) + "' is uniform, but " +
                 (value_varies ? "this value varies between work items" : "not all work items run this assignment"),
             variable);
      return;
    }
    const bool is_element = !std::holds_alternative<Var>(function_.at(place).node);
    const bool kept = is_element && (state_.varies[*root] || element_index_varies(place));
    state_.varies[*root] = value_varies || by_some || kept;
  }

  /// The index's own assignments were carried out already, so that only its variables are looked at.
  bool element_index_varies(ExprId place) const {
    const auto* subscript = std::get_if<Subscript>(&function_.at(place).node);
    return subscript != nullptr && (reads_varying(subscript->index) || element_index_varies(subscript->base));
  }

  bool reads_varying(ExprId id) const {
    const Expr& expr = function_.at(id);
    if (const auto* var = std::get_if<Var>(&expr.node)) {
      return state_.varies[var->id] || escaped_[var->id];
    }
    if (std::holds_alternative<Ask>(expr.node) || std::holds_alternative<Call>(expr.node) ||
        std::holds_alternative<Collective>(expr.node) || std::holds_alternative<Atomic>(expr.node)) {
      return true;
    }
    bool any = false;
    for_each_operand(expr, [&](ExprId operand) { any = any || reads_varying(operand); });
    return any;
  }

  /// Once, of the components of one vector.
  void report(ExprId where, std::string message, const Variable& parameter) {
    const std::pair places(function_.at(where).span, parameter.span);
    if (reporter_ != nullptr && last_reported_ != places) {
      reporter_->error(places.first, std::move(message), {note(places.second, "the parameter is declared here")});
      last_reported_ = places;
    }
  }

  const Program& program_;
  const Function& function_;
  const Summaries& summaries_;
  Reporter* reporter_;
  std::vector<bool> escaped_;  // variables whose address is taken: pointers may write them
  State state_;
  std::vector<Region> regions_;
  std::vector<std::size_t> declared_at_;  // for each variable the number of regions around its declaration
  std::vector<bool> old_values_;
  std::optional<std::pair<SourceSpan, SourceSpan>> last_reported_;  // of what, and the parameter's
  std::unordered_map<const Stmt*, LoopMemory> loops_;
  bool again_ = false;
  bool widen_ = false;
  bool result_varies_ = false;
};

/// True if anything in the program asks for uniformity.
bool asks(const Program& program) {
  return std::ranges::any_of(program.functions, [](const Function& function) {
    return function.is_crev_target || std::ranges::any_of(function.variables, &Variable::is_uniform);
  });
}

}  // namespace

void check_uniformity(const Program& program, Reporter& reporter) {
  if (!asks(program)) {
    return;
  }
  Summaries summaries(program.functions.size());
  bool again = true;
  while (again) {
    again = false;
    for (std::size_t i = 0; i < program.functions.size(); ++i) {
      if (!summaries[i] && Analysis(program, program.functions[i], summaries, nullptr).run()) {
        summaries[i] = true;
        again = true;
      }
    }
  }
  for (const Function& function : program.functions) {
    Analysis(program, function, summaries, &reporter).run();
  }
}

}  // namespace lockstep::core::sema
