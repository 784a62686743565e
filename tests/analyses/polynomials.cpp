// Numbers as polynomials: what codegen/passes/symbolic.hpp, bounds.hpp, clean/polynomials.hpp and the AVX512 emitter's
// ranges.hpp say of them.

#include "codegen/passes/clean/polynomials.hpp"

#include <array>
#include <functional>
#include <limits>

#include "codegen/emit/avx512/ranges.hpp"
#include "codegen/passes/bounds.hpp"
#include "codegen/passes/symbolic.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/prove/whole.hpp"
#include "tests/analyses/analysis.hpp"

namespace lockstep::analyses {

namespace {

using infreg::Polynomial;
using infreg::Symbol;
using passes::Range;
using passes::Symbolic;
using prove::Truth;
using prove::Whole;

const Symbol x = Symbol::of(0);
const Symbol y = Symbol::of(1);
constexpr std::int64_t least_word = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most_word = std::numeric_limits<std::int64_t>::max();

/// p at (x, y) over the integers.
Wide at(const Polynomial& p, Wide at_x, Wide at_y) {
  Wide sum = p.constant();
  for (const infreg::Monomial& term : p.terms()) {
    Wide product = term.coefficient;
    for (const Symbol symbol : term.factors) {
      product *= symbol == x ? at_x : at_y;
    }
    sum += product;
  }
  return sum;
}

// ---- coefficients that do not wrap ----------------------------------------------------------------------------------------

/// a * x + b against c * x + d, coefficients from both ends and from the middle: what comes out is the integers' sum, difference, product.
Exhausted exhaust_exact() {
  Exhausted result;
  std::vector<std::int64_t> numbers;
  for (const std::int64_t center :
       {std::int64_t{0}, std::int64_t{1} << 31, std::int64_t{1} << 32, std::int64_t{1} << 61, std::int64_t{1} << 62}) {
    for (const std::int64_t more : {-1, 0, 1}) {
      numbers.push_back(center + more);
      numbers.push_back(-center - more);
    }
  }
  numbers.insert(numbers.end(), {least_word, most_word, -most_word, least_word / 3, most_word / 3});
  const auto line = [](std::int64_t slope, std::int64_t constant) { return Polynomial(slope) * Polynomial(x) + Polynomial(constant); };
  for (const std::int64_t a : numbers) {
    for (const std::int64_t b : numbers) {
      for (const std::int64_t c : numbers) {
        for (const std::int64_t d : numbers) {
          const auto same = [&](const std::optional<Polynomial>& p, Wide square, Wide slope, Wide constant) {
            const std::int64_t found = !p || p->terms().empty() || p->terms().back().factors.size() < 2 ? 0 : p->terms().back().coefficient;
            result.note(!p || (p->constant() == constant && p->coefficient(x) == slope && found == square), [&] {
              return std::to_string(a) + "x + " + std::to_string(b) + " and " + std::to_string(c) + "x + " + std::to_string(d);
            });
          };
          same(infreg::exact_sum(line(a, b), line(c, d)), 0, Wide{a} + c, Wide{b} + d);
          same(infreg::exact_difference(line(a, b), line(c, d)), 0, Wide{a} - c, Wide{b} - d);
          if (a != least_word && b != least_word && c != least_word && d != least_word) {  // else the sums leave the 128 bits
            same(infreg::exact_product(line(a, b), line(c, d)), Wide{a} * c, Wide{a} * d + Wide{b} * c, Wide{b} * d);
          }
        }
      }
    }
  }
  return result;
}

Whole named(const std::string& name) { return Whole::named(Whole::Form::Integer, name); }
Whole size(const Whole& n) { return choose(n < whole(n, 0), whole(n, 0) - n, n); }
Whole beyond(const Whole& like) { return whole(like, Wide{1} << 63); }
Truth is_word(const Whole& n) { return whole(n, 0) - beyond(n) <= n && n < beyond(n); }

/// A coefficient of a sum is one of each, or their sum; one of a product is a sum of products, of which each pair stands in one at most:
/// adding one more pair to what has been added leaves it within the weights of all pairs so far.
Proved prove_exact() {
  Proved proof;
  const Whole a = named("a");
  const Whole b = named("b");
  const Whole sum = named("sum");
  const Whole pairs = named("pairs");
  const Whole weight_a = named("weight a");
  const Whole weight_b = named("weight b");
  proof.ask("sum", {size(a) <= weight_a, size(b) <= weight_b, weight_a + weight_b < beyond(a)}, is_word(a + b) && is_word(a - b),
            a + b <= weight_a);
  proof.ask("one more pair", {size(sum) <= pairs}, size(sum + a * b) <= pairs + size(a) * size(b), size(sum + a * b) <= pairs);
  const Whole c = named("c");
  const Whole d = named("d");
  proof.ask("all pairs", {size(a) + size(b) == weight_a, size(c) + size(d) == weight_b, weight_a * weight_b < beyond(a)},
            size(a) * size(c) + size(a) * size(d) + size(b) * size(c) + size(b) * size(d) == weight_a * weight_b &&
                is_word(a * d + b * c) && is_word(a * c) && is_word(b * d),
            is_word(a * d + b * c + beyond(a)));
  return proof;
}

// ---- combine and convert --------------------------------------------------------------------------------------------------

constexpr std::array all_types = {ScalarType::Char, ScalarType::UChar, ScalarType::Short, ScalarType::UShort,
                                  ScalarType::Int,  ScalarType::UInt,  ScalarType::Long,  ScalarType::ULong};

std::uint64_t bits_of_number(ScalarType type, Wide number) {
  return ops::convert(ScalarType::ULong, type, static_cast<std::uint64_t>(number)).value_or(0);
}
/// The number that these bits are.
Wide number_of(ScalarType type, std::uint64_t bits) { return is_signed(type) ? Wide{static_cast<std::int64_t>(bits)} : Wide{bits}; }

/// Symbolic's invariant, of a number that is this where x and y are these.
bool says(const Symbolic& symbolic, Wide number, Wide at_x, Wide at_y) {
  const Wide value = at(symbolic.value, at_x, at_y);
  const bool is_congruent = static_cast<std::uint64_t>(value) == static_cast<std::uint64_t>(number);
  return is_congruent && (!symbolic.range || (value == number && symbolic.range->lo <= number && number <= symbolic.range->hi));
}

/// Interesting numbers of a type: all around its ends and 0.
std::vector<Wide> numbers_of(ScalarType type) {
  const Wide size = Wide{1} << bits_of(type);
  const Wide least = is_signed(type) ? -size / 2 : 0;
  const Wide most = least + size - 1;
  std::vector<Wide> numbers;
  for (const Wide center : {least, Wide{0}, Wide{most / 2}, most}) {
    for (Wide n = center - 3; n <= center + 3; ++n) {
      if (n >= least && n <= most) {
        numbers.push_back(n);
      }
    }
  }
  return numbers;
}

/// Symbols and constants of the type, each with the numbers that they may be.
struct Known {
  Symbolic symbolic;
  std::vector<Wide> numbers;
};
std::vector<Known> known_of(ScalarType type, Symbol symbol) {
  const std::vector<Wide> numbers = numbers_of(type);
  std::vector<Known> all{{Symbolic{symbol, passes::range_of(type)}, numbers}};
  if (bits_of(type) == 64) {  // twice this has coefficients that wrap
    const Polynomial steep(std::int64_t{1} << 62);
    all.push_back({Symbolic{steep * Polynomial(symbol) - steep + Polynomial(1), Range{1, 1}}, {1}});
  }
  for (const Wide n : numbers) {
    const auto word = static_cast<std::int64_t>(n);
    all.push_back({Symbolic{Polynomial(word), n == word ? std::optional(Range{word, word}) : std::nullopt}, {n}});
    const Wide to = std::min<Wide>(n + 2, numbers.back());
    if (to <= most_word) {
      std::vector<Wide> some;
      for (Wide each = n; each <= to; ++each) {
        some.push_back(each);
      }
      all.push_back({Symbolic{symbol, Range{word, static_cast<std::int64_t>(to)}}, some});
    }
  }
  return all;
}

std::string text(const Symbolic& s) {
  return s.range ? "[" + std::to_string(s.range->lo) + ", " + std::to_string(s.range->hi) + "]" : "no range";
}

/// combine and then convert, against ops.def.
Exhausted exhaust_symbolic() {
  Exhausted result;
  for (const ScalarType type : all_types) {
    const auto left = known_of(type, x);
    const auto right = known_of(type, y);
    for (const Op op : {Op::Add, Op::Sub, Op::Mul, Op::Neg, Op::Shl}) {
      for (const Known& a : left) {
        for (const Known& b : right) {
          const auto combined = combine(op, type, a.symbolic, b.symbolic);
          if (!combined) {
            continue;
          }
          for (const Wide at_x : a.numbers) {
            for (const Wide at_y : b.numbers) {
              const std::uint64_t bits[] = {bits_of_number(type, at_x), bits_of_number(type, at_y)};
              const auto done = ops::apply(op, type, std::span(bits).first(static_cast<std::size_t>(info(op).arity)));
              result.note(done && says(*combined, number_of(type, *done), at_x, at_y), [&] {
                return std::string(info(type).name) + ": " + std::string(info(op).text) + " of " + text(a.symbolic) + " and " +
                       text(b.symbolic) + " gives " + text(*combined);
              });
              for (const ScalarType to : all_types) {
                const auto converted = convert(to, *combined);
                const std::uint64_t number = done ? ops::convert(type, to, *done).value_or(0) : 0;
                result.note(!converted || says(*converted, number_of(to, number), at_x, at_y),
                            [&] { return std::string(info(type).name) + " to " + std::string(info(to).name) + ": " + text(*combined); });
              }
            }
          }
        }
      }
    }
  }
  return result;
}

/// A polynomial that is a number modulo 2^64 stays so under + - *: wrapping twice is wrapping once. What is more, ranges, is proved as
/// such.
Proved prove_symbolic() {
  Proved proof;
  const Whole a = named("a");
  const Whole b = named("b");
  const Whole m = named("m");
  const Whole n = named("n");
  const Whole word = whole(a, Wide{1} << 64);
  proof.ask("+", {}, (a + m * word) + (b + n * word) == (a + b) + (m + n) * word, a + m * word == a);
  proof.ask("*", {}, (a + m * word) * (b + n * word) == a * b + (a * n + b * m + m * n * word) * word, a * (b + n * word) == a * b);
  return proof;
}

// ---- bounds in counted loops ----------------------------------------------------------------------------------------------

/// Two loops in each other, all polynomials of both counters and the item with small coefficients, steps up and down.
Exhausted exhaust_bounds() {
  Exhausted result;
  constexpr std::uint32_t items = 3;
  for (const std::int64_t outer_step : {1, 2, -1}) {
    for (const std::int64_t step : {1, 2, -2}) {
      for (int from = -1; from <= 1; ++from) {
        for (int from_outer = -1; from_outer <= 1; ++from_outer) {
          for (int limit = -2; limit <= 3; ++limit) {
            for (int limit_outer = -1; limit_outer <= 1; ++limit_outer) {
              passes::For outer{0, Polynomial(outer_step > 0 ? -1 : 2), Polynomial(outer_step > 0 ? 3 : -2), outer_step, {}};
              passes::For inner{1,
                                Polynomial(x) * Polynomial(from_outer) + Polynomial(from),
                                Polynomial(x) * Polynomial(limit_outer) + Polynomial(limit),
                                step,
                                {}};
              passes::Bounds bounds(items);
              bounds.enter(outer);
              bounds.enter(inner);
              for (int by_x = -2; by_x <= 2; ++by_x) {
                for (int by_y = -2; by_y <= 2; ++by_y) {
                  for (int by_item = -1; by_item <= 1; ++by_item) {
                    const Polynomial p = Polynomial(x) * Polynomial(by_x) + Polynomial(y) * Polynomial(by_y) +
                                         Polynomial(Symbol::item()) * Polynomial(by_item) + Polynomial(5);
                    const auto claim = bounds.range(p);
                    result.note(claim.has_value(), [] { return std::string("no bounds"); });
                    const auto goes_on = [](std::int64_t by, std::int64_t value, std::int64_t end) {
                      return by > 0 ? value < end : value > end;
                    };
                    for (std::int64_t i = outer.from.constant(); claim && goes_on(outer_step, i, outer.limit.constant()); i += outer_step) {
                      for (std::int64_t j = i * from_outer + from; goes_on(step, j, i * limit_outer + limit); j += step) {
                        for (std::int64_t item = 0; item < items; ++item) {
                          const std::int64_t value = by_x * i + by_y * j + by_item * item + 5;
                          result.note(claim->lo <= value && value <= claim->hi, [&] {
                            return std::to_string(value) + " is not in [" + std::to_string(claim->lo) + ", " + std::to_string(claim->hi) +
                                   "]";
                          });
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  // What leaves the 64 bits on the way has no bounds.
  passes::Bounds bounds(4);
  bounds.enter(passes::For{0, Polynomial(0), Polynomial(std::int64_t{1} << 40), 1, {}});
  for (const std::int64_t slope : {std::int64_t{1} << 22, std::int64_t{1} << 24, -(std::int64_t{1} << 24), least_word}) {
    const auto claim = bounds.range(Polynomial(slope) * Polynomial(x));
    result.note(claim.has_value() == (slope == std::int64_t{1} << 22), [] { return std::string("bounds that wrap"); });
  }
  return result;
}

/// Replacing a symbol by an end of its range does not bring the polynomial nearer; what is between two words is the same modulo 2^64.
Proved prove_bounds() {
  Proved proof;
  const Whole first = named("first");
  const Whole last = named("last");
  const Whole number = named("number");
  const Whole slope = named("slope");
  const Whole rest = named("rest");
  const Whole zero = whole(first, 0);
  const std::vector<Truth> premises{first <= number, number <= last};
  const Whole value = slope * number + rest;
  const auto with = [&](std::vector<Truth> more, const Truth& last_one) {
    more.push_back(last_one);
    return more;
  };
  proof.ask("rising", with(premises, zero < slope), slope * first + rest <= value && value <= slope * last + rest,
            value < slope * last + rest);
  proof.ask("falling", with(premises, slope < zero), slope * last + rest <= value && value <= slope * first + rest,
            value < slope * first + rest);
  proof.ask("a round", {first <= number, number < last}, number <= last - whole(first, 1), number < last - whole(first, 1));
  proof.ask("modulo 2^64", {is_word(first), is_word(last), first <= number, number <= last}, wrapped(number, 64, true) == number,
            wrapped(number + last, 64, true) == number + last);
  return proof;
}

// ---- what one instruction may touch ---------------------------------------------------------------------------------------

/// In words of five bits: what is said to stay near is between the first and the last place, counted modulo 2^5, wherever those are.
Exhausted exhaust_near() {
  Exhausted result;
  constexpr int modulus = 32;
  constexpr int most = 9;
  for (int slope = -modulus / 2; slope < modulus / 2; ++slope) {
    for (int low = -modulus / 2; low < modulus / 2; ++low) {
      for (int high = -modulus / 2; high < modulus / 2; ++high) {
        if (!stays_near(Wide{slope}, Wide{low}, Wide{high}, Wide{most})) {
          result.note(high < low || slope * (high - low) > most || slope * (high - low) < -most, [] { return std::string("not near"); });
          continue;
        }
        const int first = slope > 0 ? slope * low : slope * high;
        const int length = slope > 0 ? slope * (high - low) : slope * (low - high);
        for (int n = low; n <= high; ++n) {
          const int from_first = ((slope * n - first) % modulus + modulus) % modulus;
          result.note(from_first <= length && length <= most, [&] { return std::to_string(slope) + " * " + std::to_string(n); });
        }
      }
    }
  }
  return result;
}

/// first + rest is the place that code computes; what is touched lies no further behind it than the last place, over the integers, so
/// modulo 2^64 as well, as long as the way is below 2^64: it is, for four symbols.
Proved prove_near() {
  Proved proof;
  const Whole slope = named("slope");
  const Whole low = named("low");
  const Whole high = named("high");
  const Whole n = named("n");
  const Whole most = named("most");
  const Whole zero = whole(n, 0);
  const std::vector<Truth> premises{low <= n, n <= high, stays_near(slope, low, high, most)};
  const auto with = [&](const Truth& more) {
    std::vector<Truth> all = premises;
    all.push_back(more);
    return all;
  };
  const auto between = [&](const Whole& first, const Whole& last) {
    return first <= slope * n && slope * n <= last && last - first <= most;
  };
  proof.ask("rising", with(zero < slope), between(slope * low, slope * high), slope * n < slope * high);
  proof.ask("falling", with(slope < zero), between(slope * high, slope * low), slope * n < slope * low);
  proof.ask("four ways", {most == whole(n, Wide{1} << 40), low <= most, high <= most, n <= most},
            low + high + n + most < whole(n, Wide{1} << 64), low + high + n + most < whole(n, Wide{1} << 42));
  return proof;
}

// ---- comparisons that are decided -----------------------------------------------------------------------------------------

/// Whether `left op right` holds for all numbers from low to high that the symbols are, or for none.
using Decide = std::function<std::optional<bool>(const infreg::Mask::Comparison&, std::int64_t low, std::int64_t high)>;

std::optional<bool> decided_by_clean_ups(const infreg::Mask::Comparison& comparison, std::int64_t low, std::int64_t high) {
  return passes::clean::decided(comparison, [&](Symbol) { return std::optional(passes::clean::Range{low, high}); });
}

std::optional<bool> decided_by_avx512(const infreg::Mask::Comparison& comparison, std::int64_t low, std::int64_t high) {
  return emit_avx512::decide(comparison, {{x, {low, high}}, {y, {low, high}}});
}

void exhaust_decider(Exhausted& result, const Decide& decide) {
  constexpr std::array ops = {Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne};
  const auto holds = [](Op op, std::int64_t a, std::int64_t b) {
    const std::int64_t operands[] = {a, b};
    return ops::apply(op, operands) != 0;
  };
  std::uint64_t decisions = 0;
  // a * x + b op c * y + d, with coefficients and constants also near the ends of the words, all x and y in their ranges.
  const std::array<std::int64_t, 9> slopes = {0, 1, -1, 2, -3, most_word, least_word, most_word / 2, least_word / 2};
  const std::array<std::int64_t, 7> constants = {0, 1, -2, most_word, least_word, most_word - 2, least_word + 3};
  for (const Op op : ops) {
    for (const std::int64_t a : slopes) {
      for (const std::int64_t b : constants) {
        for (const std::int64_t c : slopes) {
          for (const std::int64_t d : constants) {
            for (std::int64_t low = -2; low <= 1; ++low) {
              const infreg::Mask::Comparison comparison{Polynomial(a) * Polynomial(x) + Polynomial(b), op,
                                                        Polynomial(c) * Polynomial(y) + Polynomial(d)};
              const auto decided = decide(comparison, low, low + 2);
              decisions += decided ? 1U : 0U;
              for (std::int64_t i = low; i <= low + 2; ++i) {
                const auto left = comparison.left.evaluate([&](Symbol) { return i; });
                for (std::int64_t j = low; j <= low + 2; ++j) {
                  const bool is = holds(op, left, comparison.right.evaluate([&](Symbol) { return j; }));
                  result.note(!decided || *decided == is, [&] {
                    return std::to_string(a) + " * " + std::to_string(i) + " + " + std::to_string(b) + " " + std::string(info(op).text) +
                           " " + std::to_string(c) + " * " + std::to_string(j) + " + " + std::to_string(d);
                  });
                }
              }
            }
          }
        }
      }
    }
  }
  result.note(decisions > 1000, [] { return std::string("hardly a comparison is decided"); });
}

/// Numbers of a line lie in the range that the clean-ups say.
void exhaust_lines(Exhausted& result) {
  const std::array<std::int64_t, 9> numbers = {0, 1, -1, 2, -3, most_word, least_word, most_word / 2, least_word / 2};
  for (const std::int64_t a : numbers) {
    for (const std::int64_t b : numbers) {
      for (std::int64_t low = -2; low <= 1; ++low) {
        const passes::clean::Range range{low, low + 2};
        const auto claim =
            passes::clean::range_of(Polynomial(a) * Polynomial(x) + Polynomial(b), [&](Symbol) { return std::optional(range); });
        for (std::int64_t i = range.low; i <= range.high; ++i) {
          const Wide number = Wide{a} * i + b;
          result.note(!claim || (claim->low <= number && number <= claim->high), [] { return std::string("a number beyond its range"); });
        }
      }
    }
  }
}

/// The bounds of an item may mention a value, as in a triangle: a * item + b * x op c, where x + p <= item <= q, -1 <= x <= 1.
void exhaust_triangles(Exhausted& result) {
  constexpr std::array ops = {Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne};
  for (const Op op : ops) {
    for (std::int64_t a = -2; a <= 2; ++a) {
      for (std::int64_t b = -2; b <= 2; ++b) {
        for (std::int64_t c = -4; c <= 4; ++c) {
          for (std::int64_t p = -1; p <= 1; ++p) {
            for (std::int64_t q = 2; q <= 3; ++q) {
              const infreg::Mask::Comparison comparison{Polynomial(a) * Polynomial(Symbol::item()) + Polynomial(b) * Polynomial(x), op,
                                                        Polynomial(c)};
              const auto decided = emit_avx512::decide(comparison, {{Symbol::item(), {Polynomial(x) + Polynomial(p), q}}, {x, {-1, 1}}});
              for (std::int64_t i = -1; i <= 1; ++i) {
                for (std::int64_t item = i + p; item <= q; ++item) {
                  const std::int64_t operands[] = {a * item + b * i, c};
                  result.note(!decided || *decided == (ops::apply(op, operands) != 0),
                              [&] { return "a triangle: " + std::to_string(a) + " * item + " + std::to_string(b) + " * x"; });
                }
              }
            }
          }
        }
      }
    }
  }
}

Exhausted exhaust_decisions() {
  Exhausted result;
  exhaust_lines(result);
  exhaust_decider(result, decided_by_clean_ups);
  exhaust_decider(result, decided_by_avx512);
  exhaust_triangles(result);
  return result;
}

Proved prove_decisions() {
  Proved proof;
  for (const Op op : {Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne}) {
    const Whole a = named("a");
    const Whole b = named("b");
    const Interval<Whole> difference{Truth::named("known"), named("low"), named("high")};
    const auto decision = decided_by_difference(op, difference);
    const Truth is = op == Op::Lt   ? a < b
                     : op == Op::Le ? a <= b
                     : op == Op::Gt ? b < a
                     : op == Op::Ge ? b <= a
                     : op == Op::Eq ? a == b
                                    : !(a == b);
    proof.ask(std::string(info(op).text), {implies(difference.known, difference.lo <= a - b && a - b <= difference.hi)},
              implies(decision.always, is) && implies(decision.never, !is), !decision.always && !decision.never);
  }
  return proof;
}

}  // namespace

std::vector<TransferFunction> of_polynomials() {
  return {
      {"polynomials over the integers", exhaust_exact, prove_exact},
      {"numbers as polynomials", exhaust_symbolic, prove_symbolic},
      {"bounds in counted loops", exhaust_bounds, prove_bounds},
      {"what an instruction may touch", exhaust_near, prove_near},
      {"comparisons that are decided", exhaust_decisions, prove_decisions},
  };
}

}  // namespace lockstep::analyses
