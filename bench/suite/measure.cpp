#include "bench/suite/measure.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <numeric>
#include <random>

namespace lockstep::bench {

namespace {

double now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + (1e-9 * static_cast<double>(time.tv_nsec));
}

class Stopwatch {
 public:
  explicit Stopwatch(unsigned threads) : clock_(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC) {}

  template <class Work>
  double seconds(const Work& work) const {
    const double start = now(clock_);
    work();
    return now(clock_) - start;
  }

 private:
  clockid_t clock_;
};

/// A run's time within many of them.
double hot_seconds(const Entry& entry, const Stopwatch& stopwatch, std::uint64_t repeats) {
  const bool restores = entry.data->has_in_out();
  double seconds = stopwatch.seconds([&] {
    for (std::uint64_t k = 0; k < repeats; ++k) {
      if (restores) {
        entry.data->restore();
      }
      entry.run();
    }
  });
  if (restores) {
    seconds -= stopwatch.seconds([&] {
      for (std::uint64_t k = 0; k < repeats; ++k) {
        entry.data->restore();
      }
    });
  }
  return std::max(0.0, seconds) / static_cast<double>(repeats);
}

/// How often an entry has to run for two milliseconds.
std::uint64_t repeats_of(const Entry& entry, const Stopwatch& stopwatch) {
  constexpr double enough = 2e-3;
  for (std::uint64_t repeats = 1;; repeats *= 4) {
    const double seconds = stopwatch.seconds([&] {
      for (std::uint64_t k = 0; k < repeats; ++k) {
        entry.data->restore();
        entry.run();
      }
    });
    if (seconds >= enough / 8) {
      return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(enough / seconds * static_cast<double>(repeats)));
    }
  }
}

/// Whether entries are slow, by their first times.
std::vector<bool> slow_ones(const std::vector<Entry>& entries, const std::vector<double>& seconds) {
  std::vector<double> each;  // seconds for a problem
  double fastest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < entries.size(); ++k) {
    each.push_back(seconds[k] / static_cast<double>(entries[k].data->batch()));
    if (!entries[k].is_limit) {
      fastest = std::min(fastest, each.back());
    }
  }
  std::vector<bool> slow;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    slow.push_back(!entries[k].is_limit && each[k] > slow_factor * fastest);
  }
  return slow;
}

/// Whether a slow entry takes part in round number `counted` of those that count.
bool is_round_of_slow(unsigned counted, unsigned rounds) {
  for (unsigned k = 0; k < rounds_of_slow; ++k) {
    if (rounds <= rounds_of_slow || counted == k * (rounds - 1) / (rounds_of_slow - 1)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::vector<double>> measure(const std::vector<Entry>& entries, const MeasureOptions& options,
                                         const std::function<void(unsigned done, unsigned all)>& progress) {
  const Stopwatch stopwatch(options.threads);
  std::vector<std::uint64_t> repeats(entries.size(), 1);
  for (std::size_t k = 0; options.is_hot && k < entries.size(); ++k) {
    repeats[k] = repeats_of(entries[k], stopwatch);
  }
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 shuffler;  // the same orders in every run: NOLINT(cert-msc32-c,cert-msc51-cpp,bugprone-random-generator-seed)
  std::vector<std::vector<double>> seconds(entries.size());
  std::vector<bool> is_slow(entries.size(), false);
  const unsigned all = options.warm_ups + options.rounds;
  for (unsigned round = 0; round < all; ++round) {
    std::ranges::shuffle(order, shuffler);
    const bool counts = round >= options.warm_ups;
    std::vector<double> taken(entries.size());
    for (const std::size_t k : order) {
      if (is_slow[k] && !(counts && is_round_of_slow(round - options.warm_ups, options.rounds))) {
        continue;
      }
      entries[k].data->restore();
      taken[k] = options.is_hot ? hot_seconds(entries[k], stopwatch, repeats[k]) : stopwatch.seconds(entries[k].run);
      if (counts) {
        seconds[k].push_back(taken[k]);
      }
    }
    if (round == 0 && !options.is_hot) {
      is_slow = slow_ones(entries, taken);
    }
    if (progress) {
      progress(round + 1, all);
    }
  }
  return seconds;
}

double median(std::vector<double> numbers) {
  if (numbers.empty()) {
    return 0;
  }
  std::ranges::sort(numbers);
  const std::size_t middle = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

double geometric_mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) {
    sum += std::log(number);
  }
  return numbers.empty() ? 0 : std::exp(sum / static_cast<double>(numbers.size()));
}

}  // namespace lockstep::bench
