#pragma once
// What is known of values while a clean-up walks a kernel from its beginning to its end.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "codegen/passes/clean/polynomials.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// Facts of the values whose definitions were met. Keeps pointers to nodes: operations must stay where they are in memory.
class Facts {
 public:
  explicit Facts(const infreg::Kernel& kernel);

  /// The walk has come to this operation; its operands were met before.
  void meet(const infreg::Operation& operation);
  /// The walk enters the body of this loop.
  void enter(const infreg::For& loop);

  /// The operation that defines the value, if it is of this kind; null if it is another, or a parameter or a region's argument.
  template <class T>
  const T* as(infreg::ValueId value) const {
    return definitions_[value] == nullptr ? nullptr : std::get_if<T>(definitions_[value]);
  }

  /// The number that all lanes have.
  std::optional<std::uint64_t> constant(infreg::ValueId value) const;
  bool is_constant(infreg::ValueId value, std::uint64_t bits) const { return constant(value) == bits; }

  /// A polynomial that is congruent to the lanes' numbers modulo 2^(bits of the type); of integers only, not of i1.
  std::optional<infreg::Polynomial> polynomial(infreg::ValueId value) const;
  /// The same, with numbers that are those of the lanes, as signed 64-bit numbers.
  std::optional<infreg::Polynomial> exact_polynomial(infreg::ValueId value) const;

  /// Whether no lane of the value is ever poison.
  bool is_defined(infreg::ValueId value) const { return defined_[value]; }

  /// What symbols can be in lanes of the layout. Valid as long as this object.
  SymbolRange ranges(infreg::Layout layout) const;

 private:
  bool gives_numbers(const infreg::Node& node) const;

  const infreg::Kernel& kernel_;
  std::vector<const infreg::Node*> definitions_;
  std::vector<bool> defined_;
  std::unordered_map<infreg::ValueId, Range> variables_;  ///< of loops with known bounds
};

/// Whether the value of layout Pack may stand in a polynomial.
bool is_counter(const infreg::Type& type);

/// Whether every number of `from` is one of `to`, and converting it there and on, where that is defined, is
/// converting it at once.
bool holds_all(ScalarType to, ScalarType from);

/// The least and the greatest number of an integer type; of u64 what fits in 64 signed bits.
Range range_of(ScalarType type);

}  // namespace lockstep::passes::clean
