#include "semantics/infreg/types.hpp"

#include <fmt/format.h>

#include <utility>

#include "semantics/base/diagnostic.hpp"
#include "semantics/infreg/walk.hpp"
#include "semantics/infreg/words.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::infreg {

namespace {

using Types = std::vector<Type>;

/// What is wrong with the operation. Never leaves this file.
struct Refused {
  std::string sentence;
};

template <class... Arguments>
[[noreturn]] void refuse(fmt::format_string<Arguments...> sentence, Arguments&&... arguments) {
  throw Refused{fmt::format(sentence, std::forward<Arguments>(arguments)...)};
}

constexpr bool is_counter(Element element) { return element == Element::of(ScalarType::Long) || element == Element::of(ScalarType::ULong); }

/// The rules, one overload for each node.
class Rules {
 public:
  explicit Rules(const Kernel& kernel) : kernel_(kernel) {}

  Types operator()(const Constant& node) const {
    check_type(node.type);
    if (!node.type.element.is_pointer) {
      check_bits(node.type.element.scalar, node.bits);
    } else if (node.bits != 0) {
      refuse("the only constant pointer is the null pointer");
    }
    return {node.type};
  }

  Types operator()(const ConstantLanes& node) const {
    check_type(node.type);
    if (node.type.element.is_pointer) {
      refuse("lanes gives numbers, not pointers");
    }
    if (node.type.layout.kind == Layout::Kind::Pack) {
      refuse("the numbers of lanes need a layout of groups or items, not of the pack");
    }
    const std::uint64_t wanted = lanes_per_group(node.type.layout, kernel_.shape);
    if (node.bits.size() != wanted) {
      refuse("there must be a number for each of the {} lanes of a group, not {}", wanted, node.bits.size());
    }
    for (const std::uint64_t bits : node.bits) {
      check_bits(node.type.element.scalar, bits);
    }
    return {node.type};
  }

  Types operator()(const Poison& node) const {
    check_type(node.type);
    return {node.type};
  }

  Types operator()(const Index& node) const {
    check_type(node.type);
    if (node.type.element.is_pointer || is_float(node.type.element.scalar)) {
      refuse("index gives integers, not {}", text_of(node.type.element));
    }
    check_polynomial(node.value, node.type.layout);
    return {node.type};
  }

  Types operator()(const Mask& node) const {
    check_layout(node.layout);
    for (const Mask::Comparison& comparison : node.all_of) {
      if (!is_comparison(comparison.op)) {
        refuse("a mask compares by <, <=, >, >=, == or !=, not by '{}'", info(comparison.op).text);
      }
      check_polynomial(comparison.left, node.layout);
      check_polynomial(comparison.right, node.layout);
    }
    return {{truth, node.layout}};
  }

  Types operator()(const NumGroups&) const { return {{Element::of(ScalarType::ULong), Layout::pack()}}; }

  Types operator()(const Spread& node) const {
    check_layout(node.layout);
    const Type& source = type(node.source);
    const bool from_pack = source.layout == Layout::pack() && node.layout.kind != Layout::Kind::Pack;
    const bool from_one = (source.layout == Layout::group() || source.layout == Layout::item()) && node.layout.kind == Layout::Kind::Item;
    if (!from_pack && !from_one) {
      refuse(
          "spread cannot go from {} to {}: it goes from one number of the pack to groups or items, from one of a group to its items, "
          "or from one of an item to its elements",
          described(source.layout), described(node.layout));
    }
    return {{source.element, node.layout}};
  }

  Types operator()(const Elementwise& node) const {
    if (!is_elementwise(node.op)) {
      refuse("{} is no elementwise operation", info(node.op).name);
    }
    if (!ops::takes(node.op, node.operand_type) || (node.operand_type == ScalarType::Bool && !takes_truth(node.op))) {
      refuse("there is no {} of {}", info(node.op).name, text_of(node.operand_type));
    }
    if (node.operands.size() != static_cast<std::size_t>(info(node.op).arity)) {
      refuse("{} takes {} operands, not {}", mnemonic(node.op, node.operand_type), info(node.op).arity, node.operands.size());
    }
    const Layout layout = type(node.operands.front()).layout;
    for (const ValueId operand : node.operands) {
      expect(operand, {Element::of(node.operand_type), layout}, "the operand");
    }
    return {{is_comparison(node.op) ? truth : Element::of(ops::result_type(node.op, node.operand_type)), layout}};
  }

  Types operator()(const Select& node) const {
    const Type& arm = type(node.then);
    expect(node.otherwise, arm, "the second arm");
    expect(node.condition, {truth, arm.layout}, "the condition");
    return {arm};
  }

  Types operator()(const Convert& node) const {
    const Type& source = type(node.source);
    if (source.element.is_pointer) {
      refuse("a pointer cannot be converted");
    }
    return {{Element::of(node.to), source.layout}};
  }

  Types operator()(const Bitcast& node) const {
    const Type& source = type(node.source);
    const Element to = Element::of(node.to);
    if (source.element.is_pointer || source.element == truth || to == truth || size_of(source.element.scalar) != size_of(node.to)) {
      refuse("bitcast goes between numbers of the same size, not from {} to {}", text_of(source.element), text_of(to));
    }
    return {{to, source.layout}};
  }

  Types operator()(const Reorder& node) const {
    check_layout(node.layout);
    const Type& source = type(node.source);
    if (source.layout.kind == Layout::Kind::Pack || node.layout.kind == Layout::Kind::Pack) {
      refuse("reorder moves between lanes of a group; spread brings a number of the pack to groups and items");
    }
    if (const auto* affine = std::get_if<Reorder::Affine>(&node.pattern)) {
      if (source.layout.kind == Layout::Kind::Group && affine->item != Polynomial(0)) {
        refuse("the source {} has no items to choose from", described(source.layout));
      }
      for (const Polynomial* polynomial : {&affine->item, &affine->element}) {
        check_polynomial(*polynomial, node.layout);
        if (polynomial->mentions(Symbol::group())) {
          refuse("a reordering is the same for all groups: it must not mention wg.ix");
        }
      }
    } else {
      check_table(std::get<Reorder::Table>(node.pattern), source.layout, node.layout);
    }
    return {{source.element, node.layout}};
  }

  Types operator()(const Shuffle& node) const {
    const Type& source = type(node.source);
    if (source.layout.kind != Layout::Kind::Item) {
      refuse("shuffle takes a value of items, not {}", described(source.layout));
    }
    expect(node.lane, {index_element, Layout::item()}, "the lane");
    expect(node.mask, {truth, Layout::item()}, "the mask");
    return {source};
  }

  Types operator()(const Vote& node) const {
    const Layout layout = type(node.value).layout;
    if (layout.kind == Layout::Kind::Pack) {
      refuse("a vote is over lanes of groups; {} has one lane for the whole pack", named(node.value));
    }
    expect(node.value, {truth, layout}, "the value voted on");
    expect(node.mask, {truth, layout}, "the mask");
    Element element = truth;
    if (node.kind == Vote::Kind::Popcount) {
      element = Element::of(ScalarType::ULong);
    } else if (node.kind == Vote::Kind::Ballot) {
      if (node.whole_pack || layout != Layout::item() || kernel_.shape.wg_size > 64) {
        refuse("ballot has a bit for each item of a group: at most 64 items with one element each, and not of the whole pack");
      }
      element = Element::of(ScalarType::ULong);
    }
    return {{element, node.whole_pack ? Layout::pack() : Layout::group()}};
  }

  Types operator()(const AddressOf& node) const {
    if (const auto* parameter = std::get_if<OfParameter>(&node.object)) {
      pointer_parameter(parameter->id);
      return {{Element::pointer(), Layout::pack()}};
    }
    switch (object(std::get<OfObject>(node.object).id).space) {
      case AddressSpace::Private:
        return {{Element::pointer(), Layout::item()}};
      case AddressSpace::Local:
        return {{Element::pointer(), Layout::group()}};
      case AddressSpace::Global:
      case AddressSpace::Constant:
        break;
    }
    return {{Element::pointer(), Layout::pack()}};
  }

  Types operator()(const PointerOffset& node) const {
    const Type pointer{Element::pointer(), type(node.pointer).layout};
    expect(node.pointer, pointer, "the operand");
    expect(node.index, {index_element, pointer.layout}, "the index");
    return {pointer};
  }

  Types operator()(const PointerDistance& node) const { return {{index_element, two_pointers(node.left, node.right)}}; }

  Types operator()(const PointerCompare& node) const {
    if (!is_comparison(node.op)) {
      refuse("pointers are compared by <, <=, >, >=, == or !=, not by '{}'", info(node.op).text);
    }
    return {{truth, two_pointers(node.left, node.right)}};
  }

  Types operator()(const Load& node) const {
    check_type(node.type);
    check_access(node.place, node.access, node.type, node.mask);
    return {node.type};
  }

  Types operator()(const Store& node) const {
    check_access(node.place, node.access, type(node.value), node.mask);
    check_writable(node.place);
    return {};
  }

  Types operator()(const Atomic& node) const {
    check_type(node.type);
    const bool compares = node.op == AtomicOp::CompareExchange;
    if (node.type.element.is_pointer || !takes(node.op, node.type.element.scalar)) {
      refuse("there is no {} of {}", info(node.op).word, text_of(node.type.element));
    }
    if (node.type.layout.kind != Layout::Kind::Item) {
      refuse("items change memory atomically: the layout must be one of items");
    }
    if (compares != node.compare.has_value()) {
      refuse("{} takes {}", info(node.op).word, compares ? "a number to compare with, and the new one" : "one number");
    }
    if (compares) {
      expect(*node.compare, node.type, "what is compared");
    }
    expect(node.value, node.type, "the operand");
    check_access(node.place, node.access, node.type, node.mask);
    check_writable(node.place);
    if (const auto* target = std::get_if<OfObject>(&node.place.base);
        target != nullptr && kernel_.objects[target->id].space == AddressSpace::Private) {
      refuse("%{} is private: nobody else changes it", shortened(kernel_.objects[target->id].name));
    }
    return {node.type};
  }

  Types operator()(const If& node) const {
    expect(node.condition, {truth, Layout::pack()}, "the condition");
    if (node.then == node.otherwise) {
      refuse("the two regions of an if must be two");
    }
    const Region& then = region(node.then);
    const Region& otherwise = region(node.otherwise);
    if (!then.arguments.empty() || !otherwise.arguments.empty()) {
      refuse("the regions of an if have no arguments");
    }
    if (then.yields.size() != otherwise.yields.size()) {
      refuse("the regions of an if yield {} and {} values; it must be as many", then.yields.size(), otherwise.yields.size());
    }
    Types results;
    results.reserve(then.yields.size());
    for (std::size_t i = 0; i < then.yields.size(); ++i) {
      results.push_back(type(then.yields[i]));
      expect(otherwise.yields[i], results.back(), "what else yields");
    }
    return results;
  }

  Types operator()(const For& node) const {
    for (const Polynomial* bound : {&node.from, &node.limit}) {
      check_polynomial(*bound, Layout::pack());
    }
    if (node.step == 0) {
      refuse("the step of a loop must not be 0");
    }
    Types carried = types_of(node.inits);
    check_loop(node.body, Type{index_element, Layout::pack()}, carried);
    return carried;
  }

  Types operator()(const Loop& node) const {
    if (node.inits.empty()) {
      refuse("a loop needs its condition as the first carried value");
    }
    expect(node.inits.front(), {truth, Layout::pack()}, "the condition");
    Types carried = types_of(node.inits);
    check_loop(node.body, std::nullopt, carried);
    return carried;
  }

 private:
  /// Nobody writes through what is const.
  void check_writable(const Place& place) const {
    if (const auto* parameter = std::get_if<OfParameter>(&place.base); parameter != nullptr && kernel_.parameters[parameter->id].is_const) {
      refuse("nothing is stored through %{}: it is const", shortened(kernel_.parameters[parameter->id].name));
    }
    if (const auto* target = std::get_if<OfObject>(&place.base);
        target != nullptr && kernel_.objects[target->id].space == AddressSpace::Constant) {
      refuse("nothing is stored in %{}: it is constant", shortened(kernel_.objects[target->id].name));
    }
  }

  // ---- values ------------------------------------------------------------------------------------------------------------

  const Type& type(ValueId value) const {
    if (value >= kernel_.values.size()) {
      refuse("there is no value number {}", value);
    }
    return kernel_.values[value].type;
  }

  std::string named(ValueId value) const { return "%" + shortened(kernel_.values[value].name); }

  Types types_of(const std::vector<ValueId>& values) const {
    Types types;
    types.reserve(values.size());
    for (const ValueId value : values) {
      types.push_back(type(value));
    }
    return types;
  }

  void expect(ValueId value, const Type& wanted, std::string_view role) const {
    if (const Type& found = type(value); found != wanted) {
      refuse("{} {} must be {}, not {}", role, named(value), text_of(wanted, kernel_.shape), text_of(found, kernel_.shape));
    }
  }

  Layout two_pointers(ValueId left, ValueId right) const {
    const Layout layout = type(left).layout;
    expect(left, {Element::pointer(), layout}, "the operand");
    expect(right, {Element::pointer(), layout}, "the operand");
    return layout;
  }

  // ---- types -------------------------------------------------------------------------------------------------------------

  std::string described(Layout layout) const {
    const std::string text = text_of(layout, kernel_.shape);
    return text.empty() ? "the whole pack" : text;
  }

  void check_layout(Layout layout) const {
    if (std::string wrong = wrong_layout(layout, kernel_.shape); !wrong.empty()) {
      throw Refused{std::move(wrong)};
    }
  }

  void check_type(const Type& type) const {
    check_layout(type.layout);
    if (type.element.is_pointer && type.element != Element::pointer()) {
      refuse("a pointer has no scalar type");
    }
  }

  static void check_bits(ScalarType type, std::uint64_t bits) {
    if (!is_number(type, bits)) {
      refuse("the bits {:#x} are no number of {}", bits, text_of(type));
    }
  }

  static bool takes_truth(Op op) { return op == Op::BitAnd || op == Op::BitOr || op == Op::BitXor || op == Op::Eq || op == Op::Ne; }

  // ---- polynomials ---------------------------------------------------------------------------------------------------------

  void check_polynomial(const Polynomial& polynomial, Layout layout) const {
    if (!is_small(polynomial)) {
      refuse("a polynomial has at most {} terms of {} factors", max_terms, max_factors);
    }
    for (const Monomial& term : polynomial.terms()) {
      for (const Symbol symbol : term.factors) {
        check_symbol(symbol, layout);
      }
    }
  }

  void check_symbol(Symbol symbol, Layout layout) const {
    const bool of_pack = layout.kind == Layout::Kind::Pack;
    switch (symbol.kind) {
      case Symbol::Kind::Item:
        if (layout.kind != Layout::Kind::Item) {
          refuse("wi stands in a polynomial for {}, which has no items", described(layout));
        }
        return;
      case Symbol::Kind::Element:
        if (of_pack) {
          refuse("ix stands in a polynomial for the whole pack, which has no elements");
        }
        return;
      case Symbol::Kind::Group:
        if (of_pack) {
          refuse("wg.ix stands in a polynomial for the whole pack, whose groups differ in it");
        }
        return;
      case Symbol::Kind::Value:
        break;
    }
    const Type& found = type(symbol.value);
    if (!is_counter(found.element) || found.layout != Layout::pack()) {
      refuse("in a polynomial {} must be i64 or u64, not {}", named(symbol.value), text_of(found, kernel_.shape));
    }
  }

  void check_table(const Reorder::Table& table, Layout source, Layout result) const {
    const std::uint64_t wanted = lanes_per_group(result, kernel_.shape);
    if (table.source.size() != wanted) {
      refuse("the reordering must say a lane for each of the {} lanes of a group, not {}", wanted, table.source.size());
    }
    const std::uint64_t count = lanes_per_group(source, kernel_.shape);
    for (const std::uint32_t lane : table.source) {
      if (lane != Reorder::Table::nowhere && lane >= count) {
        refuse("the reordering takes lane {} of a group, but the source has {}", lane, count);
      }
    }
  }

  // ---- memory --------------------------------------------------------------------------------------------------------------

  const Parameter& pointer_parameter(ParameterId id) const {
    if (id >= kernel_.parameters.size()) {
      refuse("there is no parameter number {}", id);
    }
    if (!kernel_.parameters[id].is_pointer) {
      refuse("the parameter %{} is a number, not a pointer", shortened(kernel_.parameters[id].name));
    }
    return kernel_.parameters[id];
  }

  const Object& object(ObjectId id) const {
    if (id >= kernel_.objects.size()) {
      refuse("there is no object number {}", id);
    }
    return kernel_.objects[id];
  }

  /// The type of the cells that a base fixes; none for a pointer.
  std::optional<ScalarType> cells(const Place& place, Layout layout) const {
    if (const auto* parameter = std::get_if<OfParameter>(&place.base)) {
      return pointer_parameter(parameter->id).scalar;
    }
    if (const auto* of = std::get_if<OfObject>(&place.base)) {
      const Object& found = object(of->id);
      if (found.space == AddressSpace::Private && layout.kind != Layout::Kind::Item) {
        refuse("%{} is private to each item: {} cannot say whose", shortened(found.name), described(layout));
      }
      if (found.space == AddressSpace::Local && layout.kind == Layout::Kind::Pack) {
        refuse("%{} is local to each group: the whole pack cannot say whose", shortened(found.name));
      }
      return found.element;
    }
    const ValueId pointer = std::get<AtPointer>(place.base).value;
    const Type& found = type(pointer);
    if (!found.element.is_pointer || (found.layout != layout && found.layout != Layout::pack())) {
      refuse("the base {} must be {}, or of the whole pack, not {}", named(pointer), text_of({Element::pointer(), layout}, kernel_.shape),
             text_of(found, kernel_.shape));
    }
    return std::nullopt;
  }

  void check_access(const Place& place, Access access, const Type& moved, std::optional<ValueId> mask) const {
    if (moved.element.is_pointer) {
      refuse("memory holds numbers, not pointers");
    }
    if (const auto scalar = cells(place, moved.layout); scalar && *scalar != moved.element.scalar) {
      refuse("the memory holds {}, not {}", text_of(*scalar), text_of(moved.element));
    }
    check_polynomial(place.index, moved.layout);
    if (place.lanes) {
      const Type& lanes = type(*place.lanes);
      if (!is_counter(lanes.element) || lanes.layout != moved.layout) {
        refuse("the index {} must be {}, or unsigned, not {}", named(*place.lanes), text_of({index_element, moved.layout}, kernel_.shape),
               text_of(lanes, kernel_.shape));
      }
    }
    if (mask) {
      expect(*mask, {truth, moved.layout}, "the mask");
    }
    if (const Access shown = access_of(kernel_, place, moved.layout); access < shown) {
      refuse("the access is said to be {}, but no more than {} is certain", text_of(access), text_of(shown));
    }
  }

  // ---- regions -------------------------------------------------------------------------------------------------------------

  const Region& region(RegionId id) const {
    if (id >= kernel_.regions.size()) {
      refuse("there is no region number {}", id);
    }
    return kernel_.regions[id];
  }

  void check_loop(RegionId id, std::optional<Type> variable, const Types& carried) const {
    const Region& body = region(id);
    const std::size_t first = variable ? 1 : 0;
    if (body.arguments.size() != first + carried.size()) {
      refuse("the loop's region must have {} arguments, not {}", first + carried.size(), body.arguments.size());
    }
    if (variable) {
      expect(body.arguments.front(), *variable, "the loop's variable");
    }
    if (body.yields.size() != carried.size()) {
      refuse("the loop carries {} values, but yields {}", carried.size(), body.yields.size());
    }
    for (std::size_t i = 0; i < carried.size(); ++i) {
      expect(body.arguments[first + i], carried[i], "the carried value");
      expect(body.yields[i], carried[i], "the next value");
    }
  }

  const Kernel& kernel_;
};

}  // namespace

std::expected<std::vector<Type>, std::string> result_types(const Kernel& kernel, const Node& node) {
  try {
    return std::visit(Rules(kernel), node);
  } catch (Refused& refused) {
    return std::unexpected(std::move(refused.sentence));
  }
}

}  // namespace lockstep::infreg
