// The way of a kernel to InfReg-IR, for every subcommand that goes it.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "codegen/compile/pack_choice.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/verify.hpp"
#include "tools/lower.hpp"
#include "tools/machine_options.hpp"
#include "tools/values.hpp"

namespace lockstep::tools {

using namespace differential;

namespace {

/// So that a value of up to 2048 elements for each item keeps within infreg::max_lanes.
constexpr std::uint64_t most_items = std::uint64_t{1} << 20;

}  // namespace

bool is_infreg_text(const SourceFile& source) { return source.name().ends_with(".ir"); }

std::optional<std::string> not_for_the_interpreter(const SourceFile& source) {
  return is_infreg_text(source)
             ? std::optional(fmt::format(
                   "{0}: is a kernel in InfReg-IR, which has an evaluator of its own: lockstep diff KERNEL.cl --ir {0}", source.name()))
             : std::nullopt;
}

std::optional<std::string> misplaced_for_infreg(const CLI::App& command, const std::string& file) {
  for (const CLI::Option* option : command.get_options()) {
    const bool is_kernels = option->get_group() == kernel_group || option->get_group() == front_end_group;
    if (option->count() > 0 && (is_kernels || option->get_name() == "--wg-size")) {
      return fmt::format("{}: {} is InfReg-IR, which has no such option", option->get_name(), file);
    }
  }
  return std::nullopt;
}

std::expected<unsigned, std::string> compiled_pack(const std::string& text) {
  const auto pack = parse_pack(text);
  return pack ? std::expected<unsigned, std::string>(std::max(*pack, 1U)) : std::unexpected(pack.error());
}

CLI::Option* add_streaming_option(CLI::App& command, bool& streaming) {
  return command
      .add_flag("--streaming", streaming,
                "leave arrays in the memory that they are loaded from: each access loads, each update is stored at once")
      ->group(front_end_group);
}

passes::PipelineOptions pipeline_options(unsigned wg_pack, bool streaming) {
  passes::PipelineOptions options;
  options.wg_pack = wg_pack;
  options.streaming = streaming;
  return options;
}

unsigned usual_pack(const infreg::Kernel& kernel) { return choose_pack(kernel); }

namespace {

std::expected<infreg::Kernel, Refusal> lowered_kernel(const ReadKernel& kernel, passes::PipelineOptions options, const PackChoice& choose) {
  if (options.wg_pack == 0) {
    options.wg_pack = 1;
    auto alone = lowered_kernel(kernel, options, choose);
    options.wg_pack = alone ? choose(*alone) : 1;
    if (options.wg_pack == 1) {
      return alone;
    }
    auto packed = lowered_kernel(kernel, options, choose);
    return packed ? packed : alone;  // a pack may be too large for the passes
  }
  const std::uint64_t wg_size = kernel.program.options.wg_size;
  if (wg_size * options.wg_pack > most_items) {
    return std::unexpected(refusal(
        fmt::format("--wg-pack {}: so many groups of {} have more than {} items", options.wg_pack, counted(wg_size, "item"), most_items)));
  }
  auto lowered = passes::lower(kernel.program, *kernel.function, options);
  if (!lowered) {
    return std::unexpected(refusal(*kernel.program.source, lowered.error()));
  }
  if (const auto faults = infreg::verify(*lowered); !faults.empty()) {
    throw InternalError(fmt::format("the passes made an ill-formed kernel:\n{}", infreg::print_marked(*lowered, faults)));
  }
  return std::move(*lowered);
}

}  // namespace

std::expected<infreg::Kernel, Refusal> lower_kernel(const ReadKernel& kernel, passes::PipelineOptions options, const PackChoice& choose) {
  Diagnostics remarks;
  options.remarks = &remarks;
  auto lowered = lowered_kernel(kernel, std::move(options), choose);
  say(render(*kernel.program.source, remarks));
  return lowered;
}

std::expected<infreg::Kernel, Status> read_infreg(const std::shared_ptr<const SourceFile>& source) {
  auto kernel = infreg::parse(source);
  if (!kernel) {
    say(render(*source, kernel.error()));
    return std::unexpected(bad_input);
  }
  if (const auto faults = infreg::verify(*kernel); !faults.empty()) {
    say(infreg::print_marked(*kernel, faults));
    complain(fmt::format("{}: the verifier refuses this kernel: {}", source->name(), counted(faults.size(), "fault")));
    return std::unexpected(no);
  }
  return std::move(*kernel);
}

}  // namespace lockstep::tools
