#include "tools/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "semantics/base/counted.hpp"
#include "tools/command.hpp"
#include "tools/lower.hpp"
#include "tools/sim.hpp"

namespace lockstep::tools {

namespace {

/// Steps so far, on standard error, if that is a terminal and the run takes more than a second.
class Progress {
 public:
  void show(std::uint64_t steps) {
    const auto now = std::chrono::steady_clock::now();
    if (terminal_ && now >= next_) {
      fmt::print(stderr, "\r{:.1f} million steps ", static_cast<double>(steps) / 1e6);
      std::fflush(stderr);
      next_ = now + std::chrono::milliseconds(250);
      shown_ = true;
    }
  }
  void clear() const {
    if (shown_) {
      fmt::print(stderr, "\r{:40}\r", "");
    }
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

Ending run_to_the_end(Machine& machine, std::uint64_t max_steps) {
  constexpr std::uint64_t slice = 1U << 16;
  Progress progress;
  Ending ending = LimitReached{LimitReached::What::Steps};
  while (machine.steps() < max_steps && !machine.ending()) {
    ending = machine.run(std::min(slice, max_steps - machine.steps()));
    progress.show(machine.steps());
  }
  progress.clear();
  return ending;
}

/// A sentence about options that do not go together.
std::optional<std::string> check_options(const RunOptions& options) {
  const bool to_stdout = options.trace_out == "-";
  if (options.json && !options.trace.empty() && to_stdout) {
    return "--json and --trace both want standard output; give --trace-out FILE";
  }
  if (options.trace.empty() && !to_stdout) {
    return "--trace-out wants --trace";
  }
  if (options.strict && options.races == "off") {
    return "--strict wants the races that --races=off does not look for";
  }
  return std::nullopt;
}

int exit_status(const RunReport& report) {
  if (std::holds_alternative<LimitReached>(report.ending)) {
    return limit;
  }
  return report.status == "halted" ? fine : no;
}

/// Why the run ended, with the number and the option of a limit.
std::string reason_text(const Ending& ending, const Machine& machine, std::uint64_t max_steps) {
  const auto* reached = std::get_if<LimitReached>(&ending);
  if (reached == nullptr) {
    return reason(ending);
  }
  switch (reached->what) {
    case LimitReached::What::Steps:
      return fmt::format("the step limit of {} is reached (--max-steps)", max_steps);
    case LimitReached::What::Memory:
      return fmt::format("the memory limit of {} bytes is reached (--memory-limit)", machine.options().memory_limit);
    case LimitReached::What::Stacks:
      return fmt::format("the limit of {} entries on Π or Λ is reached (no option changes it)", machine.options().stack_limit);
  }
  return {};
}

/// What standard error says of a run that did not halt, or has races under --strict.
void print_diagnostic(const RunReport& report) {
  const bool race = std::holds_alternative<Halted>(report.ending) && report.races != nullptr && !report.races->races().empty();
  const musimd::Label pc = race ? report.races->races()[0].pc : report.machine.state().pc;
  say(render(report.source, Diagnostic{Severity::Error, span_of(report.machine.program(), report.source, pc), report.reason, {}}));
}

/// The dumps behind the summary (npy files also with --json); whether all could be made.
bool make_dumps(const std::vector<Dump>& dumps, const RunOptions& options, const Cells& shared) {
  bool good = true;
  for (const Dump& dump : dumps) {
    if (options.json && dump.request.format != DumpRequest::Format::Npy) {
      continue;
    }
    if (auto problem = write_dump(dump, shared, !options.quiet)) {
      complain(*problem);
      good = false;
    }
  }
  return good;
}

/// Everything that is said after a run.
int tell(const RunReport& report, const RunOptions& options, const std::vector<DumpRequest>& requests) {
  const Cells& shared = report.machine.state().shared;
  std::vector<Dump> dumps;
  int status = exit_status(report);
  for (const DumpRequest& request : requests) {
    if (auto dump = locate(request, shared)) {
      dumps.push_back(std::move(*dump));
    } else {
      complain(dump.error());
      status = std::max<int>(status, no);
    }
  }
  const bool trace_alone = !options.trace.empty() && options.trace != "table" && options.trace_out == "-";
  if (options.json) {
    print_json(report, dumps);
  } else if (!options.quiet && !trace_alone) {
    fmt::print("{}", !options.trace.empty() && options.trace_out == "-" ? "\n" : "");
    print_summary(report);
  }
  if (!make_dumps(dumps, options, shared)) {
    status = bad_input;
  }
  std::fflush(stdout);
  if (!options.json && report.status != "halted") {
    print_diagnostic(report);
  }
  return status;
}

/// Attaches what watches the run, runs it, and tells how it went.
int watch(Machine& machine, const SourceFile& source, const RunOptions& options, const std::vector<DumpRequest>& dumps) {
  RaceObserver races;
  UninitialisedObserver uninitialised;
  const auto shuffles = [](const musimd::Statement& s) { return std::holds_alternative<musimd::Shuffle>(s.instruction); };
  const auto& code = machine.program().code;
  std::ofstream trace_file;
  std::unique_ptr<Observer> trace;
  if (options.races == "on") {
    machine.attach(races);
  }
  const bool has_shuffles = std::any_of(code.begin(), code.end(), shuffles);
  if (has_shuffles) {
    machine.attach(uninitialised);
  }
  if (!options.trace.empty()) {
    if (options.trace_out != "-") {
      trace_file.open(options.trace_out, std::ios::binary | std::ios::trunc);
      if (!trace_file) {
        return refuse(refusal(fmt::format("{}: {}", options.trace_out, std::strerror(errno))), options.json);
      }
    }
    trace = make_trace(options.trace, options.trace_out == "-" ? std::cout : trace_file, source);
    machine.attach(*trace);
  }
  const Ending ending = run_to_the_end(machine, options.machine.max_steps.value_or(default_max_steps));
  if (!has_shuffles) {
    uninitialised.ended(machine, ending);  // there was nothing to see before
  }
  if (trace != nullptr) {
    if (!machine.ending()) {
      trace->ended(machine, ending);  // the step limit is ours, the machine could go on
    }
    if (options.trace_out == "-") {
      std::cout.flush();
    } else if (!trace_file.flush()) {
      return refuse(refusal(fmt::format("{}: the trace cannot be written", options.trace_out)), options.json);
    }
  }
  RunReport report{source,
                   machine,
                   ending,
                   options.races == "on" ? &races : nullptr,
                   uninitialised,
                   std::string(status_word(ending)),
                   reason_text(ending, machine, options.machine.max_steps.value_or(default_max_steps))};
  if (options.strict && races.count() > 0 && std::holds_alternative<Halted>(ending)) {
    report.status = "error";
    report.reason =
        fmt::format("two threads stored different values to one cell in one step: {} (--strict)", counted(races.count(), "time"));
  }
  return tell(report, options, dumps);
}

/// A sentence about outputs that cannot be used.
std::optional<std::string> check_outputs(const RunOptions& options, const std::vector<DumpRequest>& dumps) {
  std::vector<std::string> inputs = {options.file};
  for (const std::string& argument : options.machine.shared) {
    if (auto file = shared_file(argument)) {
      inputs.push_back(std::move(*file));
    }
  }
  std::vector<std::string> outputs;
  for (const DumpRequest& dump : dumps) {
    if (dump.format == DumpRequest::Format::Npy) {
      outputs.push_back(dump.path);
    }
  }
  std::vector<std::string> all = outputs;
  if (options.trace_out != "-") {
    all.push_back(options.trace_out);  // it is opened before the run in any case
  }
  const auto overwriting = check_overwriting(inputs, all);
  return overwriting ? overwriting : check_writable(outputs);
}

int run_untyped(const SourceFile& source, const RunOptions& options) {
  std::vector<DumpRequest> dumps;
  std::optional<std::string> problem;
  for (const std::string& text : options.dumps) {
    auto dump = parse_dump(text);
    if (!dump) {
      problem = problem ? problem : dump.error();
      continue;
    }
    const auto too_many =
        dump->length.in_cell ? std::nullopt : too_many_cells(dump->length.value, dump->base.in_cell ? 0 : dump->base.value);
    problem = problem ? problem : too_many;
    dumps.push_back(std::move(*dump));
  }
  if (problem) {
    return refuse(refusal(*problem), options.json);
  }
  const auto program = parse_program(source);
  if (!program) {
    return refuse(program.error(), options.json);
  }
  const auto machine = make_machine(*program, options.machine);
  if (!machine) {
    return refuse(refusal(machine.error()), options.json);
  }
  if (const auto output = check_outputs(options, dumps)) {
    return refuse(refusal(*output), options.json);
  }
  return watch(**machine, source, options, dumps);
}

int run(const CLI::App& command, RunOptions& options) {
  if (const auto problem = check_options(options)) {
    return refuse(refusal(*problem), options.json);
  }
  if (options.sim.empty() && options.file.empty()) {
    return refuse(refusal("FILE is required"), options.json);
  }
  if (const auto problem = options.sim.empty() ? std::nullopt : take_sim(options.sim, options)) {
    return refuse(*problem, options.json);
  }
  const auto text = read_source(options.file);
  if (!text) {
    return refuse(text.error(), options.json);
  }
  const std::shared_ptr<const SourceFile>& source = *text;
  if (is_for_ve(*source, options.ve)) {
    return run_ve(command, *source, options);
  }
  if (const auto problem = not_for_the_interpreter(*source)) {
    return refuse(refusal(*problem), options.json);
  }
  if (is_ptx_text(*source)) {
    return run_ptx(command, source, options);
  }
  const SourceKind kind = kind_of(*source);
  if (const auto problem = misplaced_option(command, kind, source->name())) {
    return refuse(refusal(*problem), options.json);
  }
  return kind == SourceKind::Untyped ? run_untyped(*source, options) : run_kernel(source, kind, options);
}

void add_output_options(CLI::App& command, RunOptions& o) {
  command.add_flag("--json", o.json, "the result as one JSON object");
  command.add_flag("--quiet,-q", o.quiet, "no summary, only what --dump and --trace print and --out writes");
  command.add_option("--trace", o.trace, "write a trace of every step")
      ->group(machine_group)
      ->check(CLI::IsMember(trace_forms()))
      ->type_name("FORM");
  command.add_option("--trace-out", o.trace_out, "where the trace goes (default: standard output)")
      ->group(machine_group)
      ->type_name("FILE");
  command
      .add_option("--races", o.races,
                  "look for threads that store different values to one cell in one step, and for items and groups that nothing orders")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str()
      ->type_name("on|off");
  command.add_flag("--strict", o.strict, "races are errors: status 1");
  add_ptx_options(command, o.ptx);
  add_ve_options(command, o.ve);
  command
      .add_option("--dump", o.dumps,
                  "print LEN cells from BASE at the end: BASE:LEN[:text|:hex|:npy=FILE]; @ADDR is the number in cell ADDR")
      ->group(machine_group)
      ->allow_extra_args(false)
      ->type_name("CELLS");
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("run", "run a program and say how it ends");
  command->footer(
      "Example: lockstep run examples/musimd/fig6.mus --trace=table\n"
      "         lockstep run examples/core/saxpy.cl --groups 2 --wg-size 4 --arg alpha=2 --arg x=8:iota --arg y=8:random --arg n=8\n"
      "         lockstep run --sim vecadd.sim --model opencl\n"
      "         lockstep run kernel.ptx --grid 4 --block 64,2 --arg 0=f32:1024:random --arg n=1024\n"
      "         lockstep run kernel.c --target ve --kernel saxpy --arg 0=2.5 --arg 1=f64:1000:iota --arg 2=f64:1000:random --arg 3=1000\n"
      "Exit status: 0 halted, 1 stuck or undefined behaviour (with --strict also races), 2 bad usage or input, 3 a limit was reached.");
  auto options = std::make_shared<RunOptions>();
  command->add_option("FILE", options->file,
                      "a .mus program, a .cl file of kernels, PTX (.ptx), or an object file of VE (.o); - is standard input");
  add_machine_options(*command, options->machine);
  command
      ->add_flag("--check-rules", options->machine.check_rules, "ask every rule at every step and insist that exactly one applies (slow)")
      ->group(machine_group);
  add_kernel_name_option(*command, options->front_end);
  add_launch_options(*command, options->launch);
  command
      ->add_option(
          "--sim", options->sim,
          "in place of FILE, --kernel, --global, --local and --arg: a launch as oclgrind-kernel reads it, usually with --model opencl")
      ->group(kernel_group)
      ->excludes("FILE", "--kernel", "--global", "--groups", "--wg-size", "--arg")
      ->type_name("FILE.sim");
  add_front_end_options(*command, options->front_end);
  add_output_options(*command, *options);
  command->callback([command, options, &status] { status = run(*command, *options); });
}

}  // namespace lockstep::tools
