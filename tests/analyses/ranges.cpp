// Intervals of integers (semantics/ops/interval.hpp): whatever numbers of a type lie in the operands' intervals, the operation's result
// lies in the interval that comes out, whose ends are signed numbers of a word.

#include <array>
#include <optional>

#include "semantics/ops/interval.hpp"
#include "semantics/prove/value.hpp"
#include "semantics/prove/whole.hpp"
#include "tests/analyses/analysis.hpp"
#include "tests/analyses/small.hpp"

namespace lockstep::analyses {

namespace {

using prove::Truth;
using prove::Value;
using prove::Whole;

// ---- all intervals at four bits -------------------------------------------------------------------------------------------

std::string text(const Interval<Wide>& i) {
  return i.known ? "[" + std::to_string(static_cast<long>(i.lo)) + ", " + std::to_string(static_cast<long>(i.hi)) + "]" : "unknown";
}

/// All intervals with ends in the type (those that can be named), and the unknown one.
std::vector<Interval<Wide>> intervals(IntegerType type) {
  std::vector<Interval<Wide>> all{{false, 0, 0}};
  for (Wide lo = least_of(type, Wide{0}); lo <= greatest_of(type, Wide{0}); ++lo) {
    for (Wide hi = lo; hi <= greatest_of(type, Wide{0}); ++hi) {
      all.push_back({true, lo, hi});
    }
  }
  return all;
}

/// What results there were.
struct Extremes {
  std::optional<int> least;
  std::optional<int> most;

  void add(const std::optional<int>& result) {
    if (result) {
      least = std::min(least.value_or(*result), *result);
      most = std::max(most.value_or(*result), *result);
    }
  }
};

bool is_right(const Interval<Wide>& claim, unsigned word_width, const Extremes& results) {
  const IntegerType word{word_width, true, word_width};
  return !claim.known || (least_of(word, Wide{0}) <= claim.lo && claim.hi <= greatest_of(word, Wide{0}) &&
                          (!results.least || (claim.lo <= *results.least && *results.most <= claim.hi)));
}

/// f(word, type): signed and unsigned, once as the largest type itself, once with a larger one.
template <class F>
void for_each_small_type(F&& f) {
  for (const unsigned word : {4U, 8U}) {
    f(Small<4, true>{}, IntegerType{4, true, word});
    f(Small<4, false>{}, IntegerType{4, false, word});
  }
}

/// Calls f with each number that may be meant.
template <class W, class F>
void for_each_in(const Interval<Wide>& i, F&& f) {
  const int first = i.known ? static_cast<int>(i.lo) : W::least;
  const int last = i.known ? static_cast<int>(i.hi) : W::least + W::count - 1;
  for (int x = first; x <= last; ++x) {
    f(W{x});
  }
}

/// The operation's text on words, its transfer function's on intervals.
template <class Operation, class Transfer>
Exhausted exhaust(const Operation& operation, const Transfer& transfer) {
  Exhausted result;
  for_each_small_type([&]<class W>(W, IntegerType type) {
    for (const Interval<Wide>& a : intervals(type)) {
      for (const Interval<Wide>& b : intervals(type)) {
        Extremes results;
        for_each_in<W>(a, [&](W x) { for_each_in<W>(b, [&](W y) { results.add(operation(x, y)); }); });
        const Interval<Wide> claim = transfer(type, a, b);
        result.note(is_right(claim, type.word, results), [&] {
          return std::to_string(type.bits) + (type.is_signed ? " bits: " : " bits, unsigned: ") + text(a) + " and " + text(b) + " give " +
                 text(claim);
        });
      }
    }
  });
  return result;
}

Exhausted exhaust_conversions() {
  Exhausted result;
  const auto between = [&]<class From, class To>(From, IntegerType from, To, IntegerType to) {
    for (const Interval<Wide>& a : intervals(from)) {
      Extremes results;
      for_each_in<From>(a, [&](From x) { results.add(To::of(x.value).value); });
      const Interval<Wide> claim = interval_of_conversion(to, a);
      result.note(is_right(claim, to.word, results), [&] {
        return std::to_string(from.bits) + " to " + std::to_string(to.bits) + " bits: " + text(a) + " gives " + text(claim);
      });
    }
  };
  const auto to_each = [&]<class From>(From x, IntegerType from) {
    between(x, from, Small<4, true>{}, IntegerType{4, true, 6});
    between(x, from, Small<4, false>{}, IntegerType{4, false, 6});
    between(x, from, Small<6, true>{}, IntegerType{6, true, 6});
    between(x, from, Small<6, false>{}, IntegerType{6, false, 6});
  };
  to_each(Small<4, true>{}, IntegerType{4, true, 6});
  to_each(Small<4, false>{}, IntegerType{4, false, 6});
  to_each(Small<6, true>{}, IntegerType{6, true, 6});
  to_each(Small<6, false>{}, IntegerType{6, false, 6});
  return result;
}

// ---- proofs at the widths of the language ---------------------------------------------------------------------------------

constexpr std::array integer_types = {ScalarType::Char, ScalarType::UChar, ScalarType::Short, ScalarType::UShort,
                                      ScalarType::Int,  ScalarType::UInt,  ScalarType::Long,  ScalarType::ULong};

IntegerType integer(ScalarType type) { return {bits_of(type), is_signed(type), 64}; }

Truth within(const Whole& number, const Interval<Whole>& i) { return implies(i.known, i.lo <= number && number <= i.hi); }
Truth is_word(const Whole& n) { return whole(n, -(Wide{1} << 63)) <= n && n < whole(n, Wide{1} << 63); }
Truth are_words(const Interval<Whole>& i) { return is_word(i.lo) && is_word(i.hi); }

Interval<Whole> unknown(Whole::Form form, const std::string& name) {
  return {Truth::named(name + " known"), Whole::named(form, name + " lo"), Whole::named(form, name + " hi")};
}

/// The claim of an interval for a result; its twin leaves the greatest number out.
void ask(Proved& proof, const std::string& name, const std::vector<Truth>& premises, const Interval<Whole>& claim, const Whole& result) {
  const Interval<Whole> tighter{claim.known, claim.lo, claim.hi - whole(claim.hi, 1)};
  proof.ask(name, premises, within(result, claim) && implies(claim.known, are_words(claim)), within(result, tighter));
}

/// The operation is that of the prover: the text of semantics/ops over bit vectors.
template <class Transfer>
Proved prove_in_bits(Op op, const Transfer& transfer) {
  Proved proof;
  for (const ScalarType type : integer_types) {
    const Value operands[] = {Value::named(type, "x"), Value::named(type, "y")};
    const auto count = static_cast<std::size_t>(info(op).arity);
    const auto used = std::span(operands).first(count);
    const Interval<Whole> a = unknown(Whole::Form::Bits, "a");
    const Interval<Whole> b = unknown(Whole::Form::Bits, "b");
    ask(proof, std::string(info(type).name),
        {within(Whole::of(operands[0]), a), within(Whole::of(operands[1]), b), are_words(a), are_words(b), !undefined(op, type, used)},
        transfer(integer(type), a, b), Whole::of(apply(op, type, used)));
  }
  return proof;
}

/// What is too hard in bits. Over the integers: what the interval claims of exact(x, y), and that no number of a type changes when it
/// wraps.
template <class Transfer, class Exact>
Proved prove_over_integers(const Transfer& transfer, const Exact& exact) {
  Proved proof;
  const Whole x = Whole::named(Whole::Form::Integer, "x");
  const Whole y = Whole::named(Whole::Form::Integer, "y");
  const Interval<Whole> a = unknown(Whole::Form::Integer, "a");
  const Interval<Whole> b = unknown(Whole::Form::Integer, "b");
  for (const ScalarType type : integer_types) {
    const IntegerType t = integer(type);
    ask(proof, std::string(info(type).name), {within(x, a), within(y, b), are_words(a), are_words(b)}, transfer(t, a, b), exact(x, y));
    const Whole beyond = whole(x, Wide{1} << (t.is_signed ? t.bits - 1 : t.bits));
    proof.ask(std::string(info(type).name) + " does not wrap", {least_of(t, x) <= x, x < beyond}, wrapped(x, t.bits, t.is_signed) == x,
              wrapped(x + whole(x, 1), t.bits, t.is_signed) == x + whole(x, 1));
  }
  return proof;
}

Proved prove_conversions() {
  Proved proof;
  for (const ScalarType from : integer_types) {
    for (const ScalarType to : integer_types) {
      const Value x = Value::named(from, "x");
      const Interval<Whole> a = unknown(Whole::Form::Bits, "a");
      ask(proof, std::string(info(from).name) + " to " + std::string(info(to).name), {within(Whole::of(x), a), are_words(a)},
          interval_of_conversion(integer(to), a), Whole::of(convert(to, x)));
    }
  }
  return proof;
}

template <class W>
std::optional<int> value(const W& word) {
  return word.value;
}
template <class W>
bool no_quotient(W x, W y) {
  return y.value == 0 || (!is_unsigned_word<W> && y.value == -1 && x.value == W::least);
}

}  // namespace

std::vector<TransferFunction> of_ranges() {
  const auto in_bits = [](std::string name, Op op, auto operation, auto transfer) {
    return TransferFunction{std::move(name), [operation, transfer] { return exhaust(operation, transfer); },
                            [op, transfer] { return prove_in_bits(op, transfer); }};
  };
  const auto over_integers = [](std::string name, auto operation, auto transfer, auto exact) {
    return TransferFunction{std::move(name), [operation, transfer] { return exhaust(operation, transfer); },
                            [transfer, exact] { return prove_over_integers(transfer, exact); }};
  };
  return {
      over_integers(
          "range of +", []<class W>(W x, W y) { return value(ops::Add(x, y)); },
          [](IntegerType t, const auto& a, const auto& b) { return interval_of_sum(t, a, b); },
          [](const Whole& x, const Whole& y) { return x + y; }),
      over_integers(
          "range of -", []<class W>(W x, W y) { return value(ops::Sub(x, y)); },
          [](IntegerType t, const auto& a, const auto& b) { return interval_of_difference(t, a, b); },
          [](const Whole& x, const Whole& y) { return x - y; }),
      over_integers(
          "range of a negation", []<class W>(W x, W) { return value(ops::Neg(x)); },
          [](IntegerType t, const auto& a, const auto&) { return interval_of_negation(t, a); },
          [](const Whole& x, const Whole&) { return whole(x, 0) - x; }),
      over_integers(
          "range of *", []<class W>(W x, W y) { return value(ops::Mul(x, y)); },
          [](IntegerType t, const auto& a, const auto& b) { return interval_of_product(t, a, b); },
          [](const Whole& x, const Whole& y) { return x * y; }),
      over_integers(
          "range of /", []<class W>(W x, W y) { return no_quotient(x, y) ? std::nullopt : value(ops::Div(x, y)); },
          [](IntegerType t, const auto& a, const auto& b) { return interval_of_quotient(t, a, b); },
          [](const Whole& x, const Whole& y) { return quotient_of(x, y); }),
      over_integers(
          "range of %", []<class W>(W x, W y) { return no_quotient(x, y) ? std::nullopt : value(ops::Rem(x, y)); },
          [](IntegerType, const auto& a, const auto& b) { return interval_of_remainder(a, b); },
          [](const Whole& x, const Whole& y) { return x - quotient_of(x, y) * y; }),
      in_bits(
          "range of >>", Op::Shr, []<class W>(W x, W y) { return value(ops::Shr(x, y)); },
          [](IntegerType t, const auto& a, const auto& b) { return interval_of_shift_right(t, a, b); }),
      in_bits(
          "range of &", Op::BitAnd, []<class W>(W x, W y) { return value(ops::BitAnd(x, y)); },
          [](IntegerType, const auto& a, const auto& b) { return interval_of_and(a, b); }),
      over_integers(
          "range of min", []<class W>(W x, W y) { return value(ops::Min(x, y)); },
          [](IntegerType, const auto& a, const auto& b) { return interval_of_min(a, b); },
          [](const Whole& x, const Whole& y) { return choose(y < x, y, x); }),
      over_integers(
          "range of max", []<class W>(W x, W y) { return value(ops::Max(x, y)); },
          [](IntegerType, const auto& a, const auto& b) { return interval_of_max(a, b); },
          [](const Whole& x, const Whole& y) { return choose(x < y, y, x); }),
      TransferFunction{"range of a conversion", exhaust_conversions, prove_conversions},
  };
}

}  // namespace lockstep::analyses
