#include "interpreter/launch/changes.hpp"

namespace lockstep::launch {

Changes::Word Changes::word_of(const Object& object, std::uint64_t byte, const Changer& changer) {
  const bool is_local = object.space != AddressSpace::Global;
  return {is_local ? changer.group : 0, object.number, is_local, byte / 4};
}

Changes::Open Changes::meet(const Object& object, std::uint64_t byte, const Changer& changer) {
  const Word word = word_of(object, byte, changer);
  const bool together = now_[word] > 1;
  if (is_known_) {
    const auto found = words_.find(word);
    if (found == words_.end()) {
      return {true, true};
    }
    const State& state = found->second;
    const bool is_free = state.by_several ? state.is_free : is_order_free(changer.op, changer.type);
    return {state.by_several || together, (state.by_several || together) && !is_free};
  }
  State& state = words_.try_emplace(word, State{changer}).first->second;
  state.by_several |= state.first.group != changer.group || (!changer.in_steps && state.first.item != changer.item);
  state.is_free &= are_order_free(state.first.op, state.first.type, changer.op, changer.type) && is_order_free(changer.op, changer.type);
  return {};
}

}  // namespace lockstep::launch
