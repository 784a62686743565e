// One kernel of a campaign, through passes, verifier, evaluator and machine code, compared with the interpreter.

#include "differential/campaign/try.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "codegen/passes/pipeline.hpp"
#include "differential/campaign/pairs.hpp"
#include "differential/campaign/process.hpp"
#include "differential/campaign/prove.hpp"
#include "differential/compare/compare.hpp"
#include "differential/compare/execute.hpp"
#include "differential/compare/interrupts.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/print.hpp"
#include "semantics/generate/kernel_census.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::differential {

namespace {

using Ending = FuzzAnswer::Ending;

/// Instructions of a group; generated kernels end, but some take their time.
constexpr std::uint64_t most_steps = 300'000;
/// Operations that a compiler behind InfReg-IR is given; it takes seconds for more.
constexpr std::size_t most_operations = 1500;
/// And that are proved.
constexpr std::size_t most_proved_operations = 400;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// ---- the interpreter ----------------------------------------------------------------------------------------------------------------

launch::Buffer buffer_of(const generate::KernelInput& input) {
  launch::Buffer buffer{input.type, input.values.size(), {}, {input.values.size()}, {}};
  const std::size_t size = size_of(input.type);
  buffer.bytes.resize(input.values.size() * size);
  for (std::size_t k = 0; k < input.values.size(); ++k) {
    std::memcpy(buffer.bytes.data() + k * size, &input.values[k], size);
  }
  return buffer;
}

const generate::KernelInput* input_named(const generate::Kernel& kernel, const std::string& name) {
  const auto found = std::ranges::find(kernel.inputs, name, &generate::KernelInput::name);
  return found != kernel.inputs.end() ? &*found : nullptr;
}

/// What of an overlap there is in this kernel, which may have been shrunk.
std::optional<Overlap> overlap_of(const FuzzCase& fuzz_case) {
  std::optional<Overlap> overlap = fuzz_case.overlap;
  const auto* into = overlap ? input_named(fuzz_case.kernel, overlap->into) : nullptr;
  if (into == nullptr || input_named(fuzz_case.kernel, overlap->pointer) == nullptr) {
    return std::nullopt;
  }
  overlap->first = std::min<std::uint64_t>(overlap->first, into->values.size());
  return overlap;
}

/// The buffer of an overlap: what the pointer needs beyond it is what its own buffer would have had there.
generate::KernelInput joined(generate::KernelInput into, const generate::KernelInput& pointer, std::uint64_t first) {
  const std::size_t held = std::min<std::size_t>(into.values.size() - first, pointer.values.size());
  into.values.insert(into.values.end(), pointer.values.begin() + static_cast<std::ptrdiff_t>(held), pointer.values.end());
  return into;
}

launch::Arguments arguments_of(const generate::Kernel& kernel, const std::optional<Overlap>& overlap) {
  launch::Arguments arguments;
  std::map<std::string, std::size_t> buffers;
  for (const generate::KernelInput& input : kernel.inputs) {
    if (input.is_buffer && !(overlap && input.name == overlap->pointer)) {
      buffers[input.name] = arguments.buffers.size();
      const bool is_shared = overlap && input.name == overlap->into;
      arguments.buffers.push_back(buffer_of(is_shared ? joined(input, *input_named(kernel, overlap->pointer), overlap->first) : input));
    }
  }
  for (const generate::KernelInput& input : kernel.inputs) {
    if (!input.is_buffer) {
      arguments.values.emplace_back(ScalarBits{input.values.front()});
    } else if (overlap && input.name == overlap->pointer) {
      arguments.values.emplace_back(BufferNumber{buffers[overlap->into], overlap->first});
    } else {
      arguments.values.emplace_back(BufferNumber{buffers[input.name]});
    }
  }
  return arguments;
}

/// What an outcome that is nothing to compare with means.
std::optional<FuzzAnswer> unusable(const launch::Outcome& outcome, bool alone) {
  using launch::FaultKind;
  if (outcome.fault) {
    const FaultKind kind = outcome.fault->kind;
    const bool is_limit = kind == FaultKind::StepLimit || kind == FaultKind::MemoryLimit || kind == FaultKind::DepthLimit;
    return FuzzAnswer{is_limit ? Ending::Limit : Ending::Undefined, "", "", {}, {}};
  }
  if (alone ? outcome.race_count > 0 : deciding_race(outcome) != nullptr) {
    return FuzzAnswer{Ending::Races, "", "", {}, {}};
  }
  return std::nullopt;
}

/// Runs the kernel; an answer if there is nothing to compare with.
std::optional<FuzzAnswer> run_launch(Interpreted& made, const generate::Kernel& kernel, bool alone) {
  made.before = arguments_of(kernel, made.overlap);
  made.after = made.before;
  launch::LaunchOptions launch;
  launch.groups = made.groups;
  launch.pack = 1;
  launch.threads = 1;
  launch.warp_size = alone ? 1 : 0;
  launch.max_steps = most_steps;
  launch.max_depth = 1000;
  const auto start = std::chrono::steady_clock::now();
  const auto outcome = launch::run(made.loaded.program, made.after, launch);
  made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!outcome) {
    return finding("the launcher refuses it", outcome.error());
  }
  if (auto answer = unusable(*outcome, alone)) {
    return answer;
  }
  auto open = open_elements(made.loaded, made.before, made.after, launch);
  if (!open) {
    launch::Outcome undefined;
    undefined.fault = open.error();
    return unusable(undefined, alone);
  }
  made.open = std::move(*open);
  return std::nullopt;
}

// ---- what is counted ------------------------------------------------------------------------------------------------------------------

/// The smallest power of two that is not smaller, as "wg_size: up to 8" has it.
std::string bucket(const char* what, std::uint64_t number) { return fmt::format("{}: up to {}", what, std::bit_ceil(number)); }

constexpr std::array operation_names = {"constant", "lanes",    "poison",  "index",   "mask",    "num_groups", "spread",  "elementwise",
                                        "select",   "convert",  "bitcast", "reorder", "shuffle", "vote",       "address", "offset",
                                        "distance", "pointers", "load",    "store",   "atomic",  "if",         "for",     "loop"};
static_assert(operation_names.size() == std::variant_size_v<infreg::Node>);

std::string name_of_operation(const infreg::Node& node) {
  const auto with_access = [](const char* name, infreg::Access access) {
    static constexpr std::array kinds = {"contiguous", "strided", "gather"};
    return fmt::format("ir: {} {}", name, kinds[static_cast<std::size_t>(access)]);
  };
  if (const auto* load = std::get_if<infreg::Load>(&node)) {
    return with_access("load", load->access);
  }
  if (const auto* store = std::get_if<infreg::Store>(&node)) {
    return with_access("store", store->access);
  }
  return fmt::format("ir: {}", operation_names[node.index()]);
}

/// Returns how many operations there are.
std::size_t count_operations(const infreg::Kernel& kernel, infreg::RegionId region, Counts& counts) {
  std::size_t operations = 0;
  for (const infreg::Operation& operation : kernel.regions[region].operations) {
    ++operations;
    ++counts[name_of_operation(operation.node)];
    infreg::for_each_region(operation.node, [&](infreg::RegionId inner) { operations += count_operations(kernel, inner, counts); });
  }
  return operations;
}

/// Counts in how many kernels each pass changes something, and what becomes of loops.
class PassWatch {
 public:
  explicit PassWatch(Counts& counts) : counts_(counts) {}

  void after(std::string_view pass, const std::string& text) {
    const bool makes_form = pass == "normalise" || pass == "to-infreg";  // there is nothing in front of it to compare with
    if (!makes_form && text != before_ && changed_.insert(std::string(pass)).second) {
      ++counts_[fmt::format("pass: {}", pass)];
    }
    before_ = text;
    if (pass == "loops") {
      for (const char* loop_class : {"rolled", "unroll", "vectorise"}) {
        const std::string mark = fmt::format("/* {} */", loop_class);
        for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
          ++counts_[fmt::format("loop: {}", loop_class)];
        }
      }
      for (std::size_t at = text.find("while ("); at != std::string::npos; at = text.find("while (", at + 1)) {
        ++counts_["loop: runtime"];
      }
    }
  }

 private:
  Counts& counts_;
  std::string before_;
  std::set<std::string> changed_;
};

// ---- the evaluator --------------------------------------------------------------------------------------------------------------------

std::optional<FuzzAnswer> try_evaluator(const infreg::Kernel& kernel, const Reference& reference) {
  const Ran ran = run_infreg(kernel, reference);
  if (const auto* failure = std::get_if<Failure>(&ran.result)) {
    return failure->kind == Failure::Kind::Limit ? FuzzAnswer{Ending::Limit, "", "", {}, {}}
                                                 : finding("evaluator: undefined", failure->sentence);
  }
  return judged("evaluator", reference, std::get<0>(ran.result));
}

}  // namespace

std::string_view name_of(FuzzAnswer::Ending ending) {
  static constexpr std::array<std::string_view, 8> names = {"equal",   "undefined", "races",   "limit",
                                                            "refused", "finding",   "missing", "stopped"};
  return names[static_cast<std::size_t>(ending)];
}

std::variant<Interpreted, FuzzAnswer> interpret(const FuzzCase& fuzz_case, bool alone) {
  const auto source = std::make_shared<const SourceFile>("kernel.cl", core::print(fuzz_case.kernel.unit));
  core::Options options;
  options.wg_size = fuzz_case.kernel.wg_size;
  options.contract = fuzz_case.kernel.contract;
  Diagnostics warnings;
  auto program = core::read_kernels(source, options, warnings);
  if (!program) {
    return finding("the front end refuses it: " + program.error().front().message, render(*source, program.error().front()));
  }
  Interpreted made;
  made.read.program = std::move(*program);
  made.read.function = made.read.program.kernel("k");
  if (made.read.function == nullptr) {
    return finding("the front end refuses it: there is no kernel k", "there is no kernel k");
  }
  made.loaded = load(made.read.program, *made.read.function);
  made.groups = fuzz_case.kernel.groups;
  made.overlap = overlap_of(fuzz_case);
  auto answer = run_launch(made, fuzz_case.kernel, alone);
  if (answer && made.overlap && answer->ending != FuzzAnswer::Ending::Finding) {
    made.overlap.reset();
    answer = run_launch(made, fuzz_case.kernel, alone);
  }
  return answer ? std::variant<Interpreted, FuzzAnswer>(std::move(*answer)) : std::move(made);
}

std::variant<LoweredCase, FuzzAnswer> lower_case(const FuzzPlan& plan, const FuzzCase& fuzz_case, Counts& counts) {
  auto interpreted = interpret(fuzz_case, false);
  if (auto* answer = std::get_if<FuzzAnswer>(&interpreted)) {
    return std::move(*answer);
  }
  auto& made = std::get<Interpreted>(interpreted);
  if (fuzz_case.overlap) {
    ++counts[made.overlap ? "overlap: two pointers into one buffer" : "overlap: none, as it means nothing then"];
  }
  passes::PipelineOptions options;
  options.wg_pack = fuzz_case.wg_pack;
  options.verify_each = true;
  options.streaming = fuzz_case.streaming;
  PassWatch watch(counts);
  if (fuzz_case.watched) {
    ++counts["watched"];
    options.after = [&](std::string_view pass, const std::function<std::string()>& text) { watch.after(pass, text()); };
  }
  auto kernel = passes::lower(made.read.program, *made.read.function, options);
  if (!kernel) {
    return FuzzAnswer{Ending::Refused, "", "", {}, {}};
  }
  const std::size_t operations = count_operations(*kernel, kernel->body, counts);
  ++counts[bucket("operations", operations)];
  if (auto wrong = try_evaluator(*kernel, made.reference())) {
    return std::move(*wrong);
  }
  if (fuzz_case.proved && operations <= most_proved_operations) {
    FuzzAnswer proof = prove_case(fuzz_case, counts);
    if (proof.ending == Ending::Finding) {
      return proof;
    }
  }
  if (plan.target == nullptr || plan.target->is_evaluator) {
    return FuzzAnswer();
  }
  if (operations > most_operations) {
    ++counts["limit: too long for machine code"];
    return FuzzAnswer{Ending::Limit, "", "", {}, {}};
  }
  return LoweredCase{std::move(made), std::move(*kernel)};
}

std::optional<FuzzAnswer> judged(const std::string& target, const Reference& reference, const std::vector<launch::Buffer>& buffers) {
  const Comparison comparison = compare(reference, buffers);
  if (!comparison.first) {
    return std::nullopt;
  }
  FuzzAnswer answer = finding(target + " differs", text_of(*comparison.first, comparison.different));
  answer.buffers = comparison.buffers;
  answer.first = Element{comparison.first->number, comparison.first->index};
  return answer;
}

FuzzAnswer answer_from(const std::function<FuzzAnswer()>& work) {
  try {
    return work();
  } catch (const InternalError& error) {
    return finding("internal error: " + first_line(error.what()), error.what());
  } catch (const std::exception& error) {
    return finding("exception: " + first_line(error.what()), error.what());
  }
}

FuzzAnswer try_case(const FuzzPlan& plan, const FuzzCase& fuzz_case, Counts& counts) {
  switch (plan.subject) {
    case FuzzPlan::Subject::Backend:
      return answer_from([&] { return try_backend(plan, fuzz_case); });
    case FuzzPlan::Subject::Pairs:
      return answer_from([&] { return try_pair(fuzz_case, counts); });
    case FuzzPlan::Subject::Target:
      break;
  }
  std::vector<FuzzCase> alone;
  alone.push_back(with_kernel(fuzz_case, fuzz_case.kernel));
  alone.front().watched = fuzz_case.watched;
  std::vector<Counts> counted(1);
  auto answers = try_on_target(plan, alone, counted);
  counts.merge(counted.front());
  return std::move(answers.front());
}

FuzzAnswer crash(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    return finding("endless", "it had not ended when its time was over");
  }
  if (WIFSIGNALED(status)) {
    return finding(fmt::format("crashed by signal {}", WTERMSIG(status)),
                   fmt::format("the process was ended by signal {} ({})", WTERMSIG(status), sigdescr_np(WTERMSIG(status))));
  }
  return finding("exited", fmt::format("the process ended with status {}", WEXITSTATUS(status)));
}

FuzzAnswer try_apart(const FuzzPlan& plan, const FuzzCase& fuzz_case, unsigned seconds) {
  if (interrupts() > 0) {
    return {Ending::Stopped, "", "", {}, {}};
  }
  Child child = begin_child([&](int pipe) {
    prepare_child(plan, seconds);
    Counts counts;
    say_to(pipe, message_of(texts_of(try_case(plan, fuzz_case, counts))));
    _exit(0);
  });
  std::string bytes;
  std::array<char, 4096> part{};
  for (bool is_open = true; is_open;) {
    if (interrupts() > 0) {
      end_child(child);
    }
    constexpr int milliseconds = 200;
    pollfd readable{child.pipe, POLLIN, 0};
    if (poll(&readable, 1, milliseconds) > 0) {
      const ssize_t n = read(child.pipe, part.data(), part.size());
      bytes.append(part.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
      is_open = n > 0 || (n < 0 && errno == EINTR);
    }
  }
  const int status = wait_for(child);
  const auto texts = take_message(bytes);
  if (!texts && (child.asked || was_asked_to_end(status))) {
    return {Ending::Stopped, "", "", {}, {}};
  }
  return texts ? answer_of(*texts) : crash(status);
}

}  // namespace lockstep::differential
