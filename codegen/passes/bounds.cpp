#include "codegen/passes/bounds.hpp"

namespace lockstep::passes {

void Bounds::enter(const For& loop) {
  if (loop.step > 0) {
    loops_.push_back({loop.var, loop.from, loop.limit - Polynomial(1)});
  } else {
    loops_.push_back({loop.var, loop.limit + Polynomial(1), loop.from});
  }
}

std::optional<std::int64_t> Bounds::extreme(Polynomial polynomial, bool least) const {
  const auto replace = [&](Symbol symbol, const Polynomial& first, const Polynomial& last) {
    const auto slope = polynomial.slope(symbol);
    if (!slope || !slope->is_constant()) {
      return false;
    }
    if (slope->constant() != 0) {
      polynomial = polynomial.substitute(symbol, (slope->constant() > 0) == least ? first : last);
    }
    return true;
  };
  for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
    if (!replace(Symbol::of(loop->var), loop->first, loop->last)) {
      return std::nullopt;
    }
  }
  if (!replace(Symbol::item(), 0, std::int64_t{wg_size_} - 1) || !polynomial.is_constant()) {
    return std::nullopt;
  }
  return polynomial.constant();
}

}  // namespace lockstep::passes
