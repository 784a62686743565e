#include "semantics/prove/term.hpp"

#include <z3++.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "semantics/prove/budget.hpp"
#include "semantics/prove/context.hpp"

namespace lockstep::prove {

namespace {

constexpr unsigned word_bits = 64;
constexpr unsigned cell_bits = word_bits + 2;  // value, written, poison, from the lowest bit up

Node node_of(const z3::expr& e) {
  Budget::check();
  return std::make_shared<const z3::expr>(e);
}

/// The expression, folded if all it is made of are constants.
z3::expr folded(const z3::expr& e, bool constant) { return constant ? e.simplify() : e; }

template <class F>
Word word_operation(const Word& a, const Word& b, F f) {
  return Word(node_of(folded(f(*a.node(), *b.node()), a.known() && b.known())));
}

z3::expr bit(const Truth& truth) { return z3::ite(expression(truth), context().bv_val(1, 1), context().bv_val(0, 1)); }

z3::sort memory_sort() { return context().array_sort(context().bv_sort(word_bits), context().bv_sort(cell_bits)); }

bool is_store(const z3::expr& e) { return e.is_app() && e.decl().decl_kind() == Z3_OP_STORE; }

std::optional<std::int64_t> constant(const z3::expr& e) {
  std::uint64_t number = 0;
  return e.is_numeral_u64(number) ? std::optional(std::bit_cast<std::int64_t>(number)) : std::nullopt;
}

/// A write: store(below, at, cell) where `condition` holds, else `below`.
struct Write {
  z3::expr condition;
  z3::expr at;
  z3::expr cell;
  z3::expr below;
};

/// The last write of an array that Memory::write made.
std::optional<Write> last_write(const z3::expr& array) {
  if (is_store(array)) {
    return Write{context().bool_val(true), array.arg(1), array.arg(2), array.arg(0)};
  }
  if (array.is_app() && array.decl().decl_kind() == Z3_OP_ITE) {
    const z3::expr store = array.arg(1);
    return Write{array.arg(0), store.arg(1), store.arg(2), array.arg(2)};
  }
  return std::nullopt;
}

/// The packed cell at `address`. The writes are looked through here, so that Z3 meets no nested stores, which cost it minutes.
z3::expr look_up(z3::expr array, const Word& address) {
  struct Hit {
    z3::expr condition;
    z3::expr cell;
  };
  std::vector<Hit> hits;  // from the last write
  for (auto write = last_write(array); write; write = last_write(array)) {
    const Truth hit = Truth(node_of(write->condition)) && equal(Word(node_of(write->at)), address);
    if (hit.known() == true) {
      break;
    }
    if (!hit.known()) {
      hits.push_back({*hit.node(), write->cell});
    }
    array = write->below;
  }
  const auto write = last_write(array);
  z3::expr cell = write ? write->cell : z3::select(array, *address.node());
  cell = folded(cell, address.known().has_value());
  for (auto hit = hits.rbegin(); hit != hits.rend(); ++hit) {
    cell = z3::ite(hit->condition, hit->cell, cell);
  }
  return cell;
}

}  // namespace

namespace {

/// A context, and a solver that tells what has been spent in it.
struct Home {
  z3::context context;
  z3::solver probe{context, z3::solver::simple()};

  std::uint64_t units() const {
    const z3::stats all = probe.statistics();
    for (unsigned k = 0; k < all.size(); ++k) {
      if (all.key(k) == "rlimit count") {
        return all.uint_value(k);
      }
    }
    return 0;
  }
};

thread_local Home* present_home = nullptr;
thread_local std::uint64_t units_elsewhere = 0;  ///< of this thread's other contexts

Home& home() {
  static thread_local Home first;
  return present_home != nullptr ? *present_home : first;
}

}  // namespace

struct FreshTerms::Outer {
  Home* before = present_home;
  Home fresh;
};

FreshTerms::FreshTerms() : outer_(std::make_unique<Outer>()) {
  units_elsewhere += home().units();
  present_home = &outer_->fresh;
}
FreshTerms::~FreshTerms() {
  present_home = outer_->before;
  std::uint64_t spent = 0;
  try {
    spent = outer_->fresh.units() - home().units();
  } catch (const std::exception&) {
    spent = 0;  // Z3 has no memory left for its statistics: what is lost is a count of work
  }
  units_elsewhere += spent;
}

z3::context& context() { return home().context; }

std::uint64_t z3_units() { return units_elsewhere + home().units(); }

z3::params limits_of(unsigned ms) {
  constexpr unsigned none = std::numeric_limits<unsigned>::max();
  const Budget::Question question = Budget::question(ms);
  z3::params limits(context());
  limits.set("timeout", question.ms.value_or(none));
  limits.set("rlimit", question.units.value_or(0));
  return limits;
}

z3::expr simplified(const z3::expr& e) {
  // A timer for each would cost more than most of these take.
  constexpr unsigned units_in_a_ms = 10'000;
  constexpr unsigned most_ms = 400'000;
  const Budget::Question question = Budget::question(most_ms);
  const unsigned in_time = std::min(question.ms.value_or(most_ms), most_ms) * units_in_a_ms;
  z3::params limits(context());
  limits.set("rlimit", std::min(question.units.value_or(in_time), in_time));
  try {
    z3::expr result = e.simplify(limits);
    Budget::check();
    return result;
  } catch (const z3::exception&) {
    throw OutOfBudget{Budget::spent().value_or(Spent::Time)};
  }
}

z3::expr expression(const Truth& truth) {
  const auto known = truth.known();
  return known ? context().bool_val(*known) : *truth.node();
}

Truth::Truth(Node node) : value_(node->is_true()) {
  if (!node->is_true() && !node->is_false()) {
    node_ = std::move(node);
  }
}

Truth Truth::named(const std::string& name) { return Truth(node_of(context().bool_const(name.c_str()))); }

namespace {

/// True if one of the two is the other's negation.
bool negates(const z3::expr& a, const z3::expr& b) { return (a.is_not() && z3::eq(a.arg(0), b)) || (b.is_not() && z3::eq(b.arg(0), a)); }

/// Conjunctions are looked into this deep: as deep as masks are nested in kernels, and little enough to cost nothing.
constexpr unsigned depth_of_search = 12;

/// Whether test(x) holds for `e` or for one of the parts that it is the conjunction of.
template <class F>
bool some_conjunct(const z3::expr& e, const F& test, unsigned depth = depth_of_search) {
  if (test(e)) {
    return true;
  }
  if (depth == 0 || !e.is_and()) {
    return false;
  }
  for (unsigned k = 0; k < e.num_args(); ++k) {
    if (some_conjunct(e.arg(k), test, depth - 1)) {
      return true;
    }
  }
  return false;
}
bool has_conjunct(const z3::expr& e, const z3::expr& part) {
  return some_conjunct(e, [&](const z3::expr& each) { return z3::eq(each, part); });
}
/// By Z3's own references, which the term keeps alive: to count them in each step would take most of a proof's time.
bool has_disjunct(const z3::expr& e, const z3::expr& part) {
  if (z3::eq(e, part) || !e.is_or()) {  // most are
    return z3::eq(e, part);
  }
  Z3_context in = e.ctx();
  std::vector<Z3_ast> open{e};  // no recursion: what thousands of rounds make of a flag is as deep
  while (!open.empty()) {
    Budget::check();
    Z3_ast each = open.back();
    open.pop_back();
    if (Z3_is_eq_ast(in, each, part)) {
      return true;
    }
    if (Z3_get_ast_kind(in, each) != Z3_APP_AST) {
      continue;
    }
    Z3_app app = Z3_to_app(in, each);
    if (Z3_get_decl_kind(in, Z3_get_app_decl(in, app)) == Z3_OP_OR) {
      for (unsigned k = 0; k < Z3_get_app_num_args(in, app); ++k) {
        open.push_back(Z3_get_app_arg(in, app, k));
      }
    }
  }
  return false;
}

/// If the two together say the same as `a` and something shorter than `b`: that. Masks are made of such pairs: the threads of Θ for which
/// not (Θ and c) holds are those of Θ for which not c holds.
std::optional<Truth> shorter_beside(const z3::expr& a, const z3::expr& b) {
  if (has_conjunct(a, b)) {
    return Truth(true);
  }
  if (some_conjunct(a, [&](const z3::expr& each) { return negates(each, b); })) {
    return Truth(false);
  }
  if (b.is_or() && b.num_args() == 2) {
    for (unsigned k = 0; k < 2; ++k) {
      if (has_conjunct(a, b.arg(k))) {
        return Truth(true);
      }
    }
  }
  if (b.is_not() && b.arg(0).is_and() && b.arg(0).num_args() == 2) {
    for (unsigned k = 0; k < 2; ++k) {
      if (has_conjunct(a, b.arg(0).arg(k))) {
        return !Truth(node_of(b.arg(0).arg(1 - k)));
      }
    }
  }
  return std::nullopt;
}

/// x, where the two are x and c, and x and not c.
std::optional<Truth> common_part(const z3::expr& a, const z3::expr& b) {
  if (!a.is_and() || !b.is_and() || a.num_args() != 2 || b.num_args() != 2) {
    return std::nullopt;
  }
  for (unsigned k = 0; k < 2; ++k) {
    for (unsigned l = 0; l < 2; ++l) {
      if (z3::eq(a.arg(k), b.arg(l)) && negates(a.arg(1 - k), b.arg(1 - l))) {
        return Truth(node_of(a.arg(k)));
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Truth operator!(const Truth& a) {
  if (!a.node_) {
    return Truth(!a.value_);
  }
  return Truth(node_of(a.node_->is_not() ? a.node_->arg(0) : !*a.node_));
}

Truth operator&&(const Truth& a, const Truth& b) {
  if (!a.node_) {
    return a.value_ ? b : a;
  }
  if (!b.node_) {
    return b.value_ ? a : b;
  }
  if (const auto shorter = shorter_beside(*a.node_, *b.node_)) {
    return a && *shorter;
  }
  if (const auto shorter = shorter_beside(*b.node_, *a.node_)) {
    return b && *shorter;
  }
  return Truth(node_of(*a.node_ && *b.node_));
}

Truth operator||(const Truth& a, const Truth& b) {
  if (!a.node_) {
    return a.value_ ? a : b;
  }
  if (!b.node_) {
    return b.value_ ? b : a;
  }
  if (has_disjunct(*a.node_, *b.node_) || has_conjunct(*b.node_, *a.node_)) {
    return a;
  }
  if (has_disjunct(*b.node_, *a.node_) || has_conjunct(*a.node_, *b.node_)) {
    return b;
  }
  if (negates(*a.node_, *b.node_)) {
    return Truth(true);
  }
  if (const auto common = common_part(*a.node_, *b.node_)) {
    return *common;
  }
  return Truth(node_of(*a.node_ || *b.node_));
}

Truth implies(const Truth& a, const Truth& b) { return !a || b; }

bool identical(const Truth& a, const Truth& b) { return a.known() == b.known() && (a.known() || z3::eq(*a.node(), *b.node())); }

Truth same(const Truth& a, const Truth& b) {
  if (const auto known = a.known()) {
    return *known ? b : !b;
  }
  if (const auto known = b.known()) {
    return *known ? a : !a;
  }
  return z3::eq(*a.node(), *b.node()) ? Truth(true) : Truth(node_of(*a.node() == *b.node()));
}

Truth choose(const Truth& c, const Truth& a, const Truth& b) {
  if (const auto known = c.known()) {
    return *known ? a : b;
  }
  if (const auto known = a.known()) {
    return *known ? c || b : !c && b;
  }
  if (const auto known = b.known()) {
    return *known ? !c || a : c && a;
  }
  return identical(a, b) ? a : Truth(node_of(z3::ite(*c.node(), *a.node(), *b.node())));
}

Word::Word(std::int64_t value) : known_(value), node_(node_of(context().bv_val(value, word_bits))) {}

Word::Word(Node node) : known_(constant(*node)), node_(std::move(node)) {}

Word Word::named(const std::string& name) { return Word(node_of(context().bv_const(name.c_str(), word_bits))); }

Word like(const Word&, std::int64_t constant) { return Word(constant); }
Word plus(const Word& a, const Word& b) {
  return word_operation(a, b, [](const z3::expr& x, const z3::expr& y) { return x + y; });
}
Word minus(const Word& a, const Word& b) {
  return word_operation(a, b, [](const z3::expr& x, const z3::expr& y) { return x - y; });
}
Word times(const Word& a, const Word& b) {
  return word_operation(a, b, [](const z3::expr& x, const z3::expr& y) { return x * y; });
}
Word quotient(const Word& a, const Word& b) {
  return word_operation(a, b, [](const z3::expr& x, const z3::expr& y) { return x / y; });
}
Word remainder(const Word& a, const Word& b) {
  return word_operation(a, b, [](const z3::expr& x, const z3::expr& y) { return z3::srem(x, y); });
}
Word shifted_left(const Word& a, const Word& n) {
  return word_operation(a, n, [](const z3::expr& x, const z3::expr& y) { return z3::shl(x, y); });
}
Word shifted_right(const Word& a, const Word& n) {
  return word_operation(a, n, [](const z3::expr& x, const z3::expr& y) { return z3::ashr(x, y); });
}
Word bit_and(const Word& a, const Word& b) {
  return word_operation(a, b, [](const z3::expr& x, const z3::expr& y) { return x & y; });
}
Word bit_or(const Word& a, const Word& b) {
  return word_operation(a, b, [](const z3::expr& x, const z3::expr& y) { return x | y; });
}
Word bit_xor(const Word& a, const Word& b) {
  return word_operation(a, b, [](const z3::expr& x, const z3::expr& y) { return x ^ y; });
}
Word bit_not(const Word& a) { return Word(node_of(folded(~*a.node(), a.known().has_value()))); }

Truth less(const Word& a, const Word& b) { return Truth(node_of(folded(*a.node() < *b.node(), a.known() && b.known()))); }

Truth equal(const Word& a, const Word& b) {
  return z3::eq(*a.node(), *b.node()) ? Truth(true) : Truth(node_of(folded(*a.node() == *b.node(), a.known() && b.known())));
}

Word choose(const Truth& c, const Word& a, const Word& b) {
  if (const auto known = c.known()) {
    return *known ? a : b;
  }
  return z3::eq(*a.node(), *b.node()) ? a : Word(node_of(z3::ite(*c.node(), *a.node(), *b.node())));
}

Truth same(const CellTerm& a, const CellTerm& b) {
  return same(a.is_number(), b.is_number()) && same(a.is_poison(), b.is_poison()) && implies(a.is_number(), equal(a.value, b.value));
}

CellTerm choose(const Truth& c, const CellTerm& a, const CellTerm& b) {
  return {choose(c, a.value, b.value), choose(c, a.written, b.written), choose(c, a.poison, b.poison)};
}

Memory::Memory() : array_(node_of(z3::const_array(context().bv_sort(word_bits), context().bv_val(0, cell_bits)))) {}

Memory Memory::named(const std::string& name) { return Memory(node_of(context().constant(name.c_str(), memory_sort()))); }

CellTerm Memory::read(const Word& address) const {
  const z3::expr cell = look_up(*array_, address);
  const auto flag = [&](unsigned at) { return Truth(node_of(folded(cell.extract(at, at) == context().bv_val(1, 1), cell.is_numeral()))); };
  return {Word(node_of(folded(cell.extract(word_bits - 1, 0), cell.is_numeral()))), flag(word_bits), flag(word_bits + 1)};
}

void Memory::write(const Truth& condition, const Word& address, const CellTerm& cell) {
  if (condition.known() == false) {
    return;
  }
  const bool is_constant = cell.value.known() && cell.written.known() && cell.poison.known();
  const z3::expr packed = folded(z3::concat(z3::concat(bit(cell.poison), bit(cell.written)), *cell.value.node()), is_constant);
  const z3::expr written = z3::store(*array_, *address.node(), packed);
  array_ = node_of(condition.known() ? written : z3::ite(*condition.node(), written, *array_));
}

std::vector<std::int64_t> Memory::known_addresses() const {
  std::vector<std::int64_t> result;
  for (z3::expr array = *array_; is_store(array); array = array.arg(0)) {
    if (const auto address = constant(array.arg(1))) {
      result.push_back(*address);
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace lockstep::prove
