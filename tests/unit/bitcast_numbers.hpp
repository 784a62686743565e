#pragma once
// For tests of bitcasts, knowing nothing of ours but the types: numbers by their bits, and what types they may become.

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::bitcasts {

/// The types whose numbers have as many bytes, but for bool.
inline std::vector<ScalarType> types_of_size(unsigned size) {
  std::vector<ScalarType> types;
  for (const ScalarInfo& row : scalar_table) {
    if (row.type != ScalarType::Bool && row.size == size) {
      types.push_back(row.type);
    }
  }
  return types;
}

/// All of 1 and 2 bytes. Of 4 and 8 zeros, units, the ends of the integers; subnormals, infinities, quiet and signalling NaNs of small,
/// large and single-bit payloads, all with both signs; and `more` random ones, half of them with the exponent of NaNs.
inline std::vector<std::uint64_t> words(unsigned size, unsigned more = 500) {
  std::vector<std::uint64_t> all;
  if (size <= 2) {
    for (std::uint64_t word = 0; word >> (8 * size) == 0; ++word) {
      all.push_back(word);
    }
    return all;
  }
  const unsigned width = 8 * size;
  const unsigned fraction = size == 4 ? 23 : 52;
  const std::uint64_t ones = ~std::uint64_t{0} >> (64 - width);
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  const std::uint64_t fractions = (std::uint64_t{1} << fraction) - 1;
  const std::uint64_t exponents = ones & ~sign & ~fractions;
  const std::uint64_t quiet = std::uint64_t{1} << (fraction - 1);
  std::set<std::uint64_t> edges = {0, 1, 2, fractions, fractions + 1, exponents, exponents - 1, ones & ~sign, exponents / 2 & exponents};
  for (const std::uint64_t payload : {std::uint64_t{1}, std::uint64_t{2}, quiet >> 1U, quiet - 1, quiet - 2}) {
    edges.insert(exponents | payload);          // signalling
    edges.insert(exponents | quiet | payload);  // quiet
  }
  edges.insert(exponents | quiet);
  for (unsigned bit = 0; bit < fraction; ++bit) {
    edges.insert(exponents | std::uint64_t{1} << bit);
  }
  for (const std::uint64_t word : edges) {
    all.push_back(word);
    all.push_back(word | sign);
  }
  std::mt19937_64 random(size);
  for (unsigned k = 0; k < more; ++k) {
    const std::uint64_t word = random() & ones;
    all.push_back(k % 2 == 0 ? word : word | exponents);
  }
  return all;
}

}  // namespace lockstep::bitcasts
