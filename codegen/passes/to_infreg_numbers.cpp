// Types, polynomials and operands: the values that everything else is made of.

#include <algorithm>
#include <type_traits>

#include "codegen/passes/converter.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::passes {

Layout Converter::layout_of(VarId var) const {
  const Variable& variable = in_.variables[var];
  const auto expanded = expanded_.find(var);
  const std::uint32_t count = expanded != expanded_.end() ? expanded->second : variable.count;
  Kind kind = variable.kind;
  if (kind == Kind::Pack && (variable.is_array || expanded != expanded_.end())) {
    kind = Kind::Group;
  }
  return {kind, count};
}

Layout Converter::working(Kind kind) const {
  if (!lanes_) {
    return {kind, 1};
  }
  return {kind == Kind::Pack ? Kind::Group : kind, lanes_->elements};
}

ValueId Converter::add(infreg::Node node, std::string_view name) { return builder_.add(std::move(node), span_, name); }

ValueId Converter::pack_number(VarId var) {
  const ValueId value = values_.at(var);
  const Element element = out_.type_of(value).element;
  if (element.scalar == ScalarType::Long || element.scalar == ScalarType::ULong) {
    return value;
  }
  return add(infreg::Convert{value, ScalarType::Long}, in_.variables[var].name);
}

bool Converter::is_lane_symbol(Symbol symbol) const {
  if (symbol.kind != Symbol::Kind::Value) {
    return true;
  }
  return (lanes_ && symbol.value == lanes_->var) || constants_.contains(symbol.value) ||
         (in_.variables[symbol.value].kind == Kind::Pack && !expanded_.contains(symbol.value));
}

Polynomial Converter::lowered(const Polynomial& polynomial) {
  Polynomial result(polynomial.constant());
  for (const infreg::Monomial& term : polynomial.terms()) {
    Polynomial product(term.coefficient);
    for (const Symbol symbol : term.factors) {
      if (symbol.kind != Symbol::Kind::Value) {
        product = product * Polynomial(symbol);
      } else if (lanes_ && symbol.value == lanes_->var) {
        product = product * lanes_->variable();
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

std::pair<Polynomial, std::optional<ValueId>> Converter::split(const Polynomial& polynomial, Layout layout) {
  Polynomial known(polynomial.constant());
  std::optional<ValueId> of_group;  // what all items of a group add, computed once and spread in the end: then it can be seen that it is
  std::optional<ValueId> rest;
  const Layout once = Layout::group();
  for (const infreg::Monomial& term : polynomial.terms()) {
    Polynomial product(term.coefficient);
    for (const Symbol symbol : term.factors) {
      product = product * Polynomial(symbol);
    }
    if (std::ranges::all_of(term.factors, [&](Symbol symbol) { return is_lane_symbol(symbol); })) {
      known += product;
      continue;
    }
    const bool is_of_group = !lanes_ && layout.kind == Kind::Item && std::ranges::all_of(term.factors, [&](Symbol symbol) {
      return symbol.kind == Symbol::Kind::Group || (symbol.kind == Symbol::Kind::Value && in_.variables[symbol.value].kind != Kind::Item);
    });
    const Layout present = is_of_group ? once : layout;
    std::optional<ValueId>& sum = is_of_group ? of_group : rest;
    // coefficient and lane symbols as one index, times each number of a lane
    Polynomial index(term.coefficient);
    std::vector<ValueId> factors;
    for (const Symbol symbol : term.factors) {
      if (is_lane_symbol(symbol)) {
        index = index * Polynomial(symbol);
      } else {
        factors.push_back(converted(fitted(values_.at(symbol.value), present), ScalarType::Long));
      }
    }
    std::optional<ValueId> value;
    if (!(index == Polynomial(1))) {
      value = add(infreg::Index{{infreg::index_element, present}, lowered(index)});
    }
    for (const ValueId factor : factors) {
      value = value ? add(infreg::Elementwise{Op::Mul, ScalarType::Long, {*value, factor}}) : factor;
    }
    sum = sum ? add(infreg::Elementwise{Op::Add, ScalarType::Long, {*sum, *value}}) : *value;
  }
  if (of_group) {
    const ValueId all = fitted(*of_group, layout);
    rest = rest ? add(infreg::Elementwise{Op::Add, ScalarType::Long, {*rest, all}}) : all;
  }
  return {lowered(known), rest};
}

ValueId Converter::converted(ValueId value, ScalarType to) {
  return out_.type_of(value).element == Element::of(to) ? value : add(infreg::Convert{value, to});
}

ValueId Converter::fitted(ValueId value, Layout layout) {
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

ValueId Converter::constant(Element element, std::uint64_t bits, Layout layout) {
  return add(infreg::Constant{{element, layout}, bits}, "c");
}

ValueId Converter::number(ScalarType type, const Polynomial& polynomial, Layout layout) {
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

ValueId Converter::poison(Element element, Layout layout) { return add(infreg::Poison{{element, layout}}, "undef"); }

ValueId Converter::current(VarId var) {
  const auto found = values_.find(var);
  return found != values_.end() ? found->second : values_[var] = poison(in_.variables[var].element, layout_of(var));
}

bool Converter::has_expanded(const Polynomial& index) const {
  bool found = false;
  index.for_each_value([&](VarId var) { found = found || expanded_.contains(var); });
  return found;
}

std::int64_t Converter::index_in(std::uint32_t ix, std::uint32_t wi, const Polynomial& index) const {
  const Polynomial number = resolved(in_, lanes_->known.at(ix), index).substitute(Symbol::item(), std::int64_t{wi});
  if (!number.is_constant()) {
    throw InternalError("an index of a loop in sets is not known");
  }
  return number.constant();
}

ValueId Converter::element_of_array(const Ref& ref, Layout layout) {
  const ValueId array = current(ref.var);
  const Layout source = out_.type_of(array).layout;
  if (has_expanded(ref.index)) {
    infreg::Reorder::Table table;
    for_each_lane(layout, [&](std::uint32_t wi, std::uint32_t ix) {
      const std::int64_t element = index_in(ix, wi, ref.index);
      const bool is_there = element >= 0 && element < std::int64_t{source.elements};
      const std::uint32_t first = source.kind == Kind::Item ? wi * source.elements : 0;
      table.source.push_back(is_there ? first + static_cast<std::uint32_t>(element) : infreg::Reorder::Table::nowhere);
    });
    return add(infreg::Reorder{array, layout, std::move(table)}, in_.variables[ref.var].name);
  }
  const Polynomial index = lowered(ref.index);
  if (source == layout && (source.elements == 1 || index == Polynomial(Symbol::element()))) {
    return array;
  }
  return add(infreg::Reorder{array, layout, infreg::Reorder::Affine{source.kind == Kind::Item ? Polynomial(Symbol::item()) : 0, index}},
             in_.variables[ref.var].name);
}

std::optional<VarId> Converter::part_of_array(const Ref& ref) {
  const Variable& array = in_.variables[ref.var];
  const Polynomial index = lowered(ref.index);
  if (!index.is_constant()) {
    throw InternalError("an element that is a value by itself is not known by its number");
  }
  const bool is_there = index.constant() >= 0 && index.constant() < std::int64_t{array.count};
  return is_there ? std::optional(*array.first_element + static_cast<VarId>(index.constant())) : std::nullopt;
}

ValueId Converter::operand(const Operand& operand, Layout layout) {
  return std::visit(
      [&](const auto& o) -> ValueId {
        using O = std::decay_t<decltype(o)>;
        if constexpr (std::is_same_v<O, Literal>) {
          return constant(o.element, o.bits, layout);
        } else if constexpr (std::is_same_v<O, Number>) {
          return number(o.type, o.value, layout);
        } else if (in_.variables[o.var].first_element) {
          const auto part = part_of_array(o);
          return part ? fitted(current(*part), layout) : poison(in_.variables[o.var].element, layout);
        } else if (in_.variables[o.var].is_array) {
          return element_of_array(o, layout);
        } else {
          return fitted(current(o.var), layout);
        }
      },
      operand);
}

std::optional<ValueId> Converter::mask_in(const std::optional<Operand>& mask, Layout layout) {
  std::optional<ValueId> result;
  if (mask) {
    result = operand(*mask, layout);
  }
  if (lanes_ && lanes_->range) {
    const ValueId range = range_in(layout);
    // The range comes first: behind the last round the kernel's own mask may be poison, read from an element that is not there.
    result = result ? add(infreg::Select{range, *result, constant(infreg::truth, 0, layout)}, "m") : range;
  }
  return result;
}

ValueId Converter::range_in(Layout layout) {
  return out_.type_of(*lanes_->range).layout == layout
             ? *lanes_->range
             : add(infreg::Reorder{*lanes_->range, layout, infreg::Reorder::Affine{0, Symbol::element()}});
}

}  // namespace lockstep::passes
