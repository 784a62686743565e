#include "semantics/generate/shrink.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lockstep::generate {

namespace {

using Body = std::vector<Statement>;
using Kind = Statement::Kind;

/// Asks of candidates, and keeps the first smaller one that fails still.
class Shrinker {
 public:
  Shrinker(Skeleton start, const std::function<bool(const Skeleton&)>& still_fails)
      : best_(std::move(start)), still_fails_(still_fails), size_(measure(best_)) {}

  Skeleton run() {
    while (tries_left_ > 0 && (fewer_threads() || body(best_.body) || cells())) {
    }
    return std::move(best_);
  }

 private:
  /// Whether what best_ has just been changed to is smaller and fails; if not, the caller changes it back.
  bool accepted() {
    const std::uint64_t size = measure(best_);
    if (size >= size_ || tries_left_ == 0) {
      return false;
    }
    --tries_left_;
    if (!still_fails_(best_)) {
      return false;
    }
    size_ = size;
    return true;
  }

  /// Puts `value` into `slot`, a part of best_, if the result fails.
  template <class T>
  bool replace(T& slot, T value) {
    std::swap(slot, value);
    if (accepted()) {
      return true;
    }
    std::swap(slot, value);
    return false;
  }

  bool fewer_threads() {
    for (const unsigned threads : {1U, 2U, 3U, 4U, best_.threads / 2, best_.threads - 1}) {
      if (threads > 0 && threads < best_.threads && replace(best_.threads, threads)) {
        return true;
      }
    }
    return false;
  }

  bool cells() {
    for (std::size_t k = 0; k < best_.shared.size(); ++k) {
      auto fewer = best_.shared;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      if (replace(best_.shared, std::move(fewer))) {
        return true;
      }
      for (const std::size_t count : {std::size_t{1}, best_.shared[k].values.size() / 2, best_.shared[k].values.size() - 1}) {
        auto values = best_.shared[k].values;
        values.resize(std::max<std::size_t>(std::min(count, values.size()), 1));
        if (replace(best_.shared[k].values, std::move(values))) {
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
        if (replace(b, std::move(fewer))) {
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
      if (replace(b, std::move(flat))) {
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
      if (replace(s, Statement(first)) || replace(s, Statement(second)) || replace(s, Statement(negated))) {
        return true;
      }
    }
    const bool loop = s.kind == Kind::While || s.kind == Kind::Repeat;
    return (!s.synced && replace(s.synced, true)) || body(s.body) || body(s.otherwise) || (loop ? rounds(s.value) : term(s.value)) ||
           (s.kind == Kind::Shuffle ? s.address.kind == Term::Kind::Name && replace(s.address, tid()) : term(s.address));
  }

  /// The rounds of a loop become fewer; they stay bounded, which subexpressions might not be.
  bool rounds(Term& t) {
    for (const std::int64_t n : {0, 1, 2, 3}) {
      if (!(t.kind == Term::Kind::Number && t.number <= n) && replace(t, number(n))) {
        return true;
      }
    }
    return t.kind == Term::Kind::Apply && replace(t, apply(Op::BitAnd, {tid(), number(1)}));
  }

  bool term(Term& t) {
    for (const std::int64_t n : {0, 1, 2}) {
      if (!(t.kind == Term::Kind::Number && t.number == n) && replace(t, number(n))) {
        return true;
      }
    }
    for (std::size_t k = 0; k < t.operands.size(); ++k) {
      if (replace(t, Term(t.operands[k]))) {
        return true;
      }
    }
    if ((t.kind == Term::Kind::Apply || t.kind == Term::Kind::Name) && replace(t, tid())) {
      return true;
    }
    return std::any_of(t.operands.begin(), t.operands.end(), [this](Term& operand) { return term(operand); });
  }

  Skeleton best_;
  const std::function<bool(const Skeleton&)>& still_fails_;
  std::uint64_t size_;
  std::size_t tries_left_ = max_shrink_tries;
};

}  // namespace

Skeleton shrink(Skeleton skeleton, const std::function<bool(const Skeleton&)>& still_fails) {
  return Shrinker(std::move(skeleton), still_fails).run();
}

}  // namespace lockstep::generate
