// What the kernels of simulations, transforms, learning, finance and ciphers compute.

#include <algorithm>
#include <bit>
#include <limits>

#include "tests/suites/references/launch.hpp"

namespace lockstep::suites {
namespace {

using std::int64_t;
using std::uint32_t;

/// x² + y² + z² as it is contracted: of two products the left one is fused.
float length2(float x, float y, float z) {
  const float yy = y * y;
  return std::fma(z, z, std::fma(x, x, yy));
}

void kmeans(Launch& l) {
  const auto feature = l.get<float>(0), clusters = l.get<float>(1);
  auto membership = l.get<int>(2);
  const int64_t points = l.one<int>(3), count = l.one<int>(4), features = l.one<int>(5);
  for (int64_t p = 0; p < points; ++p) {
    std::vector<float> distances;
    for (int64_t c = 0; c < count; ++c) {
      float sum = 0;
      for (int64_t k = 0; k < features; ++k) {
        const float d = feature[k * points + p] - clusters[c * features + k];
        sum = std::fma(d, d, sum);
      }
      distances.push_back(sum);
    }
    membership[p] = static_cast<int>(std::min_element(distances.begin(), distances.end()) - distances.begin());
  }
  l.set(2, membership);
}

void kmeans_centres(Launch& l) {
  const auto feature = l.get<float>(0);
  const auto membership = l.get<int>(1);
  auto centres = l.get<float>(2);
  const int64_t points = l.one<int>(3), features = l.one<int>(4);
  for (int64_t at = 0; at < centres.count(); ++at) {
    float sum = 0, members = 0;
    for (int64_t p = 0; p < points; ++p) {
      if (membership[p] == at / features) {
        sum += feature[at % features * points + p];
        members += 1;
      }
    }
    centres[at] = members == 0 ? 0 : sum / members;
  }
  l.set(2, centres);
}

void nearest(Launch& l) {
  const auto places = l.get<float>(0);
  auto distances = l.get<float>(1);
  for (int64_t i = 0; i < l.one<int>(2); ++i) {
    const float x = l.one<float>(3) - places[2 * i], y = l.one<float>(4) - places[2 * i + 1];
    const float yy = y * y;
    distances[i] = std::sqrt(std::fma(x, x, yy));
  }
  l.set(1, distances);
}

void k_nearest(Launch& l) {
  const auto points = l.get<int>(0);
  auto order = l.get<int>(1);
  const int n = l.one<int>(2);
  for (int i = 0; i < n; ++i) {
    std::vector<std::pair<int, int>> all;
    for (int j = 0; j < n; ++j) {
      const int x = points[2 * j] - points[2 * i], y = points[2 * j + 1] - points[2 * i + 1];
      if (i != j) {
        all.emplace_back(x * x + y * y, j);
      }
    }
    std::sort(all.begin(), all.end());
    for (int k = 0; k < 3; ++k) {
      order[3 * i + k] = all.at(static_cast<std::size_t>(k)).second;
    }
  }
  l.set(1, order);
}

void layer(Launch& l) {
  const auto input = l.get<float>(0);
  auto weights = l.get<float>(1), partial = l.get<float>(2);
  const int64_t hidden = l.one<int>(5);
  for (int64_t block = 0; block < l.items[1] / 4; ++block) {
    for (int64_t unit = 0; unit < 4; ++unit) {
      std::array<float, 4> p{};
      const auto at = [&](int64_t row) { return (hidden + 1) * (4 * block + row + 1) + unit + 1; };
      for (int64_t row = 0; row < 4; ++row) {
        p.at(static_cast<std::size_t>(row)) = weights[at(row)] * input[4 * block + row + 1];
      }
      const float low = p[0] + p[1], high = p[2] + p[3];
      weights[at(0)] = low + high;
      weights[at(1)] = p[1];
      weights[at(2)] = high;
      weights[at(3)] = p[3];
      partial[block * hidden + unit] = low + high;
    }
  }
  l.set(1, weights);
  l.set(2, partial);
}

void adjust_weights(Launch& l) {
  const auto delta = l.get<float>(0), ly = l.get<float>(2);
  const int64_t hidden = l.one<int>(1);
  auto w = l.get<float>(3), old = l.get<float>(4);
  for (int64_t y = 0; y <= l.items[1]; ++y) {  // row 0 is the bias, whose unit gives 1
    for (int64_t x = 1; x <= l.items[0]; ++x) {
      const int64_t at = (hidden + 1) * y + x;
      const float kept = 0.3F * old[at];
      const float moved = y == 0 ? std::fma(0.3F, delta[x], kept) : std::fma(0.3F * delta[x], ly[y], kept);
      w[at] += moved;
      old[at] = moved;
    }
  }
  l.set(3, w);
  l.set(4, old);
}

void lennard_jones(Launch& l) {
  auto force = l.get<float>(0);
  const auto position = l.get<float>(1);
  const auto neighbours = l.get<int>(3);
  const auto cut = l.one<float>(4), lj1 = l.one<float>(5), lj2 = l.one<float>(6);
  const int64_t atoms = l.one<int>(7);
  for (int64_t i = 0; i < atoms; ++i) {
    std::array<float, 4> f{};
    for (int64_t k = 0; k < l.one<int>(2); ++k) {
      const int64_t j = neighbours[k * atoms + i];
      std::array<float, 3> d{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        d.at(axis) = position[4 * i + static_cast<int64_t>(axis)] - position[4 * j + static_cast<int64_t>(axis)];
      }
      const float r2 = length2(d[0], d[1], d[2]);
      if (r2 < cut) {
        const float inverse = 1.0F / r2;
        const float square = inverse * inverse;
        const float sixth = square * inverse;
        const float strength = inverse * sixth * std::fma(lj1, sixth, -lj2);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          f.at(axis) = std::fma(d.at(axis), strength, f.at(axis));
        }
      }
    }
    for (std::size_t axis = 0; axis < 4; ++axis) {
      force[4 * i + static_cast<int64_t>(axis)] = f.at(axis);
    }
  }
  l.set(0, force);
}

void bodies(Launch& l) {
  const auto pos = l.get<float>(0);
  auto out = l.get<float>(1);
  const int64_t n = l.one<int>(2);
  for (int64_t i = 0; i < n; ++i) {
    std::array<float, 4> sum{};
    for (int64_t j = 0; j < n; ++j) {
      std::array<float, 3> d{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        d.at(axis) = pos[4 * j + static_cast<int64_t>(axis)] - pos[4 * i + static_cast<int64_t>(axis)];
      }
      const float inverse = 1.0F / std::sqrt(length2(d[0], d[1], d[2]) + l.one<float>(3));
      const float square = inverse * inverse;
      const float cube = square * inverse;
      const float strength = pos[4 * j + 3] * cube;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        sum.at(axis) = std::fma(d.at(axis), strength, sum.at(axis));
      }
    }
    for (std::size_t axis = 0; axis < 4; ++axis) {
      out[4 * i + static_cast<int64_t>(axis)] = sum.at(axis);
    }
  }
  l.set(1, out);
}

void coulomb(Launch& l) {
  const auto atoms = l.get<float>(0);
  auto grid = l.get<float>(4);
  const auto spacing = l.one<float>(2), cutoff = l.one<float>(3);
  const float scale = 1.0F / cutoff;
  for (int64_t at = 0; at < grid.count(); ++at) {
    const float x = static_cast<float>(at % l.items[0]) * spacing, y = static_cast<float>(at / l.items[0] % l.items[1]) * spacing,
                z = static_cast<float>(at / l.items[0] / l.items[1]) * spacing;
    float energy = 0;
    for (int64_t k = 0; k < l.one<int>(1); ++k) {
      const float r2 = length2(atoms[4 * k] - x, atoms[4 * k + 1] - y, atoms[4 * k + 2] - z);
      if (r2 < cutoff) {
        const float s = std::fma(-r2, scale, 1.0F);
        const float inverse = 1.0F / std::sqrt(r2);
        const float whole = atoms[4 * k + 3] * inverse;
        energy = std::fma(whole * s, s, energy);
      }
    }
    grid[at] = energy;
  }
  l.set(4, grid);
}

struct Complex {
  float re = 0, im = 0;
};
Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
/// Each of both differences and sums of products has its left product fused.
Complex operator*(Complex a, Complex b) {
  const float ii = a.im * b.im, ir = a.im * b.re;
  return {std::fma(a.re, b.re, -ii), std::fma(a.re, b.im, ir)};
}

/// A pass of the transform that sorts itself: groups of p numbers are done already.
void fft2(Launch& l) {
  const auto x = l.get<Complex>(0), w = l.get<Complex>(2);
  auto y = l.get<Complex>(1);
  const int64_t n = l.one<int>(3), p = l.one<int>(4);
  for (int64_t first = 0; first < x.count(); first += n) {
    for (int64_t block = 0; block < n / 2 / p; ++block) {
      for (int64_t k = 0; k < p; ++k) {
        const Complex even = x[first + block * p + k], odd = x[first + block * p + k + n / 2] * w[k * (n / 2 / p)];
        y[first + 2 * block * p + k] = even + odd;
        y[first + 2 * block * p + p + k] = even - odd;
      }
    }
  }
  l.set(1, y);
}

std::array<Complex, 4> fourier4(const std::array<Complex, 4>& v) {
  const Complex a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
  const Complex turned{d.im, -d.re};
  return {a + c, b + turned, a - c, b - turned};
}
void fft4(Launch& l) {
  const auto in = l.get<Complex>(0), w = l.get<Complex>(2);
  auto out = l.get<Complex>(1);
  for (int64_t first = 0; first < in.count(); first += 16) {
    std::array<std::array<Complex, 4>, 4> columns{};
    for (std::size_t i = 0; i < 4; ++i) {
      const auto at = first + static_cast<int64_t>(i);
      columns.at(i) = fourier4({in[at], in[at + 4], in[at + 8], in[at + 12]});
      for (std::size_t k = 1; i > 0 && k < 4; ++k) {
        columns.at(i).at(k) = columns.at(i).at(k) * w[static_cast<int64_t>(i * k)];
      }
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const auto row = fourier4({columns[0].at(k), columns[1].at(k), columns[2].at(k), columns[3].at(k)});
      for (std::size_t i = 0; i < 4; ++i) {
        out[first + static_cast<int64_t>(4 * i + k)] = row.at(i);
      }
    }
  }
  l.set(1, out);
}

/// The recurrence as one sequence without an end.
void twister(Launch& l) {
  const auto seeds = l.get<uint32_t>(0);
  auto numbers = l.get<float>(1);
  auto raw = l.get<uint32_t>(2);
  for (int64_t i = 0; i < seeds.count(); ++i) {
    std::vector<uint32_t> x = {seeds[i]};
    for (uint32_t k = 1; k < 19; ++k) {
      x.push_back(1812433253U * (x.back() ^ x.back() >> 30U) + k);
    }
    for (std::size_t n = 0; n < static_cast<std::size_t>(l.one<int>(3)); ++n) {
      const uint32_t mixed = x[n] - x[n] % 2 + x[n + 1] % 2;
      x.push_back(x[n + 9] ^ mixed / 2 ^ (mixed % 2 != 0 ? 0x9908b0dfU : 0U));
      uint32_t y = x.back();
      y ^= y >> 12U;
      y ^= y << 7U & 0x9d2c5680U;
      y ^= y << 15U & 0xefc60000U;
      y ^= y >> 18U;
      const int64_t at = i + static_cast<int64_t>(n) * l.items[0];
      raw[at] = y;
      numbers[at] = (static_cast<float>(y) + 1.0F) / 4294967296.0F;
    }
  }
  l.set(1, numbers);
  l.set(2, raw);
}

/// The first five digests stand in RFC 1321; the last is what md5sum says.
void md5(Launch& l) {
  const std::array<std::string, 6> wanted = {"d41d8cd98f00b204e9800998ecf8427e", "0cc175b9c0f1b6a831c399e269772661",
                                             "900150983cd24fb0d6963f7d28e17f72", "f96b697d7cb7938d525a2f31aaf161d0",
                                             "c3fcd3d76192e4007dfb496cca67e13b", "da123f004c1872f009a9c0bcf0f4fba6"};
  Numbers<std::uint8_t> digests(16 * static_cast<int64_t>(wanted.size()));
  for (int64_t at = 0; at < digests.count(); ++at) {
    const std::string& text = wanted.at(static_cast<std::size_t>(at / 16));
    digests[at] = static_cast<std::uint8_t>(std::stoul(text.substr(static_cast<std::size_t>(2 * (at % 16)), 2), nullptr, 16));
  }
  l.set(3, digests);
}

/// The remainder bit by bit, without a table.
void crc_table(Launch& l) {
  const auto data = l.get<std::uint8_t>(0);
  auto crc = l.get<uint32_t>(1);
  const int64_t bytes = l.one<int>(2);
  for (int64_t i = 0; i < crc.count(); ++i) {
    uint32_t rest = 0xffffffffU;
    for (int64_t bit = 0; bit < 8 * bytes; ++bit) {
      const uint32_t next = data[i * bytes + bit / 8] >> bit % 8 & 1U;
      const bool is_odd = (rest & 1U) != next;
      rest = rest >> 1U ^ (is_odd ? 0xedb88320U : 0U);
    }
    crc[i] = ~rest;
  }
  l.set(1, crc);
}

void tea(Launch& l) {
  auto blocks = l.get<uint32_t>(0);
  const auto key = l.get<uint32_t>(1);
  l.set(2, blocks);  // as they were
  const auto mixed = [&](uint32_t v, uint32_t sum, int64_t k) { return (v * 16 + key[k]) ^ (v + sum) ^ (v / 32 + key[k + 1]); };
  for (int64_t at = 0; at < blocks.count(); at += 2) {
    for (uint32_t round = 1; round <= 32; ++round) {
      const uint32_t sum = round * 0x9e3779b9U;
      blocks[at] += mixed(blocks[at + 1], sum, 0);
      blocks[at + 1] += mixed(blocks[at], sum, 2);
    }
  }
  l.set(0, blocks);
}

float normal(float d, float gauss) {
  const float k = 1.0F / std::fma(0.2316419F, std::fabs(d), 1.0F);
  float chain = 1.330274429F;
  for (const float a : {-1.821255978F, 1.781477937F, -0.356563782F, 0.31938153F}) {
    chain = std::fma(k, chain, a);
  }
  const float tail = 0.398942280401432678F * gauss * (k * chain);
  return d > 0 ? 1.0F - tail : tail;
}
/// Logarithms and exponentials are the kernel's own, held against the bounds of docs/mathematics.md; all else is computed from them.
void black_scholes(Launch& l) {
  auto call = l.get<float>(0), put = l.get<float>(1), kept = l.get<float>(7);
  const auto price = l.get<float>(2), strike = l.get<float>(3), years = l.get<float>(4);
  const auto rate = l.one<float>(5), volatility = l.one<float>(6);
  for (int64_t i = 0; i < l.one<int>(8); ++i) {
    const float s = price[i], x = strike[i], t = years[i];
    const float quotient = s / x;
    const float ratio = l.near(7, 4 * i, std::log(static_cast<double>(quotient)), 0.7);
    const float spread = volatility * std::sqrt(t);
    const float drift = std::fma(0.5F * volatility, volatility, rate);
    const float d1 = std::fma(drift, t, ratio) / spread;
    const float d2 = std::fma(-volatility, std::sqrt(t), d1);
    const float power1 = -0.5F * d1 * d1, power2 = -0.5F * d2 * d2, power3 = -rate * t;
    const float gauss1 = l.near(7, 4 * i + 1, std::exp(static_cast<double>(power1)), 0.8);
    const float gauss2 = l.near(7, 4 * i + 2, std::exp(static_cast<double>(power2)), 0.8);
    const float discount = l.near(7, 4 * i + 3, std::exp(static_cast<double>(power3)), 0.8);
    const float n1 = normal(d1, gauss1), n2 = normal(d2, gauss2);
    const float worth = x * discount;
    const float second = worth * n2;
    call[i] = std::fma(s, n1, -second);
    const float other = s * (1.0F - n1);
    put[i] = std::fma(worth, 1.0F - n2, -other);
    kept[4 * i] = ratio;
    kept[4 * i + 1] = gauss1;
    kept[4 * i + 2] = gauss2;
    kept[4 * i + 3] = discount;
  }
  l.set(0, call);
  l.set(1, put);
  l.set(7, kept);
}

void binomial_tree(Launch& l) {
  const auto strikes = l.get<float>(0), prices = l.get<float>(1);
  auto values = l.get<float>(2);
  const int64_t steps = l.one<int>(3);
  const auto up = l.one<float>(4), down = l.one<float>(5);
  for (int64_t g = 0; g < values.count(); ++g) {
    std::vector<float> now(static_cast<std::size_t>(steps) + 2, 0.0F);
    for (int64_t t = steps; t >= 0; --t) {
      for (int64_t j = 0; j <= t; ++j) {
        const auto k = static_cast<std::size_t>(j);
        const float second = down * now[k];
        const float held = t == steps ? 0.0F : std::fma(up, now[k + 1], second);
        now[k] = std::max(held, strikes[g] - prices[t * (t + 1) / 2 + j]);
      }
    }
    values[g] = now[0];
  }
  l.set(2, values);
}

void monte_carlo(Launch& l) {
  const auto seeds = l.get<uint32_t>(0);
  auto hits = l.get<uint32_t>(1);
  auto total = l.get<std::uint64_t>(2);
  for (int64_t i = 0; i < seeds.count(); ++i) {
    uint32_t s = seeds[i];
    const auto next = [&] {
      s ^= s << 13U;
      s ^= s >> 17U;
      s ^= s << 5U;
      return std::uint64_t{s >> 16U};
    };
    hits[i] = 0;
    for (uint32_t r = 0; r < l.one<uint32_t>(3); ++r) {
      const std::uint64_t x = next(), y = next();
      hits[i] += x * x + y * y < std::uint64_t{1} << 32U ? 1 : 0;
    }
    total[0] += hits[i];
  }
  l.set(1, hits);
  l.set(2, total);
}

void angle_bins(Launch& l) {
  const auto stars = l.get<float>(0), borders = l.get<float>(2);
  auto histogram = l.get<int>(3);
  const int64_t n = l.one<int>(1);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) {
      const float second = stars[4 * i + 1] * stars[4 * j + 1];
      const float product = std::fma(stars[4 * i + 2], stars[4 * j + 2], std::fma(stars[4 * i], stars[4 * j], second));
      int64_t bin = 0;
      while (bin < 5 && product < borders[bin + 1]) {
        ++bin;
      }
      ++histogram[bin];
    }
  }
  l.set(3, histogram);
}

void sad(Launch& l) {
  const auto frame = l.get<std::uint8_t>(0), block = l.get<std::uint8_t>(1);
  auto sums = l.get<std::uint16_t>(2);
  const int64_t width = l.one<int>(3), range = l.one<int>(4);
  for (int64_t at = 0; at < sums.count(); ++at) {
    int sum = 0;
    for (int64_t k = 0; k < 16; ++k) {
      sum += std::abs(frame[(at / range + k / 4) * width + at % range + k % 4] - block[k]);
    }
    sums[at] = static_cast<std::uint16_t>(sum);
  }
  l.set(2, sums);
}

void fir(Launch& l) {
  const auto x = l.get<std::int16_t>(0), taps = l.get<std::int16_t>(1);
  auto y = l.get<std::int16_t>(2);
  for (int64_t i = 0; i < y.count(); ++i) {
    int64_t sum = 0;
    for (int64_t k = 0; k < taps.count(); ++k) {
      sum += x[i + k] * taps[k];
    }
    if (sum != static_cast<int>(sum)) {
      throw std::logic_error("fir.sim overflows");
    }
    const double scaled = std::floor(static_cast<double>(sum + 2048) / 4096);
    y[i] = static_cast<std::int16_t>(std::clamp(scaled, -32768.0, 32767.0));
  }
  l.set(2, y);
}

}  // namespace

std::vector<Reference> science_references() {
  return {{"kmeans", kmeans},
          {"kmeans_centres", kmeans_centres},
          {"nearest", nearest},
          {"k_nearest", k_nearest},
          {"layer", layer},
          {"adjust_weights", adjust_weights},
          {"lennard_jones", lennard_jones},
          {"bodies", bodies},
          {"coulomb", coulomb},
          {"fft2", fft2},
          {"fft4", fft4},
          {"twister", twister},
          {"md5", md5},
          {"crc_table", crc_table},
          {"tea", tea},
          {"black_scholes", black_scholes},
          {"binomial_tree", binomial_tree},
          {"monte_carlo", monte_carlo},
          {"angle_bins", angle_bins},
          {"sad", sad},
          {"fir", fir}};
}

}  // namespace lockstep::suites
