// Kernels with int indices have two versions. That the question in front of them is exact is seen from numbers at and beyond the ends of
// 32 bits: random expressions, each of them an index, against C++ that wraps as the language says.

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "semantics/infreg/walk.hpp"
#include "tests/unit/infreg_evaluate.hpp"
#include "tests/unit/lowered.hpp"

using namespace lockstep;

namespace {

constexpr unsigned wg_size = 4;
constexpr std::uint64_t groups = 3;

infreg::Kernel lowered(const std::string& text, unsigned pack = 1) {
  passes::PipelineOptions pipeline;
  pipeline.verify_each = true;
  pipeline.wg_pack = pack;
  return test::lowered(text, wg_size, pipeline);
}

const infreg::If* question(const infreg::Kernel& kernel) {
  const auto& operations = kernel.regions[kernel.body].operations;
  return operations.empty() ? nullptr : std::get_if<infreg::If>(&operations.back().node);
}

/// Accesses that are gathered, in the version of a launch that is not too large.
std::size_t gathers(const infreg::Kernel& kernel) {
  std::size_t count = 0;
  const std::function<void(infreg::RegionId)> look = [&](infreg::RegionId id) {
    for (const infreg::Operation& operation : kernel.regions[id].operations) {
      const auto* load = std::get_if<infreg::Load>(&operation.node);
      const auto* store = std::get_if<infreg::Store>(&operation.node);
      count += (load != nullptr && load->access == infreg::Access::Gather) || (store != nullptr && store->access == infreg::Access::Gather);
      infreg::for_each_region(operation.node, [&](infreg::RegionId inner) { look(inner); });
    }
  };
  const infreg::If* choice = question(kernel);
  look(choice == nullptr ? kernel.body : choice->then);
  return count;
}

/// What a place in a kernel knows.
struct Here {
  std::uint32_t l = 0;
  std::uint32_t g = 0;
  std::int32_t n = 0;
  std::int32_t m = 0;
  std::uint32_t u = 0;
  std::int32_t k = 0;  ///< counter of the loop around
};

/// An int as C text and as a function; a uint likewise.
struct Number {
  std::string text;
  bool is_unsigned = false;
  std::function<std::uint32_t(const Here&)> bits;

  std::int64_t value(const Here& here) const {
    return is_unsigned ? std::int64_t{bits(here)} : std::int64_t{static_cast<std::int32_t>(bits(here))};
  }
};

class Numbers {
 public:
  explicit Numbers(unsigned seed) : random_(seed) {}

  Number number(int depth) {
    if (depth == 0 || pick(5) == 0) {
      return leaf();
    }
    const Number a = number(depth - 1);
    const Number b = number(depth - 1);
    const bool is_unsigned = a.is_unsigned || b.is_unsigned;
    switch (pick(6)) {
      case 0:
      case 1:
        return {"(" + a.text + " + " + b.text + ")", is_unsigned, [=](const Here& h) { return a.bits(h) + b.bits(h); }};
      case 2:
        return {"(" + a.text + " - " + b.text + ")", is_unsigned, [=](const Here& h) { return a.bits(h) - b.bits(h); }};
      case 3:
      case 4:
        return {"(" + a.text + " * " + b.text + ")", is_unsigned, [=](const Here& h) { return a.bits(h) * b.bits(h); }};
      default: {
        // By a number that is not 0, so that it is defined.
        const std::uint32_t by = 1 + pick(9);
        const bool is_rest = pick(2) == 0;
        const std::string sign = is_rest ? " % " : " / ";
        return {"(" + a.text + sign + std::to_string(by) + ")", a.is_unsigned, [=](const Here& h) {
                  const std::int64_t x = a.value(h);
                  return static_cast<std::uint32_t>(is_rest ? x % std::int64_t{by} : x / std::int64_t{by});
                }};
      }
    }
  }

 private:
  std::uint32_t pick(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }

  Number leaf() {
    switch (pick(8)) {
      case 0:
        return {"(int)get_local_id(0)", false, [](const Here& h) { return h.l; }};
      case 1:
        return {"(int)get_group_id(0)", false, [](const Here& h) { return h.g; }};
      case 2:
        return {"n", false, [](const Here& h) { return static_cast<std::uint32_t>(h.n); }};
      case 3:
        return {"m", false, [](const Here& h) { return static_cast<std::uint32_t>(h.m); }};
      case 4:
        return {"u", true, [](const Here& h) { return h.u; }};
      case 5:
        return {"k", false, [](const Here& h) { return static_cast<std::uint32_t>(h.k); }};
      case 6: {
        // From 64 bits, where more of it is there.
        const std::uint32_t by = 1 + pick(5);
        return {"(int)(get_global_id(0) * " + std::to_string(by) + " - (ulong)n)", false,
                [by](const Here& h) { return (h.g * wg_size + h.l) * by - static_cast<std::uint32_t>(h.n); }};
      }
      default: {
        static constexpr std::array<std::int32_t, 5> all = {1, 3, 16, 65536, 2147483647};
        const std::int32_t number = all[pick(5)];
        return {std::to_string(number), false, [number](const Here&) { return static_cast<std::uint32_t>(number); }};
      }
    }
  }

  std::mt19937 random_;
};

template <class T>
void put(infreg::Buffer& buffer, std::size_t cell, T number) {
  std::memcpy(buffer.bytes.data() + cell * sizeof number, &number, sizeof number);
}

}  // namespace

TEST_CASE("passes versions: indices of ints are affine where a launch is not too large", "[passes]") {
  for (const char* const body : {
           "const int i = get_global_id(0); y[i] = x[i];",
           "int i = get_group_id(0) * get_local_size(0) + get_local_id(0); y[i] = x[i + n];",
           "const uint i = get_global_id(0); y[i] = x[i + 4 * u];",
           "const int i = get_global_id(0); float s = 0; for (int k = 0; k < n; k++) s += x[k * m + i]; y[i] = s;",
           "const int i = get_global_id(0); float s = 0; for (int k = 0; k < n; k += 16) s += x[k * m + i]; y[i] = s;",
           "const int i = get_global_id(0); float s = 0; for (int k = n; k > 0; k -= 3) s += x[(n - k) * m + i]; y[i] = s;",
       }) {
    INFO(body);
    const infreg::Kernel kernel =
        lowered("kernel void k(global const float *x, global float *y, int n, int m, uint u) {\n" + std::string(body) + "\n}\n");
    REQUIRE(question(kernel) != nullptr);
    CHECK(gathers(kernel) == 0);
  }
  // One version: of size_t, of numbers from memory, of what is gathered anyway.
  for (const char* const body :
       {"const size_t i = get_global_id(0); y[i] = x[i];", "const int i = at[get_global_id()]; y[i] = x[i * 3];"}) {
    CHECK(question(lowered("kernel void k(global const float *x, global float *y, global const int *at) {\n" + std::string(body) +
                           "\n}\n")) == nullptr);
  }
}

TEST_CASE("passes versions: an index that wraps comes back", "[passes]") {
  // 65536 * 65536 is 0 in 32 bits: the exact version reads x[i], the other one would read far outside.
  const infreg::Kernel kernel = lowered(
      "kernel void k(global const float *x, global float *y, int n, int m) {\n  const int i = get_global_id(0);\n  y[i] = x[n * m + "
      "i];\n}\n");
  REQUIRE(question(kernel) != nullptr);
  const std::vector<std::pair<std::int32_t, std::int32_t>> pairs = {
      {65536, 65536}, {0, 7}, {1, 2}, {-65536, 65536}, {2147483647, 0}, {-1, -3}, {46341, 92682 * 2}};
  for (const auto& [n, m] : pairs) {
    const auto offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(n) * static_cast<std::uint32_t>(m));
    if (offset < 0 || offset > 4) {
      continue;
    }
    std::vector<infreg::Buffer> memory = {infreg::make_buffer(ScalarType::Float, 16 + 4), infreg::make_buffer(ScalarType::Float, 12)};
    for (std::size_t cell = 0; cell < 20; ++cell) {
      put(memory[0], cell, static_cast<float>(cell * cell));
    }
    infreg::EvaluateOptions options;
    options.groups = groups;
    const auto ran = infreg::sketch::run(
        kernel, {BufferNumber{0}, BufferNumber{1}, ScalarBits{static_cast<std::uint32_t>(n)}, ScalarBits{static_cast<std::uint32_t>(m)}},
        memory, options);
    REQUIRE(std::holds_alternative<infreg::Finished>(ran.outcome.end));
    for (std::size_t i = 0; i < 12; ++i) {
      const std::size_t from = i + static_cast<std::size_t>(offset);
      CHECK(infreg::sketch::numbers_of<float>(memory[1])[i] == static_cast<float>(from * from));
    }
  }
}

TEST_CASE("passes versions: both have the same arrays", "[passes]") {
  const infreg::Kernel kernel = lowered(
      "__constant float c[3] = {1, 2, 4};\n"
      "kernel void k(global const float *x, global float *y, int n, int m) {\n  const int i = get_global_id(0), l = get_local_id(0);\n"
      "  local float s[4], t[4]; s[l] = x[n * m + i]; t[l] = s[l] * 3; float p[5]; for (int k = 0; k < 5; k++) p[k] = s[3 - l] + k;\n"
      "  y[i] = p[l + (n != 0)] + t[(l + 1) % 4] * c[(l + n) % 3 & 1];\n}\n");
  REQUIRE(question(kernel) != nullptr);
  CHECK(kernel.objects.size() == 4);
  for (const std::int32_t n : {0, 1, 65536}) {
    std::vector<infreg::Buffer> memory = {infreg::make_buffer(ScalarType::Float, 20), infreg::make_buffer(ScalarType::Float, 12)};
    for (std::size_t cell = 0; cell < 20; ++cell) {
      put(memory[0], cell, static_cast<float>(cell * cell));
    }
    infreg::EvaluateOptions options;
    options.groups = groups;
    const std::uint32_t m = n == 1 ? 2 : 65536;
    const auto ran = infreg::sketch::run(
        kernel, {BufferNumber{0}, BufferNumber{1}, ScalarBits{static_cast<std::uint32_t>(n)}, ScalarBits{m}}, memory, options);
    REQUIRE(std::holds_alternative<infreg::Finished>(ran.outcome.end));
    for (std::int32_t i = 0; i < 12; ++i) {
      const std::int32_t l = i % 4, first = i - l + (n == 1 ? 2 : 0);  // 65536 * 65536 is 0
      const auto of = [&](std::int32_t item) { return static_cast<float>((first + item) * (first + item)); };
      const float expected = of(3 - l) + static_cast<float>(l + (n != 0)) + of((l + 1) % 4) * 3 * (((l + n) % 3 & 1) != 0 ? 2.0F : 1.0F);
      CHECK(infreg::sketch::numbers_of<float>(memory[1])[static_cast<std::size_t>(i)] == expected);
    }
  }
}

TEST_CASE("passes versions: a product that is as large as 32 bits just do not hold", "[passes]") {
  const infreg::Kernel kernel = lowered(
      "kernel void k(global const float *x, global float *y, int n, int m) {\n  const int i = get_global_id(0);\n  y[i] = x[n * m];\n}\n");
  REQUIRE(question(kernel) != nullptr);
  for (const auto& [n, m] : {std::pair(65536, 65536), {-65536, 65536}, {65536, 32768 * 2}, {-2147483647 - 1, 2}, {2, 1}, {-1, -2}}) {
    const auto at = static_cast<std::int32_t>(static_cast<std::uint32_t>(n) * static_cast<std::uint32_t>(m));
    REQUIRE((at >= 0 && at < 4));
    std::vector<infreg::Buffer> memory = {infreg::make_buffer(ScalarType::Float, 4), infreg::make_buffer(ScalarType::Float, wg_size)};
    for (std::size_t cell = 0; cell < 4; ++cell) {
      put(memory[0], cell, static_cast<float>(cell + 7));
    }
    const auto ran = infreg::sketch::run(
        kernel, {BufferNumber{0}, BufferNumber{1}, ScalarBits{static_cast<std::uint32_t>(n)}, ScalarBits{static_cast<std::uint32_t>(m)}},
        memory);
    REQUIRE(std::holds_alternative<infreg::Finished>(ran.outcome.end));
    CHECK(infreg::sketch::numbers_of<float>(memory[1]) == std::vector<float>(wg_size, static_cast<float>(at + 7)));
  }
}

TEST_CASE("passes versions: random integers at the ends of their types", "[passes]") {
  static constexpr std::array<std::int32_t, 11> ends = {0, 1, -1, 5, 1000, 32768, 65536, 1073741824, 2147483647, -2147483647 - 1, -65536};
  std::mt19937 random(11);  // NOLINT(cert-msc32-c, cert-msc51-cpp): the same numbers in every run
  std::size_t with_question = 0;
  for (unsigned seed = 1; seed <= 250; ++seed) {
    Numbers numbers(seed);
    const Number outside = numbers.number(3);
    const Number inside = numbers.number(3);
    const Number other = numbers.number(2);
    // Each index is an expression less what it has to be: who takes it for another number reads outside of x.
    std::string text =
        "kernel void k(global long *y, global float *z, global const long *x, global const long *is, int n, int m, uint u) {\n"
        "  const int i = get_global_id(0);\n  int k = 2;\n";
    text += "  y[i * 5 + 3] = x[(long)" + outside.text + " - is[i * 5 + 3] + i];\n  y[i * 5 + 4] = " + outside.text + " < " + other.text +
            ";\n";
    text += "  for (k = 0; k < 3; ++k) y[i * 5 + k] = x[(long)" + inside.text + " - is[i * 5 + k] + i];\n  z[i] = 1;\n}\n";
    INFO(text);
    const infreg::Kernel kernel = lowered(text, 1 + seed % 2);
    with_question += question(kernel) != nullptr ? 1U : 0U;
    for (int launch = 0; launch < 12; ++launch) {
      const std::int32_t n = ends[random() % ends.size()];
      const std::int32_t m = ends[random() % ends.size()];
      const auto u = static_cast<std::uint32_t>(ends[random() % ends.size()]);
      std::vector<std::int64_t> numbers_there;
      std::vector<std::int64_t> wanted;
      for (std::uint32_t item = 0; item < groups * wg_size; ++item) {
        Here here{item % wg_size, item / wg_size, n, m, u, 2};
        const std::int64_t before = outside.value(here);
        const bool is_unsigned = outside.is_unsigned || other.is_unsigned;
        const bool is_less = is_unsigned ? outside.bits(here) < other.bits(here) : outside.value(here) < other.value(here);
        for (here.k = 0; here.k < 3; ++here.k) {
          numbers_there.push_back(inside.value(here));
        }
        numbers_there.push_back(before);
        numbers_there.push_back(0);
        wanted.insert(wanted.end(), 4, 100 + item);
        wanted.push_back(is_less ? 1 : 0);
      }
      std::vector<infreg::Buffer> memory = {
          infreg::make_buffer(ScalarType::Long, wanted.size()), infreg::make_buffer(ScalarType::Float, groups * wg_size),
          infreg::make_buffer(ScalarType::Long, groups * wg_size), infreg::make_buffer(ScalarType::Long, wanted.size())};
      for (std::size_t item = 0; item < groups * wg_size; ++item) {
        put(memory[2], item, static_cast<std::int64_t>(100 + item));
      }
      for (std::size_t cell = 0; cell < numbers_there.size(); ++cell) {
        put(memory[3], cell, numbers_there[cell]);
      }
      infreg::EvaluateOptions options;
      options.groups = groups;
      INFO("n " << n << " m " << m << " u " << u);
      const auto ran =
          infreg::sketch::run(kernel,
                              {BufferNumber{0}, BufferNumber{1}, BufferNumber{2}, BufferNumber{3},
                               ScalarBits{static_cast<std::uint32_t>(n)}, ScalarBits{static_cast<std::uint32_t>(m)}, ScalarBits{u}},
                              memory, options);
      REQUIRE(std::holds_alternative<infreg::Finished>(ran.outcome.end));
      CHECK(infreg::sketch::numbers_of<std::int64_t>(memory[0]) == wanted);
    }
  }
  CHECK(with_question > 200);
}

TEST_CASE("a limit of 64 bits that may lie below 0, and so near 2^64, is no reason for a version", "[passes]") {
  const auto has_version = [](const std::string& limit) {
    return question(lowered("kernel void k(global uint *y, ulong n) {\n"
                            "  uint c = 0;\n"
                            "  for (ulong k = 0; k < " +
                            limit + "; k += 3) c += y[(int)k];\n  y[get_global_id(0)] = c;\n}\n")) != nullptr;
  };
  CHECK(has_version("n"));
  CHECK(has_version("n + 1"));
  CHECK_FALSE(has_version("n - 1"));
  CHECK_FALSE(has_version("n - 1073741824"));
  CHECK_FALSE(has_version("18446744073709551615ul"));
}
