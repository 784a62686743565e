// The kernels of examples/borg that work by groups as plain CUDA C++: a row for each thread, as many matrices as fit into some 128 threads
// and shared memory, and what rows have in common in shared memory. Parameters are those of the OpenCL kernels, and the number of problems.
#include "peers.cuh"

// Of a block, which has 48 KiB of shared memory for two arrays of them.
#define MATRICES (N >= 128 ? 1 : 2 * 128 * ROW * sizeof(real) > 49152 ? 64 / N : 128 / N)
#define THREADS (MATRICES * N)
#define ROW (N | 1) /* elements of a row in shared memory: odd, so that rows begin in different banks */

#define MATRIX                                                            \
  const int own = int(thread_of_block()) / N; /* matrix of the block */   \
  const int row = int(thread_of_block()) % N;                             \
  const count first = count(block_of_grid()) * MATRICES;                  \
  const int matrices = problems - first < MATRICES ? int(problems - first) : MATRICES; \
  const bool is_there = own < matrices

/// Both by consecutive threads.
static __device__ inline void fetch(real (*shared)[N][ROW], const real *from, int matrices) {
  for (int k = int(thread_of_block()); k < matrices * N * N; k += THREADS) shared[k / (N * N)][k / N % N][k % N] = from[k];
  synchronize();
}
static __device__ inline void bring(real *to, real (*shared)[N][ROW], int matrices) {
  synchronize();
  for (int k = int(thread_of_block()); k < matrices * N * N; k += THREADS) to[k] = shared[k / (N * N)][k / N % N][k % N];
}

/// No row is anybody else's business: elements one by one.
extern "C" __global__ void __launch_bounds__(THREADS) gema_rows(const real *__restrict__ a, const real *__restrict__ b,
                                                                real *__restrict__ c, count problems) {
  const count at = count(block_of_grid()) * MATRICES * N * N;
  const count end = problems * N * N;
  for (int k = int(thread_of_block()); k < MATRICES * N * N; k += THREADS) {
    if (at + k < end) c[at + k] = a[at + k] + b[at + k];
  }
}

extern "C" __global__ void __launch_bounds__(THREADS) gemm_rows(const real *__restrict__ a, const real *__restrict__ b,
                                                                real *__restrict__ c, count problems) {
  __shared__ real left[MATRICES][N][ROW];
  __shared__ __attribute__((aligned(16))) real right[MATRICES][N][N];
  MATRIX;
  for (int k = int(thread_of_block()); k < matrices * N * N; k += THREADS) right[k / (N * N)][k / N % N][k % N] = b[first * N * N + k];
  fetch(left, a + first * N * N, matrices);
  if (is_there) {
    real sum[N];
    for (int j = 0; j < N; ++j) sum[j] = 0;
#pragma unroll 4
    for (int k = 0; k < N; ++k) {
      const real factor = left[own][row][k];
#pragma unroll
      for (int j = 0; j < N; ++j) sum[j] = sum[j] + factor * right[own][k][j];
    }
#pragma unroll
    for (int j = 0; j < N; ++j) left[own][row][j] = sum[j];
  }
  bring(c + first * N * N, left, matrices);
}

extern "C" __global__ void __launch_bounds__(THREADS) trsv_rows(const real *__restrict__ m, real *__restrict__ b, count problems) {
  __shared__ real factor[MATRICES][N][ROW];
  __shared__ real solved[MATRICES][N];
  MATRIX;
  fetch(factor, m + first * N * N, matrices);
  real x = is_there ? b[first * N + thread_of_block()] : real(0);
#pragma unroll
  for (int s = 0; s < N; ++s) {
    if (row == s) solved[own][s] = x;
    synchronize();
    if (is_there && row > s) x = x - factor[own][row][s] * solved[own][s];
  }
  if (is_there) x = x / factor[own][row][row];
  synchronize();
#pragma unroll
  for (int s = N - 1; s >= 0; --s) {
    if (row == s) solved[own][s] = x;
    synchronize();
    if (is_there && row < s) x = x - factor[own][row][s] * solved[own][s];
  }
  if (is_there) b[first * N + thread_of_block()] = x;
}

/// A thread also scales the element of the pivot row that stands in its column.
extern "C" __global__ void __launch_bounds__(THREADS) ldus_rows(real *__restrict__ a, count problems) {
  __shared__ real shared[MATRICES][N][ROW];
  MATRIX;
  fetch(shared, a + first * N * N, matrices);
  real (*const matrix)[ROW] = shared[own];
  for (int s = 0; s < N - 1; ++s) {
    const real pivot = matrix[s][s];
    if (is_there && row > s) {
      const real left = matrix[row][s] / pivot;
      matrix[row][s] = left;
      for (int j = s + 1; j < N; ++j) matrix[row][j] = matrix[row][j] - left * matrix[s][j];
    }
    synchronize();
    if (is_there && row > s) matrix[s][row] = matrix[s][row] / pivot;
    synchronize();
  }
  bring(a + first * N * N, shared, matrices);
}
