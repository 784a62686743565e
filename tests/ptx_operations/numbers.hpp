#pragma once
// Numbers to try an instruction on: those at edges, and random ones.

#include <cstdint>
#include <random>
#include <vector>

#include "tests/campaign/run.hpp"
#include "tests/ptx_operations/subject.hpp"

namespace lockstep::ptx_test {

inline std::uint64_t low_bits(std::uint64_t a, unsigned bits) { return bits == 64 ? a : a & ((std::uint64_t{1} << bits) - 1); }
/// The lower bits as a signed number.
inline std::int64_t as_signed(std::uint64_t a, unsigned bits) { return static_cast<std::int64_t>(a << (64 - bits)) >> (64 - bits); }

/// Integers of so many bits at which something changes: around 0, the ends, halves and powers of 2.
inline Column integer_edges(unsigned bits) {
  Column edges = {0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x100};
  for (const std::uint64_t power : {std::uint64_t{1} << (bits / 2), std::uint64_t{1} << (bits - 1), std::uint64_t{1} << 23 % bits}) {
    for (const std::uint64_t near : {power - 1, power, power + 1}) {
      edges.push_back(near);
    }
  }
  for (std::uint64_t k = 1; k < 4; ++k) {
    edges.push_back(0 - k);
  }
  edges.push_back(0x5555555555555555U);
  edges.push_back(0xdeadbeefcafef00dU);
  for (std::uint64_t& edge : edges) {
    edge = low_bits(edge, bits);
  }
  return edges;
}

inline std::mt19937_64& generator() {
  static std::mt19937_64 random(test::run_seed());
  return random;
}

/// Random integers, long and short ones alike often.
inline Column random_integers(unsigned bits, std::size_t count) {
  Column numbers(count);
  for (std::uint64_t& number : numbers) {
    number = low_bits(generator()() >> (generator()() % bits), bits);
    if (generator()() % 2 == 0) {
      number = low_bits(~number, bits);
    }
  }
  return numbers;
}

/// All combinations of edges, and behind them as many random lanes.
inline std::vector<Column> integer_operands(const std::vector<unsigned>& bits, std::size_t random_lanes = 4096) {
  std::vector<Column> lists;
  for (const unsigned width : bits) {
    lists.push_back(width == 1 ? Column{0, 1} : integer_edges(width));
  }
  std::vector<Column> columns = combinations(lists);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const Column random = bits[i] == 1 ? Column(random_lanes, 0) : random_integers(bits[i], random_lanes);
    columns[i].insert(columns[i].end(), random.begin(), random.end());
    if (bits[i] == 1) {
      for (std::size_t t = columns[i].size() - random_lanes; t < columns[i].size(); ++t) {
        columns[i][t] = generator()() & 1;
      }
    }
  }
  return columns;
}

}  // namespace lockstep::ptx_test
