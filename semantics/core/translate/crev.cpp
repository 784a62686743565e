#include "semantics/core/translate/crev.hpp"

#include <optional>
#include <utility>

#include "semantics/core/translate/value_types.hpp"

namespace lockstep::core::translation {

namespace {

/// Small expressions in post-order, all nodes with one span.
class Builder {
 public:
  explicit Builder(SourceSpan span) : span_(span) {}

  Builder& reg(typed::RegisterId id, typed::ValueType type) { return add(typed::Register{id}, type); }
  Builder& number(std::uint64_t bits) { return add(typed::Constant{bits}, ulong_type); }
  Builder& warp_size() { return add(typed::Ask{typed::Query::WarpSize}, ulong_type); }
  Builder& op(Op op, typed::ValueType type) { return add(typed::Operation{op, ScalarType::ULong, false}, type); }
  typed::Expr done() { return std::move(expression_); }

 private:
  template <class Node>
  Builder& add(Node node, typed::ValueType type) {
    expression_.nodes.push_back({node, type, span_});
    return *this;
  }

  SourceSpan span_;
  typed::Expr expression_;
};

}  // namespace

void crev_call(typed::FunctionId function, const std::vector<typed::RegisterId>& arguments, SourceSpan span, Module& module,
               Emitter& emitter) {
  const CrevOrder order = module.program().options.crev_order;
  const auto build = [&] { return Builder(span); };
  const auto assign = [&](typed::RegisterId target, typed::Expr value) {
    emitter.emit(typed::Assign{{target, {}, span}, std::move(value)}, span);
  };
  // These are the only registers of the caller's frame that its inactive items write.
  const typed::RegisterId i = emitter.add_own_register("crev.i", ulong_type, span);
  typed::RegisterId lane = i;
  typed::ValueType lane_type = ulong_type;
  if (order != CrevOrder::Ascending) {
    lane_type = order == CrevOrder::Permuted ? uint_type : ulong_type;
    lane = emitter.add_own_register("crev.lane", lane_type, span);
  }
  typed::Call call{function, {}, {}};
  std::vector<typed::RegisterId> parameters;
  for (const typed::RegisterId argument : arguments) {
    const typed::ValueType type = emitter.info(argument).type;
    parameters.push_back(emitter.add_own_register("crev.p", type, span));
    call.arguments.push_back(build().reg(parameters.back(), type).done());
  }

  const unsigned construct = emitter.next_construct();
  const Mark loop = emitter.mark("Serve", construct);
  const Mark serve = emitter.mark("Call", construct);
  const Mark next = emitter.mark("Next", construct);
  emitter.emit(typed::Everywhere{}, span);
  assign(i, build().number(0).done());
  emitter.bind(loop);
  typed::Expr rounds = build().warp_size().done();
  if (order == CrevOrder::Descending) {
    assign(lane, build().warp_size().number(1).op(Op::Sub, ulong_type).reg(i, ulong_type).op(Op::Sub, ulong_type).done());
  } else if (order == CrevOrder::Permuted) {
    // A permutation of all lanes that a warp can have; those that this one does not have are nobody's.
    const typed::ValueType table{ScalarType::UInt, true, AddressSpace::Constant};
    emitter.emit(
        typed::Load{{lane, {}, span}, {{{typed::ObjectAddress{module.crev_order()}, table, span}}}, build().reg(i, ulong_type).done()},
        span);
    rounds = build().number(module.program().options.wg_size).done();
  }
  emitter.jump_mask(build().reg(lane, lane_type).done(), serve, span);
  emitter.jump(next, span);
  emitter.bind(serve);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    emitter.emit(typed::Shuffle{parameters[k], arguments[k], build().reg(lane, lane_type).done(), false}, span);
  }
  emitter.emit(std::move(call), span);
  emitter.bind(next);
  assign(i, build().reg(i, ulong_type).number(1).op(Op::Add, ulong_type).done());
  typed::Expr is_done = build().reg(i, ulong_type).done();
  is_done.nodes.insert(is_done.nodes.end(), rounds.nodes.begin(), rounds.nodes.end());
  is_done.nodes.push_back({typed::Operation{Op::Eq, ScalarType::ULong, false}, int_type, span});
  emitter.branch_zero(std::move(is_done), loop, span);
  emitter.emit(typed::Sync{}, span);
  emitter.emit(typed::EndEverywhere{}, span);
}

}  // namespace lockstep::core::translation
