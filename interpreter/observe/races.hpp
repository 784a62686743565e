#pragma once
// Two threads that store different values to one cell in one instruction: the result depends on the thread order of rule TL.

#include <cstdint>
#include <utility>
#include <vector>

#include "interpreter/machine/observer.hpp"
#include "interpreter/store/cells.hpp"

namespace lockstep {

/// A cell that two threads stored different values to in one step; of several threads the first that differ.
struct Race {
  std::uint64_t step = 0;  ///< from 1
  musimd::Label pc = 0;
  std::int64_t address = 0;
  unsigned threads[2] = {0, 0};  ///< ascending
  Cell values[2];                ///< what each of them stores: a number or poison
};

/// Counts (step, cell) pairs. Poison differs from every number and equals poison. A step whose addresses ascend strictly
/// over the active threads costs one pass over them.
class RaceObserver : public Observer {
 public:
  static constexpr std::size_t kept = 10;

  Interest interest() const override { return {.premises = false, .stores_only = true}; }
  void after_step(const Machine& machine, const StepEvent& event) override;

  std::uint64_t count() const { return count_; }
  /// The first `kept` races.
  const std::vector<Race>& races() const { return races_; }

 private:
  void look_at_group(const StepEvent& event, const CellAccess& access, std::size_t begin, std::size_t end);

  std::uint64_t count_ = 0;
  std::vector<Race> races_;
  std::vector<std::pair<std::int64_t, unsigned>> stores_;  // (address, thread) of the step at hand
};

}  // namespace lockstep
