// Any text is parsed or refused; what is parsed survives print and parse.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "semantics/musimd/parse.hpp"
#include "semantics/musimd/print.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const SourceFile source("fuzz.mus", std::string(data, data + size));
  const auto program = musimd::parse(source);
  if (!program) {
    if (program.error().empty() || render(source, program.error()).empty()) {
      std::abort();
    }
    return 0;
  }
  const auto again = musimd::parse(SourceFile("printed.mus", musimd::print(*program)));
  if (!again || !musimd::same(*program, *again)) {
    std::abort();
  }
  return 0;
}
