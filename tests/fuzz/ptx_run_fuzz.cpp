// Whatever of PTX can be made ready to run runs to an end, a fault or a limit, under every schedule.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "interpreter/ptx/launch.hpp"
#include "semantics/ptx/parse.hpp"
#include "semantics/ptx/resolve.hpp"

namespace {

using namespace lockstep;

void run(const ptx::resolved::Module& module, const ptx::resolved::Function& kernel, ptx_machine::Schedule schedule) {
  ptx_machine::Arguments arguments;
  for (const ptx::resolved::Parameter& parameter : kernel.parameters) {
    const auto* of = std::get_if<ptx::resolved::VariableRef>(&parameter);
    const std::uint64_t bytes = of == nullptr ? 0 : kernel.variables[of->index].bytes;
    if (of == nullptr || bytes > 4096 || arguments.buffers.size() > 8) {
      return;
    }
    if (bytes == 8) {
      arguments.values.emplace_back(BufferNumber{arguments.buffers.size()});
      arguments.buffers.push_back({ScalarType::UInt, 64, std::vector<std::byte>(256), {64}, {}});
    } else {
      arguments.values.emplace_back(ptx_machine::ParameterBytes{std::vector<std::byte>(bytes, std::byte{7})});
    }
  }
  ptx_machine::LaunchOptions options;
  options.geometry = {{2, 1, 1}, {40, 1, 1}};
  options.shared_bytes = 64;
  options.schedule = schedule;
  options.max_steps = 500;
  options.max_depth = 8;
  options.frame_memory = std::size_t{1} << 22;
  options.memory_limit = std::size_t{1} << 22;
  const auto outcome = ptx_machine::run(module, kernel, arguments, options);
  if (!outcome) {
    return;
  }
  if (outcome->fault && ptx_machine::render(module, *outcome->fault).empty()) {
    std::abort();
  }
  for (const ptx_machine::Race& race : outcome->races) {
    if (ptx_machine::render(module, race).empty()) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Most of what there is to run stands in a kernel, so a text that does not begin as a file gets one.
  const std::string text(data, data + size);
  const std::string head =
      ".version 8.5\n.target sm_80\n.global .u32 g[4] = {1, 2};\n.func (.reg .b32 r) f(.reg .b32 x) { add.u32 r, x, 1; ret; }\n"
      ".extern .shared .align 8 .b8 e[];\n.entry k(.param .u64 a, .param .u32 n) {\n"
      ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %d<8>; .reg .f64 %e<8>;\n"
      ".shared .align 8 .b8 s[64]; .local .align 8 .b8 l[64];\nld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mad.wide.u32 %d1, %r0, 4, %d0;\n"
      "cvt.rn.f32.u32 %f0, %r0; cvt.rn.f64.u32 %e0, %r0; setp.lt.u32 %p0, %r0, 13; mov.u64 %d2, s; mov.u64 %d3, l; mov.u32 %r1, s;\nL:\n";
  const auto source = std::make_shared<const SourceFile>("fuzz.ptx", text.starts_with(".") ? text : head + text + "\n}\n");
  const auto parsed = ptx::parse(*source);
  if (!parsed) {
    return 0;
  }
  const auto module = ptx::resolve(*parsed, source);
  if (!module) {
    return 0;
  }
  for (const ptx::resolved::Function& function : module->functions) {
    if (function.entry && function.defined) {
      using enum ptx_machine::Schedule;
      for (const ptx_machine::Schedule schedule : std::to_array({LowestPc, Stack, Fair, Random})) {
        run(*module, function, schedule);
      }
      break;
    }
  }
  return 0;
}
