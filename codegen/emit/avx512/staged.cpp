// Rows that do not fill vectors, on their way past the caches.
#include <fmt/format.h>

#include "codegen/emit/avx512/lowering.hpp"
#include "codegen/emit/avx512/whole.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

/// Whether the store writes matrices whose rows do not fill vectors, but which do so as a whole, one behind the other on boundaries of
/// vectors if the buffer begins on one; nothing else is written or read there.
bool Lowering::may_stage(const Store& node) const {
  constexpr std::uint64_t most_bytes = 8 * 1024;
  const Type& type = kernel_.type_of(node.value);
  const bool is_matrix = plan_.streams && plan_.parameters_apart && !by_groups() && type.layout.kind == Layout::Kind::Item &&
                         type.layout.elements > 1 && geometry(type.layout).is_padded() &&
                         is_whole(node.place, node.access, node.mask, type, plan_.chunk_lanes);
  if (!is_matrix) {
    return false;
  }
  const ParameterId id = std::get<OfParameter>(node.place.base).id;
  const std::uint64_t each = lanes_per_group(type.layout, shape_);
  const std::uint64_t bytes = each * shape_.wg_pack * size_of(type.element.scalar);
  return stores_through_[id] == 1 && node.place.index.slope(Symbol::group()) == Polynomial(static_cast<std::int64_t>(each)) &&
         bytes % 64 == 0 && bytes <= most_bytes;
}

/// Of the stores of a sweep that is about to begin, those that may be staged put their rows into an array of ours, or where they belong if
/// nothing goes past the caches.
void Lowering::stage_stores(const std::vector<const Operation*>& phase) {
  for (const Operation* operation : phase) {
    const auto* node = std::get_if<Store>(&operation->node);
    if (node == nullptr || !may_stage(*node)) {
      continue;
    }
    const Type& type = kernel_.type_of(node->value);
    const ParameterId id = std::get<OfParameter>(node->place.base).id;
    const Sum begin = sum_of(node->place.index, position(type.layout, 0), Groups::OfLaunch);
    if (!may_stream(node->place, begin, type.element)) {
      continue;
    }
    Staged staged;
    staged.to = address_text(parameters_[id], begin.uniform);
    staged.count = lanes(type.layout, shape_);
    staged.array = code_.unique(kernel_.parameters[id].name + "_rows");
    const std::string element = in_memory(type.element);
    arrays_.push_back({element, staged.array, staged.count, staged.count * size_of(type.element.scalar), true});
    staged.rows = code_.value(fmt::format("v::Pointer<{}>", element), "rows",
                              fmt::format("v::rows_or_place<Stream>({}, {})", staged.array, staged.to));
    streamed_.insert(id);
    staged_.emplace(id, std::move(staged));
  }
}

/// What the sweep has put into those arrays goes on to where it belongs.
void Lowering::store_staged() {
  for (const auto& [id, staged] : staged_) {
    code_.effect(fmt::format("v::store_rows<Stream, {}>({}, {});", staged.count, staged.to, staged.array));
  }
  if (!staged_.empty()) {
    code_.memory_changes();
  }
  staged_.clear();
}

}  // namespace lockstep::emit_avx512
