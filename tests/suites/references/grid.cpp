// What the kernels about grids, images and rows compute.

#include <algorithm>

#include "tests/suites/references/launch.hpp"

namespace lockstep::suites {
namespace {

using std::int64_t;

void jacobi2d(Launch& l) {
  const auto a = l.get<float>(0);
  auto b = l.get<float>(1);
  const int64_t n = l.one<int>(2);
  for (int64_t y = 1; y < n - 1; ++y) {
    for (int64_t x = 1; x < n - 1; ++x) {
      const int64_t at = y * n + x;
      float sum = a[at];
      for (const int64_t other : {at - 1, at + 1, at + n, at - n}) {
        sum += a[other];
      }
      b[at] = 0.2F * sum;
    }
  }
  l.set(1, b);
}

void conv2d(Launch& l) {
  const auto a = l.get<float>(0);
  auto b = l.get<float>(1);
  const int64_t ni = l.one<int>(2), nj = l.one<int>(3);
  // In the order of the text: columns from left to right, rows downwards in each.
  const std::array weights = {0.2F, -0.3F, 0.4F, 0.5F, 0.6F, 0.7F, -0.8F, -0.9F, 0.1F};
  for (int64_t i = 1; i < ni - 1; ++i) {
    for (int64_t j = 1; j < nj - 1; ++j) {
      const auto term = [&](int64_t k) { return a[(i + k % 3 - 1) * nj + j + k / 3 - 1]; };
      float sum = weights[1] * term(1);
      for (const int64_t k : {0, 2, 3, 4, 5, 6, 7, 8}) {  // of the first two products the left one is fused
        sum = std::fma(weights.at(static_cast<std::size_t>(k)), term(k), sum);
      }
      b[i * nj + j] = sum;
    }
  }
  l.set(1, b);
}

void conv_rows(Launch& l) {
  auto dst = l.get<float>(0);
  const auto src = l.get<float>(1), filter = l.get<float>(2);
  const int64_t width = l.one<int>(3);
  for (int64_t at = 0; at < dst.count(); ++at) {
    float sum = 0;
    for (int64_t k = -2; k <= 2; ++k) {
      const int64_t x = at % width + k;
      sum = std::fma(x < 0 || x >= width ? 0.0F : src[at + k], filter[2 - k], sum);
    }
    dst[at] = sum;
  }
  l.set(0, dst);
}

void stencil7(Launch& l) {
  const auto c0 = l.one<float>(0), c1 = l.one<float>(1);
  const auto a = l.get<float>(2);
  auto next = l.get<float>(3);
  const int64_t nx = l.one<int>(4), ny = l.one<int>(5), nz = l.one<int>(6);
  for (int64_t z = 1; z < nz - 1; ++z) {
    for (int64_t y = 1; y < ny - 1; ++y) {
      for (int64_t x = 1; x < nx - 1; ++x) {
        const int64_t at = x + nx * (y + ny * z);
        float sum = a[at + nx * ny];
        for (const int64_t other : {at - nx * ny, at + nx, at - nx, at + 1, at - 1}) {
          sum += a[other];
        }
        const float own = a[at] * c0;
        next[at] = std::fma(sum, c1, -own);
      }
    }
  }
  l.set(3, next);
}

void hotspot(Launch& l) {
  const auto power = l.get<float>(0), from = l.get<float>(1);
  auto to = l.get<float>(2);
  const int64_t columns = l.one<int>(3), rows = l.one<int>(4);
  const float scale = l.one<float>(9) / l.one<float>(5);
  const float rx = 1 / l.one<float>(6), ry = 1 / l.one<float>(7), rz = 1 / l.one<float>(8);
  const auto at = [&](int64_t y, int64_t x) {
    return from[std::clamp<int64_t>(y, 0, rows - 1) * columns + std::clamp<int64_t>(x, 0, columns - 1)];
  };
  for (int64_t y = 0; y < rows; ++y) {
    for (int64_t x = 0; x < columns; ++x) {
      const float t = at(y, x);
      const float down = std::fma(-2.0F, t, at(y + 1, x) + at(y - 1, x));
      const float across = std::fma(-2.0F, t, at(y, x + 1) + at(y, x - 1));
      float sum = std::fma(down, ry, power[y * columns + x]);
      sum = std::fma(across, rx, sum);
      sum = std::fma(80.0F - t, rz, sum);
      to[y * columns + x] = std::fma(scale, sum, t);
    }
  }
  l.set(2, to);
}

void srad(Launch& l) {
  const auto image = l.get<float>(0);
  std::array<Numbers<float>, 4> d = {l.get<float>(1), l.get<float>(2), l.get<float>(3), l.get<float>(4)};
  auto c = l.get<float>(5);
  const int64_t rows = l.one<int>(10), elements = l.one<int>(11), columns = elements / rows;
  const auto q0 = l.one<float>(12);
  for (int64_t at = 0; at < elements; ++at) {
    const int64_t row = at % rows, column = at / rows;
    const float own = image[at];
    const float n = image[std::max<int64_t>(row - 1, 0) + rows * column] - own;
    const float s = image[std::min<int64_t>(row + 1, rows - 1) + rows * column] - own;
    const float w = image[row + rows * std::max<int64_t>(column - 1, 0)] - own;
    const float e = image[row + rows * std::min<int64_t>(column + 1, columns - 1)] - own;
    const float ss = s * s;
    float squares = std::fma(n, n, ss);
    squares = std::fma(w, w, squares);
    squares = std::fma(e, e, squares);
    const float own2 = own * own;
    const float g2 = squares / own2;
    const float sum = n + s + w + e;
    const float laplace = sum / own;
    const float laplace2 = laplace * laplace;
    const float num = std::fma(0.5F, g2, -(0.0625F * laplace2));
    const float den = std::fma(0.25F, laplace, 1.0F);
    const float den2 = den * den;
    const float q = num / den2;
    const float below = q0 * (1 + q0);
    const float v = 1.0F / (1.0F + (q - q0) / below);
    c[at] = std::clamp(v, 0.0F, 1.0F);
    d[0][at] = n;
    d[1][at] = s;
    d[2][at] = w;
    d[3][at] = e;
  }
  for (std::size_t k = 0; k < 4; ++k) {
    l.set(1 + k, d.at(k));
  }
  l.set(5, c);
}

void fdtd(Launch& l) {
  const auto source = l.get<float>(0), hz = l.get<float>(2);
  auto ey = l.get<float>(1);
  const int64_t t = l.one<int>(3), ny = l.one<int>(5);
  for (int64_t at = 0; at < ey.count(); ++at) {
    ey[at] = at < ny ? source[t] : ey[at] - 0.5F * (hz[at] - hz[at - ny]);  // the product is exact
  }
  l.set(1, ey);
}

void sobel(Launch& l) {
  const auto in = l.get<std::uint8_t>(0);
  auto out = l.get<std::uint8_t>(1);
  const int64_t width = l.items[0], height = l.items[1];
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      int down = 0, across = 0;
      const bool inside = x > 0 && y > 0 && x < width - 1 && y < height - 1;
      for (int dy = -1; inside && dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const int value = in[(y + dy) * width + x + dx];
          down += dy * (2 - std::abs(dx)) * value;
          across += dx * (2 - std::abs(dy)) * value;
        }
      }
      out[y * width + x] = static_cast<std::uint8_t>(std::min(255, (std::abs(down) + std::abs(across)) / 2));
    }
  }
  l.set(1, out);
}

void median3(Launch& l) {
  const auto in = l.get<std::uint8_t>(0);
  auto out = l.get<std::uint8_t>(1);
  const int64_t width = l.one<int>(2);
  for (int64_t y = 0; y < l.items[1]; ++y) {
    for (int64_t x = 0; x < l.items[0]; ++x) {
      for (int64_t c = 0; c < 4; ++c) {
        std::vector<std::uint8_t> v;
        for (int64_t k = 0; k < 9; ++k) {
          v.push_back(in[4 * ((y + k / 3) * width + x + k % 3) + c]);
        }
        std::sort(v.begin(), v.end());
        out[4 * (y * (width - 2) + x) + c] = v[4];
      }
    }
  }
  l.set(1, out);
}

void path_finder(Launch& l) {
  const auto wall = l.get<int>(1);
  auto costs = l.get<int>(2);
  const int64_t columns = l.one<int>(4), first = l.one<int>(6);
  for (int64_t row = first; row < first + l.one<int>(0); ++row) {
    const auto before = costs;
    for (int64_t x = 0; x < columns; ++x) {
      const int cheapest = std::min({before[std::max<int64_t>(x - 1, 0)], before[x], before[std::min(x + 1, columns - 1)]});
      costs[x] = cheapest + wall[columns * row + x];
    }
  }
  l.set(3, costs);
}

void needleman(Launch& l) {
  const auto first = l.get<std::uint8_t>(0), second = l.get<std::uint8_t>(1);
  const auto scores = l.get<int>(2);
  auto table = l.get<int>(3);
  const int penalty = l.one<int>(4);
  const auto at = [&](int64_t y, int64_t x) {
    return y < 0 ? -static_cast<int>(x + 1) * penalty : x < 0 ? -static_cast<int>(y + 1) * penalty : table[y * 8 + x];
  };
  for (int64_t y = 0; y < 8; ++y) {
    for (int64_t x = 0; x < 8; ++x) {
      const int match = at(y - 1, x - 1) + scores[first[x] * 4 + second[y]];
      table[y * 8 + x] = std::max({match, at(y, x - 1) - penalty, at(y - 1, x) - penalty});
    }
  }
  l.set(3, table);
}

void life(Launch& l) {
  const auto cells = l.get<std::uint8_t>(0);
  auto next = l.get<std::uint8_t>(1);
  const int64_t height = l.items[1], bytes = l.items[0], width = 8 * bytes;
  const auto alive = [&](int64_t x, int64_t y) {
    const int64_t column = (x + width) % width, row = (y + height) % height;
    return cells[row * bytes + column / 8] / (1 << column % 8) % 2;
  };
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t b = 0; b < bytes; ++b) {
      int result = 0;
      for (int64_t x = 8 * b; x < 8 * b + 8; ++x) {
        int around = -alive(x, y);
        for (int k = 0; k < 9; ++k) {
          around += alive(x + k % 3 - 1, y + k / 3 - 1);
        }
        result += around == 3 || (around == 2 && alive(x, y) == 1) ? 1 << (x - 8 * b) : 0;
      }
      next[y * bytes + b] = static_cast<std::uint8_t>(result);
    }
  }
  l.set(1, next);
}

void halo_sum(Launch& l) {
  const auto in = l.get<int>(0);
  auto out = l.get<int>(1);
  const int64_t n = l.one<int>(2);
  for (int64_t at = 0; at < n; ++at) {
    out[at] = 0;
    for (int64_t k = std::max<int64_t>(at - 3, 0); k <= std::min(at + 3, n - 1); ++k) {
      out[at] += in[k];
    }
  }
  l.set(1, out);
}

void box_columns(Launch& l) {
  const auto in = l.get<std::uint8_t>(0);
  auto out = l.get<std::uint8_t>(1);
  const int64_t width = l.one<int>(2), height = l.one<int>(3), r = l.one<int>(4);
  const auto scale = l.one<float>(5);
  for (int64_t x = 0; x < width; ++x) {
    for (int64_t y = 0; y < height; ++y) {
      for (int64_t c = 0; c < 4; ++c) {
        int64_t sum = 0;  // the floats are whole numbers, so that no sum is rounded
        for (int64_t k = y - r; k <= y + r; ++k) {
          sum += in[4 * (std::clamp<int64_t>(k, 0, height - 1) * width + x) + c];
        }
        const float mean = std::nearbyint(static_cast<float>(sum) * scale);
        out[4 * (y * width + x) + c] = static_cast<std::uint8_t>(std::clamp(mean, 0.0F, 255.0F));
      }
    }
  }
  l.set(1, out);
}

void mandelbrot(Launch& l) {
  auto iterations = l.get<int>(0);
  const auto x0 = l.one<float>(1), y0 = l.one<float>(2), step = l.one<float>(3);
  for (int64_t at = 0; at < iterations.count(); ++at) {
    const float cx = std::fma(static_cast<float>(at % l.items[0]), step, x0);
    const float cy = std::fma(static_cast<float>(at / l.items[0]), step, y0);
    float x = 0, y = 0;
    int n = 0;
    for (; n < l.one<int>(4); ++n) {
      const float yy = y * y;
      if (std::fma(x, x, yy) > 4) {
        break;
      }
      const float t = std::fma(x, x, -yy) + cx;
      y = std::fma(2 * x, y, cy);
      x = t;
    }
    iterations[at] = n;
  }
  l.set(0, iterations);
}

/// The table is the cosines, rounded to eight places.
void dct8(Launch& l) {
  const auto in = l.get<float>(0);
  auto out = l.get<float>(1);
  auto levels = l.get<std::int16_t>(2);
  const std::array steps = {16.0F, 12.0F, 12.0F, 24.0F, 24.0F, 24.0F, 24.0F, 61.0F};
  for (int64_t at = 0; at < out.count(); ++at) {
    const int64_t u = at % 8;
    float sum = 0;
    for (int64_t k = 0; k < 8; ++k) {
      const double cosine =
          std::cos(static_cast<double>(2 * k + 1) * static_cast<double>(u) * M_PI / 16) * (u == 0 ? std::sqrt(0.125) : 0.5);
      const auto factor = static_cast<float>(std::round(cosine * 1e8) / 1e8);
      sum = std::fma(factor, in[at - u + k], sum);
    }
    out[at] = sum;
    levels[at] = static_cast<std::int16_t>(std::nearbyint(sum / steps.at(static_cast<std::size_t>(u))));
  }
  l.set(1, out);
  l.set(2, levels);
}

void haar(Launch& l) {
  auto line = l.get<float>(0);
  const float root = 0.70710678F;
  int64_t n = line.count();
  for (int level = 0; level < l.one<int>(3); ++level, n /= 2) {
    const auto before = line;
    for (int64_t k = 0; k < n / 2; ++k) {
      line[k] = (before[2 * k] + before[2 * k + 1]) * root;
      line[n / 2 + k] = (before[2 * k] - before[2 * k + 1]) * root;
    }
  }
  l.set(1, line);
}

}  // namespace

std::vector<Reference> grid_references() {
  return {
      {"jacobi2d", jacobi2d},   {"conv2d", conv2d}, {"conv_rows", conv_rows}, {"stencil7", stencil7},       {"hotspot", hotspot},
      {"srad", srad},           {"fdtd", fdtd},     {"sobel", sobel},         {"median3", median3},         {"path_finder", path_finder},
      {"needleman", needleman}, {"life", life},     {"halo_sum", halo_sum},   {"box_columns", box_columns}, {"mandelbrot", mandelbrot},
      {"dct8", dct8},           {"haar", haar}};
}

}  // namespace lockstep::suites
