#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <type_traits>

#include "codegen/passes/kinds.hpp"
#include "codegen/passes/normalise.hpp"
#include "codegen/passes/normalise_walk.hpp"
#include "codegen/passes/normaliser.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/core/crev_order.hpp"
#include "semantics/core/walk.hpp"

namespace lockstep::passes {

bool is_pack_wide(const Assignments& assignments, const Polynomial& polynomial) {
  return kind_of(assignments, polynomial) == Layout::Kind::Pack;
}

Normaliser::Normaliser(const core::Program& program, const core::Function& kernel, bool assumes)
    : program_(program), kernel_(kernel), assumes_(assumes) {}

void Normaliser::forget_assigned(const core::Body& body) {
  for_each_assigned(*frame().function, body, [&](core::VarId id) {
    if (frame().bindings[id].var) {
      known_.forget(*frame().bindings[id].var);
    }
  });
}

void Normaliser::forget_assigned(core::ExprId id) {
  for_each_assigned(*frame().function, id, [&](core::VarId var) {
    if (frame().bindings[var].var) {
      known_.forget(*frame().bindings[var].var);
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
                   std::holds_alternative<core::Collective>(expr.node) || std::holds_alternative<core::Atomic>(expr.node);
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
    parameter.is_restrict = variable.is_restrict;
    out_.parameters.push_back(parameter);
    Result argument;
    span_ = variable.span;
    if (variable.type.is_pointer()) {
      argument = pointer_to({OfParameter{static_cast<ParameterId>(i)}, variable.type.scalar, 0});
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
    write(binding.var ? std::variant<VarId, Place>(*binding.var) : Place{OfObject{*binding.object}, variable.type.scalar, 0}, argument);
  }
  const LabelId end = next_label_++;
  frame().end = end;
  span_ = kernel_.span;
  Body body = inside([&] { statements(kernel_.body); });
  emit(Block{end, std::move(body)});
  out_.assumed = assumptions_.all();
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
    known_.forget(*binding.var);
    emit(Forget{{*binding.var}});
  } else {
    emit(Forget{OfObject{*binding.object}});
  }
  for (std::size_t k = 0; k < declare.values.size(); ++k) {
    const Result result = value(declare.values[k]);
    if (binding.var) {
      write(*binding.var, result);
    } else {
      write(Place{OfObject{*binding.object}, variable.type.scalar, static_cast<std::int64_t>(k)}, result);
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
  Body then = inside([&] { statements(statement.then); });
  Body otherwise = inside([&] { statements(statement.otherwise); });
  forget_assigned(statement.then);
  forget_assigned(statement.otherwise);
  emit(If{fixed, std::move(then), std::move(otherwise)});
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
      emit(Assign{{inside_switch, 0}, Operate{Op::BitOr, ScalarType::Bool, {Operand(Ref{inside_switch, 0}), enters}}, std::nullopt});
      Body arm = inside([&] { statements(section.body); });
      forget_assigned(section.body);
      emit(If{Ref{inside_switch, 0}, std::move(arm), {}});
    }
  });
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

std::expected<Assignments, Diagnostics> normalise(const core::Program& program, const core::Function& kernel, bool assumes) {
  try {
    return Normaliser(program, kernel, assumes).run();
  } catch (Rejected& rejected) {
    return std::unexpected(Diagnostics{std::move(rejected.diagnostic)});
  }
}

}  // namespace lockstep::passes
