#include "codegen/emit/ve/reordering.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "codegen/emit/ve/cycles.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

struct Row {
  Way way;
  std::string_view name;
  bool is_optional;
};

constexpr std::array<Row, 9> table_of_ways = {{{Way::Name, "name", false},
                                               {Way::Number, "number", true},
                                               {Way::Memory, "memory", true},
                                               {Way::Move, "move", true},
                                               {Way::Moves, "moves", true},
                                               {Way::Segments, "segments", true},
                                               {Way::Doubling, "doubling", true},
                                               {Way::Compress, "compress", true},
                                               {Way::Gather, "gather", true}}};

constexpr std::uint32_t nowhere = Reorder::Table::nowhere;
/// More distances than this are not tried.
constexpr std::size_t most_distances = 8;

class Chooser {
 public:
  Chooser(const Reorder& reorder, Layout from, const Surroundings& surroundings)
      : reorder_(reorder),
        from_(from),
        shape_(surroundings.shape),
        surroundings_(surroundings),
        affine_(std::get_if<Reorder::Affine>(&reorder.pattern)),
        cost_(shape_.wg_size * shape_.wg_pack) {}

  Reordering chosen() {
    if (is_name()) {
      result_.way = Way::Name;
      return result_;
    }
    know_sources();
    try_ways();
    std::ranges::sort(result_.candidates, {}, &Reordering::Candidate::cost);
    result_.way = result_.candidates.front().way;
    result_.masks = masks();
    return result_;
  }

 private:
  bool has_items(Layout layout) const { return layout.kind == Layout::Kind::Item; }
  bool is_one_group() const { return shape_.wg_pack == 1; }

  bool mentions_item(const Polynomial& polynomial) const { return shape_.wg_size > 1 && polynomial.mentions(Symbol::item()); }
  bool is_element_alike() const { return !mentions_item(affine_->element); }

  bool lies_within(const Polynomial& polynomial, std::uint64_t count) const {
    const auto range = emit_c::range_of(polynomial, reorder_.layout, shape_, surroundings_.ranges);
    return range && range->lies_in(0, static_cast<std::int64_t>(count) - 1);
  }
  bool is_inside() const {
    return lies_within(affine_->element, from_.elements) && (!has_items(from_) || lies_within(affine_->item, shape_.wg_size));
  }

  /// Every item wants its own, or what all items of a group have alike.
  bool is_name() const {
    return affine_ != nullptr && is_element_alike() &&
           (!has_items(from_) || shape_.wg_size == 1 || affine_->item == Polynomial(Symbol::item()));
  }

  /// How far each item moves, if that is the same for all: a polynomial.
  bool is_move() const {
    return affine_ != nullptr && has_items(from_) && is_element_alike() && !mentions_item(affine_->item - Symbol::item());
  }
  /// All items of a group want one item's.
  bool is_broadcast() const { return affine_ != nullptr && has_items(from_) && is_element_alike() && !mentions_item(affine_->item); }

  /// Of the first group; the item of each result, or of the one item that a Group layout has.
  std::uint32_t source_item(std::uint32_t item, std::uint32_t element) const {
    std::int64_t wanted = 0;
    if (affine_ != nullptr) {
      wanted = affine_->item.evaluate([&](Symbol symbol) -> std::int64_t { return symbol == Symbol::item() ? item : element; });
    } else {
      const std::uint32_t row = has_items(reorder_.layout) ? item : 0;
      const std::uint32_t lane = std::get<Reorder::Table>(reorder_.pattern).source[std::size_t{row} * reorder_.layout.elements + element];
      wanted = lane == nowhere ? -1 : std::int64_t{lane / from_.elements};
    }
    return wanted >= 0 && wanted < std::int64_t{shape_.wg_size} ? static_cast<std::uint32_t>(wanted) : nowhere;
  }

  /// The same lanes for all elements, and no lane of another element than the vector's.
  void know_sources() {
    bool is_known = has_items(from_);
    if (affine_ != nullptr) {
      affine_->item.for_each_value([&](ValueId) { is_known = false; });
      is_known = is_known && is_element_alike() && !affine_->item.mentions(Symbol::element());
    } else {
      is_known = is_known && from_.elements == 1 && reorder_.layout.elements == 1;
    }
    if (!is_known) {
      return;
    }
    result_.is_known = true;
    for (std::uint32_t group = 0; group < shape_.wg_pack; ++group) {
      for (std::uint32_t item = 0; item < shape_.wg_size; ++item) {
        const std::uint32_t source = source_item(item, 0);
        result_.sources.push_back(source == nowhere ? nowhere : group * shape_.wg_size + source);
      }
    }
    std::set<std::int64_t> distances;
    for (std::size_t lane = 0; lane < result_.sources.size(); ++lane) {
      if (result_.sources[lane] != nowhere) {
        distances.insert(std::int64_t{result_.sources[lane]} - static_cast<std::int64_t>(lane));
      }
    }
    result_.distances.assign(distances.begin(), distances.end());
  }

  bool keeps_order() const {
    std::int64_t last = -1;
    return std::ranges::all_of(result_.sources, [&](std::uint32_t source) {
      const bool is_next = source == nowhere || std::int64_t{source} > last;
      last = source == nowhere ? last : std::int64_t{source};
      return is_next;
    });
  }

  void add(const Reordering::Candidate& candidate) {
    if (!surroundings_.without.contains(candidate.way)) {
      result_.candidates.push_back(candidate);
    }
  }

  void try_ways() {
    const double access = cost_.access();
    const double move = cost_.move();
    const double mask = 2 * move;  // of a table in memory, by a comparison
    if (is_broadcast() && is_one_group()) {
      add({Way::Number, 0, 1, 0});
    }
    if (affine_ != nullptr && is_inside() && is_line()) {
      add({Way::Memory, 1, access, 0});
    }
    if (is_move()) {
      add({Way::Move, 2, access, move});
    }
    const auto distances = static_cast<double>(result_.distances.size());
    if (result_.is_known && !result_.distances.empty() && result_.distances.size() <= most_distances) {
      add({Way::Moves, 5 * distances - 3, distances * access, distances * move + (distances - 1) * (move + mask)});
    }
    if (result_.is_known && keeps_order()) {
      add({Way::Compress, 9, 3 * access, 2 * (move + mask)});
    }
    if (is_broadcast() && !is_one_group()) {
      const double groups = shape_.wg_pack;
      if (shape_.wg_pack <= most_distances) {
        add({Way::Segments, 5 * groups - 4, groups + (groups - 1) * access, groups * move + (groups - 1) * (move + mask)});
      }
      const double steps = std::bit_width(shape_.wg_size - 1);
      add({Way::Doubling, 2 + 4 * steps, 2 * access, move + steps * (2 * move + mask)});
    }
    const Reordering::Candidate gather{Way::Gather, is_one_group() ? 3.0 : 5.0, access + cost_.gather(), move};
    if (result_.candidates.empty() || !surroundings_.without.contains(Way::Gather)) {
      result_.candidates.push_back(gather);
    }
  }

  /// From one lane to the next it is the same distance in scratch memory, in which an element has a row.
  bool is_line() const {
    const Polynomial place = (has_items(from_) ? affine_->item : Polynomial(Symbol::item())) +
                             affine_->element * Polynomial(std::int64_t{shape_.wg_size} * shape_.wg_pack);
    const auto step = place.slope(Symbol::item());
    return step && (is_one_group() || *step == Polynomial(1));
  }

  unsigned masks() const {
    switch (result_.way) {
      case Way::Moves:
        return static_cast<unsigned>(result_.distances.size()) - 1;
      case Way::Doubling:
        return static_cast<unsigned>(std::bit_width(shape_.wg_size - 1));
      case Way::Segments:
        return shape_.wg_pack - 1;
      case Way::Compress:
      case Way::Gather:
        return 2;
      case Way::Name:
      case Way::Number:
      case Way::Memory:
      case Way::Move:
        break;
    }
    return 0;
  }

  const Reorder& reorder_;
  Layout from_;
  Shape shape_;
  const Surroundings& surroundings_;
  const Reorder::Affine* affine_;
  VectorCost cost_;
  Reordering result_;
};

}  // namespace

std::optional<Way> way_named(std::string_view word) {
  const auto* const row = std::ranges::find_if(table_of_ways, [&](const Row& one) { return one.is_optional && one.name == word; });
  return row == table_of_ways.end() ? std::nullopt : std::optional(row->way);
}

std::vector<std::string> names_of_ways() {
  std::vector<std::string> names;
  for (const Row& row : table_of_ways) {
    if (row.is_optional) {
      names.emplace_back(row.name);
    }
  }
  return names;
}

std::string_view name_of(Way way) { return std::ranges::find(table_of_ways, way, &Row::way)->name; }

Reordering reordering_of(const Reorder& reorder, Layout from, const Surroundings& surroundings) {
  return Chooser(reorder, from, surroundings).chosen();
}

}  // namespace lockstep::emit_ve
