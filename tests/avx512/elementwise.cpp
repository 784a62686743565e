// Operations that work on each lane alone, against semantics/ops/scalar.hpp.
#include <algorithm>
#include <cmath>

#include "semantics/ops/scalar.hpp"
#include "tests/avx512/support.hpp"

namespace lockstep::avx512_checks {

namespace {

/// What an operation gives and should give, for all operands; some do not matter.
template <class R>
struct Results {
  std::vector<R> got;
  std::vector<R> wanted;
  std::vector<char> skipped;
};

template <class T, class R>
__attribute__((noinline)) void compare(Outcome& outcome, const char* vec, const char* name, const Results<R>& results) {
  const Operands<T>& all = operands<T>();
  for (std::size_t i = 0; i < all.a.size(); ++i) {
    if (results.skipped[i] == 0) {
      expect<R>(outcome, results.got[i], results.wanted[i], [&] {
        return std::string(name) + "(" + text(all.a[i]) + ", " + text(all.b[i]) + ", " + text(all.c[i]) + ") of " + type_name<T>() + vec;
      });
    }
  }
}

/// Writes the lanes of a Vec, a number or a mask.
template <class V, class R, class Result>
void put_lanes(R* to, const Result& result) {
  if constexpr (std::is_same_v<R, bool>) {
    for (int i = 0; i < v::width<V>; ++i) {
      to[i] = (static_cast<unsigned>(result) >> i & 1U) != 0;
    }
  } else {
    static_assert(sizeof result == v::width<V> * sizeof(R));
    std::memcpy(to, &result, sizeof result);
  }
}

/// One operation on T after the other, as vectors and as a number, on the same operands.
template <class T>
class Trial {
 public:
  explicit Trial(Outcome& outcome) : outcome_(outcome) {}

  /// In each lane vectors(a, b, c) is to give what numbers(a, b, c) gives; where skip(a, b) holds, anything.
  template <class Vectors, class Numbers, class Skip>
  void operator()(const char* name, Vectors vectors, Numbers numbers, Skip skip) {
    using R = decltype(numbers(T{}, T{}, T{}));
    const Operands<T>& all = operands<T>();
    Results<R> results{std::vector<R>(all.a.size()), std::vector<R>(all.a.size()), std::vector<char>(all.a.size())};
    for (std::size_t i = 0; i < all.a.size(); ++i) {
      results.skipped[i] = skip(all.a[i], all.b[i]) ? 1 : 0;
      results.wanted[i] = results.skipped[i] != 0 ? R{} : numbers(all.a[i], all.b[i], all.c[i]);
    }
    run<v::Vec<T, 8>>("x8", name, vectors, results);
    run<v::Vec<T, 16>>("x16", name, vectors, results);
    run<T>("", name, vectors, results);
  }
  template <class Vectors, class Numbers>
  void operator()(const char* name, Vectors vectors, Numbers numbers) {
    (*this)(name, vectors, numbers, [](T, T) { return false; });
  }

 private:
  template <class V, class Vectors, class R>
  void run(const char* vec, const char* name, Vectors vectors, Results<R>& results) {
    const Operands<T>& all = operands<T>();
    R lanes[v::width<V>];
    for (std::size_t k = 0; k < all.a.size(); k += v::width<V>) {
      put_lanes<V>(lanes, vectors(from_memory<V>(&all.a[k]), from_memory<V>(&all.b[k]), from_memory<V>(&all.c[k])));
      std::copy_n(lanes, v::width<V>, results.got.begin() + static_cast<std::ptrdiff_t>(k));
    }
    compare<T, R>(outcome_, vec, name, results);
  }

  Outcome& outcome_;
};

}  // namespace

bool emulated() { return v::emulated; }

Outcome arithmetic() {
  Outcome outcome;
  for_each_number([&]<class T>() {
    Trial<T> trial(outcome);
    trial("add", [](auto a, auto b, auto) { return v::add(a, b); }, [](T a, T b, T) { return ops::Add(a, b); });
    trial("sub", [](auto a, auto b, auto) { return v::sub(a, b); }, [](T a, T b, T) { return ops::Sub(a, b); });
    trial("mul", [](auto a, auto b, auto) { return v::mul(a, b); }, [](T a, T b, T) { return ops::Mul(a, b); });
    trial("neg", [](auto a, auto, auto) { return v::neg(a); }, [](T a, T, T) { return ops::Neg(a); });
    trial("min", [](auto a, auto b, auto) { return v::min(a, b); }, [](T a, T b, T) { return ops::Min(a, b); });
    trial("max", [](auto a, auto b, auto) { return v::max(a, b); }, [](T a, T b, T) { return ops::Max(a, b); });
  });
  return outcome;
}

Outcome floats() {
  Outcome outcome;
  for_each_number([&]<class T>() {
    if constexpr (std::is_floating_point_v<T>) {
      Trial<T> trial(outcome);
      trial("abs", [](auto a, auto, auto) { return v::abs(a); }, [](T a, T, T) { return ops::Fabs(a); });
      trial("div", [](auto a, auto b, auto) { return v::div(a, b); }, [](T a, T b, T) { return ops::Div(a, b); });
      trial("sqrt", [](auto a, auto, auto) { return v::sqrt(a); }, [](T a, T, T) { return ops::Sqrt(a); });
      trial("rcp", [](auto a, auto, auto) { return v::rcp(a); }, [](T a, T, T) { return ops::Rcp(a); });
      trial("fma", [](auto a, auto b, auto c) { return v::fma(a, b, c); }, [](T a, T b, T c) { return ops::Fma(a, b, c); });
      trial("fms", [](auto a, auto b, auto c) { return v::fms(a, b, c); }, [](T a, T b, T c) { return ops::Fma(a, b, -c); });
      trial("fnma", [](auto a, auto b, auto c) { return v::fnma(a, b, c); }, [](T a, T b, T c) { return ops::Fma(-a, b, c); });
      trial("fnms", [](auto a, auto b, auto c) { return v::fnms(a, b, c); }, [](T a, T b, T c) { return ops::Fma(-a, b, -c); });
      const auto is_normal = [](T a) { return std::isnormal(a) && std::isnormal(1 / a); };
      trial(
          "rcp14 is near enough",
          [](auto a, auto, auto) {
            using V = decltype(a);
            return v::lt(v::abs(v::fms(v::rcp14(a), a, v::set1<V>(T{1}))), v::set1<V>(T{0x1p-14F}));
          },
          [](T, T, T) { return true; }, [&](T a, T) { return !is_normal(a); });
    }
  });
  return outcome;
}

Outcome integers() {
  Outcome outcome;
  for_each_number([&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      Trial<T> trial(outcome);
      const auto undefined = [](T a, T b) { return ops::division_undefined(a, b); };
      trial("div", [](auto a, auto b, auto) { return v::div(a, b); }, [](T a, T b, T) { return ops::Div(a, b); }, undefined);
      trial("rem", [](auto a, auto b, auto) { return v::rem(a, b); }, [](T a, T b, T) { return ops::Rem(a, b); }, undefined);
      trial("and_", [](auto a, auto b, auto) { return v::and_(a, b); }, [](T a, T b, T) { return ops::BitAnd(a, b); });
      trial("or_", [](auto a, auto b, auto) { return v::or_(a, b); }, [](T a, T b, T) { return ops::BitOr(a, b); });
      trial("xor_", [](auto a, auto b, auto) { return v::xor_(a, b); }, [](T a, T b, T) { return ops::BitXor(a, b); });
      trial("not_", [](auto a, auto, auto) { return v::not_(a); }, [](T a, T, T) { return ops::BitNot(a); });
      trial("shl", [](auto a, auto b, auto) { return v::shl(a, b); }, [](T a, T b, T) { return ops::Shl(a, b); });
      trial("shr", [](auto a, auto b, auto) { return v::shr(a, b); }, [](T a, T b, T) { return ops::Shr(a, b); });
      trial("popcount", [](auto a, auto, auto) { return v::popcount(a); }, [](T a, T, T) { return ops::Popcount(a); });
      trial(
          "abs", [](auto a, auto, auto) { return v::abs(a); },
          [](T a, T, T) {
            if constexpr (std::is_signed_v<T>) {
              return ops::Abs(a);
            } else {
              return a;
            }
          });
      if constexpr (sizeof(T) == 4) {
        const auto wrapped = [&]<class M>(M) {
          trial("wrap", [](auto a, auto, auto) { return v::wrap<M>(a); }, [](T a, T, T) { return static_cast<T>(static_cast<M>(a)); });
        };
        wrapped(std::int8_t{});
        wrapped(std::uint8_t{});
        wrapped(std::int16_t{});
        wrapped(std::uint16_t{});
      }
    }
  });
  return outcome;
}

Outcome comparisons() {
  Outcome outcome;
  for_each_number([&]<class T>() {
    Trial<T> trial(outcome);
    trial("lt", [](auto a, auto b, auto) { return v::lt(a, b); }, [](T a, T b, T) { return ops::holds::Lt(a, b); });
    trial("le", [](auto a, auto b, auto) { return v::le(a, b); }, [](T a, T b, T) { return ops::holds::Le(a, b); });
    trial("gt", [](auto a, auto b, auto) { return v::gt(a, b); }, [](T a, T b, T) { return ops::holds::Gt(a, b); });
    trial("ge", [](auto a, auto b, auto) { return v::ge(a, b); }, [](T a, T b, T) { return ops::holds::Ge(a, b); });
    trial("eq", [](auto a, auto b, auto) { return v::eq(a, b); }, [](T a, T b, T) { return ops::holds::Eq(a, b); });
    trial("ne", [](auto a, auto b, auto) { return v::ne(a, b); }, [](T a, T b, T) { return ops::holds::Ne(a, b); });
    trial("mask_of", [](auto a, auto, auto) { return v::mask_of(a); }, [](T a, T, T) { return !ops::is_zero(a); });
    trial("select", [](auto a, auto b, auto c) { return v::select(v::lt(a, b), c, b); }, [](T a, T b, T c) { return a < b ? c : b; });
    trial(
        "from_mask", [](auto a, auto b, auto) { return v::from_mask<decltype(a)>(v::lt(a, b)); },
        [](T a, T b, T) { return T(a < b ? 1 : 0); });
  });
  return outcome;
}

namespace {

template <class V2, class V>
void check_conversion(Outcome& outcome) {
  using T = v::Element<V>;
  using T2 = v::Element<V2>;
  constexpr std::size_t lanes = v::width<V>;
  const std::vector<T>& from = operands<T>().a;
  const std::vector<T>& more = operands<T>().c;
  for (const std::vector<T>* all : {&from, &more}) {
    for (std::size_t k = 0; k + lanes <= all->size(); k += lanes) {
      const V2 result = v::convert<V2>(from_memory<V>(&(*all)[k]));
      T2 got[lanes];
      to_memory(got, result);
      for (std::size_t i = 0; i < lanes; ++i) {
        const T number = (*all)[k + i];
        if (!ops::conversion_undefined<T2>(number)) {
          expect(outcome, got[i], ops::converted<T2>(number), [&] { return vec_name<V>() + " " + text(number) + " to " + vec_name<V2>(); });
        }
      }
    }
  }
}

}  // namespace

Outcome conversions() {
  Outcome outcome;
  for_each_vec_and_number([&]<class V>() {
    for_each_vec_and_number([&]<class V2>() {
      if constexpr (v::width<V> == v::width<V2>) {
        check_conversion<V2, V>(outcome);
      }
    });
  });
  return outcome;
}

}  // namespace lockstep::avx512_checks
