#include "semantics/core/translate/expressions.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "semantics/base/internal_error.hpp"
#include "semantics/core/translate/value_types.hpp"
#include "semantics/core/walk.hpp"

namespace lockstep::core::translation {

namespace {

/// True if the node's value is always 0 or 1.
bool is_truth(const typed::ExprNode& node) {
  if (const auto* operation = std::get_if<typed::Operation>(&node.node)) {
    return gives_truth(operation->op);
  }
  if (const auto* convert = std::get_if<typed::Convert>(&node.node)) {
    return convert->from == ScalarType::Bool && node.type.scalar == ScalarType::Int;
  }
  return false;
}

typed::VoteKind vote_kind(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::Any:
      return typed::VoteKind::Any;
    case CollectiveOp::All:
      return typed::VoteKind::All;
    case CollectiveOp::Ballot:
      return typed::VoteKind::Ballot;
    case CollectiveOp::GroupAny:
      return typed::VoteKind::GroupAny;
    case CollectiveOp::GroupAll:
      return typed::VoteKind::GroupAll;
    default:
      throw InternalError("a shuffle is no vote");
  }
}

}  // namespace

Expressions::Expressions(Emitter& emitter, Module& module, const Function& function, const ValueFacts& facts,
                         const std::vector<Home>& homes)
    : emitter_(emitter), module_(module), function_(function), facts_(facts), homes_(homes) {
  for (VarId id = 0; id < homes.size(); ++id) {
    if (homes[id].kind == Home::Kind::Array && facts.variables[id].exposed) {
      is_exposed_.resize(std::max<std::size_t>(is_exposed_.size(), homes[id].id + 1), false);
      is_exposed_[homes[id].id] = true;
    }
  }
}

// ---- what statements ask for -------------------------------------------------------------------------------------------

typed::Expr Expressions::value(ExprId id) {
  push_value(id);
  return pop();
}

typed::Expr Expressions::condition(ExprId id) {
  if (function_.at(id).type.is_pointer()) {
    push_truth(id);
  } else {
    push_value(id);
  }
  return pop();
}

typed::Expr Expressions::guarded_condition(typed::RegisterId flag, ExprId id) {
  const SourceSpan span = function_.at(id).span;
  if (is_simple(id) && !may_poison(id)) {
    push_register(flag, span);
    push_truth(id);
    operate(Op::LogicalAnd, ScalarType::Int, span);
    return pop();
  }
  const typed::RegisterId result = temporary(int_type, span);
  emitter_.emit(typed::Assign{{result, {}, span}, register_value(flag, span)}, span);
  const Mark join = emitter_.mark("Join", emitter_.next_construct());
  emitter_.branch_zero(register_value(result, span), join, span);
  push_truth(id);
  emitter_.emit(typed::Assign{{result, {}, span}, pop()}, span);
  emitter_.bind(join);
  emitter_.emit(typed::Sync{}, span);
  return register_value(result, span);
}

void Expressions::effect(ExprId id) {
  const Expr& expression = function_.at(id);
  if (const auto* assign = std::get_if<Assign>(&expression.node)) {
    assignment(id, *assign, false);
  } else if (const auto* callee = std::get_if<Call>(&expression.node)) {
    call(id, *callee, std::nullopt);
  } else if (const auto* change = std::get_if<Atomic>(&expression.node)) {
    atomic(id, *change, std::nullopt);
  } else if (const auto* comma = std::get_if<Comma>(&expression.node)) {
    effect(comma->left);
    effect(comma->right);
  } else if (const auto* conditional = std::get_if<Conditional>(&expression.node)) {
    branch(*conditional, expression.span, [&](ExprId arm) { effect(arm); });
  } else if (const auto* conversion = std::get_if<Convert>(&expression.node); conversion != nullptr && expression.type.is_void()) {
    effect(conversion->operand);
  } else {
    // The value is computed all the same: it may be undefined.
    push_value(id);
    const auto* node = std::get_if<typed::Register>(&top().node);
    const bool is_done = node != nullptr && emitter_.info(node->id).variable.empty();
    const typed::Expr rest = pop();
    if (!is_done) {
      emitter_.emit(typed::Assign{{temporary(rest.type(), expression.span), {}, expression.span}, rest}, expression.span);
    }
  }
}

void Expressions::assign(typed::RegisterId target, ExprId id, SourceSpan span) {
  before_write(target);
  if (!produce(id, target)) {
    push_value(id);
    emitter_.emit(typed::Assign{{target, {}, span}, pop()}, span);
  }
}

void Expressions::assign_element(typed::RegisterId array, std::uint64_t index, ExprId value, SourceSpan span) {
  const Place place{Place::Kind::Element, array, emitter_.info(array).type, starts_.size(), span};
  push_constant(long_type, index, span);
  push_value(value);
  write(place, span);
}

std::vector<typed::RegisterId> Expressions::registers_of(const std::vector<ExprId>& ids) {
  const std::size_t base = starts_.size();
  for (const ExprId id : ids) {
    push_value(id);
  }
  std::vector<typed::RegisterId> registers;
  for (std::size_t operand = base; operand < starts_.size(); ++operand) {
    if (!plain_register(operand)) {
      save(operand);
    }
    registers.push_back(*plain_register(operand));
  }
  nodes_.resize(base < starts_.size() ? starts_[base] : nodes_.size());
  starts_.resize(base);
  return registers;
}

typed::Expr Expressions::register_value(typed::RegisterId id, SourceSpan span) {
  return {{{typed::Register{id}, emitter_.info(id).type, span}}};
}

typed::Expr Expressions::constant(typed::ValueType type, std::uint64_t bits, SourceSpan span) {
  return {{{typed::Constant{bits}, type, span}}};
}

typed::RegisterId Expressions::temporary(typed::ValueType type, SourceSpan span) {
  const std::uint32_t key =
      static_cast<std::uint32_t>(type.scalar) << 8U | (type.is_pointer ? 1U + static_cast<std::uint32_t>(type.space) : 0U);
  std::vector<typed::RegisterId>& free = free_[key];
  typed::RegisterId id = 0;
  if (free.empty()) {
    id = emitter_.add_own_register("t", type, span);
  } else {
    id = free.back();
    free.pop_back();
  }
  used_.emplace_back(key, id);
  return id;
}

void Expressions::end_statement() {
  if (!nodes_.empty() || !starts_.empty() || !places_.empty() || region_base_ != 0) {
    throw InternalError("an operand is left behind a statement");
  }
  while (!used_.empty()) {
    free_[used_.back().first].push_back(used_.back().second);
    used_.pop_back();
  }
}

// ---- values ------------------------------------------------------------------------------------------------------------

void Expressions::push_value(ExprId id) {
  std::visit([&](const auto& node) { push_of(id, node); }, function_.at(id).node);
}

/// An int that is 0 or 1: whether the value is not zero.
void Expressions::push_truth(ExprId id) {
  push_value(id);
  if (std::holds_alternative<ShortCircuit>(function_.at(id).node)) {
    return;
  }
  const SourceSpan span = function_.at(id).span;
  const typed::ValueType type = top().type;
  if (type.is_pointer) {
    push_constant(type, 0, span);
    operate(Op::Ne, type.scalar, span, true);
    return;
  }
  if (type.scalar < ScalarType::Int) {
    convert(ScalarType::Int, span);
  }
  if (!is_truth(top())) {
    push_constant(top().type, 0, span);
    operate(Op::Ne, nodes_.back().type.scalar, span);
  }
}

void Expressions::push_of(ExprId id, const Literal& node) {
  const Expr& expression = function_.at(id);
  push_constant(value_type(expression.type), node.bits, expression.span);
}

void Expressions::push_of(ExprId id, const Var&) {
  if (!produce_in_temporary(id)) {
    read(push_place(id));
  }
}

void Expressions::push_of(ExprId id, const GlobalConstant& node) {
  const Expr& expression = function_.at(id);
  push_constant(value_type(expression.type), module_.program().constants[node.id].values.front(), expression.span);
}

void Expressions::push_of(ExprId id, const Subscript&) {
  if (!produce_in_temporary(id)) {
    read(push_place(id));
  }
}

void Expressions::push_of(ExprId id, const AddressOf& node) {
  const Expr& expression = function_.at(id);
  const typed::ValueType type = value_type(expression.type);
  if (!std::holds_alternative<Subscript>(function_.at(node.place).node)) {
    push_address(node.place, expression.span);
    return;
  }
  const Place found = push_subscript(node.place, false);
  convert(ScalarType::Long, expression.span);
  if (found.kind == Place::Kind::Element) {
    typed::Expr index = pop();
    push({typed::RegisterAddress{found.id}, type, expression.span});
    starts_.push_back(nodes_.size());
    std::ranges::move(index.nodes, std::back_inserter(nodes_));
  }
  const auto* offset = std::get_if<typed::Constant>(&top().node);
  if (offset != nullptr && offset->bits == 0) {
    pop();
  } else {
    apply({typed::PointerAdd{}, type, expression.span}, 2);
  }
}

void Expressions::push_of(ExprId id, const PointerAdd& node) {
  const Expr& expression = function_.at(id);
  push_value(node.pointer);
  push_value(node.index);
  convert(ScalarType::Long, expression.span);
  multiply(product(function_.at(node.pointer).type.extents), expression.span);
  apply({typed::PointerAdd{}, value_type(expression.type), expression.span}, 2);
}

void Expressions::push_of(ExprId id, const PointerDifference& node) {
  const Expr& expression = function_.at(id);
  push_value(node.left);
  push_value(node.right);
  apply({typed::PointerDifference{}, long_type, expression.span}, 2);
  const std::uint64_t size = product(function_.at(node.left).type.extents);
  if (size != 1) {
    push_constant(long_type, size, expression.span);
    operate(Op::Div, ScalarType::Long, expression.span);
  }
}

void Expressions::push_of(ExprId, const OldValue&) {
  if (places_.empty()) {
    throw InternalError("an old value outside of an assignment");
  }
  read_again(places_.back());
}

void Expressions::push_of(ExprId id, const Operate& node) {
  const Expr& expression = function_.at(id);
  for_each_operand(expression, [&](ExprId operand) { push_value(operand); });
  if (node.last_first) {
    first_to_top(node.operands.size());
  }
  if (!top().type.is_pointer) {
    operate(node.op, node.operand_type, expression.span);
  } else if (node.op == Op::LogicalNot) {
    push_constant(top().type, 0, expression.span);
    operate(Op::Eq, nodes_.back().type.scalar, expression.span, true);
  } else {
    operate(node.op, top().type.scalar, expression.span, true);
  }
}

void Expressions::push_of(ExprId id, const Convert& node) {
  const Expr& expression = function_.at(id);
  const Type& from = function_.at(node.operand).type;
  if (expression.type.is_pointer() && !from.is_pointer()) {
    throw InternalError("a number is converted to a pointer");
  }
  if (from.is_pointer() && expression.type.is_scalar()) {
    push_truth(node.operand);
  } else {
    push_value(node.operand);
  }
  if (expression.type.is_scalar()) {
    convert(expression.type.scalar, expression.span);
  }
}

void Expressions::push_of(ExprId id, const Bitcast& node) {
  const Expr& expression = function_.at(id);
  push_value(node.operand);
  if (expression.type.is_pointer()) {
    apply({typed::Reinterpret{function_.at(node.operand).type.scalar}, value_type(expression.type), expression.span}, 1);
    return;
  }
  bitcast(expression.type.scalar, expression.span);
}

void Expressions::push_of(ExprId id, const ShortCircuit& node) {
  const Expr& expression = function_.at(id);
  const SourceSpan span = expression.span;
  if (is_simple(node.right) && !may_poison(node.right) && !may_poison(node.left)) {
    push_truth(node.left);
    push_truth(node.right);
    operate(node.is_and ? Op::LogicalAnd : Op::LogicalOr, ScalarType::Int, span);
    return;
  }
  push_truth(node.left);
  const auto chained = std::get_if<typed::Register>(&top().node);
  const bool is_chain = chained != nullptr && std::holds_alternative<ShortCircuit>(function_.at(node.left).node);
  const typed::RegisterId result = is_chain ? chained->id : temporary(int_type, span);
  typed::Expr left = pop();
  if (!is_chain) {  // of a && b && c the first && has its result in a temporary already
    emitter_.emit(typed::Assign{{result, {}, span}, std::move(left)}, function_.at(node.left).span);
  }
  const std::size_t outer = begin_region(facts_.expressions[node.right].writes);
  const Mark join = emitter_.mark("Join", emitter_.next_construct());
  push_register(result, function_.at(node.left).span);
  if (!node.is_and) {
    operate(Op::LogicalNot, ScalarType::Int, function_.at(node.left).span);
  }
  emitter_.branch_zero(pop(), join, function_.at(node.left).span);
  push_truth(node.right);
  emitter_.emit(typed::Assign{{result, {}, span}, pop()}, function_.at(node.right).span);
  emitter_.bind(join);
  emitter_.emit(typed::Sync{}, span);
  end_region(outer);
  push_register(result, span);
}

void Expressions::push_of(ExprId id, const Conditional& node) {
  const Expr& expression = function_.at(id);
  if (produce_in_temporary(id)) {
    return;
  }
  push_truth(node.condition);
  push_value(node.then);
  push_value(node.otherwise);
  operate(Op::Select, expression.type.scalar, expression.span);
}

void Expressions::push_of(ExprId id, const Assign& node) { assignment(id, node, true); }

void Expressions::push_of(ExprId, const Comma& node) {
  effect(node.left);
  push_value(node.right);
}

void Expressions::push_of(ExprId id, const Call&) { produce_in_temporary(id); }

void Expressions::push_of(ExprId id, const Ask& node) {
  const Expr& expression = function_.at(id);
  push({typed::Ask{static_cast<typed::Query>(node.query)}, ulong_type, expression.span});
}

void Expressions::push_of(ExprId id, const Collective&) { produce_in_temporary(id); }

void Expressions::push_of(ExprId id, const Atomic&) { produce_in_temporary(id); }

// ---- values that an instruction of their own writes --------------------------------------------------------------------

bool Expressions::is_load(ExprId id) const {
  const Expr& expression = function_.at(id);
  if (std::holds_alternative<Subscript>(expression.node)) {
    const auto variable = variable_of_place(function_, id);
    return !variable || homes_[*variable].kind == Home::Kind::Object;
  }
  const auto* var = std::get_if<Var>(&expression.node);
  return var != nullptr && homes_[var->id].kind == Home::Kind::Object;
}

/// Both arms may be evaluated by all items.
bool Expressions::is_select(const Expr& expression, const Conditional& node) const {
  return expression.type.is_scalar() && !may_poison(node.condition) && is_simple(node.then) && is_simple(node.otherwise);
}

/// If an instruction of its own computes the expression, emits it with `target` as its destination.
bool Expressions::produce(ExprId id, typed::RegisterId target) {
  const Expr& expression = function_.at(id);
  if (is_load(id)) {
    push_place(id);
    typed::Expr index = pop();
    typed::Expr base = pop();
    before_check();
    emitter_.emit(typed::Load{{target, {}, expression.span}, std::move(base), std::move(index)}, expression.span);
  } else if (const auto* node = std::get_if<Collective>(&expression.node)) {
    collective(id, *node, target);
  } else if (const auto* callee = std::get_if<Call>(&expression.node)) {
    call(id, *callee, target);
  } else if (const auto* change = std::get_if<Atomic>(&expression.node)) {
    atomic(id, *change, target);
  } else if (const auto* conditional = std::get_if<Conditional>(&expression.node);
             conditional != nullptr && !is_select(expression, *conditional)) {
    branch(*conditional, expression.span, [&](ExprId arm) { assign(target, arm, function_.at(arm).span); });
  } else {
    return false;
  }
  return true;
}

bool Expressions::produce_in_temporary(ExprId id) {
  const Expr& expression = function_.at(id);
  const bool is_own_instruction =
      is_load(id) || std::holds_alternative<Collective>(expression.node) || std::holds_alternative<Call>(expression.node) ||
      std::holds_alternative<Atomic>(expression.node) ||
      (std::holds_alternative<Conditional>(expression.node) && !is_select(expression, std::get<Conditional>(expression.node)));
  if (!is_own_instruction) {
    return false;
  }
  const typed::RegisterId result = temporary(value_type(expression.type), expression.span);
  produce(id, result);
  push_register(result, expression.span);
  return true;
}

/// `arm` lowers an arm, so that nothing is left on the stack.
template <class Arm>
void Expressions::branch(const Conditional& node, SourceSpan span, Arm&& arm) {
  const SourceSpan head = function_.at(node.condition).span;
  typed::Expr decides = condition(node.condition);
  const std::size_t outer = begin_region(facts_.expressions[node.then].writes || facts_.expressions[node.otherwise].writes);
  const unsigned construct = emitter_.next_construct();
  const Mark otherwise = emitter_.mark("Else", construct);
  const Mark join = emitter_.mark("Join", construct);
  emitter_.branch_zero(std::move(decides), otherwise, head);
  arm(node.then);
  emitter_.jump(join, head);
  emitter_.bind(otherwise);
  arm(node.otherwise);
  emitter_.bind(join);
  emitter_.emit(typed::Sync{}, span);
  end_region(outer);
}

void Expressions::collective(ExprId id, const Collective& node, typed::RegisterId target) {
  if (node.op == CollectiveOp::Shuffle || node.op == CollectiveOp::ShuffleXor) {
    return shuffle(id, node, target);
  }
  push_value(node.operands.front());
  typed::Expr value = pop();
  before_check();
  emitter_.emit(typed::Vote{vote_kind(node.op), target, std::move(value)}, function_.at(id).span);
}

void Expressions::shuffle(ExprId id, const Collective& node, typed::RegisterId target) {
  const SourceSpan span = function_.at(id).span;
  push_value(node.operands[0]);
  if (node.op == CollectiveOp::ShuffleXor) {
    push({typed::Ask{typed::Query::LaneId}, ulong_type, span});
    push_value(node.operands[1]);
    convert(ScalarType::ULong, span);
    operate(Op::BitXor, ScalarType::ULong, span);
  } else {
    push_value(node.operands[1]);
  }
  typed::Expr lane = pop();
  // Every active item evaluates the operand; the rule itself would not look at it before some item asks for it.
  if (!plain_register(starts_.size() - 1)) {
    save(starts_.size() - 1);
  }
  const typed::RegisterId source = *plain_register(starts_.size() - 1);
  pop();
  before_check();
  emitter_.emit(typed::Shuffle{target, source, std::move(lane), true}, span);
}

void Expressions::call(ExprId id, const Call& node, std::optional<typed::RegisterId> target) {
  for (const ExprId argument : node.arguments) {
    push_value(argument);
  }
  typed::Call instruction{module_.function(node.function, target.has_value()), {}, target};
  instruction.arguments.resize(node.arguments.size());
  for (auto argument = instruction.arguments.rbegin(); argument != instruction.arguments.rend(); ++argument) {
    *argument = pop();
  }
  before_effect(true);
  emitter_.emit(std::move(instruction), function_.at(id).span);
}

void Expressions::atomic(ExprId id, const Atomic& node, std::optional<typed::RegisterId> target) {
  push_place(node.place);
  if (node.compare) {
    push_value(*node.compare);
  }
  push_value(node.value);
  typed::Atomic instruction;
  instruction.value = pop();
  if (node.compare) {
    instruction.compare = pop();
  }
  instruction.index = pop();
  instruction.base = pop();
  instruction.op = node.op;
  instruction.dst = target;
  before_effect(false);
  emitter_.emit(std::move(instruction), function_.at(id).span);
}

}  // namespace lockstep::core::translation
