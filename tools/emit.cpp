// `lockstep emit`: code for a target, on standard output or as files.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "codegen/emit/llvm/names.hpp"
#include "codegen/passes/slow.hpp"
#include "semantics/base/files.hpp"
#include "tools/emit_bundle.hpp"
#include "tools/gate_options.hpp"
#include "tools/lower.hpp"
#include "tools/number_option.hpp"
#include "tools/run.hpp"
#include "tools/target_options.hpp"

namespace lockstep::tools {

using targets::Target;
using targets::Use;

namespace {

struct EmitOptions {
  std::string file;
  std::string target;
  std::string directory;
  std::vector<Target> targets = targets::all_targets();
  targets::Settings settings;
  std::optional<unsigned> chunk_lanes;
  std::string pack = "auto";
  bool streaming = false;
  GroupFlags group;
  std::string bundle;
  BundleRequest launch;
  VerifyFlags verify;
  FrontEndFlags front_end;
};

targets::Asked asked(const EmitOptions& options) {
  return {options.settings, options.chunk_lanes, !options.directory.empty(), !options.bundle.empty()};
}

/// The kernel that is compiled. Refusals have been said.
std::expected<infreg::Kernel, Status> kernel_of(const CLI::App& command, const std::shared_ptr<const SourceFile>& source,
                                                const Target& target, const EmitOptions& options) {
  if (is_infreg_text(*source)) {
    if (const auto problem = misplaced_for_infreg(command, source->name())) {
      complain(*problem);
      return std::unexpected(bad_input);
    }
    return read_infreg(source);
  }
  if (kind_of(*source) != SourceKind::Kernels) {
    complain(
        fmt::format("{}: is a .mus program, from which no way leads to "
                    "machine code; emit takes kernels and InfReg-IR",
                    source->name()));
    return std::unexpected(bad_input);
  }
  const auto pack = parse_pack(options.pack);
  if (!pack) {
    complain(pack.error());
    return std::unexpected(bad_input);
  }
  const auto kernel = read_kernel(source, options.front_end, options.group);
  if (kernel) {
    if (auto problem = emit_llvm::wrong_symbol(kernel->function->name)) {
      refuse(refusal(*kernel->program.source, {Diagnostic{Severity::Error, kernel->function->span, std::move(*problem), {}}}));
      return std::unexpected(bad_input);
    }
  }
  const auto choose = [&](const infreg::Kernel& alone) {
    return target.choose_pack ? target.choose_pack(alone, asked(options)) : usual_pack(alone);
  };
  auto lowered = kernel ? lower_kernel(*kernel, pipeline_options(*pack, options.streaming), choose) : std::unexpected(kernel.error());
  if (!lowered) {
    refuse(lowered.error());
    return std::unexpected(bad_input);
  }
  return std::move(*lowered);
}

/// What --bundle adds to the folder.
std::expected<std::vector<host::TextFile>, Refusal> files_of_bundle(const std::shared_ptr<const SourceFile>& source,
                                                                    const infreg::Kernel& kernel, const Target& target,
                                                                    const EmitOptions& options) {
  if (is_infreg_text(*source)) {
    return std::unexpected(
        refusal("--bundle: what is expected is what the interpreter leaves, "
                "which needs the kernel as a .cl file"));
  }
  const auto read = read_kernel(source, options.front_end, options.group);
  if (!read) {
    return std::unexpected(read.error());
  }
  const auto in_packs = [&](unsigned wg_pack) -> std::optional<infreg::Kernel> {
    auto lowered = lower_kernel(*read, pipeline_options(wg_pack, options.streaming), usual_pack);
    return lowered ? std::optional(std::move(*lowered)) : std::nullopt;
  };
  return bundle_files(*read, kernel, options.launch, target.surroundings(kernel, in_packs, asked(options)));
}

/// Makes the folder if only the last part of its name is missing; a problem is
/// a sentence.
std::optional<std::string> make_directory(const std::string& path, std::string_view option) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return std::nullopt;
  }
  if (std::filesystem::exists(path, error)) {
    return fmt::format("{} {}: is no folder", option, path);
  }
  std::filesystem::create_directory(path, error);
  return error ? std::optional(fmt::format("{} {}: this folder cannot be made: {}", option, path, error.message())) : std::nullopt;
}

std::optional<std::string> write_files(const std::vector<host::TextFile>& files, const EmitOptions& options) {
  if (const auto problem = make_directory(options.directory, options.bundle.empty() ? "-o" : "--bundle")) {
    return problem;
  }
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const host::TextFile& file : files) {
    paths.push_back((std::filesystem::path(options.directory) / file.name).string());
  }
  if (const auto problem = check_overwriting({options.file}, paths)) {
    return problem;
  }
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (const auto problem = write_text(paths[k], files[k].content)) {
      return problem;
    }
  }
  return std::nullopt;
}

/// A sentence about options that do not go together; else the target is ready.
std::optional<std::string> complete(const CLI::App& command, const Target& target, EmitOptions& options) {
  if (auto problem = misplaced_for_targets(command, options.targets, Use::Emit, {std::string(target.name)})) {
    return problem;
  }
  for (const auto& [option, folder] : {std::pair("-o", &options.directory), std::pair("--bundle", &options.bundle)}) {
    if (command.count(option) > 0 && folder->empty()) {
      return fmt::format("{}: an empty name is no folder", option);
    }
  }
  if (!options.bundle.empty()) {
    if (!target.surroundings) {
      return fmt::format("--bundle: the {} target has none", target.name);
    }
    if (!options.directory.empty()) {
      return "--bundle and -o both say in which folder the files go";
    }
    options.directory = options.bundle;
  } else {
    for (const char* option : {"--groups", "--global"}) {
      if (command.count(option) > 0) {
        return fmt::format("{} is for --bundle, which runs the kernel", option);
      }
    }
    if (!options.launch.arguments.empty()) {
      return "--arg is for --bundle, which runs the kernel; without it, for the lengths of __local parameters alone, NAME=local:LENGTH";
    }
  }
  if (auto problem = misplaced_for_verify(command, options.verify)) {
    return problem;
  }
  return std::nullopt;
}

int emit(const CLI::App& command, EmitOptions options) {
  take_lengths(options.launch.arguments, options.front_end);
  options.front_end.dimensions = dimensions_of(options.launch.grid, options.group);
  options.front_end.ragged_items = ragged_items(options.launch.grid);
  const Target* target = targets::find(options.targets, options.target, Use::Emit);
  if (target == nullptr) {
    complain(no_such_target(options.target, names_of(options.targets, Use::Emit)));
    return bad_input;
  }
  if (const auto problem = complete(command, *target, options)) {
    complain(*problem);
    return bad_input;
  }
  if (const auto unfit = target->complaint ? target->complaint(Use::Emit, asked(options)) : std::nullopt) {
    complain(unfit->sentence);
    return unfit->is_missing ? missing : bad_input;
  }
  const auto source = read_source(options.file);
  if (!source) {
    return refuse(source.error());
  }
  const auto kernel = kernel_of(command, *source, *target, options);
  if (!kernel) {
    return kernel.error();
  }
  const LoweringVerdict verdict = is_infreg_text(**source) ? verdict_on_text()
                                                           : verdict_on(kernel->source, *kernel, false, options.front_end, options.group,
                                                                        options.streaming, options.verify);
  if (verdict.kind == LoweringVerdict::Kind::Refuted) {
    complain(fmt::format("{}; nothing is written. `lockstep verify` shows them: this is a mistake of the compiler", verdict.sentence));
    return no;
  }
  if (verdict.kind == LoweringVerdict::Kind::Partly || verdict.kind == LoweringVerdict::Kind::Unknown) {
    say(fmt::format("lockstep: note: {}\n", verdict.sentence));
  }
  auto output = target->emit(*kernel, verdict, asked(options));
  if (!output) {
    complain(output.error().sentence);
    return output.error().is_limit ? limit : bad_input;
  }
  if (options.settings.contains("--explain")) {
    const std::string slow = render(*kernel->source, passes::slow_parts(*kernel));
    output->text += slow.empty() ? "" : "\nWhat stays slow:\n" + slow;
  }
  if (!options.bundle.empty()) {
    auto more = files_of_bundle(*source, *kernel, *target, options);
    if (!more) {
      return refuse(more.error());
    }
    std::ranges::move(*more, std::back_inserter(output->files));
  }
  if (!options.directory.empty()) {
    if (const auto problem = write_files(output->files, options)) {
      return refuse(refusal(*problem));
    }
  }
  write_text("-", output->text);
  return status_after(verdict);
}

}  // namespace

void add_emit(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("emit", "generate code");
  command->footer(
      "Example: lockstep emit examples/borg/gemm.cl --target llvm --wg-size 8 "
      "-o gemm-for-8 --object\n"
      "         lockstep emit examples/borg/gemm.cl --target llvm --wg-size 8 "
      "--triple aarch64-linux-gnu\n"
      "         lockstep emit examples/borg/ldus.cl --target llvm --wg-size 8 "
      "--bundle bundle --groups 2 --arg a=128:random\n"
      "         lockstep emit examples/borg/gemm.cl --target avx512 --wg-size "
      "8 -o gemm-for-8\n"
      "         lockstep emit examples/borg/gemm.cl --target avx512 --wg-size "
      "8 --explain\n"
      "-o writes KERNEL.TARGET.h, which declares the entry point for C and "
      "C++, and KERNEL.ll, or KERNEL.avx512.cpp with the headers that "
      "it\n"
      "includes. docs/compile.md shows how to call it, docs/avx512.md how the "
      "C++ is compiled.\n"
      "The lowering is proved in front of it, within a budget (--verify); what came of that stands at the head of the files.\n"
      "Exit status: 0 fine, 1 the verifier refuses a text in InfReg-IR, or the proof finds a counterexample (nothing is written), 2 bad\n"
      "usage or input, 3 --verify full does not know, what is to be compiled is too large, or LLVM fails, 4 a target that needs "
      "what is not there, as clang.");
  auto options = std::make_shared<EmitOptions>();
  command
      ->add_option("FILE", options->file,
                   "a .cl file of kernels, or a kernel in InfReg-IR (.ir); - "
                   "is standard input")
      ->required();
  command->add_option("--target", options->target, names_of(options->targets, Use::Emit))->required()->type_name("TARGET");
  command
      ->add_option("-o", options->directory,
                   "the folder for the files (default: LLVM IR or C++ on "
                   "standard output)")
      ->type_name("DIR");
  add_chunk_lanes_option(*command, options->chunk_lanes);
  add_target_options(*command, options->targets, Use::Emit, options->settings);
  add_group_size_option(*command, options->group, LaneSet::max_width,
                        "WG_SIZE, 1 to 1048576, in up to three dimensions (default: what the kernel requires, else 32)");
  add_pack_option(*command, options->pack, "how many groups lie in an InfReg (auto: what promises to be fastest)");
  add_streaming_option(*command, options->streaming);
  command
      ->add_option("--bundle", options->bundle,
                   "the folder for code, inputs, what the interpreter makes of "
                   "them, and a driver that compares: `make` there needs a C "
                   "compiler, or for "
                   "avx512 one for C++")
      ->type_name("DIR");
  add_grid_options(*command, options->launch.grid);
  command
      ->add_option("--arg", options->launch.arguments,
                   "NAME=local:LENGTH for a __local parameter; of --bundle: an argument, as lockstep run takes it")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  add_verify_options(*command, options->verify);
  add_kernel_name_option(*command, options->front_end);
  add_front_end_options(*command, options->front_end);
  command->callback([command, options, &status] { status = emit(*command, *options); });
}

}  // namespace lockstep::tools
