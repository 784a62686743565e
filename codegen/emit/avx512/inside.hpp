#pragma once
// Operations with what stands in their regions.

#include "semantics/infreg/kernel.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_avx512 {

/// Calls f with the operation and all that stand in its regions.
template <class F>
void for_each_inside(const infreg::Kernel& kernel, const infreg::Operation& operation, F&& f) {
  f(operation);
  infreg::for_each_region(operation.node, [&](infreg::RegionId region) {
    for (const infreg::Operation& inner : kernel.regions[region].operations) {
      for_each_inside(kernel, inner, f);
    }
  });
}

}  // namespace lockstep::emit_avx512
