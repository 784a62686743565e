#include "semantics/core/sema/atomics.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "semantics/core/sema/constants.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/records.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;

enum class AtomicKind : std::uint8_t { Change, Step, CompareExchange, Load, Store, TryExchange, TestAndSet, Clear };
enum class Types : std::uint8_t { Integers, Numbers };

struct AtomicFunction {
  std::string_view name;
  AtomicKind kind;
  AtomicOp op;
  std::size_t arguments;  ///< behind the pointer
  Types types;
};

constexpr auto atomic_functions = [] {
  std::array rows = {
#define ATOMIC(name, kind, op, arguments, types) AtomicFunction{name, AtomicKind::kind, AtomicOp::op, arguments, Types::types},
#include "semantics/core/sema/atomics.def"
#undef ATOMIC
  };
  std::ranges::sort(rows, {}, &AtomicFunction::name);
  return rows;
}();

constexpr auto words_of_atomics = [] {
  std::array<std::string_view, atomic_functions.size()> result;
  std::ranges::transform(atomic_functions, result.begin(), &AtomicFunction::name);
  return result;
}();

const AtomicFunction* find_atomic(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(atomic_functions, name, {}, &AtomicFunction::name);
  return found != atomic_functions.end() && found->name == name ? &*found : nullptr;
}

/// A call on its way, with arguments that fit.
struct AtomicCall {
  FunctionContext& context;
  const AtomicFunction& function;
  std::span<const ExprId> arguments;
  SourceSpan span;

  const Type& type(std::size_t i) const { return context.function.at(arguments[i]).type; }
  /// The pointer, as it is written.
  Type pointer() const { return is_view(type(0)) ? seen_as(type(0)) : type(0); }
  ScalarType element() const { return pointer().scalar; }
  std::nullopt_t refuse(std::size_t i, const std::string& why) const {
    context.unit.reporter.error(context.function.at(arguments[i]).span, quoted(function.name) + why);
    return std::nullopt;
  }
};

/// Orders and scopes behind an _explicit function's arguments: one or two orders, then a scope, which may be left out.
bool has_fitting_count(const AtomicFunction& function, std::size_t count) {
  const std::size_t least = 1 + function.arguments;
  if (!function.name.ends_with("_explicit")) {
    return count == least;
  }
  const std::size_t orders = function.kind == AtomicKind::TryExchange ? 2 : 1;
  return count == least + orders || count == least + orders + 1;
}

/// The pointer has to be one to what items share, of a type that the function has.
bool check_pointer(const AtomicCall& call) {
  const Type type = call.pointer();
  const bool is_shared = type.space == AddressSpace::Global || type.space == AddressSpace::Local;
  if (!type.is_pointer() || !type.extents.empty() || !is_shared || type.is_const) {
    call.refuse(0, " needs a pointer to __global or __local memory that may be written, but this is '" + name_of(type) + "'");
    return false;
  }
  if (!takes(call.function.op, type.scalar) || (call.function.types == Types::Integers && is_float(type.scalar))) {
    call.refuse(0, std::string(" is there for int, uint, long and ulong") +
                       (call.function.types == Types::Numbers ? ", float and double" : "") + ", not for '" +
                       name_of(Type::scalar_of(type.scalar)) + "'");
    return false;
  }
  return true;
}

/// The arguments behind the pointer are numbers, but for the pointer to what is expected.
bool check_others(const AtomicCall& call) {
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    if (i == 1 && call.function.kind == AtomicKind::TryExchange) {
      const Type& expected = call.type(1);
      if (!expected.is_pointer() || !expected.extents.empty() || expected.scalar != call.element() || expected.is_const) {
        call.refuse(1, " needs a pointer to the value that is expected, a '" + name_of(Type::scalar_of(call.element())) + "'");
        return false;
      }
    } else if (!call.type(i).is_scalar()) {
      call.refuse(i, " needs a number here, but this is '" + name_of(call.type(i)) + "'");
      return false;
    }
  }
  return true;
}

ExprId pointed_at(const AtomicCall& call, ExprId pointer) {
  FunctionContext& context = call.context;
  const Type type = context.function.at(pointer).type;
  const SourceSpan span = context.function.at(pointer).span;
  if (is_view(type)) {
    return element_at(context, pointer, add_integer(context, 0, ScalarType::Long, span), span).value();
  }
  if (const auto* address = std::get_if<AddressOf>(&context.function.at(pointer).node);
      address != nullptr && context.function.at(address->place).type.is_scalar()) {
    return address->place;
  }
  if (const auto* moved = std::get_if<PointerAdd>(&context.function.at(pointer).node)) {
    return add_scalar(context, Subscript{moved->pointer, moved->index}, type.scalar, span);
  }
  return add_scalar(context, Subscript{pointer, add_integer(context, 0, ScalarType::Long, span)}, type.scalar, span);
}

/// The value that the place has had.
ExprId atomic(const AtomicCall& call, ExprId value, std::optional<ExprId> compare = std::nullopt) {
  return add_scalar(call.context, Atomic{pointed_at(call, call.arguments[0]), compare, value, call.function.op}, call.element(), call.span);
}

ExprId number(const AtomicCall& call, std::uint64_t value) {
  return convert(call.context, add_integer(call.context, value, ScalarType::Int, call.span), call.element());
}

ExprId argument(const AtomicCall& call, std::size_t i) { return convert(call.context, call.arguments[i], call.element()); }

/// Whether the place had what was expected: then it has the new value now, else the expected value becomes what it had.
ExprId try_exchange(const AtomicCall& call) {
  FunctionContext& context = call.context;
  const Type type = Type::scalar_of(call.element());
  const Type pointer = context.function.at(call.arguments[1]).type;
  const VarId place = add_temporary(context, pointer, call.span);
  const VarId old = add_temporary(context, type, call.span);
  const auto read = [&](VarId id) { return add(context, Var{id}, context.function.variables[id].type, call.span); };
  const auto expected = [&] {
    return add_scalar(context, Subscript{read(place), add_integer(context, 0, ScalarType::Long, call.span)}, type.scalar, call.span);
  };
  const ExprId first = add(context, Assign{read(place), call.arguments[1]}, pointer, call.span);
  const ExprId changed = atomic(call, argument(call, 2), expected());
  const ExprId second = add(context, Assign{read(old), changed}, type, call.span);
  const ExprId same = add_scalar(context, Operate{Op::Eq, type.scalar, {read(old), expected()}}, ScalarType::Int, call.span);
  const ExprId learnt = add(context, Assign{expected(), read(old)}, type, call.span);
  const ExprId failed = add_scalar(context, Comma{learnt, add_integer(context, 0, ScalarType::Int, call.span)}, ScalarType::Int, call.span);
  const ExprId result =
      add_scalar(context, Conditional{same, add_integer(context, 1, ScalarType::Int, call.span), failed}, ScalarType::Int, call.span);
  return behind(context, std::array{first, second}, result);
}

ExprId without_value(const AtomicCall& call, ExprId value) { return add(call.context, Convert{value, false}, Type{}, call.span); }

/// Memory of another type is changed as words where they are moved as they are; a sum or an order of its numbers needs the type.
void see_as_numbers(FunctionContext& context, const AtomicFunction& function, std::vector<ExprId>& arguments) {
  if (arguments.empty() || !is_view(context.function.at(arguments.front()).type)) {
    return;
  }
  const Expr& pointer = context.function.at(arguments.front());
  const Type numbers = seen_as(pointer.type);
  const bool is_moved = function.op == AtomicOp::Exchange || function.op == AtomicOp::CompareExchange;
  const bool is_ordered = function.op == AtomicOp::Min || function.op == AtomicOp::Max;
  const bool as_words = is_moved || (!is_ordered && !is_float(numbers.scalar) && !is_float(*pointer.type.record->seen_in));
  if (as_words) {
    return;
  }
  if (numbers.space == AddressSpace::Global || numbers.space == AddressSpace::Local) {
    arguments.front() = add(context, Bitcast{arguments.front()}, numbers, SourceSpan(pointer.span));
  }
}

}  // namespace

bool is_atomic(std::string_view name) { return find_atomic(name) != nullptr; }

std::span<const std::string_view> atomic_names() { return words_of_atomics; }

Checked atomic_call(FunctionContext& context, const syntax::Name& name, std::vector<ExprId> arguments, SourceSpan span) {
  const AtomicFunction& function = *find_atomic(name.text);
  see_as_numbers(context, function, arguments);
  const AtomicCall call{context, function, arguments, span};
  if (!has_fitting_count(call.function, arguments.size())) {
    const bool is_explicit = call.function.name.ends_with("_explicit");
    context.unit.reporter.error(span, quoted(name.text) + " takes a pointer" +
                                          (call.function.arguments == 0 ? "" : " and " + counted(call.function.arguments, "value")) +
                                          (is_explicit ? ", then how it is ordered and for whom" : "") + "; " +
                                          counted(arguments.size(), "argument") + (arguments.size() == 1 ? " is" : " are") + " given");
    return std::nullopt;
  }
  if (!check_pointer(call) || !check_others(call)) {
    return std::nullopt;
  }
  switch (call.function.kind) {
    case AtomicKind::Change:
      return atomic(call, argument(call, 1));
    case AtomicKind::Step:
      return atomic(call, number(call, 1));
    case AtomicKind::CompareExchange:
      return atomic(call, argument(call, 2), argument(call, 1));
    case AtomicKind::Load:
      return atomic(call, number(call, 0), number(call, 0));  // 0 becomes 0
    case AtomicKind::Store:
      return without_value(call, atomic(call, argument(call, 1)));
    case AtomicKind::TryExchange:
      return try_exchange(call);
    case AtomicKind::TestAndSet:
      return truth(context, atomic(call, number(call, 1)));
    case AtomicKind::Clear:
      return without_value(call, atomic(call, number(call, 0)));
  }
  return std::nullopt;
}

}  // namespace lockstep::core::sema
