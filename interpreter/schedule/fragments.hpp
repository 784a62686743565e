#pragma once
// Which of several lots of threads runs next, and when two of them become one again: for every machine whose threads have pcs of their own.
//
// A fragment is whatever runs together on one lane array. A machine's fragment type F has, found by argument-dependent lookup,
//   bool is_ready(const F&)                 it can take a step; else it waits for others
//   bool behind(const F& a, const F& b)     a is earlier than b on their common way: code is laid out in the order in which structured
//   control
//                                           runs it, so that the one behind can still come to where the other one is
//   bool same_shape(const F&, const F&)     the two differ in their sets of threads alone
// An index of fragments.size() stands for no fragment.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lockstep::schedule {

/// The ready fragment that no ready one is behind.
template <class F>
std::size_t lowest(const std::vector<F>& fragments) {
  std::size_t first = fragments.size();
  for (std::size_t k = 0; k < fragments.size(); ++k) {
    if (is_ready(fragments[k]) && (first == fragments.size() || behind(fragments[k], fragments[first]))) {
      first = k;
    }
  }
  return first;
}

/// The next ready fragment behind number `current`, round and round; if that was the last one and has gone, the first ready one.
template <class F>
std::size_t next_in_turn(const std::vector<F>& fragments, std::size_t current) {
  const std::size_t count = fragments.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t next = (current + 1 < count ? current + 1 + k : k) % count;
    if (is_ready(fragments[next])) {
      return next;
    }
  }
  return count;
}

/// Any ready fragment; `random()` gives 64 random bits.
template <class F, class Random>
std::size_t any_ready(const std::vector<F>& fragments, Random&& random) {
  std::uint64_t ready = 0;
  for (const F& f : fragments) {
    ready += is_ready(f) ? 1U : 0U;
  }
  if (ready == 0) {
    return fragments.size();
  }
  std::uint64_t skip = random() % ready;
  std::size_t next = 0;
  while (!is_ready(fragments[next]) || skip-- != 0) {
    ++next;
  }
  return next;
}

/// The ready fragments of the shape of number `current` become part of it: unite(it, other), then erase(index). Returns the index that it
/// has from then on.
template <class F, class Unite, class Erase>
std::size_t merge_equals(std::vector<F>& fragments, std::size_t current, Unite&& unite, Erase&& erase) {
  for (std::size_t k = 0; k < fragments.size();) {
    if (k == current || !is_ready(fragments[k]) || !same_shape(fragments[current], fragments[k])) {
      ++k;
      continue;
    }
    unite(fragments[current], fragments[k]);
    erase(k);
    current -= k < current ? 1U : 0U;
  }
  return current;
}

}  // namespace lockstep::schedule
