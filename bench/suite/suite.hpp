#pragma once
// What is measured, and what came of it.

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/suite/contestant.hpp"
#include "bench/suite/measure.hpp"
#include "bench/suite/peers.hpp"

namespace lockstep::bench {

/// Parts of the paper's evaluation that are no comparison with peers.
enum class Study : std::uint8_t {
  None,
  Packs,        ///< Fig. 8: LDUS in double precision, by groups of a pack
  Reorderings,  ///< Fig. 9: LDUS, GEMM and TRSV in double precision by the AVX512 target, without one way to reorder lanes after the other
  Loops         ///< Fig. 10: GEMA five times over, by how the loop's bound is known
};

struct SuiteOptions {
  std::vector<KernelId> kernels;  ///< as are all lists here: in the order in which they are measured
  std::vector<unsigned> sizes;    ///< of matrices, and of groups of item-wise kernels
  std::vector<Real> reals;
  std::vector<std::string> targets;           ///< of target_names
  std::set<std::string> peers;                ///< names as PeerPresence has them; empty: all
  bool has_peers = true;                      ///< false: no peers, only the machine's limits
  std::vector<std::string> packs = {"auto"};  ///< WG_PACK of ours: "auto" or a number
  std::vector<Study> studies;                 ///< on one thread
  std::uint64_t batch = 100'000;
  std::vector<unsigned> threads = {1};
  bool is_cold = true;  ///< the whole batch
  bool is_hot = true;   ///< a batch that stays in the caches, on one thread
  unsigned warm_ups = 2;
  unsigned rounds = 10;
};

/// A contestant's times.
struct Standing {
  std::string name;
  Side side = Side::Peer;
  bool is_apart = false;
  unsigned wg_size = 0;
  std::string wg_pack{};
  std::string note{};
  std::string failure{};  ///< why there are no times: it cannot be built, or its results are wrong
  std::optional<LimitKind> limit{};
  double least = 0;     ///< seconds for a problem, or of a limit that is no traffic for an operation
  double median = 0;    ///< likewise
  unsigned rounds = 0;  ///< in which it took part, and which counted: fewer of those who are slow
  double fraction = 0;  ///< of the roofline, by medians; 0 of limits
};

/// One measurement: everybody on the same data.
struct CaseResult {
  Study study = Study::None;
  Task task;
  bool is_hot = false;
  unsigned threads = 1;
  std::uint64_t batch = 0;
  std::size_t footprint = 0;  ///< bytes
  Rates rates;                ///< as measured beside the contestants
  Roofline roofline;
  std::vector<Standing> standings;
};

struct SuiteResult {
  SuiteOptions options;
  std::vector<PeerPresence> peers;
  std::vector<MachineFigure> machine;
  std::string compiler;     ///< of the AVX512 target's C++
  std::string processor;    ///< its name, as the system has it
  unsigned processors = 1;  ///< for this process
  std::vector<CaseResult> cases;
  bool all_right() const;  ///< whether all results were right, and all contestants could be built
};

/// What somebody who waits sees.
struct SuiteObserver {
  std::function<void(const std::string& what)> progress;       ///< a few words; often
  std::function<void(const SuiteResult& so_far)> case_done{};  ///< the last case is new
};

/// A sentence if a study is about a target that is left out.
std::optional<std::string> left_out(const SuiteOptions& options);

/// Measures everything that the options name, for each task: contestants are built, their results compared with the interpreter's, and
/// then timed together.
SuiteResult run_suite(const SuiteOptions& options, const PeerModule& module, const SuiteObserver& observer);

/// Problems that have room in half of the first data cache, at least 16.
std::uint64_t hot_batch(const Task& task);

}  // namespace lockstep::bench
