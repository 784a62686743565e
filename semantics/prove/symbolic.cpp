#include "semantics/prove/symbolic.hpp"

#include <numeric>

#include "semantics/base/internal_error.hpp"
#include "semantics/musimd/step.hpp"
#include "semantics/ops/lane.hpp"
#include "semantics/ops/scalar.hpp"
#include "semantics/prove/collect.hpp"

namespace lockstep::prove {

namespace {

template <class F>
ThreadSet combine(const ThreadSet& a, const ThreadSet& b, F f) {
  std::vector<Truth> members;
  for (std::size_t t = 0; t < std::max(a.size(), b.size()); ++t) {
    members.push_back(f(a[t], b[t]));
  }
  return ThreadSet(std::move(members));
}

/// An operand on its way through an expression, in one thread.
struct Part {
  Word value;
  Truth poison;
};

Word apply(Op op, const Word* a) {
  switch (op) {
#define OP_1(id) ops::id(a[0])
#define OP_2(id) ops::id(a[0], a[1])
#define OP_3(id) ops::id(a[0], a[1], a[2])
#define OP(id, text, arity, precedence, undefined, meaning) \
  case Op::id:                                              \
    return OP_##arity(id);
#include "semantics/ops/ops.def"
#undef OP
#undef OP_1
#undef OP_2
#undef OP_3
    default:
      break;  // the functions of typed programs
  }
  throw InternalError("an operation that terms do not have");
}

/// An operation is poison where an operand is; ?: looks at its condition and the chosen arm only.
Truth operation_poison(Op op, const Part* a) {
  if (op == Op::Select) {
    return ops::poison_of_choice(a[0].poison, !ops::is_zero(a[0].value), a[1].poison, a[2].poison);
  }
  Truth result = a[0].poison;
  for (int k = 1; k < info(op).arity; ++k) {
    result = ops::poison_of(result, a[k].poison);
  }
  return result;
}

/// What an expression amounts to in one thread.
struct Evaluated {
  Part result;
  Truth uninitialised;
  Truth zero_divisor;
};

Evaluated evaluate_in_thread(const State& s, const musimd::Expr& e, unsigned thread) {
  Evaluated out;
  std::vector<Part> waiting;
  for (const musimd::ExprNode& node : e.nodes) {
    if (const auto* constant = std::get_if<musimd::Constant>(&node)) {
      waiting.push_back({Word(constant->value), Truth(false)});
    } else if (const auto* variable = std::get_if<musimd::Variable>(&node)) {
      const CellTerm& cell = s.bank[variable->id][thread];
      out.uninitialised = out.uninitialised || !cell.written;
      waiting.push_back({cell.value, cell.is_poison()});
    } else if (const auto* operation = std::get_if<musimd::Operation>(&node)) {
      const auto arity = static_cast<std::size_t>(info(operation->op).arity);
      const Part* parts = waiting.data() + waiting.size() - arity;
      if (may_be_undefined(operation->op, ScalarType::Long)) {
        out.zero_divisor = out.zero_divisor || (ops::is_zero(parts[1].value) && !parts[1].poison);
      }
      Word words[3];
      for (std::size_t k = 0; k < arity; ++k) {
        words[k] = parts[k].value;
      }
      const Part result{apply(operation->op, words), operation_poison(operation->op, parts)};
      waiting.resize(waiting.size() - arity);
      waiting.push_back(result);
    } else {  // MT
      waiting.push_back({Word(static_cast<std::int64_t>(thread)), Truth(false)});
    }
  }
  out.result = waiting.back();
  return out;
}

CellTerm source_cell(const State& s, const Symbolic::Source& source, unsigned thread) {
  return source.is_tid ? CellTerm{Word(static_cast<std::int64_t>(thread)), Truth(true), Truth(false)} : s.bank[source.variable][thread];
}

Truth is_thread(const Word& w, unsigned thread) { return equal(w, Word(static_cast<std::int64_t>(thread))); }

}  // namespace

ThreadSet operator|(const ThreadSet& a, const ThreadSet& b) {
  return combine(a, b, [](const Truth& x, const Truth& y) { return x || y; });
}
ThreadSet operator&(const ThreadSet& a, const ThreadSet& b) {
  return combine(a, b, [](const Truth& x, const Truth& y) { return x && y; });
}
ThreadSet operator-(const ThreadSet& a, const ThreadSet& b) {
  return combine(a, b, [](const Truth& x, const Truth& y) { return x && !y; });
}

Truth empty(const ThreadSet& set) {
  Truth any(false);
  for (std::size_t t = 0; t < set.size(); ++t) {
    any = any || set[t];
  }
  return !any;
}

Truth same(const ThreadSet& a, const ThreadSet& b) { return subset(a, b) && subset(b, a); }

Truth subset(const ThreadSet& a, const ThreadSet& b) { return empty(a - b); }

Symbolic::Symbolic(unsigned width, musimd::AsPrinted printed, std::vector<unsigned> order)
    : width_(width), printed_(printed), order_(std::move(order)) {
  if (order_.empty()) {
    order_.resize(width);
    std::iota(order_.begin(), order_.end(), 0U);
  }
}

ThreadSet Symbolic::single(unsigned thread) const {
  std::vector<Truth> members(width_);
  members[thread] = Truth(true);
  return ThreadSet(std::move(members));
}

ThreadSet Symbolic::without_first(const Set& set) {
  std::vector<Truth> members;
  Truth earlier(false);
  for (std::size_t t = 0; t < set.size(); ++t) {
    members.push_back(set[t] && earlier);
    earlier = earlier || set[t];
  }
  return ThreadSet(std::move(members));
}

Symbolic::Values Symbolic::evaluate(const State& s, const Operand& o) const {
  if (const auto* given = std::get_if<Values>(&o.what)) {
    return {given->value, given->uninitialised & s.active, given->zero_divisor & s.active, given->poison & s.active};
  }
  Values v;
  std::vector<Truth> uninitialised;
  std::vector<Truth> zero_divisor;
  std::vector<Truth> poison;
  for (unsigned t = 0; t < width_; ++t) {
    const Evaluated each = evaluate_in_thread(s, std::get<musimd::Expr>(o.what), t);
    v.value.push_back(each.result.value);
    uninitialised.push_back(each.uninitialised && s.active[t]);
    zero_divisor.push_back(each.zero_divisor && s.active[t]);
    poison.push_back(each.result.poison && s.active[t]);
  }
  v.uninitialised = Set(std::move(uninitialised));
  v.zero_divisor = Set(std::move(zero_divisor));
  v.poison = Set(std::move(poison));
  return v;
}

ThreadSet Symbolic::zeros(const State& s, const Values& v) const {
  std::vector<Truth> members;
  members.reserve(width_);
  for (unsigned t = 0; t < width_; ++t) {
    members.push_back(s.active[t] && ops::is_zero(v.value[t]));
  }
  return Set(std::move(members));
}

ThreadSet Symbolic::not_uniform(const State& s, const Values& v) const {
  Word first = v.value[0];
  for (unsigned t = width_; t-- > 0;) {
    first = choose(s.active[t], v.value[t], first);
  }
  std::vector<Truth> members;
  members.reserve(width_);
  for (unsigned t = 0; t < width_; ++t) {
    members.push_back(s.active[t] && (v.poison[t] || !equal(v.value[t], first)));
  }
  return Set(std::move(members));
}

Truth Symbolic::first_value_in(const State& s, const Values& v, const Set& mask) const {
  Truth result(false);
  for (unsigned t = width_; t-- > 0;) {
    Truth in_mask(false);
    for (unsigned u = 0; u < width_; ++u) {
      in_mask = in_mask || (is_thread(v.value[t], u) && mask[u]);
    }
    result = choose(s.active[t], in_mask, result);
  }
  return result;
}

ThreadSet Symbolic::bad_addresses(const State& s, const Values& v) const {
  std::vector<Truth> members;
  members.reserve(width_);
  for (unsigned t = 0; t < width_; ++t) {
    members.push_back(s.active[t] && (v.poison[t] || less(v.value[t], Word(0))));
  }
  return Set(std::move(members));
}

ThreadSet Symbolic::lanes_in(const State& s, const Values& v, const Set& mask) const {
  std::vector<Truth> members;
  members.reserve(width_);
  for (unsigned t = 0; t < width_; ++t) {
    Truth in_mask(false);
    for (unsigned u = 0; u < width_; ++u) {
      in_mask = in_mask || (is_thread(v.value[t], u) && mask[u]);
    }
    members.push_back(s.active[t] && !v.poison[t] && in_mask);
  }
  return Set(std::move(members));
}

ThreadSet Symbolic::uninitialised_source(const State& s, const Source& source) const {
  std::vector<Truth> members;
  members.reserve(width_);
  for (unsigned t = 0; t < width_; ++t) {
    members.push_back(s.active[t] && !source_cell(s, source, t).written);
  }
  return Set(std::move(members));
}

Symbolic::Values Symbolic::load(const State& s, const Values& address, const Set& bad_address) const {
  Values v;
  std::vector<Truth> uninitialised;
  std::vector<Truth> poison;
  for (unsigned t = 0; t < width_; ++t) {
    const CellTerm cell = s.shared.read(address.value[t]);
    const Truth reads = s.active[t] && !bad_address[t];
    v.value.push_back(cell.value);
    uninitialised.push_back(reads && !cell.written);
    poison.push_back(reads && cell.is_poison());
  }
  v.uninitialised = Set(std::move(uninitialised));
  v.poison = Set(std::move(poison));
  return v;
}

Symbolic::Values Symbolic::shuffle(const State& s, const Source& source, const Values& lane, const Set& in_mask, Set& found) const {
  Values v;
  std::vector<Truth> finders;
  for (unsigned t = 0; t < width_; ++t) {
    Word value;
    Truth has_number(false);
    for (unsigned u = 0; u < width_; ++u) {
      const CellTerm cell = source_cell(s, source, u);
      const Truth here = is_thread(lane.value[t], u);
      value = choose(here, cell.value, value);
      has_number = has_number || (here && cell.is_number());
    }
    v.value.push_back(value);
    finders.push_back(in_mask[t] && has_number);
  }
  found = Set(std::move(finders));
  return v;
}

void Symbolic::assign(State& s, Destination dst, const Values& v, const Set& threads) const {
  for (unsigned t = 0; t < width_; ++t) {
    CellTerm& cell = s.bank[dst][t];
    cell = choose(threads[t], CellTerm{v.value[t], Truth(true), v.poison[t]}, cell);
  }
}

void Symbolic::assign_poison(State& s, Destination dst, const Set& threads) const {
  for (unsigned t = 0; t < width_; ++t) {
    CellTerm& cell = s.bank[dst][t];
    cell = choose(threads[t], CellTerm{Word(0), Truth(true), Truth(true)}, cell);
  }
}

void Symbolic::store(State& s, const Values& address, const Values& value, const Set& threads) const {
  for (const unsigned t : order_) {
    s.shared.write(threads[t], address.value[t], {value.value[t], Truth(true), value.poison[t]});
  }
}

bool Symbolic::decide(const Truth& b) {
  if (const auto known = b.known()) {
    return *known;
  }
  if (next_ == answers_.size()) {
    answers_.push_back(true);
  }
  const bool answer = answers_[next_++];
  path_ = path_ && (answer ? b : !b);
  return answer;
}

bool Symbolic::next_answers() {
  answers_.resize(next_);
  while (!answers_.empty() && !answers_.back()) {
    answers_.pop_back();
  }
  if (answers_.empty()) {
    return false;
  }
  answers_.back() = false;
  return true;
}

namespace {

template <class R, class I>
void add_successors(Symbolic& d, const State& s, const I& i, std::vector<Successor>& out) {
  using musimd::rules::facts;
  Truth earlier(false);  // a shuffle takes SI.shfl only where SV does not apply
  if constexpr (std::is_same_v<I, musimd::Shfl<Symbolic>>) {
    for (const Successor& each : out) {
      earlier = earlier || each.condition;
    }
  }
  d.explore([&] {
    const auto f = facts(d, s, i);
    Candidate candidate = new_candidate(musimd::fired<R, I>());
    Collect ask{candidate};
    const Truth condition(musimd::premises_hold<R>(ask, d, s, i, f) ? candidate.applies && !earlier : Truth(false));
    if (condition.known() == false) {
      return;
    }
    State next = s;
    musimd::conclude<R>(d, next, i, f);
    const Truth on_path = condition && d.path();
    out.push_back({candidate.rule, on_path, std::move(next)});
  });
}

template <class I, class... R>
std::vector<Successor> all_successors(musimd::RuleList<R...>, Symbolic& d, const State& s, const I& i) {
  std::vector<Successor> out;
  (add_successors<R>(d, s, i, out), ...);
  return out;
}

template <class I, class R, class... Rest>
void conclude_first(musimd::RuleList<R, Rest...>, Symbolic& d, const State& before, State& onto, const I& i) {
  using musimd::rules::facts;
  const auto f = facts(d, before, i);
  musimd::conclude<R>(d, onto, i, f);
}

Symbolic::Operand operand(const musimd::Expr& e) {
  using Shape = Symbolic::Shape;
  const Shape shape = e.nodes.size() > 1                                        ? Shape::Operation
                      : std::holds_alternative<musimd::Constant>(e.nodes.at(0)) ? Shape::Constant
                                                                                : Shape::Copy;
  return {shape, e};
}

}  // namespace

std::vector<Candidate> candidates_of(Symbolic& d, const State& s, const Instruction& i) {
  CollectAll ask;
  std::visit([&](const auto& each) { musimd::ask_candidates(ask, d, s, each); }, i);
  return std::move(ask.all);
}

std::vector<Successor> step(Symbolic& d, const State& s, const Instruction& i) {
  return std::visit([&](const auto& each) { return all_successors(candidates(each), d, s, each); }, i);
}

State data_effect(Symbolic& d, const State& before, State onto, const Instruction& i) {
  std::visit(
      [&]<class I>(const I& each) {
        if constexpr (musimd::is_control_flow<I>) {
          throw InternalError("a control flow instruction has no data effect");
        } else {
          conclude_first(candidates(each), d, before, onto, each);
        }
      },
      i);
  return onto;
}

Instruction translate(const musimd::Instruction& instruction) {
  using namespace musimd;
  const auto label = [](const Target& target) { return Word(static_cast<std::int64_t>(target.pc)); };
  struct Visitor {
    decltype(label)& pc;
    prove::Instruction operator()(const BranchZero& x) const { return Bz<Symbolic>{operand(x.condition), pc(x.target)}; }
    prove::Instruction operator()(const Jump& x) const { return Jmp<Symbolic>{pc(x.target)}; }
    prove::Instruction operator()(const JumpMask& x) const { return JmpMask<Symbolic>{operand(x.thread), pc(x.target)}; }
    prove::Instruction operator()(const Assign& x) const { return Assignment<Symbolic>{x.dst, operand(x.value)}; }
    prove::Instruction operator()(const Load& x) const { return Ld<Symbolic>{x.dst, operand(x.address)}; }
    prove::Instruction operator()(const Store& x) const { return St<Symbolic>{operand(x.address), operand(x.value)}; }
    prove::Instruction operator()(const Shuffle& x) const {
      const auto* variable = std::get_if<Variable>(&x.source);
      return Shfl<Symbolic>{x.dst, {variable == nullptr, variable == nullptr ? 0 : variable->id}, operand(x.lane)};
    }
    prove::Instruction operator()(const Sync&) const { return SyncPoint<Symbolic>{}; }
    prove::Instruction operator()(const Stop&) const { return Halt<Symbolic>{}; }
    prove::Instruction operator()(const Everywhere&) const { return EnterBlock<Symbolic>{}; }
    prove::Instruction operator()(const EndEverywhere&) const { return LeaveBlock<Symbolic>{}; }
  };
  return std::visit(Visitor{label}, instruction);
}

}  // namespace lockstep::prove
