// Any typed text is parsed or refused; what is parsed survives print and parse, can be judged, and has a layout or too large a one.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "semantics/typed/check.hpp"
#include "semantics/typed/layout.hpp"
#include "semantics/typed/parse.hpp"
#include "semantics/typed/print.hpp"

namespace {

using namespace lockstep;

void look_at(const typed::Program& program) {
  if (!render(*program.source, typed::check(program)).empty() && typed::check(program).empty()) {
    std::abort();
  }
  for (const typed::Function& function : program.functions) {
    const auto layout = typed::layout(program, function, 2);
    if (layout ? typed::text_of(program, *layout).empty() || typed::json_of(program, *layout).empty() : layout.error().empty()) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Most of the words that count stand behind the head, so a text without one gets it.
  const std::string text(data, data + size);
  const std::string head = ".typed\n.wg_size 4\n.local int l[4]\n.kernel k(global float* a, int n)\n.var float x, v[3]\n";
  const auto source = std::make_shared<const SourceFile>("fuzz.mus", typed::looks_typed(text) ? text : head + text);
  const auto program = typed::parse(source);
  if (!program) {
    if (program.error().empty() || render(*source, program.error()).empty()) {
      std::abort();
    }
    return 0;
  }
  for (const bool source_lines : {false, true}) {
    const std::string printed = typed::print(*program, {.source_lines = source_lines});
    const auto again = typed::parse(std::make_shared<const SourceFile>("printed.mus", printed));
    if (!again || !typed::same(*program, *again)) {
      std::abort();
    }
  }
  look_at(*program);
  return 0;
}
