#pragma once
// One instruction of PTX, read, made ready and run over rows as the machine runs it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "interpreter/ptx/lane_operations.hpp"
#include "semantics/ptx/resolve.hpp"

namespace lockstep::ptx_test {

/// The bits of an operand in each lane.
using Column = std::vector<std::uint64_t>;

class Subject {
 public:
  /// `text` is one instruction on the registers %p0 … %p7 (.pred), %c (.b8), %h (.b16), %r (.b32) and %d (.b64). Throws if it is none.
  explicit Subject(const std::string& text);

  const std::string& text() const { return text_; }
  /// Operands that are registers and are read, the carry flag too.
  std::size_t operands() const { return read_bytes_.size(); }

  /// The results of destination 0 or 1, for operands as columns of one length; with `in_place` the destination is the first operand's row.
  /// They have to be the same with all instruction sets.
  Column run(const std::vector<Column>& operands, std::size_t destination = 0, bool in_place = false) const;
  /// For one lane.
  std::uint64_t one(const std::vector<std::uint64_t>& operands, std::size_t destination = 0) const;
  /// In which lanes the result is said to be unspecified.
  std::vector<bool> unspecified(const std::vector<Column>& operands) const;

 private:
  Column run(const ptx_machine::LaneOperation& operation, const std::vector<Column>& operands, std::size_t destination,
             bool in_place) const;
  struct Operand {
    bool constant = false;
    std::uint64_t bits = 0;
    std::uint32_t bytes = 0;
  };
  std::string text_;
  std::shared_ptr<const ptx::resolved::Module> module_;
  std::vector<ptx_machine::LaneOperation> operations_;  ///< for each instruction set that this processor has
  std::vector<Operand> read_;
  std::vector<std::uint32_t> read_bytes_;     ///< of those that are registers
  std::vector<std::uint32_t> written_bytes_;  ///< 0 of one that is absent
};

/// Every combination of numbers of the lists, as columns.
std::vector<Column> combinations(const std::vector<Column>& lists);

/// Checks a destination against what `expected` says of each lane's operands, and prints the first lanes that differ.
using Expected = std::function<std::uint64_t(const std::vector<std::uint64_t>&)>;
void check(const Subject& subject, const std::vector<Column>& operands, const Expected& expected, std::size_t destination = 0);

}  // namespace lockstep::ptx_test
