#include "semantics/typed/layout_liveness.hpp"

#include <algorithm>
#include <variant>

#include "semantics/musimd/blocks.hpp"
#include "semantics/musimd/cfg.hpp"
#include "semantics/musimd/stack_typing.hpp"
#include "semantics/typed/skeleton.hpp"
#include "semantics/typed/visit.hpp"

namespace lockstep::typed {
namespace {

using Word = std::uint64_t;
constexpr std::size_t none = ~std::size_t{0};

bool get(const std::vector<Word>& row, std::size_t i) { return (row[i / 64] >> (i % 64) & 1U) != 0; }
void set(std::vector<Word>& row, std::size_t i) { row[i / 64] |= Word{1} << (i % 64); }

/// row := row ∪ other; true if it grew.
bool merge(std::vector<Word>& row, const std::vector<Word>& other) {
  bool grown = false;
  for (std::size_t w = 0; w < row.size(); ++w) {
    grown |= (other[w] & ~row[w]) != 0;
    row[w] |= other[w];
  }
  return grown;
}

/// The steps of control, and from each `sync` to where the threads that wait for it resume: while one arm runs, what the other arm
/// needs is held by the threads that wait. Empty if the function is not well-formed.
std::vector<std::vector<Label>> steps_of(const musimd::Program& skeleton, const musimd::Blocks& blocks) {
  if (!blocks.sound(skeleton)) {
    return {};
  }
  const musimd::StackTyping typing = musimd::type_stacks(skeleton, blocks);
  if (!typing.typed()) {
    return {};
  }
  std::vector<std::vector<Label>> steps(skeleton.code.size());
  for (Label pc = 0; pc < skeleton.code.size(); ++pc) {
    for (const Label next : musimd::successors(skeleton, pc)) {
      if (next < skeleton.code.size()) {
        steps[pc].push_back(next);
      }
    }
  }
  for (const musimd::Configuration& at : typing.reached) {
    if (at.pc < skeleton.code.size() && std::holds_alternative<musimd::Sync>(skeleton.code[at.pc].instruction)) {
      const auto& branch = std::get<musimd::BranchZero>(skeleton.code[typing.stacks.top(at.stack)].instruction);
      steps[at.pc].push_back(branch.target.pc);
    }
  }
  for (std::vector<Label>& next : steps) {
    std::ranges::sort(next);
    next.erase(std::ranges::unique(next).begin(), next.end());
  }
  return steps;
}

}  // namespace

Liveness::Liveness(const Program& program, const Function& function, std::vector<RegisterId> registers)
    : registers_(std::move(registers)),
      index_(function.registers.size(), none),
      parameters_(function.parameter_count),
      words_((registers_.size() + 63) / 64) {
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    index_[registers_[i]] = i;
  }
  const std::size_t instructions = function.end - function.begin;
  if (registers_.size() <= max_bits / (instructions + registers_.size() + 1) &&
      registers_.size() * words_ <= max_work / (instructions + 1)) {
    analyse(program, function);
  }
}

void Liveness::analyse(const Program& program, const Function& function) {
  const musimd::Program control = skeleton(program, function);
  const musimd::Blocks blocks = musimd::find_blocks(control);
  const std::vector<std::vector<Label>> steps = steps_of(control, blocks);
  if (steps.empty()) {
    return;
  }
  const auto everywheres = static_cast<std::size_t>(
      std::ranges::count_if(control.code, [](const auto& s) { return std::holds_alternative<musimd::Everywhere>(s.instruction); }));
  if (everywheres * steps.size() > max_work / words_or_one()) {
    return;
  }
  find_effects(program, function);
  known_ = flow(steps, static_cast<Label>(steps.size()));
  hold(function, blocks.innermost, blocks.reachable);
}

void Liveness::find_effects(const Program& program, const Function& function) {
  const std::size_t size = function.end - function.begin;
  everywhere_.assign(words_, 0);
  used_.assign(size, Row(words_, 0));
  written_ = killed_ = forgotten_ = used_;
  for (Label pc = 0; pc < size; ++pc) {
    const Instruction& instruction = program.code[function.begin + pc].instruction;
    const auto use = [&](RegisterId id) {
      if (index_[id] != none) {
        set(used_[pc], index_[id]);
      }
    };
    for_each_expression(instruction, [&](const Expr& expression) {
      for (const ExprNode& node : expression.nodes) {
        const std::optional<RegisterId> id = register_of(node);
        if (id && std::holds_alternative<RegisterAddress>(node.node) && index_[*id] != none) {
          set(everywhere_, index_[*id]);
        } else if (id) {
          use(*id);
        }
      }
    });
    if (const auto* shuffle = std::get_if<Shuffle>(&instruction)) {
      use(shuffle->source);
    }
    const std::optional<Written> written = written_by(instruction);
    if (!written || index_[written->id] == none) {
      continue;
    }
    set(written_[pc], index_[written->id]);
    if (written->whole) {
      set(killed_[pc], index_[written->id]);
    }
    if (std::holds_alternative<Forget>(instruction)) {
      set(forgotten_[pc], index_[written->id]);
    }
  }
}

/// Backwards: what is needed; forwards: what may have been written.
bool Liveness::flow(const std::vector<std::vector<Label>>& successors, Label size) {
  live_.assign(size, Row(words_, 0));
  live_out_ = defined_ = defined_out_ = live_;
  for (std::size_t i = 0; i < registers_.size() && size != 0; ++i) {
    if (registers_[i] < parameters_) {
      set(defined_[0], i);
    }
  }
  std::size_t rounds = max_work / (words_or_one() * (size + 1U));
  for (bool changed = true; changed;) {
    if (rounds-- == 0) {
      return false;
    }
    changed = false;
    for (Label pc = size; pc-- > 0;) {
      for (const Label next : successors[pc]) {
        changed |= merge(live_out_[pc], live_[next]);
      }
      for (std::size_t w = 0; w < words_; ++w) {
        live_[pc][w] = used_[pc][w] | (live_out_[pc][w] & ~killed_[pc][w]);
      }
    }
    for (Label pc = 0; pc < size; ++pc) {
      for (std::size_t w = 0; w < words_; ++w) {
        defined_out_[pc][w] = (defined_[pc][w] | written_[pc][w]) & ~forgotten_[pc][w];
      }
      for (const Label next : successors[pc]) {
        changed |= merge(defined_[next], defined_out_[pc]);
      }
    }
  }
  return true;
}

/// What is held outside of an everywhere block, by threads that the block wakes.
Liveness::Row Liveness::outside_of(Label block, const std::vector<Label>& innermost) const {
  Row outside = everywhere_;
  for (Label pc = 0; pc < held_.size(); ++pc) {
    Label around = innermost[pc];
    while (around != musimd::no_label && around != block) {
      around = innermost[around];
    }
    if (around == musimd::no_label) {
      merge(outside, held_[pc]);
    }
  }
  return outside;
}

void Liveness::conflict(const Row& row) {
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    if (get(row, i)) {
      merge(overlaps_[i], row);
    }
  }
}

void Liveness::hold(const Function& function, const std::vector<Label>& innermost, const std::vector<bool>& reachable) {
  const auto size = static_cast<Label>(function.end - function.begin);
  held_.assign(size, everywhere_);
  for (Label pc = 0; pc < size; ++pc) {
    for (std::size_t w = 0; w < words_ && reachable[pc]; ++w) {
      held_[pc][w] |= (live_[pc][w] & defined_[pc][w]) | (live_out_[pc][w] & defined_out_[pc][w]) | written_[pc][w];
    }
  }
  for (std::size_t i = 0; i < registers_.size() && registers_[i] < parameters_ && size != 0; ++i) {
    set(held_[0], i);  // all parameters arrive together
  }
  overlaps_.assign(registers_.size(), Row(words_, 0));
  std::vector<Row> inside = held_;
  Label last_block = musimd::no_label;
  Row outside;
  for (Label pc = 0; pc < size; ++pc) {
    const Label block = innermost[pc];
    if (block != musimd::no_label) {
      if (block != last_block) {
        outside = outside_of(block, innermost);
        last_block = block;
      }
      merge(inside[pc], outside);
    }
    Row together = inside[pc];
    merge(together, used_[pc]);
    conflict(together);
  }
  held_ = std::move(inside);
}

bool Liveness::overlap(std::size_t a, std::size_t b) const { return !known_ || get(overlaps_[a], b); }

std::vector<std::pair<Label, Label>> Liveness::ranges(std::size_t i) const {
  std::vector<std::pair<Label, Label>> found;
  for (Label pc = 0; pc < held_.size(); ++pc) {
    if (!get(held_[pc], i)) {
      continue;
    }
    if (!found.empty() && found.back().second + 1 == pc) {
      found.back().second = pc;
    } else {
      found.emplace_back(pc, pc);
    }
  }
  return found;
}

}  // namespace lockstep::typed
