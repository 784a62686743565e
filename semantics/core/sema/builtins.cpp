#include "semantics/core/sema/builtins.hpp"

#include <algorithm>
#include <array>

#include "semantics/base/internal_error.hpp"
#include "semantics/core/sema/constants.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/dimensions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;

enum class Kind { WorkItem, SubGroup, OfFloats, Choice, Magnitude, OfInteger, Vote, Exchange, Barrier };

/// What a row of builtins.def is about; the same words as Query, Op and CollectiveOp have where there is such a one.
enum class Detail {
  LocalId,
  GroupId,
  NumGroups,
  LocalSize,
  GlobalId,
  GlobalSize,
  GlobalOffset,
  WorkDim,
  LocalLinearId,
  GlobalLinearId,
  WarpSize,
  WarpId,
  LaneId,
  Sqrt,
  Fabs,
  Rcp,
  Fma,
  Min,
  Max,
  Abs,
  Popcount,
  Any,
  All,
  Ballot,
  GroupAny,
  GroupAll,
  Shuffle,
  ShuffleXor,
  None
};

struct Builtin {
  std::string_view name;
  Kind kind;
  Detail detail;
  std::size_t fewest;
  std::size_t most;
};

constexpr auto table = [] {
  std::array rows = {
#define BUILTIN(name, kind, detail, fewest, most) Builtin{name, Kind::kind, Detail::detail, fewest, most},
#include "semantics/core/sema/builtins.def"
#undef BUILTIN
  };
  std::ranges::sort(rows, {}, &Builtin::name);
  return rows;
}();

constexpr auto names = [] {
  std::array<std::string_view, table.size()> result;
  std::ranges::transform(table, result.begin(), &Builtin::name);
  return result;
}();

const Builtin* find_builtin(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(table, name, {}, &Builtin::name);
  return found != table.end() && found->name == name ? &*found : nullptr;
}

Op op_of(Detail detail) {
  switch (detail) {
    case Detail::Sqrt:
      return Op::Sqrt;
    case Detail::Fabs:
      return Op::Fabs;
    case Detail::Rcp:
      return Op::Rcp;
    case Detail::Fma:
      return Op::Fma;
    case Detail::Min:
      return Op::Min;
    case Detail::Max:
      return Op::Max;
    case Detail::Abs:
      return Op::Abs;
    case Detail::Popcount:
      return Op::Popcount;
    default:
      throw InternalError("a builtin that is no operation");
  }
}

CollectiveOp collective_of(Detail detail) {
  switch (detail) {
    case Detail::Any:
      return CollectiveOp::Any;
    case Detail::All:
      return CollectiveOp::All;
    case Detail::Ballot:
      return CollectiveOp::Ballot;
    case Detail::GroupAny:
      return CollectiveOp::GroupAny;
    case Detail::GroupAll:
      return CollectiveOp::GroupAll;
    case Detail::Shuffle:
      return CollectiveOp::Shuffle;
    case Detail::ShuffleXor:
      return CollectiveOp::ShuffleXor;
    default:
      throw InternalError("a builtin that is no collective operation");
  }
}

/// A call on its way: arguments are scalars where `check_scalars` has said so.
struct BuiltinCall {
  FunctionContext& context;
  const Builtin& builtin;
  std::vector<ExprId> arguments;
  SourceSpan span;

  const Type& type(std::size_t i) const { return context.function.at(arguments[i]).type; }
  ScalarType scalar(std::size_t i) const { return type(i).scalar; }
  std::nullopt_t refuse(std::size_t i, const std::string& need) const {
    context.unit.reporter.error(context.function.at(arguments[i]).span,
                                "'" + std::string(builtin.name) + "' needs " + need + ", but this is '" + name_of(type(i)) + "'");
    return std::nullopt;
  }
};

ExprId ask(const BuiltinCall& call, Query query) { return add_scalar(call.context, Ask{query}, ScalarType::ULong, call.span); }

/// The dimension, which has to be a constant and is 0 if it is not written; nothing where an error was reported.
std::optional<std::uint64_t> dimension_of(const BuiltinCall& call) {
  if (call.arguments.empty()) {
    return 0;
  }
  if (!is_integer(call.scalar(0))) {
    call.refuse(0, "an integer as its dimension");
    return std::nullopt;
  }
  const std::expected<std::uint64_t, NotConstant> dimension = evaluate(call.context, call.arguments[0]);
  if (!dimension) {
    call.context.unit.reporter.error(call.context.function.at(call.arguments[0]).span,
                                     "the dimension has to be a constant, such as 0: places are computed when the kernel is compiled");
    return std::nullopt;
  }
  return *dimension;
}

Place place_of(Detail detail) {
  switch (detail) {
    case Detail::LocalId:
      return Place::LocalId;
    case Detail::GroupId:
      return Place::GroupId;
    case Detail::NumGroups:
      return Place::NumGroups;
    case Detail::LocalSize:
      return Place::LocalSize;
    case Detail::GlobalId:
      return Place::GlobalId;
    case Detail::GlobalSize:
      return Place::GlobalSize;
    default:
      throw InternalError("an unknown work-item function");
  }
}

Checked work_item(const BuiltinCall& call) {
  switch (call.builtin.detail) {
    case Detail::WorkDim:
      return add_integer(call.context, call.context.unit.program.options.dimensions, ScalarType::UInt, call.span);
    case Detail::LocalLinearId:
      return ask(call, Query::LocalId);
    case Detail::GlobalLinearId:
      return global_linear_id(call.context, call.span);
    default:
      break;
  }
  const std::optional<std::uint64_t> dimension = dimension_of(call);
  if (!dimension) {
    return std::nullopt;
  }
  if (call.builtin.detail == Detail::GlobalOffset) {
    return add_integer(call.context, 0, ScalarType::ULong, call.span);
  }
  return place_in(call.context, place_of(call.builtin.detail), *dimension, call.span);
}

/// OpenCL's sub-group functions return uint.
Checked sub_group(const BuiltinCall& call) {
  const Query query = call.builtin.detail == Detail::WarpSize ? Query::WarpSize
                      : call.builtin.detail == Detail::WarpId ? Query::WarpId
                                                              : Query::LaneId;
  return convert(call.context, ask(call, query), ScalarType::UInt);
}

ExprId operation(const BuiltinCall& call, ScalarType type, ScalarType result) {
  std::vector<ExprId> operands;
  operands.reserve(call.arguments.size());
  for (const ExprId argument : call.arguments) {
    operands.push_back(convert(call.context, argument, type));
  }
  return add_scalar(call.context, Operate{op_of(call.builtin.detail), type, std::move(operands)}, result, call.span);
}

/// The usual conversions, but one operand at least must be a float already: which type would sqrt(2) be?
Checked of_floats(const BuiltinCall& call) {
  ScalarType type = call.scalar(0);
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    type = usual_type(type, call.scalar(i));
  }
  if (!is_float(type)) {
    return call.refuse(0, "'float' or 'double'");
  }
  return operation(call, type, type);
}

/// As OpenCL's: two operands of one type keep it, small as it may be.
Checked choice(const BuiltinCall& call) {
  const bool same = call.scalar(0) == call.scalar(1) && call.scalar(0) != ScalarType::Bool;
  const ScalarType type = same ? call.scalar(0) : usual_type(call.scalar(0), call.scalar(1));
  return operation(call, type, type);
}

Checked magnitude(const BuiltinCall& call) {
  const ScalarType type = call.scalar(0) == ScalarType::Bool ? ScalarType::Int : call.scalar(0);
  if (is_float(type)) {
    return add_scalar(call.context, Operate{Op::Fabs, type, call.arguments}, type, call.span);
  }
  return operation(call, type, ops::result_type(Op::Abs, type));
}

Checked of_integer(const BuiltinCall& call) {
  if (!is_integer(call.scalar(0))) {
    return call.refuse(0, "an integer");
  }
  const ScalarType type = call.scalar(0) == ScalarType::Bool ? ScalarType::Int : call.scalar(0);
  return operation(call, type, type);
}

Checked vote(const BuiltinCall& call) {
  const unsigned items = call.context.unit.program.options.wg_size;
  if (call.builtin.detail == Detail::Ballot && items > typed::max_ballot_items) {
    call.context.unit.reporter.error(call.span, "'ballot' has a bit for each of at most " + std::to_string(typed::max_ballot_items) +
                                                    " work items, but the group has " + std::to_string(items));
    return std::nullopt;
  }
  const ScalarType result = call.builtin.detail == Detail::Ballot ? ScalarType::ULong : ScalarType::Int;
  const ExprId operand = truth(call.context, call.arguments[0]);
  return add_scalar(call.context, Collective{collective_of(call.builtin.detail), {operand}}, result, call.span);
}

Checked exchange(const BuiltinCall& call) {
  if (!is_integer(call.scalar(1))) {
    return call.refuse(1, "an integer as its lane");
  }
  const ExprId lane = convert(call.context, call.arguments[1], ScalarType::Long);
  return add_scalar(call.context, Collective{collective_of(call.builtin.detail), {call.arguments[0], lane}}, call.scalar(0), call.span);
}

bool check_count(FunctionContext& context, const Builtin& builtin, std::size_t count, SourceSpan span) {
  if (count >= builtin.fewest && count <= builtin.most) {
    return true;
  }
  const std::string wanted =
      builtin.fewest == builtin.most ? counted(builtin.most, "argument") : "at most " + counted(builtin.most, "argument");
  context.unit.reporter.error(span, "'" + std::string(builtin.name) + "' takes " + wanted + ", but " + std::to_string(count) +
                                        (count == 1 ? " is" : " are") + " given");
  return false;
}

/// The builtin with its arguments, all of them scalars; empty where an error was reported.
std::optional<BuiltinCall> check_scalars(FunctionContext& context, const syntax::Call& call, SourceSpan span) {
  const Builtin& builtin = *find_builtin(call.function.text);
  std::optional<std::vector<ExprId>> arguments = check_arguments(context, call);
  if (!check_count(context, builtin, call.arguments.size(), span) || !arguments) {
    return std::nullopt;
  }
  BuiltinCall result{context, builtin, std::move(*arguments), span};
  for (std::size_t i = 0; i < result.arguments.size(); ++i) {
    if (!result.type(i).is_scalar()) {
      result.refuse(i, "a number");
      return std::nullopt;
    }
  }
  return result;
}

}  // namespace

bool is_builtin(std::string_view name) { return find_builtin(name) != nullptr; }

bool is_barrier(std::string_view name) {
  const Builtin* builtin = find_builtin(name);
  return builtin != nullptr && builtin->kind == Kind::Barrier;
}

std::span<const std::string_view> builtin_names() { return names; }

Checked check_builtin_call(FunctionContext& context, const syntax::Call& syntax_call, SourceSpan span) {
  const std::optional<BuiltinCall> call = check_scalars(context, syntax_call, span);
  if (!call) {
    return std::nullopt;
  }
  switch (call->builtin.kind) {
    case Kind::WorkItem:
      return work_item(*call);
    case Kind::SubGroup:
      return sub_group(*call);
    case Kind::OfFloats:
      return of_floats(*call);
    case Kind::Choice:
      return choice(*call);
    case Kind::Magnitude:
      return magnitude(*call);
    case Kind::OfInteger:
      return of_integer(*call);
    case Kind::Vote:
      return vote(*call);
    case Kind::Exchange:
      return exchange(*call);
    case Kind::Barrier:
      break;
  }
  throw InternalError("a barrier as a value");
}

bool check_barrier(FunctionContext& context, const syntax::Call& syntax_call, SourceSpan span) {
  const std::optional<BuiltinCall> call = check_scalars(context, syntax_call, span);
  if (!call) {
    return false;
  }
  if (!call->arguments.empty() && !is_integer(call->scalar(0))) {
    call->refuse(0, "flags such as CLK_LOCAL_MEM_FENCE");
    return false;
  }
  return true;
}

}  // namespace lockstep::core::sema
