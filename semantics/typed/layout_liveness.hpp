#pragma once
// When the registers of a function hold a value that is still needed: rule 4 of the layout (docs/layout.md).

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "semantics/typed/program.hpp"

namespace lockstep::typed {

/// Which registers hold a needed value where, and so may not share lanes. Arrays count as wholes.
class Liveness {
 public:
  /// Looks at `registers` of a function. Where nothing can be said, all of them are held everywhere: in a function that is not
  /// well-formed, or that is too large (sets of more than `max_bits` bits, more than `max_work` steps); then `known` is false.
  Liveness(const Program& program, const Function& function, std::vector<RegisterId> registers);

  static constexpr std::size_t max_bits = std::size_t{1} << 28;
  static constexpr std::size_t max_work = std::size_t{1} << 31;

  bool known() const { return known_; }

  /// True if registers[a] holds a needed value in front of or behind some instruction where registers[b] holds one,
  /// or if an instruction names both.
  bool overlap(std::size_t a, std::size_t b) const;

  /// The runs of instructions [first, last] during which registers[i] holds a needed value, counted from the function's begin.
  std::vector<std::pair<Label, Label>> ranges(std::size_t i) const;

 private:
  using Word = std::uint64_t;
  using Row = std::vector<Word>;  // a set of registers

  std::size_t words_or_one() const { return words_ == 0 ? 1 : words_; }
  void analyse(const Program& program, const Function& function);
  void find_effects(const Program& program, const Function& function);
  bool flow(const std::vector<std::vector<Label>>& successors, Label size);
  void hold(const Function& function, const std::vector<Label>& innermost, const std::vector<bool>& reachable);
  Row outside_of(Label block, const std::vector<Label>& innermost) const;
  void conflict(const Row& row);

  std::vector<RegisterId> registers_;
  std::vector<std::size_t> index_;  // per register of the function: its index in registers_, or none
  std::size_t parameters_ = 0;      // of the function: its first registers
  std::size_t words_ = 0;
  bool known_ = false;
  Row everywhere_;              // arrays whose address is taken: held all the time
  std::vector<Row> used_;       // per pc: read
  std::vector<Row> written_;    // per pc: written
  std::vector<Row> killed_;     // per pc: written as a whole
  std::vector<Row> forgotten_;  // per pc: holds nothing behind it
  std::vector<Row> live_;       // per pc, in front of it
  std::vector<Row> live_out_;
  std::vector<Row> defined_;  // per pc, in front of it: may have been written
  std::vector<Row> defined_out_;
  std::vector<Row> held_;      // per pc: in front of or behind it
  std::vector<Row> overlaps_;  // per register
};

}  // namespace lockstep::typed
