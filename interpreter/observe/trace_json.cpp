#include "interpreter/observe/trace_json.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <ostream>

#include "interpreter/machine/machine.hpp"
#include "interpreter/observe/trace_table.hpp"
#include "semantics/musimd/print.hpp"

namespace lockstep {

using namespace musimd;

namespace {

/// Integers up to this size survive a reader that computes in doubles.
constexpr std::int64_t exact = std::int64_t{1} << 53;

/// Answers of premises that are told once and referred to afterwards; programs have far fewer different ones.
constexpr std::size_t most_known_answers = 4096;

template <class Integer>
void append(std::string& out, Integer n) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, n).ptr;
  out.append(digits, end);
}

template <class Integer>
void field(std::string& out, std::string_view key, Integer n) {
  out += key;
  append(out, n);
}

void range(std::string& out, unsigned first, unsigned last) {
  out += out.back() == '[' ? "[" : ",[";
  append(out, first);
  out += ',';
  append(out, last);
  out += ']';
}

/// A set of threads: [[first,last],…], ascending, no two ranges adjacent.
void append_set(std::string& out, const LaneSet& set) {
  out += '[';
  unsigned first = 0;
  unsigned behind = 0;  // the open range is [first, behind); none while equal
  set.for_each([&](unsigned t) {
    if (first == behind || t != behind) {
      if (first != behind) {
        range(out, first, behind - 1);
      }
      first = t;
    }
    behind = t + 1;
  });
  if (first != behind) {
    range(out, first, behind - 1);
  }
  out += ']';
}

void append_entry(std::string& out, const SyncEntry<Concrete>& entry) {
  field(out, "{\"branch_pc\":", entry.branch_pc);
  out += ",\"done\":";
  append_set(out, entry.done);
  field(out, ",\"resume_at\":", entry.resume_at);
  out += ",\"todo\":";
  append_set(out, entry.todo);
  out += '}';
}

/// Entries [begin, end) of the vector that all frames share, without those that are too deep to be shown.
void append_entries(std::string& out, const std::vector<SyncEntry<Concrete>>& sync, std::size_t begin, std::size_t end) {
  const std::size_t shown = sync.size() > TraceJson::most_entries ? sync.size() - TraceJson::most_entries : 0;
  out += '[';
  for (std::size_t i = std::max(begin, shown); i < end; ++i) {
    out += out.back() == '[' ? "" : ",";
    append_entry(out, sync[i]);
  }
  out += ']';
}

void append_stacks(std::string& out, const Machine::State& s) {
  out += ",\"sync\":";
  append_entries(out, s.sync, s.frame_base, s.sync.size());
  field(out, ",\"sync_depth\":", s.sync.size() - s.frame_base);
  out += ",\"context\":[";
  const std::size_t frames = s.context.size();
  for (std::size_t i = frames > TraceJson::most_entries ? frames - TraceJson::most_entries : 0; i < frames; ++i) {
    const std::size_t end = i + 1 < frames ? s.context[i + 1].sync_base : s.frame_base;
    out += out.back() == '[' ? "{\"mask\":" : ",{\"mask\":";
    append_set(out, s.context[i].mask);
    out += ",\"sync\":";
    append_entries(out, s.sync, s.context[i].sync_base, end);
    field(out, ",\"sync_depth\":", end - s.context[i].sync_base);
    out += '}';
  }
  field(out, "],\"context_depth\":", frames);
}

void note_variables(const Expr& e, std::vector<VarId>& found) {
  for (const ExprNode& node : e.nodes) {
    const auto* variable = std::get_if<Variable>(&node);
    if (variable != nullptr && std::find(found.begin(), found.end(), variable->id) == found.end()) {
      found.push_back(variable->id);
    }
  }
}

/// The variables that an instruction evaluates in every thread of Θ.
struct OperandVariables {
  std::vector<VarId>& found;

  void operator()(const BranchZero& i) const { note_variables(i.condition, found); }
  void operator()(const JumpMask& i) const { note_variables(i.thread, found); }
  void operator()(const Assign& i) const { note_variables(i.value, found); }
  void operator()(const Load& i) const { note_variables(i.address, found); }
  void operator()(const Store& i) const {
    note_variables(i.address, found);
    note_variables(i.value, found);
  }
  void operator()(const Shuffle& i) const { note_variables(i.lane, found); }
  template <class I>
  void operator()(const I&) const {}
};

}  // namespace

/// `text` with quotes; bytes that are no UTF-8 are replaced.
void TraceJson::string(std::string& out, std::string_view text) const {
  const std::string quoted = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (const char c : quoted) {
    if (c == '<' && reader_ == Reader::Page) {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
}

void TraceJson::number(std::string& out, std::int64_t n) const {
  const bool quoted = reader_ == Reader::Page && (n > exact || n < -exact);
  out += quoted ? "\"" : "";
  append(out, n);
  out += quoted ? "\"" : "";
}

void TraceJson::variable(std::string& out, const Machine& machine, VarId id, const LaneSet& threads) const {
  out += "{\"variable\":";
  string(out, machine.program().variables[id]);
  out += ",\"threads\":";
  append_set(out, threads);
  out += ",\"values\":[";
  threads.for_each([&](unsigned t) {
    const Cell cell = machine.state().bank.read(id, t);
    out += out.back() == '[' ? "" : ",";
    if (cell.state == CellState::Number) {
      number(out, cell.number);
    } else {
      out += cell.state == CellState::Poison ? "\"poison\"" : "null";
    }
  });
  out += "]}";
}

void TraceJson::cells(std::string& out, const CellAccess& access, const LaneSet& threads) const {
  out += "{\"cells\":[";
  threads.for_each([&](unsigned t) {
    out += out.back() == '[' ? "" : ",";
    number(out, access.addresses[t]);
  });
  out += "],\"threads\":";
  append_set(out, threads);
  out += ",\"values\":[";
  threads.for_each([&](unsigned t) {
    out += out.back() == '[' ? "" : ",";
    if (access.poison != nullptr && access.poison->contains(t)) {
      out += "\"poison\"";
    } else {
      number(out, access.values[t]);
    }
  });
  out += "]}";
}

TraceJson::Fixed TraceJson::fixed_part(const Program& program, Label pc) const {
  Fixed fixed;
  const Statement& statement = program.code[pc];
  std::visit(OperandVariables{fixed.reads}, statement.instruction);
  if (const auto* shuffle = std::get_if<Shuffle>(&statement.instruction)) {
    if (const auto* variable = std::get_if<Variable>(&shuffle->source)) {
      fixed.shuffled = variable->id;
    }
  }
  field(fixed.fields, ",\"pc\":", pc);
  if (reader_ == Reader::Page) {
    return fixed;
  }
  if (const auto labels = labels_at(program, pc); !labels.empty()) {
    fixed.fields += ",\"labels\":[";
    for (const std::string& label : labels) {
      fixed.fields += fixed.fields.back() == '[' ? "" : ",";
      string(fixed.fields, label);
    }
    fixed.fields += ']';
  }
  fixed.fields += ",\"instruction\":";
  string(fixed.fields, print(program, statement.instruction));
  field(fixed.fields, ",\"line\":", source_.place(statement.span.begin).line);
  return fixed;
}

void TraceJson::write_line() {
  line_ += '\n';
  out_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
  bytes_ += line_.size();
  line_.clear();
}

void TraceJson::header(const Machine& machine) {
  const Program& program = machine.program();
  field(line_, "{\"lockstep\":", format_version);
  line_ += ",\"semantics\":";
  string(line_, semantics_text(machine.options().printed));
  line_ += ",\"file\":";
  string(line_, source_.name());
  field(line_, ",\"threads\":", machine.threads());
  line_ += ",\"order\":[";
  for (unsigned t = 0; t < machine.threads(); ++t) {
    line_ += t == 0 ? "" : ",";
    append(line_, machine.options().order.empty() ? t : machine.options().order[t]);
  }
  line_ += "],\"as_printed\":[";
  for (std::size_t i = 0; i < erratum_names.size(); ++i) {
    if (machine.options().printed.contains(static_cast<Erratum>(i))) {
      line_ += line_.back() == '[' ? "" : ",";
      string(line_, erratum_names[i]);
    }
  }
  line_ += "],\"variables\":[";
  for (const std::string& name : program.variables) {
    line_ += line_.back() == '[' ? "" : ",";
    string(line_, name);
  }
  line_ += "],\"program\":[";
  std::vector<std::vector<std::string_view>> labels(program.code.size());
  for (const LabelDefinition& label : program.labels) {
    if (label.pc < labels.size()) {
      labels[label.pc].push_back(label.name);
    }
  }
  for (Label pc = 0; pc < program.code.size(); ++pc) {
    const std::uint32_t number = source_.place(program.code[pc].span.begin).line;
    field(line_, pc == 0 ? "{\"pc\":" : ",{\"pc\":", pc);
    line_ += ",\"labels\":[";
    for (const std::string_view label : labels[pc]) {
      line_ += line_.back() == '[' ? "" : ",";
      string(line_, label);
    }
    line_ += "],\"instruction\":";
    string(line_, print(program, program.code[pc].instruction));
    field(line_, ",\"line\":", number);
    line_ += ",\"source\":";
    string(line_, source_.line_text(number));
    line_ += '}';
  }
  line_ += ']';
}

void TraceJson::initial_memories(const Machine& machine) {
  line_ += ",\"locals\":[";
  const LaneSet all = LaneSet::all(machine.threads());
  for (VarId id = 0; id < machine.program().variables.size(); ++id) {
    const auto something = [](std::uint64_t word) { return word != 0; };
    const auto numbers = machine.state().bank.numbers(id);
    const auto poison = machine.state().bank.poison(id);
    if (std::any_of(numbers.begin(), numbers.end(), something) || std::any_of(poison.begin(), poison.end(), something)) {
      line_ += line_.back() == '[' ? "" : ",";
      variable(line_, machine, id, all);
    }
  }
  line_ += "],\"shared\":[";
  std::size_t count = 0;
  std::int64_t next = -1;
  machine.state().shared.for_each([&](std::int64_t address, const Cell& cell) {
    if (++count > page_cells && reader_ == Reader::Page) {
      return;
    }
    if (address != next) {
      line_ += next == -1 ? "{\"base\":" : "]},{\"base\":";
      number(line_, address);
      line_ += ",\"values\":[";
    } else {
      line_ += ',';
    }
    if (cell.state == CellState::Poison) {
      line_ += "\"poison\"";
    } else {
      number(line_, cell.number);
    }
    next = static_cast<std::int64_t>(static_cast<std::uint64_t>(address) + 1);  // may be -2^63: no cell follows then
  });
  line_ += next == -1 ? "]" : "]}]";
  if (reader_ == Reader::Page && count > page_cells) {
    field(line_, ",\"shared_left_out\":", count - page_cells);
  }
}

void TraceJson::initial_state(const Machine& machine) {
  const Machine::State& s = machine.state();
  field(line_, ",\"initial\":{\"step\":", machine.steps());
  field(line_, ",\"next\":", s.pc);
  line_ += ",\"active_after\":";
  append_set(line_, s.active);
  append_stacks(line_, s);
  initial_memories(machine);
  line_ += "}}";
}

void TraceJson::begin(const Machine& machine) {
  begun_ = true;
  for (Label pc = 0; pc < machine.program().code.size(); ++pc) {
    fixed_.push_back(fixed_part(machine.program(), pc));
  }
  header(machine);
  initial_state(machine);
  write_line();
}

void TraceJson::before_step(const Machine& machine) {
  if (!begun_) {
    begin(machine);
  }
  reads_.clear();
  asked_.clear();
  const Machine::State& s = machine.state();
  if (s.pc >= fixed_.size()) {
    return;
  }
  const Fixed& fixed = fixed_[s.pc];
  for (const VarId id : fixed.reads) {
    reads_ += reads_.empty() ? "" : ",";
    variable(reads_, machine, id, s.active);
  }
  if (fixed.shuffled) {  // the lanes that a shuffle may read from: the mask of rule SV
    reads_ += reads_.empty() ? "" : ",";
    variable(reads_, machine, *fixed.shuffled, s.context.empty() ? s.active : s.context.back().mask);
  }
}

void TraceJson::candidates(std::string& out, std::span<const CandidateReport> reports) const {
  out += "\"candidates\":[";
  for (const CandidateReport& report : reports) {
    out += out.back() == '[' ? "{\"rule\":" : ",{\"rule\":";
    string(out, name(report.rule.rule));
    out += ",\"root\":";
    string(out, name(report.rule.root));
    out += report.applies ? ",\"applies\":true,\"premises\":[" : ",\"applies\":false,\"premises\":[";
    for (const AskedPremise& premise : report.premises) {
      out += out.back() == '[' ? "[" : ",[";
      string(out, name(premise.rule));
      field(out, ",", premise.number);
      out += premise.holds ? ",true" : ",false";
      if (!premise.detail.empty()) {
        out += ',';
        string(out, premise.detail);
      }
      out += ']';
    }
    out += "]}";
  }
  out += ']';
}

void TraceJson::asked(const Machine&, std::span<const CandidateReport> reports) {
  if (reader_ != Reader::Page) {
    return;
  }
  std::string answers;
  candidates(answers, reports);
  auto known = known_answers_.find(answers);
  if (known == known_answers_.end()) {
    if (known_answers_.size() == most_known_answers) {
      asked_ = "," + answers;
      return;
    }
    known = known_answers_.emplace(answers, known_answers_.size()).first;
    field(line_, "{\"asked\":", known->second);
    line_ += ',';
    line_ += answers;
    line_ += '}';
    write_line();
  }
  field(asked_, ",\"asked\":", known->second);
}

void TraceJson::after_step(const Machine& machine, const StepEvent& event) {
  const Machine::State& s = machine.state();
  field(line_, "{\"step\":", event.step + 1);
  line_ += fixed_[event.pc].fields;
  line_ += ",\"rule\":";
  string(line_, name(event.fired.rule));
  if (event.fired.root != event.fired.rule) {
    line_ += ",\"root\":";
    string(line_, name(event.fired.root));
  }
  line_ += ",\"active\":";
  append_set(line_, event.active);
  line_ += ",\"active_after\":";
  append_set(line_, s.active);
  field(line_, ",\"next\":", s.pc);
  append_stacks(line_, s);
  line_ += ",\"reads\":[";
  line_ += reads_;
  if (event.access && !event.access->write) {
    line_ += reads_.empty() ? "" : ",";
    cells(line_, *event.access, event.active);
  }
  line_ += "],\"writes\":[";
  if (event.written) {
    variable(line_, machine, *event.written, event.active);
  } else if (event.access && event.access->write) {
    cells(line_, *event.access, event.active);
  }
  line_ += ']';
  if (event.taken) {
    line_ += ",\"taken\":";
    append_set(line_, *event.taken);
  }
  line_ += asked_;
  asked_.clear();
  line_ += '}';
  write_line();
}

void TraceJson::ended(const Machine& machine, const Ending& ending) {
  if (!begun_) {
    begin(machine);
  }
  line_ += "{\"ending\":";
  string(line_, status_word(ending));
  line_ += ",\"reason\":";
  string(line_, reason(ending));
  field(line_, ",\"steps\":", machine.steps());
  field(line_, ",\"pc\":", machine.state().pc);
  if (const auto* undefined = std::get_if<Undefined>(&ending)) {
    field(line_, ",\"thread\":", undefined->thread);
  }
  line_ += asked_;
  line_ += '}';
  write_line();
  out_.flush();
}

}  // namespace lockstep
