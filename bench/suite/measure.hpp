#pragma once
// Times of several contestants, side by side.

#include <functional>
#include <string>
#include <vector>

#include "bench/suite/contestant.hpp"

namespace lockstep::bench {

struct MeasureOptions {
  unsigned warm_ups = 2;  ///< rounds that do not count
  unsigned rounds = 10;
  unsigned threads = 1;
  bool is_hot = false;  ///< runs are repeated on data that stay in the caches; inputs that are overwritten are put back each time, and the
                        ///< time of that is measured too and taken off
};

/// Somebody with what it runs on. `data` outlives the measurement.
struct Entry {
  Run run;
  Data* data = nullptr;
  bool is_limit = false;  ///< of the machine: it has all rounds, and nobody is slow beside it
};

/// Who needs so many times as long for a problem as the fastest entry does in the first round has only a few rounds that count, spread
/// over all of them: nothing hangs on the digits of its times, and they are most of what a measurement takes.
inline constexpr double slow_factor = 5;
inline constexpr unsigned rounds_of_slow = 3;

/// Seconds of a run, for each entry those of the rounds that count. All entries take turns in every round, in an order that changes from
/// round to round, so that whatever else happens on the machine meets all of them. With one thread it is the process's processor time, so
/// that it does not matter who else was running; with more it is wall-clock time. Inputs that are overwritten are put
/// back before every run, without being timed. On cold data slow entries sit out (slow_factor). `progress` is told how many of all rounds
/// are done.
std::vector<std::vector<double>> measure(const std::vector<Entry>& entries, const MeasureOptions& options,
                                         const std::function<void(unsigned done, unsigned all)>& progress = {});

/// 0 of nothing; the mean of the middle ones of an even number.
double median(std::vector<double> numbers);

/// 0 of nothing.
double geometric_mean(const std::vector<double>& numbers);

}  // namespace lockstep::bench
