// A counterexample of the solver, run: its floats may be such as no machine has, and then it says nothing.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <random>
#include <utility>

#include "interpreter/launch/arguments.hpp"
#include "semantics/ops/bits.hpp"
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

/// How two sides differ.
struct Difference {
  std::string sentence;
  std::optional<Mismatch> cell;
};

Ran run_other(const infreg::Kernel& kernel, const Reference& reference) { return run_infreg(kernel, reference); }

Ran run_other(const LoadedKernel& kernel, const Reference& reference) {
  Ran ran;
  launch::Arguments arguments = reference.before;
  const auto outcome = launch::run(kernel.program, arguments, plain_options(reference.groups));
  if (!outcome) {
    ran.result = Failure{Failure::Kind::Limit, outcome.error()};
  } else if (outcome->fault) {
    ran.result = Failure{Failure::Kind::Undefined, launch::render(*kernel.program, *outcome->fault)};
  } else {
    ran.result = std::move(arguments.buffers);
  }
  return ran;
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
  const Ran ran = std::visit([&](const auto& other) { return run_other(other, reference); }, task.other);
  if (const auto* failure = std::get_if<Failure>(&ran.result)) {
    return failure->kind == Failure::Kind::Undefined ? std::optional(Difference{failure->sentence, {}}) : std::nullopt;
  }
  const Comparison comparison = compare(reference, std::get<std::vector<launch::Buffer>>(ran.result));
  if (!comparison.first) {
    return std::nullopt;
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
    for (int number = 0; number <= 3 && Clock::now() < end; ++number) {
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

}  // namespace

std::optional<Confirmed> confirm(const VerifyTask& task, const prove::Inputs& inputs) {
  Confirmed confirmed{inputs, {}, {}, {}};
  std::optional<Difference> difference = difference_on(task, inputs);
  std::mt19937_64 random(1);
  for (unsigned tried = 0; !difference && tried < most_variations; ++tried) {
    confirmed.inputs = with_other_floats(*task.kernel.program, inputs, random);
    difference = difference_on(task, confirmed.inputs);
  }
  if (!difference) {
    return std::nullopt;
  }
  shrink(task, confirmed.inputs, *difference);
  confirmed.difference = difference->sentence;
  if (difference->cell) {
    const std::size_t buffer = buffer_named(*task.kernel.program, difference->cell->buffer);
    const std::uint64_t index = difference->cell->index;
    confirmed.kernel_trace = trace_of_kernel(task.kernel, task.groups, confirmed.inputs, buffer, index);
    if (const auto* kernel = std::get_if<infreg::Kernel>(&task.other)) {
      confirmed.other_trace = trace_of_infreg(*kernel, task.groups, arguments_of(*task.kernel.program, confirmed.inputs), buffer, index);
    } else {
      confirmed.other_trace = trace_of_kernel(std::get<LoadedKernel>(task.other), task.groups, confirmed.inputs, buffer, index);
    }
  }
  return confirmed;
}

}  // namespace lockstep::tools
