#include "codegen/emit/ve/reads.hpp"

#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

bool moves(const Node& node) {
  return std::holds_alternative<Reorder>(node) || std::holds_alternative<Shuffle>(node) || std::holds_alternative<Spread>(node);
}

}  // namespace

Reads::Reads(const Kernel& kernel, const std::vector<Home>& homes) : homes_(homes), definitions_(kernel.values.size(), nullptr) {
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      for (const ValueId result : operation.results) {
        definitions_[result] = &operation;
      }
    }
  }
}

const Mask* Reads::mask_of(ValueId value) const {
  return definitions_[value] == nullptr ? nullptr : std::get_if<Mask>(&definitions_[value]->node);
}

void Reads::of(ValueId value, bool elsewhere, const Reader& reader) const {
  if (homes_[value] != Home::Expression) {
    reader(value, elsewhere);
    return;
  }
  const Node& node = definitions_[value]->node;
  for_each_use(node, [&](ValueId used) { of(used, elsewhere || moves(node), reader); });
}

void Reads::of(const Operation& operation, const Reader& reader) const {
  for_each_use(operation.node, [&](ValueId used) { of(used, moves(operation.node), reader); });
}

}  // namespace lockstep::emit_ve
