#pragma once
// β: the local memories of all threads, one lane array a variable.

#include <cstdint>
#include <span>
#include <vector>

#include "interpreter/machine/lane_kernels.hpp"
#include "interpreter/store/cells.hpp"
#include "semantics/base/lane_set.hpp"

namespace lockstep {

/// An array of lanes, aligned and padded as the kernels want it. Lanes start as 0.
class LaneArray {
 public:
  LaneArray() = default;
  explicit LaneArray(std::size_t lanes) : blocks_((lanes + lane_padding - 1) / lane_padding) {}

  std::int64_t* data() { return blocks_.empty() ? nullptr : blocks_.front().lane; }
  const std::int64_t* data() const { return blocks_.empty() ? nullptr : blocks_.front().lane; }
  std::size_t bytes() const { return blocks_.size() * sizeof(Block); }

 private:
  struct alignas(64) Block {
    std::int64_t lane[lane_padding] = {};
  };
  std::vector<Block> blocks_;
};

/// `variables` × `width` cells. Each is uninitialised, poison or a number; two bit sets a variable say which.
class LocalBank {
 public:
  LocalBank() = default;
  LocalBank(std::size_t variables, unsigned width)
      : width_(width),
        stride_(padded_lanes(width)),
        words_((width + 63) / 64),
        lanes_(variables * stride_),
        numbers_(variables * words_),
        poison_(variables * words_) {}

  unsigned width() const { return width_; }

  /// The lane array of a variable: padded_lanes(width) lanes; lanes that hold no number mean nothing.
  std::int64_t* lanes(std::uint32_t variable) { return lanes_.data() + variable * stride_; }
  const std::int64_t* lanes(std::uint32_t variable) const { return lanes_.data() + variable * stride_; }

  /// Bit sets over threads, 64 a word: where the variable holds a number, and where it holds poison.
  std::span<std::uint64_t> numbers(std::uint32_t variable) { return {numbers_.data() + variable * words_, words_}; }
  std::span<const std::uint64_t> numbers(std::uint32_t variable) const { return {numbers_.data() + variable * words_, words_}; }
  std::span<std::uint64_t> poison(std::uint32_t variable) { return {poison_.data() + variable * words_, words_}; }
  std::span<const std::uint64_t> poison(std::uint32_t variable) const { return {poison_.data() + variable * words_, words_}; }

  /// Whether `variable` holds a number in every thread of `threads`.
  bool has_numbers(std::uint32_t variable, const LaneSet& threads) const {
    const std::uint64_t* numbers = numbers_.data() + variable * words_;
    const auto wanted = threads.words();
    std::uint64_t missing = wanted[0] & ~numbers[0];
    for (std::size_t w = 1; w < wanted.size(); ++w) {
      missing |= wanted[w] & ~numbers[w];
    }
    return missing == 0;
  }

  /// Says that `variable` holds numbers, or poison, in the threads of `threads` from now on.
  void set_numbers(std::uint32_t variable, const LaneSet& threads) { mark(numbers_, poison_, variable, threads); }
  void set_poison(std::uint32_t variable, const LaneSet& threads) { mark(poison_, numbers_, variable, threads); }

  /// What `variable` holds in thread `thread`.
  Cell read(std::uint32_t variable, unsigned thread) const {
    const auto bit = [&](std::span<const std::uint64_t> words) { return ((words[thread / 64] >> (thread % 64)) & 1U) != 0; };
    if (bit(numbers(variable))) {
      return {CellState::Number, lanes(variable)[thread]};
    }
    return {bit(poison(variable)) ? CellState::Poison : CellState::Uninitialised, 0};
  }

  /// Bytes that a copy of this bank takes.
  std::size_t bytes() const { return lanes_.bytes() + (numbers_.size() + poison_.size()) * sizeof(std::uint64_t); }

 private:
  void mark(std::vector<std::uint64_t>& set, std::vector<std::uint64_t>& cleared, std::uint32_t variable, const LaneSet& threads) const {
    const std::size_t first = variable * words_;
    const auto words = threads.words();
    set[first] |= words[0];
    cleared[first] &= ~words[0];
    for (std::size_t w = 1; w < words.size(); ++w) {
      set[first + w] |= words[w];
      cleared[first + w] &= ~words[w];
    }
  }

  unsigned width_ = 0;
  std::size_t stride_ = 0;
  std::size_t words_ = 0;
  LaneArray lanes_;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::uint64_t> poison_;
};

}  // namespace lockstep
