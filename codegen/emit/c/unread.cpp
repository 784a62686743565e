#include "codegen/emit/c/unread.hpp"

#include <variant>

#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_c {

std::set<infreg::ValueId> unread_changes(const infreg::Kernel& kernel) {
  std::set<infreg::ValueId> result;
  for (const infreg::Region& region : kernel.regions) {
    for (const infreg::Operation& operation : region.operations) {
      if (std::holds_alternative<infreg::Atomic>(operation.node)) {
        result.insert(operation.results.front());
      }
    }
  }
  if (!result.empty()) {
    infreg::for_each_use_within(kernel, kernel.body, [&](infreg::ValueId used) { result.erase(used); });
  }
  return result;
}

}  // namespace lockstep::emit_c
