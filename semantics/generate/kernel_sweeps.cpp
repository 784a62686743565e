// Loops over whole arrays and over the items of a group: what a compiler unrolls, does for all elements at once, or keeps rolled.

#include "semantics/generate/kernel_generator.hpp"

namespace lockstep::generate {

using namespace build;

namespace {

constexpr unsigned most_rounds = 48;

syntax::For counted(const std::string& counter, ExprPtr limit, std::vector<syntax::Stmt> body) {
  syntax::For made;
  made.init = boxed(declare(ScalarType::Int, counter, integer(0)));
  made.condition = binary(BinaryOp::Less, name(counter), std::move(limit));
  made.step = unary(syntax::UnaryOp::PreIncrement, name(counter));
  made.body = boxed(block(std::move(body)));
  return made;
}

}  // namespace

/// Arrays of one dimension with more than one element for an item.
std::vector<KnownArray> KernelMaker::sweepable(bool writable) const {
  std::vector<KnownArray> found;
  for (const KnownArray& a : scope_.arrays) {
    if (a.extents.size() == 1 && a.extents.front() > 1 && a.row.empty() && (a.is_writable || !writable)) {
      found.push_back(a);
    }
  }
  return found;
}

/// A number below `extent` that depends on the counter, which is below it.
ExprPtr KernelMaker::swept_index(const std::string& counter, unsigned extent) {
  switch (below(6)) {
    case 3:
      return binary(BinaryOp::Sub, integer(extent - 1), name(counter));
    case 4:
      return binary(BinaryOp::Rem, parenthesised(binary(BinaryOp::Add, name(counter), integer(1 + below(extent)))), integer(extent));
    case 5:
      return extent % 2 == 0 ? binary(BinaryOp::BitXor, name(counter), integer(1)) : name(counter);
    default:
      return name(counter);
  }
}

ExprPtr KernelMaker::swept_element(const KnownArray& array, const std::string& counter, unsigned extent) {
  ExprPtr at = swept_index(counter, extent);
  if (array.kind == KnownArray::Kind::Own) {
    at = binary(BinaryOp::Add, binary(BinaryOp::Mul, global_id(), integer(array.extents.front())), std::move(at));
  }
  return element(name(array.name), std::move(at));
}

/// `target[..] = f(source[..], …);` once or twice, sometimes with a sum, or for some items only.
KernelMaker::Statements KernelMaker::swept_body(const KnownArray& target, const std::string& counter, unsigned extent) {
  Statements body;
  for (unsigned count = 1 + below(2); count > 0; --count) {
    start_expression();
    effects_ = false;
    std::vector<KnownArray> sources;
    for (const KnownArray& a : sweepable(false)) {
      if (a.extents.front() >= extent && is_float(a.type) == is_float(target.type)) {
        sources.push_back(a);
      }
    }
    const KnownArray source = pick(sources);
    ExprPtr read = swept_element(source, counter, extent);
    static constexpr std::array ops = {BinaryOp::Add, BinaryOp::Mul, BinaryOp::Sub};
    static constexpr std::array bits = {BinaryOp::BitXor, BinaryOp::BitAnd, BinaryOp::BitOr};
    const bool plain_bits = options_.portable && !is_float(target.type);
    const BinaryOp op = plain_bits ? bits[below(bits.size())] : ops[below(ops.size())];
    Typed other = expression(is_float(target.type), 1);
    ExprPtr value = below(3) == 0 ? std::move(read) : binary(op, std::move(read), parenthesised(std::move(other.e)));
    syntax::Stmt made =
        evaluate(assignment(one_in(4) ? std::optional(op) : std::nullopt, swept_element(target, counter, extent), std::move(value)));
    if (one_in(4)) {
      made = build::statement(syntax::If{condition(1), boxed(std::move(made)), nullptr});
    }
    body.push_back(std::move(made));
  }
  return body;
}

void KernelMaker::sweep_array(Statements& out, const Site& site) {
  if (sweepable(true).empty()) {
    array_declaration(out);
  }
  const std::vector<KnownArray> targets = sweepable(true);
  if (targets.empty()) {
    return assign_scalar(out);
  }
  const KnownArray target = pick(targets);
  const unsigned extent = target.extents.front();
  cost_ += extent * site.rounds;
  const Scope before = scope_;
  const std::string counter = fresh("i");
  scope_.scalars.push_back({counter, ScalarType::Int, true});
  Statements body = swept_body(target, counter, extent);
  for (const KnownScalar& s : before.scalars) {
    const bool fits = !s.is_fixed && is_float(s.type) == is_float(target.type) && !may_overflow(BinaryOp::Add, s.type, target.type);
    if (fits && one_in(3)) {
      body.push_back(evaluate(assignment(BinaryOp::Add, name(s.name), swept_element(target, counter, extent))));
      break;
    }
  }
  scope_ = before;
  out.push_back(build::statement(counted(counter, integer(extent), std::move(body))));
}

/// An array of two dimensions, row by row and column by column.
void KernelMaker::sweep_rows(Statements& out) {
  start_expression();
  effects_ = false;
  const ScalarType type = below(2) == 0 ? ScalarType::Float : integer_type();
  const unsigned rows = 2 + below(3);
  KnownArray array{fresh("a"), type, {rows, rows}, KnownArray::Kind::Whole, true, true, ""};
  syntax::Declaration declared;
  declared.specifiers = specifiers(type);
  declared.declarators.push_back(declarator(array.name));
  declared.declarators.back().extents.push_back(integer(rows));
  declared.declarators.back().extents.push_back(integer(rows));
  declared.declarators.back().initialiser = array_values(array, 0);
  out.push_back(build::statement(std::move(declared)));
  scope_.arrays.push_back(array);
  cost_ += rows * rows;
  const Scope before = scope_;
  const std::string row = fresh("i");
  const std::string column = fresh("i");
  scope_.scalars.push_back({row, ScalarType::Int, true});
  scope_.scalars.push_back({column, ScalarType::Int, true});
  const auto cell = [&](bool turned) {
    return element(element(name(array.name), name(turned ? column : row)), swept_index(turned ? row : column, rows));
  };
  start_expression();
  effects_ = false;
  Statements inner;
  inner.push_back(evaluate(assignment(std::nullopt, cell(false), below(2) == 0 ? cell(true) : value_for(type, 1))));
  Statements outer;
  outer.push_back(build::statement(counted(column, integer(rows), std::move(inner))));
  scope_ = before;
  out.push_back(build::statement(counted(row, integer(rows), std::move(outer))));
}

/// Each item takes something of every other one, in turn; in plain OpenCL, so many rounds of what does not change from one to the next.
void KernelMaker::sweep_items(Statements& out) {
  start_expression();
  effects_ = false;
  std::vector<KnownScalar> variables;
  for (const KnownScalar& s : scope_.scalars) {
    if (!s.is_fixed && !may_overflow(BinaryOp::Add, s.type, s.type)) {
      variables.push_back(s);
    }
  }
  if (variables.empty()) {
    return assign_scalar(out);
  }
  const KnownScalar changed = pick(variables);
  const KnownScalar given = pick(variables);
  const Scope before = scope_;
  const std::string counter = fresh("i");
  scope_.scalars.push_back({counter, ScalarType::Int, true});
  ExprPtr value = is_plain() ? exactly(changed.type, 1) : shuffle_of(name(given.name), name(counter));
  const bool mixed = is_float(changed.type) != is_float(given.type) && !is_plain();
  if (mixed) {
    value = is_float(changed.type) ? cast(changed.type, std::move(value)) : guarded(changed.type, {std::move(value), given.type});
  }
  syntax::Stmt step = evaluate(assignment(below(2) == 0 ? BinaryOp::Add : BinaryOp::Sub, name(changed.name), std::move(value)));
  if (below(2) == 0) {
    ExprPtr when =
        binary(below(2) == 0 ? BinaryOp::Greater : BinaryOp::NotEqual, cast(ScalarType::Int, query("get_local_id")), name(counter));
    step = build::statement(syntax::If{std::move(when), boxed(std::move(step)), nullptr});
  }
  scope_ = before;
  Statements body;
  body.push_back(std::move(step));
  ExprPtr rounds = is_plain() ? integer(12 + below(24)) : cast(ScalarType::Int, query("get_local_size"));
  cost_ += is_plain() ? most_rounds : kernel_.wg_size;
  out.push_back(build::statement(counted(counter, std::move(rounds), std::move(body))));
}

void KernelMaker::sweep(Statements& out, const Site& site) {
  const unsigned kind = below(4);
  const bool whole_group = site.is_uniform && !has_left_ && within_ == Within::Kernel;
  if (kind == 2 && site.rounds <= 3) {
    return sweep_rows(out);
  }
  if (kind == 3 && whole_group && site.rounds == 1) {
    return sweep_items(out);
  }
  if (site.rounds * 8 <= most_rounds) {
    return sweep_array(out, site);
  }
  assign_scalar(out);
}

}  // namespace lockstep::generate
