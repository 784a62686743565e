#pragma once
// The state domain of the prover: a term per lane, Θ a truth value per thread. See semantics/musimd/state.hpp for what a
// domain is. The same rules that the interpreter runs on numbers become formulas here.

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "semantics/musimd/rule_table.hpp"
#include "semantics/musimd/state.hpp"
#include "semantics/musimd/syntax.hpp"
#include "semantics/prove/term.hpp"

namespace lockstep::prove {

/// A set of threads: for each, whether it is a member. A default-made set is empty and may be combined with any other.
class ThreadSet {
 public:
  ThreadSet() = default;
  explicit ThreadSet(std::vector<Truth> members) : members_(std::move(members)) {}

  /// Whether thread `t` is a member.
  Truth operator[](std::size_t t) const { return t < members_.size() ? members_[t] : Truth(false); }
  std::size_t size() const { return members_.size(); }

  friend ThreadSet operator|(const ThreadSet& a, const ThreadSet& b);
  friend ThreadSet operator&(const ThreadSet& a, const ThreadSet& b);
  /// Set difference.
  friend ThreadSet operator-(const ThreadSet& a, const ThreadSet& b);

 private:
  std::vector<Truth> members_;
};

/// The truth that the set has no member.
Truth empty(const ThreadSet& set);
/// The truth that the sets have the same members.
Truth same(const ThreadSet& a, const ThreadSet& b);
/// The truth that every member of `a` is one of `b`.
Truth subset(const ThreadSet& a, const ThreadSet& b);

class Symbolic {
 public:
  using Bool = Truth;
  using Set = ThreadSet;
  using Label = Word;
  using Bank = std::vector<std::vector<CellTerm>>;  ///< β: variable, then thread
  using Cells = Memory;
  using Destination = musimd::VarId;
  using State = musimd::State<Symbolic>;

  /// An operand's value in every thread; the sets are subsets of Θ where the rules see them.
  struct Values {
    std::vector<Word> value;
    Set uninitialised;
    Set zero_divisor;
    Set poison;
  };

  enum class Shape { Constant, Copy, Operation };

  /// An expression of a program, or just any value in each thread (what it is made of does not matter to the rules).
  struct Operand {
    Shape shape = Shape::Constant;
    std::variant<Values, musimd::Expr> what;
  };

  struct Source {
    bool is_tid = false;
    musimd::VarId variable = 0;
  };

  /// `order`: the thread order of TL, a permutation of the threads; empty for ascending.
  explicit Symbolic(unsigned width, musimd::AsPrinted printed = {}, std::vector<unsigned> order = {});

  unsigned width() const { return width_; }
  bool printed(musimd::Erratum e) const { return printed_.contains(e); }

  static Truth truth(bool b) { return Truth(b); }
  static Truth empty(const Set& set) { return prove::empty(set); }
  Set none() const { return Set(std::vector<Truth>(width_)); }
  Set all() const { return Set(std::vector<Truth>(width_, Truth(true))); }
  Set single(unsigned thread) const;
  /// The set without its smallest member.
  static Set without_first(const Set& set);

  static bool is_constant(const Operand& o) { return o.shape == Shape::Constant; }
  static bool is_copy(const Operand& o) { return o.shape == Shape::Copy; }
  static bool is_operation(const Operand& o) { return o.shape == Shape::Operation; }

  Values evaluate(const State& s, const Operand& o) const;
  Values evaluate_second(const State& s, const Operand& o) const { return evaluate(s, o); }

  Set zeros(const State& s, const Values& v) const;
  Set not_uniform(const State& s, const Values& v) const;
  Truth first_value_in(const State& s, const Values& v, const Set& mask) const;
  Set bad_addresses(const State& s, const Values& v) const;
  Set lanes_in(const State& s, const Values& v, const Set& mask) const;
  Set uninitialised_source(const State& s, const Source& source) const;

  Values load(const State& s, const Values& address, const Set& bad_address) const;
  Values shuffle(const State& s, const Source& source, const Values& lane, const Set& in_mask, Set& found) const;

  void assign(State& s, Destination dst, const Values& v, const Set& threads) const;
  void assign_poison(State& s, Destination dst, const Set& threads) const;
  void store(State& s, const Values& address, const Values& value, const Set& threads) const;

  /// Calls f(set ∩ {t}) for every thread in thread order. Where t is no member, f gets a set that is empty.
  template <class F>
  void for_each_thread(const Set& set, F&& f) const {
    for (const unsigned t : order_) {
      f(set & single(t));
    }
  }

  /// The answer to `b`. An unknown one is answered both ways, one after the other, by explore().
  bool decide(const Truth& b);

  /// Calls `run` once for each way to answer the decisions in it; path() is then the condition of the present way.
  template <class F>
  void explore(F&& run) {
    answers_.clear();
    do {
      next_ = 0;
      path_ = Truth(true);
      run();
    } while (next_answers());
  }
  const Truth& path() const { return path_; }

 private:
  bool next_answers();

  unsigned width_;
  musimd::AsPrinted printed_;
  std::vector<unsigned> order_;
  std::vector<bool> answers_;
  std::size_t next_ = 0;
  Truth path_{true};
};

using State = Symbolic::State;
using Instruction = std::variant<musimd::Bz<Symbolic>, musimd::Jmp<Symbolic>, musimd::JmpMask<Symbolic>, musimd::Assignment<Symbolic>,
                                 musimd::Ld<Symbolic>, musimd::St<Symbolic>, musimd::Shfl<Symbolic>, musimd::SyncPoint<Symbolic>,
                                 musimd::Halt<Symbolic>, musimd::EnterBlock<Symbolic>, musimd::LeaveBlock<Symbolic>>;

/// An instruction of a program with targets and expressions ready for the rules.
Instruction translate(const musimd::Instruction& instruction);

/// A premise that was asked, and whether it holds.
struct Asked {
  musimd::RuleId rule;
  int number = 0;
  Truth holds;
};

/// What a candidate rule's premises amount to in a state.
struct Candidate {
  musimd::Fired rule;
  Truth applies;                              ///< all premises hold
  Truth defined;                              ///< of these, the ones that have to be defined
  ThreadSet threads;                          ///< SV and SI.shfl: the threads that take this rule (given that it applies)
  std::optional<musimd::PremiseKind> failed;  ///< the kind of the first premise that is constantly false, if one is
  std::vector<Asked> asked = {};              ///< in order, up to that one
};

/// Every candidate of the instruction, in order.
std::vector<Candidate> candidates_of(Symbolic& d, const State& s, const Instruction& i);

/// A state after a step. The conditions of a step's successors exclude each other exactly if the rules are deterministic,
/// except that a shuffle counts as SV where both SV and SI.shfl apply.
struct Successor {
  musimd::Fired rule;
  Truth condition;
  State state;
};

/// The successors of `s` whose condition is not constantly false.
std::vector<Successor> step(Symbolic& d, const State& s, const Instruction& i);

/// The conclusion of a data instruction's rules, whether their premises hold or not (all its candidates conclude the same):
/// what the threads of Θ compute in `before` is written onto `onto`.
State data_effect(Symbolic& d, const State& before, State onto, const Instruction& i);

}  // namespace lockstep::prove
