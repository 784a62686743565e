// What `lockstep run` says about a run on VE: to people, and as JSON.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "semantics/base/counted.hpp"
#include "semantics/base/diagnostic.hpp"
#include "tools/command.hpp"
#include "tools/run_outputs.hpp"
#include "tools/run_ve.hpp"

namespace lockstep::tools {

namespace {

constexpr std::size_t most_lengths = 8;

/// Instructions executed, by class.
std::array<std::uint64_t, ve::class_count> by_class(const ve_machine::Counters& counters) {
  std::array<std::uint64_t, ve::class_count> counts{};
  for (std::size_t k = 0; k < counters.rows.size(); ++k) {
    counts.at(static_cast<std::size_t>(ve::rows()[k].kind_class)) += counters.rows[k];
  }
  return counts;
}

/// `"scalar":9,"control":5`, or for people `scalar 9, control 5`: those that there are.
std::string classes_text(const ve_machine::Counters& counters, bool json) {
  std::string text;
  const auto counts = by_class(counters);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts.at(k) != 0) {
      const std::string_view name = ve::name_of(static_cast<ve::Class>(k));
      text += (text.empty() ? ""
               : json       ? ","
                            : ", ") +
              (json ? fmt::format("\"{}\":{}", name, counts.at(k)) : fmt::format("{} {}", name, counts.at(k)));
    }
  }
  return text.empty() && !json ? "none" : text;
}

const launch::Buffer& buffer_at(const VeReport& report, std::size_t position) {
  return report.arguments.buffers[std::get<BufferNumber>(report.arguments.values[position]).number];
}

std::uint64_t vector_instructions(const ve_machine::Counters& counters) {
  std::uint64_t count = 0;
  for (const std::uint64_t n : counters.lengths) {
    count += n;
  }
  return count;
}

/// "256 (5), 232 (1)": the lengths that most instructions had.
std::string lengths_text(const ve_machine::Counters& counters) {
  std::vector<std::size_t> lengths;
  for (std::size_t k = 0; k < counters.lengths.size(); ++k) {
    if (counters.lengths.at(k) != 0) {
      lengths.push_back(k);
    }
  }
  std::ranges::stable_sort(lengths, [&](std::size_t a, std::size_t b) { return counters.lengths.at(a) > counters.lengths.at(b); });
  std::string text;
  for (std::size_t k = 0; k < std::min(lengths.size(), most_lengths); ++k) {
    text += fmt::format("{}{} ({})", k == 0 ? "" : ", ", lengths[k], counters.lengths.at(lengths[k]));
  }
  return lengths.size() > most_lengths ? text + ", …" : text;
}

}  // namespace

void print_json(const VeReport& report) {
  const ve_machine::Outcome& outcome = report.outcome;
  const ve_machine::Counters& counters = outcome.counters;
  fmt::print("{{\"status\":\"{}\",\"reason\":{},\"kernel\":{},\"steps\":{},\"instructions\":{{{}}},\"elements\":{},\"lengths\":{{",
             report.status, json_string(outcome.fault ? outcome.fault->message : ""), json_string(report.kernel.name), counters.steps,
             classes_text(counters, true), counters.elements);
  const char* comma = "";
  for (std::size_t k = 0; k < counters.lengths.size(); ++k) {
    if (counters.lengths.at(k) != 0) {
      fmt::print("{}\"{}\":{}", comma, k, counters.lengths.at(k));
      comma = ",";
    }
  }
  fmt::print("}},\"bytes_read\":{},\"bytes_written\":{},\"approximations\":{},\"s0\":", counters.bytes_read, counters.bytes_written,
             counters.approximations);
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
  const ve_machine::Counters& counters = outcome.counters;
  fmt::print("{} after {}{}{}\n", report.status, counted(counters.steps, "step"), outcome.fault ? ": " : "",
             outcome.fault ? outcome.fault->message : "");
  fmt::print("kernel:  {}\n", shortened(report.kernel.name));
  fmt::print("steps:   {}\n", classes_text(counters, false));
  if (const std::uint64_t count = vector_instructions(counters); count != 0) {
    fmt::print("vectors: {} with {}; lengths {}\n", counted(count, "instruction"), counted(counters.elements, "element"),
               lengths_text(counters));
  }
  fmt::print("memory:  {} read, {} written\n", counted(counters.bytes_read, "byte"), counted(counters.bytes_written, "byte"));
  if (counters.approximations != 0) {
    fmt::print("open:    {} approximated, which hardware may give other last bits\n", counted(counters.approximations, "element"));
  }
  if (outcome.result.undefined == 0) {
    fmt::print("%s0:     0x{:016x}\n", outcome.result.bits);
  }
  for (std::size_t k = 0; k < std::min(report.shown.size(), most_buffers); ++k) {
    fmt::print("{}", k == 0 ? "buffers:\n" : "");
    print_buffer(std::to_string(report.shown[k]), buffer_at(report, report.shown[k]));
  }
}

}  // namespace lockstep::tools
