#include "tests/cuda/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utility>

#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/ops/bits.hpp"
#include "targets/ptx/case.hpp"
#include "targets/ptx/machine.hpp"
#include "tests/unit/borg_call.hpp"
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
  const targets::PtxLaunch launch{2, trial.emitted.block_threads, {trial.groups}, true};
  if (const char* folder = std::getenv("LOCKSTEP_PTX_CASES"); folder != nullptr) {
    std::vector<launch::Buffer> left = arguments.buffers;
    for (std::size_t k = 0; k < left.size(); ++k) {
      left[k].bytes = expected[k].bytes;
      for (std::uint64_t n = 0; n < left[k].count; ++n) {
        if (expected[k].poison[n] != 0) {
          left[k].poison.push_back(n);
        }
      }
    }
    targets::keep_case(folder, ptx, trial.emitted.kernel_symbol, arguments, launch, {left});
  }
  for (const Schedule schedule : {Schedule::LowestPc, Schedule::Fair, Schedule::Random}) {
    const auto ran = targets::run_ptx(*module, arguments, launch, schedule, 1);
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

infreg::Kernel copying(unsigned items, unsigned elements, int stride, const std::string& type, const std::string& besides) {
  const unsigned distance = static_cast<unsigned>(std::abs(stride));
  const std::string lanes = fmt::format("[wi {} x ix {}]", items, elements);
  const std::string place = fmt::format("[wg.ix*{} {} wi*{} + ix + {}] gather", items * std::max(distance, elements),
                                        stride < 0 ? '-' : '+', distance, stride < 0 ? distance * (items - 1) : 0);
  return kernel_of(
      fmt::format("kernel @k(%a: ptr<{0}>, %b: ptr<{0}> restrict, %n: i64) wg_size {1} wg_pack 1 {{\n{2}"
                  "  %x : {0}{3} = load %a {4}\n  %y : {0}{3} = {5} %x, %x\n  store %b {4}, %y\n}}\n",
                  type, items, besides, lanes, place, type.starts_with('f') ? "fadd" : "add"));
}

Trial borg_trial(const std::string& name, const std::string& real, unsigned wg_size, unsigned wg_pack) {
  test::BorgCall call = test::borg_call(name, real, wg_size, wg_pack);
  Trial trial;
  trial.name = fmt::format("{}_{}_{}_{}", name, real, wg_size, wg_pack);
  trial.kernel = std::move(call.kernel);
  trial.arguments = std::move(call.arguments);
  trial.memory = std::move(call.memory);
  trial.groups = call.groups;
  return trial;
}

}  // namespace lockstep::cuda_trial
