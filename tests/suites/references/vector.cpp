// What the kernels about the language itself compute: vectors, structures, conversions, bits, control.

#include <algorithm>
#include <bit>
#include <limits>
#include <map>

#include "tests/suites/references/launch.hpp"

namespace lockstep::suites {
namespace {

using std::int64_t;
using std::uint32_t;
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

void vector_add(Launch& l) {
  const auto a = l.get<float>(0), b = l.get<float>(1);
  auto c = l.get<float>(2);
  for (int i = 0; i < l.one<int>(3); ++i) {
    c[i] = a[i] + b[i];
  }
  l.set(2, c);
}

void saxpy4(Launch& l) {
  const auto alpha = l.one<float>(0);
  const auto x = l.get<float>(1);
  auto y = l.get<float>(2);
  for (int k = 0; k < 4 * l.items[0]; ++k) {
    y[k] = std::fma(alpha, x[k], y[k]);
  }
  l.set(2, y);
}

void dot_partial(Launch& l) {
  const auto x = l.get<float>(0), y = l.get<float>(1);
  const int64_t n = l.one<uint32_t>(4), all = l.items[0], items = l.group[0];
  auto partial = l.get<float>(2);
  for (int64_t g = 0; g < all / items; ++g) {
    Numbers<float> sums(items);
    for (int64_t k = 0; k < items; ++k) {
      for (int64_t i = g * items + k; i < n; i += all) {
        sums[k] = std::fma(x[i], y[i], sums[k]);
      }
    }
    for (int64_t half = items / 2; half > 0; half /= 2) {
      for (int64_t k = 0; k < half; ++k) {
        sums[k] += sums[k + half];
      }
    }
    partial[g] = sums[0];
  }
  l.set(2, partial);
}

void swizzle(Launch& l) {
  const auto in = l.get<int>(0);
  auto out = l.get<int>(1);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    const int x = in[4 * i], y = in[4 * i + 1], z = in[4 * i + 2], w = in[4 * i + 3];
    const int first = w + x;
    // r is (w + x, z, y, x, x + z, y + w, y, w + x - w); then its even numbers 0 and 2 become numbers 4 and 6.
    const std::array r = {x + z, z, y, x, x + z, y + w, y, first - w};
    for (int k = 0; k < 8; ++k) {
      out[8 * i + k] = r.at(static_cast<std::size_t>(k));
    }
  }
  l.set(1, out);
}

void int3_cross(Launch& l) {
  const auto a = l.get<int>(0), b = l.get<int>(1);
  auto c = l.get<int>(2);
  for (int64_t at = 0; at < 4 * l.items[0]; at += 4) {
    c[at] = a[at + 1] * b[at + 2] - a[at + 2] * b[at + 1];
    c[at + 1] = a[at + 2] * b[at] - a[at] * b[at + 2];
    c[at + 2] = a[at] * b[at + 1] - a[at + 1] * b[at];
  }
  l.set(2, c);
}

void uchar4_blend(Launch& l) {
  const auto upper = l.get<std::uint8_t>(0), lower = l.get<std::uint8_t>(1);
  auto out = l.get<std::uint8_t>(2);
  const int gain = l.one<int>(3);
  for (int64_t k = 0; k < 4 * l.items[0]; ++k) {
    const int alpha = upper[k / 4 * 4 + 3];
    const int mixed = (upper[k] * alpha + lower[k] * (255 - alpha)) / 255 + gain;
    out[k] = k % 4 == 3 ? std::max(upper[k], lower[k]) : static_cast<std::uint8_t>(std::clamp(mixed, 0, 255));
  }
  l.set(2, out);
}

void convert_sat(Launch& l) {
  const auto n = l.get<int>(0);
  const auto x = l.get<float>(1);
  auto c = l.get<std::int8_t>(2);
  auto u = l.get<std::uint16_t>(3);
  auto r = l.get<int>(4);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    c[i] = static_cast<std::int8_t>(std::clamp(n[i], -128, 127));
    u[i] = static_cast<std::uint16_t>(std::clamp(std::nearbyint(x[i] * 1000.0F), 0.0F, 65535.0F));
    r[4 * i] = static_cast<int>(std::nearbyint(x[i]));
    r[4 * i + 1] = static_cast<int>(std::trunc(x[i]));
    r[4 * i + 2] = static_cast<int>(std::ceil(x[i]));
    r[4 * i + 3] = static_cast<int>(std::floor(x[i]));
  }
  l.set(2, c);
  l.set(3, u);
  l.set(4, r);
}

void vload_vstore(Launch& l) {
  const auto rgb = l.get<std::uint8_t>(0);
  auto rgba = l.get<std::uint8_t>(1);
  const auto s = l.get<std::int16_t>(2);
  auto pairs = l.get<std::int16_t>(3);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    for (int k = 0; k < 3; ++k) {
      rgba[4 * i + k] = rgb[3 * i + 2 - k];
    }
    rgba[4 * i + 3] = 255;
    for (int k = 0; k < 2; ++k) {
      pairs[2 * i + k] = static_cast<std::int16_t>(s[i + k] + s[i + k + 1]);
    }
  }
  l.set(1, rgba);
  l.set(3, pairs);
}

void as_type(Launch& l) {
  const auto x = l.get<uint32_t>(0);
  auto keys = l.get<uint32_t>(1), back = l.get<uint32_t>(2);
  auto halves = l.get<std::uint16_t>(3);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    const bool negative = x[i] >= 0x80000000U;
    keys[i] = negative ? ~x[i] : x[i] + 0x80000000U;
    // The next larger key is that of the next larger float, zeros being two.
    back[i] = negative ? x[i] == 0x80000000U ? 0 : x[i] - 1 : x[i] + 1;
    halves[2 * i] = static_cast<std::uint16_t>(x[i] >> 16);
    halves[2 * i + 1] = static_cast<std::uint16_t>(x[i] & 0xffffU);
  }
  l.set(1, keys);
  l.set(2, back);
  l.set(3, halves);
}

void bit_tricks(Launch& l) {
  const auto in = l.get<uint32_t>(0);
  auto out = l.get<uint32_t>(1);
  auto morton = l.get<std::uint64_t>(2);
  const int64_t n = l.items[0];
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t v = in[i], next = in[(i + 1) % n];
    uint32_t turned = 0;
    std::uint64_t mixed = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
      turned |= (v >> bit & 1U) << (31 - bit);
      mixed |= static_cast<std::uint64_t>(v >> bit & 1U) << (2 * bit);
      mixed |= static_cast<std::uint64_t>(next >> bit & 1U) << (2 * bit + 1);
    }
    out[i] = static_cast<uint32_t>(std::popcount(v));
    out[n + i] = static_cast<uint32_t>(std::countl_zero(v));
    out[2 * n + i] = turned;
    out[3 * n + i] = std::rotl(v, 7);
    out[4 * n + i] = v ^ v / 2;
    out[5 * n + i] = static_cast<uint32_t>(std::uint64_t{v} * 0x9e3779b9U >> 32U);
    out[6 * n + i] = static_cast<uint32_t>((std::uint64_t{v} + 3) / 2 + (std::uint64_t{v} + 4 + 1) / 2);
    out[7 * n + i] = v == 0 ? 0 : uint32_t{1} << std::countr_zero(v);
    morton[i] = mixed;
  }
  l.set(1, out);
  l.set(2, morton);
}

struct Transform {
  std::array<float, 2> scale;
  int shift;
  float bias;
};

void struct_value(Launch& l) {
  const auto t = l.one<Transform>(0);
  const auto more = l.get<Transform>(1);
  const auto in = l.get<float>(2);
  auto out = l.get<float>(3);
  auto cells = l.get<int>(4);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      const auto at = 2 * i + static_cast<int64_t>(k);
      const Transform& second = more[i % 2];
      const float first = std::fma(in[at], t.scale.at(k), k == 0 ? t.bias : -t.bias);
      out[at] = std::fma(first, second.scale.at(k), k == 0 ? second.bias : -second.bias);
    }
    cells[i] = static_cast<int>(i) * (1 << t.shift) + more[0].shift;
  }
  l.set(3, out);
  l.set(4, cells);
}

struct Particle {
  std::array<float, 2> at, speed;
  int bounces;
  std::uint8_t kind, unused;
  std::array<std::int16_t, 3> trail;
};
static_assert(sizeof(Particle) == 28);

void struct_buffer(Launch& l) {
  auto particles = l.get<Particle>(0);
  const auto dt = l.one<float>(1), wall = l.one<float>(2);
  for (Particle& p : particles.all()) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      p.at.at(axis) = std::fma(p.speed.at(axis), dt, p.at.at(axis));
      if (p.at.at(axis) < 0 || p.at.at(axis) > wall) {
        p.speed.at(axis) *= -1;
        ++p.bounces;
      }
    }
    p.kind ^= 0x80U;
    p.trail = {static_cast<std::int16_t>(p.bounces), p.trail[0], p.trail[1]};
  }
  l.set(0, particles);
}

void union_bits(Launch& l) {
  const auto x = l.get<float>(0);
  const auto bits = l.get<uint32_t>(0);
  auto exponent = l.get<int>(1);
  auto mantissa = l.get<uint32_t>(2), swapped = l.get<uint32_t>(3);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    exponent[i] = std::ilogb(x[i]);
    mantissa[i] = static_cast<uint32_t>(std::ldexp(std::fabs(x[i]), 23 - exponent[i])) - (1U << 23U);
    swapped[i] = bits[i] << 24U | (bits[i] & 0xff00U) << 8U | (bits[i] >> 8U & 0xff00U) | bits[i] >> 24U;
  }
  l.set(1, exponent);
  l.set(2, mantissa);
  l.set(3, swapped);
}

/// The number that 16 bits are.
double number_of_half(unsigned bits) {
  const unsigned exponent = bits >> 10U & 31U, mantissa = bits & 1023U;
  const double size = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, static_cast<int>(exponent) - 25);
  return bits >> 15U != 0 ? -size : size;
}
/// The nearest of all halves, of two the even one; infinity from the middle between the largest and what would follow on.
unsigned half_of_number(double x) {
  const unsigned sign = std::signbit(x) ? 0x8000U : 0;
  if (std::fabs(x) >= 65520) {
    return sign | 0x7c00U;
  }
  unsigned best = 0;
  for (unsigned h = 1; h < 0x7c00U; ++h) {
    const double distance = std::fabs(number_of_half(h) - std::fabs(x)), least = std::fabs(number_of_half(best) - std::fabs(x));
    best = distance < least || (distance == least && h % 2 == 0) ? h : best;
  }
  return sign | best;
}

void half_memory(Launch& l) {
  const auto in = l.get<std::uint16_t>(0);
  auto out = l.get<std::uint16_t>(1);
  auto squares = l.get<float>(2);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    const auto x = static_cast<float>(number_of_half(in[i]));
    squares[i] = x * x;
    out[i] = static_cast<std::uint16_t>(half_of_number(x * 1.5F));
  }
  l.set(1, out);
  l.set(2, squares);
}

void select_mask(Launch& l) {
  const auto a = l.get<float>(0), b = l.get<float>(1);
  auto least = l.get<float>(2);
  auto less = l.get<int>(3), votes = l.get<int>(4);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    int count = 0;
    for (int64_t k = 0; k < 4; ++k) {
      const int64_t at = 4 * i + k;
      least[at] = std::min(a[at], b[at]);
      less[at] = a[at] < b[at] ? 1 << k : 0;
      count += a[at] < b[at] ? 1 : 0;
    }
    votes[i] = count == 4 ? 3 : count > 0 ? 1 : 0;
    const int64_t at = 4 * i + 3;
    least[at] = std::bit_cast<float>((std::bit_cast<uint32_t>(a[at]) >> 16U << 16U) + std::bit_cast<uint32_t>(b[at]) % 65536U);
  }
  l.set(2, least);
  l.set(3, less);
  l.set(4, votes);
}

void shuffle_vectors(Launch& l) {
  const auto in = l.get<uint32_t>(0), order = l.get<uint32_t>(1);
  auto out = l.get<uint32_t>(2), both = l.get<uint32_t>(3);
  for (int64_t k = 0; k < 4 * l.items[0]; ++k) {
    out[k] = in[k / 4 * 4 + order[k] % 4];
  }
  for (int64_t i = 0; i < l.items[0]; ++i) {
    int64_t k = 8 * i;
    for (const int from : {7, 0, 6, 1, 5, 2, 4, 3}) {
      both[k++] = from < 4 ? in[4 * i + from] : out[4 * i + from - 4];
    }
  }
  l.set(2, out);
  l.set(3, both);
}

/// What the program of the file means: of a positive number x, f applied x times to 1 for f(a) = 2 a + 3; every other number stays.
void byte_code(Launch& l) {
  const auto inputs = l.get<int>(0);
  auto results = l.get<int>(2), steps = l.get<int>(3);
  const std::array bonus = {0, 7, 5, 4};
  for (int64_t i = 0; i < l.items[0]; ++i) {
    const int x = inputs[i];
    int result = x;
    if (x > 0) {
      result = 4 * (1 << x) - 3;
    }
    results[i] = result + bonus.at(static_cast<std::size_t>(i % 4));
    steps[i] = x > 0 ? 3 + 9 * x + 2 : 4;
  }
  l.set(2, results);
  l.set(3, steps);
}

void collatz(Launch& l) {
  const auto start = l.get<uint32_t>(0);
  auto steps = l.get<uint32_t>(1);
  auto highest = l.get<std::uint64_t>(2);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    std::vector<std::uint64_t> way = {start[i]};
    while (way.back() != 1 && way.size() <= 500) {
      way.push_back(way.back() % 2 == 1 ? 3 * way.back() + 1 : way.back() / 2);
    }
    steps[i] = static_cast<uint32_t>(way.size() - 1);
    highest[i] = *std::max_element(way.begin(), way.end());
  }
  l.set(1, steps);
  l.set(2, highest);
}

void macros(Launch& l) {
  const auto in = l.get<int>(0);
  auto out = l.get<int>(1), sums = l.get<int>(2);
  const int line = 20;  // of the text, which is even, so that its products are
  for (int64_t i = 0; i < l.items[0]; ++i) {
    int sum = 0;
    for (int k = 0; k < 4; ++k) {
      sum += (in[4 * i + k] + 1) * (in[4 * i + k] + 1) + k * line % 2 + k * k;
    }
    for (int k = 0; k < 4; ++k) {
      out[4 * i + k] = in[4 * i + k] * sum;
    }
    sums[i] = sum;
  }
  l.set(1, out);
  l.set(2, sums);
}

void pointer_helpers(Launch& l) {
  auto rows = l.get<int>(0), medians = l.get<int>(1), extents = l.get<int>(2);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    std::array v = {rows[3 * i], rows[3 * i + 1], rows[3 * i + 2]};
    std::sort(v.begin(), v.end());
    extents[2 * i] = v[2] - v[0];
    extents[2 * i + 1] = v[0];
    medians[i] = v[1];
    rows[3 * i] = v[2];
    rows[3 * i + 1] = v[0];
    rows[3 * i + 2] = v[1];
  }
  l.set(0, rows);
  l.set(1, medians);
  l.set(2, extents);
}

void id_record(Launch& l) {
  auto record = l.get<int>(0);
  int64_t at = 0;
  for (int64_t z = 0; z < l.items[2]; ++z) {
    for (int64_t y = 0; y < l.items[1]; ++y) {
      for (int64_t x = 0; x < l.items[0]; ++x) {
        const int64_t groups = x / l.group[0] + 10 * (y / l.group[1]) + 100 * (z / l.group[2]);
        const int64_t items = x % l.group[0] + 10 * (y % l.group[1]) + 100 * (z % l.group[2]);
        record[at++] = static_cast<int>(1000 * groups + items);
      }
    }
  }
  l.set(0, record);
}

void id_offset(Launch& l) {
  auto ids = l.get<int>(0), squares = l.get<int>(1);
  for (int64_t own = 0; own < l.items[0]; ++own) {
    const int64_t i = own + l.offset[0];
    ids[own] = static_cast<int>(i);
    squares[i] = static_cast<int>(i * i + own % l.group[0]);
  }
  l.set(0, ids);
  l.set(1, squares);
}

void async_copy(Launch& l) {
  const auto in = l.get<int>(0);
  auto out = l.get<int>(1);
  const auto pairs = l.get<std::int16_t>(2);
  const int64_t n = l.group[0];
  for (int64_t at = 0; at < l.items[0]; ++at) {
    out[at] = in[at / n * n + n - 1 - at % n] * 10 + pairs[2 * at];
  }
  l.set(1, out);
}

void local_parameters(Launch& l) {
  const auto in = l.get<int>(0);
  auto out = l.get<float>(1);
  const int64_t n = l.group[0];
  for (int64_t at = 0; at < l.items[0]; ++at) {
    const int64_t first = at / n * n, before = (at - first + n - 1) % n;
    int total = 0;
    for (int64_t k = 0; k < n; ++k) {
      total += in[first + (k + 1) % n] > 0 ? 1 << k : 0;
    }
    out[at] = static_cast<float>(in[first + before] - before + total);  // small whole numbers
  }
  l.set(1, out);
}

void print_rows(Launch& l) {
  const auto x = l.get<int>(0);
  auto digits = l.get<int>(2);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    digits[i] = x[i] == 0 ? 0 : static_cast<int>(std::to_string(std::abs(x[i])).size());
  }
  l.set(2, digits);
}

void ternary_chain(Launch& l) {
  const auto x = l.get<int>(0);
  auto out = l.get<int>(1);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    const int v = x[i];
    const int grade = v < 0 ? -1 : v >= 90 ? 3 : v >= 50 ? 2 : v >= 10 ? 1 : 0;
    int sum = 0;
    const std::vector<int> rounds = v % 2 != 0 ? std::vector{1, 2, 4, 6} : std::vector{1, 2, 4, 5, 6};
    for (const int a : rounds) {
      int b = a;
      while (b > 0 && a * b <= v) {
        sum += a * b;
        b -= 2;
      }
      if (sum > 60) {
        break;
      }
      sum = sum % 2 != 0 ? sum ^ a : sum + grade;
    }
    out[i] = v == 13 ? -13 : sum;
  }
  l.set(1, out);
}

int64_t within(Wide value) {
  return static_cast<int64_t>(std::clamp<Wide>(value, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()));
}
/// The low 64 bits.
int64_t wrapped(Wide value) { return static_cast<int64_t>(static_cast<std::uint64_t>(value)); }

void long_arithmetic(Launch& l) {
  const auto a = l.get<int64_t>(0), b = l.get<int64_t>(1);
  auto out = l.get<int64_t>(2);
  auto u = l.get<std::uint64_t>(3);
  const int64_t n = l.items[0];
  for (int64_t i = 0; i < n; ++i) {
    const Wide x = a[i], y = b[i];
    const auto ux = static_cast<std::uint64_t>(a[i]), uy = static_cast<std::uint64_t>(b[i]);
    out[i] = wrapped(x * y);
    out[n + i] = y == 0 ? 0 : wrapped(x / y);
    out[2 * n + i] = y == 0 ? a[i] : wrapped(x - x / y * y);
    Wide shifted = x;
    for (uint32_t k = 0; k < uy % 64; ++k) {
      shifted = (shifted - (shifted % 2 != 0 ? 1 : 0)) / 2;  // towards minus infinity
    }
    out[3 * n + i] = wrapped(shifted);
    out[4 * n + i] = wrapped(Wide{within(x + y)} - within(y - x));
    u[i] = static_cast<std::uint64_t>(static_cast<UnsignedWide>(ux) * uy >> 64U);
    u[n + i] = (ux << 32U | (uy & 0xffffffffU)) + (x < y ? 1 : 0) + (ux < uy ? 2 : 0);
  }
  l.set(2, out);
  l.set(3, u);
}

void char_arithmetic(Launch& l) {
  const auto c = l.get<std::int8_t>(0);
  const auto u = l.get<std::uint8_t>(1);
  const auto s = l.get<std::int16_t>(2);
  auto sum = l.get<std::int8_t>(3);
  auto product = l.get<std::uint8_t>(4);
  auto mixed = l.get<std::int16_t>(5);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    const int x = c[i], y = u[i];
    sum[i] = static_cast<std::int8_t>(x + y);
    product[i] = static_cast<std::uint8_t>(x * y + (x < y ? 1 : 0));
    auto t = static_cast<std::int16_t>(s[i] + x * 16);
    t = static_cast<std::int16_t>(std::floor(t / 4.0));
    t = static_cast<std::int16_t>(-t);
    const int distance = std::abs(x - static_cast<std::int8_t>(y));
    mixed[i] = static_cast<std::int16_t>(t / 3 + (x + 256) % 256 % 7 + distance);
  }
  l.set(3, sum);
  l.set(4, product);
  l.set(5, mixed);
}

void double_horner(Launch& l) {
  const auto c = l.get<double>(0), x = l.get<double>(1);
  auto y = l.get<double>(2);
  auto rounded = l.get<float>(3);
  for (int64_t i = 0; i < l.items[0]; ++i) {
    y[i] = std::fma(std::fma(std::fma(c[3], x[i], c[2]), x[i], c[1]), x[i], c[0]);
    rounded[i] = static_cast<float>(y[i]);
  }
  l.set(2, y);
  l.set(3, rounded);
}

}  // namespace

std::vector<Reference> vector_references() {
  return {{"vector_add", vector_add},
          {"saxpy4", saxpy4},
          {"dot_partial", dot_partial},
          {"swizzle", swizzle},
          {"int3_cross", int3_cross},
          {"uchar4_blend", uchar4_blend},
          {"convert_sat", convert_sat},
          {"vload_vstore", vload_vstore},
          {"as_type", as_type},
          {"bit_tricks", bit_tricks},
          {"struct_value", struct_value},
          {"struct_buffer", struct_buffer},
          {"union_bits", union_bits},
          {"half_memory", half_memory},
          {"select_mask", select_mask},
          {"shuffle_vectors", shuffle_vectors},
          {"byte_code", byte_code},
          {"collatz", collatz},
          {"macros", macros},
          {"pointer_helpers", pointer_helpers},
          {"id_record", id_record},
          {"id_offset", id_offset, {5, 0, 0}},
          {"async_copy", async_copy},
          {"local_parameters", local_parameters},
          {"print_rows", print_rows},
          {"ternary_chain", ternary_chain},
          {"long_arithmetic", long_arithmetic},
          {"char_arithmetic", char_arithmetic},
          {"double_horner", double_horner}};
}

}  // namespace lockstep::suites
