// From options to reports, with peers that are made here: one that is right, and one that is not.
#include <atomic>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "bench/suite/ours.hpp"
#include "bench/suite/report.hpp"
#include "bench/suite/suite.hpp"
#include "bench/suite/summary.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::bench;

Contestant made(std::string name, std::function<void(const Data&)> work) {
  Contestant contestant;
  contestant.name = std::move(name);
  contestant.prepare = [work](const Data& data, unsigned) -> std::expected<Run, std::string> { return [work, &data] { work(data); }; };
  return contestant;
}

std::vector<Contestant> made_contestants(const Task& task) {
  std::vector<Contestant> all;
  all.push_back(made("right", [](const Data& data) { (void)interpret(data); }));
  all.push_back(made("wrong", [](const Data& data) {
    (void)interpret(data);
    data.arrays().back().memory.data()[data.arrays().back().bytes() - 2] ^= std::byte{0x10};
  }));
  Contestant broken = made("broken", [](const Data&) {});
  broken.prepare = [](const Data&, unsigned) -> std::expected<Run, std::string> { return std::unexpected("has no compiler"); };
  all.push_back(broken);
  Contestant limit = made("moves nothing", [](const Data&) {});
  limit.side = Side::Limit;
  limit.agreement = Agreement::None;
  limit.limit = LimitKind::Traffic;
  all.push_back(limit);
  limit.name = "fma";
  limit.limit = LimitKind::Fma;
  limit.units = 1e6;
  all.push_back(limit);
  static_cast<void>(task);
  return all;
}

const PeerModule made_module = {[] { return std::vector<PeerPresence>{{"right", true, "1.0"}, {"gone", false, "was never here"}}; },
                                made_contestants, [](bool) { return std::vector<MachineFigure>{{"speed", "m/s", 3}}; }};

SuiteOptions small() {
  SuiteOptions options;
  options.kernels = {KernelId::Gemm};
  options.sizes = {4};
  options.reals = {ScalarType::Double};
  options.targets = {"llvm", "interpreter"};
  options.batch = 30;
  options.rounds = 2;
  options.warm_ups = 1;
  return options;
}

const Standing& standing(const CaseResult& result, const std::string& name) {
  const auto found = std::ranges::find(result.standings, name, &Standing::name);
  REQUIRE(found != result.standings.end());
  return *found;
}

}  // namespace

TEST_CASE("bench: who is wrong is not timed, and everybody learns of it") {
  SuiteOptions options = small();
  options.is_hot = false;
  const SuiteResult result = run_suite(options, made_module, {});
  REQUIRE(result.cases.size() == 1);
  const CaseResult& one = result.cases.front();
  CHECK(one.batch == 30);
  CHECK(one.footprint == 3 * 30 * 16 * 8);
  CHECK(standing(one, "right").failure.empty());
  CHECK(standing(one, "right").median > 0);
  CHECK(standing(one, "wrong").failure.find("wrong results: number 15 of problem 29 of 'c'") == 0);
  CHECK(standing(one, "wrong").median == 0);
  CHECK(standing(one, "broken").failure == "has no compiler");
  CHECK(standing(one, "llvm").failure.empty());
  CHECK(standing(one, "interpreter").failure.empty());
  CHECK_FALSE(result.all_right());
  CHECK(standing(one, "llvm").fraction == Approx(one.roofline.seconds / standing(one, "llvm").median));
  CHECK(standing(one, "fma").median == Approx(one.rates.fma));
  const std::string table = case_table(one);
  CHECK(table.find("wrong results") != std::string::npos);
  CHECK(table.find("has no compiler") != std::string::npos);
  CHECK(machine_table(result).find("missing: was never here") != std::string::npos);
}

TEST_CASE("bench: the reports of a run") {
  SuiteOptions options = small();
  options.kernels = {KernelId::Gema, KernelId::Frcg};
  options.sizes = {4, 8};
  options.studies = {Study::Packs, Study::Loops};
  options.threads = {1, 2};
  options.targets = {"llvm"};
  options.rounds = 1;
  std::size_t seen = 0;
  const SuiteResult result = run_suite(options, made_module, {nullptr, [&](const CaseResult&) { ++seen; }});
  // Two sizes of GEMA and one FRCG; four of studies; each cold with one and two threads, and hot.
  CHECK(seen == 3 * (3 + 4));
  const auto json = nlohmann::json::parse(to_json(result));
  CHECK(json["cases"].size() == seen);
  CHECK(json["machine"][0]["value"] == 3);
  CHECK(json["cases"][0]["kernel"] == "gema");
  CHECK(json["cases"][0]["cost"]["bytes"] == 384);
  std::vector<std::string> names;
  for (const auto& [name, text] : figures(result)) {
    names.push_back(name);
    CHECK(text.ends_with("</svg>\n"));
  }
  CHECK(names == std::vector<std::string>{"fig6.svg", "fig7.svg", "fig8.svg", "fig10.svg"});
  // Each size of groups of an item-wise kernel takes part.
  const CaseResult& frcg = *std::ranges::find_if(result.cases, [](const CaseResult& c) { return c.task.kernel == KernelId::Frcg; });
  CHECK(std::ranges::count_if(frcg.standings, [](const Standing& s) { return s.name == "llvm"; }) == 2);
  for (const CaseResult& one : result.cases) {
    for (const Standing& s : one.standings) {
      if (s.side == Side::Ours) {
        INFO(title(one.task) << " " << s.name);
        CHECK(s.failure == "");
      }
    }
  }
}

TEST_CASE("bench: our targets agree with the interpreter") {
  SuiteOptions options = small();
  options.kernels.clear();
  for (const KernelInfo& kernel : kernel_table) {
    options.kernels.push_back(kernel.id);
  }
  options.reals = {ScalarType::Float, ScalarType::Double};
  options.targets = {"llvm"};
  options.has_peers = false;
  options.is_hot = false;
  options.rounds = 1;
  const SuiteResult by_llvm = run_suite(options, made_module, {});
  CHECK(by_llvm.cases.size() == 14);
  CHECK(by_llvm.all_right());

  // Each kernel takes the C++ compiler a second.
  options.kernels = {KernelId::Gemm, KernelId::Frcg};
  options.reals = {ScalarType::Double};
  options.targets = {"avx512"};
  options.threads = {1, 2};
  const SuiteResult by_avx512 = run_suite(options, made_module, {});
  CHECK(by_avx512.cases.size() == 4);
  for (const CaseResult& one : by_avx512.cases) {
    const Standing& ours = standing(one, "avx512");
    INFO(title(one.task));
    CHECK((ours.failure.empty() || ours.failure.starts_with("this machine has no AVX512")));
  }
}

TEST_CASE("bench: speedups are of the fastest that count") {
  const auto peer = [](const std::string& name, double median, bool is_apart = false) {
    Standing s{name};
    s.median = median;
    s.is_apart = is_apart;
    return s;
  };
  Standing ours = peer("llvm", 2);
  ours.side = Side::Ours;
  ours.fraction = 0.5;
  Standing slower = ours;
  slower.median = 9;
  SuiteResult result;
  result.options.targets = {"llvm"};
  CaseResult first;
  first.task = {KernelId::Gemm, ScalarType::Double, 4};
  first.standings = {ours, slower, peer("g++ lanes", 16), peer("libxsmm", 4), peer("g++ blocks", 1, true)};
  CaseResult second = first;
  second.task.n = 8;
  second.standings = {ours, peer("g++ lanes", 64), peer("PoCL", 0)};
  second.standings[0].fraction = 0.125;
  result.cases = {first, second};
  const auto lines = summaries(result);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].cases == 2);
  CHECK(lines[0].speedups[0] == Approx(8));   // 2 and 32
  CHECK(lines[0].speedups[1] == Approx(16));  // 8 and 32
  CHECK(lines[0].speedups[3] == 0);
  CHECK(lines[0].least_speedup == Approx(2));
  CHECK(lines[0].least_at == "gemm 4 double: libxsmm");
  CHECK(lines[0].least_fraction == Approx(0.125));
  CHECK(lines[0].mean_fraction == Approx(0.25));
  CHECK(summary_table(result).find("8.00") != std::string::npos);
}

TEST_CASE("bench: hot batches fill vectors of problems and little more than half a first cache") {
  for (const unsigned n : sizes) {
    const Task task{KernelId::Gemm, ScalarType::Double, n};
    CHECK(hot_batch(task) % 16 == 0);
    CHECK((hot_batch(task) == 16 || static_cast<double>(hot_batch(task)) * cost_of(task).bytes <= 64 * 1024));
  }
}
