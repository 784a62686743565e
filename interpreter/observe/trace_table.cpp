#include "interpreter/observe/trace_table.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>

#include "interpreter/machine/machine.hpp"
#include "semantics/musimd/print.hpp"

namespace lockstep {

using namespace musimd;

namespace {

/// Counts changes of what the rules mean, so that a kept trace says which meaning it shows.
constexpr int semantics_version = 1;

constexpr std::size_t widest_label = 16;
constexpr std::size_t widest_text = 48;
constexpr std::size_t widest_variable = 16;
constexpr std::size_t most_runs = 4;
constexpr std::size_t runs_width = 40;

/// `text` in at most `width` characters; it is ASCII.
std::string cut(const std::string& text, std::size_t width) { return text.size() <= width ? text : text.substr(0, width - 1) + "…"; }

/// Characters, not bytes, of UTF-8.
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = display_width(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

std::string padded_left(const std::string& text, std::size_t width) {
  const std::size_t used = display_width(text);
  return used < width ? std::string(width - used, ' ') + text : text;
}

std::string labels_text(const Program& program, Label pc) {
  std::string all;
  for (const std::string& label : labels_at(program, pc)) {
    all += (all.empty() ? "" : " ") + label;
  }
  return cut(all, widest_label);
}

/// What the row shows for one thread; "" where the instruction has nothing to show.
std::string shown(const Machine& machine, const StepEvent& event, unsigned thread) {
  if (event.written) {
    return short_text(machine.state().bank.read(*event.written, thread));
  }
  if (!event.taken) {
    return {};
  }
  return !event.active.contains(thread) ? "•" : event.taken->contains(thread) ? "T" : "F";
}

/// A lane set's ranges [first, last], in ascending order, as long as f returns true.
template <class F>
void for_each_range(const LaneSet& set, F&& f) {
  for (unsigned t = 0; t < set.width(); ++t) {
    if (!set.contains(t)) {
      continue;
    }
    const unsigned first = t;
    while (set.contains(t + 1)) {
      ++t;
    }
    if (!f(first, t)) {
      return;
    }
  }
}

std::string range_text(unsigned first, unsigned last) { return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last); }

}  // namespace

std::string short_text(const Cell& cell) {
  switch (cell.state) {
    case CellState::Uninitialised:
      return "*";
    case CellState::Poison:
      return "?";
    case CellState::Number:
      break;
  }
  return std::to_string(cell.number);
}

std::string ranges_text(const LaneSet& set, std::size_t most) {
  std::string text;
  std::size_t count = 0;
  for_each_range(set, [&](unsigned first, unsigned last) {
    if (++count > most) {
      text += fmt::format(",… ({} of {})", set.size(), set.width());
      return false;
    }
    text += (text.empty() ? "" : ",") + range_text(first, last);
    return true;
  });
  return text.empty() ? "none" : text;
}

std::string semantics_text(AsPrinted printed) {
  if (printed.empty()) {
    return fmt::format("reference semantics {}", semantics_version);
  }
  std::string text = fmt::format("semantics {} as printed in", semantics_version);
  const char* separator = " ";
  for (std::size_t i = 0; i < erratum_names.size(); ++i) {
    if (printed.contains(static_cast<Erratum>(i))) {
      text += fmt::format("{}{}", separator, erratum_names[i]);
      separator = ", ";
    }
  }
  return text;
}

std::string order_text(const std::vector<unsigned>& order) {
  if (std::is_sorted(order.begin(), order.end())) {
    return "ascending";
  }
  if (std::is_sorted(order.rbegin(), order.rend())) {
    return "descending";
  }
  std::string text;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == TraceTable::narrow) {
      return text + " …";
    }
    text += fmt::format("{}{}", i == 0 ? "" : " ", order[i]);
  }
  return text;
}

void TraceTable::begin(const Machine& machine) {
  begun_ = true;
  const Program& program = machine.program();
  text_width_ = std::string_view("instruction").size();
  variable_width_ = std::string_view("var").size();
  for (Label pc = 0; pc < program.code.size(); ++pc) {
    label_width_ = std::max(label_width_, display_width(labels_text(program, pc)));
    text_width_ = std::max(text_width_, display_width(cut(print(program, program.code[pc].instruction), widest_text)));
  }
  for (const std::string& variable : program.variables) {
    variable_width_ = std::max(variable_width_, display_width(cut(variable, widest_variable)));
  }
  fmt::print(out_, "# {}, {} threads, order {}\n", semantics_text(machine.options().printed), machine.threads(),
             order_text(machine.options().order));
  fmt::print(out_, "{}  {}  rule     {}", std::string(label_width_, ' '), padded("instruction", text_width_),
             padded("var", variable_width_));
  if (machine.threads() > narrow) {
    fmt::print(out_, "  {}  active\n", padded("values", runs_width));
    return;
  }
  value_width_ = machine.threads() > 10 ? 3 : value_width_;
  for (unsigned t = 0; t < machine.threads(); ++t) {
    fmt::print(out_, " {}", padded_left(std::to_string(t), value_width_));
  }
  fmt::print(out_, "  active\n");
}

void TraceTable::before_step(const Machine& machine) {
  if (!begun_) {
    begin(machine);
  }
}

void TraceTable::columns(const Machine& machine, const StepEvent& event) {
  std::vector<std::string> values;
  for (unsigned t = 0; t < machine.threads(); ++t) {
    values.push_back(shown(machine, event, t));
    value_width_ = std::max(value_width_, display_width(values.back()));
  }
  for (const std::string& value : values) {
    fmt::print(out_, " {}", padded_left(value, value_width_));
  }
  out_ << ' ';
  for (unsigned t = 0; t < machine.threads(); ++t) {
    out_ << (event.active.contains(t) ? " ✓" : " •");
  }
  out_ << '\n';
}

void TraceTable::runs(const Machine& machine, const StepEvent& event) {
  std::string text;
  std::size_t count = 0;
  for (unsigned t = 0; (event.written || event.taken) && t < machine.threads();) {
    const std::string value = shown(machine, event, t);
    const unsigned first = t;
    do {
      ++t;
    } while (t < machine.threads() && shown(machine, event, t) == value);
    if (++count > most_runs) {
      text += " …";
      break;
    }
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", range_text(first, t - 1), value);
  }
  fmt::print(out_, "  {}  {}\n", padded(text, runs_width), ranges_text(event.active));
}

void TraceTable::after_step(const Machine& machine, const StepEvent& event) {
  const Program& program = machine.program();
  fmt::print(out_, "{}  {}  {}  {}", padded(labels_text(program, event.pc), label_width_),
             padded(cut(print(program, program.code[event.pc].instruction), widest_text), text_width_),
             padded(std::string(name(event.fired.root)), 7),
             padded(event.written ? cut(program.variables[*event.written], widest_variable) : "", variable_width_));
  if (machine.threads() > narrow) {
    runs(machine, event);
  } else {
    columns(machine, event);
  }
}

void TraceTable::ended(const Machine& machine, const Ending& ending) {
  if (!begun_) {
    begin(machine);
  }
  const std::string why = reason(ending);
  fmt::print(out_, "# {} after {} step{}{}{}\n", status_word(ending), machine.steps(), machine.steps() == 1 ? "" : "s",
             why.empty() ? "" : ": ", why);
  out_.flush();
}

}  // namespace lockstep
