// CUDA C++, whose device code clang compiles to PTX, on the PTX machine.

#include "targets/cuda/row.hpp"

#include <fmt/format.h>

#include <chrono>

#include "codegen/emit/cuda/emit.hpp"
#include "codegen/emit/cuda/support/support.hpp"
#include "differential/compare/compare.hpp"
#include "differential/compare/interrupts.hpp"
#include "targets/clang_ptx/compile.hpp"
#include "targets/cuda/compile.hpp"
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
  unsigned level = 2;
  Schedules schedules;
  bool explain = false;
};

const std::vector<StoredOption<Options>>& table() {
  static const std::vector<StoredOption<Options>> rows = {
      {{"--explain", "", "what was chosen and why, on standard output in place of the code", "", {Use::Emit}},
       [](Options& into, const std::string& /*value*/) {
         into.explain = true;
         return std::optional<std::string>();
       }},
      {clang_option({Use::Diff, Use::Fuzz}),
       [](Options& into, const std::string& value) {
         into.clang = value;
         return std::optional<std::string>();
       }},
      {level_option({Use::Diff, Use::Fuzz}), [](Options& into, const std::string& value) { return store_number(into.level, value, 0, 3); }},
      {schedule_option(), [](Options& into, const std::string& value) { return store_schedules(into.schedules, value); }},
  };
  return rows;
}

Options options_of(const Asked& asked) { return stored(table(), asked.settings); }

std::expected<MadeCode, Unmade> emit(const infreg::Kernel& kernel, const LoweringVerdict& verdict, const Asked& asked) {
  const auto emitted = emit_cuda::emit(kernel);
  if (!emitted) {
    return std::unexpected(Unmade{emitted.error()});
  }
  const std::string source = with_verdict("//", verdict, emitted->source);
  MadeCode made{options_of(asked).explain ? emitted->explain : asked.has_folder ? "" : source, {}};
  if (asked.has_folder) {
    made.files = {{kernel.name + ".cu", source},
                  {kernel.name + ".cuda.h", with_verdict("/*", verdict, emitted->header)},
                  {std::string(emit_cuda::support_name), std::string(emit_cuda::support_text())}};
  }
  return made;
}

/// Under all schedules that are asked for, up to the first that goes wrong.
std::expected<Ran, NotRun> run(const infreg::Kernel& kernel, const Reference& reference, const Asked& asked) {
  const Options options = options_of(asked);
  auto clang = find_clang(options.clang);
  if (!clang) {
    return std::unexpected(NotRun{clang.error(), true});
  }
  emit_cuda::EmitOptions emit_options;
  emit_options.entries = false;
  emit_options.symbol = "k";
  Clock::time_point start = Clock::now();
  const auto emitted = emit_cuda::emit(kernel, emit_options);
  if (!emitted) {
    return std::unexpected(NotRun{emitted.error()});
  }
  Ran ran;
  ran.evidence = fmt::format("our PTX machine under {}, PTX by clang at -O{}", options.schedules.names(), options.level);
  ran.result = reference.before.buffers;  // of no groups
  const auto text = compile_cuda(*emitted, {*clang, options.level, asked.scratch, [] { return differential::interrupts() > 0; }});
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
      ran.evidence = fmt::format("our PTX machine under {}, PTX by clang at -O{}", options.schedules.name_of(schedule), options.level);
      return ran;
    }
  }
  return ran;
}

std::optional<Unfit> complaint(Use use, const Asked& asked) {
  if (use == Use::Emit) {
    return std::nullopt;
  }
  const auto clang = find_clang(options_of(asked).clang);
  return clang ? std::nullopt : std::optional(Unfit{clang.error(), true});
}

}  // namespace

Target cuda_target() {
  Target target;
  target.name = "cuda";
  target.meaning = "CUDA C++, whose device code is compiled to PTX by clang, on the PTX machine";
  target.options = known(table());
  target.complaint = complaint;
  target.choose_pack = [](const infreg::Kernel& kernel, const Asked& /*asked*/) { return emit_cuda::choose_pack(kernel); };
  target.emit = emit;
  target.run = run;
  target.campaigning.kernels = 300;
  target.campaigning.full_kernels = 3000;
  target.campaigning.most_together = 16;  // each by itself, but a compiler has to be ended with the process that waits for it
  target.campaigning.meaning = "The CUDA C++ of cuda is compiled by clang, and runs on the PTX machine.";
  return target;
}

}  // namespace lockstep::targets
