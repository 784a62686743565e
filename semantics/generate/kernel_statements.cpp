// Statements of random kernels. Loops count rounds with a variable that nothing else assigns; barriers stand where all items come by.

#include "semantics/generate/kernel_generator.hpp"

namespace lockstep::generate {

using namespace build;

namespace {

constexpr unsigned deepest = 4;
constexpr unsigned expression_depth = 3;

bool is_integer_op(BinaryOp op) { return op != BinaryOp::Add && op != BinaryOp::Sub && op != BinaryOp::Mul && op != BinaryOp::Div; }

}  // namespace

void KernelMaker::statement(Statements& out, const Site& site) {
  site_ = site;
  cost_ += site.rounds;
  const unsigned kind = site.depth < deepest ? below(20) : 0;
  if (kind >= 18) {
    choose(out, site);
  } else if (kind >= 15 && site.rounds < rounds_limit_) {
    loop(out, site);
  } else if (kind >= 11) {
    branch(out, site);
  } else {
    simple(out, site);
  }
}

KernelMaker::Statements KernelMaker::sequence(const Site& site, unsigned most) {
  const Scope before = scope_;
  Statements result;
  Site inside = site;
  ++inside.depth;
  for (unsigned count = 1 + below(most); count > 0; --count) {
    statement(result, inside);
  }
  if (one_in(4)) {
    leave(result, inside);
  }
  scope_ = before;
  return result;
}

std::unique_ptr<syntax::Stmt> KernelMaker::arm(const Site& site) {
  Statements statements = sequence(site, 3);
  const bool is_declaration = std::holds_alternative<syntax::Declaration>(statements.front().node);
  if (statements.size() == 1 && std::holds_alternative<syntax::ExprStatement>(statements.front().node) && !is_declaration &&
      below(2) == 0) {
    return boxed(std::move(statements.front()));
  }
  return boxed(block(std::move(statements)));
}

void KernelMaker::simple(Statements& out, const Site& site) {
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
    return through_pointer(out);
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
  if (kind == 0) {
    out.push_back(evaluate(unary(steps[below(steps.size())], name(target.name))));
    return;
  }
  if (kind <= 2) {
    BinaryOp op = ops[below(ops.size())];
    if (is_float(target.type) && (is_integer_op(op) || (op == BinaryOp::Div && is_plain()))) {
      op = BinaryOp::Sub;
    }
    ExprPtr value = is_float(target.type) ? value_for(target.type, expression_depth) : integer_expression(expression_depth).e;
    if ((op == BinaryOp::Div || op == BinaryOp::Rem) && !is_float(target.type)) {
      value = binary(BinaryOp::Add, parenthesised(binary(BinaryOp::BitAnd, std::move(value), integer(15))), integer(1));
    }
    out.push_back(evaluate(assignment(op, name(target.name), std::move(value))));
    return;
  }
  ExprPtr value;
  if (kind == 3 && fitting.size() > 1) {
    const KnownScalar other = *pick(fitting);
    if (other.name != target.name && is_float(other.type) == is_float(target.type)) {
      targets_.insert(other.name);
      value = assignment(std::nullopt, name(other.name), value_for(other.type, expression_depth));
    }
  }
  if (value == nullptr) {
    value = value_for(target.type, expression_depth);
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
  const bool compound = below(4) == 0;
  ExprPtr value = compound && !is_float(target.type) ? integer_expression(expression_depth).e : value_for(target.type, expression_depth);
  out.push_back(evaluate(assignment(compound ? std::optional(BinaryOp::Add) : std::nullopt, std::move(place), std::move(value))));
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
    ExprPtr value = hides ? constant(type) : value_for(type, expression_depth);
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

// ---- control -----------------------------------------------------------------------------------------------------------

void KernelMaker::branch(Statements& out, const Site& site) {
  start_expression();
  syntax::If made;
  made.condition = condition(expression_depth);
  Site inside = site;
  inside.is_uniform = false;
  made.then = arm(inside);
  if (below(2) == 0) {
    // An else belongs to the nearest if: an arm in front of it stands in braces.
    if (!std::holds_alternative<syntax::Block>(made.then->node)) {
      Statements wrapped;
      wrapped.push_back(std::move(*made.then));
      made.then = boxed(block(std::move(wrapped)));
    }
    made.otherwise = arm(inside);
  }
  out.push_back(build::statement(std::move(made)));
}

void KernelMaker::loop(Statements& out, const Site& site) {
  start_expression();
  const unsigned most = std::max(1U, std::min(3U, rounds_limit_ / site.rounds));
  Site inside = site;
  inside.rounds = site.rounds * most;
  inside.is_uniform = site.is_uniform && below(2) == 0;
  inside.in_loop = !inside.is_uniform;
  inside.in_switch = false;
  inside.must_stay = site.must_stay || inside.is_uniform;
  const bool divergent = !inside.is_uniform && below(3) != 0;
  effects_ = false;
  const auto bound = [&]() -> ExprPtr {
    if (!divergent) {
      return integer(inside.is_uniform ? most : below(most + 1));
    }
    ExprPtr e = below(2) == 0 ? query("get_local_id") : leaf(false, 1).e;
    return parenthesised(binary(BinaryOp::BitAnd, std::move(e), integer(most == 2 ? 1 : most)));
  };
  const ScalarType type = one_in(3) ? integer_type() : ScalarType::Int;
  const std::string counter = fresh("i");
  const Scope before = scope_;
  const unsigned kind = below(6);
  // The bound is made before the counter is known, so that it does not depend on it.
  ExprPtr limit = bound();
  scope_.scalars.push_back({counter, type, true});
  const auto count_up = [&]() -> ExprPtr {
    switch (below(4)) {
      case 0:
        return unary(UnaryOp::PreIncrement, name(counter));
      case 1:
        return assignment(BinaryOp::Add, name(counter), integer(1));
      case 2:
        return assignment(std::nullopt, name(counter), binary(BinaryOp::Add, name(counter), integer(1)));
      default:
        return unary(UnaryOp::PostIncrement, name(counter));
    }
  };
  if (kind <= 2) {
    syntax::For made;
    made.init = boxed(declare(type, counter, integer(0)));
    made.step = count_up();
    Statements inner;
    if (kind == 2) {
      inner.push_back(build::statement(
          syntax::If{binary(BinaryOp::GreaterEqual, name(counter), std::move(limit)), boxed(build::statement(syntax::Break{})), nullptr}));
    } else {
      made.condition = binary(BinaryOp::Less, name(counter), std::move(limit));
    }
    for (syntax::Stmt& s : sequence(inside, 3)) {
      inner.push_back(std::move(s));
    }
    made.body = boxed(block(std::move(inner)));
    out.push_back(build::statement(std::move(made)));
  } else {
    Statements whole;
    whole.push_back(declare(type, counter, integer(0)));
    Statements inner = sequence(inside, 3);
    if (kind == 3) {
      whole.push_back(build::statement(syntax::DoWhile{
          boxed(block(std::move(inner))), binary(BinaryOp::Less, unary(UnaryOp::PreIncrement, name(counter)), std::move(limit))}));
    } else if (kind == 4) {
      whole.push_back(build::statement(syntax::While{binary(BinaryOp::Less, unary(UnaryOp::PostIncrement, name(counter)), std::move(limit)),
                                                     boxed(block(std::move(inner)))}));
    } else {
      inner.insert(inner.begin(), evaluate(count_up()));
      whole.push_back(
          build::statement(syntax::While{binary(BinaryOp::Less, name(counter), std::move(limit)), boxed(block(std::move(inner)))}));
    }
    out.push_back(block(std::move(whole)));
  }
  scope_ = before;
}

void KernelMaker::choose(Statements& out, const Site& site) {
  start_expression();
  const unsigned cases = 1 + below(4);
  ExprPtr value = binary(BinaryOp::BitAnd, integer_expression(2).e, integer(cases > 2 ? 3 : 1));
  Site inside = site;
  inside.is_uniform = false;
  inside.in_switch = true;
  Statements body;
  const unsigned other = below(cases + 2);  // where `default:` stands, if at all
  for (unsigned k = 0; k < cases; ++k) {
    if (k == other) {
      body.push_back(build::statement(syntax::CaseLabel{nullptr}));
    }
    if (k != other || below(2) == 0) {
      body.push_back(build::statement(syntax::CaseLabel{integer(k)}));
    }
    body.push_back(block(sequence(inside, 2)));
    if (below(4) != 0) {
      body.push_back(build::statement(syntax::Break{}));
    }
  }
  out.push_back(build::statement(syntax::Switch{std::move(value), boxed(block(std::move(body)))}));
}

void KernelMaker::return_here(Statements& out) {
  start_expression();
  effects_ = false;
  out.push_back(build::statement(syntax::Return{result_ ? value_for(*result_, 1) : nullptr}));
}

void KernelMaker::leave(Statements& out, const Site& site) {
  start_expression();
  Statements way;
  const unsigned kind = below(4);
  if (kind == 3 && !site.must_stay && (within_ != Within::Kernel || one_in(4))) {
    has_left_ = true;
    return_here(way);
  } else if (site.in_switch) {
    way.push_back(build::statement(syntax::Break{}));
  } else if (site.in_loop) {
    way.push_back(below(2) == 0 ? build::statement(syntax::Break{}) : build::statement(syntax::Continue{}));
  } else {
    return;
  }
  if (site.depth > 1 && one_in(4)) {
    out.push_back(std::move(way.front()));
    return;
  }
  start_expression();
  out.push_back(build::statement(syntax::If{condition(2), boxed(std::move(way.front())), nullptr}));
}

// ---- items that look at each other -------------------------------------------------------------------------------------

void KernelMaker::barrier(Statements& out) {
  out.push_back(evaluate(call_of("barrier", name(below(2) == 0 ? "CLK_LOCAL_MEM_FENCE" : "CLK_GLOBAL_MEM_FENCE"))));
}

/// Each item writes its own cell and reads that of another one, with barriers in plain OpenCL; in lockstep none are needed.
void KernelMaker::neighbours(Statements& out) {
  if (!local_ || within_ != Within::Kernel) {
    return assign_scalar(out);
  }
  start_expression();
  effects_ = false;
  const auto own = [&] { return element(name(local_->name), query("get_local_id")); };
  ExprPtr value = value_for(local_->type, 2);
  Statements inside;
  inside.push_back(evaluate(assignment(std::nullopt, own(), std::move(value))));
  barrier(inside);
  ExprPtr other = binary(BinaryOp::Rem, parenthesised(binary(BinaryOp::Add, query("get_local_id"), integer(1 + below(kernel_.wg_size)))),
                         integer(kernel_.wg_size));
  for (const KnownScalar& s : scope_.scalars) {
    if (!s.is_fixed && (is_float(s.type) || !is_float(local_->type))) {
      inside.push_back(evaluate(assignment(std::nullopt, name(s.name), element(name(local_->name), std::move(other)))));
      break;
    }
  }
  barrier(inside);
  out.push_back(block(std::move(inside)));
}

/// A shuffle: to a variable that holds numbers where all items are there, else to one that may hold poison.
void KernelMaker::exchange(Statements& out, const Site& site) {
  if (local_ && within_ == Within::Kernel && one_in(3)) {
    start_expression();
    effects_ = false;
    ExprPtr there = element(name(local_->name), safe_lane());
    if (below(2) == 0) {
      out.push_back(evaluate(assignment(std::nullopt, element(name(local_->name), query("get_local_id")), std::move(there))));
      return;
    }
    out.push_back(evaluate(assignment(std::nullopt, element(name(local_->name), query("get_local_id")), value_for(local_->type, 2))));
    return;
  }
  start_expression();
  effects_ = false;
  if (site.is_uniform && !has_left_) {
    for (const KnownScalar& s : scope_.scalars) {
      if (!s.is_fixed && below(3) == 0) {
        out.push_back(evaluate(assignment(std::nullopt, name(s.name), shuffle_of(exactly(s.type, 2), safe_lane()))));
        return;
      }
    }
  }
  if (scope_.poison.empty()) {
    return assign_scalar(out);
  }
  const KnownScalar target = pick(scope_.poison);
  ExprPtr value = poisonous(target.type, 2).e;
  switch (below(4)) {
    case 0:
      value = call_of("sub_group_shuffle_xor", std::move(value), integer(1 + below(3)));
      break;
    case 1:
      value = call_of("sub_group_broadcast", std::move(value), integer(below(kernel_.wg_size)));
      break;
    default:
      value = shuffle_of(std::move(value), below(2) == 0 ? integer_expression(2).e : safe_lane());
      break;
  }
  out.push_back(evaluate(assignment(std::nullopt, name(target.name), std::move(value))));
}

void KernelMaker::poison_step(Statements& out) {
  if (scope_.poison.empty()) {
    return assign_scalar(out);
  }
  start_expression();
  effects_ = false;
  const KnownScalar target = pick(scope_.poison);
  out.push_back(evaluate(assignment(std::nullopt, name(target.name), poisonous(target.type, 2).e)));
}

void KernelMaker::group_vote(Statements& out) {
  start_expression();
  effects_ = false;
  for (const KnownScalar& s : scope_.scalars) {
    if (!s.is_fixed && !is_float(s.type) && !has_left_ && within_ == Within::Kernel) {
      ExprPtr vote = call_of(below(2) == 0 ? "work_group_any" : "work_group_all", condition(1));
      out.push_back(evaluate(assignment(std::nullopt, name(s.name), std::move(vote))));
      return;
    }
  }
  assign_scalar(out);
}

void KernelMaker::crev_call(Statements& out, const Site& site) {
  std::vector<const KnownTask*> fitting;
  for (const KnownTask& t : tasks_) {
    if (within_ == Within::Kernel ? t.cost * site.rounds * kernel_.wg_size <= 600 : t.level > level_ && t.cost * kernel_.wg_size <= 300) {
      fitting.push_back(&t);
    }
  }
  if (fitting.empty() || within_ == Within::Function) {
    return assign_scalar(out);
  }
  start_expression();
  effects_ = options_.disjoint_calls ? false : effects_;
  const KnownTask task = *pick(fitting);
  cost_ += task.cost * site.rounds * kernel_.wg_size;
  std::vector<ExprPtr> arguments;
  if (within_ == Within::Kernel) {
    arguments.push_back(cast(ScalarType::Int, global_id()));
  } else {
    ExprPtr child = binary(BinaryOp::Mul, name(who_), cast(ScalarType::Int, query("get_local_size")));
    arguments.push_back(binary(BinaryOp::Add, std::move(child), cast(ScalarType::Int, query("get_local_id"))));
  }
  if (task.is_recursive) {
    arguments.push_back(integer(below(2)));
  }
  for (const ScalarType type : task.parameters) {
    arguments.push_back(value_for(type, 2));
  }
  arguments.push_back(name("rows"));
  syntax::Stmt made = evaluate(call(task.name, std::move(arguments), true));
  if (below(3) != 0) {
    start_expression();
    out.push_back(build::statement(syntax::If{condition(2), boxed(std::move(made)), nullptr}));
    return;
  }
  out.push_back(std::move(made));
}

}  // namespace lockstep::generate
