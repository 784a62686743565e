// `lockstep diff`: the interpreter against everything that a kernel is compiled to.

#include "tools/diff.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <limits>
#include <utility>

#include "codegen/emit/avx512/pack.hpp"
#include "interpreter/launch/arguments.hpp"
#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/verify.hpp"
#include "tools/avx512_options.hpp"
#include "tools/gate_options.hpp"
#include "tools/lower.hpp"
#include "tools/number_option.hpp"
#include "tools/run_kernel_progress.hpp"

namespace lockstep::tools {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array known_targets = {"infreg", "llvm", "avx512"};
constexpr std::string_view known_list = "infreg, llvm, avx512";

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
  LlvmOptions llvm;
  bool misaligned = false;
  emit_avx512::EmitOptions avx512_emit;
  Avx512Flags avx512;
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
  std::vector<std::string> targets;
  std::vector<std::string> missing;  ///< targets that are not there yet, or need what is not there
  std::vector<unsigned> packs;
  std::size_t memory_limit = 0;
  LlvmOptions llvm;
  Avx512Run avx512;
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

/// If the AVX512 target is asked for: how it is run, or that its compiler is missing. The error is a sentence about its options.
std::optional<std::string> read_avx512(const CLI::App& command, const DiffOptions& options, DiffRequest& request) {
  const auto wanted = std::ranges::find(request.targets, "avx512");
  if (wanted == request.targets.end()) {
    return misplaced_for_target(command, avx512_group, "avx512");
  }
  request.avx512.emit = options.avx512_emit;
  request.avx512.emit.chunk_lanes = options.llvm.chunk_lanes.value_or(0);
  request.avx512.level = options.avx512.level;
  request.avx512.alignment = options.misaligned ? Alignment::Bytes : Alignment::Elements;
  if (options.llvm.chunk_lanes) {
    if (const auto problem = wrong_avx512_chunk(*options.llvm.chunk_lanes)) {
      return "--chunk-lanes: " + *problem;
    }
  }
  auto compiler = host::find_compiler(options.avx512.compiler);
  if (compiler) {
    request.avx512.compiler = std::move(*compiler);
    return std::nullopt;
  }
  say(refusal("--target avx512: " + compiler.error()).text);
  request.missing.emplace_back("avx512");
  std::erase(request.targets, "avx512");
  return std::nullopt;
}

std::expected<DiffRequest, std::string> read_request(const CLI::App& command, const DiffOptions& options) {
  DiffRequest request;
  request.llvm = options.llvm;
  for (const std::string& name : split(options.targets)) {
    if (std::ranges::find(known_targets, name) != known_targets.end()) {
      request.targets.push_back(name);
      continue;
    }
    const WrongTarget wrong = wrong_target(name, known_list);
    if (wrong.status != missing) {
      return std::unexpected(wrong.sentence);
    }
    say(refusal(wrong.sentence).text);
    request.missing.push_back(name);
  }
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
  if (auto problem = read_avx512(command, options, request)) {
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

std::expected<Ran, NotRun> run(const std::string& target, const infreg::Kernel& kernel, const Reference& reference,
                               const DiffRequest& request) {
  if (target == "infreg") {
    return run_infreg(kernel, reference);
  }
  if (target == "avx512") {
    return run_avx512(kernel, reference, request.avx512);
  }
  auto ran = run_llvm(kernel, reference, request.llvm);
  return ran ? std::expected<Ran, NotRun>(std::move(*ran)) : std::unexpected(NotRun{std::move(ran.error())});
}

/// Runs and compares one target.
std::expected<Verdict, NotRun> judge(const std::string& target, const Lowered& lowered, const Reference& reference,
                                     const DiffRequest& request) {
  Verdict verdict;
  verdict.target = target;
  verdict.wg_pack = lowered.wg_pack;
  verdict.lower_seconds = lowered.seconds;
  auto ran = run(target, lowered.kernel, reference, request);
  if (!ran) {
    return std::unexpected(NotRun{fmt::format("{}: {}", target, ran.error().sentence), ran.error().is_missing});
  }
  verdict.ran = std::move(*ran);
  if (const auto* buffers = std::get_if<std::vector<launch::Buffer>>(&verdict.ran.result)) {
    verdict.comparison = compare(reference, *buffers);
    verdict.ran.result = std::vector<launch::Buffer>();  // nobody looks at them again
  }
  if (verdict.comparison.first) {
    verdict.writer = last_writer(reference, *verdict.comparison.first);
  }
  if (target == "infreg" && verdict.comparison.first) {
    verdict.parting = first_parting(lowered.kernel, reference);
  } else if (target != "infreg" && !is_equal(verdict) && name_of(verdict) != "not run") {
    const auto evaluated = judge("infreg", lowered, reference, request);
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
    for (const std::string& target : request.targets) {
      if (std::ranges::find(missing_targets, target) != missing_targets.end()) {
        continue;
      }
      auto verdict = judge(target, kernel, reference, request);
      if (!verdict && !verdict.error().is_missing) {
        return refuse(refusal(verdict.error().sentence), json);
      }
      if (!verdict) {
        say(refusal("--target " + verdict.error().sentence).text);
        missing_targets.push_back(target);
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

/// The launch: the interpreter first, then the others.
std::expected<int, Refusal> launch_and_compare(const DiffRequest& request, const ReadKernel& read, const DiffOptions& options) {
  const bool for_avx512 = request.targets == std::vector<std::string>{"avx512"};
  const PackChoice choose =
      for_avx512 ? PackChoice([&request](const infreg::Kernel& kernel) { return emit_avx512::choose_pack(kernel, request.avx512.emit); })
                 : packs_for_llvm();
  const auto lowered = options.ir.empty() ? lower_for(read, request.packs, options.streaming, choose) : read_instead(read, options.ir);
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
  command->footer(
      "Example: lockstep diff examples/borg/ldus.cl --wg-size 8 --groups 3 --wg-pack 1,2 --arg a=192:random:1\n"
      "         lockstep diff examples/borg/gemm.cl --target avx512 --wg-size 4 --wg-pack 2 --arg a=16:iota --arg b=16:iota --arg "
      "c=16:zeros\n"
      "Targets: infreg, the evaluator of InfReg-IR; llvm, machine code for this processor; avx512, C++ with AVX512 intrinsics, compiled\n"
      "here, with loops of ours for the intrinsics where the processor lacks them: \"emulated\" in place of \"hardware\".\n"
      "Results are compared bit for bit, but any NaN equals any other, and poison in the interpreter's result equals anything.\n"
      "The lowering is proved in front of it, within a budget (--verify).\n"
      "Exit status: 0 equal, 1 different, a counterexample to the proof, or nothing to compare because the kernel's behaviour is "
      "undefined, 2 bad usage or input,\n"
      "3 a limit was reached, a target was not run, or --verify full does not know, 4 a target that is not there yet, or no C++ compiler "
      "for avx512.");
  auto options = std::make_shared<DiffOptions>();
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
  add_number(*command, "--llvm-level", options->llvm.level, 0, 3, "LLVM's level")->default_str("3")->group(llvm_group);
  command
      ->add_option_function<std::string>(
          "--chunk-lanes",
          [options](const std::string& text) {
            const auto number = parse_number(text, 1, 64);
            if (!number || !std::has_single_bit(*number)) {
              throw CLI::ValidationError("--chunk-lanes", number ? text + " is no power of two" : number.error());
            }
            options->llvm.chunk_lanes = static_cast<unsigned>(*number);
          },
          "lanes that machine code computes at once, a power of two up to 64; for avx512 8 or 16 (default: as many as fit a register)")
      ->type_name("N");
  add_avx512_compile_options(*command, options->avx512);
  add_avx512_emit_options(*command, options->avx512_emit);
  command->add_flag("--misaligned", options->misaligned, "buffers that begin where no element of their type should")->group(avx512_group);
  add_verify_options(*command, options->verify);
  add_kernel_name_option(*command, options->front_end);
  add_front_end_options(*command, options->front_end);
  command->callback([command, options, &status] { status = diff(*command, *options); });
}

}  // namespace lockstep::tools
