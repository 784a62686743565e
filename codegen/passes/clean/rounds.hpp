#pragma once

#include <cstdint>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// Whether the loop is known to have no round.
inline bool has_no_round(const infreg::For& loop) {
  const infreg::Polynomial rest = loop.limit - loop.from;
  if (!loop.from.is_constant() || !loop.limit.is_constant()) {
    return rest == infreg::Polynomial(0);
  }
  const bool begins = loop.step > 0 ? loop.from.constant() < loop.limit.constant() : loop.from.constant() > loop.limit.constant();
  return !begins;
}

/// Whether the loop is known to have a round.
inline bool has_a_round(const infreg::For& loop) { return loop.from.is_constant() && loop.limit.is_constant() && !has_no_round(loop); }

/// Whether the loop is known to have just one round; a variable that would wrap is past the limit.
inline bool has_one_round(const infreg::For& loop) {
  std::int64_t next = 0;
  return has_a_round(loop) && (__builtin_add_overflow(loop.from.constant(), loop.step, &next) ||
                               (loop.step > 0 ? next >= loop.limit.constant() : next <= loop.limit.constant()));
}

}  // namespace lockstep::passes::clean
