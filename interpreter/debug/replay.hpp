#pragma once
// What histories have in common: the search backwards, and somebody who may end a move.

#include <cstdint>
#include <optional>

#include "interpreter/debug/patience.hpp"

namespace lockstep {

/// The base of a history `Self`, which goes back by replaying from what it has kept. Self has
///   std::uint64_t position() const    the step it is at
///   std::uint64_t rewind(p)           goes to the last position kept that is not beyond p, and says which it is
///   bool replay_step()                one step; false at the end
/// `patience` is asked whenever the position is a multiple of Slice.
template <class Self, std::uint64_t Slice>
class Replay {
 public:
  /// Asks `patience` in every move from now on; it must outlive the history.
  void set_patience(Patience& patience) { patience_ = &patience; }

  /// Whether a move was ended before its time since this was last forgotten. It may then be anywhere on its way.
  bool interrupted() const { return interrupted_; }
  void forget_interrupted() { interrupted_ = false; }

  /// The last position before the present one and after 0 that `check` stops at; none if interrupted. The history is then anywhere: use
  /// go_to. check.begin() hears that the position is not one step behind the last, check.after_step() says whether it stops.
  template <class Check>
  std::optional<std::uint64_t> last_stop_before_here(Check& check);

 protected:
  static constexpr std::uint64_t slice = Slice;

  /// Whether the move ends here because patience is at its end.
  bool gives_up() {
    if (patience_ == nullptr || self().position() % slice != 0) {
      return false;
    }
    interrupted_ = !patience_->goes_on(self().position());
    return interrupted_;
  }

  Patience* patience_ = nullptr;
  bool interrupted_ = false;

 private:
  Replay() = default;
  friend Self;
  Self& self() { return static_cast<Self&>(*this); }
};

template <class Self, std::uint64_t Slice>
template <class Check>
std::optional<std::uint64_t> Replay<Self, Slice>::last_stop_before_here(Check& check) {
  const Move move(patience_);
  std::uint64_t until = self().position();  // positions from here on are not wanted
  while (until > 1) {
    const std::uint64_t begin = self().rewind(until - 2);
    check.begin();
    std::optional<std::uint64_t> last;
    while (self().position() + 1 < until && self().replay_step()) {
      if (check.after_step()) {
        last = self().position();
      }
      if (gives_up()) {
        return std::nullopt;
      }
    }
    if (last) {
      return last;
    }
    until = begin + 1;
  }
  return std::nullopt;
}

}  // namespace lockstep
