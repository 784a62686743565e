#pragma once
// Random kernels of InfReg-IR that verify, with every kind of operation, type and layout.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "semantics/infreg/builder.hpp"
#include "semantics/infreg/types.hpp"
#include "semantics/infreg/words.hpp"
#include "semantics/ops/apply.hpp"
#include "tests/unit/random_number.hpp"

namespace lockstep::infreg {

/// A random kernel from a list of numbers: 0 is always the simplest choice, so that RapidCheck shrinks to small kernels.
class RandomKernel {
 public:
  explicit RandomKernel(std::vector<std::uint64_t> choices) : choices_(std::move(choices)), builder_(kernel_) {}

  Kernel make() {
    kernel_.name = coin() ? "k" : "a_1.b";
    kernel_.shape = {static_cast<std::uint32_t>(1 + choose(4)), static_cast<std::uint32_t>(1 + choose(3))};
    kernel_.body = builder_.new_region();
    builder_.enter(kernel_.body);
    memory();
    const std::size_t count = 1 + choose(12);
    for (std::size_t i = 0; i < count; ++i) {
      operation(3);
    }
    return std::move(kernel_);
  }

 private:
  static constexpr std::array names = {"x", "x.2", "wi", "null", "_", "9", "kernel", "y"};

  std::uint64_t next() { return used_ < choices_.size() ? choices_[used_++] : 0; }
  std::size_t choose(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  bool coin() { return choose(2) == 1; }
  std::string name() { return names.at(choose(names.size())); }
  ScalarType scalar() { return static_cast<ScalarType>(choose(scalar_table.size())); }
  Element element() { return choose(6) == 1 ? Element::pointer() : Element::of(scalar()); }

  Layout layout() {
    const auto elements = static_cast<std::uint32_t>(1 + (coin() ? choose(5) : 0));
    const std::array layouts = {Layout::pack(), Layout::group(elements), Layout::item(elements)};
    return layouts.at(choose(3));
  }
  Layout wide_layout() {
    const auto elements = static_cast<std::uint32_t>(1 + choose(4));
    return coin() ? Layout::group(elements) : Layout::item(elements);
  }

  std::uint64_t bits(ScalarType type) {
    const bool is_small = choose(3) == 0;
    const std::uint64_t raw = is_small ? choose(10) : next() * 0x9e3779b97f4a7c15U + next();
    return random_number::bits(type, raw, is_float(type) && choose(3) == 0);
  }

  std::vector<std::uint64_t> numbers(ScalarType type, std::uint64_t count) {
    std::vector<std::uint64_t> list;
    while (list.size() < count) {
      const std::uint64_t number = bits(type);
      list.insert(list.end(), coin() ? std::min<std::uint64_t>(1 + choose(6), count - list.size()) : 1, number);
    }
    return list;
  }

  void memory() {
    pointed_ = scalar();
    only_reads_through_pointers_ = coin();
    const std::size_t parameters = choose(4);
    for (std::size_t i = 0; i < parameters; ++i) {
      const bool is_pointer = coin();
      const ParameterId id = builder_.add_parameter({name(), coin() ? scalar() : pointed_, is_pointer, coin(), 0});
      if (!is_pointer) {
        visible_.push_back(kernel_.parameters[id].value);
      }
    }
    const std::size_t objects = choose(4);
    for (std::size_t i = 0; i < objects; ++i) {
      const std::array spaces = {AddressSpace::Private, AddressSpace::Local, AddressSpace::Constant};
      Object object{name(), coin() ? scalar() : pointed_, spaces.at(choose(3)), 1 + choose(9), {}};
      if (object.space == AddressSpace::Constant) {
        object.values = numbers(object.element, object.count);
      }
      builder_.add_object(std::move(object));
    }
  }

  ValueId add(Node node) {
    const ValueId result = builder_.add(std::move(node), {}, name());
    visible_.push_back(result);
    return result;
  }

  /// A value of this type: one that is there, or a new one.
  ValueId value(Type type) {
    std::vector<ValueId> fitting;
    for (const ValueId id : visible_) {
      if (kernel_.type_of(id) == type) {
        fitting.push_back(id);
      }
    }
    if (!fitting.empty() && choose(4) != 3) {
      return fitting[choose(fitting.size())];
    }
    if (type.layout.kind != Layout::Kind::Pack && choose(4) == 3) {
      return add(Spread{value({type.element, Layout::pack()}), type.layout});
    }
    if (type.element.is_pointer) {
      return coin() ? add(Poison{type}) : add(Constant{type, 0});
    }
    if (type.layout.kind != Layout::Kind::Pack && coin()) {
      return add(ConstantLanes{type, numbers(type.element.scalar, lanes_per_group(type.layout, kernel_.shape))});
    }
    return add(Constant{type, bits(type.element.scalar)});
  }
  ValueId value(Element element, Layout layout) { return value(Type{element, layout}); }

  Polynomial polynomial(Layout layout, bool with_group = true) {
    Polynomial sum(coin() ? static_cast<std::int64_t>(bits(ScalarType::Long)) : static_cast<std::int64_t>(choose(5)));
    const std::size_t terms = choose(4);
    for (std::size_t i = 0; i < terms; ++i) {
      Polynomial term(coin() ? -3 : static_cast<std::int64_t>(choose(20)));
      const std::size_t factors = 1 + choose(3);
      for (std::size_t j = 0; j < factors; ++j) {
        term = term * symbol(layout, with_group);
      }
      sum += term;
    }
    return sum;
  }

  Symbol symbol(Layout layout, bool with_group) {
    const std::size_t choice = choose(4);
    if (choice == 0 && layout.kind == Layout::Kind::Item) {
      return Symbol::item();
    }
    if (choice == 1 && layout.kind != Layout::Kind::Pack) {
      return Symbol::element();
    }
    if (choice == 2 && layout.kind != Layout::Kind::Pack && with_group) {
      return Symbol::group();
    }
    return Symbol::of(value(Element::of(coin() ? ScalarType::Long : ScalarType::ULong), Layout::pack()));
  }

  // ---- operations ----------------------------------------------------------------------------------------------------------

  void operation(std::size_t depth) {
    const std::size_t choice = choose(depth == 0 ? 19 : 22);
    const Layout layout = this->layout();
    switch (choice) {
      case 0:
        add(Constant{{Element::of(scalar()), layout}, 0});
        break;
      case 1:
        value(element(), wide_layout());
        break;
      case 2:
        add(Poison{{element(), layout}});
        break;
      case 3:
        add(Index{{Element::of(static_cast<ScalarType>(choose(9))), layout}, polynomial(layout)});
        break;
      case 4:
        mask(layout);
        break;
      case 5:
        add(NumGroups{});
        break;
      case 6:
        spread();
        break;
      case 7:
      case 8:
        elementwise(layout);
        break;
      case 9:
        select(layout);
        break;
      case 10:
        add(Convert{value(Element::of(scalar()), layout), scalar()});
        bitcast(layout);
        break;
      case 11:
      case 12:
        reorder();
        break;
      case 13:
        add(Shuffle{value(element(), Layout::item(static_cast<std::uint32_t>(1 + choose(3)))), value(index_element, Layout::item()),
                    value(truth, Layout::item())});
        break;
      case 14:
        vote();
        break;
      case 15:
        address();
        break;
      case 16:
        pointers(layout);
        break;
      case 17:
        load(layout);
        break;
      case 18:
        choose(3) == 0 ? atomic() : store(layout);
        break;
      case 19:
        branch(depth);
        break;
      case 20:
        counted(depth);
        break;
      default:
        loop(depth);
    }
  }

  /// Of an integer: what bits a float has that was computed is not said.
  void bitcast(Layout layout) {
    const ScalarType from = scalar();
    const ScalarType to = scalar();
    if (from != ScalarType::Bool && to != ScalarType::Bool && !is_float(from) && size_of(from) == size_of(to)) {
      add(Bitcast{value(Element::of(from), layout), to});
    }
  }

  void mask(Layout layout) {
    Mask node{layout, {}};
    const std::size_t count = choose(3);
    for (std::size_t i = 0; i < count; ++i) {
      const auto op = static_cast<Op>(static_cast<std::size_t>(Op::Lt) + choose(6));
      Polynomial left = polynomial(layout);
      node.all_of.push_back({std::move(left), op, polynomial(layout)});
    }
    add(std::move(node));
  }

  void spread() {
    const Layout wide = wide_layout();
    Layout from = Layout::pack();
    if (wide.kind == Layout::Kind::Item && coin()) {
      from = coin() ? Layout::group() : Layout::item();
    }
    add(Spread{value(element(), from), wide});
  }

  void elementwise(Layout layout) {
    Elementwise node;
    node.operand_type = scalar();
    do {
      node.op = static_cast<Op>((static_cast<std::size_t>(node.op) + 1 + choose(op_count)) % op_count);
    } while (!is_elementwise(node.op) || !ops::takes(node.op, node.operand_type) ||
             (node.operand_type == ScalarType::Bool && node.op != Op::BitAnd && node.op != Op::Eq));
    for (int i = 0; i < info(node.op).arity; ++i) {
      node.operands.push_back(value(Element::of(node.operand_type), layout));
    }
    add(std::move(node));
  }

  void select(Layout layout) {
    const Type type{element(), layout};
    const ValueId condition = value(truth, layout);
    const ValueId then = value(type);
    add(Select{condition, then, value(type)});
  }

  void reorder() {
    const Layout from = wide_layout();
    const Layout to = wide_layout();
    Reorder node{value(element(), from), to, Reorder::Affine{}};
    if (coin()) {
      Reorder::Affine affine;
      affine.item = from.kind == Layout::Kind::Item ? polynomial(to, false) : Polynomial(0);
      affine.element = polynomial(to, false);
      node.pattern = affine;
    } else {
      Reorder::Table table;
      const std::uint64_t count = lanes_per_group(to, kernel_.shape);
      for (std::uint64_t i = 0; i < count; ++i) {
        const auto lane = static_cast<std::uint32_t>(choose(lanes_per_group(from, kernel_.shape)));
        table.source.push_back(choose(5) == 4 ? Reorder::Table::nowhere : lane);
      }
      node.pattern = table;
    }
    add(std::move(node));
  }

  void vote() {
    const bool ballot = coin();
    const Layout layout = ballot ? Layout::item() : wide_layout();
    const ValueId voted = value(truth, layout);
    add(Vote{ballot ? Vote::Kind::Ballot : static_cast<Vote::Kind>(choose(3)), !ballot && coin(), voted, value(truth, layout)});
  }

  std::vector<std::variant<OfParameter, OfObject>> memories() const {
    std::vector<std::variant<OfParameter, OfObject>> all;
    for (ParameterId id = 0; id < kernel_.parameters.size(); ++id) {
      if (kernel_.parameters[id].is_pointer) {
        all.emplace_back(OfParameter{id});
      }
    }
    for (ObjectId id = 0; id < kernel_.objects.size(); ++id) {
      all.emplace_back(OfObject{id});
    }
    return all;
  }

  void address() {
    std::vector<std::variant<OfParameter, OfObject>> fitting;
    for (const auto& each : memories()) {
      const auto* parameter = std::get_if<OfParameter>(&each);
      const auto* object = std::get_if<OfObject>(&each);
      const ScalarType type = parameter != nullptr ? kernel_.parameters[parameter->id].scalar : kernel_.objects[object->id].element;
      const bool is_const =
          parameter != nullptr ? kernel_.parameters[parameter->id].is_const : kernel_.objects[object->id].space == AddressSpace::Constant;
      if (type == pointed_ && (!is_const || only_reads_through_pointers_)) {
        fitting.push_back(each);
      }
    }
    if (!fitting.empty()) {
      add(AddressOf{fitting[choose(fitting.size())]});
    }
  }

  void pointers(Layout layout) {
    const ValueId left = value(Element::pointer(), layout);
    switch (choose(3)) {
      case 0:
        add(PointerOffset{pointed_, left, value(index_element, layout)});
        break;
      case 1:
        add(PointerDistance{pointed_, left, value(Element::pointer(), layout)});
        break;
      default:
        add(PointerCompare{static_cast<Op>(static_cast<std::size_t>(Op::Lt) + choose(6)), left, value(Element::pointer(), layout)});
    }
  }

  /// A place for an access of this layout, and the type of its cells. A store needs one that is not constant.
  std::pair<Place, ScalarType> place(Layout layout, bool is_store) {
    Place result;
    ScalarType cells = scalar();
    result.base = AtPointer{};
    const auto all = memories();
    const std::size_t choice = choose(all.size() + 1);
    if (const auto* of = choice < all.size() ? std::get_if<OfParameter>(&all[choice]) : nullptr) {
      const Parameter& parameter = kernel_.parameters[of->id];
      if (!(is_store && parameter.is_const)) {
        result.base = *of;
        cells = parameter.scalar;
      }
    } else if (choice < all.size()) {
      const auto own = std::get<OfObject>(all[choice]);
      const Object& object = kernel_.objects[own.id];
      const bool fits = object.space == AddressSpace::Private ? layout.kind == Layout::Kind::Item
                        : object.space == AddressSpace::Local ? layout.kind != Layout::Kind::Pack
                                                              : !is_store;
      if (fits) {
        result.base = own;
        cells = object.element;
      }
    }
    if (std::holds_alternative<AtPointer>(result.base)) {
      cells = pointed_;
      result.base = AtPointer{value(Element::pointer(), coin() ? layout : Layout::pack())};
    }
    result.index = polynomial(layout);
    if (coin()) {
      result.lanes = value(Element::of(coin() ? ScalarType::Long : ScalarType::ULong), layout);
    }
    return {std::move(result), cells};
  }

  Access access(const Place& place, Layout layout) {
    const auto best = static_cast<std::size_t>(access_of(kernel_, place, layout));
    return static_cast<Access>(best + choose(3 - best));
  }

  std::optional<ValueId> maybe_mask(Layout layout) { return coin() ? std::optional(value(truth, layout)) : std::nullopt; }

  void load(Layout layout) {
    auto [where, cells] = place(layout, false);
    const Access kind = access(where, layout);
    const auto mask = maybe_mask(layout);
    add(Load{{Element::of(cells), layout}, std::move(where), kind, mask});
  }

  void store(Layout layout) {
    auto [where, cells] = place(layout, true);
    if (only_reads_through_pointers_ && std::holds_alternative<AtPointer>(where.base)) {
      return;
    }
    const Access kind = access(where, layout);
    const ValueId stored = value(Element::of(cells), layout);
    const auto mask = maybe_mask(layout);
    builder_.add_many(Store{std::move(where), kind, stored, mask}, {});
  }

  void atomic() {
    const Layout layout = Layout::item(1 + static_cast<std::uint32_t>(choose(3)));
    auto [where, cells] = place(layout, true);
    const AtomicOp op = atomic_table[choose(atomic_table.size())].op;
    const auto* own = std::get_if<OfObject>(&where.base);
    const bool is_private = own != nullptr && kernel_.objects[own->id].space == AddressSpace::Private;
    if ((only_reads_through_pointers_ && std::holds_alternative<AtPointer>(where.base)) || !takes(op, cells) || is_private) {
      return;
    }
    const Access kind = access(where, layout);
    const Type type{Element::of(cells), layout};
    const std::optional<ValueId> compare = op == AtomicOp::CompareExchange ? std::optional(value(type)) : std::nullopt;
    const ValueId operand = value(type);
    add(Atomic{op, type, std::move(where), kind, compare, operand, maybe_mask(layout)});
  }

  // ---- control -------------------------------------------------------------------------------------------------------------

  /// Fills a region that yields values of these types. The types of its arguments are known.
  void fill(RegionId region, const std::vector<Type>& yields, std::size_t depth) {
    const RegionId outer = builder_.enter(region);
    const std::size_t seen = visible_.size();
    for (const ValueId argument : kernel_.regions[region].arguments) {
      visible_.push_back(argument);
    }
    const std::size_t count = choose(4);
    for (std::size_t i = 0; i < count; ++i) {
      operation(depth - 1);
    }
    for (const Type& type : yields) {
      const ValueId yielded = value(type);
      kernel_.regions[region].yields.push_back(yielded);
    }
    visible_.resize(seen);
    builder_.enter(outer);
  }

  std::vector<Type> types() {
    std::vector<Type> result;
    const std::size_t count = choose(3);
    for (std::size_t i = 0; i < count; ++i) {
      const Element of = element();
      result.push_back({of, layout()});
    }
    return result;
  }

  void finish(Node node) {
    for (const ValueId result : builder_.add_many(std::move(node), {}, {name(), name()})) {
      visible_.push_back(result);
    }
  }

  std::vector<ValueId> values(const std::vector<Type>& types) {
    std::vector<ValueId> result;
    for (const Type& type : types) {
      result.push_back(value(type));
    }
    return result;
  }

  void branch(std::size_t depth) {
    If node;
    node.condition = value(truth, Layout::pack());
    const std::vector<Type> yields = types();
    node.then = builder_.new_region();
    node.otherwise = builder_.new_region();
    fill(node.then, yields, depth);
    fill(node.otherwise, yields, depth);
    finish(node);
  }

  void counted(std::size_t depth) {
    For node;
    node.from = polynomial(Layout::pack());
    node.limit = polynomial(Layout::pack());
    node.step = coin() ? -1 - static_cast<std::int64_t>(choose(3)) : static_cast<std::int64_t>(1 + choose(1U << 20U));
    const std::vector<Type> carried = types();
    node.inits = values(carried);
    std::vector<Type> arguments = {{index_element, Layout::pack()}};
    arguments.insert(arguments.end(), carried.begin(), carried.end());
    node.body = builder_.new_region(arguments, {name(), name()});
    fill(node.body, carried, depth);
    finish(std::move(node));
  }

  void loop(std::size_t depth) {
    std::vector<Type> carried = types();
    carried.insert(carried.begin(), {truth, Layout::pack()});
    Loop node;
    node.inits = values(carried);
    node.body = builder_.new_region(carried, {name(), name()});
    fill(node.body, carried, depth);
    finish(std::move(node));
  }

  std::vector<std::uint64_t> choices_;
  std::size_t used_ = 0;
  Kernel kernel_;
  Builder builder_;
  std::vector<ValueId> visible_;
  ScalarType pointed_ = ScalarType::Int;      // what pointer values of this kernel point to
  bool only_reads_through_pointers_ = false;  // they may point to what is const
};

}  // namespace lockstep::infreg
