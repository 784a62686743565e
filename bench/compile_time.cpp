// How long a C++ compiler takes for the AVX512 target's C++ of random kernels, and how much C++ that is: what
// emit_avx512::most_compile_cost is chosen by. Processor time of the compiler, at -O3; each kernel in a file of its own.
// usage: bench_compile_time [FIRST [COUNT [SEED [LEVEL]]]]

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/common.hpp"
#include "codegen/emit/avx512/size.hpp"
#include "codegen/host/avx512.hpp"
#include "differential/campaign/case.hpp"
#include "differential/campaign/try.hpp"
#include "targets/avx512/row.hpp"
using namespace lockstep;

namespace {

double seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::uint64_t number_at(int argc, char** argv, int index, std::uint64_t otherwise) {
  return index < argc ? std::strtoull(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t first = number_at(argc, argv, 1, 0);
  const std::uint64_t count = number_at(argc, argv, 2, 20);
  differential::FuzzPlan plan;
  const targets::Target target = targets::avx512_target();
  plan.target = &target;
  plan.seed = number_at(argc, argv, 3, 1);
  plan.max_lanes = differential::usual_lanes;
  const auto compiler = host::find_compiler();
  if (!compiler) {
    bench::give_up(compiler.error());
  }
  host::Avx512Options compile;
  compile.compiler = *compiler;
  compile.level = static_cast<unsigned>(number_at(argc, argv, 4, 3));
  compile.seconds = 1200;
  const double start = seconds_of_children();
  static_cast<void>(host::compile_avx512({}, compile));
  const double for_nothing = seconds_of_children() - start;
  fmt::print("a file without kernels: {:.2f} s\n", for_nothing);
  fmt::print("kernel        cost     bytes   seconds\n");
  for (std::uint64_t number = first; number < first + count; ++number) {
    const differential::FuzzCase made = differential::fuzz_case(plan, number);
    differential::Counts ignored;
    const auto lowered = differential::lower_case(plan, made, ignored);
    const auto* kernel = std::get_if<differential::LoweredCase>(&lowered);
    if (kernel == nullptr) {
      continue;
    }
    const auto source = targets::avx512_source(kernel->kernel, "k", differential::asked_for(plan, made));
    if (!source) {
      fmt::print("{:6}  {}\n", number, source.error());
      continue;
    }
    const std::uint64_t cost = emit_avx512::compile_cost(source->text);
    const double before = seconds_of_children();
    const auto code = host::compile_avx512({*source}, compile);
    fmt::print("{:6}  {:10}  {:8}  {:8.2f}{}\n", number, cost, source->text.size(), seconds_of_children() - before - for_nothing,
               code ? "" : "  " + code.error().sentence.substr(0, 200));
    std::fflush(stdout);
  }
}
