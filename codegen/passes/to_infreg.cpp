#include "codegen/passes/to_infreg.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "codegen/passes/converter.hpp"
#include "codegen/passes/walk.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/types.hpp"

namespace lockstep::passes {

namespace {

std::unordered_map<ObjectId, ObjectId> used_objects(const Assignments& in) {
  std::vector<bool> used(in.objects.size());
  const auto use = [&](const Place& p) {
    if (const auto* object = std::get_if<OfObject>(&p.base)) {
      used[object->id] = true;
    }
  };
  for_each_statement(in.body, [&](const Statement& statement) {
    if (const auto* store = std::get_if<Store>(&statement.node)) {
      use(store->place);
    } else if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      if (const auto* load = std::get_if<Load>(&assign->right)) {
        use(load->place);
      } else if (const auto* atomic = std::get_if<Atomic>(&assign->right)) {
        use(atomic->place);
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

}  // namespace

Converter::Converter(const Assignments& assignments, unsigned wg_pack)
    : in_(assignments), objects_(used_objects(assignments)), out_(head(assignments, wg_pack, objects_)), builder_(out_) {
  for (VarId var = 0; var < in_.variables.size(); ++var) {
    if (const auto parameter = in_.variables[var].parameter) {
      values_[var] = out_.parameters[*parameter].value;
    }
  }
}

void Converter::statements(const Body& body) {
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
              for_each_part(*var, [&](VarId part) { values_.erase(part); });
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

void Converter::assign(const Assign& node) {
  const VarId var = node.target.var;
  const Variable& variable = in_.variables[var];
  Kind kind = kind_of(in_, node.right);
  if (node.mask && std::holds_alternative<Load>(node.right)) {
    kind = std::max(kind, kind_of(in_, *node.mask));
  }
  const ValueId value = right(node.right, node.mask, std::max(kind, lanes_ ? Kind::Group : Kind::Pack), variable.name);
  if (variable.first_element) {
    if (const auto part = part_of_array(node.target)) {
      assign_variable(*part, value, node.mask);
    }
  } else if (variable.is_array) {
    assign_element(node, value);
  } else {
    assign_variable(var, value, node.mask);
  }
}

void Converter::assign_variable(VarId var, ValueId value, const std::optional<Operand>& mask) {
  const Variable& variable = in_.variables[var];
  const Layout target = layout_of(var);
  const ValueId fitting = fitted(value, target);
  const auto old = values_.find(var);
  if (variable.is_implicit || old == values_.end() || !mask) {
    // In inactive lanes there was nothing that anybody may read.
    values_[var] = fitting;
    return;
  }
  values_[var] = add(infreg::Select{operand(*mask, target), fitting, old->second}, variable.name);
}

void Converter::assign_element(const Assign& node, ValueId value) {
  const VarId var = node.target.var;
  const Layout target = layout_of(var);
  const ValueId old = current(var);
  std::optional<ValueId> mask;
  ValueId fitting = value;
  if (lanes_) {
    const Layout rounds{target.kind, lanes_->elements};
    mask = mask_in(node.mask, rounds);
    fitting = fitted(value, rounds);
    if (const auto moved = places_of_rounds(node.target.index, rounds, target)) {
      fitting = add(infreg::Reorder{fitting, target, moved->pattern}, in_.variables[var].name);
      mask = mask ? add(infreg::Select{moved->exists, add(infreg::Reorder{*mask, target, moved->pattern}, "m"),
                                       constant(infreg::truth, 0, target)},
                        "m")
                  : moved->exists;
    }
  } else {
    fitting = fitted(value, target);
    mask = add(infreg::Mask{target, {{Symbol::element(), Op::Eq, lowered(node.target.index)}}}, "m");
    if (target.elements == 1) {
      mask.reset();
    }
    if (node.mask.has_value()) {
      const ValueId active = operand(*node.mask, target);
      mask = mask ? add(infreg::Select{*mask, active, constant(infreg::truth, 0, target)}, "m") : active;
    }
  }
  values_[var] = mask ? add(infreg::Select{*mask, fitting, old}, in_.variables[var].name) : fitting;
}

std::optional<Converter::Moved> Converter::places_of_rounds(const Polynomial& target_index, Layout rounds, Layout target) {
  const bool is_expanded = has_expanded(target_index);
  const Polynomial index = is_expanded ? Polynomial() : lowered(target_index);
  const std::int64_t slope = index.coefficient(Symbol::element());
  if (is_expanded || (slope != 1 && slope != -1)) {
    return places_in_table(target_index, target);
  }
  const Polynomial offset = index.without(Symbol::element());
  const Polynomial round = slope == 1 ? Polynomial(Symbol::element()) - offset : offset - Polynomial(Symbol::element());
  if (round == Polynomial(Symbol::element()) && rounds == target) {
    return std::nullopt;
  }
  infreg::Mask exists{target, {{0, Op::Le, round}, {round, Op::Lt, std::int64_t{lanes_->elements}}}};
  return Moved{infreg::Reorder::Affine{target.kind == Kind::Item ? Polynomial(Symbol::item()) : 0, round}, add(std::move(exists), "m")};
}

Converter::Moved Converter::places_in_table(const Polynomial& target_index, Layout target) {
  constexpr std::uint32_t nowhere = infreg::Reorder::Table::nowhere;
  infreg::Reorder::Table table;
  table.source.assign(lanes_per_group(target, out_.shape), nowhere);
  for_each_lane({target.kind, lanes_->elements}, [&](std::uint32_t wi, std::uint32_t round) {
    const std::int64_t element = index_in(round, wi, target_index);
    if (element >= 0 && element < std::int64_t{target.elements}) {
      table.source[wi * target.elements + static_cast<std::size_t>(element)] = wi * lanes_->elements + round;
    }
  });
  infreg::ConstantLanes exists{{infreg::truth, target}, {}};
  for (const std::uint32_t source : table.source) {
    exists.bits.push_back(source == nowhere ? 0 : 1);
  }
  const ValueId mask = add(std::move(exists), "m");
  return {std::move(table), mask};
}

void Converter::store(const Store& node) {
  Kind kind = std::max(kind_of(in_, node.place), kind_of(in_, node.value));
  if (node.mask) {
    kind = std::max(kind, kind_of(in_, *node.mask));
  }
  const Layout layout = working(kind);
  infreg::Store store{place(node.place, layout), infreg::Access::Gather, operand(node.value, layout), mask_in(node.mask, layout)};
  store.access = infreg::access_of(out_, store.place, layout);
  builder_.add_many(std::move(store), span_);
}

infreg::Kernel to_infreg(const Assignments& assignments, unsigned wg_pack) { return Converter(assignments, wg_pack).run(); }

}  // namespace lockstep::passes
