#pragma once
// What stores may change: a store changes cells of its own element type only, because memory of another type is undefined to meet
// (docs/infreg-ir.md). Two parameters may be one buffer, `const` or not.

#include <cstdint>
#include <vector>

#include "semantics/infreg/kernel.hpp"

namespace lockstep::passes::clean {

/// A set of scalar types: bit number static_cast<unsigned>(type).
using TypeSet = std::uint16_t;
constexpr TypeSet set_of(ScalarType type) { return static_cast<TypeSet>(1U << static_cast<unsigned>(type)); }

/// Of each region: what is stored in it and in regions inside.
std::vector<TypeSet> stored_types(const infreg::Kernel& kernel);

/// Whether nothing ever changes what the load reads.
bool is_of_constant(const infreg::Kernel& kernel, const infreg::Load& load);

}  // namespace lockstep::passes::clean
