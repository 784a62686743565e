#include "bench/suite/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

namespace lockstep::bench {

namespace {

using Json = nlohmann::ordered_json;

struct Time {
  std::string name;
  double least = 0;  ///< nanoseconds a problem
  double median = 0;
  bool is_equal = false;  ///< the same bits as ours
};

struct Measured {
  std::string kernel;
  std::string real;
  std::uint64_t size = 0;
  std::uint64_t problems = 0;
  std::string device;
  std::vector<Time> times;  ///< ours is the first
};

/// Nothing of another text.
std::optional<Measured> times_of(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto has = [](const Json& object, const char* name, auto is) {
    return object.is_object() && object.contains(name) && (object[name].*is)();
  };
  const bool is_case = has(json, "kernel", &Json::is_string) && has(json, "real", &Json::is_string) &&
                       has(json, "size", &Json::is_number_unsigned) && has(json, "problems", &Json::is_number_unsigned) &&
                       has(json, "device", &Json::is_string) && has(json, "contestants", &Json::is_array);
  if (!is_case || json["contestants"].empty()) {
    return std::nullopt;
  }
  Measured result{json["kernel"], json["real"], json["size"], json["problems"], json["device"], {}};
  for (const Json& one : json["contestants"]) {
    if (!has(one, "name", &Json::is_string) || !has(one, "least_ns", &Json::is_number) || !has(one, "median_ns", &Json::is_number) ||
        !has(one, "equal", &Json::is_boolean)) {
      return std::nullopt;
    }
    result.times.push_back({one["name"], one["least_ns"], one["median_ns"], one["equal"]});
  }
  return result;
}

}  // namespace

std::expected<std::string, std::string> gpu_table(const std::vector<GpuFile>& files) {
  std::vector<Measured> all;
  for (const GpuFile& file : files) {
    auto one = times_of(file.text);
    if (!one) {
      return std::unexpected(fmt::format("{}: is no KERNEL.bench.json, as `make bench` of a bundle writes it", file.name));
    }
    all.push_back(std::move(*one));
  }
  std::ranges::sort(all, {}, [](const Measured& one) { return std::tie(one.kernel, one.real, one.size, one.device); });
  std::string text;
  for (const Measured& one : all) {
    text += fmt::format("{}, {}, {}: {} problems on {}\n  {:<10}{:>14}{:>14}{:>16}  {}\n", one.kernel, one.real, one.size, one.problems,
                        one.device, "", "least, ns", "median, ns", "median / ours", "bits");
    for (const Time& time : one.times) {
      const double ours = one.times.front().median;
      text += fmt::format("  {:<10}{:>14.3f}{:>14.3f}{:>16}  {}\n", time.name, time.least, time.median,
                          ours > 0 ? fmt::format("{:.2f}", time.median / ours) : "", time.is_equal ? "equal" : "others");
    }
  }
  return text;
}

}  // namespace lockstep::bench
