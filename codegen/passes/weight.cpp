#include "codegen/passes/weight.hpp"

#include <algorithm>
#include <map>

#include "codegen/passes/walk.hpp"

namespace lockstep::passes {

namespace {

class Weighing {
 public:
  explicit Weighing(std::size_t most) : most_(most) {}

  /// False if it is not known.
  bool loop(const For& loop) {
    const auto from = number(loop.from);
    const auto limit = number(loop.limit);
    if (!from || !limit) {
      return false;
    }
    // Not beyond `most_`: a loop of very many rounds is not gone through to find out that it is too long.
    std::int64_t next = *from;
    for (bool goes_on = true; goes_on && total_ <= most_ && (loop.step > 0 ? next < *limit : next > *limit);) {
      const std::size_t before = total_;
      counters_[loop.var] = next;
      if (!body(loop.body)) {
        return false;
      }
      total_ = std::max(total_, before + 1);
      goes_on = !__builtin_add_overflow(next, loop.step, &next);
    }
    counters_.erase(loop.var);
    return true;
  }

  std::size_t total() const { return std::min(total_, most_ + 1); }

 private:
  bool body(const Body& statements) {
    return std::ranges::all_of(statements, [&](const Statement& statement) {
      if (const auto* inner = std::get_if<For>(&statement.node)) {
        return loop(*inner);
      }
      ++total_;
      bool is_known = true;
      for_each_body(statement, [&](const Body& inner) { is_known = is_known && body(inner); });
      return is_known;
    });
  }

  std::optional<std::int64_t> number(Polynomial polynomial) const {
    for (const auto& [var, round] : counters_) {
      polynomial = polynomial.substitute(Symbol::of(var), round);
    }
    return polynomial.is_constant() ? std::optional(polynomial.constant()) : std::nullopt;
  }

  std::map<VarId, std::int64_t> counters_;  ///< of the loops around, in the present round
  std::size_t most_;
  std::size_t total_ = 0;
};

}  // namespace

std::optional<std::size_t> unrolled_weight(const For& loop, std::size_t most) {
  Weighing weighing(most);
  return weighing.loop(loop) ? std::optional(weighing.total()) : std::nullopt;
}

}  // namespace lockstep::passes
