#include "semantics/musimd/check.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "semantics/musimd/blocks.hpp"
#include "semantics/musimd/cfg.hpp"
#include "semantics/musimd/divergence.hpp"
#include "semantics/musimd/stack_typing.hpp"

namespace lockstep::musimd {

namespace {

constexpr std::size_t max_path_notes = 10;
constexpr std::size_t max_entry_notes = 4;
constexpr std::string_view not_decided = "not decided: ";

template <typename T>
bool is(const Program& program, Label pc) {
  return std::holds_alternative<T>(program.code[pc].instruction);
}

Diagnostic note(const Program& program, Label pc, std::string message) {
  return {Severity::Note, program.code[pc].span, std::move(message), {}};
}

// What a step of a path does, if a reader needs to know: not of instructions that just go on.
std::string_view step_text(const Program& program, Label from, Label to) {
  const bool falls = to == from + 1;
  if (is<BranchZero>(program, from)) {
    return falls ? "this branch falls through" : "this branch is taken";
  }
  if (is<JumpMask>(program, from)) {
    return falls ? "this jmp_mask falls through" : "this jmp_mask is taken";
  }
  if (is<Sync>(program, from)) {
    return "this sync takes the top entry off";
  }
  if (is<Everywhere>(program, from)) {
    return falls ? "this everywhere begins its block" : "this everywhere block runs to its end";
  }
  if (is<EndEverywhere>(program, from)) {
    return "this end_everywhere ends its block";
  }
  return {};
}

// Appends the steps of a path that matter as notes, the last ones if there are many. `name` is "path", "first path" ….
void add_path(const Program& program, Diagnostic& error, const std::string& name, const std::vector<Label>& path) {
  std::vector<Diagnostic> steps;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const std::string_view text = step_text(program, path[i], path[i + 1]);
    if (text.empty()) {
      continue;
    }
    steps.push_back(note(program, path[i], name + ", step " + std::to_string(steps.size() + 1) + ": " + std::string(text)));
  }
  if (steps.empty()) {
    steps.push_back(note(program, path.front(), name + ": straight on from here"));
  }
  const std::size_t left_out = steps.size() > max_path_notes ? steps.size() - max_path_notes : 0;
  if (left_out > 0) {
    steps[left_out].message += " (" + std::to_string(left_out) + " earlier steps left out)";
  }
  std::move(steps.begin() + static_cast<std::ptrdiff_t>(left_out), steps.end(), std::back_inserter(error.notes));
}

class Checker {
 public:
  explicit Checker(const Program& program) : program_(program), blocks_(find_blocks(program)) {}

  Diagnostics run() {
    if (program_.code.empty()) {
      return {{Severity::Error, {}, "condition 4: the program has no instruction, so that control runs off its end at once", {}}};
    }
    check_pairs();
    check_places();
    if (blocks_.sound(program_)) {
      check_stacks();
    }
    std::stable_sort(errors_.begin(), errors_.end(), [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
    warn_unreachable();
    return std::move(errors_);
  }

 private:
  bool full() const { return errors_.size() >= max_findings; }

  // A new error at `pc`; call only while not full.
  Diagnostic& error(Label pc, std::string message) {
    return errors_.emplace_back(Diagnostic{Severity::Error, program_.code[pc].span, std::move(message), {}});
  }

  // Condition 1.

  void check_pairs() {
    for (const Label end : blocks_.unopened) {
      if (full()) {
        return;
      }
      add_path(program_, error(end, "condition 1: no everywhere block is open at this end_everywhere"), "path", path_to(blocks_, end));
    }
    std::vector<bool> told(program_.code.size(), false);
    for (const Edge& conflict : blocks_.conflicts) {
      if (full()) {
        return;
      }
      if (!told[conflict.to]) {
        report_conflict(conflict);
      }
      told[conflict.to] = true;
    }
    if (blocks_.conflicts.empty()) {
      check_ends();
    }
  }

  Label block_behind(Label pc) const {
    if (is<Everywhere>(program_, pc)) {
      return pc;
    }
    const Label block = blocks_.innermost[pc];
    return is<EndEverywhere>(program_, pc) && block != no_label ? blocks_.innermost[block] : block;
  }

  std::size_t open_blocks(Label block) const {
    std::size_t count = 0;
    for (; block != no_label; block = blocks_.innermost[block]) {
      ++count;
    }
    return count;
  }

  // Points at the jump of the two ways to conflict.to, where one of them is a jump.
  void report_conflict(const Edge& conflict) {
    Label at = conflict.from;
    Label other = blocks_.came_from[conflict.to];
    if (at + 1 == conflict.to && !is<Jump>(program_, at) && other != no_label) {
      std::swap(at, other);
    }
    const std::size_t here = open_blocks(block_behind(at));
    const std::size_t there = other == no_label ? 0 : open_blocks(block_behind(other));
    std::string text = "condition 1: this leads ";
    if (here < there) {
      text += "into an everywhere block past its everywhere";
    } else if (here > there) {
      text += "out of an everywhere block past its end_everywhere";
    } else {
      text += "from one everywhere block into another";
    }
    Diagnostic& report = error(at, text);
    report.notes.push_back(note(program_, conflict.to, "two paths with different blocks open meet here"));
    add_path(program_, report, "first path", path_to(blocks_, conflict.to));
    std::vector<Label> second = path_to(blocks_, conflict.from);
    second.push_back(conflict.to);
    add_path(program_, report, "second path", second);
  }

  void check_ends() {
    std::vector<Label> paired;
    for (Label pc = 0; pc < end_of(program_) && !full(); ++pc) {
      if (!blocks_.reachable[pc] || !is<Everywhere>(program_, pc)) {
        continue;
      }
      const std::vector<Label>& ends = blocks_.ends[pc];
      if (ends.size() == 1) {
        paired.push_back(pc);
      } else if (ends.empty()) {
        Diagnostic& report = error(pc, "condition 1: this everywhere has no end_everywhere: no path from it reaches one in its block");
        add_path(program_, report, "path", path_to(blocks_, pc));
      } else {
        report_two_ends(pc);
      }
    }
    if (paired.empty()) {
      return;
    }
    const ControlEquivalence control(program_);
    for (const Label everywhere : paired) {
      if (full()) {
        return;
      }
      if (!control.equivalent(everywhere, blocks_.ends[everywhere].front())) {
        report_escape(everywhere);
      }
    }
  }

  void report_two_ends(Label everywhere) {
    const std::vector<Label>& ends = blocks_.ends[everywhere];
    Diagnostic& report = error(ends[1],
                               "condition 1: the everywhere block that ends here has another end_everywhere, so that neither "
                               "is control equivalent to its everywhere");
    report.notes.push_back(note(program_, everywhere, "the block begins here"));
    report.notes.push_back(note(program_, ends[0], "the other end_everywhere"));
    add_path(program_, report, "first path", path_to(blocks_, ends[0]));
    add_path(program_, report, "second path", path_to(blocks_, ends[1]));
  }

  // Blocks are sound, so the only way past the end_everywhere is one that ends inside the block.
  void report_escape(Label everywhere) {
    const Label end = blocks_.ends[everywhere].front();
    Diagnostic& report = error(everywhere,
                               "condition 1: this everywhere and its end_everywhere are not control equivalent: the program can end "
                               "inside the block");
    report.notes.push_back(note(program_, end, "the end_everywhere"));
    std::vector<Label> from(program_.code.size() + 1, no_label);
    std::vector<Label> queue{everywhere};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const Label pc = queue[next];
      if (pc == end_of(program_) || is<Stop>(program_, pc)) {
        std::vector<Label> path{pc};
        while (path.back() != everywhere) {
          path.push_back(from[path.back()]);
        }
        std::reverse(path.begin(), path.end());
        return add_path(program_, report, "path", path);
      }
      for (const Label to : successors(program_, pc)) {
        if (to == end || to == everywhere || from[to] != no_label) {
          continue;
        }
        from[to] = pc;
        queue.push_back(to);
      }
    }
  }

  // Condition 4, as far as it does not need the stacks.

  void check_places() {
    for (Label pc = 0; pc < end_of(program_) && !full(); ++pc) {
      if (!blocks_.reachable[pc]) {
        continue;
      }
      const Label block = blocks_.innermost[pc];
      if (is<Stop>(program_, pc) && block != no_label) {
        Diagnostic& report = error(pc, "condition 4: this stop stands inside an everywhere block");
        report.notes.push_back(note(program_, block, "the block begins here"));
        add_path(program_, report, "path", path_to(blocks_, pc));
      } else if (is<JumpMask>(program_, pc) && block == no_label) {
        Diagnostic& report = error(pc, "condition 4: this jmp_mask stands outside of all everywhere blocks, where there is no mask");
        add_path(program_, report, "path", path_to(blocks_, pc));
      }
      const Successors next = successors(program_, pc);
      if (full() || std::find(next.begin(), next.end(), end_of(program_)) == next.end()) {
        continue;
      }
      add_path(program_, error(pc, "condition 4: control runs off the end of the program here"), "path", path_to(blocks_, pc));
    }
  }

  // Conditions 2, 3 and the rest of 4.

  void check_stacks() {
    const StackTyping typing = type_stacks(program_, blocks_);
    for (const std::uint32_t index : typing.empty_syncs) {
      if (full()) {
        return;
      }
      add_path(program_, error(typing.reached[index].pc, "condition 2: this sync meets the empty sync stack"), "path",
               labels(typing, index));
    }
    for (const std::uint32_t index : typing.growing) {
      if (full()) {
        return;
      }
      report_growth(typing, index);
    }
    if (!typing.complete && !full()) {
      error(std::min(typing.reached.back().pc, end_of(program_) - 1), std::string(not_decided) + "condition 2 asks about more than " +
                                                                          std::to_string(StackTyping::max_configurations(program_)) +
                                                                          " pairs of an instruction and an abstract sync stack");
    }
    check_stops(typing);
    if (typing.typed()) {
      check_block_ends(typing);
    }
  }

  static std::vector<Label> labels(const StackTyping& typing, std::uint32_t index) {
    std::vector<Label> path;
    for (const std::uint32_t step : path_to(typing, index)) {
      path.push_back(typing.reached[step].pc);
    }
    return path;
  }

  void report_growth(const StackTyping& typing, std::uint32_t index) {
    const Configuration at = typing.reached[index];
    Diagnostic& report = error(at.pc, "condition 2: the sync stack grows whenever control comes round to this branch");
    StackId stack = at.stack;
    for (std::size_t told = 0; typing.stacks.top(stack) != at.pc; stack = typing.stacks.pop(stack), ++told) {
      if (told == max_entry_notes) {
        break;
      }
      report.notes.push_back(note(program_, typing.stacks.top(stack), "this branch's entry is then above the one of the round before"));
    }
    std::vector<Label> path = labels(typing, index);
    const auto before = std::find(path.rbegin() + 1, path.rend(), at.pc);
    path.erase(path.begin(), before.base() - 1);
    add_path(program_, report, "round", path);
  }

  void check_stops(const StackTyping& typing) {
    std::vector<bool> told(program_.code.size(), false);
    for (std::uint32_t index = 0; index < typing.reached.size() && !full(); ++index) {
      const Configuration& at = typing.reached[index];
      if (at.pc == end_of(program_) || !is<Stop>(program_, at.pc) || typing.stacks.depth(at.stack) == 0 || told[at.pc]) {
        continue;
      }
      told[at.pc] = true;
      Diagnostic& report = error(at.pc, "condition 4: this stop meets a sync stack that is not empty");
      StackId stack = at.stack;
      for (std::size_t i = 0; i < max_entry_notes && typing.stacks.depth(stack) > 0; ++i, stack = typing.stacks.pop(stack)) {
        report.notes.push_back(note(program_, typing.stacks.top(stack), "no sync takes the entry of this branch off"));
      }
      add_path(program_, report, "path", labels(typing, index));
    }
  }

  void check_block_ends(const StackTyping& typing) {
    const auto meets_entries = [&](const Configuration& at) {
      return at.pc != end_of(program_) && is<EndEverywhere>(program_, at.pc) && typing.stacks.depth(at.stack) > 0;
    };
    if (std::none_of(typing.reached.begin(), typing.reached.end(), meets_entries)) {
      return;
    }
    const Divergence divergence = analyse_divergence(program_, blocks_, typing);
    // Per stack: its highest entry of a branch that may split, or no_label. What lies below a stack has a smaller id.
    std::vector<Label> splitting(typing.stacks.size(), no_label);
    for (StackId stack = 0; stack < splitting.size(); ++stack) {
      if (typing.stacks.depth(stack) == 0) {
        continue;
      }
      const Label top = typing.stacks.top(stack);
      splitting[stack] = divergence.branches[top].may_split ? top : splitting[typing.stacks.pop(stack)];
    }
    std::vector<bool> told(program_.code.size(), false);
    for (std::uint32_t index = 0; index < typing.reached.size() && !full(); ++index) {
      const Configuration& at = typing.reached[index];
      const Label branch = splitting[at.stack];
      if (branch == no_label || !meets_entries(at) || told[at.pc]) {
        continue;
      }
      told[at.pc] = true;
      Diagnostic& report = error(at.pc, "condition 3: threads may still wait for a sync at this end_everywhere");
      report.notes.push_back(note(program_, branch, "no sync takes the entry of this branch off, and " + reason(divergence, branch)));
      add_path(program_, report, "path", labels(typing, index));
    }
  }

  std::string reason(const Divergence& divergence, Label branch) const {
    if (!divergence.analysed) {
      return "the program is too large to show that all threads agree on its condition";
    }
    const auto variable = divergence.branches[branch].variable;
    if (!variable) {
      return "its condition asks for tid";
    }
    return shortened(program_.variables[*variable]) + " in its condition may differ between the threads";
  }

  void warn_unreachable() {
    std::size_t told = 0;
    for (Label pc = 0; pc < end_of(program_) && told < max_findings; ++pc) {
      if (blocks_.reachable[pc] || (pc > 0 && !blocks_.reachable[pc - 1])) {
        continue;
      }
      errors_.push_back({Severity::Warning, program_.code[pc].span, "no path leads to this instruction", {}});
      ++told;
    }
  }

  const Program& program_;
  Blocks blocks_;
  Diagnostics errors_;
};

}  // namespace

Diagnostics check(const Program& program) { return Checker(program).run(); }

bool well_formed(const Diagnostics& findings) {
  return std::none_of(findings.begin(), findings.end(), [](const Diagnostic& finding) { return finding.severity == Severity::Error; });
}

bool undecided(const Diagnostics& findings) {
  const auto is_error = [](const Diagnostic& finding) { return finding.severity == Severity::Error; };
  const auto decides = [&](const Diagnostic& finding) { return is_error(finding) && !finding.message.starts_with(not_decided); };
  return std::any_of(findings.begin(), findings.end(), is_error) && std::none_of(findings.begin(), findings.end(), decides);
}

}  // namespace lockstep::musimd
