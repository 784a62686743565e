#include "codegen/emit/ve/store_order.hpp"

#include <unordered_map>

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

/// More lanes than this are not tried.
constexpr std::uint64_t most_tried = std::uint64_t{1} << 20U;

bool is_of_lanes(Symbol symbol) { return symbol.kind != Symbol::Kind::Value; }

/// Without what is the same in all lanes; none if lanes differ by something that is known late.
std::optional<Polynomial> between_lanes(const Polynomial& index) {
  Polynomial result;
  for (const Monomial& term : index.terms()) {
    Polynomial product(term.coefficient);
    bool has_lanes = false;
    bool has_others = false;
    for (const Symbol symbol : term.factors) {
      product = product * Polynomial(symbol);
      has_lanes = has_lanes || is_of_lanes(symbol);
      has_others = has_others || !is_of_lanes(symbol);
    }
    // The first group's number is known late, too.
    has_others = has_others || (product.mentions(Symbol::group()) && term.factors.size() > 1);
    if (has_lanes && has_others) {
      return std::nullopt;
    }
    result += has_lanes ? product : Polynomial(0);
  }
  return result;
}

bool tried(const Polynomial& cells, Layout layout, Shape shape, bool has_own) {
  const std::uint32_t items = layout.kind == Layout::Kind::Item ? shape.wg_size : 1;
  std::unordered_map<std::int64_t, std::uint64_t> last;  // by cell, of one group or of all: the lane that has stored there
  for (std::uint32_t first = 0; first < (has_own ? shape.wg_pack : 1); ++first) {
    last.clear();
    for (std::uint32_t element = 0; element < layout.elements; ++element) {
      for (std::uint32_t group = first; group < (has_own ? first + 1 : shape.wg_pack); ++group) {
        for (std::uint32_t item = 0; item < items; ++item) {
          const std::int64_t cell = cells.evaluate([&](Symbol symbol) -> std::int64_t {
            return symbol == Symbol::item() ? item : symbol == Symbol::element() ? element : group;
          });
          const std::uint64_t lane = number_of(layout, shape, {group, item, element});
          const auto [found, is_new] = last.try_emplace(cell, lane);
          if (!is_new && found->second > lane) {
            return false;
          }
          found->second = lane;
        }
      }
    }
  }
  return true;
}

}  // namespace

bool stores_in_order(const Kernel& kernel, const Store& store, Shape shape) {
  const Layout layout = kernel.type_of(store.value).layout;
  if (layout.elements == 1) {
    return true;
  }
  const auto* object = std::get_if<OfObject>(&store.place.base);
  if (object != nullptr && kernel.objects[object->id].space == AddressSpace::Private) {
    return true;  // an item's elements are stored in turn
  }
  const auto* pointer = std::get_if<AtPointer>(&store.place.base);
  const bool is_one_base = pointer == nullptr || kernel.type_of(pointer->value).layout.kind == Layout::Kind::Pack;
  if (store.place.lanes || !is_one_base) {
    return false;
  }
  const bool is_apart = object != nullptr;  // groups have one each
  if ((shape.wg_pack == 1 || is_apart) && store.access != Access::Gather) {
    return true;  // lanes of a group lie apart, or all in one cell
  }
  const auto cells = between_lanes(store.place.index);
  return cells && lanes(layout, shape) <= most_tried && tried(*cells, layout, shape, is_apart);
}

}  // namespace lockstep::emit_ve
