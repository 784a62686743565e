#include <fmt/format.h>

#include <algorithm>
#include <tuple>

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

}  // namespace

std::string machine_table(const SuiteResult& result) {
  std::string out = fmt::format("{}, {} processor{}\n\n", result.processor, result.processors, result.processors == 1 ? "" : "s");
  for (const MachineFigure& figure : result.machine) {
    out += fmt::format("  {:52} {:8.2f} {}\n", figure.name, figure.value, figure.unit);
  }
  out += fmt::format("\n  {:10} {}\n", "avx512", result.compiler);
  for (const PeerPresence& peer : result.peers) {
    out += fmt::format("  {:10} {}{}\n", peer.name, peer.is_present ? "" : "missing: ", peer.what);
  }
  return out;
}

std::string case_table(const CaseResult& result) {
  std::string out = fmt::format("\n{}, {}: {} problem{}, {}; the limit is {} with {:.2f} ns\n", title(result.task),
                                conditions(result.is_hot, result.threads), result.batch, result.batch == 1 ? "" : "s",
                                bytes_text(result.footprint), name_of(result.roofline.limit), 1e9 * result.roofline.seconds);
  out += fmt::format("  {:38} {:>12} {:>12} {:>10} {:>9}\n", "", "least, ns", "median, ns", "best peer", "limit");
  const Standing* const best = fastest(result, references().front().is_member);
  std::vector<const Standing*> order;
  for (const Standing& standing : result.standings) {
    order.push_back(&standing);
  }
  std::ranges::sort(order, {}, [](const Standing* s) { return std::tuple(s->limit.has_value(), s->median, s); });
  for (const Standing* standing : order) {
    if (!standing->failure.empty()) {
      const std::string first_line = standing->failure.substr(0, standing->failure.find('\n'));  // compilers say a lot
      out += fmt::format("  {:38} {}\n", name_of(*standing, result.task), first_line);
      continue;
    }
    const bool is_operation = standing->limit && *standing->limit != LimitKind::Traffic;
    if (is_operation) {
      out += fmt::format("    {:36} {:12.4f} {:12.4f}\n", standing->name, 1e9 * standing->least, 1e9 * standing->median);
    } else if (standing->limit) {
      out += fmt::format("    {:36} {:12.2f} {:12.2f}\n", "traffic: " + standing->name, 1e9 * standing->least, 1e9 * standing->median);
    } else {
      out += fmt::format("  {:38} {:12.2f} {:12.2f} {:>10} {:8.0f}%{}\n", name_of(*standing, result.task), 1e9 * standing->least,
                         1e9 * standing->median, times_text(best == nullptr ? 0 : best->median / standing->median),
                         100 * standing->fraction, standing->note.empty() ? "" : "  (" + standing->note + ")");
    }
  }
  return out;
}

std::string summary_table(const SuiteResult& result) {
  const auto lines = summaries(result);
  if (lines.empty()) {
    return "";
  }
  std::string out =
      "\nSo many times as fast, in the geometric mean over all sizes and types:\n  " + fmt::format("{:12} {:18} {:11}", "", "", "");
  for (const Reference& reference : references()) {
    out += fmt::format(" {:>10}", reference.name);
  }
  out += fmt::format(" {:>7} {:>11}  {}\n", "limit", "least limit", "least over the best peer");
  for (const KernelSummary& line : lines) {
    out += fmt::format("  {:12} {:18} {:11}", line.target, conditions(line.is_hot, line.threads), info(line.kernel).name);
    for (const double speedup : line.speedups) {
      out += fmt::format(" {:>10}", times_text(speedup));
    }
    out += fmt::format(" {:6.0f}% {:10.0f}%  {}\n", 100 * line.mean_fraction, 100 * line.least_fraction,
                       line.least_at.empty() ? "-" : fmt::format("{:.2f} ({})", line.least_speedup, line.least_at));
  }
  return out;
}

}  // namespace lockstep::bench
