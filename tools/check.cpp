#include "semantics/musimd/check.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "codegen/passes/pipeline.hpp"
#include "codegen/passes/slow.hpp"
#include "semantics/base/line_origins.hpp"
#include "semantics/core/inclusions.hpp"
#include "semantics/musimd/parse.hpp"
#include "semantics/ptx/check.hpp"
#include "semantics/ptx/parse.hpp"
#include "semantics/typed/check.hpp"
#include "semantics/typed/parse.hpp"
#include "tools/command.hpp"
#include "tools/lower.hpp"
#include "tools/number_option.hpp"

namespace lockstep::tools {

using namespace differential;

namespace {

/// The N of a message that begins with "condition N: ".
std::optional<int> condition_of(std::string_view message) {
  constexpr std::string_view prefix = "condition ";
  const bool numbered = message.starts_with(prefix) && message.size() > prefix.size() + 1 && message[prefix.size() + 1] == ':';
  return numbered ? std::optional(message[prefix.size()] - '0') : std::nullopt;
}

nlohmann::ordered_json to_json(const SourceFile& source, const Diagnostics& diagnostics) {
  static constexpr const char* severities[] = {"error", "warning", "note"};
  const LineOrigins origins(source);
  auto list = nlohmann::ordered_json::array();
  for (const Diagnostic& d : diagnostics) {
    const LineColumn place = source.place(d.span.begin);
    const Origin origin = origins.of(place.line);
    nlohmann::ordered_json finding = {{"severity", severities[static_cast<int>(d.severity)]}};
    if (const auto condition = condition_of(d.message)) {
      finding["condition"] = *condition;
    }
    if (origin.file != source.name()) {
      finding["file"] = origin.file;
    }
    finding["line"] = origin.line;
    finding["column"] = place.column;
    finding["message"] = d.message;
    if (!d.notes.empty()) {
      finding["notes"] = to_json(source, d.notes);
    }
    list.push_back(std::move(finding));
  }
  return list;
}

struct CheckOptions {
  std::string file;
  bool json = false;
  bool explain = false;  ///< what stays slow
  GroupFlags group;
  FrontEndFlags front_end;
};

/// What was found in a text.
struct Findings {
  const char* verdict = "well-formed";
  Status status = fine;
  std::vector<std::string> kernels;  ///< their names
  Diagnostics diagnostics;
};

/// The verdict on a program with these findings of a checker.
void judge(Findings& findings, bool well_formed, bool undecided) {
  if (!well_formed && findings.status != no) {
    findings.verdict = undecided ? "undecided" : "ill-formed";
    findings.status = undecided ? limit : no;
  }
}

/// Errors that a front end found: there is no program to judge.
Findings& unreadable(Findings& findings, const Diagnostics& errors) {
  findings.verdict = "error";
  findings.status = bad_input;
  findings.diagnostics.insert(findings.diagnostics.end(), errors.begin(), errors.end());
  return findings;
}

void judge(Findings& findings, const typed::Program& program) {
  const Diagnostics found = typed::check(program);
  judge(findings, musimd::well_formed(found), musimd::undecided(found));
  findings.kernels.push_back(program.kernel().name);
  findings.diagnostics.insert(findings.diagnostics.end(), found.begin(), found.end());
}

Findings check_untyped(const SourceFile& source) {
  Findings findings;
  const auto program = musimd::parse(source);
  if (!program) {
    return unreadable(findings, program.error());
  }
  findings.diagnostics = musimd::check(*program);
  judge(findings, musimd::well_formed(findings.diagnostics), musimd::undecided(findings.diagnostics));
  return findings;
}

std::expected<Findings, Refusal> check_typed(const std::shared_ptr<const SourceFile>& source, const FrontEndFlags& flags) {
  Findings findings;
  const auto program = typed::parse(source);
  if (!program) {
    return unreadable(findings, program.error());
  }
  if (const auto problem = check_typed(*program, flags, GroupFlags())) {
    return std::unexpected(refusal(*problem));
  }
  judge(findings, *program);
  return findings;
}

/// Of a text in which several kernels say how many items their groups have: all its kernels.
std::vector<std::string> kernels_with_own_sizes(const SourceFile& source, const core::Options& options) {
  std::vector<std::string> names;
  std::size_t requiring = 0;
  const auto unit = core::parse(source, options);
  if (!unit) {
    return names;
  }
  for (const core::syntax::Item& item : unit->items) {
    const auto* function = std::get_if<core::syntax::Function>(&item.node);
    if (function != nullptr && function->specifiers.is_kernel && function->body) {
      names.push_back(function->name.text);
      requiring += function->required_size ? 1U : 0U;
    }
  }
  return requiring > 1 ? names : std::vector<std::string>();
}

/// What stays slow in the kernel, or why it is not compiled.
Diagnostics slow_when_compiled(const core::Program& program, const core::Function& kernel) {
  Diagnostics remarks;
  passes::PipelineOptions options;
  options.remarks = &remarks;
  const auto lowered = passes::lower(program, kernel, options);
  for (Diagnostic& found : lowered ? passes::slow_parts(*lowered) : Diagnostics(lowered.error())) {
    remarks.push_back(std::move(found));
    if (!lowered) {
      remarks.back().severity = Severity::Note;
      remarks.back().message = "no target compiles this: " + remarks.back().message;
    }
  }
  return remarks;
}

/// The front end, and the translation of every kernel, or of the one that is `wanted`, which it must have then.
std::expected<Findings, Refusal> check_kernels(const std::shared_ptr<const SourceFile>& source, const core::Options& options,
                                               const std::string& wanted, bool explain) {
  Findings findings;
  const auto program = core::read_kernels(source, options, findings.diagnostics);
  if (!program) {
    return unreadable(findings, program.error());
  }
  if (!wanted.empty() && program->kernel(wanted) == nullptr) {
    return std::unexpected(refusal(no_kernel(*program, wanted)));
  }
  if (const core::Function* chosen = program->kernel(wanted)) {
    if (const auto problem = core::wrong_lengths(*program, *chosen, false)) {
      return std::unexpected(refusal(fmt::format("--arg NAME=local:LENGTH: {}", *problem)));
    }
  }
  for (const core::Function& function : program->functions) {
    if (function.is_kernel && (wanted.empty() || function.name == wanted)) {
      judge(findings, *load(*program, function).program);
      if (explain) {
        std::ranges::move(slow_when_compiled(*program, function), std::back_inserter(findings.diagnostics));
      }
    }
  }
  return findings;
}

/// Each kernel with groups of the size that it requires.
std::expected<Findings, Refusal> check_each(const std::shared_ptr<const SourceFile>& source, core::Options options,
                                            const std::vector<std::string>& kernels, bool explain) {
  Findings all;
  for (const std::string& kernel : kernels) {
    options.kernel = kernel;
    auto one = check_kernels(source, options, kernel, explain);
    if (!one) {
      return one;
    }
    for (Diagnostic& found : one->diagnostics) {  // what is not the kernel's own is found again
      const auto is_same = [&](const Diagnostic& d) { return d.span.begin == found.span.begin && d.message == found.message; };
      if (std::ranges::none_of(all.diagnostics, is_same)) {
        all.diagnostics.push_back(std::move(found));
      }
    }
    std::ranges::move(one->kernels, std::back_inserter(all.kernels));
    if (one->status != fine && all.status == fine) {
      all.status = one->status;
      all.verdict = one->verdict;
    }
  }
  return all;
}

/// Warnings alone leave a module well-formed: it runs, up to instructions that do not.
Findings check_ptx(const SourceFile& source) {
  Findings findings;
  const auto module = ptx::parse(source);
  if (!module) {
    return unreadable(findings, module.error());
  }
  findings.diagnostics = ptx::check(*module);
  const bool wrong = std::ranges::any_of(findings.diagnostics, [](const Diagnostic& d) { return d.severity == Severity::Error; });
  findings.verdict = wrong ? "ill-formed" : "well-formed";
  findings.status = wrong ? no : fine;
  for (const ptx::Item& item : module->items) {
    if (const auto* function = std::get_if<ptx::Function>(&item); function != nullptr && function->entry && function->has_body) {
      findings.kernels.push_back(function->name);
    }
  }
  return findings;
}

/// `kernels`: whether the language has kernels, whose names are told.
int tell(const SourceFile& source, bool kernels, const Findings& findings, bool json) {
  if (json) {
    nlohmann::ordered_json object = {{"status", findings.verdict}};
    if (kernels) {
      object["kernels"] = findings.kernels;
    }
    object["findings"] = to_json(source, findings.diagnostics);
    fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    say(render(source, findings.diagnostics));
    fmt::print("{}", findings.status == bad_input ? "" : fmt::format("{}: {}\n", source.name(), findings.verdict));
  }
  return findings.status;
}

/// The verifier's word on a text in InfReg-IR.
int check_infreg(const CLI::App& command, const std::shared_ptr<const SourceFile>& source, bool json) {
  const auto misplaced = json ? std::optional(fmt::format("--json: {} is InfReg-IR, which has no such option", source->name()))
                              : misplaced_for_infreg(command, source->name());
  if (misplaced) {
    complain(*misplaced);
    return bad_input;
  }
  const auto kernel = read_infreg(source);
  if (!kernel) {
    return kernel.error();
  }
  fmt::print("{}: well-formed\n", source->name());
  return fine;
}

/// The option that was given and means nothing to PTX, which says all of it itself.
std::optional<std::string> misplaced_for_ptx(const CLI::App& command, const std::string& file) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 0 && (option->get_group() == kernel_group || option->get_group() == front_end_group)) {
      return fmt::format("{}: {} is PTX, which has no such option", option->get_name(), file);
    }
  }
  return std::nullopt;
}

int check(const CLI::App& command, CheckOptions options) {
  options.front_end.dimensions = options.group.dimensions;
  const auto text = read_source(options.file);
  if (!text) {
    return refuse(text.error());
  }
  const std::shared_ptr<const SourceFile>& source = *text;
  if (const auto problem = not_for_objects(*source)) {
    complain(*problem);
    return bad_input;
  }
  if (is_infreg_text(*source)) {
    return check_infreg(command, source, options.json);
  }
  if (is_ptx_text(*source)) {
    if (const auto misplaced = misplaced_for_ptx(command, source->name())) {
      complain(*misplaced);
      return bad_input;
    }
    return tell(*source, true, check_ptx(*source), options.json);
  }
  const SourceKind kind = kind_of(*source);
  const auto front_end = front_end_options(options.front_end, options.group);
  const auto misplaced = misplaced_option(command, kind, source->name());
  if (misplaced || !front_end) {
    complain(misplaced ? *misplaced : front_end.error());
    return bad_input;
  }
  if (kind == SourceKind::Untyped) {
    return tell(*source, false, check_untyped(*source), options.json);
  }
  if (kind == SourceKind::Typed) {
    const auto findings = check_typed(source, options.front_end);
    return findings ? tell(*source, true, *findings, options.json) : refuse(findings.error());
  }
  const core::Inclusion whole = core::include_files(source, *front_end, options.front_end.directories);
  if (!whole.errors.empty()) {
    Findings wrong;
    return tell(*whole.source, true, unreadable(wrong, whole.errors), options.json);
  }
  const bool is_open = options.front_end.kernel.empty() && front_end->wg_size == 0;
  const std::vector<std::string> kernels = is_open ? kernels_with_own_sizes(*whole.source, *front_end) : std::vector<std::string>();
  const auto findings = kernels.empty() ? check_kernels(whole.source, *front_end, options.front_end.kernel, options.explain)
                                        : check_each(whole.source, *front_end, kernels, options.explain);
  return findings ? tell(*whole.source, true, *findings, options.json) : refuse(findings.error());
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("check", "say whether a program is well-formed, and why not");
  command->footer(
      "Example: lockstep check examples/musimd/fig6.mus\n"
      "         lockstep check examples/core/saxpy.cl\n"
      "         lockstep check examples/everyday/histogram.cl --explain\n"
      "docs/wellformed.md says what the conditions are and why each is needed.\n"
      "Exit status: 0 well-formed, 1 ill-formed, 2 the file cannot be read or has errors of syntax or types, 3 undecided.");
  auto options = std::make_shared<CheckOptions>();
  command
      ->add_option("FILE", options->file,
                   "a .mus program, a .cl file of kernels, a kernel in InfReg-IR (.ir), or PTX (.ptx); - is standard input")
      ->required();
  command->add_flag("--json", options->json, "the findings as one JSON object on standard output");
  add_group_size_option(*command, options->group, LaneSet::max_width,
                        "WG_SIZE, 1 to 1048576, in up to three dimensions (default: what the kernel requires, else 32)")
      ->group(front_end_group);
  command->add_option("--kernel", options->front_end.kernel, "check this kernel alone (default: all of the file)")
      ->group(kernel_group)
      ->type_name("NAME");
  command->add_flag("--explain", options->explain, "say as well what stays slow when the kernels are compiled, and why")
      ->group(kernel_group);
  add_front_end_options(*command, options->front_end);
  add_length_option(*command, options->front_end);
  command->callback([command, options, &status] { status = check(*command, *options); });
}

}  // namespace lockstep::tools
