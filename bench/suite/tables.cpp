#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "bench/suite/ablation.hpp"
#include "bench/suite/bars.hpp"
#include "bench/suite/report.hpp"
#include "bench/suite/summary.hpp"

namespace lockstep::bench {

namespace {

std::string conditions(bool is_hot, unsigned threads) {
  return fmt::format("{}, {} thread{}", is_hot ? "hot" : "cold", threads, threads == 1 ? "" : "s");
}

std::string name_of(const Standing& standing, const Task& task) {
  if (standing.side != Side::Ours || standing.name == "interpreter") {
    return standing.name;
  }
  const std::string size = task.n == 0 ? fmt::format(", groups of {}", standing.wg_size) : "";
  return fmt::format("{}{}, WG_PACK {}", standing.name, size, standing.wg_pack);
}

std::string bytes_text(std::size_t bytes) {
  return bytes < 10'000'000 ? fmt::format("{:.1f} kB", 1e-3 * static_cast<double>(bytes))
                            : fmt::format("{:.1f} MB", 1e-6 * static_cast<double>(bytes));
}

std::string times_text(double factor) { return factor == 0 ? "-" : fmt::format("{:.2f}", factor); }

/// What there is to say of a standing behind its figures, in brackets.
std::string remarks(const Standing& standing, unsigned rounds) {
  std::string out = standing.note;
  if (standing.rounds < rounds) {
    out += fmt::format("{}{} round{}", out.empty() ? "" : "; ", standing.rounds, standing.rounds == 1 ? "" : "s");
  }
  return out.empty() ? "" : fmt::format("  ({})", out);
}

}  // namespace

std::string case_table(const CaseResult& result) {
  std::string out = fmt::format("\n{}, {}: {} problem{}, {}; the limit is {} with {:.2f} ns\n", title(result.task),
                                conditions(result.is_hot, result.threads), result.batch, result.batch == 1 ? "" : "s",
                                bytes_text(result.footprint), name_of(result.roofline.limit), 1e9 * result.roofline.seconds);
  const bool is_study = result.study != Study::None;
  std::size_t width = 38;
  for (const Standing& standing : result.standings) {
    width = std::max(width, name_of(standing, result.task).size());
  }
  out += fmt::format("  {:{}} {:>12} {:>12} {:>10} {:>9}\n", "", width, "least, ns", "median, ns", is_study ? "the first" : "best peer",
                     "limit");
  const Standing* const other = is_study ? &result.standings.front() : fastest(result, references().front().is_member);
  const unsigned rounds = std::ranges::max_element(result.standings, {}, &Standing::rounds)->rounds;
  std::vector<const Standing*> order;
  for (const Standing& standing : result.standings) {
    order.push_back(&standing);
  }
  std::ranges::sort(order, {}, [](const Standing* s) { return std::tuple(s->limit.has_value(), s->median, s); });
  for (const Standing* standing : order) {
    if (!standing->failure.empty()) {
      const std::string first_line = standing->failure.substr(0, standing->failure.find('\n'));  // compilers say a lot
      out += fmt::format("  {:{}} {}\n", name_of(*standing, result.task), width, first_line);
      continue;
    }
    const bool is_operation = standing->limit && *standing->limit != LimitKind::Traffic;
    if (is_operation) {
      out += fmt::format("    {:{}} {:12.4f} {:12.4f}\n", standing->name, width - 2, 1e9 * standing->least, 1e9 * standing->median);
    } else if (standing->limit) {
      out += fmt::format("    {:{}} {:12.2f} {:12.2f}\n", "traffic: " + standing->name, width - 2, 1e9 * standing->least,
                         1e9 * standing->median);
    } else {
      out += fmt::format("  {:{}} {:12.2f} {:12.2f} {:>10} {:8.0f}%{}\n", name_of(*standing, result.task), width, 1e9 * standing->least,
                         1e9 * standing->median, times_text(other == nullptr ? 0 : other->median / standing->median),
                         100 * standing->fraction, remarks(*standing, rounds));
    }
  }
  return out;
}

namespace {

/// One figure of a bar: a factor, or a part of the limit in percent.
std::string figure_text(const Bar& bar, double value) {
  return bar.is_fraction ? fmt::format("{:.0f} %", 100 * value) : fmt::format("{:.2f}", value);
}

Table bars_table(const SuiteResult& result) {
  Table table{fmt::format("What {} is to reach, on one thread, by medians", target_of_bars(result)),
              {{"bar", false}, {"data", false}, {"asked"}, {"measured"}, {"holds", false}, {"cases"}, {"below"}, {"worst", false}},
              {}};
  const auto all = bars(result);
  if (std::ranges::all_of(all, [](const Bar& bar) { return bar.cases + bar.failed == 0; })) {
    return table;
  }
  for (const Bar& bar : all) {
    const bool is_measured = bar.cases > 0;
    const std::string failed = bar.failed == 0 ? "" : fmt::format(" ({} without a time)", bar.failed);
    table.rows.push_back({bar.name, bar.is_hot ? "hot" : "cold", figure_text(bar, bar.asked),
                          is_measured ? figure_text(bar, bar.measured) : "",
                          is_measured || bar.failed > 0 ? (bar.holds() ? "yes" : "NO") : "not measured",
                          fmt::format("{}{}", bar.cases, failed), is_measured ? std::to_string(bar.below) : "",
                          is_measured ? fmt::format("{} ({})", figure_text(bar, bar.worst), bar.worst_at) : ""});
  }
  return table;
}

Table speedups_table(const SuiteResult& result) {
  Table table{
      "So many times as fast, in the geometric mean over all sizes and types", {{"target", false}, {"kernel", false}, {"data", false}}, {}};
  for (const Reference& reference : references()) {
    table.columns.push_back({reference.name});
  }
  table.columns.insert(table.columns.end(), {{"limit"}, {"least limit"}, {"least over the best peer", false}});
  for (const KernelSummary& line : summaries(result)) {
    std::vector<std::string> row = {line.target, std::string(info(line.kernel).name), conditions(line.is_hot, line.threads)};
    for (const double speedup : line.speedups) {
      row.push_back(speedup == 0 ? "" : fmt::format("{:.2f}", speedup));
    }
    row.push_back(fmt::format("{:.0f} %", 100 * line.mean_fraction));
    row.push_back(fmt::format("{:.0f} %", 100 * line.least_fraction));
    row.push_back(line.least_at.empty() ? "" : fmt::format("{:.2f} ({})", line.least_speedup, line.least_at));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string title_of_machine(const SuiteResult& result) {
  return fmt::format("{}, {} processor{}", result.processor, result.processors, result.processors == 1 ? "" : "s");
}

Table figures_table(const SuiteResult& result) {
  Table table{"What the machine can do at most, on one thread", {{"", false}, {"rate"}, {"", false}}, {}};
  for (const MachineFigure& figure : result.machine) {
    table.rows.push_back({figure.name, fmt::format("{:.2f}", figure.value), figure.unit});
  }
  return table;
}

Table contestants_table(const SuiteResult& result) {
  Table table{"Who took part", {{"", false}, {"", false}}, {{"avx512", result.compiler}}};
  for (const PeerPresence& peer : result.peers) {
    table.rows.push_back({peer.name, (peer.is_present ? "" : "missing: ") + peer.what});
  }
  return table;
}

template <class Show>
std::string summary(const SuiteResult& result, const Show& show) {
  std::string out;
  for (const Table& table : summary_tables(result)) {
    if (!table.rows.empty()) {
      out += show(table) + "\n";
    }
  }
  return out + show(figures_table(result)) + "\n" + show(contestants_table(result));
}

}  // namespace

Table ablations_table(const SuiteResult& result) {
  Table table{"Without a way to reorder lanes, so many times the time with all of them, in the geometric mean over all sizes",
              {{"kernel", false}, {"data", false}, {"reorderings", false}, {"mean"}, {"most"}, {"at n ="}, {"sizes with other code"}},
              {}};
  for (const Ablation& line : ablations(result)) {
    table.rows.push_back({std::string(info(line.kernel).name), line.is_hot ? "hot" : "cold", line.way, fmt::format("{:.2f}", line.mean),
                          fmt::format("{:.2f}", line.most), std::to_string(line.most_at),
                          fmt::format("{} of {}", line.changed, line.sizes)});
  }
  return table;
}

std::vector<Table> summary_tables(const SuiteResult& result) {
  return {bars_table(result), speedups_table(result), ablations_table(result)};
}

std::string summary_text(const SuiteResult& result) { return title_of_machine(result) + "\n\n" + summary(result, plain_text); }

std::string summary_page(const SuiteResult& result) {
  const std::size_t rounds = result.options.rounds;
  return fmt::format("# Measurements\n\n{}. Batches of {} problems, {} round{}. Written by `lockstep bench --plots`.\n\n{}",
                     title_of_machine(result), result.options.batch, rounds, rounds == 1 ? "" : "s", summary(result, markdown));
}

}  // namespace lockstep::bench
