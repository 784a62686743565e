// cvt, by the section "Data Movement and Conversion Instructions: cvt" of the PTX ISA, in integers of 128 bits and by MPFR.

#include <algorithm>
#include <bit>

#include "tests/ptx/cases/generate/case_text.hpp"
#include "tests/ptx/cases/generate/real.hpp"

namespace lockstep::ptx_cases {

namespace {

using Bits = std::uint64_t;

unsigned width(const std::string& type) { return 8 * type_of(type).bytes; }
bool is_signed(const std::string& type) { return type[0] == 's'; }
Wide least(const std::string& type) { return is_signed(type) ? -(static_cast<Wide>(1) << (width(type) - 1)) : 0; }
Wide most(const std::string& type) { return (static_cast<Wide>(1) << (width(type) - (is_signed(type) ? 1 : 0))) - 1; }
Wide number(const std::string& type, Bits bits) {
  const bool is_negative = is_signed(type) && ((bits >> (width(type) - 1)) & 1U) != 0;
  return static_cast<Wide>(bits) - (is_negative ? static_cast<Wide>(1) << width(type) : 0);
}
const Format& format_of(const std::string& type) { return type == "f64" ? twofold : single; }

/// The integer that is so many bits' part of a number, as the type has it.
Wide wrapped(const std::string& type, Wide n) { return number(type, static_cast<Bits>(n) & static_cast<Bits>(most("u" + type.substr(1)))); }

CaseText between_integers(bool saturates) {
  const std::string form = saturates ? "cvt.sat.i.i" : "cvt.i.i";
  Elementwise e(form, {form},
                saturates
                    ? "cvt.sat between integers: clamps to the range of the destination type."
                    : "cvt between integers: what does not fit is cut off; registers wider than the type are filled up as it has it.");
  std::vector<std::pair<std::string, std::string>> pairs = {{"s32", "s64"}, {"u32", "s64"}, {"s64", "u64"}, {"u16", "s32"},
                                                            {"s16", "u32"}, {"s8", "s32"},  {"u8", "s16"},  {"u32", "s32"}};
  if (!saturates) {
    pairs.insert(pairs.end(),
                 {{"s64", "s32"}, {"u64", "u32"}, {"s64", "s16"}, {"u32", "u16"}, {"s32", "s8"}, {"u32", "u8"}, {"s32", "u16"}});
  }
  for (const auto& [to, from] : pairs) {
    // The destination is a register of 64 bits for types of 64 bits, else of 32, so that what fills it up is seen.
    const bool is_long = width(to) == 64;
    e.operation(std::string("cvt.") + (saturates ? "sat." : "") + to + "." + from + " %d, %a;", is_long ? "u64" : "u32",
                {{from, integer_edges(width(from))}}, [=](const Inputs& v) -> Bits {
                  const Wide n = number(from, v[0]);
                  return static_cast<Bits>(saturates ? std::clamp(n, least(to), most(to)) : wrapped(to, n));
                });
  }
  return e.text();
}

CaseText packed() {
  Elementwise e("cvt.pack.sat.i.i.i", {"cvt.pack.sat.i.i.i"},
                "cvt.pack: two clamped bytes, the second operand's below the first's, and above them the lower half of a third operand.");
  const std::vector<Bits> numbers = {0, 1, 127, 128, 255, 256, 0xffffffff, 0xffffff80, 0xffffff7f, 0x7fffffff, 0x80000000};
  for (const std::string type : {"u8", "s8"}) {
    e.operation("cvt.pack.sat." + type + ".s32.b32 %d, %a, %b, %c;", "b32",
                drawn({"s32", "s32", "b32"}, {numbers, numbers, {0, 0x12345678, 0xffffffff}}, 48), [type](const Inputs& v) -> Bits {
                  const auto part = [&](Bits x) { return static_cast<Bits>(std::clamp(number("s32", x), least(type), most(type))) & 255U; };
                  return part(v[1]) | part(v[0]) << 8U | (v[2] & 0xffffU) << 16U;
                });
  }
  return e.text();
}

CaseText to_float(const std::string& to) {
  const std::string form = "cvt.rn." + to + ".i";
  Elementwise e(form, {form}, form + ": integers, rounded to the nearest.");
  for (const std::string from : {"s32", "u32", "s64", "u64", "s16", "u8"}) {
    auto numbers = integer_edges(width(from));
    for (const unsigned shift : {24U, 25U, 53U, 54U}) {  // between two neighbours
      if (shift + 1 < width(from)) {
        numbers.insert(numbers.end(), {(Bits{1} << shift) + 1, (Bits{1} << shift) + 3, (Bits{1} << (shift + 1)) - 1});
      }
    }
    e.operation("cvt.rn." + to + "." + from + " %d, %a;", to, {{from, numbers}}, [=](const Inputs& v) -> Bits {
      Real n;
      n.set(number(from, v[0]));
      return rounded(format_of(to), MPFR_RNDN, n);
    });
  }
  return e.text();
}

std::vector<Bits> near_integers(const Format& format) {
  std::vector<Bits> numbers = float_edges(format);
  for (const double n : {0.25,
                         0.5,
                         0.75,
                         1.5,
                         2.5,
                         3.5,
                         126.5,
                         127.5,
                         128.0,
                         254.5,
                         255.5,
                         32767.5,
                         32768.0,
                         65535.5,
                         65536.0,
                         2147483520.0,
                         2147483647.0,
                         2147483648.0,
                         4294967040.0,
                         4294967295.0,
                         4294967296.0,
                         9223371487098961920.0,
                         9223372036854775808.0,
                         18446742974197923840.0,
                         18446744073709551616.0}) {
    for (const double x : {n, -n}) {
      numbers.push_back(format.bits == 64 ? std::bit_cast<Bits>(x) : std::bit_cast<std::uint32_t>(static_cast<float>(x)));
    }
  }
  return numbers;
}

/// What a NaN becomes: the PTX ISA 9.0 says 0 between narrow types, else the highest bit.
Bits of_nan(const std::string& to, const std::string& from) { return from == "f64" || width(to) == 64 ? Bits{1} << (width(to) - 1) : 0; }

CaseText to_integer(const std::string& form, const std::string& meaning, const std::string& modifiers, const std::string& from,
                    const std::vector<std::string>& types, mpfr_rnd_t rounding, bool ftz = false) {
  Elementwise e(form, {form}, meaning);
  const Format& format = format_of(from);
  for (const std::string& to : types) {
    e.operation("cvt." + modifiers + "." + to + "." + from + " %d, %a;",
                width(to) == 64   ? to
                : width(to) == 32 ? to
                : is_signed(to)   ? "s32"
                                  : "u32",
                {{from, near_integers(format)}}, [&, to](const Inputs& v) -> Bits {
                  if (format.is_nan(v[0])) {
                    return of_nan(to, from);
                  }
                  Real x;
                  x.set(format, ftz ? flushed(format, v[0]) : v[0]);
                  Real low;
                  Real high;
                  low.set(least(to));
                  high.set(most(to));
                  mpfr_rint(x.get(), x.get(), rounding);
                  if (mpfr_cmp(x.get(), low.get()) <= 0) {
                    return static_cast<Bits>(least(to));
                  }
                  if (mpfr_cmp(x.get(), high.get()) >= 0) {
                    return static_cast<Bits>(most(to));
                  }
                  return mpfr_sgn(x.get()) < 0 ? static_cast<Bits>(mpfr_get_si(x.get(), MPFR_RNDZ)) : mpfr_get_ui(x.get(), MPFR_RNDZ);
                });
  }
  return e.text();
}

CaseText to_integral(const std::string& form, mpfr_rnd_t rounding) {
  Elementwise e(form, {form}, form + ": an integer of the same type; zeros keep their sign.");
  e.operation(form + " %d, %a;", "f32", {{"f32", near_integers(single)}}, [&](const Inputs& v) -> Expected {
    if (single.is_nan(v[0])) {
      return ExpectedNan();
    }
    Real x;
    x.set(single, v[0]);
    mpfr_rint(x.get(), x.get(), rounding);
    return ExpectedBits{rounded(single, MPFR_RNDN, x)};
  });
  return e.text();
}

CaseText between_floats(const std::string& form, const std::string& meaning, const std::string& to, const std::string& from, bool ftz) {
  Elementwise e(form, {form}, meaning);
  auto numbers = near_integers(format_of(from));
  if (from == "f64") {
    for (const std::uint64_t exponent :
         {1023U - 150U, 1023U - 149U, 1023U - 127U, 1023U - 126U, 1023U + 127U}) {  // at the ends of f32's range
      for (const std::uint64_t fraction : {0x0U, 0x10000000U, 0x10000001U, 0x30000000U, 0xfffffffU}) {
        numbers.push_back(exponent << 52U | fraction);
        numbers.push_back(exponent << 52U | (0xfffffe0000000U + fraction));
      }
    }
  }
  e.operation(form + " %d, %a;", to, {{from, numbers}}, [&](const Inputs& v) -> Expected {
    if (format_of(from).is_nan(v[0])) {
      return ExpectedNan();
    }
    Real x;
    x.set(format_of(from), ftz ? flushed(format_of(from), v[0]) : v[0]);
    return ExpectedBits{rounded(format_of(to), MPFR_RNDN, x)};
  });
  return e.text();
}

/// Two numbers of 32 bits as halves of a word, the first one above; or one, as 16 bits.
CaseText to_half(const std::string& form, const std::string& meaning, const Format& format, bool is_pair, bool relu) {
  Elementwise e(form, {form}, meaning);
  std::vector<Bits> numbers = float_edges(single);
  Sequence random(5);
  for (int n = 0; n < 50; ++n) {  // about the exponents of the format
    const Bits exponent = 127 - 26 + random() % 46;
    numbers.push_back((random() & 0x80000fffU) | exponent << 23U | (random() % 2 == 0 ? 0x1000U : 0x8000U) | (random() & 0x7f0000U));
  }
  const auto half_of = [&](Bits bits) -> Bits {
    if (single.is_nan(bits)) {
      return format.nan();
    }
    Real x;
    x.set(single, bits);
    const Bits result = rounded(format, MPFR_RNDN, x);
    return relu && (result & format.sign()) != 0 ? 0 : result;
  };
  if (is_pair) {
    e.operation(form + " %d, %a, %b;", "b32", drawn({"f32", "f32"}, {numbers, numbers}, 64),
                [&](const Inputs& v) -> Bits { return half_of(v[0]) << 16U | half_of(v[1]); });
  } else {
    e.operation(form + " %d, %a;", "b16", {{"f32", numbers}}, [&](const Inputs& v) -> Bits { return half_of(v[0]); });
  }
  return e.text();
}

}  // namespace

std::vector<CaseText> conversion_cases() {
  std::vector<CaseText> cases;
  cases.push_back(between_integers(false));
  cases.push_back(between_integers(true));
  cases.push_back(packed());
  cases.push_back(to_float("f32"));
  cases.push_back(to_float("f64"));
  const std::vector<std::string> integers = {"s32", "u32", "s64", "u64", "s16", "u16", "u8"};
  const std::string clamps = "; numbers out of range are clamped, a NaN is 0, or of 64 bits the highest bit.";
  cases.push_back(
      to_integer("cvt.rni.i.f32", "cvt.rni: to the nearest integer, or the even one of two" + clamps, "rni", "f32", integers, MPFR_RNDN));
  cases.push_back(to_integer("cvt.rzi.i.f32", "cvt.rzi: towards zero" + clamps, "rzi", "f32", integers, MPFR_RNDZ));
  cases.push_back(to_integer("cvt.rzi.i.f64", "cvt.rzi of f64: towards zero; numbers out of range are clamped, a NaN is the highest bit.",
                             "rzi", "f64", {"s32", "u32", "s64", "u64"}, MPFR_RNDZ));
  cases.push_back(to_integer("cvt.rmi.i.f32", "cvt.rmi: downwards" + clamps, "rmi", "f32", {"s32", "u32", "s64"}, MPFR_RNDD));
  cases.push_back(to_integer("cvt.rpi.ftz.i.f32", "cvt.rpi.ftz: upwards, subnormal numbers being zeros" + clamps, "rpi.ftz", "f32",
                             {"s32", "u32", "s64"}, MPFR_RNDU, true));
  cases.push_back(to_integral("cvt.rni.f32.f32", MPFR_RNDN));
  cases.push_back(to_integral("cvt.rzi.f32.f32", MPFR_RNDZ));
  cases.push_back(between_floats("cvt.f64.f32", "cvt.f64.f32 is exact.", "f64", "f32", false));
  cases.push_back(
      between_floats("cvt.ftz.f64.f32", "cvt.ftz.f64.f32: subnormal numbers of f32 are zeros with their sign.", "f64", "f32", true));
  cases.push_back(between_floats("cvt.rn.f32.f64", "cvt.rn.f32.f64: to the nearest, with subnormal results.", "f32", "f64", false));
  cases.push_back(to_half("cvt.rn.bf16.f32", "cvt.rn.bf16.f32: to the nearest; a NaN is 0x7fff.", bfloat, false, false));
  cases.push_back(to_half("cvt.rn.bf16x2.f32", "cvt.rn.bf16x2.f32: two numbers, the first in the upper half.", bfloat, true, false));
  cases.push_back(to_half("cvt.rn.f16x2.f32", "cvt.rn.f16x2.f32: two numbers, the first in the upper half.", half, true, false));
  cases.push_back(to_half("cvt.rn.relu.f16x2.f32", "cvt.rn.relu.f16x2.f32: negative results are 0, a NaN is 0x7fff.", half, true, true));
  return cases;
}

}  // namespace lockstep::ptx_cases
