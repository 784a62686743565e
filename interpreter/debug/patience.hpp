#pragma once
// Who hears of commands that take long, and may end them.

#include <cstdint>

namespace lockstep {

/// Hears of moves that take long.
class Patience {
 public:
  virtual ~Patience() = default;

  /// Called now and then with the position that a move has come to; if the answer is false, the move ends there.
  virtual bool goes_on(std::uint64_t position) = 0;

  /// Called when a move is over.
  virtual void over() = 0;
};

/// Tells `patience`, which may be null, that a move is over when it goes out of scope.
struct Move {
  explicit Move(Patience* p) : patience(p) {}
  ~Move() {
    if (patience != nullptr) {
      patience->over();
    }
  }
  Move(const Move&) = delete;
  Move& operator=(const Move&) = delete;
  Patience* patience;
};

}  // namespace lockstep
