#include "interpreter/debug/kernel/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "interpreter/launch/lane_bits.hpp"
#include "interpreter/launch/report.hpp"
#include "semantics/memory/pointer.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/ops/bits.hpp"
#include "semantics/ops/lane.hpp"

namespace lockstep {

using launch::CellState;
using launch::Fragment;
using launch::Frame;
using launch::Object;

namespace {

constexpr typed::ValueType ulong_type{ScalarType::ULong, false, AddressSpace::Private};

std::uint64_t load_bits(const std::byte* at, ScalarType type) {
  return launch::literal_bits(type, launch::lane_bits(at, size_of(type), 0));
}

}  // namespace

const Fragment* KernelView::next() const {
  const std::size_t index = pack_->present_fragment();
  return index < pack_->fragments().size() ? &pack_->fragments()[index] : nullptr;
}

const Fragment* KernelView::fragment_of(unsigned lane) const {
  const auto& all = pack_->fragments();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Fragment& f) { return f.lanes.contains(lane); });
  return found == all.end() ? nullptr : &*found;
}

bool KernelView::active(unsigned lane) const {
  const Fragment* f = fragment_of(lane);
  return f != nullptr && f->state.active.contains(lane);
}

const Frame* KernelView::frame_of(unsigned lane, typed::FunctionId function, std::size_t level) const {
  const Fragment* f = fragment_of(lane);
  if (f == nullptr) {
    return nullptr;
  }
  const auto& calls = f->state.bank.calls();
  for (std::size_t k = std::min(level, calls.size() - 1) + 1; k-- > 0;) {
    if (calls[k].frame->function == function) {
      return calls[k].frame;
    }
  }
  return nullptr;
}

KernelValue KernelView::read(const Frame* frame, typed::FunctionId function, typed::RegisterId id, unsigned lane) const {
  const typed::RegisterInfo& info = program().functions[function].registers[id];
  KernelValue v;
  v.type = info.type;
  v.is_array = info.count.has_value();
  v.frame = frame;
  v.reg = id;
  v.count = info.count.value_or(0);
  v.extents = std::span(info.extents).subspan(info.extents.empty() ? 0 : 1);
  if (frame == nullptr) {
    v.is_array = false;
    v.absent = true;
    v.why = "the call has not begun, or has returned";
    return v;
  }
  if (!v.is_array) {
    const auto cell = pack_->domain().cell(*frame, id, 0, lane);
    v.state = cell.state;
    v.bits = info.type.is_pointer ? cell.bits : launch::literal_bits(info.type.scalar, cell.bits);
  }
  return v;
}

KernelValue KernelView::array_of(typed::ObjectId id) const {
  KernelValue v;
  v.object = &pack_->domain().objects()[pack_->domain().first_program_object + id];
  const typed::Object& source = program().objects[id];
  v.type.scalar = source.element;
  v.is_array = true;
  v.count = source.count;
  v.extents = std::span(source.extents).subspan(source.extents.empty() ? 0 : 1);
  return v;
}

KernelValue KernelView::cell(const Object& object, std::uint64_t index, unsigned lane) const {
  KernelValue v;
  v.type.scalar = object.element;
  const unsigned size = size_of(object.element);
  if (object.space == AddressSpace::Private) {
    v.bits = load_bits(object.data + (index * object.row + lane) * size, object.element);
    const std::uint64_t bit = std::uint64_t{1} << (lane % 64);
    const std::size_t word = index * object.words + lane / 64;
    const bool written = object.written == nullptr || (object.written[word] & bit) != 0;
    const bool poison = *object.may_be_poison != 0 && (object.poison[word] & bit) != 0;
    v.state = !written ? CellState::Uninitialised : poison ? CellState::Poison : CellState::Number;
    return v;
  }
  if (object.bytes) {
    return reinterpreted(object, static_cast<std::int64_t>(index * size), object.element, lane);
  }
  const std::uint64_t at = (object.copies > 1 ? lane / lanes().wg_size * object.count : 0) + index;
  const std::uint8_t* states = launch::states_of(object);
  v.bits = load_bits(object.data + at * size, object.element);
  v.state = states == nullptr ? CellState::Number : static_cast<CellState>(states[at]);
  return v;
}

KernelValue KernelView::reinterpreted(const Object& object, std::optional<std::int64_t> offset, ScalarType type, unsigned lane) const {
  if (!offset || memory::misaccess<bool>(*offset, size_of(type), size_of(type), object.cells(), {}, false).any()) {
    return KernelValue::nothing("the index is outside of what the pointer points into");
  }
  const std::uint64_t copy = object.copies > 1 ? lane / lanes().wg_size * object.cells() : 0;
  const auto found = memory::load({object.data, launch::states_of(object)}, copy + static_cast<std::uint64_t>(*offset), type);
  KernelValue v;
  v.type.scalar = type;
  v.bits = found.value;
  v.state = !found.written ? CellState::Uninitialised : found.poison ? CellState::Poison : CellState::Number;
  return v;
}

KernelValue KernelView::element(const KernelValue& array, std::int64_t index, unsigned lane) const {
  if (array.is_array) {
    const std::uint64_t below = array.extents.empty() ? 1 : [&] {
      std::uint64_t n = 1;
      for (const std::uint64_t extent : array.extents) {
        n *= extent;
      }
      return n;
    }();
    if (index < 0 || static_cast<std::uint64_t>(index) >= array.count / below) {
      return KernelValue::nothing("the index is outside of the array");
    }
    const std::uint64_t first = array.first + static_cast<std::uint64_t>(index) * below;
    if (!array.extents.empty()) {
      KernelValue row = array;
      row.first = first;
      row.count = below;
      row.extents = array.extents.subspan(1);
      return row;
    }
    if (array.object != nullptr) {
      return cell(*array.object, first, lane);
    }
    const auto c = pack_->domain().cell(*array.frame, array.reg, static_cast<std::uint32_t>(first), lane);
    return KernelValue::number(c.state, array.type, array.type.is_pointer ? c.bits : launch::literal_bits(array.type.scalar, c.bits));
  }
  if (!array.type.is_pointer) {
    return KernelValue::nothing("only arrays and pointers have elements");
  }
  if (!array.is_number()) {
    return array;
  }
  const std::uint32_t number = memory::object_of(array.bits);
  const auto& objects = pack_->domain().objects();
  if (number == 0 || number >= objects.size()) {
    return KernelValue::nothing("the pointer points to nothing");
  }
  const Object& object = objects[number];
  if (object.bytes) {
    return reinterpreted(object, memory::reached(array.bits, index, size_of(array.type.scalar)), array.type.scalar, lane);
  }
  const std::int64_t first = memory::element_of(array.bits, size_of(object.element));
  constexpr std::int64_t most = std::int64_t{1} << memory::offset_bits;
  if (index <= -most || index >= most || first + index < 0 || static_cast<std::uint64_t>(first + index) >= object.count) {
    return KernelValue::nothing("the index is outside of what the pointer points into");
  }
  return cell(object, static_cast<std::uint64_t>(first + index), lane);
}

std::string KernelView::place_text(const KernelValue& array, std::int64_t index) const {
  if (array.is_array) {
    const typed::RegisterInfo& info = program().functions[array.frame->function].registers[array.reg];
    return launch::text_of_cell(info.name, static_cast<std::uint64_t>(index), array.count, info.extents);
  }
  const std::uint32_t number = memory::object_of(array.bits);
  const auto& objects = pack_->domain().objects();
  const unsigned size = size_of(array.type.scalar);
  const std::optional<std::int64_t> offset = memory::reached(array.bits, index, size);
  if (number == 0 || number >= objects.size() || objects[number].name == nullptr || !objects[number].bytes || !offset) {
    return fmt::format("{}[{}]", text_of(*this, array), index);
  }
  const Object& object = objects[number];
  const auto width = static_cast<std::int64_t>(size_of(object.element));
  if (size == size_of(object.element) && *offset % width == 0) {
    return fmt::format("{}[{}]", *object.name, *offset / width);
  }
  return size == 1 ? fmt::format("byte {} of {}", *offset, *object.name)
                   : fmt::format("bytes {} to {} of {}", *offset, *offset + size - 1, *object.name);
}

KernelValue KernelView::ask(typed::Query query, unsigned lane) const {
  const launch::Lanes& l = lanes();
  const unsigned item = item_of(lane);
  const auto answer = [&]() -> std::uint64_t {
    switch (query) {
      case typed::Query::LocalId:
        return item;
      case typed::Query::GroupId:
        return group_of(lane);
      case typed::Query::NumGroups:
        return l.num_groups;
      case typed::Query::WarpSize:
        return l.warp_size;
      case typed::Query::WarpId:
        return item / l.warp_size;
      case typed::Query::LaneId:
        break;
    }
    return item % l.warp_size;
  };
  return KernelValue::number(CellState::Number, ulong_type, answer());
}

KernelValue KernelView::compute(const typed::ExprNode& node, std::span<const KernelValue> operands, const Frame& frame,
                                unsigned lane) const {
  const auto number = [&](std::uint64_t bits) { return KernelValue::number(CellState::Number, node.type, bits); };
  const auto maybe = [&](std::optional<std::uint64_t> bits) { return bits ? number(*bits) : KernelValue::nothing("undefined"); };
  if (const auto* constant = std::get_if<typed::Constant>(&node.node)) {
    return number(constant->bits);
  }
  if (const auto* reg = std::get_if<typed::Register>(&node.node)) {
    return read(&frame, frame.function, reg->id, lane);
  }
  if (const auto* query = std::get_if<typed::Ask>(&node.node)) {
    return ask(query->query, lane);
  }
  if (const auto* object = std::get_if<typed::ObjectAddress>(&node.node)) {
    return number(memory::pointer_to(pack_->domain().first_program_object + object->object));
  }
  const auto* choice = std::get_if<typed::Operation>(&node.node);
  const auto at = [&](int k) -> const KernelValue& { return operands[static_cast<std::size_t>(k)]; };
  const int passed = ops::passed_on(
      choice != nullptr ? choice->op : Op::Add, static_cast<int>(operands.size()), [&](int k) { return at(k).is_number(); },
      [&](int k) { return at(k).bits != 0; });
  if (passed >= 0) {
    return at(passed);
  }
  if (const auto* element_of = std::get_if<typed::Element>(&node.node)) {
    return element(in_one_row(read(&frame, frame.function, element_of->array, lane)), static_cast<std::int64_t>(operands[0].bits), lane);
  }
  if (const auto* operation = std::get_if<typed::Operation>(&node.node)) {
    if (operation->on_pointers && memory::misordered(operation->op, operands[0].bits, operands[1].bits)) {
      return KernelValue::nothing("undefined");
    }
    std::array<std::uint64_t, 3> bits{};
    for (std::size_t k = 0; k < operands.size(); ++k) {
      bits.at(k) = operands[k].bits;
    }
    return maybe(ops::apply(operation->op, operation->on_pointers ? memory::pointer_order : operation->operand_type,
                            std::span(bits).first(operands.size())));
  }
  if (const auto* conversion = std::get_if<typed::Convert>(&node.node)) {
    return maybe(ops::convert(conversion->from, node.type.scalar, operands[0].bits));
  }
  if (std::holds_alternative<typed::Bitcast>(node.node)) {
    return number(ops::bits_as(node.type.scalar, operands[0].bits));
  }
  if (std::holds_alternative<typed::Within>(node.node)) {
    return operands[0];
  }
  if (std::holds_alternative<typed::Reinterpret>(node.node)) {
    return maybe(operands[0].bits);
  }
  if (std::holds_alternative<typed::PointerAdd>(node.node)) {
    return maybe(memory::moved(operands[0].bits, static_cast<std::int64_t>(operands[1].bits), size_of(node.type.scalar)));
  }
  if (std::holds_alternative<typed::PointerDifference>(node.node)) {
    const std::optional<std::int64_t> distance = memory::distance(operands[0].bits, operands[1].bits, size_of(operands[0].type.scalar));
    return distance ? number(static_cast<std::uint64_t>(*distance)) : KernelValue::nothing("undefined");
  }
  return KernelValue::nothing("the address of a private array");
}

KernelValue KernelView::evaluate(const typed::Expr& e, const Frame& frame, unsigned lane) const {
  std::vector<KernelValue> stack;
  for (const typed::ExprNode& node : e.nodes) {
    const std::size_t first = stack.size() - typed::operand_count(node);
    KernelValue v = compute(node, std::span(stack).subspan(first), frame, lane);
    stack.resize(first);
    stack.push_back(v);
  }
  return stack.back();
}

std::string text_of(const KernelView& view, const KernelValue& value) {
  if (value.is_array) {
    return "[…]";
  }
  if (value.state != CellState::Number) {
    return value.state == CellState::Poison ? "poison" : "*";
  }
  if (!value.type.is_pointer) {
    return ops::text_of(value.type.scalar, value.bits);
  }
  const std::uint32_t number = memory::object_of(value.bits);
  const auto& objects = view.pack().domain().objects();
  if (number == 0 || number >= objects.size() || objects[number].name == nullptr) {
    return number == 0 ? "null" : "?";
  }
  const unsigned size = size_of(objects[number].element);
  const std::int64_t element = memory::element_of(value.bits, size);
  if (objects[number].bytes && memory::offset_of(value.bits) % size != 0) {
    return fmt::format("byte {} of {}", memory::offset_of(value.bits), *objects[number].name);
  }
  return element == 0 ? *objects[number].name : fmt::format("{}+{}", *objects[number].name, element);
}

}  // namespace lockstep
