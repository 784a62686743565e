// When two buffers are said not to meet: the condition's text, computed here, against all bytes that a kernel may touch.

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/emit/avx512/apart.hpp"
#include "tests/unit/infreg_evaluate.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::infreg::sketch;

namespace {

/// Reads and computes what apart_condition writes: products and sums of `NUMBERu` and `v::u(NAME)`, and v::apart of them, joined by &&.
class Reader {
 public:
  Reader(std::string text, std::map<std::string, std::uint64_t> numbers) : text_(std::move(text)), numbers_(std::move(numbers)) {
    std::erase_if(text_, [](char c) { return c == ' ' || c == '\n'; });
  }

  bool holds() {
    if (text_ == "true") {
      return true;
    }
    bool all = true;
    for (;;) {
      all = apart() && all;
      if (at_ == text_.size()) {
        return all;
      }
      expect("&&");
    }
  }

 private:
  void expect(const std::string& word) {
    INFO(text_.substr(at_));
    REQUIRE(text_.compare(at_, word.size(), word) == 0);
    at_ += word.size();
  }
  bool next(const std::string& word) {
    if (text_.compare(at_, word.size(), word) != 0) {
      return false;
    }
    at_ += word.size();
    return true;
  }
  std::uint64_t name() {
    const std::size_t begin = at_;
    while (std::isalnum(static_cast<unsigned char>(text_.at(at_))) != 0) {
      ++at_;
    }
    return numbers_.at(text_.substr(begin, at_ - begin));
  }
  std::uint64_t factor() {
    if (next("v::u(")) {
      const std::uint64_t result = name();
      expect(")");
      return result;
    }
    std::size_t length = 0;
    const std::uint64_t result = std::stoull(text_.substr(at_), &length);
    at_ += length;
    expect("u");
    return result;
  }
  std::uint64_t product() {
    std::uint64_t result = factor();
    while (next("*")) {
      result *= factor();
    }
    return result;
  }
  std::uint64_t sum() {
    std::uint64_t result = product();
    while (next("+")) {
      result += product();
    }
    return result;
  }
  /// As in lockstep_avx512.h.
  bool apart() {
    expect("v::apart(");
    std::array<std::uint64_t, 6> a = {};
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = i % 3 == 0 ? name() : sum();
      expect(i + 1 == a.size() ? ")" : ",");
    }
    return a[0] + a[2] <= a[3] + a[4] || a[3] + a[5] <= a[0] + a[1];
  }

  std::string text_;
  std::map<std::string, std::uint64_t> numbers_;
  std::size_t at_ = 0;
};

/// An access: which elements, of which lanes, and by which numbers of a loop's variable.
struct Touch {
  ParameterId parameter;
  Polynomial index;
  Layout layout;
  bool is_store;
};

struct Sample {
  Sketch sketch{4, 2};
  std::vector<Touch> touches;
  std::optional<ValueId> variable;
  std::vector<std::int64_t> rounds = {0};

  void load(ParameterId from, const Polynomial& index, Layout layout) {
    sketch.add(Load{typed(sketch.kernel.parameters[from].scalar, layout), {parameter(from), index, {}}, Access::Gather, {}});
    touches.push_back({from, index, layout, false});
  }
  void store(ParameterId to, const Polynomial& index, Layout layout) {
    const ValueId value = sketch.constant(sketch.kernel.parameters[to].scalar, layout, 1);
    sketch.effect(Store{{parameter(to), index, {}}, Access::Gather, value, {}});
    touches.push_back({to, index, layout, true});
  }
};

/// All bytes that are touched through a parameter which lies at `base`.
std::set<std::uint64_t> bytes_of(const Sample& sample, const Touch& touch, std::uint64_t base, std::uint64_t first, std::uint64_t last,
                                 std::int64_t n) {
  std::set<std::uint64_t> bytes;
  const Shape shape = sample.sketch.kernel.shape;
  const std::size_t size = size_of(sample.sketch.kernel.parameters[touch.parameter].scalar);
  for (std::uint64_t group = first; group < last; ++group) {
    for (std::uint64_t number = 0; number < lanes_per_group(touch.layout, shape); ++number) {
      for (const std::int64_t round : sample.rounds) {
        const Lane lane = lane_at(touch.layout, {shape.wg_size, 1}, number);
        const std::int64_t element = touch.index.evaluate([&](Symbol symbol) -> std::int64_t {
          return symbol == wi                                                ? lane.wi
                 : symbol == ix                                              ? lane.ix
                 : symbol == wg                                              ? static_cast<std::int64_t>(group)
                 : sample.variable && symbol == Symbol::of(*sample.variable) ? round
                                                                             : n;
        });
        for (std::size_t i = 0; i < size; ++i) {
          bytes.insert(base + static_cast<std::uint64_t>(element) * size + i);
        }
      }
    }
  }
  return bytes;
}

/// With the two parameters at all distances that matter: where they are said to be apart they are. And far from each other they are said to
/// be.
void check(const Sample& sample) {
  const auto condition = emit_avx512::apart_condition(sample.sketch.kernel, {"n", "p", "q"});
  REQUIRE(condition);
  constexpr std::uint64_t base = 100'000;
  for (const auto& [first, last] : {std::pair<std::uint64_t, std::uint64_t>{0, 1}, {0, 4}, {2, 6}, {3, 4}}) {
    for (const std::int64_t n : {0, 5, -3}) {
      for (std::int64_t distance = -400; distance <= 400; ++distance) {
        const std::uint64_t q = base + static_cast<std::uint64_t>(distance);
        const bool said =
            Reader(*condition, {{"n", static_cast<std::uint64_t>(n)}, {"p", base}, {"q", q}, {"first", first}, {"last", last}}).holds();
        if (!said) {
          continue;
        }
        INFO(*condition << " for groups " << first << " to " << last << ", n " << n << ", distance " << distance);
        for (const Touch& a : sample.touches) {
          for (const Touch& b : sample.touches) {
            if (a.is_store && a.parameter != b.parameter) {
              const std::set<std::uint64_t> of_a = bytes_of(sample, a, a.parameter == 1 ? base : q, first, last, n);
              const std::set<std::uint64_t> of_b = bytes_of(sample, b, b.parameter == 1 ? base : q, first, last, n);
              for (const std::uint64_t byte : of_a) {
                REQUIRE(!of_b.contains(byte));
              }
            }
          }
        }
      }
      CHECK(Reader(*condition, {{"n", static_cast<std::uint64_t>(n)}, {"p", base}, {"q", base + 50'000}, {"first", first}, {"last", last}})
                .holds());
      CHECK(Reader(*condition, {{"n", static_cast<std::uint64_t>(n)}, {"p", base}, {"q", base - 50'000}, {"first", first}, {"last", last}})
                .holds());
    }
  }
}

}  // namespace

TEST_CASE("emit_avx512: buffers that are said to be apart are") {
  Sample sample;
  const ValueId n = sample.sketch.scalar(ScalarType::Long, "n");
  const ParameterId p = sample.sketch.pointer(ScalarType::Int, "p");
  SECTION("groups one behind the other") {
    const ParameterId q = sample.sketch.pointer(ScalarType::Int, "q");
    sample.load(p, Polynomial(wg) * 4 + Polynomial(wi), Layout::item());
    sample.store(q, Polynomial(wg) * 4 + Polynomial(wi), Layout::item());
    check(sample);
  }
  SECTION("backwards, with a scalar, and elements of different sizes") {
    const ParameterId q = sample.sketch.pointer(ScalarType::Char, "q");
    sample.load(p, Polynomial(30) - Polynomial(wi) * 2 - Polynomial(ix) + Polynomial(Symbol::of(n)), Layout::item(3));
    sample.store(q, Polynomial(wg) * -12 + Polynomial(wi) * 3 - Polynomial(ix), Layout::item(3));
    sample.load(p, Polynomial(wg) * 2 + Polynomial(wi), Layout::item());
    check(sample);
  }
  SECTION("two stores") {
    const ParameterId q = sample.sketch.pointer(ScalarType::Short, "q");
    sample.store(p, Polynomial(wg) * 3 + Polynomial(ix), Layout::group(3));
    sample.store(q, Polynomial(Symbol::of(n)) * 2 + Polynomial(7), Layout::group());
    check(sample);
  }
  SECTION("a loop's variable") {
    const ParameterId q = sample.sketch.pointer(ScalarType::Int, "q");
    for (const bool down : {false, true}) {
      For loop;
      loop.from = down ? 5 : -2;
      loop.limit = down ? -2 : 5;
      loop.step = down ? -2 : 3;
      sample.rounds = {-2, 1, 4, 5, 3, -1};
      loop.body = sample.sketch.region({i64(Layout::pack())}, [&](const std::vector<ValueId>& inside) {
        sample.variable = inside.front();
        sample.touches.clear();
        sample.load(p, Polynomial(wi) + Polynomial(Symbol::of(inside.front())) * (down ? -3 : 3), Layout::item());
        sample.store(q, Polynomial(wi) - Polynomial(Symbol::of(inside.front())), Layout::item());
        return std::vector<ValueId>{};
      });
      sample.sketch.effect(loop);
      check(sample);
    }
  }
}

TEST_CASE("emit_avx512: of places that are not known nothing is said") {
  Sample sample;
  sample.sketch.scalar(ScalarType::Long, "n");
  const ParameterId p = sample.sketch.pointer(ScalarType::Int, "p");
  const ParameterId q = sample.sketch.pointer(ScalarType::Int, "q");
  sample.store(q, wi, Layout::item());
  SECTION("a square") { sample.load(p, Polynomial(wi) * Polynomial(wi), Layout::item()); }
  SECTION("the lanes' own numbers") {
    const ValueId lanes = sample.sketch.index(wi, Layout::item());
    sample.sketch.add(Load{typed(ScalarType::Int, Layout::item()), {parameter(p), 0, lanes}, Access::Gather, {}});
  }
  SECTION("a pointer") {
    const ValueId pointer = sample.sketch.add(address_of_parameter(p));
    sample.sketch.add(Load{typed(ScalarType::Int, Layout::item()), {through(pointer), wi, {}}, Access::Gather, {}});
  }
  CHECK(!emit_avx512::apart_condition(sample.sketch.kernel, {"n", "p", "q"}));
}
