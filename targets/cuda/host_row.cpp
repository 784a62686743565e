// CUDA C++ as plain C++ for this machine, on a header in place of a GPU: what emitter, clang and the PTX machine might all take for granted
// of PTX and of warps is read a second time, from the same source.

#include <fmt/format.h>

#include "codegen/emit/cuda/emit.hpp"
#include "codegen/emit/cuda/packs.hpp"
#include "codegen/emit/cuda/support/support.hpp"
#include "targets/cuda/compile.hpp"
#include "targets/cuda/row.hpp"
#include "targets/on_host.hpp"

namespace lockstep::targets {

namespace {

std::expected<Emulation, std::string> emulated_cuda(const infreg::Kernel& kernel, const Asked& /*asked*/) {
  emit_cuda::EmitOptions options;
  options.symbol = "k";
  const auto emitted = emit_cuda::emit(kernel, options);
  if (!emitted) {
    return std::unexpected(emitted.error().sentence);
  }
  Emulation emulation;
  emulation.source = fmt::format(
      "{}{}extern \"C\" void {}(const void *const *arguments, uint64_t groups, unsigned blocks) {{\n"
      "  lockstep_cuda_host::run_grid(blocks, {}, [&] {{ ::{}({}groups); }});\n"
      "}}\n",
      include_line(emit_cuda::host_support_name), include_line(kernel.name + ".cu"), emulation_entry, emitted->block_threads,
      emitted->kernel_symbol, emulation_arguments(kernel));
  emulation.headers = {{kernel.name + ".cu", emitted->source},
                       {kernel.name + ".cuda.h", emitted->header},
                       {std::string(emit_cuda::support_name), std::string(emit_cuda::support_text())},
                       {std::string(emit_cuda::host_support_name), std::string(emit_cuda::host_support_text())}};
  emulation.call = [emitted = *emitted, shape = kernel.shape](const host::Library& library, void* entry) {
    using Run = void(const void* const*, std::uint64_t, unsigned);
    return [library, run = reinterpret_cast<Run*>(entry), emitted, shape](const void* const* arguments, std::uint64_t groups) {
      run(arguments, groups, blocks_for(emitted, shape, groups));
    };
  };
  return emulation;
}

}  // namespace

Target cuda_host_target() {
  Target target = emulation_target(emulated_cuda);
  target.name = "cuda-host";
  target.meaning = "the CUDA C++ of cuda, by a C++ compiler of this machine: threads are fibers, and no PTX is involved";
  target.choose_pack = [](const infreg::Kernel& kernel, const Asked& /*asked*/) { return emit_cuda::choose_pack(kernel); };
  target.campaigning.meaning = "The CUDA C++ of cuda is compiled for this machine, and runs with a fiber for each thread.";
  return target;
}

}  // namespace lockstep::targets
