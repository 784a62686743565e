#pragma once
// Where a run met values that nobody had written: the read that ended it, and shuffles from lanes that hold nothing (rule
// SI.shfl turns those into poison, so that the run goes on).

#include <cstdint>
#include <string>
#include <vector>

#include "interpreter/machine/observer.hpp"

namespace lockstep {

struct UninitialisedRead {
  std::uint64_t step = 0;  ///< from 1; of the fatal read the step that was not executed any more
  musimd::Label pc = 0;
  unsigned thread = 0;  ///< the thread that read
  bool fatal = false;   ///< the run ended here
  std::string what;     ///< "v3 is uninitialised in thread 2", "Σ(7) is uninitialised"
};

class UninitialisedObserver : public Observer {
 public:
  static constexpr std::size_t kept = 10;

  Interest interest() const override { return {.premises = false, .stores_only = true}; }
  void before_step(const Machine& machine) override;
  void ended(const Machine& machine, const Ending& ending) override;

  /// Reads so far: in each step every thread that read.
  std::uint64_t count() const { return count_; }
  /// The first `kept` of them. Of the step that ended the run the first thread only, and that is always the last.
  const std::vector<UninitialisedRead>& reads() const { return reads_; }

 private:
  void note(UninitialisedRead read);

  std::uint64_t count_ = 0;
  std::uint64_t at_step_ = 0;     // the step of the latest shuffle that was looked at,
  std::uint64_t count_then_ = 0;  // what count_ and reads_ were before it
  std::size_t kept_then_ = 0;
  std::vector<UninitialisedRead> reads_;
};

}  // namespace lockstep
