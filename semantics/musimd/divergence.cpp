#include "semantics/musimd/divergence.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

#include "semantics/musimd/cfg.hpp"

// What is computed. For each pc a set D of variables; a variable outside D has the same value in all threads of Θ whenever control
// arrives, where uninitialised and poison values agree with anything (to decide a branch or an address on them is undefined
// behaviour). A branch whose condition has no `tid` and no variable of D is uniform. The sets are the least ones that satisfy
//   start          D = all variables: nothing is known of the initial β
//   v = e          v is in D behind it if e has `tid` or a variable of D; the same with a load's address (one address, one cell) and
//                  a shuffle's lane (one lane, one value); for `e` of any operation agreeing operands give agreeing results
//   bz b           D to both successors; if b may split, D and written(b) to its target
//   sync           D and written(b) for each branch b that may split and can be on top of Π
//   everywhere e   D = all variables at the start of the block: Θall has threads of which nothing is known
//   end of e       v is in D behind it if v is in D at the end, and also either in D at e or in written(e)
// where written(b) are the variables assigned while b has an entry on Π, in blocks inside too, and written(e) those assigned in the block.
//
// Why it holds. Let M be the union of Θ and the done and todo sets from an entry of b upwards; while the entry exists, M does not
// change (reconvergence), and in the beginning it is the Θ in which b was met. So what agreed in Θ at b and is not in written(b)
// agrees in M throughout. Threads that resume at b's target (rule SS) are in M, and may have been deferred in different rounds of a
// loop or changed by an everywhere block meanwhile: hence written(b) at the target. Behind the sync Θ is M, of threads that took
// different paths or left a loop in different rounds: hence written(b) there (temporal divergence is a case of it); a variable that
// is not in written(b) and not in D at the sync was not in D at b, because on the way from b to the sync nothing can remove it from D
// but an assignment. A branch that is uniform leaves done and todo empty, and nothing resumes or merges. At the end of a block that
// lets rule EE run, all entries are converged and so Θ = Θall; the threads that were active outside see what all agree on, or what they
// agreed on before if it was not written. All other rules leave Θ as it is or make it smaller.

namespace lockstep::musimd {

namespace {

// A set of variables, as a row of a BitRows.
using Word = std::uint64_t;

class BitRows {
 public:
  BitRows(std::size_t rows, std::size_t words) : words_(words), bits_(rows * words, 0) {}

  Word* row(std::size_t index) { return bits_.data() + index * words_; }

  // row |= from; true if the row has changed.
  bool merge(std::size_t index, const Word* from) {
    Word* to = row(index);
    Word news = 0;
    for (std::size_t i = 0; i < words_; ++i) {
      news |= from[i] & ~to[i];
      to[i] |= from[i];
    }
    return news != 0;
  }

 private:
  std::size_t words_;
  std::vector<Word> bits_;
};

void set_bit(Word* row, std::uint32_t bit, bool value) {
  const Word mask = Word{1} << (bit % 64U);
  row[bit / 64U] = value ? row[bit / 64U] | mask : row[bit / 64U] & ~mask;
}

bool get_bit(const Word* row, std::uint32_t bit) { return (row[bit / 64U] >> (bit % 64U) & 1U) != 0; }

// What an instruction writes, and the expression that decides whether threads agree on it.
struct Definition {
  VarId variable = 0;
  const Expr* source = nullptr;
};

std::optional<Definition> definition_in(const Instruction& instruction) {
  if (const auto* assign = std::get_if<Assign>(&instruction)) {
    return Definition{assign->dst, &assign->value};
  }
  if (const auto* load = std::get_if<Load>(&instruction)) {
    return Definition{load->dst, &load->address};
  }
  if (const auto* shuffle = std::get_if<Shuffle>(&instruction)) {
    return Definition{shuffle->dst, &shuffle->lane};
  }
  return std::nullopt;
}

constexpr std::uint32_t irrelevant = 0xffffffffU;

// Numbers the variables that can decide a branch, directly or through others: per variable its bit, or `irrelevant`.
std::pair<std::vector<std::uint32_t>, std::uint32_t> relevant_variables(const Program& program) {
  std::vector<std::uint32_t> bits(program.variables.size(), irrelevant);
  std::vector<std::vector<const Expr*>> sources(program.variables.size());
  std::vector<VarId> work;
  const auto need = [&](const Expr& expression) {
    for (const ExprNode& node : expression.nodes) {
      const auto* variable = std::get_if<Variable>(&node);
      if (variable == nullptr || bits[variable->id] != irrelevant) {
        continue;
      }
      bits[variable->id] = 0;
      work.push_back(variable->id);
    }
  };
  for (const Statement& statement : program.code) {
    if (const auto definition = definition_in(statement.instruction)) {
      sources[definition->variable].push_back(definition->source);
    }
    if (const auto* branch = std::get_if<BranchZero>(&statement.instruction)) {
      need(branch->condition);
    }
  }
  std::uint32_t count = 0;
  while (!work.empty()) {
    const VarId variable = work.back();
    work.pop_back();
    bits[variable] = count++;
    for (const Expr* source : sources[variable]) {
      need(*source);
    }
  }
  return {std::move(bits), count};
}

constexpr std::uint32_t no_run = 0xffffffffU;

// Runs of instructions that are entered at the front only and left at the back only.
struct Runs {
  std::vector<Label> front;
  std::vector<std::uint32_t> at;  // per pc: the run that begins there, or no_run

  explicit Runs(const Program& program) : at(end_of(program) + std::size_t{1}, no_run) {
    std::vector<bool> leader(at.size(), false);
    leader[0] = true;
    for (Label pc = 0; pc < end_of(program); ++pc) {
      if (!ends_run(program.code[pc].instruction)) {
        continue;
      }
      leader[pc + 1] = true;
      for (const Label to : successors(program, pc)) {
        leader[to] = true;
      }
    }
    for (Label pc = 0; pc < end_of(program); ++pc) {
      if (!leader[pc]) {
        continue;
      }
      at[pc] = static_cast<std::uint32_t>(front.size());
      front.push_back(pc);
    }
  }

  static bool ends_run(const Instruction& instruction) {
    return !definition_in(instruction) && !std::holds_alternative<Store>(instruction);
  }
};

class Analysis {
 public:
  Analysis(const Program& program, const Blocks& blocks, const StackTyping& typing)
      : program_(program),
        blocks_(blocks),
        typing_(typing),
        runs_(program),
        row_of_(program.code.size(), irrelevant),
        tops_(program.code.size()),
        syncs_of_(program.code.size()) {
    std::tie(bits_, variables_) = relevant_variables(program);
    words_ = (variables_ + 63U) / 64U;
    std::uint32_t rows = 0;
    for (Label pc = 0; pc < end_of(program); ++pc) {
      const Instruction& instruction = program.code[pc].instruction;
      if (std::holds_alternative<BranchZero>(instruction) || std::holds_alternative<Everywhere>(instruction)) {
        row_of_[pc] = rows++;
      }
    }
    fits_ = (runs_.front.size() + 2 * std::size_t{rows}) * words_ <= Divergence::max_words;
    if (!fits_) {
      return;
    }
    arriving_ = BitRows(runs_.front.size(), words_);
    written_ = BitRows(rows, words_);
    outside_ = BitRows(rows, words_);
    arrived_.assign(runs_.front.size(), false);
  }

  Divergence run() {
    result_.branches.resize(program_.code.size());
    if (!fits_) {
      return give_up();
    }
    collect_written();
    std::vector<Word> all(words_, ~Word{0});
    arrive(0, all.data());
    while (!work_.empty()) {
      const std::uint32_t run = *work_.begin();
      work_.erase(work_.begin());
      if (!process(run)) {
        return give_up();
      }
    }
    return std::move(result_);
  }

 private:
  Divergence give_up() {
    result_.analysed = false;
    for (Label pc = 0; pc < end_of(program_); ++pc) {
      result_.branches[pc] = {std::holds_alternative<BranchZero>(program_.code[pc].instruction), std::nullopt};
    }
    return std::move(result_);
  }

  // written(b) and written(e). An entry's or block's owner is the pc of its branch or everywhere; `inside` says which owners can lie
  // directly on top of which, so that written is what is assigned under an owner itself or under those inside it.
  void collect_written() {
    std::vector<std::vector<Label>> inside(program_.code.size());
    std::set<std::pair<Label, Label>> known;
    const auto lies_in = [&](Label inner, Label outer) {
      if (known.emplace(outer, inner).second) {
        inside[outer].push_back(inner);
      }
    };
    for (const Configuration& at : typing_.reached) {
      const Label owner = typing_.stacks.top(at.stack);
      if (at.pc == end_of(program_) || owner == no_label) {
        continue;
      }
      const Instruction& instruction = program_.code[at.pc].instruction;
      if (std::holds_alternative<Everywhere>(instruction)) {
        lies_in(at.pc, owner);
      }
      if (std::holds_alternative<BranchZero>(instruction) && owner != at.pc) {
        lies_in(at.pc, owner);
      }
      if (std::holds_alternative<Sync>(instruction)) {
        tops_[at.pc].push_back(owner);
      }
      if (const auto definition = definition_in(instruction); definition && bits_[definition->variable] != irrelevant) {
        set_bit(written_.row(row_of_[owner]), bits_[definition->variable], true);
      }
    }
    collect_tops();
    bool changed = true;
    const std::vector<Label> order = innermost_first(inside);
    while (changed && spend(order.size() * words_)) {
      changed = false;
      for (const Label owner : order) {
        for (const Label inner : inside[owner]) {
          changed |= written_.merge(row_of_[owner], written_.row(row_of_[inner]));
        }
      }
    }
    if (changed) {
      exhausted_ = true;
    }
  }

  void collect_tops() {
    for (Label sync = 0; sync < tops_.size(); ++sync) {
      std::vector<Label>& tops = tops_[sync];
      std::sort(tops.begin(), tops.end());
      tops.erase(std::unique(tops.begin(), tops.end()), tops.end());
      for (const Label branch : tops) {
        syncs_of_[branch].push_back(sync);
      }
    }
  }

  // Owners in postorder of `inside`, so that one round of collect_written is enough where it has no cycle.
  std::vector<Label> innermost_first(const std::vector<std::vector<Label>>& inside) const {
    std::vector<Label> order;
    std::vector<bool> seen(inside.size(), false);
    std::vector<std::pair<Label, std::size_t>> path;
    for (Label root = 0; root < inside.size(); ++root) {
      if (inside[root].empty() || seen[root]) {
        continue;
      }
      seen[root] = true;
      path.emplace_back(root, 0);
      while (!path.empty()) {
        auto& [owner, next] = path.back();
        if (next == inside[owner].size()) {
          order.push_back(owner);
          path.pop_back();
          continue;
        }
        const Label inner = inside[owner][next++];
        if (seen[inner]) {
          continue;
        }
        seen[inner] = true;
        path.emplace_back(inner, 0);
      }
    }
    return order;
  }

  bool spend(std::size_t words) {
    spent_ += words;
    return spent_ <= Divergence::max_words * 16;
  }

  void arrive(Label pc, const Word* set) {
    if (pc == end_of(program_)) {
      return;
    }
    const std::uint32_t run = runs_.at[pc];
    const bool grown = arriving_.merge(run, set);
    if (!grown && arrived_[run]) {
      return;
    }
    arrived_[run] = true;
    work_.insert(run);
  }

  bool differs(const Expr& expression, const Word* set, std::optional<VarId>& culprit) const {
    for (const ExprNode& node : expression.nodes) {
      if (program_.threads == 1U) {
        return false;
      }
      if (std::holds_alternative<ThreadId>(node)) {
        return true;
      }
      const auto* variable = std::get_if<Variable>(&node);
      if (variable == nullptr || !get_bit(set, bits_[variable->id])) {
        continue;
      }
      culprit = variable->id;
      return true;
    }
    return false;
  }

  // Takes D through a run and hands it on; false if the bound on the work is met.
  bool process(std::uint32_t run) {
    const Word* arriving = arriving_.row(run);
    std::vector<Word> set(arriving, arriving + words_);
    Label pc = runs_.front[run];
    for (;; ++pc) {
      if (!spend(1)) {
        return false;
      }
      const auto definition = definition_in(program_.code[pc].instruction);
      if (definition && bits_[definition->variable] != irrelevant) {
        std::optional<VarId> culprit;
        set_bit(set.data(), bits_[definition->variable], differs(*definition->source, set.data(), culprit));
      }
      if (Runs::ends_run(program_.code[pc].instruction)) {
        break;
      }
      if (pc + 1 == end_of(program_) || runs_.at[pc + 1] != no_run) {
        break;
      }
    }
    leave(pc, set);
    return !exhausted_ && spend(words_ * (2 + tops_[pc].size()));
  }

  void leave(Label pc, std::vector<Word>& set) {
    const Instruction& instruction = program_.code[pc].instruction;
    if (const auto* branch = std::get_if<BranchZero>(&instruction)) {
      arrive(pc + 1, set.data());
      split(pc, *branch, set);
      arrive(std::min(branch->target.pc, end_of(program_)), set.data());
    } else if (std::holds_alternative<Sync>(instruction)) {
      for (const Label top : tops_[pc]) {
        if (result_.branches[top].may_split) {
          add_written(top, set);
        }
      }
      arrive(pc + 1, set.data());
    } else if (std::holds_alternative<Everywhere>(instruction)) {
      if (outside_.merge(row_of_[pc], set.data()) && blocks_.ends[pc].size() == 1) {
        revisit(blocks_.ends[pc].front());
      }
      std::fill(set.begin(), set.end(), ~Word{0});
      arrive(pc + 1, set.data());
    } else if (std::holds_alternative<EndEverywhere>(instruction)) {
      const std::size_t owner = row_of_[blocks_.innermost[pc]];
      for (std::size_t i = 0; i < words_; ++i) {
        set[i] &= written_.row(owner)[i] | outside_.row(owner)[i];
      }
      arrive(pc + 1, set.data());
    } else {
      for (const Label to : successors(program_, pc)) {
        arrive(to, set.data());
      }
    }
  }

  // At a branch: decides whether it may split, and makes `set` what holds at its target.
  void split(Label pc, const BranchZero& branch, std::vector<Word>& set) {
    BranchDivergence& verdict = result_.branches[pc];
    if (!verdict.may_split && differs(branch.condition, set.data(), verdict.variable)) {
      verdict.may_split = true;
      for (const Label sync : syncs_of_[pc]) {
        revisit(sync);
      }
    }
    if (verdict.may_split) {
      add_written(pc, set);
    }
  }

  void add_written(Label owner, std::vector<Word>& set) {
    for (std::size_t i = 0; i < words_; ++i) {
      set[i] |= written_.row(row_of_[owner])[i];
    }
  }

  // Processes the run that ends with `pc` once more, if it was ever reached.
  void revisit(Label pc) {
    while (runs_.at[pc] == no_run) {
      --pc;
    }
    if (arrived_[runs_.at[pc]]) {
      work_.insert(runs_.at[pc]);
    }
  }

  const Program& program_;
  const Blocks& blocks_;
  const StackTyping& typing_;
  Runs runs_;
  std::vector<std::uint32_t> bits_;           // per variable: its bit, or irrelevant
  std::uint32_t variables_ = 0;               // relevant ones
  std::size_t words_ = 0;                     // of a set of them
  std::vector<std::uint32_t> row_of_;         // per pc of a branch or everywhere: its row in written_ and outside_
  std::vector<std::vector<Label>> tops_;      // per sync: the branches that can be on top
  std::vector<std::vector<Label>> syncs_of_;  // per branch: the syncs that can meet it
  bool fits_ = false;
  bool exhausted_ = false;
  std::size_t spent_ = 0;
  BitRows arriving_{0, 0};  // per run: D at its front
  BitRows written_{0, 0};
  BitRows outside_{0, 0};      // per everywhere: D in front of it
  std::vector<bool> arrived_;  // per run: control can arrive there
  std::set<std::uint32_t> work_;
  Divergence result_;
};

}  // namespace

bool Divergence::uniform(const Program& program, Label pc) const {
  return std::holds_alternative<BranchZero>(program.code[pc].instruction) && !branches[pc].may_split;
}

Divergence analyse_divergence(const Program& program) {
  const Blocks blocks = find_blocks(program);
  if (blocks.sound(program)) {
    const StackTyping typing = type_stacks(program, blocks);
    if (typing.typed()) {
      return analyse_divergence(program, blocks, typing);
    }
  }
  Divergence unknown;
  unknown.analysed = false;
  for (const Statement& statement : program.code) {
    unknown.branches.push_back({std::holds_alternative<BranchZero>(statement.instruction), std::nullopt});
  }
  return unknown;
}

Divergence analyse_divergence(const Program& program, const Blocks& blocks, const StackTyping& typing) {
  return Analysis(program, blocks, typing).run();
}

}  // namespace lockstep::musimd
