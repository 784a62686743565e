// One pair: asked, and run.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>

#include "codegen/passes/pipeline.hpp"
#include "differential/replay/replay.hpp"
#include "interpreter/launch/arguments.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"
#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/refine.hpp"
#include "semantics/typed/parse.hpp"
#include "tests/proofs/pairs/pair.hpp"

namespace lockstep::test {

namespace {

using differential::LoadedKernel;
using differential::VerifyTask;
using prove::Refinement;

/// Units of work that a proof may cost: counted, so that a verdict is the same on every machine. About 20 s.
constexpr std::uint64_t most_units = 40'000'000;
/// Inputs on which a pair that is stated to refine is run.
constexpr unsigned runs = 40;

struct Options {
  unsigned wg_size = 2;
  std::uint64_t groups = 1;
  unsigned bound = 4;
  unsigned question_ms = 20'000;
  prove::FloatMode floats = prove::FloatMode::Uninterpreted;
  std::vector<std::pair<std::string, std::string>> arguments;
};

Options options_of(const Pair& pair) {
  Options options;
  for (const auto& [name, value] : pair.options) {
    if (name == "wg-size") {
      options.wg_size = static_cast<unsigned>(std::stoul(value));
    } else if (name == "groups") {
      options.groups = std::stoul(value);
    } else if (name == "bound") {
      options.bound = static_cast<unsigned>(std::stoul(value));
    } else if (name == "query") {
      options.question_ms = static_cast<unsigned>(std::stoul(value));
    } else if (name == "fp") {
      options.floats = value == "exact" ? prove::FloatMode::Exact : prove::FloatMode::Uninterpreted;
    } else {
      options.arguments.emplace_back(name, value);
    }
  }
  return options;
}

// ---- reading -------------------------------------------------------------------------------------------------------------

/// A program as it was read, and what it can be lowered from.
struct Program {
  LoadedKernel loaded;
  std::optional<core::Program> tree;
};

std::expected<Program, std::string> read_program(const std::string& text, const char* name, unsigned wg_size) {
  const auto source = std::make_shared<const SourceFile>(name, text);
  Program read;
  if (text.starts_with(".typed")) {
    auto program = typed::parse(source);
    if (!program) {
      return std::unexpected(render(*source, program.error()));
    }
    read.loaded.program = std::make_shared<const typed::Program>(std::move(*program));
    for (std::size_t i = 0; i < read.loaded.program->kernel().parameter_count; ++i) {
      const typed::ValueType& type = read.loaded.program->kernel().registers[i].type;
      read.loaded.writable.push_back(type.is_pointer && type.space == AddressSpace::Global);
    }
    return read;
  }
  core::Options reading;
  reading.wg_size = wg_size;
  Diagnostics warnings;
  auto program = core::read_kernels(source, reading, warnings);
  if (!program) {
    return std::unexpected(render(*source, program.error()));
  }
  const core::Function* kernel = program->kernel("");
  if (kernel == nullptr) {
    return std::unexpected(std::string(name) + ": there is not one kernel");
  }
  read.loaded.program = std::make_shared<const typed::Program>(core::translate(*program, *kernel));
  for (std::size_t i = 0; i < kernel->parameter_count; ++i) {
    const core::Type& type = kernel->variables[i].type;
    read.loaded.writable.push_back(type.is_pointer() && type.space == AddressSpace::Global && !type.is_const);
  }
  read.tree = std::move(*program);
  return read;
}

std::expected<differential::Refining, std::string> read_second(const std::string& text, const Program& first, unsigned wg_size) {
  constexpr std::string_view lowered = "lowered ";
  if (text.starts_with(lowered) && first.tree) {
    passes::PipelineOptions lowering;
    lowering.wg_pack = static_cast<unsigned>(std::stoul(text.substr(lowered.size())));
    auto kernel = passes::lower(*first.tree, *first.tree->kernel(""), lowering);
    return kernel ? std::expected<differential::Refining, std::string>(std::move(*kernel))
                  : std::unexpected(render(*first.tree->source, kernel.error()));
  }
  if (text.starts_with("kernel @")) {
    const auto source = std::make_shared<const SourceFile>("second.ir", text);
    auto kernel = infreg::parse(source);
    if (!kernel) {
      return std::unexpected(render(*source, kernel.error()));
    }
    if (const auto faults = infreg::verify(*kernel); !faults.empty()) {
      return std::unexpected(faults.front().sentence);
    }
    return std::move(*kernel);
  }
  auto second = read_program(text, "second", wg_size);
  return second ? std::expected<differential::Refining, std::string>(std::move(second->loaded)) : std::unexpected(second.error());
}

// ---- asking --------------------------------------------------------------------------------------------------------------

prove::RefineOptions refine_options(const VerifyTask& task, const Options& options, prove::FloatMode floats) {
  prove::RefineOptions refine;
  refine.groups = options.groups;
  refine.bound = options.bound;
  refine.floats = floats;
  refine.query_ms = options.question_ms;
  refine.allowance.units = most_units;
  refine.parameters.resize(task.kernel.writable.size());
  const std::vector<bool> read_only = differential::read_only_of(task.kernel);
  for (std::size_t i = 0; i < read_only.size(); ++i) {
    refine.parameters[i].read_only = read_only[i];
  }
  for (const auto& [name, value] : options.arguments) {
    const auto parameter = launch::parameter_named(*task.kernel.program, name);
    if (!parameter) {
      throw std::runtime_error(fmt::format("there is neither an option nor a parameter '{}'", name));
    }
    const typed::ValueType& type = task.kernel.program->kernel().registers[*parameter].type;
    if (type.is_pointer) {
      refine.parameters[*parameter].count = std::stoul(value);
    } else {
      refine.parameters[*parameter].bits = launch::parse_scalar(type.scalar, value).value();
    }
  }
  return refine;
}

/// What the prover says, and how a pair would state it. What is refuted has been run.
struct Said {
  Stated verdict = Stated::Unknown;
  std::string sentence;
  bool is_out_of_time = false;
  std::vector<std::uint64_t> counts;  ///< of the buffers
};

/// Whether more work might have told.
bool gives_up(const Refinement& proof) {
  return proof.spent.has_value() || proof.what.find("the solver does not know") != std::string::npos;
}

/// As `lockstep verify` asks: a counterexample that is none when it is run may be one of floats that no machine has.
Said ask(const VerifyTask& task, const Options& options) {
  const prove::Budget budget({std::nullopt, 2 * most_units, std::nullopt});
  for (prove::FloatMode floats = options.floats;; floats = prove::FloatMode::Exact) {
    const auto proof = prove::refine(*task.kernel.program, differential::target_of(task.other), refine_options(task, options, floats));
    if (!proof) {
      return {Stated::Refused, proof.error(), false, {}};
    }
    if (proof->kind == Refinement::Kind::Refines || proof->kind == Refinement::Kind::RefinesUpToBound) {
      return {proof->kind == Refinement::Kind::Refines ? Stated::Refines : Stated::Bounded, "", false, proof->counts};
    }
    if (proof->kind == Refinement::Kind::Unknown) {
      const bool is_undefined = proof->what.find("undefined on all inputs") != std::string::npos;
      return {is_undefined ? Stated::Undefined : Stated::Unknown, proof->what, gives_up(*proof), proof->counts};
    }
    const auto confirmed = differential::confirm(task, proof->inputs);
    if (confirmed) {
      return {Stated::Refuted, proof->what, false, proof->counts};
    }
    if (floats == prove::FloatMode::Exact) {
      return {Stated::Unknown, "run, the two do the same where it is not so that " + proof->what, false, proof->counts};
    }
  }
}

// ---- running -------------------------------------------------------------------------------------------------------------

prove::Inputs edges(const typed::Program& program, const Options& options, const std::vector<std::uint64_t>& counts,
                    std::mt19937_64& random) {
  prove::Inputs inputs;
  for (std::size_t i = 0; i < program.kernel().parameter_count; ++i) {
    const typed::ValueType& type = program.kernel().registers[i].type;
    const auto fixed =
        std::ranges::find(options.arguments, launch::parameter_name(program, i), &std::pair<std::string, std::string>::first);
    if (!type.is_pointer) {
      inputs.scalars.push_back(fixed == options.arguments.end() ? differential::edge_number(type.scalar, random)
                                                                : launch::parse_scalar(type.scalar, fixed->second).value());
      continue;
    }
    inputs.scalars.push_back(0);
    std::vector<std::uint64_t>& elements = inputs.elements.emplace_back();
    for (std::uint64_t k = 0; k < counts.at(inputs.elements.size() - 1); ++k) {
      elements.push_back(differential::edge_number(type.scalar, random));
    }
  }
  return inputs;
}

/// What the interpreter has to say against a pair that does not differ as far as anybody knows; empty: nothing.
std::optional<std::string> objection(const VerifyTask& task, const Options& options, const Said& said, Stated stated) {
  std::mt19937_64 random(1);
  for (unsigned k = 0; k < runs; ++k) {
    const prove::Inputs inputs = edges(*task.kernel.program, options, said.counts, random);
    if (stated == Stated::Undefined && differential::is_defined_on(task, inputs)) {
      return "there is an input on which the first program is defined";
    }
    if (const auto difference = differential::difference_on(task, inputs); difference && stated != Stated::Undefined) {
      return "run on an input, the two differ: " + difference->sentence;
    }
  }
  return std::nullopt;
}

std::string_view name_of(Stated stated) {
  static constexpr std::array<std::string_view, 6> names = {"refines", "bounded", "refuted", "undefined", "unknown", "refused"};
  return names.at(static_cast<std::size_t>(stated));
}

Trial otherwise(std::string sentence) { return {Trial::Ending::Otherwise, std::move(sentence)}; }

Trial judge(const Pair& pair, const VerifyTask& task, const Options& options, const Said& said) {
  const bool is_as_stated = said.verdict == pair.stated && said.sentence.find(pair.says) != std::string::npos;
  if (said.is_out_of_time && !is_as_stated) {
    return {Trial::Ending::OutOfTime, said.sentence};
  }
  if (!is_as_stated) {
    return otherwise(fmt::format("{} instead of {}: {}", name_of(said.verdict), name_of(pair.stated), said.sentence));
  }
  if (pair.stated == Stated::Refines || pair.stated == Stated::Bounded || pair.stated == Stated::Undefined) {
    if (auto against = objection(task, options, said, pair.stated)) {
      return otherwise(*against);
    }
  }
  return {};
}

}  // namespace

Trial try_pair(const Pair& pair) {
  const Options options = options_of(pair);
  auto first = read_program(pair.first, "first", options.wg_size);
  auto second = first ? read_second(pair.second, *first, options.wg_size) : std::unexpected(first.error());
  if (!second) {
    const bool is_stated = pair.stated == Stated::Refused && second.error().find(pair.says) != std::string::npos;
    return is_stated ? Trial() : otherwise(second.error());
  }
  const VerifyTask task{std::move(first->loaded), std::move(*second), "the second", options.groups};
  return judge(pair, task, options, ask(task, options));
}

}  // namespace lockstep::test
