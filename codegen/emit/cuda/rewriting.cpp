#include "codegen/emit/cuda/rewriting.hpp"

#include <algorithm>
#include <utility>

#include "codegen/emit/cuda/deferring.hpp"
#include "codegen/emit/cuda/hoisting.hpp"
#include "codegen/emit/cuda/merging.hpp"
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

std::uint64_t rounds_of(const For& loop) {
  const std::int64_t distance = loop.step > 0 ? loop.limit.constant() - loop.from.constant() : loop.from.constant() - loop.limit.constant();
  const std::int64_t step = loop.step > 0 ? loop.step : -loop.step;
  return distance <= 0 ? 0 : static_cast<std::uint64_t>((distance + step - 1) / step);
}

bool has_known_rounds(const For& loop) {
  return loop.from.is_constant() && loop.limit.is_constant() && loop.step == 1 && loop.from.constant() < loop.limit.constant();
}

Kernel rewritten(Kernel kernel, const Choices& choices) {
  kernel = choices.hoisting ? with_hoisted_loads(std::move(kernel)) : std::move(kernel);
  kernel = choices.deferring ? with_deferred_quotients(std::move(kernel)) : std::move(kernel);
  return choices.merging ? with_merged_choices(std::move(kernel)) : kernel;
}

}  // namespace lockstep::emit_cuda
