// When two buffers are said not to meet: the condition's text, computed here, against all bytes that a kernel may touch.

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/emit/avx512/apart.hpp"
#include "codegen/emit/avx512/emit.hpp"
#include "tests/unit/infreg_evaluate.hpp"
#include "tests/unit/lowered.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::infreg::sketch;

namespace {

/// Reads and computes what apart_condition and far_condition write: buffers from and to products, sums and differences of `NUMBERu` and
/// `v::u(NUMBER)`, or the extremes of several, and v::apart of them or v::far of such a number, joined by &&.
class Reader {
 public:
  Reader(const emit_avx512::Apart& apart, std::map<std::string, std::uint64_t> numbers) : numbers_(std::move(numbers)) {
    for (const std::string& buffer : apart.buffers) {
      read(buffer);
      expect("constv::Bytes");
      const std::string name = word();
      expect("=v::bytes(");
      const std::uint64_t base = number();
      expect(",");
      const std::uint64_t first = bound();
      expect(",");
      const std::uint64_t end = bound();
      expect(");");
      REQUIRE(at_ == text_.size());
      buffers_[name] = {base + first, base + end};
    }
    read(apart.condition);
  }
  Reader(const std::string& condition, std::map<std::string, std::uint64_t> numbers) : numbers_(std::move(numbers)) { read(condition); }

  bool holds() {
    if (text_ == "true") {
      return true;
    }
    bool all = true;
    for (;;) {
      all = (next("v::far(") ? far() : apart()) && all;
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
  void read(const std::string& text) {
    text_ = text;
    at_ = 0;
    std::erase_if(text_, [](char c) { return c == ' ' || c == '\n'; });
  }
  std::string word() {
    const std::size_t begin = at_;
    while (std::isalnum(static_cast<unsigned char>(text_.at(at_))) != 0 || text_[at_] == '_') {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  std::uint64_t number() { return numbers_.at(word()); }
  /// What scalars are computed from: names, numbers of a type, products and conversions to 64 bits with sign.
  std::uint64_t scalar() {
    if (next("v::convert<int64_t>(")) {
      const std::uint64_t result = scalar();
      expect(")");
      return result;
    }
    if (next("v::mul(")) {
      const std::uint64_t left = scalar();
      expect(",");
      const std::uint64_t right = scalar();
      expect(")");
      return left * right;
    }
    if (next("int64_t(")) {
      const std::uint64_t result = factor();
      expect(")");
      return result;
    }
    return number();
  }
  std::uint64_t factor() {
    if (next("v::u(")) {
      const std::uint64_t result = scalar();
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
    for (;;) {
      if (next("+")) {
        result += product();
      } else if (next("-")) {
        result -= product();
      } else {
        return result;
      }
    }
  }
  std::uint64_t bound() {
    const bool lowest = next("v::lowest(");
    if (!lowest && !next("v::highest(")) {
      return sum();
    }
    std::int64_t result = static_cast<std::int64_t>(sum());
    while (next(",")) {
      const auto here = static_cast<std::int64_t>(sum());
      result = lowest ? std::min(result, here) : std::max(result, here);
    }
    expect(")");
    return static_cast<std::uint64_t>(result);
  }
  /// As in lockstep_avx512.h.
  bool apart() {
    expect("v::apart(");
    const auto [a_first, a_end] = buffers_.at(word());
    expect(",");
    const auto [b_first, b_end] = buffers_.at(word());
    expect(")");
    return a_end <= b_first || b_end <= a_first;
  }

  /// As in lockstep_avx512.h.
  bool far() {
    const std::uint64_t distance = sum();
    expect(",");
    const std::uint64_t count = factor();
    expect(")");
    return distance == 0 || (distance >= count && 0 - distance >= count);
  }

  std::string text_;
  std::map<std::string, std::uint64_t> numbers_;
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> buffers_;
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
  std::optional<ValueId> doubled;  ///< n * 2
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
                 : sample.doubled && symbol == Symbol::of(*sample.doubled)   ? 2 * n
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

/// The first byte that is touched through a parameter at `base`, and what lies behind the last one.
std::pair<std::uint64_t, std::uint64_t> hull_of(const Sample& sample, ParameterId parameter, std::uint64_t base, std::uint64_t first,
                                                std::uint64_t last, std::int64_t n) {
  std::set<std::uint64_t> all;
  for (const Touch& touch : sample.touches) {
    if (touch.parameter == parameter) {
      all.merge(bytes_of(sample, touch, base, first, last, n));
    }
  }
  return {*all.begin(), *all.rbegin() + 1};
}

/// With the two parameters at all distances that matter: where they are said to be apart they are. If one ends before the other begins they
/// are said to be, even side by side; of loops' variables it is not known that they do not have all numbers.
void check(const Sample& sample) {
  const auto condition = emit_avx512::apart_condition(sample.sketch.kernel, {"n", "p", "q"});
  REQUIRE(condition);
  constexpr std::uint64_t base = 100'000;
  std::size_t side_by_side = 0;
  for (const auto& [first, last] : {std::pair<std::uint64_t, std::uint64_t>{0, 1}, {0, 4}, {2, 6}, {3, 4}}) {
    for (const std::int64_t n : {0, 5, -3}) {
      const auto [p_first, p_end] = hull_of(sample, 1, base, first, last, n);
      const auto [q_first, q_end] = hull_of(sample, 2, base, first, last, n);
      for (std::int64_t distance = -400; distance <= 400; ++distance) {
        const std::uint64_t q = base + static_cast<std::uint64_t>(distance);
        const bool said =
            Reader(*condition, {{"n", static_cast<std::uint64_t>(n)}, {"p", base}, {"q", q}, {"first", first}, {"last", last}}).holds();
        INFO(condition->condition << " for groups " << first << " to " << last << ", n " << n << ", distance " << distance);
        const std::uint64_t moved = static_cast<std::uint64_t>(distance);
        if (!said) {
          REQUIRE(std::abs(distance) < 400);
          REQUIRE((sample.variable || (q_first + moved < p_end && p_first < q_end + moved)));
          continue;
        }
        side_by_side += q_first + moved == p_end || q_end + moved == p_first ? 1 : 0;
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
    }
  }
  CHECK((sample.variable || side_by_side > 0));
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
  SECTION("offsets that are computed, so that which is the lowest is known late") {
    const ParameterId q = sample.sketch.pointer(ScalarType::Int, "q");
    sample.doubled = sample.sketch.op(Op::Mul, ScalarType::Long, {sample.sketch.constant(ScalarType::Long, Layout::pack(), 2), n});
    sample.load(p, Polynomial(wg) * 4 + Polynomial(wi), Layout::item());
    sample.store(q, Polynomial(wg) * 4 + Polynomial(wi), Layout::item());
    sample.store(q, Polynomial(wg) * 4 + Polynomial(wi) + Polynomial(Symbol::of(n)), Layout::item());
    sample.store(q, Polynomial(wg) * 4 + Polynomial(wi) + Polynomial(Symbol::of(*sample.doubled)) + Polynomial(2), Layout::item());
    sample.store(q, Polynomial(wg) * 4 + Polynomial(wi) + Polynomial(Symbol::of(*sample.doubled)) - Polynomial(1), Layout::item());
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
  // Items 0 and 3 load elements 0 and 1; a mask may leave out those between.
  SECTION("items that come back behind 2^64") { sample.load(p, Polynomial(wi) * Polynomial(-0x5555'5555'5555'5555), Layout::item()); }
  SECTION("elements that come back behind 2^64") { sample.load(p, Polynomial(ix) * Polynomial(std::int64_t{1} << 62), Layout::item(9)); }
  CHECK(!emit_avx512::apart_condition(sample.sketch.kernel, {"n", "p", "q"}));
}

TEST_CASE("emit_avx512: so many groups that they come back behind 2^64 are not said to be apart") {
  Sample sample;
  sample.sketch.scalar(ScalarType::Long, "n");
  const ParameterId p = sample.sketch.pointer(ScalarType::Double, "p");
  const ParameterId q = sample.sketch.pointer(ScalarType::Double, "q");
  sample.load(p, Polynomial(wi), Layout::item());
  sample.store(q, Polynomial(wg) * Polynomial(std::int64_t{1} << 40) + Polynomial(wi), Layout::item());
  const auto condition = emit_avx512::apart_condition(sample.sketch.kernel, {"n", "p", "q"});
  REQUIRE(condition);
  const std::string asked = "v::u(last - first) <= ";
  const std::size_t at = condition->condition.find(asked);
  REQUIRE(at != std::string::npos);
  const std::uint64_t most = std::stoull(condition->condition.substr(at + asked.size()));
  CHECK(most > 0);
  CHECK(most <= std::uint64_t{1} << (63 - 43));  // a group lies 2^43 bytes behind the one before
}

TEST_CASE("emit_avx512: lanes that come back behind 2^64 are no row of single loads") {
  const auto emitted =
      emit_avx512::emit(lockstep::test::lowered("__kernel void k(__global int *p, __global int *q) { int l = get_local_id(0); "
                                                "if (l % 3 == 0) q[l] = p[l * 0xAAAAAAAAAAAAAAABul]; }",
                                                64),
                        {});
  REQUIRE(emitted);
  CHECK(emitted->source.find("v::strided") == std::string::npos);
}

TEST_CASE("emit_avx512: runs that are said to be far from each other, or the same, are") {
  Sketch sketch{4, 2};
  const ValueId n = sketch.scalar(ScalarType::Long, "n");
  const ValueId twice = sketch.op(Op::Mul, ScalarType::Long, {sketch.constant(ScalarType::Long, Layout::pack(), 2), n});
  const std::vector<std::string> names = {"n"};
  const emit_avx512::Scalars scalars(sketch.kernel, names);
  const Polynomial one(Symbol::of(n));
  const Polynomial two(Symbol::of(twice));
  constexpr std::int64_t count = 8;
  for (const Polynomial& distance : {one, two, two - one, one - two, one * 3 - two + Polynomial(5), Polynomial(0) - one - Polynomial(8)}) {
    const auto condition = emit_avx512::far_condition(scalars, distance, count);
    REQUIRE(condition);
    for (std::int64_t number = -30; number <= 30; ++number) {
      const std::int64_t d =
          distance.evaluate([&](Symbol symbol) -> std::int64_t { return symbol == Symbol::of(twice) ? 2 * number : number; });
      std::set<std::int64_t> first;
      std::set<std::int64_t> second;
      std::set<std::int64_t> both;
      for (std::int64_t i = 0; i < count; ++i) {
        first.insert(i);
        second.insert(i + d);
        both.insert({i, i + d});
      }
      INFO(*condition << " for n " << number);
      CHECK(Reader(*condition, {{"n", static_cast<std::uint64_t>(number)}}).holds() == (first == second || both.size() == 2 * count));
    }
  }
  CHECK(!emit_avx512::far_condition(scalars, one + Polynomial(wi), count));
  CHECK(!emit_avx512::far_condition(scalars, one + Polynomial(wg), count));
  CHECK(!emit_avx512::far_condition(scalars, Polynomial(Symbol::of(sketch.index(wi, Layout::item()))), count));
}

TEST_CASE("emit_avx512: of many stores to one buffer not every pair is asked about") {
  std::string text = "__kernel void k(__global const float *x, __global float *o, uint n) { const size_t i = get_global_id();";
  for (int k = 0; k < 60; ++k) {
    text += " o[" + std::to_string(k) + " * n + i] = x[i] + " + std::to_string(k) + ";";
  }
  const auto emitted = emit_avx512::emit(lockstep::test::lowered(text + " }", 32), {});
  REQUIRE(emitted);
  std::size_t conditions = 0;
  for (std::size_t at = emitted->source.find("v::far("); at != std::string::npos; at = emitted->source.find("v::far(", at + 1)) {
    ++conditions;
  }
  CHECK(conditions > 0);
  CHECK(conditions <= 64);  // of 60 * 59 / 2 pairs
}
