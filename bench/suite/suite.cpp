#include "bench/suite/suite.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <fstream>
#include <iterator>

#include "bench/suite/check.hpp"
#include "bench/suite/ours.hpp"
#include "bench/suite/studies.hpp"

namespace lockstep::bench {

namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      return line.substr(line.find(':') + 2);
    }
  }
  return "unknown";
}

unsigned processor_count() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

/// Everybody who may take part in one task.
std::vector<Contestant> contestants_of(const Task& task, const SuiteOptions& options, const PeerModule& module) {
  std::vector<Contestant> all;
  for (const std::string& target : options.targets) {
    // Of item-wise kernels the size of a group is free.
    const auto wg_sizes = info(task.kernel).is_group_wise ? std::vector<unsigned>{task.n} : options.sizes;
    for (const unsigned wg_size : wg_sizes) {
      if (target == "interpreter") {
        if (wg_size == wg_sizes.back()) {
          all.push_back(by_interpreter(task, {.wg_size = wg_size}));
        }
        continue;
      }
      for (const std::string& pack : options.packs) {
        all.push_back(
            by_target(target, task, {.wg_size = wg_size, .wg_pack = pack == "auto" ? 0U : static_cast<unsigned>(std::stoul(pack))}));
      }
    }
  }
  for (Contestant& contestant : module.contestants(task)) {
    const std::string source = contestant.name.substr(0, contestant.name.find(' '));
    const bool is_chosen = options.has_peers && (options.peers.empty() || options.peers.contains(source));
    if (contestant.side == Side::Limit || is_chosen) {
      all.push_back(std::move(contestant));
    }
  }
  return all;
}

/// The measurements of one task with the same contestants.
class Case {
 public:
  /// `place`: which of how many it is, "3/20".
  Case(const PlannedCase& plan, const SuiteOptions& options, const SuiteObserver& observer, std::string place)
      : plan_(plan), options_(options), observer_(observer), place_(std::move(place)) {}

  CaseResult measured(bool is_hot, unsigned threads, Data& data) {
    result_ = CaseResult{plan_.study, plan_.task, is_hot, threads, data.batch(), data.footprint(), {}, {}, {}};
    is_hot_ = is_hot;
    std::vector<Entry> entries;
    std::vector<std::size_t> standing_of;
    for (const Contestant& contestant : plan_.contestants) {
      if (is_hot && !contestant.is_for_hot) {
        continue;
      }
      result_.standings.push_back({contestant.name,
                                   contestant.side,
                                   contestant.is_apart,
                                   contestant.wg_size,
                                   contestant.wg_pack,
                                   contestant.note,
                                   {},
                                   contestant.limit});
      tell(fmt::format("{}: building and checking", contestant.name));
      if (auto entry = ready(contestant, threads, data)) {
        entries.push_back(std::move(*entry));
        standing_of.push_back(result_.standings.size() - 1);
        chosen_.push_back(&contestant);
      } else {
        result_.standings.back().failure = entry.error();
      }
    }
    const MeasureOptions how{options_.warm_ups, options_.rounds, threads, is_hot};
    const auto seconds = measure(entries, how, [&](unsigned done, unsigned all) { tell(fmt::format("round {} of {}", done, all)); });
    for (std::size_t k = 0; k < entries.size(); ++k) {
      Standing& standing = result_.standings[standing_of[k]];
      const bool is_operation = chosen_[k]->units > 0;
      const double parts = is_operation ? chosen_[k]->units * threads : static_cast<double>(entries[k].data->batch());
      standing.least = seconds[k].empty() ? 0 : *std::ranges::min_element(seconds[k]) / parts;
      standing.median = median(seconds[k]) / parts;
      standing.rounds = static_cast<unsigned>(seconds[k].size());
    }
    compare_with_limits();
    chosen_.clear();
    return result_;
  }

 private:
  /// Somebody who can be timed, that is, whose results are right. What it throws is its failure: the others go on.
  std::expected<Entry, std::string> ready(const Contestant& contestant, unsigned threads, Data& data) {
    try {
      return checked(contestant, threads, data);
    } catch (const std::exception& problem) {
      data.restore();
      return std::unexpected(problem.what());
    }
  }

  std::expected<Entry, std::string> checked(const Contestant& contestant, unsigned threads, Data& data) {
    Data* own = &data;
    if (contestant.most != 0 && contestant.most < data.batch()) {
      std::vector<std::uint64_t> first(contestant.most);
      std::ranges::generate(first, [g = std::uint64_t{0}]() mutable { return g++; });
      data.restore();
      own_data_.push_back(data.sample(first));
      own = &own_data_.back();
    }
    auto run = contestant.prepare(*own, threads);
    if (!run) {
      return std::unexpected(run.error());
    }
    if (contestant.agreement != Agreement::None) {
      if (auto wrong = wrong_results(contestant, *run, *own)) {
        return std::unexpected("wrong results: " + *wrong);
      }
    }
    return Entry{std::move(*run), own, contestant.side == Side::Limit};
  }

  std::optional<std::string> wrong_results(const Contestant& contestant, const Run& run, Data& data) {
    const auto problems = sampled_problems(data.batch());
    data.restore();
    const Data expected = data.sample(problems);
    if (const auto outcome = interpret(expected, plan_.reference); !outcome) {
      return outcome.error();
    }
    data.clear_outputs();
    run();
    auto wrong = disagreement(data.sample(problems), expected, contestant.agreement);
    data.restore();
    return wrong;
  }

  void compare_with_limits() {
    Rates& rates = result_.rates;
    for (const Standing& standing : result_.standings) {
      if (!standing.limit) {
        continue;
      }
      double& rate = *standing.limit == LimitKind::Traffic  ? rates.traffic
                     : *standing.limit == LimitKind::Fma    ? rates.fma
                     : *standing.limit == LimitKind::Divide ? rates.divide
                                                            : rates.compare;
      rate = rate == 0 ? standing.median : std::min(rate, standing.median);
    }
    result_.roofline = roofline(cost_of(plan_.task), rates);
    for (Standing& standing : result_.standings) {
      if (!standing.limit && standing.median > 0) {
        standing.fraction = result_.roofline.seconds / standing.median;
      }
    }
  }

  void tell(const std::string& what) const {
    if (observer_.progress) {
      observer_.progress(fmt::format("[{}] {}, {}, {} thread{}: {}", place_, title(plan_.task), is_hot_ ? "hot" : "cold", result_.threads,
                                     result_.threads == 1 ? "" : "s", what));
    }
  }

  const PlannedCase& plan_;
  const SuiteOptions& options_;
  const SuiteObserver& observer_;
  const std::string place_;
  CaseResult result_;
  bool is_hot_ = false;
  std::deque<Data> own_data_;  // of those who get fewer problems
  std::vector<const Contestant*> chosen_;
};

std::vector<Task> tasks_of(const SuiteOptions& options) {
  std::vector<Task> tasks;
  for (const KernelId kernel : options.kernels) {
    for (const Real real : options.reals) {
      for (const unsigned n : info(kernel).is_group_wise ? options.sizes : std::vector<unsigned>{0}) {
        tasks.push_back({kernel, real, n});
      }
    }
  }
  return tasks;
}

/// What a plan is measured on: the whole batch by so many threads each, and hot.
std::size_t cases_of(const SuiteOptions& options) { return (options.is_cold ? options.threads.size() : 0) + (options.is_hot ? 1 : 0); }

/// `all`: how many cases there will be.
void run_plan(const PlannedCase& plan, const SuiteOptions& options, const SuiteObserver& observer, std::size_t all, SuiteResult& into) {
  const auto run = [&](bool is_hot, unsigned threads, Data& data) {
    Case measured(plan, options, observer, fmt::format("{}/{}", into.cases.size() + 1, all));
    into.cases.push_back(measured.measured(is_hot, threads, data));
    if (observer.case_done) {
      observer.case_done(into);
    }
  };
  if (options.is_cold) {
    Data data(plan.task, options.batch);
    plan.extend(data);
    for (const unsigned threads : options.threads) {
      run(false, threads, data);
    }
  }
  if (options.is_hot) {
    Data data(plan.task, hot_batch(plan.task));
    plan.extend(data);
    run(true, 1, data);
  }
}

}  // namespace

std::uint64_t hot_batch(const Task& task) {
  const long reported = sysconf(_SC_LEVEL1_DCACHE_SIZE);
  const double cache = reported > 0 ? static_cast<double>(reported) : 32768.0;
  return std::max<std::uint64_t>(16, static_cast<std::uint64_t>(cache / 2 / cost_of(task).bytes) / 16 * 16);
}

bool SuiteResult::all_right() const {
  return std::ranges::all_of(cases, [](const CaseResult& result) {
    return std::ranges::all_of(result.standings, [](const Standing& standing) { return standing.failure.empty(); });
  });
}

std::optional<std::string> left_out(const SuiteOptions& options) {
  const bool is_about_reorderings = std::ranges::find(options.studies, Study::Reorderings) != options.studies.end();
  return is_about_reorderings && std::ranges::find(options.targets, "avx512") == options.targets.end()
             ? std::optional<std::string>("--study reorderings is about the avx512 target, which --target leaves out")
             : std::nullopt;
}

SuiteResult run_suite(const SuiteOptions& options, const PeerModule& module, const SuiteObserver& observer) {
  SuiteResult result;
  result.options = options;
  result.peers = module.presence();
  result.compiler = compiler_of_avx512();
  result.processor = processor_name();
  result.processors = processor_count();
  if (observer.progress) {
    observer.progress("the machine's limits");
  }
  result.machine = module.machine(options.batch < 10'000);
  std::vector<PlannedCase> comparisons;
  for (const Task& task : tasks_of(options)) {
    comparisons.push_back({Study::None, task, contestants_of(task, options, module), {}, [](Data&) {}});
  }
  std::vector<PlannedCase> of_studies;
  for (const Study study : options.studies) {
    std::ranges::move(cases_of(study, options, module), std::back_inserter(of_studies));
  }
  SuiteOptions on_one_thread = options;
  on_one_thread.threads = {1};
  const std::size_t all = (comparisons.size() * cases_of(options)) + (of_studies.size() * cases_of(on_one_thread));
  for (PlannedCase& plan : comparisons) {
    run_plan(plan, options, observer, all, result);
    plan.contestants.clear();  // their code goes
  }
  for (PlannedCase& plan : of_studies) {
    run_plan(plan, on_one_thread, observer, all, result);
    plan.contestants.clear();
  }
  return result;
}

}  // namespace lockstep::bench
