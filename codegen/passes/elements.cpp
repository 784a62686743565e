#include "codegen/passes/elements.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

#include "codegen/passes/walk.hpp"
#include "codegen/passes/weight.hpp"

namespace lockstep::passes {

namespace {

/// What moving an element to or from memory costs by itself, over what it costs among its neighbours.
constexpr std::uint64_t alone_in_memory = 4;

/// What is known of arrays that stand and fall together, because a loop does all its rounds on both at once.
struct Together {
  bool is_possible = true;  ///< each touch is of an element that is known by its number, or can be
  std::uint64_t whole = 0;  ///< what they cost as whole values beyond what
  std::uint64_t apart = 0;  ///< they cost element by element, in elements that are worked on
  std::vector<For*> loops;  ///< those that would have to be unrolled
};

/// Goes through the kernel as it will be unrolled.
class Parting {
 public:
  explicit Parting(Assignments& in) : in_(in), leader_(in.variables.size()) {
    for (VarId var = 0; var < leader_.size(); ++var) {
      leader_[var] = var;
    }
  }

  void run() {
    for_each_statement(in_.body, [&](const Statement& statement) { tie(statement); });
    for_each_statement(in_.body, [&](const Statement& statement) { hand_over(statement); });
    body(in_.body);
    const std::size_t count = in_.variables.size();
    for (VarId var = 0; var < count; ++var) {
      const Together& found = all_[leader_of(var)];
      if (in_.variables[var].is_array && found.is_possible && found.apart < found.whole) {
        part(var);
        for (For* loop : found.loops) {
          loop->loop_class = LoopClass::Unroll;
          loop->elements = 0;
          loop->sets.clear();
        }
      }
    }
  }

 private:
  static std::optional<std::int64_t> number_of(Polynomial polynomial, const std::map<VarId, std::int64_t>& counters) {
    for (const auto& [var, round] : counters) {
      polynomial = polynomial.substitute(Symbol::of(var), round);
    }
    return polynomial.is_constant() ? std::optional(polynomial.constant()) : std::nullopt;
  }

  // ---- which arrays belong together ----------------------------------------------------------------------------------------

  VarId leader_of(VarId var) const {
    while (leader_[var] != var) {
      var = leader_[var];
    }
    return var;
  }

  /// Calls f(const Ref&, bool writes) for each array's element that the statement itself touches.
  template <class F>
  void for_each_element(const Statement& statement, F&& f) const {
    for_each_operand_of(statement, [&](const Operand& operand) {
      if (const auto* ref = std::get_if<Ref>(&operand); ref != nullptr && in_.variables[ref->var].is_array) {
        f(*ref, false);
      }
    });
    if (const auto* assign = std::get_if<Assign>(&statement.node); assign != nullptr && in_.variables[assign->target.var].is_array) {
      f(assign->target, true);
    }
  }

  static bool is_at_once(const For& loop) { return loop.loop_class == LoopClass::Vectorise; }

  std::set<VarId> arrays_of(const For& loop) const {
    std::set<VarId> arrays;
    for (const Statement& statement : loop.body) {
      for_each_element(statement, [&](const Ref& ref, bool) { arrays.insert(ref.var); });
    }
    return arrays;
  }

  void tie(const Statement& statement) {
    const auto* loop = std::get_if<For>(&statement.node);
    if (loop == nullptr || !is_at_once(*loop)) {
      return;
    }
    const std::set<VarId> arrays = arrays_of(*loop);
    for (const VarId var : arrays) {
      leader_[leader_of(var)] = leader_of(*arrays.begin());
    }
  }

  /// What items hand to each other stays whole: then all of it is handed over in one go.
  void hand_over(const Statement& statement) {
    const auto* assign = std::get_if<Assign>(&statement.node);
    const auto* copy = assign == nullptr ? nullptr : std::get_if<Copy>(&assign->right);
    const auto* shuffle = assign == nullptr ? nullptr : std::get_if<Shuffle>(&assign->right);
    if (copy != nullptr && in_.variables[assign->target.var].is_implicit) {
      if (const auto* ref = std::get_if<Ref>(&copy->source); ref != nullptr && in_.variables[ref->var].is_array) {
        copies_.emplace(assign->target.var, ref->var);
      }
    } else if (const auto* ref = shuffle == nullptr ? nullptr : std::get_if<Ref>(&shuffle->source)) {
      const auto copied = copies_.find(ref->var);
      all_[leader_of(copied == copies_.end() ? ref->var : copied->second)].is_possible = false;
    }
  }

  // ---- what they cost ------------------------------------------------------------------------------------------------------

  void body(Body& statements) {
    for (Statement& statement : statements) {
      if (auto* loop = std::get_if<For>(&statement.node)) {
        counted(*loop);
        continue;
      }
      for_each_element(statement, [&](const Ref& ref, bool writes) {
        Together& together = all_[leader_of(ref.var)];
        together.is_possible = together.is_possible && number_of(ref.index, counters_);
        together.whole += writes ? in_.variables[ref.var].count : 1;
        together.apart += writes ? 1 : 0;
      });
      for_each_body(statement, [&](Body& inner) { body(inner); });
    }
  }

  void counted(For& loop) {
    if (loop.loop_class == LoopClass::Unroll) {
      for_each_round(loop, [&] { body(loop.body); });
    } else if (is_at_once(loop)) {
      at_once(loop);
    } else {
      body(loop.body);
    }
  }

  /// False if the loop's bounds are not known here.
  template <class F>
  bool for_each_round(const For& loop, F&& f) {
    const auto from = number_of(loop.from, counters_);
    const auto limit = number_of(loop.limit, counters_);
    if (!from || !limit) {
      return false;
    }
    std::int64_t next = *from;
    for (bool goes_on = true; goes_on && (loop.step > 0 ? next < *limit : next > *limit);) {
      counters_[loop.var] = next;
      f();
      goes_on = !__builtin_add_overflow(next, loop.step, &next);
    }
    counters_.erase(loop.var);
    return true;
  }

  void at_once(For& loop) {
    const std::set<VarId> arrays = arrays_of(loop);
    if (arrays.empty()) {
      return;
    }
    Together& together = all_[leader_of(*arrays.begin())];
    together.loops.push_back(&loop);
    // Around it are loops that have been weighed with it, or it is weighed by itself.
    bool is_possible = !counters_.empty() || unrolled_weight(loop, most_unrolled).value_or(most_unrolled + 1) <= most_unrolled;
    is_possible = is_possible && for_each_round(loop, [&] {
                    for (const Statement& statement : loop.body) {
                      round(statement, loop, together);
                    }
                  });
    together.is_possible = together.is_possible && is_possible;
  }

  void round(const Statement& statement, const For& loop, Together& together) {
    const auto* assign = std::get_if<Assign>(&statement.node);
    const auto* load = assign == nullptr ? nullptr : std::get_if<Load>(&assign->right);
    const auto* store = std::get_if<Store>(&statement.node);
    if (load != nullptr || store != nullptr) {
      const Place& place = load != nullptr ? load->place : store->place;
      together.apart += place.index.slope(Symbol::of(loop.var)) == Polynomial(1) ? alone_in_memory : 0;
    }
    for_each_element(statement,
                     [&](const Ref& ref, bool) { together.is_possible = together.is_possible && number_of(ref.index, counters_); });
  }

  void part(VarId var) {
    in_.variables[var].first_element = static_cast<VarId>(in_.variables.size());
    for (std::uint32_t element = 0; element < in_.variables[var].count; ++element) {
      const Variable& array = in_.variables[var];
      Variable one;
      one.name = fmt::format("{}.{}", array.name, element);
      one.element = array.element;
      one.kind = array.kind;
      one.span = array.span;
      in_.variables.push_back(std::move(one));
    }
  }

  Assignments& in_;
  std::vector<VarId> leader_;      ///< of each variable: another one that belongs with it, or itself
  std::map<VarId, VarId> copies_;  ///< temporaries that are an array's element: of which array
  std::map<VarId, Together> all_;
  std::map<VarId, std::int64_t> counters_;  ///< of the loops around that are unrolled, in the present round
};

}  // namespace

void part_elements(Assignments& assignments) { Parting(assignments).run(); }

}  // namespace lockstep::passes
