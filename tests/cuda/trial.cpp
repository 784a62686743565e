#include "tests/cuda/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>

#include "codegen/passes/pipeline.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/ops/bits.hpp"
#include "targets/ptx/machine.hpp"
#include "tests/unit/emit_llvm.hpp"

namespace lockstep::cuda_trial {

std::optional<std::string> emit_into(Trial& trial) {
  emit_cuda::EmitOptions options;
  options.entries = false;
  options.symbol = trial.name;
  options.choices = trial.choices;
  auto made = emit_cuda::emit(trial.kernel, options);
  if (!made) {
    return made.error().sentence;
  }
  trial.emitted = std::move(*made);
  return std::nullopt;
}

Wrong wrong_with(const Trial& trial, const std::string& ptx) {
  using ptx_machine::Schedule;
  const auto module = targets::read_ptx(ptx, trial.emitted.kernel_symbol);
  if (!module) {
    return {module.error(), ""};
  }
  std::vector<infreg::Buffer> expected = trial.memory;
  const infreg::Outcome outcome =
      infreg::evaluate(trial.kernel, trial.arguments, expected, {.groups = trial.groups, .limits = {}, .observer = {}});
  if (!std::holds_alternative<infreg::Finished>(outcome.end)) {
    return {"the evaluator does not come to an end", ""};
  }
  launch::Arguments arguments;
  arguments.values = trial.arguments;
  for (const infreg::Buffer& buffer : trial.memory) {
    arguments.buffers.push_back({buffer.type, buffer.count, buffer.bytes, {buffer.count}, {}});
  }
  for (const Schedule schedule : {Schedule::LowestPc, Schedule::Fair, Schedule::Random}) {
    const auto ran = targets::run_ptx(*module, arguments, {2, trial.emitted.block_threads, {trial.groups}, true}, schedule, 1);
    if (const auto* failure = std::get_if<differential::Failure>(&ran)) {
      return {failure->sentence, ""};
    }
    std::vector<infreg::Buffer> found = trial.memory;
    for (std::size_t k = 0; k < found.size(); ++k) {
      found[k].bytes = std::get<std::vector<launch::Buffer>>(ran)[k].bytes;
    }
    if (std::string difference = emit_llvm::trial::difference(expected, found); !difference.empty()) {
      return {"", difference};
    }
  }
  return {};
}

bool is_harmless(const std::string& failure) {
  const auto has = [&](const char* words) { return failure.find(words) != std::string::npos; };
  return has("shared' is read, but has never been written") || (has("is read, but has never been written") && has("bfi.b32"));
}

void put_number(infreg::Buffer& buffer, std::uint64_t k, std::int64_t number) {
  with_type(buffer.type, [&]<class T>(T) {
    const auto as = static_cast<T>(number);
    std::memcpy(&buffer.bytes[k * sizeof as], &as, sizeof as);
  });
}

infreg::Kernel kernel_of(const std::string& text) {
  const auto source = std::make_shared<const SourceFile>("k.ir", text);
  auto kernel = infreg::parse(source);
  if (!kernel) {
    throw std::runtime_error(render(*source, kernel.error()));
  }
  if (const std::vector<infreg::Fault> faults = infreg::verify(*kernel); !faults.empty()) {
    throw std::runtime_error(infreg::print_marked(*kernel, faults));
  }
  return std::move(*kernel);
}

Trial borg_trial(const std::string& name, const std::string& real, unsigned wg_size, unsigned wg_pack) {
  const std::string path = fmt::format("{}/examples/borg/{}.cl", LOCKSTEP_SOURCE_DIR, name);
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (name == "enumerate") {
    const std::string variables = "VARIABLES 10";
    text.replace(text.find(variables), variables.size(), "VARIABLES 3");
  }
  const auto source = std::make_shared<const SourceFile>(name + ".cl", text);
  core::Options options;
  options.wg_size = wg_size;
  options.defines = {{"REAL", real}};
  Diagnostics warnings;
  const auto program = core::read_kernels(source, options, warnings);
  if (!program) {
    throw std::runtime_error(render(*source, program.error()));
  }
  passes::PipelineOptions pipeline;
  pipeline.wg_pack = wg_pack;
  auto kernel = passes::lower(*program, *program->kernel(""), pipeline);
  if (!kernel) {
    throw std::runtime_error(render(*source, kernel.error()));
  }
  Trial trial;
  trial.name = fmt::format("{}_{}_{}_{}", name, real, wg_size, wg_pack);
  trial.kernel = std::move(*kernel);
  trial.groups = 2UL * wg_pack + 3;
  const std::uint64_t items = trial.groups * wg_size;
  for (const infreg::Parameter& parameter : trial.kernel.parameters) {
    if (!parameter.is_pointer) {
      trial.arguments.emplace_back(ScalarBits{items - 1});  // problems
      continue;
    }
    trial.arguments.emplace_back(BufferNumber{trial.memory.size()});
    infreg::Buffer& buffer = trial.memory.emplace_back(infreg::make_buffer(parameter.scalar, items * std::max(wg_size, 8U)));
    for (std::uint64_t k = 0; k < buffer.count; ++k) {
      put_number(buffer, k, static_cast<std::int64_t>(1 + k * 37 % 211));
    }
  }
  return trial;
}

}  // namespace lockstep::cuda_trial
