#include "semantics/prove/theorem.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "semantics/prove/theorems/families.hpp"

namespace lockstep::prove {

namespace {

class Proof {
 public:
  Proof(const Theorem& theorem, const ProofOptions& options)
      : theorem_(theorem), options_(options), not_fired_(theorem.rules ? theorem.rules() : Rules{}) {}

  ProofResult run() {
    const auto start = std::chrono::steady_clock::now();
    result_.verdict = Verdict::Proved;
    for (const Case& c : theorem_.cases) {
      if (!prove_case(c)) {
        break;
      }
    }
    if (result_.verdict == Verdict::Proved && (theorem_.cases.empty() || !unreached_.empty())) {
      result_.verdict = Verdict::Vacuous;
      result_.where = unreached_.empty() ? "no cases" : unreached_.front();
    }
    if (result_.verdict == Verdict::Proved && !not_fired_.empty()) {
      result_.verdict = Verdict::Vacuous;
      result_.where = std::string(musimd::name(*not_fired_.begin())) + " never fires";
    }
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result_;
  }

 private:
  bool prove_case(const Case& c) {
    const Obligation obligation = theorem_.oblige(c);
    Solver solver(options_.timeout_ms);
    for (const Truth& hypothesis : obligation.hypotheses) {
      solver.assume(hypothesis);
    }
    bool holds = satisfiable(solver, c) && reach(solver, obligation, c) && fire(solver, obligation, c) &&
                 holds_always(solver, obligation.goal, obligation, c, "");
    for (std::size_t k = 0; holds && k < obligation.goals.size(); ++k) {
      holds = holds_always(solver, obligation.goals[k], obligation, c, "-" + std::to_string(k));
    }
    return holds;
  }

  bool holds_always(Solver& solver, const Truth& goal, const Obligation& obligation, const Case& c, const std::string& suffix) {
    switch (ask(solver, !goal, c, suffix, &obligation.shown)) {
      case Answer::Unsatisfiable:
        return true;
      case Answer::Satisfiable:
        return give_up(Verdict::Refuted, c);
      case Answer::Unknown:
        break;
    }
    return give_up(Verdict::Unknown, c);
  }

  bool satisfiable(Solver& solver, const Case& c) {
    const Answer answer = ask(solver, Truth(true), c, "-hypotheses", nullptr);
    return answer == Answer::Satisfiable || give_up(answer == Answer::Unknown ? Verdict::Unknown : Verdict::Vacuous, c);
  }

  /// Looks for what is reachable here and was not in the cases before.
  bool reach(Solver& solver, const Obligation& obligation, const Case& c) {
    for (const NamedTruth& each : obligation.reachable) {
      if (std::find(reached_.begin(), reached_.end(), each.name) != reached_.end()) {
        continue;
      }
      const Answer answer = ask(solver, each.truth, c, "-reach-" + each.name, nullptr);
      if (answer == Answer::Unknown) {
        return give_up(Verdict::Unknown, c);
      }
      if (answer == Answer::Satisfiable) {
        reached_.push_back(each.name);
        std::erase(unreached_, each.name);
      } else if (std::find(unreached_.begin(), unreached_.end(), each.name) == unreached_.end()) {
        unreached_.push_back(each.name);
      }
    }
    return true;
  }

  /// Looks for the rules that have not fired in the cases before.
  bool fire(Solver& solver, const Obligation& obligation, const Case& c) {
    for (const Firing& each : obligation.fires) {
      if (!not_fired_.contains(each.rule) || each.where.known() == false) {
        continue;
      }
      const Answer answer = ask(solver, each.where, c, "-fires-" + std::string(musimd::name(each.rule)), nullptr);
      if (answer == Answer::Unknown) {
        return give_up(Verdict::Unknown, c);
      }
      if (answer == Answer::Satisfiable) {
        not_fired_.erase(each.rule);
      }
    }
    return true;
  }

  bool give_up(Verdict verdict, const Case& c) {
    result_.verdict = verdict;
    result_.where = name(c);
    return false;
  }

  Answer ask(Solver& solver, const Truth& truth, const Case& c, const std::string& suffix, const Shown* shown) {
    ++result_.questions;
    if (!options_.smt_dir.empty()) {
      std::string file = theorem_.name + "-" + name(c) + suffix;
      std::replace(file.begin(), file.end(), '/', '-');
      std::ofstream(options_.smt_dir + "/" + file + ".smt2") << solver.smt_lib(truth);
    }
    return solver.possible(truth, shown, &result_.counterexample);
  }

  const Theorem& theorem_;
  const ProofOptions& options_;
  ProofResult result_;
  std::vector<std::string> reached_;
  std::vector<std::string> unreached_;
  Rules not_fired_;
};

void append(std::vector<Theorem>& all, std::vector<Theorem> more) { std::move(more.begin(), more.end(), std::back_inserter(all)); }

}  // namespace

std::string name(const Case& c) {
  std::string result = "w" + std::to_string(c.threads) + "-p";
  for (std::size_t k = 0; k < c.depths.size(); ++k) {
    result += (k == 0 ? "" : ".") + std::to_string(c.depths[k]) + (k < c.is_call.size() && c.is_call[k] ? "c" : "");
  }
  return result;
}

ProofOptions options_from_environment() {
  ProofOptions options;
  if (const char* dir = std::getenv("LOCKSTEP_SMT_DIR")) {  // NOLINT(concurrency-mt-unsafe): nobody sets it meanwhile
    options.smt_dir = dir;
  }
  return options;
}

ProofResult prove(const Theorem& theorem, const ProofOptions& options) { return Proof(theorem, options).run(); }

std::vector<Theorem> theorems(bool full) {
  std::vector<Theorem> all;
  append(all, determinism_theorems(full));
  append(all, typed_determinism_theorems(full));
  append(all, invariant_theorems(full));
  append(all, typed_invariant_theorems(full));
  append(all, typed_poison_theorems());
  append(all, outcome_theorems());
  append(all, typed_order_theorems(full));
  append(all, reconvergence_theorems(full));
  append(all, typed_reconvergence_theorems(full));
  append(all, thread_order_theorems());
  append(all, shuffle_theorems());
  append(all, typed_shuffle_theorems());
  append(all, empty_mask_theorems());
  return all;
}

std::vector<Theorem> twins() {
  std::vector<Theorem> all;
  append(all, determinism_twins());
  append(all, typed_determinism_twins());
  append(all, invariant_twins());
  append(all, typed_invariant_twins());
  append(all, typed_poison_twins());
  append(all, outcome_twins());
  append(all, typed_order_twins());
  append(all, reconvergence_twins());
  append(all, typed_reconvergence_twins());
  append(all, thread_order_twins());
  append(all, shuffle_twins());
  append(all, typed_shuffle_twins());
  append(all, empty_mask_twins());
  return all;
}

std::vector<Theorem> controls() { return typed_poison_controls(); }

}  // namespace lockstep::prove
