#include "semantics/core/sema/dimensions.hpp"

#include <algorithm>

namespace lockstep::core::sema {

std::unordered_set<std::string> reached(const Unit& unit, const std::string& from) {
  std::unordered_set<std::string> seen = {from};
  std::vector<std::string> left = {from};
  while (!left.empty()) {
    const auto found = unit.asking.find(left.back());
    left.pop_back();
    if (found == unit.asking.end()) {
      continue;
    }
    for (const std::string& callee : found->second.calls) {
      if (seen.insert(callee).second) {
        left.push_back(callee);
      }
    }
  }
  return seen;
}

namespace {

/// Numbers in terms of which places are said.
class Builder {
 public:
  Builder(FunctionContext& context, SourceSpan span) : context_(context), span_(span) {}

  ExprId number(std::uint64_t value) { return add_integer(context_, value, ScalarType::ULong, span_); }
  ExprId ask(Query query) { return add_scalar(context_, Ask{query}, ScalarType::ULong, span_); }
  ExprId on(Op op, ExprId left, ExprId right) {
    return add_scalar(context_, Operate{op, ScalarType::ULong, {left, right}}, ScalarType::ULong, span_);
  }
  std::uint64_t size(std::uint64_t dimension) const {
    const auto& shape = context_.unit.program.options.wg_shape;
    return dimension < shape.size() ? shape.at(dimension) : 1;
  }
  std::uint64_t offset(std::uint64_t dimension) const {
    const auto& offset = context_.unit.program.options.offset;
    return dimension < offset.size() ? offset.at(dimension) : 0;
  }
  /// Items of the launch, where it is known because the last group in that dimension is smaller than the others.
  std::optional<std::uint64_t> ragged_items(std::uint64_t dimension) const {
    const auto& items = context_.unit.program.options.ragged_items;
    return items && dimension < items->size() && items->at(dimension) % size(dimension) != 0 ? std::optional(items->at(dimension))
                                                                                             : std::nullopt;
  }
  ExprId local_size(std::uint64_t dimension) {
    const std::optional<std::uint64_t> items = ragged_items(dimension);
    if (!items) {
      return number(size(dimension));
    }
    const ExprId before = on(Op::Mul, group_id(dimension), number(size(dimension)));
    return on(Op::Min, number(size(dimension)), on(Op::Sub, number(*items), before));
  }
  /// The number of the item in the launch, which begins with 0.
  ExprId item(std::uint64_t dimension) {
    const ExprId first = on(Op::Mul, group_id(dimension), number(size(dimension)));
    return on(Op::Add, first, local_id(dimension));
  }
  /// num_groups_x or num_groups_y. (At file scope nobody has them, and a call is refused there.)
  ExprId groups(std::uint64_t dimension) {
    if (!is_dimensional()) {
      return number(1);
    }
    const VarId id = *context_.function.group_parameters + static_cast<VarId>(dimension);
    return add_scalar(context_, Var{id}, ScalarType::ULong, span_);
  }

  ExprId local_id(std::uint64_t dimension) {
    if (size(dimension) == 1) {
      return number(0);
    }
    std::uint64_t before = 1;
    for (std::uint64_t d = 0; d < dimension; ++d) {
      before *= size(d);
    }
    const bool is_last = before * size(dimension) == context_.unit.program.options.wg_size;
    const ExprId item = ask(Query::LocalId);
    const ExprId from = before == 1 ? item : on(Op::Div, item, number(before));
    return is_last ? from : on(Op::Rem, from, number(size(dimension)));
  }

  ExprId group_id(std::uint64_t dimension) {
    if (dimension > 2) {
      return number(0);
    }
    if (!is_dimensional()) {
      return ask(Query::GroupId);
    }
    ExprId number = ask(Query::GroupId);
    for (std::uint64_t d = 0; d < dimension; ++d) {
      number = on(Op::Div, number, groups(d));
    }
    return dimension == 2 ? number : on(Op::Rem, number, groups(dimension));
  }

  ExprId num_groups(std::uint64_t dimension) {
    if (dimension > 2) {
      return number(1);
    }
    if (!is_dimensional()) {
      return ask(Query::NumGroups);
    }
    return dimension < 2 ? groups(dimension) : on(Op::Div, ask(Query::NumGroups), on(Op::Mul, groups(0), groups(1)));
  }

  /// False in the first look at a file, in which it is found out who is; what is built then is thrown away if somebody is.
  bool is_dimensional() const { return context_.function.group_parameters.has_value(); }

 private:
  FunctionContext& context_;
  SourceSpan span_;
};

void note_asking(FunctionContext& context, bool beyond_first) {
  if (context.signature != nullptr) {
    Asking& asking = context.unit.asking[context.signature->name];
    asking.groups = true;
    asking.dimensions = asking.dimensions || beyond_first;
  }
}

}  // namespace

std::unordered_set<std::string> dimensional_functions(const Unit& unit) {
  const bool launch_has_several = unit.program.options.dimensions > 1;
  std::unordered_set<std::string> dimensional;
  const auto asks = [&](const std::string& name) {
    const auto found = unit.asking.find(name);
    return found != unit.asking.end() && found->second.groups;
  };
  const auto wants = [&](const std::string& name) {
    const auto found = unit.asking.find(name);
    const bool itself = found != unit.asking.end() && (found->second.dimensions || (launch_has_several && found->second.groups));
    return itself || dimensional.contains(name);
  };
  std::unordered_map<std::string, bool> passes_on;  // whether anybody under it asks
  for (const auto& [name, signature] : unit.functions) {
    passes_on[name] = std::ranges::any_of(reached(unit, name), asks);
  }
  // Kernels may call one function: what one of them makes of it, the others go along with.
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto& [name, signature] : unit.functions) {
      const auto under = signature.is_kernel ? reached(unit, name) : std::unordered_set<std::string>();
      if (std::ranges::none_of(under, wants)) {
        continue;
      }
      for (const std::string& callee : under) {
        grows = (passes_on[callee] && dimensional.insert(callee).second) || grows;
      }
    }
  }
  return dimensional;
}

std::array<Variable, 2> group_parameters(const syntax::Function& function) {
  std::array<Variable, 2> parameters;
  std::string prefix;
  for (const char* name : {"num_groups_x", "num_groups_y"}) {
    const auto is_taken = [&](const syntax::Parameter& parameter) {
      const std::string& known = parameter.declarator.name.text;
      // A vector's components have its name in front of theirs.
      const bool is_component = parameter.specifiers.components > 1 && (prefix + name).starts_with(known + "_");
      return known == prefix + name || is_component;
    };
    while (std::ranges::any_of(function.parameters, is_taken)) {
      prefix += '_';
    }
  }
  for (std::size_t d = 0; d < parameters.size(); ++d) {
    parameters.at(d) = {.name = prefix + (d == 0 ? "num_groups_x" : "num_groups_y"),
                        .type = Type::scalar_of(ScalarType::ULong),
                        .is_uniform = true,
                        .span = function.name.span};
  }
  return parameters;
}

std::array<ExprId, 2> group_arguments(FunctionContext& context, SourceSpan span) {
  Builder build(context, span);
  return {build.groups(0), build.groups(1)};
}

ExprId place_in(FunctionContext& context, Place place, std::uint64_t dimension, SourceSpan span) {
  Builder build(context, span);
  const bool is_known = place == Place::LocalId || place == Place::EnqueuedLocalSize || place == Place::GlobalOffset ||
                        (place == Place::LocalSize && !build.ragged_items(dimension));
  if (!is_known && dimension < 3) {
    note_asking(context, dimension > 0);
  }
  switch (place) {
    case Place::LocalId:
      return build.local_id(dimension);
    case Place::GroupId:
      return build.group_id(dimension);
    case Place::NumGroups:
      return build.num_groups(dimension);
    case Place::LocalSize:
      return build.local_size(dimension);
    case Place::EnqueuedLocalSize:
      return build.number(build.size(dimension));
    case Place::GlobalId: {
      const ExprId item = build.item(dimension);
      return build.offset(dimension) == 0 ? item : build.on(Op::Add, item, build.number(build.offset(dimension)));
    }
    case Place::GlobalOffset:
      return build.number(build.offset(dimension));
    case Place::GlobalSize:
      break;
  }
  if (const std::optional<std::uint64_t> items = build.ragged_items(dimension)) {
    return build.number(*items);
  }
  const ExprId groups = build.num_groups(dimension);
  return build.on(Op::Mul, groups, build.number(build.size(dimension)));
}

ExprId local_linear_id(FunctionContext& context, SourceSpan span) {
  Builder build(context, span);
  if (!build.ragged_items(0) && !build.ragged_items(1)) {
    return build.ask(Query::LocalId);
  }
  ExprId number = build.local_id(2);
  for (unsigned d = 2; d-- > 0;) {
    number = build.on(Op::Mul, number, place_in(context, Place::LocalSize, d, span));
    number = build.on(Op::Add, number, build.local_id(d));
  }
  return number;
}

std::optional<ExprId> is_no_item(FunctionContext& context, SourceSpan span) {
  Builder build(context, span);
  std::optional<ExprId> outside;
  for (unsigned d = 0; d < 3; ++d) {
    if (const std::optional<std::uint64_t> items = build.ragged_items(d)) {
      note_asking(context, d > 0);
      const ExprId beyond =
          add_scalar(context, Operate{Op::Ge, ScalarType::ULong, {build.item(d), build.number(*items)}}, ScalarType::Int, span);
      outside = outside ? add_scalar(context, Operate{Op::BitOr, ScalarType::Int, {*outside, beyond}}, ScalarType::Int, span) : beyond;
    }
  }
  return outside;
}

ExprId global_linear_id(FunctionContext& context, SourceSpan span) {
  const unsigned dimensions = context.unit.program.options.dimensions;
  note_asking(context, dimensions > 1);
  Builder build(context, span);
  ExprId number = build.item(dimensions - 1);
  for (unsigned d = dimensions - 1; d-- > 0;) {
    number = build.on(Op::Mul, number, place_in(context, Place::GlobalSize, d, span));
    number = build.on(Op::Add, number, build.item(d));
  }
  return number;
}

}  // namespace lockstep::core::sema
