// Any text is a kernel file that can be translated, for each of its kernels, to a well-formed program, or is refused with errors that can
// be shown.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"
#include "semantics/typed/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const auto source = std::make_shared<const SourceFile>("fuzz.cl", std::string(data, data + size));
  core::Options options;
  options.wg_size = 4;
  Diagnostics warnings;
  const auto program = core::read_kernels(source, options, warnings);
  render(*source, warnings);
  if (!program) {
    if (program.error().empty() || render(*source, program.error()).empty()) {
      std::abort();
    }
    return 0;
  }
  for (const core::Function& function : program->functions) {
    if (function.is_kernel && !typed::check(core::translate(*program, function)).empty()) {
      std::abort();
    }
  }
  return 0;
}
