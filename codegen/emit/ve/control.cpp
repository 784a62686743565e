// Runs of operations, and structured control. What a loop carries is one variable for the first value, the rounds' arguments and the
// results.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/ve/store_order.hpp"
#include "codegen/emit/ve/writer.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

void Writer::region(RegionId id) {
  for (const Run& run : plan_.runs[id]) {
    this->run(id, run);
  }
}

void Writer::run(RegionId region, const Run& run) {
  const std::vector<Operation>& operations = kernel_.regions[region].operations;
  const Operation& first = operations[run.first];
  if (const auto* branch = std::get_if<If>(&first.node)) {
    return this->branch(first, *branch);
  }
  if (const auto* loop = std::get_if<For>(&first.node)) {
    return counted(*loop);
  }
  if (const auto* loop = std::get_if<Loop>(&first.node)) {
    return while_loop(*loop);
  }
  if (const auto* vote = std::get_if<Vote>(&first.node)) {
    return this->vote(first, *vote);
  }
  for (std::uint32_t k = run.first; k < run.last; ++k) {
    for (const ValueId result : operations[k].results) {
      if (plan_.homes[result] == Home::Scratch && plan_.storage[result] == result && !plan_.unread.contains(result)) {
        declare(result);
      }
    }
  }
  const auto* only = std::get_if<Store>(&first.node);
  here_.clear();
  is_lane_by_lane_ = is_rows() && only != nullptr && !stores_in_order(kernel_, *only, plan_.shape);
  if (is_lane_by_lane_) {
    open(fmt::format("LOCKSTEP_ROLLED for (int64_t lane = 0; lane < {}; ++lane) {{", plan_.lanes));
  }
  each(layout_of(only != nullptr ? only->value : first.results.front()), [&](const At& at) {
    for (std::uint32_t k = run.first; k < run.last; ++k) {
      if (const auto* store = std::get_if<Store>(&operations[k].node)) {
        this->store(*store, at);
      } else if (plan_.homes[operations[k].results.front()] != Home::Expression) {
        define(operations[k], at);
      }
    }
  });
  if (is_lane_by_lane_) {
    close();
  }
  here_.clear();
}

void Writer::define(const Operation& operation, const At& at) {
  const ValueId result = operation.results.front();
  Operand computed = compute(operation, at);
  if (plan_.unread.contains(result)) {
    return line(fmt::format("(void){};", computed.text));
  }
  if (plan_.kept.contains(result)) {
    const bool is_truth = element_of(result) == truth;
    line(fmt::format("const {} {} = {};", is_truth ? "__vm256" : "__vr", kept_name(result),
                     is_truth && computed.is_number() ? fmt::format("v_mask({}, vl)", bare(computed.text))
                     : is_truth                       ? computed.text
                                                      : as_vector(computed, element_of(result))));
    here_.insert(result);
    computed = {kept_name(result), is_truth ? Operand::Kind::Mask : Operand::Kind::Vector};
  }
  if (plan_.homes[result] == Home::Scratch) {
    line(fmt::format("_vel_vst_vssl({}, 8, {}{}, vl);", as_vector(computed, element_of(result)), name(result),
                     indices(layout_of(result), at)));
    return;
  }
  const std::string type = plan_.alike[result] ? c_type(result) : element_of(result) == truth ? "__vm256" : "__vr";
  line(fmt::format("const {} {} = {};", type, name(result), bare(computed.text)));
}

void Writer::declare(ValueId value) {
  line(plan_.homes[value] == Home::Scratch ? fmt::format("uint64_t {}{};", name(value), dimensions(layout_of(value)))
                                           : fmt::format("{} {};", c_type(value), name(value)));
}

void Writer::assign(const std::string& to, ValueId from) {
  const Layout layout = layout_of(from);
  each(layout, [&](const At& at) {
    line(layout.kind == Layout::Kind::Pack ? fmt::format("{} = {};", to, operand(from, at).text)
                                           : fmt::format("_vel_vst_vssl({}, 8, {}{}, vl);", vector(from, at), to, indices(layout, at)));
  });
}

void Writer::assign(ValueId to, ValueId from) {
  if (plan_.storage[to] != plan_.storage[from]) {
    assign(name(to), from);
  }
}

void Writer::branch(const Operation& operation, const If& node) {
  for (const ValueId result : operation.results) {
    declare(result);
  }
  const auto arm = [&](RegionId id) {
    region(id);
    for (std::size_t k = 0; k < operation.results.size(); ++k) {
      assign(operation.results[k], kernel_.regions[id].yields[k]);
    }
  };
  open(fmt::format("if ({}) {{", bare(operand(node.condition, At{}).text)));
  arm(node.then);
  const Region& otherwise = kernel_.regions[node.otherwise];
  if (!otherwise.operations.empty() || !otherwise.yields.empty()) {
    close("} else {");
    ++depth_;
    arm(node.otherwise);
  }
  close();
}

void Writer::enter(const std::vector<ValueId>& inits, std::span<const ValueId> arguments) {
  for (std::size_t k = 0; k < inits.size(); ++k) {
    if (plan_.storage[arguments[k]] == arguments[k]) {
      declare(arguments[k]);
    }
    assign(arguments[k], inits[k]);
  }
}

/// All at once: what another one reads is overwritten last, from a copy.
void Writer::next_round(std::span<const ValueId> arguments, const std::vector<ValueId>& yields) {
  const auto next_of = [&](ValueId argument) { return std::string(emit_c::next_prefix) + name(argument); };
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (plan_.copied.contains(arguments[k])) {
      const ValueId argument = arguments[k];
      line(plan_.homes[argument] == Home::Scratch ? fmt::format("uint64_t {}{};", next_of(argument), dimensions(layout_of(argument)))
                                                  : fmt::format("{} {};", c_type(argument), next_of(argument)));
      assign(next_of(argument), yields[k]);
    }
  }
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const ValueId argument = arguments[k];
    const Layout layout = layout_of(argument);
    if (!plan_.copied.contains(argument)) {
      assign(argument, yields[k]);
      continue;
    }
    each(layout, [&](const At& at) {
      line(layout.kind == Layout::Kind::Pack ? fmt::format("{} = {};", name(argument), next_of(argument))
                                             : fmt::format("_vel_vst_vssl(_vel_vld_vssl(8, {0}{1}, vl), 8, {2}{1}, vl);", next_of(argument),
                                                           indices(layout, at), name(argument)));
    });
  }
}

void Writer::counted(const For& node) {
  const Region& body = kernel_.regions[node.body];
  const std::span<const ValueId> arguments = std::span(body.arguments).subspan(1);
  const std::string& variable = name(body.arguments.front());
  const bool is_up = node.step > 0;
  const std::uint64_t distance = is_up ? static_cast<std::uint64_t>(node.step) : 0 - static_cast<std::uint64_t>(node.step);
  const std::string next =
      distance == 1 ? fmt::format("{}{}", is_up ? "++" : "--", variable) : fmt::format("{} {} {}", variable, is_up ? "+=" : "-=", distance);
  enter(node.inits, arguments);
  const auto bound = [&](const Polynomial& polynomial) { return signed_number(polynomial, Layout::pack(), At{}); };
  const bool is_known = plan_.ranges.contains(body.arguments.front());
  const std::string limit = is_known ? bound(node.limit) : std::string(emit_c::end_prefix) + variable;
  if (!is_known) {
    line(fmt::format("const int64_t {} = {};", limit, bound(node.limit)));
  }
  const bool is_counted_in_head = is_known || distance == 1;
  open(fmt::format("LOCKSTEP_ROLLED for (int64_t {0} = {1}; {0} {2} {3};{4}) {{", variable, bound(node.from), is_up ? "<" : ">", limit,
                   is_counted_in_head ? " " + next : ""));
  region(node.body);
  next_round(arguments, body.yields);
  if (!is_counted_in_head) {
    // A variable that would wrap is past the limit.
    line(fmt::format("if ((uint64_t){} - (uint64_t){} <= {}u) break;", is_up ? limit : variable, is_up ? variable : limit, distance));
    line(next + ";");
  }
  close();
}

void Writer::while_loop(const Loop& node) {
  const Region& body = kernel_.regions[node.body];
  enter(node.inits, body.arguments);
  open(fmt::format("LOCKSTEP_ROLLED while ({}) {{", name(body.arguments.front())));
  region(node.body);
  next_round(body.arguments, body.yields);
  close();
}

}  // namespace lockstep::emit_ve
