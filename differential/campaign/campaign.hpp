#pragma once
// A campaign: one kernel after the other, in processes of their own.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "differential/campaign/answer.hpp"
#include "differential/campaign/case.hpp"

namespace lockstep::differential {

struct FuzzTotals {
  struct Found {
    std::uint64_t number = 0;  ///< of the kernel
    FuzzAnswer answer;
  };

  Counts counts;
  std::uint64_t kernels = 0;
  std::vector<Found> findings;   ///< by ascending numbers
  std::string missing;           ///< why the back end cannot do any kernel; empty: it can
  double seconds = 0;            ///< of the clock
  double processor_seconds = 0;  ///< of all processes together
};

/// How long a campaign goes on.
struct FuzzLength {
  std::uint64_t first = 0;                                                           ///< the first kernel's number
  std::optional<std::uint64_t> kernels;                                              ///< so many
  double seconds = 0;                                                                ///< of the clock, if not 0; whatever comes first
  unsigned jobs = 1;                                                                 ///< processes
  std::function<void(const FuzzTotals& so_far, double seconds)> progress = nullptr;  ///< called now and then
};

/// Tries kernels in processes of their own, which are made again if they crash. Ends early if there are too many findings, if the back end
/// is missing, or when this process is asked to end (differential/compare/interrupts.hpp); nothing of it runs any more then.
FuzzTotals run_campaign(const FuzzPlan& plan, const FuzzLength& length);

}  // namespace lockstep::differential
