// What the passes and the verifier cost: LDUS in double, and loops that are fully unrolled, from the text to verified InfReg-IR. Least
// times of several runs in this process; lane operations are the lanes of all results, those of a rolled loop counted once.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "codegen/passes/pipeline.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/infreg/verify.hpp"

using namespace lockstep;

namespace {

struct Cost {
  double passes = 1e9;  ///< seconds: passes and verifier
  double all = 1e9;     ///< from the text
  std::uint64_t operations = 0;
  std::uint64_t lane_operations = 0;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

[[noreturn]] void give_up(const char* what) {
  fmt::print(stderr, "bench_passes: a kernel cannot be {}\n", what);
  std::exit(2);
}

Cost cost_of(const std::string& text, unsigned wg_size, unsigned wg_pack) {
  Cost cost;
  core::Options options;
  options.wg_size = wg_size;
  double total = 0;
  for (int run = 0; run < 9 && (run < 2 || total < 2); ++run) {
    const auto begin = std::chrono::steady_clock::now();
    Diagnostics warnings;
    const auto program = core::read_kernels(std::make_shared<const SourceFile>("k.cl", text), options, warnings);
    if (!program) {
      give_up("read");
    }
    const auto read = std::chrono::steady_clock::now();
    passes::PipelineOptions pipeline;
    pipeline.wg_pack = wg_pack;
    const auto kernel = passes::lower(*program, *program->kernel(""), pipeline);
    if (!kernel || !infreg::verify(*kernel).empty()) {
      give_up("lowered");
    }
    cost.passes = std::min(cost.passes, seconds_since(read));
    cost.all = std::min(cost.all, seconds_since(begin));
    total += seconds_since(begin);
    cost.operations = cost.lane_operations = 0;
    for (const infreg::Region& region : kernel->regions) {
      cost.operations += region.operations.size();
      for (const infreg::Operation& operation : region.operations) {
        for (const infreg::ValueId result : operation.results) {
          cost.lane_operations += infreg::lanes(kernel->type_of(result).layout, kernel->shape);
        }
      }
    }
  }
  return cost;
}

/// Loops of 16 rounds of which each needs the one before, so that they are unrolled: `lines` statements, no two of them equal.
std::string unrolled(unsigned lines) {
  constexpr unsigned in_a_loop = 8;
  std::string text =
      "kernel void k(global float *g) {\n  float a[16];\n  float x = g[get_global_id()];\n"
      "  for (int j = 0; j < 16; j++) a[j] = g[get_global_id() * 16 + j];\n";
  for (unsigned first = 0; first < lines; first += in_a_loop) {
    text += "  for (int j = 0; j < 16; j++) {\n";
    for (unsigned k = first; k < first + in_a_loop; ++k) {
      text += fmt::format("    x = x * a[j] + {}.0f;\n", k + 1);
    }
    text += "  }\n";
  }
  return text + "  g[get_global_id()] = x;\n}\n";
}

void print_row(const std::string& name, const Cost& cost) {
  fmt::print("{:<24} {:>10} {:>12} {:>12.3f} {:>14.3f}\n", name, cost.operations, cost.lane_operations, 1e3 * cost.passes, 1e3 * cost.all);
  std::fflush(stdout);
}

/// By which power of n the time grows from the first to the last, and n log n with it.
void print_growth(const Cost& first, const Cost& last) {
  const auto n = static_cast<double>(first.lane_operations);
  const auto m = static_cast<double>(last.lane_operations);
  fmt::print("passes and verifier grow as n^{:.2f} in the number of lane operations; n log n would be n^{:.2f}\n\n",
             std::log(last.passes / first.passes) / std::log(m / n), std::log(m * std::log(m) / (n * std::log(n))) / std::log(m / n));
}

}  // namespace

int main() {
  std::ifstream stream(LOCKSTEP_SOURCE_DIR "/examples/borg/ldus.cl");
  const std::string ldus((std::istreambuf_iterator<char>(stream)), {});
  fmt::print("{:<24} {:>10} {:>12} {:>12} {:>14}\n", "kernel", "operations", "lane ops", "passes, ms", "from text, ms");
  std::vector<Cost> costs;
  for (const unsigned wg_size : {4U, 8U, 16U, 32U, 64U}) {
    costs.push_back(cost_of(ldus, wg_size, 4));
    print_row(fmt::format("ldus, {} items x 4", wg_size), costs.back());
  }
  print_growth(costs.front(), costs.back());
  costs.clear();
  for (const unsigned lines : {32U, 128U, 512U, 2048U}) {
    costs.push_back(cost_of(unrolled(lines), 8, 1));
    print_row(fmt::format("unrolled, {} lines", lines), costs.back());
  }
  print_growth(costs.front(), costs.back());
  return 0;
}
