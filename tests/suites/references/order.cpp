// What the kernels that reduce, scan, count, sort and search compute.

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "tests/suites/references/launch.hpp"

namespace lockstep::suites {
namespace {

using std::int64_t;
using std::uint32_t;

/// The sum of the numbers of [first, end).
template <class T>
T sum_of(const Numbers<T>& numbers, int64_t first, int64_t end) {
  T sum = 0;
  for (int64_t k = first; k < std::min(end, numbers.count()); ++k) {
    sum += numbers[k];
  }
  return sum;
}

void reduce_tree(Launch& l) {
  const auto in = l.get<int>(0);
  auto out = l.get<int>(1);
  for (int64_t g = 0; g < out.count(); ++g) {
    out[g] = sum_of(in, 2 * l.group[0] * g, 2 * l.group[0] * (g + 1));
  }
  l.set(1, out);
}

void reduce_extremes(Launch& l) {
  const auto in = l.get<int>(0);
  auto least = l.get<int>(1), greatest = l.get<int>(2);
  for (int64_t g = 0; g < greatest.count(); ++g) {
    const auto first = in.all().begin() + g * l.group[0], end = first + l.group[0];
    const auto place = std::min_element(first, end);
    least[2 * g] = *place;
    least[2 * g + 1] = static_cast<int>(place - in.all().begin());
    greatest[g] = *std::max_element(first, end);
  }
  l.set(1, least);
  l.set(2, greatest);
}

void reduce_float4(Launch& l) {
  const auto in = l.get<float>(0);
  auto out = l.get<float>(1);
  const int64_t part = l.one<int>(2);
  for (int64_t i = 0; i < out.count(); ++i) {
    std::array<float, 4> sums{};
    for (int64_t k = 0; k < 4 * part; ++k) {
      sums.at(static_cast<std::size_t>(k) % 4) += in[4 * part * i + k];
    }
    out[i] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  l.set(1, out);
}

void scan_hillis(Launch& l) {
  const auto in = l.get<int>(0);
  auto out = l.get<int>(1);
  for (int64_t i = 0; i < out.count(); ++i) {
    out[i] = sum_of(in, i / l.group[0] * l.group[0], i + 1);
  }
  l.set(1, out);
}

/// The sum of [first, first + count) as a tree.
float tree(const Numbers<float>& in, int64_t first, int64_t count) {
  return count == 1 ? in[first] : tree(in, first, count / 2) + tree(in, first + count / 2, count / 2);
}
/// What stands in front of each number, `before` in front of the first.
void spread(const Numbers<float>& in, int64_t first, int64_t count, float before, Numbers<float>& out) {
  if (count == 1) {
    out[first] = before;
    return;
  }
  spread(in, first, count / 2, before, out);
  spread(in, first + count / 2, count / 2, before + tree(in, first, count / 2), out);
}
void scan_blelloch(Launch& l) {
  const auto in = l.get<float>(0);
  auto out = l.get<float>(1), sums = l.get<float>(2);
  const int64_t n = 2 * l.group[0];
  for (int64_t g = 0; g < sums.count(); ++g) {
    spread(in, g * n, n, 0, out);
    sums[g] = tree(in, g * n, n);
  }
  l.set(1, out);
  l.set(2, sums);
}

void scan_groups(Launch& l) {
  auto data = l.get<uint32_t>(0);
  const auto totals = l.get<uint32_t>(1);
  for (int64_t k = 0; k < data.count(); ++k) {
    data[k] += sum_of(totals, 0, k / 4 / l.group[0]);
  }
  l.set(0, data);
}

void histogram_local(Launch& l) {
  const auto data = l.get<std::uint8_t>(0);
  auto histogram = l.get<uint32_t>(1);
  for (const std::uint8_t byte : data.all()) {
    ++histogram[byte / 16];
  }
  l.set(1, histogram);
}

void histogram_private(Launch& l) {
  const auto data = l.get<std::uint8_t>(0);
  auto out = l.get<uint32_t>(2);
  std::fill(out.all().begin(), out.all().end(), 0);
  for (int64_t k = 0; k < data.count(); ++k) {
    ++out[k / l.one<int>(3) / l.group[0] * 8 + data[k] % 8];
  }
  l.set(2, out);
}

void bitonic_local(Launch& l) {
  auto keys = l.get<uint32_t>(0), values = l.get<uint32_t>(1);
  if (l.one<uint32_t>(2) != 1) {
    throw std::logic_error("bitonic_local.sim sorts downwards");
  }
  for (int64_t first = 0; first < keys.count(); first += 16) {
    std::map<uint32_t, uint32_t> sorted;  // no key is there twice
    for (int64_t k = first; k < first + 16; ++k) {
      sorted[keys[k]] = values[k];
    }
    int64_t at = first;
    for (const auto& [key, value] : sorted) {
      keys[at] = key;
      values[at++] = value;
    }
  }
  l.set(0, keys);
  l.set(1, values);
}

/// Of each number and its partner, whose numbers differ in one bit, the lesser goes where the block's direction wants it.
void bitonic_step(Launch& l) {
  const auto before = l.get<int>(0);
  auto after = before;
  const uint32_t stage = l.one<uint32_t>(1), distance = 1U << (stage - l.one<uint32_t>(2));
  const bool upwards = l.one<uint32_t>(3) != 0;
  for (int64_t k = 0; k < after.count(); ++k) {
    const int64_t partner = k ^ distance;
    const bool is_left = k < partner, block_turns = (k >> (stage + 1)) % 2 == 1;
    after[k] = is_left == (upwards != block_turns) ? std::min(before[k], before[partner]) : std::max(before[k], before[partner]);
  }
  l.set(0, after);
}

void radix_count(Launch& l) {
  const auto keys = l.get<uint32_t>(0);
  auto counts = l.get<uint32_t>(1);
  std::fill(counts.all().begin(), counts.all().end(), 0);
  for (int64_t k = 0; k < keys.count(); ++k) {
    ++counts[(keys[k] >> l.one<uint32_t>(3)) % 4 * l.items[0] + k / l.one<int>(2)];
  }
  l.set(1, counts);
}

void radix_scatter(Launch& l) {
  auto keys = l.get<uint32_t>(0);
  const uint32_t shift = l.one<uint32_t>(4);
  std::stable_sort(keys.all().begin(), keys.all().end(), [&](uint32_t a, uint32_t b) { return (a >> shift) % 4 < (b >> shift) % 4; });
  l.set(2, keys);
}

void merge_ranks(Launch& l) {
  auto numbers = l.get<int>(0);
  std::sort(numbers.all().begin(), numbers.all().end());
  l.set(1, numbers);
}

void odd_even(Launch& l) {
  auto numbers = l.get<std::int16_t>(0);
  std::sort(numbers.all().begin(), numbers.all().end());
  l.set(0, numbers);
}

void compact_scan(Launch& l) {
  const auto in = l.get<int>(0);
  auto out = l.get<int>(1), count = l.get<int>(2);
  count[0] = 0;
  for (const int x : in.all()) {
    if (x > l.one<int>(4)) {
      out[count[0]++] = x;
    }
  }
  l.set(1, out);
  l.set(2, count);
}

void bfs_step(Launch& l) {
  const auto nodes = l.get<int>(0), edges = l.get<int>(1);
  auto mask = l.get<std::int8_t>(2);
  auto updating = l.get<int>(3), cost = l.get<int>(5);
  const auto visited = l.get<std::int8_t>(4);
  for (int64_t node = 0; node < l.one<int>(6); ++node) {
    for (int64_t e = nodes[2 * node]; mask[node] != 0 && e < nodes[2 * node] + nodes[2 * node + 1]; ++e) {
      if (visited[edges[e]] == 0) {
        updating[edges[e]] = 1;
        cost[edges[e]] = cost[node] + 1;  // all who are masked have the same
      }
    }
    mask[node] = 0;
  }
  l.set(2, mask);
  l.set(3, updating);
  l.set(5, cost);
}

void floyd_step(Launch& l) {
  auto distance = l.get<uint32_t>(0), path = l.get<uint32_t>(1);
  const uint32_t n = l.one<uint32_t>(2), k = l.one<uint32_t>(3);
  for (int64_t y = 0; y < n; ++y) {
    for (int64_t x = 0; x < n; ++x) {
      const uint32_t around = distance[y * n + k] + distance[k * n + x];
      if (x != k && y != k && around < distance[y * n + x]) {
        distance[y * n + x] = around;
        path[y * n + x] = k;
      }
    }
  }
  l.set(0, distance);
  l.set(1, path);
}

void atomics_all(Launch& l) {
  const auto in = l.get<int>(0);
  auto out = l.get<int>(1);
  auto u = l.get<uint32_t>(2);
  for (int64_t i = 0; i < in.count(); ++i) {
    const int v = in[i];
    const auto bits = static_cast<uint32_t>(v);
    out[0] += v;
    out[1] -= v;
    out[2] += 1;
    out[3] -= 1;
    out[4] = std::min(out[4], v);
    out[5] = std::max(out[5], v);
    u[0] &= bits | 0xff0000ffU;
    u[1] |= uint32_t{1} << (bits % 32);
    u[2] ^= bits * 2654435761U;
    u[3] = std::max(u[3], bits);
    const int64_t at = 6 + 2 * (i / l.group[0]);
    out[at] += v;
    out[at + 1] = std::max(out[at + 1], v);
  }
  l.set(1, out);
  l.set(2, u);
}

void cas_sum(Launch& l) {
  const auto in = l.get<float>(0);
  auto sum = l.get<float>(1);
  for (int64_t i = 0; i < in.count(); ++i) {
    sum[i / l.group[0]] += in[i];
  }
  l.set(1, sum);
}

std::string text_of(const Numbers<char>& characters) { return {characters.all().begin(), characters.all().end()}; }

void string_search(Launch& l) {
  const std::string text = text_of(l.get<char>(0)), pattern = text_of(l.get<char>(1));
  Numbers<std::uint8_t> found(static_cast<int64_t>(text.size()));
  for (std::size_t at = text.find(pattern); at != std::string::npos; at = text.find(pattern, at + 1)) {
    found[static_cast<int64_t>(at)] = 1;
  }
  l.set(4, found);
}

/// By the definition: what is left of two words differs by the cheapest first change.
int distance_of(const std::string& a, const std::string& b, std::map<std::pair<std::string, std::string>, int>& known) {
  if (a.empty() || b.empty()) {
    return static_cast<int>(a.size() + b.size());
  }
  if (const auto at = known.find({a, b}); at != known.end()) {
    return at->second;
  }
  const int change = distance_of(a.substr(1), b.substr(1), known) + (a[0] == b[0] ? 0 : 1);
  const int least = std::min({change, distance_of(a.substr(1), b, known) + 1, distance_of(a, b.substr(1), known) + 1});
  return known[{a, b}] = least;
}
void edit_distance(Launch& l) {
  const std::string word = text_of(l.get<char>(0)), words = text_of(l.get<char>(2));
  auto distances = l.get<int>(3);
  std::map<std::pair<std::string, std::string>, int> known;
  for (int64_t i = 0; i < distances.count(); ++i) {
    const std::string other = words.substr(8 * static_cast<std::size_t>(i), 8);
    distances[i] = distance_of(word, other.substr(0, other.find('\0')), known);
  }
  l.set(3, distances);
}

}  // namespace

std::vector<Reference> order_references() {
  return {{"reduce_tree", reduce_tree},
          {"reduce_extremes", reduce_extremes},
          {"reduce_float4", reduce_float4},
          {"scan_hillis", scan_hillis},
          {"scan_blelloch", scan_blelloch},
          {"scan_groups", scan_groups},
          {"histogram_local", histogram_local},
          {"histogram_private", histogram_private},
          {"bitonic_local", bitonic_local},
          {"bitonic_step", bitonic_step},
          {"radix_count", radix_count},
          {"radix_scatter", radix_scatter},
          {"merge_ranks", merge_ranks},
          {"odd_even", odd_even},
          {"compact_scan", compact_scan},
          {"bfs_step", bfs_step},
          {"floyd_step", floyd_step},
          {"atomics_all", atomics_all},
          {"cas_sum", cas_sum},
          {"string_search", string_search},
          {"edit_distance", edit_distance}};
}

}  // namespace lockstep::suites
