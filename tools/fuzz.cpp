// `lockstep fuzz`: random kernels through all that compiles them, compared with the interpreter.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <thread>
#include <utility>

#include "differential/campaign/campaign.hpp"
#include "differential/campaign/folder.hpp"
#include "differential/campaign/shrink.hpp"
#include "differential/campaign/try.hpp"
#include "differential/compare/interrupts.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/core/print.hpp"
#include "semantics/musimd/number.hpp"
#include "tools/fuzz_report.hpp"
#include "tools/lower.hpp"
#include "tools/number_option.hpp"
#include "tools/target_options.hpp"

namespace lockstep::tools {

using namespace differential;
using targets::Target;
using targets::Use;

namespace {

constexpr unsigned usual_lanes_of_backends = 32;
/// Shrinking takes longer than finding: so many findings of one kind are shrunk.
constexpr unsigned most_of_a_kind = 3;
/// As shells have it of SIGINT.
constexpr int interrupted_status = 130;

struct FuzzOptions {
  std::vector<Target> known = targets::all_targets();
  targets::Settings settings;
  std::string target{targets::usual_targets(Use::Fuzz)};
  std::optional<std::string> backend;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::optional<std::uint64_t> kernels;
  std::uint64_t census = 0;  ///< kernels that are only counted
  unsigned seconds = 0;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  unsigned max_lanes = 0;
  unsigned timeout = FuzzPlan().timeout;
  std::uint64_t proved_one_in = usual_proved_one_in;
  bool full = false;
  bool portable = false;
  bool pairs = false;
  bool json = false;
  std::string out = "findings";
};

std::unexpected<Status> refused(const std::string& sentence, const FuzzOptions& options, Status status = bad_input) {
  refuse(refusal(sentence), options.json);
  return std::unexpected(status);
}

std::expected<const Target*, Status> target_of(const FuzzOptions& options) {
  const Target* target = targets::find(options.known, options.target, Use::Fuzz);
  if (target == nullptr) {
    return refused(no_such_target(options.target, names_of(options.known, Use::Fuzz)), options, bad_input);
  }
  targets::Asked asked;
  asked.settings = options.settings;
  if (const auto unfit = target->complaint ? target->complaint(Use::Fuzz, asked) : std::nullopt) {
    return refused(fmt::format("--target {}: {}", target->name, unfit->sentence), options, unfit->is_missing ? missing : bad_input);
  }
  return target;
}

std::expected<FuzzPlan, Status> plan_of(const CLI::App& command, const FuzzOptions& options) {
  FuzzPlan plan;
  if (const auto misplaced = misplaced_for_targets(command, options.known, Use::Fuzz, {options.target})) {
    return refused(*misplaced, options);
  }
  const bool is_backend = options.backend.has_value();
  plan.seed = options.seed;
  plan.settings = options.settings;
  plan.backend = options.backend.value_or("");
  plan.timeout = options.timeout;
  plan.proved_one_in = options.proved_one_in;
  plan.portable = options.portable || is_backend;
  plan.max_lanes = options.max_lanes != 0 ? options.max_lanes : is_backend ? usual_lanes_of_backends : usual_lanes;
  if (is_backend) {
    plan.subject = FuzzPlan::Subject::Backend;
    if (plan.backend.find_first_not_of(" \t\n") == std::string::npos) {
      return refused("--backend: the command is empty", options);
    }
  } else if (options.pairs) {
    plan.subject = FuzzPlan::Subject::Pairs;
  } else {
    const auto target = target_of(options);
    if (!target) {
      return std::unexpected(target.error());
    }
    plan.target = *target;
    plan.portable = plan.portable || targets::reads_source(**target);
  }
  if (const auto problem = cannot_write_in(options.out)) {
    return refused("--out " + *problem, options);
  }
  return plan;
}

/// How many kernels are tried if nobody says so.
std::uint64_t usual_kernels(const FuzzPlan& plan, bool is_full) {
  const targets::Campaigning campaigning = plan.target != nullptr ? plan.target->campaigning : targets::Campaigning();
  return is_full ? campaigning.full_kernels : campaigning.kernels;
}

/// "1000 kernels, for avx512 300"
std::string kernels_text(const std::vector<Target>& known, bool is_full) {
  const auto number = [&](const targets::Campaigning& of) { return is_full ? of.full_kernels : of.kernels; };
  const std::uint64_t usual = number({});
  std::string text = counted(usual, "kernel");
  for (const Target& target : known) {
    if (is_for(target, Use::Fuzz) && number(target.campaigning) != usual) {
      text += fmt::format(", for {} {}", target.name, number(target.campaigning));
    }
  }
  return text;
}

/// What is to be said of some targets, a line each.
std::string target_lines(const std::vector<Target>& known) {
  std::string text;
  for (const Target& target : known) {
    text += target.campaigning.meaning.empty() ? "" : target.campaigning.meaning + "\n";
  }
  return text;
}

/// What the kernel does when it is tried once more, by itself.
FuzzAnswer tried_again(const FuzzPlan& plan, const FuzzCase& found, const FuzzAnswer& before) {
  const unsigned seconds = plan.subject == FuzzPlan::Subject::Pairs ? 1800 : 60;
  FuzzAnswer again = try_apart(plan, found, plan.timeout + seconds);
  if (again.ending != FuzzAnswer::Ending::Finding && again.ending != FuzzAnswer::Ending::Stopped) {
    again.kind = "only sometimes";
    again.sentence = fmt::format("tried once more by itself, the kernel does what it should; before: {}: {}", before.kind, before.sentence);
  }
  return again;
}

/// What was found, small: of each kind a few. As it is, from when this process is asked to end, or if the back end is not there any more.
std::vector<Finding> shrunk(const FuzzPlan& plan, const FuzzTotals& totals, bool quiet) {
  std::map<std::string, std::vector<std::size_t>> of_kind;
  std::vector<Finding> findings;
  for (const FuzzTotals::Found& found : totals.findings) {
    FuzzCase made = fuzz_case(plan, found.number);
    FuzzAnswer answer = found.answer;
    bool is_certain = false;
    if (of_kind[answer.kind].size() < most_of_a_kind && interrupts() == 0 && totals.missing.empty()) {
      FuzzAnswer again = tried_again(plan, made, answer);
      is_certain = again.ending == FuzzAnswer::Ending::Finding;
      answer = again.ending == FuzzAnswer::Ending::Stopped ? answer : std::move(again);
    }
    auto& same = of_kind[answer.kind];
    if (same.size() >= most_of_a_kind) {
      findings[same.front()].others.push_back(fmt::format("kernel {}", found.number));
      continue;
    }
    same.push_back(findings.size());
    if (!is_certain) {
      findings.push_back({std::move(made), std::move(answer), std::nullopt, {}, ""});
      continue;
    }
    if (!quiet) {
      fmt::print("kernel {}: {}; shrinking\n", found.number, answer.kind);
      std::fflush(stdout);
    }
    findings.push_back(shrink(plan, made, answer));
  }
  return findings;
}

void print_finding(const Finding& finding) {
  const auto last = finding.answer.sentence.find_last_not_of('\n');
  const std::string name = finding.folder.empty() ? fmt::format("kernel {}", finding.smallest.number) : finding.folder;
  fmt::print("{}: {}: {}\n", name, finding.answer.kind, finding.answer.sentence.substr(0, last + 1));
  if (finding.line) {
    fmt::print("  the two part at {}{}\n", finding.folder.empty() ? "" : finding.folder + "/", text_of(*finding.line));
  }
  if (!finding.others.empty()) {
    fmt::print("  found with {} more\n", counted(finding.others.size(), "kernel"));
  }
  if (finding.folder.empty()) {
    fmt::print("{}", core::print(finding.smallest.kernel.unit));
  }
}

/// One line on standard error, if that is a terminal: how far a campaign is.
class ShownCampaign {
 public:
  explicit ShownCampaign(std::optional<std::uint64_t> kernels) : kernels_(kernels) {}
  ShownCampaign(const ShownCampaign&) = delete;
  ShownCampaign& operator=(const ShownCampaign&) = delete;
  ~ShownCampaign() {
    if (is_shown_) {
      say("\r\033[K");
    }
  }

  void show(const FuzzTotals& totals, double seconds) {
    if (isatty(STDERR_FILENO) == 0 || seconds < shown_at_ + 0.25) {
      return;
    }
    shown_at_ = seconds;
    is_shown_ = true;
    const std::string of = kernels_ ? fmt::format(" of {}", *kernels_) : "";
    say(fmt::format("\r{}{} kernels, {:.0f} a second, {}\033[K", totals.kernels, of, static_cast<double>(totals.kernels) / seconds,
                    counted(totals.findings.size(), "finding")));
  }

 private:
  std::optional<std::uint64_t> kernels_;
  bool is_shown_ = false;
  double shown_at_ = 0;
};

/// How a campaign ends.
struct Result {
  int status = fine;
  const char* name = "equal";
};

Result result_of(const FuzzTotals& totals) {
  const auto equal = totals.counts.find("ending: equal");
  return !totals.missing.empty()        ? Result{missing, "missing"}
         : !totals.findings.empty()     ? Result{no, "different"}
         : interrupts() > 0             ? Result{interrupted_status, "interrupted"}
         : equal == totals.counts.end() ? Result{limit, "nothing"}
                                        : Result{};
}

void complain_of(const FuzzPlan& plan, const FuzzTotals& totals) {
  const Result result = result_of(totals);
  if (result.status == missing) {
    complain(plan.subject == FuzzPlan::Subject::Backend
                 ? fmt::format("the back end '{}' does no kernel here: {}", plan.backend, totals.missing)
                 : totals.missing);
  } else if (result.status == limit) {
    complain(fmt::format("of {}, there is none whose results could be compared", counted(totals.kernels, "kernel")));
  }
}

int fuzz(const CLI::App& command, const FuzzOptions& options) {
  auto plan = plan_of(command, options);
  if (!plan) {
    return plan.error();
  }
  if (options.census != 0) {
    const FuzzCensus census = take_census(*plan, options.first, options.census);
    options.json ? print_census_json(*plan, census) : print_census(*plan, census);
    return fine;
  }
  FuzzLength length{options.first, options.kernels, static_cast<double>(options.seconds), options.jobs};
  if (!length.kernels && (options.full || options.seconds == 0)) {
    length.kernels = usual_kernels(*plan, options.full);
  }
  const Interrupts heeded;
  std::error_code error;
  const TemporaryFolder scratch(std::filesystem::temp_directory_path(error).string());
  plan->scratch = scratch.path();
  const FuzzTotals totals = [&] {
    ShownCampaign shown(length.kernels);
    length.progress = [&](const FuzzTotals& so_far, double seconds) { shown.show(so_far, seconds); };
    return run_campaign(*plan, length);
  }();
  if (!options.json && totals.kernels > 0) {
    print_totals(*plan, totals);
    std::fflush(stdout);
  }
  std::vector<Finding> findings = shrunk(*plan, totals, options.json);
  for (Finding& finding : findings) {
    if (interrupts() > 1) {
      return interrupted_status;
    }
    if (const auto problem = write_finding(*plan, options.out, finding)) {
      complain(*problem);
    }
    if (!options.json) {
      print_finding(finding);
      std::fflush(stdout);
    }
  }
  const Result result = result_of(totals);
  if (options.json) {
    print_json(*plan, totals, findings, result.name);
  }
  complain_of(*plan, totals);
  return result.status;
}

}  // namespace

void add_fuzz(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("fuzz", "random kernels through all that compiles them");
  const auto options = std::make_shared<FuzzOptions>();
  command->footer(
      "Example: lockstep fuzz --kernels 200 --seed 7\n"
      "         lockstep fuzz --target infreg --time 2 --max-lanes 16\n"
      "         lockstep fuzz --target avx512 --kernels 20\n"
      "         lockstep fuzz --census 1000 --seed 7\n"
      "         lockstep fuzz --backend 'lockstep-backend-clang -O2' --kernels 100\n"
      "         lockstep fuzz --pairs --kernels 50\n"
      "Kernels go through the passes, the verifier behind each, the evaluator of InfReg-IR and machine code, all compared with the\n"
      "interpreter bit for bit; or, with --backend, through somebody else's compiler. What goes wrong is shrunk and written to a "
      "folder.\n" +
      target_lines(options->known) +
      "docs/fuzz.md has the protocol of back ends, and what findings look like. The same seed gives the same kernels.\n"
      "Ctrl-C ends it as --time does, and what was found is written as it is; a second one ends it at once.\n"
      "Exit status: 0 all equal, 1 something was found, 2 bad usage, 3 no kernel could be compared, 4 the back end, or the C++ compiler, "
      "is\n"
      "not there or has wrong options, 130 ended by Ctrl-C with nothing found.");
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  command->add_option("--target", options->target, names_of(options->known, Use::Fuzz) + "; all of them go through infreg as well")
      ->capture_default_str()
      ->type_name("TARGET");
  CLI::Option* backend = command
                             ->add_option_function<std::string>(
                                 "--backend", [options](const std::string& text) { options->backend = text; },
                                 "the command that is the target: it gets a folder, in place of {} or as its last argument")
                             ->type_name("COMMAND")
                             ->excludes("--target");
  add_number(*command, "--seed", options->seed, 0, most, "which kernels")->default_str("1");
  command
      ->add_option_function<std::string>(
          "--kernels",
          [options](const std::string& text) {
            const auto number = parse_number(text, 1, std::numeric_limits<std::int64_t>::max() / 2);
            if (!number) {
              throw CLI::ValidationError("--kernels", number.error());
            }
            options->kernels = *number;
          },
          fmt::format("how many (default: {}, or as many as --time allows)", kernels_text(options->known, false)))
      ->type_name("N");
  command->add_flag("--full", options->full, kernels_text(options->known, true))->excludes("--kernels");
  add_number(*command, "--census", options->census, 1, most / 2,
             "runs nothing: shows how often each construct stands in so many kernels, and in how many of them")
      ->excludes("--kernels", "--full");
  add_number(*command, "--time", options->seconds, 1, std::numeric_limits<std::int32_t>::max(), "seconds after which no more are tried");
  add_number(*command, "--first", options->first, 0, most / 2, "the number of the first kernel: --first 17 --kernels 1 is kernel 17 alone")
      ->default_str("0");
  add_number(*command, "--jobs", options->jobs, 1, 1024, "processes (default: one for each core)");
  add_number(*command, "--max-lanes", options->max_lanes, 1, LaneSet::max_width,
             "WG_SIZE times WG_PACK at the most (default: 128; 32 with --backend); one kernel of ten has more than 16, if it may");
  add_number(*command, "--verify-one-in", options->proved_one_in, 0, most,
             "of so many kernels one, if it is small, is proved as well at WG_SIZE 2, for all inputs; 0: none")
      ->default_str(std::to_string(options->proved_one_in))
      ->excludes(backend);
  command->add_flag("--portable", options->portable,
                    "kernels of the subset that means the same in OpenCL alone; --backend makes no others");
  command
      ->add_flag("--pairs", options->pairs, "pairs of a kernel and a changed one instead: what verify says of them, against runs of both")
      ->excludes("--target")
      ->excludes(backend)
      ->excludes("--max-lanes")
      ->excludes("--portable");
  add_number(*command, "--timeout", options->timeout, 1, 100'000, "seconds that --backend's command may take for a kernel")
      ->default_str(std::to_string(options->timeout))
      ->needs(backend);
  add_target_options(*command, options->known, Use::Fuzz, options->settings);
  command->add_option("--out", options->out, "the folder for findings, made if there are any")->capture_default_str()->type_name("DIR");
  command->add_flag("--json", options->json, "everything that is counted, and the findings, as one JSON object");
  command->callback([command, options, &status] { status = fuzz(*command, *options); });
}

}  // namespace lockstep::tools
