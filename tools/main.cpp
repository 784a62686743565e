// The `lockstep` command: finds the subcommand and leaves the rest to it.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "tools/command.hpp"

namespace {

using namespace lockstep::tools;

/// Takes the numbers of standard streams that are closed, so that no file that is opened later is mistaken for one of them.
/// Reading and writing them still fails, except that messages to a closed standard error are lost.
void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) == -1) {
      static_cast<void>(open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY));  // gets the lowest free number
    }
  }
}

/// What is wrong with the words of a command line, where CLI11 would only say what is missing; empty: it says it itself.
std::string unexpected_word(const CLI::App& app, int argc, char** argv) {
  for (const CLI::App* command : app.get_subcommands()) {
    if (!command->remaining().empty()) {
      return fmt::format("lockstep {} does not know '{}'", command->get_name(), command->remaining().front());
    }
  }
  if (argc < 2 || !app.get_subcommands().empty()) {
    return "";
  }
  if (*argv[1] == '-') {
    return fmt::format("lockstep does not know '{}'", argv[1]);
  }
  std::string names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return fmt::format("there is no subcommand '{}'; there are {}", argv[1], names);
}

int parse_and_run(CLI::App& app, int argc, char** argv, int& status) {
  try {
    app.parse(argc, argv);
    return status;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? fine : bad_input;
  } catch (const std::bad_alloc&) {
    complain("not enough memory");
    return limit;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) {  // thrown by fmt::print
      errno = error.code().value();
      return bad_input;
    }
    complain(error.what());
    return missing;
  } catch (const std::exception& error) {
    complain(error.what());
    return missing;
  }
}

}  // namespace

// Only a fault of ours in the options below could throw here: NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  occupy_closed_streams();
  int status = fine;
  CLI::App app{"Lockstep: an executable semantics of SIMT programs"};
  app.require_subcommand(1);
  app.failure_message([&](const CLI::App*, const CLI::Error& error) {
    const std::string unexpected = unexpected_word(app, argc, argv);
    return fmt::format("lockstep: error: {}\nRun with --help for more information.\n", unexpected.empty() ? error.what() : unexpected);
  });
  app.set_version_flag("--version", "lockstep " LOCKSTEP_VERSION);
  app.footer("Exit status: 0 fine, 1 the answer is no, 2 bad usage or input, 3 a limit was reached, 4 something is missing here.");
  add_run(app, status);
  add_step(app, status);
  add_check(app, status);
  add_lower(app, status);
  add_emit(app, status);
  add_diff(app, status);
  add_verify(app, status);
  add_fuzz(app, status);
  add_bench(app, status);
  add_rules(app, status);
  add_forms(app, status);
  errno = 0;
  status = parse_and_run(app, argc, argv, status);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    complain(std::string("cannot write to standard output: ") + (errno != 0 ? std::strerror(errno) : "an earlier write failed"));
    return bad_input;
  }
  return status;
}
