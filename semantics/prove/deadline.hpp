#pragma once
// How long a proof may take.

#include <chrono>
#include <optional>

namespace lockstep::prove {

/// Thrown by Deadline::check.
struct OutOfTime {};

/// While it lives, this thread's proofs end by then, or by the end of one around it if that is earlier.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(Clock::time_point end);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  static bool is_over();
  /// Throws OutOfTime if it is over. For inner loops: most calls do not look at the clock.
  static void check();
  /// So many milliseconds, or what is left if that is less; at least 1, as 0 means no limit to Z3.
  static unsigned at_most(unsigned ms);

 private:
  std::optional<Clock::time_point> outer_;
};

}  // namespace lockstep::prove
