#include "bench/suite/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "bench/suite/summary.hpp"

namespace lockstep::bench {

namespace {

using Json = nlohmann::ordered_json;

/// Nothing of another text.
std::optional<GpuMeasured> times_of(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto has = [](const Json& object, const char* name, auto is) {
    return object.is_object() && object.contains(name) && (object[name].*is)();
  };
  const bool is_case = has(json, "kernel", &Json::is_string) && has(json, "real", &Json::is_string) &&
                       has(json, "size", &Json::is_number_unsigned) && has(json, "wg_pack", &Json::is_number_unsigned) &&
                       has(json, "problems", &Json::is_number_unsigned) && has(json, "device", &Json::is_string) &&
                       has(json, "contestants", &Json::is_array);
  if (!is_case || json["contestants"].empty()) {
    return std::nullopt;
  }
  GpuMeasured result{json["kernel"], json["real"], json["size"], json["wg_pack"], json["problems"], json["device"], {}};
  for (const Json& one : json["contestants"]) {
    if (!has(one, "name", &Json::is_string) || !has(one, "least_ns", &Json::is_number) || !has(one, "median_ns", &Json::is_number) ||
        !has(one, "equal", &Json::is_boolean)) {
      return std::nullopt;
    }
    result.times.push_back({one["name"], one["least_ns"], one["median_ns"], one["equal"]});
  }
  return result;
}

/// A name that loops.cl has in bundles, and what its loop's bound is.
struct Bound {
  std::string_view kernel;
  std::string_view name;
};
constexpr std::array<Bound, 3> bounds = {
    {{"gema_unrolled", "unrolled"}, {"gema_runtime", "runtime bound"}, {"gema_of_items", "a bound for each item"}}};

constexpr std::string_view in_packs = "ours, WG_PACK ";
constexpr std::string_view without = "ours, without ";

Standing standing_of(const GpuTime& time, const GpuMeasured& from, Side side, const std::string& name) {
  Standing standing{.name = name, .side = side};
  standing.wg_size = static_cast<unsigned>(from.size);
  standing.wg_pack = time.name.starts_with(in_packs) ? time.name.substr(in_packs.size()) : std::to_string(from.pack);
  standing.least = 1e-9 * time.least;
  standing.median = 1e-9 * time.median;
  return standing;
}

class Cases {
 public:
  void add(const GpuMeasured& one) {
    const auto bound = std::ranges::find(bounds, one.kernel, &Bound::kernel);
    const auto kernel = bound != bounds.end() ? std::optional(KernelId::Gema) : kernel_named(one.kernel);
    if (!kernel || (one.real != "float" && one.real != "double")) {
      return;
    }
    const auto size = static_cast<unsigned>(one.size);
    const bool is_group_wise = info(*kernel).is_group_wise;
    const Task task{*kernel, one.real == "float" ? ScalarType::Float : ScalarType::Double, is_group_wise ? size : 0};
    if (bound != bounds.end()) {
      put(Study::Loops, task, standing_of(one.times.front(), one, Side::Ours, fmt::format("cuda, {}", bound->name)));
      return;
    }
    if (std::ranges::find(result_.options.sizes, size) == result_.options.sizes.end()) {
      result_.options.sizes.push_back(size);
    }
    for (const GpuTime& time : one.times) {
      const bool is_ours = &time == &one.times.front();
      const bool is_pack = is_ours || time.name.starts_with(in_packs);
      const bool is_without = time.name.starts_with(without);
      if (is_group_wise && is_pack) {
        put(Study::Packs, task, standing_of(time, one, Side::Ours, "cuda"));
      }
      if (is_group_wise && (is_ours || is_without)) {
        put(Study::Reorderings, task,
            standing_of(time, one, Side::Ours, is_ours ? "cuda, everything" : "cuda, " + time.name.substr(in_ours)));
      }
      if (is_ours || (!is_pack && !is_without)) {
        put(Study::None, task, standing_of(time, one, is_ours ? Side::Ours : Side::Peer, is_ours ? "cuda" : time.name));
      }
    }
  }

  /// Studies of one contestant alone say nothing.
  SuiteResult made() {
    std::erase_if(result_.cases, [](const CaseResult& one) { return one.study != Study::None && one.standings.size() < 2; });
    std::ranges::sort(result_.options.sizes);
    for (CaseResult& one : result_.cases) {
      if (one.study == Study::Packs) {  // the first one is what the others are compared with
        std::ranges::sort(one.standings, {}, [](const Standing& standing) { return std::stoul(standing.wg_pack); });
      }
    }
    return std::move(result_);
  }

 private:
  void put(Study study, const Task& task, Standing standing) {
    auto found = std::ranges::find_if(result_.cases, [&](const CaseResult& one) { return one.study == study && one.task == task; });
    if (found == result_.cases.end()) {
      CaseResult fresh;
      fresh.study = study;
      fresh.task = task;
      found = result_.cases.insert(found, std::move(fresh));
    }
    found->standings.push_back(std::move(standing));
  }

  static constexpr std::size_t in_ours = std::string_view("ours, ").size();

  SuiteResult result_;
};

}  // namespace

std::expected<std::vector<GpuMeasured>, std::string> read_gpu_times(const std::vector<GpuFile>& files) {
  std::vector<GpuMeasured> all;
  for (const GpuFile& file : files) {
    auto one = times_of(file.text);
    if (!one) {
      return std::unexpected(fmt::format("{}: is no KERNEL.bench.json, as `make bench` of a bundle writes it", file.name));
    }
    if (!all.empty() && one->device != all.front().device) {
      return std::unexpected(fmt::format("{}: was measured on {}, and not on {}", file.name, one->device, all.front().device));
    }
    all.push_back(std::move(*one));
  }
  std::ranges::sort(all, {}, [](const GpuMeasured& one) { return std::tie(one.kernel, one.real, one.size); });
  return all;
}

std::string gpu_table(const std::vector<GpuMeasured>& all) {
  std::string text;
  for (const GpuMeasured& one : all) {
    text += fmt::format("{}, {}, {}, WG_PACK {}: {} problems on {}\n  {:<24}{:>14}{:>14}{:>16}  {}\n", one.kernel, one.real, one.size,
                        one.pack, one.problems, one.device, "", "least, ns", "median, ns", "median / ours", "bits");
    for (const GpuTime& time : one.times) {
      const double ours = one.times.front().median;
      text += fmt::format("  {:<24}{:>14.3f}{:>14.3f}{:>16}  {}\n", time.name, time.least, time.median,
                          ours > 0 ? fmt::format("{:.2f}", time.median / ours) : "", time.is_equal ? "equal" : "others");
    }
  }
  return text;
}

SuiteResult gpu_cases(const std::vector<GpuMeasured>& all) {
  Cases cases;
  std::ranges::for_each(all, [&](const GpuMeasured& one) { cases.add(one); });
  return cases.made();
}

Table gpu_speedups(const SuiteResult& cases) {
  std::vector<std::string> peers;
  std::map<KernelId, std::map<std::string, std::vector<double>>> ratios;  ///< "": over the best
  for (const CaseResult& one : cases.cases) {
    const Standing* const ours = fastest(one, [](const Standing& standing) { return standing.side == Side::Ours; });
    const Standing* const best = fastest(one, [](const Standing& standing) { return standing.side == Side::Peer; });
    if (one.study != Study::None || ours == nullptr || best == nullptr) {
      continue;
    }
    ratios[one.task.kernel][""].push_back(best->median / ours->median);
    for (const Standing& peer : one.standings) {
      if (peer.side == Side::Peer && std::ranges::find(peers, peer.name) == peers.end()) {
        peers.push_back(peer.name);
      }
    }
    for (const std::string& name : peers) {
      if (const Standing* const peer = fastest(one, [&](const Standing& standing) { return standing.name == name; })) {
        ratios[one.task.kernel][name].push_back(peer->median / ours->median);
      }
    }
  }
  Table table{
      "So many times as fast, in the geometric mean over all sizes and types", {{"kernel", false}, {"the best of them"}, {"least"}}, {}};
  for (const std::string& name : peers) {
    table.columns.push_back({name});
  }
  for (const auto& [kernel, of] : ratios) {
    const std::vector<double>& best = of.at("");
    std::vector<std::string> row = {std::string(info(kernel).name), fmt::format("{:.2f}", geometric_mean(best)),
                                    fmt::format("{:.2f}", *std::ranges::min_element(best))};
    for (const std::string& name : peers) {
      const auto found = of.find(name);
      row.push_back(found == of.end() ? "" : fmt::format("{:.2f}", geometric_mean(found->second)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace lockstep::bench
