// What the kernels of linear algebra compute. Sums go on in the order of their terms, and a product that is added is one fma
// (docs/kernel-language.md).

#include <utility>

#include "tests/suites/references/launch.hpp"

namespace lockstep::suites {
namespace {

using std::int64_t;

/// A matrix of so many columns.
template <class T>
struct Matrix {
  Numbers<T> all;
  int64_t columns;
  T& at(int64_t row, int64_t column) { return all[row * columns + column]; }
  const T& at(int64_t row, int64_t column) const { return all[row * columns + column]; }
  int64_t rows() const { return all.count() / columns; }
};
template <class T>
Matrix<T> matrix(const Launch& l, std::size_t argument, int64_t columns) {
  return {l.get<T>(argument), columns};
}

/// The sum of the products of `count` pairs, one fma after the other, on top of `sum`.
template <class T, class Left, class Right>
T sum_of_products(T sum, int64_t count, const Left& left, const Right& right) {
  for (int64_t k = 0; k < count; ++k) {
    sum = std::fma(left(k), right(k), sum);
  }
  return sum;
}

template <class T>
Matrix<T> product(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> c{Numbers<T>(a.rows() * b.columns), b.columns};
  for (int64_t i = 0; i < c.rows(); ++i) {
    for (int64_t j = 0; j < c.columns; ++j) {
      c.at(i, j) = sum_of_products<T>(0, a.columns, [&](int64_t k) { return a.at(i, k); }, [&](int64_t k) { return b.at(k, j); });
    }
  }
  return c;
}

void matmul(Launch& l) {
  const int64_t rows = l.one<int>(3), columns = l.one<int>(4), depth = l.one<int>(5);
  const auto c = product(matrix<float>(l, 0, depth), matrix<float>(l, 1, columns));
  if (c.rows() != rows) {
    throw std::logic_error("matmul.sim has another number of rows");
  }
  l.set(2, c.all);
}
void matmul_tiled(Launch& l) {
  const int64_t n = l.one<int>(3);
  l.set(2, product(matrix<float>(l, 0, n), matrix<float>(l, 1, n)).all);
}
void matmul_blocks(Launch& l) {
  const int64_t n = 4 * l.one<int>(3);
  l.set(2, product(matrix<float>(l, 0, n), matrix<float>(l, 1, n)).all);
}

void gemm(Launch& l) {
  const int64_t ni = l.one<int>(5), nj = l.one<int>(6), nk = l.one<int>(7);
  const auto a = matrix<double>(l, 0, nk), b = matrix<double>(l, 1, nj);
  auto c = matrix<double>(l, 2, nj);
  const auto alpha = l.one<double>(3), beta = l.one<double>(4);
  for (int64_t i = 0; i < ni; ++i) {
    for (int64_t j = 0; j < nj; ++j) {
      c.at(i, j) =
          sum_of_products(beta * c.at(i, j), nk, [&](int64_t k) { return alpha * a.at(i, k); }, [&](int64_t k) { return b.at(k, j); });
    }
  }
  l.set(2, c.all);
}

void two_mm(Launch& l) {
  const int64_t n = l.one<int>(3);
  const auto tmp = matrix<float>(l, 0, n), c = matrix<float>(l, 1, n);
  auto d = matrix<float>(l, 2, n);
  const auto beta = l.one<float>(4);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      d.at(i, j) = sum_of_products(beta * d.at(i, j), n, [&](int64_t k) { return tmp.at(i, k); }, [&](int64_t k) { return c.at(k, j); });
    }
  }
  l.set(2, d.all);
}

void atax(Launch& l) {
  const int64_t rows = l.one<int>(3), columns = l.one<int>(4);
  const auto a = matrix<float>(l, 0, columns);
  const auto t = l.get<float>(2);
  auto y = l.get<float>(1);
  for (int64_t j = 0; j < columns; ++j) {
    y[j] = sum_of_products(0.0F, rows, [&](int64_t i) { return a.at(i, j); }, [&](int64_t i) { return t[i]; });
  }
  l.set(1, y);
}

void bicg(Launch& l) {
  const int64_t nx = l.one<int>(5), ny = l.one<int>(6);
  const auto a = matrix<float>(l, 0, ny);
  const auto p = l.get<float>(1), r = l.get<float>(2);
  auto q = l.get<float>(3), s = l.get<float>(4);
  for (int64_t i = 0; i < nx; ++i) {
    q[i] = sum_of_products(0.0F, ny, [&](int64_t j) { return a.at(i, j); }, [&](int64_t j) { return p[j]; });
  }
  for (int64_t j = 0; j < ny && j < l.items[0] - nx; ++j) {
    s[j] = sum_of_products(0.0F, nx, [&](int64_t i) { return r[i]; }, [&](int64_t i) { return a.at(i, j); });
  }
  l.set(3, q);
  l.set(4, s);
}

void mvt(Launch& l) {
  const int64_t n = l.one<int>(5);
  const auto a = matrix<float>(l, 0, n);
  auto x1 = l.get<float>(1), x2 = l.get<float>(2);
  const auto y1 = l.get<float>(3), y2 = l.get<float>(4);
  for (int64_t i = 0; i < n; ++i) {
    x1[i] = sum_of_products(x1[i], n, [&](int64_t j) { return a.at(i, j); }, [&](int64_t j) { return y1[j]; });
    x2[i] = sum_of_products(x2[i], n, [&](int64_t j) { return a.at(j, i); }, [&](int64_t j) { return y2[j]; });
  }
  l.set(1, x1);
  l.set(2, x2);
}

void gesummv(Launch& l) {
  const int64_t n = l.one<int>(7);
  const auto a = matrix<float>(l, 0, n), b = matrix<float>(l, 1, n);
  const auto x = l.get<float>(2);
  auto y = l.get<float>(3), tmp = l.get<float>(4);
  const auto alpha = l.one<float>(5), beta = l.one<float>(6);
  for (int64_t i = 0; i < n; ++i) {
    const auto of_x = [&](int64_t j) { return x[j]; };
    tmp[i] = sum_of_products(0.0F, n, [&](int64_t j) { return a.at(i, j); }, of_x);
    const float other = sum_of_products(0.0F, n, [&](int64_t j) { return b.at(i, j); }, of_x);
    const float second = beta * other;
    y[i] = std::fma(alpha, tmp[i], second);
  }
  l.set(3, y);
  l.set(4, tmp);
}

void syrk(Launch& l) {
  const int64_t n = l.one<int>(4), m = l.one<int>(5);
  const auto a = matrix<float>(l, 0, m);
  auto c = matrix<float>(l, 1, n);
  const auto alpha = l.one<float>(2), beta = l.one<float>(3);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      c.at(i, j) =
          sum_of_products(c.at(i, j) * beta, m, [&](int64_t k) { return alpha * a.at(i, k); }, [&](int64_t k) { return a.at(j, k); });
    }
  }
  l.set(1, c.all);
}

void syr2k(Launch& l) {
  const int64_t n = l.one<int>(5), m = l.one<int>(6);
  const auto a = matrix<float>(l, 0, m), b = matrix<float>(l, 1, m);
  auto c = matrix<float>(l, 2, n);
  const auto alpha = l.one<float>(3), beta = l.one<float>(4);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = c.at(i, j) * beta;
      for (int64_t k = 0; k < m; ++k) {
        const float left = alpha * a.at(i, k), right = alpha * b.at(i, k);
        const float second = right * a.at(j, k);
        sum += std::fma(left, b.at(j, k), second);  // of two products the left one is fused
      }
      c.at(i, j) = sum;
    }
  }
  l.set(2, c.all);
}

void correlation(Launch& l) {
  const int64_t n = l.one<int>(4), m = l.one<int>(5);
  const auto data = matrix<float>(l, 0, m);
  auto mean = l.get<float>(1), deviation = l.get<float>(2);
  auto corr = matrix<float>(l, 3, m);
  for (int64_t j = 0; j < m; ++j) {
    float sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += data.at(i, j);
    }
    mean[j] = sum / static_cast<float>(n);
    const auto away = [&](int64_t i) { return data.at(i, j) - mean[j]; };
    const float root = std::sqrt(sum_of_products(0.0F, n, away, away) / static_cast<float>(n));
    deviation[j] = root <= l.one<float>(6) ? 1.0F : root;
  }
  for (int64_t j = 0; j < m; ++j) {
    for (int64_t k = j; k < m; ++k) {
      const float sum =
          sum_of_products(0.0F, n, [&](int64_t i) { return data.at(i, j) - mean[j]; }, [&](int64_t i) { return data.at(i, k) - mean[k]; });
      const float scaled = static_cast<float>(n) * deviation[j];
      corr.at(j, k) = corr.at(k, j) = j == k ? 1.0F : sum / (scaled * deviation[k]);
    }
  }
  l.set(1, mean);
  l.set(2, deviation);
  l.set(3, corr.all);
}

void covariance(Launch& l) {
  const int64_t n = l.one<int>(3), m = l.one<int>(4);
  const auto data = matrix<double>(l, 0, m);
  const auto mean = l.get<double>(1);
  auto cov = matrix<double>(l, 2, m);
  for (int64_t a = 0; a < m; ++a) {
    for (int64_t b = a; b < m; ++b) {
      const double sum =
          sum_of_products(0.0, n, [&](int64_t i) { return data.at(i, a) - mean[a]; }, [&](int64_t i) { return data.at(i, b) - mean[b]; });
      cov.at(a, b) = cov.at(b, a) = sum / static_cast<double>(n - 1);
    }
  }
  l.set(2, cov.all);
}

void lu_step(Launch& l) {
  const int64_t k = l.one<int>(1), n = l.one<int>(2);
  auto a = matrix<float>(l, 0, n);
  for (int64_t i = k + 1; i < n; ++i) {
    for (int64_t j = k + 1; j < n; ++j) {
      a.at(i, j) = std::fma(-a.at(i, k), a.at(k, j), a.at(i, j));
    }
  }
  l.set(0, a.all);
}

void lu_block(Launch& l) {
  auto a = matrix<float>(l, 0, 6);
  for (int64_t k = 0; k < 5; ++k) {
    for (int64_t row = k + 1; row < 6; ++row) {
      a.at(row, k) /= a.at(k, k);
      for (int64_t j = k + 1; j < 6; ++j) {
        a.at(row, j) = std::fma(-a.at(row, k), a.at(k, j), a.at(row, j));
      }
    }
  }
  l.set(0, a.all);
}

void gauss_rows(Launch& l) {
  const int64_t n = l.one<int>(3), t = l.one<int>(4);
  const auto m = matrix<float>(l, 0, n);
  auto a = matrix<float>(l, 1, n);
  auto b = l.get<float>(2);
  for (int64_t row = t + 1; row < n; ++row) {
    for (int64_t column = t; column < n; ++column) {
      a.at(row, column) = std::fma(-m.at(row, t), a.at(t, column), a.at(row, column));
    }
    b[row] = std::fma(-m.at(row, t), b[t], b[row]);
  }
  l.set(1, a.all);
  l.set(2, b);
}

void triangular_solve(Launch& l) {
  const int64_t n = l.one<int>(2), sides = l.one<int>(3);
  const auto lower = matrix<double>(l, 0, n);
  auto x = matrix<double>(l, 1, sides);
  for (int64_t s = 0; s < sides; ++s) {
    for (int64_t i = 0; i < n; ++i) {
      x.at(i, s) = sum_of_products(x.at(i, s), i, [&](int64_t j) { return -lower.at(i, j); }, [&](int64_t j) { return x.at(j, s); });
      x.at(i, s) /= lower.at(i, i);
    }
  }
  l.set(1, x.all);
}

void cholesky(Launch& l) {
  const int64_t n = l.one<int>(1);
  auto a = matrix<float>(l, 0, n);
  for (int64_t j = 0; j < n; ++j) {  // by columns, from the left, as the textbook has it
    for (int64_t i = j; i < n; ++i) {
      a.at(i, j) = sum_of_products(a.at(i, j), j, [&](int64_t k) { return -a.at(i, k); }, [&](int64_t k) { return a.at(j, k); });
    }
    a.at(j, j) = std::sqrt(a.at(j, j));
    for (int64_t i = j + 1; i < n; ++i) {
      a.at(i, j) /= a.at(j, j);
    }
  }
  l.set(0, a.all);
}

void transpose_tile(Launch& l) {
  const int64_t width = l.one<int>(2), height = l.one<int>(3);
  const auto in = matrix<std::uint32_t>(l, 1, width);
  auto out = matrix<std::uint32_t>(l, 0, height);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      out.at(x, y) = in.at(y, x);
    }
  }
  l.set(0, out.all);
}

void spmv_csr(Launch& l) {
  const auto val = l.get<float>(0), vec = l.get<float>(1);
  const auto cols = l.get<int>(2), rows = l.get<int>(3);
  auto out = l.get<float>(5);
  for (int64_t row = 0; row < l.one<int>(4); ++row) {
    const int64_t first = rows[row];
    out[row] = sum_of_products(
        0.0F, rows[row + 1] - first, [&](int64_t k) { return val[first + k]; }, [&](int64_t k) { return vec[cols[first + k]]; });
  }
  l.set(5, out);
}

void spmv_csr_group(Launch& l) {
  const auto val = l.get<double>(0), vec = l.get<double>(1);
  const auto cols = l.get<int>(2), rows = l.get<int>(3);
  auto out = l.get<double>(4);
  for (int64_t row = 0; row < l.one<int>(6); ++row) {
    std::array<double, 4> parts{};
    for (int64_t j = rows[row]; j < rows[row + 1]; ++j) {
      double& part = parts.at(static_cast<std::size_t>(j - rows[row]) % 4);
      part = std::fma(val[j], vec[cols[j]], part);
    }
    out[row] = (parts[0] + parts[2]) + (parts[1] + parts[3]);
  }
  l.set(4, out);
}

void spmv_ell(Launch& l) {
  const int64_t dim = l.one<int>(4);
  const auto val = l.get<float>(0), vec = l.get<float>(1);
  const auto cols = l.get<int>(2), lengths = l.get<int>(3);
  auto out = l.get<float>(5);
  for (int64_t row = 0; row < dim; ++row) {
    out[row] = sum_of_products(
        0.0F, lengths[row], [&](int64_t k) { return val[k * dim + row]; }, [&](int64_t k) { return vec[cols[k * dim + row]]; });
  }
  l.set(5, out);
}

/// The rows are taken out of the diagonals first.
void spmv_jds(Launch& l) {
  auto dst = l.get<float>(0);
  const auto data = l.get<float>(1), x = l.get<float>(4);
  const auto index = l.get<int>(2), perm = l.get<int>(3), starts = l.get<int>(6);
  const int64_t dim = l.one<int>(5);
  std::vector<std::vector<std::pair<float, int>>> rows(static_cast<std::size_t>(dim));
  for (int64_t k = 0; k < starts.count(); ++k) {
    const int64_t end = k + 1 < starts.count() ? starts[k + 1] : data.count();
    for (int64_t j = starts[k]; j < end; ++j) {
      if (index[j] >= 0) {
        rows.at(static_cast<std::size_t>(j - starts[k])).emplace_back(data[j], index[j]);
      }
    }
  }
  for (int64_t row = 0; row < dim; ++row) {
    float sum = 0;
    for (const auto& [value, column] : rows.at(static_cast<std::size_t>(row))) {
      sum = std::fma(value, x[column], sum);
    }
    dst[perm[row]] = sum;
  }
  l.set(0, dst);
}

}  // namespace

std::vector<Reference> matrix_references() {
  return {{"matmul", matmul},
          {"matmul_tiled", matmul_tiled},
          {"matmul_blocks", matmul_blocks},
          {"gemm", gemm},
          {"two_mm", two_mm},
          {"atax", atax},
          {"bicg", bicg},
          {"mvt", mvt},
          {"gesummv", gesummv},
          {"syrk", syrk},
          {"syr2k", syr2k},
          {"correlation", correlation},
          {"covariance", covariance},
          {"lu_step", lu_step},
          {"lu_block", lu_block},
          {"gauss_rows", gauss_rows},
          {"triangular_solve", triangular_solve},
          {"cholesky", cholesky},
          {"transpose_tile", transpose_tile},
          {"spmv_csr", spmv_csr},
          {"spmv_csr_group", spmv_csr_group},
          {"spmv_ell", spmv_ell},
          {"spmv_jds", spmv_jds}};
}

}  // namespace lockstep::suites
