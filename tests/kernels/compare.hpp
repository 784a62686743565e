#pragma once
// Equality as the project means it: the same bits, every NaN being equal to every NaN.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace lockstep::test {

template <class T>
bool same_value(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof(T)) == 0;
  } else {
    return a == b;
  }
}

/// Empty if both hold the same elements; else the first that differs, as text.
template <class T>
std::string difference(const std::vector<T>& actual, const std::vector<T>& expected) {
  if (actual.size() != expected.size()) {
    return std::to_string(actual.size()) + " elements instead of " + std::to_string(expected.size());
  }
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (!same_value(actual[i], expected[i])) {
      char text[160];
      std::snprintf(text, sizeof text, "element %zu is %.17g (%a) instead of %.17g (%a)", i, static_cast<double>(actual[i]),
                    static_cast<double>(actual[i]), static_cast<double>(expected[i]), static_cast<double>(expected[i]));
      return text;
    }
  }
  return "";
}

}  // namespace lockstep::test
