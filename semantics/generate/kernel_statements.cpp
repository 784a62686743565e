// Simple statements of random kernels: assignments, calls, declarations.

#include "semantics/generate/kernel_generator.hpp"

namespace lockstep::generate {

using namespace build;

namespace {

bool is_integer_op(BinaryOp op) { return op != BinaryOp::Add && op != BinaryOp::Sub && op != BinaryOp::Mul && op != BinaryOp::Div; }

}  // namespace

void KernelMaker::simple(Statements& out, const Site& site) {
  if (counters_ && site.is_uniform && within_ == Within::Kernel && one_in(5)) {
    return counters(out);
  }
  const unsigned kind = below(16);
  if (kind == 1 || kind == 2) {
    return store_element(out);
  }
  if (kind == 3 || kind == 11) {
    return call_function(out, site);
  }
  if (kind == 4) {
    return declaration(out);
  }
  if (kind == 5) {
    return below(3) != 0 ? array_declaration(out) : pointer_declaration(out);
  }
  if (kind == 6) {
    return below(2) == 0 ? vectors(out) : through_pointer(out);
  }
  if (kind >= 7 && kind <= 9 && within_ != Within::Function) {
    if (options_.profile == Profile::Crev && kind == 7) {
      return crev_call(out, site);
    }
    if (!is_plain()) {
      return kind == 8 ? poison_step(out) : exchange(out, site);
    }
    if (site.is_uniform && kind == 8) {
      return neighbours(out);
    }
  }
  if (kind == 10 && site.is_uniform && !is_plain()) {
    return group_vote(out);
  }
  if (kind == 12 || (kind >= 13 && site.is_uniform && within_ == Within::Kernel)) {
    return traffic(out, site);
  }
  assign_scalar(out);
}

void KernelMaker::assign_scalar(Statements& out) {
  start_expression();
  std::vector<const KnownScalar*> fitting;
  for (const KnownScalar& s : scope_.scalars) {
    if (!s.is_fixed) {
      fitting.push_back(&s);
    }
  }
  if (fitting.empty()) {
    return declaration(out);
  }
  const KnownScalar target = *pick(fitting);
  targets_.insert(target.name);
  static constexpr std::array steps = {UnaryOp::PostIncrement, UnaryOp::PostDecrement, UnaryOp::PreIncrement, UnaryOp::PreDecrement};
  static constexpr std::array ops = {BinaryOp::Add,   BinaryOp::Sub,    BinaryOp::Mul, BinaryOp::Div, BinaryOp::BitAnd,
                                     BinaryOp::BitOr, BinaryOp::BitXor, BinaryOp::Shl, BinaryOp::Shr, BinaryOp::Rem};
  const unsigned kind = below(8);
  if (kind == 0 && may_step(target.type)) {
    out.push_back(evaluate(unary(steps[below(steps.size())], name(target.name))));
    return;
  }
  if (kind <= 2) {
    BinaryOp op = ops[below(ops.size())];
    if (is_float(target.type) && (is_integer_op(op) || (op == BinaryOp::Div && is_plain()))) {
      op = BinaryOp::Sub;
    }
    if (is_float(target.type)) {
      out.push_back(evaluate(assignment(op, name(target.name), value_for(target.type, options_.expression_depth))));
      return;
    }
    Typed value = integer_expression(options_.expression_depth);
    if (op == BinaryOp::Div || op == BinaryOp::Rem) {
      value.e = binary(BinaryOp::Add, parenthesised(binary(BinaryOp::BitAnd, std::move(value.e), integer(15))), integer(1));
    }
    op = may_overflow(op, target.type, value.type) ? BinaryOp::BitXor : op;
    out.push_back(evaluate(assignment(op, name(target.name), std::move(value.e))));
    return;
  }
  ExprPtr value;
  if (kind == 3 && fitting.size() > 1) {
    const KnownScalar other = *pick(fitting);
    if (other.name != target.name && is_float(other.type) == is_float(target.type)) {
      targets_.insert(other.name);
      value = assignment(std::nullopt, name(other.name), value_for(other.type, options_.expression_depth));
    }
  }
  if (value == nullptr) {
    value = value_for(target.type, options_.expression_depth);
  }
  out.push_back(evaluate(assignment(std::nullopt, name(target.name), std::move(value))));
}

void KernelMaker::store_element(Statements& out) {
  start_expression();
  std::vector<const KnownArray*> fitting;
  for (const KnownArray& a : scope_.arrays) {
    if (a.is_writable) {
      fitting.push_back(&a);
    }
  }
  if (fitting.empty()) {
    return assign_scalar(out);
  }
  const KnownArray target = *pick(fitting);
  effects_ = !is_plain();
  ExprPtr place = element_of(target, 2);
  if (below(4) != 0) {
    out.push_back(evaluate(assignment(std::nullopt, std::move(place), value_for(target.type, options_.expression_depth))));
  } else if (is_float(target.type)) {
    out.push_back(evaluate(assignment(BinaryOp::Add, std::move(place), value_for(target.type, options_.expression_depth))));
  } else {
    Typed value = integer_expression(options_.expression_depth);
    const BinaryOp op = may_overflow(BinaryOp::Add, target.type, value.type) ? BinaryOp::BitXor : BinaryOp::Add;
    out.push_back(evaluate(assignment(op, std::move(place), std::move(value.e))));
  }
}

void KernelMaker::call_function(Statements& out, const Site& site) {
  start_expression();
  std::vector<std::pair<const KnownFunction*, const KnownArray*>> fitting;
  for (const KnownFunction& f : functions_) {
    for (const KnownArray& a : scope_.arrays) {
      const bool fits = f.array && a.is_private && a.kind == KnownArray::Kind::Whole && a.type == f.array->type &&
                        (a.is_writable || !f.array->is_writable) && a.extents.size() == f.array->extents.size() &&
                        std::equal(a.extents.begin() + 1, a.extents.end(), f.array->extents.begin() + 1) &&
                        a.extents.front() >= f.array->extents.front() && f.cost * site.rounds <= 120;
      if (fits) {
        fitting.emplace_back(&f, &a);
      }
    }
  }
  if (fitting.empty()) {
    return assign_scalar(out);
  }
  const KnownFunction function = *pick(fitting).first;
  const auto chosen = std::find_if(fitting.begin(), fitting.end(), [&](const auto& f) { return f.first->name == function.name; });
  const KnownArray array = *chosen->second;
  cost_ += function.cost * site.rounds;
  std::vector<ExprPtr> arguments;
  arguments.push_back(name(array.name));
  const unsigned spare = array.extents.front() - function.array->extents.front();
  if (spare > 0 && array.extents.size() == 1 && below(2) == 0) {
    const unsigned first = below(spare + 1);
    arguments.back() = below(2) == 0 ? binary(BinaryOp::Add, name(array.name), integer(first))
                                     : unary(UnaryOp::AddressOf, element(name(array.name), integer(first)));
  }
  for (const ScalarType type : function.parameters) {
    arguments.push_back(value_for(type, 1));
  }
  ExprPtr made = call(function.name, std::move(arguments));
  for (const KnownScalar& s : scope_.scalars) {
    if (function.result && !s.is_fixed && is_float(s.type) && !read_.contains(s.name) && !changed_.contains(s.name)) {
      made = assignment(std::nullopt, name(s.name), std::move(made));
      break;
    }
  }
  out.push_back(evaluate(std::move(made)));
}

void KernelMaker::declaration(Statements& out) {
  syntax::Declaration declared;
  const ScalarType type = any_type();
  declared.specifiers = specifiers(type);
  declared.specifiers.is_const = one_in(8);
  for (unsigned count = one_in(4) ? 2 : 1; count > 0; --count) {
    start_expression();
    std::vector<std::string> outer;
    for (const KnownScalar& s : scope_.scalars) {
      if (!s.is_fixed && s.depth < site_.depth) {
        outer.push_back(s.name);
      }
    }
    const bool hides = one_in(6) && !outer.empty() && declared.declarators.empty();
    const KnownScalar known{hides ? pick(outer) : fresh("v"), type, declared.specifiers.is_const, site_.depth};
    // What hides another variable must not be read in its own initialiser.
    ExprPtr value = hides ? constant(type) : value_for(type, options_.expression_depth);
    declared.declarators.push_back(declarator(known.name));
    declared.declarators.back().initialiser = initialiser(std::move(value));
    if (hides) {
      std::erase_if(scope_.scalars, [&](const KnownScalar& s) { return s.name == known.name; });
    }
    scope_.scalars.push_back(known);
  }
  out.push_back(build::statement(std::move(declared)));
}

syntax::Initialiser KernelMaker::array_values(const KnownArray& array, std::size_t dimension) {
  std::vector<syntax::Initialiser> list;
  const unsigned extent = array.extents[dimension];
  const unsigned count = below(3) == 0 ? 1 + below(extent) : extent;  // the rest is zero
  for (unsigned k = 0; k < count; ++k) {
    list.push_back(dimension + 1 < array.extents.size() ? array_values(array, dimension + 1) : initialiser(value_for(array.type, 1)));
  }
  syntax::Initialiser result;
  result.value = std::move(list);
  return result;
}

void KernelMaker::array_declaration(Statements& out) {
  start_expression();
  effects_ = false;
  KnownArray array{fresh("a"), any_type(), {}, KnownArray::Kind::Whole, true, true, ""};
  static constexpr std::array extents = {4U, 2U, 8U, 3U, 5U, 1U};
  for (unsigned count = below(5) < 3 ? 1 : 2 + below(2); count > 0; --count) {
    array.extents.push_back(array.extents.empty() ? extents[below(extents.size())] : 2 + below(3));
  }
  syntax::Declaration declared;
  declared.specifiers = specifiers(array.type);
  declared.declarators.push_back(declarator(array.name));
  for (const unsigned extent : array.extents) {
    declared.declarators.back().extents.push_back(integer(extent));
  }
  if (below(4) != 0 || array.extents.size() > 1) {
    if (!strikes()) {
      declared.declarators.back().initialiser = array_values(array, 0);
    }
    out.push_back(build::statement(std::move(declared)));
  } else {
    out.push_back(build::statement(std::move(declared)));
    const std::string counter = fresh("i");
    syntax::For fill;
    fill.init = boxed(declare(ScalarType::Int, counter, integer(0)));
    fill.condition = binary(BinaryOp::Less, name(counter), integer(array.extents.front()));
    fill.step = unary(UnaryOp::PreIncrement, name(counter));
    fill.body = boxed(evaluate(assignment(std::nullopt, element(name(array.name), name(counter)), value_for(array.type, 1))));
    out.push_back(build::statement(std::move(fill)));
  }
  scope_.arrays.push_back(array);
}

void KernelMaker::pointer_declaration(Statements& out) {
  std::vector<const KnownArray*> fitting;
  for (const KnownArray& a : scope_.arrays) {
    if (a.kind == KnownArray::Kind::Whole && a.is_private && a.extents.size() == 1) {
      fitting.push_back(&a);
    }
  }
  if (fitting.empty()) {
    return array_declaration(out);
  }
  KnownArray pointer = *pick(fitting);
  const unsigned skipped = below(pointer.extents.front());
  ExprPtr value = skipped == 0 ? name(pointer.name) : binary(BinaryOp::Add, name(pointer.name), integer(skipped));
  pointer.name = fresh("p");
  pointer.extents.front() -= skipped;
  syntax::Declaration declared;
  declared.specifiers = specifiers(pointer.type);
  declared.specifiers.is_const = !pointer.is_writable;
  declared.declarators.push_back(declarator(pointer.name));
  declared.declarators.back().pointers = 1;
  declared.declarators.back().initialiser = initialiser(std::move(value));
  out.push_back(build::statement(std::move(declared)));
  scope_.arrays.push_back(pointer);
}

void KernelMaker::through_pointer(Statements& out) {
  start_expression();
  std::vector<const KnownScalar*> fitting;
  for (const KnownScalar& s : scope_.scalars) {
    if (!s.is_fixed) {
      fitting.push_back(&s);
    }
  }
  if (fitting.empty()) {
    return assign_scalar(out);
  }
  const KnownScalar target = *pick(fitting);
  targets_.insert(target.name);
  const std::string pointer = fresh("q");
  Statements inside;
  syntax::Declaration declared;
  declared.specifiers = specifiers(target.type);
  declared.declarators.push_back(declarator(pointer));
  declared.declarators.back().pointers = 1;
  declared.declarators.back().initialiser = initialiser(unary(UnaryOp::AddressOf, name(target.name)));
  inside.push_back(build::statement(std::move(declared)));
  inside.push_back(evaluate(assignment(std::nullopt, unary(UnaryOp::Dereference, name(pointer)), value_for(target.type, 2))));
  out.push_back(block(std::move(inside)));
}

}  // namespace lockstep::generate
