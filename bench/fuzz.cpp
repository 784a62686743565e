// How many kernels `lockstep fuzz` tries in a second of one core, and on what the time goes: of the default mix, and of kernels of at most
// 16 lanes. Processor time of this process, without the processes that a campaign has, which cost next to nothing.
// usage: bench_fuzz [KERNELS [SEED]]

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "bench/common.hpp"
#include "differential/campaign/case.hpp"
#include "differential/campaign/try.hpp"
#include "targets/target.hpp"

using namespace lockstep;

namespace {

/// Seconds of processor time.
struct Costs {
  double generate = 0;
  double interpret = 0;  ///< from the text: front end and interpreter
  double lower = 0;      ///< passes, the verifier behind each, and the evaluator of InfReg-IR
  double compile = 0;    ///< machine code: making and running it
  std::uint64_t equal = 0;
  std::uint64_t wide = 0;
  double sum() const { return generate + interpret + lower + compile; }
};

template <class Work>
double seconds_of(const Work& work) {
  const double start = bench::processor_seconds();
  work();
  return bench::processor_seconds() - start;
}

/// Each target does what the one before does, and something more: that is the difference of their times.
void measure(const differential::FuzzPlan& plan, std::uint64_t number, Costs& costs) {
  differential::FuzzCase made;
  costs.generate += seconds_of([&] { made = differential::fuzz_case(plan, number); });
  differential::FuzzPlan short_plan = plan;
  short_plan.target = nullptr;
  differential::Counts ignored;
  differential::FuzzAnswer answer;
  const double interpreted = seconds_of([&] { static_cast<void>(differential::interpret(made, false)); });
  const double lowered = seconds_of([&] { answer = differential::try_case(short_plan, made, ignored); });
  const double compiled = seconds_of([&] { answer = differential::try_case(plan, made, ignored); });
  if (answer.ending == differential::FuzzAnswer::Ending::Finding) {
    bench::give_up(fmt::format("kernel {} of seed {}: {}", number, plan.seed, answer.kind));
  }
  costs.interpret += interpreted;
  costs.lower += lowered - interpreted;
  costs.compile += compiled - lowered;
  costs.equal += answer.ending == differential::FuzzAnswer::Ending::Equal ? 1 : 0;
  costs.wide += made.kernel.wg_size * made.wg_pack > differential::narrow_lanes ? 1 : 0;
}

void print_row(const char* mix, const Costs& costs, std::uint64_t kernels) {
  const auto n = static_cast<double>(kernels);
  const auto each = [&](double seconds) { return 1e3 * seconds / n; };
  fmt::print("{:<16} {:>6.1f} % {:>6.1f} % {:>12.1f} {:>10.2f} {:>12.2f} {:>12.2f} {:>12.2f}\n", mix,
             100 * static_cast<double>(costs.wide) / n, 100 * static_cast<double>(costs.equal) / n, n / costs.sum(), each(costs.generate),
             each(costs.interpret), each(costs.lower), each(costs.compile));
  std::fflush(stdout);
}

std::uint64_t number_of(const char* text) {
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0') {
    bench::give_up(fmt::format("'{}' is no number; usage: bench_fuzz [KERNELS [SEED]]", text));
  }
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t kernels = std::max<std::uint64_t>(1, argc > 1 ? number_of(argv[1]) : 1000);
  const std::vector<targets::Target> known = targets::all_targets();
  differential::FuzzPlan plan;
  plan.target = targets::find(known, targets::usual_targets(targets::Use::Fuzz), targets::Use::Fuzz);
  plan.seed = argc > 2 ? number_of(argv[2]) : 1;
  fmt::print("{} kernels of seed {}; milliseconds of a core for each\n", kernels, plan.seed);
  fmt::print("{:<16} {:>8} {:>8} {:>12} {:>10} {:>12} {:>12} {:>12}\n", "mix", "wide", "equal", "a second", "generating", "interpreter",
             "InfReg-IR", "machine code");
  for (const unsigned lanes : {differential::usual_lanes, differential::narrow_lanes}) {
    plan.max_lanes = lanes;
    Costs costs;
    for (std::uint64_t number = 0; number < kernels; ++number) {
      measure(plan, number, costs);
    }
    print_row(lanes == differential::usual_lanes ? "default" : "--max-lanes 16", costs, kernels);
  }
  return 0;
}
