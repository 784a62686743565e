// `lockstep verify`: proves that what a kernel was made into, or another kernel, refines it.

#include "semantics/infreg/verify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <utility>

#include "differential/replay/replay.hpp"
#include "interpreter/launch/arguments.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/base/files.hpp"
#include "semantics/base/line_origins.hpp"
#include "semantics/infreg/parse.hpp"
#include "semantics/musimd/number.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/prove/budget.hpp"
#include "tools/lower.hpp"
#include "tools/number_option.hpp"

namespace lockstep::tools {

using namespace differential;

namespace {

/// More items than this make a proof hopeless, and their terms fill the memory.
constexpr std::uint64_t most_proved_items = 4096;

struct VerifyOptions {
  std::string file;
  std::string other;
  std::string other_kernel;
  GroupFlags group{4, {}, 1};
  std::string pack = "1";
  bool streaming = false;
  std::uint64_t groups = 0;  ///< 0: one full pack, and a group beyond it where packs have several
  unsigned bound = 8;
  bool bound_is_asked_for = false;
  std::string floats = "uninterpreted";
  unsigned timeout = 600;
  unsigned query_timeout = 20;
  unsigned memory = 2048;  ///< MiB
  std::vector<std::string> arguments;
  std::string smt_lib;
  bool json = false;
  FrontEndFlags front_end;
};

/// What came of a proof, its counterexample run.
struct Answer {
  prove::Refinement proof;
  prove::FloatMode floats = prove::FloatMode::Uninterpreted;
  std::optional<Confirmed> confirmed;  ///< of Refuted
};

using Kind = prove::Refinement::Kind;

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::Refines:
      return "refines";
    case Kind::RefinesUpToBound:
      return "refines-bounded";
    case Kind::Refuted:
      return "counterexample";
    case Kind::Unknown:
      break;
  }
  return "unknown";
}

/// The same for people.
std::string verdict_text(Kind kind, unsigned bound) {
  return kind == Kind::RefinesUpToBound ? "refines up to " + counted(bound, "round") : std::string(name_of(kind));
}

// ---- reading -------------------------------------------------------------------------------------------------------------

/// NAME=NUMBER: of a scalar its number, of a pointer how many elements its buffer has.
std::expected<std::vector<prove::ParameterSize>, std::string> sizes_of(const typed::Program& program,
                                                                       const std::vector<std::string>& texts) {
  std::vector<prove::ParameterSize> sizes(program.kernel().parameter_count);
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const auto parameter = launch::parameter_named(program, text.substr(0, equals));
    if (equals == std::string::npos || !parameter) {
      return std::unexpected(fmt::format("--arg {}: is not written NAME=NUMBER with the name of a parameter; there are: {}",
                                         shortened(text), launch::parameter_list(program)));
    }
    const typed::ValueType& type = program.kernel().registers[*parameter].type;
    const std::string number = text.substr(equals + 1);
    const auto problem = [&](const std::string& why) { return std::unexpected(fmt::format("--arg {}: {}", shortened(text), why)); };
    if (sizes[*parameter].bits || sizes[*parameter].count) {
      return problem("is given twice");
    }
    if (type.is_pointer && launch::parameter_named(program, number.substr(0, number.find('+')))) {
      return problem("a proof gives each pointer a buffer of its own; lockstep diff takes pointers into one buffer");
    }
    if (type.is_pointer) {
      const auto count = parse_number(number, 0, prove::most_elements);
      if (!count) {
        return problem("of a pointer, how many elements there are: " + count.error());
      }
      sizes[*parameter].count = *count;
    } else {
      const auto bits = launch::parse_scalar(type.scalar, number);
      if (!bits) {
        return problem(bits.error());
      }
      sizes[*parameter].bits = *bits;
    }
  }
  return sizes;
}

/// InfReg-IR that the verifier accepts.
std::expected<infreg::Kernel, Refusal> infreg_side(const std::shared_ptr<const SourceFile>& source) {
  auto kernel = infreg::parse(source);
  if (!kernel) {
    return std::unexpected(refusal(*source, kernel.error()));
  }
  if (const auto faults = infreg::verify(*kernel); !faults.empty()) {
    Refusal why = refusal(fmt::format("{}: the verifier refuses this kernel: {}", source->name(), faults.front().sentence));
    why.text = infreg::print_marked(*kernel, faults) + why.text;
    return std::unexpected(why);
  }
  return std::move(*kernel);
}

/// What is said of --kernel is meant of --other-kernel.
Refusal of_other_kernel(const Refusal& why) {
  static constexpr std::string_view option = "--kernel ";
  static constexpr std::string_view advice = "choose one with --kernel:";
  std::string sentence = why.reason;
  if (sentence.starts_with(option)) {
    return refusal("--other" + sentence.substr(1));
  }
  if (const std::size_t at = sentence.find(advice); at != std::string::npos) {
    return refusal(sentence.replace(at, advice.size(), "choose one with --other-kernel:"));
  }
  return why;
}

/// The second side, and its name. `group`: of the first.
std::expected<Refining, Refusal> other_side(const VerifyOptions& options, const std::shared_ptr<const SourceFile>& source, SourceKind kind,
                                            const GroupFlags& group, std::string& name) {
  if (options.other.empty()) {
    if (kind != SourceKind::Kernels) {
      return std::unexpected(refusal(
          fmt::format("{}: is no file of kernels, which alone are lowered; a second file says what is to refine it", source->name())));
    }
    const auto pack = compiled_pack(options.pack);
    if (!pack) {
      return std::unexpected(refusal(pack.error()));
    }
    const auto read = read_kernel(source, options.front_end, group);
    auto lowered = read ? lower_kernel(*read, pipeline_options(*pack, options.streaming)) : std::unexpected(read.error());
    name = "InfReg-IR";
    return lowered ? std::expected<Refining, Refusal>(std::move(*lowered)) : std::unexpected(lowered.error());
  }
  const auto text = read_source(options.other);
  if (!text) {
    return std::unexpected(text.error());
  }
  name = (*text)->name();
  if (is_infreg_text(**text)) {
    if (!options.other_kernel.empty()) {
      return std::unexpected(refusal(fmt::format("--other-kernel: {} is InfReg-IR, which has one kernel", name)));
    }
    auto kernel = infreg_side(*text);
    return kernel ? std::expected<Refining, Refusal>(std::move(*kernel)) : std::unexpected(kernel.error());
  }
  FrontEndFlags flags = options.front_end;
  flags.kernel = options.other_kernel;
  const SourceKind other_kind = kind_of(**text);
  auto kernel = load_kernel(*text, other_kind, flags, other_kind == SourceKind::Kernels ? group : GroupFlags());
  return kernel ? std::expected<Refining, Refusal>(std::move(*kernel)) : std::unexpected(of_other_kernel(kernel.error()));
}

std::string list_of(ScalarType type, const std::vector<std::uint64_t>& elements) {
  std::string text;
  for (const std::uint64_t bits : elements) {
    text += (text.empty() ? "" : ",") + launch::argument_text(type, bits);
  }
  return "[" + text + "]";
}

/// The inputs as arguments of `lockstep run`: "--arg 'x=[1,2]'", one for each parameter.
std::vector<std::string> arguments_text(const typed::Program& program, const prove::Inputs& inputs) {
  std::vector<std::string> lines;
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < program.kernel().parameter_count; ++i) {
    const typed::ValueType& type = program.kernel().registers[i].type;
    const std::string value =
        type.is_pointer ? list_of(type.scalar, inputs.elements[buffer++]) : launch::argument_text(type.scalar, inputs.scalars[i]);
    lines.push_back(fmt::format("{}={}", launch::parameter_name(program, i), value));
  }
  return lines;
}

// ---- proving -------------------------------------------------------------------------------------------------------------

/// One line on standard error, if that is a terminal; gone in the end.
class Shown {
 public:
  Shown() : is_terminal_(isatty(STDERR_FILENO) != 0) {}
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;
  ~Shown() {
    if (is_shown_) {
      fmt::print(stderr, "\r\033[K");
      std::fflush(stderr);
    }
  }
  void show(const prove::Progress& progress) {
    if (is_terminal_) {
      const std::string count = progress.all == 0 ? "" : fmt::format(" ({} of {})", progress.done + 1, progress.all);
      fmt::print(stderr, "\r{}{}\033[K", progress.what, count);
      std::fflush(stderr);
      is_shown_ = true;
    }
  }

 private:
  bool is_terminal_;
  bool is_shown_ = false;
};

/// `until`: there is no more time then.
std::expected<prove::Refinement, std::string> proof_of(const VerifyTask& task, const VerifyOptions& options, prove::FloatMode floats,
                                                       prove::Budget::Clock::time_point until) {
  Shown shown;
  std::optional<std::string> problem;
  prove::RefineOptions refine;
  refine.groups = task.groups;
  refine.bound = options.bound;
  refine.floats = floats;
  refine.query_ms = 1000 * options.query_timeout;
  refine.allowance.until = until;
  refine.parameters = task.sizes;
  refine.progress = [&](const prove::Progress& progress) { shown.show(progress); };
  if (!options.smt_lib.empty()) {
    refine.query = [&](const prove::Query& query) {
      const std::string path = (std::filesystem::path(options.smt_lib) / (query.name + ".smt2")).string();
      const auto wrong = write_text(path, fmt::format("; {}: unsat if it is so always\n{}", query.meaning, query.text));
      problem = problem ? problem : wrong;
    };
  }
  auto result = prove::refine(*task.kernel.program, target_of(task.other), refine);
  return problem ? std::unexpected(*problem) : result;
}

std::expected<Answer, std::string> answer_to(const VerifyTask& task, const VerifyOptions& options) {
  const auto begin = prove::Budget::Clock::now();
  const auto until = begin + std::chrono::seconds(options.timeout);
  // What the proof finds is run, and it may be tried again: that has time of its own, if little.
  const auto at_last = until + std::chrono::milliseconds(400 * std::uint64_t{options.timeout});
  const prove::Budget budget({at_last, std::nullopt, std::uint64_t{options.memory} << 20U});
  Answer answer;
  answer.floats = options.floats == "exact" ? prove::FloatMode::Exact : prove::FloatMode::Uninterpreted;
  for (bool first = true;; first = false) {
    auto proof = proof_of(task, options, answer.floats, first ? until : at_last);
    if (!proof) {
      return std::unexpected(proof.error());
    }
    answer.proof = std::move(*proof);
    if (answer.proof.kind != Kind::Refuted) {
      return answer;
    }
    answer.confirmed = confirm(task, answer.proof.inputs);
    if (answer.confirmed) {
      return answer;
    }
    if (const auto endless = runs_on(task, answer.proof.inputs)) {
      answer.proof.kind = Kind::Unknown;
      answer.proof.what = fmt::format("the solver says that it may not be so that {}; there, {}: {}", answer.proof.what, *endless,
                                      fmt::join(arguments_text(*task.kernel.program, answer.proof.inputs), " "));
      return answer;
    }
    if (prove::Budget::is_over()) {
      answer.proof.kind = Kind::Unknown;
      answer.proof.what = fmt::format(
          "the solver says that it may not be so that {}, but there was no time left to see that by running both sides", answer.proof.what);
      return answer;
    }
    if (answer.floats == prove::FloatMode::Exact) {
      answer.proof.kind = Kind::Unknown;
      answer.proof.what =
          fmt::format("the solver says that it may not be so that {}, but where it says so both sides do the same when they are run",
                      answer.proof.what);
      return answer;
    }
    answer.floats = prove::FloatMode::Exact;  // there may be no floats such as the solver has thought of
  }
}

// ---- telling -------------------------------------------------------------------------------------------------------------

std::string sizes_text(const typed::Program& program, const prove::Refinement& proof) {
  std::string text;
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < program.kernel().parameter_count && buffer < proof.counts.size(); ++i) {
    if (program.kernel().registers[i].type.is_pointer) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", launch::parameter_name(program, i), proof.counts[buffer++]);
    }
  }
  return text.empty() ? "none" : text;
}

/// Whether no pack is full: the kernel is then executed group by group alone.
bool without_full_pack(const VerifyTask& task) {
  const auto* kernel = std::get_if<infreg::Kernel>(&task.other);
  return kernel != nullptr && task.groups < kernel->shape.wg_pack;
}

std::string bound_text(const VerifyTask& task, const VerifyOptions& options, const prove::Refinement& proof) {
  const std::string rounds = proof.bound_met
                                 ? fmt::format("up to {} rounds of a loop; of executions with more nothing is said", options.bound)
                                 : fmt::format("{} rounds of a loop, which no execution needs more of", options.bound);
  return without_full_pack(task) ? rounds + "; no pack is full, so that of full packs nothing is said" : rounds;
}

std::string floats_text(prove::FloatMode mode) { return mode == prove::FloatMode::Exact ? "exact" : "uninterpreted"; }

void print_trace(const std::string& whose, const std::vector<TraceLine>& lines) {
  if (lines.empty()) {
    fmt::print("trace of {}: nothing is stored there\n", whose);
    return;
  }
  fmt::print("trace of {}:\n", whose);
  for (const TraceLine& line : lines) {
    fmt::print("  {}{}{}\n", line.place.empty() ? "" : line.place + ": ", line.text, line.value.empty() ? "" : "    // " + line.value);
  }
}

void print_answer(const VerifyTask& task, const VerifyOptions& options, const Answer& answer) {
  const typed::Program& program = *task.kernel.program;
  const prove::Refinement& proof = answer.proof;
  const auto* kernel = std::get_if<infreg::Kernel>(&task.other);
  fmt::print("{}: {}, {} of {}{}: {}\n", program.source->name(), program.kernel().name, counted(task.groups, "group"),
             counted(program.wg_size, "item"), kernel != nullptr ? fmt::format(", WG_PACK {}", kernel->shape.wg_pack) : "",
             verdict_text(proof.kind, options.bound));
  if (proof.kind == Kind::RefinesUpToBound) {
    fmt::print(
        "shown:      of executions in which no loop goes on beyond the bound: where the kernel is defined, {} is, and leaves the same "
        "memory\n",
        task.other_name);
  } else if (proof.kind == Kind::Refines) {
    fmt::print("proved:     on all inputs on which the kernel is defined, {} is, and leaves the same memory\n", task.other_name);
  } else if (proof.kind == Kind::Unknown) {
    fmt::print("reason:     {}\n", proof.what);
    if (proof.span) {
      fmt::print("place:      {}\n", place_name(*program.source, *proof.span));
    }
    if (!proof.query.empty()) {
      fmt::print("query:      {}\n", proof.query);
    }
  }
  fmt::print("bound:      {}\n", bound_text(task, options, proof));
  fmt::print("elements:   {}\n", sizes_text(program, proof));
  fmt::print("floats:     {}\n", floats_text(answer.floats));
  fmt::print("work:       {} and {}, of which {} are so by their form; {} to the solver\n", counted(proof.cells, "cell"),
             counted(proof.conditions, "condition"), proof.folded, counted(proof.questions, "question"));
  if (!answer.confirmed) {
    return;
  }
  fmt::print("{}", answer.confirmed->difference);
  fmt::print("{}inputs:\n", answer.confirmed->difference.ends_with('\n') ? "" : "\n");
  for (const std::string& text : arguments_text(program, answer.confirmed->inputs)) {
    fmt::print("  --arg '{}'\n", text);
  }
  if (!answer.confirmed->kernel_trace.empty() || !answer.confirmed->other_trace.empty()) {
    print_trace("the kernel", answer.confirmed->kernel_trace);
    print_trace(task.other_name, answer.confirmed->other_trace);
  }
}

std::string trace_json(const std::vector<TraceLine>& lines) {
  std::string text;
  for (const TraceLine& line : lines) {
    text += fmt::format("{}{{\"place\":{},\"text\":{},\"value\":{}}}", text.empty() ? "" : ",", json_string(line.place),
                        json_string(line.text), json_string(line.value));
  }
  return "[" + text + "]";
}

std::string counterexample_json(const typed::Program& program, const Confirmed& confirmed) {
  std::string inputs;
  for (const std::string& text : arguments_text(program, confirmed.inputs)) {
    inputs += (inputs.empty() ? "" : ",") + json_string(text);
  }
  return fmt::format("{{\"difference\":{},\"arguments\":[{}],\"kernel_trace\":{},\"other_trace\":{}}}", json_string(confirmed.difference),
                     inputs, trace_json(confirmed.kernel_trace), trace_json(confirmed.other_trace));
}

void print_json(const VerifyTask& task, const VerifyOptions& options, const Answer& answer) {
  const typed::Program& program = *task.kernel.program;
  const prove::Refinement& proof = answer.proof;
  std::string counts;
  for (const std::uint64_t count : proof.counts) {
    counts += fmt::format("{}{}", counts.empty() ? "" : ",", count);
  }
  fmt::print(
      "{{\"status\":\"{}\",\"kernel\":{},\"other\":{},\"groups\":{},\"wg_size\":{},\"bound\":{},\"bound_met\":{},\"full_packs\":{},"
      "\"floats\":\"{}\","
      "\"elements\":[{}],\"cells\":{},\"conditions\":{},\"by_form\":{},\"questions\":{},\"seconds\":{:.3f},\"reason\":{},\"query\":{},"
      "\"counterexample\":{}}}\n",
      name_of(proof.kind), json_string(program.kernel().name), json_string(task.other_name), task.groups, program.wg_size, options.bound,
      proof.bound_met, !without_full_pack(task), floats_text(answer.floats), counts, proof.cells, proof.conditions, proof.folded,
      proof.questions, proof.seconds, json_string(proof.what), json_string(proof.query),
      answer.confirmed ? counterexample_json(program, *answer.confirmed) : "null");
}

Status status_of(Kind kind, bool bound_is_asked_for) {
  switch (kind) {
    case Kind::Refines:
      return fine;
    case Kind::RefinesUpToBound:
      return bound_is_asked_for ? fine : limit;
    case Kind::Refuted:
      return no;
    case Kind::Unknown:
      break;
  }
  return limit;
}

// ---- the command -----------------------------------------------------------------------------------------------------------

std::optional<std::string> prepare_directory(const std::string& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::is_directory(path, error)) {
    return std::nullopt;
  }
  return std::filesystem::create_directory(path, error) ? std::nullopt
                                                        : std::optional(fmt::format("--smt-lib {}: this folder cannot be made", path));
}

/// Options that mean nothing here: a sentence.
std::optional<std::string> wrong_combination(const CLI::App& command, const VerifyOptions& options) {
  if (options.file == "-" && options.other == "-") {
    return "FILE and OTHER are both standard input, which can be only one of them";
  }
  if (options.other.empty() && command.count("--other-kernel") > 0) {
    return "--other-kernel: there is no OTHER; the kernel of FILE is chosen with --kernel";
  }
  for (const char* option : {"--wg-pack", "--streaming"}) {
    if (!options.other.empty() && command.count(option) > 0) {
      return fmt::format("{}: is for what FILE is lowered to; OTHER is taken as it is", option);
    }
  }
  return std::nullopt;
}

int verify(const CLI::App& command, VerifyOptions options) {
  take_lengths(options.arguments, options.front_end);
  options.front_end.dimensions = options.group.dimensions;
  if (const auto problem = wrong_combination(command, options)) {
    return refuse(refusal(*problem), options.json);
  }
  if (const auto problem = prepare_directory(options.smt_lib)) {
    return refuse(refusal(*problem), options.json);
  }
  const auto source = read_source(options.file);
  if (!source) {
    return refuse(source.error(), options.json);
  }
  const SourceKind kind = kind_of(**source);
  if (is_infreg_text(**source) || (kind != SourceKind::Kernels && kind != SourceKind::Typed)) {
    return refuse(refusal(fmt::format("{}: is no kernel; InfReg-IR may stand second", (*source)->name())), options.json);
  }
  const bool has_wg_size = kind == SourceKind::Kernels || command.count("--wg-size") > 0;
  auto kernel = load_kernel(*source, kind, options.front_end, has_wg_size ? options.group : GroupFlags());
  if (!kernel) {
    return refuse(kernel.error(), options.json);
  }
  std::string other_name;
  auto other = other_side(options, *source, kind, {kernel->program->wg_size, options.group.shape, options.group.dimensions}, other_name);
  if (!other) {
    return refuse(other.error(), options.json);
  }
  const auto* lowered = std::get_if<infreg::Kernel>(&*other);
  const std::uint64_t pack = lowered != nullptr ? lowered->shape.wg_pack : 1;
  VerifyTask task{std::move(*kernel), std::move(*other), other_name, options.groups != 0 ? options.groups : pack == 1 ? 1 : pack + 1, {}};
  if (task.groups * task.kernel.program->wg_size > most_proved_items) {
    return refuse(refusal(fmt::format("{} of {} are more than {} items: proofs are for small groups, such as --wg-size 4",
                                      counted(task.groups, "group"), counted(task.kernel.program->wg_size, "item"), most_proved_items)),
                  options.json);
  }
  auto sizes = sizes_of(*task.kernel.program, options.arguments);
  if (!sizes) {
    return refuse(refusal(sizes.error()), options.json);
  }
  const std::vector<bool> read_only = read_only_of(task.kernel);
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    (*sizes)[i].read_only = read_only[i];
  }
  task.sizes = std::move(*sizes);
  const auto answer = answer_to(task, options);
  if (!answer) {
    return refuse(refusal(answer.error()), options.json);
  }
  options.json ? print_json(task, options, *answer) : print_answer(task, options, *answer);
  return status_of(answer->proof.kind, options.bound_is_asked_for);
}

}  // namespace

void add_verify(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("verify", "prove what a kernel is lowered to, or another kernel, equal to it");
  command->footer(
      "Example: lockstep verify examples/borg/trsv.cl --wg-size 4 --wg-pack 2\n"
      "         lockstep verify examples/core/saxpy.cl changed.cl --wg-size 4\n"
      "         lockstep verify examples/core/saxpy.cl changed.ir --wg-size 4\n"
      "It is shown for all contents of buffers and all numbers of scalars: where FILE is free of undefined behaviour and of races between\n"
      "groups, its InfReg-IR (or OTHER) has neither and leaves the same memory. docs/verify.md says more.\n"
      "Exit status: 0 it refines, 1 a counterexample, which both sides have been run on, 2 bad usage or input, 3 unknown, or it refines "
      "up\n"
      "to a bound that nobody asked for: 'refines up to 8 rounds', which with --bound 8 is 0.");
  auto options = std::make_shared<VerifyOptions>();
  command->add_option("FILE", options->file, "a .cl file of kernels, or a typed .mus program; - is standard input")->required();
  command->add_option("OTHER", options->other, "what is to refine it: a kernel with the same parameters, or InfReg-IR (.ir)");
  command->add_flag("--json", options->json, "the verdict as one JSON object on standard output");
  add_group_size_option(*command, options->group, most_proved_items, "WG_SIZE, in up to three dimensions")->default_str("4");
  command->add_option("--wg-pack", options->pack, "how many groups lie in an InfReg")->capture_default_str()->type_name("N");
  add_streaming_option(*command, options->streaming);
  add_number(*command, "--groups", options->groups, 1, most_proved_items,
             "number of work groups (default: a full pack, and one more if it has several)");
  add_number(*command, "--bound", options->bound, 1, 1'000'000, "rounds of each loop, where it is not certain that there is another")
      ->default_str("8");
  command->add_option("--fp", options->floats, "uninterpreted: float operations are functions of which nothing is known; exact: IEEE 754's")
      ->check(CLI::IsMember({"uninterpreted", "exact"}))
      ->capture_default_str()
      ->type_name("MODE");
  command->add_option("--arg", options->arguments, "a scalar's number, or how many elements a buffer has; may be given several times")
      ->allow_extra_args(false)
      ->type_name("NAME=NUMBER");
  add_number(*command, "--timeout", options->timeout, 1, 1'000'000, "seconds for the proof; what it finds may take some more to be run")
      ->default_str("600");
  add_number(*command, "--query-timeout", options->query_timeout, 1, 1'000'000, "seconds for a question to the solver")->default_str("20");
  add_number(*command, "--memory", options->memory, 16, 4095, "MiB of memory that the proof may take; beyond, the answer is unknown")
      ->default_str("2048");
  command->add_option("--smt-lib", options->smt_lib, "writes each question to this folder, as NAME.smt2")->type_name("DIR");
  add_kernel_name_option(*command, options->front_end);
  command->add_option("--other-kernel", options->other_kernel, "the kernel of OTHER; may be left out if that has only one")
      ->type_name("NAME");
  add_front_end_options(*command, options->front_end);
  command->callback([command, options, &status] {
    options->bound_is_asked_for = command->count("--bound") > 0;
    status = verify(*command, *options);
  });
}

}  // namespace lockstep::tools
