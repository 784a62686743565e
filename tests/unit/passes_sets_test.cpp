// Loops whose rounds conflict: the index sets that the passes find, against sets that a search over iterations finds, and what the kernel
// leaves, against the same loop run here, round by round.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "codegen/passes/pipeline.hpp"
#include "semantics/core/front_end.hpp"
#include "tests/unit/infreg_evaluate.hpp"
#include "tests/unit/lowered.hpp"

using namespace lockstep;

namespace {

constexpr int elements = 8;
constexpr int wg_size = 4;

/// An index as C text and as a function of the round.
struct Index {
  std::string text;
  std::function<int(int)> at;
};

const std::vector<Index>& indices() {
  static const std::vector<Index> all = {
      {"j", [](int j) { return j; }},
      {"j / 2", [](int j) { return j / 2; }},
      {"7 - j", [](int j) { return 7 - j; }},
      {"j % 3", [](int j) { return j % 3; }},
      {"(j * 3) % 8", [](int j) { return j * 3 % 8; }},
      {"j >> 2", [](int j) { return j >> 2; }},
      {"(j + 1) % 8", [](int j) { return (j + 1) % 8; }},
      {"(j * j) & 7", [](int j) { return (j * j) & 7; }},
      {"j / 2 * 2", [](int j) { return j / 2 * 2; }},
      {"5", [](int) { return 5; }},
  };
  return all;
}

/// arrays[target][to] = arrays[first][a] + arrays[second][b] * 3, in the items beyond `above`.
struct Line {
  int target = 0;
  int first = 0;
  int second = 0;
  Index to;
  Index a;
  Index b;
  int above = -1;
};

const std::vector<std::string> names = {"x", "y", "z"};

std::string text_of(const std::vector<Line>& lines, int from, int limit, int step) {
  std::string body;
  for (const Line& line : lines) {
    const auto element = [&](int array, const Index& index) { return names[static_cast<std::size_t>(array)] + "[" + index.text + "]"; };
    body += "    ";
    if (line.above >= 0) {
      body += "if (get_local_id() > " + std::to_string(line.above) + ") ";
    }
    body += element(line.target, line.to) + " = " + element(line.first, line.a) + " + " + element(line.second, line.b) + " * 3;\n";
  }
  return "kernel void k(global int *g) {\n  int x[8], y[8], z[8];\n  const int l = get_local_id();\n"
         "  for (int j = 0; j < 8; j++) { x[j] = l + j; y[j] = 10 * l - j; z[j] = 7 * j + 1; }\n"
         "  for (int j = " +
         std::to_string(from) + "; j < " + std::to_string(limit) + "; j += " + std::to_string(step) + ") {\n" + body +
         "  }\n"
         "  for (int j = 0; j < 8; j++) { g[l * 24 + j] = x[j]; g[l * 24 + 8 + j] = y[j]; g[l * 24 + 16 + j] = z[j]; }\n}\n";
}

/// What the kernel leaves.
std::vector<std::int32_t> expected(const std::vector<Line>& lines, const std::vector<int>& rounds) {
  std::vector<std::int32_t> result;
  for (int l = 0; l < wg_size; ++l) {
    std::uint32_t arrays[3][elements];
    for (int j = 0; j < elements; ++j) {
      arrays[0][j] = static_cast<std::uint32_t>(l + j);
      arrays[1][j] = static_cast<std::uint32_t>(10 * l - j);
      arrays[2][j] = static_cast<std::uint32_t>(7 * j + 1);
    }
    for (const int j : rounds) {
      for (const Line& line : lines) {
        if (l > line.above) {
          arrays[line.target][line.to.at(j)] = arrays[line.first][line.a.at(j)] + arrays[line.second][line.b.at(j)] * 3U;
        }
      }
    }
    for (const auto& array : arrays) {
      for (const std::uint32_t number : array) {
        result.push_back(static_cast<std::int32_t>(number));
      }
    }
  }
  return result;
}

/// Which write each read meets, and which write each cell keeps, when the levels are executed one after the other, each statement for all
/// rounds of a level at once; empty if two rounds of a level write one cell in one statement.
using Flow = std::set<std::vector<int>>;
std::optional<Flow> flow(const std::vector<Line>& lines, const std::vector<std::vector<int>>& levels) {
  Flow result;
  int last[3][elements];
  std::fill(&last[0][0], &last[0][0] + 3 * elements, -1);
  for (const std::vector<int>& rounds : levels) {
    for (int s = 0; s < static_cast<int>(lines.size()); ++s) {
      const Line& line = lines[static_cast<std::size_t>(s)];
      for (const int j : rounds) {
        result.insert({0, s, j, last[line.first][line.a.at(j)], last[line.second][line.b.at(j)]});
      }
      std::set<int> written;
      for (const int j : rounds) {
        if (!written.insert(line.to.at(j)).second) {
          return std::nullopt;
        }
        last[line.target][line.to.at(j)] = 100 * s + j;
      }
    }
  }
  for (int array = 0; array < 3; ++array) {
    for (int cell = 0; cell < elements; ++cell) {
      result.insert({1, array, cell, last[array][cell]});
    }
  }
  return result;
}

/// Each round, in turn, in the first level in which everything stays as it was.
std::vector<std::vector<int>> levels_of(const std::vector<Line>& lines, const std::vector<int>& rounds) {
  std::vector<std::vector<int>> levels;
  std::vector<std::vector<int>> sequence;
  for (const int j : rounds) {
    sequence.push_back({j});
    const auto wanted = flow(lines, sequence);
    for (std::size_t level = 0;; ++level) {
      std::vector<std::vector<int>> trial = levels;
      trial.resize(std::max(trial.size(), level + 1));
      trial[level].push_back(j);
      if (flow(lines, trial) == wanted) {
        levels = std::move(trial);
        break;
      }
    }
  }
  return levels;
}

/// "[[0, 2], [1, 3]]", levels divided where their rounds are not equally far apart.
std::string text_of(const std::vector<std::vector<int>>& levels) {
  std::string text;
  for (const std::vector<int>& level : levels) {
    for (std::size_t i = 0; i < level.size();) {
      std::size_t end = std::min(i + 2, level.size());
      while (end < level.size() && level[end] - level[end - 1] == level[i + 1] - level[i]) {
        ++end;
      }
      text += text.empty() ? "[" : ", [";
      for (std::size_t k = i; k < end; ++k) {
        text += (k == i ? "" : ", ") + std::to_string(level[k]);
      }
      text += "]";
      i = end;
    }
  }
  return "[" + text + "]";
}

struct Classified {
  std::string loop_class;  ///< of the loop in the middle: "vectorise [[0, 2], [1, 3]]"; runtime: it is no counted loop
  infreg::Kernel kernel;
};

Classified classified(const std::string& text) {
  passes::PipelineOptions pipeline;
  pipeline.verify_each = true;
  std::string loops;
  pipeline.after = [&](std::string_view name, const std::function<std::string()>& print) {
    if (name == "loops") {
      loops = print();
    }
  };
  infreg::Kernel kernel = test::lowered(text, wg_size, pipeline);
  std::vector<std::string> classes;
  for (std::size_t at = loops.find("/* "); at != std::string::npos; at = loops.find("/* ", at + 1)) {
    const std::string found = loops.substr(at + 3, loops.find(" */", at) - at - 3);
    if (!found.ends_with("begins")) {
      classes.push_back(found);
    }
  }
  REQUIRE((classes.size() == 2 || classes.size() == 3));
  return {classes.size() == 3 ? classes[1] : "runtime", std::move(kernel)};
}

std::vector<std::int32_t> left_by(const infreg::Kernel& kernel) {
  std::vector<infreg::Buffer> memory = {infreg::make_buffer(ScalarType::Int, 24 * wg_size)};
  const auto ran = infreg::sketch::run(kernel, {BufferNumber{0}}, memory);
  REQUIRE(std::holds_alternative<infreg::Finished>(ran.outcome.end));
  return infreg::sketch::numbers_of<std::int32_t>(memory[0]);
}

}  // namespace

TEST_CASE("passes sets: the paper's example", "[passes]") {
  const Index j = indices()[0];
  const Index half = indices()[1];
  // b[ix / 2] = b[ix / 2] + 3 * c[ix / 2] for ix = 0 .. 3
  const std::vector<Line> lines = {{1, 1, 2, half, half, half, 1}};
  CHECK(classified(text_of(lines, 0, 4, 1)).loop_class == "vectorise [[0, 2], [1, 3]]");
  CHECK(text_of(levels_of(lines, {0, 1, 2, 3})) == "[[0, 2], [1, 3]]");
  // With b[3 - ix] read before, as in Example 2, round 3 has to wait for rounds 0 and 1.
  const Index back{"3 - j", [](int k) { return 3 - k; }};
  const std::vector<Line> example = {{0, 0, 1, j, j, back}, {1, 1, 2, half, half, half, 1}};
  CHECK(classified(text_of(example, 0, 4, 1)).loop_class == "vectorise [[0, 2], [1], [3]]");
}

TEST_CASE("passes sets: random loops against a search over iterations", "[passes]") {
  std::mt19937 random(4);  // NOLINT(cert-msc32-c, cert-msc51-cpp): the same loops in every run
  const auto pick = [&](std::size_t count) { return static_cast<int>(random() % count); };
  int in_sets = 0;
  for (int trial = 0; trial < 150; ++trial) {
    std::vector<Line> lines;
    for (int k = pick(3); k >= 0; --k) {
      const auto index = [&] { return indices()[static_cast<std::size_t>(pick(indices().size()))]; };
      lines.push_back({pick(3), pick(3), pick(3), index(), index(), index(), pick(3) == 0 ? pick(3) : -1});
    }
    const int from = pick(3);
    const int step = 1 + pick(2);
    const int limit = from + 3 + pick(6 - static_cast<std::size_t>(from));
    std::vector<int> rounds;
    for (int j = from; j < limit; j += step) {
      rounds.push_back(j);
    }
    const std::string text = text_of(lines, from, limit, step);
    INFO(text);
    const Classified result = classified(text);
    CHECK(left_by(result.kernel) == expected(lines, rounds));
    const auto levels = levels_of(lines, rounds);
    if (result.loop_class == "vectorise") {
      CHECK(levels.size() == 1);
    } else if (result.loop_class != "unroll" && result.loop_class != "runtime") {
      CHECK(result.loop_class == "vectorise " + text_of(levels));
      ++in_sets;
    }
  }
  CHECK(in_sets > 40);
}

TEST_CASE("passes: packs beyond what a value may have are an error of the kernel's", "[passes]") {
  core::Options options;
  options.wg_size = 1024;
  Diagnostics warnings;
  const auto program =
      core::read_kernels(std::make_shared<const SourceFile>("k.cl",
                                                            "kernel void k(global float *g) {\n  float a[16];\n"
                                                            "  for (int j = 0; j < 16; j++) a[j] = g[j];\n"
                                                            "  for (int j = 0; j < 16; j++) g[get_global_id() * 16 + j] = a[15 - j];\n}\n"),
                         options, warnings);
  REQUIRE(program);
  passes::PipelineOptions pipeline;
  pipeline.wg_pack = 1U << 17;
  CHECK(passes::lower(*program, *program->kernel(""), pipeline));
  pipeline.wg_pack = (1U << 17) + 1;
  const auto refused = passes::lower(*program, *program->kernel(""), pipeline);
  REQUIRE_FALSE(refused);
  REQUIRE(refused.error().size() == 1);
  CHECK(refused.error()[0].message.find("choose a smaller WG_PACK") != std::string::npos);
}
