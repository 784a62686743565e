// The kernels of examples/borg as plain CUDA C++: a problem for each thread of blocks of 128. Parameters are those of the OpenCL kernels,
// and the number of problems.
#include "peers.cuh"

#define PROBLEM                                                      \
  const count problem = count(block_of_grid()) * 128 + thread_of_block(); \
  if (problem >= problems) return

extern "C" __global__ void __launch_bounds__(128) gema_threads(const real *__restrict__ a, const real *__restrict__ b, real *__restrict__ c,
                                                               count problems) {
  PROBLEM;
  for (int k = 0; k < N * N; ++k) c[problem * N * N + k] = a[problem * N * N + k] + b[problem * N * N + k];
}

extern "C" __global__ void __launch_bounds__(128) gemm_threads(const real *__restrict__ a, const real *__restrict__ b, real *__restrict__ c,
                                                               count problems) {
  PROBLEM;
  a += problem * N * N;
  b += problem * N * N;
  c += problem * N * N;
  for (int i = 0; i < N; ++i) {
    real row[N];
    for (int j = 0; j < N; ++j) row[j] = 0;
    for (int k = 0; k < N; ++k) {
      const real left = a[i * N + k];
      for (int j = 0; j < N; ++j) row[j] = row[j] + left * b[k * N + j];
    }
    for (int j = 0; j < N; ++j) c[i * N + j] = row[j];
  }
}

extern "C" __global__ void __launch_bounds__(128) trsv_threads(const real *__restrict__ m, real *__restrict__ b, count problems) {
  PROBLEM;
  m += problem * N * N;
  b += problem * N;
  real x[N];
  for (int i = 0; i < N; ++i) x[i] = b[i];
#pragma unroll
  for (int i = 0; i < N; ++i) {
    for (int s = 0; s < i; ++s) x[i] = x[i] - m[i * N + s] * x[s];
  }
#pragma unroll
  for (int i = N - 1; i >= 0; --i) {
    x[i] = x[i] / m[i * N + i];
    for (int s = N - 1; s > i; --s) x[i] = x[i] - m[i * N + s] * x[s];
  }
  for (int i = 0; i < N; ++i) b[i] = x[i];
}

// Of small matrices all elements are registers; larger ones stay in memory.
extern "C" __global__ void __launch_bounds__(128) ldus_threads(real *__restrict__ matrices, count problems) {
  PROBLEM;
  matrices += problem * N * N;
#if N <= 8
  real a[N * N];
  for (int k = 0; k < N * N; ++k) a[k] = matrices[k];
#pragma unroll
#else
  real *const a = matrices;
#pragma unroll 1
#endif
  for (int s = 0; s < N; ++s) {
    const real pivot = a[s * N + s];
    for (int i = s + 1; i < N; ++i) {
      const real left = a[i * N + s] / pivot;
      a[i * N + s] = left;
      for (int j = s + 1; j < N; ++j) a[i * N + j] = a[i * N + j] - left * a[s * N + j];
    }
    for (int j = s + 1; j < N; ++j) a[s * N + j] = a[s * N + j] / pivot;
  }
#if N <= 8
  for (int k = 0; k < N * N; ++k) matrices[k] = a[k];
#endif
}

extern "C" __global__ void __launch_bounds__(128) pade_threads(const real *__restrict__ a, const real *__restrict__ b,
                                                               const real *__restrict__ x, const real *__restrict__ g,
                                                               real *__restrict__ dx, real *__restrict__ da, real *__restrict__ db,
                                                               unsigned batch, count problems) {
  PROBLEM;
  if (problem >= batch) return;
  const real a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], a4 = a[4], a5 = a[5];
  const real b1 = b[0], b2 = b[1], b3 = b[2], b4 = b[3];
  const real x1 = x[problem], x2 = x1 * x1, x3 = x2 * x1, x4 = x3 * x1, x5 = x4 * x1;
  const real p = ((((a0 + a1 * x1) + a2 * x2) + a3 * x3) + a4 * x4) + a5 * x5;
  const real q_inner = ((b1 * x1 + b2 * x2) + b3 * x3) + b4 * x4;
  const real sign = q_inner < 0 ? real(-1) : real(1);
  const real q = 1 + magnitude(q_inner);
  const real dp = (((a1 + (2 * a2) * x1) + (3 * a3) * x2) + (4 * a4) * x3) + (5 * a5) * x4;
  const real dq_inner = ((b1 + (2 * b2) * x1) + (3 * b3) * x2) + (4 * b4) * x3;
  const real r = 1 / q;
  const real f = p * r;
  const real gr = g[problem] * r;
  const count items = batch;
  dx[problem] = gr * (dp - (f * (sign * dq_inner)));
  da[problem] = gr;
  da[items + problem] = gr * x1;
  da[2 * items + problem] = gr * x2;
  da[3 * items + problem] = gr * x3;
  da[4 * items + problem] = gr * x4;
  da[5 * items + problem] = gr * x5;
  const real h = -(sign * (gr * f));
  db[problem] = h * x1;
  db[items + problem] = h * x2;
  db[2 * items + problem] = h * x3;
  db[3 * items + problem] = h * x4;
}

extern "C" __global__ void __launch_bounds__(128) enumerate_threads(const int *__restrict__ d, const real *__restrict__ c,
                                                                    const real *__restrict__ b, real *__restrict__ best,
                                                                    int *__restrict__ arg, unsigned batch, count problems) {
  PROBLEM;
  if (problem >= batch) return;
  real limit[8];
  for (int r = 0; r < 8; ++r) limit[r] = b[count(r) * batch + problem];
  real best_value = -INFINITY;
  int best_candidate = -1;
  for (int candidate = 0; candidate < 1024; ++candidate) {
    real objective = 0;
    for (int j = 0; j < 10; ++j) objective = objective + c[j] * real((candidate >> j) & 1);
    bool better = objective > best_value;
    for (int r = 0; r < 8; ++r) {
      real left = 0;
      for (int j = 0; j < 10; ++j) left = left + real(d[r * 10 + j]) * real((candidate >> j) & 1);
      better = better & (left <= limit[r]);
    }
    if (better) {
      best_value = objective;
      best_candidate = candidate;
    }
  }
  best[problem] = best_value;
  arg[problem] = best_candidate;
}

static __device__ inline real value(real a, real b, real x, real y) {
  const real u = a - x;
  const real v = y - (x * x);
  return (u * u) + (b * (v * v));
}
static __device__ inline real slope_x(real a, real b, real x, real y) {
  const real u = a - x;
  const real v = y - (x * x);
  return ((-2) * u) - (((4 * b) * x) * v);
}
static __device__ inline real slope_y(real b, real x, real y) {
  const real v = y - (x * x);
  return (2 * b) * v;
}

extern "C" __global__ void __launch_bounds__(128) frcg_threads(const real *__restrict__ a, const real *__restrict__ b,
                                                               real *__restrict__ x, real *__restrict__ y, unsigned batch, count problems) {
  PROBLEM;
  if (problem >= batch) return;
  const real pa = a[problem], pb = b[problem];
  real px = x[problem], py = y[problem];
  real f = value(pa, pb, px, py);
  real gx = slope_x(pa, pb, px, py);
  real gy = slope_y(pb, px, py);
  real dx = -gx, dy = -gy;
  real gg = (gx * gx) + (gy * gy);
#pragma unroll 1
  for (int step = 0; step < 20; ++step) {
    real best = f, best_length = 0, length = 1;
    for (int trial = 0; trial < 10; ++trial) {
      const real there = value(pa, pb, px + length * dx, py + length * dy);
      if (there < best) {
        best = there;
        best_length = length;
      }
      length = length * real(0.5);
    }
    px = px + (best_length * dx);
    py = py + (best_length * dy);
    f = best;
    gx = slope_x(pa, pb, px, py);
    gy = slope_y(pb, px, py);
    const real gg_new = (gx * gx) + (gy * gy);
    const real beta = gg > 0 ? gg_new / gg : real(0);
    dx = (beta * dx) - gx;
    dy = (beta * dy) - gy;
    gg = gg_new;
  }
  x[problem] = px;
  y[problem] = py;
}
