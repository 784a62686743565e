#include "semantics/core/translate/facts.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include "semantics/core/walk.hpp"

namespace lockstep::core::translation {

namespace {

/// Structured definite assignment: goes over the statements in their order, with the set of variables that all items which come to the
/// present point have certainly written. What is written where only some items come (arms, guarded rests, loop bodies) is taken back
/// behind it, unless both arms of an if write it.
class Initialisation {
 public:
  Initialisation(const Function& function, const ControlFacts& control)
      : function_(function), control_(control), certain_(function.variables.size(), false), uncertain_(function.variables.size(), false) {
    uncertain_read_.resize(function.expressions.size(), false);
    exposed_.resize(function.variables.size(), false);
  }

  void run() {
    for (VarId id = 0; id < function_.parameter_count; ++id) {
      certain_[id] = true;
    }
    body(function_.body);
  }

  const std::vector<bool>& uncertain() const { return uncertain_; }                  ///< per variable: some read is not certain
  const std::vector<bool>& uncertain_read() const { return uncertain_read_; }        ///< per Var node
  const std::vector<bool>& exposed() const { return exposed_; }                      ///< per variable
  const std::vector<std::pair<ExprId, VarId>>& initial() const { return initial_; }  ///< values of declarations

 private:
  void set(VarId id) {
    if (!certain_[id]) {
      certain_[id] = true;
      log_.push_back(id);
    }
  }
  void take_back(std::size_t mark) {
    for (std::size_t i = mark; i < log_.size(); ++i) {
      certain_[log_[i]] = false;
    }
    log_.resize(mark);
  }

  void body(const Body& statements) {
    std::optional<std::size_t> guard;
    for (const Stmt& statement : statements) {
      const auto exits = control_.exits.find(&statement);
      if (exits == control_.exits.end()) {
        break;  // no path leads here
      }
      std::visit([&](const auto& node) { of(node, statement); }, statement.node);
      if (exits->second.leaves() && !guard) {
        guard = log_.size();
      }
    }
    if (guard) {
      take_back(*guard);
    }
  }

  void of(const Evaluate& node, const Stmt&) { value(node.expression); }
  void of(const Declare& node, const Stmt&) {
    for (const ExprId id : node.values) {
      value(id);
      initial_.emplace_back(id, node.variable);
    }
    if (!node.values.empty()) {
      set(node.variable);
    }
  }
  void of(const Block& node, const Stmt&) { body(node.body); }
  void of(const If& node, const Stmt&) {
    value(node.condition);
    const std::size_t mark = log_.size();
    body(node.then);
    const std::vector<VarId> then(log_.begin() + static_cast<std::ptrdiff_t>(mark), log_.end());
    take_back(mark);
    body(node.otherwise);
    std::vector<VarId> both;
    std::ranges::copy_if(then, std::back_inserter(both), [&](VarId id) { return certain_[id]; });
    take_back(mark);
    std::ranges::for_each(both, [&](VarId id) { set(id); });
  }
  void of(const Loop& node, const Stmt& statement) {
    for (const Stmt& init : node.init) {
      std::visit([&](const auto& inner) { of(inner, init); }, init.node);
    }
    if (node.kind == Loop::Kind::DoWhile) {
      body(node.body);
      const std::size_t mark = log_.size();
      if (node.condition) {
        value(*node.condition);
      }
      const RegionFacts& region = control_.regions.at(&statement);
      if (region.breaks || region.returns) {
        take_back(mark);
      }
      return;
    }
    if (node.condition) {
      value(*node.condition);
    }
    const std::size_t mark = log_.size();
    body(node.body);
    if (node.step) {
      value(*node.step);
    }
    take_back(mark);
  }
  void of(const Switch& node, const Stmt&) {
    value(node.value);
    for (const SwitchSection& section : node.sections) {
      const std::size_t mark = log_.size();
      body(section.body);
      take_back(mark);
    }
  }
  void of(const Return& node, const Stmt&) {
    if (node.value) {
      value(*node.value);
    }
  }
  void of(const CrevCall& node, const Stmt&) {
    std::ranges::for_each(node.arguments, [&](ExprId id) { value(id); });
  }
  void of(const Break&, const Stmt&) {}
  void of(const Continue&, const Stmt&) {}
  void of(const Barrier&, const Stmt&) {}

  void value(ExprId id) {
    const Expr& expression = function_.at(id);
    if (const auto* var = std::get_if<Var>(&expression.node)) {
      if (!certain_[var->id]) {
        uncertain_read_[id] = true;
        uncertain_[var->id] = true;
      }
    } else if (const auto* assign = std::get_if<Assign>(&expression.node)) {
      const auto* target = std::get_if<Var>(&function_.at(assign->place).node);
      if (target == nullptr) {
        place(assign->place);
      }
      place_.push_back(assign->place);
      value(assign->value);
      place_.pop_back();
      if (target != nullptr) {
        set(target->id);
      }
    } else if (std::holds_alternative<OldValue>(expression.node)) {
      value(place_.back());
    } else if (const auto* conditional = std::get_if<Conditional>(&expression.node)) {
      value(conditional->condition);
      for (const ExprId arm : {conditional->then, conditional->otherwise}) {
        const std::size_t mark = log_.size();
        value(arm);
        take_back(mark);
      }
    } else if (const auto* circuit = std::get_if<ShortCircuit>(&expression.node)) {
      value(circuit->left);
      const std::size_t mark = log_.size();
      value(circuit->right);
      take_back(mark);
    } else if (const auto* address = std::get_if<AddressOf>(&expression.node)) {
      value(address->place);
      if (const auto variable = variable_of_place(function_, address->place)) {
        exposed_[*variable] = function_.variables[*variable].space == AddressSpace::Private;
      }
    } else {
      for_each_operand(expression, [&](ExprId operand) { value(operand); });
    }
  }

  /// The place of an assignment: its parts are read, the element itself is not.
  void place(ExprId id) {
    if (const auto* subscript = std::get_if<Subscript>(&function_.at(id).node)) {
      if (function_.at(subscript->base).type.is_array()) {
        place(subscript->base);
      } else {
        value(subscript->base);
      }
      value(subscript->index);
    }
  }

  const Function& function_;
  const ControlFacts& control_;
  std::vector<bool> certain_;
  std::vector<VarId> log_;     // the variables of certain_ in the order in which they came in
  std::vector<ExprId> place_;  // of the assignments around the present expression
  std::vector<bool> uncertain_;
  std::vector<bool> uncertain_read_;
  std::vector<bool> exposed_;
  std::vector<std::pair<ExprId, VarId>> initial_;
};

/// A float that does not fit the integer type is undefined; every other conversion is total.
bool is_total(const Function& function, const Expr& expression, const Convert& convert) {
  const Type& from = function.at(convert.operand).type;
  return !(from.is_scalar() && conversion_may_be_undefined(from.scalar, expression.type.scalar));
}

/// Integers cannot always be divided, and pointers into different objects have no order.
bool is_total(const Function& function, const Operate& operate) {
  return !may_be_undefined(operate.op, operate.operand_type) &&
         !(is_order(operate.op) && function.at(operate.operands.front()).type.is_pointer());
}

/// Whether the node itself, given its operands, is pure and total.
bool is_simple_node(const Function& function, const Expr& expression, const std::vector<VariableFacts>& variables, bool uncertain_read) {
  if (const auto* var = std::get_if<Var>(&expression.node)) {
    const Variable& variable = function.variables[var->id];
    return !expression.type.is_array() && variable.space == AddressSpace::Private && !variables[var->id].exposed &&
           !variable.address_taken && !uncertain_read;
  }
  if (const auto* operate = std::get_if<Operate>(&expression.node)) {
    return is_total(function, *operate);
  }
  if (const auto* convert = std::get_if<Convert>(&expression.node)) {
    return !expression.type.is_void() && is_total(function, expression, *convert);
  }
  if (std::holds_alternative<GlobalConstant>(expression.node)) {
    return expression.type.is_scalar();
  }
  // A pointer that is moved too far is undefined. A short circuit or conditional of simple parts is simple where it can be evaluated
  // without a branch; see below.
  return std::holds_alternative<Literal>(expression.node) || std::holds_alternative<Ask>(expression.node) ||
         (std::holds_alternative<Bitcast>(expression.node) && !expression.type.is_pointer()) ||
         std::holds_alternative<ShortCircuit>(expression.node) || std::holds_alternative<Conditional>(expression.node);
}

/// Which values may be poison: flow-insensitive reachability from loads, shuffles, calls and parameters over "is computed from".
class Poison {
 public:
  Poison(const Function& function, const Initialisation& initialisation) : function_(function), initialisation_(initialisation) {
    users_.resize(function.expressions.size() + function.variables.size());
    poison_.resize(users_.size(), false);
  }

  std::vector<bool> run(const std::vector<bool>& poison_parameters) {
    for (ExprId id = 0; id < function_.expressions.size(); ++id) {
      std::visit([&](const auto& node) { edges(id, node); }, function_.at(id).node);
    }
    for (const auto& [value, variable] : initialisation_.initial()) {
      edge(value, of_variable(variable));
    }
    for (VarId id = 0; id < function_.variables.size(); ++id) {
      if (initialisation_.exposed()[id] || function_.variables[id].space != AddressSpace::Private ||
          (id < poison_parameters.size() && poison_parameters[id])) {
        root(of_variable(id));
      }
    }
    while (!work_.empty()) {
      const std::uint32_t next = work_.back();
      work_.pop_back();
      std::ranges::for_each(users_[next], [&](std::uint32_t user) { root(user); });
    }
    return std::move(poison_);
  }

 private:
  std::uint32_t of_variable(VarId id) const { return static_cast<std::uint32_t>(function_.expressions.size()) + id; }
  void edge(std::uint32_t from, std::uint32_t to) { users_[from].push_back(to); }
  void root(std::uint32_t node) {
    if (!poison_[node]) {
      poison_[node] = true;
      work_.push_back(node);
    }
  }

  void edges(ExprId id, const Var& node) { edge(of_variable(node.id), id); }
  void edges(ExprId id, const Subscript& node) {
    if (function_.at(node.base).type.is_array()) {
      edge(node.base, id);
    } else {
      root(id);
    }
  }
  void edges(ExprId id, const AddressOf& node) {
    if (std::holds_alternative<Subscript>(function_.at(node.place).node)) {
      root(id);
    }
  }
  void edges(ExprId id, const Comma& node) { edge(node.right, id); }
  void edges(ExprId id, const Call&) { root(id); }
  void edges(ExprId id, const Atomic&) { root(id); }
  void edges(ExprId id, const Collective& node) {
    if (node.op == CollectiveOp::Shuffle || node.op == CollectiveOp::ShuffleXor) {
      root(id);
    } else {
      std::ranges::for_each(node.operands, [&](ExprId operand) { edge(operand, id); });
    }
  }
  void edges(ExprId id, const Assign& node) {
    edge(node.value, id);
    if (const auto variable = variable_of_place(function_, node.place)) {
      // The variable's old value may be part of the new one, or the value of the whole.
      edge(of_variable(*variable), node.value);
      edge(of_variable(*variable), id);
      edge(node.value, of_variable(*variable));
    } else {
      root(node.value);
    }
  }
  template <class Node>
  void edges(ExprId id, const Node&) {
    for_each_operand(function_.at(id), [&](ExprId operand) { edge(operand, id); });
  }

  const Function& function_;
  const Initialisation& initialisation_;
  std::vector<std::vector<std::uint32_t>> users_;  // expressions, then variables
  std::vector<bool> poison_;
  std::vector<std::uint32_t> work_;
};

}  // namespace

std::optional<VarId> variable_of_place(const Function& function, ExprId place) {
  for (;;) {
    const Expr& expression = function.at(place);
    if (const auto* var = std::get_if<Var>(&expression.node)) {
      return var->id;
    }
    const auto* subscript = std::get_if<Subscript>(&expression.node);
    if (subscript == nullptr || !function.at(subscript->base).type.is_array()) {
      return std::nullopt;
    }
    place = subscript->base;
  }
}

ValueFacts analyse_values(const Function& function, const ControlFacts& control, const std::vector<bool>& poison_parameters) {
  Initialisation initialisation(function, control);
  initialisation.run();
  ValueFacts facts;
  for (VarId id = 0; id < function.variables.size(); ++id) {
    const bool exposed = initialisation.exposed()[id] || function.variables[id].address_taken;
    facts.variables.push_back({exposed, !initialisation.uncertain()[id]});
  }
  const std::vector<bool> poison = Poison(function, initialisation).run(poison_parameters);
  facts.expressions.resize(function.expressions.size());
  for (ExprId id = 0; id < function.expressions.size(); ++id) {
    const Expr& expression = function.at(id);
    ExprFacts& own = facts.expressions[id];
    own.may_poison = poison[id];
    own.writes = std::holds_alternative<Assign>(expression.node) || std::holds_alternative<Call>(expression.node);
    own.is_simple = is_simple_node(function, expression, facts.variables, initialisation.uncertain_read()[id]);
    for_each_operand(expression, [&](ExprId operand) {
      own.writes |= facts.expressions[operand].writes;
      own.is_simple &= facts.expressions[operand].is_simple;
    });
    // Poison that decides control flow is undefined, so these are total only where the deciding side cannot be poison.
    if (const auto* circuit = std::get_if<ShortCircuit>(&expression.node)) {
      own.is_simple &= !poison[circuit->left] && !poison[circuit->right];
    } else if (const auto* conditional = std::get_if<Conditional>(&expression.node)) {
      own.is_simple &= !poison[conditional->condition] && expression.type.is_scalar();  // Select has no pointer arms
    }
  }
  return facts;
}

}  // namespace lockstep::core::translation
