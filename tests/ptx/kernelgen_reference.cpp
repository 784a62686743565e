#include "tests/ptx/kernelgen_reference.hpp"

#include <array>
#include <cmath>
#include <cstddef>

namespace lockstep::reference {

namespace {

using Field = std::vector<float>;

/// Elements of a field by their coordinates.
class View {
 public:
  View(const KernelGenLaunch& launch, const Field& field) : field_(field), nx_(launch.nx), ny_(launch.ny) {}
  float operator()(int i, int j, int k = 0) const { return field_[place(i, j, k)]; }
  std::size_t place(int i, int j, int k) const {
    return static_cast<std::size_t>(i) +
           static_cast<std::size_t>(nx_) * (static_cast<std::size_t>(j) + static_cast<std::size_t>(ny_) * static_cast<std::size_t>(k));
  }

 private:
  const Field& field_;
  int nx_;
  int ny_;
};

/// Whether a thread of the block comes by the element that is so far from the first.
bool is_visited(const KernelGenLaunch& launch, int from_first, int distance) { return from_first % distance < launch.block; }

/// Calls body(i, j, k) for all elements that are not within `margin` of the low and `upper` of the high sides, where a thread comes by.
template <class F>
void for_inner(const KernelGenLaunch& launch, int dimensions, int margin, int upper, F&& body, int distance = 512) {
  const int first_k = dimensions == 3 ? margin : 0;
  const int last_k = dimensions == 3 ? launch.nz - 1 - upper : 0;
  for (int k = first_k; k <= last_k; ++k) {
    for (int j = margin; j <= launch.ny - 1 - upper; ++j) {
      for (int i = margin; i <= launch.nx - 1 - upper; ++i) {
        if (is_visited(launch, i - margin, distance)) {
          body(i, j, k);
        }
      }
    }
  }
}

/// Buffer number `n` at (i, j, k).
float& at(KernelGenLaunch& launch, std::size_t n, int i, int j, int k = 0) {
  return launch.buffers[n][View(launch, launch.buffers[n]).place(i, j, k)];
}

std::vector<View> views(const KernelGenLaunch& launch) {
  std::vector<View> all;
  for (const Field& field : launch.buffers) {
    all.emplace_back(launch, field);
  }
  return all;
}

void divergence(KernelGenLaunch& l) {
  const auto v = views(l);
  for_inner(l, 3, 1, 1, [&](int i, int j, int k) {
    const float x = l.scalars[0] * (v[0](i + 1, j, k) - v[0](i - 1, j, k));
    const float y = l.scalars[1] * (v[1](i, j + 1, k) - v[1](i, j - 1, k));
    const float z = l.scalars[2] * (v[2](i, j, k + 1) - v[2](i, j, k - 1));
    at(l, 3, i, j, k) = x + y + z;
  });
}

void gradient(KernelGenLaunch& l) {
  const View u(l, l.buffers[0]);
  for_inner(l, 3, 1, 1, [&](int i, int j, int k) {
    at(l, 1, i, j, k) = l.scalars[0] * (u(i + 1, j, k) - u(i - 1, j, k));
    at(l, 2, i, j, k) = l.scalars[1] * (u(i, j + 1, k) - u(i, j - 1, k));
    at(l, 3, i, j, k) = l.scalars[2] * (u(i, j, k + 1) - u(i, j, k - 1));
  });
}

void laplacian(KernelGenLaunch& l) {
  const View w(l, l.buffers[0]);
  for_inner(l, 3, 1, 1, [&](int i, int j, int k) {
    const float faces = w(i - 1, j, k) + w(i + 1, j, k) + w(i, j - 1, k) + w(i, j + 1, k) + w(i, j, k - 1) + w(i, j, k + 1);
    at(l, 1, i, j, k) = l.scalars[0] * w(i, j, k) + l.scalars[1] * faces;
  });
}

void lapgsrb(KernelGenLaunch& l) {
  const View w(l, l.buffers[0]);
  for_inner(l, 3, 2, 2, [&](int i, int j, int k) {
    static constexpr std::array<std::array<int, 3>, 12> diagonals = {{{-1, -1, 0},
                                                                      {1, -1, 0},
                                                                      {-1, 1, 0},
                                                                      {1, 1, 0},
                                                                      {-1, 0, -1},
                                                                      {1, 0, -1},
                                                                      {0, -1, -1},
                                                                      {0, 1, -1},
                                                                      {-1, 0, 1},
                                                                      {1, 0, 1},
                                                                      {0, -1, 1},
                                                                      {0, 1, 1}}};
    std::array<float, 2> faces{};
    for (int r = 1; r <= 2; ++r) {
      faces[static_cast<std::size_t>(r - 1)] =
          w(i - r, j, k) + w(i + r, j, k) + w(i, j - r, k) + w(i, j + r, k) + w(i, j, k - r) + w(i, j, k + r);
    }
    float edges = w(i + diagonals[0][0], j + diagonals[0][1], k + diagonals[0][2]);
    for (std::size_t d = 1; d < diagonals.size(); ++d) {
      edges = edges + w(i + diagonals[d][0], j + diagonals[d][1], k + diagonals[d][2]);
    }
    at(l, 1, i, j, k) = l.scalars[0] * w(i, j, k) + l.scalars[1] * faces[0] + l.scalars[2] * edges + l.scalars[3] * faces[1];
  });
}

void wave13pt(KernelGenLaunch& l) {
  const View before(l, l.buffers[0]);
  const View now(l, l.buffers[1]);
  for_inner(l, 3, 2, 2, [&](int i, int j, int k) {
    std::array<float, 2> faces{};
    for (int r = 1; r <= 2; ++r) {
      faces[static_cast<std::size_t>(r - 1)] =
          now(i + r, j, k) + now(i - r, j, k) + now(i, j + r, k) + now(i, j - r, k) + now(i, j, k + r) + now(i, j, k - r);
    }
    at(l, 2, i, j, k) = l.scalars[0] * now(i, j, k) - before(i, j, k) + l.scalars[1] * faces[0] + l.scalars[2] * faces[1];
  });
}

std::array<float, 4> lagrange(float t) {
  return {-1.0F / 6.0F * t * (t - 1.0F) * (t - 2.0F), 0.5F * (t + 1.0F) * (t - 1.0F) * (t - 2.0F), -0.5F * (t + 1.0F) * t * (t - 2.0F),
          1.0F / 6.0F * (t + 1.0F) * t * (t - 1.0F)};
}

void tricubic(KernelGenLaunch& l) {
  const auto v = views(l);
  for_inner(l, 3, 1, 2, [&](int i, int j, int k) {
    const auto wa = lagrange(v[2](i, j, k));
    const auto wb = lagrange(v[3](i, j, k));
    const auto wc = lagrange(v[4](i, j, k));
    float sum = 0;
    for (int z = 0; z < 4; ++z) {
      float plane = 0;
      for (int y = 0; y < 4; ++y) {
        float row = 0;
        for (int x = 0; x < 4; ++x) {
          const float term = wa[static_cast<std::size_t>(x)] * v[0](i + x - 1, j + y - 1, k + z - 1);
          row = x == 0 ? term : row + term;
        }
        const float scaled = wb[static_cast<std::size_t>(y)] * wc[static_cast<std::size_t>(z)] * row;
        plane = y == 0 ? scaled : plane + scaled;
      }
      sum = z == 0 ? plane : sum + plane;
    }
    at(l, 1, i, j, k) = sum;
  });
}

void tricubic2(KernelGenLaunch& l) {
  const auto v = views(l);
  for_inner(l, 3, 2, 2, [&](int i, int j, int k) {
    const auto wa = lagrange(v[2](i, j, k));
    const auto wb = lagrange(v[3](i, j, k));
    const auto wc = lagrange(v[4](i, j, k));
    float sum = 0;
    for (int n = 0; n < 64; ++n) {
      const int x = n % 4;
      const int y = n / 4 % 4;
      const int z = n / 16;
      sum += wa[static_cast<std::size_t>(x)] * wb[static_cast<std::size_t>(y)] * wc[static_cast<std::size_t>(z)] *
             v[0](i + x - 1, j + y - 1, k + z - 1);
    }
    at(l, 1, i, j, k) = sum;
  });
}

void uxx1(KernelGenLaunch& l) {
  const auto v = views(l);
  for_inner(l, 3, 2, 1, [&](int i, int j, int k) {
    const View& d1 = v[0];
    const View& xx = v[3];
    const View& xy = v[4];
    const View& xz = v[5];
    const float density = 0.25F * (d1(i, j, k) + d1(i, j - 1, k) + d1(i, j, k - 1) + d1(i, j - 1, k - 1));
    const float near = xx(i, j, k) - xx(i - 1, j, k) + xy(i, j, k) - xy(i, j - 1, k) + xz(i, j, k) - xz(i, j, k - 1);
    const float far = xx(i + 1, j, k) - xx(i - 2, j, k) + xy(i, j + 1, k) - xy(i, j - 2, k) + xz(i, j, k + 1) - xz(i, j, k - 2);
    at(l, 2, i, j, k) = v[1](i, j, k) + l.scalars[2] / density * (l.scalars[0] * near + l.scalars[1] * far);
  });
}

void vecadd(KernelGenLaunch& l) {
  const auto v = views(l);
  for_inner(l, 3, 0, 0, [&](int i, int j, int k) { at(l, 2, i, j, k) = v[0](i, j, k) + v[1](i, j, k); });
}

void sincos(KernelGenLaunch& l) {
  const auto v = views(l);
  for_inner(l, 3, 0, 0, [&](int i, int j, int k) {
    // Of double's results: that one of them lies so close to the middle between two floats that its own error matters does not happen.
    const auto sine = static_cast<float>(std::sin(static_cast<double>(v[0](i, j, k))));
    const auto cosine = static_cast<float>(std::cos(static_cast<double>(v[1](i, j, k))));
    at(l, 2, i, j, k) = sine + cosine;
  });
}

void jacobi(KernelGenLaunch& l) {
  const View w(l, l.buffers[0]);
  for_inner(l, 2, 1, 1, [&](int i, int j, int /*k*/) {
    const float sides = w(i - 1, j) + w(i, j - 1) + w(i + 1, j) + w(i, j + 1);
    const float corners = w(i - 1, j - 1) + w(i - 1, j + 1) + w(i + 1, j - 1) + w(i + 1, j + 1);
    at(l, 1, i, j) = l.scalars[0] * w(i, j) + l.scalars[1] * sides + l.scalars[2] * corners;
  });
}

void gameoflife(KernelGenLaunch& l) {
  const View u(l, l.buffers[0]);
  constexpr int distance = 128;
  const auto cell = [&](int i, int j, int /*k*/) {
    const float neighbours =
        u(i - 1, j - 1) + u(i, j - 1) + u(i + 1, j - 1) + u(i - 1, j) + u(i + 1, j) + u(i - 1, j + 1) + u(i, j + 1) + u(i + 1, j + 1);
    const double with_itself = static_cast<double>(u(i, j) + neighbours) - 3.0;
    const double alone = static_cast<double>(neighbours) - 3.0;
    at(l, 1, i, j) = static_cast<float>(1.0 / (1.0 + with_itself * alone * 1e20));
  };
  for_inner(l, 2, 1, 1, cell, distance);
}

void gaussblur(KernelGenLaunch& l) {
  const View w(l, l.buffers[0]);
  const auto& s = l.scalars;  // s0, s1, s2, s4, s5, s8
  const float f = 1.0F / (s[0] + 4.0F * (s[1] + s[2] + s[3] + s[5]) + 8.0F * s[4]);
  for_inner(l, 2, 2, 2, [&](int i, int j, int /*k*/) {
    const auto ring = [&](int di, int dj) { return w(i + di, j + dj); };
    const float one = ring(-1, 0) + ring(1, 0) + ring(0, -1) + ring(0, 1);
    const float two = ring(-1, -1) + ring(1, -1) + ring(-1, 1) + ring(1, 1);
    const float four = ring(-2, 0) + ring(2, 0) + ring(0, -2) + ring(0, 2);
    const float five = ring(-2, -1) + ring(-1, -2) + ring(1, -2) + ring(2, -1) + ring(-2, 1) + ring(-1, 2) + ring(1, 2) + ring(2, 1);
    const float eight = ring(-2, -2) + ring(2, -2) + ring(-2, 2) + ring(2, 2);
    at(l, 1, i, j) = f * (s[0] * w(i, j) + s[1] * one + s[2] * two + s[3] * four + s[4] * five + s[5] * eight);
  });
}

void whispering(KernelGenLaunch& l) {
  const auto v = views(l);
  const View& ca = v[0];
  const View& cb = v[1];
  const View& h0 = v[8];
  const auto electric_0 = [&](int i, int j) { return ca(i, j) * v[4](i, j) + cb(i, j) * (h0(i, j + 1) - h0(i, j)); };
  const auto electric_1 = [&](int i, int j) { return ca(i, j) * v[5](i, j) - cb(i, j) * (h0(i + 1, j) - h0(i, j)); };
  for_inner(l, 2, 1, 1, [&](int i, int j, int /*k*/) {
    const float e0 = electric_0(i, j);
    const float e1 = electric_1(i, j);
    const float h = v[2](i, j) * h0(i, j) + v[3](i, j) * (e0 - electric_0(i, j - 1) - (e1 - electric_1(i - 1, j)));
    at(l, 6, i, j) = e0;
    at(l, 7, i, j) = e1;
    at(l, 9, i, j) = h;
    at(l, 11, i, j) = v[10](i, j) + (e0 * e0 + e1 * e1 + h * h);
  });
}

void matmul(KernelGenLaunch& l) {
  for (int j = 0; j < l.nz; ++j) {
    for (int i = 0; i < l.nx; ++i) {
      if (!is_visited(l, i, 512)) {
        continue;
      }
      const auto place = [](int row, int column, int rows) { return static_cast<std::size_t>(row + rows * column); };
      float sum = l.buffers[2][place(i, j, l.nx)];
      for (int k = 0; k < l.ny; ++k) {
        sum += l.buffers[0][place(i, k, l.nx)] * l.buffers[1][place(k, j, l.ny)];
      }
      l.buffers[2][place(i, j, l.nx)] = sum;
    }
  }
}

void matvec(KernelGenLaunch& l) {
  for (int j = 0; j < l.ny; ++j) {
    if (!is_visited(l, j, 512)) {
      continue;
    }
    float sum = 0;
    for (int i = 0; i < l.nx; ++i) {
      sum += l.buffers[0][static_cast<std::size_t>(i + l.nx * j)] * l.buffers[1][static_cast<std::size_t>(i)];
    }
    l.buffers[2][static_cast<std::size_t>(j)] = sum;
  }
}

std::size_t product(int a, int b, int c = 1) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c);
}

std::size_t box(const KernelGenLaunch& l, int /*buffer*/) { return product(l.nx, l.ny, l.nz); }
std::size_t plane(const KernelGenLaunch& l, int /*buffer*/) { return product(l.nx, l.ny); }
std::size_t of_product(const KernelGenLaunch& l, int buffer) {
  return buffer == 0 ? product(l.nx, l.ny) : buffer == 1 ? product(l.ny, l.nz) : product(l.nx, l.nz);
}
std::size_t of_vectors(const KernelGenLaunch& l, int buffer) {
  return buffer == 0 ? product(l.nx, l.ny) : static_cast<std::size_t>(buffer == 1 ? l.nx : l.ny);
}

}  // namespace

const std::vector<KernelGenKernel>& kernelgen_kernels() {
  static const std::vector<KernelGenKernel> all = {
      {"divergence", "divergence", 3, 512, 3, 4, divergence, box},
      {"gameoflife", "gameoflife", 2, 128, 0, 2, gameoflife, plane},
      {"gaussblur", "gaussblur", 2, 512, 6, 2, gaussblur, plane},
      {"gradient", "gradient", 3, 512, 3, 4, gradient, box},
      {"jacobi", "jacobi", 2, 512, 3, 2, jacobi, plane},
      {"lapgsrb", "lapgsrb", 3, 512, 4, 2, lapgsrb, box},
      {"laplacian", "laplacian", 3, 512, 2, 2, laplacian, box},
      {"matmul", "matmul", 3, 512, 0, 3, matmul, of_product},
      {"matvec", "matvec", 2, 512, 0, 3, matvec, of_vectors},
      {"sincos", "sincos3d", 3, 512, 0, 3, sincos, box},
      {"tricubic", "tricubic", 3, 512, 0, 5, tricubic, box},
      {"tricubic2", "tricubic2", 3, 512, 0, 5, tricubic2, box},
      {"uxx1", "uxx1", 3, 512, 3, 6, uxx1, box},
      {"vecadd", "vecadd", 3, 512, 0, 3, vecadd, box},
      {"wave13pt", "wave13pt", 3, 512, 3, 3, wave13pt, box},
      {"whispering", "whispering", 2, 512, 0, 12, whispering, plane},
  };
  return all;
}

}  // namespace lockstep::reference
