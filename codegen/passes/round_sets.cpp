#include "codegen/passes/round_sets.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <type_traits>

#include "codegen/passes/distances.hpp"
#include "codegen/passes/walk.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::passes {

namespace {

constexpr std::int64_t most_rounds = 256;
/// Touches of all rounds in one array or memory beyond which nobody compares them.
constexpr std::size_t most_events = 1024;
/// Assignments in all sets together beyond which a loop is not divided.
constexpr std::size_t most_assignments = 512;

bool is_number(const Variable& variable) {
  return !variable.is_array && !variable.element.is_pointer && is_integer(variable.element.scalar);
}

std::int64_t number_of_bits(ScalarType type, std::uint64_t bits) {
  return static_cast<std::int64_t>(ops::convert(type, ScalarType::Long, bits).value_or(0));
}

std::optional<std::uint64_t> bits_of(const Assignments& in, const KnownNumbers& known, const Operand& operand) {
  return std::visit(
      [&](const auto& o) -> std::optional<std::uint64_t> {
        using O = std::decay_t<decltype(o)>;
        if constexpr (std::is_same_v<O, Literal>) {
          return o.element.is_pointer ? std::nullopt : std::optional(o.bits);
        } else if constexpr (std::is_same_v<O, Number>) {
          const Polynomial value = resolved(in, known, o.value);
          return value.is_constant() ? ops::convert(ScalarType::Long, o.type, static_cast<std::uint64_t>(value.constant())) : std::nullopt;
        } else {
          const auto found = known.find(o.var);
          return found == known.end() || in.variables[o.var].is_array ? std::nullopt : std::optional(found->second);
        }
      },
      operand);
}

std::optional<std::uint64_t> bits_of(const Assignments& in, const KnownNumbers& known, const Right& right) {
  return std::visit(
      [&](const auto& r) -> std::optional<std::uint64_t> {
        using R = std::decay_t<decltype(r)>;
        if constexpr (std::is_same_v<R, Copy>) {
          return bits_of(in, known, r.source);
        } else if constexpr (std::is_same_v<R, Operate>) {
          std::vector<std::uint64_t> operands;
          for (const Operand& operand : r.operands) {
            const auto bits = bits_of(in, known, operand);
            if (!bits) {
              return std::nullopt;
            }
            operands.push_back(*bits);
          }
          return is_integer(r.operand_type) && ops::takes(r.op, r.operand_type) ? ops::apply(r.op, r.operand_type, operands) : std::nullopt;
        } else if constexpr (std::is_same_v<R, Convert>) {
          const auto bits = bits_of(in, known, r.source);
          return bits && is_integer(r.from) && is_integer(r.to) ? ops::convert(r.from, r.to, *bits) : std::nullopt;
        } else if constexpr (std::is_same_v<R, Choose>) {
          const auto condition = bits_of(in, known, r.condition);
          return condition ? bits_of(in, known, *condition != 0 ? r.then : r.otherwise) : std::nullopt;
        } else {
          return std::nullopt;
        }
      },
      right);
}

/// A touch by one round.
struct Event {
  std::size_t round = 0;
  std::size_t statement = 0;
  bool writes = false;
  std::int64_t cell = 0;  ///< beside the part that all touches have alike
};

class Sets {
 public:
  Sets(const Assignments& in, const Bounds& bounds, const For& loop, const Touches& touches)
      : in_(in), bounds_(bounds), loop_(loop), touches_(touches) {}

  std::vector<RoundSet> run() {
    if (!find_rounds() || !compare_arrays() || !compare_memory()) {
      return {};
    }
    const std::vector<RoundSet> sets = divided();
    return is_better(sets) && can_be_written(sets) ? sets : std::vector<RoundSet>{};
  }

 private:
  bool find_rounds() {
    const auto first = bounds_.least(loop_.from);
    const auto last = bounds_.greatest(loop_.limit);
    const bool is_fixed = loop_.from.is_constant() && loop_.limit.is_constant();
    if (!is_fixed && loop_.step != 1) {
      return false;  // the first round decides which others there are
    }
    const std::int64_t from = is_fixed ? loop_.from.constant() : first.value_or(0);
    const std::int64_t limit = is_fixed ? loop_.limit.constant() : last.value_or(0);
    if ((!is_fixed && (!first || !last)) || from < -most_far || from > most_far || limit < -most_far || limit > most_far) {
      return false;
    }
    const ScalarType type = in_.variables[loop_.var].element.scalar;
    for (std::int64_t value = from; loop_.step > 0 ? value < limit : value > limit; value += loop_.step) {
      if (static_cast<std::int64_t>(values_.size()) == most_rounds) {
        return false;
      }
      values_.push_back(value);
      const auto bits = ops::convert(ScalarType::Long, type, static_cast<std::uint64_t>(value));
      known_.push_back(numbers_in(in_, loop_.body, {{loop_.var, bits.value_or(0)}}));
      if (loop_.step > most_far || loop_.step < -most_far) {
        break;
      }
    }
    waits_.assign(values_.size() * values_.size(), Order::Free);
    return values_.size() > 1;
  }

  /// What two rounds have to do with each other.
  enum class Order : std::uint8_t { Free, Kept, Waits };  ///< Kept: the order of statements is enough, in one set or in this order

  Order& order(std::size_t earlier, std::size_t later) { return waits_[earlier * values_.size() + later]; }

  /// The touches of one array or memory, in all rounds, with the part of the index that they have alike; empty if they differ in more than
  /// numbers.
  std::optional<std::pair<Polynomial, std::vector<Event>>> events(const std::vector<Touch>& touches) const {
    std::optional<Polynomial> common;
    std::vector<Event> result;
    for (std::size_t round = 0; round < values_.size(); ++round) {
      for (const Touch& touch : touches) {
        const Polynomial index = resolved(in_, known_[round], touch.index);
        const Polynomial rest = index - Polynomial(index.constant());
        if (touches_.is_changed(rest) || (common && !(*common == rest)) || result.size() == most_events) {
          return std::nullopt;
        }
        common = rest;
        result.push_back({round, touch.statement, touch.writes, index.constant()});
      }
    }
    return std::pair(common.value_or(Polynomial()), std::move(result));
  }

  /// Notes what the events demand; meet(difference of their cells) says whether two touch the same cell.
  template <class Meet>
  void note(const std::vector<Event>& events, Meet&& meet) {
    for (const Event& earlier : events) {
      for (const Event& later : events) {
        if (earlier.round >= later.round || !(earlier.writes || later.writes) || !meet(Wide{earlier.cell} - later.cell)) {
          continue;
        }
        // In one set, all rounds of a statement are done before the next statement, and a statement reads before it writes.
        const bool is_kept =
            earlier.statement < later.statement || (earlier.statement == later.statement && !earlier.writes && later.writes);
        Order& present = order(earlier.round, later.round);
        present = std::max(present, is_kept ? Order::Kept : Order::Waits);
      }
    }
  }

  bool compare_arrays() {
    for (const auto& [var, touches] : touches_.arrays) {
      const bool reads_only = std::ranges::none_of(touches, &Touch::writes);
      if (reads_only) {
        continue;
      }
      const auto found = events(touches);
      if (!found) {
        return false;
      }
      note(found->second, [](Wide difference) { return difference == 0; });
    }
    return true;
  }

  bool compare_memory() {
    for (const MemoryTouch& write : touches_.memory) {
      if (!write.touch.writes) {
        continue;
      }
      std::vector<Touch> same;
      for (const MemoryTouch& other : touches_.memory) {
        if (may_be_same_memory(in_, write.place, other.place)) {
          if (write.place.base != other.place.base) {
            return false;
          }
          same.push_back(other.touch);
        }
      }
      const auto found = events(same);
      if (!found || !is_pack_known(in_, found->first)) {
        return false;
      }
      const auto* object = std::get_if<OfObject>(&write.place.base);
      const auto across = found->first.slope(Symbol::item());
      if (!across || !across->is_constant()) {
        return false;
      }
      const bool is_private = object != nullptr && in_.objects[object->id].space == AddressSpace::Private;
      const Wide apart = is_private ? 0 : Wide{across->constant()};
      note(found->second, [&](Wide difference) { return some_items_meet(Touching<Wide>{0, apart, difference, 1, in_.wg_size}); });
    }
    return true;
  }

  std::vector<RoundSet> divided() {
    std::vector<std::size_t> level(values_.size(), 0);
    std::map<std::size_t, std::vector<std::int64_t>> sets;
    for (std::size_t later = 0; later < values_.size(); ++later) {
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        if (const Order present = order(earlier, later); present != Order::Free) {
          level[later] = std::max(level[later], level[earlier] + (present == Order::Waits ? 1 : 0));
        }
      }
      sets[level[later]].push_back(values_[later]);
    }
    std::vector<RoundSet> result;
    for (const auto& [number, values] : sets) {
      for (std::size_t i = 0; i < values.size();) {
        RoundSet set{values[i], 1, 1};
        if (i + 1 < values.size()) {
          set.step = values[i + 1] - values[i];
        }
        while (i + set.count < values.size() && values[i + set.count] - values[i + set.count - 1] == set.step) {
          ++set.count;
        }
        i += set.count;
        result.push_back(set);
      }
    }
    return result;
  }

  /// What lanes cost: native vectors of eight, as a measure.
  std::uint64_t vectors(std::uint64_t elements) const { return (elements * in_.wg_size + 7) / 8; }

  /// The sets against one round after the other, unrolled or not: each statement is done for as many elements as there are rounds at once,
  /// each write brings these elements to their places in the array.
  bool is_better(const std::vector<RoundSet>& sets) const {
    std::uint64_t writes = 0;
    std::uint64_t work = loop_.body.size();
    for (const auto& [var, touches] : touches_.arrays) {
      for (const Touch& touch : touches) {
        writes += touch.writes ? 2 * vectors(in_.variables[var].count) : 0;
        work += touch.writes ? 0 : 1;
      }
    }
    std::uint64_t at_once = 0;
    for (const RoundSet& set : sets) {
      at_once += work * vectors(set.count) + writes;
    }
    return at_once < values_.size() * (work * vectors(1) + writes) && sets.size() * loop_.body.size() <= most_assignments;
  }

  /// A write's index must be known in each round, or go through the array one by one.
  bool can_be_written(const std::vector<RoundSet>& sets) const {
    for (const auto& [var, touches] : touches_.arrays) {
      for (const Touch& touch : touches) {
        const auto slope = touch.index.slope(Symbol::of(loop_.var));
        const bool is_straight = !touches_.is_changed(touch.index) && slope && slope->is_constant();
        const bool one_by_one = is_straight && std::ranges::all_of(sets, [&](const RoundSet& set) {
                                  return set.count == 1 || std::abs(slope->constant() * set.step) == 1;
                                });
        if ((touch.writes ? one_by_one : is_straight) || is_known(touch.index)) {
          continue;
        }
        return false;
      }
    }
    return true;
  }

  bool is_known(const Polynomial& index) const {
    return std::ranges::all_of(known_, [&](const KnownNumbers& known) {
      const Polynomial rest = resolved(in_, known, index);
      return std::ranges::all_of(rest.terms(), [](const infreg::Monomial& term) {
        return std::ranges::all_of(term.factors, [](Symbol symbol) { return symbol.kind == Symbol::Kind::Item; });
      });
    });
  }

  static constexpr std::int64_t most_far = std::int64_t{1} << 30;  ///< bounds beyond it are not looked at, so that no step overflows

  const Assignments& in_;
  const Bounds& bounds_;
  const For& loop_;
  const Touches& touches_;
  std::vector<std::int64_t> values_;  ///< of the loop's variable, by round
  std::vector<KnownNumbers> known_;   ///< by round
  std::vector<Order> waits_;          ///< by earlier and later round
};

}  // namespace

KnownNumbers numbers_in(const Assignments& assignments, const Body& body, KnownNumbers known) {
  for (const Statement& statement : body) {
    const auto* assign = std::get_if<Assign>(&statement.node);
    if (assign != nullptr && assignments.variables[assign->target.var].is_implicit &&
        is_number(assignments.variables[assign->target.var])) {
      if (const auto bits = bits_of(assignments, known, assign->right)) {
        known[assign->target.var] = *bits;
      }
    }
  }
  return known;
}

Polynomial resolved(const Assignments& assignments, const KnownNumbers& known, const Polynomial& polynomial) {
  Polynomial result(polynomial.constant());
  for (const infreg::Monomial& term : polynomial.terms()) {
    Polynomial product(term.coefficient);
    for (const Symbol symbol : term.factors) {
      const auto found = symbol.kind == Symbol::Kind::Value ? known.find(symbol.value) : known.end();
      product =
          product * (found == known.end() ? Polynomial(symbol)
                                          : Polynomial(number_of_bits(assignments.variables[symbol.value].element.scalar, found->second)));
    }
    result += product;
  }
  return result;
}

std::vector<RoundSet> round_sets(const Assignments& assignments, const Bounds& bounds, const For& loop, const Touches& touches) {
  return Sets(assignments, bounds, loop, touches).run();
}

}  // namespace lockstep::passes
