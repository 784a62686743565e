// Vectors in random kernels: a block with a few of one type, whose components end in a scalar.

#include "semantics/generate/kernel_generator.hpp"

namespace lockstep::generate {

using namespace build;

namespace {

constexpr std::array<unsigned, 4> sizes = {2, 3, 4, 8};

std::string name_of(ScalarType type, unsigned components) { return std::string(info(type).name) + std::to_string(components); }

}  // namespace

std::string KernelMaker::selector(const KnownVectors& known, unsigned count, bool distinct) {
  if (2 * count == known.components && one_in(4)) {
    return std::array{"lo", "hi", "even", "odd"}[below(4)];
  }
  std::vector<unsigned> left(known.components);
  for (unsigned k = 0; k < left.size(); ++k) {
    left[k] = k;
  }
  const bool by_letter = known.components <= 4 && below(3) != 0;
  std::string text = by_letter ? "" : "s";
  for (unsigned k = 0; k < count; ++k) {
    const unsigned at = below(static_cast<unsigned>(left.size()));
    text += by_letter ? "xyzw"[left[at]] : "0123456789abcdef"[left[at]];
    if (distinct) {
      left.erase(left.begin() + at);
    }
  }
  return text;
}

/// A variable, or an element of the array.
ExprPtr KernelMaker::vector_place(const KnownVectors& known) {
  if (one_in(3)) {
    return element(name(known.array), index(2, 1));
  }
  return name(pick(known.names));
}

ExprPtr KernelMaker::vector_literal(ScalarType type, unsigned components, const KnownVectors& known) {
  ExprPtr list;
  for (unsigned done = 0; done < components;) {
    const bool pair = type == known.type && components - done >= 2 && one_in(4);
    ExprPtr next = pair ? member(vector_place(known), selector(known, 2, false)) : exactly(type, 1);
    list = list == nullptr ? std::move(next) : comma(std::move(list), std::move(next));
    done += pair ? 2 : 1;
    if (done == 1 && one_in(4)) {
      break;  // one for all
    }
  }
  return vector_cast(type, components, std::move(list));
}

ExprPtr KernelMaker::vector_relation(const KnownVectors& known, unsigned components, unsigned depth) {
  static constexpr std::array ops = {BinaryOp::Less, BinaryOp::GreaterEqual, BinaryOp::Equal, BinaryOp::NotEqual, BinaryOp::Greater};
  ExprPtr left = vector_expression(known, components, depth - 1);
  return parenthesised(binary(ops[below(ops.size())], std::move(left), vector_expression(known, components, depth - 1)));
}

ExprPtr KernelMaker::vector_expression(const KnownVectors& known, unsigned components, unsigned depth) {
  const bool real = is_float(known.type);
  const bool may_wrap = real || !is_signed(known.type) || !options_.portable;
  if (depth == 0 || below(4) == 0) {
    if (one_in(4)) {
      return vector_literal(known.type, components, known);
    }
    ExprPtr place = vector_place(known);
    return components == known.components && below(3) != 0 ? std::move(place)
                                                           : member(std::move(place), selector(known, components, false));
  }
  const auto operand = [&] { return vector_expression(known, components, depth - 1); };
  switch (below(8)) {
    case 0: {
      ExprPtr chooser = vector_relation(known, components, depth);
      ExprPtr then = operand();
      return parenthesised(conditional(std::move(chooser), std::move(then), operand()));
    }
    case 1: {
      ExprPtr chooser = condition(1);
      ExprPtr then = operand();
      return parenthesised(conditional(std::move(chooser), std::move(then), operand()));
    }
    case 2:
      return may_wrap ? unary(real || below(2) == 0 ? UnaryOp::Minus : UnaryOp::BitNot, operand()) : operand();
    case 3:
      return call_of("convert_" + name_of(known.type, components), vector_relation(known, components, depth));
    case 4:
      if (!is_plain()) {
        ExprPtr first = operand();
        if (one_in(3)) {
          ExprPtr second = operand();
          return call_of("select", std::move(first), std::move(second), vector_relation(known, components, depth));
        }
        return call_of(real && below(2) == 0 ? "fmin" : below(2) == 0 ? "min" : "max", std::move(first), operand());
      }
      break;
    case 5:
      if (!real) {
        ExprPtr divisor = binary(BinaryOp::BitAnd, operand(), cast(known.type, integer(15)));
        divisor = parenthesised(binary(BinaryOp::Add, parenthesised(std::move(divisor)), cast(known.type, integer(1))));
        return parenthesised(binary(below(2) == 0 ? BinaryOp::Div : BinaryOp::Rem, operand(), std::move(divisor)));
      }
      break;
    default:
      break;
  }
  static constexpr std::array reals = {BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul};
  static constexpr std::array integers = {BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor, BinaryOp::Add,
                                          BinaryOp::Sub,    BinaryOp::Mul,   BinaryOp::Shl,    BinaryOp::Shr};
  const BinaryOp op = real ? reals[below(reals.size())] : integers[below(may_wrap ? integers.size() : 3)];
  const bool with_scalar = one_in(4);
  ExprPtr left = operand();
  ExprPtr right = with_scalar ? exactly(known.type, 1) : operand();
  if (with_scalar && op != BinaryOp::Shl && op != BinaryOp::Shr && below(2) == 0) {
    std::swap(left, right);
  }
  return parenthesised(binary(op, std::move(left), std::move(right)));
}

void KernelMaker::change_vector(Statements& out, const KnownVectors& known) {
  start_expression();
  const bool real = is_float(known.type);
  const bool may_wrap = real || !is_signed(known.type) || !options_.portable;
  if (one_in(6) && !real && may_wrap) {
    static constexpr std::array steps = {UnaryOp::PostIncrement, UnaryOp::PostDecrement, UnaryOp::PreIncrement, UnaryOp::PreDecrement};
    ExprPtr changed = unary(steps[below(steps.size())], name(known.names.front()));
    out.push_back(evaluate(below(2) == 0 ? std::move(changed) : assignment(std::nullopt, name(known.names.back()), std::move(changed))));
    return;
  }
  std::optional<BinaryOp> op;
  if (one_in(3)) {
    op = real ? BinaryOp::Add : may_wrap && below(2) == 0 ? BinaryOp::Sub : BinaryOp::BitXor;
  }
  ExprPtr place = vector_place(known);
  if (one_in(5)) {
    place = member(std::move(place), selector(known, 1, true));
    out.push_back(evaluate(assignment(op, std::move(place), exactly(known.type, 2))));
    return;
  }
  const unsigned count = below(2) == 0 || known.components == 2 ? known.components : 2;
  if (count != known.components || one_in(3)) {
    place = member(std::move(place), selector(known, count, true));
  }
  out.push_back(evaluate(assignment(op, std::move(place), vector_expression(known, count, options_.expression_depth))));
}

void KernelMaker::vectors(Statements& out) {
  KnownVectors known;
  known.type = one_in(3) ? (below(2) == 0 ? ScalarType::Float : ScalarType::Double) : integer_type();
  known.components = one_in(12) ? 16 : sizes[below(sizes.size())];
  const auto outer = scope_;
  Statements inside;
  const auto declare = [&](const std::string& text, std::optional<unsigned> extent) {
    syntax::Declaration declared;
    declared.specifiers = specifiers(known.type);
    declared.specifiers.components = known.components;
    declared.declarators.push_back(declarator(text));
    start_expression();
    const auto value = [&] {
      ExprPtr list;
      for (unsigned k = 0; k < known.components; ++k) {
        ExprPtr next = exactly(known.type, 1);
        list = list == nullptr ? std::move(next) : comma(std::move(list), std::move(next));
      }
      return initialiser(vector_cast(known.type, known.components, std::move(list)));
    };
    if (extent) {
      declared.declarators.back().extents.push_back(integer(*extent));
      std::vector<syntax::Initialiser> values;
      for (unsigned k = 0; k < *extent; ++k) {
        values.push_back(value());
      }
      declared.declarators.back().initialiser.emplace();
      declared.declarators.back().initialiser->value = std::move(values);
    } else {
      declared.declarators.back().initialiser = value();
    }
    inside.push_back(build::statement(std::move(declared)));
  };
  for (unsigned count = 2 + below(2); count > 0; --count) {
    known.names.push_back(fresh("w"));
    declare(known.names.back(), std::nullopt);
  }
  known.array = fresh("m");
  declare(known.array, 2);
  for (unsigned count = 1 + below(4); count > 0; --count) {
    change_vector(inside, known);
  }
  scope_ = outer;
  std::vector<const KnownScalar*> fitting;
  for (const KnownScalar& s : scope_.scalars) {
    if (!s.is_fixed && is_float(s.type) == is_float(known.type)) {
      fitting.push_back(&s);
    }
  }
  if (fitting.empty()) {
    return assign_scalar(out);
  }
  start_expression();
  ExprPtr sum;
  const bool real = is_float(known.type);
  for (const std::string& vector : known.names) {
    ExprPtr part = member(name(vector), selector(known, 1, true));
    sum = sum == nullptr ? std::move(part) : binary(real ? BinaryOp::Add : BinaryOp::BitXor, std::move(sum), std::move(part));
  }
  ExprPtr stored = member(element(name(known.array), integer(below(2))), selector(known, 1, true));
  sum = binary(real ? BinaryOp::Add : BinaryOp::BitXor, std::move(sum), std::move(stored));
  if (!is_plain() && one_in(3)) {
    ExprPtr asked = call_of(below(2) == 0 ? "any" : "all", vector_relation(known, known.components, 1));
    sum = conditional(std::move(asked), std::move(sum), cast(known.type, integer(1)));
  }
  inside.push_back(evaluate(assignment(std::nullopt, name(pick(fitting)->name), std::move(sum))));
  out.push_back(block(std::move(inside)));
}

}  // namespace lockstep::generate
