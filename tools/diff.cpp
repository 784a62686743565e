// `lockstep diff`: the interpreter against everything that a kernel is compiled to.

#include "tools/diff.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <utility>

#include "interpreter/launch/arguments.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/base/files.hpp"
#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/verify.hpp"
#include "tools/gate_options.hpp"
#include "tools/lower.hpp"
#include "tools/number_option.hpp"
#include "tools/run_kernel_progress.hpp"
#include "tools/target_options.hpp"
#include "tools/values.hpp"

namespace lockstep::tools {

using namespace differential;
using targets::Target;
using targets::Use;
using targets::Verdict;

namespace {

using Clock = std::chrono::steady_clock;

struct DiffOptions {
  std::string file;
  std::string targets{targets::usual_targets(Use::Diff)};
  std::string packs = "1";
  GridFlags grid;
  std::vector<std::string> arguments;
  GroupFlags group;
  std::uint64_t max_steps = launch::LaunchOptions().max_steps;
  std::string memory_limit = MachineFlags().memory_limit;
  bool json = false;
  std::string ir;
  bool streaming = false;
  std::vector<Target> known = targets::all_targets();
  targets::Settings settings;
  std::optional<unsigned> chunk_lanes;
  VerifyFlags verify;
  FrontEndFlags front_end;
};

/// The kernel in InfReg-IR, for one WG_PACK.
struct Lowered {
  infreg::Kernel kernel;
  double seconds = 0;
  std::vector<const Target*> targets;  ///< that run it
};

/// What the options ask for, once they have been understood.
struct DiffRequest {
  targets::Asked asked;
  std::vector<const Target*> targets;
  std::vector<const Target*> source_targets;  ///< those that read the kernel itself
  std::vector<std::string> missing;           ///< targets that need what is not there
  std::vector<unsigned> packs;
  std::size_t memory_limit = 0;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// A sentence about what has no meaning for targets that read the kernel itself.
std::optional<std::string> misplaced_for_source(const CLI::App& command, const DiffRequest& request) {
  if (request.source_targets.empty()) {
    return std::nullopt;
  }
  const std::string_view name = request.source_targets.front()->name;
  if (!request.targets.empty()) {
    return fmt::format("--target {} takes every item on its own, and {} takes groups in lockstep: they are compared one at a time", name,
                       request.targets.front()->name);
  }
  for (const char* option : {"--wg-pack", "--ir", "--streaming", "--chunk-lanes", "--verify"}) {
    if (command.get_option(option)->count() > 0) {
      return fmt::format("{} means nothing to --target {}, which does not go through InfReg-IR", option, name);
    }
  }
  return std::nullopt;
}

/// The targets by name; what some need and is not there has been said. The error is a sentence.
std::optional<std::string> read_targets(const CLI::App& command, const DiffOptions& options, DiffRequest& request) {
  const std::vector<std::string> names = split(options.targets);
  for (const std::string& name : names) {
    const Target* target = targets::find(options.known, name, Use::Diff);
    if (target == nullptr) {
      return no_such_target(name, names_of(options.known, Use::Diff));
    }
    const auto unfit = target->complaint ? target->complaint(Use::Diff, request.asked) : std::nullopt;
    if (!unfit) {
      (reads_source(*target) ? request.source_targets : request.targets).push_back(target);
    } else if (unfit->is_missing) {
      say(refusal(fmt::format("--target {}: {}", name, unfit->sentence)).text);
      request.missing.push_back(name);
    } else {
      return unfit->sentence;
    }
  }
  if (auto problem = misplaced_for_source(command, request)) {
    return problem;
  }
  return misplaced_for_targets(command, options.known, Use::Diff, names);
}

std::expected<DiffRequest, std::string> read_request(const CLI::App& command, const DiffOptions& options) {
  DiffRequest request;
  request.asked.settings = options.settings;
  request.asked.chunk_lanes = options.chunk_lanes;
  for (const std::string& text : split(options.packs)) {
    const auto pack = parse_pack(text);
    if (!pack) {
      return std::unexpected(pack.error());
    }
    request.packs.push_back(*pack);
  }
  const auto bytes = parse_bytes(options.memory_limit);
  if (!bytes) {
    return std::unexpected("--memory-limit: " + bytes.error());
  }
  request.memory_limit = *bytes;
  if (auto problem = read_targets(command, options, request)) {
    return std::unexpected(std::move(*problem));
  }
  if (auto problem = misplaced_for_verify(command, options.verify)) {
    return std::unexpected(std::move(*problem));
  }
  return request;
}

/// A WG_PACK of 0 is what `choose` says.
std::expected<Lowered, Refusal> lower_timed(const ReadKernel& kernel, unsigned pack, bool streaming, const PackChoice& choose) {
  const Clock::time_point start = Clock::now();
  auto lowered = lower_kernel(kernel, pipeline_options(pack, streaming), choose);
  if (!lowered) {
    return std::unexpected(lowered.error());
  }
  return Lowered{std::move(*lowered), std::chrono::duration<double>(Clock::now() - start).count(), {}};
}

/// With the packs that the targets choose; those that choose none run all of these.
std::expected<std::vector<Lowered>, Refusal> lower_for_each(const ReadKernel& kernel, const DiffRequest& request, bool streaming) {
  std::vector<Lowered> all;
  for (const Target* target : request.targets) {
    if (!target->choose_pack) {
      continue;
    }
    auto lowered =
        lower_timed(kernel, 0, streaming, [&](const infreg::Kernel& alone) { return target->choose_pack(alone, request.asked); });
    if (!lowered) {
      return std::unexpected(lowered.error());
    }
    auto same = std::ranges::find_if(all, [&](const Lowered& each) { return each.kernel.shape.wg_pack == lowered->kernel.shape.wg_pack; });
    (same != all.end() ? *same : all.emplace_back(std::move(*lowered))).targets.push_back(target);
  }
  if (all.empty()) {
    auto lowered = lower_timed(kernel, 0, streaming, usual_pack);
    if (!lowered) {
      return std::unexpected(lowered.error());
    }
    all.push_back(std::move(*lowered));
  }
  for (Lowered& each : all) {
    const std::vector<const Target*> choosing = std::move(each.targets);
    each.targets.clear();
    std::ranges::copy_if(request.targets, std::back_inserter(each.targets), [&](const Target* target) {
      return !target->choose_pack || std::ranges::find(choosing, target) != choosing.end();
    });
  }
  return all;
}

std::expected<std::vector<Lowered>, Refusal> lower_for(const ReadKernel& kernel, const DiffRequest& request, bool streaming) {
  std::vector<Lowered> all;
  for (const unsigned pack : request.packs) {
    if (pack == 0) {
      auto chosen = lower_for_each(kernel, request, streaming);
      if (!chosen) {
        return std::unexpected(chosen.error());
      }
      std::ranges::move(*chosen, std::back_inserter(all));
      continue;
    }
    auto lowered = lower_timed(kernel, pack, streaming, usual_pack);
    if (!lowered) {
      return std::unexpected(lowered.error());
    }
    lowered->targets = request.targets;
    all.push_back(std::move(*lowered));
  }
  return all;
}

/// The kernel in InfReg-IR of a file, in place of what the passes make.
std::expected<std::vector<Lowered>, Refusal> read_instead(const ReadKernel& kernel, const std::string& path, const DiffRequest& request) {
  const auto source = read_source(path);
  if (!source) {
    return std::unexpected(source.error());
  }
  auto text = infreg::parse(*source);
  if (!text) {
    return std::unexpected(refusal(**source, text.error()));
  }
  if (const auto faults = infreg::verify(*text); !faults.empty()) {
    say(infreg::print_marked(*text, faults));
    return std::unexpected(refusal(fmt::format("{}: the verifier refuses this kernel: {}", path, counted(faults.size(), "fault"))));
  }
  const bool fits = text->shape.wg_size == kernel.program.options.wg_size && text->parameters.size() == kernel.function->parameter_count;
  for (std::size_t k = 0; fits && k < text->parameters.size(); ++k) {
    const core::Type& type = kernel.function->variables[k].type;
    if (text->parameters[k].is_pointer != type.is_pointer() || text->parameters[k].scalar != type.scalar) {
      return std::unexpected(
          refusal(fmt::format("{}: the parameter '{}' has another type than that of the kernel", path, text->parameters[k].name)));
    }
  }
  if (!fits) {
    return std::unexpected(refusal(fmt::format("{}: has other parameters, or another WG_SIZE, than the kernel", path)));
  }
  std::vector<Lowered> all;
  all.push_back({std::move(*text), 0, request.targets});
  return all;
}

/// If the interpreter's result is nothing to compare with: says why and returns the exit status. `alone`: every item is on its own, so that
/// any race decides.
std::optional<Status> unusable(const typed::Program& program, const launch::Outcome& outcome, bool alone, const launch::Places& places,
                               bool json) {
  std::string what;
  std::string reason;
  Status status = no;
  if (outcome.fault) {
    const bool is_limit = outcome.fault->kind == launch::FaultKind::StepLimit || outcome.fault->kind == launch::FaultKind::MemoryLimit ||
                          outcome.fault->kind == launch::FaultKind::DepthLimit;
    what = launch::render(program, *outcome.fault, places);
    reason = is_limit ? "the interpreter has reached a limit: there is nothing to compare"
                      : "what the kernel does here is undefined: there is nothing to compare";
    status = is_limit ? limit : no;
  } else if (const launch::Race* race = alone && !outcome.races.empty() ? &outcome.races.front() : deciding_race(outcome)) {
    what = launch::render(program, *race, places);
    reason = fmt::format("the result depends on the order of the {}: there is nothing to compare", alone ? "items" : "groups");
  } else {
    return std::nullopt;
  }
  say(what);
  complain(reason);
  if (json) {
    fmt::print("{{\"status\":\"{}\",\"reason\":{}}}\n", status == limit ? "limit" : "undefined",
               json_string(outcome.fault ? outcome.fault->message : reason));
  }
  return status;
}

bool is_equal(const Verdict& verdict) { return name_of(verdict) == "equal"; }

/// Whether a target has said nothing about the kernel.
bool is_silent(const Verdict& verdict) { return name_of(verdict) == "limit" || name_of(verdict) == "not run"; }

Status status_of(const std::vector<Verdict>& verdicts, bool some_missing) {
  Status status = some_missing ? missing : fine;
  for (const Verdict& verdict : verdicts) {
    if (!is_equal(verdict) && !is_silent(verdict)) {
      return no;
    }
    status = is_silent(verdict) ? limit : status;
  }
  return status;
}

std::string_view status_name(Status status) {
  return status == fine ? "equal" : status == no ? "different" : status == limit ? "limit" : "missing";
}

/// Of every pack what the proof says, if it is asked for.
std::vector<Proof> prove_all(const std::vector<Lowered>& lowered, const std::shared_ptr<const SourceFile>& source,
                             const DiffOptions& options) {
  std::vector<Proof> proofs;
  for (const Lowered& one : lowered) {
    if (options.verify.level != VerifyLevel::Off) {
      proofs.push_back({one.kernel.shape.wg_pack, verdict_on(source, one.kernel, !options.ir.empty(), options.front_end, options.group,
                                                             options.streaming, options.verify)});
    }
  }
  return proofs;
}

/// With what the proofs say; a target that differs comes first.
Status together(Status targets, const std::vector<Proof>& proofs) {
  for (const Proof& proof : proofs) {
    const Status status = status_after(proof.verdict);
    if (status == no || (status != fine && targets == fine)) {
      targets = status;
    }
  }
  return targets;
}

/// Runs every target with every pack, and tells.
int compare_all(const DiffRequest& request, const std::vector<Lowered>& lowered, const targets::SourceKernel& source,
                const Reference& reference, const DiffOptions& options) {
  const bool json = options.json;
  const typed::Program& program = *reference.kernel.program;
  if (!json) {
    fmt::print("{}: {}, {} of {}; the interpreter took {}\n", program.source->name(), program.kernel().name,
               counted(reference.groups, "group"), counted(program.wg_size, "item"), time_text(reference.seconds));
    fmt::print("{}", text_of(reference.open, reference.kernel, reference.before));
  }
  const std::vector<Proof> proofs = prove_all(lowered, program.source, options);
  if (!json) {
    std::ranges::for_each(proofs, print_proof);
  }
  std::vector<Verdict> verdicts;
  std::vector<std::string> missing_targets = request.missing;
  std::optional<Refusal> refused;
  const auto take = [&](const Target& target, std::expected<Verdict, NotRun> verdict, double lower_seconds) {
    if (!verdict && !verdict.error().is_missing) {
      refused = refusal(verdict.error().sentence);
    } else if (!verdict) {
      say(refusal("--target " + verdict.error().sentence).text);
      missing_targets.emplace_back(target.name);
    } else {
      verdict->lower_seconds = lower_seconds;
      verdicts.push_back(std::move(*verdict));
      if (!json) {
        print_verdict(verdicts.back(), *program.source);
      }
    }
  };
  for (const Lowered& kernel : lowered) {
    for (const Target* target : kernel.targets) {
      if (!refused && std::ranges::find(missing_targets, target->name) == missing_targets.end()) {
        take(*target, judge(*target, kernel.kernel, reference, request.asked), kernel.seconds);
      }
    }
  }
  for (const Target* target : request.source_targets) {
    if (!refused) {
      take(*target, judge(*target, source, reference, request.asked), 0);
    }
  }
  if (refused) {
    return refuse(*refused, json);
  }
  const Status status = together(status_of(verdicts, !missing_targets.empty()), proofs);
  if (json) {
    print_json(reference, verdicts, missing_targets, proofs, status_name(status));
  }
  return status;
}

/// The launch: the interpreter first, then the others.
std::expected<int, Refusal> launch_and_compare(const DiffRequest& request, const ReadKernel& read, const DiffOptions& options) {
  const bool alone = !request.source_targets.empty();
  const auto lowered = alone                ? std::vector<Lowered>()
                       : options.ir.empty() ? lower_for(read, request, options.streaming)
                                            : read_instead(read, options.ir, request);
  if (!lowered) {
    return std::unexpected(lowered.error());
  }
  const LoadedKernel kernel = load(read.program, *read.function);
  const auto read_array = [](const std::string& path, std::size_t most) {
    return read_file(path, [most](std::string_view) { return ByteLimit{most, ", too many for the memory limit (--memory-limit)"}; });
  };
  const auto grid = grid_of(options.grid, kernel);
  if (!grid) {
    return std::unexpected(refusal(grid.error()));
  }
  const auto arguments =
      launch::parse_arguments(*kernel.program, with_grid(options.arguments, kernel, *grid), request.memory_limit, read_array,
                              kernel.writable, kernel.restricted, kernel.structures, kernel.written_parameters);
  if (!arguments) {
    return std::unexpected(refusal(arguments.error()));
  }
  if (const auto problem = launch::null_pointer(*kernel.program, *arguments)) {
    return std::unexpected(refusal(*problem));
  }
  launch::Arguments after = *arguments;
  launch::LaunchOptions launch;
  launch.groups = groups_of(*grid);
  launch.ragged = ragged_range(options.grid, kernel, *grid);
  launch.max_steps = options.max_steps;
  launch.warp_size = alone ? 1 : 0;
  const Clock::time_point start = Clock::now();
  const auto outcome = [&] {
    ShownProgress shown(launch.groups);
    launch.progress = shown.progress();
    return launch::run(kernel.program, after, launch);
  }();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!outcome) {
    return std::unexpected(refusal(outcome.error()));
  }
  if (const auto status = unusable(*kernel.program, *outcome, alone, places_of(kernel, *grid), options.json)) {
    return *status;
  }
  const auto open = open_elements(kernel, *arguments, after, launch);
  if (!open) {
    say(launch::render(*kernel.program, open.error(), places_of(kernel, *grid)));
    return std::unexpected(refusal("in another order of atomic changes what the kernel does is undefined: there is nothing to compare"));
  }
  targets::SourceKernel source{read.program.source->text(), kernel.program->kernel().name, read.program.options.defines,
                               kernel.program->wg_size};
  if (source.text.contains("printf")) {  // which is left out there, too: of a call its arguments stay
    source.defines.emplace_back("printf(FORMAT,...)", "((void)(0, ##__VA_ARGS__), 0)");
  }
  for (const core::LocalParameter& parameter : read.function->local_parameters) {
    source.local_parameters.push_back({parameter.position, parameter.length.value_or(0) * size_of(parameter.element)});
  }
  source.written_parameters = kernel.written_parameters;
  source.shape = *kernel.shape;
  source.grid = *grid;
  source.is_ragged = launch.ragged.has_value();
  source.dimensions = read.program.options.dimensions;
  source.offset = read.program.options.offset;
  source.group_parameters = kernel.group_parameters;
  return compare_all(request, *lowered, source, {kernel, launch.groups, *arguments, after, seconds, *open}, options);
}

int diff(const CLI::App& command, DiffOptions options) {
  take_lengths(options.arguments, options.front_end);
  options.front_end.dimensions = dimensions_of(options.grid, options.group);
  options.front_end.ragged_items = ragged_items(options.grid);
  const auto request = read_request(command, options);
  if (!request) {
    return refuse(refusal(request.error()), options.json);
  }
  const auto source = read_source(options.file);
  if (!source) {
    return refuse(source.error(), options.json);
  }
  if (kind_of(**source) != SourceKind::Kernels) {
    return refuse(refusal(fmt::format("{}: is no file of kernels, which alone are compiled", (*source)->name())), options.json);
  }
  FrontEndFlags front_end = options.front_end;
  if (!request->source_targets.empty()) {
    front_end.contract = "off";  // as they compile it
  }
  const auto kernel = read_kernel(*source, front_end, options.group);
  if (!kernel) {
    return refuse(kernel.error(), options.json);
  }
  const auto status = launch_and_compare(*request, *kernel, options);
  return status ? *status : refuse(status.error(), options.json);
}

}  // namespace

void add_diff(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("diff", "run what a kernel is compiled to, compare with the interpreter");
  auto options = std::make_shared<DiffOptions>();
  command->footer(
      "Example: lockstep diff examples/borg/ldus.cl --wg-size 8 --groups 3 --wg-pack 1,2 --arg a=192:random:1\n"
      "         lockstep diff examples/borg/gemm.cl --target avx512 --wg-size 4 --wg-pack 2 --arg a=16:iota --arg b=16:iota --arg "
      "c=16:zeros\n"
      "Targets: " +
      meanings_of(options->known, Use::Diff) +
      ".\n"
      "Results are compared bit for bit, but any NaN equals any other, and poison in the interpreter's result equals anything.\n"
      "The lowering is proved in front of it, within a budget (--verify).\n"
      "Exit status: 0 equal, 1 different, a counterexample to the proof, or nothing to compare because the kernel's behaviour is "
      "undefined, 2 bad usage or input,\n"
      "3 a limit was reached, a target was not run, or --verify full does not know, 4 a target that needs what is not there, "
      "as a C++ compiler.");
  command->add_option("FILE", options->file, "a .cl file of kernels; - is standard input")->required();
  command->add_option("--target", options->targets, "which targets, with commas")->capture_default_str()->type_name("LIST");
  command->add_flag("--json", options->json, "the verdicts as one JSON object on standard output");
  add_group_size_option(*command, options->group, LaneSet::max_width,
                        "WG_SIZE, 1 to 1048576, in up to three dimensions (default: what the kernel requires, else 32)");
  command->add_option("--wg-pack", options->packs, "how many groups lie in an InfReg; several with commas, one after the other")
      ->capture_default_str()
      ->type_name("LIST");
  add_grid_options(*command, options->grid);
  command->add_option("--arg", options->arguments, "an argument, as lockstep run takes it: NAME=VALUE")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  add_number(*command, "--max-steps", options->max_steps, 1, std::numeric_limits<std::int64_t>::max(),
             "instructions of one group that the interpreter executes")
      ->default_str(std::to_string(options->max_steps));
  command->add_option("--memory-limit", options->memory_limit, "bytes that the arguments may take; K, M and G may stand behind")
      ->capture_default_str()
      ->type_name("BYTES");
  command->add_option("--ir", options->ir, "InfReg-IR to run in place of what the passes make of the kernel; its text says WG_PACK")
      ->type_name("FILE")
      ->excludes("--wg-pack");
  add_streaming_option(*command, options->streaming)->excludes("--ir");
  add_chunk_lanes_option(*command, options->chunk_lanes);
  add_target_options(*command, options->known, Use::Diff, options->settings);
  add_verify_options(*command, options->verify);
  add_kernel_name_option(*command, options->front_end);
  add_front_end_options(*command, options->front_end);
  command->callback([command, options, &status] { status = diff(*command, *options); });
}

}  // namespace lockstep::tools
