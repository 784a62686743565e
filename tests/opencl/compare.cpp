#include "tests/opencl/compare.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"
#include "semantics/ops/apply.hpp"
#include "tests/kernel_properties/trial.hpp"
#include "tests/opencl/device.hpp"

namespace lockstep::test {

namespace {

OpenClDevice device() {
  std::optional<OpenClDevice> found = OpenClDevice::find(wanted_platform());
  if (!found) {
    throw std::runtime_error("there is no OpenCL platform '" + wanted_platform() + "'");
  }
  return std::move(*found);
}

/// The first element that is not the same in both.
std::string difference(const core::Function& kernel, const launch::Arguments& ours, const launch::Arguments& theirs,
                       const std::string& device) {
  for (std::size_t k = 0; k < ours.values.size(); ++k) {
    const auto* number = std::get_if<BufferNumber>(&ours.values[k]);
    if (number == nullptr) {
      continue;
    }
    const launch::Buffer& a = ours.buffers[number->number];
    const launch::Buffer& b = theirs.buffers[number->number];
    const std::string found = with_type(a.type, [&]<class T>(T) -> std::string {
      for (std::uint64_t e = 0; e < a.count; ++e) {
        T x{};
        T y{};
        std::memcpy(&x, a.bytes.data() + e * sizeof(T), sizeof(T));
        std::memcpy(&y, b.bytes.data() + e * sizeof(T), sizeof(T));
        if constexpr (std::is_floating_point_v<T>) {
          if (std::isnan(x) && std::isnan(y)) {
            continue;
          }
        }
        if (std::memcmp(&x, &y, sizeof(T)) != 0) {
          return fmt::format("{}[{}] is {} in lockstep, and {} in {}", kernel.variables[k].name, e, +x, +y, device);
        }
      }
      return "";
    });
    if (!found.empty()) {
      return found;
    }
  }
  return "";
}

/// The difference that `ask` finds in a process of its own, so that an implementation that crashes takes nothing with it.
template <class F>
Agreement asked_apart(F&& ask) {
  constexpr unsigned most_seconds = 60;
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) {
    throw std::runtime_error("no pipe");
  }
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    throw std::runtime_error("no process");
  }
  if (child == 0) {
    close(ends[0]);
    std::signal(SIGSEGV, SIG_DFL);  // Catch2 would report it as the test's
    std::signal(SIGABRT, SIG_DFL);
    alarm(most_seconds);
    std::string answer;
    try {
      answer = ask();
    } catch (const std::exception& error) {
      answer = error.what();
    }
    const bool all = write(ends[1], answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
    std::fflush(nullptr);
    _exit(all ? 0 : 1);
  }
  close(ends[1]);
  Agreement agreement;
  char part[256];
  for (ssize_t n = 0; (n = read(ends[0], part, sizeof part)) > 0;) {
    agreement.difference.append(part, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  agreement.crashed = waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  return agreement;
}

}  // namespace

std::string wanted_platform() {
  const char* name = std::getenv("LOCKSTEP_OPENCL");
  return name == nullptr ? "" : name;
}

std::string example(const std::string& file) {
  std::ifstream stream(std::string(LOCKSTEP_SOURCE_DIR) + "/examples/" + file);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) {
    throw std::runtime_error("cannot read examples/" + file);
  }
  return text.str();
}

Agreement compare(OpenClCase the_case) {
  const auto source = std::make_shared<const SourceFile>("kernel.cl", the_case.text);
  core::Options options;
  options.wg_size = the_case.wg_size;
  options.contract = false;
  options.defines = the_case.defines;
  Diagnostics warnings;
  const auto program = core::read_kernels(source, options, warnings);
  if (!program) {
    throw Refused(program.error().front().message + "\n" + render(*source, program.error().front()));
  }
  const core::Function* kernel = program->kernel("");
  if (kernel == nullptr) {
    throw Refused("there is not one kernel");
  }

  launch::Arguments ours = the_case.arguments;
  launch::LaunchOptions machine;
  machine.groups = the_case.groups;
  machine.warp_size = 1;
  machine.threads = 1;
  machine.max_steps = 10'000'000;
  const auto typed = std::make_shared<const typed::Program>(core::translate(*program, *kernel));
  const auto outcome = launch::run(typed, ours, machine);
  if (!outcome) {
    throw std::runtime_error(outcome.error());
  }
  if (outcome->fault) {
    return {false, launch::render(*typed, *outcome->fault), ""};
  }
  if (outcome->race_count != 0) {
    return {false, launch::render(*typed, outcome->races.front()), ""};
  }

  // Oclgrind 21.10 computes the odd widths that clang's optimiser makes (switch (x & 7) becomes one of 3 bits) without cutting to them,
  // and PoCL 3.1 takes minutes for a kernel with barriers in loops, or crashes.
  std::string defines = "-cl-opt-disable";
  for (const auto& [name, value] : the_case.defines) {
    defines += fmt::format(" -D {}={}", name, value);
  }
  std::vector<ScalarType> types;
  for (std::size_t k = 0; k < kernel->parameter_count; ++k) {
    types.push_back(kernel->variables[k].type.scalar);
  }
  return asked_apart([&] {
    OpenClDevice there = device();
    launch::Arguments theirs = the_case.arguments;
    try {
      there.run(the_case.text, defines, kernel->name, theirs, types, the_case.wg_size, the_case.groups);
    } catch (const OpenClError& error) {
      return fmt::format("{}: {}", there.name(), error.what());
    }
    return difference(*kernel, ours, theirs, there.name());
  });
}

}  // namespace lockstep::test
