#pragma once
// Memory as a dictionary of bytes, written for the tests alone: what accesses of all widths at all offsets must do. It shares nothing with
// semantics/memory but the meaning.

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::tests {

class ByteModel {
 public:
  /// A byte that is in no dictionary has never been written.
  struct Cell {
    unsigned char value = 0;
    bool poison = false;
  };
  enum class Wrong { Nothing, Outside, Misaligned, Forbidden, Unwritten };
  struct Found {
    Wrong wrong = Wrong::Nothing;
    bool poison = false;
    std::vector<unsigned char> bytes;
  };

  ByteModel(long long size, bool may_read, bool may_write) : size_(size), may_read_(may_read), may_write_(may_write) {}

  void set(long long at, unsigned char value) { cells_[at] = {value, false}; }
  const std::map<long long, Cell>& cells() const { return cells_; }

  /// `offset` is what counts; it may be anything. `alignment` divides it where the access is fine.
  Wrong wrong(long long offset, int width, int alignment, bool writes) const {
    for (int k = 0; k < width; ++k) {
      if (offset < 0 || offset > size_ || offset + k >= size_) {
        return Wrong::Outside;
      }
    }
    if (offset % alignment != 0) {
      return Wrong::Misaligned;
    }
    return (writes ? may_write_ : may_read_) ? Wrong::Nothing : Wrong::Forbidden;
  }

  Found load(long long offset, int width, int alignment) const {
    Found found;
    found.wrong = wrong(offset, width, alignment, false);
    if (found.wrong != Wrong::Nothing) {
      return found;
    }
    for (int k = 0; k < width; ++k) {
      const auto cell = cells_.find(offset + k);
      if (cell == cells_.end()) {
        found.wrong = Wrong::Unwritten;
        return found;
      }
      found.poison = found.poison || cell->second.poison;
      found.bytes.push_back(cell->second.value);
    }
    return found;
  }

  Wrong store(long long offset, const std::vector<unsigned char>& bytes, bool poison, int alignment) {
    const Wrong what = wrong(offset, static_cast<int>(bytes.size()), alignment, true);
    if (what == Wrong::Nothing) {
      for (std::size_t k = 0; k < bytes.size(); ++k) {
        cells_[offset + static_cast<long long>(k)] = {bytes[k], poison};
      }
    }
    return what;
  }

 private:
  long long size_;
  bool may_read_;
  bool may_write_;
  std::map<long long, Cell> cells_;
};

/// The bytes of a number as this machine has it, which has the least significant one first.
template <class T>
std::vector<unsigned char> bytes_of(const T& number) {
  std::vector<unsigned char> bytes(sizeof number);
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

}  // namespace lockstep::tests
