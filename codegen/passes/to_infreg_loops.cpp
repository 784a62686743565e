// Loops: rolled, unrolled, round by round at once, and at run time.

#include <algorithm>
#include <set>
#include <type_traits>

#include "codegen/passes/converter.hpp"
#include "codegen/passes/walk.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::passes {

std::vector<VarId> Converter::carried_by(const Body& body) {
  std::set<VarId> assigned;
  std::set<VarId> own;
  for_each_statement(body, [&](const Statement& statement) {
    if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      if (!in_.variables[assign->target.var].is_implicit) {
        for_each_part(assign->target.var, [&](VarId part) { assigned.insert(part); });
      }
    } else if (const auto* forget = std::get_if<Forget>(&statement.node)) {
      if (const auto* var = std::get_if<VarId>(&forget->what)) {
        for_each_part(*var, [&](VarId part) { own.insert(part); });
      }
    }
  });
  std::vector<VarId> carried;
  std::ranges::set_difference(assigned, own, std::back_inserter(carried));
  return carried;
}

Converter::Carried Converter::carry(const std::vector<VarId>& vars) {
  Carried carried;
  for (const VarId var : vars) {
    carried.vars.push_back(var);
    carried.types.push_back({in_.variables[var].element, layout_of(var)});
    carried.names.push_back(in_.variables[var].name);
    carried.inits.push_back(current(var));
  }
  return carried;
}

void Converter::counted(const For& node) {
  switch (node.loop_class) {
    case LoopClass::Rolled:
      rolled(node);
      break;
    case LoopClass::Unroll:
      unrolled(node);
      break;
    case LoopClass::Vectorise:
      vectorised(node);
      break;
  }
}

Polynomial Converter::guarded_limit(const For& node) {
  if (!node.guard) {
    return lowered(node.limit);
  }
  const ValueId someone = any(operand(*node.guard, working(kind_of(in_, *node.guard))));
  const ValueId limit = number(ScalarType::Long, node.limit, Layout::pack());
  return Symbol::of(add(infreg::Select{someone, limit, number(ScalarType::Long, node.from, Layout::pack())}, "limit"));
}

void Converter::rolled(const For& node) {
  const Carried carried = carry(carried_by(node.body));
  infreg::For loop{lowered(node.from), guarded_limit(node), node.step, carried.inits, 0};
  std::vector<Type> types{{infreg::index_element, Layout::pack()}};
  types.insert(types.end(), carried.types.begin(), carried.types.end());
  std::vector<std::string> names{in_.variables[node.var].name};
  names.insert(names.end(), carried.names.begin(), carried.names.end());
  loop.body = builder_.new_region(types, names);
  const infreg::RegionId outer = builder_.enter(loop.body);
  const auto before = values_;
  const std::vector<ValueId> arguments = out_.regions[loop.body].arguments;
  values_[node.var] = arguments[0];
  for (std::size_t i = 0; i < carried.vars.size(); ++i) {
    values_[carried.vars[i]] = arguments[i + 1];
  }
  statements(node.body);
  std::vector<ValueId> yields;
  for (const VarId var : carried.vars) {
    yields.push_back(current(var));
  }
  out_.regions[loop.body].yields = yields;
  builder_.enter(outer);
  values_ = before;
  const auto results = builder_.add_many(std::move(loop), span_, carried.names);
  for (std::size_t i = 0; i < carried.vars.size(); ++i) {
    values_[carried.vars[i]] = results[i];
  }
}

void Converter::unrolled(const For& node) {
  const std::int64_t from = lowered(node.from).constant();
  const std::int64_t limit = lowered(node.limit).constant();
  for (std::int64_t round = from; node.step > 0 ? (round < limit) : round > limit; round += node.step) {
    constants_[node.var] = round;
    statements(node.body);
  }
  constants_.erase(node.var);
}

void Converter::vectorised(const For& node) {
  const Polynomial from = lowered(node.from);
  const Polynomial limit = lowered(node.limit);
  if (node.sets.empty()) {
    at_once(node, {node.var, node.elements}, from, limit);
  }
  for (const RoundSet& set : node.sets) {
    if (set.count == 1 && from.is_constant() && limit.is_constant()) {
      if (node.step > 0 ? from.constant() <= set.from && set.from < limit.constant()
                        : from.constant() >= set.from && set.from > limit.constant()) {
        constants_[node.var] = set.from;
        statements(node.body);
        constants_.erase(node.var);
      }
      continue;
    }
    Lanes lanes{node.var, set.count, set.from, set.step};
    for (std::uint32_t round = 0; round < set.count; ++round) {
      lanes.known.push_back(numbers_in_round(node, set.from + set.step * round));
    }
    at_once(node, std::move(lanes), from, limit);
  }
}

KnownNumbers Converter::numbers_in_round(const For& node, std::int64_t value) const {
  KnownNumbers known;
  const auto set = [&](VarId var, std::int64_t number) {
    const auto bits = ops::convert(ScalarType::Long, in_.variables[var].element.scalar, static_cast<std::uint64_t>(number));
    known[var] = bits.value_or(0);
  };
  for (const auto& [var, number] : constants_) {
    set(var, number);
  }
  set(node.var, value);
  return numbers_in(in_, node.body, std::move(known));
}

void Converter::at_once(const For& node, Lanes lanes, const Polynomial& from, const Polynomial& limit) {
  lanes_ = std::move(lanes);
  const Polynomial variable = lanes_->variable();
  // The bounds of a loop with steps above 1 are numbers, and its sets are made of its rounds.
  const bool is_exact = node.step != 1;
  infreg::Mask range{Layout::item(lanes_->elements), {}};
  if (!is_exact && !(from.is_constant() && from.constant() <= lanes_->from)) {
    range.all_of.push_back({variable, Op::Ge, from});
  }
  const std::int64_t last = lanes_->from + lanes_->step * (std::int64_t{lanes_->elements} - 1);
  if (!is_exact && !(limit.is_constant() && last < limit.constant())) {
    range.all_of.push_back({variable, Op::Lt, limit});
  }
  if (!range.all_of.empty()) {
    lanes_->range = add(std::move(range), "rounds");
  }
  for (const Statement& statement : node.body) {
    if (const auto* assign = std::get_if<Assign>(&statement.node); assign != nullptr && !in_.variables[assign->target.var].is_array) {
      expanded_[assign->target.var] = lanes_->elements;
      values_.erase(assign->target.var);
    }
  }
  statements(node.body);
  for (const auto& [var, elements] : expanded_) {
    values_.erase(var);
  }
  expanded_.clear();
  lanes_.reset();
}

void Converter::loop(const Loop& node) {
  std::vector<VarId> vars = carried_by(node.body);
  std::erase(vars, *node.live);
  vars.insert(vars.begin(), *node.live);
  const Carried carried = carry(vars);
  infreg::Loop loop{{any(current(*node.live))}, 0};
  loop.inits.insert(loop.inits.end(), carried.inits.begin(), carried.inits.end());
  std::vector<Type> types{{infreg::truth, Layout::pack()}};
  types.insert(types.end(), carried.types.begin(), carried.types.end());
  std::vector<std::string> names{"go_on"};
  names.insert(names.end(), carried.names.begin(), carried.names.end());
  loop.body = builder_.new_region(types, names);
  const infreg::RegionId outer = builder_.enter(loop.body);
  const auto before = values_;
  const std::vector<ValueId> arguments = out_.regions[loop.body].arguments;
  for (std::size_t i = 0; i < vars.size(); ++i) {
    values_[vars[i]] = arguments[i + 1];
  }
  statements(node.body);
  std::vector<ValueId> yields{any(current(*node.live))};
  for (const VarId var : vars) {
    yields.push_back(current(var));
  }
  out_.regions[loop.body].yields = yields;
  builder_.enter(outer);
  values_ = before;
  const auto results = builder_.add_many(std::move(loop), span_, names);
  for (std::size_t i = 0; i < vars.size(); ++i) {
    values_[vars[i]] = results[i + 1];
  }
}

ValueId Converter::any(ValueId value) {
  const Layout layout = out_.type_of(value).layout;
  if (layout.kind == Kind::Pack) {
    return value;
  }
  return add(infreg::Vote{infreg::Vote::Kind::Any, true, value, constant(infreg::truth, 1, layout)}, "go_on");
}

}  // namespace lockstep::passes
