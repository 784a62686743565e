#pragma once
// What CUDA C++ made by Lockstep is written in: the kernel language's operations on numbers, and what the lanes of a warp do together.
//
// nvcc takes it, and so does clang, also without a CUDA toolkit (then for device code alone: --cuda-device-only -nocudainc -nocudalib
// --cuda-feature=+ptx63).
// Bits do not depend on flags: every rounding is written out as an instruction of PTX, so that nothing is contracted, approximated or
// flushed to zero. A compiler that says that it is told to give up exact results is refused.

#include <stddef.h>
#include <stdint.h>

#if defined(__FAST_MATH__) || defined(__USE_FAST_MATH__) || defined(__CLANG_GPU_APPROX_TRANSCENDENTALS__)
#error "these kernels keep exact bits: compile them without -ffast-math and -use_fast_math"
#endif

#if defined(__CUDACC__) || defined(__CUDA__) || defined(LOCKSTEP_CUDA_HOST)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "the groups of a warp go apart, which lanes of GPUs below compute capability 7.0 cannot do"
#endif

#if defined(__NVCC__) || defined(LOCKSTEP_CUDA_HOST)
// The names of CUDA are there; by lockstep_cuda_host.h without any GPU.
#define LOCKSTEP_CUDA_NAMES
#elif !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)
// clang without a toolkit: the words that the toolkit's headers define.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __host__ __attribute__((host))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#endif

// For loops over registers, which have no addresses that could be counted; and for loops over memory.
#ifndef LOCKSTEP_CUDA_HOST
#define LOCKSTEP_UNROLL _Pragma("unroll")
#define LOCKSTEP_ROLLED _Pragma("unroll 1")
#else
#define LOCKSTEP_UNROLL
#define LOCKSTEP_ROLLED
#endif

namespace lockstep_cuda {

#define LOCKSTEP_DEVICE static __device__ __forceinline__

// ---- lanes ----------------------------------------------------------------------------------------------------------------------------

constexpr int warp_size = 32;

LOCKSTEP_DEVICE unsigned thread_of_block() {
#if defined(LOCKSTEP_CUDA_NAMES)
  return threadIdx.x;
#else
  return __nvvm_read_ptx_sreg_tid_x();
#endif
}
LOCKSTEP_DEVICE unsigned block_of_grid() {
#if defined(LOCKSTEP_CUDA_NAMES)
  return blockIdx.x;
#else
  return __nvvm_read_ptx_sreg_ctaid_x();
#endif
}
LOCKSTEP_DEVICE unsigned blocks_of_grid() {
#if defined(LOCKSTEP_CUDA_NAMES)
  return gridDim.x;
#else
  return __nvvm_read_ptx_sreg_nctaid_x();
#endif
}

/// Lanes of a warp, one behind the other, that run a pack of groups.
struct Slot {
  unsigned mask;    // of its lanes in the warp
  int base;         // the first of them
  int lane;         // this thread's, from there
  unsigned beside;  // of the lanes of all slots of the warp, if each of them has a pack; else of its own
};

/// The lanes of a warp cut into slots of `lanes`.
LOCKSTEP_DEVICE Slot slot_of(int lanes) {
  const int lane = int(thread_of_block()) % warp_size;
  const int base = lane / lanes * lanes;
  const unsigned all = lanes == warp_size ? 0xffffffffu : (1u << lanes) - 1;
  return {all << base, base, lane - base, all << base};
}

/// With its pack's number, of so many: whether all slots of the warp have one.
LOCKSTEP_DEVICE void see_others(Slot& slot, uint64_t pack, uint64_t packs, int lanes, int slots) {
  const uint64_t last = pack - unsigned(slot.base / lanes) + unsigned(slots - 1);
  const unsigned all = slots * lanes == warp_size ? 0xffffffffu : (1u << slots * lanes) - 1;
  slot.beside = last < packs ? all : slot.mask;
}
/// Where all slots do the same: lanes of all of them, so that a warp stays together.
LOCKSTEP_DEVICE Slot with_others(Slot slot) {
  slot.mask = slot.beside;
  return slot;
}

/// All lanes of the slot come here before one goes on, and see what the others have written to memory.
LOCKSTEP_DEVICE void meet(Slot slot) {
#if defined(LOCKSTEP_CUDA_NAMES)
  __syncwarp(slot.mask);
#else
  __nvvm_bar_warp_sync(slot.mask);
#endif
}

/// Bit i is what lane i of the slot says.
LOCKSTEP_DEVICE unsigned ballot(Slot slot, bool says) {
#if defined(LOCKSTEP_CUDA_NAMES)
  const unsigned votes = __ballot_sync(slot.mask, says);
#else
  const unsigned votes = __nvvm_vote_ballot_sync(slot.mask, says);
#endif
  return votes >> slot.base;
}

LOCKSTEP_DEVICE bool any(Slot slot, bool says) { return ballot(slot, says) != 0; }

LOCKSTEP_DEVICE uint32_t word_of_lane(Slot slot, uint32_t word, int lane) {
#if defined(LOCKSTEP_CUDA_NAMES)
  return __shfl_sync(slot.mask, word, slot.base + lane);
#else
  return __nvvm_shfl_sync_idx_i32(slot.mask, word, slot.base + lane, warp_size - 1);
#endif
}

/// The lanes of the slot that have the same number, as bits of the slot.
LOCKSTEP_DEVICE unsigned lanes_with(Slot slot, uint64_t number) {
#if defined(LOCKSTEP_CUDA_NAMES)
  const unsigned same = __match_any_sync(slot.mask, static_cast<unsigned long long>(number));
#else
  const unsigned same = __nvvm_match_any_sync_i64(slot.mask, number);
#endif
  return same >> slot.base;
}

/// Whether this lane is the last one of the slot that is active and has this address.
LOCKSTEP_DEVICE bool is_last_at(Slot slot, const void* address, bool is_active) {
  const unsigned same = lanes_with(slot, is_active ? reinterpret_cast<uint64_t>(address) : 0);
  return is_active && same >> slot.lane == 1;
}

// ---- bits -----------------------------------------------------------------------------------------------------------------------------

template <class To, class From>
LOCKSTEP_DEVICE To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "numbers of one size");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

template <unsigned Bytes>
struct Bits;
template <>
struct Bits<1> {
  using Type = uint8_t;
};
template <>
struct Bits<2> {
  using Type = uint16_t;
};
template <>
struct Bits<4> {
  using Type = uint32_t;
};
template <>
struct Bits<8> {
  using Type = uint64_t;
};

/// A number of 64 bits is two registers: nothing is computed to take it apart.
struct Words {
  uint32_t low, high;
};
LOCKSTEP_DEVICE Words words_of(uint64_t bits) {
#ifndef LOCKSTEP_CUDA_HOST
  Words words;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(words.low), "=r"(words.high) : "l"(bits));
  return words;
#else
  return {uint32_t(bits), uint32_t(bits >> 32)};
#endif
}
LOCKSTEP_DEVICE uint64_t bits_of(Words words) {
#ifndef LOCKSTEP_CUDA_HOST
  uint64_t bits;
  asm("mov.b64 %0, {%1, %2};" : "=l"(bits) : "r"(words.low), "r"(words.high));
  return bits;
#else
  return uint64_t(words.high) << 32 | words.low;
#endif
}

/// What another lane of the slot has; `lane` is one of the slot's.
template <class T>
LOCKSTEP_DEVICE T of_lane(Slot slot, T value, int lane) {
  const auto bits = bits_as<typename Bits<sizeof(T)>::Type>(value);
  if (sizeof(T) == 8) {
    const Words words = words_of(bits);
    const uint64_t moved = bits_of({word_of_lane(slot, words.low, lane), word_of_lane(slot, words.high, lane)});
    return bits_as<T>(static_cast<typename Bits<sizeof(T)>::Type>(moved));
  }
  return bits_as<T>(static_cast<typename Bits<sizeof(T)>::Type>(word_of_lane(slot, uint32_t(bits), lane)));
}

/// Both are computed: compilers make a select of it at once, and no branches.
template <class T>
LOCKSTEP_DEVICE T choose(bool which, T then, T otherwise) {
  return which ? then : otherwise;
}

/// An index where there are so many elements; 0 for others, which nobody looks at.
LOCKSTEP_DEVICE int within(int64_t index, int count) { return uint64_t(index) < uint64_t(count) ? int(index) : 0; }

// ---- several numbers at once ------------------------------------------------------------------------------------------------------------

/// 8 or 16 bytes as `Count` words.
template <unsigned Size, int Count>
struct Together;
#if defined(__NVCC__)
template <>
struct Together<4, 2> {
  using Type = uint2;
};
template <>
struct Together<4, 4> {
  using Type = uint4;
};
template <>
struct Together<8, 2> {
  using Type = ulonglong2;
};
#elif !defined(LOCKSTEP_CUDA_HOST)
template <>
struct Together<4, 2> {
  typedef uint32_t Type __attribute__((vector_size(8), may_alias));
};
template <>
struct Together<4, 4> {
  typedef uint32_t Type __attribute__((vector_size(16), may_alias));
};
template <>
struct Together<8, 2> {
  typedef uint64_t Type __attribute__((vector_size(16), may_alias));
};
#endif

/// From a place that is a multiple of what is taken. A compiler of a host does as it likes.
template <int Count, class T>
LOCKSTEP_DEVICE void take(T* to, const T* from) {
#ifndef LOCKSTEP_CUDA_HOST
  const auto words = *reinterpret_cast<const typename Together<sizeof(T), Count>::Type*>(from);
  __builtin_memcpy(to, &words, sizeof words);
#else
  __builtin_memcpy(to, from, sizeof(T) * Count);
#endif
}
/// To such a place.
template <int Count, class T>
LOCKSTEP_DEVICE void put(T* to, const T* from) {
#ifndef LOCKSTEP_CUDA_HOST
  typename Together<sizeof(T), Count>::Type words;
  __builtin_memcpy(&words, from, sizeof words);
  *reinterpret_cast<typename Together<sizeof(T), Count>::Type*>(to) = words;
#else
  __builtin_memcpy(to, from, sizeof(T) * Count);
#endif
}

#if defined(__NVCC__)
// As instructions: nvcc takes its vectors apart, and where the same is done element by element in another branch, it makes one of both,
// element by element. They are for buffers, which lie in global memory.
LOCKSTEP_DEVICE void take_words(uint2& to, const uint2* from) {
  asm volatile("{.reg .u64 at; cvta.to.global.u64 at, %2; ld.global.v2.u32 {%0, %1}, [at];}" : "=r"(to.x), "=r"(to.y) : "l"(from) : "memory");
}
LOCKSTEP_DEVICE void take_words(uint4& to, const uint4* from) {
  asm volatile("{.reg .u64 at; cvta.to.global.u64 at, %4; ld.global.v4.u32 {%0, %1, %2, %3}, [at];}"
               : "=r"(to.x), "=r"(to.y), "=r"(to.z), "=r"(to.w)
               : "l"(from)
               : "memory");
}
LOCKSTEP_DEVICE void take_words(ulonglong2& to, const ulonglong2* from) {
  asm volatile("{.reg .u64 at; cvta.to.global.u64 at, %2; ld.global.v2.u64 {%0, %1}, [at];}" : "=l"(to.x), "=l"(to.y) : "l"(from) : "memory");
}
LOCKSTEP_DEVICE void put_words(uint2* to, const uint2& from) {
  asm volatile("{.reg .u64 at; cvta.to.global.u64 at, %0; st.global.v2.u32 [at], {%1, %2};}" : : "l"(to), "r"(from.x), "r"(from.y) : "memory");
}
LOCKSTEP_DEVICE void put_words(uint4* to, const uint4& from) {
  asm volatile("{.reg .u64 at; cvta.to.global.u64 at, %0; st.global.v4.u32 [at], {%1, %2, %3, %4};}"
               :
               : "l"(to), "r"(from.x), "r"(from.y), "r"(from.z), "r"(from.w)
               : "memory");
}
LOCKSTEP_DEVICE void put_words(ulonglong2* to, const ulonglong2& from) {
  asm volatile("{.reg .u64 at; cvta.to.global.u64 at, %0; st.global.v2.u64 [at], {%1, %2};}" : : "l"(to), "l"(from.x), "l"(from.y) : "memory");
}
template <int Count, class T>
LOCKSTEP_DEVICE void take_from_buffer(T* to, const T* from) {
  using Words = typename Together<sizeof(T), Count>::Type;
  Words words;
  take_words(words, reinterpret_cast<const Words*>(from));
  __builtin_memcpy(to, &words, sizeof words);
}
template <int Count, class T>
LOCKSTEP_DEVICE void put_into_buffer(T* to, const T* from) {
  using Words = typename Together<sizeof(T), Count>::Type;
  Words words;
  __builtin_memcpy(&words, from, sizeof words);
  put_words(reinterpret_cast<Words*>(to), words);
}
#else
template <int Count, class T>
LOCKSTEP_DEVICE void take_from_buffer(T* to, const T* from) {
  take<Count>(to, from);
}
template <int Count, class T>
LOCKSTEP_DEVICE void put_into_buffer(T* to, const T* from) {
  put<Count>(to, from);
}
#endif

LOCKSTEP_DEVICE bool is_aligned(const void* pointer) { return reinterpret_cast<uint64_t>(pointer) % 16 == 0; }

/// One by one if they do not lie at such a place. All lanes know that alike.
template <int Count, class T>
LOCKSTEP_DEVICE void fetch(bool is_aligned, T* to, const T* from) {
  if (is_aligned) {
    take_from_buffer<Count>(to, from);
  } else {
    LOCKSTEP_UNROLL
    for (int k = 0; k < Count; ++k) {
      to[k] = from[k];
    }
  }
}
template <int Count, class T>
LOCKSTEP_DEVICE void bring(bool is_aligned, T* to, const T* from) {
  if (is_aligned) {
    put_into_buffer<Count>(to, from);
  } else {
    LOCKSTEP_UNROLL
    for (int k = 0; k < Count; ++k) {
      to[k] = from[k];
    }
  }
}
template <int Count, class T>
LOCKSTEP_DEVICE void clear(T* to) {
  LOCKSTEP_UNROLL
  for (int k = 0; k < Count; ++k) {
    to[k] = T(0);
  }
}

/// An element of what items hand to one another.
template <class T>
LOCKSTEP_DEVICE T* at(unsigned char* stage, int index) {
  return reinterpret_cast<T*>(stage) + index;
}

// ---- tiles ------------------------------------------------------------------------------------------------------------------------------

/// A tile: of each row that a slot's items have `Pieces` pieces of `Count` elements, which lie one behind the other in a buffer.
struct Piece {
  int row;   // of which item of the slot
  int part;  // which of them
};

/// The one that a lane moves in a round. Lanes that lie one behind the other have pieces that do.
template <int Lanes, int Pieces>
LOCKSTEP_DEVICE Piece piece_of(Slot slot, int round) {
  const unsigned number = unsigned(round) * Lanes + unsigned(slot.lane);
  return {int(number / Pieces), int(number % Pieces)};
}

/// How many pieces lie side by side in all banks of shared memory, and of how many rows each begins in another bank.
template <class T, int Count>
constexpr int across = 128 / int(sizeof(T) * Count);
template <class T, int Count, int Pieces>
constexpr int apart = across<T, Count> / ((Pieces & -Pieces) < across<T, Count> ? (Pieces & -Pieces) : across<T, Count>);

/// Where a piece lies in shared memory: behind those in front of it, and behind `apart` rows on by one. So lanes meet different banks with
/// pieces of their rows, and with pieces that lie one behind the other.
template <int Pieces, int Count, class T>
LOCKSTEP_DEVICE T* at_piece(unsigned char* stage, Slot slot, Piece piece) {
  const unsigned pushed = (unsigned(slot.base) % across<T, Count> + unsigned(piece.row)) / apart<T, Count, Pieces>;
  return reinterpret_cast<T*>(stage) + (piece.row * Pieces + piece.part + int(pushed)) * Count;
}
/// Where the piece of a round does: as far on in each round, if the rows are.
template <int Lanes, int Pieces, int Count, class T>
LOCKSTEP_DEVICE T* at_round(unsigned char* stage, Slot slot, int round) {
  constexpr int rows = Lanes / Pieces;
  if (Lanes % Pieces == 0 && rows % apart<T, Count, Pieces> == 0) {
    return at_piece<Pieces, Count, T>(stage, slot, piece_of<Lanes, Pieces>(slot, 0)) +
           round * (rows * Pieces + rows / apart<T, Count, Pieces>) * Count;
  }
  return at_piece<Pieces, Count, T>(stage, slot, piece_of<Lanes, Pieces>(slot, round));
}

/// Lanes have pieces, and get rows instead: those of which a bit of `rows` says that they are there, the others are 0.
template <int Lanes, int Pieces, int Count, class T>
LOCKSTEP_DEVICE void rows_of_pieces(Slot slot, unsigned char* stage, unsigned rows, T* all) {
  LOCKSTEP_UNROLL
  for (int round = 0; round < Pieces; ++round) {
    if (rows >> piece_of<Lanes, Pieces>(slot, round).row & 1) {
      put<Count>(at_round<Lanes, Pieces, Count, T>(stage, slot, round), all + round * Count);
    }
  }
  meet(slot);
  if (rows >> slot.lane & 1) {
    LOCKSTEP_UNROLL
    for (int part = 0; part < Pieces; ++part) {
      take<Count>(all + part * Count, at_piece<Pieces, Count, T>(stage, slot, {slot.lane, part}));
    }
  } else {
    clear<Pieces * Count>(all);
  }
}
/// The other way round.
template <int Lanes, int Pieces, int Count, class T>
LOCKSTEP_DEVICE void pieces_of_rows(Slot slot, unsigned char* stage, unsigned rows, T* pieces, const T* row) {
  if (rows >> slot.lane & 1) {
    LOCKSTEP_UNROLL
    for (int part = 0; part < Pieces; ++part) {
      put<Count>(at_piece<Pieces, Count, T>(stage, slot, {slot.lane, part}), row + part * Count);
    }
  }
  meet(slot);
  LOCKSTEP_UNROLL
  for (int round = 0; round < Pieces; ++round) {
    if (rows >> piece_of<Lanes, Pieces>(slot, round).row & 1) {
      take<Count>(pieces + round * Count, at_round<Lanes, Pieces, Count, T>(stage, slot, round));
    }
  }
}

// ---- integers: they wrap --------------------------------------------------------------------------------------------------------------

template <class T>
struct Word {
  using Type = typename Bits<(sizeof(T) < 4 ? 4 : sizeof(T))>::Type;
};
template <class T>
using WordOf = typename Word<T>::Type;

template <class T>
constexpr bool is_signed = T(-1) < T(0);
template <class T>
constexpr int width = 8 * int(sizeof(T));

template <class T>
LOCKSTEP_DEVICE T add(T a, T b) {
  return T(WordOf<T>(a) + WordOf<T>(b));
}
template <class T>
LOCKSTEP_DEVICE T sub(T a, T b) {
  return T(WordOf<T>(a) - WordOf<T>(b));
}
template <class T>
LOCKSTEP_DEVICE T mul(T a, T b) {
  return T(WordOf<T>(a) * WordOf<T>(b));
}
template <class T>
LOCKSTEP_DEVICE T neg(T a) {
  return T(WordOf<T>(0) - WordOf<T>(a));
}
/// 1 where there is no quotient: of 0, and of the least number and -1.
template <class T>
LOCKSTEP_DEVICE T divisor(T a, T b) {
  const bool overflows = is_signed<T> && b == T(-1) && a == T(WordOf<T>(1) << (width<T> - 1));
  return b == 0 || overflows ? T(1) : b;
}
template <class T>
LOCKSTEP_DEVICE T div(T a, T b) {
  return T(a / divisor(a, b));
}
template <class T>
LOCKSTEP_DEVICE T rem(T a, T b) {
  return T(a % divisor(a, b));
}
/// Counts are taken modulo the width.
template <class T>
LOCKSTEP_DEVICE T shl(T a, T b) {
  return T(WordOf<T>(a) << (unsigned(b) & (width<T> - 1)));
}
template <class T>
LOCKSTEP_DEVICE T shr(T a, T b) {
  return T(a >> (unsigned(b) & (width<T> - 1)));
}
/// The magnitude, as bits of the unsigned type.
template <class T>
LOCKSTEP_DEVICE typename Bits<sizeof(T)>::Type abs(T a) {
  return static_cast<typename Bits<sizeof(T)>::Type>(a < 0 ? WordOf<T>(0) - WordOf<T>(a) : WordOf<T>(a));
}
LOCKSTEP_DEVICE int count_bits(uint32_t a) { return __builtin_popcount(a); }
LOCKSTEP_DEVICE int count_bits(uint64_t a) { return __builtin_popcountll(a); }
template <class T>
LOCKSTEP_DEVICE T popcount(T a) {
  return T(count_bits(WordOf<T>(static_cast<typename Bits<sizeof(T)>::Type>(a))));
}

// ---- floats: each rounding by itself, subnormal numbers kept
// ------------------------------------------------------------------------------

#ifndef LOCKSTEP_CUDA_HOST

#define LOCKSTEP_FLOATS(T, suffix, r)                                        \
  LOCKSTEP_DEVICE T add(T a, T b) {                                          \
    T to;                                                                    \
    asm("add.rn." suffix " %0, %1, %2;" : "=" r(to) : r(a), r(b));           \
    return to;                                                               \
  }                                                                          \
  LOCKSTEP_DEVICE T sub(T a, T b) {                                          \
    T to;                                                                    \
    asm("sub.rn." suffix " %0, %1, %2;" : "=" r(to) : r(a), r(b));           \
    return to;                                                               \
  }                                                                          \
  LOCKSTEP_DEVICE T mul(T a, T b) {                                          \
    T to;                                                                    \
    asm("mul.rn." suffix " %0, %1, %2;" : "=" r(to) : r(a), r(b));           \
    return to;                                                               \
  }                                                                          \
  LOCKSTEP_DEVICE T div(T a, T b) {                                          \
    T to;                                                                    \
    asm("div.rn." suffix " %0, %1, %2;" : "=" r(to) : r(a), r(b));           \
    return to;                                                               \
  }                                                                          \
  LOCKSTEP_DEVICE T fma(T a, T b, T c) {                                     \
    T to;                                                                    \
    asm("fma.rn." suffix " %0, %1, %2, %3;" : "=" r(to) : r(a), r(b), r(c)); \
    return to;                                                               \
  }                                                                          \
  LOCKSTEP_DEVICE T sqrt(T a) {                                              \
    T to;                                                                    \
    asm("sqrt.rn." suffix " %0, %1;" : "=" r(to) : r(a));                    \
    return to;                                                               \
  }                                                                          \
  LOCKSTEP_DEVICE T rcp(T a) {                                               \
    T to;                                                                    \
    asm("rcp.rn." suffix " %0, %1;" : "=" r(to) : r(a));                     \
    return to;                                                               \
  }                                                                          \
  LOCKSTEP_DEVICE T neg(T a) {                                               \
    T to;                                                                    \
    asm("neg." suffix " %0, %1;" : "=" r(to) : r(a));                        \
    return to;                                                               \
  }                                                                          \
  LOCKSTEP_DEVICE T abs(T a) {                                               \
    T to;                                                                    \
    asm("abs." suffix " %0, %1;" : "=" r(to) : r(a));                        \
    return to;                                                               \
  }                                                                          \
  LOCKSTEP_COMPARISON(lt, <, T, suffix, r)                                   \
  LOCKSTEP_COMPARISON(le, <=, T, suffix, r)                                  \
  LOCKSTEP_COMPARISON(gt, >, T, suffix, r)                                   \
  LOCKSTEP_COMPARISON(ge, >=, T, suffix, r)                                  \
  LOCKSTEP_COMPARISON(eq, ==, T, suffix, r)                                  \
  LOCKSTEP_COMPARISON(neu, !=, T, suffix, r)                                 \
  LOCKSTEP_DEVICE bool ne(T a, T b) { return neu(a, b); }                    \
  LOCKSTEP_TO_INTEGER(int32_t, "s32", "r", T, suffix, r)                     \
  LOCKSTEP_TO_INTEGER(uint32_t, "u32", "r", T, suffix, r)                    \
  LOCKSTEP_TO_INTEGER(int64_t, "s64", "l", T, suffix, r)                     \
  LOCKSTEP_TO_INTEGER(uint64_t, "u64", "l", T, suffix, r)                    \
  LOCKSTEP_FROM_INTEGER(int32_t, "s32", "r", T, suffix, r)                   \
  LOCKSTEP_FROM_INTEGER(uint32_t, "u32", "r", T, suffix, r)                  \
  LOCKSTEP_FROM_INTEGER(int64_t, "s64", "l", T, suffix, r)                   \
  LOCKSTEP_FROM_INTEGER(uint64_t, "u64", "l", T, suffix, r)

// neg and abs leave the bits of a NaN open, which is all the same to operations that round: these keep them.
LOCKSTEP_DEVICE float with_other_sign(float a) {
  float to;
  asm("xor.b32 %0, %1, 0x80000000;" : "=f"(to) : "f"(a));
  return to;
}
LOCKSTEP_DEVICE double with_other_sign(double a) {
  double to;
  asm("xor.b64 %0, %1, 0x8000000000000000;" : "=d"(to) : "d"(a));
  return to;
}
LOCKSTEP_DEVICE float without_sign(float a) {
  float to;
  asm("and.b32 %0, %1, 0x7fffffff;" : "=f"(to) : "f"(a));
  return to;
}
LOCKSTEP_DEVICE double without_sign(double a) {
  double to;
  asm("and.b64 %0, %1, 0x7fffffffffffffff;" : "=d"(to) : "d"(a));
  return to;
}

// Compilers know a comparison in C++ better than one in assembly, but flags may make it another one: one that takes subnormal numbers for
// 0, which clang can be asked for, or one that knows no NaNs, where what is no constant is known to be equal to itself. nvcc can be asked
// nothing.
#if defined(__NVCC__) || !__has_builtin(__nvvm_reflect)
#define LOCKSTEP_IS_EXACT(a, b) false
#else
#define LOCKSTEP_IS_EXACT(a, b) \
  ((__nvvm_reflect("__CUDA_FTZ") == 0) & !(__builtin_constant_p((a) != (a)) & __builtin_constant_p((b) != (b))))
#endif

#define LOCKSTEP_COMPARISON(name, sign, T, suffix, r)                                                             \
  LOCKSTEP_DEVICE bool name(T a, T b) {                                                                           \
    int holds;                                                                                                    \
    asm("{.reg .pred p; setp." #name "." suffix " p, %1, %2; selp.s32 %0, 1, 0, p;}" : "=r"(holds) : r(a), r(b)); \
    return choose<bool>(LOCKSTEP_IS_EXACT(a, b), a sign b, holds != 0);                                           \
  }

#define LOCKSTEP_TO_INTEGER(To, to_suffix, to_r, T, suffix, r) \
  LOCKSTEP_DEVICE void truncate(T from, To& to) { asm("cvt.rzi." to_suffix "." suffix " %0, %1;" : "=" to_r(to) : r(from)); }

// Of a number in a loop compilers would make a sum of floats, without a rounding. They may only know what it is, which nvcc cannot be
// asked.
#if defined(__NVCC__)
#define LOCKSTEP_IS_KNOWN(number) false
#else
#define LOCKSTEP_IS_KNOWN(number) __builtin_constant_p(number)
#endif

#define LOCKSTEP_FROM_INTEGER(From, from_suffix, from_r, T, suffix, r)             \
  LOCKSTEP_DEVICE void round_to(From from, T& to) {                                \
    if (LOCKSTEP_IS_KNOWN(from)) {                                                 \
      to = static_cast<T>(from);                                                   \
    } else {                                                                       \
      asm("cvt.rn." suffix "." from_suffix " %0, %1;" : "=" r(to) : from_r(from)); \
    }                                                                              \
  }

LOCKSTEP_FLOATS(float, "f32", "f")
LOCKSTEP_FLOATS(double, "f64", "d")

LOCKSTEP_DEVICE float narrowed(double a) {
  float to;
  asm("cvt.rn.f32.f64 %0, %1;" : "=f"(to) : "d"(a));
  return to;
}
LOCKSTEP_DEVICE double widened(float a) {
  double to;
  asm("cvt.f64.f32 %0, %1;" : "=d"(to) : "f"(a));
  return to;
}

#endif

template <class T>
LOCKSTEP_DEVICE bool lt(T a, T b) {
  return a < b;
}
template <class T>
LOCKSTEP_DEVICE bool le(T a, T b) {
  return a <= b;
}
template <class T>
LOCKSTEP_DEVICE bool gt(T a, T b) {
  return a > b;
}
template <class T>
LOCKSTEP_DEVICE bool ge(T a, T b) {
  return a >= b;
}
template <class T>
LOCKSTEP_DEVICE bool eq(T a, T b) {
  return a == b;
}
template <class T>
LOCKSTEP_DEVICE bool ne(T a, T b) {
  return a != b;
}
template <class T>
LOCKSTEP_DEVICE T min(T a, T b) {
  return lt(b, a) ? b : a;
}
template <class T>
LOCKSTEP_DEVICE T max(T a, T b) {
  return lt(a, b) ? b : a;
}

// ---- conversions, as C has them; what does not fit becomes some number -----------------------------------------------------------------

template <class To>
struct Convert {
  template <class From>
  static __device__ __forceinline__ To from(From a) {
    return static_cast<To>(a);
  }
  static __device__ __forceinline__ To from(float a) { return truncated(a); }
  static __device__ __forceinline__ To from(double a) { return truncated(a); }
  template <class From>
  static __device__ __forceinline__ To truncated(From a) {
    using Wide = decltype(To() + 0);  // 8 and 16 bits go through int
    Wide wide;
    truncate(a, wide);
    return static_cast<To>(wide);
  }
};
template <>
struct Convert<bool> {
  template <class From>
  static __device__ __forceinline__ bool from(From a) {
    return ne(a, From(0));
  }
};
template <>
struct Convert<float> {
  template <class From>
  static __device__ __forceinline__ float from(From a) {
    float to;
    round_to(a + 0, to);  // 8 and 16 bits go through int
    return to;
  }
  static __device__ __forceinline__ float from(float a) { return a; }
  static __device__ __forceinline__ float from(double a) { return narrowed(a); }
};
template <>
struct Convert<double> {
  template <class From>
  static __device__ __forceinline__ double from(From a) {
    double to;
    round_to(a + 0, to);
    return to;
  }
  static __device__ __forceinline__ double from(double a) { return a; }
  static __device__ __forceinline__ double from(float a) { return widened(a); }
};

template <class To, class From>
LOCKSTEP_DEVICE To convert(From a) {
  return Convert<To>::from(a);
}

// ---- memory that several lanes change: what was there before. Floats are changed by comparison, since atom.add.f32 flushes to zero ------

#ifndef LOCKSTEP_CUDA_HOST
#define LOCKSTEP_ATOMIC(name, T, r, instruction)                                                    \
  LOCKSTEP_DEVICE T name(T* at, T value) {                                                          \
    T old;                                                                                          \
    asm volatile("atom." instruction " %0, [%1], %2;" : "=" r(old) : "l"(at), r(value) : "memory"); \
    return old;                                                                                     \
  }
#define LOCKSTEP_ATOMIC_COMPARE(T, r, size)                                                                        \
  LOCKSTEP_DEVICE T atomic_compare(T* at, T expected, T value) {                                                   \
    T old;                                                                                                         \
    asm volatile("atom.cas.b" size " %0, [%1], %2, %3;" : "=" r(old) : "l"(at), r(expected), r(value) : "memory"); \
    return old;                                                                                                    \
  }
#else
// Threads are fibers, which give way at collectives alone.
#define LOCKSTEP_ATOMIC_BY(name, T, next)  \
  LOCKSTEP_DEVICE T name(T* at, T value) { \
    const T old = *at;                     \
    *at = next;                            \
    return old;                            \
  }
#define LOCKSTEP_ATOMIC_COMPARE(T, r, size)                      \
  LOCKSTEP_DEVICE T atomic_compare(T* at, T expected, T value) { \
    const T old = *at;                                           \
    *at = old == expected ? value : old;                         \
    return old;                                                  \
  }
#endif
#ifndef LOCKSTEP_CUDA_HOST
#define LOCKSTEP_ATOMICS(T, r, size, sign)              \
  LOCKSTEP_ATOMIC(atomic_exchange, T, r, "exch.b" size) \
  LOCKSTEP_ATOMIC(atomic_add, T, r, "add.u" size)       \
  LOCKSTEP_ATOMIC(atomic_min, T, r, "min." sign size)   \
  LOCKSTEP_ATOMIC(atomic_max, T, r, "max." sign size)   \
  LOCKSTEP_ATOMIC(atomic_and, T, r, "and.b" size)       \
  LOCKSTEP_ATOMIC(atomic_or, T, r, "or.b" size)         \
  LOCKSTEP_ATOMIC(atomic_xor, T, r, "xor.b" size)       \
  LOCKSTEP_ATOMIC_COMPARE(T, r, size)
#else
#define LOCKSTEP_ATOMICS(T, r, size, sign)           \
  LOCKSTEP_ATOMIC_BY(atomic_exchange, T, value)      \
  LOCKSTEP_ATOMIC_BY(atomic_add, T, add(old, value)) \
  LOCKSTEP_ATOMIC_BY(atomic_min, T, min(old, value)) \
  LOCKSTEP_ATOMIC_BY(atomic_max, T, max(old, value)) \
  LOCKSTEP_ATOMIC_BY(atomic_and, T, old& value)      \
  LOCKSTEP_ATOMIC_BY(atomic_or, T, old | value)      \
  LOCKSTEP_ATOMIC_BY(atomic_xor, T, old ^ value)     \
  LOCKSTEP_ATOMIC_COMPARE(T, r, size)
#endif
LOCKSTEP_ATOMICS(int32_t, "r", "32", "s")
LOCKSTEP_ATOMICS(uint32_t, "r", "32", "u")
LOCKSTEP_ATOMICS(int64_t, "l", "64", "s")
LOCKSTEP_ATOMICS(uint64_t, "l", "64", "u")
template <class T>
LOCKSTEP_DEVICE T atomic_sub(T* at, T value) {
  return atomic_add(at, sub(T(0), value));
}

#define LOCKSTEP_ATOMIC_FLOAT(name, T, next)                                \
  LOCKSTEP_DEVICE T name(T* at, T value) {                                  \
    using Word = Bits<sizeof(T)>::Type;                                     \
    Word* const word = reinterpret_cast<Word*>(at);                         \
    for (Word before = atomic_compare(word, Word(0), Word(0));;) {          \
      const T old = bits_as<T>(before);                                     \
      const Word found = atomic_compare(word, before, bits_as<Word>(next)); \
      if (found == before) {                                                \
        return old;                                                         \
      }                                                                     \
      before = found;                                                       \
    }                                                                       \
  }
#define LOCKSTEP_ATOMIC_FLOATS(T)                                                                                  \
  LOCKSTEP_ATOMIC_FLOAT(atomic_add, T, add(old, value))                                                            \
  LOCKSTEP_ATOMIC_FLOAT(atomic_sub, T, sub(old, value))                                                            \
  LOCKSTEP_ATOMIC_FLOAT(atomic_min, T, min(old, value))                                                            \
  LOCKSTEP_ATOMIC_FLOAT(atomic_max, T, max(old, value))                                                            \
  LOCKSTEP_DEVICE T atomic_exchange(T* at, T value) {                                                              \
    using Word = Bits<sizeof(T)>::Type;                                                                            \
    return bits_as<T>(atomic_exchange(reinterpret_cast<Word*>(at), bits_as<Word>(value)));                         \
  }                                                                                                                \
  LOCKSTEP_DEVICE T atomic_compare(T* at, T expected, T value) {                                                   \
    using Word = Bits<sizeof(T)>::Type;                                                                            \
    return bits_as<T>(atomic_compare(reinterpret_cast<Word*>(at), bits_as<Word>(expected), bits_as<Word>(value))); \
  }
LOCKSTEP_ATOMIC_FLOATS(float)
LOCKSTEP_ATOMIC_FLOATS(double)

}  // namespace lockstep_cuda

#endif

// ---- memory of hosts, where there is the CUDA runtime
// ---------------------------------------------------------------------------------------

#ifdef CUDART_VERSION

namespace lockstep_cuda {

/// Arrays of the host on the device, for one call. Those that overlap there do so here.
template <size_t Count>
class Copies {
 public:
  Copies() = default;
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;
  ~Copies() { static_cast<void>(release()); }  // after an error, which is what is reported

  void add(const void* host, size_t bytes, bool is_written) {
    arrays_[count_++] = {static_cast<char*>(const_cast<void*>(host)), bytes, is_written, nullptr};
  }

  /// Takes memory of the device and copies all arrays there. The result is a cudaError_t, as are the others.
  int begin() {
    for (int k = 0; k < count_; ++k) {
      if (arrays_[k].bytes == 0 || arrays_[k].device != nullptr) {
        continue;
      }
      char* first = arrays_[k].host;
      char* last = first + arrays_[k].bytes;
      while (widen(first, last)) {
      }
      const int error = take(first, last);
      if (error != cudaSuccess) {
        return error;
      }
    }
    return cudaSuccess;
  }

  void* on_device(int k) const { return arrays_[k].device; }

  /// Copies back what may have been written, when the device has done its work, and gives the memory back.
  int end() {
    for (int k = 0; k < count_; ++k) {
      if (!arrays_[k].is_written || arrays_[k].bytes == 0) {
        continue;
      }
      const int error = cudaMemcpy(arrays_[k].host, arrays_[k].device, arrays_[k].bytes, cudaMemcpyDeviceToHost);
      if (error != cudaSuccess) {
        return error;
      }
    }
    const int error = cudaDeviceSynchronize();
    const int freed = release();
    return error != cudaSuccess ? error : freed;
  }

 private:
  struct Array {
    char* host;
    size_t bytes;
    bool is_written;
    char* device;
  };

  /// The bytes with all arrays that overlap them; whether that made them more.
  bool widen(char*& first, char*& last) const {
    bool is_wider = false;
    for (int k = 0; k < count_; ++k) {
      const Array& one = arrays_[k];
      if (one.bytes == 0 || one.host >= last || one.host + one.bytes <= first) {
        continue;
      }
      is_wider = is_wider || one.host < first || one.host + one.bytes > last;
      first = one.host < first ? one.host : first;
      last = one.host + one.bytes > last ? one.host + one.bytes : last;
    }
    return is_wider;
  }

  /// Elements lie on the device as far from a boundary as on the host.
  int take(char* first, char* last) {
    const size_t boundary = 256;
    const size_t offset = reinterpret_cast<uintptr_t>(first) % boundary;
    void* taken = nullptr;
    const int error = cudaMalloc(&taken, static_cast<size_t>(last - first) + offset);
    if (error != cudaSuccess) {
      return error;
    }
    taken_[takes_++] = taken;
    char* device = static_cast<char*>(taken) + offset;
    for (int k = 0; k < count_; ++k) {
      if (arrays_[k].bytes == 0 || arrays_[k].host < first || arrays_[k].host >= last) {
        continue;
      }
      arrays_[k].device = device + (arrays_[k].host - first);
      const int copied = cudaMemcpy(arrays_[k].device, arrays_[k].host, arrays_[k].bytes, cudaMemcpyHostToDevice);
      if (copied != cudaSuccess) {
        return copied;
      }
    }
    return cudaSuccess;
  }

  int release() {
    int error = cudaSuccess;
    while (takes_ > 0) {
      const int freed = cudaFree(taken_[--takes_]);
      error = error != cudaSuccess ? error : freed;
    }
    return error;
  }

  Array arrays_[Count] = {};
  void* taken_[Count] = {};
  int count_ = 0;
  int takes_ = 0;
};

}  // namespace lockstep_cuda

#endif
