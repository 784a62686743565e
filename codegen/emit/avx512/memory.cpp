// Loads, stores and pointers. A lane that is inactive, or does not exist, touches no memory of the kernel's.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "codegen/emit/avx512/lowering.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

/// A constant array outside of the function; equal ones are one.
std::string Lowering::table(std::string_view type, std::string_view wanted, const std::vector<std::string>& numbers) {
  std::string list;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    list += i == 0 ? "" : i % 16 == 0 ? ",\n    " : ", ";
    list += numbers[i];
  }
  std::string& name = tables_.names[fmt::format("{}:{}", type, list)];
  if (name.empty()) {
    name = "constants::" + tables_.code.unique(wanted);
    tables_.texts.push_back(fmt::format("alignas(64) const {} {}[] = {{{}}};", type, name.substr(11), list));
  }
  return name;
}

/// Where an object's elements of each lane's item or group begin, counted in elements from the pack's first.
Polynomial Lowering::object_offset(ObjectId id) const {
  const Object& object = kernel_.objects[id];
  const Polynomial count(static_cast<std::int64_t>(object.count));
  const Polynomial group(Symbol::group());
  switch (object.space) {
    case AddressSpace::Private:
      return (group * Polynomial(std::int64_t{shape_.wg_size}) + Polynomial(Symbol::item())) * count;
    case AddressSpace::Local:
      return group * count;
    case AddressSpace::Global:
    case AddressSpace::Constant:
      break;
  }
  return 0;
}

Lowering::Cells Lowering::cells(const Place& place, Element element, const Position& position) {
  Cells result;
  result.index = sum_of(place.index, position, Groups::OfLaunch);
  if (const auto* parameter = std::get_if<OfParameter>(&place.base)) {
    result.base = parameters_[parameter->id];
  } else if (const auto* object = std::get_if<OfObject>(&place.base)) {
    result.base = objects_[object->id];
    result.index = plus(sum_of(object_offset(object->id), position, Groups::OfPack), result.index);
  } else {
    const ValueId pointer = std::get<AtPointer>(place.base).value;
    const Piece piece = chunk(pointer, position);
    const Type& type = kernel_.type_of(pointer);
    if (is_scalar(type.layout)) {
      result.base = code_.value(fmt::format("v::Pointer<{}>", in_memory(element)), "base",
                                fmt::format("v::pointer<{}>({})", in_memory(element), piece.text));
    } else {
      result.address = text_of(piece, type);
    }
  }
  if (place.lanes) {
    const Type& type = kernel_.type_of(*place.lanes);
    const Piece lanes = chunk(*place.lanes, position);
    if (is_scalar(type.layout)) {
      result.index = plus(result.index, {Polynomial(Symbol::of(*place.lanes)), {}, ""});
    } else if (!lanes.scalar.empty() && result.address.empty()) {
      // The same in all lanes of the chunk, such as what a group adds: the cells lie as the polynomial says, counted from there.
      result.base = fmt::format("({} + v::u({}))", result.base, lanes.scalar);
    } else {
      const std::string text = text_of(lanes, type);
      const std::string as_signed =
          type.element == index_element ? text : code_.value("I64", "lanes", fmt::format("v::convert<I64>({})", text));
      result.index = plus(result.index, {0, {}, as_signed});
    }
  }
  return result;
}

/// The lanes that take part.
Piece Lowering::active(const std::optional<ValueId>& asked, const Position& position) {
  if (is_scalar(position.layout)) {
    return asked ? chunk(*asked, position) : mask(full());
  }
  const Piece exist = mask(position.valid);
  return asked ? both(exist, chunk(*asked, position)) : exist;
}

bool is_run(const Sum& index, std::uint32_t lanes) {
  if (index.steps.empty() || !index.vector.empty()) {
    return false;
  }
  for (std::size_t j = 0; j < index.steps.size(); ++j) {
    if ((lanes >> j & 1) != 0 && index.steps[j] != static_cast<std::int64_t>(j)) {
      return false;
    }
  }
  return true;
}

namespace {

/// The distance from lane to lane, if it is one and known.
std::optional<std::int64_t> stride_of(const Sum& index) {
  if (index.steps.size() < 2 || !index.vector.empty()) {
    return std::nullopt;
  }
  // Beyond that not all lanes are in one buffer, and distances of lanes may leave 32 bits.
  constexpr std::int64_t longest = std::int64_t{1} << 27;
  const std::int64_t stride = index.steps[1];
  if (stride > longest || stride < -longest) {
    return std::nullopt;
  }
  for (std::size_t j = 0; j < index.steps.size(); ++j) {
    if (index.steps[j] != stride * static_cast<std::int64_t>(j)) {
      return std::nullopt;
    }
  }
  return stride;
}

}  // namespace

/// A chunk with halves of two rows: of cells one behind the other, or the same cell for a half; empty if it is something else.
std::string Lowering::read_halves(const Cells& cells, const Type& type, std::string_view wanted) {
  const std::vector<std::int64_t>& steps = cells.index.steps;
  const std::size_t half = steps.size() / 2;
  if (!is_float(type.element.scalar) || type.element.is_pointer || steps.empty() || !cells.index.vector.empty() ||
      size_of(type.element.scalar) * steps.size() != 64) {
    return "";
  }
  bool same = true;
  bool runs = true;
  for (std::size_t j = 0; j < steps.size(); ++j) {
    const std::int64_t first = steps[j / half * half];
    same = same && steps[j] == first;
    runs = runs && steps[j] == first + static_cast<std::int64_t>(j % half);
  }
  const std::string vector = vector_type(type.element);
  const auto at = [&](std::size_t lane) { return address_text(cells.base, cells.index.uniform + Polynomial(steps[lane])); };
  if (runs) {
    return code_.read(vector, wanted, fmt::format("v::halves<{}>({}, {})", vector, at(0), at(half)));
  }
  if (!same) {
    return "";
  }
  const auto number = [&](std::size_t lane) {
    const std::string name = code_.read(held(type.element), wanted, fmt::format("{}(v::scalar({}))", held(type.element), at(lane)));
    return code_.value(vector, "all", fmt::format("v::set1<{}>({})", vector, name));
  };
  const std::string first = number(0);
  return code_.value(vector, wanted, fmt::format("v::halves({}, {})", first, number(half)));
}

/// The numbers in memory; 0 in lanes that are not active.
Piece Lowering::read_cells(const Cells& cells, const Type& type, const Piece& active, std::string_view wanted) {
  const bool of_truths = type.element == truth;
  const bool scalar = is_scalar(type.layout);
  const std::string vector = scalar ? held(type.element) : vector_type(type.element);
  const std::string memory = in_memory(type.element);
  if (scalar || (cells.address.empty() && cells.index.is_uniform())) {
    const std::string at = address_text(cells.base, cells.index.uniform);
    const std::string number = of_truths ? fmt::format("v::scalar({}) != 0", at) : fmt::format("{}(v::scalar({}))", held(type.element), at);
    std::string text = number;
    if (!active.bits) {
      const std::string holds = scalar                ? text_of(active, {truth, type.layout})
                                : active.text.empty() ? active.scalar
                                                      : fmt::format("{} != 0", active.text);
      text = fmt::format("{} ? {} : {}", holds, number, of_truths ? "false" : number_text(type.element, 0));
    } else if (*active.bits == 0) {
      text = of_truths ? "false" : number_text(type.element, 0);
    }
    const std::string name = code_.read(held(type.element), wanted, text);
    return scalar ? Piece{name, name, std::nullopt} : Piece{"", name, std::nullopt};
  }
  const bool all = active.bits && (*active.bits == full());
  std::string text;
  if (!cells.address.empty()) {
    const std::string offset = vector_text(times(cells.index, {std::int64_t{size_of(type.element.scalar)}, {}, ""}));
    const std::string at = fmt::format("v::add({}, v::convert<U64>({}))", cells.address, offset);
    text = of_truths ? fmt::format("v::ne(v::gather_at<U32, uint8_t>({}, {}), v::zero<U32>())", at, mask_text(active))
                     : fmt::format("v::gather_at<{}, {}>({}, {})", vector, memory, at, mask_text(active));
  } else if (is_run(cells.index, active.bits.value_or(full()))) {
    const std::string at = address_text(cells.base, cells.index.uniform);
    const std::string only = all ? "" : ", " + mask_text(active);
    text = of_truths ? fmt::format("v::load_mask<W>({}{})", at, only) : fmt::format("v::load<{}>({}{})", vector, at, only);
  } else if (const std::string halves = all ? read_halves(cells, type, wanted) : ""; !halves.empty()) {
    return {halves, "", std::nullopt};
  } else if (const auto stride = stride_of(cells.index); stride && all && !of_truths) {
    text = fmt::format("v::strided<{}, {}>({})", vector, *stride, address_text(cells.base, cells.index.uniform));
  } else {
    text = of_truths ? fmt::format("v::gather_mask({}, {}, {})", cells.base, vector_text(cells.index), mask_text(active))
                     : fmt::format("v::gather<{}>({}, {}, {})", vector, cells.base, vector_text(cells.index), mask_text(active));
  }
  return {code_.read(vector, wanted, text), "", std::nullopt};
}

/// The position's chunk of a value in memory.
Piece Lowering::read_own(ValueId value, const Position& position) {
  const Type& type = kernel_.type_of(value);
  const Kept& kept = kept_[value];
  if (kept.view) {
    return read_cells(memory_of(value, position), type, mask(position.valid), name_of(value));
  }
  const std::string at = address_text(kept.array, position.place);
  return type.element == truth
             ? Piece{code_.read("M", name_of(value), fmt::format("v::load_mask<W>({})", at)), "", std::nullopt}
             : Piece{code_.read(vector_type(type.element), name_of(value), fmt::format("v::load<{}>({})", vector_type(type.element), at)),
                     "", std::nullopt};
}

Piece Lowering::load(const Operation& operation, const Load& node, const Position& position) {
  Piece lanes = active(node.mask, position);
  if (lanes.bits == 0U) {
    return node.type.element == truth ? mask(0) : uniform(node.type, number_text(node.type.element, 0));
  }
  const Cells from = cells(node.place, node.type.element, position);
  if (!lanes.bits && from.address.empty() && from.index.is_uniform() && !is_scalar(position.layout) && !remaking_) {
    // One cell for all chunks of the tile: it is read once, if any lane of them is active.
    const auto same_cell = [&](const Position& other) {
      const Cells there = cells(node.place, node.type.element, other);
      return there.base == from.base && there.index.is_uniform() && there.index.uniform == from.index.uniform;
    };
    if (!tile_.empty() && std::ranges::all_of(tile_, same_cell)) {
      lanes = mask(0);
      for (const Position& other : tile_) {
        lanes = either(lanes, active(node.mask, other));
      }
    }
  }
  return read_cells(from, node.type, lanes, name_of(operation.results.front()));
}

/// Whether the chunk may go past the caches: a whole vector of a buffer that is written only, and on a boundary of its size if the buffer
/// is.
bool Lowering::may_stream(const Place& place, const Sum& index, Element element) const {
  const auto* of = std::get_if<OfParameter>(&place.base);
  constexpr std::int64_t line = 64;
  const auto size = std::int64_t{size_of(element.scalar)};
  if (!plan_.streams || of == nullptr || place.lanes || is_loaded_[of->id] || size * plan_.chunk_lanes % line != 0 || size < 4) {
    return false;
  }
  const bool fits = std::ranges::all_of(index.uniform.terms(), [&](const Monomial& term) { return term.coefficient * size % line == 0; });
  return fits && index.uniform.constant() * size % line == 0;
}

void Lowering::store(const Store& node, const Position& position) {
  const Type& type = kernel_.type_of(node.value);
  const Piece lanes = active(node.mask, position);
  if (lanes.bits == 0U) {
    return;
  }
  const bool of_truths = type.element == truth;
  Cells to = cells(node.place, type.element, position);
  const auto* parameter = std::get_if<OfParameter>(&node.place.base);
  const auto staged = parameter == nullptr ? staged_.end() : staged_.find(parameter->id);
  const bool is_staged = staged != staged_.end();
  if (is_staged) {
    const Polynomial row = Polynomial(Symbol::group()) * Polynomial(std::int64_t{shape_.wg_size}) + Polynomial(Symbol::item());
    to = {staged->second.rows, "",
          sum_of(row * Polynomial(std::int64_t{type.layout.elements}) + Polynomial(Symbol::element()), position, Groups::OfPack)};
  }
  const Piece value = chunk(node.value, position);
  if (is_scalar(type.layout)) {
    const std::string number =
        of_truths ? fmt::format("uint8_t({})", text_of(value, type)) : fmt::format("{}({})", in_memory(type.element), text_of(value, type));
    const std::string put = fmt::format("v::put({}, {});", address_text(to.base, to.index.uniform), number);
    code_.effect(lanes.bits ? put : fmt::format("if ({}) {}", text_of(lanes, {truth, type.layout}), put));
    code_.memory_changes();
    return;
  }
  const bool all = lanes.bits && *lanes.bits == full();
  const std::string text = text_of(value, type);
  if (!to.address.empty()) {
    const std::string offset = vector_text(times(to.index, {std::int64_t{size_of(type.element.scalar)}, {}, ""}));
    const std::string at = fmt::format("v::add({}, v::convert<U64>({}))", to.address, offset);
    code_.effect(of_truths ? fmt::format("v::scatter_at<uint8_t>({}, v::from_mask<U32>({}), {});", at, text, mask_text(lanes))
                           : fmt::format("v::scatter_at<{}>({}, {}, {});", in_memory(type.element), at, text, mask_text(lanes)));
  } else if (is_run(to.index, lanes.bits.value_or(full()))) {
    const std::string only = all ? "" : ", " + mask_text(lanes);
    const std::string at = address_text(to.base, to.index.uniform);
    if (all && !is_staged && may_stream(node.place, to.index, type.element)) {
      streamed_.insert(std::get<OfParameter>(node.place.base).id);
      code_.effect(fmt::format("v::store<Stream>({}, {});", at, text));
    } else {
      code_.effect(of_truths ? fmt::format("v::store_mask<W>({}, {}{});", at, text, only)
                             : fmt::format("v::store({}, {}{});", at, text, only));
    }
  } else {
    const std::string index = vector_text(to.index);
    code_.effect(of_truths ? fmt::format("v::scatter_mask({}, {}, {}, {});", to.base, index, text, mask_text(lanes))
                           : fmt::format("v::scatter({}, {}, {}, {});", to.base, index, text, mask_text(lanes)));
  }
  code_.memory_changes();
}

/// From the first lane to the last.
Piece Lowering::change(const Operation& operation, const Atomic& node, const Position& position) {
  static constexpr std::array<std::string_view, atomic_table.size()> names = {"Exchange", "Compare", "Add", "Sub", "Min",
                                                                              "Max",      "And",     "Or",  "Xor"};
  const ValueId result = operation.results.front();
  const Piece changing = active(node.mask, position);
  if (changing.bits == 0U) {
    return uniform(node.type, number_text(node.type.element, 0));
  }
  const Cells at = cells(node.place, node.type.element, position);
  std::string addresses;
  if (at.address.empty() && at.index.is_uniform()) {
    addresses = fmt::format("v::set1<U64>(v::address({}))", address_text(at.base, at.index.uniform));
  } else {
    const std::string offset = vector_text(times(at.index, {std::int64_t{size_of(node.type.element.scalar)}, {}, ""}));
    addresses = fmt::format("v::add({}, v::convert<U64>({}))",
                            at.address.empty() ? fmt::format("v::set1<U64>(v::address({}))", at.base) : at.address, offset);
  }
  const std::string value = text_of(chunk(node.value, position), node.type);
  const std::string asked = node.compare ? text_of(chunk(*node.compare, position), node.type) : value;
  const std::string changed = fmt::format("v::changed_at<v::Change::{}>({}, {}, {}, {})", names[static_cast<std::size_t>(node.op)],
                                          addresses, asked, value, mask_text(changing));
  code_.memory_changes();
  if (uses_[result] == 0) {
    code_.effect(changed + ";");
    code_.memory_changes();
    return {};
  }
  const std::string name = code_.effect(vector_type(node.type.element), name_of(result), changed);
  code_.memory_changes();
  return {name, "", std::nullopt};
}

// ---- pointers: addresses in bytes -------------------------------------------------------------------------------------------------

Piece Lowering::address_of(const Operation& operation, const AddressOf& node, const Position& position) {
  const Type& type = kernel_.type_of(operation.results.front());
  const std::string name = name_of(operation.results.front());
  if (const auto* parameter = std::get_if<OfParameter>(&node.object)) {
    return uniform(type, code_.value("uint64_t", name, fmt::format("v::address({})", parameters_[parameter->id])));
  }
  const ObjectId id = std::get<OfObject>(node.object).id;
  const std::string begin = code_.value("uint64_t", name, fmt::format("v::address({})", objects_[id]));
  const auto size = std::int64_t{size_of(kernel_.objects[id].element)};
  const Sum offset = sum_of(object_offset(id) * Polynomial(size), position, Groups::OfPack);
  if (offset.is_uniform()) {
    if (offset.uniform == Polynomial(0)) {
      return uniform(type, begin);
    }
    return uniform(type, code_.value("uint64_t", name, fmt::format("{} + static_cast<uint64_t>({})", begin, index_text(offset.uniform))));
  }
  return named(type, name, fmt::format("v::add(v::set1<U64>({}), v::convert<U64>({}))", begin, vector_text(offset)));
}

Piece Lowering::pointer_offset(const Operation& operation, const PointerOffset& node, const Position& position) {
  const Type& type = kernel_.type_of(operation.results.front());
  const std::string pointer = text_of(chunk(node.pointer, position), type);
  const std::string index = text_of(chunk(node.index, position), {index_element, position.layout});
  const std::string u = is_scalar(position.layout) ? "uint64_t" : "U64";
  const std::string size = is_scalar(position.layout) ? fmt::format("uint64_t{{{}u}}", size_of(node.element))
                                                      : fmt::format("v::set1<U64>({}u)", size_of(node.element));
  return named(type, name_of(operation.results.front()),
               fmt::format("v::add({}, v::mul(v::convert<{}>({}), {}))", pointer, u, index, size));
}

Piece Lowering::pointer_distance(const Operation& operation, const PointerDistance& node, const Position& position) {
  const Type& type = kernel_.type_of(operation.results.front());
  const Type pointers{Element::pointer(), position.layout};
  const bool scalar = is_scalar(position.layout);
  const int shift = std::countr_zero(size_of(node.element));
  const std::string count = scalar ? fmt::format("int64_t{{{}}}", shift) : fmt::format("v::set1<I64>({})", shift);
  return named(type, name_of(operation.results.front()),
               fmt::format("v::shr(v::convert<{}>(v::sub({}, {})), {})", scalar ? "int64_t" : "I64",
                           text_of(chunk(node.left, position), pointers), text_of(chunk(node.right, position), pointers), count));
}

Piece Lowering::pointer_compare(const Operation& operation, const PointerCompare& node, const Position& position) {
  const Type pointers{Element::pointer(), position.layout};
  const std::string_view function = node.op == Op::Lt   ? "lt"
                                    : node.op == Op::Le ? "le"
                                    : node.op == Op::Gt ? "gt"
                                    : node.op == Op::Ge ? "ge"
                                    : node.op == Op::Eq ? "eq"
                                                        : "ne";
  return named(kernel_.type_of(operation.results.front()), name_of(operation.results.front()),
               fmt::format("v::{}({}, {})", function, text_of(chunk(node.left, position), pointers),
                           text_of(chunk(node.right, position), pointers)));
}

}  // namespace lockstep::emit_avx512
