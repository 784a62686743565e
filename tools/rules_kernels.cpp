// What kernels and typed programs cover: they run as the comments `//@ run OPTIONS` in them say, group after group, and every step is
// asked for its premises.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "interpreter/debug/kernel/run.hpp"
#include "interpreter/launch/arguments.hpp"
#include "semantics/base/files.hpp"
#include "semantics/typed/visit.hpp"
#include "tools/command.hpp"
#include "tools/kernel_program.hpp"
#include "tools/rules.hpp"
#include "tools/values.hpp"

namespace lockstep::tools {

using namespace musimd;

namespace {

constexpr std::string_view directive = "//@";

/// The options of one run.
struct RunFlags {
  MachineFlags machine;
  FrontEndFlags front_end;
  LaunchFlags launch;
};

/// A `//@` comment: what stands behind it, and in which line.
struct Directive {
  std::string text;
  std::uint32_t line = 0;
};

std::vector<Directive> directives(const SourceFile& source) {
  std::vector<Directive> found;
  const std::string_view text = source.text();
  for (std::size_t at = text.find(directive); at != std::string_view::npos; at = text.find(directive, at + 1)) {
    const std::size_t begin = at + directive.size();
    const std::string_view rest = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
    found.push_back({std::string(rest), source.place(static_cast<std::uint32_t>(at)).line});
  }
  return found;
}

/// The options behind `run`, which are those of `lockstep run`; the error is a sentence.
std::expected<RunFlags, std::string> read_run(const Directive& line, SourceKind kind, const std::string& file) {
  std::string_view text = line.text;
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (!text.starts_with("run") || (text.size() > 3 && text[3] != ' ' && text[3] != '\t')) {
    return std::unexpected(
        fmt::format("'{}{}' is no directive of kernels; there is only '{} run OPTIONS'", directive, line.text, directive));
  }
  RunFlags flags;
  CLI::App options;
  options.set_help_flag();
  add_machine_options(options, flags.machine);
  add_front_end_options(options, flags.front_end);
  add_kernel_name_option(options, flags.front_end);
  add_launch_options(options, flags.launch);
  try {
    options.parse(std::string(text.substr(3)));
  } catch (const CLI::ParseError& error) {
    return std::unexpected(error.what());
  }
  if (const auto problem = misplaced_option(options, kind, file)) {
    return std::unexpected(*problem);
  }
  if (!flags.launch.outputs.empty()) {
    return std::unexpected("--out: a run that is measured writes no files");
  }
  return flags;
}

/// Whether BP asks more of the node than of its operands.
bool may_be_undefined(const typed::ExprNode& node) {
  if (const auto* operation = std::get_if<typed::Operation>(&node.node)) {
    return operation->on_pointers || may_be_undefined(operation->op, operation->operand_type);
  }
  if (const auto* conversion = std::get_if<typed::Convert>(&node.node)) {
    return conversion_may_be_undefined(conversion->from, node.type.scalar);
  }
  return std::holds_alternative<typed::Element>(node.node) || std::holds_alternative<typed::Within>(node.node) ||
         std::holds_alternative<typed::PointerAdd>(node.node) || std::holds_alternative<typed::PointerDifference>(node.node);
}

LookedUp looked_up(const typed::Instruction& instruction) {
  LookedUp found;
  found.cell = std::holds_alternative<typed::Load>(instruction) || std::holds_alternative<typed::Atomic>(instruction);
  found.variable = std::holds_alternative<typed::Shuffle>(instruction);
  typed::for_each_expression(instruction, [&](const typed::Expr& expression) {
    for (const typed::ExprNode& node : expression.nodes) {
      found.variable =
          found.variable || std::holds_alternative<typed::Register>(node.node) || std::holds_alternative<typed::Element>(node.node);
      found.may_be_undefined = found.may_be_undefined || may_be_undefined(node);
    }
  });
  return found;
}

/// The answers of all candidates, with premise 1 of each: that it is one says that the instruction matches, unless the rule asked itself.
std::vector<PremiseAnswer> answers(const std::vector<launch::CandidateReport>& candidates) {
  std::vector<PremiseAnswer> all;
  for (const launch::CandidateReport& candidate : candidates) {
    const RuleId root = candidate.fired.root;
    all.push_back({candidate.fired.rule, 1, true, false});
    if (std::ranges::none_of(candidate.premises, [&](const auto& premise) { return premise.rule == root && premise.number == 1; })) {
      all.push_back({root, 1, true, false});
    }
    for (const launch::CandidateReport::Premise& premise : candidate.premises) {
      all.push_back({premise.rule, premise.number, premise.holds, !premise.failing.empty()});
    }
  }
  return all;
}

/// Runs to the end, or to the fault that ends it.
void count_run(KernelRun& run, Coverage& coverage) {
  KernelRun::RuleCounts fired{};
  while (!run.ended()) {
    launch::Pack& pack = run.pack();
    const typed::Label pc = pack.fragments()[pack.present_fragment()].state.pc;
    LookedUp found;
    if (pc < run.program().code.size()) {
      found = looked_up(run.program().code[pc].instruction);
      count_asked(coverage, found, answers(pack.explain()));
    }
    if (run.step(&fired)) {
      std::uint64_t steps = fired[static_cast<std::size_t>(RuleId::IT)];
      const bool under_it = steps != 0;
      for (std::size_t r = 0; r < rule_count && !under_it; ++r) {
        steps += fired[r];
      }
      count_leaves(coverage, found, steps, under_it);
    }
  }
  for (const RuleInfo& rule : rule_table) {
    coverage.fired[static_cast<std::size_t>(rule.id)] += run.rule_count(rule.id);
  }
}

/// The error says, in whole lines, why the run cannot begin.
std::expected<void, std::string> run_once(const std::shared_ptr<const SourceFile>& source, SourceKind kind, RunFlags flags,
                                          Coverage& coverage) {
  take_lengths(flags.launch.arguments, flags.front_end);
  flags.front_end.dimensions = dimensions_of(flags.launch.grid, flags.machine.group);
  flags.front_end.ragged_items = ragged_items(flags.launch.grid);
  auto kernel = load_kernel(source, kind, flags.front_end, flags.machine.group);
  if (!kernel) {
    return std::unexpected(kernel.error().text);
  }
  if (kind != SourceKind::Kernels) {  // as in `lockstep run`
    kernel->program = std::make_shared<const typed::Program>(typed::with_all_watched(*kernel->program));
  }
  const auto failure = [](const std::string& sentence) { return std::unexpected(refusal(sentence).text); };
  auto options = launch_options(flags.launch, flags.machine);
  if (!options) {
    return failure(options.error());
  }
  options->pack = 1;
  const auto grid = grid_of(flags.launch.grid, *kernel);
  if (!grid) {
    return failure(grid.error());
  }
  options->groups = groups_of(*grid);
  options->ragged = ragged_range(flags.launch.grid, *kernel, *grid);
  const auto memory = parse_bytes(flags.machine.memory_limit);
  if (!memory) {
    return failure("--memory-limit: " + memory.error());
  }
  const auto read = [](const std::string& path, std::size_t most) { return read_file(path, most); };
  auto arguments = launch::parse_arguments(*kernel->program, with_grid(std::move(flags.launch.arguments), *kernel, *grid), *memory, read,
                                           kernel->writable, kernel->restricted, kernel->structures, kernel->written_parameters);
  if (!arguments) {
    return failure(arguments.error());
  }
  if (const auto problem = launch::complaint(*kernel->program, *arguments, *options)) {
    return failure(*problem);
  }
  if (const auto fault = launch::too_large(*kernel->program, *options)) {
    return failure(fault->message);
  }
  if (options->groups != 0) {
    KernelRun run(kernel->program, std::move(*arguments), *options, /*log=*/false);
    count_run(run, coverage);
  }
  return {};
}

}  // namespace

std::expected<bool, std::string> cover_kernels(const std::shared_ptr<const SourceFile>& source, SourceKind kind, Coverage& coverage) {
  coverage.typed = true;
  const std::vector<Directive> runs = directives(*source);
  for (const Directive& line : runs) {
    const auto flags = read_run(line, kind, source->name());
    if (!flags) {
      return std::unexpected(refusal(fmt::format("{}:{}: {}", source->name(), line.line, flags.error())).text);
    }
    if (const auto done = run_once(source, kind, *flags, coverage); !done) {
      return std::unexpected(fmt::format("{}lockstep: note: in the run of {}:{}\n", done.error(), source->name(), line.line));
    }
  }
  return !runs.empty();
}

}  // namespace lockstep::tools
