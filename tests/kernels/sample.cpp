#include "tests/kernels/sample.hpp"

#include <chrono>
#include <cstdlib>
#include <iostream>

namespace lockstep::test {

std::uint64_t run_seed() {
  static const std::uint64_t seed = [] {
    const char* const given = std::getenv("LOCKSTEP_SEED");
    const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()).time_since_epoch().count();
    const std::uint64_t value = given == nullptr || *given == '\0' ? static_cast<std::uint64_t>(day) : std::strtoull(given, nullptr, 10);
    std::cout << "LOCKSTEP_SEED=" << value << " repeats this run\n";
    return value;
  }();
  return seed;
}

bool full_run() {
  const char* const full = std::getenv("LOCKSTEP_FULL");
  return full != nullptr && *full != '\0';
}

}  // namespace lockstep::test
