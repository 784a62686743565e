#pragma once
/* The intrinsics that emitted C for VE uses, as C++ for any machine: in place of clang's velintrin.h, whose names they have. Each is
   written from its description and one loop over its elements.

   What the architecture leaves open has other bits each time: elements beyond the vector length, the half of an element in which a number
   of 32 bits does not lie, how large a comparison's result is, what a conversion gives that does not fit. Whoever uses such bits gets other
   results than the interpreter. */

#include <pthread.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#define LOCKSTEP_VE_HOST

namespace lockstep_ve {

constexpr unsigned most = 256;

inline std::uint64_t poison() {
  static thread_local std::uint64_t state = 0x9e3779b97f4a7c15U;
  state = state * 6364136223846793005U + 1442695040888963407U;
  return state ^ state >> 29;
}

template <class To, class From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

struct Vector {
  std::uint64_t element[most];
};
struct Mask {
  bool bit[most];
};

inline void check_length(unsigned length) {
  if (length > most) {
    std::fputs("a vector length is larger than 256\n", stderr);
    std::abort();
  }
}

/* What an element holds. */
struct Long {
  using Type = std::int64_t;
  static Type of(std::uint64_t element) { return static_cast<Type>(element); }
  static std::uint64_t element(Type number) { return static_cast<std::uint64_t>(number); }
};
struct Unsigned {
  using Type = std::uint64_t;
  static Type of(std::uint64_t element) { return element; }
  static std::uint64_t element(Type number) { return number; }
};
struct Double {
  using Type = double;
  static Type of(std::uint64_t element) { return bits_as<double>(element); }
  static std::uint64_t element(Type number) { return bits_as<std::uint64_t>(number); }
};
/* In the upper half. */
struct Float {
  using Type = float;
  static Type of(std::uint64_t element) { return bits_as<float>(static_cast<std::uint32_t>(element >> 32)); }
  static std::uint64_t element(Type number) { return std::uint64_t{bits_as<std::uint32_t>(number)} << 32 | (poison() & 0xffffffff); }
};
/* In the lower half; a result is extended (.sx). */
struct Int {
  using Type = std::int32_t;
  static Type of(std::uint64_t element) { return static_cast<Type>(static_cast<std::uint32_t>(element)); }
  static std::uint64_t element(Type number) { return static_cast<std::uint64_t>(std::int64_t{number}); }
};

/* `of_element(k)` for the elements that there are. */
template <class OfElement>
Vector vector(unsigned length, OfElement of_element) {
  check_length(length);
  Vector result;
  for (unsigned k = 0; k < most; ++k) {
    result.element[k] = k < length ? of_element(k) : poison();
  }
  return result;
}
template <class OfElement>
Mask mask(unsigned length, OfElement of_element) {
  check_length(length);
  Mask result;
  for (unsigned k = 0; k < most; ++k) {
    result.bit[k] = k < length ? of_element(k) : (poison() >> 40 & 1) != 0;
  }
  return result;
}

template <class From, class To, class Operation>
Vector unary(const Vector& a, unsigned length, Operation operation) {
  return vector(length, [&](unsigned k) { return To::element(operation(From::of(a.element[k]))); });
}
template <class Number, class Operation>
Vector binary(const Vector& a, const Vector& b, unsigned length, Operation operation) {
  return vector(length, [&](unsigned k) { return Number::element(operation(Number::of(a.element[k]), Number::of(b.element[k]))); });
}
template <class Number, class Operation>
Vector binary(typename Number::Type a, const Vector& b, unsigned length, Operation operation) {
  return vector(length, [&](unsigned k) { return Number::element(operation(a, Number::of(b.element[k]))); });
}

/* A number whose sign says how a and b compare; of floats that do not, NaN. */
template <class Number>
typename Number::Type compared(typename Number::Type a, typename Number::Type b) {
  const auto magnitude = static_cast<std::int64_t>(1 + (poison() >> 44));
  using Type = typename Number::Type;
  if constexpr (std::is_floating_point_v<Type>) {
    if (std::isnan(a) || std::isnan(b)) {
      return static_cast<Type>(NAN);
    }
  }
  return a < b ? static_cast<Type>(-magnitude) : a > b ? static_cast<Type>(magnitude) : Type{0};
}

inline std::uint64_t truncated(double number) {
  return number >= -0x1p63 && number < 0x1p63 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number)) : poison();
}

/* Addresses of elements that lie a stride apart, or anywhere. */
inline std::uint64_t at(const void* first, std::uint64_t stride, unsigned k) { return reinterpret_cast<std::uint64_t>(first) + stride * k; }
template <class T>
T read(std::uint64_t address) {
  using Cell [[gnu::may_alias]] = T;
  return *reinterpret_cast<const Cell*>(address);
}
template <class T>
void write(std::uint64_t address, T number) {
  using Cell [[gnu::may_alias]] = T;
  *reinterpret_cast<Cell*>(address) = number;
}

/* What memory has of an element. */
struct Word {
  static std::uint64_t read(std::uint64_t address) { return lockstep_ve::read<std::uint64_t>(address); }
  static void write(std::uint64_t address, std::uint64_t element) { lockstep_ve::write(address, element); }
};
struct Upper {
  static std::uint64_t read(std::uint64_t address) {
    return std::uint64_t{lockstep_ve::read<std::uint32_t>(address)} << 32 | (poison() & 0xffffffff);
  }
  static void write(std::uint64_t address, std::uint64_t element) {
    lockstep_ve::write(address, static_cast<std::uint32_t>(element >> 32));
  }
};
struct Lower {
  static void write(std::uint64_t address, std::uint64_t element) { lockstep_ve::write(address, static_cast<std::uint32_t>(element)); }
};
struct LowerSigned : Lower {
  static std::uint64_t read(std::uint64_t address) { return Int::element(lockstep_ve::read<std::int32_t>(address)); }
};
struct LowerUnsigned : Lower {
  static std::uint64_t read(std::uint64_t address) { return lockstep_ve::read<std::uint32_t>(address); }
};

/* Runs `function` with a stack of so many bytes. */
template <class Function>
void with_stack(std::uint64_t bytes, Function function) {
  pthread_attr_t attributes;
  pthread_t thread;
  const auto body = [](void* argument) -> void* {
    (*static_cast<Function*>(argument))();
    return nullptr;
  };
  if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, bytes) != 0 ||
      pthread_create(&thread, &attributes, body, &function) != 0) {
    std::fputs("there is no thread with a stack of that size\n", stderr);
    std::abort();
  }
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace lockstep_ve

/* Emitted C defines and copies vectors that nobody has given bits. */
using __vr = lockstep_ve::Vector;
using __vm256 = lockstep_ve::Mask;

/* ---- operations on elements -----------------------------------------------------------------------------------------------------------
 */

#define LOCKSTEP_VE_BINARY(name, Number, expression)                                                                  \
  inline __vr _vel_##name##_vvvl(__vr x, __vr y, unsigned length) {                                                   \
    using Type = lockstep_ve::Number::Type;                                                                           \
    return lockstep_ve::binary<lockstep_ve::Number>(x, y, length, [](Type a, Type b) -> Type { return expression; }); \
  }                                                                                                                   \
  inline __vr _vel_##name##_vsvl(lockstep_ve::Number::Type x, __vr y, unsigned length) {                              \
    using Type = lockstep_ve::Number::Type;                                                                           \
    return lockstep_ve::binary<lockstep_ve::Number>(x, y, length, [](Type a, Type b) -> Type { return expression; }); \
  }

LOCKSTEP_VE_BINARY(vaddul, Unsigned, a + b)
LOCKSTEP_VE_BINARY(vsubul, Unsigned, a - b)
LOCKSTEP_VE_BINARY(vmulul, Unsigned, a* b)
LOCKSTEP_VE_BINARY(vdivul, Unsigned, b == 0 ? lockstep_ve::poison() : a / b)
/* The least number by -1 overflows. */
LOCKSTEP_VE_BINARY(vdivsl, Long, b == 0 ? (Type)lockstep_ve::poison() : b == -1 ? (Type)(0 - (uint64_t)a) : a / b)
LOCKSTEP_VE_BINARY(vmaxsl, Long, a < b ? b : a)
LOCKSTEP_VE_BINARY(vaddswsx, Int, (Type)((uint32_t)a + (uint32_t)b))
LOCKSTEP_VE_BINARY(vsubswsx, Int, (Type)((uint32_t)a - (uint32_t)b))
LOCKSTEP_VE_BINARY(vmulswsx, Int, (Type)((uint32_t)a*(uint32_t)b))
LOCKSTEP_VE_BINARY(vand, Unsigned, a& b)
LOCKSTEP_VE_BINARY(vor, Unsigned, a | b)
LOCKSTEP_VE_BINARY(vxor, Unsigned, a ^ b)
LOCKSTEP_VE_BINARY(vcmpsl, Long, lockstep_ve::compared<lockstep_ve::Long>(a, b))
LOCKSTEP_VE_BINARY(vfaddd, Double, a + b)
LOCKSTEP_VE_BINARY(vfadds, Float, a + b)
LOCKSTEP_VE_BINARY(vfsubd, Double, a - b)
LOCKSTEP_VE_BINARY(vfsubs, Float, a - b)
LOCKSTEP_VE_BINARY(vfmuld, Double, a* b)
LOCKSTEP_VE_BINARY(vfmuls, Float, a* b)
LOCKSTEP_VE_BINARY(vfdivd, Double, a / b)
LOCKSTEP_VE_BINARY(vfdivs, Float, a / b)
LOCKSTEP_VE_BINARY(vfcmpd, Double, lockstep_ve::compared<lockstep_ve::Double>(a, b))
LOCKSTEP_VE_BINARY(vfcmps, Float, lockstep_ve::compared<lockstep_ve::Float>(a, b))
/* The result is signed. */
LOCKSTEP_VE_BINARY(vcmpul, Unsigned, a<b ? ~(lockstep_ve::poison() >> 44) : a> b ? 1 + (lockstep_ve::poison() >> 44) : 0)

/* z * w + y: the sum is the first operand. */
#define LOCKSTEP_VE_FUSED(name, Number)                                                                                        \
  inline __vr _vel_##name##_vvvvl(__vr y, __vr z, __vr w, unsigned length) {                                                   \
    using lockstep_ve::Number;                                                                                                 \
    return lockstep_ve::vector(length, [&](unsigned k) {                                                                       \
      return Number::element(std::fma(Number::of(z.element[k]), Number::of(w.element[k]), Number::of(y.element[k])));          \
    });                                                                                                                        \
  }                                                                                                                            \
  inline __vr _vel_##name##_vsvvl(lockstep_ve::Number::Type y, __vr z, __vr w, unsigned length) {                              \
    using lockstep_ve::Number;                                                                                                 \
    return lockstep_ve::vector(                                                                                                \
        length, [&](unsigned k) { return Number::element(std::fma(Number::of(z.element[k]), Number::of(w.element[k]), y)); }); \
  }                                                                                                                            \
  inline __vr _vel_##name##_vvsvl(__vr y, lockstep_ve::Number::Type z, __vr w, unsigned length) {                              \
    using lockstep_ve::Number;                                                                                                 \
    return lockstep_ve::vector(                                                                                                \
        length, [&](unsigned k) { return Number::element(std::fma(z, Number::of(w.element[k]), Number::of(y.element[k]))); }); \
  }

LOCKSTEP_VE_FUSED(vfmadd, Double)
LOCKSTEP_VE_FUSED(vfmads, Float)

#define LOCKSTEP_VE_UNARY(name, From, To, expression)                                                                       \
  inline __vr _vel_##name##_vvl(__vr x, unsigned length) {                                                                  \
    return lockstep_ve::unary<lockstep_ve::From, lockstep_ve::To>(                                                          \
        x, length, [](lockstep_ve::From::Type a) -> lockstep_ve::To::Type { return (lockstep_ve::To::Type)(expression); }); \
  }

LOCKSTEP_VE_UNARY(vfsqrtd, Double, Double, std::sqrt(a))
LOCKSTEP_VE_UNARY(vfsqrts, Float, Float, std::sqrt(a))
LOCKSTEP_VE_UNARY(vcvtds, Float, Double, a)
LOCKSTEP_VE_UNARY(vcvtsd, Double, Float, a)
LOCKSTEP_VE_UNARY(vcvtdl, Long, Double, a)
LOCKSTEP_VE_UNARY(vcvtsw, Int, Float, a)
LOCKSTEP_VE_UNARY(vcvtldrz, Double, Unsigned, lockstep_ve::truncated(a))
LOCKSTEP_VE_UNARY(vpcnt, Unsigned, Unsigned, __builtin_popcountll(a))

/* The first operand is shifted, by the low 6 bits of the other one. */
#define LOCKSTEP_VE_SHIFT(name, Number, sign)                                                                                      \
  inline __vr _vel_##name##_vvvl(__vr z, __vr count, unsigned length) {                                                            \
    return lockstep_ve::vector(length, [&](unsigned k) {                                                                           \
      return lockstep_ve::Number::element(lockstep_ve::Number::of(z.element[k]) sign(count.element[k] & 63));                      \
    });                                                                                                                            \
  }                                                                                                                                \
  inline __vr _vel_##name##_vvsl(__vr z, uint64_t count, unsigned length) {                                                        \
    return lockstep_ve::vector(                                                                                                    \
        length, [&](unsigned k) { return lockstep_ve::Number::element(lockstep_ve::Number::of(z.element[k]) sign(count & 63)); }); \
  }

LOCKSTEP_VE_SHIFT(vsll, Unsigned, <<)
LOCKSTEP_VE_SHIFT(vsrl, Unsigned, >>)
LOCKSTEP_VE_SHIFT(vsral, Long, >>)

/* ---- masks ----------------------------------------------------------------------------------------------------------------------------
 */

/* Elements against 0. */
#define LOCKSTEP_VE_TO_MASK(name, Number, expression)                            \
  inline __vm256 _vel_##name##_mvl(__vr x, unsigned length) {                    \
    return lockstep_ve::mask(length, [&](unsigned k) {                           \
      const lockstep_ve::Number::Type a = lockstep_ve::Number::of(x.element[k]); \
      return expression;                                                         \
    });                                                                          \
  }
#define LOCKSTEP_VE_TO_MASKS(name, Number)      \
  LOCKSTEP_VE_TO_MASK(name##lt, Number, a < 0)  \
  LOCKSTEP_VE_TO_MASK(name##le, Number, a <= 0) \
  LOCKSTEP_VE_TO_MASK(name##gt, Number, a > 0)  \
  LOCKSTEP_VE_TO_MASK(name##ge, Number, a >= 0) \
  LOCKSTEP_VE_TO_MASK(name##eq, Number, a == 0)

LOCKSTEP_VE_TO_MASKS(vfmkl, Long)
LOCKSTEP_VE_TO_MASKS(vfmkd, Double)
LOCKSTEP_VE_TO_MASKS(vfmks, Float)
LOCKSTEP_VE_TO_MASK(vfmklne, Long, a != 0)
LOCKSTEP_VE_TO_MASK(vfmkdnenan, Double, !(a == 0))
LOCKSTEP_VE_TO_MASK(vfmksnenan, Float, !(a == 0))

inline __vm256 _vel_vfmklat_ml(unsigned length) {
  return lockstep_ve::mask(length, [](unsigned) { return true; });
}
inline __vm256 _vel_vfmklaf_ml(unsigned length) {
  return lockstep_ve::mask(length, [](unsigned) { return false; });
}

/* Of all 256 bits, whatever the vector length. */
#define LOCKSTEP_VE_OF_MASKS(name, expression)                    \
  inline __vm256 _vel_##name##_mmm(__vm256 x, __vm256 y) {        \
    return lockstep_ve::mask(lockstep_ve::most, [&](unsigned k) { \
      const bool a = x.bit[k];                                    \
      const bool b = y.bit[k];                                    \
      return expression;                                          \
    });                                                           \
  }

LOCKSTEP_VE_OF_MASKS(andm, a&& b)
LOCKSTEP_VE_OF_MASKS(orm, a || b)
LOCKSTEP_VE_OF_MASKS(xorm, a != b)
LOCKSTEP_VE_OF_MASKS(eqvm, a == b)
LOCKSTEP_VE_OF_MASKS(nndm, !a && b)

inline __vm256 _vel_negm_mm(__vm256 x) {
  return lockstep_ve::mask(lockstep_ve::most, [&](unsigned k) { return !x.bit[k]; });
}
inline uint64_t _vel_pcvm_sml(__vm256 x, unsigned length) {
  lockstep_ve::check_length(length);
  uint64_t count = 0;
  for (unsigned k = 0; k < length; ++k) {
    count += x.bit[k] ? 1 : 0;
  }
  return count;
}

/* The second operand where the mask is set, the first one elsewhere. */
inline __vr _vel_vmrg_vvvml(__vr y, __vr z, __vm256 m, unsigned length) {
  return lockstep_ve::vector(length, [&](unsigned k) { return m.bit[k] ? z.element[k] : y.element[k]; });
}
inline __vr _vel_vmrg_vsvml(uint64_t y, __vr z, __vm256 m, unsigned length) {
  return lockstep_ve::vector(length, [&](unsigned k) { return m.bit[k] ? z.element[k] : y; });
}

/* ---- numbers in vectors, addresses ----------------------------------------------------------------------------------------------------
 */

inline __vr _vel_vbrdd_vsl(double a, unsigned length) {
  return lockstep_ve::vector(length, [&](unsigned) { return lockstep_ve::Double::element(a); });
}
inline __vr _vel_vbrds_vsl(float a, unsigned length) {
  return lockstep_ve::vector(length, [&](unsigned) { return lockstep_ve::Float::element(a); });
}
inline __vr _vel_vbrdl_vsl(int64_t a, unsigned length) {
  return lockstep_ve::vector(length, [&](unsigned) { return lockstep_ve::Long::element(a); });
}
inline __vr _vel_vseq_vl(unsigned length) {
  return lockstep_ve::vector(length, [](unsigned k) { return uint64_t{k}; });
}
inline __vr _vel_vsfa_vvssl(__vr z, uint64_t count, uint64_t base, unsigned length) {
  return lockstep_ve::vector(length, [&](unsigned k) { return (z.element[k] << (count & 7)) + base; });
}
/* Element k + distance of all that a register has. */
inline __vr _vel_vmv_vsvl(unsigned distance, __vr z, unsigned length) {
  return lockstep_ve::vector(length, [&](unsigned k) { return z.element[(k + distance) % lockstep_ve::most]; });
}
/* The elements that the mask has, from the first one on; those behind them keep what they had. */
inline __vr _vel_vcp_vvmvl(__vr z, __vm256 m, __vr otherwise, unsigned length) {
  lockstep_ve::check_length(length);
  __vr result = otherwise;
  unsigned next = 0;
  for (unsigned k = 0; k < length; ++k) {
    if (m.bit[k]) result.element[next++] = z.element[k];
  }
  return result;
}
/* The other way round: elements from the first one on, in turn, to where the mask is set. */
inline __vr _vel_vex_vvmvl(__vr z, __vm256 m, __vr otherwise, unsigned length) {
  lockstep_ve::check_length(length);
  __vr result = otherwise;
  unsigned next = 0;
  for (unsigned k = 0; k < length; ++k) {
    if (m.bit[k]) result.element[k] = z.element[next++];
  }
  return result;
}
/* The sum, in the first element. */
inline __vr _vel_vsuml_vvml(__vr y, __vm256 m, unsigned length) {
  lockstep_ve::check_length(length);
  uint64_t sum = 0;
  for (unsigned k = 0; k < length; ++k) {
    sum += m.bit[k] ? y.element[k] : 0;
  }
  return lockstep_ve::vector(1, [&](unsigned) { return sum; });
}
inline __vr _vel_vsuml_vvl(__vr y, unsigned length) { return _vel_vsuml_vvml(y, _vel_vfmklat_ml(length), length); }
namespace lockstep_ve {
/* Of two floats in each element: in the upper half, and in the lower one. */
template <class Operation>
__vr pairs(unsigned length, Operation of_half) {
  return lockstep_ve::vector(length, [&](unsigned k) {
    const auto half = [&](unsigned shift) {
      const auto number = [=](uint64_t element) { return lockstep_ve::bits_as<float>(static_cast<uint32_t>(element >> shift)); };
      return uint64_t{lockstep_ve::bits_as<uint32_t>(static_cast<float>(of_half(k, number)))} << shift;
    };
    return half(32) | half(0);
  });
}
}  // namespace lockstep_ve
#define LOCKSTEP_VE_PAIRED(name, sign)                                                                          \
  inline __vr _vel_##name##_vvvl(__vr x, __vr y, unsigned length) {                                             \
    return lockstep_ve::pairs(length, [&](unsigned k, auto number) { return number(x.element[k]) sign number(y.element[k]); }); \
  }                                                                                                             \
  inline __vr _vel_##name##_vsvl(uint64_t x, __vr y, unsigned length) {                                         \
    return lockstep_ve::pairs(length, [&](unsigned k, auto number) { return number(x) sign number(y.element[k]); });         \
  }
LOCKSTEP_VE_PAIRED(pvfadd, +)
LOCKSTEP_VE_PAIRED(pvfsub, -)
LOCKSTEP_VE_PAIRED(pvfmul, *)
inline __vr _vel_pvfmad_vvvvl(__vr y, __vr z, __vr w, unsigned length) {
  return lockstep_ve::pairs(length, [&](unsigned k, auto number) { return std::fma(number(z.element[k]), number(w.element[k]), number(y.element[k])); });
}
inline __vr _vel_pvfmad_vsvvl(uint64_t y, __vr z, __vr w, unsigned length) {
  return lockstep_ve::pairs(length, [&](unsigned k, auto number) { return std::fma(number(z.element[k]), number(w.element[k]), number(y)); });
}
inline __vr _vel_pvfmad_vvsvl(__vr y, uint64_t z, __vr w, unsigned length) {
  return lockstep_ve::pairs(length, [&](unsigned k, auto number) { return std::fma(number(z), number(w.element[k]), number(y.element[k])); });
}
inline __vr _vel_pvbrd_vsl(uint64_t a, unsigned length) {
  return lockstep_ve::vector(length, [&](unsigned) { return a; });
}
/* The upper half of the first operand, the lower one of the second. */
constexpr uint64_t VE_VSHUFFLE_YUZL = 3;
inline __vr _vel_vshf_vvvsl(__vr y, __vr z, uint64_t halves, unsigned length) {
  if (halves != VE_VSHUFFLE_YUZL) {
    std::fputs("halves are put together as no emitted code does\n", stderr);
    std::abort();
  }
  return lockstep_ve::vector(length, [&](unsigned k) { return (y.element[k] & ~uint64_t{0xffffffff}) | (z.element[k] & 0xffffffff); });
}
/* One element. */
inline uint64_t _vel_lvsl_svs(__vr x, unsigned k) { return x.element[k % lockstep_ve::most]; }
inline double _vel_lvsd_svs(__vr x, unsigned k) { return lockstep_ve::Double::of(x.element[k % lockstep_ve::most]); }
inline float _vel_lvss_svs(__vr x, unsigned k) { return lockstep_ve::Float::of(x.element[k % lockstep_ve::most]); }

/* ---- memory ---------------------------------------------------------------------------------------------------------------------------
 */

/* The other operands of gathers and scatters are hints. */
#define LOCKSTEP_VE_LOAD(suffix, In)                                                                                         \
  inline __vr _vel_vld##suffix##_vssvl(uint64_t stride, const void* first, __vr otherwise, unsigned length) {                \
    lockstep_ve::check_length(length);                                                                                       \
    __vr result = otherwise;                                                                                                 \
    for (unsigned k = 0; k < length; ++k) {                                                                                  \
      result.element[k] = lockstep_ve::In::read(lockstep_ve::at(first, stride, k));                                          \
    }                                                                                                                        \
    return result;                                                                                                           \
  }                                                                                                                          \
  inline __vr _vel_vld##suffix##_vssl(uint64_t stride, const void* first, unsigned length) {                                 \
    return _vel_vld##suffix##_vssvl(stride, first, lockstep_ve::vector(0, [](unsigned) { return uint64_t{0}; }), length);    \
  }                                                                                                                          \
  inline __vr _vel_vgt##suffix##_vvssmvl(__vr addresses, uint64_t, uint64_t, __vm256 m, __vr otherwise, unsigned length) {   \
    lockstep_ve::check_length(length);                                                                                       \
    __vr result = otherwise;                                                                                                 \
    for (unsigned k = 0; k < length; ++k) {                                                                                  \
      if (m.bit[k]) result.element[k] = lockstep_ve::In::read(addresses.element[k]);                                         \
    }                                                                                                                        \
    return result;                                                                                                           \
  }                                                                                                                          \
  inline __vr _vel_vgt##suffix##_vvssvl(__vr addresses, uint64_t, uint64_t, __vr otherwise, unsigned length) {               \
    return _vel_vgt##suffix##_vvssmvl(addresses, 0, 0, _vel_vfmklat_ml(length), otherwise, length);                          \
  }                                                                                                                          \
  inline __vr _vel_vgt##suffix##_vvssl(__vr addresses, uint64_t, uint64_t, unsigned length) {                                \
    return _vel_vgt##suffix##_vvssvl(addresses, 0, 0, lockstep_ve::vector(0, [](unsigned) { return uint64_t{0}; }), length); \
  }
#define LOCKSTEP_VE_STORE(suffix, Out)                                                                            \
  inline void _vel_vst##suffix##_vssml(__vr x, uint64_t stride, void* first, __vm256 m, unsigned length) {        \
    lockstep_ve::check_length(length);                                                                            \
    for (unsigned k = 0; k < length; ++k) {                                                                       \
      if (m.bit[k]) lockstep_ve::Out::write(lockstep_ve::at(first, stride, k), x.element[k]);                     \
    }                                                                                                             \
  }                                                                                                               \
  inline void _vel_vst##suffix##_vssl(__vr x, uint64_t stride, void* first, unsigned length) {                    \
    _vel_vst##suffix##_vssml(x, stride, first, _vel_vfmklat_ml(length), length);                                  \
  }                                                                                                               \
  inline void _vel_vsc##suffix##_vvssml(__vr x, __vr addresses, uint64_t, uint64_t, __vm256 m, unsigned length) { \
    lockstep_ve::check_length(length);                                                                            \
    for (unsigned k = 0; k < length; ++k) {                                                                       \
      if (m.bit[k]) lockstep_ve::Out::write(addresses.element[k], x.element[k]);                                  \
    }                                                                                                             \
  }                                                                                                               \
  inline void _vel_vsc##suffix##_vvssl(__vr x, __vr addresses, uint64_t, uint64_t, unsigned length) {             \
    _vel_vsc##suffix##_vvssml(x, addresses, 0, 0, _vel_vfmklat_ml(length), length);                               \
  }

LOCKSTEP_VE_LOAD(, Word)
LOCKSTEP_VE_LOAD(u, Upper)
LOCKSTEP_VE_LOAD(lsx, LowerSigned)
LOCKSTEP_VE_LOAD(lzx, LowerUnsigned)
LOCKSTEP_VE_STORE(, Word)
LOCKSTEP_VE_STORE(u, Upper)
LOCKSTEP_VE_STORE(l, Lower)
