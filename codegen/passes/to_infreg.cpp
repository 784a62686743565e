#include "codegen/passes/to_infreg.hpp"

#include <algorithm>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "codegen/passes/kinds.hpp"
#include "codegen/passes/walk.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/builder.hpp"
#include "semantics/infreg/types.hpp"

namespace lockstep::passes {

namespace {

using infreg::Type;
using infreg::ValueId;
using Kind = Layout::Kind;

/// A loop whose rounds are elements: round number r is element r of every value.
struct Lanes {
  VarId var = 0;
  std::uint32_t elements = 1;
  std::optional<ValueId> range;  ///< which elements are rounds, as Item(elements); none: all are
};

std::unordered_map<ObjectId, ObjectId> used_objects(const Assignments& in) {
  std::vector<bool> used(in.objects.size());
  const auto use = [&](const Place& p) {
    if (const auto* object = std::get_if<ObjectBase>(&p.base)) {
      used[object->id] = true;
    }
  };
  for_each_statement(in.body, [&](const Statement& statement) {
    if (const auto* store = std::get_if<Store>(&statement.node)) {
      use(store->place);
    } else if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      if (const auto* load = std::get_if<Load>(&assign->right)) {
        use(load->place);
      } else if (const auto* address = std::get_if<Address>(&assign->right)) {
        use(address->place);
      }
    }
  });
  std::unordered_map<ObjectId, ObjectId> numbers;
  for (ObjectId object = 0; object < used.size(); ++object) {
    if (used[object]) {
      const auto number = static_cast<ObjectId>(numbers.size());
      numbers.emplace(object, number);
    }
  }
  return numbers;
}

/// The kernel without operations.
infreg::Kernel head(const Assignments& in, unsigned wg_pack, const std::unordered_map<ObjectId, ObjectId>& objects) {
  infreg::Kernel out;
  out.source = in.source;
  out.name = in.name;
  out.shape = {in.wg_size, wg_pack};
  out.parameters = in.parameters;
  for (infreg::Parameter& parameter : out.parameters) {
    if (!parameter.is_pointer) {
      parameter.value = static_cast<ValueId>(out.values.size());
      out.values.push_back({{Element::of(parameter.scalar), Layout::pack()}, parameter.name});
    }
  }
  out.objects.resize(objects.size());
  std::unordered_map<std::string, unsigned> names;
  for (const infreg::Parameter& parameter : out.parameters) {
    names.emplace(parameter.name, 1);
  }
  for (ObjectId object = 0; object < in.objects.size(); ++object) {
    if (const auto number = objects.find(object); number != objects.end()) {
      infreg::Object copy = in.objects[object];
      const std::string name = copy.name;
      while (!names.emplace(copy.name, 1).second) {
        copy.name = name + "." + std::to_string(++names[name]);
      }
      out.objects[number->second] = std::move(copy);
    }
  }
  out.regions.emplace_back();
  return out;
}

class Converter {
 public:
  Converter(const Assignments& assignments, unsigned wg_pack)
      : in_(assignments), objects_(used_objects(assignments)), out_(head(assignments, wg_pack, objects_)), builder_(out_) {
    for (VarId var = 0; var < in_.variables.size(); ++var) {
      if (const auto parameter = in_.variables[var].parameter) {
        values_[var] = out_.parameters[*parameter].value;
      }
    }
  }

  infreg::Kernel run() {
    statements(in_.body);
    return std::move(out_);
  }

 private:
  // ---- types ----

  Layout layout_of(VarId var) const {
    const Variable& variable = in_.variables[var];
    const auto expanded = expanded_.find(var);
    const std::uint32_t count = expanded != expanded_.end() ? expanded->second : variable.count;
    Kind kind = variable.kind;
    if (kind == Kind::Pack && (variable.is_array || expanded != expanded_.end())) {
      kind = Kind::Group;
    }
    return {kind, count};
  }

  /// The layout of single numbers, or in a loop over lanes of as many as there are rounds.
  Layout working(Kind kind) const {
    if (!lanes_) {
      return {kind, 1};
    }
    return {kind == Kind::Pack ? Kind::Group : kind, lanes_->elements};
  }

  ValueId add(infreg::Node node, std::string_view name = "t") { return builder_.add(std::move(node), span_, name); }

  // ---- polynomials and operands ----

  /// The kernel's value that a symbol stands for, as i64 of layout Pack.
  ValueId pack_number(VarId var) {
    const ValueId value = values_.at(var);
    const Element element = out_.type_of(value).element;
    if (element.scalar == ScalarType::Long || element.scalar == ScalarType::ULong) {
      return value;
    }
    return add(infreg::Convert{value, ScalarType::Long}, in_.variables[var].name);
  }

  bool is_lane_symbol(Symbol symbol) const {
    if (symbol.kind != Symbol::Kind::Value) {
      return true;
    }
    return (lanes_ && symbol.value == lanes_->var) || constants_.contains(symbol.value) ||
           (in_.variables[symbol.value].kind == Kind::Pack && !expanded_.contains(symbol.value));
  }

  /// Variables become values, the loop over lanes the element, unrolled loops numbers. All symbols must be known without lanes.
  Polynomial lowered(const Polynomial& polynomial) {
    Polynomial result(polynomial.constant());
    for (const infreg::Monomial& term : polynomial.terms()) {
      Polynomial product(term.coefficient);
      for (const Symbol symbol : term.factors) {
        if (symbol.kind != Symbol::Kind::Value) {
          product = product * Polynomial(symbol);
        } else if (lanes_ && symbol.value == lanes_->var) {
          product = product * Polynomial(Symbol::element());
        } else if (const auto constant = constants_.find(symbol.value); constant != constants_.end()) {
          product = product * Polynomial(constant->second);
        } else {
          product = product * Polynomial(Symbol::of(pack_number(symbol.value)));
        }
      }
      result += product;
    }
    return result;
  }

  /// The part that speaks of lanes and pack-wide numbers only, and the rest as a value of the layout (none: there is no rest).
  std::pair<Polynomial, std::optional<ValueId>> split(const Polynomial& polynomial, Layout layout) {
    Polynomial known(polynomial.constant());
    std::optional<ValueId> rest;
    for (const infreg::Monomial& term : polynomial.terms()) {
      Polynomial product(term.coefficient);
      for (const Symbol symbol : term.factors) {
        product = product * Polynomial(symbol);
      }
      if (std::ranges::all_of(term.factors, [&](Symbol symbol) { return is_lane_symbol(symbol); })) {
        known += product;
        continue;
      }
      // coefficient and lane symbols as one index, times each number of a lane
      Polynomial index(term.coefficient);
      std::vector<ValueId> factors;
      for (const Symbol symbol : term.factors) {
        if (is_lane_symbol(symbol)) {
          index = index * Polynomial(symbol);
        } else {
          factors.push_back(converted(fitted(values_.at(symbol.value), layout), ScalarType::Long));
        }
      }
      std::optional<ValueId> value;
      if (!(index == Polynomial(1))) {
        value = add(infreg::Index{{infreg::index_element, layout}, lowered(index)});
      }
      for (const ValueId factor : factors) {
        value = value ? add(infreg::Elementwise{Op::Mul, ScalarType::Long, {*value, factor}}) : factor;
      }
      rest = rest ? add(infreg::Elementwise{Op::Add, ScalarType::Long, {*rest, *value}}) : *value;
    }
    return {lowered(known), rest};
  }

  ValueId converted(ValueId value, ScalarType to) {
    return out_.type_of(value).element == Element::of(to) ? value : add(infreg::Convert{value, to});
  }

  /// The value in a layout that is at least as various.
  ValueId fitted(ValueId value, Layout layout) {
    const Layout present = out_.type_of(value).layout;
    if (present == layout) {
      return value;
    }
    if (present.kind == Kind::Group && present.elements > 1) {
      return add(infreg::Reorder{value, layout, infreg::Reorder::Affine{0, Symbol::element()}});
    }
    if (present.kind == Kind::Group && layout.kind == Kind::Group) {
      return add(infreg::Reorder{value, layout, infreg::Reorder::Affine{0, 0}});
    }
    if (present.kind == Kind::Group && layout.elements > 1) {
      return add(infreg::Spread{add(infreg::Spread{value, Layout::item()}), layout});
    }
    return add(infreg::Spread{value, layout});
  }

  ValueId constant(Element element, std::uint64_t bits, Layout layout) { return add(infreg::Constant{{element, layout}, bits}, "c"); }

  ValueId number(ScalarType type, const Polynomial& polynomial, Layout layout) {
    auto [known, rest] = split(polynomial, layout);
    if (!rest) {
      if (known.is_constant() && bits_of(type) == 64) {
        return constant(Element::of(type), static_cast<std::uint64_t>(known.constant()), layout);
      }
      return add(infreg::Index{{Element::of(type), layout}, known});
    }
    ValueId value = *rest;
    if (!(known == Polynomial(0))) {
      value = add(infreg::Elementwise{Op::Add, ScalarType::Long, {value, add(infreg::Index{{infreg::index_element, layout}, known})}});
    }
    return converted(value, type);
  }

  ValueId poison(Element element, Layout layout) { return add(infreg::Poison{{element, layout}}, "undef"); }

  ValueId current(VarId var) {
    const auto found = values_.find(var);
    return found != values_.end() ? found->second : values_[var] = poison(in_.variables[var].element, layout_of(var));
  }

  ValueId element_of_array(const Ref& ref, Layout layout) {
    const ValueId array = current(ref.var);
    const Polynomial index = lowered(ref.index);
    const Layout source = out_.type_of(array).layout;
    if (source == layout && (source.elements == 1 || index == Polynomial(Symbol::element()))) {
      return array;
    }
    return add(infreg::Reorder{array, layout, infreg::Reorder::Affine{source.kind == Kind::Item ? Polynomial(Symbol::item()) : 0, index}},
               in_.variables[ref.var].name);
  }

  ValueId operand(const Operand& operand, Layout layout) {
    return std::visit(
        [&](const auto& o) -> ValueId {
          using O = std::decay_t<decltype(o)>;
          if constexpr (std::is_same_v<O, Literal>) {
            return constant(o.element, o.bits, layout);
          } else if constexpr (std::is_same_v<O, Number>) {
            return number(o.type, o.value, layout);
          } else if (in_.variables[o.var].is_array) {
            return element_of_array(o, layout);
          } else {
            return fitted(current(o.var), layout);
          }
        },
        operand);
  }

  /// The mask of an assignment together with the rounds that there are, in the layout; none: all lanes.
  std::optional<ValueId> mask_in(const std::optional<Operand>& mask, Layout layout) {
    std::optional<ValueId> result;
    if (mask) {
      result = operand(*mask, layout);
    }
    if (lanes_ && lanes_->range) {
      const ValueId range = range_in(layout);
      result = result ? add(infreg::Select{*result, range, constant(infreg::truth, 0, layout)}, "m") : range;
    }
    return result;
  }

  ValueId range_in(Layout layout) {
    return out_.type_of(*lanes_->range).layout == layout
               ? *lanes_->range
               : add(infreg::Reorder{*lanes_->range, layout, infreg::Reorder::Affine{0, Symbol::element()}});
  }

  // ---- right-hand sides ----

  infreg::Place place(const Place& p, Layout layout) {
    auto [index, rest] = split(p.index, layout);
    infreg::Place result{{}, std::move(index), rest};
    if (const auto* parameter = std::get_if<ParameterBase>(&p.base)) {
      result.base = decltype(result.base){std::in_place_index<0>, parameter->id};
    } else if (const auto* object = std::get_if<ObjectBase>(&p.base)) {
      result.base = decltype(result.base){std::in_place_index<1>, objects_.at(object->id)};
    } else {
      const Operand& pointer = std::get<Operand>(p.base);
      const Kind kind = kind_of(in_, pointer);
      const Layout wanted = kind == Kind::Pack && !lanes_ ? Layout::pack() : layout;
      result.base = decltype(result.base){std::in_place_index<2>, operand(pointer, wanted)};
    }
    return result;
  }

  ValueId right(const Right& r, const std::optional<Operand>& mask, Kind kind, std::string_view name) {
    const Layout layout = working(kind);
    return std::visit(
        [&](const auto& node) -> ValueId {
          using Node = std::decay_t<decltype(node)>;
          if constexpr (std::is_same_v<Node, Copy>) {
            return operand(node.source, layout);
          } else if constexpr (std::is_same_v<Node, Operate>) {
            std::vector<ValueId> operands;
            for (const Operand& o : node.operands) {
              operands.push_back(operand(o, layout));
            }
            return add(infreg::Elementwise{node.op, node.operand_type, std::move(operands)}, name);
          } else if constexpr (std::is_same_v<Node, Convert>) {
            return add(infreg::Convert{operand(node.source, layout), node.to}, name);
          } else if constexpr (std::is_same_v<Node, Choose>) {
            const ValueId condition = operand(node.condition, layout);
            const ValueId then = operand(node.then, layout);
            return add(infreg::Select{condition, then, operand(node.otherwise, layout)}, name);
          } else if constexpr (std::is_same_v<Node, Resolve>) {
            infreg::Mask result{layout, {}};
            for (const infreg::Mask::Comparison& comparison : node.all_of) {
              result.all_of.push_back({lowered(comparison.left), comparison.op, lowered(comparison.right)});
            }
            return add(std::move(result), name);
          } else if constexpr (std::is_same_v<Node, Shuffle>) {
            return shuffle(node, mask, layout, name);
          } else if constexpr (std::is_same_v<Node, NumGroups>) {
            return fitted(add(infreg::NumGroups{}, name), layout);
          } else if constexpr (std::is_same_v<Node, Vote>) {
            const ValueId value = operand(node.value, Layout::item());
            const ValueId active = mask ? operand(*mask, Layout::item()) : constant(infreg::truth, 1, Layout::item());
            return fitted(add(infreg::Vote{node.kind, false, value, active}, name), layout);
          } else if constexpr (std::is_same_v<Node, Load>) {
            infreg::Load load{
                {Element::of(node.place.element), layout}, place(node.place, layout), infreg::Access::Gather, mask_in(mask, layout)};
            load.access = infreg::access_of(out_, load.place, layout);
            return add(std::move(load), name);
          } else if constexpr (std::is_same_v<Node, Address>) {
            return address(node.place, layout);
          } else if constexpr (std::is_same_v<Node, PointerDistance>) {
            const ValueId left = operand(node.left, layout);
            return add(infreg::PointerDistance{node.element, left, operand(node.right, layout)}, name);
          } else {
            const ValueId left = operand(node.left, layout);
            return add(infreg::PointerCompare{node.op, left, operand(node.right, layout)}, name);
          }
        },
        r);
  }

  ValueId address(const Place& p, Layout layout) {
    ValueId base = 0;
    if (const auto* pointer = std::get_if<Operand>(&p.base)) {
      base = operand(*pointer, layout);
    } else {
      infreg::AddressOf of;
      if (const auto* parameter = std::get_if<ParameterBase>(&p.base)) {
        of.object = decltype(of.object){std::in_place_index<0>, parameter->id};
      } else {
        of.object = decltype(of.object){std::in_place_index<1>, objects_.at(std::get<ObjectBase>(p.base).id)};
      }
      base = fitted(add(of, "p"), layout);
    }
    return add(infreg::PointerOffset{p.element, base, number(ScalarType::Long, p.index, layout)}, "p");
  }

  ValueId shuffle(const Shuffle& node, const std::optional<Operand>& mask, Layout layout, std::string_view name) {
    const auto* lane = std::get_if<Number>(&node.lane);
    const bool is_known = lane != nullptr && std::ranges::all_of(lane->value.terms(), [&](const infreg::Monomial& term) {
                            return std::ranges::all_of(
                                term.factors, [&](Symbol symbol) { return symbol.kind != Symbol::Kind::Group && is_lane_symbol(symbol); });
                          });
    const Kind source_kind = kind_of(in_, node.source);
    if (source_kind != Kind::Item) {
      return operand(node.source, layout);
    }
    if (is_known) {
      // What an inactive item has may take the place of poison.
      const ValueId source = operand(node.source, working(Kind::Item));
      const Polynomial element = layout.elements == 1 ? Polynomial(0) : Polynomial(Symbol::element());
      return add(infreg::Reorder{source, layout, infreg::Reorder::Affine{lowered(lane->value), element}}, name);
    }
    const ValueId source = operand(node.source, working(Kind::Item));
    const ValueId from = converted(operand(node.lane, Layout::item()), ScalarType::Long);
    const ValueId active = mask ? operand(*mask, Layout::item()) : constant(infreg::truth, 1, Layout::item());
    return fitted(add(infreg::Shuffle{source, from, active}, name), layout);
  }

  // ---- statements ----

  void statements(const Body& body) {
    for (const Statement& statement : body) {
      const SourceSpan outer = std::exchange(span_, statement.span);
      std::visit(
          [&](const auto& node) {
            using Node = std::decay_t<decltype(node)>;
            if constexpr (std::is_same_v<Node, Assign>) {
              assign(node);
            } else if constexpr (std::is_same_v<Node, Store>) {
              store(node);
            } else if constexpr (std::is_same_v<Node, Forget>) {
              if (const auto* var = std::get_if<VarId>(&node.what)) {
                values_.erase(*var);
              }
            } else if constexpr (std::is_same_v<Node, Loop>) {
              loop(node);
            } else if constexpr (std::is_same_v<Node, For>) {
              counted(node);
            } else {
              throw InternalError("control that `masks` should have removed");
            }
          },
          statement.node);
      span_ = outer;
    }
  }

  void assign(const Assign& node) {
    const VarId var = node.target.var;
    const Variable& variable = in_.variables[var];
    Kind kind = kind_of(in_, node.right);
    if (node.mask && std::holds_alternative<Load>(node.right)) {
      kind = std::max(kind, kind_of(in_, *node.mask));
    }
    const ValueId value = right(node.right, node.mask, std::max(kind, lanes_ ? Kind::Group : Kind::Pack), variable.name);
    if (variable.is_array) {
      assign_element(node, value);
      return;
    }
    const Layout target = layout_of(var);
    const ValueId fitting = fitted(value, target);
    const auto old = values_.find(var);
    if (variable.is_implicit || old == values_.end() || !node.mask) {
      // In inactive lanes there was nothing that anybody may read.
      values_[var] = fitting;
      return;
    }
    values_[var] = add(infreg::Select{operand(*node.mask, target), fitting, old->second}, variable.name);
  }

  void assign_element(const Assign& node, ValueId value) {
    const VarId var = node.target.var;
    const Layout target = layout_of(var);
    const Polynomial index = lowered(node.target.index);
    const ValueId old = current(var);
    std::optional<ValueId> mask;
    ValueId fitting = value;
    if (lanes_) {
      // Round r writes element index(r): bring both to the array's lanes.
      const Layout rounds{target.kind, lanes_->elements};
      mask = mask_in(node.mask, rounds);
      fitting = fitted(value, rounds);
      const Polynomial offset = index.without(Symbol::element());
      const std::int64_t slope = index.coefficient(Symbol::element());
      const Polynomial round = slope == 1 ? Polynomial(Symbol::element()) - offset : offset - Polynomial(Symbol::element());
      if (slope != 1 && slope != -1) {
        throw InternalError("a loop over lanes writes neither forwards nor backwards");
      }
      if (!(round == Polynomial(Symbol::element())) || rounds != target) {
        const infreg::Reorder::Affine pattern{target.kind == Kind::Item ? Polynomial(Symbol::item()) : 0, round};
        infreg::Mask exists{target, {{0, Op::Le, round}, {round, Op::Lt, std::int64_t{lanes_->elements}}}};
        const ValueId there = add(std::move(exists), "m");
        fitting = add(infreg::Reorder{fitting, target, pattern}, in_.variables[var].name);
        mask = mask ? add(infreg::Select{there, add(infreg::Reorder{*mask, target, pattern}, "m"), constant(infreg::truth, 0, target)}, "m")
                    : there;
      }
    } else {
      fitting = fitted(value, target);
      mask = add(infreg::Mask{target, {{Symbol::element(), Op::Eq, index}}}, "m");
      if (target.elements == 1) {
        mask.reset();
      }
      if (node.mask) {
        const ValueId active = operand(*node.mask, target);
        mask = mask ? add(infreg::Select{*mask, active, constant(infreg::truth, 0, target)}, "m") : active;
      }
    }
    values_[var] = mask ? add(infreg::Select{*mask, fitting, old}, in_.variables[var].name) : fitting;
  }

  void store(const Store& node) {
    Kind kind = std::max(kind_of(in_, node.place), kind_of(in_, node.value));
    if (node.mask) {
      kind = std::max(kind, kind_of(in_, *node.mask));
    }
    const Layout layout = working(kind);
    infreg::Store store{place(node.place, layout), infreg::Access::Gather, operand(node.value, layout), mask_in(node.mask, layout)};
    store.access = infreg::access_of(out_, store.place, layout);
    builder_.add_many(std::move(store), span_);
  }

  /// The variables that a loop's body changes and that live beyond one round.
  std::vector<VarId> carried_by(const Body& body) {
    std::set<VarId> assigned;
    std::set<VarId> own;
    for_each_statement(body, [&](const Statement& statement) {
      if (const auto* assign = std::get_if<Assign>(&statement.node)) {
        if (!in_.variables[assign->target.var].is_implicit) {
          assigned.insert(assign->target.var);
        }
      } else if (const auto* forget = std::get_if<Forget>(&statement.node)) {
        if (const auto* var = std::get_if<VarId>(&forget->what)) {
          own.insert(*var);
        }
      }
    });
    std::vector<VarId> carried;
    std::ranges::set_difference(assigned, own, std::back_inserter(carried));
    return carried;
  }

  struct Carried {
    std::vector<VarId> vars;
    std::vector<Type> types;
    std::vector<std::string> names;
    std::vector<ValueId> inits;
  };

  Carried carry(const std::vector<VarId>& vars) {
    Carried carried;
    for (const VarId var : vars) {
      carried.vars.push_back(var);
      carried.types.push_back({in_.variables[var].element, layout_of(var)});
      carried.names.push_back(in_.variables[var].name);
      carried.inits.push_back(current(var));
    }
    return carried;
  }

  void counted(const For& node) {
    switch (node.loop_class) {
      case LoopClass::Rolled:
        rolled(node);
        break;
      case LoopClass::Unroll:
        unrolled(node);
        break;
      case LoopClass::Vectorise:
        vectorised(node);
        break;
    }
  }

  void rolled(const For& node) {
    const Carried carried = carry(carried_by(node.body));
    infreg::For loop{lowered(node.from), lowered(node.limit), node.step, carried.inits, 0};
    std::vector<Type> types{{infreg::index_element, Layout::pack()}};
    types.insert(types.end(), carried.types.begin(), carried.types.end());
    std::vector<std::string> names{in_.variables[node.var].name};
    names.insert(names.end(), carried.names.begin(), carried.names.end());
    loop.body = builder_.new_region(types, names);
    const infreg::RegionId outer = builder_.enter(loop.body);
    const auto before = values_;
    const std::vector<ValueId> arguments = out_.regions[loop.body].arguments;
    values_[node.var] = arguments[0];
    for (std::size_t i = 0; i < carried.vars.size(); ++i) {
      values_[carried.vars[i]] = arguments[i + 1];
    }
    statements(node.body);
    std::vector<ValueId> yields;
    for (const VarId var : carried.vars) {
      yields.push_back(current(var));
    }
    out_.regions[loop.body].yields = yields;
    builder_.enter(outer);
    values_ = before;
    const auto results = builder_.add_many(std::move(loop), span_, carried.names);
    for (std::size_t i = 0; i < carried.vars.size(); ++i) {
      values_[carried.vars[i]] = results[i];
    }
  }

  void unrolled(const For& node) {
    const std::int64_t from = lowered(node.from).constant();
    const std::int64_t limit = lowered(node.limit).constant();
    for (std::int64_t round = from; node.step > 0 ? round < limit : round > limit; round += node.step) {
      constants_[node.var] = round;
      statements(node.body);
    }
    constants_.erase(node.var);
  }

  void vectorised(const For& node) {
    const Polynomial from = lowered(node.from);
    const Polynomial limit = lowered(node.limit);
    lanes_ = Lanes{node.var, node.elements, std::nullopt};
    const Layout layout = Layout::item(lanes_->elements);
    infreg::Mask range{layout, {}};
    if (!(from == Polynomial(0))) {
      range.all_of.push_back({Symbol::element(), Op::Ge, from});
    }
    if (!(limit == Polynomial(std::int64_t{lanes_->elements}))) {
      range.all_of.push_back({Symbol::element(), Op::Lt, limit});
    }
    if (!range.all_of.empty()) {
      lanes_->range = add(std::move(range), "rounds");
    }
    for (const Statement& statement : node.body) {
      if (const auto* assign = std::get_if<Assign>(&statement.node); assign != nullptr && !in_.variables[assign->target.var].is_array) {
        expanded_[assign->target.var] = lanes_->elements;
        values_.erase(assign->target.var);
      }
    }
    statements(node.body);
    for (const auto& [var, elements] : expanded_) {
      values_.erase(var);
    }
    expanded_.clear();
    lanes_.reset();
  }

  void loop(const Loop& node) {
    std::vector<VarId> vars = carried_by(node.body);
    std::erase(vars, *node.live);
    vars.insert(vars.begin(), *node.live);
    const Carried carried = carry(vars);
    infreg::Loop loop{{any(current(*node.live))}, 0};
    loop.inits.insert(loop.inits.end(), carried.inits.begin(), carried.inits.end());
    std::vector<Type> types{{infreg::truth, Layout::pack()}};
    types.insert(types.end(), carried.types.begin(), carried.types.end());
    std::vector<std::string> names{"go_on"};
    names.insert(names.end(), carried.names.begin(), carried.names.end());
    loop.body = builder_.new_region(types, names);
    const infreg::RegionId outer = builder_.enter(loop.body);
    const auto before = values_;
    const std::vector<ValueId> arguments = out_.regions[loop.body].arguments;
    for (std::size_t i = 0; i < vars.size(); ++i) {
      values_[vars[i]] = arguments[i + 1];
    }
    statements(node.body);
    std::vector<ValueId> yields{any(current(*node.live))};
    for (const VarId var : vars) {
      yields.push_back(current(var));
    }
    out_.regions[loop.body].yields = yields;
    builder_.enter(outer);
    values_ = before;
    const auto results = builder_.add_many(std::move(loop), span_, names);
    for (std::size_t i = 0; i < vars.size(); ++i) {
      values_[vars[i]] = results[i + 1];
    }
  }

  /// Whether the truth value holds somewhere in the pack.
  ValueId any(ValueId value) {
    const Layout layout = out_.type_of(value).layout;
    if (layout.kind == Kind::Pack) {
      return value;
    }
    return add(infreg::Vote{infreg::Vote::Kind::Any, true, value, constant(infreg::truth, 1, layout)}, "go_on");
  }

  const Assignments& in_;
  std::unordered_map<ObjectId, ObjectId> objects_;  ///< those that are used, and their numbers in the result
  infreg::Kernel out_;
  infreg::Builder builder_;
  std::unordered_map<VarId, ValueId> values_;          ///< what each variable is now; none: poison
  std::unordered_map<VarId, std::int64_t> constants_;  ///< variables of the loops that are being unrolled
  std::unordered_map<VarId, std::uint32_t> expanded_;  ///< scalars with one number for each round of the loop over lanes
  std::optional<Lanes> lanes_;
  SourceSpan span_;
};

}  // namespace

infreg::Kernel to_infreg(const Assignments& assignments, unsigned wg_pack) { return Converter(assignments, wg_pack).run(); }

}  // namespace lockstep::passes
