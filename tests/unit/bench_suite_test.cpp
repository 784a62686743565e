// From options to reports, with peers that are made here: one that is right, and one that is not.
#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/suite/ablation.hpp"
#include "bench/suite/bars.hpp"
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
  CHECK(summary_text(result).find("missing: was never here") != std::string::npos);
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
  const SuiteResult result = run_suite(options, made_module, {nullptr, [&](const SuiteResult& so_far) { seen = so_far.cases.size(); }});
  // Two sizes of GEMA and one FRCG, each cold with one and two threads, and hot; four of studies, which have one thread.
  CHECK(seen == 3 * 3 + 2 * 4);
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
  CHECK(summary_text(result).find("8.00") != std::string::npos);
}

namespace {

/// A case with a time of ours and those of peers, all in seconds for a problem.
CaseResult made_case(const Task& task, bool is_hot, double ours, double fraction,
                     const std::vector<std::pair<std::string, double>>& peers) {
  CaseResult result;
  result.task = task;
  result.is_hot = is_hot;
  Standing own{"avx512", Side::Ours};
  own.wg_size = std::max(8U, task.n);
  own.median = ours;
  own.fraction = fraction;
  result.standings.push_back(own);
  for (const auto& [name, median] : peers) {
    Standing peer{name};
    peer.median = median;
    peer.is_apart = name.ends_with("blocks");
    result.standings.push_back(peer);
  }
  return result;
}

const Bar& bar_of(const std::vector<Bar>& all, const std::string& name, bool is_hot) {
  const auto found = std::ranges::find_if(all, [&](const Bar& bar) { return bar.name == name && bar.is_hot == is_hot; });
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE("bench: bars hold if all that was measured says so") {
  SuiteResult result;
  result.options.targets = {"interpreter", "avx512", "llvm"};
  CHECK(target_of_bars(result) == "avx512");
  CHECK(std::ranges::none_of(bars(result), &Bar::holds));
  const Task gemm4{KernelId::Gemm, ScalarType::Double, 4};
  const Task gemm8{KernelId::Gemm, ScalarType::Float, 8};
  result.cases = {made_case(gemm4, false, 2, 0.9, {{"g++ loops", 4}, {"PoCL", 8}}),
                  made_case(gemm8, false, 2, 0.8, {{"g++ lanes", 1.6}, {"PoCL", 2}}), made_case(gemm4, true, 2, 0.3, {{"libxsmm", 2.5}}),
                  made_case(gemm8, true, 2, 0.3, {{"libxsmm", 2.5}}),
                  made_case({KernelId::Enumerate, ScalarType::Double, 0}, false, 3, 0.1, {{"g++ blocks", 1}, {"clang++ lanes", 3}})};
  CaseResult on_two_threads = result.cases[0];
  on_two_threads.threads = 2;
  on_two_threads.standings[0].median = 100;
  result.cases.push_back(on_two_threads);
  const auto all = bars(result);

  const Bar& mean = bar_of(all, "against the best peer, geometric mean", false);
  CHECK(mean.cases == 3);
  CHECK(mean.measured == Approx(std::cbrt(2 * 0.8 * 1)));
  CHECK(mean.worst == Approx(0.8));
  CHECK(mean.worst_at == "gemm 8 float: g++ lanes");
  CHECK(mean.below == 2);
  CHECK_FALSE(mean.holds());
  CHECK_FALSE(bar_of(all, "against the best peer, least", false).holds());
  CHECK(bar_of(all, "against the best peer, least", true).holds());
  CHECK(bar_of(all, "against PoCL, geometric mean", false).measured == Approx(2));
  CHECK(bar_of(all, "against ISPC, geometric mean", false).cases == 0);

  const Bar& limit = bar_of(all, "GEMM, n = 4 and 8, against the limit, least", false);
  CHECK(limit.is_fraction);
  CHECK(limit.measured == Approx(0.8));
  CHECK(limit.below == 1);
  CHECK(bar_of(all, "GEMM against libxsmm, least", true).holds());
  const Bar& weak = bar_of(all, "GEMM, n = 4, 12, 20, 28, against libxsmm, least", true);
  CHECK(weak.cases == 1);
  CHECK_FALSE(weak.holds());

  // Each size of groups of an item-wise kernel is a case, and one without a time lets no bar hold.
  Standing slower = result.cases[4].standings[0];
  slower.wg_size = 16;
  slower.median = 6;
  result.cases[4].standings.push_back(slower);
  CHECK(bar_of(bars(result), "against the best peer, least", false).worst_at == "enumerate double, groups of 16: clang++ lanes");
  result.cases[3].standings[0].median = 0;
  CHECK_FALSE(bar_of(bars(result), "GEMM against libxsmm, least", true).holds());
  CHECK(bar_of(bars(result), "GEMM against libxsmm, least", true).failed == 1);

  const std::string text = summary_text(result);
  CHECK(text.find("What avx512 is to reach") != std::string::npos);
  CHECK(text.find("not measured") != std::string::npos);
  const auto json = nlohmann::json::parse(to_json(result));
  CHECK(json["bars"]["target"] == "avx512");
  CHECK(json["bars"]["lines"].size() == all.size());
  CHECK(json["bars"]["lines"][0]["holds"] == false);
}

TEST_CASE("bench: the ablation has each way that changes the code, and ours without it is right") {
  SuiteOptions options = small();
  options.kernels.clear();
  options.targets = {"avx512"};
  options.studies = {Study::Reorderings};
  options.rounds = 1;
  options.is_cold = false;
  const SuiteResult result = run_suite(options, made_module, {});
  REQUIRE(result.cases.size() == 3);  // LDUS, GEMM and TRSV of one size
  for (const CaseResult& one : result.cases) {
    INFO(title(one.task));
    REQUIRE_FALSE(one.standings.empty());
    CHECK(one.standings.front().name == "avx512, everything");
    CHECK(std::ranges::count(one.standings, Side::Ours, &Standing::side) > 1);  // each of these kernels moves lanes
    for (const Standing& ours : one.standings) {
      CHECK((ours.failure.empty() || ours.failure.starts_with("this machine has no AVX512")));
    }
  }
}

TEST_CASE("bench: what a way to reorder brings is taken over all sizes") {
  const auto ours = [](const std::string& name, double median) {
    Standing standing{"avx512, " + name, Side::Ours};
    standing.median = median;
    return standing;
  };
  CaseResult small_one;
  small_one.study = Study::Reorderings;
  small_one.task = {KernelId::Ldus, ScalarType::Double, 4};
  small_one.standings = {ours("everything", 2), ours("none of them", 32), ours("without columns", 4)};
  CaseResult large_one = small_one;
  large_one.task.n = 8;
  large_one.standings = {ours("everything", 2), ours("none of them", 4)};
  SuiteResult result;
  result.cases = {small_one, large_one};
  const auto lines = ablations(result);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].way == "without columns");
  CHECK(lines[0].changed == 1);
  CHECK(lines[0].sizes == 2);
  CHECK(lines[0].mean == Approx(std::sqrt(2)));
  CHECK(lines[0].most == Approx(2));
  CHECK(lines[0].most_at == 4);
  CHECK(lines[1].way == "none of them");  // last, wherever it was met first
  CHECK(lines[1].mean == Approx(std::sqrt(32)));
  CHECK(lines[1].most == Approx(16));
  CHECK(nlohmann::json::parse(to_json(result))["reorderings"][0]["changed"] == 1);
  const auto pictures = figures(result);
  REQUIRE(pictures.size() == 1);
  CHECK(pictures[0].first == "fig9.svg");
  // Without columns the code for n = 8 is the same: all three have a point at both sizes.
  std::size_t points = 0;
  for (std::size_t at = pictures[0].second.find("<circle"); at != std::string::npos; at = pictures[0].second.find("<circle", at + 1)) {
    ++points;
  }
  CHECK(points == 6);
}

TEST_CASE("bench: tables for terminals and for pages") {
  const Table table{"Two lines", {{"name", false}, {"value"}}, {{"a", "1.5"}, {"longer", ""}}};
  CHECK(plain_text(table) == "Two lines:\n  name   value\n  a        1.5\n  longer     -\n");
  CHECK(markdown(table) == "Two lines:\n\n| name | value |\n|---|---:|\n| a | 1.5 |\n| longer |  |\n");
  CHECK(plain_text({"Nothing", {{"name", false}}, {}}).empty());
  CHECK(markdown({"Nothing", {{"name", false}}, {}}).empty());
}

TEST_CASE("bench: a contestant that throws is a failure of its own") {
  PeerModule module = made_module;
  module.contestants = [](const Task&) {
    std::vector<Contestant> all;
    all.push_back(made("throws", [](const Data&) { throw std::runtime_error("cannot go on"); }));
    all.push_back(made("right", [](const Data& data) { (void)interpret(data); }));
    return all;
  };
  SuiteOptions options = small();
  options.targets.clear();
  const SuiteResult result = run_suite(options, module, {});
  REQUIRE(result.cases.size() == 2);
  CHECK(standing(result.cases[0], "throws").failure == "cannot go on");
  CHECK(standing(result.cases[0], "right").median > 0);
}

TEST_CASE("bench: hot batches fill vectors of problems and little more than half a first cache") {
  for (const unsigned n : sizes) {
    const Task task{KernelId::Gemm, ScalarType::Double, n};
    CHECK(hot_batch(task) % 16 == 0);
    CHECK((hot_batch(task) == 16 || static_cast<double>(hot_batch(task)) * cost_of(task).bytes <= 64 * 1024));
  }
}
