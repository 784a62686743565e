#include "tests/campaign/run.hpp"

#include <chrono>
#include <cstdlib>
#include <iostream>

namespace lockstep::test {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::uint64_t number(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10); }

std::uint64_t run_seed() {
  static const std::uint64_t seed = [] {
    const std::string given = environment("LOCKSTEP_SEED");
    const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()).time_since_epoch().count();
    const std::uint64_t value = given.empty() ? static_cast<std::uint64_t>(day) : number(given);
    std::cout << "LOCKSTEP_SEED=" << value << " repeats this run\n";
    return value;
  }();
  return seed;
}

bool full_run() { return !environment("LOCKSTEP_FULL").empty(); }

bool has_turn(std::uint64_t k, std::uint64_t days) { return full_run() || k % days == run_seed() % days; }

}  // namespace lockstep::test
