// Loops whose heads have any form: conditions over the counter, a second variable and limits, of all types, that wrap and divide. That they
// end is tried out beforehand for every value that the limits may have. Others stand where nobody comes.

#include "semantics/generate/kernel_generator.hpp"
#include "semantics/generate/known_values.hpp"

namespace lockstep::generate {

using namespace build;

namespace {

constexpr unsigned most_tries = 8;

/// The combinations that limits may have.
using Cases = std::vector<KnownValues>;

/// All cases, each with every one of these values.
Cases with_each(const Cases& cases, const std::string& name, const std::vector<Value>& values) {
  Cases result;
  for (const KnownValues& one : cases) {
    for (const Value& value : values) {
      result.push_back(one);
      result.back().set(name, value);
    }
  }
  return result;
}

}  // namespace

/// A number that loops begin with and end at: a small one, or one at the edge of a type.
ExprPtr KernelMaker::head_number(ScalarType type) {
  if (below(3) != 0) {
    ExprPtr e = integer(below(7));
    return one_in(4) ? unary(UnaryOp::Minus, std::move(e)) : std::move(e);
  }
  const std::uint64_t largest = (~std::uint64_t{0} >> (is_signed(type) ? 1 : 0)) >> (64 - bits_of(type));
  syntax::IntegerLiteral literal;
  literal.value = largest - below(3);
  literal.is_unsigned = !is_signed(type) && bits_of(type) >= 32;
  literal.is_long = bits_of(type) == 64;
  if (is_signed(type) && below(2) == 0) {
    return binary(BinaryOp::Sub, unary(UnaryOp::Minus, build::literal(literal)), integer(1));
  }
  return build::literal(literal);
}

ExprPtr KernelMaker::head_operand(const HeadNames& names, unsigned depth) {
  if (depth == 0 || below(2) == 0) {
    const unsigned kind = below(10);
    if (kind < 5) {
      return name(names.counter);
    }
    return kind < 7 && !names.second.empty() ? name(names.second) : kind < 9 ? build::copy(pick(names.limits)) : head_number(names.type);
  }
  static constexpr std::array ops = {BinaryOp::Add,    BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Add, BinaryOp::Sub,
                                     BinaryOp::BitAnd, BinaryOp::Shr, BinaryOp::Div, BinaryOp::Rem, BinaryOp::Shl};
  switch (below(8)) {
    case 0:
    case 1:
    case 2:
      return cast(integer_type(), head_operand(names, depth - 1));
    case 3:
      return unary(below(2) == 0 ? UnaryOp::Minus : UnaryOp::BitNot, head_operand(names, depth - 1));
    default: {
      ExprPtr left = head_operand(names, depth - 1);
      ExprPtr right = below(2) == 0 ? head_number(ScalarType::Int) : head_operand(names, depth - 1);
      if (one_in(6)) {
        std::swap(left, right);
      }
      return binary(ops[below(ops.size())], std::move(left), std::move(right));
    }
  }
}

ExprPtr KernelMaker::head_condition(const HeadNames& names) {
  static constexpr std::array ops = {BinaryOp::Less,     BinaryOp::LessEqual, BinaryOp::Greater, BinaryOp::GreaterEqual,
                                     BinaryOp::NotEqual, BinaryOp::Less,      BinaryOp::Equal};
  switch (below(12)) {
    case 0:
      return head_operand(names, 1);
    case 1:
      return unary(UnaryOp::Not, head_operand(names, 1));
    case 2: {
      ExprPtr left = head_condition(names);
      return binary(below(3) == 0 ? BinaryOp::Or : BinaryOp::And, std::move(left), head_condition(names));
    }
    case 3: {
      ExprPtr when = head_condition(names);
      ExprPtr then = head_condition(names);
      return conditional(std::move(when), std::move(then), head_operand(names, 1));
    }
    default: {
      ExprPtr left = below(2) == 0 ? name(names.counter) : head_operand(names, 2);
      ExprPtr right = below(2) == 0 ? build::copy(pick(names.limits)) : head_operand(names, 2);
      if (below(3) == 0) {
        std::swap(left, right);
      }
      return binary(ops[below(ops.size())], std::move(left), std::move(right));
    }
  }
}

ExprPtr KernelMaker::head_step(const HeadNames& names) {
  static constexpr std::array single = {UnaryOp::PreIncrement, UnaryOp::PreDecrement, UnaryOp::PostIncrement, UnaryOp::PostDecrement};
  switch (below(8)) {
    case 0:
    case 1:
    case 2:
      return unary(single[below(single.size())], name(names.counter));
    case 3:
    case 4:
      return assignment(below(2) == 0 ? BinaryOp::Add : BinaryOp::Sub, name(names.counter), integer(1 + below(3)));
    case 5:
      return assignment(BinaryOp::Add, name(names.counter), build::copy(pick(names.limits)));
    case 6:
      return assignment(below(2) == 0 ? BinaryOp::Shr : BinaryOp::Mul, name(names.counter), integer(1 + below(2)));
    default:
      return assignment(std::nullopt, name(names.counter), head_operand(names, 1));
  }
}

/// The body changes the second variable in every round, or in some of which the counter decides.
BodyChange KernelMaker::head_change(const HeadNames& names) {
  static constexpr std::array ops = {BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul};
  BodyChange change;
  if (below(3) == 0) {
    change.when = binary(BinaryOp::BitAnd, name(names.counter), integer(1 + below(2)));
  }
  change.what = one_in(3) ? assignment(std::nullopt, name(names.second), head_operand(names, 1))
                          : assignment(ops[below(ops.size())], name(names.second), integer(1 + below(3)));
  return change;
}

/// What a head's condition may speak of besides the counter: makes one of it a constant in front of the loop, with few values.
void KernelMaker::head_limits(Statements& out, HeadNames& names, Cases& cases) {
  std::vector<Value> items;
  for (unsigned k = 0; k < kernel_.wg_size; ++k) {
    items.push_back({ScalarType::ULong, k});
  }
  cases.emplace_back();
  cases.front().set("get_local_size", {ScalarType::ULong, kernel_.wg_size});
  names.limits.push_back(head_number(names.type));
  names.limits.push_back(query("get_local_size"));
  if (within_ == Within::Kernel) {
    for (const KernelInput& input : kernel_.inputs) {
      if (!input.is_buffer && is_integer(input.type)) {
        cases.front().set(input.name, {input.type, input.values.front()});
        names.limits.push_back(name(input.name));
      }
    }
  }
  switch (below(3)) {
    case 0:
      cases = with_each(cases, "get_local_id", items);
      names.limits.push_back(query("get_local_id"));
      break;
    case 1: {
      const ScalarType type = integer_type();
      const std::string limit = fresh("v");
      const ExprPtr offset = head_number(type);
      const auto plus_offset = [&](ExprPtr e) { return binary(BinaryOp::Add, std::move(e), build::copy(offset)); };
      std::vector<Value> values;
      for (unsigned k = 0; k < 4; ++k) {
        KnownValues none;
        const auto sum = value_of(*plus_offset(integer(k)), none);
        if (!sum || (none.overflowed && options_.portable)) {
          return;
        }
        values.push_back(*converted(*sum, type));
      }
      ExprPtr masked = parenthesised(binary(BinaryOp::BitAnd, cast(ScalarType::Int, leaf(false, 1).e), integer(3)));
      out.push_back(declare(type, limit, plus_offset(std::move(masked))));
      scope_.scalars.push_back({limit, type, true, site_.depth});
      cases = with_each(cases, limit, values);
      names.limits.push_back(name(limit));
      break;
    }
    default:
      break;
  }
}

/// A head that ends within `most` rounds wherever the guard, if there is one, lets somebody in.
std::optional<LoopHead> KernelMaker::ending_head(const HeadNames& names, const Cases& cases, const ExprPtr& guard, unsigned most) {
  for (unsigned k = 0; k < most_tries; ++k) {
    LoopHead head{.counter = names.counter,
                  .type = names.type,
                  .start = below(3) == 0 ? build::copy(pick(names.limits)) : head_number(names.type),
                  .condition = head_condition(names),
                  .step = head_step(names),
                  .changes = {},
                  .is_tested_last = one_in(8)};
    if (!names.second.empty()) {
      head.changes.push_back(head_change(names));
    }
    bool runs = guard != nullptr || one_in(3);  // heads without a round are dull
    const bool ends = std::ranges::all_of(cases, [&](KnownValues values) {
      const auto enters = guard == nullptr ? std::optional(Value{ScalarType::Int, 1}) : value_of(*guard, values);
      if (enters && enters->bits == 0) {
        return true;
      }
      const auto rounds = enters ? rounds_of(head, values, most) : std::nullopt;
      runs = runs || rounds.value_or(0) > 0;
      return rounds && !(values.overflowed && options_.portable);
    });
    if (ends && runs) {
      return head;
    }
  }
  return std::nullopt;
}

bool KernelMaker::any_head(Statements& out, const Site& site) {
  constexpr unsigned most_rounds = 6;
  start_expression();
  effects_ = false;
  const unsigned most = std::clamp(rounds_limit_ / site.rounds, 1U, most_rounds);
  const Scope before = scope_;
  Statements whole;
  Cases cases;
  HeadNames names{fresh("i"), integer_type(), "", {}};
  head_limits(whole, names, cases);
  if (below(3) == 0) {
    names.second = fresh("v");
    const ScalarType type = integer_type();
    ExprPtr first = integer(below(4));
    KnownValues none;
    cases = with_each(cases, names.second, {*converted(*value_of(*first, none), type)});
    whole.push_back(declare(type, names.second, std::move(first)));
    scope_.scalars.push_back({names.second, type, true, site_.depth});
  }
  ExprPtr guard;
  if (below(3) == 0) {
    static constexpr std::array ops = {BinaryOp::Greater, BinaryOp::Less, BinaryOp::NotEqual, BinaryOp::Equal};
    guard = binary(ops[below(ops.size())], build::copy(pick(names.limits)), head_number(names.type));
  }
  auto head = ending_head(names, cases, guard, most);
  if (!head) {
    scope_ = before;
    return false;
  }
  // A condition that is tested last, or by itself, is not what `continue` goes to.
  const unsigned kind = head->is_tested_last ? 2 : below(5) == 4 ? 1 : 0;
  Site inside = site;
  inside.rounds = site.rounds * most;
  inside.is_uniform = false;
  inside.in_loop = kind == 0 && below(2) == 0;
  inside.in_switch = false;
  inside.must_stay = site.must_stay;
  scope_.scalars.push_back({names.counter, names.type, true, site_.depth});
  Statements body;
  for (BodyChange& change : head->changes) {
    syntax::Stmt changed = evaluate(std::move(change.what));
    body.push_back(change.when == nullptr ? std::move(changed)
                                          : build::statement(syntax::If{std::move(change.when), boxed(std::move(changed)), nullptr}));
  }
  Statements more = sequence(inside, 2);
  // With a `continue` in it what is behind may be left out.
  const bool is_behind = inside.in_loop || below(2) == 0;
  body.insert(is_behind ? body.end() : body.begin(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  const bool is_own = kind == 0 && below(2) == 0;
  syntax::Stmt declared = declare(names.type, names.counter, std::move(head->start));
  if (!is_own) {
    whole.push_back(std::move(declared));
  }
  syntax::Stmt loop = [&] {
    if (kind == 0) {
      return build::statement(syntax::For{boxed(is_own ? std::move(declared) : build::statement(syntax::ExprStatement{nullptr})),
                                          std::move(head->condition), std::move(head->step), boxed(block(std::move(body)))});
    }
    body.push_back(evaluate(std::move(head->step)));
    auto rounds = boxed(block(std::move(body)));
    return kind == 1 ? build::statement(syntax::While{std::move(head->condition), std::move(rounds)})
                     : build::statement(syntax::DoWhile{std::move(rounds), std::move(head->condition)});
  }();
  whole.push_back(guard == nullptr ? std::move(loop) : build::statement(syntax::If{std::move(guard), boxed(std::move(loop)), nullptr}));
  if (is_own) {
    std::erase_if(scope_.scalars, [&](const KnownScalar& s) { return s.name == names.counter; });
  }
  // From here on others may assign them.
  for (KnownScalar& s : scope_.scalars) {
    s.is_fixed = s.is_fixed && s.name != names.counter && s.name != names.second;
  }
  out.insert(out.end(), std::make_move_iterator(whole.begin()), std::make_move_iterator(whole.end()));
  return true;
}

}  // namespace lockstep::generate
