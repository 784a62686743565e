#include "tools/kernel_program.hpp"

#include <fmt/format.h>

#include "semantics/base/diagnostic.hpp"
#include "semantics/core/inclusions.hpp"
#include "semantics/typed/parse.hpp"

namespace lockstep::tools {

using namespace differential;

namespace {

std::string kernel_names(const core::Program& program) {
  std::string names;
  for (const core::Function& function : program.functions) {
    if (function.is_kernel) {
      names += (names.empty() ? "" : ", ") + function.name;
    }
  }
  return names;
}

std::expected<LoadedKernel, Refusal> load_from_kernels(const std::shared_ptr<const SourceFile>& source, const FrontEndFlags& flags,
                                                       const GroupFlags& group) {
  const auto kernel = read_kernel(source, flags, group);
  return kernel ? std::expected<LoadedKernel, Refusal>(load(kernel->program, *kernel->function)) : std::unexpected(kernel.error());
}

std::expected<LoadedKernel, Refusal> load_from_typed(const std::shared_ptr<const SourceFile>& source, const FrontEndFlags& flags,
                                                     const GroupFlags& group) {
  auto program = typed::parse(source);
  if (!program) {
    return std::unexpected(refusal(*source, program.error()));
  }
  if (const auto problem = check_typed(*program, flags, group)) {
    return std::unexpected(refusal(*problem));
  }
  LoadedKernel kernel{std::make_shared<const typed::Program>(std::move(*program)), {}, {}, {}, {}};
  for (std::size_t i = 0; i < kernel.program->kernel().parameter_count; ++i) {
    const typed::ValueType& type = kernel.program->kernel().registers[i].type;
    kernel.writable.push_back(type.is_pointer && type.space == AddressSpace::Global);
  }
  return kernel;
}

}  // namespace

std::string no_kernel(const core::Program& program, const std::string& wanted) {
  const std::string names = kernel_names(program);
  return wanted.empty() ? fmt::format("{}: there are several kernels; choose one with --kernel: {}", program.source->name(), names)
                        : fmt::format("--kernel {}: {} has no such kernel, only {}", shortened(wanted), program.source->name(), names);
}

std::optional<std::string> check_typed(const typed::Program& program, const FrontEndFlags& flags, const GroupFlags& group) {
  const std::string& file = program.source->name();
  if (!flags.kernel.empty() && flags.kernel != program.kernel().name) {
    return fmt::format("--kernel {}: {} has no such kernel, only {}", shortened(flags.kernel), file, program.kernel().name);
  }
  if (!flags.lengths.empty()) {
    return fmt::format("--arg {}: a typed program has no __local parameters", shortened(flags.lengths.front()));
  }
  if (group.items != 0 && (group.items != program.wg_size || group.dimensions > 1)) {
    return fmt::format("--wg-size: {} is a typed program for groups of {} items, in one dimension", file, program.wg_size);
  }
  return std::nullopt;
}

std::expected<ReadKernel, Refusal> read_kernel(const std::shared_ptr<const SourceFile>& source, const FrontEndFlags& flags,
                                               const GroupFlags& group, bool ahead) {
  const auto options = front_end_options(flags, group);
  if (!options) {
    return std::unexpected(refusal(options.error()));
  }
  const core::Inclusion whole = core::include_files(source, *options, flags.directories);
  if (!whole.errors.empty()) {
    return std::unexpected(refusal(*whole.source, whole.errors));
  }
  Diagnostics warnings;
  auto program = core::read_kernels(whole.source, *options, warnings);
  if (!ahead) {
    say(render(*whole.source, warnings));
  }
  if (!program) {
    return std::unexpected(refusal(*whole.source, program.error()));
  }
  const core::Function* kernel = program->kernel(flags.kernel);
  if (kernel == nullptr) {
    return std::unexpected(refusal(no_kernel(*program, flags.kernel)));
  }
  if (const auto problem = core::wrong_lengths(*program, *kernel, !ahead)) {
    return std::unexpected(refusal(fmt::format("--arg NAME=local:LENGTH: {}", *problem)));
  }
  return ReadKernel{std::move(*program), kernel};
}

std::expected<LoadedKernel, Refusal> load_kernel(const std::shared_ptr<const SourceFile>& source, SourceKind kind,
                                                 const FrontEndFlags& flags, const GroupFlags& group) {
  return kind == SourceKind::Kernels ? load_from_kernels(source, flags, group) : load_from_typed(source, flags, group);
}

}  // namespace lockstep::tools
