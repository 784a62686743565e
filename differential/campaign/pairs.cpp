// Pairs of a kernel and a changed one: what the prover says of them, held against runs of both.

#include "differential/campaign/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "differential/replay/replay.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/print.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/refine.hpp"

namespace lockstep::differential {

namespace {

using Ending = FuzzAnswer::Ending;
using prove::Refinement;

/// Work that a proof may cost, counted so that a campaign is the same everywhere; about three seconds. And a question's milliseconds at
/// the prover's rate.
constexpr std::uint64_t most_units = 1'500'000;
constexpr unsigned question_ms = 800;
constexpr unsigned bound = 4;
/// Inputs on which both are run.
constexpr unsigned runs = 60;

/// Nothing if the text is refused, or a change has made it ask for a second dimension, which takes parameters that the other one has not.
std::optional<LoadedKernel> loaded(const std::string& text, const generate::Kernel& kernel) {
  core::Options options;
  options.wg_size = kernel.wg_size;
  options.contract = kernel.contract;
  Diagnostics warnings;
  const auto program = core::read_kernels(std::make_shared<const SourceFile>("kernel.cl", text), options, warnings);
  const core::Function* function = program ? program->kernel("k") : nullptr;
  return function != nullptr && !function->group_parameters ? std::optional(load(*program, *function)) : std::nullopt;
}

prove::Inputs inputs_of(const generate::Kernel& kernel) {
  prove::Inputs inputs;
  for (const generate::KernelInput& input : kernel.inputs) {
    inputs.scalars.push_back(input.is_buffer ? 0 : input.values.front());
    if (input.is_buffer) {
      inputs.elements.push_back(input.values);
    }
  }
  return inputs;
}

/// Whether the prover is told a scalar's number: of every second one, so that loops have bounds now and then.
bool is_told(const FuzzCase& fuzz_case, std::size_t parameter) { return ((fuzz_case.number >> (parameter % 8)) & 1U) == 0; }

/// Other inputs: some of the numbers are at the edges of their types.
prove::Inputs other_inputs(const FuzzCase& fuzz_case, const prove::Inputs& like, std::mt19937_64& random) {
  prove::Inputs inputs = like;
  const std::uint64_t one_in = 1 + random() % 4;
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < fuzz_case.kernel.inputs.size(); ++i) {
    const generate::KernelInput& input = fuzz_case.kernel.inputs[i];
    if (!input.is_buffer) {
      inputs.scalars[i] = !is_told(fuzz_case, i) && random() % one_in == 0 ? edge_number(input.type, random) : inputs.scalars[i];
      continue;
    }
    for (std::uint64_t& element : inputs.elements[buffer++]) {
      element = random() % one_in == 0 ? edge_number(input.type, random) : element;
    }
  }
  return inputs;
}

/// What running both on many inputs shows.
struct Runs {
  bool is_defined = false;  ///< on some input
  std::optional<std::string> difference;
};

Runs run_both(const FuzzCase& fuzz_case, const VerifyTask& task) {
  Runs shown;
  std::mt19937_64 random(fuzz_case.number);
  prove::Inputs inputs = inputs_of(fuzz_case.kernel);
  for (unsigned k = 0; k < runs && !shown.difference; ++k) {
    if (is_defined_on(task, inputs)) {
      shown.is_defined = true;
      if (auto difference = difference_on(task, inputs)) {
        shown.difference = std::move(difference->sentence);
      }
    }
    inputs = other_inputs(fuzz_case, inputs_of(fuzz_case.kernel), random);
  }
  return shown;
}

std::expected<Refinement, std::string> ask(const FuzzCase& fuzz_case, const VerifyTask& task, prove::FloatMode floats) {
  prove::RefineOptions options;
  options.groups = task.groups;
  options.bound = bound;
  options.floats = floats;
  options.query_ms = question_ms;
  options.allowance.units = most_units;
  const std::vector<bool> read_only = read_only_of(task.kernel);
  for (std::size_t i = 0; i < fuzz_case.kernel.inputs.size(); ++i) {
    const generate::KernelInput& input = fuzz_case.kernel.inputs[i];
    prove::ParameterSize& size = options.parameters.emplace_back();
    if (input.is_buffer) {
      size.count = input.values.size();
    } else if (is_told(fuzz_case, i)) {
      size.bits = input.values.front();
    }
    size.read_only = read_only[i];
  }
  return prove::refine(*task.kernel.program, target_of(task.other), options);
}

/// The verdict, and what is to be said against it.
FuzzAnswer judge(const FuzzCase& fuzz_case, const VerifyTask& task, const Runs& shown, Counts& counts) {
  const auto said = [&](const char* verdict) { ++counts[std::string("verdict: ") + verdict]; };
  for (const auto floats : {prove::FloatMode::Uninterpreted, prove::FloatMode::Exact}) {
    const auto proof = ask(fuzz_case, task, floats);
    if (!proof) {
      return finding("the prover refuses it", proof.error());
    }
    switch (proof->kind) {
      case Refinement::Kind::Refines:
        said("refines");
        return shown.difference ? finding("false proof", "it is said to refine the kernel, but " + *shown.difference) : FuzzAnswer();
      case Refinement::Kind::RefinesUpToBound:  // those that differ may have more rounds
        said("refines up to the bound");
        return {};
      case Refinement::Kind::Unknown: {
        const bool is_undefined = proof->what.find("undefined on all inputs") != std::string::npos;
        said(is_undefined ? "nothing to prove" : proof->spent ? "unknown, as too much work" : "unknown");
        return is_undefined && shown.is_defined ? finding("nothing to prove", "there is an input on which the kernel is defined")
                                                : FuzzAnswer{is_undefined ? Ending::Undefined : Ending::Limit, "", "", {}, {}};
      }
      case Refinement::Kind::Refuted:
        break;
    }
    const prove::Budget budget({std::nullopt, most_units, std::nullopt});
    if (confirm(task, proof->inputs)) {
      said("refuted");
      return {};
    }
    const bool is_about_rounds = proof->query.starts_with("loops-end");
    if (floats == prove::FloatMode::Exact || is_about_rounds) {
      said(is_about_rounds ? "unknown, as more rounds than the bound" : "refuted by nothing");
      return is_about_rounds || prove::Budget::is_over()
                 ? FuzzAnswer{Ending::Limit, "", "", {}, {}}
                 : finding("counterexample that is none", "run, the two do the same where it is not so that " + proof->what);
    }
  }
  return {};
}

}  // namespace

std::string changed_text(const FuzzCase& fuzz_case) {
  const auto changed = generate::changed(fuzz_case.kernel, fuzz_case.change);
  return core::print((changed ? *changed : fuzz_case.kernel).unit);
}

std::string verify_line(const FuzzCase& fuzz_case) {
  std::string line = fmt::format("verify kernel.cl changed.cl --wg-size {} --groups {} --bound {}{}", fuzz_case.kernel.wg_size,
                                 fuzz_case.kernel.groups, bound, fuzz_case.kernel.contract ? "" : " --fp-contract off");
  for (std::size_t i = 0; i < fuzz_case.kernel.inputs.size(); ++i) {
    const generate::KernelInput& input = fuzz_case.kernel.inputs[i];
    if (input.is_buffer) {
      line += fmt::format(" --arg {}={}", input.name, input.values.size());
    } else if (is_told(fuzz_case, i)) {
      line += fmt::format(" --arg '{}={}'", input.name, ops::text_of(input.type, input.values.front()));
    }
  }
  return line;
}

FuzzAnswer try_pair(const FuzzCase& fuzz_case, Counts& counts) {
  const auto first = loaded(core::print(fuzz_case.kernel.unit), fuzz_case.kernel);
  const auto second = loaded(changed_text(fuzz_case), fuzz_case.kernel);
  if (!first || !second) {
    return {Ending::Refused, "", "", {}, {}};
  }
  ++counts[fmt::format("change: {}", generate::name_of(fuzz_case.change.kind))];
  const VerifyTask task{*first, *second, "the changed kernel", fuzz_case.kernel.groups};
  const Runs shown = run_both(fuzz_case, task);
  ++counts[shown.difference ? "run: differ" : shown.is_defined ? "run: do the same" : "run: undefined"];
  return judge(fuzz_case, task, shown, counts);
}

}  // namespace lockstep::differential
