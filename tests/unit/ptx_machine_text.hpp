#pragma once
// Small PTX kernels as text, run on the machine.

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "interpreter/ptx/launch.hpp"
#include "semantics/ptx/parse.hpp"
#include "semantics/ptx/resolve.hpp"

namespace lockstep::test {

/// A run of kernel `k`, whose one parameter `out` points to a buffer of 32-bit numbers.
struct PtxRun {
  std::shared_ptr<const SourceFile> source;
  ptx::resolved::Module module;
  ptx_machine::Outcome outcome;
  std::vector<std::uint32_t> out;

  /// What people are told of the fault; empty without one.
  std::string fault() const { return outcome.fault ? ptx_machine::render(module, *outcome.fault) : std::string(); }
};

struct PtxLaunch {
  ptx_machine::LaunchOptions options;
  std::vector<std::uint32_t> out = std::vector<std::uint32_t>(64);  ///< at the start

  explicit PtxLaunch(std::uint32_t threads = 32, std::uint32_t blocks = 1) {
    options.geometry = {{blocks, 1, 1}, {threads, 1, 1}};
    options.max_steps = 100'000;
  }
};

/// The kernel whose body this is; `above` stands in front of it at the module's level. It has registers %p0 to %p9, %r0 …, %rd0 … and
/// %f0 … to %f9, and %rd9 is `out`, %r9 is %tid.x, %rd8 the address of the thread's number in `out`.
inline std::string kernel_text(const std::string& body, const std::string& above = "") {
  return ".version 8.5\n.target sm_75\n.address_size 64\n" + above +
         ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n.reg .f32 %f<10>;\n"
         "ld.param.u64 %rd9, [out];\nmov.u32 %r9, %tid.x;\nmad.wide.u32 %rd8, %r9, 4, %rd9;\n" +
         body + "\nret;\n}\n";
}

/// Throws std::runtime_error where the text is refused.
inline PtxRun run_text(const std::string& text, PtxLaunch launch = PtxLaunch()) {
  PtxRun run;
  run.source = std::make_shared<const SourceFile>("k.ptx", text);
  const auto module = ptx::parse(*run.source);
  if (!module) {
    throw std::runtime_error(render(*run.source, module.error()));
  }
  auto resolved = ptx::resolve(*module, run.source);
  if (!resolved) {
    throw std::runtime_error(render(*run.source, resolved.error()));
  }
  run.module = std::move(*resolved);
  ptx_machine::Arguments arguments;
  launch::Buffer buffer{ScalarType::UInt, launch.out.size(), std::vector<std::byte>(launch.out.size() * 4), {launch.out.size()}, {}};
  std::memcpy(buffer.bytes.data(), launch.out.data(), buffer.bytes.size());
  arguments.buffers.push_back(std::move(buffer));
  arguments.values.push_back(BufferNumber{0});
  auto outcome = ptx_machine::run(run.module, *run.module.function("k"), arguments, launch.options);
  if (!outcome) {
    throw std::runtime_error(outcome.error());
  }
  run.outcome = std::move(*outcome);
  run.out.resize(launch.out.size());
  std::memcpy(run.out.data(), arguments.buffers[0].bytes.data(), arguments.buffers[0].bytes.size());
  return run;
}

inline PtxRun run_body(const std::string& body, PtxLaunch launch = PtxLaunch()) { return run_text(kernel_text(body), std::move(launch)); }

}  // namespace lockstep::test
