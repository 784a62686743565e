#include "bench/suite/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace lockstep::bench {

namespace {

double number(const Array& array, std::size_t k) {
  const std::byte* const at = array.memory.data() + (k * size_of(array.type));
  if (array.type == ScalarType::Float) {
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  }
  if (array.type == ScalarType::Double) {
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  std::int32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Element (i, j) of problem g as a factorisation of another form has it.
double factor(const Data& data, const Array& array, std::uint64_t g, std::size_t k, Agreement form) {
  const double value = number(array, data.element(array, g, k));
  if (form != Agreement::UnitLower && form != Agreement::UnitUpper) {
    return value;
  }
  const std::size_t n = data.task().n;
  const std::size_t i = k / n;
  const std::size_t j = k % n;
  if (form == Agreement::UnitLower && i < j) {
    return value * number(array, data.element(array, g, (i * n) + i));
  }
  if (form == Agreement::UnitUpper && i > j) {
    return value * number(array, data.element(array, g, (j * n) + j));
  }
  return value;
}

std::optional<std::string> wrong_bits(const Data& results, const Array& got, const Data& expected, const Array& wanted) {
  const std::size_t size = size_of(got.type);
  for (std::uint64_t g = 0; g < expected.batch(); ++g) {
    for (std::size_t k = 0; k < got.each; ++k) {
      const std::size_t at = results.element(got, g, k);
      const std::size_t at_wanted = expected.element(wanted, g, k);
      if (std::memcmp(got.memory.data() + (at * size), wanted.memory.data() + (at_wanted * size), size) != 0) {
        return fmt::format("number {} of problem {} of '{}' is {:.17g} instead of {:.17g}", k, g, got.name, number(got, at),
                           number(wanted, at_wanted));
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> beyond_bound(const Data& results, const Array& got, const Data& expected, const Array& wanted, Agreement form) {
  const bool is_group_wise = info(results.task().kernel).is_group_wise;
  const double epsilon = got.type == ScalarType::Float ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double factor_of_bound = 64 * epsilon * std::max(1U, results.task().n);
  const std::uint64_t block = is_group_wise ? 1 : expected.batch();  // problems that have a magnitude in common
  for (std::uint64_t first = 0; first < expected.batch(); first += block) {
    double greatest = 0;
    for (std::uint64_t g = first; g < first + block; ++g) {
      for (std::size_t k = 0; k < got.each; ++k) {
        greatest = std::max(greatest, std::abs(factor(expected, wanted, g, k, form)));
      }
    }
    for (std::uint64_t g = first; g < first + block; ++g) {
      for (std::size_t k = 0; k < got.each; ++k) {
        const double value = number(got, results.element(got, g, k));
        const double right = factor(expected, wanted, g, k, form);
        if (!(std::abs(value - right) <= factor_of_bound * greatest)) {
          return fmt::format("number {} of problem {} of '{}' is {:.17g} instead of {:.17g}, and the bound is {:.3g}", k, g, got.name,
                             value, right, factor_of_bound * greatest);
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::uint64_t> sampled_problems(std::uint64_t batch) {
  std::vector<std::uint64_t> problems;
  for (std::uint64_t k = 0; k < 24; ++k) {
    problems.push_back(k);
    problems.push_back(batch / 26 * (k + 1));
    problems.push_back(batch - 1 - k);
  }
  std::erase_if(problems, [&](std::uint64_t g) { return g >= batch; });
  std::ranges::sort(problems);
  problems.erase(std::ranges::unique(problems).begin(), problems.end());
  return problems;
}

std::optional<std::string> disagreement(const Data& results, const Data& expected, Agreement agreement) {
  if (agreement == Agreement::None) {
    return std::nullopt;
  }
  for (std::size_t k = 0; k < results.arrays().size(); ++k) {
    const Array& got = results.arrays()[k];
    const Array& wanted = expected.arrays()[k];
    if (got.role != Role::Out && got.role != Role::InOut) {
      continue;
    }
    const bool is_exact = agreement == Agreement::Bits || got.type == ScalarType::Int;
    if (auto wrong = is_exact ? wrong_bits(results, got, expected, wanted) : beyond_bound(results, got, expected, wanted, agreement)) {
      return wrong;
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::bench
