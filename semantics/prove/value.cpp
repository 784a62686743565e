#include "semantics/prove/value.hpp"

#include <z3++.h>

#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "semantics/base/internal_error.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/context.hpp"
#include "semantics/prove/value_expression.hpp"
#include "semantics/prove/value_term.hpp"

namespace lockstep::prove {

namespace {

thread_local FloatMode float_mode = FloatMode::Uninterpreted;
thread_local bool bits_are_shown = false;

/// Cases that a value may have; a value of more becomes a term.
constexpr unsigned most_cases = 64;

}  // namespace

FloatTheory::FloatTheory(FloatMode mode, bool shows_bits) : outer_(float_mode), outer_shows_bits_(bits_are_shown) {
  float_mode = mode;
  bits_are_shown = shows_bits;
}
FloatTheory::~FloatTheory() {
  float_mode = outer_;
  bits_are_shown = outer_shows_bits_;
}
FloatMode FloatTheory::mode() { return float_mode; }
bool FloatTheory::shows_bits() { return bits_are_shown; }

// ---- making and looking ------------------------------------------------------------------------------------------------

Value Value::number(ScalarType type, std::uint64_t bits) {
  Value v;
  v.type_ = type;
  v.what_ = bits;
  return v;
}

Value Value::named(ScalarType type, const std::string& name) {
  if (type == ScalarType::Bool) {
    return truth(type, Truth::named(name));
  }
  if (is_float(type) && exact() && FloatTheory::shows_bits()) {
    return value_of(type, float_of_bits(type, context().bv_const(name.c_str(), width(type))));
  }
  return value_of(type, context().constant(name.c_str(), sort_of(type)));
}

Value Value::truth(ScalarType type, const Truth& truth) {
  if (const auto known = truth.known()) {
    return number(type, *known ? 1 : 0);
  }
  Value v;
  v.type_ = type;
  v.what_ = std::make_shared<const Choice>(Choice{truth, number(type, 1), number(type, 0), 2});
  return v;
}

Value Value::pointer(std::uint32_t object, const Value& element) {
  Value v;
  v.type_ = ScalarType::Long;
  v.what_ = std::make_shared<const Pointer>(Pointer{object, element});
  return v;
}

Value Value::term(ScalarType type, Node node) {
  Value v;
  v.type_ = type;
  v.what_ = std::move(node);
  return v;
}

std::optional<std::uint64_t> Value::known() const {
  const auto* bits = std::get_if<std::uint64_t>(&what_);
  return bits != nullptr ? std::optional(*bits) : std::nullopt;
}

const Value::Choice* Value::choice() const {
  const auto* cases = std::get_if<Cases>(&what_);
  return cases != nullptr ? cases->get() : nullptr;
}

const Value::Pointer* Value::as_pointer() const {
  const auto* address = std::get_if<Address>(&what_);
  return address != nullptr ? address->get() : nullptr;
}

Node Value::as_term() const {
  const auto* node = std::get_if<Node>(&what_);
  return node != nullptr ? *node : nullptr;
}

unsigned Value::cases() const {
  const Choice* cases = choice();
  return cases != nullptr ? cases->cases : 1;
}

Value Value::as(ScalarType type) const {
  return by_cases(*this, [&](const Value& v) {
    const auto bits = v.known();
    Value result = bits ? number(type, ops::bits_as(type, *bits)) : v;
    result.type_ = type;
    return result;
  });
}

bool identical(const Value& a, const Value& b) {
  if (a.what_.index() != b.what_.index()) {
    return false;
  }
  if (const auto known = a.known()) {
    return *known == *b.known();
  }
  if (const Value::Choice* x = a.choice()) {
    const Value::Choice* y = b.choice();
    return x == y || (identical(x->condition, y->condition) && identical(x->then, y->then) && identical(x->otherwise, y->otherwise));
  }
  if (const Value::Pointer* p = a.as_pointer()) {
    const Value::Pointer* q = b.as_pointer();
    return p->object == q->object && identical(p->element, q->element);
  }
  return a.is_any() || z3::eq(*a.as_term(), *b.as_term());
}

// ---- choices -----------------------------------------------------------------------------------------------------------

namespace {

/// The truth that a value of 0s and 1s is 1; empty for others.
std::optional<Truth> as_bit(const Value& v) {
  if (const auto known = v.known()) {
    return *known <= 1 ? std::optional(Truth(*known == 1)) : std::nullopt;
  }
  const Value::Choice* choice = v.choice();
  if (choice != nullptr && choice->then.known() == 1 && choice->otherwise.known() == 0) {
    return choice->condition;
  }
  return std::nullopt;
}

/// A choice or a term of Z3 taken apart, if it is one.
struct Parts {
  Truth condition;
  Value then;
  Value otherwise;
};
std::optional<Parts> parts_of(const Value& v) {
  if (const Value::Choice* choice = v.choice()) {
    return Parts{choice->condition, choice->then, choice->otherwise};
  }
  const Node node = v.as_term();
  if (node != nullptr && node->is_ite()) {
    const auto part = [&](unsigned k) { return std::make_shared<const z3::expr>(node->arg(k)); };
    return Parts{Truth(part(0)), value_of(v.type(), part(1)), value_of(v.type(), part(2))};
  }
  return std::nullopt;
}

bool implied_by_part(const Truth& whole, const Truth& part) { return identical(whole || part, whole); }

bool is_case(const Value& v) { return v.known() || v.choice() != nullptr || v.as_pointer() != nullptr; }

void find_objects(const Value& v, std::set<std::uint32_t>& objects) {
  if (const Value::Choice* choice = v.choice()) {
    find_objects(choice->then, objects);
    find_objects(choice->otherwise, objects);
  } else {
    objects.insert(v.as_pointer()->object);
  }
}

/// The same pointer with one case for each object. Otherwise each round of a loop that moves it may add cases, or double them.
Value by_objects(const Value& pointer) {
  std::set<std::uint32_t> objects;
  find_objects(pointer, objects);
  if (objects.size() > most_cases) {
    return pointer;
  }
  Value result;
  for (const std::uint32_t object : objects) {
    const Truth is_here = by_cases(pointer, [&](const Value& p) { return Truth(p.as_pointer()->object == object); });
    const Value element =
        by_cases(pointer, [&](const Value& p) { return p.as_pointer()->object == object ? p.as_pointer()->element : Value(); });
    result = choose(is_here, Value::pointer(object, element), result);
  }
  return result;
}

}  // namespace

Value choose(const Truth& c, const Value& a, const Value& b) {
  if (const auto known = c.known()) {
    return *known ? a : b;
  }
  if (a.is_any() || b.is_any()) {
    return a.is_any() ? b : a;
  }
  if (identical(a, b)) {
    return a;
  }
  const ScalarType type = a.type();
  const std::optional<Truth> bit = as_bit(a);
  const std::optional<Truth> other_bit = bit ? as_bit(b) : std::nullopt;
  if (other_bit) {
    return Value::truth(type, choose(c, *bit, *other_bit));
  }
  const Value::Pointer* p = a.as_pointer();
  const Value::Pointer* q = b.as_pointer();
  if (p != nullptr && q != nullptr && p->object == q->object) {
    return Value::pointer(p->object, choose(c, p->element, q->element));
  }
  if (const auto parts = parts_of(a)) {
    if (identical(parts->condition, c)) {
      return choose(c, parts->then, b);
    }
    if (identical(parts->otherwise, b)) {  // one condition is enough where it is part of the other
      return implied_by_part(c, parts->condition) ? a : choose(c && parts->condition, parts->then, b);
    }
  }
  if (const auto parts = parts_of(b)) {
    if (identical(parts->condition, c)) {
      return choose(c, a, parts->otherwise);
    }
    if (identical(parts->then, a)) {
      return choose(c || parts->condition, a, parts->otherwise);
    }
  }
  if (is_case(a) && is_case(b)) {
    const unsigned cases = a.cases() + b.cases();
    const bool are_pointers = has_pointer(a) || has_pointer(b);
    if (cases <= most_cases || are_pointers) {
      Value v;
      v.type_ = type;
      v.what_ = std::make_shared<const Value::Choice>(Value::Choice{c, a, b, cases});
      return cases > most_cases ? by_objects(v) : v;
    }
  }
  return value_of(type, z3::ite(expression(c), expression(a, type), expression(b, type)));
}

// ---- conditions --------------------------------------------------------------------------------------------------------

struct Given::Parts {
  std::unordered_set<unsigned> holding;  ///< by number of the Z3 term
  std::unordered_set<unsigned> failing;

  void add(const z3::expr& whole) {
    std::vector<std::pair<z3::expr, bool>> open{{whole, true}};  // no recursion: conditions are as deep as loops have rounds
    while (!open.empty()) {
      Budget::check();
      const auto [e, holds] = open.back();
      open.pop_back();
      if (!(holds ? holding : failing).insert(e.id()).second) {
        continue;
      }
      if (e.is_not()) {
        open.emplace_back(e.arg(0), !holds);
      } else if (holds ? e.is_and() : e.is_or()) {
        for (unsigned k = 0; k < e.num_args(); ++k) {
          open.emplace_back(e.arg(k), holds);
        }
      }
    }
  }
};

Given::Given(const Truth& condition) : condition_(condition), parts_(std::make_unique<Parts>()) {
  if (!condition.known()) {
    parts_->add(*condition.node());
  }
}
Given::~Given() = default;
Given::Given(Given&&) noexcept = default;
Given& Given::operator=(Given&&) noexcept = default;

Truth Given::operator()(const Truth& truth) const {
  if (truth.known() || parts_->holding.empty()) {
    return truth;
  }
  if (parts_->holding.contains(truth.node()->id())) {
    return Truth(true);
  }
  return parts_->failing.contains(truth.node()->id()) ? Truth(false) : truth;
}

Value Given::operator()(const Value& value) const {
  if (parts_->holding.empty()) {
    return value;
  }
  if (const Value::Pointer* pointer = value.as_pointer()) {
    return Value::pointer(pointer->object, (*this)(pointer->element));
  }
  const auto parts = lockstep::prove::parts_of(value);
  if (!parts) {
    return value;
  }
  if (const auto known = (*this)(parts->condition).known()) {
    return (*this)(*known ? parts->then : parts->otherwise);
  }
  if (value.choice() != nullptr) {
    return choose(parts->condition, (*this)(parts->then), (*this)(parts->otherwise));
  }
  return value;
}

}  // namespace lockstep::prove
