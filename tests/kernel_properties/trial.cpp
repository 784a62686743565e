#include "tests/kernel_properties/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "semantics/core/front_end.hpp"
#include "semantics/core/print.hpp"
#include "semantics/core/translate.hpp"
#include "semantics/generate/choices.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::test {

namespace {

std::string place_text(const Ready& ready, std::uint64_t group, unsigned item, SourceSpan span) {
  const SourceFile& source = *ready.program.source;
  const LineColumn at = source.place(span.begin);
  return fmt::format(" in group {}, item {}, at {}:{}: {}", group, item, at.line, at.column,
                     source.text().substr(span.begin, span.end - span.begin));
}

bool are_equal(ScalarType type, const evaluator::Cell& left, const evaluator::Cell& right) {
  return left == right || (left.state == evaluator::State::Number && right.state == evaluator::State::Number &&
                           ops::same_number(type, left.bits, right.bits));
}

std::string cell_text(const evaluator::Cell& cell) {
  return cell.state == evaluator::State::Number ? fmt::format("{:#x}", cell.bits)
                                                : std::string(cell.state == evaluator::State::Poison ? "poison" : "uninitialised");
}

/// The bits of a number in memory, extended by its type as everywhere else.
std::uint64_t read_bits(ScalarType type, const std::byte* from) {
  return with_type(type, [&](auto value) {
    using T = decltype(value);
    std::memcpy(&value, from, sizeof value);
    if constexpr (std::is_floating_point_v<T>) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof value);
      return bits;
    } else if constexpr (std::is_signed_v<T>) {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    } else {
      return std::uint64_t{value};
    }
  });
}

evaluator::Buffer cells_of(const launch::Buffer& buffer) {
  evaluator::Buffer result{buffer.type, {}};
  for (std::uint64_t k = 0; k < buffer.count; ++k) {
    result.cells.push_back({evaluator::State::Number, read_bits(buffer.type, buffer.bytes.data() + k * size_of(buffer.type))});
  }
  for (const std::uint64_t k : buffer.poison) {
    result.cells[k] = {evaluator::State::Poison, 0};
  }
  return result;
}

launch::Buffer buffer_of(const generate::KernelInput& input) {
  launch::Buffer buffer{input.type, input.values.size(), {}, {input.values.size()}, {}};
  const std::size_t size = size_of(input.type);
  buffer.bytes.resize(input.values.size() * size);
  for (std::size_t k = 0; k < input.values.size(); ++k) {
    std::memcpy(buffer.bytes.data() + k * size, &input.values[k], size);
  }
  return buffer;
}

}  // namespace

KernelTrial trial_of(const generate::Kernel& kernel, std::uint64_t salt) { return {kernel, core::print(kernel.unit), salt}; }

Ready make_ready(const KernelTrial& trial, core::CrevOrder order, unsigned crev_seed) {
  const auto source = std::make_shared<const SourceFile>("kernel.cl", trial.text);
  core::Options options;
  options.wg_size = trial.kernel.wg_size;
  options.contract = trial.kernel.contract;
  options.crev_order = order;
  options.crev_seed = crev_seed;
  Diagnostics warnings;
  auto program = core::read_kernels(source, options, warnings);
  if (!program) {
    throw Refused(program.error().front().message + "\n" + render(*source, program.error().front()));
  }
  Ready ready{std::move(*program), nullptr, nullptr};
  ready.kernel = ready.program.kernel("k");
  if (ready.kernel == nullptr) {
    throw Refused("there is no kernel k");
  }
  ready.typed = std::make_shared<const typed::Program>(core::translate(ready.program, *ready.kernel));
  return ready;
}

launch::LaunchOptions plain_options(const generate::Kernel& kernel) {
  launch::LaunchOptions options;
  options.groups = kernel.groups;
  options.pack = 1;
  options.threads = 1;
  options.max_steps = 300'000;
  options.max_depth = 1000;
  return options;
}

launch::Arguments arguments_of(const generate::Kernel& kernel) {
  launch::Arguments arguments;
  for (const generate::KernelInput& input : kernel.inputs) {
    if (input.is_buffer) {
      arguments.values.emplace_back(BufferNumber{arguments.buffers.size()});
      arguments.buffers.push_back(buffer_of(input));
    } else {
      arguments.values.emplace_back(ScalarBits{input.values.front()});
    }
  }
  return arguments;
}

launch::Arguments overlapping_arguments(const generate::Kernel& kernel, std::uint64_t seed) {
  launch::Arguments arguments = arguments_of(kernel);
  generate::Choices choices = generate::from_seed(seed);
  struct Pointer {
    std::size_t parameter = 0;
    std::int64_t at = 0;  ///< elements behind the first one's
  };
  std::map<ScalarType, std::vector<Pointer>> sharing;
  for (std::size_t k = 0; k < kernel.inputs.size(); ++k) {
    const generate::KernelInput& input = kernel.inputs[k];
    if (input.is_buffer && choices(4) != 0) {
      std::vector<Pointer>& pointers = sharing[input.type];
      const auto near = static_cast<std::int64_t>(choices(5));
      const auto anywhere = static_cast<std::int64_t>(choices(static_cast<unsigned>(input.values.size()) + 1));
      const std::int64_t distance = pointers.empty() ? 0 : choices(2) == 0 ? near : anywhere;
      pointers.push_back({k, choices(2) == 0 ? distance : -distance});
    }
  }
  for (const auto& [type, pointers] : sharing) {
    const std::int64_t least = std::ranges::min(pointers, {}, &Pointer::at).at;
    const std::size_t number = std::get<BufferNumber>(arguments.values[pointers.front().parameter]).number;
    launch::Buffer all;
    all.type = type;
    for (auto pointer = pointers.rbegin(); pointer != pointers.rend(); ++pointer) {  // the first one's elements are what it gets
      auto& points = std::get<BufferNumber>(arguments.values[pointer->parameter]);
      const launch::Buffer& own = arguments.buffers[points.number];
      const auto first = static_cast<std::uint64_t>(pointer->at - least);
      all.count = std::max(all.count, first + own.count);
      all.bytes.resize(all.count * size_of(type));
      std::ranges::copy(own.bytes, all.bytes.begin() + static_cast<std::ptrdiff_t>(first * size_of(type)));
      points = {number, first};
    }
    all.shape = {all.count};
    arguments.buffers[number] = std::move(all);
  }
  return arguments;
}

Ran run_machine(const Ready& ready, launch::Arguments arguments, const launch::LaunchOptions& options) {
  auto outcome = launch::run(ready.typed, arguments, options);
  if (!outcome) {
    throw std::runtime_error("the launcher refuses: " + outcome.error());
  }
  return {std::move(*outcome), std::move(arguments.buffers)};
}

Ran run_machine(const Ready& ready, const generate::Kernel& kernel, const launch::LaunchOptions& options) {
  return run_machine(ready, arguments_of(kernel), options);
}

evaluator::Result run_evaluator(const Ready& ready, const generate::Kernel& kernel, const launch::Arguments& arguments,
                                unsigned warp_size) {
  evaluator::Launch launch;
  launch.groups = kernel.groups;
  launch.warp_size = warp_size;
  launch.arguments = arguments.values;
  for (const launch::Buffer& buffer : arguments.buffers) {
    launch.buffers.push_back(cells_of(buffer));
  }
  return evaluator::evaluate(ready.program, *ready.kernel, std::move(launch));
}

evaluator::Result run_evaluator(const Ready& ready, const generate::Kernel& kernel, unsigned warp_size) {
  return run_evaluator(ready, kernel, arguments_of(kernel), warp_size);
}

bool met_limit(const Ran& ran) {
  using launch::FaultKind;
  return ran.outcome.fault && (ran.outcome.fault->kind == FaultKind::StepLimit || ran.outcome.fault->kind == FaultKind::MemoryLimit ||
                               ran.outcome.fault->kind == FaultKind::DepthLimit);
}

bool is_clean(const Ran& ran) { return !ran.outcome.fault && ran.outcome.race_count == 0; }

std::string text_of(const Ready& ready, const std::optional<launch::Fault>& fault) {
  return fault ? std::string(launch::name_of(fault->kind)) + place_text(ready, fault->party.group, fault->party.item, fault->party.span)
               : "no fault";
}

std::string text_of(const Ready& ready, const std::optional<evaluator::Fault>& fault) {
  return fault ? evaluator::word_of(fault->kind) + place_text(ready, fault->group, fault->item, fault->span) : "no fault";
}

std::string difference(const generate::Kernel& kernel, const std::vector<launch::Buffer>& left,
                       const std::vector<evaluator::Buffer>& right) {
  std::size_t next = 0;
  for (const generate::KernelInput& input : kernel.inputs) {
    if (!input.is_buffer) {
      continue;
    }
    const evaluator::Buffer found = cells_of(left[next]);
    const evaluator::Buffer& expected = right[next++];
    for (std::size_t k = 0; k < expected.cells.size(); ++k) {
      if (!are_equal(input.type, found.cells[k], expected.cells[k])) {
        return fmt::format("{}[{}] is {}, expected {}", input.name, k, cell_text(found.cells[k]), cell_text(expected.cells[k]));
      }
    }
  }
  return "";
}

std::string difference(const generate::Kernel& kernel, const std::vector<launch::Buffer>& left, const std::vector<launch::Buffer>& right) {
  std::vector<evaluator::Buffer> cells;
  std::transform(right.begin(), right.end(), std::back_inserter(cells), cells_of);
  return difference(kernel, left, cells);
}

}  // namespace lockstep::test
