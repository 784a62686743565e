#include "tests/mutation/fault_list.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <utility>

namespace lockstep::test {

std::expected<FaultList, std::string> read_fault_list(const std::string& path) {
  FaultList list;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# ")) {
      list.left_out = line.substr(2);
      continue;
    }
    std::istringstream columns(line);
    MadeFault fault;
    std::string number;
    std::getline(columns, number, '\t');
    for (std::string* column : {&fault.kind, &fault.name, &fault.place, &fault.was, &fault.becomes}) {
      std::getline(columns, *column, '\t');
    }
    fault.number = static_cast<unsigned>(std::strtoul(number.c_str(), nullptr, 10));
    if (fault.number == 0 || fault.place.empty()) {
      return std::unexpected(path + ": not a fault: " + line);
    }
    list.faults.push_back(std::move(fault));
  }
  if (list.faults.empty()) {
    return std::unexpected(path + ": there are no faults");
  }
  return list;
}

std::vector<MadeFault> drawn(std::vector<MadeFault> faults, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  count = std::min(count, faults.size());
  for (std::size_t k = 0; k < count; ++k) {
    std::swap(faults[k], faults[k + random() % (faults.size() - k)]);
  }
  faults.resize(count);
  return faults;
}

double chance_of_so_few(std::size_t hits, std::size_t trials, double probability) {
  double sum = 0;
  for (std::size_t k = 0; k <= std::min(hits, trials) && probability > 0; ++k) {
    double chance = std::pow(1 - probability, static_cast<double>(trials - k));
    for (std::size_t i = 0; i < k; ++i) {
      chance *= probability * static_cast<double>(trials - i) / static_cast<double>(i + 1);
    }
    sum += chance;
  }
  return probability > 0 ? sum : 1;
}

Share wilson(std::size_t hits, std::size_t trials) {
  if (trials == 0) {
    return {};
  }
  constexpr double z = 1.959964;
  const double n = static_cast<double>(trials);
  const double p = static_cast<double>(hits) / n;
  const double middle = p + z * z / (2 * n);
  const double width = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  const double scale = 1 + z * z / n;
  return {(middle - width) / scale, (middle + width) / scale};
}

}  // namespace lockstep::test
