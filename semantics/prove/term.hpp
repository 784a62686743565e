#pragma once
// Terms of the prover: truth values, 64-bit words and memories that Z3 knows about. Constants are folded as they appear (by
// Z3's own simplifier, so that a run on constants tests the same meaning of each operation that the proofs use).
// Z3 itself stays in term.cpp and solver.cpp. Terms belong to the thread that made them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace z3 {
class expr;
}

namespace lockstep::prove {

/// A Z3 expression; null in default-made terms.
using Node = std::shared_ptr<const z3::expr>;

/// A truth value: true, false or a Boolean term.
class Truth {
 public:
  Truth() = default;
  explicit Truth(bool value) : value_(value) {}
  explicit Truth(Node node);

  /// The unknown truth value of this name; equal names are one unknown.
  static Truth named(const std::string& name);

  /// The value, if it is a constant.
  std::optional<bool> known() const { return node_ ? std::nullopt : std::optional(value_); }
  const Node& node() const { return node_; }

  friend Truth operator!(const Truth& a);
  friend Truth operator&&(const Truth& a, const Truth& b);
  friend Truth operator||(const Truth& a, const Truth& b);

 private:
  bool value_ = false;
  Node node_;
};

Truth implies(const Truth& a, const Truth& b);
/// True if the two are one term.
bool identical(const Truth& a, const Truth& b);
/// a if and only if b.
Truth same(const Truth& a, const Truth& b);
Truth choose(const Truth& c, const Truth& a, const Truth& b);

/// A 64-bit word; a default-made one is 0. Also serves as a label.
class Word {
 public:
  Word() : Word(0) {}
  explicit Word(std::int64_t value);
  explicit Word(Node node);

  /// The unknown word of this name; equal names are one unknown.
  static Word named(const std::string& name);

  /// The value, if it is a constant.
  std::optional<std::int64_t> known() const { return known_; }
  const Node& node() const { return node_; }

 private:
  std::optional<std::int64_t> known_;
  Node node_;
};

// The primitives of semantics/ops/scalar.hpp.
Word like(const Word&, std::int64_t constant);
Word plus(const Word& a, const Word& b);
Word minus(const Word& a, const Word& b);
Word times(const Word& a, const Word& b);
Word quotient(const Word& a, const Word& b);
Word remainder(const Word& a, const Word& b);
Word shifted_left(const Word& a, const Word& n);
Word shifted_right(const Word& a, const Word& n);
Word bit_and(const Word& a, const Word& b);
Word bit_or(const Word& a, const Word& b);
Word bit_xor(const Word& a, const Word& b);
Word bit_not(const Word& a);
Truth less(const Word& a, const Word& b);
Truth equal(const Word& a, const Word& b);
Word choose(const Truth& c, const Word& a, const Word& b);

inline Truth operator==(const Word& a, const Word& b) { return equal(a, b); }
inline Word operator+(const Word& a, int n) { return plus(a, Word(n)); }

/// A cell of β or Σ: uninitialised unless `written`, then poison or a number.
struct CellTerm {
  Word value;
  Truth written;
  Truth poison;

  Truth is_number() const { return written && !poison; }
  Truth is_poison() const { return written && poison; }
};

/// Both uninitialised, both poison, or both the same number.
Truth same(const CellTerm& a, const CellTerm& b);
CellTerm choose(const Truth& c, const CellTerm& a, const CellTerm& b);

/// Σ: a Z3 array from 64-bit addresses to cells. A default-made one is uninitialised everywhere.
class Memory {
 public:
  Memory();
  explicit Memory(Node array) : array_(std::move(array)) {}

  /// The unknown memory of this name.
  static Memory named(const std::string& name);

  CellTerm read(const Word& address) const;
  /// Writes where `condition` holds.
  void write(const Truth& condition, const Word& address, const CellTerm& cell);

  /// The constant addresses that were written, ascending, each once.
  std::vector<std::int64_t> known_addresses() const;

 private:
  Node array_;
};

}  // namespace lockstep::prove
