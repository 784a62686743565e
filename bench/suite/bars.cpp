#include "bench/suite/bars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "bench/suite/measure.hpp"
#include "bench/suite/summary.hpp"

namespace lockstep::bench {

namespace {

enum class Of : std::uint8_t { Mean, Least };

/// One line of the table.
struct Rule {
  const char* name;
  std::string_view reference;  ///< a name of references(); empty: the machine's limit
  Of of;
  double asked;
  bool is_hot;
  std::optional<KernelId> kernel{};  ///< none: all
  std::vector<unsigned> sizes{};     ///< empty: all
};

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      {"against the best peer, geometric mean", "best peer", Of::Mean, 1.2, false},
      {"against the best peer, least", "best peer", Of::Least, 0.9, false},
      {"against the best peer, geometric mean", "best peer", Of::Mean, 1.2, true},
      {"against the best peer, least", "best peer", Of::Least, 0.9, true},
      {"against ISPC, geometric mean", "ISPC", Of::Mean, 1.8, false},
      {"against lanes (C++ in ISPC's style), geometric mean", "lanes", Of::Mean, 1.8, false},
      {"against PoCL, geometric mean", "PoCL", Of::Mean, 2.5, false},
      {"GEMA against the limit, least", "", Of::Least, 0.85, false, KernelId::Gema},
      {"GEMM, n = 4 and 8, against the limit, least", "", Of::Least, 0.85, false, KernelId::Gemm, {4, 8}},
      {"LDUS, n = 4 and 8, against the limit, least", "", Of::Least, 0.85, false, KernelId::Ldus, {4, 8}},
      {"LDUS, n = 16 and 32, against the limit, least", "", Of::Least, 0.60, false, KernelId::Ldus, {16, 32}},
      {"TRSV against the limit, least", "", Of::Least, 0.60, false, KernelId::Trsv},
      {"GEMM against libxsmm, least", "libxsmm", Of::Least, 1.0, true, KernelId::Gemm},
      {"GEMM, n = 4, 12, 20, 28, against libxsmm, least", "libxsmm", Of::Least, 1.3, true, KernelId::Gemm, {4, 12, 20, 28}},
  };
  return all;
}

bool has_part_in(const Rule& rule, const CaseResult& result) {
  return result.study == Study::None && result.threads == 1 && result.is_hot == rule.is_hot &&
         (!rule.kernel || *rule.kernel == result.task.kernel) &&
         (rule.sizes.empty() || std::ranges::find(rule.sizes, result.task.n) != rule.sizes.end());
}

bool is_ours(const Standing& standing, const std::string& target) { return standing.side == Side::Ours && standing.name == target; }

/// Adds a measurement: of an item-wise kernel each size of groups is a case.
void add(Bar& bar, std::vector<double>& values, const Rule& rule, const CaseResult& result, const std::string& target) {
  const Reference* reference = nullptr;
  if (!rule.reference.empty()) {
    reference = &*std::ranges::find(references(), rule.reference, &Reference::name);
  }
  const Standing* const other = reference == nullptr ? nullptr : fastest(result, reference->is_member);
  if (reference != nullptr && other == nullptr) {
    return;
  }
  std::set<unsigned> wg_sizes;
  for (const Standing& standing : result.standings) {
    if (is_ours(standing, target)) {
      wg_sizes.insert(standing.wg_size);
    }
  }
  for (const unsigned wg_size : wg_sizes) {
    const Standing* const ours = fastest(result, [&](const Standing& s) { return is_ours(s, target) && s.wg_size == wg_size; });
    if (ours == nullptr) {
      bar.failed += 1;
      continue;
    }
    const double value = other == nullptr ? ours->fraction : other->median / ours->median;
    if (values.empty() || value < bar.worst) {
      const std::string groups = result.task.n == 0 ? fmt::format(", groups of {}", wg_size) : "";
      bar.worst = value;
      bar.worst_at = fmt::format("{}{}: {}", title(result.task), groups, other == nullptr ? name_of(result.roofline.limit) : other->name);
    }
    values.push_back(value);
    bar.below += value < rule.asked ? 1 : 0;
  }
}

}  // namespace

std::string target_of_bars(const SuiteResult& result) {
  const auto found = std::ranges::find_if(result.options.targets, [](const std::string& target) { return target != "interpreter"; });
  return found == result.options.targets.end() ? "" : *found;
}

std::vector<Bar> bars(const SuiteResult& result) {
  const std::string target = target_of_bars(result);
  std::vector<Bar> all;
  for (const Rule& rule : rules()) {
    Bar bar;
    bar.name = rule.name;
    bar.is_hot = rule.is_hot;
    bar.is_fraction = rule.reference.empty();
    bar.asked = rule.asked;
    std::vector<double> values;
    for (const CaseResult& one : result.cases) {
      if (has_part_in(rule, one)) {
        add(bar, values, rule, one, target);
      }
    }
    bar.cases = values.size();
    bar.measured = rule.of == Of::Mean ? geometric_mean(values) : bar.worst;
    all.push_back(std::move(bar));
  }
  return all;
}

}  // namespace lockstep::bench
