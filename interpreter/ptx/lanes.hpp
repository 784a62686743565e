#pragma once
// Sets of a block's threads as they are used on rows: which threads, and in which part of the rows they are.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "semantics/base/lane_set.hpp"

namespace lockstep::ptx_machine {

/// Rows of registers have room for so many threads, so that whole words of sets and whole vectors can be worked on.
constexpr unsigned padded(unsigned threads) { return (threads + 63) / 64 * 64; }

/// The threads that an instruction is executed for.
struct Active {
  LaneSet set;
  bool all = false;         ///< every thread of the block
  bool is_range = false;    ///< there is no gap between the first and the last one
  unsigned first = 0;       ///< the first one
  unsigned last = 0;        ///< the last one
  unsigned first_word = 0;  ///< of the set, the words that have members
  unsigned end_word = 0;

  unsigned begin() const { return first_word * 64; }
  unsigned end() const { return end_word * 64; }
};

inline Active active_of(const LaneSet& set, unsigned threads) {
  Active active;
  active.set = set;
  const auto words = set.words();
  unsigned first = 0;
  unsigned end = set.word_count();
  while (first < end && words[first] == 0) {
    ++first;
  }
  while (end > first && words[end - 1] == 0) {
    --end;
  }
  active.first_word = first;
  active.end_word = end;
  const unsigned size = set.size();
  active.all = size == threads;
  if (first < end) {
    active.first = first * 64 + static_cast<unsigned>(std::countr_zero(words[first]));
    active.last = end * 64 - 1 - static_cast<unsigned>(std::countl_zero(words[end - 1]));
    active.is_range = size == active.last - active.first + 1;
  }
  return active;
}

/// Calls f(lane) for each of them, in ascending order.
template <class F>
void for_each_lane(const Active& active, F&& f) {
  if (active.is_range) {
    for (unsigned lane = active.first; lane <= active.last; ++lane) {
      f(lane);
    }
  } else {
    active.set.for_each(f);
  }
}

/// The bits of 64 bytes that are 0 or 1.
inline std::uint64_t bits_of_bytes(const std::byte* bytes) {
  std::uint64_t bits = 0;
  for (unsigned k = 0; k < 8; ++k) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes + std::size_t{8} * k, 8);
    bits |= (eight * 0x0102040810204080U >> 56U) << (8 * k);
  }
  return bits;
}

}  // namespace lockstep::ptx_machine
