// Control of random kernels: branches, loops, switches and ways out of them. Loops count rounds with a variable that nothing else assigns.

#include "semantics/generate/kernel_generator.hpp"

namespace lockstep::generate {

using namespace build;

void KernelMaker::statement(Statements& out, const Site& site) {
  site_ = site;
  cost_ += site.rounds;
  const unsigned kind = site.depth < options_.nesting ? below(options_.sweeps ? 24 : 20) : 0;
  if (kind >= 20) {
    sweep(out, site);
  } else if (kind >= 18) {
    choose(out, site);
  } else if (kind >= 15 && site.rounds < rounds_limit_) {
    if (!options_.heads || below(2) == 0 || !any_head(out, site)) {
      loop(out, site);
    }
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

void KernelMaker::branch(Statements& out, const Site& site) {
  start_expression();
  syntax::If made;
  made.condition = condition(options_.expression_depth);
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

}  // namespace lockstep::generate
