#pragma once
// Polynomials over a lane's place and over numbers that are the same for the whole pack: how addresses, masks and reorderings are written
// down, so that what they do to all lanes can be seen without running anything (borG paper, section 4.1, memory analysis).

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace lockstep::infreg {

using ValueId = std::uint32_t;  ///< index into Kernel::values

/// `wi` (the item's number in its group), `ix` (the element's number in its array), `wg.ix` (the group's number in the launch), or a
/// value of the layout Pack and type i64 or u64.
struct Symbol {
  enum class Kind : std::uint8_t { Item, Element, Group, Value };
  Kind kind = Kind::Item;
  ValueId value = 0;  ///< of Kind::Value

  auto operator<=>(const Symbol&) const = default;

  static constexpr Symbol item() { return {Kind::Item, 0}; }
  static constexpr Symbol element() { return {Kind::Element, 0}; }
  static constexpr Symbol group() { return {Kind::Group, 0}; }
  static constexpr Symbol of(ValueId value) { return {Kind::Value, value}; }
};

/// coefficient * product of the factors.
struct Monomial {
  std::int64_t coefficient = 1;
  std::vector<Symbol> factors;  ///< ascending, with repetition; never empty

  bool operator==(const Monomial&) const = default;
};

/// A sum of monomials and a constant, computed modulo 2^64. The monomials are ascending by factors, no two have the same, no coefficient
/// is 0: equal polynomials are equal objects.
class Polynomial {
 public:
  Polynomial() = default;
  Polynomial(std::int64_t constant) : constant_(constant) {}  // NOLINT(google-explicit-constructor): numbers are polynomials
  Polynomial(Symbol symbol) : terms_{{1, {symbol}}} {}        // NOLINT(google-explicit-constructor): so are symbols

  std::int64_t constant() const { return constant_; }
  const std::vector<Monomial>& terms() const { return terms_; }
  bool is_constant() const { return terms_.empty(); }

  bool operator==(const Polynomial&) const = default;

  friend Polynomial operator+(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator-(const Polynomial& a, const Polynomial& b);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);
  Polynomial& operator+=(const Polynomial& other) { return *this = *this + other; }

  /// The coefficient of the monomial `symbol` alone; 0 if there is none.
  std::int64_t coefficient(Symbol symbol) const;
  /// True if `symbol` stands in a monomial.
  bool mentions(Symbol symbol) const;
  /// The polynomial p with *this = p * symbol + (what does not mention symbol). Empty if symbol stands in a power above 1.
  std::optional<Polynomial> slope(Symbol symbol) const;
  /// Without the monomials that mention `symbol`.
  Polynomial without(Symbol symbol) const;
  /// With `replacement` for each `symbol`.
  Polynomial substitute(Symbol symbol, const Polynomial& replacement) const;
  /// With another value for each value: renaming after a copy.
  Polynomial with_values(const std::function<ValueId(ValueId)>& rename) const;

  /// Its number, modulo 2^64. `number_of` gives each symbol's.
  template <class F>
  std::int64_t evaluate(F&& number_of) const {
    auto sum = static_cast<std::uint64_t>(constant_);
    for (const Monomial& term : terms_) {
      auto product = static_cast<std::uint64_t>(term.coefficient);
      for (const Symbol symbol : term.factors) {
        product *= static_cast<std::uint64_t>(number_of(symbol));
      }
      sum += product;
    }
    return static_cast<std::int64_t>(sum);
  }

  /// Calls f(ValueId) for each value in it, with repetition.
  template <class F>
  void for_each_value(F&& f) const {
    for (const Monomial& term : terms_) {
      for (const Symbol symbol : term.factors) {
        if (symbol.kind == Symbol::Kind::Value) {
          f(symbol.value);
        }
      }
    }
  }

 private:
  void add(Monomial term);

  std::int64_t constant_ = 0;
  std::vector<Monomial> terms_;
};

}  // namespace lockstep::infreg
