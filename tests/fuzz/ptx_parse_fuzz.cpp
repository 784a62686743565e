// Any text of PTX is parsed or refused; what is parsed survives print and parse, can be checked, and is resolved where nothing is wrong.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "semantics/ptx/check.hpp"
#include "semantics/ptx/parse.hpp"
#include "semantics/ptx/print.hpp"
#include "semantics/ptx/resolve.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  // Most of what there is to read stands in a kernel, so a text that does not begin as a file gets one.
  const std::string text(data, data + size);
  const std::string head =
      ".version 8.5\n.target sm_80\n.global .u32 g[4] = {1, 2};\n.func (.reg .b32 r) f(.reg .b32 x) { ret; }\n"
      ".entry k(.param .u64 a) {\n.reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %d<8>; .reg .f64 "
      "%e<8>;\nL:\n";
  const auto source = std::make_shared<const SourceFile>("fuzz.ptx", text.starts_with(".") ? text : head + text + "\n}\n");
  const auto module = ptx::parse(*source);
  if (!module) {
    if (module.error().empty() || render(*source, module.error()).empty()) {
      std::abort();
    }
    return 0;
  }
  const std::string printed = ptx::print(*module);
  const SourceFile again("printed.ptx", printed);
  const auto reread = ptx::parse(again);
  if (!reread || *reread != *module || ptx::print(*reread) != printed) {
    std::abort();
  }
  const Diagnostics found = ptx::check(*module);
  const bool wrong = std::ranges::any_of(found, [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::Error; });
  if (render(*source, found).empty() != found.empty() || ptx::resolve(*module, source).has_value() == wrong) {
    std::abort();
  }
  return 0;
}
