#include "codegen/passes/bounds.hpp"

namespace lockstep::passes {

void Bounds::enter(const For& loop) {
  if (loop.step > 0) {
    loops_.push_back({loop.var, {loop.from, infreg::exact_difference(loop.limit, 1)}});
  } else {
    loops_.push_back({loop.var, {infreg::exact_sum(loop.limit, 1), loop.from}});
  }
}

std::optional<std::int64_t> Bounds::extreme(Polynomial polynomial, bool least) const {
  const auto replace = [&](Symbol symbol, const infreg::Ends& ends) {
    const auto replaced = infreg::at_end(polynomial, symbol, ends, least);
    polynomial = replaced.value_or(Polynomial());
    return replaced.has_value();
  };
  for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
    if (!replace(Symbol::of(loop->var), loop->ends)) {
      return std::nullopt;
    }
  }
  if (!replace(Symbol::item(), {Polynomial(0), Polynomial(std::int64_t{wg_size_} - 1)}) || !polynomial.is_constant()) {
    return std::nullopt;
  }
  return polynomial.constant();
}

std::optional<Range> Bounds::range(const Polynomial& polynomial) const {
  const auto lo = extreme(polynomial, true);
  const auto hi = lo ? extreme(polynomial, false) : std::nullopt;
  return hi ? std::optional(Range{*lo, *hi}) : std::nullopt;
}

std::optional<std::int64_t> Bounds::least(const Polynomial& polynomial) const {
  const auto ends = range(polynomial);
  return ends ? std::optional(ends->lo) : std::nullopt;
}

std::optional<std::int64_t> Bounds::greatest(const Polynomial& polynomial) const {
  const auto ends = range(polynomial);
  return ends ? std::optional(ends->hi) : std::nullopt;
}

}  // namespace lockstep::passes
