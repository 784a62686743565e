#include "tools/command.hpp"

namespace lockstep::tools {

void add_step(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("step", "step through a program, forwards and backwards");
  command->callback([&status] { status = fine; });
}

}  // namespace lockstep::tools
