// What waits for its sweep, and what it must not be overtaken by.
#include <algorithm>

#include "codegen/emit/avx512/apart.hpp"
#include "codegen/emit/avx512/inside.hpp"
#include "codegen/emit/avx512/lowering.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

bool Lowering::waits(ValueId value) const {
  return std::ranges::any_of(
      waiting_, [&](const Operation* operation) { return std::ranges::find(operation->results, value) != operation->results.end(); });
}

bool Lowering::uses(const Operation& operation, ValueId value) const {
  bool found = false;
  for_each_inside(kernel_, operation, [&](const Operation& inner) {
    for_each_use(inner.node, [&](ValueId used) { found = found || used == value; });
    for_each_region(inner.node, [&](RegionId region) { found = found || std::ranges::count(kernel_.regions[region].yields, value) != 0; });
  });
  return found;
}

bool Lowering::uses_waiting(const Operation& operation) const {
  bool found = false;
  if (!waiting_.empty()) {
    for_each_inside(kernel_, operation, [&](const Operation& inner) {
      for_each_use(inner.node, [&](ValueId value) { found = found || waits(value); });
      for_each_region(inner.node, [&](RegionId region) {
        for (const ValueId yield : kernel_.regions[region].yields) {
          found = found || waits(yield);
        }
      });
    });
  }
  return found;
}

bool Lowering::conflicts(const Operation& operation) {
  bool found = false;
  for (const Operation* earlier : waiting_) {
    for_each_inside(kernel_, *earlier, [&](const Operation& first) {
      for_each_inside(kernel_, operation, [&](const Operation& second) { found = found || keep_order(first, second); });
    });
  }
  return found;
}

/// Calls f(value, moved) for values that lie in buffers and that the operation reads: its operands and what its regions yield, or what an
/// unfinished operand is made of, which it makes again for other lanes (`moved`).
void Lowering::for_each_read_view(const Operation& operation, const std::function<void(ValueId, bool)>& f) const {
  std::unordered_set<ValueId> seen;
  std::vector<ValueId> again;
  const bool moves = moves_lanes(kernel_, operation.node);
  const auto look = [&](ValueId value, bool moved) {
    if (kept_[value].view) {
      f(value, moved);
    } else if (moved && waits(value) && definitions_[value] != nullptr && seen.insert(value).second) {
      again.push_back(value);
    }
  };
  for_each_use(operation.node, [&](ValueId value) { look(value, moves); });
  for_each_region(operation.node, [&](RegionId region) {
    for (const ValueId yield : kernel_.regions[region].yields) {
      look(yield, moves);
    }
  });
  while (!again.empty()) {
    const Operation& made = *definitions_[again.back()];
    again.pop_back();
    for_each_use(made.node, [&](ValueId value) { look(value, true); });
  }
}

/// Whether the store changes what the other operation reads of a buffer, in other lanes than those that both have done when they come to
/// it.
bool Lowering::overwrites(const Operation& store, const Operation& reader) {
  const auto* node = std::get_if<Store>(&store.node);
  const Place& place = *stored_place(store.node);
  if (std::holds_alternative<OfObject>(place.base)) {
    return false;
  }
  const auto* of = std::get_if<OfParameter>(&place.base);
  bool meets = false;
  for_each_read_view(reader, [&](ValueId viewed, bool moved) {
    const View& view = *kept_[viewed].view;
    if (of == nullptr) {
      meets = true;
    } else if (of->id != view.parameter) {
      asked_apart_ = true;
      meets = meets || !plan_.parameters_apart;
    } else {
      const Layout layout = kernel_.type_of(viewed).layout;
      const bool own_lanes = node != nullptr && !moved && !place.lanes && view.index == place.index &&
                             layout == layout_of(kernel_, store) && node->access == Access::Contiguous && groups_apart(view.index, layout);
      meets = meets || !own_lanes;
    }
  });
  return meets;
}

/// Whether all lanes of `first` have to be done before any of `second`.
bool Lowering::keep_order(const Operation& first, const Operation& second) {
  if ((stored_place(second.node) != nullptr && overwrites(second, first)) ||
      (stored_place(first.node) != nullptr && overwrites(first, second))) {
    return true;
  }
  const Place* a = accessed_place(first.node);
  const Place* b = accessed_place(second.node);
  if (a == nullptr || b == nullptr || (std::holds_alternative<Load>(first.node) && std::holds_alternative<Load>(second.node))) {
    return false;
  }
  if (std::holds_alternative<AtPointer>(a->base) || std::holds_alternative<AtPointer>(b->base)) {
    return true;  // a pointer may point anywhere
  }
  if (a->base != b->base) {
    // Two parameters may point to the same cells, an object is apart from all else.
    if (!std::holds_alternative<OfParameter>(a->base) || !std::holds_alternative<OfParameter>(b->base)) {
      return false;
    }
    asked_apart_ = true;
    return !plan_.parameters_apart;
  }
  if (std::holds_alternative<Atomic>(first.node) || std::holds_alternative<Atomic>(second.node)) {
    return true;
  }
  // The same cells lane by lane, and each lane has a cell of its own.
  const Layout layout = layout_of(kernel_, first);
  const auto own_cells = [&](const Node& node, const Place& place) {
    const auto* load = std::get_if<Load>(&node);
    const Access access = load != nullptr ? load->access : std::get<Store>(node).access;
    return access == Access::Contiguous && !place.lanes && groups_apart(place.index, layout);
  };
  if (!std::holds_alternative<OfParameter>(a->base) || layout != layout_of(kernel_, second) || !own_cells(first.node, *a) ||
      !own_cells(second.node, *b)) {
    return true;
  }
  return !is_far(with_known(b->index) - with_known(a->index), layout);
}

/// Whether what all lanes of a pack touch, and what lies so many elements further, are the same or do not meet: that may be asked when the
/// kernel is called, but not for more than a few distances: there are as many as pairs of stores.
bool Lowering::is_far(const Polynomial& distance, Layout layout) {
  constexpr std::size_t most_conditions = 64;
  const std::uint64_t count = lanes(layout, kernel_.shape);
  if (distance.is_constant()) {
    const std::int64_t elements = distance.constant();
    return elements == 0 || elements >= static_cast<std::int64_t>(count) || elements <= -static_cast<std::int64_t>(count);
  }
  const auto condition = far_condition(scalars_, distance, count);
  if (!condition) {
    return false;
  }
  asked_apart_ = true;
  if (!plan_.parameters_apart || (far_.size() == most_conditions && !far_.contains(*condition))) {
    return false;
  }
  far_.insert(*condition);
  return true;
}

/// Whether the groups of a pack lie one behind the other.
bool Lowering::groups_apart(const Polynomial& index, Layout layout) const {
  return shape_.wg_pack == 1 || index.slope(Symbol::group()) == Polynomial(static_cast<std::int64_t>(lanes_per_group(layout, shape_)));
}

/// Whether the value is the source, or waits and is computed from it.
bool Lowering::is_made_of(ValueId value, ValueId source) const {
  if (value == source) {
    return true;
  }
  bool found = false;
  if (waits(value) && definitions_[value] != nullptr) {
    for_each_plain_operand(definitions_[value]->node, [&](ValueId operand) { found = found || is_made_of(operand, source); });
  }
  return found;
}

/// Whether a value would be written where a loop's argument lies, while other rows of that argument are still looked at: now, or by one of
/// the operations that wait.
bool Lowering::overtakes(const Operation& operation) const {
  std::vector<const Operation*> all = waiting_;
  all.push_back(&operation);
  const auto is_loop = [](const Operation* each) { return std::holds_alternative<For>(each->node); };
  // Next to a loop several rows are worked on at once, and none of them is read as a whole before.
  const bool has_loop = std::ranges::any_of(all, is_loop);
  const auto in_place = [&](const Operation& writer, const Operation& reader) {
    return std::ranges::any_of(writer.results, [&](ValueId result) {
      return !preferred_[result].empty() && reads_other_rows(reader, preferred_argument_[result], !has_loop);
    });
  };
  const auto of_pair = [&](const Operation* a, const Operation* b) { return in_place(*a, *b) || in_place(*b, *a); };
  if (is_loop(&operation) && std::ranges::none_of(waiting_, is_loop)) {  // what waits was not next to a loop yet
    return std::ranges::any_of(
        all, [&](const Operation* a) { return std::ranges::any_of(all, [&](const Operation* b) { return of_pair(a, b); }); });
  }
  return std::ranges::any_of(all, [&](const Operation* earlier) { return of_pair(earlier, &operation); });
}

void Lowering::enqueue(const Operation& operation, Layout layout) {
  if (!waiting_.empty()) {
    bool other = waiting_layout_ != layout;
    // What moves lanes of an unfinished value waits for it, unless the value can be made again for the lane that is wanted.
    for_each_inside(kernel_, operation, [&](const Operation& inner) {
      const auto* reordering = std::get_if<Reorder>(&inner.node);
      const auto* pattern = reordering == nullptr ? nullptr : std::get_if<Reorder::Affine>(&reordering->pattern);
      if (moves_lanes(kernel_, inner.node)) {
        for_each_plain_operand(
            inner.node, [&](ValueId source) { other = other || (waits(source) && (pattern == nullptr || !is_remade(source, *pattern))); });
      }
    });
    if (other || overtakes(operation) || conflicts(operation)) {
      flush();
    }
  }
  waiting_layout_ = layout;
  waiting_.push_back(&operation);
}

/// Whether the operation reads lanes of the value outside of the row (or, unless values have rows, the lane) that it works on.
/// `rows_first`: what operations outside of loops read of a row as a whole they read before an element of it is written (emit_for_row).
bool Lowering::reads_other_rows(const Operation& operation, ValueId value, bool rows_first) const {
  bool found = false;
  for_each_inside(kernel_, operation, [&](const Operation& inner) {
    if (!moves_lanes(kernel_, inner.node)) {
      return;
    }
    const auto* reordering = std::get_if<Reorder>(&inner.node);
    const auto* pattern = reordering == nullptr ? nullptr : std::get_if<Reorder::Affine>(&reordering->pattern);
    for_each_plain_operand(inner.node, [&](ValueId source) {
      const Layout layout = kernel_.type_of(source).layout;
      const bool first_in_row =
          rows_first && &inner == &operation && by_groups() && pattern != nullptr && !pattern->element.mentions(Symbol::element());
      const bool own_row = pattern != nullptr && pattern->item == Polynomial(Symbol::item()) && (has_rows(layout) || first_in_row) &&
                           reordering->layout.kind == Layout::Kind::Item && reordering->layout.elements > 1;
      found = found || (is_made_of(source, value) && !own_row);
    });
  });
  return found;
}

/// Rows of items' elements, each in chunks of its own, that one tile holds as a whole.
bool Lowering::has_rows(Layout layout) const {
  const Geometry g = geometry(layout);
  return !by_groups() && is_big(layout) && layout.kind == Layout::Kind::Item && layout.elements > 1 && g.stride % plan_.chunk_lanes == 0 &&
         g.stride / plan_.chunk_lanes <= most_row_chunks;
}

}  // namespace lockstep::emit_avx512
