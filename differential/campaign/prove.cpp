// A kernel of a campaign, its lowering proved at a small size: for all inputs, not for those that the kernel came with.

#include "differential/campaign/prove.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/passes/pipeline.hpp"
#include "differential/replay/replay.hpp"
#include "interpreter/launch/arguments.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/print.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/prove/budget.hpp"

namespace lockstep::differential {

namespace {

/// Of what is proved. Groups: a full pack.
constexpr unsigned proved_wg_size = 2;
constexpr unsigned most_packs = 2;
/// Rounds of a loop; generated kernels have few.
constexpr unsigned proved_bound = 6;
/// Units of work (semantics/prove/budget.hpp) for a kernel, and milliseconds in proportion for a question: most need less than a tenth of a
/// second.
constexpr std::uint64_t most_proof_units = 60'000;
constexpr unsigned query_ms = 100;
constexpr std::uint64_t most_memory = std::uint64_t{1} << 30;

/// "--arg n=3 --arg 'x=[1,2]'", as `lockstep diff` takes them.
std::string arguments_of(const typed::Program& program, const prove::Inputs& inputs) {
  std::string text;
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < program.kernel().parameter_count; ++i) {
    const typed::ValueType& type = program.kernel().registers[i].type;
    std::string value = type.is_pointer ? "" : ops::text_of(type.scalar, inputs.scalars[i]);
    if (type.is_pointer) {
      for (const std::uint64_t bits : inputs.elements[buffer++]) {
        value += (value.empty() ? "[" : ",") + ops::text_of(type.scalar, bits);
      }
      value += value.empty() ? "[]" : "]";
    }
    text += fmt::format(" --arg '{}={}'", launch::parameter_name(program, i), value);
  }
  return text;
}

/// The kernel for proved_wg_size items, and what it is lowered to. Nothing if it means nothing there, or cannot be lowered.
std::optional<VerifyTask> task_of(const FuzzCase& fuzz_case) {
  const auto source = std::make_shared<const SourceFile>("kernel.cl", core::print(fuzz_case.kernel.unit));
  core::Options options;
  options.wg_size = proved_wg_size;
  options.contract = fuzz_case.kernel.contract;
  Diagnostics warnings;
  const auto program = core::read_kernels(source, options, warnings);
  if (!program) {
    return std::nullopt;
  }
  const core::Function& function = *program->kernel("k");
  passes::PipelineOptions lowering;
  lowering.wg_pack = std::min(fuzz_case.wg_pack, most_packs);
  lowering.streaming = fuzz_case.streaming;
  auto kernel = passes::lower(*program, function, lowering);
  if (!kernel) {
    return std::nullopt;
  }
  return VerifyTask{load(*program, function), std::move(*kernel), "InfReg-IR", lowering.wg_pack};
}

}  // namespace

std::string proof_command(const FuzzCase& of) {
  const unsigned pack = std::min(of.wg_pack, most_packs);
  return fmt::format("verify kernel.cl --wg-size {} --wg-pack {} --groups {} --bound {}{}{}", proved_wg_size, pack, pack, proved_bound,
                     of.kernel.contract ? "" : " --fp-contract off", of.streaming ? " --streaming" : "");
}

FuzzAnswer prove_case(const FuzzCase& fuzz_case, Counts& counts) {
  const auto task = task_of(fuzz_case);
  if (!task) {
    ++counts["proof: none at this size"];
    return {};
  }
  const prove::Budget budget({std::nullopt, most_proof_units, most_memory});
  prove::RefineOptions options;
  options.groups = task->groups;
  options.bound = proved_bound;
  options.query_ms = query_ms;
  for (const bool read_only : read_only_of(task->kernel)) {
    options.parameters.push_back({std::nullopt, std::nullopt, read_only});
  }
  const auto proof = prove::refine(*task->kernel.program, target_of(task->other), options);
  if (!proof) {
    ++counts["proof: none at this size"];
    return {};
  }
  using Kind = prove::Refinement::Kind;
  // What floats are is not said to the solver: what it finds counts where both sides, run, show it.
  const auto confirmed = proof->kind == Kind::Refuted ? confirm(*task, proof->inputs) : std::nullopt;
  ++counts[confirmed                               ? "proof: counterexample"
           : proof->kind == Kind::Refines          ? "proof: refines"
           : proof->kind == Kind::RefinesUpToBound ? "proof: refines up to the bound"
                                                   : "proof: unknown"];
  if (!confirmed) {
    return {};
  }
  const std::string arguments = arguments_of(*task->kernel.program, confirmed->inputs);
  return {
      FuzzAnswer::Ending::Finding,
      std::string(proof_finding),
      fmt::format("{}, as lockstep diff kernel.cl --target infreg --wg-size {} --wg-pack {} --groups {}{}{} shows", confirmed->difference,
                  proved_wg_size, task->groups, task->groups, fuzz_case.kernel.contract ? "" : " --fp-contract off", arguments),
      {},
      {}};
}

}  // namespace lockstep::differential
