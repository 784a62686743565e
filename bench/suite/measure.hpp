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
};

/// Seconds of a run, for each entry those of the rounds that count. All entries take turns in every round, in an order that changes from
/// round to round, so that whatever else happens on the machine meets all of them. With one thread it is the process's processor time, so
/// that it does not matter who else was running; with more it is wall-clock time. Inputs that are overwritten are put
/// back before every run, without being timed. `progress` is told how many of all rounds are done.
std::vector<std::vector<double>> measure(const std::vector<Entry>& entries, const MeasureOptions& options,
                                         const std::function<void(unsigned done, unsigned all)>& progress = {});

/// 0 of nothing; the mean of the middle ones of an even number.
double median(std::vector<double> numbers);

/// 0 of nothing.
double geometric_mean(const std::vector<double>& numbers);

}  // namespace lockstep::bench
