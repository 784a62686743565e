#include "interpreter/debug/ptx/expression.hpp"

#include <algorithm>

namespace lockstep {

using Kind = PtxExpression::Node::Kind;

namespace {

bool is_whole(const KernelValue& v) { return v.is_number() && is_integer(v.type.scalar); }

/// What speaks of the thread's control.
KernelValue control(const PtxView& view, Kind kind, unsigned lane) {
  const ptx_machine::Fragment* f = view.fragment_of(lane);
  if (f == nullptr) {
    return KernelValue::nothing("the thread has ended");
  }
  return count(kind == Kind::Pc ? f->pc : kind == Kind::Line ? view.program().line_of(view.place_of(*f)) : f->calls.size() + 1);
}

/// The value of a node that has no operands.
KernelValue leaf(const PtxMoment& moment, const PtxExpression::Node& node, unsigned lane) {
  const PtxView& view = moment.view;
  switch (node.kind) {
    case Kind::Number:
      return KernelValue::scalar(node.type, node.bits);
    case Kind::Register:
      return view.read(lane, node.function, node.id, node.seen_as, moment.level);
    case Kind::Special:
      return view.special(node.special, lane);
    case Kind::Parameter: {
      const PtxRun& run = view.run();
      const ptx_machine::Object* object = view.variable(lane, run.program().kernel_index(), node.variable, moment.level);
      return view.element(*object, 0, node.seen_as, lane);
    }
    case Kind::Thread:
      return count(lane);
    case Kind::Lane:
      return count(lane % ptx_machine::warp_threads);
    case Kind::Warp:
      return count(lane / ptx_machine::warp_threads);
    case Kind::Block:
      return count(view.block().index());
    case Kind::Step:
      return count(moment.step);
    case Kind::CountActive:
      return count(view.next() == nullptr ? 0 : view.next()->lanes.size());
    default:
      return control(view, node.kind, lane);
  }
}

/// A node whose one operand is an index or an address.
KernelValue access(const PtxMoment& moment, const PtxExpression::Node& node, const KernelValue& at, unsigned lane) {
  if (!at.is_number()) {
    return at;
  }
  if (!is_whole(at)) {
    return KernelValue::nothing("an index or address is an integer");
  }
  const PtxView& view = moment.view;
  if (node.kind == Kind::Access) {
    return view.at_address(node.space, at.bits, node.seen_as, lane);
  }
  const auto size = static_cast<std::int64_t>(ptx::bytes_of(node.seen_as));
  std::int64_t byte = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(at.bits), size, &byte)) {
    return KernelValue::nothing("it lies outside");
  }
  if (node.kind == Kind::Element) {
    const ptx_machine::Object* object = view.variable(lane, node.function, node.variable, moment.level);
    return object == nullptr ? KernelValue::nothing("the thread is not in that function") : view.element(*object, byte, node.seen_as, lane);
  }
  const ptx_machine::Arguments& arguments = view.run().arguments();
  const auto& of = std::get<BufferNumber>(arguments.values[node.id]);
  const std::uint64_t first = of.first * size_of(arguments.buffers[of.number].type);
  return view.element(view.buffer(of.number), byte + static_cast<std::int64_t>(first), node.seen_as, lane);
}

}  // namespace

KernelValue PtxExpression::quantify(const PtxMoment& moment, std::size_t begin) const {
  const Node& node = nodes_[begin];
  const bool all = node.kind == Kind::All;
  bool result = all;
  for (unsigned t = 0; t < moment.view.threads() && result == all; ++t) {
    if (moment.view.active(t)) {
      result = is_true(evaluate(moment, t, begin + 1, node.end));
    }
  }
  return truth(result);
}

KernelValue PtxExpression::evaluate(const PtxMoment& moment, unsigned lane, std::size_t begin, std::size_t end) const {
  std::vector<KernelValue> stack;
  for (std::size_t i = begin; i < end; ++i) {
    const Node& node = nodes_[i];
    switch (node.kind) {
      case Kind::Any:
      case Kind::All:
        stack.push_back(quantify(moment, i));
        i = node.end - 1;
        break;
      case Kind::Operation: {
        const std::size_t first = stack.size() - static_cast<std::size_t>(info(node.op).arity);
        const KernelValue v = apply_operator(node.op, std::span(stack).subspan(first));
        stack.resize(first);
        stack.push_back(v);
        break;
      }
      case Kind::Cast:
        stack.back() = converted(stack.back(), node.type);
        break;
      case Kind::Active: {
        const KernelValue& t = stack.back();
        stack.back() =
            t.is_number() ? truth(is_whole(t) && t.bits < moment.view.threads() && moment.view.active(static_cast<unsigned>(t.bits))) : t;
        break;
      }
      case Kind::Element:
      case Kind::Buffer:
      case Kind::Access:
        stack.back() = access(moment, node, stack.back(), lane);
        break;
      default:
        stack.push_back(leaf(moment, node, lane));
    }
  }
  return stack.back();
}

KernelValue PtxExpression::value(const PtxMoment& moment, unsigned lane) const { return evaluate(moment, lane, 0, nodes_.size()); }

bool PtxExpression::speaks_of(const PtxView& view, unsigned lane) const {
  return (!thread_ || lane == *thread_) && (!warp_ || lane / ptx_machine::warp_threads == *warp_) &&
         (!block_ || view.block().index() == *block_);
}

std::vector<std::pair<unsigned, KernelValue>> PtxExpression::values(const PtxMoment& moment) const {
  std::vector<std::pair<unsigned, KernelValue>> result;
  for (unsigned lane = 0; lane < moment.view.threads() && (per_item_ || result.empty()); ++lane) {
    if (speaks_of(moment.view, lane)) {
      result.emplace_back(lane, value(moment, lane));
    }
  }
  return result;
}

bool PtxExpression::holds(const PtxMoment& moment, bool next_alone) const {
  const PtxView& view = moment.view;
  const auto& all = view.block().fragments();
  return std::ranges::any_of(all, [&](const ptx_machine::Fragment& f) {
    bool result = false;
    if (!next_alone || &f == view.next()) {
      f.lanes.for_each([&](unsigned lane) { result = result || (speaks_of(view, lane) && is_true(value(moment, lane))); });
    }
    return result;
  });
}

}  // namespace lockstep
