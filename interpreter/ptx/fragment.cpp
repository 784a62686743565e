#include "interpreter/ptx/fragment.hpp"

#include <algorithm>

namespace lockstep::ptx_machine {

bool behind(const Fragment& a, const Fragment& b) {
  const std::size_t common = std::min(a.calls.size(), b.calls.size());
  for (std::size_t k = 0; k < common; ++k) {
    if (a.calls[k] != b.calls[k]) {
      return a.calls[k].rank < b.calls[k].rank;
    }
  }
  // Two that are in different functions, called from the same place through a register, have no common way; any fixed order does.
  const std::uint32_t at_a = a.calls.size() > common ? a.calls[common].rank : a.rank;
  const std::uint32_t at_b = b.calls.size() > common ? b.calls[common].rank : b.rank;
  if (at_a != at_b) {
    return at_a < at_b;
  }
  return a.calls.size() != b.calls.size() ? a.calls.size() > b.calls.size() : a.function < b.function;
}

bool same_shape(const Fragment& a, const Fragment& b) {
  return a.pc == b.pc && a.function == b.function && a.calls == b.calls && a.partings == b.partings;
}

}  // namespace lockstep::ptx_machine
