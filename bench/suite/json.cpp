#include <array>
#include <nlohmann/json.hpp>

#include "bench/suite/ablation.hpp"
#include "bench/suite/bars.hpp"
#include "bench/suite/report.hpp"
#include "bench/suite/summary.hpp"

namespace lockstep::bench {

namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of(Side side) { return side == Side::Ours ? "ours" : side == Side::Peer ? "peer" : "limit"; }
std::string_view name_of(Study study) {
  static constexpr std::array<std::string_view, 4> names = {"peers", "packs", "reorderings", "loops"};
  return names[static_cast<std::size_t>(study)];
}

Json json_of(const Standing& standing) {
  Json out = {{"name", standing.name}, {"side", name_of(standing.side)}};
  if (standing.side == Side::Ours) {
    out["wg_size"] = standing.wg_size;
    out["wg_pack"] = standing.wg_pack;
  }
  if (!standing.note.empty()) {
    out["note"] = standing.note;
  }
  if (standing.is_apart) {
    out["apart"] = true;
  }
  if (!standing.failure.empty()) {
    out["failure"] = standing.failure;
    return out;
  }
  if (standing.limit) {
    out["limit"] = name_of(*standing.limit);
  }
  out["least"] = standing.least;
  out["median"] = standing.median;
  out["rounds"] = standing.rounds;
  if (!standing.limit) {
    out["fraction"] = standing.fraction;
  }
  return out;
}

Json json_of(const CaseResult& result) {
  Json standings = Json::array();
  for (const Standing& standing : result.standings) {
    standings.push_back(json_of(standing));
  }
  const Cost cost = cost_of(result.task);
  return {
      {"study", name_of(result.study)},
      {"kernel", info(result.task.kernel).name},
      {"precision", lockstep::info(result.task.real).name},
      {"size", result.task.n},
      {"data", result.is_hot ? "hot" : "cold"},
      {"threads", result.threads},
      {"batch", result.batch},
      {"footprint", result.footprint},
      {"cost", {{"bytes", cost.bytes}, {"operations", cost.operations}, {"divisions", cost.divisions}, {"compares", cost.compares}}},
      {"rates",
       {{"traffic", result.rates.traffic}, {"fma", result.rates.fma}, {"divide", result.rates.divide}, {"compare", result.rates.compare}}},
      {"roofline", {{"seconds", result.roofline.seconds}, {"limit", name_of(result.roofline.limit)}}},
      {"contestants", standings}};
}

Json json_of(const KernelSummary& summary) {
  Json speedups = Json::object();
  for (std::size_t k = 0; k < references().size(); ++k) {
    if (summary.speedups[k] > 0) {
      speedups[references()[k].name] = summary.speedups[k];
    }
  }
  return {{"target", summary.target},
          {"kernel", info(summary.kernel).name},
          {"data", summary.is_hot ? "hot" : "cold"},
          {"threads", summary.threads},
          {"cases", summary.cases},
          {"speedups", speedups},
          {"least_speedup", {{"value", summary.least_speedup}, {"at", summary.least_at}}},
          {"fraction", {{"mean", summary.mean_fraction}, {"least", summary.least_fraction}}}};
}

Json json_of(const Bar& bar) {
  Json out = {
      {"name", bar.name}, {"data", bar.is_hot ? "hot" : "cold"}, {"asked", bar.asked}, {"holds", bar.holds()}, {"cases", bar.cases}};
  if (bar.failed > 0) {
    out["failed"] = bar.failed;
  }
  if (bar.cases > 0) {
    out["measured"] = bar.measured;
    out["below"] = bar.below;
    out["worst"] = {{"value", bar.worst}, {"at", bar.worst_at}};
  }
  return out;
}

Json json_of(const Ablation& line) {
  return {{"kernel", info(line.kernel).name},
          {"data", line.is_hot ? "hot" : "cold"},
          {"reorderings", line.way},
          {"mean", line.mean},
          {"most", {{"value", line.most}, {"size", line.most_at}}},
          {"sizes", line.sizes},
          {"changed", line.changed}};
}

}  // namespace

std::string to_json(const SuiteResult& result) {
  Json out = {{"processor", result.processor},
              {"processors", result.processors},
              {"compiler", result.compiler},
              {"warm_ups", result.options.warm_ups},
              {"rounds", result.options.rounds}};
  out["machine"] = Json::array();
  for (const MachineFigure& figure : result.machine) {
    out["machine"].push_back({{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}});
  }
  out["peers"] = Json::array();
  for (const PeerPresence& peer : result.peers) {
    out["peers"].push_back({{"name", peer.name}, {"present", peer.is_present}, {"what", peer.what}});
  }
  out["cases"] = Json::array();
  for (const CaseResult& one : result.cases) {
    out["cases"].push_back(json_of(one));
  }
  out["summary"] = Json::array();
  for (const KernelSummary& summary : summaries(result)) {
    out["summary"].push_back(json_of(summary));
  }
  out["bars"] = {{"target", target_of_bars(result)}, {"lines", Json::array()}};
  for (const Bar& bar : bars(result)) {
    out["bars"]["lines"].push_back(json_of(bar));
  }
  out["reorderings"] = Json::array();
  for (const Ablation& line : ablations(result)) {
    out["reorderings"].push_back(json_of(line));
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lockstep::bench
