// A counterexample of the solver, run: its floats may be such as no machine has, and then it says nothing.

#include "differential/replay/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>

#include "differential/compare/execute.hpp"
#include "interpreter/launch/arguments.hpp"
#include "semantics/base/line_origins.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/ops/bits.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/infreg_domain.hpp"
#include "semantics/prove/trace.hpp"

namespace lockstep::differential {

namespace {

using Clock = std::chrono::steady_clock;

/// Inputs like the solver's that are tried, and how long smaller ones are looked for.
constexpr unsigned most_variations = 300;
constexpr unsigned most_variations_of_endless = 4;
constexpr std::chrono::seconds time_to_shrink{5};
/// As much as each of the two may do: some tenths of a second.
constexpr std::uint64_t most_steps = 1'000'000;
constexpr std::uint64_t most_lane_operations = 20'000'000;

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

/// What the other side does.
struct OtherRan {
  Ran ran;
  std::string race;  ///< of two of its groups, if that was looked for and found
};

OtherRan run_other(const infreg::Kernel& kernel, const Reference& reference) {
  return {run_infreg(kernel, reference, most_lane_operations), {}};
}

OtherRan run_other(const LoadedKernel& kernel, const Reference& reference) {
  OtherRan other;
  Ran& ran = other.ran;
  launch::Arguments arguments = reference.before;
  const auto outcome = launch::run(kernel.program, arguments, plain_options(reference.groups));
  if (!outcome) {
    ran.result = Failure{Failure::Kind::Limit, outcome.error()};
  } else if (outcome->fault) {
    const bool is_limit = outcome->fault->kind == launch::FaultKind::StepLimit;
    ran.result = Failure{is_limit ? Failure::Kind::Limit : Failure::Kind::Undefined, launch::render(*kernel.program, *outcome->fault)};
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
    const SourceSpan span = program.code[access.place].span;
    code = fmt::format("{}: {}", file_and_line(*program.source, span),
                       trimmed(program.source->line_text(program.source->place(span.begin).line)));
  }
  return fmt::format("group {}, item {} {} it: {}", access.group, access.item, word_of(access.how), code);
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
  } catch (const prove::OutOfBudget&) {
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

/// The arguments as the kernel leaves them; none where it says nothing.
std::optional<launch::Arguments> left_by_kernel(const VerifyTask& task, const launch::Arguments& before) {
  launch::Arguments after = before;
  const auto outcome = launch::run(task.kernel.program, after, plain_options(task.groups));
  if (!outcome || outcome->fault || deciding_race(*outcome) != nullptr) {
    return std::nullopt;
  }
  return after;
}

std::uint64_t number_as(ScalarType type, int number) {
  return with_type(type, [&]<class T>(T) { return ops::bits_from(static_cast<T>(number)); });
}

/// Calls f(type, bits&) for each number of the inputs that is not said beforehand.
template <class F>
void for_each_number(const VerifyTask& task, prove::Inputs& inputs, F&& f) {
  const typed::Program& program = *task.kernel.program;
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < inputs.scalars.size(); ++i) {
    const typed::ValueType& type = program.kernel().registers[i].type;
    if (!type.is_pointer) {
      if (i >= task.sizes.size() || !task.sizes[i].bits) {
        f(type.scalar, inputs.scalars[i]);
      }
      continue;
    }
    for (std::uint64_t& element : inputs.elements[buffer]) {
      f(type.scalar, element);
    }
    ++buffer;
  }
}

/// The inputs with other floats: small whole numbers, thirds, and now and then those of the solver. With `integers` some of those are
/// others too: a conversion of which nothing is known may be another number for any integer.
prove::Inputs with_other_numbers(const VerifyTask& task, prove::Inputs inputs, bool integers, std::mt19937_64& random) {
  for_each_number(task, inputs, [&](ScalarType type, std::uint64_t& bits) {
    if (!is_float(type)) {
      if (integers && type != ScalarType::Bool && random() % 2 == 0) {
        const std::uint64_t number = random() >> (random() % 64);
        bits = with_type(type, [&]<class T>(T) { return ops::bits_from(ops::number_from<T>(number)); });
      }
    } else if (random() % 5 != 0) {
      const double number = static_cast<double>(static_cast<std::int64_t>(random() % 41) - 20) / (random() % 2 == 0 ? 1.0 : 3.0);
      bits = type == ScalarType::Double ? ops::bits_from(number) : ops::bits_from(static_cast<float>(number));
    }
  });
  return inputs;
}

/// Each number is made 0, 1, 2 or 3, if the two still differ.
void shrink(const VerifyTask& task, prove::Inputs& inputs, Difference& difference) {
  const Clock::time_point end = Clock::now() + time_to_shrink;
  for_each_number(task, inputs, [&](ScalarType type, std::uint64_t& bits) {
    const std::uint64_t old = bits;
    for (int number = 0; number <= 3 && Clock::now() < end && !prove::Budget::is_over(); ++number) {
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

namespace {

/// What comes of running both sides.
struct Same {};  ///< or the kernel says nothing on these inputs
struct RunsOn {
  std::string sentence;
};
using Replayed = std::variant<Same, Difference, RunsOn>;

Replayed replay(const VerifyTask& task, const prove::Inputs& inputs) {
  const launch::Arguments before = arguments_of(*task.kernel.program, inputs);
  const auto after = left_by_kernel(task, before);
  if (!after) {
    return Same{};
  }
  const Reference reference{task.kernel, task.groups, before, *after, 0};
  const OtherRan other = std::visit([&](const auto& side) { return run_other(side, reference); }, task.other);
  if (const auto* failure = std::get_if<Failure>(&other.ran.result)) {
    if (failure->kind == Failure::Kind::Undefined) {
      return Difference{failure->sentence, {}};
    }
    return failure->kind == Failure::Kind::Limit
               ? Replayed(RunsOn{fmt::format("{} comes to no end where the kernel does: {}", task.other_name, failure->sentence)})
               : Same{};
  }
  const Comparison comparison = compare(reference, std::get<std::vector<launch::Buffer>>(other.ran.result));
  if (comparison.first) {
    return Difference{fmt::format("{}[{}] is {} ({}), but {} leaves {} ({})", comparison.first->buffer, comparison.first->index,
                                  comparison.first->expected, comparison.first->expected_bits, task.other_name, comparison.first->found,
                                  comparison.first->found_bits),
                      comparison.first};
  }
  if (!other.race.empty()) {
    return Difference{fmt::format("in {} two groups race, so that what it leaves depends on their order:\n{}", task.other_name, other.race),
                      {}};
  }
  auto offence = offence_on(task, inputs);
  return offence ? Replayed(std::move(*offence)) : Same{};
}

}  // namespace

std::optional<Difference> difference_on(const VerifyTask& task, const prove::Inputs& inputs) {
  Replayed replayed = replay(task, inputs);
  auto* difference = std::get_if<Difference>(&replayed);
  return difference != nullptr ? std::optional(std::move(*difference)) : std::nullopt;
}

std::optional<std::string> runs_on(const VerifyTask& task, const prove::Inputs& inputs) {
  Replayed replayed = replay(task, inputs);
  auto* other = std::get_if<RunsOn>(&replayed);
  return other != nullptr ? std::optional(std::move(other->sentence)) : std::nullopt;
}

bool is_defined_on(const VerifyTask& task, const prove::Inputs& inputs) {
  return left_by_kernel(task, arguments_of(*task.kernel.program, inputs)).has_value();
}

std::uint64_t edge_number(ScalarType type, std::mt19937_64& random) {
  static constexpr std::array reals = {0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e30, -1e-40, 7.25, 255.0};
  if (type == ScalarType::Bool) {
    return random() % 2;
  }
  if (is_float(type)) {
    const double number = reals[random() % reals.size()];
    return type == ScalarType::Double ? ops::bits_from(number) : ops::bits_from(static_cast<float>(number));
  }
  return with_type(type, [&]<class T>(T) {
    const std::array<std::uint64_t, 5> numbers = {random() % 5, ~std::uint64_t{0} - random() % 3,
                                                  (std::uint64_t{1} << (bits_of(type) - 1)) - random() % 2, random(), random() % 100};
    return ops::bits_from(ops::number_from<T>(numbers[random() % numbers.size()]));
  });
}

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
  Replayed first = replay(task, inputs);
  const unsigned most = std::holds_alternative<RunsOn>(first) ? most_variations_of_endless : most_variations;
  auto* found = std::get_if<Difference>(&first);
  std::optional<Difference> difference = found != nullptr ? std::optional(std::move(*found)) : std::nullopt;
  std::mt19937_64 random(1);
  for (unsigned tried = 0; !difference && tried < most && !prove::Budget::is_over(); ++tried) {
    confirmed.inputs = with_other_numbers(task, inputs, tried % 2 == 1, random);
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
    } catch (const prove::OutOfBudget&) {  // the difference stands without
      confirmed.kernel_trace.clear();
      confirmed.other_trace.clear();
    }
  }
  return confirmed;
}

}  // namespace lockstep::differential
