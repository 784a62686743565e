#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <optional>

#include "interpreter/debug/kernel/stepper.hpp"
#include "interpreter/debug/program/stepper.hpp"
#include "interpreter/debug/ptx/stepper.hpp"
#include "interpreter/debug/ve/stepper.hpp"
#include "interpreter/launch/arguments.hpp"
#include "interpreter/ptx/arguments.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/files.hpp"
#include "semantics/ptx/parse.hpp"
#include "tools/command.hpp"
#include "tools/kernel_program.hpp"
#include "tools/lower.hpp"
#include "tools/machine_options.hpp"
#include "tools/ptx_options.hpp"
#include "tools/source_kind.hpp"
#include "tools/values.hpp"
#include "tools/ve_options.hpp"

namespace lockstep::tools {

using namespace differential;

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
template <class AnyStepper>
int read_commands(AnyStepper& stepper) {
  const bool terminal = isatty(STDIN_FILENO) != 0;
  std::optional<OnTerminal> patience;
  if (terminal) {
    stepper.set_patience(patience.emplace());
  }
  stepper.greet();
  std::string line;
  for (;;) {
    if (terminal) {
      std::cout << "(lockstep) " << std::flush;
    }
    if (!std::getline(std::cin, line)) {
      std::cout << (terminal ? "\n" : "");
      return fine;
    }
    if (terminal && line.empty()) {
      line = stepper.repeatable();
    }
    interrupt = 0;
    if (!terminal && !line.empty()) {
      std::cout << "(lockstep) " << printable(line) << "\n";
    }
    if (!stepper.execute(line)) {
      return fine;
    }
  }
}

int step_untyped(const SourceFile& source, const MachineFlags& flags) {
  const auto program = parse_program(source);
  if (!program) {
    return refuse(program.error());
  }
  auto machine = make_machine(*program, flags);
  if (!machine) {
    complain(machine.error());
    return bad_input;
  }
  Stepper stepper(std::move(*machine), source, std::cout, flags.max_steps.value_or(default_max_steps));
  return read_commands(stepper);
}

/// The options of `step` as they were given.
struct StepOptions {
  std::string file;
  MachineFlags machine;
  FrontEndFlags front_end;
  LaunchFlags launch;
  PtxFlags ptx;
  VeFlags ve;
  std::string races = "on";
  bool strict = false;
};

auto argument_file(const std::string& path, std::size_t most) {
  return read_file(path, [most](std::string_view) { return ByteLimit{most, ", too many for the memory limit (--memory-limit)"}; });
}

/// A stepper at the start of the launch that the options describe; the error is a sentence.
std::expected<std::unique_ptr<KernelStepper>, std::string> launch_stepper(const LoadedKernel& kernel, const StepOptions& options) {
  auto launch = launch_options(options.launch, options.machine);
  if (!launch) {
    return std::unexpected(launch.error());
  }
  const auto grid = grid_of(options.launch.grid, kernel);
  if (!grid) {
    return std::unexpected(grid.error());
  }
  launch->groups = groups_of(*grid);
  launch->ragged = ragged_range(options.launch.grid, kernel, *grid);
  launch->max_steps = options.machine.max_steps.value_or(default_max_steps);
  launch->races = options.races == "on";
  launch->strict = options.strict;
  const auto bytes = parse_bytes(options.machine.memory_limit);
  if (!bytes) {
    return std::unexpected("--memory-limit: " + bytes.error());
  }
  const auto arguments = launch::parse_arguments(*kernel.program, with_grid(options.launch.arguments, kernel, *grid), *bytes, argument_file,
                                                 kernel.writable, kernel.restricted, kernel.structures, kernel.written_parameters);
  if (!arguments) {
    return std::unexpected(arguments.error());
  }
  return KernelStepper::make(*kernel.program, *arguments, *launch, std::cout);
}

int step_kernel(const std::shared_ptr<const SourceFile>& source, SourceKind kind, StepOptions options) {
  take_lengths(options.launch.arguments, options.front_end);
  options.front_end.dimensions = dimensions_of(options.launch.grid, options.machine.group);
  options.front_end.ragged_items = ragged_items(options.launch.grid);
  const auto kernel = load_kernel(source, kind, options.front_end, options.machine.group);
  if (!kernel) {
    return refuse(kernel.error());
  }
  const auto stepper = launch_stepper(*kernel, options);
  if (!stepper) {
    complain(stepper.error());
    return bad_input;
  }
  return read_commands(**stepper);
}

/// A stepper at the start of the launch of PTX that the options describe; the error is a sentence.
std::expected<std::unique_ptr<PtxStepper>, std::string> ptx_stepper(const ptx::Module& syntax, ptx::resolved::Module module,
                                                                    const StepOptions& options) {
  const auto launch = ptx_launch_options(options.ptx, options.machine, options.launch, options.races == "on", options.strict);
  if (!launch) {
    return std::unexpected(launch.error());
  }
  const auto kernel = find_ptx_kernel(module, options.front_end.kernel);
  if (!kernel) {
    return std::unexpected(kernel.error());
  }
  const auto arguments = ptx_machine::parse_arguments(**kernel, options.launch.arguments, launch->memory_limit, argument_file);
  if (!arguments) {
    return std::unexpected(arguments.error());
  }
  const auto index = static_cast<std::uint32_t>(*kernel - module.functions.data());
  return PtxStepper::make(PtxProgram(syntax, std::move(module), index), *arguments, *launch, std::cout);
}

int step_ptx(const CLI::App& command, const std::shared_ptr<const SourceFile>& source, const StepOptions& options) {
  if (const auto problem = misplaced_ptx_option(command, source->name())) {
    complain(*problem);
    return bad_input;
  }
  const auto syntax = ptx::parse(*source);
  if (!syntax) {
    return refuse(refusal(*source, syntax.error()));
  }
  auto module = ptx::resolve(*syntax, source);
  if (!module) {
    return refuse(refusal(*source, module.error()));
  }
  const auto stepper = ptx_stepper(*syntax, std::move(*module), options);
  if (!stepper) {
    complain(stepper.error());
    return bad_input;
  }
  return read_commands(**stepper);
}

/// The texts that an object comes from, as far as they are there: the file itself if it was compiled here, and others where they were.
VeProgram::Texts texts_of(const ve::Lines& lines, const std::shared_ptr<const SourceFile>& source) {
  VeProgram::Texts texts;
  for (const std::string& path : lines.files) {
    const bool is_source = std::filesystem::path(path).filename() == std::filesystem::path(source->name()).filename();
    auto text = is_source ? source : nullptr;
    if (!is_source) {
      std::error_code problem;
      auto read = std::filesystem::is_regular_file(path, problem) ? read_file(path) : std::unexpected(std::string());
      text = read ? std::make_shared<const SourceFile>(path, std::move(*read)) : nullptr;
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

/// A stepper at the start of the call on VE that the options describe.
std::expected<std::unique_ptr<VeStepper>, VeFailure> ve_stepper(const CLI::App& command, const std::shared_ptr<const SourceFile>& source,
                                                                const StepOptions& options) {
  const auto wrong = [](std::string sentence) { return std::unexpected(VeFailure{bad_input, std::move(sentence)}); };
  const auto request = ve_request(command, options.machine, options.launch);
  if (!request) {
    return wrong(request.error());
  }
  auto code = load_ve(*source, options.ve, request->memory_limit);
  if (!code) {
    return std::unexpected(code.error());
  }
  const auto kernel = ve_machine::find_kernel(code->object, options.front_end.kernel);
  if (!kernel) {
    return wrong(kernel.error());
  }
  const auto arguments = ve_arguments(options.launch.arguments, request->memory_limit);
  if (!arguments) {
    return wrong(arguments.error());
  }
  const auto number = static_cast<std::size_t>(*kernel - code->object.symbols.data());
  ve::Lines lines = ve::read_lines(code->object);
  VeProgram::Texts texts = texts_of(lines, source);
  VeProgram program(std::move(code->object), std::move(code->decoder), number, std::move(lines), std::move(texts));
  auto stepper = VeStepper::make(std::move(program), *arguments, {request->launch}, std::cout);
  if (!stepper) {
    return wrong(stepper.error());
  }
  return std::move(*stepper);
}

int step_ve(const CLI::App& command, const std::shared_ptr<const SourceFile>& source, const StepOptions& options) {
  if (const auto problem = misplaced_ve_option(command, source->name())) {
    complain(*problem);
    return bad_input;
  }
  const auto stepper = ve_stepper(command, source, options);
  if (!stepper) {
    complain(stepper.error().sentence);
    return stepper.error().status;
  }
  return read_commands(**stepper);
}

int step_through(const CLI::App& command, const StepOptions& options) {
  if (options.file == "-") {
    complain("step reads its commands from standard input; the program must be a file");
    return bad_input;
  }
  if (options.strict && options.races == "off") {
    complain("--strict wants the races that --races=off does not look for");
    return bad_input;
  }
  const auto text = read_source(options.file);
  if (!text) {
    return refuse(text.error());
  }
  const std::shared_ptr<const SourceFile>& source = *text;
  if (const auto problem = not_for_the_interpreter(*source)) {
    complain(*problem);
    return bad_input;
  }
  if (is_for_ve(*source, options.ve)) {
    return step_ve(command, source, options);
  }
  if (is_ptx_text(*source)) {
    return step_ptx(command, source, options);
  }
  const SourceKind kind = kind_of(*source);
  if (const auto problem = misplaced_option(command, kind, source->name())) {
    complain(*problem);
    return bad_input;
  }
  return kind == SourceKind::Untyped ? step_untyped(*source, options.machine) : step_kernel(source, kind, options);
}

}  // namespace

void add_step(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("step", "step through a program or kernel, forwards and backwards");
  command->footer(
      "Commands are read from standard input; 'help' lists them (docs/stepper.md, for kernels docs/step.md, for PTX docs/ptx.md, for VE "
      "docs/ve.md).\n"
      "Example: lockstep step examples/musimd/fig6.mus\n"
      "         lockstep step examples/core/saxpy.cl --wg-size 4 --arg alpha=2 --arg x=4:iota --arg y=4:random --arg n=4\n"
      "         lockstep step kernel.ptx --kernel sum --grid 4 --block 64,2 --shared 1K --arg 0=f32:1024:random --arg n=1024\n"
      "         lockstep step kernel.c --target ve --kernel saxpy --arg 0=2.5 --arg 1=f64:600:iota --arg 2=f64:600:zeros --arg 3=600\n"
      "Exit status: 0 whatever the program does and whatever was typed, 2 the file or an option cannot be used, 4 no clang for VE.");
  auto options = std::make_shared<StepOptions>();
  options->launch.pack = "1";
  command->add_option("FILE", options->file, "a .mus program, a .cl file of kernels, PTX (.ptx), or an object file of VE (.o)")->required();
  add_machine_options(*command, options->machine);
  add_kernel_name_option(*command, options->front_end);
  add_launch_options(*command, options->launch);
  command->remove_option(command->get_option("--out"));
  add_front_end_options(*command, options->front_end);
  add_ptx_options(*command, options->ptx);
  add_ve_options(*command, options->ve);
  command
      ->add_option("--races", options->races,
                   "look for items, groups and threads that nothing orders; a race that was not known stops a run")
      ->group(kernel_group)
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str()
      ->type_name("on|off");
  command->add_flag("--strict", options->strict, "the first race ends the run")->group(kernel_group);
  command->callback([command, options, &status] { status = step_through(*command, *options); });
}

}  // namespace lockstep::tools
