#include "codegen/passes/loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "codegen/passes/bounds.hpp"
#include "codegen/passes/distances.hpp"
#include "codegen/passes/round_sets.hpp"
#include "codegen/passes/touches.hpp"
#include "codegen/passes/walk.hpp"
#include "codegen/passes/weight.hpp"

namespace lockstep::passes {

namespace {

/// Elements of one item beyond which a loop is not done at once.
constexpr std::int64_t most_elements = 1024;
/// Assignments beyond which a loop is not unrolled even if a hint asks for it.
constexpr std::size_t most_asked_for = 8192;
/// Rounds, with those of loops inside, that are done where nobody comes rather than asking whether somebody does.
constexpr Wide most_in_vain = 1 << 16;

/// Whether all rounds of a loop can be done at once, by comparing indices symbolically: whatever the launch's numbers are.
class Independence {
 public:
  Independence(const Assignments& in, const Bounds& bounds, const For& loop, const Touches& touches)
      : in_(in), bounds_(bounds), loop_(loop), touches_(touches) {}

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
    if (!arrays_are_straight() || !arrays_are_independent() || !memory_is_independent()) {
      return std::nullopt;
    }
    return static_cast<std::uint32_t>(elements_);
  }

 private:
  /// Whether arrays are written forwards or backwards, one element in each round.
  bool arrays_are_straight() {
    for (const auto& [var, touches] : touches_.arrays) {
      const std::uint32_t count = in_.variables[var].count;
      for (const Touch& touch : touches) {
        if (touches_.is_changed(touch.index)) {
          return false;
        }
        const auto slope = touch.index.slope(Symbol::of(loop_.var));
        if (touch.writes && (!slope || !(*slope == Polynomial(1) || *slope == Polynomial(-1)))) {
          return false;
        }
        if (touch.writes && touch.index == Polynomial(Symbol::of(loop_.var)) && count <= most_elements) {
          elements_ = std::max<std::int64_t>(elements_, count);
        }
      }
    }
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
      const InOneItem<Wide> rounds{slope->constant(), *low, *high, rounds_};
      return is_decided(rounds) &&
             (never_meet(rounds) || keeps_order(write, other, second_may_be_later(rounds), second_may_be_earlier(rounds)));
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
    for (const auto& [var, touches] : touches_.arrays) {
      for (const Touch& write : touches) {
        if (write.writes &&
            !std::ranges::all_of(touches, [&](const Touch& other) { return &write == &other || are_ordered(write, other); })) {
          return false;
        }
      }
    }
    return true;
  }

  /// A store and another touch of what may be the same memory, by any items of a group.
  bool memory_is_ordered(const MemoryTouch& write, const MemoryTouch& other) const {
    const Symbol round = Symbol::of(loop_.var);
    if (write.place.base != other.place.base) {
      return false;
    }
    const Polynomial difference = write.touch.index - other.touch.index;
    const auto slope = write.touch.index.slope(round);
    const auto across = write.touch.index.slope(Symbol::item());
    if (!difference.is_constant() || touches_.is_changed(write.touch.index) || !is_pack_known(in_, write.touch.index) ||
        !slope->is_constant() || !across->is_constant() || slope->mentions(Symbol::item())) {
      return false;
    }
    const auto* object = std::get_if<OfObject>(&write.place.base);
    const bool is_private = object != nullptr && in_.objects[object->id].space == AddressSpace::Private;
    const Wide distance = difference.constant();
    const Touching<Wide> touching{slope->constant(), is_private ? 0 : across->constant(), distance, rounds_, is_private ? 1 : in_.wg_size};
    if (meet_in_one_round(touching)) {
      return true;
    }
    const InOneItem<Wide> rounds{slope->constant(), distance, distance, rounds_};
    return (is_private || meet_in_one_item(touching)) && is_decided(rounds) &&
           (never_meet(rounds) || keeps_order(write.touch, other.touch, second_may_be_later(rounds), second_may_be_earlier(rounds)));
  }

  bool memory_is_independent() const {
    for (const MemoryTouch& write : touches_.memory) {
      if (!write.touch.writes) {
        continue;
      }
      const bool ordered = std::ranges::all_of(touches_.memory, [&](const MemoryTouch& other) {
        return !may_be_same_memory(in_, write.place, other.place) || memory_is_ordered(write, other);
      });
      if (!ordered) {
        return false;
      }
    }
    return true;
  }

  const Assignments& in_;
  const Bounds& bounds_;
  const For& loop_;
  const Touches& touches_;
  std::int64_t rounds_ = 0;
  std::int64_t elements_ = 0;
};

class Classes {
 public:
  explicit Classes(Assignments& in) : in_(in), bounds_(in.wg_size) {}

  void run() { body(in_.body); }

 private:
  void body(Body& statements) {
    for (Statement& statement : statements) {
      if (auto* loop = std::get_if<For>(&statement.node)) {
        classify(*loop, statement.span);
      } else {
        for_each_body(statement, [&](Body& inner) { body(inner); });
      }
    }
  }

  void classify(For& loop, SourceSpan span) {
    // Bounds that are known here are numbers or variables of loops around, which nobody has to come to, and a few rounds may be in vain.
    const Wide rounds = most_rounds(loop);
    const Wide in_vain = loop.guard ? in_vain_ * rounds : 1;
    if (in_vain <= most_in_vain) {
      loop.guard.reset();
    }
    const Wide around = std::exchange(in_vain_, loop.guard ? 1 : in_vain);
    bounds_.enter(loop);
    loop.loop_class = LoopClass::Rolled;
    if (is_asked_for(loop, span)) {
      unroll(loop);
    } else if (loop.hint && loop.hint->rounds == 1) {
      body(loop.body);
    } else if (!vectorise(loop)) {
      if (may_unroll(loop, most_unrolled)) {
        unroll(loop);
      } else {
        body(loop.body);
      }
    }
    bounds_.leave();
    in_vain_ = around;
  }

  void unroll(For& loop) {
    loop.loop_class = LoopClass::Unroll;
    unrolled_.insert(loop.var);
    const bool around = std::exchange(is_weighed_, true);
    body(loop.body);
    is_weighed_ = around;
  }

  /// False if the loop's rounds cannot be done at once.
  bool vectorise(For& loop) {
    const auto touches = touches_of(in_, loop);
    const auto elements = touches ? Independence(in_, bounds_, loop, *touches).elements() : std::nullopt;
    if (touches && !elements) {
      loop.sets = round_sets(in_, bounds_, loop, *touches);
    }
    if (!elements && loop.sets.empty()) {
      return false;
    }
    loop.elements = elements.value_or(0);
    loop.loop_class = LoopClass::Vectorise;
    return true;
  }

  /// Inside an unrolled loop all has been weighed with it.
  bool may_unroll(const For& loop, std::size_t most) const {
    bool is_static = true;
    const auto look = [&](VarId var) { is_static = is_static && unrolled_.contains(var); };
    loop.from.for_each_value(look);
    loop.limit.for_each_value(look);
    return is_static && (is_weighed_ || unrolled_weight(loop, most).value_or(most + 1) <= most);
  }

  /// Whether a hint asks for all rounds of the loop one behind the other; one that asks for less is answered by a remark.
  bool is_asked_for(const For& loop, SourceSpan span) {
    if (!loop.hint || loop.hint->rounds == 1) {
      return false;
    }
    if (loop.hint->rounds != 0 && most_rounds(loop) > loop.hint->rounds) {
      remark(span, "this loop is not unrolled by a part of its rounds: all of them are written out, or none");
      return false;
    }
    if (may_unroll(loop, most_asked_for)) {
      return true;
    }
    remark(span, unrolled_weight(loop, most_asked_for)
                     ? fmt::format("this loop is not unrolled: it would be more than {} assignments", most_asked_for)
                     : "this loop is not unrolled: its bounds, or those of a loop inside it, are not known when compiling");
    return false;
  }

  void remark(SourceSpan span, std::string sentence) { in_.remarks.push_back({Severity::Warning, span, std::move(sentence), {}}); }

  /// How many rounds the loop has at the most; very many if that is not known.
  Wide most_rounds(const For& loop) const {
    const auto least = loop.step > 0 ? bounds_.least(loop.from) : bounds_.least(loop.limit);
    const auto greatest = loop.step > 0 ? bounds_.greatest(loop.limit) : bounds_.greatest(loop.from);
    if (!least || !greatest) {
      return Wide{1} << 64;
    }
    const Wide stride = loop.step > 0 ? Wide{loop.step} : -Wide{loop.step};
    return std::max<Wide>(0, (Wide{*greatest} - *least + stride - 1) / stride);
  }

  Assignments& in_;
  Bounds bounds_;
  std::set<VarId> unrolled_;
  bool is_weighed_ = false;  ///< the place stands in a loop that is unrolled
  Wide in_vain_ = 1;         ///< rounds of loops around that are done though nobody comes to them
};

}  // namespace

void classify_loops(Assignments& assignments) { Classes(assignments).run(); }

}  // namespace lockstep::passes
