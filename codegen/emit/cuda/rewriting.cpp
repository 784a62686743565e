#include "codegen/emit/cuda/rewriting.hpp"

#include <algorithm>

#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

ValueId add_value(Kernel& kernel, Type type, const std::string& name) {
  std::string unique = name;
  for (unsigned k = 2; std::ranges::any_of(kernel.values, [&](const Value& one) { return one.name == unique; }); ++k) {
    unique = name + "." + std::to_string(k);
  }
  kernel.values.push_back({type, unique});
  return static_cast<ValueId>(kernel.values.size() - 1);
}

unsigned uses_within(const Kernel& kernel, RegionId region, ValueId value) {
  unsigned uses = 0;
  for_each_use_within(kernel, region, [&](ValueId used) { uses += used == value ? 1U : 0U; });
  return uses;
}

bool has_known_rounds(const For& loop) {
  return loop.from.is_constant() && loop.limit.is_constant() && loop.step == 1 && loop.from.constant() < loop.limit.constant();
}

}  // namespace lockstep::emit_cuda
