// What `lockstep run` says about a launch of PTX: to people, and as JSON.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <tuple>

#include "interpreter/ptx/counts.hpp"
#include "interpreter/ptx/live_registers.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/ops/apply.hpp"
#include "tools/command.hpp"
#include "tools/run_outputs.hpp"
#include "tools/run_ptx.hpp"

namespace lockstep::tools {

namespace {

using ptx_machine::Dim3;
using ptx_machine::Party;

std::string dims(const Dim3& d) { return fmt::format("{},{},{}", d.x, d.y, d.z); }

/// `"line":3,"column":5,"block":[0,0,0],"thread":[2,0,0]`, and where the line was compiled from.
std::string party_fields(const ptx::resolved::Module& module, const Party& party) {
  const ptx::resolved::Function& function = module.functions[party.function];
  const bool inside = party.pc < function.code.size();
  const LineColumn place = module.source->place(inside ? function.code[party.pc].place.begin : function.place.begin);
  std::string text = fmt::format("\"line\":{},\"column\":{},\"block\":[{}],\"thread\":[{}]", place.line, place.column, dims(party.block),
                                 dims(party.thread));
  if (inside && function.code[party.pc].loc >= 0) {
    const ptx::Loc& loc = function.locs[static_cast<std::size_t>(function.code[party.pc].loc)];
    const auto file = std::ranges::find_if(module.files, [&](const ptx::File& f) { return f.number == loc.file; });
    text += fmt::format(",\"source\":{{\"file\":{},\"line\":{},\"column\":{}}}",
                        file == module.files.end() ? "null" : json_string(file->name), loc.line, loc.column);
  }
  return text;
}

std::string_view name_of(ptx_machine::OpenResult::What what) {
  using enum ptx_machine::OpenResult::What;
  return what == Stored ? "stored" : what == Address ? "address" : "decided";
}

void print_json_races(const PtxReport& report) {
  if (!report.options.races) {
    fmt::print(",\"races\":null,\"race_reports\":null");
    return;
  }
  fmt::print(",\"races\":{},\"race_reports\":[", report.outcome.race_count);
  const char* separator = "";
  for (const ptx_machine::Race& race : report.outcome.races) {
    fmt::print("{}{{\"object\":{},\"byte\":{},\"first\":{{{},\"writes\":{}}},\"second\":{{{},\"writes\":{}}}}}", separator,
               json_string(race.object), race.byte, party_fields(report.module, race.first), race.first_writes,
               party_fields(report.module, race.second), race.second_writes);
    separator = ",";
  }
  fmt::print("]");
}

const launch::Buffer& buffer_of(const PtxReport& report, std::size_t parameter) {
  return report.arguments.buffers[std::get<BufferNumber>(report.arguments.values[parameter]).number];
}

std::string count_fields(const ptx_machine::AccessCount& count, std::string_view transactions) {
  const std::string lines = transactions == "sectors" ? fmt::format(",\"lines\":{}", count.lines) : "";
  return fmt::format("{{\"instructions\":{},\"bytes\":{},\"{}\":{}{}}}", count.instructions, count.bytes, transactions, count.transactions,
                     lines);
}

/// What the launch asks of hardware.
void print_json_counts(const PtxReport& report) {
  const ptx_machine::Counts& counts = *report.outcome.counts;
  fmt::print("\"counts\":{{\"instructions\":{{");
  const char* comma = "";
  for (std::size_t k = 0; k < ptx_machine::issue_classes; ++k) {
    if (counts.issued[k] != 0) {
      fmt::print("{}\"{}\":{}", comma, ptx_machine::name_of(static_cast<ptx_machine::IssueClass>(k)), counts.issued[k]);
      comma = ",";
    }
  }
  fmt::print("}}");
  for (const auto& [name, accesses, transactions] :
       {std::tuple("global", &counts.global, "sectors"), std::tuple("shared", &counts.shared, "passes"),
        std::tuple("local", &counts.local, "sectors")}) {
    fmt::print(",\"{}\":{{\"loads\":{},\"stores\":{}}}", name, count_fields(accesses->loads, transactions),
               count_fields(accesses->stores, transactions));
  }
  const auto last = std::ranges::find_if(counts.again | std::views::reverse, [](std::uint64_t count) { return count != 0; }).base();
  fmt::print(",\"again\":[{}]", fmt::join(counts.again.begin(), last, ","));
  const ptx_machine::LiveRegisters live = ptx_machine::most_live(report.kernel);
  fmt::print(",\"sectors_read\":{},\"sectors_written\":{},\"live_registers\":{},\"live_predicates\":{}}}", counts.sectors_read,
             counts.sectors_written, live.words, live.predicates);
}

}  // namespace

void print_json(const PtxReport& report) {
  const ptx_machine::Outcome& outcome = report.outcome;
  fmt::print("{{\"status\":\"{}\",\"reason\":{},\"kernel\":{},\"grid\":[{}],\"block\":[{}],\"steps\":{},\"thread_steps\":{}", report.status,
             json_string(outcome.fault ? outcome.fault->message : ""), json_string(report.kernel.name), dims(report.options.geometry.grid),
             dims(report.options.geometry.block), outcome.steps, outcome.thread_steps);
  print_json_races(report);
  fmt::print(",\"open\":[");
  const char* comma = "";
  for (const ptx_machine::OpenResult& open : outcome.open) {
    const ptx::resolved::Instruction& instruction = report.module.functions[open.function].code[open.pc];
    fmt::print("{}{{\"line\":{},\"what\":\"{}\",\"origin\":{}}}", comma, report.module.source->place(instruction.place.begin).line,
               name_of(open.what), open.origin);
    comma = ",";
  }
  fmt::print("],");
  print_json_counts(report);
  fmt::print(",\"buffers\":{{");
  const char* separator = "";
  for (const std::size_t parameter : report.shown) {
    const launch::Buffer& buffer = buffer_of(report, parameter);
    fmt::print("{}{}:[", separator, json_string(ptx_machine::parameter_name(report.kernel, parameter)));
    for (std::uint64_t k = 0; k < buffer.count; ++k) {
      fmt::print("{}{}", k == 0 ? "" : ",", json_element(buffer, k));
    }
    fmt::print("]");
    separator = ",";
  }
  fmt::print("}}");
  if (outcome.fault) {
    fmt::print(",\"fault\":{{\"kind\":\"{}\",{}}}", ptx_machine::name_of(outcome.fault->kind),
               party_fields(report.module, outcome.fault->party));
  } else {
    fmt::print(",\"fault\":null");
  }
  fmt::print("}}\n");
}

void print_summary(const PtxReport& report) {
  const ptx_machine::Outcome& outcome = report.outcome;
  fmt::print("{} after {}{}{}\n", report.status, counted(outcome.steps, "step"), outcome.fault ? ": " : "",
             outcome.fault ? outcome.fault->message : "");
  fmt::print("kernel:  {}, grid {}, block {}\n", shortened(report.kernel.name), dims(report.options.geometry.grid),
             dims(report.options.geometry.block));
  fmt::print("threads: {} of a thread\n", counted(outcome.thread_steps, "instruction"));
  fmt::print("races:   {}\n", !report.options.races     ? "not looked for"
                              : outcome.race_count == 0 ? "none"
                                                        : std::to_string(outcome.race_count));
  if (!outcome.open.empty()) {
    fmt::print("open:    {} on results that PTX leaves open\n",
               counted(outcome.open.size(), "instruction") + (outcome.open.size() == 1 ? " depends" : " depend"));
  }
  for (std::size_t k = 0; k < std::min(report.shown.size(), most_buffers); ++k) {
    fmt::print("{}", k == 0 ? "buffers:\n" : "");
    print_buffer(shortened(ptx_machine::parameter_name(report.kernel, report.shown[k])), buffer_of(report, report.shown[k]));
  }
}

}  // namespace lockstep::tools
