// The question this answers before anything is built on it: can one text of an operation, of a masked lane loop, of typed
// memory and of a call serve both machine numbers and Z3 terms, and still be as fast as plain C++ on the former?
// It runs one little program over both domains, substitutes random inputs into the terms, and compares bits; then it times
// the concrete instance against a hand-written loop. The findings are in docs/design.md.
#include <z3++.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

namespace {

/// Machine numbers. Θ is one mask word per lane (all ones or zero), so that a masked write is a blend.
struct Concrete {
  using Bool = bool;
  using I8 = std::int8_t;
  using F32 = float;
  using Address = std::uint64_t;
  using Byte = std::uint8_t;

  std::vector<Byte> memory;

  static F32 fma(F32 a, F32 b, F32 c) { return std::fma(a, b, c); }
  static I8 add(I8 a, I8 b) { return static_cast<I8>(static_cast<std::uint8_t>(a) + static_cast<std::uint8_t>(b)); }
  template <class T>
  static T select(Bool c, T a, T b) {
    return c ? a : b;
  }
  static Address address(std::uint64_t a) { return a; }
  Byte get(Address a) const { return memory[a]; }
  void put(Address a, Byte value, Bool active) {
    if (active) {
      memory[a] = value;
    }
  }
  static F32 f32(const Byte (&b)[4]) {
    std::uint32_t bits = 0;
    for (int i = 3; i >= 0; --i) {
      bits = bits << 8 | b[i];
    }
    return std::bit_cast<float>(bits);
  }
  static Byte byte(F32 v, int i) { return static_cast<Byte>(std::bit_cast<std::uint32_t>(v) >> (8 * i)); }
  static I8 i8(Byte b) { return static_cast<I8>(b); }
  static Byte byte(I8 v) { return static_cast<Byte>(v); }
};

/// Z3 terms: a bit vector or floating-point term per lane, Θ a Boolean term per lane, memory an array of bytes.
struct Symbolic {
  using Bool = z3::expr;
  using I8 = z3::expr;
  using F32 = z3::expr;
  using Address = z3::expr;
  using Byte = z3::expr;

  z3::context& z;
  z3::expr memory;

  F32 fma(const F32& a, const F32& b, const F32& c) const { return z3::fma(a, b, c, z.fpa_rounding_mode()); }
  static I8 add(const I8& a, const I8& b) { return a + b; }
  template <class T>
  static T select(const Bool& c, const T& a, const T& b) {
    return z3::ite(c, a, b);
  }
  Address address(std::uint64_t a) const { return z.bv_val(a, 64); }
  Byte get(const Address& a) const { return z3::select(memory, a); }
  void put(const Address& a, const Byte& value, const Bool& active) { memory = z3::ite(active, z3::store(memory, a, value), memory); }
  F32 f32(const Byte (&b)[4]) const { return z3::concat(z3::concat(b[3], b[2]), z3::concat(b[1], b[0])).mk_from_ieee_bv(z.fpa_sort<32>()); }
  static Byte byte(const F32& v, int i) {
    return v.mk_to_ieee_bv().extract(static_cast<unsigned>(8 * i + 7), static_cast<unsigned>(8 * i));
  }
  static I8 i8(const Byte& b) { return b; }
  static Byte byte(const I8& v) { return v; }
};

/// Written once: the masked lift, typed memory, a call frame and the program.
template <class T, class Set, class D, class F>
void lift(const D& d, std::vector<T>& dst, const Set& active, F&& f) {
  for (std::size_t t = 0; t < dst.size(); ++t) {
    dst[t] = d.select(active[t], f(t), dst[t]);
  }
}

template <class D, class Set>
void program(D& d, const Set& active, std::vector<typename D::F32>& x, std::vector<typename D::I8>& n) {
  const std::size_t lanes = x.size();
  const auto load_f32 = [&](std::size_t t) {
    typename D::Byte bytes[4] = {d.get(d.address(4 * t)), d.get(d.address(4 * t + 1)), d.get(d.address(4 * t + 2)),
                                 d.get(d.address(4 * t + 3))};
    return d.f32(bytes);
  };
  lift(d, x, active, load_f32);                                                              // x = ld.f32 4*tid
  lift(d, n, active, [&](std::size_t t) { return d.i8(d.get(d.address(4 * lanes + t))); });  // n = ld.i8 …+tid
  std::vector<typename D::F32> argument = x;                                                 // call f(x): a fresh frame, same Θ
  std::vector<typename D::F32> result = x;
  lift(d, result, active, [&](std::size_t t) { return d.fma(argument[t], argument[t], argument[t]); });
  lift(d, x, active, [&](std::size_t t) { return result[t]; });          // ret
  lift(d, n, active, [&](std::size_t t) { return d.add(n[t], n[t]); });  // n = n + n, wraps
  for (std::size_t t = 0; t < lanes; ++t) {                              // two-phase store: values are computed above
    for (int i = 0; i < 4; ++i) {
      d.put(d.address(4 * t + static_cast<std::size_t>(i)), d.byte(x[t], i), active[t]);
    }
    d.put(d.address(4 * lanes + t), d.byte(n[t]), active[t]);
  }
}

/// Runs both domains on random bytes and masks; the number of bytes that differ.
int disagreements(unsigned seed) {
  constexpr std::size_t lanes = 2;
  constexpr std::size_t size = 5 * lanes;
  z3::context z;
  z.set_rounding_mode(z3::RNE);
  Symbolic s{z, z.constant("memory", z.array_sort(z.bv_sort(64), z.bv_sort(8)))};
  const z3::expr before = s.memory;
  std::vector<z3::expr> theta{z.bool_const("theta0"), z.bool_const("theta1")};
  std::vector<z3::expr> x(lanes, z.fpa_val(0.0F));
  std::vector<z3::expr> n(lanes, z.bv_val(0, 8));
  program(s, theta, x, n);

  std::mt19937 random(seed);
  int wrong = 0;
  for (int round = 0; round < 200; ++round) {
    Concrete c{std::vector<std::uint8_t>(size)};
    std::vector<bool> active{(random() & 1U) != 0, (random() & 1U) != 0};
    z3::expr given = z3::const_array(z.bv_sort(64), z.bv_val(0, 8));
    for (std::size_t i = 0; i < size; ++i) {
      c.memory[i] = static_cast<std::uint8_t>(random());
      given = z3::store(given, z.bv_val(static_cast<std::uint64_t>(i), 64), z.bv_val(c.memory[i], 8));
    }
    std::vector<float> cx(lanes, 0.0F);
    std::vector<std::int8_t> cn(lanes, 0);
    program(c, active, cx, cn);
    for (std::size_t i = 0; i < size; ++i) {
      z3::expr_vector from(z);
      z3::expr_vector to(z);
      from.push_back(before);
      to.push_back(given);
      for (std::size_t t = 0; t < lanes; ++t) {
        from.push_back(theta[t]);
        to.push_back(z.bool_val(active[t]));
      }
      z3::expr byte = z3::select(s.memory, z.bv_val(static_cast<std::uint64_t>(i), 64)).substitute(from, to).simplify();
      bool nan = false;  // the payload of a NaN is not fixed: any NaN equals any NaN
      if (i < 4 * lanes) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &c.memory[i / 4 * 4], 4);
        nan = std::isnan(std::bit_cast<float>(bits));
      }
      wrong += !nan && !(byte.is_numeral() && byte.get_numeral_uint() == c.memory[i]);
    }
  }
  return wrong;
}

/// Thread-instructions a second of the lifted fma, and of the loop a person would write.
void speed() {
  constexpr std::size_t lanes = 256;
  constexpr int rounds = 200000;
  const Concrete d;
  std::vector<float> x(lanes, 0.5F);
  std::vector<float> y(lanes, 0.25F);
  std::vector<std::uint32_t> active(lanes, ~0U);
  const auto seconds = [&](auto&& body) {
    const auto start = std::chrono::steady_clock::now();
    for (int r = 0; r < rounds; ++r) {
      body();
      asm volatile("" : : "r"(x.data()) : "memory");
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double lifted = seconds([&] { lift(d, x, active, [&](std::size_t t) { return d.fma(x[t], y[t], y[t]); }); });
  const double plain = seconds([&] {
    for (std::size_t t = 0; t < lanes; ++t) {
      x[t] = std::fma(x[t], y[t], y[t]);
    }
  });
  const double work = 1e-6 * rounds * lanes;
  std::printf("lifted %.0f, plain %.0f million thread-instructions a second, ratio %.2f\n", work / lifted, work / plain, lifted / plain);
}

}  // namespace

int main() {
  const int wrong = disagreements(1);
  std::printf("%d bytes differ between machine numbers and terms\n", wrong);
  speed();
  return wrong == 0 ? 0 : 1;
}
