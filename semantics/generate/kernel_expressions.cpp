// Expressions of random kernels. What would be undefined is guarded where it stands: divisors are 1 to 16, indices are masked or
// reduced, and a float goes to an integer only through a comparison.

#include "semantics/generate/kernel_generator.hpp"

namespace lockstep::generate {

using namespace build;

namespace {

ScalarType promoted(ScalarType type) { return std::max(type, ScalarType::Int); }
/// The usual arithmetic conversions: the types stand in the order of their ranks, and OpenCL's sizes let the higher one win.
ScalarType common(ScalarType a, ScalarType b) { return std::max(promoted(a), promoted(b)); }

constexpr std::array all_types = {ScalarType::Int,   ScalarType::Float,  ScalarType::UInt,  ScalarType::Double,
                                  ScalarType::Long,  ScalarType::UChar,  ScalarType::Short, ScalarType::Char,
                                  ScalarType::ULong, ScalarType::UShort, ScalarType::Bool};

}  // namespace

ScalarType KernelMaker::any_type() { return all_types[below(all_types.size())]; }

ScalarType KernelMaker::integer_type() {
  static constexpr std::array types = {ScalarType::Int,   ScalarType::UInt, ScalarType::Long,  ScalarType::UChar,
                                       ScalarType::Short, ScalarType::Char, ScalarType::ULong, ScalarType::UShort};
  return types[below(types.size())];
}

void KernelMaker::start_expression() {
  read_.clear();
  changed_.clear();
  targets_.clear();
  effects_ = true;
}

bool KernelMaker::may_change(const std::string& name) const {
  return effects_ && !changed_.contains(name) && !targets_.contains(name) && !(is_plain() && read_.contains(name));
}

ExprPtr KernelMaker::extra_parentheses(ExprPtr e) { return one_in(12) ? parenthesised(std::move(e)) : std::move(e); }

ExprPtr KernelMaker::query(const char* function) {
  return is_plain() || below(2) == 0 ? call_of(function, integer(0)) : call(function, {});
}

ExprPtr KernelMaker::global_id() { return query("get_global_id"); }

// ---- operators ---------------------------------------------------------------------------------------------------------

Typed KernelMaker::arithmetic(unsigned depth) {
  static constexpr std::array ops = {BinaryOp::Add,    BinaryOp::Sub,   BinaryOp::Mul, BinaryOp::BitAnd,
                                     BinaryOp::BitXor, BinaryOp::BitOr, BinaryOp::Shl, BinaryOp::Shr};
  const BinaryOp op = ops[below(ops.size())];
  Typed left = integer_expression(depth - 1);
  Typed right = integer_expression(depth - 1);
  const bool shift = op == BinaryOp::Shl || op == BinaryOp::Shr;
  if (shift && one_in(3)) {  // counts at the width and above
    static constexpr std::array counts = {32U, 31U, 63U, 64U, 65U, 33U, 8U, 16U, 255U};
    right = {integer(counts[below(counts.size())]), ScalarType::Int};
  }
  const ScalarType type = shift ? promoted(left.type) : common(left.type, right.type);
  if (may_overflow(op, left.type, right.type)) {
    return {defined_everywhere(op, std::move(left), std::move(right)), type};
  }
  return {binary(op, extra_parentheses(std::move(left.e)), extra_parentheses(std::move(right.e))), type};
}

/// Whether `left op right` may be a signed overflow, which a portable kernel must not have.
bool KernelMaker::may_overflow(BinaryOp op, ScalarType left, ScalarType right) const {
  const ScalarType type = common(left, right);
  const bool overflows = op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul;
  return options_.portable && overflows && !is_float(type) && is_signed(type);
}

/// Whether ++ and -- of a variable of this type are allowed: smaller ones are int when it happens.
bool KernelMaker::may_step(ScalarType type) const {
  return !options_.portable || is_float(type) || promoted(type) != type || !is_signed(type);
}

/// An addition, subtraction or multiplication of signed numbers that does not overflow: of smaller ones, or by way of unsigned ones.
ExprPtr KernelMaker::defined_everywhere(BinaryOp op, Typed left, Typed right) {
  const ScalarType type = common(left.type, right.type);
  if (below(2) == 0) {
    const ScalarType wrapping = type == ScalarType::Int ? ScalarType::UInt : ScalarType::ULong;
    return cast(type, parenthesised(binary(op, cast(wrapping, std::move(left.e)), cast(wrapping, std::move(right.e)))));
  }
  if (op == BinaryOp::Mul) {  // 12 bits times all but 13
    return binary(op, parenthesised(binary(BinaryOp::BitAnd, std::move(left.e), integer(4095))),
                  parenthesised(binary(BinaryOp::Shr, std::move(right.e), integer(13))));
  }
  return binary(op, parenthesised(binary(BinaryOp::Shr, std::move(left.e), integer(1))),
                parenthesised(binary(BinaryOp::Shr, std::move(right.e), integer(1))));
}

Typed KernelMaker::division(unsigned depth) {
  Typed left = integer_expression(depth - 1);
  Typed right = integer_expression(depth - 1);
  const ScalarType type = common(left.type, right.type);
  if (!strikes()) {
    right.e = binary(BinaryOp::Add, parenthesised(binary(BinaryOp::BitAnd, std::move(right.e), integer(15))), integer(1));
    if (one_in(4)) {
      right.e = unary(UnaryOp::Minus, parenthesised(std::move(right.e)));
      left.e = parenthesised(binary(BinaryOp::Shr, std::move(left.e), integer(1)));  // so that the quotient by -1 fits
    }
  }
  return {binary(below(2) == 0 ? BinaryOp::Div : BinaryOp::Rem, std::move(left.e), std::move(right.e)), type};
}

Typed KernelMaker::comparison(unsigned depth) {
  static constexpr std::array ops = {BinaryOp::Less,         BinaryOp::LessEqual, BinaryOp::Greater,
                                     BinaryOp::GreaterEqual, BinaryOp::Equal,     BinaryOp::NotEqual};
  const bool real = one_in(3);
  Typed left = expression(real, depth - 1);
  Typed right = expression(real && below(3) != 0, depth - 1);
  if (!real && one_in(4)) {
    const ScalarType type = integer_type();
    left = {cast(type, std::move(left.e)), type};
  }
  return {binary(ops[below(ops.size())], std::move(left.e), std::move(right.e)), ScalarType::Int};
}

Typed KernelMaker::logical(unsigned depth) {
  if (below(3) == 0) {
    return {unary(UnaryOp::Not, any_expression(depth - 1).e), ScalarType::Int};
  }
  ExprPtr left = any_expression(depth - 1).e;
  return {binary(below(2) == 0 ? BinaryOp::And : BinaryOp::Or, std::move(left), any_expression(depth - 1).e), ScalarType::Int};
}

Typed KernelMaker::choice(bool real, unsigned depth) {
  ExprPtr when = condition(depth - 1);
  Typed then = expression(real, depth - 1);
  Typed otherwise = expression(real && below(3) != 0, depth - 1);
  const ScalarType type = common(then.type, otherwise.type);
  return {conditional(std::move(when), std::move(then.e), std::move(otherwise.e)), type};
}

ExprPtr KernelMaker::condition(unsigned depth) {
  if (strikes() && !scope_.poison.empty()) {
    return name(pick(scope_.poison).name);
  }
  if (depth == 0) {
    return below(3) != 0 ? binary(BinaryOp::Less, query("get_local_id"), integer(1 + below(std::min(kernel_.wg_size, 8U))))
                         : binary(BinaryOp::BitAnd, leaf(false, 0).e, integer(1 + below(3)));
  }
  switch (below(5)) {
    case 0:
    case 4:
      return condition(0);
    case 1:
      return logical(depth).e;
    case 2:  // OpenCL wants an integer in front of a question mark
      return (is_plain() ? integer_expression(depth) : any_expression(depth)).e;
    default:
      return comparison(depth).e;
  }
}

Typed KernelMaker::builtin_of_integers(unsigned depth) {
  const ScalarType type = integer_type();
  ExprPtr first = exactly(type, depth - 1);
  switch (below(4)) {
    case 0:
      return {call_of("abs", std::move(first)), type};
    case 1:
      return {call_of("popcount", std::move(first)), type};
    default:
      break;
  }
  // OpenCL wants both of one type; ours takes the usual conversions.
  ExprPtr second = is_plain() || below(2) == 0 ? exactly(type, depth - 1) : integer_expression(depth - 1).e;
  return {cast(type, call_of(below(2) == 0 ? "min" : "max", std::move(first), std::move(second))), type};
}

Typed KernelMaker::builtin_of_reals(unsigned depth) {
  const ScalarType type = below(2) == 0 ? ScalarType::Float : ScalarType::Double;
  ExprPtr first = exactly(type, depth - 1);
  const unsigned kind = below(is_plain() ? 3 : 6);
  if (kind == 0) {
    return {call_of("fabs", std::move(first)), type};
  }
  if (kind == 1 && !(is_plain() && type == ScalarType::Float)) {
    return {call_of("sqrt", std::move(first)), type};
  }
  if (kind == 3) {
    return {call_of("rcp", std::move(first)), type};
  }
  ExprPtr second = exactly(type, depth - 1);
  if (kind > 3) {
    return {call_of(kind == 4 ? "min" : "max", std::move(first), std::move(second)), type};
  }
  ExprPtr third = exactly(type, depth - 1);
  return {call_of("fma", std::move(first), std::move(second), std::move(third)), type};
}

Typed KernelMaker::size_of_something() {
  if (!scope_.scalars.empty() && below(2) == 0) {
    return {build::expression(syntax::SizeofExpr{parenthesised(name(pick(scope_.scalars).name))}), ScalarType::ULong};
  }
  return {build::expression(syntax::SizeofType{{specifiers(integer_type()), 0, {}}}), ScalarType::ULong};
}

Typed KernelMaker::collective(unsigned depth) {
  static constexpr std::array votes = {"any", "all", "ballot", "sub_group_non_uniform_any", "sub_group_non_uniform_all"};
  unsigned vote = below(votes.size());
  if (vote == 2 && kernel_.wg_size > 64) {  // a ballot has a bit for each item
    vote = 0;
  }
  ExprPtr value = exactly(ScalarType::Int, depth - 1);
  return {call_of(votes[vote], std::move(value)), vote == 2 ? ScalarType::ULong : ScalarType::Int};
}

std::optional<Typed> KernelMaker::effect(bool real, unsigned depth) {
  std::vector<const KnownScalar*> fitting;
  for (const KnownScalar& s : scope_.scalars) {
    if (!s.is_fixed && is_float(s.type) == real && may_change(s.name)) {
      fitting.push_back(&s);
    }
  }
  if (fitting.empty()) {
    return std::nullopt;
  }
  const KnownScalar chosen = *pick(fitting);
  changed_.insert(chosen.name);
  static constexpr std::array steps = {UnaryOp::PostIncrement, UnaryOp::PostDecrement, UnaryOp::PreIncrement, UnaryOp::PreDecrement};
  switch (below(4)) {
    case 0:
      return Typed{parenthesised(assignment(std::nullopt, name(chosen.name), value_for(chosen.type, depth - 1))), chosen.type};
    case 1: {
      Typed value = expression(real && !is_plain(), depth - 1);
      const BinaryOp op = below(2) == 0 ? BinaryOp::Add : BinaryOp::Mul;
      const bool overflows = may_overflow(op, chosen.type, value.type);
      return Typed{parenthesised(assignment(overflows ? BinaryOp::BitXor : op, name(chosen.name), std::move(value.e))), chosen.type};
    }
    default:
      if (!may_step(chosen.type)) {
        return Typed{parenthesised(assignment(BinaryOp::BitOr, name(chosen.name), integer(below(9)))), chosen.type};
      }
      return Typed{unary(steps[below(steps.size())], name(chosen.name)), chosen.type};
  }
}

std::optional<Typed> KernelMaker::function_call(bool real, unsigned depth) {
  std::vector<const KnownFunction*> fitting;
  for (const KnownFunction& f : functions_) {
    if (f.result && is_float(*f.result) == real && !f.array && f.cost * site_.rounds <= 240) {
      fitting.push_back(&f);
    }
  }
  if (fitting.empty()) {
    return std::nullopt;
  }
  const KnownFunction chosen = *pick(fitting);
  cost_ += chosen.cost * site_.rounds;
  std::vector<ExprPtr> arguments;
  for (const ScalarType type : chosen.parameters) {
    const bool is_depth = arguments.empty() && chosen.is_recursive;
    arguments.push_back(is_depth ? (below(2) == 0 ? integer(below(4)) : binary(BinaryOp::BitAnd, leaf(false, 0).e, integer(3)))
                                 : value_for(type, depth - 1));
  }
  return Typed{call(chosen.name, std::move(arguments)), *chosen.result};
}

Typed KernelMaker::integer_expression(unsigned depth) {
  if (depth == 0 || below(4) == 0) {
    return leaf(false, depth);
  }
  switch (below(16)) {
    case 0:
    case 1:
      return division(depth);
    case 2:
    case 3:
      return comparison(depth);
    case 4:
      return logical(depth);
    case 5:
      return choice(false, depth);
    case 6:
      return builtin_of_integers(depth);
    case 7: {
      const ScalarType type = one_in(6) ? ScalarType::Bool : integer_type();
      if (one_in(3)) {
        return {cast(type, guarded(type, real_expression(depth - 1))), type};
      }
      return {cast(type, (one_in(3) ? arithmetic(depth) : integer_expression(depth - 1)).e), type};
    }
    case 8:
      if (auto made = effect(false, depth)) {
        return std::move(*made);
      }
      break;
    case 9:
    case 13:
      if (auto made = function_call(false, depth)) {
        return std::move(*made);
      }
      break;
    case 10:
      if (!is_plain()) {
        return collective(depth);
      }
      break;
    case 11: {
      static constexpr std::array ops = {UnaryOp::Minus, UnaryOp::BitNot, UnaryOp::Plus};
      Typed value = integer_expression(depth - 1);
      const UnaryOp op = ops[below(ops.size())];
      if (op == UnaryOp::Minus && options_.portable) {
        value.e = parenthesised(binary(BinaryOp::Shr, std::move(value.e), integer(1)));
      }
      return {unary(op, std::move(value.e)), promoted(value.type)};
    }
    case 12:
      if (one_in(4)) {
        if (auto made = effect(below(2) == 0, depth)) {
          Typed last = integer_expression(depth - 1);
          return {parenthesised(comma(std::move(made->e), std::move(last.e))), last.type};
        }
      }
      return one_in(6) ? size_of_something() : arithmetic(depth);
    default:
      break;
  }
  return arithmetic(depth);
}

Typed KernelMaker::real_expression(unsigned depth) {
  if (depth == 0 || below(4) == 0) {
    return leaf(true, depth);
  }
  static constexpr std::array ops = {BinaryOp::Add, BinaryOp::Mul, BinaryOp::Sub, BinaryOp::Add, BinaryOp::Mul, BinaryOp::Div};
  switch (below(12)) {
    case 0:
      return choice(true, depth);
    case 1:
    case 2:
      return builtin_of_reals(depth);
    case 3: {
      const ScalarType type = below(2) == 0 ? ScalarType::Float : ScalarType::Double;
      return {cast(type, any_expression(depth - 1).e), type};
    }
    case 4:
      if (auto made = effect(true, depth)) {
        return std::move(*made);
      }
      break;
    case 5:
    case 7:
      if (auto made = function_call(true, depth)) {
        return std::move(*made);
      }
      break;
    case 6: {
      Typed value = real_expression(depth - 1);
      return {unary(below(4) == 0 ? UnaryOp::Plus : UnaryOp::Minus, std::move(value.e)), value.type};
    }
    default:
      break;
  }
  BinaryOp op = ops[below(ops.size())];
  Typed left = real_expression(depth - 1);
  Typed right = expression(below(4) != 0, depth - 1);
  const ScalarType type = common(left.type, right.type);
  if (op == BinaryOp::Div && is_plain() && type == ScalarType::Float) {
    op = BinaryOp::Mul;  // OpenCL's float division may be off by 2.5 units in the last place
  }
  if (below(3) == 0) {
    std::swap(left, right);
  }
  return {binary(op, extra_parentheses(std::move(left.e)), extra_parentheses(std::move(right.e))), type};
}

Typed KernelMaker::expression(bool real, unsigned depth) { return real ? real_expression(depth) : integer_expression(depth); }

// ---- values of a type --------------------------------------------------------------------------------------------------

ExprPtr KernelMaker::guarded(ScalarType to, Typed value) {
  if (to == ScalarType::Bool || strikes()) {
    return std::move(value.e);
  }
  // Only something that may be read three times can be compared with the bounds first.
  Typed again = scalar_leaf(true).value_or(Typed{});
  if (again.e == nullptr) {
    return integer_literal().e;
  }
  const bool is_unsigned = !is_signed(to);
  ExprPtr above = binary(BinaryOp::Greater, build::copy(again.e), is_unsigned ? integer(0) : unary(UnaryOp::Minus, integer(100)));
  ExprPtr under = binary(BinaryOp::Less, build::copy(again.e), real("100.0", true));
  return parenthesised(
      conditional(binary(BinaryOp::And, std::move(above), std::move(under)), cast(to, std::move(again.e)), integer(below(8))));
}

ExprPtr KernelMaker::value_for(ScalarType to, unsigned depth) {
  if (is_float(to)) {
    return expression(below(4) != 0, depth).e;
  }
  if (one_in(6)) {
    return guarded(to, real_expression(depth));
  }
  return integer_expression(depth).e;
}

ExprPtr KernelMaker::exactly(ScalarType to, unsigned depth) {
  if (is_float(to)) {
    Typed value = real_expression(depth);
    return value.type == to ? std::move(value.e) : cast(to, std::move(value.e));
  }
  return cast(to, integer_expression(depth).e);
}

Typed KernelMaker::poisonous(ScalarType type, unsigned depth) {
  if (depth == 0 || below(3) == 0) {
    for (const KnownScalar& p : scope_.poison) {
      if (p.type == type && below(4) != 0) {
        return {name(p.name), type};
      }
    }
    return leaf(is_float(type), 0);
  }
  static constexpr std::array ops = {BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::BitAnd, BinaryOp::BitXor};
  const BinaryOp op = ops[below(is_float(type) ? 3U : 5U)];
  Typed left = poisonous(type, depth - 1);
  Typed right = poisonous(type, depth - 1);
  return {binary(op, std::move(left.e), std::move(right.e)), common(left.type, right.type)};
}

ExprPtr KernelMaker::safe_lane() {
  const unsigned kind = below(4);
  if (kind == 0) {
    return integer(below(kernel_.wg_size));
  }
  if (kind == 1) {
    return binary(BinaryOp::Sub, binary(BinaryOp::Sub, query("get_local_size"), integer(1)), query("get_local_id"));
  }
  ExprPtr sum = binary(BinaryOp::Add, query("get_local_id"), integer(below(kernel_.wg_size)));
  return binary(BinaryOp::Rem, parenthesised(std::move(sum)), query("get_local_size"));
}

ExprPtr KernelMaker::shuffle_of(ExprPtr value, ExprPtr lane) {
  return call_of(below(2) == 0 ? "shuffle" : "sub_group_shuffle", std::move(value), std::move(lane));
}

}  // namespace lockstep::generate
