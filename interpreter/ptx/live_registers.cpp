#include "interpreter/ptx/live_registers.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>
#include <vector>

namespace lockstep::ptx_machine {

namespace resolved = ptx::resolved;
using ptx::Kind;
using ptx::OperandRole;

namespace {

using Set = std::vector<bool>;

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

class Liveness {
 public:
  explicit Liveness(const resolved::Function& function) : function_(function) {
    for (const resolved::Instruction& instruction : function.code) {
      uses_.push_back(uses_of(instruction));
    }
    find_blocks();
  }

  LiveRegisters most() {
    std::vector<Set> live_in(blocks_.size(), Set(function_.registers.size()));
    const auto live_out = [&](std::size_t block) {
      Set live(function_.registers.size());
      for (const std::uint32_t next : blocks_[block].next) {
        const Set& wanted = live_in[block_of_[next]];
        for (std::size_t k = 0; k < live.size(); ++k) {
          live[k] = live[k] || wanted[k];
        }
      }
      return live;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t block = blocks_.size(); block-- > 0;) {
        Set live = live_out(block);
        walk(blocks_[block], live, [](const Set&, bool, std::uint32_t) {});
        changed = changed || live != live_in[block];
        live_in[block] = std::move(live);
      }
    }
    LiveRegisters most;
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      Set live = live_out(block);
      LiveRegisters now;
      for (std::uint32_t k = 0; k < live.size(); ++k) {
        if (live[k]) {
          add(now, k, 1);
        }
      }
      const auto note = [&] { most = {std::max(most.words, now.words), std::max(most.predicates, now.predicates)}; };
      note();
      walk(blocks_[block], live, [&](const Set&, bool is_born, std::uint32_t reg) {
        add(now, reg, is_born ? 1 : -1);
        note();
      });
    }
    return most;
  }

 private:
  struct BasicBlock {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::vector<std::uint32_t> next;  ///< where it goes on
  };

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
    block_of_.resize(size);
    for (std::uint32_t pc = 0; pc < size; ++pc) {
      if (pc == 0 || leads[pc]) {
        blocks_.push_back({pc, pc, {}});
      }
      block_of_[pc] = blocks_.size() - 1;
      blocks_.back().end = pc + 1;
      blocks_.back().next = next[pc];
    }
  }

  /// Backwards through the block: `f` is told of each register that becomes live or dead, seen from its end.
  template <class F>
  void walk(const BasicBlock& block, Set& live, const F& f) const {
    for (std::uint32_t pc = block.end; pc-- > block.begin;) {
      for (const std::uint32_t reg : uses_[pc].written) {
        if (!live[reg]) {  // written, and never read: it has a place all the same
          live[reg] = true;
          f(live, true, reg);
        }
      }
      for (const std::uint32_t reg : uses_[pc].written) {
        if (live[reg]) {
          live[reg] = false;
          f(live, false, reg);
        }
      }
      for (const std::uint32_t reg : uses_[pc].read) {
        if (!live[reg]) {
          live[reg] = true;
          f(live, true, reg);
        }
      }
    }
  }

  void add(LiveRegisters& to, std::uint32_t reg, int sign) const {
    const ptx::Type type = function_.registers[reg].type;
    if (type == ptx::Type::Pred) {
      to.predicates += static_cast<std::uint32_t>(sign);
    } else {
      to.words += static_cast<std::uint32_t>(sign) * ((ptx::bits_of(type) + 31) / 32);
    }
  }

  const resolved::Function& function_;
  std::vector<Uses> uses_;
  std::vector<BasicBlock> blocks_;
  std::vector<std::size_t> block_of_;
};

}  // namespace

LiveRegisters most_live(const resolved::Function& function) { return function.code.empty() ? LiveRegisters() : Liveness(function).most(); }

}  // namespace lockstep::ptx_machine
