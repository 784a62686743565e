#include "tests/reference/borg.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace lockstep::reference {

namespace {

/// Where an operand of + or - is a product, both are one operation, or two.
template <class T>
struct Arithmetic {
  bool contract = false;

  /// z + x * y
  T add_product(T z, T x, T y) const { return contract ? std::fma(x, y, z) : z + x * y; }
  /// z - x * y
  T subtract_product(T z, T x, T y) const { return contract ? std::fma(-x, y, z) : z - x * y; }
  /// x * y - z
  T product_minus(T x, T y, T z) const { return contract ? std::fma(x, y, -z) : x * y - z; }
};

/// Rosenbrock's function with its parameters, and its gradient.
template <class T>
struct Valley {
  Arithmetic<T> arithmetic;
  T a;
  T b;

  T u(T x) const { return a - x; }
  T v(T x, T y) const { return arithmetic.subtract_product(y, x, x); }
  T value(T x, T y) const {
    const T v_here = v(x, y);
    // Of the two products of the sum the left one is fused.
    return arithmetic.add_product(b * (v_here * v_here), u(x), u(x));
  }
  T gradient_x(T x, T y) const { return arithmetic.product_minus(T(-2), u(x), ((T(4) * b) * x) * v(x, y)); }
  T gradient_y(T x, T y) const { return (T(2) * b) * v(x, y); }
};

template <class T>
void minimise(const Arithmetic<T>& arithmetic, const Valley<T>& valley, T& x, T& y) {
  T f = valley.value(x, y);
  T gx = valley.gradient_x(x, y);
  T gy = valley.gradient_y(x, y);
  T dx = -gx;
  T dy = -gy;
  T gg = arithmetic.add_product(gy * gy, gx, gx);
  for (int step = 0; step < 20; ++step) {
    T f_best = f;
    T t_best = 0;
    T t = 1;
    for (int trial = 0; trial < 10; ++trial) {
      const T f_trial = valley.value(arithmetic.add_product(x, t, dx), arithmetic.add_product(y, t, dy));
      if (f_trial < f_best) {
        f_best = f_trial;
        t_best = t;
      }
      t = t * T(0.5);
    }
    x = arithmetic.add_product(x, t_best, dx);
    y = arithmetic.add_product(y, t_best, dy);
    f = f_best;
    gx = valley.gradient_x(x, y);
    gy = valley.gradient_y(x, y);
    const T gg_next = arithmetic.add_product(gy * gy, gx, gx);
    const T beta = gg > 0 ? gg_next / gg : T(0);
    dx = arithmetic.product_minus(beta, dx, gx);
    dy = arithmetic.product_minus(beta, dy, gy);
    gg = gg_next;
  }
}

}  // namespace

template <class T>
std::vector<T> gema(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> c(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    c[i] = a[i] + b[i];
  }
  return c;
}

template <class T>
std::vector<T> gemm(unsigned n, const std::vector<T>& a, const std::vector<T>& b, bool contract) {
  const Arithmetic<T> arithmetic{contract};
  std::vector<T> c(a.size());
  for (std::size_t matrix = 0; matrix < a.size(); matrix += std::size_t{n} * n) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        T sum = 0;
        for (std::size_t k = 0; k < n; ++k) {
          sum = arithmetic.add_product(sum, a[matrix + i * n + k], b[matrix + k * n + j]);
        }
        c[matrix + i * n + j] = sum;
      }
    }
  }
  return c;
}

template <class T>
std::vector<T> ldus(unsigned n, std::vector<T> a, bool contract) {
  const Arithmetic<T> arithmetic{contract};
  for (std::size_t matrix = 0; matrix < a.size(); matrix += std::size_t{n} * n) {
    T* const m = a.data() + matrix;
    for (std::size_t s = 0; s < n; ++s) {
      const std::vector<T> pivot(m + s * n, m + s * n + n);
      for (std::size_t i = s + 1; i < n; ++i) {
        m[i * n + s] = m[i * n + s] / pivot[s];
        for (std::size_t j = s + 1; j < n; ++j) {
          m[i * n + j] = arithmetic.subtract_product(m[i * n + j], m[i * n + s], pivot[j]);
        }
      }
      for (std::size_t j = s + 1; j < n; ++j) {
        m[s * n + j] = m[s * n + j] / pivot[s];
      }
    }
  }
  return a;
}

template <class T>
std::vector<T> trsv(unsigned n, const std::vector<T>& m, std::vector<T> b, bool contract) {
  const Arithmetic<T> arithmetic{contract};
  for (std::size_t item = 0; item * n < b.size(); ++item) {
    const T* const factor = m.data() + item * n * n;
    T* const x = b.data() + item * n;
    for (std::size_t s = 0; s < n; ++s) {
      for (std::size_t i = s + 1; i < n; ++i) {
        x[i] = arithmetic.subtract_product(x[i], factor[i * n + s], x[s]);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = x[i] / factor[i * n + i];
    }
    for (std::size_t s = n; s-- > 0;) {
      for (std::size_t i = 0; i < s; ++i) {
        x[i] = arithmetic.subtract_product(x[i], factor[i * n + s], x[s]);
      }
    }
  }
  return b;
}

template <class T>
Pade<T> pade(const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& x, const std::vector<T>& g, bool contract) {
  const Arithmetic<T> arithmetic{contract};
  const std::size_t batch = x.size();
  Pade<T> out{std::vector<T>(batch), std::vector<T>(6 * batch), std::vector<T>(4 * batch)};
  for (std::size_t item = 0; item < batch; ++item) {
    std::array<T, 6> power{T(1), x[item]};  // power[k] = x^k
    for (std::size_t k = 2; k < power.size(); ++k) {
      power[k] = power[k - 1] * x[item];
    }

    T p = a[0];
    for (std::size_t k = 1; k <= 5; ++k) {
      p = arithmetic.add_product(p, a[k], power[k]);
    }
    // b1*x + b2*x2: of two products the left one is fused.
    T inner = arithmetic.add_product(b[1] * power[2], b[0], power[1]);
    inner = arithmetic.add_product(inner, b[2], power[3]);
    inner = arithmetic.add_product(inner, b[3], power[4]);
    const T s = inner < 0 ? T(-1) : T(1);
    const T q = T(1) + std::fabs(inner);

    T dp = a[1];
    for (std::size_t k = 2; k <= 5; ++k) {
      dp = arithmetic.add_product(dp, static_cast<T>(k) * a[k], power[k - 1]);
    }
    T d_inner = b[0];
    for (std::size_t k = 2; k <= 4; ++k) {
      d_inner = arithmetic.add_product(d_inner, static_cast<T>(k) * b[k - 1], power[k - 1]);
    }

    const T r = T(1) / q;
    const T f = p * r;
    const T gr = g[item] * r;
    out.dx[item] = gr * arithmetic.subtract_product(dp, f, s * d_inner);
    const T h = -(s * (gr * f));
    out.da[item] = gr;
    for (std::size_t k = 1; k <= 5; ++k) {
      out.da[k * batch + item] = gr * power[k];
    }
    for (std::size_t k = 1; k <= 4; ++k) {
      out.db[(k - 1) * batch + item] = h * power[k];
    }
  }
  return out;
}

template <class T>
Enumeration<T> enumerate(const std::vector<std::int32_t>& d, const std::vector<T>& c, const std::vector<T>& b, bool contract) {
  const Arithmetic<T> arithmetic{contract};
  const std::size_t batch = b.size() / 8;
  Enumeration<T> out{std::vector<T>(batch, -std::numeric_limits<T>::infinity()), std::vector<std::int32_t>(batch, -1)};
  for (std::int32_t candidate = 0; candidate < 1024; ++candidate) {
    std::array<T, 10> x{};
    for (std::size_t j = 0; j < 10; ++j) {
      x[j] = (candidate >> j) % 2 == 1 ? T(1) : T(0);
    }
    T objective = 0;
    for (std::size_t j = 0; j < 10; ++j) {
      objective = arithmetic.add_product(objective, c[j], x[j]);
    }
    std::array<T, 8> left{};
    for (std::size_t r = 0; r < 8; ++r) {
      for (std::size_t j = 0; j < 10; ++j) {
        left[r] = arithmetic.add_product(left[r], static_cast<T>(d[r * 10 + j]), x[j]);
      }
    }
    for (std::size_t item = 0; item < batch; ++item) {
      bool feasible = true;
      for (std::size_t r = 0; r < 8; ++r) {
        feasible = feasible && left[r] <= b[r * batch + item];
      }
      if (feasible && objective > out.best[item]) {
        out.best[item] = objective;
        out.arg[item] = candidate;
      }
    }
  }
  return out;
}

template <class T>
Points<T> frcg(const std::vector<T>& a, const std::vector<T>& b, Points<T> start, bool contract) {
  const Arithmetic<T> arithmetic{contract};
  for (std::size_t item = 0; item < a.size(); ++item) {
    minimise(arithmetic, Valley<T>{arithmetic, a[item], b[item]}, start.x[item], start.y[item]);
  }
  return start;
}

template std::vector<float> gema(const std::vector<float>&, const std::vector<float>&);
template std::vector<double> gema(const std::vector<double>&, const std::vector<double>&);
template std::vector<float> gemm(unsigned, const std::vector<float>&, const std::vector<float>&, bool);
template std::vector<double> gemm(unsigned, const std::vector<double>&, const std::vector<double>&, bool);
template std::vector<float> ldus(unsigned, std::vector<float>, bool);
template std::vector<double> ldus(unsigned, std::vector<double>, bool);
template std::vector<float> trsv(unsigned, const std::vector<float>&, std::vector<float>, bool);
template std::vector<double> trsv(unsigned, const std::vector<double>&, std::vector<double>, bool);
template Pade<float> pade(const std::vector<float>&, const std::vector<float>&, const std::vector<float>&, const std::vector<float>&, bool);
template Pade<double> pade(const std::vector<double>&, const std::vector<double>&, const std::vector<double>&, const std::vector<double>&,
                           bool);
template Enumeration<float> enumerate(const std::vector<std::int32_t>&, const std::vector<float>&, const std::vector<float>&, bool);
template Enumeration<double> enumerate(const std::vector<std::int32_t>&, const std::vector<double>&, const std::vector<double>&, bool);
template Points<float> frcg(const std::vector<float>&, const std::vector<float>&, Points<float>, bool);
template Points<double> frcg(const std::vector<double>&, const std::vector<double>&, Points<double>, bool);

}  // namespace lockstep::reference
