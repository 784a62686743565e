// cvt between all types, roundings and modifiers, against MPFR and 128-bit integers.

#include <catch2/catch.hpp>

#include "tests/ptx_operations/numbers.hpp"
#include "tests/ptx_rounding/real.hpp"

using namespace lockstep::ptx_test;

namespace {

using Numbers = std::vector<std::uint64_t>;
__extension__ typedef __int128 Int;

struct IntegerType {
  std::string name;
  unsigned bits;
  bool is_signed;

  Int value(std::uint64_t a) const { return is_signed ? Int{as_signed(a, bits)} : Int{low_bits(a, bits)}; }
  Int least() const { return is_signed ? -(Int{1} << (bits - 1)) : Int{0}; }
  Int most() const { return (Int{1} << (is_signed ? bits - 1 : bits)) - 1; }
  Int clamp(Int a) const { return a < least() ? least() : a > most() ? most() : a; }
  Int wrap(Int a) const { return value(static_cast<std::uint64_t>(a)); }
};
const std::vector<IntegerType> integers = {{"u8", 8, false},   {"s8", 8, true},   {"u16", 16, false}, {"s16", 16, true},
                                           {"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}};

std::string reg(unsigned bits) { return bits == 8 ? "%c" : bits == 16 ? "%h" : bits == 32 ? "%r" : "%d"; }

/// The bits of all registers that can hold so many.
std::vector<unsigned> registers_for(unsigned bits) {
  std::vector<unsigned> widths;
  for (const unsigned width : {8U, 16U, 32U, 64U}) {
    if (width >= bits) {
      widths.push_back(width);
    }
  }
  return widths;
}

std::vector<Column> integers_for(const IntegerType& type, unsigned register_bits) {
  if (type.bits <= 16) {  // all, with something above them
    Column all;
    for (std::uint64_t a = 0; a < (std::uint64_t{1} << type.bits); ++a) {
      all.push_back(low_bits(a | generator()() << type.bits, register_bits));
    }
    return {all};
  }
  std::vector<Column> columns = integer_operands({register_bits}, 20000);
  // Around numbers whose significand is just too long for a float.
  for (unsigned power = 8; power < register_bits; ++power) {
    for (const unsigned digits : {8U, 11U, 24U, 53U}) {
      for (const std::uint64_t last : {0U, 1U, 2U, 3U, 5U, 6U, 7U}) {
        const std::uint64_t step = power > digits ? std::uint64_t{1} << (power - digits) : 1;
        columns[0].push_back(low_bits((std::uint64_t{1} << power) + last * step / 2, register_bits));
        columns[0].push_back(low_bits((std::uint64_t{1} << power) + last * step / 2 + 1, register_bits));
        columns[0].push_back(low_bits(0 - (std::uint64_t{1} << power) - last * step / 2, register_bits));
      }
    }
  }
  return columns;
}

std::vector<Column> floats_for(const FloatFormat& format) {
  if (format.width == 16) {
    Column all;
    for (std::uint64_t a = 0; a < 0x10000; ++a) {
      all.push_back(a);
    }
    return {all};
  }
  Column column = float_edges(format);
  const Column random = random_floats(format, 20000);
  column.insert(column.end(), random.begin(), random.end());
  const std::uint64_t normal = std::uint64_t{1} << format.fraction();
  for (int power = -160; power <= 130; ++power) {  // where other formats and integers begin and end, and the middles there
    const std::uint64_t exponent = static_cast<std::uint64_t>(power + format.bias());
    if (power > -format.bias() && power <= format.bias()) {
      for (const unsigned digits : {0U, 1U, 7U, 8U, 10U, 11U, 23U, 24U}) {
        for (const std::uint64_t near : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
          for (const std::uint64_t sign : {std::uint64_t{0}, format.sign()}) {
            const std::uint64_t digit = digits <= format.fraction() ? normal >> digits : 0;
            column.push_back(sign | ((exponent * normal + (digits == 0 ? 0 : digit)) + near));
            column.push_back(sign | ((exponent * normal + normal - (digits == 0 ? 0 : digit)) + near));
          }
        }
      }
    }
  }
  return {column};
}

/// What follows the rounding.
struct Modifiers {
  bool ftz = false;
  bool sat = false;
  bool relu = false;
  bool satfinite = false;

  std::string text() const {
    return std::string(ftz ? ".ftz" : "") + (sat ? ".sat" : "") + (relu ? ".relu" : "") + (satfinite ? ".satfinite" : "");
  }
};

std::uint64_t finish(const FloatFormat& to, std::uint64_t a, const Modifiers& how) {
  if (how.sat) {
    return saturate(to, how.ftz ? flush(to, a) : a);
  }
  if (to.is_nan(a)) {
    return to.nan();
  }
  if (how.relu && (a & to.sign()) != 0) {
    return 0;
  }
  if (how.satfinite && (a & to.nan()) == to.infinity()) {
    return a - 1;
  }
  return how.ftz && to.width == 32 ? flush(to, a) : a;
}

/// A number of one format rounded to another.
std::uint64_t convert(const FloatFormat& to, const FloatFormat& from, std::uint64_t a, mpfr_rnd_t mode, const Modifiers& how) {
  const Real value(from, how.ftz && from.width == 32 ? flush(from, a) : a);
  return finish(to, rounded(to, mode, [&](mpfr_ptr r, mpfr_rnd_t m) { return mpfr_set(r, value.get(), m); }), how);
}

void check_floats(const FloatFormat& to, const FloatFormat& from, const RoundingMode* rounding, const Modifiers& how) {
  const std::string mode = rounding == nullptr ? "" : "." + rounding->name;
  const Subject subject("cvt" + mode + how.text() + "." + to.name + "." + from.name + " " + reg(to.width) + "7, " + reg(from.width) + "0;");
  check(subject, floats_for(from),
        [&](const Numbers& x) { return convert(to, from, x[0], rounding == nullptr ? MPFR_RNDN : rounding->mode, how); });
}

}  // namespace

TEST_CASE("integers to integers", "[ptx][conversions]") {
  for (const IntegerType& from : integers) {
    for (const IntegerType& to : integers) {
      for (const unsigned from_register : registers_for(from.bits)) {
        for (const unsigned to_register : registers_for(to.bits)) {
          const std::string operands = "." + to.name + "." + from.name + " " + reg(to_register) + "7, " + reg(from_register) + "0;";
          const std::vector<Column> columns = integers_for(from, from_register);
          check(Subject("cvt" + operands), columns,
                [&](const Numbers& x) { return low_bits(static_cast<std::uint64_t>(to.wrap(from.value(x[0]))), to_register); });
          if (to.least() > from.least() || to.most() < from.most()) {
            check(Subject("cvt.sat" + operands), columns,
                  [&](const Numbers& x) { return low_bits(static_cast<std::uint64_t>(to.clamp(from.value(x[0]))), to_register); });
          }
        }
      }
    }
  }
}

TEST_CASE("integers to floats", "[ptx][conversions]") {
  for (const FloatFormat& to : {f32, f64, f16, bf16}) {
    for (const IntegerType& from : integers) {
      for (const RoundingMode& rounding : roundings) {
        for (const unsigned from_register : registers_for(from.bits)) {
          if (from_register != from.bits && rounding.name != "rn") {
            continue;
          }
          const Subject subject("cvt." + rounding.name + "." + to.name + "." + from.name + " " + reg(to.width) + "7, " +
                                reg(from_register) + "0;");
          check(subject, integers_for(from, from_register), [&](const Numbers& x) {
            const Int value = from.value(x[0]);
            return rounded(to, rounding.mode, [&](mpfr_ptr r, mpfr_rnd_t m) {
              return from.is_signed ? mpfr_set_sj(r, static_cast<std::int64_t>(value), m)
                                    : mpfr_set_uj(r, static_cast<std::uint64_t>(value), m);
            });
          });
        }
      }
    }
  }
  check(Subject("cvt.rn.sat.f32.s32 %r7, %r0;"), integer_operands({32}),
        [](const Numbers& x) { return std::uint64_t{as_signed(x[0], 32) > 0 ? 0x3f800000U : 0U}; });
}

TEST_CASE("floats to integers", "[ptx][conversions]") {
  const std::vector<RoundingMode> integral = {{"rni", MPFR_RNDN}, {"rzi", MPFR_RNDZ}, {"rmi", MPFR_RNDD}, {"rpi", MPFR_RNDU}};
  for (const FloatFormat& from : {f32, f64, f16, bf16}) {
    for (const IntegerType& to : integers) {
      for (const RoundingMode& rounding : integral) {
        for (const bool ftz : {false, true}) {
          for (const unsigned to_register : registers_for(to.bits)) {
            if ((ftz && from.width != 32) || (to_register != to.bits && rounding.name != "rzi")) {
              continue;
            }
            const Subject subject("cvt." + rounding.name + (ftz ? ".ftz." : ".") + to.name + "." + from.name + " " + reg(to_register) +
                                  "7, " + reg(from.width) + "0;");
            check(subject, floats_for(from), [&](const Numbers& x) {
              const Real value(from, ftz ? flush(from, x[0]) : x[0]);
              if (mpfr_nan_p(value.get()) != 0) {  // PTX ISA 9.0, cvt: zero, or 1 << (bits of the integer - 1)
                const bool is_zero = from.width < 64 && to.bits < 64;
                const Int highest = Int{1} << (to.bits - 1);
                return is_zero ? 0 : low_bits(static_cast<std::uint64_t>(to.is_signed ? -highest : highest), to_register);
              }
              // MPFR's own saturation at 64 bits is that of PTX.
              const Int number = to.is_signed ? Int{mpfr_get_sj(value.get(), rounding.mode)} : Int{mpfr_get_uj(value.get(), rounding.mode)};
              return low_bits(static_cast<std::uint64_t>(to.clamp(number)), to_register);
            });
          }
        }
      }
    }
  }
}

TEST_CASE("floats to wider floats are exact", "[ptx][conversions]") {
  for (const Modifiers how : {Modifiers{}, Modifiers{.sat = true}}) {
    for (const FloatFormat& from : {f16, f32}) {
      check_floats(f64, from, nullptr, how);
    }
    check_floats(f32, f16, nullptr, how);
  }
  for (const FloatFormat& to : {f32, f64}) {
    check_floats(to, bf16, nullptr, {});  // of which there is no .sat
  }
  check_floats(f64, f32, nullptr, {.ftz = true});
  check_floats(f32, bf16, nullptr, {.ftz = true});
}

TEST_CASE("floats to narrower floats", "[ptx][conversions]") {
  for (const RoundingMode& rounding : roundings) {
    check_floats(f32, f64, &rounding, {});
    check_floats(f32, f64, &rounding, {.ftz = true});
    check_floats(f32, f64, &rounding, {.sat = true});
    check_floats(f16, f32, &rounding, {});
    check_floats(f16, f32, &rounding, {.ftz = true});
    check_floats(f16, f32, &rounding, {.sat = true});
    check_floats(f16, f64, &rounding, {});
    check_floats(bf16, f32, &rounding, {});
    check_floats(bf16, f64, &rounding, {});
    check_floats(bf16, f16, &rounding, {});
    check_floats(f16, bf16, &rounding, {});
    if (rounding.name == "rn" || rounding.name == "rz") {
      for (const FloatFormat& to : {f16, bf16}) {
        check_floats(to, f32, &rounding, {.relu = true});
        check_floats(to, f32, &rounding, {.satfinite = true});
        check_floats(to, f32, &rounding, {.relu = true, .satfinite = true});
      }
    }
  }
}

TEST_CASE("two floats in one register", "[ptx][conversions]") {
  for (const FloatFormat& to : {f16, bf16}) {
    for (const std::size_t mode : {0U, 1U}) {
      for (const Modifiers how :
           {Modifiers{}, Modifiers{.relu = true}, Modifiers{.satfinite = true}, Modifiers{.relu = true, .satfinite = true}}) {
        const Subject subject("cvt." + roundings[mode].name + how.text() + "." + to.name + "x2.f32 %r7, %r0, %r1;");
        Column upper = floats_for(f32)[0];
        Column lower = upper;
        std::shuffle(lower.begin(), lower.end(), generator());
        check(subject, {upper, lower}, [&](const Numbers& x) {
          return convert(to, f32, x[0], roundings[mode].mode, how) << 16 | convert(to, f32, x[1], roundings[mode].mode, how);
        });
      }
    }
  }
}

TEST_CASE("tf32", "[ptx][conversions]") {
  // .rna has no mode in MPFR: half a unit of the last place is added to the bits, and what is below it cut off.
  const auto away = [](std::uint64_t a) { return f32.is_nan(a) ? 0x7fffffffU : (a + 0x1000) >> 13 << 13; };
  check(Subject("cvt.rna.tf32.f32 %r7, %r0;"), floats_for(f32), [&](const Numbers& x) { return away(x[0]); });
  for (const std::size_t mode : {0U, 1U}) {
    for (const Modifiers how : {Modifiers{}, Modifiers{.relu = true}, Modifiers{.satfinite = true}}) {
      const Subject subject("cvt." + roundings[mode].name + how.text() + ".tf32.f32 %r7, %r0;");
      check(subject, floats_for(f32),
            [&](const Numbers& x) { return f32.is_nan(x[0]) ? f32.nan() : convert(tf32, f32, x[0], roundings[mode].mode, how) << 13; });
    }
  }
}

TEST_CASE("floats to integral floats", "[ptx][conversions]") {
  const std::vector<RoundingMode> integral = {{"rni", MPFR_RNDN}, {"rzi", MPFR_RNDZ}, {"rmi", MPFR_RNDD}, {"rpi", MPFR_RNDU}};
  for (const FloatFormat& format : {f32, f64, f16, bf16}) {
    for (const RoundingMode& rounding : integral) {
      for (const Modifiers how : {Modifiers{}, Modifiers{.ftz = true}, Modifiers{.sat = true}}) {
        if ((how.ftz && format.width != 32) || (how.sat && format.name == "bf16")) {
          continue;
        }
        const std::string name = reg(format.width);
        const Subject subject("cvt." + rounding.name + how.text() + "." + format.name + "." + format.name + " " + name + "7, " + name +
                              "0;");
        check(subject, floats_for(format), [&](const Numbers& x) {
          const Real value(format, how.ftz ? flush(format, x[0]) : x[0]);
          return finish(format, rounded(format, rounding.mode, [&](mpfr_ptr r, mpfr_rnd_t m) { return mpfr_rint(r, value.get(), m); }),
                        how);
        });
      }
    }
    if (format.name != "bf16") {
      const std::string type = "." + format.name + "." + format.name + " " + reg(format.width) + "7, " + reg(format.width) + "0;";
      check(Subject("cvt.sat" + type), floats_for(format), [&](const Numbers& x) { return saturate(format, x[0]); });
    }
  }
  check(Subject("cvt.ftz.f32.f32 %r7, %r0;"), floats_for(f32),
        [](const Numbers& x) { return f32.is_nan(x[0]) ? f32.nan() : flush(f32, x[0]); });
}

TEST_CASE("cvt.pack", "[ptx][conversions]") {
  for (const unsigned bits : {16U, 8U, 4U}) {
    for (const bool is_signed : {false, true}) {
      const IntegerType to = {std::string(is_signed ? "s" : "u") + std::to_string(bits), bits, is_signed};
      const std::string type = "cvt.pack.sat." + to.name + ".s32";
      const bool has_third = bits < 16;
      const Subject subject(type + (has_third ? ".b32 %r7, %r0, %r1, %r2;" : " %r7, %r0, %r1;"));
      std::vector<unsigned> widths(has_third ? 3 : 2, 32);
      check(subject, integer_operands(widths), [&](const Numbers& x) {
        const auto part = [&](std::uint64_t a) { return low_bits(static_cast<std::uint64_t>(to.clamp(as_signed(a, 32))), bits); };
        return low_bits(part(x[0]) << bits | part(x[1]) | (has_third ? x[2] << (2 * bits) : 0), 32);
      });
    }
  }
}
