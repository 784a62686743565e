// `lockstep run --json`: one object, written as it is made, so that a large Σ takes no memory twice.

#include <fmt/format.h>

#include "tools/command.hpp"
#include "tools/run.hpp"

namespace lockstep::tools {

using namespace musimd;

namespace {

constexpr std::size_t most_stack_entries = 64;

std::string number_or_null(const Cell& cell) { return cell.state == CellState::Number ? std::to_string(cell.number) : "null"; }

std::string list(const LaneSet& set) {
  std::string text;
  set.for_each([&](unsigned t) { text += (text.empty() ? "" : ",") + std::to_string(t); });
  return "[" + text + "]";
}

void print_memories(const Machine& machine) {
  const char* separator = "";
  fmt::print(",\"shared\":{{");
  machine.state().shared.for_each([&](std::int64_t address, const Cell& cell) {
    fmt::print("{}\"{}\":{}", separator, address, number_or_null(cell));
    separator = ",";
  });
  fmt::print("}},\"locals\":{{");
  separator = "";
  for (VarId v = 0; v < machine.program().variables.size(); ++v) {
    fmt::print("{}{}:[", separator, json_string(machine.program().variables[v]));
    for (unsigned t = 0; t < machine.threads(); ++t) {
      fmt::print("{}{}", t == 0 ? "" : ",", number_or_null(machine.state().bank.read(v, t)));
    }
    fmt::print("]");
    separator = ",";
  }
  fmt::print("}}");
}

void print_races(const RunReport& report) {
  if (report.races == nullptr) {
    fmt::print(",\"races\":null,\"first_races\":null");
    return;
  }
  fmt::print(",\"races\":{},\"first_races\":[", report.races->count());
  const char* separator = "";
  for (const Race& race : report.races->races()) {
    const LineColumn place = report.source.place(span_of(report.machine.program(), report.source, race.pc).begin);
    fmt::print("{}{{\"step\":{},\"pc\":{},\"line\":{},\"address\":{},\"threads\":[{},{}],\"values\":[{},{}]}}", separator, race.step,
               race.pc, place.line, race.address, race.threads[0], race.threads[1], number_or_null(race.values[0]),
               number_or_null(race.values[1]));
    separator = ",";
  }
  fmt::print("]");
}

void print_uninitialised(const UninitialisedObserver& observer) {
  fmt::print(",\"uninitialised_reads\":{},\"first_uninitialised_reads\":[", observer.count());
  const char* separator = "";
  for (const UninitialisedRead& read : observer.reads()) {
    fmt::print("{}{{\"step\":{},\"pc\":{},\"thread\":{},\"fatal\":{},\"what\":{}}}", separator, read.step, read.pc, read.thread, read.fatal,
               json_string(read.what));
    separator = ",";
  }
  fmt::print("]");
}

/// Where the last most_stack_entries of [begin, end) begin.
std::size_t first_shown(std::size_t begin, std::size_t end) { return end - begin > most_stack_entries ? end - most_stack_entries : begin; }

/// The entries [begin, end) of the vector of all frames, those of one of them: what lies deep in it is left out.
std::string sync_list(const Machine::State& s, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t k = first_shown(begin, end); k < end; ++k) {
    const auto& entry = s.sync[k];
    text += fmt::format("{}{{\"branch_pc\":{},\"done\":{},\"resume_at\":{},\"todo\":{}}}", text.empty() ? "" : ",", entry.branch_pc,
                        list(entry.done), entry.resume_at, list(entry.todo));
  }
  return fmt::format("\"sync\":[{}],\"sync_depth\":{}", text, end - begin);
}

void print_stacks(const Machine::State& s) {
  fmt::print(",{},\"context\":[", sync_list(s, s.frame_base, s.sync.size()));
  const std::size_t frames = s.context.size();
  const std::size_t first = first_shown(0, frames);
  for (std::size_t k = first; k < frames; ++k) {
    const std::size_t end = k + 1 < frames ? s.context[k + 1].sync_base : s.frame_base;
    fmt::print("{}{{\"mask\":{},{}}}", k == first ? "" : ",", list(s.context[k].mask), sync_list(s, s.context[k].sync_base, end));
  }
  fmt::print("],\"context_depth\":{}", frames);
}

/// The premises that failed.
void print_failure(const Ending& ending) {
  if (const auto* undefined = std::get_if<Undefined>(&ending)) {
    fmt::print(",\"rule\":\"{}\",\"premise\":\"{}.{}\",\"thread\":{},\"value\":{}", name(undefined->rule.root),
               name(undefined->premise.rule), undefined->premise.number, undefined->thread, json_string(undefined->premise.detail));
  } else if (const auto* stuck = std::get_if<Stuck>(&ending)) {
    fmt::print(",\"failed\":[");
    const char* separator = "";
    for (const CandidateReport& candidate : stuck->candidates) {
      for (const AskedPremise& premise : candidate.premises) {
        if (!premise.holds) {
          fmt::print("{}{{\"rule\":\"{}\",\"premise\":\"{}.{}\"}}", separator, name(candidate.rule.root), name(premise.rule),
                     premise.number);
          separator = ",";
        }
      }
    }
    fmt::print("]");
  }
}

/// Bytes as text: each is the code point of its number, so that none is lost.
std::string latin1(unsigned char byte) {
  return byte < 0x80 ? std::string(1, static_cast<char>(byte))
                     : std::string{static_cast<char>(0xc0 | (byte >> 6)), static_cast<char>(0x80 | (byte & 0x3f))};
}

void print_dumps(const std::vector<Dump>& dumps, const Cells& shared) {
  fmt::print(",\"dumps\":[");
  const char* separator = "";
  for (const Dump& dump : dumps) {
    if (dump.request.format == DumpRequest::Format::Npy) {
      continue;  // stands in its file
    }
    fmt::print("{}{{\"base\":{},\"length\":{}", separator, dump.base, dump.length);
    separator = ",";
    std::string text;
    std::string missing;
    const bool as_text = dump.request.format == DumpRequest::Format::Text;
    fmt::print("{}", as_text ? "" : ",\"values\":[");
    for (std::uint64_t i = 0; i < dump.length; ++i) {
      const Cell cell = shared.read(dump.base + static_cast<std::int64_t>(i));
      if (as_text) {
        const bool byte = cell.state == CellState::Number && cell.number >= 0 && cell.number <= 0xff;
        text += byte ? latin1(static_cast<unsigned char>(cell.number)) : "?";
        missing += byte ? "" : (missing.empty() ? "" : ",") + std::to_string(i);
      } else {
        fmt::print("{}{}", i == 0 ? "" : ",", number_or_null(cell));
      }
    }
    fmt::print("{}}}", as_text ? fmt::format(",\"text\":{},\"no_bytes\":[{}]", json_string(text), missing) : "]");
  }
  fmt::print("]");
}

}  // namespace

std::string rules_json(const RuleCounts& counts) {
  std::string text;
  for (const RuleInfo& rule : rule_table) {
    if (const std::uint64_t count = counts[static_cast<std::size_t>(rule.id)]; count > 0) {
      text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", rule.name, count);
    }
  }
  return "{" + text + "}";
}

void print_json(const RunReport& report, const std::vector<Dump>& dumps) {
  const Machine& machine = report.machine;
  fmt::print("{{\"status\":\"{}\",\"reason\":{},\"steps\":{}", report.status, json_string(report.reason), machine.steps());
  fmt::print(",\"rules\":{}", rules_json(machine.rule_counts()));
  fmt::print(",\"active\":{}", list(machine.state().active));
  print_memories(machine);
  print_races(report);
  print_uninitialised(report.uninitialised);
  const LineColumn place = report.source.place(span_of(machine.program(), report.source, machine.state().pc).begin);
  fmt::print(",\"threads\":{},\"pc\":{},\"line\":{},\"column\":{}", machine.threads(), machine.state().pc, place.line, place.column);
  print_failure(report.ending);
  print_stacks(machine.state());
  if (!dumps.empty()) {
    print_dumps(dumps, machine.state().shared);
  }
  fmt::print("}}\n");
}

}  // namespace lockstep::tools
