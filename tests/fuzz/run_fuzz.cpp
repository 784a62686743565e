// Any text is parsed or refused; what is parsed can be judged and run, within its limits; what the checker accepts is never stuck.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "interpreter/machine/machine.hpp"
#include "semantics/musimd/check.hpp"
#include "semantics/musimd/parse.hpp"

namespace {

using namespace lockstep;

Ending run(const std::shared_ptr<const musimd::Program>& program, bool checking, std::uint64_t steps) {
  MachineOptions options;
  options.memory_limit = std::size_t{16} << 20;
  options.stack_limit = 1000;
  options.checking = checking;  // two rules that apply at once end this with an exception
  auto machine = Machine::make(program, options);
  if (!machine) {
    return LimitReached{LimitReached::What::Memory};  // the program's own cells are too many
  }
  const Ending ending = (*machine)->run(steps);
  if (status_word(ending) != "halted" && reason(ending).empty()) {
    std::abort();
  }
  return ending;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto parsed = musimd::parse(SourceFile("fuzz.mus", std::string(data, data + size)));
  if (!parsed) {
    return 0;
  }
  const auto program = std::make_shared<const musimd::Program>(std::move(*parsed));
  const bool accepted = musimd::well_formed(musimd::check(*program));
  if (accepted && std::holds_alternative<Stuck>(run(program, false, 2000))) {
    std::abort();
  }
  run(program, true, accepted ? 50 : 500);
  return 0;
}
