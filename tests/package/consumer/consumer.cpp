#include <cstdio>

#include "interpreter/machine/machine.hpp"
#include "semantics/musimd/parse.hpp"

int main() {
  const lockstep::SourceFile source("hello.mus", ".threads 4\n v0 = tid * 2\n st tid = v0\n stop\n");
  auto program = lockstep::musimd::parse(source);
  if (!program) {
    return std::puts(lockstep::render(source, program.error()).c_str()), 1;
  }
  auto machine = lockstep::Machine::make(std::make_shared<lockstep::musimd::Program>(std::move(*program)), {});
  const lockstep::Ending ending = (*machine)->run(1000);
  std::printf("%s after %d steps, cell 3 holds %d\n", lockstep::status_word(ending).data(), int((*machine)->steps()),
              int((*machine)->state().shared.read(3).number));
  return (*machine)->state().shared.read(3) == lockstep::Cell{lockstep::CellState::Number, 6} ? 0 : 1;
}
