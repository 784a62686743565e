#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>

#include "interpreter/debug/stepper.hpp"
#include "semantics/base/diagnostic.hpp"
#include "tools/command.hpp"
#include "tools/machine_options.hpp"

namespace lockstep::tools {

namespace {

volatile std::sig_atomic_t interrupt = 0;

/// On a terminal: Ctrl-C ends a command, not the session, and commands of more than a second tell how far they are.
class OnTerminal : public Patience {
 public:
  OnTerminal() {
    struct sigaction action = {};
    action.sa_handler = [](int) { interrupt = 1; };
    action.sa_flags = SA_RESTART;  // reading the next command goes on
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
  }

  bool goes_on(std::uint64_t position) override {
    const auto now = std::chrono::steady_clock::now();
    begin_ = begin_.value_or(now);
    if (now - *begin_ > std::chrono::seconds(1) && now - told_ > std::chrono::milliseconds(200) && isatty(STDERR_FILENO) != 0) {
      std::cerr << "\r" << position << " steps … (Ctrl-C ends this)\033[K" << std::flush;
      told_ = now;
      shown_ = true;
    }
    return interrupt == 0;
  }

  void over() override {
    std::cerr << (shown_ ? "\r\033[K" : "") << std::flush;
    shown_ = false;
    begin_.reset();
  }

 private:
  std::optional<std::chrono::steady_clock::time_point> begin_;
  std::chrono::steady_clock::time_point told_;
  bool shown_ = false;
};

/// Reads commands to the end of the input or `quit`. On a terminal an empty line repeats the last step; elsewhere each command
/// is printed in front of its answer, so that the output reads like a session on a terminal.
void read_commands(Stepper& stepper) {
  const bool terminal = isatty(STDIN_FILENO) != 0;
  std::string line;
  for (;;) {
    if (terminal) {
      std::cout << "(lockstep) " << std::flush;
    }
    if (!std::getline(std::cin, line)) {
      std::cout << (terminal ? "\n" : "");
      return;
    }
    if (terminal && line.empty()) {
      line = stepper.repeatable();
    }
    interrupt = 0;
    if (!terminal && !line.empty()) {
      std::cout << "(lockstep) " << printable(line) << "\n";
    }
    if (!stepper.execute(line)) {
      return;
    }
  }
}

int step_through(const std::string& file, const MachineFlags& flags) {
  if (file == "-") {
    complain("step reads its commands from standard input; the program must be a file");
    return bad_input;
  }
  std::unique_ptr<SourceFile> source;
  const auto program = read_program(file, source);
  if (program == nullptr) {
    return bad_input;
  }
  auto machine = make_machine(program, flags);
  if (!machine) {
    complain(machine.error());
    return bad_input;
  }
  Stepper stepper(std::move(*machine), *source, std::cout, flags.max_steps);
  std::optional<OnTerminal> patience;
  if (isatty(STDIN_FILENO) != 0) {
    stepper.set_patience(patience.emplace());
  }
  stepper.greet();
  read_commands(stepper);
  return fine;
}

}  // namespace

void add_step(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("step", "step through a program, forwards and backwards");
  command->footer(
      "Commands are read from standard input; 'help' lists them (docs/stepper.md).\n"
      "Example: lockstep step examples/musimd/fig6.mus\n"
      "Exit status: 0 whatever the program does and whatever was typed, 2 the file or an option cannot be used.");
  auto file = std::make_shared<std::string>();
  auto flags = std::make_shared<MachineFlags>();
  command->add_option("FILE", *file, "a .mus program")->required();
  add_machine_options(*command, *flags);
  command->callback([file, flags, &status] { status = step_through(*file, *flags); });
}

}  // namespace lockstep::tools
