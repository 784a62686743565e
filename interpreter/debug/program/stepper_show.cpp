// The stepper's commands that show the present state.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/debug/program/display.hpp"
#include "interpreter/debug/program/stepper.hpp"
#include "interpreter/debug/shown.hpp"
#include "interpreter/debug/text.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/lane_set_text.hpp"
#include "semantics/musimd/print.hpp"

namespace lockstep {

using namespace musimd;

namespace {

constexpr std::int64_t cells_in_row = 8;
constexpr std::int64_t max_printed_cells = 1024;

/// A row of cells, "   4: 2 1 3 4".
std::string row_text(std::int64_t address, const std::vector<Cell>& cells) {
  std::string out = fmt::format("{:>4}:", address);
  for (const Cell& cell : cells) {
    out += " " + cell_text(cell);
  }
  return out + "\n";
}

}  // namespace

bool Stepper::info(std::string_view arguments) {
  static const Topic topics[] = {{"active", &Stepper::info_active}, {"sync", &Stepper::info_sync},     {"context", &Stepper::info_context},
                                 {"rule", &Stepper::info_rule},     {"break", &Stepper::info_break},   {"watch", &Stepper::info_watch},
                                 {"locals", &Stepper::info_locals}, {"shared", &Stepper::info_shared}, {"line", &Stepper::info_line}};
  return show_topic(topics, arguments, "active, sync, context, rule, break, watch, locals, shared or line");
}

void Stepper::info_active() {
  out_ << fmt::format("Θ = {}, {} of {} threads\n", to_text(machine().state().active), machine().state().active.size(),
                      machine().threads());
  out_ << lanes_table(machine(), {});
}

void Stepper::info_sync() {
  const Machine::State& s = machine().state();
  if (s.sync_empty()) {
    out_ << "Π = []\n";
    return;
  }
  out_ << "Π, from the top:\n";
  const std::size_t count = s.sync.size() - s.frame_base;
  for (std::size_t i = 0; i < std::min(count, shown::entries); ++i) {
    out_ << "  " << entry_text(program(), s.sync[s.sync.size() - 1 - i]) << "\n";
  }
  if (count > shown::entries) {
    out_ << fmt::format("  … {} more\n", count - shown::entries);
  }
}

void Stepper::info_context() {
  const auto& context = machine().state().context;
  if (context.empty()) {
    out_ << "Λ = []\n";
    return;
  }
  out_ << "Λ, from the top:\n";
  for (std::size_t i = 0; i < std::min(context.size(), shown::entries); ++i) {
    const std::size_t frame = context.size() - 1 - i;
    out_ << fmt::format("  (Θ {}, Π {})\n", to_text(context[frame].mask), sync_text(machine(), frame, 3));
  }
  if (context.size() > shown::entries) {
    out_ << fmt::format("  … {} more\n", context.size() - shown::entries);
  }
}

void Stepper::info_rule() {
  const std::uint64_t position = history_.position();
  if (position == 0) {
    out_ << "no rule has fired yet\n";
    return;
  }
  StepRecord record;
  history_.go_to(position - 1);
  history_.step(&record);
  history_.go_to(position);
  if (history_.interrupted()) {
    tell_place();
    return;
  }
  const Fired fired = record.fired();
  out_ << fmt::format("step {} was {}\n", position, fired_text(fired));
  for (const RuleId id : {fired.rule, fired.root}) {
    const RuleInfo& rule = musimd::info(id);
    out_ << fmt::format("  {} ({}, {}): {}\n", rule.name, rule.figure, rule.instruction, rule.statement);
    if (fired.rule == fired.root) {
      break;
    }
  }
  out_ << "fired so far:";
  for (const RuleInfo& rule : rule_table) {
    if (const std::uint64_t count = machine().rule_counts()[static_cast<std::size_t>(rule.id)]; count != 0) {
      out_ << fmt::format(" {} {}", rule.name, count);
    }
  }
  out_ << "\n";
}

void Stepper::info_locals() {
  std::vector<LaneRow> rows;
  rows.reserve(program().variables.size());
  for (VarId v = 0; v < program().variables.size(); ++v) {
    rows.push_back({program().variables[v], [this, v](unsigned t) { return machine().state().bank.read(v, t); }});
  }
  out_ << lanes_table(machine(), rows);
}

void Stepper::info_shared() {
  std::size_t rows = 0;
  std::uint64_t cells = 0;
  std::int64_t begin = 0;
  std::vector<Cell> row;
  const auto flush = [&] {
    if (!row.empty() && rows++ < shown::rows) {
      out_ << row_text(begin, row);
    }
    row.clear();
  };
  machine().state().shared.for_each([&](std::int64_t address, const Cell& cell) {
    ++cells;
    if (row.empty() || address / cells_in_row != begin / cells_in_row || address != begin + static_cast<std::int64_t>(row.size())) {
      flush();
      begin = address;
    }
    row.push_back(cell);
  });
  flush();
  out_ << (rows > shown::rows ? fmt::format("… {} more rows\n", rows - shown::rows) : "")
       << fmt::format("{} cells are initialised\n", cells);
}

void Stepper::info_line() {
  const Label pc = machine().state().pc;
  out_ << fmt::format("line {} of {}, pc {}\n", line_of(pc), printable(source_.name()), pc);
}

std::string Stepper::value_text(const Condition& expression) const {
  const std::string_view why = expression.no_value_reason(machine(), 0);
  return why.empty() ? cell_text(expression.value(machine(), 0)) : fmt::format("no value ({})", why);
}

bool Stepper::print_value(std::string_view arguments) {
  if (arguments.empty()) {
    return fail("print what? For example 'print v3' or 'print mem[4..19]'");
  }
  if (const std::size_t dots = arguments.find(".."); dots != std::string_view::npos) {
    print_range(arguments, dots);
    return true;
  }
  if (const auto expression = parse_condition(arguments)) {
    if (expression->per_thread()) {
      out_ << lanes_table(machine(), {{printable(arguments), [&](unsigned t) { return expression->value(machine(), t); }}});
    } else {
      out_ << fmt::format("{} = {}\n", printable(arguments), value_text(*expression));
    }
  }
  return true;
}

void Stepper::print_range(std::string_view text, std::size_t dots) {
  constexpr std::string_view head = "mem[";
  if (!text.starts_with(head) || !text.ends_with("]")) {
    fail("a range is written mem[A..B]");
    return;
  }
  const auto first = parse_condition(text.substr(head.size(), dots - head.size()));
  const auto last = first ? parse_condition(text.substr(dots + 2, text.size() - dots - 3)) : std::nullopt;
  if (!last) {
    return;
  }
  const Cell begin = first->value(machine(), 0);
  const Cell end = last->value(machine(), 0);
  const bool numbers = begin.state == CellState::Number && end.state == CellState::Number && !first->per_thread() && !last->per_thread();
  if (!numbers || begin.number < 0 || end.number < begin.number || end.number - begin.number >= max_printed_cells) {
    fail(fmt::format("a range is mem[A..B] with numbers 0 ≤ A ≤ B, at most {} cells", max_printed_cells));
    return;
  }
  for (std::int64_t offset = 0; offset <= end.number - begin.number; offset += cells_in_row) {
    std::vector<Cell> row;
    for (std::int64_t i = offset; i < offset + cells_in_row && i <= end.number - begin.number; ++i) {
      row.push_back(machine().state().shared.read(begin.number + i));
    }
    out_ << row_text(begin.number + offset, row);
  }
}

bool Stepper::list(std::string_view arguments) {
  constexpr std::uint32_t around = 5;
  const std::uint32_t here = line_of(machine().state().pc);
  std::uint64_t begin = listed_until_ != 0 ? listed_until_ : here > around ? here - around : 1;
  if (!arguments.empty()) {
    const auto line = number_in(arguments);
    if (!line || *line == 0 || *line > source_.line_count()) {
      return fail(fmt::format("there is no line '{}'; there are {}", shortened(arguments), source_.line_count()));
    }
    begin = *line > around ? *line - around : 1;
  }
  const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(source_.line_count() + 1, begin + 2 * around + 1));
  for (auto line = static_cast<std::uint32_t>(begin); line < end; ++line) {
    out_ << fmt::format("{} {:>4}  {}\n", line == here && !history_.at_end() ? "→" : " ", line, printable(source_.line_text(line)));
  }
  listed_until_ = end > source_.line_count() ? 0 : end;
  return true;
}

void Stepper::print_operands() {
  const Label pc = machine().state().pc;
  std::vector<std::pair<std::string, const Expr*>> operands;
  const Instruction& i = program().code[pc].instruction;
  if (const auto* bz = std::get_if<BranchZero>(&i)) {
    operands = {{"e", &bz->condition}};
  } else if (const auto* jump = std::get_if<JumpMask>(&i)) {
    operands = {{"e", &jump->thread}};
  } else if (const auto* assign = std::get_if<Assign>(&i)) {
    operands = {{"e", &assign->value}};
  } else if (const auto* load = std::get_if<Load>(&i)) {
    operands = {{"a", &load->address}};
  } else if (const auto* store = std::get_if<Store>(&i)) {
    operands = {{"a", &store->address}, {"c", &store->value}};
  } else if (const auto* shuffle = std::get_if<Shuffle>(&i)) {
    operands = {{"lane", &shuffle->lane}};
  }
  std::vector<Condition> values;
  values.reserve(operands.size());
  for (const auto& [name, e] : operands) {
    values.push_back(Condition::of(*e));
  }
  std::vector<LaneRow> rows;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const std::string text = print(program(), *operands[k].second);
    rows.push_back({fmt::format("{} = {}", operands[k].first, text.size() > 40 ? "…" : text),
                    [&values, k, this](unsigned t) { return values[k].value(machine(), t); }, true});
  }
  if (!rows.empty()) {
    out_ << lanes_table(machine(), rows);
  }
}

bool Stepper::explain(std::string_view) {
  const Label pc = machine().state().pc;
  if (const auto& ending = machine().ending(); ending && std::holds_alternative<Halted>(*ending)) {
    out_ << "the program has halted; no rule is asked\n";
    return true;
  }
  if (pc >= program().code.size()) {
    out_ << "there is no instruction at pc, so no rule applies\n";
    return true;
  }
  out_ << fmt::format("{}\n", instruction_text(program(), pc));
  print_operands();
  out_ << fmt::format("Θ {}\nΠ {}\nΛ {}\n", to_text(machine().state().active), sync_text(machine(), machine().state().context.size(), 3),
                      context_text(machine(), 3));
  for (const CandidateReport& candidate : history_.explain()) {
    const RuleInfo& root = musimd::info(candidate.rule.root);
    out_ << fmt::format("{} {} ({}): {}\n", candidate.applies ? "✓" : "✗", fired_text(candidate.rule), root.figure, root.statement);
    for (const AskedPremise& premise : candidate.premises) {
      out_ << fmt::format("    {} {}", premise.holds ? "✓" : "✗", premise_text(premise.rule, premise.number));
      out_ << (premise.failing.empty() ? "" : fmt::format(", not in {}", to_text(premise.failing)));
      out_ << (premise.detail.empty() ? "" : fmt::format(" ({})", premise.detail)) << "\n";
    }
  }
  return true;
}

bool Stepper::where(std::string_view) {
  tell_place();
  out_ << fmt::format("Θ {}\nΠ {}\nΛ {}\n", to_text(machine().state().active), sync_text(machine(), machine().state().context.size(), 3),
                      context_text(machine(), 3));
  return true;
}

}  // namespace lockstep
