#pragma once
// What the benchmarks of kernels share.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace lockstep::bench {

/// Of the whole process, all threads together.
inline double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Ends the program.
[[noreturn]] inline void give_up(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(2);
}

/// The text of a file below examples/.
inline std::string text_of(const std::string& file) {
  std::ifstream stream(std::string(LOCKSTEP_SOURCE_DIR) + "/examples/" + file);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) {
    give_up("cannot read examples/" + file);
  }
  return text.str();
}

/// 0 of nothing.
inline double median(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return numbers.empty() ? 0 : numbers[numbers.size() / 2];
}

}  // namespace lockstep::bench
