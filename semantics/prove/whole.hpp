#pragma once
// Whole numbers as terms: what proofs about the compiler's analyses compute with (semantics/ops/interval.hpp says what a number domain
// has). In one of two forms, and never mixed: as Z3's integers, which know no bound and take products well, or as so many bits that nothing
// computed from 64-bit numbers wraps, which go together with the words of the operations themselves.

#include <cstdint>
#include <string>

#include "semantics/prove/term.hpp"
#include "semantics/prove/value.hpp"

namespace lockstep::prove {

class Whole {
 public:
  enum class Form : std::uint8_t { Integer, Bits };
  __extension__ using Wide = __int128;

  explicit Whole(Node node) : node_(std::move(node)) {}
  /// The unknown number of this name; equal names of one form are one unknown.
  static Whole named(Form form, const std::string& name);
  static Whole constant(Form form, Wide value);
  /// The number that a value of an integer type is; of the form Bits.
  static Whole of(const Value& value);

  Form form() const;
  const Node& node() const { return node_; }

 private:
  Node node_;
};

Whole operator+(const Whole& a, const Whole& b);
Whole operator-(const Whole& a, const Whole& b);
Whole operator*(const Whole& a, const Whole& b);
Truth operator<(const Whole& a, const Whole& b);
Truth operator<=(const Whole& a, const Whole& b);
Truth operator==(const Whole& a, const Whole& b);

// The primitives of semantics/ops/interval.hpp.
Whole whole(const Whole& like, Whole::Wide constant);
Whole choose(const Truth& c, const Whole& a, const Whole& b);
Whole quotient_of(const Whole& a, const Whole& b);
/// Unknown but for what it is supposed to be: that n == m * of makes it true.
Truth is_multiple(const Whole& n, const Whole& of);
/// Of the form Bits only, like the next one.
Whole low_bits(const Whole& n, unsigned bits);
Whole shifted_down(const Whole& n, const Whole& count);

/// n modulo 2^bits: the number of that residue among those of the type. Of the form Integer only.
Whole wrapped(const Whole& n, unsigned bits, bool is_signed);

}  // namespace lockstep::prove
