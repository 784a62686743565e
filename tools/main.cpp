// The `lockstep` command: finds the subcommand and leaves the rest to it.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "tools/command.hpp"

int main(int argc, char** argv) {
  using namespace lockstep::tools;
  int status = fine;
  CLI::App app{"Lockstep: an executable semantics of SIMT programs"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "lockstep " LOCKSTEP_VERSION);
  app.footer("Exit status: 0 fine, 1 the answer is no, 2 bad usage or input, 3 a limit was reached, 4 something is missing here.");
  add_run(app, status);
  add_step(app, status);
  add_check(app, status);
  add_rules(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? fine : bad_input;
  } catch (const std::exception& error) {
    complain(error.what());
    return missing;
  }
  return status;
}
