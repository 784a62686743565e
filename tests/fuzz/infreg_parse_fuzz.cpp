// Any text of InfReg-IR is parsed or refused; what is parsed can be judged and shown, and what verifies survives print and parse.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/same.hpp"
#include "semantics/infreg/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  // Most of the words that count stand behind the head, so a text without one gets it.
  const std::string text(data, data + size);
  const std::string head =
      "kernel @k(%a: ptr<f64>, %n: i64) wg_size 4 wg_pack 1 {\n"
      "%i : i64[wi 4 x ix 2] = index { wi*2 + ix }\n%x : f64[wi 4 x ix 2] = load %a [wi*2 + ix] contiguous\n"
      "%m : i1[wi 4 x ix 2] = mask { wi < %n }\n%c : i1 = any.pack %m, %m\n";
  const auto source = std::make_shared<const SourceFile>("fuzz.ir", text.starts_with("kernel") ? text : head + text + "\n}\n");
  const auto kernel = infreg::parse(source);
  if (!kernel) {
    if (kernel.error().empty() || render(*source, kernel.error()).empty()) {
      std::abort();
    }
    return 0;
  }
  const auto faults = infreg::verify(*kernel);
  const std::string printed = infreg::print_marked(*kernel, faults);
  if (faults.empty()) {
    const auto again = infreg::parse(std::make_shared<const SourceFile>("printed.ir", printed));
    if (!again || !infreg::same(*kernel, *again) || infreg::print(*again) != printed) {
      std::abort();
    }
  }
  return 0;
}
