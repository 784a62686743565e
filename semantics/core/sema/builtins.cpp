#include "semantics/core/sema/builtins.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numbers>

#include "semantics/base/internal_error.hpp"
#include "semantics/core/sema/constants.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/dimensions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"
#include "semantics/ops/apply.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;

enum class Kind {
  WorkItem,
  SubGroup,
  OfFloats,
  RootOfReciprocal,
  Clamp,
  Class,
  Step,
  Scaled,
  OfSmall,
  Conversion,
  Choice,
  Magnitude,
  OfInteger,
  Vote,
  Exchange,
  Barrier
};

/// What a row of builtins.def is about; the same words as Query, Op and CollectiveOp have where there is such a one.
enum class Detail {
  LocalId,
  GroupId,
  NumGroups,
  LocalSize,
  EnqueuedLocalSize,
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
  Div,
  IsNan,
  IsInf,
  IsFinite,
  Degrees,
  Radians,
  Mul24,
  Mad24,
  Fence,
  Wait,
  Prefetch,
  ToChar,
  ToUChar,
  ToShort,
  ToUShort,
  ToInt,
  ToUInt,
  ToLong,
  ToULong,
  ToFloat,
  ToDouble,
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
    case Detail::Div:
      return Op::Div;
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
    case Detail::EnqueuedLocalSize:
      return Place::EnqueuedLocalSize;
    case Detail::GlobalId:
      return Place::GlobalId;
    case Detail::GlobalSize:
      return Place::GlobalSize;
    case Detail::GlobalOffset:
      return Place::GlobalOffset;
    default:
      throw InternalError("an unknown work-item function");
  }
}

/// A place in a dimension that is only known when the kernel runs: the three of them, and what there is behind them, are chosen from.
ExprId place_in_some_dimension(const BuiltinCall& call, Place place) {
  FunctionContext& context = call.context;
  std::vector<ExprId> before;
  const ExprId dimension = keep(context, before, convert(context, call.arguments[0], ScalarType::UInt));
  ExprId chosen = place_in(context, place, 3, call.span);
  for (std::uint64_t d = 3; d-- > 0;) {
    const ExprId number = add_integer(context, d, ScalarType::UInt, call.span);
    const ExprId is_this =
        add_scalar(context, Operate{Op::Eq, ScalarType::UInt, {copy(context, dimension), number}}, ScalarType::Int, call.span);
    chosen = add_scalar(context, Conditional{is_this, place_in(context, place, d, call.span), chosen}, ScalarType::ULong, call.span);
  }
  return behind(context, before, chosen);
}

/// In dimension 0, if none is written.
Checked place_of_item(const BuiltinCall& call, Place place) {
  if (call.arguments.empty()) {
    return place_in(call.context, place, 0, call.span);
  }
  if (!is_integer(call.scalar(0))) {
    return call.refuse(0, "an integer as its dimension");
  }
  const std::expected<std::uint64_t, NotConstant> dimension = evaluate(call.context, call.arguments[0]);
  return dimension ? place_in(call.context, place, *dimension, call.span) : place_in_some_dimension(call, place);
}

Checked work_item(const BuiltinCall& call) {
  switch (call.builtin.detail) {
    case Detail::WorkDim:
      return add_integer(call.context, call.context.unit.program.options.dimensions, ScalarType::UInt, call.span);
    case Detail::LocalLinearId:
      return local_linear_id(call.context, call.span);
    case Detail::GlobalLinearId:
      return global_linear_id(call.context, call.span);
    default:
      break;
  }
  // WG_SIZE, which arrays may have as their size.
  const bool is_wg_size = call.builtin.detail == Detail::LocalSize && call.arguments.empty();
  return place_of_item(call, is_wg_size ? Place::EnqueuedLocalSize : place_of(call.builtin.detail));
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

/// The usual conversions, but one operand at least must be a float already: which type would sqrt(2) be? Nothing where an error was
/// reported.
std::optional<ScalarType> common_float(const BuiltinCall& call) {
  ScalarType type = call.scalar(0);
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    type = usual_type(type, call.scalar(i));
  }
  if (!is_float(type)) {
    call.refuse(0, "'float' or 'double'");
    return std::nullopt;
  }
  return type;
}

Checked of_floats(const BuiltinCall& call) {
  const auto type = common_float(call);
  return type ? Checked(operation(call, *type, *type)) : std::nullopt;
}

ExprId operate(const BuiltinCall& call, Op op, ScalarType type, std::vector<ExprId> operands, ScalarType result) {
  return add_scalar(call.context, Operate{op, type, std::move(operands)}, result, call.span);
}

/// A number that is one in both formats up to its rounding.
ExprId constant(const BuiltinCall& call, ScalarType type, double value) {
  const std::uint64_t bits =
      type == ScalarType::Float ? std::bit_cast<std::uint32_t>(static_cast<float>(value)) : std::bit_cast<std::uint64_t>(value);
  return add_scalar(call.context, Literal{bits}, type, call.span);
}

/// 1 / sqrt(x), both rounded.
Checked root_of_reciprocal(const BuiltinCall& call) {
  const auto type = common_float(call);
  if (!type) {
    return std::nullopt;
  }
  return operate(call, Op::Rcp, *type, {operate(call, Op::Sqrt, *type, {call.arguments[0]}, *type)}, *type);
}

/// min(max(x, low), high), as OpenCL defines it.
Checked clamp(const BuiltinCall& call) {
  const bool same = call.scalar(0) == call.scalar(1) && call.scalar(0) == call.scalar(2) && call.scalar(0) != ScalarType::Bool;
  const ScalarType type = same ? call.scalar(0) : usual_type(usual_type(call.scalar(0), call.scalar(1)), call.scalar(2));
  const ExprId x = convert(call.context, call.arguments[0], type);
  const ExprId raised = operate(call, Op::Max, type, {x, convert(call.context, call.arguments[1], type)}, type);
  return operate(call, Op::Min, type, {raised, convert(call.context, call.arguments[2], type)}, type);
}

/// isnan, isinf, isfinite: |x| against infinity. Of scalars they give int 0 or 1.
Checked float_class(const BuiltinCall& call) {
  const auto type = common_float(call);
  if (!type) {
    return std::nullopt;
  }
  const ExprId magnitude = operate(call, Op::Fabs, *type, {call.arguments[0]}, *type);
  const ExprId infinity = constant(call, *type, std::numeric_limits<double>::infinity());
  if (call.builtin.detail == Detail::IsNan) {
    return operate(call, Op::LogicalNot, ScalarType::Int, {operate(call, Op::Le, *type, {magnitude, infinity}, ScalarType::Int)},
                   ScalarType::Int);
  }
  return operate(call, call.builtin.detail == Detail::IsInf ? Op::Eq : Op::Lt, *type, {magnitude, infinity}, ScalarType::Int);
}

/// 0 where x < edge, else 1.
Checked step(const BuiltinCall& call) {
  const auto type = common_float(call);
  if (!type) {
    return std::nullopt;
  }
  const ExprId edge = convert(call.context, call.arguments[0], *type);
  const ExprId below = operate(call, Op::Gt, *type, {edge, convert(call.context, call.arguments[1], *type)}, ScalarType::Int);
  return convert(call.context, operate(call, Op::LogicalNot, ScalarType::Int, {below}, ScalarType::Int), *type);
}

/// degrees and radians: one product with a rounded constant.
Checked scaled(const BuiltinCall& call) {
  const auto type = common_float(call);
  if (!type) {
    return std::nullopt;
  }
  constexpr double pi = std::numbers::pi;
  const double factor = call.builtin.detail == Detail::Degrees ? 180.0 / pi : pi / 180.0;
  return operate(call, Op::Mul, *type, {call.arguments[0], constant(call, *type, factor)}, *type);
}

/// mul24 and mad24: where OpenCL defines them, products and sums of int or uint.
Checked of_small(const BuiltinCall& call) {
  ScalarType common = ScalarType::Int;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (!is_integer(call.scalar(i))) {
      return call.refuse(i, "an integer");
    }
    common = usual_type(common, call.scalar(i));
  }
  const ScalarType type = common;
  const auto argument = [&](std::size_t i) { return convert(call.context, call.arguments[i], type); };
  const ExprId x = argument(0);
  const ExprId product = operate(call, Op::Mul, type, {x, argument(1)}, type);
  return call.builtin.detail == Detail::Mul24 ? product : operate(call, Op::Add, type, {product, argument(2)}, type);
}

/// convert_int(x) and so on, without a suffix: a cast.
Checked conversion(const BuiltinCall& call) {
  constexpr std::array types = {ScalarType::Char, ScalarType::UChar, ScalarType::Short, ScalarType::UShort, ScalarType::Int,
                                ScalarType::UInt, ScalarType::Long,  ScalarType::ULong, ScalarType::Float,  ScalarType::Double};
  const auto row = static_cast<std::size_t>(call.builtin.detail) - static_cast<std::size_t>(Detail::ToChar);
  return cast(call.context, call.arguments[0], Type::scalar_of(types.at(row)), call.span);
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
std::optional<BuiltinCall> with_scalars(FunctionContext& context, std::string_view name, std::vector<ExprId> arguments, SourceSpan span) {
  const Builtin& builtin = *find_builtin(name);
  if (!check_count(context, builtin, arguments.size(), span)) {
    return std::nullopt;
  }
  BuiltinCall result{context, builtin, std::move(arguments), span};
  for (std::size_t i = 0; i < result.arguments.size(); ++i) {
    if (!result.type(i).is_scalar()) {
      result.refuse(i, "a number");
      return std::nullopt;
    }
  }
  return result;
}

/// wait_group_events(n, events), which is a barrier, as copies are done already; prefetch(p, n), which is nothing.
std::optional<Fences> check_pointer_and_number(FunctionContext& context, const Builtin& builtin, std::span<const ExprId> arguments,
                                               SourceSpan span) {
  const bool waits = builtin.detail == Detail::Wait;
  const auto type = [&](std::size_t i) -> const Type& { return context.function.at(arguments[i]).type; };
  if (!check_count(context, builtin, arguments.size(), span)) {
    return std::nullopt;
  }
  const Type& number = type(waits ? 0 : 1);
  if (!type(waits ? 1 : 0).is_pointer() || !number.is_scalar() || !is_integer(number.scalar)) {
    context.unit.reporter.error(span, "'" + std::string(builtin.name) + "' takes " +
                                          (waits ? "how many events and a pointer to them" : "a pointer and how many elements"));
    return std::nullopt;
  }
  return waits ? std::optional(Fences{}) : std::nullopt;
}

/// The memory that a barrier's flags name: all, where they are not known before the kernel runs.
Fences fences_of(const FunctionContext& context, ExprId flags) {
  const auto bits = evaluate(context, flags);
  return bits ? Fences{(*bits & local_fence) != 0, (*bits & global_fence) != 0} : Fences{};
}

}  // namespace

bool is_builtin(std::string_view name) { return find_builtin(name) != nullptr; }

bool is_barrier(std::string_view name) {
  const Builtin* builtin = find_builtin(name);
  return builtin != nullptr && builtin->kind == Kind::Barrier;
}

std::span<const std::string_view> builtin_names() { return names; }

Checked builtin_call(FunctionContext& context, std::string_view name, std::vector<ExprId> arguments, SourceSpan span) {
  const std::optional<BuiltinCall> call = with_scalars(context, name, std::move(arguments), span);
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
    case Kind::RootOfReciprocal:
      return root_of_reciprocal(*call);
    case Kind::Clamp:
      return clamp(*call);
    case Kind::Class:
      return float_class(*call);
    case Kind::Step:
      return step(*call);
    case Kind::Scaled:
      return scaled(*call);
    case Kind::OfSmall:
      return of_small(*call);
    case Kind::Conversion:
      return conversion(*call);
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

std::optional<Fences> check_barrier(FunctionContext& context, const syntax::Call& syntax_call, SourceSpan span) {
  std::optional<std::vector<ExprId>> arguments = check_arguments(context, syntax_call);
  if (!arguments) {
    return std::nullopt;
  }
  const Builtin& builtin = *find_builtin(syntax_call.function.text);
  if (builtin.detail == Detail::Wait || builtin.detail == Detail::Prefetch) {
    return check_pointer_and_number(context, builtin, *arguments, span);
  }
  const std::optional<BuiltinCall> call = with_scalars(context, syntax_call.function.text, std::move(*arguments), span);
  if (!call) {
    return std::nullopt;
  }
  if (!call->arguments.empty() && !is_integer(call->scalar(0))) {
    return call->refuse(0, "flags such as CLK_LOCAL_MEM_FENCE");
  }
  if (call->builtin.detail == Detail::Fence) {
    return std::nullopt;
  }
  return call->arguments.empty() ? Fences{} : fences_of(context, call->arguments.front());
}

}  // namespace lockstep::core::sema
