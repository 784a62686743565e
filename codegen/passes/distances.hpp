#pragma once
// Whether rounds of a loop, or items, touch one element: the arithmetic behind doing rounds together. Indices are computed modulo 2^64, so
// comparing them as integers needs that nothing wraps. Over a number domain, as interval.hpp.

#include "semantics/ops/interval.hpp"

namespace lockstep::passes {

/// In round r, item w touches the element r * round + w * item + c, and in round s, item v touches the element s * round + v * item + c -
/// difference, modulo 2^word. r and s differ by less than `rounds`, w and v by less than `items`.
template <class N>
struct Touching {
  N round;
  N item;
  N difference;
  N rounds;
  N items;
  unsigned word = 64;
};

template <class N>
N magnitude(const N& n) {
  const N zero = whole(n, 0);
  return choose(n < zero, zero - n, n);
}

/// They touch one element only if the integers are equal: r * round + w * item + difference == s * round + v * item.
template <class N>
auto never_wraps(const Touching<N>& t) {
  const N one = whole(t.round, 1);
  return magnitude(t.round) * (t.rounds - one) + magnitude(t.item) * (t.items - one) + magnitude(t.difference) <
         whole(t.round, Wide{1} << t.word);
}

/// They touch one element only if w == v.
template <class N>
auto meet_in_one_item(const Touching<N>& t) {
  return never_wraps(t) && magnitude(t.round) * (t.rounds - whole(t.round, 1)) + magnitude(t.difference) < magnitude(t.item);
}

/// They touch one element only if r == s.
template <class N>
auto meet_in_one_round(const Touching<N>& t) {
  return never_wraps(t) && t.difference == whole(t.round, 0) && magnitude(t.item) * (t.items - whole(t.round, 1)) < magnitude(t.round);
}

/// Of one touch (there is no difference): each item touches another element in each round.
template <class N>
auto are_all_apart(const Touching<N>& t) {
  const N zero = whole(t.round, 0);
  return t.difference == zero && !(t.round == zero) && !(t.item == zero) && (meet_in_one_item(t) || meet_in_one_round(t));
}

/// Of one round (`rounds` is 1): whether some item touches an element that some item, perhaps the same, touches later.
template <class N>
auto some_items_meet(const Touching<N>& t) {
  return !never_wraps(t) ||
         (magnitude(t.difference) <= magnitude(t.item) * (t.items - whole(t.round, 1)) && is_multiple(t.difference, t.item));
}

/// What one item does (or w == v is known): r * round + difference == s * round, where the difference is any number from `least` to `most`.
template <class N>
struct InOneItem {
  N round;
  N least;
  N most;
  N rounds;
  unsigned word = 64;
};

/// Whether s may be above r, or below it, if they touch one element. Without this nothing may be said.
template <class N>
auto is_decided(const InOneItem<N>& t) {
  const N zero = whole(t.round, 0);
  const N one = whole(t.round, 1);
  return !(t.round == zero) && never_wraps(Touching<N>{t.round, zero, t.least, t.rounds, one, t.word}) &&
         never_wraps(Touching<N>{t.round, zero, t.most, t.rounds, one, t.word});
}
template <class N>
auto second_may_be_later(const InOneItem<N>& t) {
  const N zero = whole(t.round, 0);
  return (zero < t.round && zero < t.most) || (t.round < zero && t.least < zero);
}
template <class N>
auto second_may_be_earlier(const InOneItem<N>& t) {
  const N zero = whole(t.round, 0);
  return (zero < t.round && t.least < zero) || (t.round < zero && zero < t.most);
}
/// They never touch one element: the difference is one number, and no multiple of what rounds are apart.
template <class N>
auto never_meet(const InOneItem<N>& t) {
  return is_decided(t) && t.least == t.most && !is_multiple(t.least, t.round);
}

}  // namespace lockstep::passes
