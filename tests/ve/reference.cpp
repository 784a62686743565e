#include "tests/ve/reference.hpp"

#include <cmath>
#include <cstring>

namespace lockstep::test {

namespace {

using W = std::uint64_t;
using I = std::int64_t;
using U32 = std::uint32_t;
using I32 = std::int32_t;

template <class To, class From>
To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

double dbl(W w) { return same_bits<double>(w); }
W bits(double d) { return same_bits<W>(d); }
float flt(U32 w) { return same_bits<float>(w); }
U32 bits(float f) { return same_bits<U32>(f); }
U32 hi(W w) { return static_cast<U32>(w / 4294967296U); }
U32 lo(W w) { return static_cast<U32>(w % 4294967296U); }
W join(U32 upper, U32 lower) { return W{upper} * 4294967296U + lower; }
W extended(U32 w) { return w >= 0x80000000U ? join(0xffffffffU, w) : W{w}; }

using Table = std::map<std::string, Reference>;

/// Operations on 32 bits, of which VE has a form that extends the sign, one that extends zeros, and one for both halves.
template <class F>
void add_words(Table& t, const std::string& sx, const std::string& zx, const std::string& packed, unsigned count, F f,
               Compared one = Compared::Bits, Compared both = Compared::Bits, Values values = Values::Any) {
  if (!sx.empty()) {
    t[sx] = {count, [f](W y, W z, W) { return extended(f(lo(y), lo(z))); }, one, values};
  }
  if (!zx.empty()) {
    t[zx] = {count, [f](W y, W z, W) { return W{f(lo(y), lo(z))}; }, one, values};
  }
  if (!packed.empty()) {
    t[packed] = {count, [f](W y, W z, W) { return join(f(hi(y), hi(z)), f(lo(y), lo(z))); }, both, values};
  }
}

template <class F>
void add_long(Table& t, const std::string& name, unsigned count, F f, Compared compared = Compared::Bits, Values values = Values::Any) {
  t[name] = {count, [f](W y, W z, W) { return f(y, z); }, compared, values};
}

/// Operations on floats: of 64 bits, of 32 in the upper half, of both halves.
template <class D, class S>
void add_floats(Table& t, const std::string& d, const std::string& s, const std::string& packed, unsigned count, D on_doubles, S on_floats,
                Compared doubles = Compared::Double, Compared floats = Compared::Float) {
  if (!d.empty()) {
    t[d] = {count, [on_doubles](W y, W z, W w) { return bits(on_doubles(dbl(y), dbl(z), dbl(w))); }, doubles, Values::Any};
  }
  if (!s.empty()) {
    t[s] = {count, [on_floats](W y, W z, W w) { return join(bits(on_floats(flt(hi(y)), flt(hi(z)), flt(hi(w)))), 0); }, floats,
            Values::Any};
  }
  if (!packed.empty()) {
    t[packed] = {count,
                 [on_floats](W y, W z, W w) {
                   return join(bits(on_floats(flt(hi(y)), flt(hi(z)), flt(hi(w)))), bits(on_floats(flt(lo(y)), flt(lo(z)), flt(lo(w)))));
                 },
                 floats, Values::Any};
  }
}

template <class T>
T greater_of(T a, T b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
}
template <class T>
T lesser_of(T a, T b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? (std::signbit(a) ? a : b) : a > b ? b : a;
}

U32 leading(U32 a) {
  U32 n = 0;
  for (U32 bit = 0x80000000U; bit != 0 && (a & bit) == 0; bit /= 2) {
    ++n;
  }
  return n;
}
U32 ones(U32 a) {
  U32 n = 0;
  for (; a != 0; a /= 2) {
    n += a % 2;
  }
  return n;
}
U32 mirrored(U32 a) {
  U32 m = 0;
  for (int k = 0; k < 32; ++k) {
    m = m * 2 + a % 2;
    a /= 2;
  }
  return m;
}
/// a * 2^n and a / 2^n rounded down, by steps.
U32 left(U32 a, U32 n) {
  for (n %= 32; n != 0; --n) {
    a *= 2;
  }
  return a;
}
U32 right(U32 a, U32 n) {
  for (n %= 32; n != 0; --n) {
    a /= 2;
  }
  return a;
}
U32 right_signed(U32 a, U32 n) {
  for (n %= 32; n != 0; --n) {
    a = a / 2 + (a & 0x80000000U);
  }
  return a;
}
W left64(W a, W n) {
  for (n %= 64; n != 0; --n) {
    a *= 2;
  }
  return a;
}
W right64(W a, W n, bool is_signed) {
  for (n %= 64; n != 0; --n) {
    a = a / 2 + (is_signed ? a & 0x8000000000000000U : 0);
  }
  return a;
}

I32 signed32(U32 a) { return same_bits<I32>(a); }
I signed64(W a) { return same_bits<I>(a); }

void add_integers(Table& t) {
  add_long(t, "vaddul", 2, [](W y, W z) { return y + z; });
  add_long(t, "vaddsl", 2, [](W y, W z) { return y + z; });
  add_words(t, "vaddswsx", "vaddswzx", "pvadds", 2, [](U32 y, U32 z) { return y + z; });
  add_words(t, "", "vadduw", "pvaddu", 2, [](U32 y, U32 z) { return y + z; });
  add_long(t, "vsubul", 2, [](W y, W z) { return y - z; });
  add_long(t, "vsubsl", 2, [](W y, W z) { return y - z; });
  add_words(t, "vsubswsx", "vsubswzx", "pvsubs", 2, [](U32 y, U32 z) { return y - z; });
  add_words(t, "", "vsubuw", "pvsubu", 2, [](U32 y, U32 z) { return y - z; });
  add_long(t, "vmulul", 2, [](W y, W z) { return y * z; });
  add_long(t, "vmulsl", 2, [](W y, W z) { return y * z; });
  add_words(t, "vmulswsx", "vmulswzx", "", 2, [](U32 y, U32 z) { return y * z; });
  add_words(t, "", "vmuluw", "", 2, [](U32 y, U32 z) { return y * z; });
  add_long(t, "vmulslw", 2, [](W y, W z) { return same_bits<W>(I{signed32(lo(y))} * I{signed32(lo(z))}); });
  const auto quotient = [](U32 y, U32 z) {
    return static_cast<U32>(I{signed32(y)} / I{signed32(z)});  // 64 bits hold 2^31
  };
  add_words(t, "vdivswsx", "vdivswzx", "", 2, quotient, Compared::Bits, Compared::Bits, Values::Divisor);
  add_words(t, "", "vdivuw", "", 2, [](U32 y, U32 z) { return y / z; }, Compared::Bits, Compared::Bits, Values::Divisor);
  add_long(t, "vdivul", 2, [](W y, W z) { return y / z; }, Compared::Bits, Values::Divisor);
  add_long(
      t, "vdivsl", 2, [](W y, W z) { return z == ~W{0} ? W{0} - y : same_bits<W>(signed64(y) / signed64(z)); }, Compared::Bits,
      Values::Divisor);
  add_long(t, "vmaxsl", 2, [](W y, W z) { return signed64(y) > signed64(z) ? y : z; });
  add_long(t, "vminsl", 2, [](W y, W z) { return signed64(y) > signed64(z) ? z : y; });
  add_words(t, "vmaxswsx", "vmaxswzx", "pvmaxs", 2, [](U32 y, U32 z) { return signed32(y) > signed32(z) ? y : z; });
  add_words(t, "vminswsx", "vminswzx", "pvmins", 2, [](U32 y, U32 z) { return signed32(y) > signed32(z) ? z : y; });
  add_long(t, "vcmpul", 2, [](W y, W z) { return y > z ? W{1} : y == z ? W{0} : ~W{0}; }, Compared::SignLong);
  add_long(t, "vcmpsl", 2, [](W y, W z) { return signed64(y) > signed64(z) ? W{1} : y == z ? W{0} : ~W{0}; }, Compared::SignLong);
  add_words(
      t, "vcmpswsx", "vcmpswzx", "pvcmps", 2, [](U32 y, U32 z) { return signed32(y) > signed32(z) ? U32{1}
                                                                        : y == z                  ? U32{0}
                                                                                                  : ~U32{0}; },
      Compared::SignInt, Compared::SignInts);
  add_words(
      t, "", "vcmpuw", "pvcmpu", 2, [](U32 y, U32 z) { return y > z    ? U32{1}
                                                              : y == z ? U32{0}
                                                                       : ~U32{0}; }, Compared::SignInt,
      Compared::SignInts);
}

void add_bits(Table& t) {
  const auto on_halves = [&t](const std::string& whole, const std::string& packed, unsigned count, auto f) {
    const auto both = [f](W y, W z, W) { return join(f(hi(y), hi(z)), f(lo(y), lo(z))); };
    t[whole] = {count, both, Compared::Bits, Values::Any};
    t[packed] = {count, both, Compared::Bits, Values::Any};
  };
  on_halves("vand", "pvand", 2, [](U32 y, U32 z) { return y & z; });
  on_halves("vor", "pvor", 2, [](U32 y, U32 z) { return y | z; });
  on_halves("vxor", "pvxor", 2, [](U32 y, U32 z) { return (y | z) - (y & z); });
  on_halves("veqv", "pveqv", 2, [](U32 y, U32 z) { return (y & z) | (~y & ~z); });
  add_long(t, "vsll", 2, left64);
  add_long(t, "vslal", 2, left64);
  add_long(t, "vsrl", 2, [](W a, W n) { return right64(a, n, false); });
  add_long(t, "vsral", 2, [](W a, W n) { return right64(a, n, true); });
  add_words(t, "", "", "pvsll", 2, left);
  add_words(t, "vslawsx", "vslawzx", "pvsla", 2, left);
  add_words(t, "", "", "pvsrl", 2, right);
  add_words(t, "vsrawsx", "vsrawzx", "pvsra", 2, right_signed);
  add_long(t, "vpcnt", 1, [](W a, W) { return W{ones(hi(a)) + ones(lo(a))}; });
  add_long(t, "vldz", 1, [](W a, W) { return W{hi(a) != 0 ? leading(hi(a)) : 32 + leading(lo(a))}; });
  add_long(t, "vbrv", 1, [](W a, W) { return join(mirrored(lo(a)), mirrored(hi(a))); });
  const auto halves = [&t](const std::string& name, auto f) {
    t[name] = {1, [f](W a, W, W) { return join(f(hi(a)), f(lo(a))); }, Compared::Bits, Values::Any};
    t[name + "lo"] = {1, [f](W a, W, W) { return join(0, f(lo(a))); }, Compared::Bits, Values::Any};
    t[name + "up"] = {1, [f](W a, W, W) { return join(f(hi(a)), 0); }, Compared::Bits, Values::Any};
  };
  halves("pvpcnt", ones);
  halves("pvldz", leading);
  halves("pvbrv", mirrored);
  t["vsfa"] = {3, [](W z, W count, W base) { return left64(z, count % 8) + base; }, Compared::Bits, Values::Any};
  t["vshf"] = {3,
               [](W y, W z, W code) {
                 const U32 from[] = {hi(y), lo(y), hi(z), lo(z)};
                 return join(from[code / 4 % 4], from[code % 4]);
               },
               Compared::Bits, Values::Any};
  t["vbrdd"] = {1, [](W a, W, W) { return a; }, Compared::Bits, Values::Any};
  t["vbrdl"] = t["vbrdd"];
  t["pvbrd"] = t["vbrdd"];
  t["vbrds"] = {1, [](W a, W, W) { return join(hi(a), 0); }, Compared::Bits, Values::Any};
  t["vbrdw"] = {1, [](W a, W, W) { return join(0, lo(a)); }, Compared::Bits, Values::Any};
}

void add_floating(Table& t) {
  const auto both = [&t](const std::string& stem, unsigned count, auto f, Compared d = Compared::Double, Compared s = Compared::Float) {
    add_floats(t, "v" + stem + "d", "v" + stem + "s", "pv" + stem, count, f, f, d, s);
  };
  both("fadd", 2, [](auto y, auto z, auto) { return y + z; });
  both("fsub", 2, [](auto y, auto z, auto) { return y - z; });
  both("fmul", 2, [](auto y, auto z, auto) { return y * z; });
  both("fmax", 2, [](auto y, auto z, auto) { return greater_of(y, z); });
  both("fmin", 2, [](auto y, auto z, auto) { return lesser_of(y, z); });
  both(
      "fcmp", 2,
      [](auto y, auto z, auto) {
        return y > z ? decltype(y){1} : y == z ? decltype(y){0} : y < z ? decltype(y){-1} : decltype(y){NAN};
      },
      Compared::SignDouble, Compared::SignFloat);
  const auto fused = [&t](const std::string& stem, auto f) { add_floats(t, "v" + stem + "d", "v" + stem + "s", "pv" + stem, 3, f, f); };
  fused("fmad", [](auto y, auto z, auto w) { return std::fma(z, w, y); });
  fused("fmsb", [](auto y, auto z, auto w) { return std::fma(z, w, -y); });
  fused("fnmad", [](auto y, auto z, auto w) { return -std::fma(z, w, y); });
  fused("fnmsb", [](auto y, auto z, auto w) { return -std::fma(z, w, -y); });
  const auto quotient = [](auto y, auto z, auto) { return y / z; };
  add_floats(t, "vfdivd", "vfdivs", "", 2, quotient, quotient);
  const auto root = [](auto y, auto, auto) { return std::sqrt(y); };
  add_floats(t, "vfsqrtd", "vfsqrts", "", 1, root, root);
  const auto one_over = [](auto y, auto, auto) { return 1 / y; };
  add_floats(t, "vrcpd", "vrcps", "pvrcp", 1, one_over, one_over, Compared::NearDouble, Compared::NearFloat);
  const auto one_over_root = [](auto y, auto, auto) { return 1 / std::sqrt(y); };
  for (const std::string nex : {"", "nex"}) {
    add_floats(t, "vrsqrtd" + nex, "vrsqrts" + nex, "pvrsqrt" + nex, 1, one_over_root, one_over_root, Compared::NearDouble,
               Compared::NearFloat);
  }
}

void add_conversions(Table& t) {
  const auto unary = [&t](const std::string& name, Compared compared, Values values, auto f) {
    t[name] = {1, [f](W a, W, W) { return f(a); }, compared, values};
  };
  unary("vcvtdl", Compared::Double, Values::Any, [](W a) { return bits(static_cast<double>(signed64(a))); });
  unary("vcvtdw", Compared::Double, Values::Any, [](W a) { return bits(static_cast<double>(signed32(lo(a)))); });
  unary("vcvtsw", Compared::Float, Values::Any, [](W a) { return join(bits(static_cast<float>(signed32(lo(a)))), 0); });
  unary("vcvtds", Compared::Double, Values::Any, [](W a) { return bits(static_cast<double>(flt(hi(a)))); });
  unary("vcvtsd", Compared::Float, Values::Any, [](W a) { return join(bits(static_cast<float>(dbl(a))), 0); });
  unary("pvcvtsw", Compared::Float, Values::Any,
        [](W a) { return join(bits(static_cast<float>(signed32(hi(a)))), bits(static_cast<float>(signed32(lo(a))))); });
  // To nearest, by the host's rounding mode, and towards zero.
  const auto word = [](double a) { return static_cast<U32>(std::llrint(a)); };
  const auto cut = [](double a) { return static_cast<U32>(static_cast<I>(a)); };
  const auto to_integers = [&](const std::string& rz, auto to_word) {
    unary("vcvtwdsx" + rz, Compared::Bits, Values::ToIntDouble, [to_word](W a) { return extended(to_word(dbl(a))); });
    unary("vcvtwdzx" + rz, Compared::Bits, Values::ToIntDouble, [to_word](W a) { return W{to_word(dbl(a))}; });
    unary("vcvtwssx" + rz, Compared::Bits, Values::ToIntFloat, [to_word](W a) { return extended(to_word(double{flt(hi(a))})); });
    unary("vcvtwszx" + rz, Compared::Bits, Values::ToIntFloat, [to_word](W a) { return W{to_word(double{flt(hi(a))})}; });
    unary("pvcvtws" + rz, Compared::Bits, Values::ToIntFloat,
          [to_word](W a) { return join(to_word(double{flt(hi(a))}), to_word(double{flt(lo(a))})); });
  };
  to_integers("", word);
  to_integers("rz", cut);
  unary("vcvtld", Compared::Bits, Values::ToLong, [](W a) { return same_bits<W>(I{std::llrint(dbl(a))}); });
  unary("vcvtldrz", Compared::Bits, Values::ToLong, [](W a) { return same_bits<W>(static_cast<I>(dbl(a))); });
}

int sign_of(double a) { return std::isnan(a) ? 2 : a > 0 ? 1 : a < 0 ? -1 : 0; }

bool near(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= 1e-6 * std::fabs(b); }

bool same_float(U32 a, U32 b) { return a == b || (std::isnan(flt(a)) && std::isnan(flt(b))); }

}  // namespace

bool agree(Compared compared, W a, W b) {
  switch (compared) {
    case Compared::Bits:
      return a == b;
    case Compared::Double:
      return a == b || (std::isnan(dbl(a)) && std::isnan(dbl(b)));
    case Compared::Float:
      return same_float(hi(a), hi(b)) && same_float(lo(a), lo(b));
    case Compared::SignDouble:
      return sign_of(dbl(a)) == sign_of(dbl(b));
    case Compared::SignFloat:
      return sign_of(double{flt(hi(a))}) == sign_of(double{flt(hi(b))}) && sign_of(double{flt(lo(a))}) == sign_of(double{flt(lo(b))});
    case Compared::SignLong:
      return (signed64(a) > 0) == (signed64(b) > 0) && (a == 0) == (b == 0);
    case Compared::SignInt:
      return (signed32(lo(a)) > 0) == (signed32(lo(b)) > 0) && (lo(a) == 0) == (lo(b) == 0);
    case Compared::SignInts:
      return agree(Compared::SignInt, a, b) && agree(Compared::SignInt, hi(a), hi(b));
    case Compared::NearDouble:
      return near(dbl(a), dbl(b));
    case Compared::NearFloat:
      return near(double{flt(hi(a))}, double{flt(hi(b))}) && near(double{flt(lo(a))}, double{flt(lo(b))});
  }
  return false;
}

const Table& references() {
  static const Table table = [] {
    Table t;
    add_integers(t);
    add_bits(t);
    add_floating(t);
    add_conversions(t);
    return t;
  }();
  return table;
}

const std::map<std::string, ReducedReference>& reduced_references() {
  static const auto table = [] {
    std::map<std::string, ReducedReference> t;
    const auto d = [](auto f) { return [f](W a, W b) { return bits(f(dbl(a), dbl(b))); }; };
    const auto s = [](auto f) { return [f](W a, W b) { return join(bits(f(flt(hi(a)), flt(hi(b)))), 0); }; };
    const auto sum = [](auto a, auto b) { return a + b; };
    const auto most = [](auto a, auto b) { return greater_of(a, b); };
    const auto least = [](auto a, auto b) { return lesser_of(a, b); };
    t["vsuml"] = {[](W a, W b) { return a + b; }};
    t["vsumwsx"] = {[](W a, W b) { return extended(lo(a) + lo(b)); }};
    t["vsumwzx"] = {[](W a, W b) { return W{lo(a) + lo(b)}; }};
    t["vfsumd"] = {d(sum), Compared::Double};
    t["vfsums"] = {s(sum), Compared::Float};
    t["vrand"] = {[](W a, W b) { return a & b; }};
    t["vror"] = {[](W a, W b) { return a | b; }};
    t["vrxor"] = {[](W a, W b) { return a ^ b; }};
    for (const std::string end : {"fst", "lst"}) {
      t["vrmaxsl" + end] = {[](W a, W b) { return signed64(a) > signed64(b) ? a : b; }};
      t["vrminsl" + end] = {[](W a, W b) { return signed64(a) > signed64(b) ? b : a; }};
      t["vrmaxsw" + end + "sx"] = {[](W a, W b) { return extended(signed32(lo(a)) > signed32(lo(b)) ? lo(a) : lo(b)); }};
      t["vrminsw" + end + "sx"] = {[](W a, W b) { return extended(signed32(lo(a)) > signed32(lo(b)) ? lo(b) : lo(a)); }};
      t["vrmaxsw" + end + "zx"] = {[](W a, W b) { return W{signed32(lo(a)) > signed32(lo(b)) ? lo(a) : lo(b)}; }};
      t["vrminsw" + end + "zx"] = {[](W a, W b) { return W{signed32(lo(a)) > signed32(lo(b)) ? lo(b) : lo(a)}; }};
      t["vfrmaxd" + end] = {d(most), Compared::Double};
      t["vfrmind" + end] = {d(least), Compared::Double};
      t["vfrmaxs" + end] = {s(most), Compared::Float};
      t["vfrmins" + end] = {s(least), Compared::Float};
    }
    return t;
  }();
  return table;
}

bool compares(const std::string& condition, double a) {
  const bool with_nan = condition.size() > 3 && condition.ends_with("nan");
  const std::string what = with_nan ? condition.substr(0, condition.size() - 3) : condition;
  if (std::isnan(a)) {
    return with_nan || what == "nan";
  }
  return what == "gt"   ? a > 0
         : what == "lt" ? a < 0
         : what == "ne" ? a != 0
         : what == "eq" ? a == 0
         : what == "ge" ? a >= 0
         : what == "le" ? a <= 0
                        : what == "num";
}

}  // namespace lockstep::test
