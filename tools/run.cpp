#include "tools/command.hpp"

namespace lockstep::tools {

void add_run(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("run", "run a program and say how it ends");
  command->callback([&status] { status = fine; });
}

}  // namespace lockstep::tools
