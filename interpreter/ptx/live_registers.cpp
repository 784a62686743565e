#include "interpreter/ptx/live_registers.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep::ptx_machine {

namespace resolved = ptx::resolved;
using ptx::Kind;
using ptx::OperandRole;

namespace {

/// Registers that an instruction reads and writes.
struct Uses {
  std::vector<std::uint32_t> read;
  std::vector<std::uint32_t> written;
};

template <class Operand>
void collect(const Operand& operand, std::vector<std::uint32_t>& into) {
  std::visit(
      [&](const auto& o) {
        using T = std::decay_t<decltype(o)>;
        if constexpr (std::is_same_v<T, resolved::Register>) {
          into.push_back(o.index);
        } else if constexpr (std::is_same_v<T, resolved::Vector>) {
          for (const resolved::Value& element : o.elements) {
            collect(element, into);
          }
        } else if constexpr (std::is_same_v<T, resolved::Address>) {
          collect(o.base, into);
        }
      },
      operand);
}

Uses uses_of(const resolved::Instruction& i) {
  Uses uses;
  const ptx::FormInfo& form = ptx::info(i.form);
  for (std::size_t k = 0; k < i.operands.size(); ++k) {
    const OperandRole role = form.operands[std::min(k, form.operands.size() - 1)].role;
    const bool is_written = role == OperandRole::Written || role == OperandRole::FlagOut;
    collect(i.operands[k], is_written ? uses.written : uses.read);
  }
  if (i.call) {
    std::ranges::for_each(i.call->results, [&](const resolved::Value& value) { collect(value, uses.written); });
    std::ranges::for_each(i.call->arguments, [&](const resolved::Value& value) { collect(value, uses.read); });
    if (const auto* callee = std::get_if<resolved::Register>(&i.call->callee)) {
      uses.read.push_back(callee->index);
    }
  }
  if (i.guard) {
    uses.read.push_back(i.guard->predicate);
    // Threads without the guard keep what they have.
    uses.read.insert(uses.read.end(), uses.written.begin(), uses.written.end());
  }
  return uses;
}

/// Register after register, so that no set is kept for each place: where it is live is counted in.
class Liveness {
 public:
  explicit Liveness(const resolved::Function& function)
      : function_(function),
        block_of_(function.code.size()),
        touched_(function.registers.size()),
        live_words_(points() + 1),
        live_predicates_(points() + 1) {
    find_blocks();
    for (std::uint32_t pc = 0; pc < function.code.size(); ++pc) {
      const Uses uses = uses_of(function.code[pc]);
      for (const std::uint32_t reg : uses.written) {
        touch(reg, pc).written = true;
      }
      for (const std::uint32_t reg : uses.read) {
        touch(reg, pc).read = true;
      }
    }
  }

  LiveRegisters most() {
    for (std::uint32_t reg = 0; reg < touched_.size(); ++reg) {
      count(reg);
    }
    return {highest(live_words_), highest(live_predicates_)};
  }

 private:
  struct BasicBlock {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::vector<std::size_t> before;  ///< from where it is come to
    std::uint32_t entered_by = 0;     ///< the last register that was found to be live at its begin, + 1
    std::uint32_t left_by = 0;        ///< likewise at its end
  };
  /// What an instruction does with a register.
  struct Touch {
    std::uint32_t pc = 0;
    bool read = false;
    bool written = false;
  };

  /// Points in the order in which the instructions stand: 2 pc in front of one, where what it reads is live, and 2 pc + 1 behind it, where
  /// what it writes is, even if nobody ever reads that.
  std::size_t points() const { return 2 * function_.code.size(); }

  void find_blocks() {
    const auto size = static_cast<std::uint32_t>(function_.code.size());
    std::vector<bool> leads(size + 1);
    std::vector<std::vector<std::uint32_t>> next(size);
    for (std::uint32_t pc = 0; pc < size; ++pc) {
      const resolved::Instruction& i = function_.code[pc];
      const Kind kind = ptx::info(i.form).kind;
      const bool ends = kind == Kind::Return || kind == Kind::Exit || kind == Kind::Trap;
      const bool jumps = kind == Kind::Branch || kind == Kind::IndexedBranch;
      next[pc] = i.targets;
      if (!(ends || jumps) || i.guard) {
        next[pc].push_back(pc + 1);
      }
      std::erase(next[pc], size);
      for (const std::uint32_t target : i.targets) {
        leads[target] = true;
      }
      leads[pc + 1] = leads[pc + 1] || ends || jumps;
    }
    for (std::uint32_t pc = 0; pc < size; ++pc) {
      if (pc == 0 || leads[pc]) {
        blocks_.push_back({pc, pc, {}});
      }
      block_of_[pc] = blocks_.size() - 1;
      blocks_.back().end = pc + 1;
    }
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      for (const std::uint32_t pc : next[blocks_[block].end - 1]) {
        blocks_[block_of_[pc]].before.push_back(block);
      }
    }
  }

  Touch& touch(std::uint32_t reg, std::uint32_t pc) {
    std::vector<Touch>& touches = touched_[reg];
    if (touches.empty() || touches.back().pc != pc) {
      touches.push_back({pc});
    }
    return touches.back();
  }

  /// Counts the register in at all points where it is live.
  void count(std::uint32_t reg) {
    const std::vector<Touch>& touches = touched_[reg];
    std::vector<std::size_t> open;  // blocks at whose begin it is live, and whose predecessors have not been looked at
    const auto enter = [&](std::size_t block) {
      if (std::exchange(blocks_[block].entered_by, reg + 1) != reg + 1) {
        open.push_back(block);
      }
    };
    // Where it is read before it is written, it comes from the blocks before.
    for (std::size_t k = 0; k < touches.size(); ++k) {
      const std::size_t block = block_of_[touches[k].pc];
      const bool is_first = k == 0 || block_of_[touches[k - 1].pc] != block;
      if (is_first && touches[k].read) {
        enter(block);
      }
    }
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      for (const std::size_t from : blocks_[block].before) {
        if (std::exchange(blocks_[from].left_by, reg + 1) == reg + 1) {
          continue;
        }
        const auto first = std::ranges::lower_bound(touches, blocks_[from].begin, {}, &Touch::pc);
        if (first != touches.end() && first->pc < blocks_[from].end) {
          continue;  // it is written there, or has been found to be live at its begin
        }
        live_from_to(reg, 2 * std::size_t{blocks_[from].begin}, 2 * std::size_t{blocks_[from].end} - 1);
        enter(from);
      }
    }
    for (auto at = touches.begin(); at != touches.end();) {
      const BasicBlock& block = blocks_[block_of_[at->pc]];
      const auto end = std::find_if(at, touches.end(), [&](const Touch& t) { return t.pc >= block.end; });
      count_in_block(reg, block, {at, end});
      at = end;
    }
  }

  /// The same in a block that has instructions with it: from the last one to the first.
  void count_in_block(std::uint32_t reg, const BasicBlock& block, std::span<const Touch> touches) {
    std::optional<std::size_t> last;  // the point up to which it is live
    if (block.left_by == reg + 1) {
      last = 2 * std::size_t{block.end} - 1;
    }
    for (std::size_t k = touches.size(); k-- > 0;) {
      const std::size_t point = 2 * std::size_t{touches[k].pc};
      if (touches[k].written) {
        live_from_to(reg, point + 1, last.value_or(point + 1));
        last.reset();
      }
      if (touches[k].read) {
        last = last.value_or(point);
      }
    }
    if (last) {
      live_from_to(reg, 2 * std::size_t{block.begin}, *last);
    }
  }

  void live_from_to(std::uint32_t reg, std::size_t first, std::size_t last) {
    const ptx::Type type = function_.registers[reg].type;
    const bool is_predicate = type == ptx::Type::Pred;
    std::vector<std::int64_t>& live = is_predicate ? live_predicates_ : live_words_;
    const std::int64_t count = is_predicate ? 1 : (std::int64_t{ptx::bits_of(type)} + 31) / 32;
    live[first] += count;
    live[last + 1] -= count;
  }

  /// Of how many more, or fewer, are live from each point on: how many these are where they are most.
  static std::uint32_t highest(const std::vector<std::int64_t>& changes) {
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const std::int64_t change : changes) {
      now += change;
      most = std::max(most, now);
    }
    return static_cast<std::uint32_t>(most);
  }

  const resolved::Function& function_;
  std::vector<BasicBlock> blocks_;
  std::vector<std::size_t> block_of_;
  std::vector<std::vector<Touch>> touched_;  // of each register, in the order of the instructions
  std::vector<std::int64_t> live_words_;     // by how many more or fewer are live at a point than at the one before
  std::vector<std::int64_t> live_predicates_;
};

}  // namespace

LiveRegisters most_live(const resolved::Function& function) { return Liveness(function).most(); }

}  // namespace lockstep::ptx_machine
