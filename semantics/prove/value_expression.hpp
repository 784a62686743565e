#pragma once
// Values as Z3 has them, for the files of this folder that know Z3.

#include <cstdint>
#include <string>
#include <vector>

#include "semantics/prove/value.hpp"

namespace z3 {
class expr;
class sort;
class model;
}  // namespace z3

namespace lockstep::prove {

inline bool exact() { return FloatTheory::mode() == FloatMode::Exact; }
inline unsigned width(ScalarType type) { return 8 * size_of(type); }

z3::sort sort_of(ScalarType type);
Node node_of(const z3::expr& e);

/// The function of this name on operands of these sorts, of which nothing is known.
z3::expr unknown_function(const std::string& name, const z3::sort& result, const std::vector<z3::expr>& operands);

/// The IEEE number with these bits, and the bits of an IEEE number; in exact mode.
z3::expr float_of_bits(ScalarType type, const z3::expr& bits);
z3::expr bits_of_float(const z3::expr& number);

/// The value as a term of the type's sort; any value is 0. Not for pointers.
z3::expr expression(const Value& v, ScalarType type);

/// The value that a term is: a constant where it is a numeral.
Value value_of(ScalarType type, const z3::expr& e);
Value value_of(ScalarType type, const Node& node);

/// Whether a case of the value is a pointer.
bool has_pointer(const Value& v);

/// The number that a named value is in a model, as core::Literal's bits; what the model leaves open is 0.
std::uint64_t bits_in(const z3::model& model, const Value& v);

}  // namespace lockstep::prove
