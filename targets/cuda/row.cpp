// CUDA C++, whose device code clang compiles to PTX, on the PTX machine.

#include "targets/cuda/row.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "codegen/emit/cuda/emit.hpp"
#include "codegen/emit/cuda/packs.hpp"
#include "codegen/emit/cuda/support/support.hpp"
#include "differential/compare/compare.hpp"
#include "differential/compare/interrupts.hpp"
#include "targets/clang_ptx/compile.hpp"
#include "targets/cuda/bundle.hpp"
#include "targets/cuda/compile.hpp"
#include "targets/ptx/case.hpp"
#include "targets/ptx/machine.hpp"

namespace lockstep::targets {

namespace {

using differential::Failure;
using differential::NotRun;
using differential::Ran;
using differential::Reference;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string clang;
  std::string nvcc = "nvcc";
  unsigned level = 2;
  emit_cuda::Choices choices;
  Schedules schedules;
  std::string cases;  ///< a folder for them; empty: none are kept
  bool explain = false;
};

std::optional<std::string> store_cases(Options& into, const std::string& value) {
  into.cases = value;
  return std::nullopt;
}

const std::vector<StoredOption<Options>>& table() {
  static const std::vector<StoredOption<Options>> rows = {
      {{"--explain", "", "what was chosen and why, on standard output in place of the code", "", {Use::Emit}},
       [](Options& into, const std::string& /*value*/) {
         into.explain = true;
         return std::optional<std::string>();
       }},
      {without_option({Use::Emit, Use::Diff}), [](Options& into, const std::string& value) { return store_without(into.choices, value); }},
      {clang_option({Use::Diff, Use::Fuzz}),
       [](Options& into, const std::string& value) {
         into.clang = value;
         return std::optional<std::string>();
       }},
      {level_option({Use::Diff, Use::Fuzz}), [](Options& into, const std::string& value) { return store_number(into.level, value, 0, 3); }},
      {schedule_option(), [](Options& into, const std::string& value) { return store_schedules(into.schedules, value); }},
      {cases_option(), store_cases},
  };
  return rows;
}

Options options_of(const Asked& asked) { return stored(table(), asked.settings); }

std::expected<MadeCode, Unmade> emit(const infreg::Kernel& kernel, const LoweringVerdict& verdict, const Asked& asked) {
  emit_cuda::EmitOptions emit_options;
  emit_options.choices = options_of(asked).choices;
  const auto emitted = emit_cuda::emit(kernel, emit_options);
  if (!emitted) {
    return std::unexpected(Unmade{emitted.error().sentence});
  }
  const std::string source = with_verdict("//", verdict, emitted->source);
  const auto explained = [&] { return emitted->explain + explain(emit_cuda::pack_costs(kernel, emit_options.choices)); };
  MadeCode made{options_of(asked).explain ? explained() : asked.has_folder ? "" : source, {}};
  if (asked.has_folder) {
    made.files = {{kernel.name + ".cu", source},
                  {kernel.name + ".cuda.h", with_verdict("/*", verdict, emitted->header)},
                  {std::string(emit_cuda::support_name), std::string(emit_cuda::support_text())}};
  }
  return made;
}

/// Who makes PTX of the CUDA C++.
struct PtxCompiler {
  std::string name;  ///< "clang at -O2"
  std::function<std::expected<std::string, host::CompileFailure>(const emit_cuda::Emitted&)> compile;
};

bool is_cancelled() { return differential::interrupts() > 0; }

/// Under all schedules that are asked for, up to the first that goes wrong.
std::expected<Ran, NotRun> run_by(const PtxCompiler& compiler, const infreg::Kernel& kernel, const Reference& reference,
                                  const Options& options) {
  emit_cuda::EmitOptions emit_options;
  emit_options.entries = false;
  emit_options.symbol = "k";
  emit_options.choices = options.choices;
  Clock::time_point start = Clock::now();
  const auto emitted = emit_cuda::emit(kernel, emit_options);
  if (!emitted) {
    return std::unexpected(NotRun{emitted.error().sentence, false, emitted.error().is_limit});
  }
  Ran ran;
  ran.evidence = fmt::format("our PTX machine under {}, PTX by {}", options.schedules.names(), compiler.name);
  ran.result = reference.before.buffers;  // of no groups
  const auto text = compiler.compile(*emitted);
  ran.compile_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!text) {
    using Kind = host::CompileFailure::Kind;
    if (text.error().kind == Kind::Broken) {
      return std::unexpected(NotRun{text.error().sentence, true});
    }
    ran.result = Failure{text.error().kind == Kind::Cancelled ? Failure::Kind::NotRun : Failure::Kind::Uncompiled, text.error().sentence};
    return ran;
  }
  const auto module = read_ptx(*text, emitted->kernel_symbol);
  if (!module) {
    ran.result = Failure{Failure::Kind::Uncompiled, module.error()};
    return ran;
  }
  PtxLaunch launch{blocks_for(*emitted, kernel.shape, reference.groups), emitted->block_threads, {reference.groups}, true};
  for (const ptx_machine::Schedule schedule : options.schedules.all()) {
    start = Clock::now();
    ran.result = run_ptx(*module, reference.before, launch, schedule, options.schedules.seed);
    ran.run_seconds += std::chrono::duration<double>(Clock::now() - start).count();
    const auto* buffers = std::get_if<std::vector<launch::Buffer>>(&ran.result);
    if (buffers == nullptr || compare(reference, *buffers).different > 0) {
      ran.evidence = fmt::format("our PTX machine under {}, PTX by {}", options.schedules.name_of(schedule), compiler.name);
      return ran;
    }
  }
  if (!options.cases.empty()) {
    keep_case(options.cases, *text, emitted->kernel_symbol, reference.before, launch, {reference.after.buffers, reference.open});
  }
  return ran;
}

std::expected<Ran, NotRun> run(const infreg::Kernel& kernel, const Reference& reference, const Asked& asked) {
  const Options options = options_of(asked);
  const auto clang = find_clang(options.clang);
  if (!clang) {
    return std::unexpected(NotRun{clang.error(), true});
  }
  const PtxCompiler compiler = {fmt::format("clang at -O{}", options.level), [&](const emit_cuda::Emitted& emitted) {
                                  return compile_cuda(emitted, {*clang, options.level, asked.scratch, is_cancelled});
                                }};
  return run_by(compiler, kernel, reference, options);
}

std::optional<Unfit> complaint(Use use, const Asked& asked) {
  if (use == Use::Emit) {
    return std::nullopt;
  }
  const auto clang = find_clang(options_of(asked).clang);
  return clang ? std::nullopt : std::optional(Unfit{clang.error(), true});
}

// ---- nvcc -----------------------------------------------------------------------------------------------------------------------------

const std::vector<StoredOption<Options>>& nvcc_table() {
  static const std::vector<StoredOption<Options>> rows = {
      {{"--nvcc", "COMMAND", "nvcc and arguments for it: words, with blanks between them (default: nvcc)", "", {Use::Diff, Use::Fuzz}},
       [](Options& into, const std::string& value) {
         into.nvcc = value;
         return std::optional<std::string>();
       }},
      {schedule_option(), [](Options& into, const std::string& value) { return store_schedules(into.schedules, value); }},
      {cases_option(), store_cases},
  };
  return rows;
}

std::expected<host::Compiler, std::string> nvcc_of(const Asked& asked) {
  return host::find_compiler(stored(nvcc_table(), asked.settings).nvcc);
}

std::expected<Ran, NotRun> run_by_nvcc(const infreg::Kernel& kernel, const Reference& reference, const Asked& asked) {
  const auto nvcc = nvcc_of(asked);
  if (!nvcc) {
    return std::unexpected(NotRun{nvcc.error(), true});
  }
  const PtxCompiler compiler = {
      "nvcc", [&](const emit_cuda::Emitted& emitted) { return compile_by_nvcc(emitted, {*nvcc, 3, asked.scratch, is_cancelled}); }};
  return run_by(compiler, kernel, reference, stored(nvcc_table(), asked.settings));
}

}  // namespace

Target cuda_nvcc_target() {
  Target target;
  target.name = "cuda-nvcc";
  target.meaning = "the CUDA C++ of cuda, compiled to PTX by nvcc, on the PTX machine";
  target.options = known(nvcc_table());
  target.complaint = [](Use /*use*/, const Asked& asked) {
    const auto nvcc = nvcc_of(asked);
    return nvcc ? std::nullopt : std::optional(Unfit{nvcc.error(), true});
  };
  target.choose_pack = [](const infreg::Kernel& kernel, const Asked& /*asked*/) { return emit_cuda::choose_pack(kernel); };
  target.run = run_by_nvcc;
  target.campaigning.kernels = 30;
  target.campaigning.full_kernels = 300;
  target.campaigning.most_together = 16;
  target.campaigning.meaning = "The CUDA C++ of cuda is compiled by nvcc, and runs on the PTX machine.";
  return target;
}

Target cuda_target() {
  Target target;
  target.name = "cuda";
  target.meaning = "CUDA C++, whose device code is compiled to PTX by clang, on the PTX machine";
  target.options = known(table());
  target.complaint = complaint;
  target.choose_pack = [](const infreg::Kernel& kernel, const Asked& /*asked*/) { return emit_cuda::choose_pack(kernel); };
  target.emit = emit;
  target.surroundings = [](const infreg::Kernel& kernel, const InPacks& in_packs, const Asked& asked) {
    emit_cuda::EmitOptions options;
    options.choices = options_of(asked).choices;
    return cuda_surroundings(kernel, in_packs, options);
  };
  target.run = run;
  target.campaigning.kernels = 300;
  target.campaigning.full_kernels = 3000;
  target.campaigning.most_together = 16;  // each by itself, but a compiler has to be ended with the process that waits for it
  target.campaigning.meaning = "The CUDA C++ of cuda is compiled by clang, and runs on the PTX machine.";
  return target;
}

}  // namespace lockstep::targets
