// The μ-SIMD machine against the same loop as C++, compiled by this file's own -O3 -march=native: arithmetic, loads, stores
// and shuffles, without and with divergence, and the cost of recording. Ratios of times within one run; the smallest of
// several rounds, because the machines that this runs on are shared.
#include "interpreter/machine/machine.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "semantics/musimd/parse.hpp"

namespace {

using namespace lockstep;
using Word = std::uint64_t;

constexpr int rounds = 15;
constexpr Word memory_base = 4096;

/// The least time of each body over some rounds in which they take turns, so that a slow spell of the machine meets both.
struct Pair {
  double machine = 1e300;
  double native = 1e300;
};
Pair seconds_of(auto&& machine_body, auto&& native_body) {
  const auto seconds = [](auto&& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Pair best;
  for (int r = 0; r < rounds; ++r) {
    best.native = std::min(best.native, seconds(native_body));
    best.machine = std::min(best.machine, seconds(machine_body));
  }
  return best;
}

std::string straight_program(Word iterations) {
  return fmt::format(R"(
        i = 0
        x = tid
        a = {} + tid
        st a = 0
Loop:   x = x * 3 + tid
        y = x ^ i
        z = ld a
        z = z + y
        w = shfl(z, tid ^ 1)
        z = z + w
        st a = z
        i = i + 1
        bz i == {}, Loop
        sync
        stop
)",
                     memory_base, iterations);
}

/// The loop of straight_program, each thread's variables in arrays as a compiler for SIMT code would keep them.
void straight_native(unsigned threads, Word iterations, std::vector<Word>& memory) {
  std::vector<Word> x(threads);
  std::vector<Word> z(threads);
  std::vector<Word> address(threads);
  for (unsigned t = 0; t < threads; ++t) {
    x[t] = t;
    address[t] = memory_base + t;
    memory[address[t]] = 0;
  }
  for (Word i = 0; i < iterations; ++i) {
    for (unsigned t = 0; t < threads; ++t) {
      x[t] = x[t] * 3 + t;
      const Word y = x[t] ^ i;
      z[t] = memory[address[t]] + y;
    }
    for (unsigned t = 0; t < threads; ++t) {
      memory[address[t]] = z[t] + z[t ^ 1U];
    }
  }
}

std::string divergent_program(Word iterations) {
  return fmt::format(R"(
        i = 0
        x = tid
        a = {} + tid
        st a = 0
Loop:   bz (tid ^ i) & 1, Even
        x = x * 3 + i
        jmp Join
Even:   x = x ^ (i << 3)
Join:   sync
        z = ld a
        z = z + x
        w = shfl(z, tid ^ 1)
        z = z + w
        st a = z
        i = i + 1
        bz i == {}, Loop
        sync
        stop
)",
                     memory_base, iterations);
}

void divergent_native(unsigned threads, Word iterations, std::vector<Word>& memory) {
  std::vector<Word> x(threads);
  std::vector<Word> z(threads);
  std::vector<Word> address(threads);
  for (unsigned t = 0; t < threads; ++t) {
    x[t] = t;
    address[t] = memory_base + t;
    memory[address[t]] = 0;
  }
  for (Word i = 0; i < iterations; ++i) {
    for (unsigned t = 0; t < threads; ++t) {
      x[t] = ((t ^ i) & 1U) != 0 ? x[t] * 3 + i : x[t] ^ (i << 3);
      z[t] = memory[address[t]] + x[t];
    }
    for (unsigned t = 0; t < threads; ++t) {
      memory[address[t]] = z[t] + z[t ^ 1U];
    }
  }
}

std::unique_ptr<Machine> machine(const std::string& text, unsigned threads) {
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

/// Runs the program both ways, compares every cell, prints the line of the table; false if a cell differs.
bool compare(const char* name, const std::string& text, void (*native)(unsigned, Word, std::vector<Word>&), unsigned threads,
             Word iterations) {
  std::vector<Word> memory(memory_base + threads);
  const auto m = machine(text, threads);
  const Snapshot start = m->snapshot();
  const auto run = [&] {
    m->restore(start);
    m->run(UINT64_MAX);
  };
  const Pair time = seconds_of(run, [&] { native(threads, iterations, memory); });
  const auto steps = static_cast<double>(m->steps());
  const double work = 1e-6 * steps * threads;
  fmt::print("{:10} {:5} threads: machine {:6.0f}, g++ {:6.0f} million thread-instructions/s, {:5.1f} ns a step, ratio {:.2f}\n", name,
             threads, work / time.machine, work / time.native, 1e9 * time.machine / steps, time.machine / time.native);
  for (unsigned t = 0; t < threads; ++t) {
    const auto address = static_cast<std::int64_t>(memory_base + t);
    if (static_cast<Word>(m->state().shared.read(address).number) != memory[memory_base + t]) {
      fmt::print("cell {} differs\n", address);
      return false;
    }
  }
  return true;
}

}  // namespace

int main() {
  bool good = true;
  for (const unsigned threads : {32U, 256U, 1024U}) {
    const Word iterations = 20'000'000 / (threads + 64);
    good = compare("straight", straight_program(iterations), straight_native, threads, iterations) && good;
    good = compare("divergent", divergent_program(iterations), divergent_native, threads, iterations) && good;
  }
  return good ? 0 : 1;
}
