#include "semantics/musimd/resolve.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "semantics/base/nearest.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/musimd/mistakes.hpp"

namespace lockstep::musimd {
namespace {

class Errors {
 public:
  explicit Errors(Diagnostics& errors) : errors_(errors), limit_(errors.size() + max_errors + 1) {}

  /// More than can be shown need not be collected.
  bool full() const { return errors_.size() >= limit_; }

  void add(SourceSpan span, std::string message, Diagnostics notes = {}) {
    errors_.push_back({Severity::Error, span, std::move(message), std::move(notes)});
  }

 private:
  Diagnostics& errors_;
  std::size_t limit_;
};

using LabelMap = std::unordered_map<std::string_view, std::uint32_t>;

LabelMap index_labels(const Program& program, Errors& errors) {
  LabelMap index;
  for (std::size_t i = 0; i < program.labels.size() && !errors.full(); ++i) {
    const LabelDefinition& label = program.labels[i];
    const auto [entry, added] = index.try_emplace(label.name, static_cast<std::uint32_t>(i));
    if (!added) {
      errors.add(label.span, "the label '" + shortened(label.name) + "' stands twice", first_one(program.labels[entry->second].span));
    }
  }
  return index;
}

Target& target_of(Instruction& instruction) {
  if (auto* branch = std::get_if<BranchZero>(&instruction)) {
    return branch->target;
  }
  if (auto* jump = std::get_if<Jump>(&instruction)) {
    return jump->target;
  }
  return std::get<JumpMask>(instruction).target;
}

std::string undefined_label(const Program& program, std::string_view name) {
  return "the label '" + shortened(name) + "' is not defined" + suggestion(name, program.labels, &LabelDefinition::name);
}

void resolve_targets(Program& program, const std::vector<UnresolvedTarget>& targets, bool complete, Errors& errors) {
  const LabelMap labels = index_labels(program, errors);
  for (const UnresolvedTarget& unresolved : targets) {
    if (errors.full()) {
      return;
    }
    Target& target = target_of(program.code[unresolved.instruction].instruction);
    const auto found = labels.find(unresolved.label);
    if (found != labels.end()) {
      target.label = found->second;
      target.pc = program.labels[found->second].pc;
    } else if (complete && !unresolved.label.empty()) {
      errors.add(target.span, undefined_label(program, unresolved.label));
    } else if (complete && target.pc >= program.code.size()) {
      errors.add(target.span, "jump out of range: the instructions have the numbers 0 to " + std::to_string(program.code.size() - 1));
    }
  }
}

void check_shared(const Program& program, Errors& errors) {
  std::vector<std::size_t> order(program.shared.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(program.shared[i].base, i); });
  const auto last_cell = [&](std::size_t i) {
    return program.shared[i].base + static_cast<std::int64_t>(program.shared[i].values.size() - 1);
  };
  for (std::size_t k = 1, reaching = 0; k < order.size() && !errors.full(); ++k) {
    const std::size_t farthest = order[reaching];  // of the ranges before order[k], the one that ends last
    const std::size_t current = order[k];
    if (program.shared[current].base <= last_cell(farthest)) {
      const auto [first, second] = std::minmax(farthest, current);
      errors.add(program.shared[second].span, "the shared cell " + std::to_string(program.shared[current].base) + " gets a value twice",
                 first_one(program.shared[first].span));
    }
    reaching = last_cell(current) > last_cell(farthest) ? k : reaching;
  }
}

}  // namespace

void resolve(Program& program, const std::vector<UnresolvedTarget>& targets, bool complete, Diagnostics& all) {
  Errors errors(all);
  resolve_targets(program, targets, complete, errors);
  Errors shared_errors(all);
  check_shared(program, shared_errors);
}

}  // namespace lockstep::musimd
