// `lockstep emit`: code for a target, on standard output or as files.

#include "codegen/emit/llvm/emit.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

#include "codegen/emit/avx512/emit.hpp"
#include "codegen/emit/avx512/pack.hpp"
#include "codegen/emit/avx512/size.hpp"
#include "codegen/emit/c/header.hpp"
#include "codegen/emit/llvm/names.hpp"
#include "codegen/host/avx512.hpp"
#include "tools/avx512_options.hpp"
#include "tools/emit_bundle.hpp"
#include "tools/gate_options.hpp"
#include "tools/lower.hpp"
#include "tools/number_option.hpp"
#include "tools/run.hpp"

namespace lockstep::tools {

namespace {

constexpr unsigned level = 3;  // LLVM's -O3

struct EmitOptions {
  std::string file;
  std::string target;
  std::string directory;
  emit_llvm::Target machine;
  bool object = false;
  bool assembly = false;
  std::string pack = "auto";
  bool streaming = false;
  bool explain = false;
  emit_avx512::EmitOptions avx512;
  unsigned wg_size = 0;
  std::string bundle;
  BundleRequest launch;
  VerifyFlags verify;
  FrontEndFlags front_end;
};

struct File {
  std::string path;
  std::string content;
};

/// What decides how many groups a pack has, if nobody else does.
PackChoice packs_for(const EmitOptions& options) {
  return options.target == "llvm"
             ? packs_for_llvm(options.machine)
             : PackChoice([&options](const infreg::Kernel& kernel) { return emit_avx512::choose_pack(kernel, options.avx512); });
}

/// The kernel that is compiled. Refusals have been said.
std::expected<infreg::Kernel, Status> kernel_of(const CLI::App& command, const std::shared_ptr<const SourceFile>& source,
                                                const EmitOptions& options) {
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
  const auto kernel = read_kernel(source, options.front_end, options.wg_size);
  if (kernel) {
    if (auto problem = emit_llvm::wrong_symbol(kernel->function->name)) {
      refuse(refusal(*source, {Diagnostic{Severity::Error, kernel->function->span, std::move(*problem), {}}}));
      return std::unexpected(bad_input);
    }
  }
  auto lowered =
      kernel ? lower_kernel(*kernel, pipeline_options(*pack, options.streaming), packs_for(options)) : std::unexpected(kernel.error());
  if (!lowered) {
    refuse(lowered.error());
    return std::unexpected(bad_input);
  }
  return std::move(*lowered);
}

std::expected<emit_llvm::Module, std::string> module_of(const infreg::Kernel& kernel, const emit_llvm::Target& machine) {
  emit_llvm::EmitOptions options;
  options.target = machine;
  return emit_llvm::emit(kernel, options);
}

/// Why there is no code: a sentence, and the exit status.
struct Unmade {
  std::string sentence;
  Status status = bad_input;
};

/// Object code or assembly of a module of its own: compiling changes it.
std::expected<std::string, Unmade> compiled(const infreg::Kernel& kernel, const emit_llvm::Target& machine, bool assembly) {
  auto module = module_of(kernel, machine);
  if (!module) {
    return std::unexpected(Unmade{module.error()});
  }
  auto code = assembly ? module->assembly(level) : module->object(level);
  return code ? std::expected<std::string, Unmade>(std::move(*code))
              : std::unexpected(Unmade{code.error().sentence, code.error().is_llvms_own ? limit : bad_input});
}

/// What files say of the proof, as a comment in front; object code says nothing.
std::string with_verdict(std::string_view comment, const LoweringVerdict& verdict, const std::string& text) {
  std::string sentence = verdict.sentence;
  std::ranges::replace(sentence, '\n', ' ');
  return fmt::format("{} {}.{}\n{}", comment, sentence, comment == "/*" ? " */" : "", text);
}

std::string path_of(const EmitOptions& options, const std::string& name) {
  return (std::filesystem::path(options.directory) / name).string();
}

/// What -o asks for.
std::expected<std::vector<File>, Unmade> llvm_files(const infreg::Kernel& kernel, const std::string& text, const LoweringVerdict& verdict,
                                                    const EmitOptions& options) {
  const std::string stem = path_of(options, kernel.name);
  const std::string header = emit_c::c_header(kernel, "one after the other, on the calling thread");
  std::vector<File> files = {{stem + ".llvm.h", with_verdict("/*", verdict, header)}, {stem + ".ll", text}};
  for (const bool assembly : {true, false}) {  // the object is the younger one,
                                               // so that make takes it as it is
    if (assembly ? options.assembly || !options.bundle.empty() : options.object) {
      auto code = compiled(kernel, options.machine, assembly);
      if (!code) {
        return std::unexpected(code.error());
      }
      files.push_back({stem + (assembly ? ".s" : ".o"), assembly ? with_verdict("#", verdict, *code) : std::move(*code)});
    }
  }
  return files;
}

std::vector<File> avx512_files(const infreg::Kernel& kernel, const emit_avx512::Emitted& emitted, const LoweringVerdict& verdict,
                               const EmitOptions& options) {
  std::vector<File> files = {{path_of(options, kernel.name + ".avx512.h"), with_verdict("/*", verdict, emitted.header)},
                             {path_of(options, kernel.name + ".avx512.cpp"), with_verdict("//", verdict, emitted.source)}};
  for (const host::TextFile& file : host::avx512_support_files()) {
    files.push_back({path_of(options, file.name), file.content});
  }
  return files;
}

/// What --bundle adds to the folder.
std::expected<std::vector<File>, Refusal> files_of_bundle(const std::shared_ptr<const SourceFile>& source, const infreg::Kernel& kernel,
                                                          const BundledCode& code, const EmitOptions& options) {
  if (is_infreg_text(*source)) {
    return std::unexpected(
        refusal("--bundle: what is expected is what the interpreter leaves, "
                "which needs the kernel as a .cl file"));
  }
  const auto read = read_kernel(source, options.front_end, options.wg_size);
  const auto made = read ? bundle_files(*read, kernel, options.launch, code) : std::unexpected(read.error());
  if (!made) {
    return std::unexpected(made.error());
  }
  std::vector<File> files;
  for (const BundleFile& file : *made) {
    files.push_back({path_of(options, file.name), file.content});
  }
  return files;
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

std::optional<std::string> write_files(const std::vector<File>& files, const EmitOptions& options) {
  if (const auto problem = make_directory(options.directory, options.bundle.empty() ? "-o" : "--bundle")) {
    return problem;
  }
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const File& file : files) {
    paths.push_back(file.path);
  }
  if (const auto problem = check_overwriting({options.file}, paths)) {
    return problem;
  }
  for (const File& file : files) {
    if (const auto problem = write_text(file.path, file.content)) {
      return problem;
    }
  }
  return std::nullopt;
}

/// A sentence about options that do not go together, and the machine that they
/// name.
std::optional<std::string> complete(const CLI::App& command, EmitOptions& options) {
  const bool is_llvm = options.target == "llvm";
  if (auto problem = misplaced_for_target(command, is_llvm ? avx512_group : llvm_group, is_llvm ? "avx512" : "llvm")) {
    return problem;
  }
  for (const auto& [option, folder] : {std::pair("-o", &options.directory), std::pair("--bundle", &options.bundle)}) {
    if (command.count(option) > 0 && folder->empty()) {
      return fmt::format("{}: an empty name is no folder", option);
    }
  }
  if (!options.bundle.empty()) {
    if (!options.directory.empty()) {
      return "--bundle and -o both say in which folder the files go";
    }
    if (options.avx512.approx != emit_avx512::Approx::None) {
      return "--bundle compares bits, and with --approx=rcp14 quotients need not have those of the interpreter";
    }
    options.directory = options.bundle;
  } else {
    for (const char* option : {"--arg", "--groups"}) {
      if (command.count(option) > 0) {
        return fmt::format("{} is for --bundle, which runs the kernel", option);
      }
    }
  }
  if (auto problem = misplaced_for_verify(command, options.verify)) {
    return problem;
  }
  if (options.directory.empty() && (options.object || options.assembly)) {
    return fmt::format("{} makes a file; -o says in which folder", options.object ? "--object" : "--assembly");
  }
  if (options.machine.triple.empty() && options.machine != emit_llvm::Target()) {
    options.machine.triple = emit_llvm::host_target().triple;  // alone, an empty triple is this host as it is
  }
  return std::nullopt;
}

/// Code for the target.
struct Output {
  std::string text;         ///< for standard output
  std::vector<File> files;  ///< if a folder is asked for
  BundledCode code;
};

std::expected<Output, Unmade> llvm_output(const infreg::Kernel& kernel, const LoweringVerdict& verdict, const EmitOptions& options) {
  const auto module = module_of(kernel, options.machine);
  if (!module) {
    return std::unexpected(Unmade{module.error()});
  }
  Output output{with_verdict(";", verdict, module->text()), {}, BundledLlvm{module->target().triple}};
  if (!options.directory.empty()) {
    auto files = llvm_files(kernel, output.text, verdict, options);
    if (!files) {
      return std::unexpected(files.error());
    }
    output.files = std::move(*files);
    output.text.clear();
  }
  return output;
}

std::expected<Output, Unmade> avx512_output(const infreg::Kernel& kernel, const LoweringVerdict& verdict, const EmitOptions& options) {
  auto emitted = emit_avx512::emit(kernel, options.avx512);
  if (!emitted) {
    return std::unexpected(Unmade{emitted.error()});
  }
  if (auto problem = emit_avx512::too_large(emitted->source)) {
    return std::unexpected(Unmade{std::move(*problem), limit});
  }
  const bool has_folder = !options.directory.empty();
  return Output{options.explain ? emitted->explain
                : has_folder    ? ""
                                : with_verdict("//", verdict, emitted->source),
                has_folder ? avx512_files(kernel, *emitted, verdict, options) : std::vector<File>(), BundledAvx512()};
}

int emit(const CLI::App& command, EmitOptions options) {
  if (options.target != "llvm" && options.target != "avx512") {
    const WrongTarget wrong = wrong_target(options.target, "llvm, avx512");
    complain(wrong.sentence);
    return wrong.status;
  }
  if (const auto problem = complete(command, options)) {
    complain(*problem);
    return bad_input;
  }
  const auto source = read_source(options.file);
  if (!source) {
    return refuse(source.error());
  }
  const auto kernel = kernel_of(command, *source, options);
  if (!kernel) {
    return kernel.error();
  }
  const LoweringVerdict verdict = is_infreg_text(**source)
                                      ? verdict_on_text()
                                      : verdict_on(*source, *kernel, false, options.front_end, options.streaming, options.verify);
  if (verdict.kind == LoweringVerdict::Kind::Refuted) {
    complain(fmt::format("{}; nothing is written. `lockstep verify` shows them: this is a mistake of the compiler", verdict.sentence));
    return no;
  }
  if (verdict.kind == LoweringVerdict::Kind::Partly || verdict.kind == LoweringVerdict::Kind::Unknown) {
    say(fmt::format("lockstep: note: {}\n", verdict.sentence));
  }
  auto output = options.target == "llvm" ? llvm_output(*kernel, verdict, options) : avx512_output(*kernel, verdict, options);
  if (!output) {
    complain(output.error().sentence);
    return output.error().status;
  }
  if (!options.bundle.empty()) {
    auto more = files_of_bundle(*source, *kernel, output->code, options);
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
      "usage or input, 3 --verify full does not know, what is to be compiled is too large, or LLVM fails, 4 a target that is not there "
      "yet.");
  auto options = std::make_shared<EmitOptions>();
  command
      ->add_option("FILE", options->file,
                   "a .cl file of kernels, or a kernel in InfReg-IR (.ir); - "
                   "is standard input")
      ->required();
  command->add_option("--target", options->target, "llvm, or avx512, which is C++ with intrinsics")->required()->type_name("TARGET");
  command
      ->add_option("-o", options->directory,
                   "the folder for the files (default: LLVM IR or C++ on "
                   "standard output)")
      ->type_name("DIR");
  command->add_flag("--object", options->object, "object code as well, KERNEL.o")->group(llvm_group);
  command->add_flag("--assembly", options->assembly, "assembly as well, KERNEL.s")->group(llvm_group);
  command->add_option("--triple", options->machine.triple, "the machine, as clang's --target has it (default: this one)")
      ->type_name("TRIPLE")
      ->group(llvm_group);
  command
      ->add_option("--cpu", options->machine.cpu,
                   "the processor, as clang's -mcpu has it (default: without "
                   "--triple, this one)")
      ->type_name("NAME")
      ->group(llvm_group);
  command->add_option("--features", options->machine.features, "features of the processor, such as +avx2,+fma")
      ->type_name("LIST")
      ->group(llvm_group);
  command->add_flag("--explain", options->explain, "what was chosen and why, on standard output in place of the code")->group(avx512_group);
  command
      ->add_option_function<std::string>(
          "--chunk-lanes",
          [options](const std::string& text) {
            const auto number = parse_number(text, 1, 64);
            if (const auto problem = number ? wrong_avx512_chunk(static_cast<unsigned>(*number)) : number.error()) {
              throw CLI::ValidationError("--chunk-lanes", *problem);
            }
            options->avx512.chunk_lanes = static_cast<unsigned>(*number);
          },
          "8 or 16 (default: as many as fit a register)")
      ->type_name("N")
      ->group(avx512_group);
  add_avx512_emit_options(*command, options->avx512);
  add_number(*command, "--wg-size", options->wg_size, 1, LaneSet::max_width,
             "WG_SIZE, 1 to 1048576 (default: what the kernel requires, else 32)");
  add_pack_option(*command, options->pack, "how many groups lie in an InfReg (auto: what promises to be fastest)");
  add_streaming_option(*command, options->streaming);
  command
      ->add_option("--bundle", options->bundle,
                   "the folder for code, inputs, what the interpreter makes of "
                   "them, and a driver that compares: `make` there needs a C "
                   "compiler, or for "
                   "avx512 one for C++")
      ->type_name("DIR");
  add_number(*command, "--groups", options->launch.groups, 0, std::numeric_limits<std::int64_t>::max(),
             "of --bundle: number of work groups")
      ->default_str("1");
  command->add_option("--arg", options->launch.arguments, "of --bundle: an argument, as lockstep run takes it")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  add_verify_options(*command, options->verify);
  add_kernel_name_option(*command, options->front_end);
  add_front_end_options(*command, options->front_end);
  command->callback([command, options, &status] { status = emit(*command, *options); });
}

}  // namespace lockstep::tools
