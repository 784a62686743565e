// What recording a million steps for going backwards costs beside the same run without it, and how long one step back takes
// at the end. The least of several rounds in which both take turns.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "interpreter/debug/program/history.hpp"
#include "interpreter/machine/machine.hpp"
#include "semantics/musimd/parse.hpp"

namespace {

using namespace lockstep;

constexpr int rounds = 5;
constexpr std::uint64_t steps = 1'000'000;

struct Workload {
  const char* name;
  const char* text;
};

constexpr Workload workloads[] = {
    {"arithmetic", "i = 0\n x = tid\nLoop: x = x * 3 + i\n i = i + 1\n jmp Loop\n"},
    {"stores", "i = 0\nLoop: st (i * 64 + tid) & 65535 = i\n i = i + 1\n jmp Loop\n"},
    {"divergence",
     "i = 0\n x = tid\nLoop: bz (tid ^ i) & 1, Even\n x = x * 3\n jmp Join\nEven: x = x + i\nJoin: sync\n i = i + 1\n jmp Loop\n"},
};

std::unique_ptr<Machine> machine(const char* text, unsigned threads) {
  const SourceFile source("bench", text);
  auto program = musimd::parse(source);
  if (!program) {
    fmt::print(stderr, "{}", render(source, program.error()));
    std::exit(2);
  }
  MachineOptions options;
  options.threads = threads;
  return std::move(*Machine::make(std::make_shared<const musimd::Program>(std::move(*program)), options));
}

double seconds(auto&& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main() {
  for (const Workload& workload : workloads) {
    for (const unsigned threads : {4U, 32U, 256U}) {
      double plain = 1e300;
      double recorded = 1e300;
      double back = 0;
      for (int r = 0; r < rounds; ++r) {
        const auto alone = machine(workload.text, threads);
        plain = std::min(plain, seconds([&] { alone->run(steps); }));
        const auto m = machine(workload.text, threads);
        History history(*m);
        recorded = std::min(recorded, seconds([&] { history.go_to(steps); }));
        back = std::max(back, seconds([&] { history.go_to(steps - 1); }));
      }
      fmt::print("{:10} {:4} threads: {:6.1f} ms plain, {:6.1f} ms recorded, ratio {:.2f}; the slowest step back {:.2f} ms\n",
                 workload.name, threads, 1e3 * plain, 1e3 * recorded, recorded / plain, 1e3 * back);
    }
  }
}
