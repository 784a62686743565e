// `lockstep fuzz --census`: what random kernels are made of.

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "semantics/generate/kernel_census.hpp"
#include "tools/fuzz.hpp"

namespace lockstep::tools {

FuzzCensus take_census(const FuzzPlan& plan, std::uint64_t first, std::uint64_t kernels) {
  FuzzCensus census;
  census.kernels = kernels;
  for (std::uint64_t number = first; number < first + kernels; ++number) {
    generate::Census counted;
    generate::count(fuzz_case(plan, number).kernel, counted);
    for (const auto& [name, count] : counted) {
      census.constructs[name].occurrences += count;
      ++census.constructs[name].kernels;
    }
  }
  return census;
}

void print_census(const FuzzPlan& plan, const FuzzCensus& census) {
  using Row = std::pair<std::string, FuzzCensus::Construct>;
  std::vector<Row> rows(census.constructs.begin(), census.constructs.end());
  const auto group_of = [](const Row& row) { return row.first.substr(0, row.first.find(':')); };
  std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
    const auto by_group = group_of(a) <=> group_of(b);
    return by_group == 0 ? a.second.occurrences > b.second.occurrences : by_group < 0;
  });
  fmt::print("{} of seed {}\n{:<44} {:>10} {:>11}\n", counted(census.kernels, "kernel"), plan.seed, "construct", "how often", "in kernels");
  for (const auto& [name, construct] : rows) {
    fmt::print("{:<44} {:>10} {:>9.1f} %\n", name, construct.occurrences,
               100 * static_cast<double>(construct.kernels) / static_cast<double>(census.kernels));
  }
}

void print_census_json(const FuzzPlan& plan, const FuzzCensus& census) {
  std::string list;
  for (const auto& [name, construct] : census.constructs) {
    list += fmt::format("{}{}:{{\"occurrences\":{},\"kernels\":{}}}", list.empty() ? "" : ",", json_string(name), construct.occurrences,
                        construct.kernels);
  }
  fmt::print("{{\"status\":\"counted\",\"seed\":{},\"kernels\":{},\"constructs\":{{{}}}}}\n", plan.seed, census.kernels, list);
}

}  // namespace lockstep::tools
