// The laws of memory as bytes (semantics/memory/bytes.hpp), proved: of any object of some bytes, any places in it, any contents. Each law
// has a twin that is wrong, which the solver must refute.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "semantics/prove/objects.hpp"
#include "semantics/prove/questions.hpp"
#include "semantics/prove/value_bytes.hpp"

using namespace lockstep;
using namespace lockstep::prove;

namespace {

constexpr unsigned patience_ms = 120'000;
constexpr unsigned bytes = 17;  // two longs have room side by side, and it is a multiple of nothing

Value long_number(std::int64_t number) { return Value::number(ScalarType::Long, static_cast<std::uint64_t>(number)); }
Value plus(const Value& a, std::int64_t b) { return primitive(Primitive::Plus, a, long_number(b)); }

/// Every byte any value, poison or not, written or not.
std::vector<Cell> any_object() {
  std::vector<Cell> cells;
  for (unsigned k = 0; k < bytes; ++k) {
    cells.push_back({Value::named(ScalarType::UChar, fmt::format("m{}", k)), Truth::named(fmt::format("poison{}", k)),
                     Truth::named(fmt::format("written{}", k)), 0});
  }
  return cells;
}

/// 0 <= place <= bytes - size
Truth fits(const Value& place, unsigned size) {
  return !less(place, long_number(0)) && !less(long_number(std::int64_t{bytes} - std::int64_t{size}), place);
}

Answer ask(const std::vector<Truth>& assumptions, const Truth& law) { return Questions(assumptions, {}, patience_ms).ask(law); }
void prove_law(const std::string& name, const std::vector<Truth>& assumptions, const Truth& law) {
  INFO(name);
  CHECK(ask(assumptions, Truth(false)) == Answer::Satisfiable);  // somebody assumes so
  CHECK(ask(assumptions, law) == Answer::Unsatisfiable);
}
void refute(const std::string& name, const std::vector<Truth>& assumptions, const Truth& law) {
  INFO(name << ", the twin");
  CHECK(ask(assumptions, law) == Answer::Satisfiable);
}

Truth same_cell(const Cell& a, const Cell& b) {
  return same(a.written, b.written) && same(a.poison, b.poison) && (a.poison || !a.written || same_result(a.value, b.value));
}

/// The cells after `by` is stored at a place.
std::vector<Cell> stored(std::vector<Cell> cells, const Value& place, ScalarType type, const Cell& by) {
  write_bytes(cells, Truth(true), place, type, by);
  return cells;
}

constexpr ScalarType widths[] = {ScalarType::UChar, ScalarType::Short, ScalarType::UInt, ScalarType::Long};

/// Whether byte `k` of an access at `place` is one of the `size` bytes from `first` on.
Truth is_among(const Value& place, unsigned k, const Value& first, unsigned size) {
  return !less(plus(place, k), first) && less(plus(place, k), plus(first, size));
}

}  // namespace

TEST_CASE("what is loaded is what was stored there", "[proofs][bytes]") {
  const FloatTheory theory(FloatMode::Uninterpreted, true);
  for (const ScalarInfo& type : scalar_table) {
    const Value place = Value::named(ScalarType::Long, "i");
    const Cell by{Value::named(type.type, "x"), Truth::named("x.poison"), Truth(true), 0};
    const std::vector<Truth> assumed{fits(place, size_of(type.type))};
    const std::vector<Cell> after = stored(any_object(), place, type.type, by);
    prove_law(std::string(type.name), assumed, same_cell(read_bytes(after, place, type.type), by));
    refute(std::string(type.name), assumed, same_cell(read_bytes(any_object(), place, type.type), by));
    if (type.type != ScalarType::Bool) {  // each byte is one of the number's, the least significant one first
      const Value bits = Value::named(ScalarType::ULong, "bits");
      const Value number = convert(type.is_float ? (size_of(type.type) == 4 ? ScalarType::UInt : ScalarType::ULong) : type.type, bits);
      const std::vector<Cell> parts = stored(any_object(), place, number.type(), {number, Truth(false), Truth(true), 0});
      for (unsigned k = 0; k < size_of(type.type); ++k) {
        const Value shifted = primitive(Primitive::ShiftRight, bits, Value::number(ScalarType::ULong, 8 * k));
        const Value byte = convert(ScalarType::UChar, shifted);
        prove_law(fmt::format("{}, byte {}", type.name, k), assumed,
                  equal(read_bytes(parts, plus(place, k), ScalarType::UChar).value, byte));
      }
    }
  }
}

TEST_CASE("a store changes nothing beside it", "[proofs][bytes]") {
  for (const ScalarType type : widths) {
    for (const ScalarType other : widths) {
      const Value i = Value::named(ScalarType::Long, "i");
      const Value j = Value::named(ScalarType::Long, "j");
      const Cell by{Value::named(type, "x"), Truth::named("x.poison"), Truth(true), 0};
      const Truth apart = !less(i, plus(j, size_of(other))) || !less(j, plus(i, size_of(type)));
      const std::vector<Truth> in{fits(i, size_of(type)), fits(j, size_of(other))};
      const Truth unchanged = same_cell(read_bytes(stored(any_object(), i, type, by), j, other), read_bytes(any_object(), j, other));
      const std::string name = fmt::format("{} bytes beside {}", size_of(other), size_of(type));
      prove_law(name, {in[0], in[1], apart}, unchanged);
      refute(name, {in[0], in[1], !apart}, unchanged);
    }
  }
}

TEST_CASE("a number is poison if a byte of it is, and written if all are", "[proofs][bytes]") {
  for (const ScalarType type : widths) {
    for (const ScalarType other : widths) {
      const Value i = Value::named(ScalarType::Long, "i");
      const std::vector<Cell> before = any_object();
      const Truth poison = Truth::named("x.poison");
      const Truth written = Truth::named("x.written");
      const std::vector<Cell> after = stored(before, i, type, {Value::named(type, "x"), poison, written, 0});
      for (unsigned j = 0; j + size_of(other) <= bytes; ++j) {
        Truth any_poison(false);
        Truth all_written(true);
        for (unsigned k = 0; k < size_of(other); ++k) {
          const Truth mine = is_among(long_number(j), k, i, size_of(type));
          any_poison = any_poison || choose(mine, poison, before[j + k].poison);
          all_written = all_written && choose(mine, written, before[j + k].written);
        }
        const Cell found = read_bytes(after, long_number(j), other);
        const std::string name = fmt::format("{} bytes at {} over {}", size_of(other), j, size_of(type));
        prove_law(name, {fits(i, size_of(type))}, same(found.poison, any_poison) && same(found.written, all_written));
        if (size_of(other) > 1) {
          refute(name, {fits(i, size_of(type))}, same(found.poison, before[j].poison));
        }
      }
    }
  }
}

TEST_CASE("an access is outside exactly if one of its bytes is, for all offsets of 64 bits", "[proofs][bytes]") {
  const Value offset = Value::named(ScalarType::Long, "offset");
  for (const unsigned size : {1U, 2U, 4U, 8U, 16U}) {
    for (const std::uint64_t object : {0UL, 1UL, 7UL, 8UL, 100UL, (1UL << 39U) - 1}) {
      const auto wrong = memory::misaccess<Truth>(Number<std::int64_t>{offset}, size, size, object, {true, false}, true);
      Truth outside(false);
      for (unsigned k = 0; k < size; ++k) {
        outside = outside || !within(plus(offset, k), object);
      }
      const Value rest = primitive(Primitive::Remainder, offset, long_number(size));
      prove_law(fmt::format("{} of {}", size, object), {},
                same(wrong.outside, outside) && same(wrong.misaligned, !equal(rest, long_number(0))) && wrong.forbidden);
    }
  }
  const auto readable = memory::misaccess<Truth>(Number<std::int64_t>{offset}, 4, 2, 8, {true, false}, false);
  refute("nothing is fine", {}, readable.any());
}
