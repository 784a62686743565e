#pragma once
// The registers and variables of all threads of a block that are in one function at one depth of calls. Threads that are somewhere else
// have a place in the rows too, so that a thread's number says where its numbers are.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "interpreter/ptx/code.hpp"
#include "interpreter/ptx/rows.hpp"
#include "semantics/base/lane_set.hpp"

namespace lockstep::ptx_machine {

/// Where a function's rows lie in its frames.
struct FrameLayout {
  std::vector<std::size_t> offsets;  ///< in bytes
  std::size_t bytes = 0;             ///< of all rows

  FrameLayout() = default;
  FrameLayout(const FunctionCode& code, unsigned padded_threads);
};

/// Of a register of a thread that is not defined, since it was made of bytes that are not: which of its bytes are, and where the first one
/// of the others comes from.
struct Hole {
  /// A byte to which no number has been written.
  struct Byte {
    std::uint32_t object = 0;
    std::uint64_t byte = 0;
  };
  std::uint16_t defined = 0;   ///< bytes, as bits
  std::optional<Byte> loaded;  ///< if it is none, a register that was never written was copied
  std::uint32_t line = 0;      ///< of the load, or of the copy
};

class Frame {
 public:
  Frame(const FunctionCode& code, const FrameLayout& layout, unsigned padded_threads)
      : code_(&code), layout_(&layout), words_(padded_threads / 64), rows_(layout.bytes), defined_(code.row_bytes.size() * words_) {}

  std::byte* row(std::uint32_t index) const { return rows_.data() + layout_->offsets[index]; }
  /// Of an element of the row.
  std::uint8_t row_bytes(std::uint32_t index) const { return code_->row_bytes[index]; }
  /// Which threads have a number in the row; bits of threads that there are not are 0.
  std::uint64_t* defined(std::uint32_t index) { return defined_.data() + std::size_t{index} * words_; }
  const std::uint64_t* defined(std::uint32_t index) const { return defined_.data() + std::size_t{index} * words_; }

  /// The hole of a thread's register that is not defined; null if it was never written, or is a copy of one. Of a defined one it means
  /// nothing.
  const Hole* hole(std::uint32_t index, unsigned lane) const {
    const auto found = holes_.empty() ? holes_.end() : holes_.find({index, lane});
    return found == holes_.end() ? nullptr : &found->second;
  }
  /// The register is not defined any more for the thread.
  void undefine(std::uint32_t index, unsigned lane, const Hole* hole) {
    defined(index)[lane / 64] &= ~(std::uint64_t{1} << (lane % 64));
    if (hole != nullptr) {
      holes_.insert_or_assign({index, lane}, *hole);
    } else if (!holes_.empty()) {
      holes_.erase({index, lane});
    }
  }

  /// Which threads have a number there that depends on what PTX leaves open, and the line that it comes from.
  std::uint64_t* open(std::uint32_t index) { return open_.data() + std::size_t{index} * words_; }
  std::uint32_t& origin(std::uint32_t index) { return origins_[index]; }
  /// Of one thread: the line, or nothing.
  std::optional<std::uint32_t> open_from(std::uint32_t index, unsigned lane) {
    return (open(index)[lane / 64] >> (lane % 64) & 1U) != 0 ? std::optional(origin(index)) : std::nullopt;
  }
  void set_open(std::uint32_t index, unsigned lane, const std::optional<std::uint32_t>& from) {
    const std::uint64_t bit = std::uint64_t{1} << (lane % 64);
    std::uint64_t& word = open(index)[lane / 64];
    word = from ? word | bit : word & ~bit;
    origin(index) = from.value_or(origin(index));
  }
  /// Makes room for that.
  void watch_open() {
    open_.resize(defined_.size());
    origins_.resize(code_->row_bytes.size());
  }

  /// Nothing is defined any more for these threads, but the addresses of variables.
  void forget(const LaneSet& lanes) {
    for (std::size_t k = 0; k < defined_.size(); ++k) {
      defined_[k] &= ~lanes.words()[k % words_];
    }
    std::erase_if(holes_, [&](const auto& hole) { return lanes.contains(hole.first.second); });
  }

  /// Of each variable of the function that lies with each thread, its object; of others 0, and `written` is empty.
  std::vector<std::uint32_t> objects;
  std::vector<RowStorage> variables;               ///< their bytes, thread after thread
  std::vector<std::vector<std::uint8_t>> written;  ///< and which of them have been written

 private:
  const FunctionCode* code_;
  const FrameLayout* layout_;
  std::size_t words_;
  RowStorage rows_;
  std::vector<std::uint64_t> defined_;
  std::map<std::pair<std::uint32_t, unsigned>, Hole> holes_;  ///< by register and lane
  std::vector<std::uint64_t> open_;
  std::vector<std::uint32_t> origins_;
};

}  // namespace lockstep::ptx_machine
