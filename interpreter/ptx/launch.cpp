#include "interpreter/ptx/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interpreter/ptx/block.hpp"
#include "interpreter/ptx/launch_memory.hpp"

namespace lockstep::ptx_machine {

namespace resolved = ptx::resolved;

namespace {

std::optional<std::string> wrong_sizes(const resolved::Function& kernel, const LaunchOptions& options) {
  const Geometry& geometry = options.geometry;
  if (geometry.block.count() == 0 || geometry.block.count() > max_block_threads) {
    return fmt::format("a block of {} threads; it can have 1 to {}", geometry.block.count(), max_block_threads);
  }
  if (geometry.grid.count() > std::uint64_t{1} << 40) {
    return fmt::format("a grid of {},{},{} blocks; it can have 2^40", geometry.grid.x, geometry.grid.y, geometry.grid.z);
  }
  const auto limits = [&](const char* word) { return kernel.directive(word); };
  const auto numbers = [](const ptx::PerformanceDirective& d) {
    const auto at = [&](std::size_t k) { return static_cast<std::uint32_t>(k < d.numbers.size() ? d.numbers[k] : 1); };
    return Dim3{at(0), at(1), at(2)};
  };
  if (const auto* most = limits("maxntid")) {
    const Dim3 n = numbers(*most);
    if (geometry.block.count() > n.count()) {
      return fmt::format("a block of {} threads, but the kernel says .maxntid {}, {}, {}", geometry.block.count(), n.x, n.y, n.z);
    }
  }
  if (const auto* exact = limits("reqntid")) {
    const Dim3 n = numbers(*exact);
    if (n != geometry.block) {
      return fmt::format("the kernel says .reqntid {}, {}, {}", n.x, n.y, n.z);
    }
  }
  return std::nullopt;
}

/// Runs all blocks, up to a fault or to what the watch has seen.
Outcome run_blocks(const Program& program, LaunchMemory& memory, Pool& pool, RaceWatch* watch) {
  Outcome outcome;
  Counter counter;
  Block block(program, memory.space, pool, watch, program.options.counts ? &counter : nullptr);
  const std::uint64_t blocks = program.options.geometry.grid.count();
  for (std::uint64_t index = 0; index < blocks; ++index) {
    memory.begin_block();
    outcome.fault = block.run(index);
    if (program.options.progress != nullptr) {
      program.options.progress->groups += 1;
      program.options.progress->steps = block.steps();
    }
    if (outcome.fault || (watch != nullptr && watch->found)) {
      break;
    }
  }
  outcome.steps = block.steps();
  outcome.thread_steps = block.thread_steps();
  outcome.open = block.open_results();
  if (program.options.counts) {
    outcome.counts = counter.counts();
  }
  return outcome;
}

}  // namespace

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::UndefinedRegister:
      return "undefined-register";
    case FaultKind::UndefinedByte:
      return "undefined-byte";
    case FaultKind::OutOfBounds:
      return "out-of-bounds";
    case FaultKind::Misaligned:
      return "misaligned";
    case FaultKind::Forbidden:
      return "forbidden";
    case FaultKind::NotInMask:
      return "not-in-mask";
    case FaultKind::MissingMember:
      return "missing-member";
    case FaultKind::UnequalMasks:
      return "unequal-masks";
    case FaultKind::DivergentBarrier:
      return "divergent-barrier";
    case FaultKind::BarrierMismatch:
      return "barrier-mismatch";
    case FaultKind::BranchIndex:
      return "branch-index";
    case FaultKind::BadCall:
      return "bad-call";
    case FaultKind::Trap:
      return "trap";
    case FaultKind::DoesNotRun:
      return "does-not-run";
    case FaultKind::StepLimit:
      return "step-limit";
    case FaultKind::MemoryLimit:
      return "memory-limit";
    case FaultKind::DepthLimit:
      return "depth-limit";
    case FaultKind::Race:
      break;
  }
  return "race";
}

bool is_limit(FaultKind kind) { return kind == FaultKind::StepLimit || kind == FaultKind::MemoryLimit || kind == FaultKind::DepthLimit; }

std::optional<std::string> complaint(const resolved::Module& module, const resolved::Function& kernel, const Arguments& arguments,
                                     const LaunchOptions& options) {
  if (const auto problem = wrong_sizes(kernel, options)) {
    return problem;
  }
  if (module.address_size != 64) {
    return "modules with addresses of 32 bits are read, and do not run";
  }
  if (arguments.values.size() != kernel.parameters.size()) {
    return fmt::format("the kernel has {} parameters, and {} arguments are given", kernel.parameters.size(), arguments.values.size());
  }
  return std::nullopt;
}

std::expected<Outcome, std::string> run(const resolved::Module& module, const resolved::Function& kernel, Arguments& arguments,
                                        const LaunchOptions& options) {
  const auto kernel_index = static_cast<std::uint32_t>(&kernel - module.functions.data());
  if (const auto problem = complaint(module, kernel, arguments, options)) {
    return std::unexpected(*problem);
  }
  // What is run again has to begin with the same bytes.
  std::vector<std::vector<std::byte>> before;
  for (const launch::Buffer& buffer : arguments.buffers) {
    before.push_back(options.races ? buffer.bytes : std::vector<std::byte>());
  }
  const auto run_once = [&](RaceWatch* watch) -> std::expected<Outcome, std::string> {
    LaunchMemory memory(module, kernel_index, arguments, options);
    if (const auto problem = memory.make()) {
      return std::unexpected(*problem);
    }
    if (watch != nullptr && watch->log == nullptr) {
      if (const auto problem = memory.watch()) {
        return std::unexpected(*problem);
      }
    }
    Pool pool(padded(static_cast<unsigned>(options.geometry.block.count())));
    const std::vector<FunctionCode> code = prepare(module, memory.placement, memory.space, pool);
    return run_blocks(Program{module, memory.placement, code, options}, memory, pool, watch);
  };
  RaceWatch watch;
  auto outcome = run_once(options.races ? &watch : nullptr);
  if (!outcome || !watch.found) {
    return outcome;
  }
  for (std::size_t k = 0; k < before.size(); ++k) {
    std::ranges::copy(before[k], arguments.buffers[k].bytes.begin());
  }
  RaceLog log;
  RaceWatch slow;
  slow.log = &log;
  outcome = run_once(&slow);
  if (outcome) {
    outcome->races = log.races();
    outcome->race_count = log.count();
    if (options.strict && log.count() > 0 && !outcome->fault) {
      outcome->fault = fault_of(log.races()[0]);
    }
  }
  return outcome;
}

}  // namespace lockstep::ptx_machine
