#include "tests/compile_properties/laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/emit/llvm/jit.hpp"
#include "codegen/passes/pipeline.hpp"
#include "semantics/generate/choices.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::test {

namespace {

/// A kernel and all that is known of it before it is compiled: what the machine leaves behind, and its InfReg-IR.
struct Lowered {
  std::vector<launch::Buffer> expected;
  infreg::Kernel kernel;
};

std::optional<Lowered> lowered(const KernelTrial& trial, const launch::Arguments& arguments, unsigned wg_pack) {
  constexpr std::array orders = {core::CrevOrder::Ascending, core::CrevOrder::Descending, core::CrevOrder::Permuted};
  const Ready ready = make_ready(trial, orders[trial.salt % orders.size()], static_cast<unsigned>(trial.salt));
  Ran ran = run_machine(ready, arguments, plain_options(trial.kernel));
  if (ran.outcome.fault || ran.outcome.races_between_groups != 0) {
    return std::nullopt;
  }
  passes::PipelineOptions options;
  options.wg_pack = wg_pack;
  options.verify_each = true;
  options.streaming = trial.salt % 4 == 3;
  auto kernel = passes::lower(ready.program, *ready.kernel, options);
  if (!kernel) {
    return std::nullopt;  // it recurses
  }
  return Lowered{std::move(ran.buffers), std::move(*kernel)};
}

std::vector<infreg::Buffer> inputs_of(const launch::Arguments& arguments) {
  std::vector<infreg::Buffer> buffers;
  for (const launch::Buffer& buffer : arguments.buffers) {
    buffers.push_back({buffer.type, buffer.count, buffer.bytes, std::vector<std::uint8_t>(buffer.count)});
  }
  return buffers;
}

/// Where the buffers are not what the machine left; empty: nowhere.
std::string wrong_cell(const std::vector<launch::Buffer>& expected, const std::vector<infreg::Buffer>& found) {
  for (std::size_t b = 0; b < expected.size(); ++b) {
    const launch::Buffer& reference = expected[b];
    const std::size_t size = size_of(reference.type);
    for (std::uint64_t k = 0; k < reference.count; ++k) {
      const std::uint64_t wanted = ops::bits_at(reference.type, reference.bytes.data() + k * size);
      const std::uint64_t there = ops::bits_at(reference.type, found[b].bytes.data() + k * size);
      const bool is_poison = found[b].poison[k] != 0;
      if ((is_poison || !ops::same_number(reference.type, wanted, there)) && !std::ranges::binary_search(reference.poison, k)) {
        return fmt::format("buffer {}, element {}: {:#x} instead of {:#x}{}", b, k, there, wanted, is_poison ? " (poison)" : "");
      }
    }
  }
  return "";
}

Verdict lowering_on(const KernelTrial& trial, const launch::Arguments& arguments) {
  generate::Choices choices = generate::from_seed(trial.salt);
  const auto lowering = lowered(trial, arguments, 1 + choices(4));
  if (!lowering) {
    return left_out;
  }
  std::vector<infreg::Buffer> buffers = inputs_of(arguments);
  infreg::EvaluateOptions options;
  options.groups = trial.kernel.groups;
  const infreg::Outcome outcome = infreg::evaluate(lowering->kernel, arguments.values, buffers, options);
  if (const auto* undefined = std::get_if<infreg::Undefined>(&outcome.end)) {
    return {"the evaluator meets something undefined: " + undefined->sentence};
  }
  if (const auto* limit = std::get_if<infreg::LimitReached>(&outcome.end)) {
    return {"the evaluator meets a limit: " + limit->sentence};
  }
  return {wrong_cell(lowering->expected, buffers)};
}

Verdict llvm_code_on(const KernelTrial& trial, const launch::Arguments& arguments) {
  generate::Choices choices = generate::from_seed(trial.salt);
  const auto lowering = lowered(trial, arguments, 1 + choices(3));
  if (!lowering) {
    return left_out;
  }
  emit_llvm::EmitOptions options;
  if (choices(3) == 0) {
    options.chunk_lanes = 1U << choices(5);
  }
  const auto code = emit_llvm::compile(lowering->kernel, options, choices(8) == 0 ? 3 : 0);
  if (!code) {
    return {"LLVM refuses: " + code.error().sentence};
  }
  std::vector<infreg::Buffer> buffers = inputs_of(arguments);
  std::vector<const void*> pointers;
  for (const Argument& argument : arguments.values) {
    if (const auto* points = std::get_if<BufferNumber>(&argument)) {
      const infreg::Buffer& buffer = buffers[points->number];
      pointers.push_back(buffer.bytes.data() + points->first * size_of(buffer.type));
    } else {
      pointers.push_back(&std::get<ScalarBits>(argument).bits);
    }
  }
  (*code)(pointers.data(), 0, trial.kernel.groups, trial.kernel.groups);
  return {wrong_cell(lowering->expected, buffers)};
}

}  // namespace

Verdict lowering(const KernelTrial& trial) { return lowering_on(trial, arguments_of(trial.kernel)); }
Verdict llvm_code(const KernelTrial& trial) { return llvm_code_on(trial, arguments_of(trial.kernel)); }

Verdict lowering_of_overlaps(const KernelTrial& trial) { return lowering_on(trial, overlapping_arguments(trial.kernel, trial.salt)); }
Verdict llvm_code_of_overlaps(const KernelTrial& trial) { return llvm_code_on(trial, overlapping_arguments(trial.kernel, trial.salt)); }

}  // namespace lockstep::test
