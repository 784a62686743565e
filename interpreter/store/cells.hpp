#pragma once
// Σ: shared memory as a sparse store of 64-bit cells. Pages are shared between copies and cloned on the first write, so
// that a snapshot of a machine costs one pointer a page.

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "semantics/base/lane_set.hpp"

namespace lockstep {

/// What a cell or a variable holds: nothing yet, poison, or a number.
enum class CellState : std::uint8_t { Uninitialised, Poison, Number };

struct Cell {
  CellState state = CellState::Uninitialised;
  std::int64_t number = 0;  ///< 0 unless state is Number

  bool operator==(const Cell&) const = default;
};

/// Cells 0 to 2^63-1. Memory grows by pages of `page_cells` cells where something is written, up to a limit.
class Cells {
 public:
  static constexpr std::size_t page_cells = 2048;
  static constexpr std::size_t default_limit_bytes = std::size_t{4} << 30;

  /// `limit_bytes` bounds the pages that this store may own or share.
  explicit Cells(std::size_t limit_bytes = default_limit_bytes) : limit_pages_(limit_bytes / sizeof(Page)) {}

  /// The cell at `address`; negative addresses are uninitialised.
  Cell read(std::int64_t address) const;

  /// Writes a number or poison (an uninitialised `cell` erases). False, with nothing changed, if the address is negative or
  /// the limit is reached.
  bool write(std::int64_t address, Cell cell);

  /// The values of the cells base to base + count - 1 where they lie if all are numbers and one page holds them, else null.
  /// Up to 7 more words behind them can be read and mean nothing. Valid until the next write. `base` is not negative.
  const std::int64_t* numbers_from(std::int64_t base, unsigned count) const {
    const std::size_t offset = static_cast<std::uint64_t>(base) % page_cells;
    const Page* page = offset + count <= page_cells ? find(static_cast<std::uint64_t>(base) / page_cells) : nullptr;
    return page != nullptr && all_set(page->numbers.data(), offset, count) ? page->values.data() + offset : nullptr;
  }

  /// Writes `count` numbers from `base` on if they are numbers already and one page that no snapshot shares holds them; false,
  /// with nothing changed, otherwise (scatter does the general case). `base` is not negative.
  bool write_numbers(std::int64_t base, const std::int64_t* values, unsigned count);

  /// values[t] := cell at addresses[t] for each t in `active`, whose addresses must not be negative. Threads that meet an
  /// uninitialised cell are put into `uninitialised`, poison into `poison` (both empty before; their values mean nothing).
  void gather(const std::int64_t* addresses, const LaneSet& active, std::int64_t* values, LaneSet& uninitialised, LaneSet& poison) const;

  /// cell at addresses[t] := values[t], or poison for t in `poison`, for each t in `active`, in the order `order` (a
  /// permutation of the threads) or ascending when it is null. False, with nothing changed, if the limit is reached.
  bool scatter(const std::int64_t* addresses, const LaneSet& active, const std::int64_t* values, const LaneSet& poison,
               const std::vector<unsigned>* order);

  /// Calls f(address, Cell) for each cell that is a number or poison, in ascending order.
  template <class F>
  void for_each(F&& f) const;

  /// Pages in use, and their size in bytes.
  std::size_t page_count() const { return page_count_; }
  static constexpr std::size_t page_bytes() { return sizeof(Page); }

  /// Bytes that finding the pages takes, about: what a copy costs before anything is written.
  std::size_t index_bytes() const { return dense_.size() * sizeof(PagePointer) + sparse_.size() * 64; }

  /// Pages of this store that `other` does not share: what keeping both costs.
  std::size_t pages_not_in(const Cells& other) const;

 private:
  struct Page {
    std::array<std::int64_t, page_cells + 7> values{};  // the last 7 are read, never used: see numbers_from
    std::array<std::uint64_t, page_cells / 64> numbers{};
    std::array<std::uint64_t, page_cells / 64> poison{};
  };
  using PagePointer = std::shared_ptr<Page>;

  static constexpr std::uint64_t dense_pages = std::uint64_t{1} << 16;  // up to here pages are found by index, beyond in a map

  /// Whether bits [offset, offset + count) are all set.
  static bool all_set(const std::uint64_t* bits, std::size_t offset, std::size_t count) {
    std::uint64_t clear = 0;
    const std::size_t shift = offset % 64;
    const std::uint64_t* word = bits + offset / 64;
    if (shift + count <= 64) {
      return ((*word >> shift) | ~(~std::uint64_t{0} >> (64 - count))) == ~std::uint64_t{0};
    }
    clear |= ~(*word >> shift) & (~std::uint64_t{0} >> shift);
    for (count -= 64 - shift, ++word; count >= 64; count -= 64, ++word) {
      clear |= ~*word;
    }
    if (count != 0) {
      clear |= ~*word & (~std::uint64_t{0} >> (64 - count));
    }
    return clear == 0;
  }

  const Page* find(std::uint64_t page) const {
    if (page < dense_.size()) [[likely]] {
      return dense_[page].get();
    }
    return page < dense_pages ? nullptr : find_sparse(page);
  }
  const Page* find_sparse(std::uint64_t page) const;
  Page* writable(std::uint64_t page);
  bool reserve(const std::int64_t* addresses, const LaneSet& active);
  static void put(Page& page, std::size_t offset, std::int64_t value, bool poison);

  std::vector<PagePointer> dense_;
  std::map<std::uint64_t, PagePointer> sparse_;
  std::size_t page_count_ = 0;
  std::size_t limit_pages_;
};

template <class F>
void Cells::for_each(F&& f) const {
  const auto visit = [&](std::uint64_t number, const Page& page) {
    for (std::size_t i = 0; i < page_cells; ++i) {
      const std::uint64_t bit = std::uint64_t{1} << (i % 64);
      if (((page.numbers[i / 64] | page.poison[i / 64]) & bit) != 0) {
        const bool poison = (page.poison[i / 64] & bit) != 0;
        f(static_cast<std::int64_t>(number * page_cells + i),
          Cell{poison ? CellState::Poison : CellState::Number, poison ? 0 : page.values[i]});
      }
    }
  };
  for (std::size_t i = 0; i < dense_.size(); ++i) {
    if (dense_[i]) {
      visit(i, *dense_[i]);
    }
  }
  for (const auto& [number, page] : sparse_) {
    visit(number, *page);
  }
}

}  // namespace lockstep
