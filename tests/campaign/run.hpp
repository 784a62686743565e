#pragma once
// What the environment asks of a run of the tests: which sample, and how large.

#include <cstdint>
#include <string>

namespace lockstep::test {

/// The value of an environment variable, or "".
std::string environment(const char* name);

/// A decimal number, 0 where there is none.
std::uint64_t number(const std::string& text);

/// The seed of this run: LOCKSTEP_SEED, else the number of the day. Printed once.
std::uint64_t run_seed();

/// Whether everything is to be run, not a sample: LOCKSTEP_FULL is there and not empty.
bool full_run();

/// Whether the run has case k of a list that takes `days` days (at most 7): each case on one of them, all in a full run.
bool has_turn(std::uint64_t k, std::uint64_t days);

}  // namespace lockstep::test
