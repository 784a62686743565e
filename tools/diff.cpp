// `lockstep diff`: the interpreter against everything that a kernel is compiled to.

#include "tools/diff.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "interpreter/launch/arguments.hpp"
#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/verify.hpp"
#include "tools/gate_options.hpp"
#include "tools/lower.hpp"
#include "tools/number_option.hpp"
#include "tools/run_kernel_progress.hpp"
#include "tools/targets/target.hpp"

namespace lockstep::tools {

namespace {

using Clock = std::chrono::steady_clock;

struct DiffOptions {
  std::string file;
  std::string targets = "infreg,llvm";
  std::string packs = "1";
  std::uint64_t groups = 1;
  std::vector<std::string> arguments;
  unsigned wg_size = 0;
  std::uint64_t max_steps = launch::LaunchOptions().max_steps;
  std::string memory_limit = MachineFlags().memory_limit;
  bool json = false;
  std::string ir;
  bool streaming = false;
  std::vector<Target> known = all_targets();
  std::optional<unsigned> chunk_lanes;
  VerifyFlags verify;
  FrontEndFlags front_end;
};

/// The kernel in InfReg-IR, for one WG_PACK.
struct Lowered {
  unsigned wg_pack = 1;
  infreg::Kernel kernel;
  double seconds = 0;
};

/// What the options ask for, once they have been understood.
struct DiffRequest {
  std::vector<const Target*> targets;
  std::vector<std::string> missing;  ///< targets that are not there yet, or need what is not there
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

/// The targets by name; what some need and is not there has been said. The error is a sentence.
std::optional<std::string> read_targets(const CLI::App& command, const DiffOptions& options, DiffRequest& request) {
  const std::vector<std::string> names = split(options.targets);
  for (const std::string& name : names) {
    const auto target = std::ranges::find(options.known, name, &Target::name);
    if (target == options.known.end() || !is_for(*target, Use::Diff)) {
      const WrongTarget wrong = wrong_target(name, names_of(options.known, Use::Diff));
      if (wrong.status != missing) {
        return wrong.sentence;
      }
      say(refusal(wrong.sentence).text);
      request.missing.push_back(name);
      continue;
    }
    const auto unfit = target->complete ? target->complete(Use::Diff, {false, false, options.chunk_lanes}) : std::nullopt;
    if (!unfit) {
      request.targets.push_back(&*target);
    } else if (unfit->is_missing) {
      say(refusal(fmt::format("--target {}: {}", name, unfit->sentence)).text);
      request.missing.push_back(name);
    } else {
      return unfit->sentence;
    }
  }
  return misplaced_for_targets(command, options.known, names);
}

std::expected<DiffRequest, std::string> read_request(const CLI::App& command, const DiffOptions& options) {
  DiffRequest request;
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

std::expected<std::vector<Lowered>, Refusal> lower_for(const ReadKernel& kernel, const std::vector<unsigned>& packs, bool streaming,
                                                       const PackChoice& choose) {
  std::vector<Lowered> all;
  for (const unsigned pack : packs) {
    const Clock::time_point start = Clock::now();
    auto lowered = lower_kernel(kernel, pipeline_options(pack, streaming), choose);
    if (!lowered) {
      return std::unexpected(lowered.error());
    }
    all.push_back({lowered->shape.wg_pack, std::move(*lowered), std::chrono::duration<double>(Clock::now() - start).count()});
  }
  return all;
}

/// The kernel in InfReg-IR of a file, in place of what the passes make.
std::expected<std::vector<Lowered>, Refusal> read_instead(const ReadKernel& kernel, const std::string& path) {
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
  const unsigned pack = text->shape.wg_pack;
  all.push_back({pack, std::move(*text), 0});
  return all;
}

/// If the interpreter's result is nothing to compare with: says why and returns the exit status.
std::optional<Status> unusable(const typed::Program& program, const launch::Outcome& outcome, bool json) {
  std::string what;
  std::string reason;
  Status status = no;
  if (outcome.fault) {
    const bool is_limit = outcome.fault->kind == launch::FaultKind::StepLimit || outcome.fault->kind == launch::FaultKind::MemoryLimit ||
                          outcome.fault->kind == launch::FaultKind::DepthLimit;
    what = launch::render(program, *outcome.fault);
    reason = is_limit ? "the interpreter has reached a limit: there is nothing to compare"
                      : "what the kernel does here is undefined: there is nothing to compare";
    status = is_limit ? limit : no;
  } else if (const launch::Race* race = deciding_race(outcome)) {
    what = launch::render(program, *race);
    reason = "the result depends on the order of the groups: there is nothing to compare";
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

/// Runs and compares one target.
std::expected<Verdict, NotRun> judge(const Target& target, const Lowered& lowered, const Reference& reference) {
  Verdict verdict;
  verdict.target = target.name;
  verdict.wg_pack = lowered.wg_pack;
  verdict.lower_seconds = lowered.seconds;
  auto ran = target.run(lowered.kernel, reference);
  if (!ran) {
    return std::unexpected(NotRun{fmt::format("{}: {}", target.name, ran.error().sentence), ran.error().is_missing});
  }
  verdict.ran = std::move(*ran);
  if (const auto* buffers = std::get_if<std::vector<launch::Buffer>>(&verdict.ran.result)) {
    verdict.comparison = compare(reference, *buffers);
    verdict.ran.result = std::vector<launch::Buffer>();  // nobody looks at them again
  }
  if (verdict.comparison.first) {
    verdict.writer = last_writer(reference, *verdict.comparison.first);
  }
  if (target.is_evaluator && verdict.comparison.first) {
    verdict.parting = first_parting(lowered.kernel, reference);
  } else if (!target.is_evaluator && !is_equal(verdict) && name_of(verdict) != "not run") {
    const auto evaluated = judge(infreg_target(), lowered, reference);
    verdict.evaluator_agrees = evaluated && is_equal(*evaluated);
  }
  return verdict;
}

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
      proofs.push_back(
          {one.wg_pack, verdict_on(source, one.kernel, !options.ir.empty(), options.front_end, options.streaming, options.verify)});
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
int compare_all(const DiffRequest& request, const std::vector<Lowered>& lowered, const Reference& reference, const DiffOptions& options) {
  const bool json = options.json;
  const typed::Program& program = *reference.kernel.program;
  if (!json) {
    fmt::print("{}: {}, {} of {}; the interpreter took {}\n", program.source->name(), program.kernel().name,
               counted(reference.groups, "group"), counted(program.wg_size, "item"), time_text(reference.seconds));
  }
  const std::vector<Proof> proofs = prove_all(lowered, program.source, options);
  if (!json) {
    std::ranges::for_each(proofs, print_proof);
  }
  std::vector<Verdict> verdicts;
  std::vector<std::string> missing_targets = request.missing;
  for (const Lowered& kernel : lowered) {
    for (const Target* target : request.targets) {
      if (std::ranges::find(missing_targets, target->name) != missing_targets.end()) {
        continue;
      }
      auto verdict = judge(*target, kernel, reference);
      if (!verdict && !verdict.error().is_missing) {
        return refuse(refusal(verdict.error().sentence), json);
      }
      if (!verdict) {
        say(refusal("--target " + verdict.error().sentence).text);
        missing_targets.emplace_back(target->name);
        continue;
      }
      verdicts.push_back(std::move(*verdict));
      if (!json) {
        print_verdict(verdicts.back(), *program.source);
      }
    }
  }
  const Status status = together(status_of(verdicts, !missing_targets.empty()), proofs);
  if (json) {
    print_json(reference, verdicts, missing_targets, proofs, status_name(status));
  }
  return status;
}

/// What decides how many groups a pack has, if nobody else does: the first target asked for that has an opinion.
PackChoice packs_for(const DiffRequest& request) {
  const auto first = std::ranges::find_if(request.targets, [](const Target* target) { return target->choose_pack != nullptr; });
  return first == request.targets.end() ? packs_for_llvm() : (*first)->choose_pack;
}

/// The launch: the interpreter first, then the others.
std::expected<int, Refusal> launch_and_compare(const DiffRequest& request, const ReadKernel& read, const DiffOptions& options) {
  const auto lowered =
      options.ir.empty() ? lower_for(read, request.packs, options.streaming, packs_for(request)) : read_instead(read, options.ir);
  if (!lowered) {
    return std::unexpected(lowered.error());
  }
  const LoadedKernel kernel = load(read.program, *read.function);
  const auto read_array = [](const std::string& path, std::size_t most) {
    return read_file(path, [most](std::string_view) { return ByteLimit{most, ", too many for the memory limit (--memory-limit)"}; });
  };
  const auto arguments =
      launch::parse_arguments(*kernel.program, options.arguments, request.memory_limit, read_array, kernel.writable, kernel.restricted);
  if (!arguments) {
    return std::unexpected(refusal(arguments.error()));
  }
  launch::Arguments after = *arguments;
  launch::LaunchOptions launch;
  launch.groups = options.groups;
  launch.max_steps = options.max_steps;
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
  if (const auto status = unusable(*kernel.program, *outcome, options.json)) {
    return *status;
  }
  return compare_all(request, *lowered, {kernel, options.groups, *arguments, after, seconds}, options);
}

int diff(const CLI::App& command, const DiffOptions& options) {
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
  const auto kernel = read_kernel(*source, options.front_end, options.wg_size);
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
      "3 a limit was reached, a target was not run, or --verify full does not know, 4 a target that is not there yet, or needs what is not "
      "there, "
      "as a C++ compiler.");
  command->add_option("FILE", options->file, "a .cl file of kernels; - is standard input")->required();
  command->add_option("--target", options->targets, "which targets, with commas")->capture_default_str()->type_name("LIST");
  command->add_flag("--json", options->json, "the verdicts as one JSON object on standard output");
  add_number(*command, "--wg-size", options->wg_size, 1, LaneSet::max_width,
             "WG_SIZE, 1 to 1048576 (default: what the kernel requires, else 32)");
  command->add_option("--wg-pack", options->packs, "how many groups lie in an InfReg; several with commas, one after the other")
      ->capture_default_str()
      ->type_name("LIST");
  add_number(*command, "--groups", options->groups, 0, std::numeric_limits<std::int64_t>::max(), "number of work groups")->default_str("1");
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
  for (const Target& target : options->known) {
    if (target.add_options) {
      target.add_options(*command, Use::Diff);
    }
  }
  add_verify_options(*command, options->verify);
  add_kernel_name_option(*command, options->front_end);
  add_front_end_options(*command, options->front_end);
  command->callback([command, options, &status] { status = diff(*command, *options); });
}

}  // namespace lockstep::tools
