#include "semantics/prove/deadline.hpp"

#include <algorithm>

namespace lockstep::prove {

namespace {

thread_local std::optional<Deadline::Clock::time_point> present;
thread_local unsigned calls = 0;

/// Of these calls of check() one looks at the clock: what lies between two takes some microseconds.
constexpr unsigned calls_per_look = 32;

}  // namespace

Deadline::Deadline(Clock::time_point end) : outer_(present) { present = outer_ ? std::min(*outer_, end) : end; }
Deadline::~Deadline() { present = outer_; }

bool Deadline::is_over() { return present && Clock::now() > *present; }

void Deadline::check() {
  if (present && ++calls % calls_per_look == 0 && is_over()) {
    throw OutOfTime{};
  }
}

unsigned Deadline::at_most(unsigned ms) {
  if (!present) {
    return ms;
  }
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*present - Clock::now()).count();
  return static_cast<unsigned>(std::clamp<decltype(left)>(left, 1, std::max(ms, 1U)));
}

}  // namespace lockstep::prove
