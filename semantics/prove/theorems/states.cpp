#include "semantics/prove/theorems/states.hpp"

namespace lockstep::prove {

using namespace musimd;
using Shape = Symbolic::Shape;

namespace {

std::string indexed(const std::string& name, std::size_t k) { return name + "_" + std::to_string(k); }

ThreadSet arbitrary_set(const Symbolic& d, const std::string& name) {
  std::vector<Truth> members;
  members.reserve(d.width());
  for (unsigned t = 0; t < d.width(); ++t) {
    members.push_back(Truth::named(indexed(name, t)));
  }
  return ThreadSet(std::move(members));
}

/// The truth that `f(t)` holds for all threads of Θ.
template <class F>
Truth for_active(const State& s, F f) {
  Truth all(true);
  for (std::size_t t = 0; t < s.active.size(); ++t) {
    all = all && implies(s.active[t], f(t));
  }
  return all;
}

/// No thread of Θ reads an uninitialised variable or divides by zero in the operand.
Truth evaluates(const State& s, const Symbolic::Values& v) {
  return for_active(s, [&](std::size_t t) { return !v.uninitialised[t] && !v.zero_divisor[t]; });
}
Truth numbers(const State& s, const Symbolic::Values& v) {
  return for_active(s, [&](std::size_t t) { return !v.poison[t]; });
}
Truth addresses(const State& s, const Symbolic::Values& v) {
  return numbers(s, v) && for_active(s, [&](std::size_t t) { return !less(v.value[t], Word(0)); });
}
Truth uniform(const State& s, const Symbolic::Values& v) {
  return for_active(s, [&](std::size_t t) { return for_active(s, [&](std::size_t u) { return equal(v.value[t], v.value[u]); }); });
}
Truth cells_initialised(const State& s, const Symbolic::Values& v) {
  return for_active(s, [&](std::size_t t) { return s.shared.read(v.value[t]).written; });
}

Truth converged(const State& s) {
  Truth all(true);
  for (std::size_t k = s.frame_base; k < s.sync.size(); ++k) {
    all = all && empty(s.sync[k].done) && empty(s.sync[k].todo);
  }
  return all;
}

template <class F>
std::vector<Subject> for_each_shape(const Symbolic& d, const State& s, F f) {
  std::vector<Subject> result;
  for (const Shape shape : {Shape::Constant, Shape::Copy, Shape::Operation}) {
    const Symbolic::Operand operand = arbitrary_operand(d, shape, "e");
    result.push_back(f(operand, d.evaluate(s, operand)));
  }
  return result;
}

/// v0 := the variable v1.
Symbolic::Operand copy_of_v1() {
  Expr e;
  e.nodes = {Variable{1, {}}};
  return {Shape::Copy, e};
}

}  // namespace

std::string name(Kind kind) {
  static constexpr const char* names[] = {
      "stop", "jmp", "bz",  "jmp_mask", "sync", "everywhere", "end_everywhere", "assign_constant", "assign_copy", "assign_operation",
      "ld",   "st",  "shfl"};
  return names[static_cast<std::size_t>(kind)];
}

Symbolic::Operand arbitrary_operand(const Symbolic& d, Shape shape, const std::string& name) {
  Symbolic::Values v;
  for (unsigned t = 0; t < d.width(); ++t) {
    v.value.push_back(Word::named(shape == Shape::Constant ? name : indexed(name, t)));
  }
  if (shape != Shape::Constant) {
    v.uninitialised = arbitrary_set(d, name + "_uninitialised");
    v.poison = arbitrary_set(d, name + "_poison") - v.uninitialised;
  }
  if (shape == Shape::Operation) {
    v.zero_divisor = arbitrary_set(d, name + "_zero_divisor");
  }
  return {shape, v};
}

std::vector<Subject> subjects(Kind kind, const Symbolic& d, const State& s) {
  const Word target = Word::named("target");
  const auto assign = [&](const Symbolic::Operand& o) {
    return std::vector<Subject>{{Assignment<Symbolic>{0, o}, evaluates(s, d.evaluate(s, o))}};
  };
  switch (kind) {
    case Kind::Stop:
      return {{Halt<Symbolic>{}, Truth(s.sync.size() == s.frame_base && s.context.empty())}};
    case Kind::Jmp:
      return {{Jmp<Symbolic>{target}, Truth(true)}};
    case Kind::Bz:
      return for_each_shape(
          d, s, [&](const auto& o, const auto& v) { return Subject{Bz<Symbolic>{o, target}, evaluates(s, v) && numbers(s, v)}; });
    case Kind::JmpMask:
      return for_each_shape(d, s, [&](const auto& o, const auto& v) {
        return Subject{JmpMask<Symbolic>{o, target}, Truth(!s.context.empty()) && evaluates(s, v) && numbers(s, v) && uniform(s, v)};
      });
    case Kind::Sync:
      return {{SyncPoint<Symbolic>{}, Truth(s.sync.size() > s.frame_base)}};
    case Kind::Everywhere:
      return {{EnterBlock<Symbolic>{}, Truth(true)}};
    case Kind::EndEverywhere:
      return {{LeaveBlock<Symbolic>{}, Truth(!s.context.empty()) && converged(s)}};
    case Kind::AssignConstant:
      return assign(arbitrary_operand(d, Shape::Constant, "e"));
    case Kind::AssignCopy:
      return assign(copy_of_v1());
    case Kind::AssignOperation:
      return assign(arbitrary_operand(d, Shape::Operation, "e"));
    case Kind::Ld:
      return for_each_shape(d, s, [&](const auto& o, const auto& v) {
        return Subject{Ld<Symbolic>{0, o}, evaluates(s, v) && addresses(s, v) && cells_initialised(s, v)};
      });
    case Kind::St: {
      const Symbolic::Operand value = arbitrary_operand(d, Shape::Operation, "c");
      return for_each_shape(d, s, [&](const auto& o, const auto& v) {
        return Subject{St<Symbolic>{o, value}, evaluates(s, v) && addresses(s, v) && evaluates(s, d.evaluate(s, value))};
      });
    }
    case Kind::Shfl:
      return for_each_shape(d, s, [&](const auto& o, const auto& v) { return Subject{Shfl<Symbolic>{0, {false, 1}, o}, evaluates(s, v)}; });
  }
  return {};
}

std::vector<Firing> firings(const std::vector<Candidate>& candidates) {
  std::vector<Firing> fires;
  for (const Candidate& candidate : candidates) {
    if (candidate.applies.known() == false) {
      continue;
    }
    Rules rules = {candidate.rule.rule, candidate.rule.root};
    if (candidate.rule.rule == RuleId::IT) {
      rules.insert(RuleId::TL);
    }
    for (const Asked& premise : candidate.asked) {
      if (premise.holds.known() != true) {  // of a constant, that it has been written says nothing
        rules.insert(premise.rule);
      }
    }
    for (const RuleId rule : rules) {
      fires.push_back({rule, candidate.applies});
    }
  }
  return fires;
}

void append(std::vector<Firing>& fires, std::vector<Firing> more) { std::move(more.begin(), more.end(), std::back_inserter(fires)); }

std::vector<Firing> where(const Truth& assumed, std::vector<Firing> fires) {
  for (Firing& each : fires) {
    each.where = assumed && each.where;
  }
  return fires;
}

Rules rules_of(const std::vector<Firing>& fires) {
  Rules rules;
  for (const Firing& each : fires) {
    rules.insert(each.rule);
  }
  return rules;
}

Rules rules_of(const std::function<std::vector<Subject>(const Symbolic&, const State&)>& subjects) {
  Rules rules;
  for (const Case& c : {Case{1, {0}}, Case{1, {0, 1}}}) {
    Symbolic d(1);
    const State s = arbitrary_state(d, c);
    for (const Subject& subject : subjects(d, s)) {
      rules.merge(rules_of(firings(candidates_of(d, s, subject.instruction))));
    }
  }
  return rules;
}

Rules rules_of(Kind kind) {
  return rules_of([kind](const Symbolic& d, const State& s) { return subjects(kind, d, s); });
}

State arbitrary_state(const Symbolic& d, const Case& c) {
  State s;
  s.active = arbitrary_set(d, "theta");
  for (std::size_t f = 0; f < c.depths.size(); ++f) {
    s.frame_base = s.sync.size();
    for (unsigned k = 0; k < c.depths[f]; ++k) {
      const std::string entry = "pi" + std::to_string(f) + "_" + std::to_string(k);
      s.sync.push_back({Word::named(entry + "_branch_pc"), arbitrary_set(d, entry + "_done"), Word::named(entry + "_resume_at"),
                        arbitrary_set(d, entry + "_todo")});
    }
    if (f + 1 < c.depths.size()) {
      s.context.push_back({arbitrary_set(d, "lambda" + std::to_string(f)), s.frame_base});
    }
  }
  for (unsigned v = 0; v < variables; ++v) {
    std::vector<CellTerm>& lanes = s.bank.emplace_back();
    for (unsigned t = 0; t < d.width(); ++t) {
      const std::string cell = "v" + std::to_string(v) + "_" + std::to_string(t);
      lanes.push_back({Word::named(cell), Truth::named(cell + "_written"), Truth::named(cell + "_poison")});
    }
  }
  s.shared = Memory::named("sigma");
  s.pc = Word::named("pc");
  return s;
}

std::vector<Frame> frames(const State& s) {
  std::vector<Frame> result;
  result.reserve(s.context.size() + 1);
  for (std::size_t k = 0; k < s.context.size(); ++k) {
    result.push_back({s.context[k].mask, s.context[k].sync_base, k + 1 < s.context.size() ? s.context[k + 1].sync_base : s.frame_base});
  }
  result.push_back({s.active, s.frame_base, s.sync.size()});
  return result;
}

Truth any(const std::vector<Candidate>& candidates) {
  Truth result(false);
  for (const Candidate& each : candidates) {
    result = result || each.applies;
  }
  return result;
}

Truth at_most_one(const std::vector<Candidate>& candidates) {
  Truth result(true);
  for (std::size_t a = 0; a < candidates.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      result = result && !(candidates[a].applies && candidates[b].applies);
    }
  }
  return result;
}

Truth each_thread_one(const ThreadSet& active, const Truth& applicable, const std::vector<Candidate>& candidates) {
  Truth result(true);
  for (std::size_t t = 0; t < active.size(); ++t) {
    const Truth sv = candidates[0].threads[t];
    const Truth si = candidates[1].threads[t];
    result = result && implies(applicable, !(sv && si) && same(sv || si, active[t]));
  }
  return result;
}

Truth invariant(const State& s, const Frame& frame) {
  std::vector<ThreadSet> sets = {frame.mask};
  for (std::size_t k = frame.begin; k < frame.end; ++k) {
    sets.push_back(s.sync[k].done);
    sets.push_back(s.sync[k].todo);
  }
  Truth result = !empty(frame.mask);
  for (std::size_t a = 0; a < sets.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      result = result && empty(sets[a] & sets[b]);
    }
  }
  return result;
}

Truth invariant(const State& s) {
  Truth result(true);
  for (const Frame& frame : frames(s)) {
    result = result && invariant(s, frame);
  }
  return result;
}

Truth same_data(const State& a, const State& b) {
  const Word address = Word::named("any_address");
  Truth result = same(a.shared.read(address), b.shared.read(address));
  for (std::size_t v = 0; v < a.bank.size(); ++v) {
    for (std::size_t t = 0; t < a.bank[v].size(); ++t) {
      result = result && same(a.bank[v][t], b.bank[v][t]);
    }
  }
  return result;
}

Truth same_control(const State& a, const State& b) {
  if (a.sync.size() != b.sync.size() || a.context.size() != b.context.size() || a.frame_base != b.frame_base) {
    return Truth(false);
  }
  Truth result = same(a.active, b.active);
  for (std::size_t k = 0; k < a.sync.size(); ++k) {
    result = result && a.sync[k].branch_pc == b.sync[k].branch_pc && same(a.sync[k].done, b.sync[k].done) &&
             a.sync[k].resume_at == b.sync[k].resume_at && same(a.sync[k].todo, b.sync[k].todo);
  }
  for (std::size_t k = 0; k < a.context.size(); ++k) {
    result = result && same(a.context[k].mask, b.context[k].mask) && Truth(a.context[k].sync_base == b.context[k].sync_base);
  }
  return result;
}

void show(Shown& shown, const std::string& title, const State& s) {
  const auto set = [&](const std::string& name, const ThreadSet& members) {
    for (std::size_t t = 0; t < members.size(); ++t) {
      shown.truths.push_back({std::string(title).append(": thread ").append(std::to_string(t)).append(" in ").append(name), members[t]});
    }
  };
  set("theta", s.active);
  for (std::size_t k = 0; k < s.sync.size(); ++k) {
    const std::string entry = "entry " + std::to_string(k) + " of the sync stack";
    set("done of " + entry, s.sync[k].done);
    set("todo of " + entry, s.sync[k].todo);
  }
  for (std::size_t k = 0; k < s.context.size(); ++k) {
    set("the mask of frame " + std::to_string(k), s.context[k].mask);
  }
  for (std::size_t v = 0; v < s.bank.size(); ++v) {
    for (std::size_t t = 0; t < s.bank[v].size(); ++t) {
      const std::string cell = title + ": v" + std::to_string(v) + " of thread " + std::to_string(t);
      shown.truths.push_back({cell + " is poison", s.bank[v][t].is_poison()});
      shown.truths.push_back({cell + " is uninitialised", !s.bank[v][t].written});
      shown.words.push_back({cell, s.bank[v][t].value});
    }
  }
}

std::vector<Case> stack_cases(bool full) {
  constexpr unsigned deepest = 3;
  std::vector<Case> result;
  for (unsigned threads = 1; threads <= 4; ++threads) {
    std::vector<std::vector<unsigned>> saved = {{}};  // depths of the saved frames, all choices of a number of frames
    for (unsigned frame_count = 0; frame_count <= deepest; ++frame_count) {
      for (const std::vector<unsigned>& depths : saved) {
        for (unsigned present = 0; present <= deepest; ++present) {
          Case& c = result.emplace_back(Case{threads, depths});
          c.depths.push_back(present);
        }
      }
      std::vector<std::vector<unsigned>> longer;
      for (const std::vector<unsigned>& depths : saved) {
        for (unsigned next = 0; next <= deepest; ++next) {
          if (full || depths.empty() || next == depths.front()) {
            longer.push_back(depths);
            longer.back().push_back(next);
          }
        }
      }
      saved = std::move(longer);
    }
  }
  return result;
}

std::vector<Case> data_cases() {
  std::vector<Case> result;
  for (unsigned threads = 1; threads <= 4; ++threads) {
    result.push_back({threads, {0}});
    result.push_back({threads, {0, 0}});
  }
  return result;
}

}  // namespace lockstep::prove
