#include "semantics/prove/trace.hpp"

#include <fmt/format.h>

#include "semantics/base/internal_error.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/prove/typed_run.hpp"
#include "semantics/typed/visit.hpp"

namespace lockstep::prove {

namespace {

/// Steps that are kept of each item.
constexpr std::size_t most_steps = 2'000;
constexpr unsigned never_ms = 1;  // on constants nothing is asked

TypedRunOptions plain_options(std::uint64_t groups) {
  TypedRunOptions options;
  options.groups = groups;
  return options;
}

std::string text_of(const Cell& cell) {
  if (cell.poison.known() == true) {
    return "poison";
  }
  const auto bits = cell.value.known();
  return bits ? ops::text_of(cell.value.type(), *bits) : "a pointer";
}

/// What the instruction wrote for the item.
ItemStep step_of(const typed::Program& program, const TypedStep& step, unsigned item) {
  ItemStep result{step.pc, {}, {}};
  const auto written = typed::written_by(program.code[step.pc].instruction);
  if (written && written->whole && !std::holds_alternative<typed::Call>(program.code[step.pc].instruction)) {
    const TypedSymbolic::Frame& frame = step.after.bank.back();
    const typed::RegisterInfo& info = program.functions[frame.function].registers[written->id];
    if (!info.count && frame.registers[written->id][item].written.known() == true) {
      result.target = info.variable.empty() ? info.name : info.variable;
      result.value = text_of(frame.registers[written->id][item]);
    }
  }
  return result;
}

}  // namespace

ConcreteLaunch launch_on(const typed::Program& program, const Inputs& inputs) {
  ConcreteLaunch setup;
  setup.memory.objects.emplace_back();
  for (std::size_t i = 0; i < program.kernel().parameter_count; ++i) {
    const typed::RegisterInfo& info = program.kernel().registers[i];
    if (!info.type.is_pointer) {
      setup.arguments.push_back(Value::number(info.type.scalar, inputs.scalars[i]));
      continue;
    }
    const auto number = static_cast<std::uint32_t>(setup.memory.objects.size());
    setup.arguments.push_back(Value::pointer(number, Value::number(ScalarType::Long, 0)));
    MemoryObject object{info.variable.empty() ? info.name : info.variable, info.type.scalar, AddressSpace::Global, 0, {}};
    for (const std::uint64_t bits : inputs.elements[number - 1]) {
      object.cells.push_back({Value::number(info.type.scalar, bits), Truth(false), Truth(true)});
    }
    object.count = object.cells.size();
    setup.memory.objects.push_back(std::move(object));
  }
  setup.memory.first_of_program = setup.memory.objects.size();
  add_program_objects(setup.memory, program);
  return setup;
}

CellHistory history_of(const typed::Program& program, std::uint64_t groups, const Inputs& inputs, std::size_t buffer, std::uint64_t index) {
  ConcreteLaunch setup = launch_on(program, inputs);
  const MemoryObject& watched = setup.memory.objects[buffer + 1];
  std::vector<std::vector<ItemStep>> items(program.wg_size);
  std::uint64_t present_group = 0;
  CellHistory history;
  Explorer explorer(never_ms, std::nullopt);
  TypedRunOptions options = plain_options(groups);
  options.observer = [&](const TypedStep& step) {
    if (step.group != present_group) {
      items.assign(program.wg_size, {});
      present_group = step.group;
    }
    for (unsigned t = 0; t < program.wg_size; ++t) {
      if (step.active[t].known() == true && items[t].size() < most_steps) {
        items[t].push_back(step_of(program, step, t));
      }
    }
    const auto* store = std::get_if<typed::Store>(&program.code[step.pc].instruction);
    if (store == nullptr) {
      return;
    }
    TypedSymbolic domain(program, setup.memory, step.group, groups);
    const TypedSymbolic::Access access =
        domain.access(step.after, domain.evaluate(step.after, &store->base), domain.evaluate(step.after, &store->index));
    for (unsigned t = 0; t < program.wg_size; ++t) {
      const Value::Pointer* to = access.pointer[t].as_pointer();
      if (step.active[t].known() == true && to != nullptr && to->object == buffer + 1 && to->element.known() == index) {
        items[t].back().target = fmt::format("{}[{}]", watched.name, index);
        items[t].back().value = text_of(watched.cells[index]);
        history = {step.group, t, items[t]};
      }
    }
  };
  run_typed(program, setup.arguments, setup.memory, explorer, options);
  return history;
}

ConcreteRun run_on_constants(const typed::Program& program, std::uint64_t groups, const Inputs& inputs) {
  ConcreteLaunch setup = launch_on(program, inputs);
  Explorer explorer(never_ms, std::nullopt);
  const TypedRun run = run_typed(program, setup.arguments, setup.memory, explorer, plain_options(groups));
  ConcreteRun result;
  if (!std::holds_alternative<TypedRun::Finished>(run.end)) {
    result.end = ConcreteRun::End::GivenUp;
    return result;
  }
  if (!explorer.assumptions().empty() || run.bound_met) {
    if (explorer.is_consistent()) {
      throw InternalError("a condition of a run on constants is no constant");
    }
    result.end = ConcreteRun::End::Undefined;
    return result;
  }
  for (std::size_t b = 1; b < setup.memory.first_of_program; ++b) {
    auto& elements = result.elements.emplace_back();
    for (const Cell& cell : setup.memory.objects[b].cells) {
      const auto poison = cell.poison.known();
      if (!poison || (!*poison && !cell.value.known())) {
        throw InternalError("a cell of a run on constants is no constant");
      }
      elements.push_back(*poison ? std::nullopt : cell.value.known());
    }
  }
  return result;
}

}  // namespace lockstep::prove
