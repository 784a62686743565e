#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <type_traits>

#include "codegen/passes/kinds.hpp"
#include "codegen/passes/normalise.hpp"
#include "codegen/passes/normaliser.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/core/crev_order.hpp"
#include "semantics/core/walk.hpp"

namespace lockstep::passes {

namespace {

/// Calls f(ExprId) with each expression that stands directly in the statement.
template <class F>
void for_each_expression(const core::Stmt& statement, F&& f) {
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, core::Evaluate>) {
          f(node.expression);
        } else if constexpr (std::is_same_v<Node, core::Declare>) {
          std::ranges::for_each(node.values, f);
        } else if constexpr (std::is_same_v<Node, core::If>) {
          f(node.condition);
        } else if constexpr (std::is_same_v<Node, core::Loop>) {
          if (node.condition) {
            f(*node.condition);
          }
          if (node.step) {
            f(*node.step);
          }
        } else if constexpr (std::is_same_v<Node, core::Switch>) {
          f(node.value);
        } else if constexpr (std::is_same_v<Node, core::Return>) {
          if (node.value) {
            f(*node.value);
          }
        } else if constexpr (std::is_same_v<Node, core::CrevCall>) {
          std::ranges::for_each(node.arguments, f);
        }
      },
      statement.node);
}

template <class F>
void for_each_inner_body(const core::Stmt& statement, F&& f) {
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, core::Block>) {
          f(node.body);
        } else if constexpr (std::is_same_v<Node, core::If>) {
          f(node.then);
          f(node.otherwise);
        } else if constexpr (std::is_same_v<Node, core::Loop>) {
          f(node.init);
          f(node.body);
        } else if constexpr (std::is_same_v<Node, core::Switch>) {
          for (const core::SwitchSection& section : node.sections) {
            f(section.body);
          }
        }
      },
      statement.node);
}

/// Calls f(VarId) with each variable that the expression assigns by name.
template <class F>
void for_each_assigned(const core::Function& function, core::ExprId id, F&& f) {
  if (const auto* assign = std::get_if<core::Assign>(&function.at(id).node)) {
    if (const auto* var = std::get_if<core::Var>(&function.at(assign->place).node)) {
      f(var->id);
    }
  }
  core::for_each_operand(function.at(id), [&](core::ExprId operand) { for_each_assigned(function, operand, f); });
}

template <class F>
void for_each_assigned(const core::Function& function, const core::Body& body, F&& f) {
  for (const core::Stmt& statement : body) {
    if (const auto* declare = std::get_if<core::Declare>(&statement.node)) {
      f(declare->variable);
    }
    for_each_expression(statement, [&](core::ExprId id) { for_each_assigned(function, id, f); });
    for_each_inner_body(statement, [&](const core::Body& inner) { for_each_assigned(function, inner, f); });
  }
}

bool mentions(const core::Function& function, core::ExprId id, const std::set<core::VarId>& variables) {
  if (const auto* var = std::get_if<core::Var>(&function.at(id).node)) {
    return variables.contains(var->id);
  }
  bool found = false;
  core::for_each_operand(function.at(id), [&](core::ExprId operand) { found = found || mentions(function, operand, variables); });
  return found;
}

/// True if control may leave the loop around the body other than by its condition.
bool leaves_loop(const core::Body& body, bool break_counts) {
  return std::ranges::any_of(body, [&](const core::Stmt& statement) {
    if (std::holds_alternative<core::Return>(statement.node)) {
      return true;
    }
    if (std::holds_alternative<core::Break>(statement.node)) {
      return break_counts;
    }
    const bool inner_counts =
        break_counts && !std::holds_alternative<core::Loop>(statement.node) && !std::holds_alternative<core::Switch>(statement.node);
    bool found = false;
    for_each_inner_body(statement, [&](const core::Body& inner) { found = found || leaves_loop(inner, inner_counts); });
    return found;
  });
}

}  // namespace

bool is_pack_wide(const Assignments& assignments, const Polynomial& polynomial) {
  return kind_of(assignments, polynomial) == Layout::Kind::Pack;
}

Normaliser::Normaliser(const core::Program& program, const core::Function& kernel) : program_(program), kernel_(kernel) {}

void Normaliser::forget_assigned(const core::Body& body) {
  for_each_assigned(*frame().function, body, [&](core::VarId id) {
    if (frame().bindings[id].var) {
      known_.erase(*frame().bindings[id].var);
    }
  });
}

void Normaliser::forget_assigned(core::ExprId id) {
  for_each_assigned(*frame().function, id, [&](core::VarId var) {
    if (frame().bindings[var].var) {
      known_.erase(*frame().bindings[var].var);
    }
  });
}

void Normaliser::bind_variables(Frame& frame) {
  const core::Function& function = *frame.function;
  frame.bindings.resize(function.variables.size());
  for (core::VarId id = 0; id < function.variables.size(); ++id) {
    const core::Variable& variable = function.variables[id];
    if (variable.space == AddressSpace::Local) {
      const auto [entry, is_new] = locals_.emplace(std::pair{&function, id}, static_cast<ObjectId>(out_.objects.size()));
      if (is_new) {
        out_.objects.push_back({variable.name, variable.type.scalar, AddressSpace::Local, core::product(variable.type.extents), {}});
      }
      frame.bindings[id].object = entry->second;
    } else if (variable.type.is_array() || variable.address_taken) {
      frame.bindings[id].object = static_cast<ObjectId>(out_.objects.size());
      out_.objects.push_back({variable.name, variable.type.scalar, AddressSpace::Private, core::product(variable.type.extents), {}});
    } else {
      const Element element = variable.type.is_pointer() ? Element::pointer() : Element::of(variable.type.scalar);
      frame.bindings[id].var = new_variable(variable.name, element, /*implicit=*/false);
      out_.variables.back().span = variable.span;
    }
  }
  const std::size_t count = function.expressions.size();
  frame.has_effects.resize(count);
  frame.is_risky.resize(count);
  for (core::ExprId id = 0; id < count; ++id) {
    const core::Expr& expr = function.at(id);
    bool effects = std::holds_alternative<core::Assign>(expr.node) || std::holds_alternative<core::Call>(expr.node) ||
                   std::holds_alternative<core::Collective>(expr.node);
    bool risky = std::holds_alternative<core::Subscript>(expr.node);
    if (const auto* var = std::get_if<core::Var>(&expr.node)) {
      risky = frame.bindings[var->id].object.has_value();
    }
    core::for_each_operand(expr, [&](core::ExprId operand) {
      effects = effects || frame.has_effects[operand];
      risky = risky || frame.is_risky[operand];
    });
    frame.has_effects[id] = effects;
    frame.is_risky[id] = risky || effects;
  }
}

Assignments Normaliser::run() {
  out_.source = program_.source;
  out_.name = kernel_.name;
  out_.wg_size = program_.options.wg_size;
  body_ = &out_.body;
  calls_.push_back(static_cast<core::FunctionId>(&kernel_ - program_.functions.data()));
  call_spans_.push_back(kernel_.span);
  frames_.emplace_back();
  frame().function = &kernel_;
  bind_variables(frame());
  for (std::size_t i = 0; i < kernel_.parameter_count; ++i) {
    const core::Variable& variable = kernel_.variables[i];
    infreg::Parameter parameter;
    parameter.name = variable.name;
    parameter.scalar = variable.type.scalar;
    parameter.is_pointer = variable.type.is_pointer();
    parameter.is_const = variable.type.is_pointer() && variable.type.is_const;
    out_.parameters.push_back(parameter);
    Result argument;
    span_ = variable.span;
    if (variable.type.is_pointer()) {
      argument = pointer_to({ParameterBase{static_cast<ParameterId>(i)}, variable.type.scalar, 0});
    } else {
      const VarId value = new_variable(variable.name, Element::of(variable.type.scalar), /*implicit=*/true);
      out_.variables[value].parameter = static_cast<infreg::ValueId>(i);
      out_.variables[value].kind = Layout::Kind::Pack;
      argument.operand = Ref{value, 0};
      if (is_integer(variable.type.scalar) && variable.type.scalar != ScalarType::Bool) {
        argument.symbolic = Symbolic{Symbol::of(value), range_of(variable.type.scalar)};
      }
    }
    const Binding& binding = frame().bindings[i];
    write(binding.var ? std::variant<VarId, Place>(*binding.var) : Place{ObjectBase{*binding.object}, variable.type.scalar, 0}, argument);
  }
  const LabelId end = next_label_++;
  frame().end = end;
  span_ = kernel_.span;
  Body body = inside([&] { statements(kernel_.body); }).first;
  emit(Block{end, std::move(body)});
  return std::move(out_);
}

void Normaliser::statements(const core::Body& body) {
  for (const core::Stmt& s : body) {
    statement(s);
  }
}

void Normaliser::statement(const core::Stmt& stmt) {
  const SourceSpan outer = std::exchange(span_, stmt.span);
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, core::Evaluate>) {
          value(node.expression);
        } else if constexpr (std::is_same_v<Node, core::Declare>) {
          declare(node);
        } else if constexpr (std::is_same_v<Node, core::Block>) {
          statements(node.body);
        } else if constexpr (std::is_same_v<Node, core::If>) {
          if_statement(node);
        } else if constexpr (std::is_same_v<Node, core::Loop>) {
          loop(node);
        } else if constexpr (std::is_same_v<Node, core::Switch>) {
          switch_statement(node);
        } else if constexpr (std::is_same_v<Node, core::Break>) {
          emit(Leave{frame().breaks.back()});
        } else if constexpr (std::is_same_v<Node, core::Continue>) {
          emit(Leave{frame().continues.back()});
        } else if constexpr (std::is_same_v<Node, core::Return>) {
          return_statement(node);
        } else if constexpr (std::is_same_v<Node, core::CrevCall>) {
          crev_call(node);
        }
        // A barrier has nothing to do: the items of a group are in lockstep.
      },
      stmt.node);
  span_ = outer;
}

void Normaliser::declare(const core::Declare& declare) {
  const core::Variable& variable = frame().function->variables[declare.variable];
  const Binding& binding = frame().bindings[declare.variable];
  if (variable.space == AddressSpace::Local) {
    return;
  }
  if (binding.var) {
    known_.erase(*binding.var);
    emit(Forget{{*binding.var}});
  } else {
    emit(Forget{ObjectBase{*binding.object}});
  }
  for (std::size_t k = 0; k < declare.values.size(); ++k) {
    const Result result = value(declare.values[k]);
    if (binding.var) {
      write(*binding.var, result);
    } else {
      write(Place{ObjectBase{*binding.object}, variable.type.scalar, static_cast<std::int64_t>(k)}, result);
    }
  }
}

void Normaliser::if_statement(const core::If& statement) {
  const Operand condition = truth(statement.condition);
  if (const auto* constant = std::get_if<Literal>(&condition)) {
    statements(constant->bits != 0 ? statement.then : statement.otherwise);
    return;
  }
  const Operand fixed = settled({condition, std::nullopt, std::nullopt}, core::Type::scalar_of(ScalarType::Bool)).operand;
  Body then = inside([&] { statements(statement.then); }).first;
  Body otherwise = inside([&] { statements(statement.otherwise); }).first;
  forget_assigned(statement.then);
  forget_assigned(statement.otherwise);
  emit(If{fixed, std::move(then), std::move(otherwise)});
}

void Normaliser::loop(const core::Loop& loop) {
  statements(loop.init);
  if (loop.kind == core::Loop::Kind::For && counted_loop(loop)) {
    return;
  }
  const LabelId outer = next_label_++;
  const LabelId inner = next_label_++;
  forget_assigned(loop.body);
  if (loop.condition) {
    forget_assigned(*loop.condition);
  }
  if (loop.step) {
    forget_assigned(*loop.step);
  }
  const auto test = [&] {
    if (!loop.condition) {
      return;
    }
    const Operand condition = truth(*loop.condition);
    const auto* constant = std::get_if<Literal>(&condition);
    if (constant == nullptr) {
      emit(If{condition, {}, {Statement{Leave{outer}, span_}}});
    } else if (constant->bits == 0) {
      emit(Leave{outer});
    }
  };
  Body round = inside([&] {
                 if (loop.kind != core::Loop::Kind::DoWhile) {
                   test();
                 }
                 frame().breaks.push_back(outer);
                 frame().continues.push_back(inner);
                 Body body = inside([&] { statements(loop.body); }).first;
                 emit(Block{inner, std::move(body)});
                 frame().breaks.pop_back();
                 frame().continues.pop_back();
                 forget_assigned(loop.body);
                 if (loop.step) {
                   value(*loop.step);
                 }
                 if (loop.kind == core::Loop::Kind::DoWhile) {
                   test();
                 }
               }).first;
  Body repeated;
  repeated.push_back({Loop{std::move(round), std::nullopt}, span_});
  emit(Block{outer, std::move(repeated)});
}

bool Normaliser::counted_loop(const core::Loop& loop) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (!loop.condition || !loop.step || leaves_loop(loop.body, true)) {
    return false;
  }
  const core::Function& function = *frame().function;
  const auto* step = std::get_if<core::Assign>(&at(*loop.step).node);
  const auto* place = step == nullptr ? nullptr : std::get_if<core::Var>(&at(step->place).node);
  const auto* condition = std::get_if<core::Operate>(&at(*loop.condition).node);
  if (place == nullptr || condition == nullptr || !is_comparison(condition->op) || condition->op == Op::Eq ||
      frame().is_risky[*loop.condition] || frame().is_risky[step->value] || at(condition->operands[0]).type.is_pointer()) {
    return false;
  }
  const Binding& binding = frame().bindings[place->id];
  const core::Type& type = function.variables[place->id].type;
  std::set<core::VarId> assigned;
  for_each_assigned(function, loop.body, [&](core::VarId id) { assigned.insert(id); });
  if (!binding.var || !type.is_scalar() || !is_integer(type.scalar) || type.scalar == ScalarType::Bool || assigned.contains(place->id) ||
      mentions(function, step->value, assigned)) {
    return false;
  }
  const auto known = known_.find(*binding.var);
  if (known == known_.end() || !known->second.symbolic || !known->second.symbolic->range) {
    return false;
  }
  const Symbolic from = *known->second.symbolic;
  assigned.insert(place->id);
  const bool left_is_bound = !mentions(function, condition->operands[0], assigned);
  const core::ExprId bound_id = condition->operands[left_is_bound ? 0 : 1];
  const core::ExprId counter_id = condition->operands[left_is_bound ? 1 : 0];
  if (mentions(function, bound_id, assigned) || !is_pack_wide(out_, from.value)) {
    return false;
  }
  Result bound = value(bound_id);
  if (bound.symbolic && !bound.symbolic->range && condition->operand_type == ScalarType::ULong &&
      is_pack_wide(out_, bound.symbolic->value)) {
    // Beyond 2^63 rounds no loop ends.
    bound = opaque(Operate{Op::Min, ScalarType::ULong, {bound.operand, Literal{Element::of(ScalarType::ULong), most}}}, ScalarType::ULong,
                   Range{0, most});
  }
  if (!bound.symbolic || !bound.symbolic->range || !is_pack_wide(out_, bound.symbolic->value)) {
    return false;
  }

  // What step and condition do to a counter of which only the range is supposed: try it aside.
  VarId counter = new_variable(function.variables[place->id].name, Element::of(ScalarType::Long), /*implicit=*/false);
  out_.variables[counter].is_loop = true;
  out_.variables[counter].kind = Layout::Kind::Pack;
  constexpr std::int64_t far = std::int64_t{1} << 62;
  const Range whole = range_of(type.scalar).value_or(Range{0, far});
  const auto aside = [&](const Range& range, auto&& f) {
    const std::size_t before = out_.variables.size();
    std::optional<Symbolic> result;
    const std::size_t statements_before = statements_;
    inside([&] {
      known_[*binding.var] = {Symbolic{Symbol::of(counter), range}, std::nullopt};
      old_values_.push_back(read_variable(*binding.var, type));
      result = f().symbolic;
      old_values_.pop_back();
    });
    statements_ = statements_before;
    out_.variables.resize(before);
    return result;
  };
  const auto offset_from_counter = [&](const std::optional<Symbolic>& symbolic) -> std::optional<std::int64_t> {
    const Polynomial difference = symbolic ? symbolic->value - Polynomial(Symbol::of(counter)) : Polynomial(Symbol::item());
    return difference.is_constant() ? std::optional(difference.constant()) : std::nullopt;
  };
  std::optional<std::int64_t> by;
  Range supposed;
  for (const bool up : {true, false}) {
    supposed = up ? Range{from.range->lo, std::min(whole.hi - 1, far)} : Range{std::max(whole.lo + 1, -far), from.range->hi};
    by = supposed.lo <= supposed.hi ? offset_from_counter(aside(supposed, [&] { return value(step->value); })) : std::nullopt;
    if (by && *by != 0 && (*by > 0) == up && (*by == 1 || *by == -1 || (*by > -far && *by < far))) {
      break;
    }
    by.reset();
  }
  const auto shift = by ? offset_from_counter(aside(supposed, [&] { return value(counter_id); })) : std::nullopt;
  const auto give_up = [&] {
    out_.variables.pop_back();
    return false;
  };
  if (!by || !shift || *shift <= -far || *shift >= far) {
    return give_up();
  }

  // counter op limit, with the limit's range.
  Op op = condition->op;
  if (left_is_bound) {
    op = op == Op::Lt ? Op::Gt : op == Op::Gt ? Op::Lt : op == Op::Le ? Op::Ge : op == Op::Ge ? Op::Le : op;
  }
  Wide low = static_cast<Wide>(bound.symbolic->range->lo) - *shift;
  Wide high = static_cast<Wide>(bound.symbolic->range->hi) - *shift;
  Polynomial limit = bound.symbolic->value - Polynomial(*shift);
  if (op == Op::Ne) {
    const Polynomial distance = limit - from.value;
    if (!distance.is_constant() || distance.constant() % *by != 0 || distance.constant() / *by < 0) {
      return give_up();
    }
    op = *by > 0 ? Op::Lt : Op::Gt;
  }
  if (op == Op::Le || op == Op::Ge) {
    limit += Polynomial(op == Op::Le ? 1 : -1);
    low += op == Op::Le ? 1 : -1;
    high += op == Op::Le ? 1 : -1;
    op = op == Op::Le ? Op::Lt : Op::Gt;
  }
  // All values that the counter takes, the last one included, must be what was supposed; else it may wrap.
  const Wide last = *by > 0 ? std::max<Wide>(high - 1 + *by, from.range->hi) : std::min<Wide>(low + 1 + *by, from.range->lo);
  if ((op == Op::Lt) != (*by > 0) || last < whole.lo || last > whole.hi ||
      (*by > 0 ? last - *by > supposed.hi : last - *by < supposed.lo)) {
    return give_up();
  }
  const Range inside_range = *by > 0 ? Range{from.range->lo, std::max(from.range->lo, static_cast<std::int64_t>(high - 1))}
                                     : Range{std::min(from.range->hi, static_cast<std::int64_t>(low + 1)), from.range->hi};

  forget_assigned(loop.body);
  const LabelId round = next_label_++;
  Body body = inside([&] {
                known_[*binding.var] = {Symbolic{Symbol::of(counter), inside_range}, std::nullopt};
                frame().breaks.push_back(round);
                frame().continues.push_back(round);
                Body block = inside([&] { statements(loop.body); }).first;
                emit(Block{round, std::move(block)});
                frame().breaks.pop_back();
                frame().continues.pop_back();
              }).first;
  emit(For{counter, from.value, limit, *by, std::move(body)});
  known_.erase(*binding.var);

  const bool is_own = std::ranges::any_of(loop.init, [&](const core::Stmt& statement) {
    const auto* declare = std::get_if<core::Declare>(&statement.node);
    return declare != nullptr && declare->variable == place->id;
  });
  if (!is_own) {
    // Rounded up to the first value that fails the condition.
    const auto number = [](const Polynomial& p) { return Operand(Number{ScalarType::Long, p}); };
    const auto on_long = [&](Op o, const Operand& a, const Operand& b) {
      return Operand(temporary(Operate{o, ScalarType::Long, {a, b}}, Element::of(ScalarType::Long)));
    };
    const Polynomial span = *by > 0 ? limit - from.value : from.value - limit;
    const std::int64_t stride = *by > 0 ? *by : -*by;
    const Operand rounds = on_long(Op::Div, on_long(Op::Max, number(span + Polynomial(stride - 1)), number(0)), number(stride));
    const Operand end = on_long(Op::Add, number(from.value), on_long(Op::Mul, rounds, number(*by)));
    write(*binding.var, convert_value({end, std::nullopt, std::nullopt}, ScalarType::Long, type.scalar));
  }
  return true;
}

void Normaliser::switch_statement(const core::Switch& statement) {
  const Result number = settled(value(statement.value), at(statement.value).type);
  const ScalarType type = at(statement.value).type.scalar;
  const auto is_one_of = [&](const std::vector<std::uint64_t>& values) {
    Operand any = Literal{infreg::truth, 0};
    for (const std::uint64_t bits : values) {
      const Result literal{Literal{Element::of(type), bits}, std::nullopt, std::nullopt};
      const Operand is = compare(Op::Eq, type, number, literal);
      any = std::holds_alternative<Literal>(any)
                ? is
                : Operand(temporary(Operate{Op::BitOr, ScalarType::Bool, {any, is}}, infreg::truth, "case"));
    }
    return any;
  };
  std::vector<std::uint64_t> all;
  for (const core::SwitchSection& section : statement.sections) {
    all.insert(all.end(), section.values.begin(), section.values.end());
  }
  const LabelId end = next_label_++;
  const VarId inside_switch = new_variable("matched", infreg::truth, /*implicit=*/false);
  frame().breaks.push_back(end);
  Body body = inside([&] {
                emit(Forget{{inside_switch}});
                emit(Assign{{inside_switch, 0}, Copy{Literal{infreg::truth, 0}}, std::nullopt});
                for (const core::SwitchSection& section : statement.sections) {
                  Operand enters = is_one_of(section.values);
                  if (section.is_default) {
                    const Operand none =
                        temporary(Operate{Op::Eq, ScalarType::Bool, {is_one_of(all), Literal{infreg::truth, 0}}}, infreg::truth, "default");
                    enters = temporary(Operate{Op::BitOr, ScalarType::Bool, {enters, none}}, infreg::truth, "case");
                  }
                  emit(Assign{{inside_switch, 0}, Operate{Op::BitOr, ScalarType::Bool, {Ref{inside_switch, 0}, enters}}, std::nullopt});
                  Body arm = inside([&] { statements(section.body); }).first;
                  forget_assigned(section.body);
                  emit(If{Ref{inside_switch, 0}, std::move(arm), {}});
                }
              }).first;
  frame().breaks.pop_back();
  for (const core::SwitchSection& section : statement.sections) {
    forget_assigned(section.body);
  }
  emit(Block{end, std::move(body)});
}

void Normaliser::return_statement(const core::Return& statement) {
  if (statement.value) {
    const Result result = value(*statement.value);
    if (frame().result) {
      write(*frame().result, result);
    }
  }
  emit(Leave{frame().end});
}

void Normaliser::check_call(core::FunctionId id) {
  const auto first = std::ranges::find(calls_, id);
  if (first == calls_.end()) {
    return;
  }
  Diagnostic diagnostic{
      Severity::Error,
      span_,
      fmt::format("a recursive function cannot be compiled: '{}' would have to be inlined into itself; `lockstep run` executes it",
                  program_.functions[id].name),
      {}};
  for (auto call = first + 1; call != calls_.end(); ++call) {
    diagnostic.notes.push_back({Severity::Note,
                                call_spans_[static_cast<std::size_t>(call - calls_.begin())],
                                fmt::format("'{}' is called here", program_.functions[*call].name),
                                {}});
  }
  throw Rejected{std::move(diagnostic)};
}

void Normaliser::inline_call(core::FunctionId id, const std::vector<Result>& arguments, std::optional<VarId> result) {
  check_call(id);
  const core::Function& callee = program_.functions[id];
  calls_.push_back(id);
  call_spans_.push_back(span_);
  Frame inner;
  inner.function = &callee;
  inner.result = result;
  inner.end = next_label_++;
  bind_variables(inner);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Binding& binding = inner.bindings[i];
    if (binding.var) {
      emit(Forget{{*binding.var}});
    }
    write(binding.var ? std::variant<VarId, Place>(*binding.var) : Place{ObjectBase{*binding.object}, callee.variables[i].type.scalar, 0},
          arguments[i]);
  }
  frames_.push_back(std::move(inner));
  const SourceSpan outer = span_;
  Body body = inside([&] { statements(callee.body); }).first;
  span_ = outer;
  const LabelId end = frame().end;
  frames_.pop_back();
  calls_.pop_back();
  call_spans_.pop_back();
  if (result) {
    known_.erase(*result);
  }
  emit(Block{end, std::move(body)});
}

void Normaliser::crev_call(const core::CrevCall& call) {
  std::vector<Result> arguments;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    arguments.push_back(settled(value(call.arguments[i]), at(call.arguments[i]).type));
  }
  const core::Function& callee = program_.functions[call.function];
  const std::int64_t width = out_.wg_size;
  const VarId caller = new_variable("caller", infreg::truth, /*implicit=*/false);
  emit(Forget{{caller}});
  Body reset;
  reset.push_back({Assign{{caller, 0}, Copy{Literal{infreg::truth, 0}}, std::nullopt}, span_});
  emit(Everywhere{std::move(reset)});
  emit(Assign{{caller, 0}, Copy{Literal{infreg::truth, 1}}, std::nullopt});
  for (Result& argument : arguments) {
    const bool is_fixed = argument.pointer && argument.pointer->base.index() != 2 && is_pack_wide(out_, argument.pointer->index) &&
                          kind_of(out_, *argument.pointer) != Layout::Kind::Item;
    if (argument.pointer && !is_fixed) {
      argument = {operand_of_pointer(argument), std::nullopt, std::nullopt};
    }
  }

  const VarId round = new_variable("caller_id", Element::of(ScalarType::Long), /*implicit=*/false);
  out_.variables[round].is_loop = true;
  out_.variables[round].kind = Layout::Kind::Pack;
  Body body =
      inside([&] {
        Polynomial lane(Symbol::of(round));
        if (program_.options.crev_order == core::CrevOrder::Permuted) {
          const auto order = core::crev_permutation(program_.options);
          const auto object = static_cast<ObjectId>(out_.objects.size());
          out_.objects.push_back({"crev_order", ScalarType::UInt, AddressSpace::Constant, order.size(), {order.begin(), order.end()}});
          const Result load = opaque(Load{{ObjectBase{object}, ScalarType::UInt, lane}}, ScalarType::UInt, Range{0, width - 1}, "lane");
          lane = load.symbolic->value;
        }
        const Operand from = Number{ScalarType::Long, lane};
        const Operand is_served = temporary(Shuffle{Ref{caller, 0}, from}, infreg::truth, "served");
        std::vector<Result> parameters;
        Body served = inside([&] {
                        for (std::size_t i = 0; i < arguments.size(); ++i) {
                          const core::Type& type = callee.variables[i].type;
                          if (arguments[i].pointer) {
                            parameters.push_back(arguments[i]);
                          } else if (type.is_pointer()) {
                            parameters.push_back({temporary(Shuffle{arguments[i].operand, from}, Element::pointer()), {}, {}});
                          } else {
                            parameters.push_back(opaque(Shuffle{arguments[i].operand, from}, type.scalar, std::nullopt, "p"));
                          }
                        }
                        inline_call(call.function, parameters, std::nullopt);
                      }).first;
        emit(If{is_served, std::move(served), {}});
      }).first;
  const bool descends = program_.options.crev_order == core::CrevOrder::Descending;
  Body everywhere;
  everywhere.push_back({descends ? For{round, width - 1, -1, -1, std::move(body)} : For{round, 0, width, 1, std::move(body)}, span_});
  emit(Everywhere{std::move(everywhere)});
}

std::expected<Assignments, Diagnostics> normalise(const core::Program& program, const core::Function& kernel) {
  try {
    return Normaliser(program, kernel).run();
  } catch (Rejected& rejected) {
    return std::unexpected(Diagnostics{std::move(rejected.diagnostic)});
  }
}

}  // namespace lockstep::passes
