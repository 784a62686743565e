#include "interpreter/debug/kernel/lines.hpp"

#include <algorithm>
#include <set>

namespace lockstep {

namespace {

/// Whether the instruction does nothing but lead to another place.
bool leads_on(const typed::Instruction& i) {
  return std::holds_alternative<typed::Jump>(i) || std::holds_alternative<typed::JumpMask>(i) || std::holds_alternative<typed::Sync>(i) ||
         std::holds_alternative<typed::EndEverywhere>(i);
}

std::optional<typed::Label> target_of(const typed::Instruction& i) {
  if (const auto* jump = std::get_if<typed::Jump>(&i)) {
    return jump->target;
  }
  const auto* branch = std::get_if<typed::BranchZero>(&i);
  return branch != nullptr ? std::optional(branch->target) : std::nullopt;
}

}  // namespace

KernelLines::KernelLines(const typed::Program& program)
    : origins_(*program.source), beginnings_(program.code.size()), behind_(program.source->line_count() + 1) {
  std::set<std::uint32_t> with_others;  // lines that have more than instructions that lead on
  for (const typed::Statement& statement : program.code) {
    lines_.push_back(program.source->place(statement.span.begin).line);
    if (!leads_on(statement.instruction)) {
      with_others.insert(lines_.back());
    }
  }
  for (const typed::Function& function : program.functions) {
    const auto may_begin = [&](typed::Label pc) {
      const typed::Statement& statement = program.code[pc];
      return statement.span.begin != function.span.begin && !(leads_on(statement.instruction) && with_others.contains(lines_[pc]));
    };
    for (typed::Label pc = function.begin; pc < function.end; ++pc) {
      if (may_begin(pc) && (pc == function.begin || lines_[pc - 1] != lines_[pc])) {
        beginnings_[pc] = true;
      }
      const auto target = target_of(program.code[pc].instruction);
      const auto on_line = [&](std::uint32_t line) { return line == lines_[pc]; };
      if (target && *target <= pc && may_begin(*target) && std::all_of(lines_.begin() + *target, lines_.begin() + pc, on_line)) {
        beginnings_[*target] = true;
      }
    }
  }
}

std::optional<std::uint32_t> KernelLines::line_with_code(std::uint64_t line) const {
  std::optional<std::uint32_t> best;
  for (typed::Label pc = 0; pc < lines_.size(); ++pc) {
    if (beginnings_[pc] && lines_[pc] >= line && (!best || lines_[pc] < *best)) {
      best = lines_[pc];
    }
  }
  return best;
}

std::vector<typed::Label> KernelLines::beginnings_of(std::uint32_t line) const {
  std::vector<typed::Label> result;
  for (typed::Label pc = 0; pc < lines_.size(); ++pc) {
    if (beginnings_[pc] && lines_[pc] == line) {
      result.push_back(pc);
    }
  }
  return result;
}

}  // namespace lockstep
