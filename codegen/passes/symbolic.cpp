#include "codegen/passes/symbolic.hpp"

#include <algorithm>
#include <limits>

#include "semantics/base/mutants.hpp"

namespace lockstep::passes {

namespace {

/// Polynomials beyond this are data, not indices.
constexpr std::size_t most_terms = 8;
constexpr std::size_t most_factors = 3;

std::optional<Range> fitting(Wide lo, Wide hi, ScalarType type) {
  constexpr Wide least = std::numeric_limits<std::int64_t>::min();
  constexpr Wide most = std::numeric_limits<std::int64_t>::max();
  const auto whole = range_of(type);
  const Wide from = whole ? Wide{whole->lo} : 0;
  const Wide to = whole ? Wide{whole->hi} : most;
  if (LOCKSTEP_MUTATE(symbolic_never_wraps, lo < std::max(from, least) || hi > std::min(to, most), false)) {
    return std::nullopt;
  }
  return Range{static_cast<std::int64_t>(lo), static_cast<std::int64_t>(hi)};
}

/// The least and the greatest of the four products or sums of the ends.
template <class F>
std::optional<Range> over_ends(const Range& a, const Range& b, ScalarType type, F&& f) {
  const Wide all[] = {f(Wide{a.lo}, Wide{b.lo}), f(Wide{a.lo}, Wide{b.hi}), f(Wide{a.hi}, Wide{b.lo}), f(Wide{a.hi}, Wide{b.hi})};
  return fitting(*std::ranges::min_element(all), *std::ranges::max_element(all), type);
}

bool is_short(const infreg::Polynomial& polynomial) {
  return polynomial.terms().size() <= most_terms &&
         std::ranges::all_of(polynomial.terms(), [](const auto& term) { return term.factors.size() <= most_factors; });
}

}  // namespace

std::optional<Range> range_of(ScalarType type) {
  if (type == ScalarType::ULong || !is_integer(type)) {
    return std::nullopt;
  }
  if (type == ScalarType::Bool) {
    return Range{0, 1};
  }
  const unsigned bits = bits_of(type);
  if (bits == 64) {
    return Range{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  }
  return is_signed(type) ? Range{-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1}
                         : Range{0, (std::int64_t{1} << bits) - 1};
}

std::optional<Symbolic> combine(Op op, ScalarType type, const Symbolic& a, const Symbolic& b) {
  Symbolic result;
  std::optional<Range> range;
  const bool both = a.range && b.range;
  switch (op) {
    case Op::Add:
      result.value = a.value + b.value;
      range = both ? over_ends(*a.range, *b.range, type, [](Wide x, Wide y) { return x + y; }) : std::nullopt;
      break;
    case Op::Sub:
      result.value = a.value - b.value;
      range = both ? over_ends(*a.range, *b.range, type, [](Wide x, Wide y) { return x - y; }) : std::nullopt;
      break;
    case Op::Mul:
      result.value = a.value * b.value;
      range = both ? over_ends(*a.range, *b.range, type, [](Wide x, Wide y) { return x * y; }) : std::nullopt;
      break;
    case Op::Neg:
      result.value = infreg::Polynomial(0) - a.value;
      range = a.range ? fitting(-Wide{a.range->hi}, -Wide{a.range->lo}, type) : std::nullopt;
      break;
    case Op::Shl: {
      if (!b.value.is_constant() || b.value.constant() < 0 || b.value.constant() >= std::min(bits_of(type), 62U)) {
        return std::nullopt;
      }
      const std::int64_t factor = std::int64_t{1} << b.value.constant();
      result.value = a.value * infreg::Polynomial(factor);
      range = a.range ? over_ends(*a.range, Range{factor, factor}, type, [](Wide x, Wide y) { return x * y; }) : std::nullopt;
      break;
    }
    default:
      return std::nullopt;
  }
  if ((!range && bits_of(type) < 64) || !is_short(result.value)) {
    return std::nullopt;
  }
  result.range = range;
  return result;
}

std::optional<Symbolic> convert(ScalarType to, const Symbolic& a) {
  if (!is_integer(to) || to == ScalarType::Bool) {
    return std::nullopt;
  }
  const auto kept = a.range ? fitting(a.range->lo, a.range->hi, to) : std::nullopt;
  if (!kept && bits_of(to) < 64) {
    return std::nullopt;
  }
  return Symbolic{a.value, kept};
}

std::optional<Range> range_after(Op op, ScalarType type, const std::optional<Range>& a, const std::optional<Range>& b) {
  const bool known_count = b && b->lo == b->hi;
  switch (op) {
    case Op::Div:
      return a && known_count && b->lo > 0 ? fitting(a->lo / b->lo, a->hi / b->lo, type) : std::nullopt;
    case Op::Rem:
      if (!known_count || b->lo <= 0 || !a) {
        return std::nullopt;
      }
      return Range{a->lo < 0 ? LOCKSTEP_MUTATE(symbolic_rem_positive, 1 - b->lo, 0) : 0, a->hi > 0 ? b->lo - 1 : 0};
    case Op::BitAnd:
      // A number without its sign bit bounds the result, whatever the other one is.
      return b && b->lo >= 0 ? std::optional(Range{0, b->hi}) : a && a->lo >= 0 ? std::optional(Range{0, a->hi}) : std::nullopt;
    case Op::Shr:
      return a && known_count && b->lo >= 0 && b->lo < 63 ? fitting(a->lo >> b->lo, a->hi >> b->lo, type) : std::nullopt;
    case Op::Min:
      return a && b ? std::optional(Range{std::min(a->lo, b->lo), std::min(a->hi, b->hi)}) : std::nullopt;
    case Op::Max:
      return a && b ? std::optional(Range{std::max(a->lo, b->lo), std::max(a->hi, b->hi)}) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace lockstep::passes
