// Arrays whose elements become values by themselves: which ones, and that random kernels over such arrays leave what the same statements
// leave that are run here, item by item and round by round.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/infreg_evaluate.hpp"
#include "tests/unit/lowered.hpp"

using namespace lockstep;

namespace {

constexpr int wg_size = 4;

/// After the pass, the arrays that are parted: there is a variable for each of their elements.
struct Parted {
  std::string text;
  infreg::Kernel kernel;

  bool has(const std::string& element) const { return text.find(' ' + element + ';') != std::string::npos; }
};

Parted parted(const std::string& text, unsigned pack = 1) {
  Parted result;
  passes::PipelineOptions pipeline;
  pipeline.verify_each = true;
  pipeline.wg_pack = pack;
  pipeline.after = [&](std::string_view name, const std::function<std::string()>& print) {
    if (name == "elements") {
      result.text = print();
    }
  };
  result.kernel = test::lowered(text, wg_size, pipeline);
  return result;
}

std::string kernel(const std::string& body) {
  return "kernel void k(global int *g, global const int *in, int n) {\n  const int l = get_local_id();\n" + body + "}\n";
}

// ---- random kernels ----------------------------------------------------------------------------------------------------------

/// What a run of one item knows: its number, the counters of the loops around, its arrays.
struct Item {
  int l = 0;
  int i = 0;
  int j = 0;
  std::uint32_t a[5] = {};
  std::uint32_t b[2][3] = {};
  std::uint32_t c[4] = {};
  std::uint32_t s = 0;
};

/// C text, and what it does.
struct Code {
  std::string text;
  std::function<void(Item&)> run;
};
struct Place {
  std::string text;
  std::function<std::uint32_t&(Item&)> at;
};

class Kernels {
 public:
  explicit Kernels(unsigned seed) : random_(seed) {}

  Code body() {
    std::vector<Code> all;
    for (int k = 3 + pick(4); k > 0; --k) {
      all.push_back(statement(0));
    }
    return sequence(std::move(all));
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  /// An index below `count`, of numbers and the counters that there are (0 ... 2).
  std::pair<std::string, std::function<int(const Item&)>> index(int count, int depth) {
    const int number = pick(count);
    const int kind = depth == 0 ? 0 : pick(3);
    if (kind == 1 && count >= 3) {
      return {"i", [](const Item& item) { return item.i; }};
    }
    if (kind == 2 && depth == 2 && count == 5) {
      return {"i + j", [](const Item& item) { return item.i + item.j; }};
    }
    if (kind == 2 && count >= 4) {
      return {"3 - i", [](const Item& item) { return 3 - item.i; }};
    }
    return {std::to_string(number), [number](const Item&) { return number; }};
  }

  Place place(int depth) {
    switch (pick(4)) {
      case 0: {
        const auto [text, at] = index(5, depth);
        return {"a[" + text + "]", [at = at](Item& item) -> std::uint32_t& { return item.a[at(item)]; }};
      }
      case 1: {
        const auto [row, at_row] = index(2, depth);
        const auto [column, at_column] = index(3, depth);
        return {"b[" + row + "][" + column + "]",
                [r = at_row, c = at_column](Item& item) -> std::uint32_t& { return item.b[r(item)][c(item)]; }};
      }
      case 2: {
        const auto [text, at] = index(4, depth);
        return {"c[" + text + "]", [at = at](Item& item) -> std::uint32_t& { return item.c[at(item)]; }};
      }
      default:
        return {"s", [](Item& item) -> std::uint32_t& { return item.s; }};
    }
  }

  Code assignment(int depth) {
    const Place to = place(depth);
    const Place first = place(depth);
    const Place second = place(depth);
    const auto number = static_cast<std::uint32_t>(1 + pick(9));
    return {to.text + " = " + first.text + " * " + std::to_string(number) + "u + " + second.text + ";\n", [=](Item& item) {
              const std::uint32_t result = first.at(item) * number + second.at(item);
              to.at(item) = result;
            }};
  }

  Code statement(int depth) {
    const int kind = pick(6);
    if (kind == 0) {
      // In masked code.
      const int item = pick(wg_size);
      const Place asked = place(depth);
      const bool by_value = pick(2) == 0;
      const Code then = block(depth);
      const Code otherwise = block(depth);
      const std::string condition = by_value ? asked.text + " % 3u == 1u" : "l > " + std::to_string(item);
      return {"if (" + condition + ") {\n" + then.text + "} else {\n" + otherwise.text + "}\n",
              [=](Item& one) { (by_value ? asked.at(one) % 3 == 1 : one.l > item) ? then.run(one) : otherwise.run(one); }};
    }
    if (kind <= 3 && depth < 2) {
      // A loop whose rounds are 0, 1, 2, in one order or the other, the inner one perhaps from the outer one's; or a loop at run time
      // around statements without its counter.
      const int form = depth == 0 ? pick(4) : pick(2) * 4;
      const Code inside = block(form == 3 ? 0 : depth + 1);
      const std::string var = depth == 0 ? "i" : "j";
      const std::string head = form == 0   ? "for (int " + var + " = 0; " + var + " < 3; " + var + "++)"
                               : form == 4 ? "for (int j = i; j < 3; j++)"
                               : form == 3 ? "for (int r = 0; r < n; r++)"
                                           : "for (int " + var + " = 2; " + var + " >= 0; " + var + "--)";
      return {head + " {\n" + inside.text + "}\n", [=](Item& item) {
                int& counter = depth == 0 ? item.i : item.j;
                if (form == 3) {
                  for (int r = 0; r < rounds; ++r) {
                    inside.run(item);
                  }
                } else if (form == 0 || form == 4) {
                  for (counter = form == 4 ? item.i : 0; counter < 3; ++counter) {
                    inside.run(item);
                  }
                } else {
                  for (counter = 2; counter >= 0; --counter) {
                    inside.run(item);
                  }
                }
                counter = 0;
              }};
    }
    return assignment(depth);
  }

  Code block(int depth) {
    std::vector<Code> all;
    for (int k = 1 + pick(3); k > 0; --k) {
      all.push_back(depth < 2 && pick(4) == 0 ? statement(depth) : assignment(depth));
    }
    return sequence(std::move(all));
  }

  static Code sequence(std::vector<Code> all) {
    std::string text;
    for (const Code& one : all) {
      text += one.text;
    }
    return {text, [all = std::move(all)](Item& item) {
              for (const Code& one : all) {
                one.run(item);
              }
            }};
  }

 public:
  static constexpr int rounds = 2;  ///< n

 private:
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("passes elements: which arrays are parted", "[passes]") {
  // Sums, of which each round changes another one: in one statement a time, in a loop that has to stay.
  CHECK(parted(kernel("int a[3]; a[0] = l; a[1] = 2; a[2] = 3; for (int r = 0; r < n; r++) { a[0] += a[1]; a[1] ^= a[2]; a[2] += a[0]; }"
                      " g[l] = a[0] + a[1] + a[2];"))
            .has("a.2"));
  // Two dimensions, in a nest.
  CHECK(
      parted(kernel("int a[3][3]; for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) a[i][j] = in[(l * 3 + i) * 3 + j];"
                    " for (int k = 0; k < 3; k++) for (int j = k + 1; j < 3; j++) for (int i = j; i < 3; i++) a[i][j] -= a[i][k] * a[j][k];"
                    " g[l] = a[2][2];"))
          .has("a.8"));
  // Filled and read at once, and nothing else: it stays a value of all elements.
  CHECK(!parted(kernel("int a[4]; for (int j = 0; j < 4; j++) a[j] = in[l * 4 + j]; for (int j = 0; j < 4; j++) g[l * 4 + j] = a[j] * 3;"))
             .has("a.0"));
  // An item's own number, a number of the launch, and a counter of a loop that stays choose an element.
  for (const char* const index : {"l", "n", "r"}) {
    const std::string at = index;
    CHECK(!parted(kernel("int a[4]; a[0] = 1; a[1] = 2; a[2] = 3; a[3] = 4; a[1] += a[2]; a[2] += a[1]; a[0] += a[3];"
                         " for (int r = 0; r < n; r++) a[" +
                         at + "] = r; g[l] = a[0] + a[1] + a[2] + a[3];"))
               .has("a.0"));
  }
  // What items hand to each other stays together.
  CHECK(!parted(kernel("int a[4]; for (int j = 0; j < 4; j++) a[j] = in[l * 4 + j]; for (int s = 0; s < 4; s++) for (int j = 0; j < 4; j++)"
                       " a[j] = a[j] - shuffle(a[j], s) * a[s]; for (int j = 0; j < 4; j++) g[l * 4 + j] = a[j];"))
             .has("a.0"));
  // Pointers and __local arrays.
  CHECK(!parted(kernel("int a[2]; int *p = a; if (n > 3) p = a + 1; a[0] = 1; a[1] = 2; *p += 3; g[l] = a[0] + a[1];")).has("a.0"));
  CHECK(!parted(kernel("local int a[2]; a[0] = 1; a[1] = 2; a[0] += a[1]; g[l] = a[0] + a[1];")).has("a.0"));
}

TEST_CASE("passes elements: an array that must stay keeps those that loops tie to it", "[passes]") {
  const std::string filled =
      "int a[3], b[3]; for (int j = 0; j < 3; j++) { a[j] = in[l * 3 + j]; b[j] = a[j]; }"
      " a[0] = a[1] * 3; a[1] = a[2] + a[0]; a[2] = a[0] ^ a[1];";
  const auto free = parted(kernel(filled + " g[l] = a[0] + a[1] + a[2] + b[0] + b[2];"));
  CHECK(free.has("a.0"));
  CHECK(free.has("b.0"));
  const auto tied = parted(kernel(filled + " g[l] = a[0] + a[1] + a[2] + b[l % 3] + b[n];"));
  CHECK(!tied.has("a.0"));
  CHECK(!tied.has("b.0"));
}

TEST_CASE("passes elements: an element that is not there", "[passes]") {
  // Nobody comes to the round that would write behind the array or read from there: it is compiled all the same.
  const auto result =
      parted(kernel("int a[3]; a[0] = 1; a[1] = 2; a[2] = l; a[0] += a[2]; a[1] += a[0];"
                    " for (int j = 0; j < 5; j++) if (j < 3) a[j] = a[j] * 3 + a[0];"
                    " g[l] = a[0] + 10 * a[1] + 100 * a[2];"));
  CHECK(result.has("a.2"));
  std::vector<infreg::Buffer> memory = {infreg::make_buffer(ScalarType::Int, wg_size), infreg::make_buffer(ScalarType::Int, 1)};
  const auto ran = infreg::sketch::run(result.kernel, {BufferNumber{0}, BufferNumber{1}, ScalarBits{0}}, memory);
  REQUIRE(std::holds_alternative<infreg::Finished>(ran.outcome.end));
  std::vector<std::int32_t> wanted;
  for (int l = 0; l < wg_size; ++l) {
    int a[3] = {1 + l, 3 + l, l};
    for (int& element : a) {
      element = element * 3 + a[0];
    }
    wanted.push_back(a[0] + 10 * a[1] + 100 * a[2]);
  }
  CHECK(infreg::sketch::numbers_of<std::int32_t>(memory[0]) == wanted);
}

TEST_CASE("passes elements: random kernels against the same statements run here", "[passes]") {
  int with_parts = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const Code body = Kernels(seed).body();
    const std::string text =
        "kernel void k(global uint *g, int n) {\n  const int l = get_local_id();\n  uint a[5], b[2][3], c[4], s = l;\n"
        "  for (int i = 0; i < 5; i++) a[i] = l * 7 + i;\n  for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++)"
        " b[i][j] = l + i * 3 + j;\n  for (int i = 0; i < 4; i++) c[i] = 100 - l * i;\n" +
        body.text +
        "  for (int i = 0; i < 5; i++) g[get_global_id() * 16 + i] = a[i];\n"
        "  for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) g[get_global_id() * 16 + 5 + i * 3 + j] = b[i][j];\n"
        "  for (int i = 0; i < 4; i++) g[get_global_id() * 16 + 11 + i] = c[i];\n  g[get_global_id() * 16 + 15] = s;\n}\n";
    INFO(text);
    std::vector<std::uint32_t> wanted;
    for (int l = 0; l < wg_size; ++l) {
      Item item;
      item.l = l;
      item.s = static_cast<std::uint32_t>(l);
      for (int k = 0; k < 6; ++k) {
        const auto number = static_cast<std::uint32_t>(k);
        item.a[std::min(k, 4)] = static_cast<std::uint32_t>(l * 7 + std::min(k, 4));
        item.b[k / 3][k % 3] = static_cast<std::uint32_t>(l) + number;
        item.c[std::min(k, 3)] = static_cast<std::uint32_t>(100 - l * std::min(k, 3));
      }
      body.run(item);
      wanted.insert(wanted.end(), std::begin(item.a), std::end(item.a));
      wanted.insert(wanted.end(), &item.b[0][0], &item.b[0][0] + 6);
      wanted.insert(wanted.end(), std::begin(item.c), std::end(item.c));
      wanted.push_back(item.s);
    }
    const Parted result = parted(text);
    with_parts += result.has("a.0") || result.has("b.0") || result.has("c.0") ? 1 : 0;
    std::vector<infreg::Buffer> memory = {infreg::make_buffer(ScalarType::UInt, wanted.size())};
    const auto ran = infreg::sketch::run(result.kernel, {BufferNumber{0}, ScalarBits{Kernels::rounds}}, memory);
    REQUIRE(std::holds_alternative<infreg::Finished>(ran.outcome.end));
    CHECK(infreg::sketch::numbers_of<std::uint32_t>(memory[0]) == wanted);
  }
  CHECK(with_parts > 150);
}
