// What moves numbers from lane to lane: names where the lanes fit, permutes of registers, and memory where the lanes are known late.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/avx512/lowering.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

/// Where the lanes of a value lie in an array, as a polynomial in the group of the pack, the item and the element.
Polynomial place_polynomial(Layout layout, const Geometry& g, Shape shape) {
  const Polynomial stride(static_cast<std::int64_t>(g.stride));
  Polynomial group(Symbol::group());
  if (layout == Layout::group()) {
    return group;
  }
  if (g.arrangement == Arrangement::Groups) {
    const Polynomial row = layout.kind == Layout::Kind::Item ? Polynomial(Symbol::item()) : Polynomial(0);
    return (row * Polynomial(std::int64_t{layout.elements}) + Polynomial(Symbol::element())) * Polynomial(std::int64_t{shape.wg_pack}) +
           group;
  }
  if (layout.kind == Layout::Kind::Group) {
    return group * stride + Polynomial(Symbol::element());
  }
  if (layout.elements == 1) {
    return group * stride + Polynomial(Symbol::item());
  }
  return (group * Polynomial(std::int64_t{shape.wg_size}) + Polynomial(Symbol::item())) * stride + Polynomial(Symbol::element());
}

constexpr std::size_t most_chunks_loaded = 4;  ///< from a buffer, to take lanes from them, before a gather is better
constexpr std::uint32_t fewest_columns = 3;    ///< of a value, before turning its rows into columns is better than gathers
constexpr std::size_t most_remade = 8;         ///< operations that are done once more for a lane, before their results go to memory instead

}  // namespace

Piece Lowering::spread(const Operation& operation, const Spread& node, const Position& position) {
  const Type& from = kernel_.type_of(node.source);
  if (is_scalar(from.layout)) {
    const Piece source = chunk(node.source, position);
    if (from.element == truth) {
      return is_scalar(node.layout) || source.bits ? source : Piece{"", source.text, std::nullopt};
    }
    return uniform({from.element, node.layout}, source.scalar.empty() ? source.text : source.scalar);
  }
  const Reorder::Affine own{from.layout.kind == Layout::Kind::Item ? Polynomial(Symbol::item()) : Polynomial(0), Polynomial(0)};
  return from_lanes(node.source, own, position, name_of(operation.results.front()));
}

Piece Lowering::reorder(const Operation& operation, const Reorder& node, const Position& position) {
  const std::string name = name_of(operation.results.front());
  if (const auto* affine = std::get_if<Reorder::Affine>(&node.pattern)) {
    return from_lanes(node.source, *affine, position, name);
  }
  return from_table(node.source, node, position, name);
}

/// The position with the coordinates of the lanes that a pattern names.
Position Lowering::at_pattern(const Reorder::Affine& pattern, const Position& position) {
  Position there = position;
  const auto coordinate = [&](const Polynomial& polynomial) {
    const Sum sum = sum_of(polynomial, position, Groups::OfPack);
    return Coordinate{sum.uniform, sum.steps, sum.vector};
  };
  there.wi = coordinate(pattern.item);
  there.ix = coordinate(pattern.element);
  there.number.reset();
  const auto range = [&](Symbol symbol, const Polynomial& polynomial) {
    const Polynomial known = with_known(polynomial);
    if (known == Polynomial(symbol)) {
      return;
    }
    const auto least = least_of(known, position.ranges);
    const auto most = most_of(known, position.ranges);
    if (!known.mentions(Symbol::item()) && !known.mentions(Symbol::element())) {
      there.ranges[symbol] = {known, known};
    } else if (least && most) {
      there.ranges[symbol] = {*least, *most};
    } else {
      there.ranges.erase(symbol);
    }
  };
  range(Symbol::item(), pattern.item);
  range(Symbol::element(), pattern.element);
  return there;
}

/// The lanes of the position for which the pattern names a lane that there is.
Piece Lowering::lanes_there(Layout from, const Reorder::Affine& pattern, const Position& position) {
  const auto limit = [](std::uint64_t count) { return Polynomial(static_cast<std::int64_t>(count)); };
  Mask inside{position.layout, {}};
  inside.all_of.push_back({Polynomial(0), Op::Le, pattern.item});
  inside.all_of.push_back({pattern.item, Op::Lt, limit(items(from))});
  inside.all_of.push_back({Polynomial(0), Op::Le, pattern.element});
  inside.all_of.push_back({pattern.element, Op::Lt, limit(from.elements)});
  return compared(inside, position);
}

Piece Lowering::from_lanes(ValueId source, const Reorder::Affine& pattern, const Position& position, std::string_view wanted) {
  if (in_flight_.contains(source) || waits(source)) {
    return remade(source, pattern, position);
  }
  const Kept& kept = kept_[source];
  const Type type{kernel_.type_of(source).element, position.layout};
  const Layout from = kernel_.type_of(source).layout;
  if (is_scalar(from)) {
    const Piece piece = kept.chunks.front();
    return type.element != truth                  ? uniform(type, piece.scalar.empty() ? piece.text : piece.scalar)
           : piece.bits || is_scalar(type.layout) ? piece
                                                  : Piece{"", piece.text, std::nullopt};
  }
  if (kept.again != nullptr) {
    return chunk_of(*kept.again, at_pattern(pattern, position));
  }
  if (is_scalar(type.layout)) {
    return scalar_lane(source, pattern, position, wanted);
  }
  const Position there = at_pattern(pattern, position);
  const bool known = there.wi.first.is_constant() && there.wi.vector.empty() && there.ix.first.is_constant() && there.ix.vector.empty() &&
                     there.wg.first.is_constant() && there.wg.vector.empty();
  if (known) {
    const Geometry g = geometry(from);
    std::vector<std::optional<std::uint64_t>> places;
    for (unsigned j = 0; j < plan_.chunk_lanes; ++j) {
      const auto at = [&](const Coordinate& c) {
        return static_cast<std::uint64_t>(c.first.constant() + (c.steps.empty() ? 0 : c.steps[j]));
      };
      const bool exists = (position.valid >> j & 1) != 0 && at(there.wi) < items(from) && at(there.ix) < from.elements;
      places.push_back(exists ? std::optional(place_of(from, shape_, g,
                                                       {static_cast<std::uint32_t>(at(there.wg)), static_cast<std::uint32_t>(at(there.wi)),
                                                        static_cast<std::uint32_t>(at(there.ix))}))
                              : std::nullopt);
    }
    if (!kept.chunks.empty() && !kept.view) {
      return from_registers(source, places, wanted);
    }
    if (kept.view && (!plan_.from_memory || !lies_together(source, there, position.valid))) {
      const std::size_t needed = chunks_of(places).size();
      if (needed <= most_chunks_loaded || is_column(source, places)) {
        return from_registers(source, places, wanted);
      }
    }
  }
  if (!kept.view && kept.array.empty()) {
    throw InternalError("lanes of a value that is not in memory");
  }
  const Piece active = both(mask(position.valid), lanes_there(from, pattern, position));
  if (active.bits == 0U) {
    return type.element == truth ? mask(0) : uniform(type, number_text(type.element, 0));
  }
  return read_cells(memory_of(source, there), type, active, wanted);
}

/// Whether the lanes lie one behind the other in a buffer, or all are one: then a load is the cheapest way to them.
bool Lowering::lies_together(ValueId source, const Position& lanes, std::uint32_t valid) {
  const Sum index = memory_of(source, lanes).index;
  return index.is_uniform() || is_run(index, valid);
}

/// The chunks that the places lie in, in order of their lanes.
std::vector<std::uint64_t> Lowering::chunks_of(const std::vector<std::optional<std::uint64_t>>& places) const {
  std::vector<std::uint64_t> result;
  for (const auto& place : places) {
    if (place && std::ranges::find(result, *place / plan_.chunk_lanes) == result.end()) {
      result.push_back(*place / plan_.chunk_lanes);
    }
  }
  return result;
}

/// Whether the lanes are a column: each lies in a chunk of its own, at the same lane there; and so many columns of the value are wanted
/// that it pays to turn rows into columns.
bool Lowering::is_column(ValueId source, const std::vector<std::optional<std::uint64_t>>& places) const {
  const unsigned c = plan_.chunk_lanes;
  const Element element = kernel_.type_of(source).element;
  const bool fills = element.is_pointer || size_of(element.scalar) * c == 64;
  if (!plan_.columns || !fills || column_reads_[source] < fewest_columns) {
    return false;
  }
  std::set<std::uint64_t> seen;
  std::optional<std::uint64_t> lane;
  for (const auto& place : places) {
    if (place && (!seen.insert(*place / c).second || lane.value_or(*place % c) != *place % c)) {
      return false;
    }
    lane = place ? *place % c : lane;
  }
  return seen.size() > c / 2;
}

/// The k-th chunk of a small value, or of one in a buffer.
Piece Lowering::chunk_piece(ValueId source, std::uint64_t k) {
  const Kept& kept = kept_[source];
  return kept.chunks.empty() ? read_own(source, position(kernel_.type_of(source).layout, k)) : kept.chunks[k];
}

/// A lane for a value that is a scalar, from one of a pack's only group.
Piece Lowering::scalar_lane(ValueId source, const Reorder::Affine& pattern, const Position& position, std::string_view wanted) {
  const Kept& kept = kept_[source];
  const Type type{kernel_.type_of(source).element, position.layout};
  const Layout from = kernel_.type_of(source).layout;
  const Position there = at_pattern(pattern, position);
  const Piece exists = lanes_there(from, pattern, position);
  if (exists.bits == 0U) {
    return type.element == truth ? mask(0) : uniform(type, number_text(type.element, 0));
  }
  const bool known = there.wi.first.is_constant() && there.ix.first.is_constant();
  if (!kept.view && known && !kept.chunks.empty()) {
    const std::uint64_t place =
        place_of(from, shape_, geometry(from),
                 {0, static_cast<std::uint32_t>(there.wi.first.constant()), static_cast<std::uint32_t>(there.ix.first.constant())});
    const Piece& piece = kept.chunks[place / plan_.chunk_lanes];
    const std::uint64_t lane = place % plan_.chunk_lanes;
    if (type.element == truth) {
      return piece.bits ? mask((*piece.bits >> lane & 1) != 0 ? full() : 0)
                        : Piece{code_.value("bool", wanted, fmt::format("({} >> {} & 1) != 0", mask_text(piece), lane)), "", std::nullopt};
    }
    if (!piece.scalar.empty()) {
      return {piece.scalar, piece.scalar, std::nullopt};
    }
    return named(type, wanted, fmt::format("v::lane({}, {})", piece.text, lane));
  }
  return read_cells(memory_of(source, there), type, exists, wanted);
}

/// Where the lanes of a value in memory lie, for lanes with these coordinates.
Lowering::Cells Lowering::memory_of(ValueId value, const Position& lanes) {
  const Kept& kept = kept_[value];
  if (kept.view) {
    return {parameters_[kept.view->parameter], "", sum_of(kept.view->index, lanes, Groups::OfLaunch)};
  }
  const Layout layout = kernel_.type_of(value).layout;
  return {kept.array, "", sum_of(place_polynomial(layout, geometry(layout), shape_), lanes, Groups::OfPack)};
}

Piece Lowering::from_table(ValueId source, const Reorder& node, const Position& position, std::string_view wanted) {
  const std::vector<std::uint32_t>& listed = std::get<Reorder::Table>(node.pattern).source;
  const Type type{kernel_.type_of(source).element, position.layout};
  const Layout from = kernel_.type_of(source).layout;
  if (is_scalar(from)) {
    return from_lanes(source, {0, 0}, position, wanted);
  }
  const std::uint64_t per_group = lanes_per_group(from, shape_);
  const Geometry g_from = geometry(from);
  const Geometry g_to = geometry(node.layout);
  const auto source_of = [&](std::uint64_t place) -> std::optional<std::uint64_t> {
    const auto lane = is_scalar(node.layout) ? std::optional(Lane{}) : lane_at_place(node.layout, shape_, g_to, place);
    if (!lane) {
      return std::nullopt;
    }
    const std::uint32_t in_group = listed[number_of(node.layout, {shape_.wg_size, 1}, {0, lane->wi, lane->ix})];
    if (in_group == Reorder::Table::nowhere) {
      return std::nullopt;
    }
    return place_of(from, shape_, g_from, lane_at(from, shape_, lane->wg * per_group + in_group));
  };
  if (is_scalar(node.layout)) {
    const auto place = source_of(0);
    if (!place) {
      return type.element == truth ? mask(0) : uniform(type, number_text(type.element, 0));
    }
    const Lane lane = lane_at_place(from, shape_, g_from, *place).value();
    return scalar_lane(source, {std::int64_t{lane.wi}, std::int64_t{lane.ix}}, position, wanted);
  }
  if (position.number && !kept_[source].chunks.empty()) {
    std::vector<std::optional<std::uint64_t>> places;
    for (unsigned j = 0; j < plan_.chunk_lanes; ++j) {
      places.push_back(source_of(*position.number * plan_.chunk_lanes + j));
    }
    return from_registers(source, places, wanted);
  }
  std::vector<std::string> numbers;
  for (std::uint64_t place = 0; place < g_to.chunks * plan_.chunk_lanes; ++place) {
    numbers.push_back(fmt::format("{}", source_of(place).value_or(0)));
  }
  const std::string at = address_text(table("int64_t", "sources", numbers), position.place);
  const Cells cells{kept_[source].array, "", {0, {}, code_.value("I64", "sources", fmt::format("v::load<I64>({})", at))}};
  return read_cells(cells, type, mask(full()), wanted);
}

namespace {

RegisterKind kind_of(std::string_view vector, unsigned lanes) {
  if (vector == "F64") {
    return RegisterKind::F64x8;
  }
  if (vector == "I64" || vector == "U64") {
    return RegisterKind::I64x8;
  }
  if (vector == "F32") {
    return lanes == 16 ? RegisterKind::F32x16 : RegisterKind::F32x8;
  }
  return lanes == 16 ? RegisterKind::I32x16 : RegisterKind::I32x8;
}

}  // namespace

/// Lanes of a value in registers, by their places; none: any number.
Piece Lowering::from_registers(ValueId source, const std::vector<std::optional<std::uint64_t>>& places, std::string_view wanted) {
  const Type& type = kernel_.type_of(source);
  const unsigned c = plan_.chunk_lanes;
  if (type.element == truth) {
    return truths_from_registers(source, places, wanted);
  }
  std::map<std::uint64_t, Piece> chunks;
  for (const std::uint64_t k : chunks_of(places)) {
    chunks.emplace(k, chunk_piece(source, k));
  }
  if (is_column(source, places)) {
    return column(type, chunks, places, wanted);
  }
  // The same number everywhere?
  std::string number;
  bool same = true;
  for (const auto& place : places) {
    if (place) {
      const std::string& here = chunks.at(*place / c).scalar;
      same = same && !here.empty() && (number.empty() || number == here);
      number = here;
    }
  }
  if (same) {
    return uniform(type, number.empty() ? number_text(type.element, 0) : number);
  }
  const std::string vector = vector_type(type.element);
  const RegisterKind kind = kind_of(vector, c);
  const bool pairs = lanes_of(kind) < c;
  const auto name_of_register = [&](unsigned number_of_register) {
    const unsigned k = pairs ? number_of_register / 2 : number_of_register;
    return text_of(chunks.at(k), type) + (!pairs ? ".r" : number_of_register % 2 == 0 ? ".lo" : ".hi");
  };
  const auto part = [&](unsigned first) {
    Wanted lanes;
    for (unsigned j = first; j < first + lanes_of(kind); ++j) {
      if (!places[j]) {
        lanes.emplace_back();
      } else if (pairs) {
        lanes.emplace_back(SourceLane{static_cast<unsigned>(*places[j] / 8), static_cast<unsigned>(*places[j] % 8)});
      } else {
        lanes.emplace_back(SourceLane{static_cast<unsigned>(*places[j] / c), static_cast<unsigned>(*places[j] % c)});
      }
    }
    const Sequence sequence = cheapest(kind, lanes, plan_.forms);
    choices_.push_back(fmt::format("{}: {}", wanted, explain(sequence)));
    return emit_avx512::text(sequence, name_of_register, [&](const IndexVector& index) {
      // As a vector of the support header, so that it is one with the shim too; four 64-bit lanes as eight halves.
      const bool halves = index.lane_bits == 64 && index.lanes.size() == 4;
      const bool wide = index.lane_bits == 64 && !halves;
      std::vector<std::string> numbers;
      for (const std::uint32_t lane : index.lanes) {
        numbers.push_back(fmt::format("{}", lane));
        if (halves) {
          numbers.emplace_back("0");
        }
      }
      const std::string name = table(wide ? "int64_t" : "int32_t", "lanes", numbers);
      return fmt::format("v::load<v::I{}x{}>({}).r", wide ? 64 : 32, numbers.size(), name);
    });
  };
  if (!pairs) {
    bool reuse = plan_.forms.reuse;
    std::optional<std::uint64_t> which;
    for (unsigned j = 0; j < c; ++j) {
      if (places[j]) {
        reuse = reuse && *places[j] % c == j && (!which || *which == *places[j] / c);
        which = *places[j] / c;
      }
    }
    if (reuse && which) {
      return chunks.at(*which);
    }
    return named(type, wanted, fmt::format("{}{{{}}}", vector, part(0)));
  }
  return named(type, wanted, fmt::format("{}{{{}, {}}}", vector, part(0), part(8)));
}

/// A column of a square of lanes whose rows are chunks; the other columns come with it.
Piece Lowering::column(const Type& type, const std::map<std::uint64_t, Piece>& rows,
                       const std::vector<std::optional<std::uint64_t>>& places, std::string_view wanted) {
  const unsigned c = plan_.chunk_lanes;
  std::vector<std::string> names;
  std::uint64_t lane = 0;
  for (const auto& place : places) {
    names.push_back(text_of(place ? rows.at(*place / c) : rows.begin()->second, type));
    lane = place ? *place % c : lane;
  }
  choices_.push_back(fmt::format("{}: column {} of {} rows turned into columns", wanted, lane, rows.size()));
  const std::string vector = vector_type(type.element);
  const std::string columns =
      code_.value(fmt::format("v::Columns<{}>", vector), "columns", fmt::format("v::columns<{}>({})", vector, fmt::join(names, ", ")));
  return {fmt::format("{}.column[{}]", columns, lane), "", std::nullopt};
}

/// Masks become numbers, and masks again.
Piece Lowering::truths_from_registers(ValueId source, const std::vector<std::optional<std::uint64_t>>& places, std::string_view wanted) {
  const std::vector<Piece>& chunks = kept_[source].chunks;
  const unsigned c = plan_.chunk_lanes;
  std::uint32_t bits = 0;
  bool known = true;
  std::optional<std::uint64_t> which;
  bool reuse = true;
  bool all_scalar = true;
  std::string scalar;
  for (unsigned j = 0; j < c; ++j) {
    if (!places[j]) {
      continue;
    }
    const Piece& piece = chunks[*places[j] / c];
    known = known && piece.bits.has_value();
    bits |= known ? (*piece.bits >> (*places[j] % c) & 1) << j : 0;
    reuse = reuse && *places[j] % c == j && (!which || *which == *places[j] / c);
    which = *places[j] / c;
    all_scalar = all_scalar && piece.text.empty() && !piece.bits && (scalar.empty() || scalar == piece.scalar);
    scalar = piece.scalar;
  }
  if (known) {
    return mask(bits);
  }
  if (reuse && which) {
    return chunks[*which];
  }
  if (all_scalar) {
    return {"", scalar, std::nullopt};
  }
  // Bit by bit where they are few: a group of lanes that share a source.
  std::string text;
  for (std::uint64_t k = 0; k < chunks.size(); ++k) {
    std::map<std::int64_t, std::uint32_t> by_distance;  // result lane - source lane
    for (unsigned j = 0; j < c; ++j) {
      if (places[j] && *places[j] / c == k) {
        by_distance[1 * (static_cast<std::int64_t>(j) - static_cast<std::int64_t>(*places[j] % c))] |= 1U << j;
      }
    }
    for (const auto& [distance, lanes] : by_distance) {
      const std::string name = mask_text(chunks[k]);
      const std::string moved = distance == 0  ? name
                                : distance > 0 ? fmt::format("({} << {})", name, distance)
                                               : fmt::format("({} >> {})", name, -distance);
      text += fmt::format("{}({} & {:#x})", text.empty() ? "" : " | ", moved, lanes);
    }
  }
  return {code_.value("M", wanted, fmt::format("M({})", text)), "", std::nullopt};
}

Piece Lowering::shuffle(const Operation& operation, const Shuffle& node, const Position& position) {
  // The result is poison where the lane does not exist or is inactive: which number stands there does not matter, that it can be read does.
  const Type& type = kernel_.type_of(operation.results.front());
  const std::string name = name_of(operation.results.front());
  const Piece lane = position.layout.elements == 1 ? chunk(node.lane, position)
                                                   : from_lanes(node.lane, {Polynomial(Symbol::item()), Polynomial(0)}, position, "lane");
  const std::string item = text_of(lane, {index_element, position.layout});
  const std::string exists = fmt::format("v::lt(v::convert<U64>({}), v::set1<U64>({}u))", item, shape_.wg_size);
  const Piece active = both(mask(position.valid), {code_.value("M", "exists", exists), "", std::nullopt});
  Position there = position;
  there.number.reset();
  there.wi = {0, {}, item};
  return read_cells(memory_of(node.source, there), type, active, name);
}

// ---- a lane of a value that is not finished ----------------------------------------------------------------------------------------

/// Whether another lane of a value that waits can be computed on the spot, from values that are finished.
bool Lowering::is_remade(ValueId value, const Reorder::Affine& pattern) const {
  std::size_t count = 0;
  bool is_known = true;  // which lane it is, when the code is made
  for (const Polynomial& coordinate : {with_known(pattern.item), with_known(pattern.element)}) {
    coordinate.for_each_value([&](ValueId) { is_known = false; });
  }
  return !pattern.element.mentions(Symbol::element()) && is_remade(value, is_known, count);
}

/// `is_known`: otherwise lanes of values that are in registers alone cannot be had.
bool Lowering::is_remade(ValueId value, bool is_known, std::size_t& count) const {
  if (!waits(value)) {
    return true;
  }
  const Operation* operation = definitions_[value];
  if (operation == nullptr || ++count > most_remade) {
    return false;
  }
  const Node& node = operation->node;
  const bool plain = std::holds_alternative<Elementwise>(node) || std::holds_alternative<Select>(node) ||
                     std::holds_alternative<Convert>(node) || std::holds_alternative<Bitcast>(node) || std::holds_alternative<Mask>(node) ||
                     std::holds_alternative<Index>(node) || std::holds_alternative<Constant>(node) || std::holds_alternative<Spread>(node);
  const auto* reordering = std::get_if<Reorder>(&node);
  if (!plain && (reordering == nullptr || !std::holds_alternative<Reorder::Affine>(reordering->pattern))) {
    return false;
  }
  bool all = true;
  for_each_plain_operand(node, [&](ValueId operand) {
    const Kept& kept = kept_[operand];
    const bool in_reach = is_known || is_scalar(kernel_.type_of(operand).layout);
    const bool finished =
        !waits(operand) && (kept.view || !kept.array.empty() || kept.again != nullptr || (in_reach && !kept.chunks.empty()));
    all = all && (finished || (waits(operand) && is_remade(operand, is_known, count)));
  });
  return all;
}

/// The value in other lanes: what defines it, done there.
Piece Lowering::remade(ValueId value, const Reorder::Affine& pattern, const Position& position) {
  const Position there = at_pattern(pattern, position);
  const bool before = std::exchange(remaking_, true);
  const Piece piece = chunk_of(*definitions_[value], there);
  remaking_ = before;
  return piece;
}

}  // namespace lockstep::emit_avx512
