#pragma once
// The kernels as one writes them in C++ for a compiler to vectorise. Included by plain.cpp alone, which g++ and clang++ compile; nothing
// of the standard library, so that no inline function of it is compiled for this processor only.
//
// V is a number, or a vector of one problem per lane; N rows and columns are known to the compiler.

#include <cstddef>
#include <cstdint>

namespace plain {

using std::size_t;

// ---- one problem, or one in each lane ------------------------------------------------------------------------------------------

template <class V, size_t N>
inline void gema(const V* __restrict a, const V* __restrict b, V* __restrict c) {
  for (size_t k = 0; k < N * N; ++k) {
    c[k] = a[k] + b[k];
  }
}

/// The outer products row by row: the inner loop goes along a row of B and of C.
template <class V, size_t N>
inline void gemm(const V* __restrict a, const V* __restrict b, V* __restrict c) {
  for (size_t i = 0; i < N; ++i) {
    V row[N] = {};
    for (size_t k = 0; k < N; ++k) {
      for (size_t j = 0; j < N; ++j) {
        row[j] = row[j] + a[i * N + k] * b[k * N + j];
      }
    }
    for (size_t j = 0; j < N; ++j) {
      c[i * N + j] = row[j];
    }
  }
}

template <class V, size_t N>
inline void trsv(const V* __restrict m, V* __restrict b) {
  for (size_t s = 0; s < N; ++s) {
    for (size_t i = s + 1; i < N; ++i) {
      b[i] = b[i] - m[i * N + s] * b[s];
    }
  }
  for (size_t i = 0; i < N; ++i) {
    b[i] = b[i] / m[i * N + i];
  }
  for (size_t s = N; s-- > 0;) {
    for (size_t i = 0; i < s; ++i) {
      b[i] = b[i] - m[i * N + s] * b[s];
    }
  }
}

template <class V, size_t N>
inline void ldus(V* __restrict a) {
  for (size_t s = 0; s < N; ++s) {
    V pivot[N];
    for (size_t j = s; j < N; ++j) {
      pivot[j] = a[s * N + j];
    }
    for (size_t i = s + 1; i < N; ++i) {
      const V factor = a[i * N + s] / pivot[s];
      a[i * N + s] = factor;
      for (size_t j = s + 1; j < N; ++j) {
        a[i * N + j] = a[i * N + j] - factor * pivot[j];
      }
    }
    for (size_t j = s + 1; j < N; ++j) {
      a[s * N + j] = pivot[j] / pivot[s];
    }
  }
}

template <class T, class V>
struct PadeItem {
  V dx, da[6], db[4];
};

/// a and b are shared.
template <class T, class V>
inline PadeItem<T, V> pade(const T* a, const T* b, V x, V g) {
  const V x2 = x * x, x3 = x2 * x, x4 = x3 * x, x5 = x4 * x;
  const V p = ((((a[0] + a[1] * x) + a[2] * x2) + a[3] * x3) + a[4] * x4) + a[5] * x5;
  const V inner = ((b[0] * x + b[1] * x2) + b[2] * x3) + b[3] * x4;
  const V zero{}, one = zero + T(1);
  const V s = inner < zero ? -one : one;
  const V q = T(1) + (inner < zero ? -inner : inner);
  const V dp = (((a[1] + (2 * a[2]) * x) + (3 * a[3]) * x2) + (4 * a[4]) * x3) + (5 * a[5]) * x4;
  const V d_inner = ((b[0] + (2 * b[1]) * x) + (3 * b[2]) * x2) + (4 * b[3]) * x3;
  const V r = T(1) / q, f = p * r, gr = g * r, h = -(s * (gr * f));
  return {gr * (dp - (f * (s * d_inner))), {gr, gr * x, gr * x2, gr * x3, gr * x4, gr * x5}, {h * x, h * x2, h * x3, h * x4}};
}

template <class V>
inline V valley(V a, V b, V x, V y) {
  const V u = a - x, v = y - (x * x);
  return (u * u) + (b * (v * v));
}

template <class T, class V>
inline void frcg(V a, V b, V& x, V& y) {
  const auto slope = [&](V& gx, V& gy) {
    const V u = a - x, v = y - (x * x);
    gx = (T(-2) * u) - (((T(4) * b) * x) * v);
    gy = (T(2) * b) * v;
  };
  V gx, gy;
  V f = valley(a, b, x, y);
  slope(gx, gy);
  V dx = -gx, dy = -gy, gg = (gx * gx) + (gy * gy);
  const V zero{};
  for (int step = 0; step < 20; ++step) {
    V best = f, best_length = zero;
    T length = 1;
    for (int trial = 0; trial < 10; ++trial) {
      const V there = valley(a, b, x + length * dx, y + length * dy);
      const auto better = there < best;
      best = better ? there : best;
      best_length = better ? zero + length : best_length;
      length = length * T(0.5);
    }
    x = x + best_length * dx;
    y = y + best_length * dy;
    f = best;
    slope(gx, gy);
    const V gg_new = (gx * gx) + (gy * gy);
    const V beta = gg > zero ? gg_new / gg : zero;
    dx = (beta * dx) - gx;
    dy = (beta * dy) - gy;
    gg = gg_new;
  }
}

/// A candidate's objective and left sides, which are the same in all problems.
template <class T>
struct Candidate {
  T objective = 0;
  T left[8] = {};
};

template <class T>
inline Candidate<T> candidate(int x, const std::int32_t* d, const T* c) {
  Candidate<T> out;
  for (int j = 0; j < 10; ++j) {
    const T digit = T((x >> j) & 1);
    out.objective = out.objective + c[j] * digit;
    for (int r = 0; r < 8; ++r) {
      out.left[r] = out.left[r] + T(d[r * 10 + j]) * digit;
    }
  }
  return out;
}

// ---- batches -------------------------------------------------------------------------------------------------------------------

/// The widest vectors of T there are. Its comparisons give vectors of integers of the same size.
template <class T>
struct Lanes;
template <>
struct Lanes<float> {
  typedef float Vector __attribute__((vector_size(64)));  // NOLINT(modernize-use-using): GCC's attribute wants it
  typedef std::int32_t Integers __attribute__((vector_size(64)));
};
template <>
struct Lanes<double> {
  typedef double Vector __attribute__((vector_size(64)));
  typedef std::int64_t Integers __attribute__((vector_size(64)));
};

}  // namespace plain
