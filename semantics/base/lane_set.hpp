#pragma once
// Sets of threads: the paper's Θ. One bit a thread, up to 4096 threads; operations cost one word operation for every 64
// threads that the set was made for, and never allocate.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace lockstep {

/// A set of thread numbers below `width()`. Binary operations want equal widths; a default-made set has width 0 and is
/// empty, and may be combined with any other (it acts as the empty set of the other's width).
class LaneSet {
 public:
  static constexpr unsigned max_width = 4096;
  using Word = std::uint64_t;

  LaneSet() { words_[0] = 0; }

  /// The empty set over `width` threads (at most max_width).
  explicit LaneSet(unsigned width) : width_(width), count_((width + 63) / 64) {
    words_[0] = 0;
    for (unsigned w = 1; w < word_count(); ++w) {
      words_[w] = 0;
    }
  }

  LaneSet(const LaneSet& other) { *this = other; }
  LaneSet& operator=(const LaneSet& other) {
    width_ = other.width_;
    count_ = other.count_;
    words_[0] = other.words_[0];
    for (unsigned w = 1; w < word_count(); ++w) {
      words_[w] = other.words_[w];
    }
    return *this;
  }

  /// All threads below `width`.
  static LaneSet all(unsigned width) {
    LaneSet set(width);
    for (unsigned w = 0; w < set.word_count(); ++w) {
      set.words_[w] = ~Word{0};
    }
    set.trim();
    return set;
  }

  static LaneSet single(unsigned width, unsigned lane) {
    LaneSet set(width);
    set.insert(lane);
    return set;
  }

  unsigned width() const { return width_; }
  unsigned word_count() const { return count_; }

  /// The bits, 64 threads a word, thread 0 in the lowest bit; bits at and above width() must stay 0.
  std::span<const Word> words() const { return {words_.data(), word_count()}; }
  std::span<Word> words() { return {words_.data(), word_count()}; }

  bool contains(unsigned lane) const { return lane < width_ && ((words_[lane / 64] >> (lane % 64)) & 1U) != 0; }
  void insert(unsigned lane) { words_[lane / 64] |= Word{1} << (lane % 64); }
  void erase(unsigned lane) { words_[lane / 64] &= ~(Word{1} << (lane % 64)); }

  bool empty() const {
    Word any = words_[0];
    for (unsigned w = 1; w < word_count(); ++w) {
      any |= words_[w];
    }
    return any == 0;
  }

  unsigned size() const {
    unsigned count = 0;
    for (unsigned w = 0; w < word_count(); ++w) {
      count += static_cast<unsigned>(std::popcount(words_[w]));
    }
    return count;
  }

  /// The smallest member; width() when the set is empty.
  unsigned first() const {
    for (unsigned w = 0; w < word_count(); ++w) {
      if (words_[w] != 0) {
        return w * 64 + static_cast<unsigned>(std::countr_zero(words_[w]));
      }
    }
    return width_;
  }

  /// Calls f(lane) for each member in ascending order.
  template <class F>
  void for_each(F&& f) const {
    for (unsigned w = 0; w < word_count(); ++w) {
      for (Word bits = words_[w]; bits != 0; bits &= bits - 1) {
        f(w * 64 + static_cast<unsigned>(std::countr_zero(bits)));
      }
    }
  }

  friend LaneSet operator|(const LaneSet& a, const LaneSet& b) {
    return combine(a, b, [](Word x, Word y) { return x | y; });
  }
  friend LaneSet operator&(const LaneSet& a, const LaneSet& b) {
    return combine(a, b, [](Word x, Word y) { return x & y; });
  }
  /// Set difference.
  friend LaneSet operator-(const LaneSet& a, const LaneSet& b) {
    return combine(a, b, [](Word x, Word y) { return x & ~y; });
  }
  LaneSet& operator|=(const LaneSet& b) { return *this = *this | b; }
  LaneSet& operator-=(const LaneSet& b) { return *this = *this - b; }

  /// Equal members; the widths do not count.
  friend bool operator==(const LaneSet& a, const LaneSet& b) {
    if (a.words_[0] != b.words_[0]) {
      return false;
    }
    const LaneSet& longer = a.count_ > b.count_ ? a : b;
    const unsigned shared = std::min(a.count_, b.count_);
    Word different = 0;
    for (unsigned w = 1; w < longer.count_; ++w) {
      different |= a.words_[w < shared ? w : 0] ^ b.words_[w < shared ? w : 0];
      different |= w < shared ? 0 : longer.words_[w];
    }
    return different == 0;
  }

 private:
  template <class F>
  static LaneSet combine(const LaneSet& a, const LaneSet& b, F f) {
    LaneSet result;
    result.width_ = std::max(a.width_, b.width_);
    result.count_ = std::max(a.count_, b.count_);
    result.words_[0] = f(a.words_[0], b.words_[0]);
    if (a.count_ == b.count_) {
      for (unsigned w = 1; w < result.count_; ++w) {
        result.words_[w] = f(a.words_[w], b.words_[w]);
      }
    } else {
      for (unsigned w = 1; w < result.word_count(); ++w) {
        result.words_[w] = f(w < a.word_count() ? a.words_[w] : 0, w < b.word_count() ? b.words_[w] : 0);
      }
    }
    return result;
  }

  void trim() {
    if (width_ % 64 != 0) {
      words_[width_ / 64] &= (Word{1} << (width_ % 64)) - 1;
    }
  }

  unsigned width_ = 0;
  unsigned count_ = 0;  // words
  // Only the first word_count() words are looked at, and always the first one: most machines are no wider than that, so
  // that the loops over the rest never start.
  std::array<Word, max_width / 64> words_;
};

}  // namespace lockstep
