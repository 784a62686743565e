// C for VE as C++ for this machine, on a header in place of VE's intrinsics: what emitter, clang and the VE machine might all take for
// granted of these is read a second time, from the same source.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "codegen/emit/ve/emit.hpp"
#include "codegen/emit/ve/support/support.hpp"
#include "targets/on_host.hpp"
#include "targets/ve/compile.hpp"
#include "targets/ve/row.hpp"
#include "targets/ve/shape.hpp"

namespace lockstep::targets {

namespace {

/// Of the stack, for what the compiler puts there: vectors are values of C++ here.
constexpr std::uint64_t spare_host_stack = std::uint64_t{64} << 20U;

std::expected<Emulation, std::string> emulated_ve(const infreg::Kernel& kernel, const Asked& asked) {
  const auto emitted = emit_ve::emit(kernel, ve_shape_of(asked));
  if (!emitted) {
    return std::unexpected(emitted.error());
  }
  Emulation emulation;
  emulation.source = fmt::format(
      "{}{}extern \"C\" void {}(const void *const *arguments, uint64_t groups) {{\n"
      "  lockstep_ve::with_stack({}u, [&] {{ ::{}({}groups); }});\n"
      "}}\n",
      include_line(emit_ve::host_support_name), include_line(ve_source(kernel, "").name), emulation_entry,
      emitted->stack_bytes + spare_host_stack, emitted->function, emulation_arguments(kernel));
  emulation.headers = ve_headers(kernel, emitted->header);
  emulation.headers.push_back(ve_source(kernel, emitted->source));
  emulation.headers.push_back({std::string(emit_ve::host_support_name), std::string(emit_ve::host_support_text())});
  emulation.call = [](const host::Library& library, void* entry) {
    using Run = void(const void* const*, std::uint64_t);
    return [library, run = reinterpret_cast<Run*>(entry)](const void* const* arguments, std::uint64_t groups) { run(arguments, groups); };
  };
  return emulation;
}

}  // namespace

Target ve_host_target() {
  Target target = emulation_target(emulated_ve);
  target.name = "ve-host";
  target.meaning = "the C of ve, by a C++ compiler of this machine: intrinsics are loops, and no object code is involved";
  target.choose_pack = [](const infreg::Kernel& kernel, const Asked& asked) { return emit_ve::choose_pack(kernel, ve_shape_of(asked)); };
  std::ranges::copy(ve_shape_options(), std::back_inserter(target.options));
  target.campaigning.meaning = "The C of ve is compiled for this machine, on intrinsics that are loops.";
  target.campaigning.choose = choose_ve_shape;
  return target;
}

}  // namespace lockstep::targets
