#pragma once
// What emitted CUDA C++ leaves on the PTX machine, against the evaluator.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "codegen/emit/cuda/emit.hpp"
#include "semantics/infreg/print.hpp"
#include "targets/ptx/machine.hpp"
#include "tests/unit/emit_llvm.hpp"

namespace lockstep::cuda_trial {

struct Launched {
  const infreg::Kernel* kernel = nullptr;
  std::vector<Argument> arguments;
  std::vector<infreg::Buffer> memory;
  std::uint64_t groups = 1;
};

/// What went wrong: a sentence of the machine, or the first number that differs. Empty: nothing.
struct Wrong {
  std::string failure;
  std::string difference;
};

/// Runs the kernel, which is part of the PTX, under three schedules.
inline Wrong wrong_with(const Launched& launched, const emit_cuda::Emitted& emitted, const std::string& ptx) {
  using ptx_machine::Schedule;
  const auto module = targets::read_ptx(ptx, emitted.kernel_symbol);
  if (!module) {
    FAIL(module.error());
  }
  std::vector<infreg::Buffer> expected = launched.memory;
  const infreg::Outcome outcome =
      infreg::evaluate(*launched.kernel, launched.arguments, expected, {.groups = launched.groups, .limits = {}, .observer = {}});
  REQUIRE(std::holds_alternative<infreg::Finished>(outcome.end));
  launch::Arguments arguments;
  arguments.values = launched.arguments;
  for (const infreg::Buffer& buffer : launched.memory) {
    arguments.buffers.push_back({buffer.type, buffer.count, buffer.bytes, {buffer.count}, {}});
  }
  for (const Schedule schedule : {Schedule::LowestPc, Schedule::Fair, Schedule::Random}) {
    const auto ran = targets::run_ptx(*module, arguments, {2, emitted.block_threads, {launched.groups}, true}, schedule, 1);
    if (const auto* failure = std::get_if<differential::Failure>(&ran)) {
      return {failure->sentence, ""};
    }
    std::vector<infreg::Buffer> found = launched.memory;
    for (std::size_t k = 0; k < found.size(); ++k) {
      found[k].bytes = std::get<std::vector<launch::Buffer>>(ran)[k].bytes;
    }
    if (std::string difference = emit_llvm::trial::difference(expected, found); !difference.empty()) {
      return {"", difference};
    }
  }
  return {};
}

}  // namespace lockstep::cuda_trial
