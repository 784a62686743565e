#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/suite/plot.hpp"
#include "bench/suite/report.hpp"
#include "bench/suite/summary.hpp"

namespace lockstep::bench {

namespace {

/// Series that are added to point by point; the same name has the same colour in all plots of a figure.
class Builder {
 public:
  void add(Plot& plot, const std::string& name, double x, double y, bool is_strong, bool is_dashed = false) {
    const auto colour = static_cast<unsigned>(colours_.size());
    const auto found = std::ranges::find(plot.series, name, &Series::name);
    Series& series =
        found != plot.series.end()
            ? *found
            : plot.series.emplace_back(Series{name, {}, colours_.try_emplace(name, colour).first->second, is_strong, is_dashed});
    series.points.emplace_back(x, y);
  }

 private:
  std::map<std::string, unsigned> colours_ = {{"limit", 0}};
};

std::string plot_title(const Task& task) { return fmt::format("{}, {}", info(task.kernel).name, lockstep::info(task.real).name); }

/// The cold measurements on one thread of a study (and the hot ones of reorderings, which memory hides else).
std::vector<const CaseResult*> cases_of(const SuiteResult& result, Study study, bool is_group_wise) {
  std::vector<const CaseResult*> out;
  for (const CaseResult& one : result.cases) {
    if (one.study == study && (!one.is_hot || study == Study::Reorderings) && one.threads == 1 &&
        info(one.task.kernel).is_group_wise == is_group_wise) {
      out.push_back(&one);
    }
  }
  return out;
}

Plot& plot_for(std::vector<Plot>& plots, const std::string& title, const Plot& otherwise) {
  const auto found = std::ranges::find(plots, title, &Plot::title);
  if (found != plots.end()) {
    return *found;
  }
  plots.push_back(otherwise);
  plots.back().title = title;
  return plots.back();
}

/// Names of who is drawn, each once: of ours the best pack, of item-wise kernels each size of groups.
void add_standings(Builder& builder, Plot& plot, const CaseResult& one, double x, unsigned wg_size) {
  std::vector<std::string> names;
  for (const Standing& standing : one.standings) {
    const bool is_on_its_scale = standing.name != "interpreter";  // a hundred times as slow
    if (!standing.limit && is_on_its_scale && std::ranges::find(names, standing.name) == names.end()) {
      names.push_back(standing.name);
    }
  }
  for (const std::string& name : names) {
    const Standing* const best =
        fastest(one, [&](const Standing& s) { return s.name == name && (wg_size == 0 || s.side != Side::Ours || s.wg_size == wg_size); });
    if (best != nullptr) {
      builder.add(plot, name, x, 1e9 * best->median, best->side == Side::Ours);
    }
  }
  builder.add(plot, "limit", x, 1e9 * one.roofline.seconds, false, true);
}

std::string runtimes_of_groups(const SuiteResult& result) {
  Builder builder;
  std::vector<Plot> plots;
  for (const CaseResult* one : cases_of(result, Study::None, true)) {
    Plot& plot = plot_for(plots, plot_title(one->task), {"", "WG_SIZE = n", "ns a problem", true, {}});
    add_standings(builder, plot, *one, one->task.n, 0);
  }
  return plots.empty() ? "" : svg("Group-wise kernels: time for a problem over WG_SIZE", plots, 2);
}

std::string runtimes_of_items(const SuiteResult& result) {
  Builder builder;
  std::vector<Plot> plots;
  for (const CaseResult* one : cases_of(result, Study::None, false)) {
    Plot& plot = plot_for(plots, plot_title(one->task), {"", "WG_SIZE", "ns a problem", true, {}});
    for (const unsigned wg_size : result.options.sizes) {
      add_standings(builder, plot, *one, wg_size, wg_size);
    }
  }
  return plots.empty() ? "" : svg("Item-wise kernels: time for a problem over WG_SIZE", plots, 2);
}

/// The target of a standing of ours: the first word of its name.
std::string target_of(const Standing& standing) { return standing.name.substr(0, standing.name.find(',')); }

/// The points of variants that were not measured, because their code is that of the first one, which is in all plots.
void add_same_code(std::vector<Plot>& plots) {
  for (Plot& plot : plots) {
    const auto& all = plot.series.front().points;
    for (Series& series : plot.series) {
      for (const auto& [x, y] : all) {
        if (std::ranges::none_of(series.points, [&](const auto& point) { return point.first == x; })) {
          series.points.emplace_back(x, y);
        }
      }
      std::ranges::sort(series.points);
    }
  }
}

/// Times of a target's variants, as multiples of its first one's; a plot for each target and type.
std::string variants(const SuiteResult& result, Study study, const std::string& title, const std::string& y_label) {
  Builder builder;
  std::vector<Plot> plots;
  for (const CaseResult* one : cases_of(result, study, true)) {
    for (const Standing& standing : one->standings) {
      const auto first = std::ranges::find(one->standings, target_of(standing), target_of);
      if (standing.side != Side::Ours || standing.median == 0 || first->median == 0) {
        continue;
      }
      const std::string target = target_of(standing);
      const std::string data = study != Study::Reorderings ? "" : one->is_hot ? ", hot" : ", cold";
      Plot& plot = plot_for(plots, fmt::format("{}, {}{}", target, plot_title(one->task), data), {"", "WG_SIZE = n", y_label, false, {}});
      const std::string name = study == Study::Packs ? "WG_PACK " + standing.wg_pack : standing.name.substr(target.size() + 2);
      builder.add(plot, name, one->task.n, standing.median / first->median, &standing == &*first);
    }
  }
  if (study == Study::Reorderings) {
    add_same_code(plots);
  }
  return plots.empty() ? "" : svg(title, plots, 2);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> figures(const SuiteResult& result) {
  std::vector<std::pair<std::string, std::string>> all = {
      {"fig6.svg", runtimes_of_groups(result)},
      {"fig7.svg", runtimes_of_items(result)},
      {"fig8.svg", variants(result, Study::Packs, "Groups of a pack", "time, WG_PACK 1 = 1")},
      {"fig9.svg", variants(result, Study::Reorderings, "Without ways to reorder lanes", "time, everything = 1")},
      {"fig10.svg", variants(result, Study::Loops, "GEMA five times over: what the loop's bound costs", "time, unrolled = 1")}};
  std::erase_if(all, [](const auto& figure) { return figure.second.empty(); });
  return all;
}

}  // namespace lockstep::bench
