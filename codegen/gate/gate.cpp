#include "codegen/gate/gate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/passes/pipeline.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/ops/bits.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/refine.hpp"
#include "semantics/prove/trace.hpp"

namespace lockstep {

namespace {

using Kind = LoweringVerdict::Kind;
using prove::Budget;

/// Auto spends so much on three sizes together: about two seconds on an idle core. What one size leaves, the next ones have.
constexpr std::uint64_t units_of_auto = 6'000'000;
/// Of a size's share, what is spent on scalars of any value, in tenths, where there are any.
constexpr std::uint64_t tenths_for_all_values = 6;
/// Of Full, beside its time: bytes.
constexpr std::uint64_t most_memory = std::uint64_t{4} << 30U;
constexpr unsigned smallest_size = 2;
constexpr unsigned largest_size = 4;
constexpr unsigned bound = 8;
constexpr std::array<std::uint64_t, 3> fixed_values = {1, 2, 3};
/// So many items of all groups together; beyond, terms fill the memory.
constexpr std::uint64_t most_items = 4096;

/// Both sides of the proof at one WG_SIZE.
struct Lowering {
  typed::Program program;
  infreg::Kernel kernel;
  std::vector<bool> read_only;  ///< of each parameter
  std::uint64_t groups = 1;
};

/// What came of one size.
struct SizeVerdict {
  Kind kind = Kind::Unknown;
  std::string said{};       ///< of Partly how far, of Unknown why
  std::string detail{};     ///< which may be another one at each size; may be empty
  bool is_vacuous = false;  ///< of Unknown: there was nothing to prove
};

/// So many items in as many dimensions as `shape` has, as far as they can be shared out.
std::array<unsigned, 3> smaller(const std::array<unsigned, 3>& shape, unsigned items) {
  if (shape[0] == 0 || (shape[1] == 1 && shape[2] == 1)) {
    return {};
  }
  const unsigned rows = items % 2 == 0 ? 2 : items;
  return shape[1] > 1 ? std::array<unsigned, 3>{items / rows, rows, 1} : std::array<unsigned, 3>{items / rows, 1, rows};
}

std::expected<Lowering, std::string> lowered(const LoweringTask& task, unsigned wg_size) {
  core::Options options = task.options;
  options.wg_size = wg_size;
  options.wg_shape = wg_size == task.options.wg_size ? task.options.wg_shape : smaller(task.options.wg_shape, wg_size);
  Diagnostics warnings;
  const auto program = core::read_kernels(task.source, options, warnings);
  if (!program) {
    return std::unexpected(program.error().front().message);
  }
  const core::Function* function = program->kernel(task.options.kernel);
  if (function == nullptr) {
    return std::unexpected("there is no such kernel");
  }
  passes::PipelineOptions pipeline;
  pipeline.wg_pack = task.wg_pack;
  pipeline.streaming = task.streaming;
  auto kernel =
      task.given != nullptr ? std::expected<infreg::Kernel, Diagnostics>(*task.given) : passes::lower(*program, *function, pipeline);
  if (!kernel) {
    return std::unexpected(kernel.error().front().message);
  }
  Lowering lowering{core::translate(*program, *function), std::move(*kernel), {}, std::uint64_t{task.wg_pack} + 1};
  for (std::size_t i = 0; i < function->parameter_count; ++i) {
    const core::Type& type = function->variables[i].type;
    lowering.read_only.push_back(type.is_pointer() && (type.space != AddressSpace::Global || type.is_const));
  }
  return lowering;
}

// ---- running a counterexample ------------------------------------------------------------------------------------------------

struct Launch {
  std::vector<Argument> arguments;
  std::vector<infreg::Buffer> buffers;
};

Launch launch_on(const infreg::Kernel& kernel, const prove::Inputs& inputs) {
  Launch launch;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (!kernel.parameters[i].is_pointer) {
      launch.arguments.emplace_back(ScalarBits{inputs.scalars[i]});
      continue;
    }
    const std::vector<std::uint64_t>& elements = inputs.elements[launch.buffers.size()];
    const std::size_t size = size_of(kernel.parameters[i].scalar);
    infreg::Buffer buffer = infreg::make_buffer(kernel.parameters[i].scalar, elements.size());
    for (std::size_t k = 0; k < elements.size(); ++k) {
      std::memcpy(buffer.bytes.data() + k * size, &elements[k], size);
    }
    launch.arguments.emplace_back(BufferNumber{launch.buffers.size()});
    launch.buffers.push_back(std::move(buffer));
  }
  return launch;
}

/// Whether an element is what the kernel leaves, of which poison may be anything.
bool is_kept(const infreg::Buffer& found, std::size_t k, const std::optional<std::uint64_t>& expected) {
  if (!expected) {
    return true;
  }
  const std::size_t size = size_of(found.type);
  std::uint64_t bits = 0;
  std::uint64_t wanted = 0;
  std::memcpy(&bits, found.bytes.data() + k * size, size);
  std::memcpy(&wanted, &*expected, size);
  return found.poison[k] == 0 && ops::same_number(found.type, bits, wanted);
}

/// Whether the two leave different memory. Where groups race that says nothing; the solver's inputs may be such where floats are not exact.
bool differs(const Lowering& lowering, const prove::Inputs& inputs) {
  const prove::ConcreteRun expected = prove::run_on_constants(lowering.program, lowering.groups, inputs);
  if (expected.end != prove::ConcreteRun::End::Finished) {
    return false;
  }
  Launch launch = launch_on(lowering.kernel, inputs);
  infreg::EvaluateOptions options;
  options.groups = lowering.groups;
  options.limits.lane_operations = 10'000'000;
  const infreg::Outcome outcome = infreg::evaluate(lowering.kernel, launch.arguments, launch.buffers, options);
  if (!std::holds_alternative<infreg::Finished>(outcome.end)) {
    return std::holds_alternative<infreg::Undefined>(outcome.end);
  }
  for (std::size_t b = 0; b < launch.buffers.size(); ++b) {
    for (std::size_t k = 0; k < expected.elements[b].size(); ++k) {
      if (!is_kept(launch.buffers[b], k, expected.elements[b][k])) {
        return true;
      }
    }
  }
  return prove::offence_of(lowering.program, &lowering.kernel, lowering.groups, inputs, lowering.read_only).has_value();
}

// ---- one size ----------------------------------------------------------------------------------------------------------------

bool is_countable(const infreg::Parameter& parameter) { return !parameter.is_pointer && !is_float(parameter.scalar); }

constexpr const char* undecided = "undecided within the budget";

/// What one question may cost, and what it has cost.
struct Purse {
  prove::Allowance allowance;
  std::uint64_t spent = 0;
};

/// `scalars`: what every integer parameter that is no pointer is taken to be; none: anything.
SizeVerdict ask(const Lowering& lowering, std::optional<std::uint64_t> scalars, Purse& purse) {
  prove::RefineOptions options;
  options.groups = lowering.groups;
  options.bound = bound;
  options.allowance = purse.allowance;
  for (std::size_t i = 0; i < lowering.kernel.parameters.size(); ++i) {
    const infreg::Parameter& parameter = lowering.kernel.parameters[i];
    prove::ParameterSize& size = options.parameters.emplace_back();
    size.read_only = lowering.read_only[i];
    if (scalars && is_countable(parameter)) {
      size.bits = parameter.scalar == ScalarType::Bool ? *scalars & 1U : *scalars;
    }
  }
  const Budget budget(purse.allowance);  // of both attempts together
  for (const prove::FloatMode floats : {prove::FloatMode::Uninterpreted, prove::FloatMode::Exact}) {
    options.floats = floats;
    const auto proof = prove::refine(lowering.program, &lowering.kernel, options);
    purse.spent = budget.units();
    if (!proof) {
      return {Kind::Unknown, proof.error()};
    }
    switch (proof->kind) {
      case prove::Refinement::Kind::Refines:
        return {Kind::Proved, ""};
      case prove::Refinement::Kind::RefinesUpToBound:
        return {Kind::Partly, fmt::format("up to {} rounds of a loop", bound)};
      case prove::Refinement::Kind::Unknown:
        return {Kind::Unknown, proof->spent ? std::string(undecided) : proof->what, {}, proof->is_vacuous};
      case prove::Refinement::Kind::Refuted:
        break;
    }
    try {
      if (differs(lowering, proof->inputs) && !prove::groups_race(lowering.program, lowering.groups, proof->inputs)) {
        return {Kind::Refuted, proof->what};
      }
    } catch (const prove::OutOfBudget&) {
      return {Kind::Unknown, undecided};
    }
  }
  return {Kind::Unknown, "the solver's counterexample is none when it is run"};
}

/// For numbers that are fixed, one after the other, until one is not decided. `instead`: what is known of all numbers.
SizeVerdict ask_for_fixed(const Lowering& lowering, const SizeVerdict& instead, Purse& purse) {
  std::vector<std::uint64_t> proved;
  const Budget budget(purse.allowance);
  for (const std::uint64_t value : fixed_values) {
    Purse own{purse.allowance};
    const SizeVerdict one = ask(lowering, value, own);
    if (one.kind == Kind::Refuted) {
      return one;
    }
    if (one.kind != Kind::Proved) {
      break;
    }
    proved.push_back(value);
  }
  purse.spent = budget.units();
  if (proved.empty()) {
    return instead;
  }
  std::vector<std::string> names;
  for (const infreg::Parameter& parameter : lowering.kernel.parameters) {
    if (is_countable(parameter)) {
      names.push_back(parameter.name);
    }
  }
  return {Kind::Partly, fmt::format("with {} = {} alone", fmt::join(names, " = "), fmt::join(proved, ", "))};
}

/// Of one group alone: what is left where several race on all inputs. That tells nothing of what depends on the group.
SizeVerdict ask_of_one_group(Lowering lowering, const SizeVerdict& instead, Purse& purse) {
  lowering.groups = 1;
  SizeVerdict verdict = ask(lowering, std::nullopt, purse);
  if (verdict.kind == Kind::Proved || verdict.kind == Kind::Partly) {
    return {Kind::Partly, verdict.kind == Kind::Proved ? "for one group alone" : "for one group alone, " + verdict.said};
  }
  return verdict.kind == Kind::Refuted ? verdict : instead;
}

/// One size, for all numbers of the scalars and, if that is undecided, for a few.
SizeVerdict ask_size(const Lowering& lowering, const prove::Allowance& allowance, std::uint64_t& spent) {
  if (lowering.groups * lowering.program.wg_size > most_items) {
    return {Kind::Unknown, fmt::format("{} groups are too many", lowering.groups)};
  }
  const bool has_scalars = std::ranges::any_of(lowering.kernel.parameters, is_countable);
  Purse purse{allowance};
  if (has_scalars && allowance.units) {
    purse.allowance.units = *allowance.units * tenths_for_all_values / 10;
  }
  SizeVerdict verdict = ask(lowering, std::nullopt, purse);
  spent = purse.spent;
  const bool one_group_helps = verdict.is_vacuous && lowering.kernel.shape.wg_pack == 1;
  if (verdict.kind == Kind::Unknown && (has_scalars || one_group_helps)) {
    Purse rest{allowance};
    if (allowance.units) {
      rest.allowance.units = *allowance.units - std::min(*allowance.units, spent);
    }
    verdict = one_group_helps ? ask_of_one_group(lowering, verdict, rest) : ask_for_fixed(lowering, verdict, rest);
    spent += rest.spent;
  }
  return verdict;
}

// ---- all sizes ---------------------------------------------------------------------------------------------------------------

/// "2", "2 and 3", "2 to 4".
std::string list_of(const std::vector<unsigned>& sizes) {
  return sizes.size() > 2 ? fmt::format("{} to {}", sizes.front(), sizes.back()) : fmt::format("{}", fmt::join(sizes, " and "));
}

/// Sizes of which the same is said.
struct Alike {
  SizeVerdict verdict;
  std::vector<unsigned> sizes;
};

std::string text_of(const Alike& alike) {
  const std::string sizes = list_of(alike.sizes);
  switch (alike.verdict.kind) {
    case Kind::Proved:
      return fmt::format("proved at WG_SIZE {}", sizes);
    case Kind::Partly:
      return fmt::format("proved at WG_SIZE {} {}", sizes, alike.verdict.said);
    default:
      return fmt::format("not proved at WG_SIZE {}: {}{}", sizes, alike.verdict.said,
                         alike.verdict.detail.empty() ? "" : fmt::format(" ({})", alike.verdict.detail));
  }
}

LoweringVerdict together(const std::vector<Alike>& all, VerifyLevel level) {
  const auto has = [&](Kind kind) { return std::ranges::any_of(all, [&](const Alike& alike) { return alike.verdict.kind == kind; }); };
  std::vector<std::string> texts;
  for (const Alike& alike : all) {
    texts.push_back(text_of(alike));
  }
  const Kind kind = !has(Kind::Partly) && !has(Kind::Unknown) ? Kind::Proved
                    : has(Kind::Proved) || has(Kind::Partly)  ? Kind::Partly
                                                              : Kind::Unknown;
  return {kind, level, fmt::format("InfReg-IR {}", fmt::join(texts, "; "))};
}

}  // namespace

LoweringVerdict prove_lowering(const LoweringTask& task) {
  prove::Allowance allowance;
  if (task.level == VerifyLevel::Auto) {
    allowance.units = units_of_auto;
  } else {
    allowance.until = Budget::Clock::now() + task.timeout;
    allowance.memory = most_memory;
  }
  const unsigned own = task.options.wg_size;
  const unsigned first = task.given != nullptr ? own : std::min(own, smallest_size);
  const unsigned last = task.given != nullptr ? own : std::min(own, largest_size);
  std::vector<Alike> all;
  for (unsigned wg_size = first; wg_size <= last; ++wg_size) {
    prove::Allowance share = allowance;
    if (share.units) {
      *share.units /= last - wg_size + 1;
    }
    SizeVerdict verdict;
    std::uint64_t spent = 0;
    if (const auto lowering = lowered(task, wg_size)) {
      verdict = ask_size(*lowering, share, spent);
    } else {
      verdict.said = "it cannot be compiled for that";
      verdict.detail = lowering.error();
    }
    if (verdict.kind == Kind::Refuted) {
      return {Kind::Refuted, task.level,
              fmt::format("InfReg-IR refuted at WG_SIZE {}: there are inputs on which it is not so that {}", wg_size, verdict.said)};
    }
    if (allowance.units) {
      *allowance.units -= std::min(*allowance.units, spent);
    }
    if (all.empty() || all.back().verdict.kind != verdict.kind || all.back().verdict.said != verdict.said) {
      all.push_back({std::move(verdict), {}});
    }
    all.back().sizes.push_back(wg_size);
  }
  return together(all, task.level);
}

}  // namespace lockstep
