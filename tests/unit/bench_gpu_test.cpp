// Times of bundles, as a person would work them out: kernels, sizes and contestants that were made up for it.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "bench/suite/ablation.hpp"
#include "bench/suite/gpu.hpp"
#include "bench/suite/report.hpp"

using namespace lockstep::bench;

namespace {

struct Time {
  std::string name;
  double median;
};

GpuFile file(const std::string& kernel, const std::string& real, unsigned size, const std::vector<Time>& times,
             const std::string& device = "some GPU") {
  std::string all;
  for (const Time& time : times) {
    all += fmt::format("{}{{\"name\":\"{}\",\"least_ns\":{},\"median_ns\":{},\"equal\":true}}", all.empty() ? "" : ",", time.name,
                       time.median / 2, time.median);
  }
  return {kernel + ".json",
          fmt::format(
              "{{\"kernel\":\"{}\",\"real\":\"{}\",\"size\":{},\"wg_pack\":1,\"problems\":1000,\"device\":\"{}\",\"contestants\":[{}]}}",
              kernel, real, size, device, all)};
}

SuiteResult cases(const std::vector<GpuFile>& files) {
  const auto read = read_gpu_times(files);
  REQUIRE(read);
  return gpu_cases(*read);
}

std::vector<std::string> names(const SuiteResult& result) {
  std::vector<std::string> all;
  for (const auto& [name, text] : figures(result)) {
    all.push_back(name);
  }
  return all;
}

}  // namespace

TEST_CASE("speedups over peers on a GPU are geometric means over sizes and types") {
  const Table table = gpu_speedups(cases({file("ldus", "double", 8, {{"ours", 1}, {"ours, WG_PACK 2", 0.5}, {"threads", 2}, {"rows", 4}}),
                                          file("ldus", "float", 8, {{"ours", 1}, {"threads", 8}, {"rows", 4}, {"cuBLAS", 3}}),
                                          file("trsv", "float", 8, {{"ours", 2}, {"rows", 1}})}));
  std::vector<std::string> head;
  for (const Table::Column& column : table.columns) {
    head.push_back(column.name);
  }
  // Alone what is chosen counts as ours, and not the best of the packs.
  CHECK(head == std::vector<std::string>{"kernel", "the best of them", "least", "threads", "rows", "cuBLAS"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0] == std::vector<std::string>{"trsv", "0.50", "0.50", "", "0.50", ""});
  CHECK(table.rows[1] == std::vector<std::string>{"ldus", "2.45", "2.00", "4.00", "4.00", "3.00"});
}

TEST_CASE("item-wise kernels have one case, in which the best size of a group counts") {
  const SuiteResult result =
      cases({file("pade", "float", 8, {{"ours", 4}, {"threads", 6}}), file("pade", "float", 32, {{"ours", 3}, {"threads", 9}})});
  REQUIRE(result.cases.size() == 1);
  CHECK(gpu_speedups(result).rows == std::vector<std::vector<std::string>>{{"pade", "2.00", "2.00", "2.00"}});
  CHECK(names(result) == std::vector<std::string>{"fig7.svg"});
}

TEST_CASE("packs, what is left out, and bounds of loops make the paper's figures") {
  const SuiteResult result = cases(
      {file("gemm", "double", 8,
            {{"ours", 2}, {"ours, WG_PACK 4", 1}, {"ours, WG_PACK 2", 3}, {"ours, without staging", 3}, {"ours, without picking", 8}}),
       file("gemm", "double", 16, {{"ours", 1}, {"ours, without staging", 6}}), file("gema_unrolled", "double", 8, {{"ours", 1}}),
       file("gema_runtime", "double", 8, {{"ours", 2}}), file("gema_of_items", "double", 8, {{"ours", 3}})});
  CHECK(names(result) == std::vector<std::string>{"fig6.svg", "fig8.svg", "fig9.svg", "fig10.svg"});
  const auto packs = std::ranges::find(result.cases, Study::Packs, &CaseResult::study);
  REQUIRE(packs != result.cases.end());
  std::vector<std::string> order;
  for (const Standing& standing : packs->standings) {
    order.push_back(standing.wg_pack);
  }
  CHECK(order == std::vector<std::string>{"1", "2", "4"});
  const std::vector<Ablation> lines = ablations(result);
  REQUIRE(lines.size() == 2);
  const auto staging = std::ranges::find(lines, "without staging", &Ablation::way);
  REQUIRE(staging != lines.end());
  CHECK(staging->mean == Approx(3));  // of 1.5 and 6
  CHECK(staging->most == Approx(6));
  CHECK(staging->most_at == 16);
  const auto picking = std::ranges::find(lines, "without picking", &Ablation::way);
  REQUIRE(picking != lines.end());
  CHECK(picking->mean == Approx(2));  // of 4, and 1 where the code is the same
  CHECK(picking->changed == 1);
}

TEST_CASE("kernels that the paper does not have are in the table alone") {
  const std::vector<GpuFile> files = {file("saxpy", "float", 8, {{"ours", 1}})};
  CHECK(cases(files).cases.empty());
  CHECK(gpu_speedups(cases(files)).rows.empty());
  CHECK_THAT(gpu_table(*read_gpu_times(files)), Catch::Matchers::Contains("saxpy, float, 8, WG_PACK 1: 1000 problems on some GPU"));
}

TEST_CASE("what is no such file, or of another GPU, is an error") {
  const auto error = [](const std::vector<GpuFile>& files) {
    const auto read = read_gpu_times(files);
    REQUIRE(!read);
    return read.error();
  };
  CHECK(error({{"a.json", "{}"}}) == "a.json: is no KERNEL.bench.json, as `make bench` of a bundle writes it");
  CHECK(error({{"a.json", "[1, 2"}}) == "a.json: is no KERNEL.bench.json, as `make bench` of a bundle writes it");
  CHECK(error({file("ldus", "float", 8, {})}) == "ldus.json: is no KERNEL.bench.json, as `make bench` of a bundle writes it");
  CHECK(error({file("ldus", "float", 8, {{"ours", 1}}), file("trsv", "float", 8, {{"ours", 1}}, "another GPU")}) ==
        "trsv.json: was measured on another GPU, and not on some GPU");
}
