#include "interpreter/debug/kernel/expression.hpp"

#include <algorithm>
#include <array>

#include "semantics/base/line_origins.hpp"
#include "semantics/memory/pointer.hpp"

namespace lockstep {

using launch::CellState;
using Kind = KernelExpression::Node::Kind;

namespace {

/// The lane of item `item` in the group of `lane`; none if there is no such item.
std::optional<unsigned> neighbour(const KernelView& view, unsigned lane, const KernelValue& item) {
  const unsigned size = view.lanes().wg_size;
  const bool exists = item.is_number() && !item.type.is_pointer && is_integer(item.type.scalar) && item.bits < size;
  return exists ? std::optional(lane / size * size + static_cast<unsigned>(item.bits)) : std::nullopt;
}

template <class F>
void for_each_in_group(const KernelView& view, unsigned lane, F&& f) {
  const unsigned size = view.lanes().wg_size;
  for (unsigned t = lane / size * size; t < (lane / size + 1) * size; ++t) {
    f(t);
  }
}

KernelValue query(const KernelView& view, typed::Query q, unsigned lane) {
  return q == typed::Query::LocalId   ? count(view.item_of(lane))
         : q == typed::Query::GroupId ? count(view.group_of(lane))
                                      : count(view.lanes().num_groups);
}

/// What speaks of the item's control.
KernelValue control(const KernelMoment& moment, Kind kind, unsigned lane) {
  const launch::Fragment* f = moment.view.fragment_of(lane);
  if (f == nullptr) {
    return KernelValue::nothing("the item has ended");
  }
  const launch::Pirch::State& s = f->state;
  switch (kind) {
    case Kind::Pc:
      return count(s.pc);
    case Kind::Line: {
      const typed::Program& program = moment.view.program();
      return s.pc < program.code.size() ? count(origin_of(*program.source, program.code[s.pc].span).line)
                                        : KernelValue::nothing("control is behind the last instruction");
    }
    case Kind::SyncDepth:
      return count(s.sync.size() - s.frame_base);
    case Kind::ContextDepth:
      return count(s.context.size());
    default:
      return count(s.bank.depth());
  }
}

/// The value of a node that has no operands.
KernelValue leaf(const KernelMoment& moment, const KernelExpression::Node& node, unsigned lane) {
  const KernelView& view = moment.view;
  switch (node.kind) {
    case Kind::Number:
      return KernelValue::scalar(node.type, node.bits);
    case Kind::Register:
      return view.read(view.frame_of(lane, node.function, moment.level), node.function, node.id, lane);
    case Kind::Object:
      return view.array_of(node.id);
    case Kind::Parameter: {
      const auto* buffer = std::get_if<BufferNumber>(&moment.arguments[node.id]);
      const typed::ValueType& type = view.program().kernel().registers[node.id].type;
      const std::uint64_t bits =
          buffer != nullptr ? memory::pointer_to(*buffer, type.scalar) : std::get<ScalarBits>(moment.arguments[node.id]).bits;
      return KernelValue::number(CellState::Number, type, bits);
    }
    case Kind::Query:
      return query(view, node.query, lane);
    case Kind::GlobalId:
      return count(view.group_of(lane) * view.lanes().wg_size + view.item_of(lane));
    case Kind::GlobalSize:
      return count(view.lanes().num_groups * view.lanes().wg_size);
    case Kind::Step:
      return count(moment.step);
    case Kind::CountActive: {
      std::uint64_t n = 0;
      for_each_in_group(view, lane, [&](unsigned t) { n += view.active(t) ? 1U : 0U; });
      return count(n);
    }
    default:
      return control(moment, node.kind, lane);
  }
}

KernelValue index(const KernelView& view, const KernelValue& array, const KernelValue& at, unsigned lane) {
  if (!at.is_number()) {
    return at.is_array ? KernelValue::nothing("an array is no index") : at;
  }
  if (at.type.is_pointer || is_float(at.type.scalar)) {
    return KernelValue::nothing("an index is an integer");
  }
  return view.element(array, static_cast<std::int64_t>(at.bits), lane);
}

}  // namespace

KernelValue KernelExpression::quantify(const KernelMoment& moment, unsigned lane, std::size_t begin) const {
  const Node& node = nodes_[begin];
  const bool all = node.kind == Kind::All;
  bool result = all;
  for_each_in_group(moment.view, lane, [&](unsigned t) {
    if (result == all && moment.view.active(t)) {
      result = is_true(evaluate(moment, t, begin + 1, node.end));
    }
  });
  return truth(result);
}

KernelValue KernelExpression::evaluate(const KernelMoment& moment, unsigned lane, std::size_t begin, std::size_t end) const {
  std::vector<KernelValue> stack;
  for (std::size_t i = begin; i < end; ++i) {
    const Node& node = nodes_[i];
    if (node.kind == Kind::Any || node.kind == Kind::All) {
      stack.push_back(quantify(moment, lane, i));
      i = node.end - 1;
    } else if (node.kind == Kind::Operation) {
      const std::size_t first = stack.size() - static_cast<std::size_t>(info(node.op).arity);
      for (std::size_t k = first; k < stack.size(); ++k) {
        stack[k] = moment.view.scalar(stack[k], lane);
      }
      const KernelValue v = apply_operator(node.op, std::span(stack).subspan(first));
      stack.resize(first);
      stack.push_back(v);
    } else if (node.kind == Kind::Index) {
      const KernelValue at = stack.back();
      stack.pop_back();
      stack.back() = index(moment.view, stack.back(), moment.view.scalar(at, lane), lane);
    } else if (node.kind == Kind::Cast) {
      stack.back() = converted(moment.view.scalar(stack.back(), lane), node.type);
    } else if (node.kind == Kind::Active) {
      const auto t = neighbour(moment.view, lane, stack.back());
      stack.back() = stack.back().is_number() ? truth(t && moment.view.active(*t)) : stack.back();
    } else {
      stack.push_back(leaf(moment, node, lane));
    }
  }
  return stack.back();
}

KernelValue KernelExpression::value(const KernelMoment& moment, unsigned lane) const {
  return moment.view.scalar(evaluate(moment, lane, 0, nodes_.size()), lane);
}

bool KernelExpression::speaks_of(const KernelView& view, unsigned lane) const {
  return (!item_ || view.item_of(lane) == *item_) && (!group_ || view.group_of(lane) == *group_);
}

std::vector<std::pair<unsigned, KernelValue>> KernelExpression::values(const KernelMoment& moment) const {
  const launch::Lanes& lanes = moment.view.lanes();
  std::vector<std::pair<unsigned, KernelValue>> result;
  for (unsigned lane = 0; lane < lanes.width(); lane += per_item_ ? 1 : lanes.wg_size) {
    const unsigned asked = per_item_ || !item_ ? lane : lane + *item_;
    if (speaks_of(moment.view, asked)) {
      result.emplace_back(asked, value(moment, asked));
    }
  }
  return result;
}

bool KernelExpression::holds(const KernelMoment& moment, bool next_alone) const {
  const auto holds_in = [&](const launch::Fragment& f) {
    bool result = false;
    f.state.active.for_each([&](unsigned lane) { result = result || (speaks_of(moment.view, lane) && is_true(value(moment, lane))); });
    return result;
  };
  if (next_alone) {
    const launch::Fragment* next = moment.view.next();
    return next != nullptr && holds_in(*next);
  }
  const auto& all = moment.view.pack().fragments();
  return std::any_of(all.begin(), all.end(), holds_in);
}

}  // namespace lockstep
