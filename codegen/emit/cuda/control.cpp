// Runs of operations, and structured control. What a loop carries is one variable for the first value, the rounds' arguments and the
// results.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/cuda/writer.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

/// What makes the variable of a loop the next round's.
std::string next_number(const std::string& variable, std::int64_t step) {
  const bool is_up = step > 0;
  const std::uint64_t distance = emit_c::magnitude_of(step);
  return distance == 1 ? fmt::format("{}{}", is_up ? "++" : "--", variable)
                       : fmt::format("{} {} {}", variable, is_up ? "+=" : "-=", distance);
}

}  // namespace

void Writer::region(RegionId id) {
  for (const Run& run : plan_.runs[id]) {
    this->run(id, run);
  }
}

void Writer::run(RegionId region, const Run& run) {
  const std::vector<Operation>& operations = kernel_.regions[region].operations;
  if (plan_.meetings.contains({region, run.first}) && !plan_.tiles.contains({region, run.first})) {  // tiles begin with a meeting
    line("v::meet(slot);");
  }
  const Operation& first = operations[run.first];
  if (const auto* branch = std::get_if<If>(&first.node)) {
    return this->branch(first, *branch);
  }
  if (const auto* loop = std::get_if<For>(&first.node)) {
    return counted({region, run.first}, first, *loop);
  }
  if (const auto* loop = std::get_if<Loop>(&first.node)) {
    return while_loop(first, *loop);
  }
  if (const auto* vote = std::get_if<Vote>(&first.node)) {
    return this->vote(first, *vote);
  }
  const auto* pattern = std::get_if<Reorder>(&first.node);
  if (pattern != nullptr && plan_.ways.at(first.results.front()) == Way::Memory) {
    return through_memory(first, *pattern);
  }
  if (!first.results.empty() && plan_.rows.contains(first.results.front()) && plan_.rows.at(first.results.front()).is_first) {
    stage(*pattern, plan_.rows.at(first.results.front()).is_all);
  }
  const auto* only = std::get_if<Store>(&first.node);
  if (only != nullptr && run.width == 1) {
    return store({region, run.first}, *only);
  }
  const Layout layout = only != nullptr ? kernel_.type_of(only->value).layout : held(first.results.front());
  const bool is_single = plan_.geometry.registers(layout) == 1;
  for (std::uint32_t k = run.first; k < run.last && !is_single; ++k) {
    for (const ValueId result : operations[k].results) {
      if (plan_.homes[result] == Home::Registers && !plan_.unread.contains(result)) {
        declare(result);
      }
    }
  }
  if (run.width > 1) {
    return run_in_parts(region, run, layout);
  }
  each(layout, [&](const At& at) {
    for (std::uint32_t k = run.first; k < run.last; ++k) {
      if (const auto* store = std::get_if<Store>(&operations[k].node)) {
        this->store_element(OperationId{region, k}, *store, at);
      } else if (plan_.homes[operations[k].results.front()] != Home::Expression) {
        define(operations[k], at);
      }
    }
  });
}

/// Operations that move several elements at once, and loops over these for those between.
void Writer::run_in_parts(RegionId region, const Run& run, Layout layout) {
  const std::vector<Operation>& operations = kernel_.regions[region].operations;
  each({layout.kind, 1}, [&](const At& group) {
    line(unroll(layout));
    open(fmt::format("for (int part = 0; part < {}; part += {}) {{", layout.elements, run.width));
    At part = group;
    part.ix = "part";
    part.width = run.width;
    part.piece = run.piece;
    fetch_tiles(region, run, part);
    bool is_in_loop = false;
    for (std::uint32_t k = run.first; k < run.last; ++k) {
      const Operation& operation = operations[k];
      const bool is_wide = plan_.wide.contains({region, k});
      if (!operation.results.empty() && plan_.homes[operation.results.front()] == Home::Expression) {
        continue;
      }
      if (is_wide && is_in_loop) {
        close();
      }
      is_in_loop = is_in_loop && !is_wide;
      if (is_wide) {
        move_together({region, k}, operation, part);
        continue;
      }
      if (!is_in_loop) {
        // What the loop computes for a part, as far as no other run sees it.
        for (std::uint32_t inner = k; inner < run.last && !plan_.wide.contains({region, inner}); ++inner) {
          for (const ValueId result : operations[inner].results) {
            if (plan_.homes[result] == Home::Element) {
              line(fmt::format("{} {}[{}];", type(result), name(result), run.width));
            }
          }
        }
        open_part(run.width);
        is_in_loop = true;
      }
      At at = part;
      at.ix = "ix";
      if (const auto* store = std::get_if<Store>(&operation.node)) {
        store_element({region, k}, *store, at);
      } else {
        define(operation, at);
      }
    }
    if (is_in_loop) {
      close();
    }
    close();
  });
}

/// What stands on the left side where the present element of a value is computed.
std::string Writer::target(ValueId result, const At& at) const {
  const Layout layout = held(result);
  if (at.width > 1 && plan_.homes[result] == Home::Element) {
    return value(result, at);
  }
  const bool is_new = plan_.homes[result] == Home::Element || plan_.geometry.registers(layout) == 1;
  return is_new ? fmt::format("const {} {}", type(result), name(result)) : name(result) + indices(layout, at);
}

void Writer::define(const Operation& operation, const At& at) {
  if (const auto* pattern = std::get_if<Reorder>(&operation.node)) {
    reorder(operation, *pattern, at);
  } else if (const auto* by_lane = std::get_if<Shuffle>(&operation.node)) {
    shuffle(operation, *by_lane, at);
  } else if (plan_.unread.contains(operation.results.front())) {
    change(std::get<Atomic>(operation.node), at);
  } else {
    line(fmt::format("{} = {};", target(operation.results.front(), at), expression(operation, at)));
  }
  if (plan_.stays == operation.results.front()) {
    if (!plan_.meetings.empty()) {
      line(fmt::format("slot.mask = v::ballot(slot, {}) << slot.base;", name(operation.results.front())));
    }
    line(fmt::format("if (!{}) return;", name(operation.results.front())));
  }
}

void Writer::declare(ValueId value) { line(fmt::format("{} {}{};", type(value), name(value), dimensions(held(value)))); }

void Writer::assign(const std::string& to, ValueId from) {
  const Layout layout = kernel_.type_of(from).layout;
  each(layout, [&](const At& at) { line(fmt::format("{}{} = {};", to, indices(layout, at), value(from, at))); });
}

void Writer::branch(const Operation& operation, const If& node) {
  for (const ValueId result : operation.results) {
    declare(result);
  }
  const auto arm = [&](RegionId id) {
    region(id);
    for (std::size_t k = 0; k < operation.results.size(); ++k) {
      assign(name(operation.results[k]), kernel_.regions[id].yields[k]);
    }
  };
  open(fmt::format("if ({}) {{", value(node.condition, At{})));
  arm(node.then);
  const Region& otherwise = kernel_.regions[node.otherwise];
  if (!otherwise.operations.empty() || !otherwise.yields.empty()) {
    close("} else {");
    ++depth_;
    arm(node.otherwise);
  }
  close();
}

void Writer::enter(const Operation& operation, const std::vector<ValueId>& inits, std::span<const ValueId> arguments) {
  for (std::size_t k = 0; k < inits.size(); ++k) {
    aliases_[operation.results[k]] = names_.values[arguments[k]];
    const Layout layout = kernel_.type_of(inits[k]).layout;
    if (plan_.geometry.registers(layout) == 1) {
      line(fmt::format("{} {} = {};", type(inits[k]), name(arguments[k]), value(inits[k], At{})));
    } else {
      declare(arguments[k]);
      assign(name(arguments[k]), inits[k]);
    }
  }
}

/// Whether the value is one of the variables, or an expression that reads one.
bool Writer::reads_one_of(ValueId value, std::span<const ValueId> variables) const {
  if (plan_.homes[value] != Home::Expression) {
    return std::ranges::find(variables, value) != variables.end();
  }
  bool reads = false;
  for_each_use(definitions_[value]->node, [&](ValueId used) { reads = reads || reads_one_of(used, variables); });
  return reads;
}

/// All at once: what another one reads is overwritten last, from a copy.
void Writer::next_round(std::span<const ValueId> arguments, const std::vector<ValueId>& yields) {
  std::vector<std::size_t> copied;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (yields[k] != arguments[k] && reads_one_of(yields[k], arguments)) {
      line(fmt::format("{} {}{}{};", type(arguments[k]), emit_c::next_prefix, name(arguments[k]),
                       dimensions(kernel_.type_of(arguments[k]).layout)));
      assign(fmt::format("{}{}", emit_c::next_prefix, name(arguments[k])), yields[k]);
      copied.push_back(k);
    }
  }
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (yields[k] != arguments[k] && std::ranges::find(copied, k) == copied.end()) {
      assign(name(arguments[k]), yields[k]);
    }
  }
  for (const std::size_t k : copied) {
    const Layout layout = kernel_.type_of(arguments[k]).layout;
    each(layout,
         [&](const At& at) { line(fmt::format("{0}{1} = {2}{0}{1};", name(arguments[k]), indices(layout, at), emit_c::next_prefix)); });
  }
}

void Writer::counted(OperationId id, const Operation& operation, const For& node) {
  const Region& body = kernel_.regions[node.body];
  const std::span<const ValueId> arguments = std::span(body.arguments).subspan(1);
  enter(operation, node.inits, arguments);
  if (!plan_.ranges.contains(body.arguments.front())) {
    counted_by_numbers(node);
    return;
  }
  const std::string& variable = name(body.arguments.front());
  const bool is_up = node.step > 0;
  const auto rounds = plan_.unrolled.find(id);
  const std::int64_t limit = node.limit.constant();
  const std::int64_t piece = rounds == plan_.unrolled.end() ? 0 : static_cast<std::int64_t>(rounds->second) * node.step;
  for (std::int64_t from = node.from.constant(); from == node.from.constant() || (is_up ? from < limit : from > limit); from += piece) {
    const std::int64_t until = piece == 0 ? limit : is_up ? std::min(from + piece, limit) : std::max(from + piece, limit);
    if (piece != 0) {
      line("LOCKSTEP_UNROLL");
    }
    open(fmt::format("for (int {0} = {1}; {0} {2} {3}; {4}) {{", variable, from, is_up ? "<" : ">", until,
                     next_number(variable, node.step)));
    region(node.body);
    next_round(arguments, body.yields);
    close();
    if (piece == 0) {
      break;
    }
  }
}

/// Bounds that are known when it runs.
void Writer::counted_by_numbers(const For& node) {
  const Region& body = kernel_.regions[node.body];
  const std::string& variable = name(body.arguments.front());
  const bool is_up = node.step > 0;
  const std::uint64_t distance = emit_c::magnitude_of(node.step);
  const std::string next = next_number(variable, node.step);
  const auto bound = [&](const Polynomial& polynomial) {
    return fmt::format("int64_t({})", number(polynomial, Layout::pack(), At{}).text);
  };
  const std::string end = fmt::format("{}{}", emit_c::end_prefix, variable);
  line(fmt::format("const int64_t {} = {};", end, bound(node.limit)));
  open(fmt::format("for (int64_t {0} = {1}; {0} {2} {3};{4}) {{", variable, bound(node.from), is_up ? "<" : ">", end,
                   distance == 1 ? " " + next : ""));
  region(node.body);
  next_round(std::span(body.arguments).subspan(1), body.yields);
  if (distance != 1) {
    // A variable that would wrap is past the limit.
    line(fmt::format("if (uint64_t({0}) - uint64_t({1}) <= {2}ull) break;", is_up ? end : variable, is_up ? variable : end, distance));
    line(next + ";");
  }
  close();
}

void Writer::while_loop(const Operation& operation, const Loop& node) {
  const Region& body = kernel_.regions[node.body];
  enter(operation, node.inits, body.arguments);
  open(fmt::format("while ({}) {{", name(body.arguments.front())));
  region(node.body);
  next_round(body.arguments, body.yields);
  close();
}

}  // namespace lockstep::emit_cuda
