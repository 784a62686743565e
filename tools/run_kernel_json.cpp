// `lockstep run --json` of a launch: one object, written as it is made, so that large buffers take no memory twice.

#include <fmt/format.h>

#include "semantics/base/line_origins.hpp"
#include "semantics/ops/apply.hpp"
#include "tools/command.hpp"
#include "tools/run.hpp"
#include "tools/run_kernel.hpp"

namespace lockstep::tools {

namespace {

/// `"line":3,"column":5,"group":0,"item":2`
std::string party_fields(const typed::Program& program, const launch::Party& party) {
  const LineColumn place = program.source->place(party.span.begin);
  const Origin origin = origin_of(*program.source, party.span);
  const std::string file = origin.file == program.source->name() ? "" : fmt::format("\"file\":{},", json_string(origin.file));
  return fmt::format("{}\"line\":{},\"column\":{},\"group\":{},\"item\":{}", file, origin.line, place.column, party.group, party.item);
}

std::string race_party(const typed::Program& program, const launch::Party& party, bool writes, const std::string& value) {
  return fmt::format("{{{},\"writes\":{},\"value\":{}}}", party_fields(program, party), writes, json_string(value));
}

void print_races(const KernelReport& report) {
  if (!report.options.races) {
    fmt::print(",\"races\":null,\"race_reports\":null");
    return;
  }
  fmt::print(",\"races\":{},\"race_reports\":[", report.outcome.race_count);
  const char* separator = "";
  for (const launch::Race& race : report.outcome.races) {
    fmt::print("{}{{\"object\":{},\"index\":{},\"equal_values\":{},\"first\":{},\"second\":{}}}", separator, json_string(race.object),
               race.index, race.of_equal_values(), race_party(report.program, race.first, race.first_writes, race.first_value),
               race_party(report.program, race.second, race.second_writes, race.second_value));
    separator = ",";
  }
  fmt::print("]");
}

/// A number as JSON has it: what it has not (inf, nan) is a string. Floats have a point or an exponent, so that readers that tell floats
/// from integers take them for floats, -0.0 too.
std::string json_number(ScalarType type, std::uint64_t bits) {
  std::string text = ops::text_of(type, bits);
  if (!is_float(type)) {
    return text;
  }
  if (text.find_first_of("in") != std::string::npos) {
    return '"' + text + '"';
  }
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

/// The buffers that the kernel may have written, without those that are in files.
void print_buffers(const KernelReport& report) {
  fmt::print(",\"buffers\":{{");
  const char* separator = "";
  for (const std::size_t parameter : report.shown) {
    const launch::Buffer& buffer = report.arguments.buffers[std::get<BufferNumber>(report.arguments.values[parameter]).number];
    fmt::print("{}{}:[", separator, json_string(launch::parameter_name(report.program, parameter)));
    separator = ",";
    auto poison = buffer.poison.begin();
    auto missing = buffer.uninitialised.begin();
    for (std::uint64_t i = 0; i < buffer.count; ++i) {
      const bool is_poison = poison != buffer.poison.end() && *poison == i;
      const bool is_missing = missing != buffer.uninitialised.end() && *missing == i;
      poison += is_poison ? 1 : 0;
      missing += is_missing ? 1 : 0;
      fmt::print("{}{}", i == 0 ? "" : ",", is_poison || is_missing ? "null" : json_number(buffer.type, launch::element_bits(buffer, i)));
    }
    fmt::print("]");
  }
  fmt::print("}}");
}

void print_poison(const KernelReport& report) {
  fmt::print(",\"poison\":{{");
  const char* separator = "";
  for (std::size_t i = 0; i < report.arguments.values.size(); ++i) {
    const auto* of = std::get_if<BufferNumber>(&report.arguments.values[i]);
    if (of == nullptr || owner_of(report.arguments.values, of->number) != i) {
      continue;
    }
    const launch::Buffer& buffer = report.arguments.buffers[of->number];
    if (!buffer.poison.empty()) {
      fmt::print("{}{}:[{}]", separator, json_string(launch::parameter_name(report.program, i)), fmt::join(buffer.poison, ","));
      separator = ",";
    }
  }
  fmt::print("}}");
}

void print_crev(const launch::Outcome& outcome) {
  fmt::print(",\"crev\":{{\"most_pending\":{},\"most_frames\":{},\"most_contexts\":{},\"functions\":{{", outcome.most_pending,
             outcome.most_frames, outcome.most_contexts);
  const char* separator = "";
  for (const launch::Outcome::Activations& f : outcome.crev) {
    fmt::print("{}{}:{{\"activations\":{},\"tasks\":{}}}", separator, json_string(f.function), f.activations, f.tasks);
    separator = ",";
  }
  fmt::print("}}}}");
}

void print_fault(const KernelReport& report) {
  if (!report.outcome.fault) {
    fmt::print(",\"fault\":null");
    return;
  }
  const launch::Fault& fault = *report.outcome.fault;
  fmt::print(",\"fault\":{{\"kind\":\"{}\",{},\"variable\":{},\"value\":{}}}", launch::name_of(fault.kind),
             party_fields(report.program, fault.party), json_string(fault.variable), json_string(fault.value));
}

}  // namespace

void print_json(const KernelReport& report) {
  fmt::print("{{\"status\":\"{}\",\"reason\":{},\"kernel\":{},\"groups\":{},\"wg_size\":{},\"steps\":{},\"rules\":{}", report.status,
             json_string(report.reason), json_string(report.program.kernel().name), report.options.groups, report.program.wg_size,
             report.outcome.steps, rules_json(report.outcome.rule_counts));
  print_races(report);
  print_buffers(report);
  print_poison(report);
  print_crev(report.outcome);
  print_fault(report);
  fmt::print("}}\n");
}

}  // namespace lockstep::tools
