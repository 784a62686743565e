#pragma once
// The loop heads of docs/loop-heads.md: the page's grammar, read and expanded.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "semantics/base/scalar_type.hpp"

namespace lockstep::test {

/// A scalar parameter of a kernel, and its number.
struct Scalar {
  ScalarType type = ScalarType::Int;
  std::string name;
  std::uint64_t bits = 0;  ///< extended by its type
};

struct Head {
  std::string family;
  std::vector<Scalar> scalars;  ///< those that the statement names
  std::string statement;
};

/// What stands on the page.
struct Grammar {
  struct Family {
    std::string name;
    std::string text;  ///< "int n = 3: for …": parameters and statement, with symbols
  };
  std::map<std::string, std::vector<std::string>> symbols;  ///< and their alternatives
  std::vector<Family> families;
};

/// The first block behind "## The grammar". Throws std::runtime_error where a line is neither a symbol's nor a family's.
Grammar read_grammar(const std::string& page);

/// All heads, in the order of the page; of those that are alike, the first one. Throws std::runtime_error at what is no head.
std::vector<Head> expand(const Grammar& grammar);

}  // namespace lockstep::test
