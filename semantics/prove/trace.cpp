#include "semantics/prove/trace.hpp"

#include <fmt/format.h>

#include "semantics/base/internal_error.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/prove/infreg_domain.hpp"
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

std::vector<std::uint64_t> counts_of(const std::vector<MemoryObject>& objects) {
  std::vector<std::uint64_t> counts;
  counts.reserve(objects.size());
  for (const MemoryObject& object : objects) {
    counts.push_back(object.count);
  }
  return counts;
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

/// Whether the pointer leads to this element.
bool is_at(const MemoryObject& object, const Value::Pointer& pointer, std::uint64_t element) {
  const auto cell = pointer.element.known();
  return cell && *cell / cells_each(object.element, object.bytes) == element;
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
  Explorer explorer(never_ms);
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
        domain.access(step.after, domain.evaluate_base(step.after, &store->base), domain.evaluate(step.after, &store->index));
    for (unsigned t = 0; t < program.wg_size; ++t) {
      const Value::Pointer* to = access.pointer[t].as_pointer();
      if (step.active[t].known() == true && to != nullptr && to->object == buffer + 1 && is_at(watched, *to, index)) {
        items[t].back().target = fmt::format("{}[{}]", watched.name, index);
        items[t].back().value = text_of(element_of(watched, index));
        history = {step.group, t, items[t]};
      }
    }
  };
  run_typed(program, setup.arguments, setup.memory, explorer, options);
  return history;
}

ConcreteRun run_on_constants(const typed::Program& program, std::uint64_t groups, const Inputs& inputs) {
  ConcreteLaunch setup = launch_on(program, inputs);
  Explorer explorer(never_ms);
  const TypedRun run = run_typed(program, setup.arguments, setup.memory, explorer, plain_options(groups));
  ConcreteRun result;
  if (!std::holds_alternative<TypedRun::Finished>(run.end)) {
    result.end = ConcreteRun::End::GivenUp;
    return result;
  }
  if (!explorer.assumptions().empty() || !run.beyond.empty()) {
    if (explorer.is_consistent()) {
      throw InternalError("a condition of a run on constants is no constant");
    }
    result.end = ConcreteRun::End::Undefined;
    return result;
  }
  for (std::size_t b = 1; b < setup.memory.first_of_program; ++b) {
    auto& elements = result.elements.emplace_back();
    const MemoryObject& object = setup.memory.objects[b];
    for (std::uint64_t k = 0; k < object.count; ++k) {
      const Cell cell = element_of(object, k);
      const auto poison = cell.poison.known();
      if (!poison || (!*poison && !cell.value.known())) {
        throw InternalError("a cell of a run on constants is no constant");
      }
      elements.push_back(*poison ? std::nullopt : cell.value.known());
    }
  }
  return result;
}

namespace {

/// The accesses of an execution that ends and is defined.
std::optional<Accesses> accesses_on(const typed::Program& program, const typed::Program& executed, std::uint64_t groups,
                                    const Inputs& inputs) {
  ConcreteLaunch setup = launch_on(program, inputs);
  setup.memory.objects.resize(setup.memory.first_of_program);
  setup.memory.accesses = Accesses(counts_of(setup.memory.objects));
  add_program_objects(setup.memory, executed);
  Explorer explorer(never_ms);
  const TypedRun run = run_typed(executed, setup.arguments, setup.memory, explorer, plain_options(groups));
  const bool is_fine = std::holds_alternative<TypedRun::Finished>(run.end) && explorer.is_consistent() && run.beyond.empty();
  return is_fine ? std::optional(std::move(setup.memory.accesses)) : std::nullopt;
}

std::optional<Accesses> accesses_on(const typed::Program& program, const infreg::Kernel& kernel, std::uint64_t groups,
                                    const Inputs& inputs) {
  const ConcreteLaunch setup = launch_on(program, inputs);
  std::vector<MemoryObject> buffers(setup.memory.objects.begin() + 1,
                                    setup.memory.objects.begin() + static_cast<std::ptrdiff_t>(setup.memory.first_of_program));
  InfregRunOptions options;
  options.groups = groups;
  options.notes_accesses = true;
  Explorer explorer(never_ms);
  InfregRun run = run_infreg(kernel, setup.arguments, buffers, explorer, options);
  return run.given_up || !run.demands.empty() ? std::nullopt : std::optional(std::move(run.accesses));
}

}  // namespace

bool groups_race(const typed::Program& program, std::uint64_t groups, const Inputs& inputs) {
  const auto own = accesses_on(program, program, groups, inputs);
  return own && own->certain_race();
}

std::optional<Offence> offence_of(const typed::Program& program, const Target& target, std::uint64_t groups, const Inputs& inputs,
                                  const std::vector<bool>& read_only) {
  const auto own = accesses_on(program, program, groups, inputs);
  const auto theirs = std::visit([&](const auto* executed) { return accesses_on(program, *executed, groups, inputs); }, target);
  if (!own || !theirs) {
    return std::nullopt;
  }
  if (const auto race = theirs->certain_race()) {
    return Offence{race->object - 1, race->element, race->first, race->second};
  }
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < program.kernel().parameter_count; ++i) {
    if (!program.kernel().registers[i].type.is_pointer) {
      continue;
    }
    for (std::uint64_t k = 0; read_only[i] && k < inputs.elements[buffer].size(); ++k) {
      const auto store = theirs->certain_store(buffer + 1, k);
      if (store && !own->certain_store(buffer + 1, k)) {
        return Offence{buffer, k, *store, std::nullopt};
      }
    }
    ++buffer;
  }
  return std::nullopt;
}

}  // namespace lockstep::prove
