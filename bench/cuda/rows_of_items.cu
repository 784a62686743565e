// GEMA four times, by how a lane gets the row of a matrix that its item has, and brings one back: what the CUDA emitter chooses from. A warp has
// 32 / N matrices, and so N elements a lane; there are as many problems as fill warps.
//
//   elements  a lane accesses its row element by element
//   wide      16 bytes of its row at a time
//   lanes     a warp accesses elements one behind the other, and lanes exchange them: log2 N rounds in which half of a lane's elements goes to
//             another one
//   shared    likewise, and they go through shared memory
#include "peers.cuh"

#define WARPS 4
#define WARP_PROBLEMS (32 / N)

#if defined(__clang__) && !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)
static __device__ inline float from_lane(float x, int bit) { return __nvvm_shfl_sync_bfly_f32(~0u, x, bit, 31); }
#define meet() __nvvm_bar_warp_sync(~0u)
#else
static __device__ inline float from_lane(float x, int bit) { return __shfl_xor_sync(~0u, x, bit); }
#define meet() __syncwarp()
#endif
[[maybe_unused]] static __device__ inline double from_lane(double x, int bit) {
  union {
    double all;
    float halves[2];
  } word = {x};
  word.halves[0] = from_lane(word.halves[0], bit);
  word.halves[1] = from_lane(word.halves[1], bit);
  return word.all;
}

struct Warp {
  int lane;
  count first;  ///< element of its matrices
};
static __device__ inline Warp this_warp() {
  const int thread = int(thread_of_block());
  return {thread % 32, (count(block_of_grid()) * WARPS + thread / 32) * WARP_PROBLEMS * N * N};
}

struct Elements {
  static __device__ inline __attribute__((always_inline)) void load(real *row, const real *from, const Warp &warp) {
#pragma unroll
    for (int j = 0; j < N; ++j) row[j] = from[warp.first + warp.lane * N + j];
  }
  static __device__ inline __attribute__((always_inline)) void store(real *to, const real *row, const Warp &warp) {
#pragma unroll
    for (int j = 0; j < N; ++j) to[warp.first + warp.lane * N + j] = row[j];
  }
};

struct __attribute__((aligned(16))) Part {
  real elements[16 / sizeof(real)];
};
struct Wide {
  static __device__ inline __attribute__((always_inline)) void load(real *row, const real *from, const Warp &warp) {
#pragma unroll
    for (int j = 0; j < N; j += int(16 / sizeof(real))) {
      const Part part = *reinterpret_cast<const Part *>(from + warp.first + warp.lane * N + j);
#pragma unroll
      for (int k = 0; k < int(16 / sizeof(real)); ++k) row[j + k] = part.elements[k];
    }
  }
  static __device__ inline __attribute__((always_inline)) void store(real *to, const real *row, const Warp &warp) {
#pragma unroll
    for (int j = 0; j < N; j += int(16 / sizeof(real))) {
      Part part;
#pragma unroll
      for (int k = 0; k < int(16 / sizeof(real)); ++k) part.elements[k] = row[j + k];
      *reinterpret_cast<Part *>(to + warp.first + warp.lane * N + j) = part;
    }
  }
};

/// A select of numbers: of `?:` clang makes one of addresses, and then the row lies in local memory.
static __device__ inline __attribute__((always_inline)) real chosen(bool condition, real then, real otherwise) {
  return condition ? then : otherwise;
}

/// Element k of lane l becomes element l % N of a lane of which the last bits are k, and back.
template <int bit>
static __device__ inline __attribute__((always_inline)) void transpose(real *row, int lane) {
  if constexpr (bit < N) {
    const bool is_upper = (lane & bit) != 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      if ((k & bit) == 0) {
        const real low = row[k], high = row[k + bit];
        const real got = from_lane(chosen(is_upper, low, high), bit);
        row[k] = chosen(is_upper, got, low);
        row[k + bit] = chosen(is_upper, high, got);
      }
    }
    transpose<2 * bit>(row, lane);
  }
}
struct Lanes {
  static __device__ inline __attribute__((always_inline)) void load(real *row, const real *from, const Warp &warp) {
#pragma unroll
    for (int k = 0; k < N; ++k) row[k] = from[warp.first + 32 * k + warp.lane];
    transpose<1>(row, warp.lane);
  }
  static __device__ inline __attribute__((always_inline)) void store(real *to, const real *row, const Warp &warp) {
    real mine[N];
#pragma unroll
    for (int k = 0; k < N; ++k) mine[k] = row[k];
    transpose<1>(mine, warp.lane);
#pragma unroll
    for (int k = 0; k < N; ++k) to[warp.first + 32 * k + warp.lane] = mine[k];
  }
};

#define ROW (N | 1)
struct Shared {
  static __device__ real *room() {
    __shared__ real all[WARPS][32 * ROW];
    return all[int(thread_of_block()) / 32];
  }
  static __device__ inline __attribute__((always_inline)) void load(real *row, const real *from, const Warp &warp) {
    real *const shared = room();
    meet();
#pragma unroll
    for (int k = 0; k < N; ++k) shared[(32 * k + warp.lane) / N * ROW + warp.lane % N] = from[warp.first + 32 * k + warp.lane];
    meet();
#pragma unroll
    for (int j = 0; j < N; ++j) row[j] = shared[warp.lane * ROW + j];
  }
  static __device__ inline __attribute__((always_inline)) void store(real *to, const real *row, const Warp &warp) {
    real *const shared = room();
    meet();
#pragma unroll
    for (int j = 0; j < N; ++j) shared[warp.lane * ROW + j] = row[j];
    meet();
#pragma unroll
    for (int k = 0; k < N; ++k) to[warp.first + 32 * k + warp.lane] = shared[(32 * k + warp.lane) / N * ROW + warp.lane % N];
  }
};

template <class Way>
static __device__ inline void gema(const real *a, const real *b, real *c) {
  const Warp warp = this_warp();
  real row_a[N], row_b[N];
  Way::load(row_a, a, warp);
  Way::load(row_b, b, warp);
#pragma unroll
  for (int j = 0; j < N; ++j) row_a[j] = row_a[j] + row_b[j];
  Way::store(c, row_a, warp);
}

#define GEMA(NAME, WAY)                                                                                                             \
  extern "C" __global__ void __launch_bounds__(32 * WARPS) gema_##NAME(const real *__restrict__ a, const real *__restrict__ b,      \
                                                                      real *__restrict__ c, count problems) {                      \
    (void)problems;                                                                                                                 \
    gema<WAY>(a, b, c);                                                                                                             \
  }
GEMA(elements, Elements)
GEMA(wide, Wide)
GEMA(lanes, Lanes)
GEMA(shared, Shared)
