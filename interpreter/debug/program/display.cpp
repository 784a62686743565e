#include "interpreter/debug/program/display.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/shown.hpp"
#include "interpreter/debug/table.hpp"
#include "semantics/base/lane_set_text.hpp"
#include "semantics/musimd/print.hpp"

namespace lockstep {

using namespace musimd;

namespace {

std::string branch_word(const Program& program, Label pc) {
  if (pc >= program.code.size()) {
    return {};
  }
  const std::string text = print(program, program.code[pc].instruction);
  return " " + text.substr(0, text.find(' '));
}

}  // namespace

std::string cell_text(const Cell& cell) {
  return cell.state == CellState::Number ? std::to_string(cell.number) : cell.state == CellState::Poison ? "poison" : "*";
}

std::string target_text(const Program& program, Label pc) {
  const std::vector<std::string> labels = labels_at(program, pc);
  return labels.empty() ? fmt::format("pc {}", pc) : labels.front();
}

std::string instruction_text(const Program& program, Label pc) {
  std::string out;
  for (const std::string& label : labels_at(program, pc)) {
    out += label + ": ";
  }
  return out + (pc < program.code.size() ? print(program, program.code[pc].instruction) : "(behind the last instruction)");
}

std::string fired_text(Fired fired) {
  return fired.rule == fired.root ? std::string(name(fired.rule)) : fmt::format("{}/{}", name(fired.rule), name(fired.root));
}

std::string entry_text(const Program& program, const SyncEntry<Concrete>& entry) {
  return fmt::format("(pc {}{}, done {}, resume {}, todo {})", entry.branch_pc, branch_word(program, entry.branch_pc), to_text(entry.done),
                     target_text(program, entry.resume_at), to_text(entry.todo));
}

std::string sync_text(const Machine& machine, std::size_t frame, std::size_t most) {
  const Machine::State& s = machine.state();
  const auto base_of = [&](std::size_t f) {
    return f < s.context.size() ? s.context[f].sync_base : f == s.context.size() ? s.frame_base : s.sync.size();
  };
  const std::size_t begin = base_of(frame);
  const std::size_t end = base_of(frame + 1);
  std::string out = "[";
  for (std::size_t i = end; i-- > begin;) {
    if (end - i > most) {
      return out + fmt::format(", … {} more]", i - begin + 1);
    }
    out += (i + 1 == end ? "" : ", ") + entry_text(machine.program(), s.sync[i]);
  }
  return out + "]";
}

std::string context_text(const Machine& machine, std::size_t most) {
  const std::vector<ContextFrame<Concrete>>& context = machine.state().context;
  std::string out = "[";
  for (std::size_t i = context.size(); i-- > 0;) {
    if (context.size() - i > most) {
      return out + fmt::format(", … {} more]", i + 1);
    }
    out += fmt::format("{}(Θ {}, Π {})", i + 1 == context.size() ? "" : ", ", to_text(context[i].mask), sync_text(machine, i, most));
  }
  return out + "]";
}

std::string lanes_table(const Machine& machine, const std::vector<LaneRow>& rows) {
  std::vector<TableRow> texts;
  texts.reserve(rows.size());
  const auto active = [&](unsigned t) { return machine.state().active.contains(t); };
  for (const LaneRow& row : rows) {
    texts.push_back({row.name, [&row, active](unsigned t) { return row.active_only && !active(t) ? "•" : cell_text(row.value(t)); }});
  }
  return table_text("thread", machine.threads(), active, texts);
}

Stacks stacks_text(const Machine& machine) {
  return {to_text(machine.state().active), sync_text(machine, machine.state().context.size(), shown::entries_in_line),
          context_text(machine, shown::entries_in_line)};
}

void StepRecord::after_step(const Machine& machine, const StepEvent& event) {
  step_ = event.step;
  pc_ = event.pc;
  fired_ = event.fired;
  active_ = event.active;
  written_ = event.written;
  addresses_.clear();
  stores_ = event.access && event.access->write;
  if (event.access) {
    active_.for_each([&](unsigned t) { addresses_.push_back(event.access->addresses[t]); });
  }
  after_ = stacks_text(machine);
}

std::string StepRecord::values_text(const Machine& machine, bool undone) const {
  const char* arrow = undone ? "is again" : ":=";
  std::string out;
  if (written_) {
    out += fmt::format("  {} {}", machine.program().variables[*written_], arrow);
    const unsigned shown = std::min(machine.threads(), shown::lanes);
    for (unsigned t = 0; t < shown; ++t) {
      out += " " + (active_.contains(t) ? cell_text(machine.state().bank.read(*written_, t)) : "•");
    }
    out += machine.threads() > shown ? fmt::format(" … {} more threads", machine.threads() - shown) : "";
    out += "\n";
  }
  if (!addresses_.empty()) {
    out += stores_ ? "  " : "  read ";
    for (std::size_t i = 0; i < std::min(addresses_.size(), shown::cells_in_line); ++i) {
      out += fmt::format("{}mem[{}]", i == 0 ? "" : ", ", addresses_[i]);
      out += stores_ ? fmt::format(" {} {}", arrow, cell_text(machine.state().shared.read(addresses_[i]))) : "";
    }
    out += addresses_.size() > shown::cells_in_line ? fmt::format(", … {} more\n", addresses_.size() - shown::cells_in_line) : "\n";
  }
  return out;
}

std::string StepRecord::text(const Machine& machine, bool undone) const {
  const Stacks& from = undone ? after_ : before_;
  const Stacks& to = undone ? before_ : after_;
  return fmt::format("{} {}: {}  {}\n", undone ? "undone: step" : "step", step_ + 1, fired_text(fired_),
                     instruction_text(machine.program(), pc_)) +
         values_text(machine, undone) + change_text("Θ", from.active, to.active) + change_text("Π", from.sync, to.sync) +
         change_text("Λ", from.context, to.context);
}

}  // namespace lockstep
