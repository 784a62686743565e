#include "semantics/generate/shrink.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "semantics/generate/smallest.hpp"

namespace lockstep::generate {

namespace {

using Body = std::vector<Statement>;
using Kind = Statement::Kind;

class Shrinker {
 public:
  Shrinker(Skeleton start, const std::function<bool(const Skeleton&)>& still_fails)
      : best_(std::move(start), still_fails, measure, max_shrink_tries) {}

  Skeleton run() {
    while (best_.goes_on() && (fewer_threads() || body(best_->body) || cells())) {
    }
    return std::move(*best_);
  }

 private:
  bool fewer_threads() {
    for (const unsigned threads : {1U, 2U, 3U, 4U, best_->threads / 2, best_->threads - 1}) {
      if (threads > 0 && threads < best_->threads && best_.replace(best_->threads, threads)) {
        return true;
      }
    }
    return false;
  }

  bool cells() {
    for (std::size_t k = 0; k < best_->shared.size(); ++k) {
      if (best_.remove(best_->shared, k)) {
        return true;
      }
      for (const std::size_t count : {std::size_t{1}, best_->shared[k].values.size() / 2, best_->shared[k].values.size() - 1}) {
        auto values = best_->shared[k].values;
        values.resize(std::max<std::size_t>(std::min(count, values.size()), 1));
        if (best_.replace(best_->shared[k].values, std::move(values))) {
          return true;
        }
      }
    }
    return false;
  }

  /// Shrinks a sequence somewhere: runs of statements first, then single ones.
  bool body(Body& b) {
    for (std::size_t run = b.size(); run > 0; run /= 2) {
      for (std::size_t first = 0; first + run <= b.size(); first += run) {
        Body fewer(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(first));
        fewer.insert(fewer.end(), b.begin() + static_cast<std::ptrdiff_t>(first + run), b.end());
        if (best_.replace(b, std::move(fewer))) {
          return true;
        }
      }
    }
    for (std::size_t k = 0; k < b.size(); ++k) {
      if (unfold(b, k) || statement(b[k])) {
        return true;
      }
    }
    return false;
  }

  /// Puts the statements inside of b[k] in its place.
  bool unfold(Body& b, std::size_t k) {
    for (const Body* inner : {&b[k].body, &b[k].otherwise}) {
      if (inner->empty()) {
        continue;
      }
      Body inside = *inner;
      if (b[k].kind == Kind::Block) {
        inside = outside_of_block(std::move(inside));
      }
      for (Statement& s : inside) {
        s.synced = true;
      }
      Body flat(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(k));
      flat.insert(flat.end(), std::make_move_iterator(inside.begin()), std::make_move_iterator(inside.end()));
      flat.insert(flat.end(), b.begin() + static_cast<std::ptrdiff_t>(k) + 1, b.end());
      if (best_.replace(b, std::move(flat))) {
        return true;
      }
    }
    return false;
  }

  /// What was in a block without what only a block may hold: the tests of its mask.
  static Body outside_of_block(Body b) {
    Body result;
    for (Statement& s : b) {
      if (s.kind != Kind::Block) {
        s.body = outside_of_block(std::move(s.body));
        s.otherwise = outside_of_block(std::move(s.otherwise));
        s.synced = true;
      }
      if (s.kind == Kind::MaskIf) {
        result.insert(result.end(), std::make_move_iterator(s.body.begin()), std::make_move_iterator(s.body.end()));
      } else {
        result.push_back(std::move(s));
      }
    }
    return result;
  }

  bool statement(Statement& s) {
    if (s.kind == Kind::IfElse) {
      const Statement first{Kind::If, {}, s.value, {}, s.body, {}, true};
      const Statement second{Kind::If, {}, s.value, {}, s.otherwise, {}, true};
      const Statement negated{Kind::If, {}, apply(Op::LogicalNot, {s.value}), {}, s.otherwise, {}, true};
      if (best_.replace(s, Statement(first)) || best_.replace(s, Statement(second)) || best_.replace(s, Statement(negated))) {
        return true;
      }
    }
    const bool loop = s.kind == Kind::While || s.kind == Kind::Repeat;
    return (!s.synced && best_.replace(s.synced, true)) || body(s.body) || body(s.otherwise) || (loop ? rounds(s.value) : term(s.value)) ||
           (s.kind == Kind::Shuffle ? s.address.kind == Term::Kind::Name && best_.replace(s.address, tid()) : term(s.address));
  }

  /// The rounds of a loop become fewer; they stay bounded, which subexpressions might not be.
  bool rounds(Term& t) {
    for (const std::int64_t n : {0, 1, 2, 3}) {
      if (!(t.kind == Term::Kind::Number && t.number <= n) && best_.replace(t, number(n))) {
        return true;
      }
    }
    return t.kind == Term::Kind::Apply && best_.replace(t, apply(Op::BitAnd, {tid(), number(1)}));
  }

  bool term(Term& t) {
    for (const std::int64_t n : {0, 1, 2}) {
      if (!(t.kind == Term::Kind::Number && t.number == n) && best_.replace(t, number(n))) {
        return true;
      }
    }
    for (std::size_t k = 0; k < t.operands.size(); ++k) {
      if (best_.replace(t, Term(t.operands[k]))) {
        return true;
      }
    }
    if ((t.kind == Term::Kind::Apply || t.kind == Term::Kind::Name) && best_.replace(t, tid())) {
      return true;
    }
    return std::any_of(t.operands.begin(), t.operands.end(), [this](Term& operand) { return term(operand); });
  }

  Smallest<Skeleton> best_;
};

}  // namespace

Skeleton shrink(Skeleton skeleton, const std::function<bool(const Skeleton&)>& still_fails) {
  return Shrinker(std::move(skeleton), still_fails).run();
}

}  // namespace lockstep::generate
