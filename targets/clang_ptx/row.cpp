// PTX by clang's OpenCL front end, on the PTX machine: nothing of ours has a hand in it between the kernel and the machine.

#include "targets/clang_ptx/row.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

#include "differential/compare/compare.hpp"
#include "differential/compare/interrupts.hpp"
#include "interpreter/ptx/launch.hpp"
#include "targets/clang_ptx/compile.hpp"
#include "targets/ptx/case.hpp"
#include "targets/ptx/machine.hpp"

namespace lockstep::targets {

namespace {

using differential::Failure;
using differential::NotRun;
using differential::Ran;
using differential::Reference;
using ptx_machine::Schedule;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string clang;
  std::optional<unsigned> level;
  Schedules schedules;
  std::string cases;  ///< a folder for them; empty: none are kept
};

const std::vector<StoredOption<Options>>& table() {
  static const std::vector<StoredOption<Options>> rows = {
      {{"--clang",
        "COMMAND",
        "clang and arguments for it: words, with blanks between them (default: clang-19, else clang)",
        "",
        {Use::Diff, Use::Fuzz}},
       [](Options& into, const std::string& value) {
         into.clang = value;
         return std::optional<std::string>();
       }},
      {{"--clang-level", "N", "clang's level (default: 0 and 2, one after the other)", "", {Use::Diff, Use::Fuzz}},
       [](Options& into, const std::string& value) {
         unsigned level = 0;
         auto problem = store_number(level, value, 0, 3);
         into.level = level;
         return problem;
       }},
      {schedule_option(), [](Options& into, const std::string& value) { return store_schedules(into.schedules, value); }},
      {cases_option(),
       [](Options& into, const std::string& value) {
         into.cases = value;
         return std::optional<std::string>();
       }},
  };
  return rows;
}

Options options_of(const Asked& asked) { return stored(table(), asked.settings); }

/// What it means for the run that clang makes nothing.
std::expected<Ran, NotRun> uncompiled(const host::CompileFailure& failure, const std::string& evidence) {
  using Kind = host::CompileFailure::Kind;
  if (failure.kind == Kind::Broken) {
    return std::unexpected(NotRun{failure.sentence, true});
  }
  return Ran{Failure{failure.kind == Kind::Cancelled ? Failure::Kind::NotRun : Failure::Kind::Uncompiled, failure.sentence}, evidence};
}

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// At all levels and under all schedules that are asked for, up to the first that goes wrong.
std::expected<Ran, NotRun> run_source(const SourceKernel& kernel, const Reference& reference, const Asked& asked) {
  const Options options = options_of(asked);
  auto clang = find_clang(options.clang);
  if (!clang) {
    return std::unexpected(NotRun{clang.error(), true});
  }
  if (kernel.wg_size > ptx_machine::max_block_threads || reference.groups > 0x7fffffffU) {
    return Ran{Failure{Failure::Kind::NotRun, "PTX has blocks of at most 1024 threads, and grids of at most 2^31 - 1 blocks"}, "PTX"};
  }
  if (kernel.is_ragged) {
    return Ran{Failure{Failure::Kind::NotRun, "grids of PTX consist of whole blocks, those of this launch do not"}, "PTX"};
  }
  const std::vector<unsigned> levels = options.level ? std::vector<unsigned>{*options.level} : std::vector<unsigned>{0, 2};
  const std::vector<Schedule> schedules = options.schedules.all();
  PtxLaunch launch{static_cast<std::uint32_t>(reference.groups), kernel.wg_size};
  const auto dim3 = [](const auto& sizes) {
    return ptx_machine::Dim3{static_cast<std::uint32_t>(sizes[0]), static_cast<std::uint32_t>(sizes[1]),
                             static_cast<std::uint32_t>(sizes[2])};
  };
  launch.geometry = ptx_machine::Geometry{dim3(kernel.grid), dim3(kernel.shape)};
  launch::Arguments arguments = reference.before;
  if (kernel.group_parameters) {
    const auto first = arguments.values.begin() + static_cast<std::ptrdiff_t>(*kernel.group_parameters);
    arguments.values.erase(first, first + 2);
  }
  for (const SourceKernel::LocalParameter& parameter : kernel.local_parameters) {
    launch.shared.push_back({parameter.position, parameter.bytes});
  }
  launch.written = kernel.written_parameters;
  Ran ran;
  ran.evidence = fmt::format("clang at -O{}, the PTX machine under {}", fmt::join(levels, " and -O"), options.schedules.names());
  ran.result = reference.before.buffers;  // of no groups
  for (const unsigned level : levels) {
    Clock::time_point start = Clock::now();
    const auto text = compile_by_clang(kernel, {*clang, level, asked.scratch, [] { return differential::interrupts() > 0; }});
    ran.compile_seconds += seconds_since(start);
    if (!text) {
      return uncompiled(text.error(), fmt::format("clang at -O{}", level));
    }
    const auto module = read_ptx(*text, kernel.name);
    if (!module) {
      ran.result = Failure{Failure::Kind::Uncompiled, module.error()};
      return ran;
    }
    for (std::size_t s = 0; s < schedules.size() && reference.groups > 0; ++s) {
      start = Clock::now();
      ran.result = run_ptx(*module, arguments, launch, schedules[s], options.schedules.seed);
      ran.run_seconds += seconds_since(start);
      const auto* buffers = std::get_if<std::vector<launch::Buffer>>(&ran.result);
      if (buffers == nullptr || compare(reference, *buffers).different > 0) {
        ran.evidence = fmt::format("clang at -O{}, the PTX machine under {}", level, options.schedules.name_of(schedules[s]));
        return ran;
      }
    }
    if (!options.cases.empty() && reference.groups > 0) {
      keep_case(options.cases, *text, kernel.name, arguments, launch, {reference.after.buffers, reference.open});
    }
  }
  return ran;
}

std::optional<Unfit> complaint(Use /*use*/, const Asked& asked) {
  const auto clang = find_clang(options_of(asked).clang);
  return clang ? std::nullopt : std::optional(Unfit{clang.error(), true});
}

}  // namespace

Target clang_ptx_target() {
  Target target;
  target.name = "clang-ptx";
  target.meaning =
      "the kernel as plain OpenCL C, compiled to PTX by clang, on the PTX machine; compared with the interpreter under --model opencl\n"
      "--fp-contract=off";
  target.options = known(table());
  target.complaint = complaint;
  target.run_source = run_source;
  target.campaigning.kernels = 300;
  target.campaigning.full_kernels = 3000;
  target.campaigning.most_together = 16;
  target.campaigning.meaning = "clang-ptx gets kernels of the portable subset alone, and each does not go through InfReg-IR.";
  return target;
}

}  // namespace lockstep::targets
