#pragma once
// What depends on the order in which items change memory atomically. A first run notes which items change which words; in a second one,
// what an item finds in a word that others change as well, at no other time, is poison, and so is what the word becomes, unless the order
// of such changes does not matter. Poison goes on into all that is computed of it: what is poison in the end depends on the order.

#include <compare>
#include <cstdint>
#include <map>

#include "interpreter/launch/objects.hpp"
#include "semantics/ops/atomic.hpp"

namespace lockstep::launch {

class Changes {
 public:
  struct Changer {
    std::uint64_t group = 0;
    unsigned item = 0;
    bool in_steps = false;  ///< its group is one warp: instructions are in order, items only within one
    AtomicOp op = AtomicOp::Add;
    ScalarType type = ScalarType::Int;
  };
  struct Open {
    bool found = false;  ///< what is found
    bool left = false;   ///< what is left
  };

  /// Before each instruction, and then of each of its items.
  void begin_instruction() { now_.clear(); }
  void announce(const Object& object, std::uint64_t byte, const Changer& changer) { ++now_[word_of(object, byte, changer)]; }

  /// In the first run nothing is open. `byte`: where in the object of the changer's group.
  Open meet(const Object& object, std::uint64_t byte, const Changer& changer);

  /// The first run has ended.
  void know() { is_known_ = true; }

 private:
  struct Word {
    std::uint64_t group = 0;  ///< of a local object
    std::uint32_t object = 0;
    bool is_local = false;
    std::uint64_t number = 0;  ///< of 4 bytes

    auto operator<=>(const Word&) const = default;
  };
  struct State {
    Changer first;
    bool by_several = false;  ///< groups, or items that nothing orders
    bool is_free = true;      ///< the order of the changes does not matter to what they leave
  };
  static Word word_of(const Object& object, std::uint64_t byte, const Changer& changer);

  std::map<Word, State> words_;
  std::map<Word, unsigned> now_;  ///< how many items the present instruction has change it
  bool is_known_ = false;
};

}  // namespace lockstep::launch
