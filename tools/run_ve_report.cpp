// What `lockstep run` says about a run on VE: to people, and as JSON.

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/ve/counters_text.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/base/diagnostic.hpp"
#include "tools/command.hpp"
#include "tools/run_outputs.hpp"
#include "tools/run_ve.hpp"

namespace lockstep::tools {

namespace {

const launch::Buffer& buffer_at(const VeReport& report, std::size_t position) {
  return report.arguments.buffers[std::get<BufferNumber>(report.arguments.values[position]).number];
}

}  // namespace

void print_json(const VeReport& report) {
  const ve_machine::Outcome& outcome = report.outcome;
  fmt::print("{{\"status\":\"{}\",\"reason\":{},\"kernel\":{},{},\"s0\":", report.status,
             json_string(outcome.fault ? outcome.fault->message : ""), json_string(report.kernel.name), counters_json(outcome));
  fmt::print("{}", outcome.result.undefined == 0 ? fmt::format("\"0x{:016x}\"", outcome.result.bits) : "null");
  fmt::print(",\"buffers\":{{");
  const char* separator = "";
  for (const std::size_t position : report.shown) {
    const launch::Buffer& buffer = buffer_at(report, position);
    fmt::print("{}\"{}\":[", separator, position);
    for (std::uint64_t k = 0; k < buffer.count; ++k) {
      fmt::print("{}{}", k == 0 ? "" : ",", json_element(buffer, k));
    }
    fmt::print("]");
    separator = ",";
  }
  fmt::print("}},\"fault\":");
  if (outcome.fault) {
    fmt::print("{{\"kind\":\"{}\",\"place\":{}}}", ve_machine::name_of(outcome.fault->kind),
               json_string(ve_machine::place_text(report.object, outcome.fault->place)));
  } else {
    fmt::print("null");
  }
  fmt::print("}}\n");
}

void print_summary(const VeReport& report) {
  const ve_machine::Outcome& outcome = report.outcome;
  fmt::print("{} after {}{}{}\n", report.status, counted(outcome.counters.steps, "step"), outcome.fault ? ": " : "",
             outcome.fault ? outcome.fault->message : "");
  fmt::print("kernel:  {}\n", shortened(report.kernel.name));
  fmt::print("{}", counters_text(outcome));
  if (outcome.result.undefined == 0) {
    fmt::print("%s0:     0x{:016x}\n", outcome.result.bits);
  }
  for (std::size_t k = 0; k < std::min(report.shown.size(), most_buffers); ++k) {
    fmt::print("{}", k == 0 ? "buffers:\n" : "");
    print_buffer(std::to_string(report.shown[k]), buffer_at(report, report.shown[k]));
  }
}

}  // namespace lockstep::tools
