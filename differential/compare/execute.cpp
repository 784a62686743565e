// Running what a kernel is compiled to.

#include "differential/compare/execute.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "differential/compare/guarded.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/print.hpp"

namespace lockstep::differential {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// ---- the evaluator --------------------------------------------------------------------------------------------------------------

infreg::Buffer infreg_buffer(const launch::Buffer& buffer) {
  return {buffer.type, buffer.count, buffer.bytes, std::vector<std::uint8_t>(buffer.count, 0)};
}

launch::Buffer launch_buffer(infreg::Buffer&& buffer, const launch::Buffer& like) {
  launch::Buffer result{like.type, like.count, std::move(buffer.bytes), like.shape, {}};
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    if (buffer.poison[i] != 0) {
      result.poison.push_back(i);
    }
  }
  return result;
}

/// `file:line:col: error: …` where the evaluator met undefined behaviour, and the operation that did it.
std::string text_of(const infreg::Kernel& kernel, const infreg::Undefined& undefined) {
  const infreg::Operation& operation = kernel.regions[undefined.operation.region].operations[undefined.operation.index];
  const std::string item = undefined.item ? fmt::format(", item {}", *undefined.item) : "";
  const std::string sentence = fmt::format("{} (group {}{}, element {}), in `{}`", undefined.sentence, undefined.group, item,
                                           undefined.element, infreg::print(kernel, operation));
  return kernel.source == nullptr ? sentence : render(*kernel.source, Diagnostic{Severity::Error, undefined.span, sentence, {}});
}

// ---- machine code ---------------------------------------------------------------------------------------------------------------

/// In the child process: calls the kernel and leaves the seconds that it took.
[[noreturn]] void call(const MachineCode& code, const void* const* arguments, std::uint64_t groups, unsigned patience, double* seconds) {
  prepare_for_crashes(patience);
  const Clock::time_point start = Clock::now();
  code(arguments, groups);
  *seconds = seconds_since(start);
  _exit(0);
}

/// How a child process ended, if not as it should.
std::optional<Failure> failure_of(int status, unsigned patience) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    return Failure{Failure::Kind::Endless, fmt::format("it had not ended after {}", counted(patience, "second"))};
  }
  if (WIFSIGNALED(status)) {
    return Failure{Failure::Kind::Crashed,
                   fmt::format("it was ended by signal {} ({}): it touched memory that is not the kernel's, or worse", WTERMSIG(status),
                               sigdescr_np(WTERMSIG(status)))};
  }
  return WEXITSTATUS(status) == 0
             ? std::nullopt
             : std::optional(Failure{Failure::Kind::Crashed, fmt::format("its process ended with status {}", WEXITSTATUS(status))});
}

}  // namespace

Ran run_infreg(const infreg::Kernel& kernel, const Reference& reference, std::uint64_t lane_operations) {
  std::vector<infreg::Buffer> buffers;
  buffers.reserve(reference.before.buffers.size());
  for (const launch::Buffer& buffer : reference.before.buffers) {
    buffers.push_back(infreg_buffer(buffer));
  }
  infreg::EvaluateOptions options;
  options.groups = reference.groups;
  options.limits.lane_operations = lane_operations;
  Ran ran;
  const Clock::time_point start = Clock::now();
  const infreg::Outcome outcome = infreg::evaluate(kernel, reference.before.values, buffers, options);
  ran.evidence = "our evaluator";
  ran.run_seconds = seconds_since(start);
  if (const auto* undefined = std::get_if<infreg::Undefined>(&outcome.end)) {
    ran.result = Failure{Failure::Kind::Undefined, text_of(kernel, *undefined)};
    return ran;
  }
  if (const auto* reached = std::get_if<infreg::LimitReached>(&outcome.end)) {
    ran.result = Failure{Failure::Kind::Limit, reached->sentence};
    return ran;
  }
  std::vector<launch::Buffer> left;
  left.reserve(buffers.size());
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    left.push_back(launch_buffer(std::move(buffers[b]), reference.before.buffers[b]));
  }
  ran.result = std::move(left);
  return ran;
}

unsigned patience_with(const Reference& reference) {
  constexpr unsigned least = 60;
  return least + static_cast<unsigned>(std::min(10 * reference.seconds, 100'000.0));
}

std::expected<Ran, std::string> run_apart(const MachineCode& code, const Reference& reference, unsigned seconds, Alignment alignment) {
  const GuardedArguments memory(reference, alignment);
  const Guarded time(sizeof(double));
  auto* run_seconds = new (time.data()) double(0);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) {
    return std::unexpected(fmt::format("no process could be made to run the kernel in: {}", std::strerror(errno)));
  }
  if (child == 0) {
    call(code, memory.pointers(), reference.groups, seconds, run_seconds);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return std::unexpected(fmt::format("the process that ran the kernel was lost: {}", std::strerror(errno)));
    }
  }
  Ran ran;
  ran.run_seconds = *run_seconds;
  if (const auto failure = failure_of(status, seconds)) {
    ran.result = *failure;
  } else if (auto left = memory.buffers()) {
    ran.result = std::move(*left);
  } else {
    ran.result = Failure{Failure::Kind::Crashed, left.error()};
  }
  return ran;
}

}  // namespace lockstep::differential
