#include "semantics/prove/typed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "semantics/prove/budget.hpp"
#include "semantics/prove/typed_instruction.hpp"
#include "semantics/typed/visit.hpp"

namespace lockstep::prove {

using musimd::RuleId;

namespace {

/// Rounds of a loop that all items in it go through, where it is not known whether there are any: as many as a buffer has elements.
constexpr unsigned most_rounds_alike = most_cells;

using D = TypedSymbolic;
using Set = ThreadSet;

// ---- what a premise of unknown truth is ------------------------------------------------------------------------------------

/// One by which rules are told apart, and the run covers both ways: the rule is concluded whether it holds or not.
struct Choice {};
/// One without which the kernel is undefined: from here on it is taken for granted.
struct Assumption {
  RuleId rule;
  int premise;
  Truth holds;
};
/// Any other: the rule is concluded only if it is proved.
struct Demand {
  RuleId rule;
  int premise;
  Truth holds;
};
using Unknown = std::variant<Choice, Assumption, Demand>;

/// The premises by which rules are told apart, of those rules that the head of typed_run.hpp speaks of.
constexpr bool is_choice(RuleId rule, int premise) {
  switch (rule) {
    case RuleId::BT:
    case RuleId::BF:
    case RuleId::BA:
    case RuleId::BI:
      return premise == 4;
    case RuleId::BD:
      return premise == 4 || premise == 5;
    case RuleId::SS:
    case RuleId::SI_sync:
      return premise == 3;
    default:
      return false;
  }
}

/// Asks premises. One that surely fails stops the rule; those of unknown truth are what has to be dealt with if it does not.
class Gather {
 public:
  bool operator()(RuleId rule, int premise, const Truth& holds) {
    if (!holds.known()) {
      unknown_.push_back(is_choice(rule, premise) ? Unknown(Choice{}) : Demand{rule, premise, holds});
    }
    return holds.known() != false;
  }
  bool threads(RuleId rule, int premise, const Set& failing) {
    const Truth holds = empty(failing);
    if (holds.known() != true) {
      unknown_.emplace_back(Assumption{rule, premise, holds});
    }
    return true;
  }
  /// Of a shuffle, whose two rules conclude as one.
  template <class S>
  bool some_thread(RuleId, int, const S&, const S&) {
    return true;
  }
  const std::vector<Unknown>& unknown() const { return unknown_; }

 private:
  std::vector<Unknown> unknown_;
};

/// One group.
class GroupRun {
 public:
  GroupRun(const typed::Program& program, const std::vector<TypedInstruction>& code, LaunchMemory& memory, std::uint64_t group,
           Explorer& explorer, const TypedRunOptions& options, TypedRun& run)
      : program_(program),
        code_(code),
        d_(program, memory, group, options.groups, options.everybody),
        group_(group),
        explorer_(explorer),
        options_(options),
        run_(run) {}

  void run(const std::vector<Value>& arguments) {
    s_ = d_.start(arguments);
    while (!stopped_) {
      come_back();
      if (stopped_) {
        return;
      }
      const typed::Label pc = s_.pc;
      const Set active = s_.active;
      Budget::check(d_.width());
      if (run_.steps >= options_.max_steps) {
        return give_up(fmt::format("the execution took more than {} instructions", options_.max_steps));
      }
      ++run_.steps;
      std::visit([&](const auto& i) { execute(i); }, code_[pc]);
      follow_stack(active);
      if (options_.observer) {
        options_.observer({group_, pc, active, s_});
      }
    }
  }

 private:
  /// An entry of Π, and more than the rules know of it.
  struct Pending {
    Set before;             ///< Θ when the entry was made; the same when it goes (semantics/prove/theorems/reconvergence.cpp)
    std::uint64_t all = 0;  ///< rounds
    unsigned rounds = 0;    ///< in which it was not certain that somebody goes on
    unsigned alike = 0;     ///< in which all that are there go on, if anybody is
    std::vector<std::vector<Cell>> deciding;  ///< what decided so the last time
    std::optional<typed::Label> sync;         ///< where its items wait for each other
  };
  /// Items that wait at a jmp_mask for those that took it.
  struct Withheld {
    typed::Label until = 0;
    std::size_t frames = 0;
    std::size_t contexts = 0;
    std::size_t entries = 0;
    Set active;
  };

  void give_up(std::string sentence, bool is_limit = true) {
    run_.end = TypedRun::GivenUp{std::move(sentence), program_.code[s_.pc].span, is_limit};
    stopped_ = true;
  }

  void settle(const Choice&) {}
  void settle(const Assumption& each) {
    run_.undefined.push_back({group_, s_.pc, each.rule, each.premise, !each.holds});
    explorer_.assume(each.holds);
    stopped_ = stopped_ || !explorer_.is_consistent();
  }
  void settle(const Demand& each) {
    if (explorer_.possible(!each.holds)) {
      give_up(fmt::format("whether premise {} of rule {} holds here depends on the inputs, and execution without forking needs to know",
                          each.premise, musimd::name(each.rule)),
              false);
    }
  }
  void settle(const Gather& asked) {
    for (const Unknown& each : asked.unknown()) {
      if (!stopped_) {
        std::visit([&](const auto& what) { settle(what); }, each);
      }
    }
  }
  /// No rule applies. Where it is unknown whether anybody is here, those who are elsewhere would go on.
  void stuck() {
    const Truth somebody = !empty(s_.active);
    if (!somebody.known()) {
      return give_up("no rule applies here, if anybody comes here at all", false);
    }
    run_.undefined.push_back({group_, s_.pc, RuleId::SP, 0, somebody});
    explorer_.assume(!somebody);
    stopped_ = true;
  }

  /// Whether another round, the `round`-th uncertain one, or a call in itself, is to be executed for `somebody`.
  bool goes_on(const Truth& somebody, unsigned round) {
    if (const auto known = somebody.known()) {
      return *known;
    }
    if (!explorer_.possible(somebody)) {
      return false;
    }
    if (round > options_.bound) {
      run_.beyond.push_back({group_, s_.pc, somebody});
      explorer_.assume(!somebody);
      return false;
    }
    return true;
  }

  /// The loop on top of Π begins another round.
  void count_round() { run_.most_rounds = std::max(run_.most_rounds, ++pending_.back().all); }

  /// The registers that the condition reads. One that is a register and nothing else may be the loop's own flag, which a `break` takes
  /// back: then all registers of the frame.
  std::vector<std::vector<Cell>> deciding(const typed::Expr& condition) const {
    const std::vector<std::vector<Cell>>& registers = s_.bank.back().registers;
    if (condition.nodes.size() == 1) {
      return registers;
    }
    std::vector<std::vector<Cell>> read;
    for (const typed::ExprNode& node : condition.nodes) {
      if (const auto id = typed::register_of(node)) {
        read.push_back(registers[*id]);
      }
    }
    return read;
  }

  /// Whether there is another round, as all items go on that are in the loop, if there are any. Where a round has changed nothing that
  /// decides, or there have been very many, nobody knows that the loop ends: then it counts like one that is not certain.
  bool all_go_on(const typed::Expr& condition) {
    const Truth somebody = !empty(s_.active);
    if (somebody.known()) {
      return true;
    }
    Pending& loop = pending_.back();
    std::vector<std::vector<Cell>> now = deciding(condition);
    const bool is_same = std::ranges::equal(now, loop.deciding, [](const std::vector<Cell>& a, const std::vector<Cell>& b) {
      return std::ranges::equal(a, b, [](const Cell& x, const Cell& y) {
        return identical(x.value, y.value) && identical(x.poison, y.poison) && identical(x.written, y.written);
      });
    });
    loop.deciding = std::move(now);
    return (!is_same && ++loop.alike <= most_rounds_alike) || goes_on(somebody, ++loop.rounds);
  }

  /// Items that waited at a jmp_mask are active again.
  void come_back() {
    while (!withheld_.empty()) {
      const Withheld& last = withheld_.back();
      if (s_.bank.size() < last.frames || s_.context.size() < last.contexts || s_.sync.size() < last.entries) {
        return give_up("what follows this jmp_mask does not come to where those wait that do not take it", false);
      }
      if (last.until != s_.pc || s_.bank.size() != last.frames || s_.context.size() != last.contexts || s_.sync.size() != last.entries) {
        return;
      }
      s_.active = last.active;
      withheld_.pop_back();
    }
  }

  /// At the end everybody has to be there: nobody is withheld, and nobody waits.
  void end() {
    Truth all_there(withheld_.empty());
    const Set everybody = d_.all();
    for (unsigned t = 0; t < d_.width(); ++t) {
      all_there = all_there && same(s_.active[t], everybody[t]);
    }
    if (explorer_.possible(!all_there)) {
      give_up("it is not certain that all items come to the end", false);
    }
    stopped_ = true;
  }

  /// Keeps `pending_` in step with Π. `before`: Θ before the instruction.
  void follow_stack(const Set& before) {
    if (s_.sync.size() < pending_.size()) {
      pending_.resize(s_.sync.size());
    }
    while (pending_.size() < s_.sync.size()) {
      pending_.push_back({before, 0, 0, 0, {}, std::nullopt});
    }
  }

  template <class R, class I, class F>
  void conclude(const I& i, const F& f) {
    Gather ask;
    if (!musimd::premises_hold<R>(ask, d_, s_, i, f)) {
      return stuck();
    }
    settle(ask);
    if (!stopped_) {
      musimd::conclude<R>(d_, s_, i, f);
    }
  }

  /// The first candidate whose premises do not surely fail; where there are several, they conclude the same.
  template <class I, class F, class R, class... More>
  void conclude_first(const I& i, const F& f, musimd::RuleList<R, More...>) {
    Gather ask;
    if (musimd::premises_hold<R>(ask, d_, s_, i, f)) {
      return conclude<R>(i, f);
    }
    if constexpr (sizeof...(More) > 0) {
      conclude_first(i, f, musimd::RuleList<More...>{});
    } else {
      stuck();
    }
  }

  template <class I>
  void execute(const I& i) {
    using musimd::candidates;
    using musimd::rules::facts;
    using typed::candidates;
    using typed::facts;
    conclude_first(i, facts(d_, s_, i), candidates(i));
  }

  void execute(const musimd::Halt<D>& i) {
    conclude<musimd::rules::SP>(i, musimd::rules::NoFacts{});
    if (!stopped_) {
      end();
    }
  }

  void execute(const musimd::Bz<D>& i) {
    const auto f = musimd::rules::facts(d_, s_, i);
    const Truth nobody_falls = empty(f.nonzero);
    const bool comes_again = !s_.sync_empty() && s_.sync.back().branch_pc == s_.pc;
    const bool is_round = comes_again && i.target > s_.pc;
    if (comes_again) {
      count_round();
    }
    if (nobody_falls.known() == true) {
      const bool goes_back = comes_again && i.target <= s_.pc;
      return goes_back && !all_go_on(*i.condition) ? conclude<musimd::rules::BF>(i, f) : conclude<musimd::rules::BT>(i, f);
    }
    if (empty(f.zero).known() == true) {
      return is_round && !all_go_on(*i.condition) ? conclude<musimd::rules::BT>(i, f) : conclude<musimd::rules::BF>(i, f);
    }
    if (is_round && !goes_on(!nobody_falls, ++pending_.back().rounds)) {
      return conclude<musimd::rules::BT>(i, f);
    }
    conclude<musimd::rules::BD>(i, f);
  }

  void execute(const musimd::SyncPoint<D>& i) {
    const musimd::rules::NoFacts none;
    if (s_.sync_empty()) {
      return stuck();
    }
    if (pending_.back().sync.value_or(s_.pc) != s_.pc) {
      return give_up("the two ways of a branch end at different syncs, and it is not known which is taken", false);
    }
    pending_.back().sync = s_.pc;
    const musimd::SyncEntry<D>& top = s_.sync.back();
    const Truth nobody = empty(top.todo);
    const bool is_round = top.resume_at <= top.branch_pc;
    const bool waits = nobody.known() != true && (!is_round || goes_on(!nobody, ++pending_.back().rounds));
    if (waits) {
      count_round();
      return conclude<musimd::rules::SS>(i, none);
    }
    const Set before = pending_.back().before;
    conclude<musimd::rules::SI_sync>(i, none);
    s_.active = before;
  }

  void execute(const musimd::JmpMask<D>& i) {
    const auto f = musimd::rules::facts(d_, s_, i);
    if (const auto known = f.in_mask.known()) {
      return *known ? conclude<musimd::rules::BA>(i, f) : conclude<musimd::rules::BI>(i, f);
    }
    const auto* around = s_.pc + 1 < code_.size() ? std::get_if<musimd::Jmp<D>>(&code_[s_.pc + 1]) : nullptr;
    if (around == nullptr) {
      return give_up("a jmp_mask that is not followed by the jump of those that do not take it is not executed without forking", false);
    }
    const Set before = s_.active;
    conclude<musimd::rules::BA>(i, f);
    if (stopped_) {
      return;
    }
    withheld_.push_back({around->target, s_.bank.size(), s_.context.size(), s_.sync.size(), before});
    s_.active = s_.active & Set(std::vector<Truth>(d_.width(), f.in_mask));
  }

  void execute(const musimd::EnterBlock<D>& i) {
    d_.enter_block(!empty(s_.active));
    conclude<musimd::rules::EB>(i, musimd::rules::NoFacts{});
  }
  void execute(const musimd::LeaveBlock<D>& i) {
    conclude<musimd::rules::EE>(i, musimd::rules::NoFacts{});
    d_.leave_block();
  }

  void execute(const typed::Enter<D>& i) {
    const Truth somebody = !empty(s_.active);
    const auto depth = std::ranges::count(s_.bank, i.function, &D::Frame::function);
    if (somebody.known() == false || (depth > 0 && !goes_on(somebody, static_cast<unsigned>(depth)))) {
      s_.pc = s_.pc + 1;  // nobody calls
      return;
    }
    conclude<typed::rules::CALL>(i, typed::facts(d_, s_, i));
  }

  const typed::Program& program_;
  const std::vector<TypedInstruction>& code_;
  TypedSymbolic d_;
  std::uint64_t group_;
  Explorer& explorer_;
  const TypedRunOptions& options_;
  TypedRun& run_;
  D::State s_;
  std::vector<Pending> pending_;
  std::vector<Withheld> withheld_;
  bool stopped_ = false;
};

/// The memory as the next group meets it.
void begin_group(LaunchMemory& memory) {
  for (std::size_t k = memory.first_of_program; k < memory.objects.size(); ++k) {
    MemoryObject& object = memory.objects[k];
    if (object.space == AddressSpace::Local) {
      const std::uint64_t cells = object.count * cells_each(object.element, object.bytes);
      Budget::reserve(cells, sizeof(Cell));
      object.cells.assign(cells, Cell{Value(), Truth(false), Truth(false)});
    }
  }
}

}  // namespace

void add_program_objects(LaunchMemory& memory, const typed::Program& program) {
  for (const typed::Object& object : program.objects) {
    Budget::reserve(object.values.size(), sizeof(Cell));
    memory.objects.push_back({object.name, object.element, object.space, object.count, {}});
    for (const std::uint64_t bits : object.values) {
      memory.objects.back().cells.push_back({Value::number(object.element, bits), Truth(false), Truth(true)});
    }
  }
  const typed::Puns puns(program);
  for (MemoryObject& object : memory.objects) {
    if (!object.bytes && puns(object.space, object.element)) {
      make_bytes(object);
    }
  }
}

TypedRun run_typed(const typed::Program& program, const std::vector<Value>& arguments, LaunchMemory& memory, Explorer& explorer,
                   const TypedRunOptions& options) {
  std::vector<TypedInstruction> code;
  code.reserve(program.code.size());
  for (const typed::Statement& statement : program.code) {
    code.push_back(translate(statement.instruction));
  }
  TypedRun run;
  for (std::uint64_t group = 0; group < options.groups && std::holds_alternative<TypedRun::Finished>(run.end); ++group) {
    if (!explorer.is_consistent()) {
      break;  // it is undefined on all inputs
    }
    begin_group(memory);
    GroupRun(program, code, memory, group, explorer, options, run).run(arguments);
  }
  return run;
}

}  // namespace lockstep::prove
