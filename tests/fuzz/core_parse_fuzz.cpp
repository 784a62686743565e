// Any text is parsed as a kernel or refused; what is parsed survives print and parse.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "semantics/core/front_end.hpp"
#include "semantics/core/print.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const SourceFile source("fuzz.cl", std::string(data, data + size));
  const auto unit = core::parse(source, {});
  if (!unit) {
    if (unit.error().empty() || render(source, unit.error()).empty()) {
      std::abort();
    }
    return 0;
  }
  const std::string printed = core::print(*unit);
  const auto again = core::parse(SourceFile("printed.cl", printed), {});
  if (!again || !core::same(*unit, *again) || core::print(*again) != printed) {
    std::abort();
  }
  return 0;
}
