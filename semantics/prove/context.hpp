#pragma once
// What the files that know Z3 share.

#include <cstdint>
#include <memory>

#include "semantics/prove/term.hpp"

namespace z3 {
class context;
class params;
}  // namespace z3

namespace lockstep::prove {

/// This thread's Z3 context; terms live in it.
z3::context& context();

/// While it lives, this thread's terms live in a context of their own: what Z3 says of a question depends on the terms that there were
/// before, by their numbers. Terms from outside mean nothing inside, nor those of inside when it is gone.
class FreshTerms {
 public:
  FreshTerms();
  ~FreshTerms();
  FreshTerms(const FreshTerms&) = delete;
  FreshTerms& operator=(const FreshTerms&) = delete;

 private:
  struct Outer;
  std::unique_ptr<Outer> outer_;
};

/// The units of Z3's resource limit that this thread has spent so far.
std::uint64_t z3_units();

/// What a solver's, or simplifier's, next question may take, of a question of so many milliseconds (Budget::question).
z3::params limits_of(unsigned ms);

/// The expression, simplified within the Budget. Throws OutOfBudget.
z3::expr simplified(const z3::expr& e);

/// A truth value as an expression, also if it is a constant.
z3::expr expression(const Truth& truth);

}  // namespace lockstep::prove
