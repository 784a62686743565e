#include "codegen/passes/loops.hpp"

#include <algorithm>
#include <set>
#include <type_traits>
#include <unordered_map>

#include "codegen/passes/bounds.hpp"
#include "codegen/passes/kinds.hpp"
#include "codegen/passes/walk.hpp"

namespace lockstep::passes {

namespace {

/// Elements of one item beyond which a loop is not done at once.
constexpr std::int64_t most_elements = 1024;
/// Assignments beyond which a loop is not unrolled.
constexpr std::size_t most_unrolled = 512;

/// A touch of an array or of memory: where in the body, and which element in terms of the loop's variable.
struct Touch {
  std::size_t statement = 0;
  bool writes = false;
  Polynomial index;
};

class Independence {
 public:
  Independence(const Assignments& in, const Bounds& bounds, const For& loop) : in_(in), bounds_(bounds), loop_(loop) {}

  /// The number of elements that the rounds work on, if they are independent.
  std::optional<std::uint32_t> elements() {
    if (loop_.step != 1) {
      return std::nullopt;
    }
    const auto first = bounds_.least(loop_.from);
    const auto end = bounds_.greatest(loop_.limit);
    if (!first || !end || *first < 0 || *end > most_elements || *end < 2) {
      return std::nullopt;
    }
    rounds_ = *end - *first;
    elements_ = *end;
    if (!collect() || !arrays_are_independent() || !memory_is_independent()) {
      return std::nullopt;
    }
    return static_cast<std::uint32_t>(elements_);
  }

 private:
  bool is_changed(const Polynomial& polynomial) const {
    bool changed = false;
    polynomial.for_each_value([&](VarId var) { changed = changed || own_.contains(var); });
    return changed;
  }

  /// Sorts out what the body does; false if something in it cannot be done for all rounds at once.
  bool collect() {
    std::set<VarId> begun;
    for (const Statement& statement : loop_.body) {
      if (const auto* assign = std::get_if<Assign>(&statement.node)) {
        const Variable& target = in_.variables[assign->target.var];
        if (!target.is_array) {
          own_.insert(assign->target.var);
        }
      }
    }
    for (std::size_t i = 0; i < loop_.body.size(); ++i) {
      const Statement& statement = loop_.body[i];
      bool possible = true;
      for_each_read(statement, [&](VarId var) { possible = possible && (!own_.contains(var) || begun.contains(var)); });
      for_each_operand_of(statement, [&](const Operand& operand) {
        if (const auto* ref = std::get_if<Ref>(&operand); ref != nullptr && in_.variables[ref->var].is_array) {
          possible = possible && !is_changed(ref->index);
          arrays_[ref->var].push_back({i, false, ref->index});
        }
      });
      possible = possible && std::visit([&](const auto& node) { return collect(node, i, begun); }, statement.node);
      if (!possible) {
        return false;
      }
    }
    return true;
  }

  bool collect(const Assign& assign, std::size_t i, std::set<VarId>& begun) {
    const VarId var = assign.target.var;
    const Variable& target = in_.variables[var];
    if (target.is_array) {
      if (is_changed(assign.target.index)) {
        return false;
      }
      const auto slope = assign.target.index.slope(Symbol::of(loop_.var));
      if (!slope || !(*slope == Polynomial(1) || *slope == Polynomial(-1))) {
        return false;
      }
      arrays_[var].push_back({i, true, assign.target.index});
      if (assign.target.index == Polynomial(Symbol::of(loop_.var)) && target.count <= most_elements) {
        elements_ = std::max<std::int64_t>(elements_, target.count);
      }
    } else if (target.is_implicit) {
      begun.insert(var);
    } else if (!begun.contains(var)) {
      return false;  // its value goes from round to round
    }
    if (const auto* shuffle = std::get_if<Shuffle>(&assign.right)) {
      const auto* lane = std::get_if<Number>(&shuffle->lane);
      return lane != nullptr && !is_changed(lane->value) && !lane->value.mentions(Symbol::group()) && has_only_known(lane->value);
    }
    if (const auto* resolve = std::get_if<Resolve>(&assign.right)) {
      return std::ranges::none_of(resolve->all_of, [&](const auto& c) { return is_changed(c.left) || is_changed(c.right); });
    }
    if (const auto* load = std::get_if<Load>(&assign.right)) {
      return touch(load->place, i, false);
    }
    return !std::holds_alternative<Vote>(assign.right);
  }

  bool collect(const Store& store, std::size_t i, std::set<VarId>&) { return touch(store.place, i, true); }

  bool collect(const Forget& forget, std::size_t, std::set<VarId>& begun) {
    const auto* var = std::get_if<VarId>(&forget.what);
    if (var == nullptr || in_.variables[*var].is_array) {
      return false;
    }
    begun.insert(*var);
    return true;
  }

  template <class Node>
  bool collect(const Node&, std::size_t, std::set<VarId>&) {
    return false;
  }

  bool has_only_known(const Polynomial& polynomial) const {
    return std::ranges::all_of(polynomial.terms(), [&](const infreg::Monomial& term) {
      return std::ranges::all_of(term.factors, [&](Symbol symbol) {
        return symbol.kind != Symbol::Kind::Value || in_.variables[symbol.value].kind == Layout::Kind::Pack;
      });
    });
  }

  bool touch(const Place& place, std::size_t i, bool writes) {
    if (std::holds_alternative<Operand>(place.base)) {
      return false;
    }
    const auto slope = place.index.slope(Symbol::of(loop_.var));
    const auto across = place.index.slope(Symbol::item());
    if (!slope || !across) {
      return false;
    }
    // Rounds that lie apart in memory while the items lie together are better done one by one.
    if (*across == Polynomial(1) && !(*slope == Polynomial(0)) && !(*slope == Polynomial(1))) {
      return false;
    }
    memory_.push_back({place, {i, writes, place.index}});
    return true;
  }

  /// Whether rounds may be exchanged for statements although both touch one element: `distance` is the second one's round minus the first
  /// one's (any sign that it may have), where the statements stand in the order given by their numbers.
  static bool keeps_order(const Touch& write, const Touch& other, bool second_is_later, bool second_is_earlier) {
    // All rounds of a statement are done before the next statement: what comes later in the program must stand later in the body. A
    // statement reads before it writes.
    const bool write_first = write.statement < other.statement;
    if (other.writes) {
      return !(second_is_later && !write_first && write.statement != other.statement) && !(second_is_earlier && write_first);
    }
    return !(second_is_later && !write_first) && !(second_is_earlier && write_first);
  }

  /// Two touches of one array, by one item.
  bool are_ordered(const Touch& write, const Touch& other) const {
    const Symbol round = Symbol::of(loop_.var);
    const auto slope = write.index.slope(round);
    const auto other_slope = other.index.slope(round);
    if (!slope || !other_slope) {
      return false;
    }
    const Polynomial difference = write.index.without(round) - other.index.without(round);
    if (*slope == *other_slope && slope->is_constant() && slope->constant() != 0) {
      // slope * write's round + .. == slope * other's round + ..: the rounds differ by difference / slope.
      const auto low = bounds_.least(difference);
      const auto high = bounds_.greatest(difference);
      if (!low || !high) {
        return false;
      }
      if (*low == *high && *low % slope->constant() != 0) {
        return true;
      }
      const bool positive = slope->constant() > 0;
      const bool later = positive ? *high > 0 : *low < 0;
      const bool earlier = positive ? *low < 0 : *high > 0;
      return keeps_order(write, other, later, earlier);
    }
    // Some round's element against another one: they must never be the same.
    const Polynomial distance = write.index - other.index;
    if (!(*other_slope == Polynomial(0))) {
      return false;
    }
    const auto low = bounds_.least(distance);
    const auto high = bounds_.greatest(distance);
    return (low && *low > 0) || (high && *high < 0);
  }

  bool arrays_are_independent() const {
    for (const auto& [var, touches] : arrays_) {
      for (const Touch& write : touches) {
        if (write.writes &&
            !std::ranges::all_of(touches, [&](const Touch& other) { return &write == &other || are_ordered(write, other); })) {
          return false;
        }
      }
    }
    return true;
  }

  struct MemoryTouch {
    Place place;
    Touch touch;
  };

  bool may_be_same(const Place& a, const Place& b) const {
    if (a.base.index() != b.base.index()) {
      return false;
    }
    const auto* object = std::get_if<ObjectBase>(&a.base);
    return object == nullptr || *object == std::get<ObjectBase>(b.base);
  }

  /// A store and another touch of what may be the same memory, by any items of a group.
  bool memory_is_ordered(const MemoryTouch& write, const MemoryTouch& other) const {
    const Symbol round = Symbol::of(loop_.var);
    if (write.place.element != other.place.element) {
      return write.place.base.index() == 0 && !(write.place.base == other.place.base);
    }
    const Polynomial difference = write.touch.index - other.touch.index;
    const auto slope = write.touch.index.slope(round);
    const auto across = write.touch.index.slope(Symbol::item());
    if (!difference.is_constant() || is_changed(write.touch.index) || !has_only_known(write.touch.index) || !slope->is_constant() ||
        !across->is_constant() || slope->mentions(Symbol::item())) {
      return false;
    }
    const Wide k = slope->constant() < 0 ? -Wide{slope->constant()} : Wide{slope->constant()};
    const Wide a = across->constant() < 0 ? -Wide{across->constant()} : Wide{across->constant()};
    const Wide d = difference.constant() < 0 ? -Wide{difference.constant()} : Wide{difference.constant()};
    if (k == 0) {
      return false;
    }
    const auto* object = std::get_if<ObjectBase>(&write.place.base);
    const bool is_private = object != nullptr && in_.objects[object->id].space == AddressSpace::Private;
    const bool same_item = is_private || k * (rounds_ - 1) + d < a;
    const bool same_round = d == 0 && (a == 0 || a * (in_.wg_size - 1) < k);
    if (same_round) {
      return true;
    }
    if (!same_item) {
      return false;
    }
    if (difference.constant() % slope->constant() != 0) {
      return true;
    }
    const std::int64_t distance = difference.constant() / slope->constant();
    return keeps_order(write.touch, other.touch, distance > 0, distance < 0);
  }

  bool memory_is_independent() const {
    for (const MemoryTouch& write : memory_) {
      if (!write.touch.writes) {
        continue;
      }
      const bool ordered = std::ranges::all_of(
          memory_, [&](const MemoryTouch& other) { return !may_be_same(write.place, other.place) || memory_is_ordered(write, other); });
      if (!ordered) {
        return false;
      }
    }
    return true;
  }

  const Assignments& in_;
  const Bounds& bounds_;
  const For& loop_;
  std::int64_t rounds_ = 0;
  std::int64_t elements_ = 0;
  std::set<VarId> own_;  ///< scalars that the body assigns
  std::unordered_map<VarId, std::vector<Touch>> arrays_;
  std::vector<MemoryTouch> memory_;
};

class Classes {
 public:
  explicit Classes(Assignments& in) : in_(in), bounds_(in.wg_size) {}

  void run() { body(in_.body); }

 private:
  void body(Body& statements) {
    for (Statement& statement : statements) {
      if (auto* loop = std::get_if<For>(&statement.node)) {
        classify(*loop);
      } else {
        for_each_body(statement, [&](Body& inner) { body(inner); });
      }
    }
  }

  void classify(For& loop) {
    bounds_.enter(loop);
    if (const auto elements = Independence(in_, bounds_, loop).elements()) {
      loop.loop_class = LoopClass::Vectorise;
      loop.elements = *elements;
    } else {
      loop.loop_class = may_unroll(loop) ? LoopClass::Unroll : LoopClass::Rolled;
      if (loop.loop_class == LoopClass::Unroll) {
        unrolled_.insert(loop.var);
      }
      body(loop.body);
    }
    bounds_.leave();
  }

  bool may_unroll(const For& loop) const {
    bool is_static = true;
    const auto look = [&](VarId var) { is_static = is_static && unrolled_.contains(var); };
    loop.from.for_each_value(look);
    loop.limit.for_each_value(look);
    return is_static && weight(loop) <= most_unrolled;
  }

  std::size_t weight(const Body& statements) const {
    std::size_t sum = 0;
    for (const Statement& statement : statements) {
      const auto* loop = std::get_if<For>(&statement.node);
      if (loop != nullptr) {
        sum += weight(*loop);
      } else {
        sum += 1;
        for_each_body(statement, [&](const Body& inner) { sum += weight(inner); });
      }
    }
    return std::min(sum, most_unrolled + 1);
  }

  std::size_t weight(const For& loop) const {
    const auto least = loop.step > 0 ? bounds_.least(loop.from) : bounds_.least(loop.limit);
    const auto greatest = loop.step > 0 ? bounds_.greatest(loop.limit) : bounds_.greatest(loop.from);
    if (!least || !greatest) {
      return most_unrolled + 1;
    }
    const Wide stride = loop.step > 0 ? Wide{loop.step} : -Wide{loop.step};
    const Wide rounds = std::max<Wide>(0, (Wide{*greatest} - *least + stride - 1) / stride);
    return static_cast<std::size_t>(std::min<Wide>(rounds * static_cast<Wide>(weight(loop.body)), most_unrolled + 1));
  }

  Assignments& in_;
  Bounds bounds_;
  std::set<VarId> unrolled_;
};

}  // namespace

void classify_loops(Assignments& assignments) { Classes(assignments).run(); }

}  // namespace lockstep::passes
