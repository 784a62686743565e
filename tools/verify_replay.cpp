// A counterexample of the solver, run: its floats may be such as no machine has, and then it says nothing.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <random>
#include <utility>

#include "interpreter/launch/arguments.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/ops/bits.hpp"
#include "semantics/prove/deadline.hpp"
#include "semantics/prove/infreg_domain.hpp"
#include "semantics/prove/trace.hpp"
#include "tools/verify.hpp"

namespace lockstep::tools {

namespace {

using Clock = std::chrono::steady_clock;

/// Inputs like the solver's that are tried, and how long smaller ones are looked for.
constexpr unsigned most_variations = 300;
constexpr std::chrono::seconds time_to_shrink{5};
constexpr std::uint64_t most_steps = 1'000'000;

launch::Arguments arguments_of(const typed::Program& program, const prove::Inputs& inputs) {
  launch::Arguments arguments;
  for (std::size_t i = 0; i < program.kernel().parameter_count; ++i) {
    const typed::ValueType& type = program.kernel().registers[i].type;
    if (!type.is_pointer) {
      arguments.values.emplace_back(ScalarBits{inputs.scalars[i]});
      continue;
    }
    const std::vector<std::uint64_t>& elements = inputs.elements[arguments.buffers.size()];
    launch::Buffer buffer;
    buffer.type = type.scalar;
    buffer.count = elements.size();
    buffer.shape = {buffer.count};
    buffer.bytes.resize(buffer.count * size_of(type.scalar));
    for (std::size_t k = 0; k < elements.size(); ++k) {
      std::memcpy(buffer.bytes.data() + k * size_of(type.scalar), &elements[k], size_of(type.scalar));
    }
    arguments.values.emplace_back(BufferNumber{arguments.buffers.size()});
    arguments.buffers.push_back(std::move(buffer));
  }
  return arguments;
}

launch::LaunchOptions plain_options(std::uint64_t groups) {
  launch::LaunchOptions options;
  options.groups = groups;
  options.threads = 1;
  options.max_steps = most_steps;
  return options;
}

std::string buffer_name(const typed::Program& program, std::size_t buffer) {
  std::size_t parameter = 0;
  for (std::size_t pointers = 0; parameter < program.kernel().parameter_count; ++parameter) {
    if (program.kernel().registers[parameter].type.is_pointer && pointers++ == buffer) {
      break;
    }
  }
  return launch::parameter_name(program, parameter);
}

/// How two sides differ.
struct Difference {
  std::string sentence;
  std::optional<Mismatch> cell;
};

/// What the other side does.
struct OtherRan {
  Ran ran;
  std::string race;  ///< of two of its groups, if that was looked for and found
};

OtherRan run_other(const infreg::Kernel& kernel, const Reference& reference) { return {run_infreg(kernel, reference), {}}; }

OtherRan run_other(const LoadedKernel& kernel, const Reference& reference) {
  OtherRan other;
  Ran& ran = other.ran;
  launch::Arguments arguments = reference.before;
  const auto outcome = launch::run(kernel.program, arguments, plain_options(reference.groups));
  if (!outcome) {
    ran.result = Failure{Failure::Kind::Limit, outcome.error()};
  } else if (outcome->fault) {
    ran.result = Failure{Failure::Kind::Undefined, launch::render(*kernel.program, *outcome->fault)};
  } else {
    ran.result = std::move(arguments.buffers);
    if (const launch::Race* race = deciding_race(*outcome)) {
      other.race = launch::render(*kernel.program, *race);
    }
  }
  return other;
}

/// "group 0, item 1 writes it: store %y [wi] contiguous, %c"
std::string text_of(const VerifyTask& task, const prove::BufferAccess& access) {
  std::string code;
  if (const auto* kernel = std::get_if<infreg::Kernel>(&task.other)) {
    const infreg::OperationId id = prove::operation_at(access.place);
    code = infreg::print(*kernel, kernel->regions[id.region].operations[id.index]);
  } else {
    const typed::Program& program = *std::get<LoadedKernel>(task.other).program;
    const auto place = program.source->place(program.code[access.place].span.begin);
    code = fmt::format("{}:{}: {}", program.source->name(), place.line, trimmed(program.source->line_text(place.line)));
  }
  return fmt::format("group {}, item {} {} it: {}", access.group, access.item, access.writes ? "writes" : "reads", code);
}

/// What the other side must not do although it leaves the same memory.
std::optional<Difference> offence_on(const VerifyTask& task, const prove::Inputs& inputs) {
  const std::vector<bool> read_only = read_only_of(task.kernel);
  const bool may_race = task.groups > 1 && std::holds_alternative<infreg::Kernel>(task.other);
  if (!may_race && std::ranges::find(read_only, true) == read_only.end()) {
    return std::nullopt;
  }
  std::optional<prove::Offence> found;
  try {
    found = prove::offence_of(*task.kernel.program, target_of(task.other), task.groups, inputs, read_only);
  } catch (const prove::OutOfTime&) {
    return std::nullopt;
  }
  if (!found) {
    return std::nullopt;
  }
  const std::string element = fmt::format("{}[{}]", buffer_name(*task.kernel.program, found->buffer), found->index);
  if (found->second) {
    return Difference{fmt::format("in {} two groups race at {}, so that what it leaves depends on their order:\n  {}\n  {}\n",
                                  task.other_name, element, text_of(task, found->first), text_of(task, *found->second)),
                      {}};
  }
  return Difference{
      fmt::format("{} stores to {}, which the kernel can only read:\n  {}\n", task.other_name, element, text_of(task, found->first)), {}};
}

/// Empty: they do not differ, or the kernel says nothing on these inputs.
std::optional<Difference> difference_on(const VerifyTask& task, const prove::Inputs& inputs) {
  const launch::Arguments before = arguments_of(*task.kernel.program, inputs);
  launch::Arguments after = before;
  const auto outcome = launch::run(task.kernel.program, after, plain_options(task.groups));
  if (!outcome || outcome->fault || deciding_race(*outcome) != nullptr) {
    return std::nullopt;
  }
  const Reference reference{task.kernel, task.groups, before, after, 0};
  const OtherRan other = std::visit([&](const auto& side) { return run_other(side, reference); }, task.other);
  if (const auto* failure = std::get_if<Failure>(&other.ran.result)) {
    return failure->kind == Failure::Kind::Undefined ? std::optional(Difference{failure->sentence, {}}) : std::nullopt;
  }
  const Comparison comparison = compare(reference, std::get<std::vector<launch::Buffer>>(other.ran.result));
  if (!comparison.first) {
    return other.race.empty()
               ? offence_on(task, inputs)
               : std::optional(Difference{
                     fmt::format("in {} two groups race, so that what it leaves depends on their order:\n{}", task.other_name, other.race),
                     {}});
  }
  return Difference{
      fmt::format("{}[{}] is {} ({}), but {} leaves {} ({})", comparison.first->buffer, comparison.first->index, comparison.first->expected,
                  comparison.first->expected_bits, task.other_name, comparison.first->found, comparison.first->found_bits),
      comparison.first};
}

std::uint64_t number_as(ScalarType type, int number) {
  return with_type(type, [&]<class T>(T) { return ops::bits_from(static_cast<T>(number)); });
}

/// Calls f(type, bits&) for each number of the inputs.
template <class F>
void for_each_number(const typed::Program& program, prove::Inputs& inputs, F&& f) {
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < inputs.scalars.size(); ++i) {
    const typed::ValueType& type = program.kernel().registers[i].type;
    if (!type.is_pointer) {
      f(type.scalar, inputs.scalars[i]);
      continue;
    }
    for (std::uint64_t& element : inputs.elements[buffer]) {
      f(type.scalar, element);
    }
    ++buffer;
  }
}

/// The inputs with other floats: small whole numbers, halves, and now and then those of the solver.
prove::Inputs with_other_floats(const typed::Program& program, prove::Inputs inputs, std::mt19937_64& random) {
  for_each_number(program, inputs, [&](ScalarType type, std::uint64_t& bits) {
    if (is_float(type) && random() % 5 != 0) {
      const double number = static_cast<double>(static_cast<std::int64_t>(random() % 41) - 20) / (random() % 2 == 0 ? 1.0 : 3.0);
      bits = type == ScalarType::Double ? ops::bits_from(number) : ops::bits_from(static_cast<float>(number));
    }
  });
  return inputs;
}

/// Each number is made 0, 1, 2 or 3, if the two still differ.
void shrink(const VerifyTask& task, prove::Inputs& inputs, Difference& difference) {
  const Clock::time_point end = Clock::now() + time_to_shrink;
  for_each_number(*task.kernel.program, inputs, [&](ScalarType type, std::uint64_t& bits) {
    const std::uint64_t old = bits;
    for (int number = 0; number <= 3 && Clock::now() < end && !prove::Deadline::is_over(); ++number) {
      bits = number_as(type, number);
      if (bits == old) {
        return;
      }
      if (auto found = difference_on(task, inputs)) {
        difference = std::move(*found);
        return;
      }
    }
    bits = old;
  });
}

std::size_t buffer_named(const typed::Program& program, const std::string& name) {
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < program.kernel().parameter_count && launch::parameter_name(program, i) != name; ++i) {
    buffer += program.kernel().registers[i].type.is_pointer ? 1U : 0U;
  }
  return buffer;
}

/// Both sides' ways to the cell.
void trace(const VerifyTask& task, const Mismatch& cell, Confirmed& confirmed) {
  const typed::Program& program = *task.kernel.program;
  const std::size_t buffer = buffer_named(program, cell.buffer);
  confirmed.kernel_trace = trace_of_kernel(task.kernel, task.groups, confirmed.inputs, buffer, cell.index);
  if (const auto* kernel = std::get_if<infreg::Kernel>(&task.other)) {
    confirmed.other_trace = trace_of_infreg(*kernel, task.groups, arguments_of(program, confirmed.inputs), buffer, cell.index);
  } else {
    confirmed.other_trace = trace_of_kernel(std::get<LoadedKernel>(task.other), task.groups, confirmed.inputs, buffer, cell.index);
  }
}

}  // namespace

prove::Target target_of(const Refining& other) {
  return std::visit(
      []<class T>(const T& side) -> prove::Target {
        if constexpr (std::is_same_v<T, infreg::Kernel>) {
          return &side;
        } else {
          return side.program.get();
        }
      },
      other);
}

std::vector<bool> read_only_of(const LoadedKernel& kernel) {
  std::vector<bool> read_only;
  for (std::size_t i = 0; i < kernel.program->kernel().parameter_count; ++i) {
    read_only.push_back(kernel.program->kernel().registers[i].type.is_pointer && !kernel.writable[i]);
  }
  return read_only;
}

std::optional<Confirmed> confirm(const VerifyTask& task, const prove::Inputs& inputs) {
  Confirmed confirmed{inputs, {}, {}, {}};
  std::optional<Difference> difference = difference_on(task, inputs);
  std::mt19937_64 random(1);
  for (unsigned tried = 0; !difference && tried < most_variations && !prove::Deadline::is_over(); ++tried) {
    confirmed.inputs = with_other_floats(*task.kernel.program, inputs, random);
    difference = difference_on(task, confirmed.inputs);
  }
  if (!difference) {
    return std::nullopt;
  }
  shrink(task, confirmed.inputs, *difference);
  confirmed.difference = difference->sentence;
  if (difference->cell) {
    try {
      trace(task, *difference->cell, confirmed);
    } catch (const prove::OutOfTime&) {  // the difference stands without
      confirmed.kernel_trace.clear();
      confirmed.other_trace.clear();
    }
  }
  return confirmed;
}

}  // namespace lockstep::tools
