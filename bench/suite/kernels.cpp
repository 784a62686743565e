#include "bench/suite/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::bench {

std::optional<KernelId> kernel_named(std::string_view name) {
  const auto* found = std::ranges::find(kernel_table, name, &KernelInfo::name);
  return found == kernel_table.end() ? std::nullopt : std::optional(found->id);
}

std::string title(const Task& task) {
  const std::string size = task.n == 0 ? "" : fmt::format(" {}", task.n);
  return fmt::format("{}{} {}", info(task.kernel).name, size, lockstep::info(task.real).name);
}

Cost cost_of(const Task& task) {
  const double n = task.n;
  const auto s = static_cast<double>(size_of(task.real));
  switch (task.kernel) {
    case KernelId::Gema:
      return {3 * n * n * s, n * n, 0, 0};
    case KernelId::Gemm:
      return {3 * n * n * s, 2 * n * n * n, 0, 0};
    case KernelId::Trsv:
      return {((n * n) + (2 * n)) * s, (2 * n * (n - 1)) + n, n, 0};
    case KernelId::Ldus:
      return {2 * n * n * s, (n * (n - 1)) + ((n - 1) * n * ((2 * n) - 1) / 3), n * (n - 1), 0};
    case KernelId::Pade:
      return {13 * s, 55, 1, 0};
    case KernelId::Enumerate:
      return {(9 * s) + 4, 9216, 0, 9216};
    case KernelId::Frcg:
      return {6 * s, 3040, 20, 220};
  }
  return {};
}

Roofline roofline(const Cost& cost, const Rates& rates) {
  const std::array<Roofline, 4> limits = {{{rates.traffic, LimitKind::Traffic},
                                           {cost.operations / 2 * rates.fma, LimitKind::Fma},
                                           {cost.divisions * rates.divide, LimitKind::Divide},
                                           {cost.compares * rates.compare, LimitKind::Compare}}};
  return *std::ranges::max_element(limits, {}, &Roofline::seconds);
}

std::string_view name_of(LimitKind kind) {
  static constexpr std::array<std::string_view, 4> names = {"traffic", "fma", "divide", "compare"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace lockstep::bench
