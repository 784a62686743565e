#pragma once
// Seeded inputs for kernels: the same numbers, graphs and texts from the same seed on every host. Nothing here depends on the
// project; benchmarks use it too.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lockstep::reference {

/// SplitMix64 (Steele, Lea, Flood 2014): every seed is a good one, and its numbers do not depend on a standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// 64 random bits.
  std::uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// An integer from 0 to limit - 1; limit is not 0.
  std::uint64_t below(std::uint64_t limit) { return bits() % limit; }
  /// A number in [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  bool chance(double probability) { return unit() < probability; }

 private:
  std::uint64_t state_;
};

/// What kind of floating-point numbers a kernel gets.
enum class Numbers : std::uint8_t {
  Tame,  ///< uniform in [-1, 1)
  Wide,  ///< any finite bit pattern: tiny, huge and subnormal ones
  Wild   ///< Wide, with zeros of both signs, infinities and NaN among them
};

/// One number of type T (float or double).
template <class T>
T number(Random& random, Numbers kind) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  if (kind == Numbers::Tame) {
    return static_cast<T>(2 * random.unit() - 1);
  }
  if (kind == Numbers::Wild && random.chance(0.2)) {
    const T special[] = {T(0), -T(0), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                         std::numeric_limits<T>::quiet_NaN()};
    return special[random.below(5)];
  }
  constexpr Bits exponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  while (true) {
    const Bits bits = static_cast<Bits>(random.bits());
    if ((bits & exponent) != exponent) {
      return std::bit_cast<T>(bits);
    }
  }
}

template <class T>
std::vector<T> numbers(Random& random, std::size_t count, Numbers kind) {
  std::vector<T> out(count);
  for (T& value : out) {
    value = number<T>(random, kind);
  }
  return out;
}

/// `batch` matrices of n x n, tame, with a diagonal so heavy that L D U exists and is well-conditioned.
template <class T>
std::vector<T> dominant_matrices(Random& random, unsigned n, std::size_t batch) {
  std::vector<T> out = numbers<T>(random, batch * n * n, Numbers::Tame);
  for (std::size_t item = 0; item < batch; ++item) {
    for (std::size_t i = 0; i < n; ++i) {
      T& diagonal = out[item * n * n + i * n + i];
      diagonal += diagonal < 0 ? -static_cast<T>(n) : static_cast<T>(n);
    }
  }
  return out;
}

/// `count` integers from 0 to limit - 1.
std::vector<std::int32_t> integers(Random& random, std::size_t count, std::uint32_t limit);

/// A directed graph without parallel edges or loops: node u's edges are first[u] … first[u+1] of `target` and `weight`.
struct Graph {
  std::vector<std::uint32_t> first;   ///< one more than there are nodes
  std::vector<std::uint32_t> target;  ///< ascending for each node
  std::vector<std::int32_t> weight;   ///< one for each edge, 0 unless said otherwise

  std::uint32_t nodes() const { return static_cast<std::uint32_t>(first.size() - 1); }
};

/// A graph from its edges (from, to), which may come in any order but only once each.
Graph graph_of(std::uint32_t nodes, std::vector<std::pair<std::uint32_t, std::uint32_t>> edges);

/// Erdős and Rényi's G(n, p): each of the n(n-1) edges is there with the probability given.
Graph random_graph(Random& random, std::uint32_t nodes, double probability);

/// The undirected G(n, p): each edge stands in both directions.
Graph random_undirected_graph(Random& random, std::uint32_t nodes, double probability);

/// The complete tree with `arity` children a node and `depth` levels below the root; node 0 is the root, and the children of u are
/// arity*u + 1 and so on. With `both` each edge stands in both directions, else it leads away from the root.
Graph complete_tree(std::uint32_t arity, std::uint32_t depth, bool both);

/// Gives the edges weights, about a third of them negative if `negative`, but no cycle whose sum is.
void add_weights(Random& random, Graph& graph, std::int32_t limit, bool negative);

/// The bytes of a file; throws std::runtime_error if it cannot be read.
std::vector<std::uint8_t> file_bytes(const std::string& path);

/// A text that every Debian machine has.
inline constexpr const char* default_text = "/usr/share/common-licenses/GPL-3";

/// A text of `size` letters out of the first `letters` of the alphabet, broken into lines by chance.
std::vector<std::uint8_t> random_text(Random& random, std::size_t size, unsigned letters);

/// Where the lines of a text begin, and at the end its size; a last line without a line break is one, too.
std::vector<std::uint32_t> line_starts(const std::vector<std::uint8_t>& text);

}  // namespace lockstep::reference
