#include "semantics/musimd/stack_typing.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "semantics/musimd/cfg.hpp"

namespace lockstep::musimd {

namespace {

constexpr StackId no_stack = 0xffffffffU;

// The reachable configurations are those of a pushdown system without input: (pc, S) steps to
//   bz b        (both successors, S) if b is on top of S, else (both successors, S·b)            BT, BF, BD
//   sync        (pc + 1, S') for S = S'·b; rule SS goes to (target of b, S), which bz b gave     SI.sync, SS
//   everywhere  (pc + 1, []) in the block, and (end + 1, S) as soon as the end is reached        EB, EE
//   others      (each successor, S)
// How a set that keeps growing is recognised: the set of reachable configurations is infinite exactly if in some reachable (b, S)
// the branch b is in S, but not on top of it.
//   If it never happens, every reachable stack has each branch at most once, and there are finitely many of these.
//   If it happens in (b, S1·b·S2), S2 not empty and without b on top, look at the run that ends there from the push of that lower b
//   on: it starts in (s, S1·b), where s is either successor of b, and never takes that b off. So it never looks at S1, and the same
//   steps lead from (s, R·b) to (b, R·b·S2) for every R. From (b, S1·b·S2) the branch b pushes again and can continue in s; hence
//   with R = S1·b·S2 the run repeats, and again with the longer stack, for ever.
// So the search stops at the first such configuration of each branch, rejects no program that has a finite typing, and ends.
class Typing {
 public:
  Typing(const Program& program, const Blocks& blocks)
      : program_(program),
        blocks_(blocks),
        most_(StackTyping::max_configurations(program)),
        root_(program.code.size(), no_stack),
        outer_(program.code.size()),
        ended_(program.code.size(), false),
        faulty_(program.code.size(), false) {}

  StackTyping run() {
    reach(0, result_.stacks.empty_stack(no_label), 0);
    for (std::uint32_t next = 0; next < result_.reached.size() && result_.complete; ++next) {
      if (result_.reached[next].pc < end_of(program_)) {
        step(next);
      }
    }
    return std::move(result_);
  }

 private:
  void reach(Label pc, StackId stack, std::uint32_t from) {
    if (!seen_.insert(std::uint64_t{pc} << 32U | stack).second) {
      return;
    }
    if (result_.reached.size() == most_) {
      result_.complete = false;
      return;
    }
    result_.reached.push_back({pc, stack, from});
  }

  void step(std::uint32_t index) {
    const Configuration at = result_.reached[index];
    const Instruction& instruction = program_.code[at.pc].instruction;
    StackId stack = at.stack;
    if (std::holds_alternative<Everywhere>(instruction)) {
      return enter(index);
    }
    if (std::holds_alternative<EndEverywhere>(instruction)) {
      return leave(at.pc);
    }
    if (std::holds_alternative<BranchZero>(instruction)) {
      if (result_.stacks.depth(stack) == 0 || result_.stacks.top(stack) != at.pc) {
        if (result_.stacks.contains(stack, at.pc)) {
          return fault(result_.growing, index);
        }
        stack = result_.stacks.push(stack, at.pc);
      }
    } else if (std::holds_alternative<Sync>(instruction)) {
      if (result_.stacks.depth(stack) == 0) {
        return fault(result_.empty_syncs, index);
      }
      stack = result_.stacks.pop(stack);
    }
    for (const Label to : successors(program_, at.pc)) {
      reach(to, stack, index);
    }
  }

  void enter(std::uint32_t index) {
    const Configuration at = result_.reached[index];
    if (root_[at.pc] == no_stack) {
      root_[at.pc] = result_.stacks.empty_stack(at.pc);
    }
    outer_[at.pc].push_back(index);
    reach(at.pc + 1, root_[at.pc], index);
    if (ended_[at.pc]) {
      reach(blocks_.ends[at.pc].front() + 1, at.stack, index);
    }
  }

  void leave(Label end) {
    const Label everywhere = blocks_.innermost[end];
    if (ended_[everywhere]) {
      return;
    }
    ended_[everywhere] = true;
    for (const std::uint32_t outer : outer_[everywhere]) {
      reach(end + 1, result_.reached[outer].stack, outer);
    }
  }

  void fault(std::vector<std::uint32_t>& list, std::uint32_t index) {
    const Label pc = result_.reached[index].pc;
    if (!faulty_[pc]) {
      list.push_back(index);
    }
    faulty_[pc] = true;
  }

  const Program& program_;
  const Blocks& blocks_;
  const std::size_t most_;
  std::vector<StackId> root_;                      // per everywhere: the empty stack of its block
  std::vector<std::vector<std::uint32_t>> outer_;  // per everywhere: the configurations in which it was met
  std::vector<bool> ended_;                        // per everywhere: its end was reached
  std::vector<bool> faulty_;                       // per pc: a fault was noted already
  std::unordered_set<std::uint64_t> seen_;
  StackTyping result_;
};

}  // namespace

StackId StackForest::empty_stack(Label everywhere) {
  const auto id = static_cast<StackId>(nodes_.size());
  nodes_.push_back({everywhere, id, id, 0, no_stack});
  return id;
}

// The jumps are those of Myers' applicative random-access stack: two equal jumps in a row are joined to one of twice the length.
StackId StackForest::push(StackId stack, Label branch) {
  const auto id = static_cast<StackId>(nodes_.size());
  const auto [known, added] = pushed_.emplace(std::uint64_t{stack} << 32U | branch, id);
  if (!added) {
    return known->second;
  }
  if (branch >= last_with_.size()) {
    last_with_.resize(std::size_t{branch} + 1, no_stack);
    count_with_.resize(std::size_t{branch} + 1, 0);
  }
  const StackId jump = nodes_[stack].jump;
  const std::uint32_t near = nodes_[stack].depth - nodes_[jump].depth;
  const std::uint32_t far = nodes_[jump].depth - nodes_[nodes_[jump].jump].depth;
  nodes_.push_back({branch, stack, near == far && near != 0 ? nodes_[jump].jump : stack, nodes_[stack].depth + 1, last_with_[branch]});
  last_with_[branch] = id;
  ++count_with_[branch];
  return id;
}

StackId StackForest::at_depth(StackId stack, std::uint32_t depth) const {
  while (nodes_[stack].depth > depth) {
    const StackId jump = nodes_[stack].jump;
    stack = nodes_[jump].depth >= depth ? jump : nodes_[stack].below;
  }
  return stack;
}

bool StackForest::contains(StackId stack, Label branch) const {
  if (branch >= last_with_.size()) {
    return false;
  }
  if (count_with_[branch] <= nodes_[stack].depth) {
    for (StackId other = last_with_[branch]; other != no_stack; other = nodes_[other].same_label) {
      if (nodes_[other].depth <= nodes_[stack].depth && at_depth(stack, nodes_[other].depth) == other) {
        return true;
      }
    }
    return false;
  }
  for (; nodes_[stack].depth > 0; stack = nodes_[stack].below) {
    if (nodes_[stack].label == branch) {
      return true;
    }
  }
  return false;
}

std::vector<Label> StackForest::entries(StackId stack) const {
  std::vector<Label> result(nodes_[stack].depth);
  for (auto entry = result.rbegin(); entry != result.rend(); ++entry, stack = nodes_[stack].below) {
    *entry = nodes_[stack].label;
  }
  return result;
}

std::size_t StackTyping::max_configurations(const Program& program) {
  constexpr std::size_t at_least = std::size_t{1} << 20;
  constexpr std::size_t indices = 0xffffffffU;
  return std::min(std::max(at_least, 4 * program.code.size()), indices);
}

StackTyping type_stacks(const Program& program, const Blocks& blocks) { return Typing(program, blocks).run(); }

std::vector<std::uint32_t> path_to(const StackTyping& typing, std::uint32_t configuration) {
  std::vector<std::uint32_t> path{configuration};
  while (typing.reached[path.back()].from != path.back()) {
    path.push_back(typing.reached[path.back()].from);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace lockstep::musimd
