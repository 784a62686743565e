#include "interpreter/launch/launch.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

#include "interpreter/launch/pack.hpp"
#include "interpreter/launch/prepared.hpp"
#include "interpreter/launch/races.hpp"
#include "semantics/typed/visit.hpp"

namespace lockstep::launch {

namespace {

/// Lanes that a pack should have when nobody asks for another number: enough to pay for an instruction, few enough that a frame stays in
/// the nearest caches (bench/kernels.cpp).
constexpr std::size_t wanted_lanes = 256;
constexpr std::size_t wanted_frame_bytes = std::size_t{1} << 20;

/// What all packs of a launch have in common.
struct Launch {
  const typed::Program& program;
  const LaunchOptions& options;
  const std::vector<Argument>& arguments;
  PreparedBuffers buffers;
  std::vector<std::unique_ptr<Footprints>> footprints;  ///< by buffer; null where nothing is watched
  bool atomic = false;                                  ///< some instruction is
};

void make_footprints(Launch& launch) {
  launch.footprints.clear();
  if (!launch.options.races) {
    return;
  }
  const std::uint64_t warps = warps_of_group(launch.program, launch.options);
  for (const Object& object : launch.buffers.objects()) {
    launch.footprints.push_back(object.watched ? std::make_unique<Footprints>(object.cells(), warps, launch.atomic) : nullptr);
  }
}

/// What packs add up to.
struct Sum {
  Outcome outcome;
  bool raced = false;
  bool crowded = false;  ///< a pack needed more memory than its groups alone would
  std::vector<CrevCount> crev;
  std::size_t first_fault = SIZE_MAX;  ///< number of the first pack with a fault

  void add(const Pack& pack, std::size_t number) {
    outcome.steps += pack.steps();
    for (std::size_t r = 0; r < musimd::rule_count; ++r) {
      outcome.rule_counts[r] += pack.rule_counts()[r];
    }
    outcome.most_contexts = std::max(outcome.most_contexts, pack.most_contexts());
    outcome.most_frames = std::max(outcome.most_frames, pack.most_frames());
    outcome.most_pending = std::max(outcome.most_pending, pack.most_pending());
    crev.resize(pack.crev().size());
    for (std::size_t f = 0; f < crev.size(); ++f) {
      crev[f].activations += pack.crev()[f].activations;
      crev[f].tasks += pack.crev()[f].tasks;
    }
    if (pack.fault() && number < first_fault) {
      first_fault = number;
      outcome.fault = pack.fault();
    }
  }
  void add(const Sum& other) {
    for (std::size_t r = 0; r < musimd::rule_count; ++r) {
      outcome.rule_counts[r] += other.outcome.rule_counts[r];
    }
    outcome.steps += other.outcome.steps;
    outcome.most_contexts = std::max(outcome.most_contexts, other.outcome.most_contexts);
    outcome.most_frames = std::max(outcome.most_frames, other.outcome.most_frames);
    outcome.most_pending = std::max(outcome.most_pending, other.outcome.most_pending);
    crev.resize(std::max(crev.size(), other.crev.size()));
    for (std::size_t f = 0; f < other.crev.size(); ++f) {
      crev[f].activations += other.crev[f].activations;
      crev[f].tasks += other.crev[f].tasks;
    }
    raced = raced || other.raced;
    crowded = crowded || other.crowded;
    if (other.first_fault < first_fault) {
      first_fault = other.first_fault;
      outcome.fault = other.outcome.fault;
    }
  }
};

unsigned choose_pack(const typed::Program& program, const LaunchOptions& options) {
  if (options.pack != 0) {
    return allowed_pack(program, options, options.pack);
  }
  std::size_t per_lane = 1;
  for (const typed::Function& function : program.functions) {
    for (const typed::RegisterInfo& r : function.registers) {
      per_lane += r.count.value_or(1) * 8;
    }
  }
  const std::size_t lanes = std::clamp<std::size_t>(wanted_frame_bytes / per_lane, 1, wanted_lanes);
  return allowed_pack(program, options, std::max<std::uint64_t>(1, lanes / program.wg_size));
}

/// Atomic changes are not atomic for the host.
unsigned host_threads(const LaunchOptions& options, std::uint64_t packs, bool atomic) {
  if (atomic) {
    return 1;
  }
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(std::min<std::uint64_t>(options.threads == 0 ? cores : options.threads, std::max<std::uint64_t>(1, packs)));
}

/// A host thread's pack and its way to the footprints.
struct Machine {
  RaceWatch races;
  Pack pack;

  Machine(Launch& launch, const std::vector<FrameLayout>& layouts, unsigned groups, bool watch)
      : races(watching(launch)),
        pack(launch.program, layouts, launch.options, groups, launch.buffers.objects(), watch ? &races : nullptr) {}

 private:
  static RaceWatch watching(Launch& launch) {
    RaceWatch watch;
    watch.global = &launch.footprints;
    return watch;
  }
};

/// Runs the packs that cover groups [0, until) on several host threads. After a fault no later pack is begun, earlier ones are finished.
Sum run_packs(Launch& launch, unsigned groups_in_pack, std::uint64_t until, bool watch) {
  const std::vector<FrameLayout> layouts = layouts_for(launch.program, std::size_t{groups_in_pack} * launch.program.wg_size);
  const std::uint64_t rest = until % groups_in_pack;
  const std::vector<FrameLayout> rest_layouts =
      rest == 0 ? std::vector<FrameLayout>() : layouts_for(launch.program, rest * launch.program.wg_size);
  const std::uint64_t packs = (until + groups_in_pack - 1) / groups_in_pack;
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> stop_at{packs};
  std::mutex mutex;
  Sum all;
  std::exception_ptr error;
  const auto work = [&] {
    try {
      Sum mine;
      std::optional<Machine> whole;
      std::optional<Machine> part;  // of the last groups, too few for a whole pack
      for (std::uint64_t p = next++; p < stop_at; p = next++) {
        const std::uint64_t first = p * groups_in_pack;
        const bool is_whole = until - first >= groups_in_pack;
        std::optional<Machine>& machine = is_whole ? whole : part;
        if (!machine) {
          machine.emplace(launch, is_whole ? layouts : rest_layouts, is_whole ? groups_in_pack : static_cast<unsigned>(rest), watch);
        }
        const RaceWatch& races = machine->races;
        Pack& pack = machine->pack;
        pack.start(first, launch.arguments);
        pack.run();
        mine.add(pack, p);
        mine.raced = mine.raced || races.found;
        mine.crowded = mine.crowded || pack.crowded();
        if (pack.fault() || races.found || pack.crowded()) {
          std::uint64_t now = stop_at;
          while (p < now && !stop_at.compare_exchange_weak(now, p)) {
          }
        }
      }
      const std::lock_guard lock(mutex);
      all.add(mine);
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
      stop_at = 0;
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned t = 1; t < host_threads(launch.options, packs, launch.atomic); ++t) {
    helpers.emplace_back(work);
  }
  work();
  helpers.clear();
  if (error) {
    std::rethrow_exception(error);
  }
  return all;
}

/// The defining order: group after group, each alone, until one has a fault. With `log`, all races are found.
Sum run_alone(Launch& launch, std::uint64_t from, RaceLog* log, bool watch) {
  const std::vector<FrameLayout> layouts = layouts_for(launch.program, launch.program.wg_size);
  Sum sum;
  RaceWatch races;
  races.log = log;
  races.global = &launch.footprints;
  Pack pack(launch.program, layouts, launch.options, 1, launch.buffers.objects(), watch ? &races : nullptr);
  const std::uint64_t groups = launch.options.groups;
  std::vector<std::uint64_t> order;  // another one than the defining one
  if (launch.options.order != 0) {
    order.resize(groups);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    if (launch.options.order == 1) {
      std::ranges::reverse(order);
    } else {
      std::ranges::shuffle(order, std::minstd_rand(static_cast<std::minstd_rand::result_type>(launch.options.order)));
    }
  }
  for (std::uint64_t k = from; k < groups && !sum.outcome.fault; ++k) {
    const std::uint64_t g = order.empty() ? k : order[k];
    pack.start(g, launch.arguments);
    pack.run(launch.options.strict ? log : nullptr);
    sum.add(pack, k);
    if (log != nullptr) {
      log->forget_locals();
      if (launch.options.strict && log->count() != 0) {
        break;
      }
    }
  }
  sum.raced = races.found;
  return sum;
}

/// Which elements of the buffers are no numbers.
void list_others(Launch& launch, std::vector<Buffer>& buffers) {
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    buffers[b].poison.clear();
    buffers[b].uninitialised.clear();
    if (const std::uint8_t* states = launch.buffers.states(b); states != nullptr) {
      const std::uint64_t cells = launch.buffers.objects()[b].bytes ? size_of(buffers[b].type) : 1;  // of an element
      for (std::uint64_t e = 0; e < buffers[b].count; ++e) {
        const auto has = [&](CellState state) {
          return std::ranges::count(states + e * cells, states + (e + 1) * cells, static_cast<std::uint8_t>(state)) != 0;
        };
        if (has(CellState::Uninitialised)) {
          buffers[b].uninitialised.push_back(e);
        } else if (has(CellState::Poison)) {
          buffers[b].poison.push_back(e);
        }
      }
    }
  }
}

/// Each byte of a bool that is not 0 becomes 1: it is true, whatever a program that puns memory has stored there.
void make_truths(const typed::Program& program, std::vector<Buffer>& buffers) {
  if (!typed::Puns(program)(AddressSpace::Global, ScalarType::Bool)) {
    return;
  }
  for (Buffer& buffer : buffers) {
    if (buffer.type == ScalarType::Bool) {
      std::ranges::replace_if(buffer.bytes, [](std::byte byte) { return byte != std::byte{0}; }, std::byte{1});
    }
  }
}

}  // namespace

std::expected<Outcome, std::string> run(const std::shared_ptr<const typed::Program>& program, Arguments& arguments,
                                        const LaunchOptions& options) {
  if (auto wrong = complaint(*program, arguments, options)) {
    return std::unexpected(*wrong);
  }
  Outcome outcome;
  if (options.groups == 0) {
    return outcome;
  }
  if (auto fault = too_large(*program, options)) {
    outcome.fault = std::move(fault);
    return outcome;
  }
  const typed::AtomicOrder atomics = typed::atomic_order(*program);
  Launch launch{*program,
                options,
                arguments.values,
                PreparedBuffers(*program, arguments.values, arguments.buffers),
                {},
                atomics != typed::AtomicOrder::None};
  std::vector<std::vector<std::byte>> before(arguments.buffers.size());  // what a second run starts from
  for (std::size_t b = 0; b < before.size(); ++b) {
    if (launch.buffers.objects()[b].watched) {
      before[b] = arguments.buffers[b].bytes;
    }
  }
  const auto begin_again = [&] {
    for (std::size_t b = 0; b < before.size(); ++b) {
      if (launch.buffers.objects()[b].watched) {
        std::copy(before[b].begin(), before[b].end(), arguments.buffers[b].bytes.begin());
      }
    }
    launch.buffers.forget_states();
    if (options.progress != nullptr) {
      options.progress->groups = 0;
      options.progress->steps = 0;
    }
  };

  const unsigned groups_in_pack = choose_pack(*program, options);
  make_footprints(launch);
  const bool in_order = options.order == 0 ? atomics == typed::AtomicOrder::Matters : options.pack == 0 || groups_in_pack == 1;
  Sum sum = in_order ? run_alone(launch, 0, nullptr, options.races) : run_packs(launch, groups_in_pack, options.groups, options.races);
  RaceLog log(*program, launch.buffers.names(), options.equal_races);
  if (in_order) {
    // It is the defining order, or another one that somebody asks for.
  } else if (sum.crowded && !sum.raced) {
    begin_again();
    make_footprints(launch);
    sum = run_alone(launch, 0, nullptr, options.races);
  } else if (!sum.raced && sum.outcome.fault.has_value()) {  // what came before the fault once more, to its end
    begin_again();
    const std::uint64_t first = sum.first_fault * groups_in_pack;
    make_footprints(launch);
    sum = run_packs(launch, groups_in_pack, first, options.races);
    Sum rest = run_alone(launch, first, nullptr, options.races);
    rest.first_fault = 0;
    sum.add(rest);
  }
  if (sum.raced) {
    begin_again();
    sum = run_alone(launch, 0, &log, true);
  }
  outcome = std::move(sum.outcome);
  outcome.races = log.races();
  outcome.race_count = log.count();
  outcome.races_between_groups = log.between_groups();
  if (options.strict && log.count() != 0 && !outcome.fault) {
    outcome.fault = fault_of(outcome.races.front());
  }
  for (std::size_t f = 0; f < sum.crev.size(); ++f) {
    if (sum.crev[f].activations != 0) {
      outcome.crev.push_back({program->functions[f].name, sum.crev[f].activations, sum.crev[f].tasks});
    }
  }
  list_others(launch, arguments.buffers);
  make_truths(*program, arguments.buffers);
  return outcome;
}

}  // namespace lockstep::launch
