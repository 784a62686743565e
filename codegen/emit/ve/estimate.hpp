#pragma once
// How long a plan's function takes, in cycles of the model of a core (docs/ve-model.md): good enough to choose between two plans of one
// kernel before there is object code. What is known of it then is what the VE machine counts.

#include <algorithm>

#include "codegen/emit/ve/plan.hpp"
#include "semantics/infreg/kernel.hpp"
#include "semantics/ve/cost_model.hpp"

namespace lockstep::emit_ve {

/// What parts of a core are busy with, in cycles: the time is that of the busiest one.
struct Work {
  double instructions = 0;  ///< on vectors, of which one begins in a cycle
  double cache = 0;
  double floats = 0;
  double integers = 0;
  double quotients = 0;

  Work& operator+=(const Work& other) {
    instructions += other.instructions;
    cache += other.cache;
    floats += other.floats;
    integers += other.integers;
    quotients += other.quotients;
    return *this;
  }
  Work times(double count) const { return {instructions * count, cache * count, floats * count, integers * count, quotients * count}; }
  double most() const { return std::max({instructions / ve::cost_model::vector_steps, cache, floats, integers, quotients}); }
};

/// Of one call that works on so many lanes.
Work work_of(const infreg::Kernel& kernel, const Plan& plan, unsigned lanes);
double cycles_of(const infreg::Kernel& kernel, const Plan& plan, unsigned lanes);

/// The longest way through what depends on one another in a call, in cycles. Those of several calls lie side by side.
double chain_of(const infreg::Kernel& kernel, const Plan& plan);

/// How often a loop runs, as far as that is known.
inline constexpr double some_rounds = 8;
double rounds_of(const infreg::Kernel& kernel, const Plan& plan, const infreg::For& loop);
bool is_quotient(Op op);

}  // namespace lockstep::emit_ve
