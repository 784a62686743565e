// How many lowerings the proof in front of code (--verify auto) decides, and what it costs: the examples at WG_SIZE 8, and random kernels
// of the generator. Seconds are the processor's. usage: bench_gate [KERNELS [SEED [FIRST]]]; with
// FIRST, random kernels from that number on alone.

#include "codegen/gate/gate.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "bench/common.hpp"
#include "codegen/passes/pipeline.hpp"
#include "differential/campaign/case.hpp"
#include "differential/campaign/try.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/print.hpp"
using namespace lockstep;
using Kind = LoweringVerdict::Kind;

namespace {

/// Seconds beyond which a proof took longer than its budget means; told, so that it can be looked at.
constexpr double slow = 5;

struct Totals {
  std::array<unsigned, 5> verdicts = {};  ///< by kind
  std::vector<double> seconds;
};

/// In a process of its own, as for `lockstep emit`: nothing is left of the proofs before it.
LoweringVerdict prove(const LoweringTask& task, Totals& totals) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    bench::give_up("no pipe");
  }
  const pid_t child = fork();
  if (child == 0) {
    const double start = bench::processor_seconds();
    const LoweringVerdict verdict = prove_lowering(task);
    const std::string text = fmt::format("{} {} {}", static_cast<int>(verdict.kind), bench::processor_seconds() - start, verdict.sentence);
    const bool is_said = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(is_said ? 0 : 1);
  }
  close(ends[1]);
  std::string text(4096, '\0');
  const ssize_t size = read(ends[0], text.data(), text.size());
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0 || size <= 0) {
    bench::give_up("a proof came to no end");
  }
  std::istringstream said(text.substr(0, static_cast<std::size_t>(size)));
  int kind = 0;
  double seconds = 0;
  LoweringVerdict verdict;
  said >> kind >> seconds >> std::ws;
  std::getline(said, verdict.sentence);
  verdict.kind = static_cast<Kind>(kind);
  totals.seconds.push_back(seconds);
  ++totals.verdicts[static_cast<std::size_t>(kind)];
  return verdict;
}

void print(const char* what, Totals& totals) {
  std::ranges::sort(totals.seconds);
  double sum = 0;
  for (const double seconds : totals.seconds) {
    sum += seconds;
  }
  const auto count = [&](Kind kind) { return totals.verdicts[static_cast<std::size_t>(kind)]; };
  const std::size_t all = totals.seconds.size();
  fmt::print(
      "{}: {}, of which {} proved at all sizes, {} in part, {} unknown, {} refuted; {:.1f} s in all, {:.2f} s the median, {:.2f} s the "
      "slowest\n",
      what, all, count(Kind::Proved), count(Kind::Partly), count(Kind::Unknown), count(Kind::Refuted), sum,
      all == 0 ? 0 : totals.seconds[all / 2], all == 0 ? 0 : totals.seconds.back());
  std::fflush(stdout);
}

/// Every kernel of the examples that can be lowered.
void examples() {
  Totals totals;
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"borg", "core", "crev"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::string(LOCKSTEP_SOURCE_DIR "/examples/") + folder)) {
      if (entry.path().extension() == ".cl") {
        files.push_back(entry.path());
      }
    }
  }
  std::ranges::sort(files);
  for (const auto& path : files) {
    std::ifstream file(path);
    const auto source = std::make_shared<const SourceFile>(path.filename().string(), std::string(std::istreambuf_iterator<char>(file), {}));
    LoweringTask task;
    task.source = source;
    task.options.wg_size = 8;
    Diagnostics warnings;
    const auto program = core::read_kernels(source, task.options, warnings);
    if (!program) {
      bench::give_up(render(*source, program.error()));
    }
    for (const core::Function& function : program->functions) {
      passes::PipelineOptions pipeline;
      if (!function.is_kernel || !passes::lower(*program, function, pipeline)) {
        continue;
      }
      task.options.kernel = function.name;
      const LoweringVerdict verdict = prove(task, totals);
      fmt::print("{:<18} {:6.2f} s  {}\n", function.name, totals.seconds.back(), verdict.sentence);
    }
  }
  print("examples", totals);
}

void random_kernels(std::uint64_t count, std::uint64_t seed, std::uint64_t first) {
  Totals totals;
  differential::FuzzPlan plan;
  plan.seed = seed;
  plan.max_lanes = differential::usual_lanes;
  for (std::uint64_t number = first; totals.seconds.size() < count; ++number) {
    const differential::FuzzCase made = differential::fuzz_case(plan, number);
    if (std::holds_alternative<differential::FuzzAnswer>(differential::interpret(made, false))) {
      continue;  // what it does is undefined on its own inputs, or its groups race there
    }
    LoweringTask task;
    task.source = std::make_shared<const SourceFile>("kernel.cl", core::print(made.kernel.unit));
    task.options.wg_size = made.kernel.wg_size;
    task.options.contract = made.kernel.contract;
    task.options.kernel = "k";
    task.wg_pack = made.wg_pack;
    task.streaming = made.streaming;
    const LoweringVerdict verdict = prove(task, totals);
    if (verdict.kind == Kind::Refuted || totals.seconds.back() > slow) {
      fmt::print("kernel {} of seed {}, {:.1f} s: {}\n", number, seed, totals.seconds.back(), verdict.sentence);
    }
    if (verdict.kind == Kind::Refuted) {
      fmt::print("WG_SIZE {}, WG_PACK {}{}\n{}", made.kernel.wg_size, made.wg_pack, made.streaming ? ", streaming" : "",
                 core::print(made.kernel.unit));
    }
    if (totals.seconds.size() % 50 == 0 && totals.seconds.size() < count) {
      Totals so_far = totals;
      print("random kernels so far", so_far);
    }
  }
  print("random kernels", totals);
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int k, std::uint64_t otherwise) { return argc > k ? std::strtoull(argv[k], nullptr, 10) : otherwise; };
  if (argc <= 3) {
    examples();
  }
  random_kernels(number(1, 500), number(2, 1), number(3, 0));
}
