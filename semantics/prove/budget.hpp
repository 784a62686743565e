#pragma once
// What a proof may cost: time, memory, or work. Work is counted, not measured: in units of Z3's resource limit, and one for each term
// and each step of ours. So a proof within so many units ends the same way whenever and wherever it is asked for.

#include <chrono>
#include <cstdint>
#include <optional>

namespace lockstep::prove {

/// What may be spent; what is empty has no limit.
struct Allowance {
  std::optional<std::chrono::steady_clock::time_point> until;
  std::optional<std::uint64_t> units;
  std::optional<std::uint64_t> memory;  ///< bytes by which the process may grow
};

enum class Spent : std::uint8_t { Time, Units, Memory };

/// Thrown by Budget::check.
struct OutOfBudget {
  Spent what = Spent::Time;
};

/// While it lives, this thread's proofs spend no more, nor more than the one around it has left.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Budget(const Allowance& allowance);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// What there is no more of. Looks at the clock, and now and then at memory.
  static std::optional<Spent> spent();
  static bool is_over() { return spent().has_value(); }
  /// Counts so many units, and throws OutOfBudget if there is no more. For inner loops: most calls look at no clock.
  static void check(std::uint64_t units = 1);
  /// Before so many things of so many bytes are made at once: throws OutOfBudget if they are too many. A few are nothing.
  static void reserve(std::uint64_t count, std::uint64_t bytes_each);

  /// What a question to Z3 may take. Where units are counted, milliseconds are units at a fixed rate, and no clock decides.
  struct Question {
    std::optional<unsigned> ms;  ///< at least 1, as 0 means no limit to Z3
    std::optional<unsigned> units;
  };
  static Question question(unsigned ms);

  /// Units that this thread has spent since the Budget began.
  std::uint64_t units() const;

 private:
  struct State {
    Allowance allowance;             ///< units and bytes as counts at which there are no more
    std::uint64_t units_before = 0;  ///< when it began
    std::uint64_t next_look = 0;     ///< at the clock
    std::uint64_t next_look_at_memory = 0;
  };
  static State* present();

  State state_;
  State* outer_;
};

}  // namespace lockstep::prove
