#pragma once
// Which instruction belongs to which line of the text that people see.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "semantics/base/line_origins.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep {

/// The lines of a typed program's instructions. A *beginning* is an instruction at which control comes to a line from elsewhere: the first
/// of a run of instructions of one line, and where a loop within one line turns. Where a line has other instructions too, those that only
/// lead from one place to another (jmp, jmp_mask, sync, end_everywhere) are none, and neither is the end of a function without `return`.
class KernelLines {
 public:
  explicit KernelLines(const typed::Program& program);

  /// The line of an instruction; behind the last one, the line behind the text. O(1).
  std::uint32_t line_of(typed::Label pc) const { return pc < lines_.size() ? lines_[pc] : behind_; }
  /// A line's name, which `line_named` takes: "12", of an included file "parts.h:12".
  std::string name(std::uint32_t line) const { return origins_.name(line); }
  std::string name_of(typed::Label pc) const { return origins_.name(line_of(pc)); }
  std::optional<std::uint32_t> line_named(std::string_view name) const { return origins_.line_named(name); }
  bool is_beginning(typed::Label pc) const { return pc < beginnings_.size() && beginnings_[pc]; }

  /// The first line from `line` on that has a beginning.
  std::optional<std::uint32_t> line_with_code(std::uint64_t line) const;
  /// The beginnings of a line, ascending.
  std::vector<typed::Label> beginnings_of(std::uint32_t line) const;

 private:
  LineOrigins origins_;
  std::vector<std::uint32_t> lines_;
  std::vector<bool> beginnings_;
  std::uint32_t behind_ = 1;
};

}  // namespace lockstep
