#include "interpreter/launch/changes.hpp"

namespace lockstep::launch {

Changes::Open Changes::meet(const Object& object, std::uint64_t byte, const Changer& changer) {
  const bool is_local = object.space != AddressSpace::Global;
  const Word word{is_local ? changer.group : 0, object.number, is_local, byte / 4};
  if (is_known_) {
    const auto found = words_.find(word);
    const bool is_open = found == words_.end() || found->second.by_several;
    return {is_open, is_open && (found == words_.end() || !found->second.is_free)};
  }
  State& state = words_.try_emplace(word, State{changer}).first->second;
  state.by_several |= state.first.group != changer.group || state.first.item != changer.item;
  state.is_free &= are_order_free(state.first.op, state.first.type, changer.op, changer.type) && is_order_free(changer.op, changer.type);
  return {};
}

}  // namespace lockstep::launch
