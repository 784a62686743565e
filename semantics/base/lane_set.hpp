#pragma once
// Sets of threads: the paper's Θ. One bit a thread; operations cost one word operation for every 64 threads that the set was made for, and
// allocate only for sets of more than `LaneSet::inline_width` threads.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace lockstep {

/// A set of thread numbers below `width()`. Binary operations want equal widths; a default-made set has width 0 and is
/// empty, and may be combined with any other (it acts as the empty set of the other's width).
class LaneSet {
 public:
  static constexpr unsigned max_width = 1U << 20;
  static constexpr unsigned inline_width = 1024;
  using Word = std::uint64_t;

  LaneSet() { inline_[0] = 0; }

  /// The empty set over `width` threads (at most max_width).
  explicit LaneSet(unsigned width) : LaneSet(width, (width + 63) / 64) {
    Word* words = data();
    words[0] = 0;
    for (unsigned w = 1; w < count_; ++w) {
      words[w] = 0;
    }
  }

  LaneSet(const LaneSet& other) : LaneSet(other.width_, other.count_) { copy_words(other); }
  LaneSet(LaneSet&& other) noexcept : width_(other.width_), count_(other.count_) { take_words(other); }
  LaneSet& operator=(const LaneSet& other) {
    if (this != &other) {
      if (other.count_ > inline_words && other.count_ != count_) {
        large_ = std::make_unique_for_overwrite<Word[]>(other.count_);
      }
      width_ = other.width_;
      count_ = other.count_;
      copy_words(other);
    }
    return *this;
  }
  LaneSet& operator=(LaneSet&& other) noexcept {
    if (this != &other) {
      width_ = other.width_;
      count_ = other.count_;
      take_words(other);
    }
    return *this;
  }
  ~LaneSet() = default;

  /// All threads below `width`.
  static LaneSet all(unsigned width) {
    LaneSet set(width, (width + 63) / 64);
    Word* words = set.data();
    words[0] = width == 0 ? 0 : ~Word{0};
    for (unsigned w = 1; w < set.count_; ++w) {
      words[w] = ~Word{0};
    }
    if (width % 64 != 0) {
      words[width / 64] &= (Word{1} << (width % 64)) - 1;
    }
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
  std::span<const Word> words() const { return {data(), count_}; }
  std::span<Word> words() { return {data(), count_}; }

  bool contains(unsigned lane) const { return lane < width_ && ((data()[lane / 64] >> (lane % 64)) & 1U) != 0; }
  void insert(unsigned lane) { data()[lane / 64] |= Word{1} << (lane % 64); }
  void erase(unsigned lane) { data()[lane / 64] &= ~(Word{1} << (lane % 64)); }

  bool empty() const {
    const Word* words = data();
    Word any = words[0];
    for (unsigned w = 1; w < count_; ++w) {
      any |= words[w];
    }
    return any == 0;
  }

  unsigned size() const {
    unsigned count = 0;
    for (const Word word : words()) {
      count += static_cast<unsigned>(std::popcount(word));
    }
    return count;
  }

  /// The smallest member; width() when the set is empty.
  unsigned first() const {
    const Word* words = data();
    for (unsigned w = 0; w < count_; ++w) {
      if (words[w] != 0) {
        return w * 64 + static_cast<unsigned>(std::countr_zero(words[w]));
      }
    }
    return width_;
  }

  /// Calls f(lane) for each member in ascending order.
  template <class F>
  void for_each(F&& f) const {
    const Word* words = data();
    for (unsigned w = 0; w < count_; ++w) {
      for (Word bits = words[w]; bits != 0; bits &= bits - 1) {
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
  LaneSet& operator|=(const LaneSet& b) {
    return change(b, [](Word x, Word y) { return x | y; });
  }
  LaneSet& operator&=(const LaneSet& b) {
    return change(b, [](Word x, Word y) { return x & y; });
  }
  LaneSet& operator-=(const LaneSet& b) {
    return change(b, [](Word x, Word y) { return x & ~y; });
  }

  /// Equal members; the widths do not count.
  friend bool operator==(const LaneSet& a, const LaneSet& b) {
    const LaneSet& longer = a.count_ > b.count_ ? a : b;
    const unsigned shared = std::min(a.count_, b.count_);
    const Word* x = a.data();
    const Word* y = b.data();
    if (x[0] != y[0]) {
      return false;
    }
    Word different = 0;
    for (unsigned w = 1; w < shared; ++w) {
      different |= x[w] ^ y[w];
    }
    const Word* rest = longer.data();
    for (unsigned w = std::max(1U, shared); w < longer.count_; ++w) {
      different |= rest[w];
    }
    return different == 0;
  }

 private:
  static constexpr unsigned inline_words = inline_width / 64;

  /// Of which no word has a value yet.
  LaneSet(unsigned width, unsigned count) : width_(width), count_(count) {
    if (count > inline_words) [[unlikely]] {
      large_ = std::make_unique_for_overwrite<Word[]>(count);
    }
  }

  // The first word is there, and is 0, even in a set of width 0, so that nobody has to ask: most machines are no wider than that, and the
  // loops over the rest never start.
  const Word* data() const { return count_ <= inline_words ? inline_.data() : large_.get(); }
  Word* data() { return count_ <= inline_words ? inline_.data() : large_.get(); }

  void copy_words(const LaneSet& other) {
    const Word* from = other.data();
    Word* to = data();
    to[0] = from[0];
    for (unsigned w = 1; w < count_; ++w) {
      to[w] = from[w];
    }
  }
  /// `other` is left empty if its words could be taken over.
  void take_words(LaneSet& other) {
    if (count_ <= inline_words) {
      copy_words(other);
    } else {
      large_ = std::move(other.large_);
      other.width_ = 0;
      other.count_ = 0;
      other.inline_[0] = 0;
    }
  }

  template <class F>
  static LaneSet combine(const LaneSet& a, const LaneSet& b, F f) {
    LaneSet result(std::max(a.width_, b.width_), std::max(a.count_, b.count_));
    const Word* x = a.data();
    const Word* y = b.data();
    Word* to = result.data();
    to[0] = f(x[0], y[0]);
    if (a.count_ == b.count_) {
      for (unsigned w = 1; w < result.count_; ++w) {
        to[w] = f(x[w], y[w]);
      }
    } else {
      for (unsigned w = 1; w < result.count_; ++w) {
        to[w] = f(w < a.count_ ? x[w] : 0, w < b.count_ ? y[w] : 0);
      }
    }
    return result;
  }

  template <class F>
  LaneSet& change(const LaneSet& b, F f) {
    if (count_ != b.count_) {
      return *this = combine(*this, b, f);
    }
    Word* x = data();
    const Word* y = b.data();
    x[0] = f(x[0], y[0]);
    for (unsigned w = 1; w < count_; ++w) {
      x[w] = f(x[w], y[w]);
    }
    width_ = std::max(width_, b.width_);
    return *this;
  }

  unsigned width_ = 0;
  unsigned count_ = 0;  // words
  std::array<Word, inline_words> inline_;
  std::unique_ptr<Word[]> large_;
};

}  // namespace lockstep
