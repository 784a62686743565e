// Identities that PTX's integer instructions promise, proved of the text that the machine runs (semantics/ptx/operations).

#include <catch2/catch.hpp>
#include <string>

#include "semantics/prove/questions.hpp"
#include "semantics/ptx/operations/bits.hpp"
#include "semantics/ptx/operations/conversions.hpp"
#include "semantics/ptx/operations/integers.hpp"
#include "tests/proofs/ptx_words.hpp"

using namespace lockstep;
using namespace lockstep::prove;
namespace operations = lockstep::ptx::operations;
using operations::as_word;

namespace {

constexpr unsigned patience_ms = 600'000;  // by the clock: seconds on a machine with nothing else to do

using U16 = Number<std::uint16_t>;
using S16 = Number<std::int16_t>;
using U32 = Number<std::uint32_t>;
using S32 = Number<std::int32_t>;
using U64 = Number<std::uint64_t>;
using S64 = Number<std::int64_t>;

template <class W>
W unknown(const std::string& name) {
  return {Value::named(scalar_type_of<operations::MachineOf<W>>, name)};
}
template <class W>
W number(std::int64_t n) {
  return operations::constant<W>(n);
}
template <class W>
Truth at_most(const W& a, std::int64_t most) {
  return !less(number<W>(most), a);
}

bool holds(const Truth& truth) { return Questions({}, {}, patience_ms).ask(truth) == Answer::Unsatisfiable; }
template <class W>
bool same_number(const W& a, const W& b) {
  return holds(equal(a, b));
}
template <class W>
bool same_where(const Truth& condition, const W& a, const W& b) {
  return holds(!condition || equal(a, b));
}

/// The 64 bits of two words, `high` above.
U64 pair_of(const U32& low, const U32& high) { return operations::joined<U64>(low, high); }

}  // namespace

TEST_CASE("mad.wide is mul.wide and add, whose halves are mul.lo and mul.hi", "[proofs][ptx]") {
  const auto theorem = []<class W>(W) {
    using Wide = operations::TwiceOf<W>;
    const W a = unknown<W>("a");
    const W b = unknown<W>("b");
    const Wide c = unknown<Wide>("c");
    CHECK(same_number(operations::mad_wide(a, b, c), operations::add(operations::mul_wide(a, b), c)));
    CHECK(same_number(operations::low_half<W>(operations::mul_wide(a, b)), operations::mul_low(a, b)));
    CHECK(same_number(operations::high_half<W>(operations::mul_wide(a, b)), operations::mul_high(a, b)));
  };
  theorem(U16{});
  theorem(S16{});
  theorem(U32{});
  theorem(S32{});
}

TEST_CASE("carries make longer sums", "[proofs][ptx]") {
  const U32 a = unknown<U32>("a");
  const U32 b = unknown<U32>("b");
  const U32 c = unknown<U32>("c");
  const U32 d = unknown<U32>("d");
  const auto low_sum = operations::add_carry_out(a, b);
  CHECK(same_number(pair_of(low_sum.value, operations::add_carry_in(c, d, low_sum.carry)), plus(pair_of(a, c), pair_of(b, d))));
  const auto low_difference = operations::sub_carry_out(a, b);
  CHECK(same_number(pair_of(low_difference.value, operations::sub_carry_in(c, d, low_difference.carry)),
                    minus(pair_of(a, c), pair_of(b, d))));
}

TEST_CASE("two words with a carry are one of twice the width, and so are longer ones by induction", "[proofs][ptx]") {
  const U16 a = unknown<U16>("a");  // of 32 bits it takes Z3 ten times as long
  const U16 b = unknown<U16>("b");
  const U16 c = unknown<U16>("c");
  const U16 d = unknown<U16>("d");
  const U16 carry = choose(Truth::named("carry"), number<U16>(1), number<U16>(0));
  const U32 first = operations::joined<U32>(a, c);
  const U32 second = operations::joined<U32>(b, d);
  const auto check_step = [&](const auto& low, const auto& high, const auto& both) {
    CHECK(same_number(operations::joined<U32>(low.value, high.value), both.value));
    CHECK(same_number(as_word<U32>(high.carry), both.carry));
  };
  const auto sum = operations::add_carry_in_out(a, b, carry);
  check_step(sum, operations::add_carry_in_out(c, d, sum.carry), operations::add_carry_in_out(first, second, as_word<U32>(carry)));
  const auto difference = operations::sub_carry_in_out(a, b, carry);
  check_step(difference, operations::sub_carry_in_out(c, d, difference.carry),
             operations::sub_carry_in_out(first, second, as_word<U32>(carry)));
}

// What `mad_wide` adds to is `mul_wide`, whose halves are `mul_low` and `mul_high`: the first theorem. What is left holds of any product,
// so that Z3 meets no multiplication, of which two are beyond its patience at times.
TEST_CASE("mad with carries is a product of full width added", "[proofs][ptx]") {
  const auto theorem = []<class W>(W) {
    using Wide = operations::TwiceOf<W>;
    const Wide product = unknown<Wide>("product");
    const Wide c = unknown<Wide>("c");
    const auto low = operations::add_carry_out(operations::low_half<W>(product), operations::low_half<W>(c));
    const W high = operations::add_carry_in(operations::high_half<W>(product), operations::high_half<W>(c), low.carry);
    CHECK(same_number(operations::joined<Wide>(low.value, high), operations::add(product, c)));
  };
  theorem(U16{});
  theorem(U32{});
}

TEST_CASE("bfe and bfi by shifts", "[proofs][ptx]") {
  const auto theorem = []<class W>(W, const U32& length) {
    using U = operations::UnsignedOf<W>;
    constexpr int bits = word_bits<W>;
    const W a = unknown<W>("a");
    const U b = unknown<U>("b");
    const U32 position = unknown<U32>("position");
    const U32 whole = number<U32>(bits);
    const Truth inside = at_most(position, bits) && at_most(length, bits) && at_most(plus(position, length), bits) && !ops::is_zero(length);
    // Up to the highest bit, and down to the lowest.
    const U32 above = minus(whole, length);
    const W up = as_word<W>(operations::shl(as_word<U>(a), minus(above, position)));
    CHECK(same_where(inside, operations::bfe(a, position, length), operations::shr(up, above)));
    const U field = as_word<U>(operations::bfe(a, position, length));
    CHECK(same_where(inside, operations::bfi(field, as_word<U>(a), position, length), as_word<U>(a)));
    const U inserted = operations::bfi(as_word<U>(a), b, position, length);
    const U mask = operations::shl(operations::low_bits<U>(length), position);
    CHECK(same_where(inside, inserted, bit_or(bit_and(b, bit_not(mask)), bit_and(operations::shl(as_word<U>(a), position), mask))));
    CHECK(same_where(inside, operations::bfe(inserted, position, length), bit_and(as_word<U>(a), operations::low_bits<U>(length))));
    CHECK(same_number(operations::bfe(a, position, number<U32>(0)), number<W>(0)));
    CHECK(same_number(operations::bfi(b, as_word<U>(a), position, number<U32>(0)), as_word<U>(a)));
  };
  theorem(U32{}, unknown<U32>("length"));
  theorem(S32{}, unknown<U32>("length"));
  for (const int length : {1, 2, 31, 32, 33, 63, 64}) {  // of unknown length, 64 bits take Z3 minutes
    theorem(U64{}, number<U32>(length));
    theorem(S64{}, number<U32>(length));
  }
}

TEST_CASE("shf by shifts of 64 bits", "[proofs][ptx]") {
  const U32 a = unknown<U32>("a");
  const U32 b = unknown<U32>("b");
  const U32 n = unknown<U32>("n");
  const U64 both = pair_of(a, b);
  const U32 wrapped = bit_and(n, number<U32>(31));
  const U32 clamped = ops::Min(n, number<U32>(32));
  CHECK(same_number(operations::shf_left<false>(a, b, n), operations::high_half<U32>(operations::shl(both, wrapped))));
  CHECK(same_number(operations::shf_left<true>(a, b, n), operations::high_half<U32>(operations::shl(both, clamped))));
  CHECK(same_number(operations::shf_right<false>(a, b, n), operations::low_half<U32>(operations::shr(both, wrapped))));
  CHECK(same_number(operations::shf_right<true>(a, b, n), operations::low_half<U32>(operations::shr(both, clamped))));
}

TEST_CASE("prmt by bytes", "[proofs][ptx]") {
  using operations::PermuteMode;
  const U32 a = unknown<U32>("a");
  const U32 b = unknown<U32>("b");
  const U32 c = unknown<U32>("c");
  const U64 both = pair_of(a, b);
  const auto byte_of = [](const U32& word, unsigned i) { return bit_and(operations::shifted_right_by(word, 8 * i), number<U32>(0xff)); };
  const U32 result = operations::prmt<PermuteMode::Index>(a, b, c);
  for (unsigned i = 0; i < 4; ++i) {
    const U32 selector = bit_and(operations::shifted_right_by(c, 4 * i), number<U32>(0xf));
    const U32 place = operations::shifted_left_by(bit_and(selector, number<U32>(7)), 3);
    const U32 chosen = bit_and(operations::low_half<U32>(operations::shr(both, place)), number<U32>(0xff));
    const U32 sign = bit_and(as_word<U32>(operations::bfe(as_word<S32>(chosen), number<U32>(7), number<U32>(1))), number<U32>(0xff));
    CHECK(same_number(byte_of(result, i), choose(less(selector, number<U32>(8)), chosen, sign)));
  }
  CHECK(same_number(operations::prmt<PermuteMode::Index>(a, b, number<U32>(0x3210)), a));
  CHECK(same_number(operations::prmt<PermuteMode::Index>(a, b, number<U32>(0x7654)), b));
  const U32 line = bit_and(c, number<U32>(3));
  CHECK(same_number(operations::prmt<PermuteMode::F4e>(a, b, c), operations::shf_right<true>(a, b, operations::shifted_left_by(line, 3))));
  // Backwards is the reverse of the bytes that end there: of line 3, those of a.
  CHECK(same_number(operations::prmt<PermuteMode::B4e>(a, b, number<U32>(3)),
                    operations::prmt<PermuteMode::Index>(a, b, number<U32>(0x0123))));
  CHECK(same_number(operations::prmt<PermuteMode::Rc8>(a, b, c),
                    times(bit_and(operations::shr(a, operations::shifted_left_by(line, 3)), number<U32>(0xff)), number<U32>(0x01010101))));
}

TEST_CASE("sad, mul24 and dot products by sums", "[proofs][ptx]") {
  const U32 a = unknown<U32>("a");
  const U32 b = unknown<U32>("b");
  const U32 c = unknown<U32>("c");
  const S32 x = as_word<S32>(a);
  const S32 y = as_word<S32>(b);
  CHECK(same_number(operations::sad(a, b, c), plus(minus(ops::Max(a, b), ops::Min(a, b)), c)));
  CHECK(same_number(operations::sad(x, y, as_word<S32>(c)), plus(minus(ops::Max(x, y), ops::Min(x, y)), as_word<S32>(c))));

  const U32 zero = number<U32>(0);
  const U32 bits24 = number<U32>(24);
  CHECK(same_number(operations::mul24_low(a, b), times(operations::bfe(a, zero, bits24), operations::bfe(b, zero, bits24))));
  CHECK(same_number(operations::mul24_low(x, y), times(operations::bfe(x, zero, bits24), operations::bfe(y, zero, bits24))));
  const U64 product = operations::mul_wide(operations::bfe(a, zero, bits24), operations::bfe(b, zero, bits24));
  CHECK(same_number(operations::mul24_high(a, b), operations::low_half<U32>(operations::shifted_right_by(product, 16))));

  const auto part = [&](const auto& word, int bits, int i) { return operations::bfe(word, number<U32>(bits * i), number<U32>(bits)); };
  U32 bytes_sum = c;
  U32 halves_sum = c;
  for (int i = 0; i < 4; ++i) {
    bytes_sum = plus(bytes_sum, times(part(a, 8, i), part(b, 8, i)));
    if (i < 2) {
      halves_sum = plus(halves_sum, times(part(a, 16, i), part(b, 8, i + 2)));
    }
  }
  CHECK(same_number(operations::dp4a<Number<std::uint8_t>, Number<std::uint8_t>>(a, b, c), bytes_sum));
  CHECK(same_number(operations::dp2a<U16, Number<std::uint8_t>, true>(a, b, c), halves_sum));
  // Of signed bytes, the bytes, and one of the four products: the sum of all takes Z3 minutes.
  for (int i = 0; i < 4; ++i) {
    const U32 shifted = operations::shifted_right_by(a, static_cast<unsigned>(8 * i));
    CHECK(same_number(as_word<S32>(as_word<Number<std::int8_t>>(shifted)), part(x, 8, i)));
  }
  const U32 lowest = bit_and(b, number<U32>(0xff));
  CHECK(same_number(as_word<S32>(operations::dp4a<Number<std::int8_t>, Number<std::int8_t>>(a, lowest, c)),
                    plus(times(part(x, 8, 0), part(y, 8, 0)), as_word<S32>(c))));
}

TEST_CASE("counting bits and turning them around", "[proofs][ptx]") {
  const auto theorem = []<class U>(U) {
    constexpr int bits = word_bits<U>;
    const U a = unknown<U>("a");
    const U one = number<U>(1);
    const U lowest = bit_and(a, ops::Neg(a));
    CHECK(same_number(operations::popc(a), choose(ops::is_zero(a), number<U>(0), plus(operations::popc(bit_and(a, minus(a, one))), one))));
    CHECK(same_number(plus(operations::popc(a), operations::popc(bit_not(a))), number<U>(bits)));
    CHECK(same_number(operations::brev(operations::brev(a)), a));
    CHECK(same_number(bit_and(operations::brev(a), one), operations::shifted_right_by(a, bits - 1)));
    CHECK(same_number(operations::popc(operations::brev(a)), operations::popc(a)));
    CHECK(same_number(operations::clz(operations::brev(a)), operations::popc(minus(lowest, one))));
    const U top = number<U>(bits - 1);
    CHECK(same_number(operations::bfind(a), minus(top, operations::clz(a))));
    // The highest bit is brought to the top, and there is none above it.
    const Truth some = !ops::is_zero(a);
    const U shift = operations::bfind_shift(a);
    CHECK(same_where(some, operations::shr(a, as_word<U32>(operations::bfind(a))), one));
    CHECK(same_where(some, operations::shr(operations::shl(a, as_word<U32>(shift)), as_word<U32>(top)), one));
    CHECK(same_where(some, plus(operations::bfind(a), shift), top));
    using S = operations::SignedOf<U>;
    const S x = as_word<S>(a);
    CHECK(same_number(operations::bfind(x), operations::bfind(choose(less(x, number<S>(0)), bit_not(a), a))));
  };
  theorem(U32{});
  theorem(U64{});
}

TEST_CASE("lop3 is any function of three bits", "[proofs][ptx]") {
  const U32 a = unknown<U32>("a");
  const U32 b = unknown<U32>("b");
  const U32 c = unknown<U32>("c");
  const U32 table = unknown<U32>("table");
  CHECK(same_number(operations::lop3(a, b, c, number<U32>(0x96)), bit_xor(a, bit_xor(b, c))));
  CHECK(same_number(operations::lop3(a, b, c, number<U32>(0xca)), bit_or(bit_and(a, b), bit_and(bit_not(a), c))));
  CHECK(same_number(operations::lop3(a, b, c, number<U32>(0xf0)), a));
  CHECK(same_number(operations::lop3(a, b, c, number<U32>(0xcc)), b));
  CHECK(same_number(operations::lop3(a, b, c, number<U32>(0xaa)), c));
  CHECK(same_number(operations::lop3(a, b, c, bit_not(table)), bit_not(operations::lop3(a, b, c, table))));
}

TEST_CASE("saturation, quotients and extensions", "[proofs][ptx]") {
  const S32 a = unknown<S32>("a");
  const S32 b = unknown<S32>("b");
  const S32 zero = number<S32>(0);
  // A sum overflows where both operands have the sign that it has not.
  const S32 sum = plus(a, b);
  const Truth overflows = less(bit_and(bit_xor(a, sum), bit_xor(b, sum)), zero);
  const S32 bound =
      choose(less(a, zero), number<S32>(std::numeric_limits<std::int32_t>::min()), number<S32>(std::numeric_limits<std::int32_t>::max()));
  CHECK(same_number(operations::add_saturated(a, b), choose(overflows, bound, sum)));
  using S8 = Number<std::int8_t>;
  const S8 x = unknown<S8>("x");
  const S8 y = unknown<S8>("y");
  CHECK(same_number(plus(times(operations::div_integer(x, y), y), operations::rem_integer(x, y)), x));
  const U32 w = unknown<U32>("w");
  CHECK(same_number(operations::extended(w, number<U32>(0xff), number<U32>(0x80)), as_word<U32>(as_word<S32>(as_word<S8>(w)))));
  CHECK(same_number(operations::szext<true>(a, number<U32>(8)), as_word<S32>(as_word<S8>(a))));
}

TEST_CASE("what is not so is refuted", "[proofs][ptx]") {
  const U32 a = unknown<U32>("a");
  const U32 b = unknown<U32>("b");
  CHECK_FALSE(same_number(operations::shf_left<true>(a, b, number<U32>(32)), operations::shf_left<false>(a, b, number<U32>(32))));
  CHECK_FALSE(same_number(operations::bfind(as_word<S32>(a)), operations::bfind(a)));
  CHECK_FALSE(same_number(operations::mul24_low(a, b), operations::mul_low(a, b)));
}
