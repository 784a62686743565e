// `lockstep fuzz`: random kernels through all that compiles them, compared with the interpreter.

#include "tools/fuzz.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <map>
#include <thread>
#include <utility>

#include "tools/lower.hpp"
#include "tools/number_option.hpp"

namespace lockstep::tools {

namespace {

constexpr std::uint64_t usual_kernels = 1000;
constexpr std::uint64_t full_kernels = 10'000;
constexpr unsigned usual_lanes = 128;
constexpr unsigned usual_lanes_of_backends = 32;
/// Shrinking takes longer than finding: so many findings of one kind are shrunk.
constexpr unsigned most_of_a_kind = 3;

struct FuzzOptions {
  std::string target = "llvm";
  std::string backend;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::optional<std::uint64_t> kernels;
  unsigned seconds = 0;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  unsigned max_lanes = 0;
  unsigned timeout = FuzzPlan().timeout;
  bool full = false;
  bool portable = false;
  bool json = false;
  std::string out = "findings";
};

std::expected<FuzzPlan, Status> plan_of(const FuzzOptions& options) {
  FuzzPlan plan;
  plan.seed = options.seed;
  plan.backend = options.backend;
  plan.timeout = options.timeout;
  plan.portable = options.portable || !options.backend.empty();
  plan.max_lanes = options.max_lanes != 0 ? options.max_lanes : options.backend.empty() ? usual_lanes : usual_lanes_of_backends;
  if (!options.backend.empty()) {
    plan.target = FuzzPlan::Target::Backend;
  } else if (options.target == "infreg") {
    plan.target = FuzzPlan::Target::Infreg;
  } else if (options.target != "llvm") {
    const WrongTarget wrong = wrong_target(options.target, "infreg, llvm");
    refuse(refusal(wrong.sentence), options.json);
    return std::unexpected(wrong.status);
  }
  return plan;
}

/// What was found, small: of each kind a few.
std::vector<Finding> shrunk(const FuzzPlan& plan, const FuzzTotals& totals, bool quiet) {
  std::map<std::string, std::vector<std::size_t>> of_kind;
  std::vector<Finding> findings;
  for (const std::uint64_t number : totals.findings) {
    const FuzzCase found = fuzz_case(plan, number);
    constexpr unsigned seconds = 60;
    FuzzAnswer answer = try_apart(plan, found, plan.timeout + seconds);
    const bool is_certain = answer.ending == FuzzAnswer::Ending::Finding;
    if (!is_certain) {
      answer.kind = "only sometimes";
      answer.sentence = "tried once more by itself, the kernel does what it should";
    }
    auto& same = of_kind[answer.kind];
    if (same.size() >= most_of_a_kind) {
      findings[same.front()].ending.push_back(fmt::format("kernel {}", number));
      continue;
    }
    same.push_back(findings.size());
    if (!quiet) {
      fmt::print("kernel {}: {}; shrinking\n", number, answer.kind);
      std::fflush(stdout);
    }
    findings.push_back(is_certain ? shrink(plan, found, answer) : Finding{fuzz_case(plan, number), answer, std::nullopt, "", {}, ""});
  }
  return findings;
}

void print_finding(const Finding& finding) {
  const auto last = finding.answer.sentence.find_last_not_of('\n');
  fmt::print("{}: {}: {}\n", finding.folder, finding.answer.kind, finding.answer.sentence.substr(0, last + 1));
  if (finding.line) {
    fmt::print("  the two part at {}/kernel.cl:{}, where '{}' differs\n", finding.folder, *finding.line, finding.variable);
  }
  if (!finding.ending.empty()) {
    fmt::print("  found with {} more\n", counted(finding.ending.size(), "kernel"));
  }
}

int fuzz(const FuzzOptions& options) {
  const auto plan = plan_of(options);
  if (!plan) {
    return plan.error();
  }
  FuzzLength length{options.first, options.kernels, static_cast<double>(options.seconds), options.jobs};
  if (!length.kernels && (options.full || options.seconds == 0)) {
    length.kernels = options.full ? full_kernels : usual_kernels;
  }
  const FuzzTotals totals = run_campaign(*plan, length);
  if (!options.json) {
    print_totals(*plan, totals);
  }
  std::vector<Finding> findings = shrunk(*plan, totals, options.json);
  for (Finding& finding : findings) {
    if (const auto problem = write_finding(*plan, options.out, finding)) {
      return refuse(refusal(*problem), options.json);
    }
    if (!options.json) {
      print_finding(finding);
    }
  }
  if (options.json) {
    print_json(*plan, totals, findings);
  }
  return totals.findings.empty() ? fine : no;
}

}  // namespace

void add_fuzz(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("fuzz", "random kernels through all that compiles them");
  command->footer(
      "Example: lockstep fuzz --kernels 200 --seed 7\n"
      "         lockstep fuzz --target infreg --time 2 --max-lanes 16\n"
      "         lockstep fuzz --backend 'lockstep-backend-clang -O2' --kernels 100\n"
      "Kernels go through the passes, the verifier behind each, the evaluator of InfReg-IR and machine code, all compared with the\n"
      "interpreter bit for bit; or, with --backend, through somebody else's compiler. What goes wrong is shrunk and written to a folder.\n"
      "docs/fuzz.md has the protocol of back ends, and what findings look like. The same seed gives the same kernels.\n"
      "Exit status: 0 all equal, 1 something was found, 2 bad usage.");
  auto options = std::make_shared<FuzzOptions>();
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  command->add_option("--target", options->target, "infreg, or llvm, which goes through infreg as well")
      ->capture_default_str()
      ->type_name("TARGET");
  command
      ->add_option("--backend", options->backend,
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
          "how many (default: 1000, or as many as --time allows)")
      ->type_name("N");
  command->add_flag("--full", options->full, "10000 kernels");
  add_number(*command, "--time", options->seconds, 1, std::numeric_limits<std::int32_t>::max(), "seconds after which no more are tried");
  add_number(*command, "--first", options->first, 0, most / 2, "the number of the first kernel: --first 17 --kernels 1 is kernel 17 alone")
      ->default_str("0");
  add_number(*command, "--jobs", options->jobs, 1, 1024, "processes (default: one for each core)");
  add_number(*command, "--max-lanes", options->max_lanes, 1, LaneSet::max_width,
             "WG_SIZE times WG_PACK at the most (default: 128; 32 with --backend); one kernel of ten has more than 16, if it may");
  command->add_flag("--portable", options->portable,
                    "kernels of the subset that means the same in OpenCL alone; --backend makes no others");
  add_number(*command, "--timeout", options->timeout, 1, 100'000, "seconds that --backend's command may take for a kernel")
      ->default_str(std::to_string(options->timeout));
  command->add_option("--out", options->out, "the folder for findings, made if there are any")->capture_default_str()->type_name("DIR");
  command->add_flag("--json", options->json, "everything that is counted, and the findings, as one JSON object");
  command->callback([options, &status] { status = fuzz(*options); });
}

}  // namespace lockstep::tools
