#pragma once
// Rows: a number for each thread of a block, one behind the other.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <tuple>
#include <vector>

#include "semantics/ptx/special.hpp"

namespace lockstep::ptx_machine {

/// Bytes that begin at a multiple of 64, as vectors like them; all 0 at first.
class RowStorage {
 public:
  RowStorage() = default;
  explicit RowStorage(std::size_t bytes)
      : bytes_(static_cast<std::byte*>(::operator new[](bytes == 0 ? 64 : bytes, std::align_val_t(64)))) {
    std::memset(bytes_.get(), 0, bytes);
  }
  std::byte* data() const { return bytes_.get(); }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t(64)); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
};

/// Rows that no instruction writes: numbers of the program, and special registers.
class Pool {
 public:
  explicit Pool(unsigned padded_threads) : threads_(padded_threads) {}

  /// The row in which every element is this number of 1, 2, 4, 8 or 16 bytes.
  std::uint32_t number(std::array<std::uint64_t, 2> bits, std::uint8_t bytes);
  /// The row of a special register; its numbers are set by the block.
  std::uint32_t special(ptx::Special special, std::uint8_t bytes);

  struct SpecialRow {
    ptx::Special special;
    std::uint8_t bytes = 4;
    std::uint32_t row = 0;
  };
  const std::vector<SpecialRow>& specials() const { return specials_; }

  std::byte* row(std::uint32_t index) const { return rows_[index].data(); }
  unsigned threads() const { return threads_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::uint32_t add(std::uint8_t bytes);

  unsigned threads_;
  std::size_t bytes_ = 0;
  std::vector<RowStorage> rows_;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint8_t>, std::uint32_t> numbers_;
  std::vector<SpecialRow> specials_;
};

}  // namespace lockstep::ptx_machine
