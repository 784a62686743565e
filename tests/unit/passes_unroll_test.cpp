// Which nests of counted loops are unrolled: by weights that loops written here give, and what hints in front of loops do. That results
// stay right is asked by running each kernel against the same loops in C++.

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "codegen/passes/weight.hpp"
#include "tests/unit/infreg_evaluate.hpp"
#include "tests/unit/lowered.hpp"

using namespace lockstep;
using passes::For;
using passes::Polynomial;
using passes::Symbol;

namespace {

struct Lowered {
  std::vector<std::string> classes;  ///< of the counted loops, in the order of the text
  std::vector<std::string> remarks;
  infreg::Kernel kernel;
};

Lowered lowered(const std::string& text, unsigned wg_size = 4) {
  Lowered result;
  Diagnostics remarks;
  passes::PipelineOptions pipeline;
  pipeline.verify_each = true;
  pipeline.remarks = &remarks;
  pipeline.after = [&](std::string_view name, const std::function<std::string()>& print) {
    if (name != "loops") {
      return;
    }
    const std::string loops = print();
    for (std::size_t at = loops.find("/* "); at != std::string::npos; at = loops.find("/* ", at + 1)) {
      const std::string word = loops.substr(at + 3, loops.find(' ', at + 3) - at - 3);
      if (word == "vectorise" || word == "unroll" || word == "rolled") {
        result.classes.push_back(word);
      }
    }
  };
  result.kernel = test::lowered(text, wg_size, pipeline);
  for (const Diagnostic& remark : remarks) {
    CHECK(remark.severity == Severity::Warning);
    result.remarks.push_back(remark.message);
  }
  return result;
}

using Words = std::vector<std::string>;

std::vector<std::int32_t> left_by(const infreg::Kernel& kernel, std::size_t count) {
  std::vector<infreg::Buffer> memory = {infreg::make_buffer(ScalarType::Int, count)};
  const auto ran = infreg::sketch::run(kernel, {BufferNumber{0}}, memory);
  REQUIRE(std::holds_alternative<infreg::Finished>(ran.outcome.end));
  return infreg::sketch::numbers_of<std::int32_t>(memory[0]);
}

For loop_of(passes::VarId var, Polynomial from, Polynomial limit, std::int64_t step) {
  return For{var, std::move(from), std::move(limit), step, {}};
}

}  // namespace

TEST_CASE("passes unroll: a nest weighs what its rounds weigh", "[passes]") {
  std::mt19937 random(7);  // NOLINT(cert-msc32-c, cert-msc51-cpp): the same nests in every run
  const auto pick = [&](int least, int most) { return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1)); };
  std::size_t cut_off = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    // for k from 0, for j from a k + b to c, for i from d j + e k to f, forwards or backwards; so many assignments in each of them.
    const int end = pick(0, 7);
    const int numbers[] = {pick(-2, 2), pick(-3, 3), pick(-4, 9), pick(-2, 2), pick(-1, 1), pick(-4, 9)};
    const auto [a, b, c, d, e, f] = numbers;
    const int j_step = pick(0, 1) == 0 ? pick(1, 3) : -pick(1, 3);
    const int i_step = pick(0, 1) == 0 ? pick(1, 3) : -pick(1, 3);
    const int plain[] = {pick(0, 2), pick(0, 2), pick(0, 2)};
    const std::size_t most = static_cast<std::size_t>(pick(0, 1) == 0 ? 100'000 : pick(0, 60));

    const Polynomial k = Symbol::of(0);
    const Polynomial j = Symbol::of(1);
    const auto fill = [](For& loop, int count) {
      for (int n = 0; n < count; ++n) {
        loop.body.push_back({passes::Forget{{passes::VarId{9}}}, {}});
      }
    };
    For inner = loop_of(2, Polynomial(d) * j + Polynomial(e) * k, f, i_step);
    fill(inner, plain[2]);
    For middle = loop_of(1, Polynomial(a) * k + Polynomial(b), c, j_step);
    fill(middle, plain[1]);
    middle.body.push_back({std::move(inner), {}});
    For outer = loop_of(0, 0, end, 1);
    fill(outer, plain[0]);
    outer.body.push_back({std::move(middle), {}});

    std::size_t wanted = 0;
    for (int x = 0; x < end; ++x) {
      std::size_t of_x = static_cast<std::size_t>(plain[0]);
      for (int y = a * x + b; j_step > 0 ? y < c : y > c; y += j_step) {
        std::size_t of_y = static_cast<std::size_t>(plain[1]);
        for (int z = d * y + e * x; i_step > 0 ? z < f : z > f; z += i_step) {
          of_y += static_cast<std::size_t>(std::max(plain[2], 1));
        }
        of_x += std::max<std::size_t>(of_y, 1);
      }
      wanted += std::max<std::size_t>(of_x, 1);
    }
    CHECK(passes::unrolled_weight(outer, most) == std::min(wanted, most + 1));
    cut_off += wanted > most ? 1 : 0;
  }
  CHECK(cut_off > 100);
}

TEST_CASE("passes unroll: what is not known has no weight, and very many rounds are not gone through", "[passes]") {
  const Polynomial n = Symbol::of(5);
  CHECK(!passes::unrolled_weight(loop_of(0, 0, n, 1), 100));
  CHECK(!passes::unrolled_weight(loop_of(0, n, 8, 1), 100));
  For around = loop_of(0, 0, 3, 1);
  around.body.push_back({loop_of(1, 0, n, 1), {}});
  CHECK(!passes::unrolled_weight(around, 100));
  // Without an assignment in it, too.
  CHECK(passes::unrolled_weight(loop_of(0, 0, std::int64_t{1} << 60, 1), 100) == 101U);
  For nested = loop_of(0, 0, std::int64_t{1} << 60, 1);
  nested.body.push_back({loop_of(1, 4, 4, 1), {}});
  CHECK(passes::unrolled_weight(nested, 100) == 101U);
  // A counter that would wrap is past its limit.
  constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
  CHECK(passes::unrolled_weight(loop_of(0, greatest - 2, greatest, 2), 100) == 1U);
}

TEST_CASE("passes unroll: three loops of an elimination", "[passes]") {
  for (const int size : {2, 3, 6}) {
    const std::string n = std::to_string(size);
    const Lowered result =
        lowered("kernel void k(global int *g) {\n  int a[" + n + "][" + n + "];\n  const int l = get_local_id();\n  for (int i = 0; i < " +
                n + "; i++) for (int j = 0; j < " + n + "; j++) a[i][j] = (i + 2) * (j + 3) + l * i + j;\n  for (int k = 0; k < " + n +
                "; k++)\n    for (int j = k + 1; j < " + n + "; j++)\n      for (int i = j; i < " + n +
                "; i++) a[i][j] -= a[i][k] * a[j][k];\n  for (int i = 0; i < " + n + "; i++) for (int j = 0; j < " + n + "; j++) g[(l * " +
                n + " + i) * " + n + " + j] = a[i][j];\n}\n");
    REQUIRE(result.classes.size() == 7);
    CHECK(result.classes[2] == "unroll");
    CHECK(result.classes[3] == "unroll");
    CHECK(result.classes[4] != "rolled");
    std::vector<std::int32_t> wanted;
    for (int l = 0; l < 4; ++l) {
      std::vector<std::uint32_t> a;
      const auto at = [&](int i, int j) -> std::uint32_t& { return a[static_cast<std::size_t>(i * size + j)]; };
      for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
          a.push_back(static_cast<std::uint32_t>((i + 2) * (j + 3) + l * i + j));
        }
      }
      for (int k = 0; k < size; ++k) {
        for (int j = k + 1; j < size; ++j) {
          for (int i = j; i < size; ++i) {
            at(i, j) -= at(i, k) * at(j, k);
          }
        }
      }
      std::ranges::transform(a, std::back_inserter(wanted), [](std::uint32_t number) { return static_cast<std::int32_t>(number); });
    }
    CHECK(left_by(result.kernel, wanted.size()) == wanted);
  }
}

TEST_CASE("passes unroll: a triangle counts as the rounds that it has", "[passes]") {
  // A sum goes from round to round, and is no array. `flat` rounds are the most that are unrolled.
  const auto is_unrolled = [](const std::string& loops) {
    return lowered("kernel void k(global int *g) {\n  int sum = 1;\n  " + loops +
                   " sum = sum * 3 + g[get_local_id()];\n  g[get_local_id()] = sum;\n}\n")
               .classes.front() == "unroll";
  };
  int flat = 1;
  while (is_unrolled("for (int i = 0; i < " + std::to_string(flat + 1) + "; i++)")) {
    ++flat;
  }
  int rows = 1;
  while (is_unrolled("for (int i = 0; i < " + std::to_string(rows + 1) + "; i++) for (int j = 0; j <= i; j++)")) {
    ++rows;
  }
  CHECK(flat >= 64);
  CHECK(rows * (rows + 1) / 2 <= flat);
  CHECK((rows + 1) * (rows + 2) / 2 > flat);
}

TEST_CASE("passes unroll: hints are obeyed", "[passes]") {
  const auto with = [](const std::string& hint, const std::string& loop) {
    return lowered("kernel void k(global int *g, int n) {\n  int sum = 1;\n" + hint + "\n  " + loop +
                   " sum = sum * 3 + g[get_local_id()];\n  g[get_local_id()] = sum;\n}\n");
  };
  const std::string eight = "for (int i = 0; i < 8; i++)";
  const std::string many = "for (int i = 0; i < 600; i++)";
  const std::string alone = "for (int i = 0; i < 5; i++) g[get_local_id() * 5 + i] = i; if (n > 0)";
  struct Case {
    std::string hint;
    std::string loop;
    Words classes;
    Words remarks;
  };
  const std::string partly = "this loop is not unrolled by a part of its rounds: all of them are written out, or none";
  const std::string unknown = "this loop is not unrolled: its bounds, or those of a loop inside it, are not known when compiling";
  const std::string unseen = "this loop is not unrolled: how often it runs is not seen in front of it";
  const std::vector<Case> cases = {
      {"", eight, {"unroll"}, {}},
      {"", many, {"rolled"}, {}},
      {"", alone, {"vectorise"}, {}},
      {"#pragma unroll", eight, {"unroll"}, {}},
      {"#pragma unroll", many, {"unroll"}, {}},
      {"#pragma unroll", alone, {"unroll"}, {}},
      {"#pragma unroll 600", many, {"unroll"}, {}},
      {"#pragma unroll(1000)", many, {"unroll"}, {}},
      {"#pragma nounroll", eight, {"rolled"}, {}},
      {"#pragma nounroll", alone, {"rolled"}, {}},
      {"#pragma unroll 1", eight, {"rolled"}, {}},
      {"#pragma unroll 4", eight, {"unroll"}, {partly}},
      {"#pragma unroll 4", many, {"rolled"}, {partly}},
      {"__attribute__((opencl_unroll_hint))", many, {"unroll"}, {}},
      {"__attribute__((opencl_unroll_hint(1)))", eight, {"rolled"}, {}},
      {"__attribute__((__opencl_unroll_hint__(600)))", many, {"unroll"}, {}},
      {"#pragma unroll", "for (int i = 0; i < n; i++)", {"rolled"}, {unknown}},
      {"#pragma unroll", "for (int i = 0; i < 4; i++) for (int j = 0; j < n; j++)", {"rolled", "rolled"}, {unknown}},
      {"#pragma unroll",
       "for (int i = 0; i < 100000; i++)",
       {"rolled"},
       {"this loop is not unrolled: it would be more than 8192 assignments"}},
      {"#pragma unroll", "for (int i = 0; i < get_local_id(); i++)", {}, {unseen}},
      {"#pragma unroll", "while (sum < n)", {}, {unseen}},
      {"#pragma nounroll", "while (sum < n)", {}, {}},
  };
  for (const Case& one : cases) {
    INFO(one.hint + " " + one.loop);
    const Lowered result = with(one.hint, one.loop);
    CHECK(result.classes == one.classes);
    CHECK(result.remarks == one.remarks);
  }
  // A hint belongs to its loop alone; one inside a loop of a function is answered once, however often the function is called.
  CHECK(with("#pragma nounroll", "for (int i = 0; i < 4; i++) for (int j = 0; j < 3; j++)").classes == Words{"rolled", "unroll"});
  CHECK(lowered("int f(int n) { int s = 0;\n#pragma unroll\nfor (int i = 0; i < n; i++) s += 3 * s + i; return s; }\n"
                "kernel void k(global int *g, int n) { g[get_local_id()] = f(n) + f(n); }")
            .remarks == Words{unknown});
}

TEST_CASE("passes unroll: what hinted loops leave", "[passes]") {
  for (const char* const hint : {"", "#pragma unroll", "#pragma nounroll", "#pragma unroll 3", "#pragma unroll 64"}) {
    const Lowered result = lowered("kernel void k(global int *g) {\n  const int l = get_local_id();\n  int s = l;\n" + std::string(hint) +
                                   "\n  for (int i = 20; i > l - l; i -= 3) {\n    if (i % 4 == l) s = s * 5 + i;\n  }\n  g[l] = s;\n}\n");
    std::vector<std::int32_t> wanted;
    for (int l = 0; l < 4; ++l) {
      int s = l;
      for (int i = 20; i > 0; i -= 3) {
        s = i % 4 == l ? s * 5 + i : s;
      }
      wanted.push_back(s);
    }
    CHECK(left_by(result.kernel, 4) == wanted);
  }
}

TEST_CASE("passes unroll: a hint without a loop is read over, and told", "[core]") {
  const auto warnings = [](const std::string& text) {
    core::Options options;
    options.wg_size = 4;
    Diagnostics found;
    const auto program = core::read_kernels(std::make_shared<const SourceFile>("k.cl", text), options, found);
    REQUIRE(program);
    return found.size();
  };
  const std::string loop = "for (int i = 0; i < 2; i++) g[i] = i;";
  CHECK(warnings("kernel void k(global int *g) {\n#pragma unroll 2\n" + loop + "}") == 0);
  CHECK(warnings("kernel void k(global int *g) {\nif (g[0])\n#pragma unroll\n" + loop + " else g[1] = 1; }") == 0);
  CHECK(warnings("kernel void k(global int *g) {\n#pragma unroll\n__attribute__((opencl_unroll_hint(2)))\n" + loop + "}") == 0);
  for (const char* const lost :
       {"#pragma unroll\ng[0] = 1;", "#pragma unroll 0\nfor (int i = 0; i < 2; i++) g[i] = i;", "g[0] = 2;\n#pragma nounroll\n",
        "#pragma unroll N\nfor (int i = 0; i < 2; i++) g[i] = i;", "#pragma unroll 2 3\n{ g[0] = 1; }"}) {
    CHECK(warnings("kernel void k(global int *g) {\n" + std::string(lost) + "}") == 1);
  }
  CHECK(warnings("#pragma unroll\nkernel void k(global int *g) { g[0] = 1; }") == 1);
}
