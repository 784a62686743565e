#include "codegen/compile/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "codegen/compile/cache.hpp"
#include "codegen/compile/code.hpp"
#include "codegen/compile/fingerprint.hpp"
#include "codegen/compile/kernel_file.hpp"
#include "codegen/compile/pack_choice.hpp"
#include "codegen/emit/llvm/emit.hpp"
#include "codegen/passes/pipeline.hpp"
#include "codegen/passes/slow.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/preprocess.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/infreg/with_pack.hpp"

namespace lockstep {

namespace {

constexpr std::size_t most_text_bytes = std::size_t{64} << 20;
/// Of a pack: so that a value of up to 2048 elements for each item keeps within infreg::max_lanes.
constexpr std::uint64_t most_items = std::uint64_t{1} << 20;
constexpr unsigned most_level = 3;

/// One error, at the beginning of the text unless there is a better place.
Diagnostics error(std::string sentence, SourceSpan span = {}) { return {Diagnostic{Severity::Error, span, std::move(sentence), {}}}; }

core::Options front_end_options(const CompileOptions& options) {
  core::Options result;
  result.wg_size = options.wg_size;
  result.contract = options.fp_contract;
  result.defines = options.defines;
  result.kernel = options.kernel;
  result.local_lengths = options.local_lengths;
  return result;
}

/// A sentence about what is wrong with the options or the size of the text.
std::optional<std::string> wrong_input(const SourceFile& source, const CompileOptions& options) {
  if (source.text().size() > most_text_bytes) {
    return fmt::format("the text has more than {} bytes", most_text_bytes);
  }
  if (options.wg_size > core::max_wg_size) {
    return fmt::format("wg_size {}: a group has at most {} items", options.wg_size, core::max_wg_size);
  }
  if (options.verify != VerifyLevel::Off && options.prover == nullptr) {
    return "verify: without a prover nothing is proved; there is lockstep::prove_lowering";
  }
  if (options.level > most_level) {
    return fmt::format("level {}: LLVM's levels are 0 to {}", options.level, most_level);
  }
  return core::wrong_define(front_end_options(options));
}

/// All that the machine code depends on.
std::string key_of(const SourceFile& source, const CompileOptions& options) {
  const emit_llvm::Target host = emit_llvm::host_target();
  std::vector<std::string> parts = {
      std::string(compiler_fingerprint),
      emit_llvm::llvm_version(),
      host.triple,
      host.cpu,
      host.features,
      options.kernel,
      fmt::format("{} {} {} {} {}", options.wg_size, options.wg_pack, options.streaming, options.fp_contract, options.level),
      source.text()};
  for (const auto& [name, value] : options.defines) {
    parts.push_back(name);
    parts.push_back(value);
  }
  for (const auto& [name, length] : options.local_lengths) {
    parts.push_back(fmt::format("{} {}", name, length));
  }
  return joined(parts);
}

std::string no_kernel(const core::Program& program, const std::string& wanted) {
  std::string names;
  for (const core::Function& function : program.functions) {
    if (function.is_kernel) {
      names += (names.empty() ? "" : ", ") + function.name;
    }
  }
  if (names.empty()) {
    return "there is no kernel in this text";
  }
  return wanted.empty() ? fmt::format("there are several kernels; the options have to choose one: {}", names)
                        : fmt::format("there is no kernel '{}', only {}", shortened(wanted), names);
}

/// The verified kernel in InfReg-IR, with the pack that the options ask for.
std::expected<infreg::Kernel, Diagnostics> lowered(const core::Program& program, const core::Function& function, unsigned wg_pack,
                                                   bool streaming, Diagnostics& warnings) {
  const std::uint64_t wg_size = program.options.wg_size;
  if (wg_size * std::max(wg_pack, 1U) > most_items) {
    return std::unexpected(
        error(fmt::format("wg_pack {}: so many groups of {} items have more than {} items", wg_pack, wg_size, most_items), function.span));
  }
  passes::PipelineOptions options;
  options.wg_pack = std::max(wg_pack, 1U);
  options.streaming = streaming;
  options.remarks = &warnings;
  auto kernel = passes::lower(program, function, options);
  if (kernel) {
    std::ranges::move(passes::slow_parts(*kernel), std::back_inserter(warnings));
  }
  if (kernel && wg_pack == 0) {
    const unsigned chosen = choose_pack(*kernel);
    kernel = infreg::with_pack(std::move(*kernel), wg_size * chosen > most_items ? 1 : chosen);
  }
  if (kernel) {
    if (const auto faults = infreg::verify(*kernel); !faults.empty()) {
      throw InternalError(fmt::format("the passes made an ill-formed kernel:\n{}", infreg::print_marked(*kernel, faults)));
    }
  }
  return kernel;
}

KernelFile described(const infreg::Kernel& kernel, Diagnostics warnings) {
  KernelFile file{kernel.name, kernel.shape.wg_size, kernel.shape.wg_pack, {}, std::move(warnings), {}, {}};
  std::vector<Footprint> touched = footprints(kernel);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const infreg::Parameter& parameter = kernel.parameters[i];
    file.parameters.push_back(
        {parameter.name, parameter.scalar, parameter.is_pointer, parameter.is_const, parameter.is_restrict, std::move(touched[i])});
  }
  return file;
}

/// From the text to object code.
std::expected<KernelFile, Diagnostics> compile_text(const SourceFile& source, const CompileOptions& options) {
  Diagnostics warnings;
  const auto program = core::read_kernels(std::make_shared<const SourceFile>(source), front_end_options(options), warnings);
  if (!program) {
    return std::unexpected(program.error());
  }
  const core::Function* function = program->kernel(options.kernel);
  if (function == nullptr) {
    return std::unexpected(error(no_kernel(*program, options.kernel)));
  }
  if (auto problem = core::wrong_lengths(*program, *function, true)) {
    return std::unexpected(error("local_lengths: " + *problem, function->span));
  }
  const auto kernel = lowered(*program, *function, options.wg_pack, options.streaming, warnings);
  if (!kernel) {
    return std::unexpected(kernel.error());
  }
  emit_llvm::EmitOptions emit_options;
  emit_options.call_wrapper = true;
  auto module = emit_llvm::emit(*kernel, emit_options);
  auto object = module ? module->object(options.level) : std::unexpected(emit_llvm::Failure{module.error()});
  if (!object) {
    return std::unexpected(error(std::move(object.error().sentence), function->span));
  }
  KernelFile file = described(*kernel, std::move(warnings));
  file.object = std::move(*object);
  return file;
}

/// Proves what the options ask for, unless it has been asked before, as thoroughly; returns whether it did. A refuted one is an error.
std::expected<bool, Diagnostics> proved(const SourceFile& source, const CompileOptions& options, KernelFile& file) {
  if (file.verdict.level >= options.verify || file.verdict.kind == LoweringVerdict::Kind::Proved) {
    return false;
  }
  LoweringTask task;
  task.source = std::make_shared<const SourceFile>(source);
  task.options = front_end_options(options);
  task.options.wg_size = file.wg_size;
  task.options.kernel = file.name;
  task.wg_pack = file.wg_pack;
  task.streaming = options.streaming;
  task.level = options.verify;
  task.timeout = options.verify_timeout;
  file.verdict = options.prover(task);
  return file.verdict.kind == LoweringVerdict::Kind::Refuted
             ? std::expected<bool, Diagnostics>(std::unexpected(error(file.verdict.sentence)))
             : true;
}

/// Links the code of `file` into this process; the error is a sentence.
std::expected<CompiledKernel, std::string> linked(KernelFile file, const CompileOptions& options, bool is_from_cache) {
  auto callable = emit_llvm::load(file.object, file.name);
  if (!callable) {
    return std::unexpected(std::move(callable.error()));
  }
  file.object = {};
  const unsigned threads = options.threads != 0 ? options.threads : std::max(std::thread::hardware_concurrency(), 1U);
  return CompiledKernel(
      std::make_shared<const CompiledKernel::Code>(CompiledKernel::Code{std::move(file), std::move(*callable), threads, is_from_cache}));
}

}  // namespace

core::Inclusion with_inclusions(const SourceFile& source, const CompileOptions& options) {
  return core::include_files(std::make_shared<const SourceFile>(source), front_end_options(options), options.include_directories);
}

std::expected<CompiledKernel, Diagnostics> compile(const SourceFile& source, const CompileOptions& options) {
  if (auto problem = wrong_input(source, options)) {
    return std::unexpected(error(std::move(*problem)));
  }
  const std::string directory = options.cache_directory.empty() ? KernelCache::default_directory() : options.cache_directory;
  const KernelCache cache(options.cache ? directory : "", options.cache_bytes);
  const std::string key = options.cache ? key_of(source, options) : "";
  if (auto kept = cache.find(key)) {
    const auto is_new = proved(source, options, *kept);
    if (!is_new) {
      return std::unexpected(is_new.error());
    }
    if (*is_new) {
      cache.keep(key, *kept);
    }
    if (auto kernel = linked(std::move(*kept), options, true)) {
      return std::move(*kernel);
    }
  }
  auto file = compile_text(source, options);
  if (!file) {
    return std::unexpected(std::move(file.error()));
  }
  if (auto is_new = proved(source, options, *file); !is_new) {
    return std::unexpected(std::move(is_new.error()));
  }
  cache.keep(key, *file);
  auto kernel = linked(std::move(*file), options, false);
  return kernel ? std::expected<CompiledKernel, Diagnostics>(std::move(*kernel)) : std::unexpected(error(std::move(kernel.error())));
}

}  // namespace lockstep
