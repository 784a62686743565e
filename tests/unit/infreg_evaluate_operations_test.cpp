// Operations of InfReg-IR without memory, lane by lane, against scalar_reference.hpp and against plain C++.

#include <catch2/catch.hpp>

#include "semantics/infreg/types.hpp"
#include "semantics/infreg/words.hpp"
#include "semantics/ops/apply.hpp"
#include "tests/unit/infreg_evaluate.hpp"
#include "tests/unit/scalar_reference.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::infreg::sketch;

namespace {

constexpr std::uint32_t items = 8;
constexpr std::uint32_t elements = 32;
constexpr std::uint32_t lane_count = items * elements;

/// Bits of numbers of the type as lanes have them.
template <class T>
std::vector<std::uint64_t> some(ScalarType type, std::mt19937_64& random) {
  std::vector<std::uint64_t> bits;
  for (std::uint32_t k = 0; k < lane_count; ++k) {
    T number = scalar_reference::number<T>(random);
    if (type == ScalarType::Bool) {
      number = static_cast<T>(random() % 2);
    }
    bits.push_back(std::is_floating_point_v<T> ? scalar_reference::bits_of(number)
                                               : static_cast<std::uint64_t>(static_cast<std::int64_t>(number)));
    if constexpr (std::is_unsigned_v<T>) {
      bits.back() = number;
    }
  }
  return bits;
}

ValueId lanes_of(Sketch& s, ScalarType type, const std::vector<std::uint64_t>& bits) {
  return s.add(ConstantLanes{typed(type, Layout::item(elements)), bits});
}

/// The same lanes with poison in each lane for which `is_poison` holds.
template <class F>
ValueId with_poison(Sketch& s, ValueId value, F&& is_poison) {
  const Type type = s.kernel.type_of(value);
  std::vector<std::uint64_t> good;
  for (std::uint32_t k = 0; k < lane_count; ++k) {
    good.push_back(is_poison(k) ? 0 : 1);
  }
  return s.add(Select{s.add(ConstantLanes{{truth, type.layout}, good}), value, s.add(infreg::Poison{type})});
}

template <class T>
void check_operation(Op op, ScalarType type, std::mt19937_64& random) {
  Sketch s(items);
  std::vector<std::vector<std::uint64_t>> numbers;
  std::vector<ValueId> operands;
  const auto arity = static_cast<std::uint32_t>(info(op).arity);
  for (std::uint32_t k = 0; k < arity; ++k) {
    numbers.push_back(some<T>(type, random));
    operands.push_back(with_poison(s, lanes_of(s, type, numbers.back()), [&](std::uint32_t lane) { return lane % 16 == k + 1; }));
  }
  const ValueId value = s.op(op, type, operands);
  const Ran ran = finish(s);
  const Seen& seen = ran.last(value);
  const ScalarType result = s.kernel.type_of(value).element.scalar;
  for (std::uint32_t k = 0; k < lane_count; ++k) {
    const auto operand = [&](std::size_t i) { return number_from<T>(numbers[i < arity ? i : 0][k]); };
    const auto expected = scalar_reference::operation<T>(op, operand(0), operand(1), operand(2), 0);
    const bool poison_operand = k % 16 >= 1 && k % 16 <= arity;
    INFO(infreg::mnemonic(op, type) << " " << info(type).name << " lane " << k << ": " << numbers[0][k] << ", " << numbers.back()[k]);
    REQUIRE((seen.poison[k] != 0) == (poison_operand || !expected));
    if (!poison_operand && expected) {
      CHECK(is_number(result, seen.bits[k]));
      CHECK(scalar_reference::is<T>(*expected, seen.bits[k]));
    }
  }
}

}  // namespace

TEST_CASE("infreg evaluate: every elementwise operation on every type") {
  std::mt19937_64 random(1);
  unsigned checked = 0;
  for (const ScalarInfo& type : scalar_table) {
    for (std::size_t k = 0; k < op_count; ++k) {
      const Op op = static_cast<Op>(k);
      const bool of_bool = op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor || op == Op::Eq || op == Op::Ne;
      if (is_elementwise(op) && ops::takes(op, type.type) && (type.type != ScalarType::Bool || of_bool)) {
        with_type(type.type, [&]<class T>(T) { check_operation<T>(op, type.type, random); });
        ++checked;
      }
    }
  }
  CHECK(checked == 5 + 8 * 22 + 2 * 17);  // of bool, of each integer type, of each float type
}

TEST_CASE("infreg evaluate: samples in plain C++") {
  Sketch s(1);
  const auto one = [&](ScalarType type, std::uint64_t bits) { return s.constant(type, Layout::item(), bits); };
  const auto f64 = [&](double x) { return one(ScalarType::Double, scalar_reference::bits_of(x)); };
  const auto f32 = [&](float x) { return one(ScalarType::Float, scalar_reference::bits_of(x)); };
  const auto i32 = [&](std::int32_t x) { return one(ScalarType::Int, static_cast<std::uint64_t>(std::int64_t{x})); };
  const ValueId third = s.op(Op::Div, ScalarType::Double, {f64(1), f64(3)});
  const ValueId fused = s.op(Op::Fma, ScalarType::Float, {f32(0.1F), f32(10.0F), f32(-1.0F)});
  const ValueId wrapped = s.op(Op::Mul, ScalarType::Int, {i32(65536), i32(65537)});
  const ValueId shifted = s.op(Op::Shr, ScalarType::Int, {i32(-8), i32(33)});
  const ValueId negative = s.op(Op::Neg, ScalarType::Double, {f64(0.0)});
  const ValueId unordered = s.op(Op::Le, ScalarType::Double, {f64(std::nan("")), f64(1)});
  const ValueId smaller = s.op(Op::Min, ScalarType::Double, {f64(std::nan("")), f64(2)});
  const ValueId magnitude = s.op(Op::Abs, ScalarType::Int, {i32(std::numeric_limits<std::int32_t>::min())});
  const ValueId overflown = s.op(Op::Div, ScalarType::Int, {i32(std::numeric_limits<std::int32_t>::min()), i32(-1)});
  const ValueId narrowed = s.add(Convert{i32(300), ScalarType::Char});
  const ValueId truncated = s.add(Convert{f64(-0.75), ScalarType::UInt});
  const ValueId huge = s.add(Convert{f64(1e300), ScalarType::Float});
  const ValueId misfit = s.add(Convert{f64(4294967296.0), ScalarType::UInt});
  const ValueId tiny = s.add(Convert{f64(1e-300), ScalarType::Bool});
  const Ran ran = finish(s);
  const auto bits = [&](ValueId value) {
    REQUIRE(ran.last(value).poison[0] == 0);
    return ran.last(value).bits[0];
  };
  CHECK(number_from<double>(bits(third)) == 1.0 / 3.0);
  CHECK(number_from<float>(bits(fused)) == std::fma(0.1F, 10.0F, -1.0F));
  CHECK(number_from<float>(bits(fused)) != 0.0F);
  CHECK(bits(wrapped) == 65536);
  CHECK(bits(shifted) == static_cast<std::uint64_t>(-4));  // the count is taken modulo 32
  CHECK(std::signbit(number_from<double>(bits(negative))));
  CHECK(bits(unordered) == 0);
  CHECK(std::isnan(number_from<double>(bits(smaller))));  // b < a ? b : a
  CHECK(bits(magnitude) == 0x80000000U);
  CHECK(ran.last(overflown).poison[0] == 1);
  CHECK(bits(narrowed) == 44);
  CHECK(bits(truncated) == 0);
  CHECK(number_from<float>(bits(huge)) == std::numeric_limits<float>::infinity());
  CHECK(ran.last(misfit).poison[0] == 1);
  CHECK(bits(tiny) == 1);
}

TEST_CASE("infreg evaluate: every conversion") {
  std::mt19937_64 random(2);
  for (const ScalarInfo& from : scalar_table) {
    for (const ScalarInfo& to : scalar_table) {
      with_type(from.type, [&]<class From>(From) {
        Sketch s(items);
        const std::vector<std::uint64_t> numbers = some<From>(from.type, random);
        const ValueId source = with_poison(s, lanes_of(s, from.type, numbers), [](std::uint32_t lane) { return lane % 8 == 3; });
        const ValueId value = s.add(Convert{source, to.type});
        const Ran ran = finish(s);
        const Seen& seen = ran.last(value);
        with_type(to.type, [&]<class To>(To) {
          for (std::uint32_t k = 0; k < lane_count; ++k) {
            INFO(from.name << " to " << to.name << " lane " << k << ": " << numbers[k]);
            const auto expected = scalar_reference::conversion<To>(number_from<From>(numbers[k]), to.type == ScalarType::Bool);
            REQUIRE((seen.poison[k] != 0) == (k % 8 == 3 || !expected));
            if (seen.poison[k] == 0) {
              CHECK(is_number(to.type, seen.bits[k]));
              CHECK(scalar_reference::is<To>(*expected, seen.bits[k]));
            }
          }
        });
      });
    }
  }
}

TEST_CASE("infreg evaluate: select takes the poison of the chosen arm") {
  Sketch s(items);
  std::mt19937_64 random(3);
  const std::vector<std::uint64_t> a = some<double>(ScalarType::Double, random);
  const std::vector<std::uint64_t> b = some<double>(ScalarType::Double, random);
  const std::vector<std::uint64_t> c = some<std::uint8_t>(ScalarType::Bool, random);
  const auto bit = [](unsigned n) { return [n](std::uint32_t lane) { return (lane >> n) % 2 == 1; }; };
  const ValueId value =
      s.add(Select{with_poison(s, lanes_of(s, ScalarType::Bool, c), bit(0)), with_poison(s, lanes_of(s, ScalarType::Double, a), bit(1)),
                   with_poison(s, lanes_of(s, ScalarType::Double, b), bit(2))});
  const Ran ran = finish(s);
  for (std::uint32_t k = 0; k < lane_count; ++k) {
    const bool is_poison = k % 2 == 1 || (c[k] != 0 ? (k >> 1) % 2 == 1 : (k >> 2) % 2 == 1);
    REQUIRE((ran.last(value).poison[k] != 0) == is_poison);
    CHECK((is_poison || ran.last(value).bits[k] == (c[k] != 0 ? a[k] : b[k])));
  }
}

TEST_CASE("infreg evaluate: index and mask follow their polynomials in every lane of every group") {
  constexpr std::uint32_t size = 3;
  constexpr std::uint32_t count = 5;
  Sketch s(size, 2);
  const ValueId n = s.scalar(ScalarType::Long, "n");
  const Polynomial x = Symbol::of(n);
  const Polynomial p = Polynomial(wg) * 100 + Polynomial(wi) * wi * 7 - Polynomial(ix) * ix * ix * x + Polynomial(wi) * ix * 3 + x * x - 5;
  const ValueId index = s.index(p, Layout::item(count));
  const ValueId narrow = s.index(p, Layout::item(count), ScalarType::UShort);
  const ValueId as_truth = s.index(Polynomial(wi) - 1, Layout::item(), ScalarType::Bool);
  const ValueId of_group = s.index(Polynomial(wg) * wg + Polynomial(ix) * 2, Layout::group(count));
  const ValueId of_pack = s.index(x * x * x, Layout::pack());
  const ValueId both = s.add(Mask{Layout::item(count), {{Polynomial(wi) + ix, Op::Ge, x}, {Polynomial(ix), Op::Ne, Polynomial(wg)}}});
  const ValueId always = s.add(Mask{Layout::item(), {}});
  const ValueId groups = s.add(NumGroups{});
  std::vector<Buffer> none;
  for (const std::int64_t number : {std::int64_t{3}, std::int64_t{-2}, std::int64_t{1} << 62}) {
    const Ran ran = run(s.kernel, scalar(static_cast<std::uint64_t>(number)), none, {.groups = 5, .limits = {}, .observer = {}});
    REQUIRE(std::holds_alternative<Finished>(ran.outcome.end));
    const auto u = [](auto v) { return static_cast<std::uint64_t>(v); };
    for (std::uint64_t group = 0; group < 5; ++group) {
      const std::size_t pack = group / 2;  // packs of 2, 2 and 1
      const std::size_t first = group % 2;
      for (std::uint64_t i = 0; i < size; ++i) {
        for (std::uint64_t e = 0; e < count; ++e) {
          const std::size_t lane = (first * size + i) * count + e;
          const std::uint64_t value = group * 100 + i * i * 7 - e * e * e * u(number) + i * e * 3 + u(number) * u(number) - 5;
          CHECK(ran.seen.at(index)[pack].bits[lane] == value);
          CHECK(ran.seen.at(narrow)[pack].bits[lane] == value % 65536);
          CHECK(ran.seen.at(both)[pack].bits[lane] == u(static_cast<std::int64_t>(i + e) >= number && e != group));
        }
        CHECK(ran.seen.at(as_truth)[pack].bits[first * size + i] == u(i != 1));
        CHECK(ran.seen.at(always)[pack].bits[first * size + i] == 1);
      }
      CHECK(ran.seen.at(of_group)[pack].bits[first * count + 2] == group * group + 4);
      CHECK(ran.seen.at(of_pack)[pack].bits[0] == u(number) * u(number) * u(number));
      CHECK(ran.seen.at(groups)[pack].bits[0] == 5);
    }
  }
}

TEST_CASE("infreg evaluate: masks compare signed 64-bit numbers") {
  Sketch s(1);
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const ValueId n = s.scalar(ScalarType::ULong, "n");
  std::vector<std::pair<ValueId, bool>> expected;
  const auto compare = [&](std::int64_t a, Op op, std::int64_t b, bool holds) {
    expected.emplace_back(s.mask(a, op, b, Layout::pack()), holds);
  };
  compare(lowest, Op::Lt, 0, true);
  compare(-1, Op::Gt, 0, false);
  compare(lowest, Op::Le, lowest, true);
  compare(lowest, Op::Ge, 1, false);
  compare(5, Op::Eq, 5, true);
  compare(5, Op::Ne, 5, false);
  expected.emplace_back(s.mask(Symbol::of(n), Op::Lt, 0, Layout::pack()), true);  // 2^64 - 1 is -1
  std::vector<Buffer> none;
  const Ran ran = run(s.kernel, scalar(~std::uint64_t{0}), none);
  for (const auto& [value, holds] : expected) {
    CHECK((ran.last(value).bits[0] != 0) == holds);
  }
}

TEST_CASE("infreg evaluate: a poison value makes a polynomial poison") {
  Sketch s(2);
  const ValueId p = s.add(infreg::Poison{i64(Layout::pack())});
  const ValueId index = s.index(Polynomial(wi) + Symbol::of(p), Layout::item());
  const ValueId mask = s.mask(Polynomial(wi), Op::Lt, Symbol::of(p), Layout::item());
  const ValueId moved = s.add(Reorder{index, Layout::item(), Reorder::Affine{Polynomial(wi), 0}});
  const ValueId nowhere = s.add(Reorder{s.index(wi, Layout::item()), Layout::item(), Reorder::Affine{Symbol::of(p), 0}});
  const Ran ran = finish(s);
  for (const ValueId value : {index, mask, moved, nowhere}) {
    CHECK(ran.last(value).poison == std::vector<std::uint8_t>{1, 1});
  }
}
