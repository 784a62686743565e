#include "semantics/prove/whole.hpp"

#include <z3++.h>

#include <algorithm>

#include "semantics/prove/context.hpp"
#include "semantics/prove/value_expression.hpp"

namespace lockstep::prove {

namespace {

constexpr unsigned form_bits = 136;

Node node_of(const z3::expr& e) { return std::make_shared<const z3::expr>(e); }
Whole number(const z3::expr& e) { return Whole(node_of(e)); }
Truth truth(const z3::expr& e) { return Truth(node_of(e.simplify())); }

std::string decimal(Whole::Wide value) {
  const bool is_negative = value < 0;
  std::string digits;
  do {
    const auto digit = static_cast<int>(value % 10);
    digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    value /= 10;
  } while (value != 0);
  digits += is_negative ? "-" : "";
  std::ranges::reverse(digits);
  return digits;
}

}  // namespace

Whole Whole::named(Form form, const std::string& name) {
  return number(form == Form::Integer ? context().int_const(name.c_str()) : context().bv_const(name.c_str(), form_bits));
}

Whole Whole::constant(Form form, Wide value) {
  const std::string digits = decimal(value);
  return number(form == Form::Integer ? context().int_val(digits.c_str()) : context().bv_val(digits.c_str(), form_bits));
}

Whole Whole::of(const Value& value) {
  const z3::expr e = expression(value, value.type());
  const unsigned more = form_bits - e.get_sort().bv_size();
  return number(is_signed(value.type()) ? z3::sext(e, more) : z3::zext(e, more));
}

Whole::Form Whole::form() const { return node_->is_int() ? Form::Integer : Form::Bits; }

Whole operator+(const Whole& a, const Whole& b) { return number(*a.node() + *b.node()); }
Whole operator-(const Whole& a, const Whole& b) { return number(*a.node() - *b.node()); }
Whole operator*(const Whole& a, const Whole& b) { return number(*a.node() * *b.node()); }
Truth operator<(const Whole& a, const Whole& b) { return truth(*a.node() < *b.node()); }
Truth operator<=(const Whole& a, const Whole& b) { return truth(*a.node() <= *b.node()); }
Truth operator==(const Whole& a, const Whole& b) { return truth(*a.node() == *b.node()); }

Whole whole(const Whole& like, Whole::Wide constant) { return Whole::constant(like.form(), constant); }

Whole choose(const Truth& c, const Whole& a, const Whole& b) {
  if (const auto known = c.known()) {
    return *known ? a : b;
  }
  return number(z3::ite(*c.node(), *a.node(), *b.node()));
}

Whole quotient_of(const Whole& a, const Whole& b) {
  if (a.form() == Whole::Form::Bits) {
    return number(*a.node() / *b.node());
  }
  const z3::expr zero = context().int_val(0);  // Z3 rounds down
  return number(z3::ite(*a.node() < zero, -(-*a.node() / *b.node()), *a.node() / *b.node()));
}

Truth is_multiple(const Whole& n, const Whole& of) {
  const z3::sort integer = context().int_sort();
  return truth(context().function("is multiple", integer, integer, context().bool_sort())(*n.node(), *of.node()));
}

Whole low_bits(const Whole& n, unsigned bits) { return number(*n.node() & context().bv_val((std::uint64_t{1} << bits) - 1, form_bits)); }

Whole shifted_down(const Whole& n, const Whole& count) { return number(z3::ashr(*n.node(), *count.node())); }

Whole wrapped(const Whole& n, unsigned bits, bool is_signed) {
  const Whole size = whole(n, Whole::Wide{1} << bits);
  const Whole shift = whole(n, is_signed ? Whole::Wide{1} << (bits - 1) : 0);
  return number(z3::mod(*(n + shift).node(), *size.node())) - shift;
}

}  // namespace lockstep::prove
