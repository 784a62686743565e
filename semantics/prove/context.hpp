#pragma once
// What the two files that know Z3 share.

#include "semantics/prove/term.hpp"

namespace z3 {
class context;
}

namespace lockstep::prove {

/// This thread's Z3 context; terms live in it.
z3::context& context();

/// A truth value as an expression, also if it is a constant.
z3::expr expression(const Truth& truth);

}  // namespace lockstep::prove
