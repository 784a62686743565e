// Calls: inlining, recursion, and crev, which becomes a masked loop over the callers.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/passes/kinds.hpp"
#include "codegen/passes/normalise_numbers.hpp"
#include "codegen/passes/normaliser.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/core/crev_order.hpp"

namespace lockstep::passes {

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
    write(binding.var ? std::variant<VarId, Place>(*binding.var) : Place{OfObject{*binding.object}, callee.variables[i].type.scalar, 0},
          arguments[i]);
  }
  frames_.push_back(std::move(inner));
  const SourceSpan outer = span_;
  Body body = inside([&] { statements(callee.body); });
  span_ = outer;
  const LabelId end = frame().end;
  frames_.pop_back();
  calls_.pop_back();
  call_spans_.pop_back();
  if (result) {
    known_.forget(*result);
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
    const bool is_fixed = argument.pointer && !std::holds_alternative<Operand>(argument.pointer->base) &&
                          is_pack_wide(out_, argument.pointer->index) && kind_of(out_, *argument.pointer) != Layout::Kind::Item;
    if (argument.pointer && !is_fixed) {
      argument = {operand_of_pointer(argument), std::nullopt, std::nullopt};
    }
  }

  const VarId round = new_variable("caller_id", Element::of(ScalarType::Long), /*implicit=*/false);
  out_.variables[round].is_loop = true;
  out_.variables[round].kind = Layout::Kind::Pack;
  Body body = inside([&] {
    Polynomial lane(Symbol::of(round));
    if (program_.options.crev_order == core::CrevOrder::Permuted) {
      const auto order = core::crev_permutation(program_.options);
      const auto object = static_cast<ObjectId>(out_.objects.size());
      out_.objects.push_back({"crev_order", ScalarType::UInt, AddressSpace::Constant, order.size(), {order.begin(), order.end()}});
      const Result load = opaque(Load{{OfObject{object}, ScalarType::UInt, lane}}, ScalarType::UInt, Range{0, width - 1}, "lane");
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
    });
    emit(If{is_served, std::move(served), {}});
  });
  const bool descends = program_.options.crev_order == core::CrevOrder::Descending;
  Body everywhere;
  everywhere.push_back({descends ? For{round, width - 1, -1, -1, std::move(body)} : For{round, 0, width, 1, std::move(body)}, span_});
  emit(Everywhere{std::move(everywhere)});
}

Result Normaliser::call(const core::Call& node) {
  std::vector<Result> arguments;
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    Result argument = value(node.arguments[i]);
    const bool later_writes = std::any_of(node.arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, node.arguments.end(),
                                          [&](core::ExprId other) { return frame().has_effects[other]; });
    arguments.push_back(later_writes ? settled(std::move(argument), at(node.arguments[i]).type) : std::move(argument));
  }
  const core::Function& callee = program_.functions[node.function];
  std::optional<VarId> result;
  if (!callee.result.is_void()) {
    result = new_variable(callee.name, element_of(callee.result), /*implicit=*/false);
    emit(Forget{{*result}});
  }
  inline_call(node.function, arguments, result);
  return result ? settled(read_variable(*result, callee.result), callee.result) : Result{};
}

}  // namespace lockstep::passes
