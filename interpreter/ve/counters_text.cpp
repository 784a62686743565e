#include "interpreter/ve/counters_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "semantics/base/counted.hpp"

namespace lockstep::ve_machine {

namespace {

constexpr std::size_t most_lengths = 8;

/// Instructions executed, by class.
std::array<std::uint64_t, ve::class_count> by_class(const Counters& counters) {
  std::array<std::uint64_t, ve::class_count> counts{};
  for (std::size_t k = 0; k < counters.rows.size(); ++k) {
    counts.at(static_cast<std::size_t>(ve::rows()[k].kind_class)) += counters.rows[k];
  }
  return counts;
}

/// `"scalar":9,"control":5`, or for people `scalar 9, control 5`: those that there are.
std::string classes_text(const Counters& counters, bool json) {
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

std::uint64_t vector_instructions(const Counters& counters) {
  std::uint64_t count = 0;
  for (const std::uint64_t n : counters.lengths) {
    count += n;
  }
  return count;
}

/// "256 (5), 232 (1)": the lengths that most instructions had.
std::string lengths_text(const Counters& counters) {
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

/// "1234 cycles, 0.881 us on a core of VE 10B, most for memory"
std::string cycles_text(const Cycles& cycles) {
  return fmt::format("{:.0f} cycles, {:.3g} us on a core of VE 10B, most for {}", cycles.total(), cycles.total() / cost_model::clock * 1e6,
                     name_of(cycles.largest()));
}

}  // namespace

std::string counters_text(const Outcome& outcome) {
  const Counters& counters = outcome.counters;
  std::string text = fmt::format("steps:   {}\n", classes_text(counters, false));
  if (const std::uint64_t count = vector_instructions(counters); count != 0) {
    text += fmt::format("vectors: {} with {}; lengths {}\n", counted(count, "instruction"), counted(counters.elements, "element"),
                        lengths_text(counters));
  }
  text += fmt::format("memory:  {} read, {} written\n", counted(counters.bytes_read, "byte"), counted(counters.bytes_written, "byte"));
  if (counters.approximations != 0) {
    text += fmt::format("open:    {} approximated, which hardware may give other last bits\n", counted(counters.approximations, "element"));
  }
  return text + fmt::format("modelled: {}\n", cycles_text(outcome.cycles));
}

std::string counters_json(const Outcome& outcome) {
  const Counters& counters = outcome.counters;
  std::string text = fmt::format("\"steps\":{},\"instructions\":{{{}}},\"elements\":{},\"lengths\":{{", counters.steps,
                                 classes_text(counters, true), counters.elements);
  const char* comma = "";
  for (std::size_t k = 0; k < counters.lengths.size(); ++k) {
    if (counters.lengths.at(k) != 0) {
      text += fmt::format("{}\"{}\":{}", comma, k, counters.lengths.at(k));
      comma = ",";
    }
  }
  text += fmt::format("}},\"bytes_read\":{},\"bytes_written\":{},\"approximations\":{},\"modelled\":{{\"cycles\":{:.0f},\"most\":\"{}\"",
                      counters.bytes_read, counters.bytes_written, counters.approximations, outcome.cycles.total(),
                      name_of(outcome.cycles.largest()));
  for (std::size_t k = 0; k < Cycles::bounds; ++k) {
    text += fmt::format(",\"{}\":{:.0f}", name_of(static_cast<Cycles::Bound>(k)), outcome.cycles.least.at(k));
  }
  return text + fmt::format(",\"lengths\":{:.0f}}}", outcome.cycles.lengths);
}

}  // namespace lockstep::ve_machine
