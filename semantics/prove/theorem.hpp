#pragma once
// Theorems about the rules, for all states of small sizes, and their negative twins: the same statement about a broken rule or
// without a hypothesis, for which a counterexample must be found. docs/proofs.md says what the theorems mean.

#include <cstddef>
#include <functional>
#include <set>
#include <source_location>
#include <string>
#include <vector>

#include "semantics/musimd/rule_table.hpp"
#include "semantics/prove/solver.hpp"

namespace lockstep::prove {

/// The sizes of a state. `depths` are the entries of each frame's Π, from the oldest saved frame to the present one, so that
/// Λ has depths.size() - 1 frames.
struct Case {
  unsigned threads = 1;
  std::vector<unsigned> depths = {0};
  std::vector<bool> is_call = {};  ///< of typed states: the saved frames that are calls' and not on Λ; missing ones are not
};

/// "w4-p2.0c.3": four threads, Π of two saved frames with 2 and 0 entries, the second one a call's, 3 in the present one.
std::string name(const Case& c);

/// A rule, and where it fires: under the hypotheses. Rules that conclude nothing of their own (IT and TL around a data instruction, MM, MT
/// and MV, and BP in an operand) do so where an instruction that meets them does.
struct Firing {
  musimd::RuleId rule = musimd::RuleId::SP;
  Truth where;
};

/// What is to be shown of one case: the hypotheses imply the goal.
struct Obligation {
  std::vector<Truth> hypotheses;
  Truth goal{true};
  std::vector<Truth> goals = {};      ///< more of them, each a question of its own
  std::vector<NamedTruth> reachable;  ///< each must be possible under the hypotheses in some case, lest the theorem says little
  std::vector<Firing> fires = {};     ///< likewise: each rule that the theorem speaks of must be able to fire in some case
  Shown shown;                        ///< what a counterexample prints
};

using Rules = std::set<musimd::RuleId>;

/// A statement for a number of cases. Twins have the name of the theorem that they break in `twin_of`.
struct Theorem {
  std::string name;       ///< "determinism.bz"; of a twin "determinism.bz/printed-E1"
  int property = 0;       ///< number in docs/proofs.md
  std::string statement;  ///< one sentence
  std::string twin_of;    ///< "" for a theorem
  std::vector<Case> cases;
  std::function<Obligation(const Case&)> oblige;
  std::function<Rules()> rules = {};  ///< of a theorem: the rules that it speaks of, each of which fires in some case
  std::source_location where = std::source_location::current();
};

enum class Verdict {
  Proved,
  Refuted,
  Unknown,  ///< a question timed out or Z3 gave up
  Vacuous,  ///< the hypotheses of a case cannot hold, or something of `reachable`, or a rule that is spoken of, never can
};

struct ProofOptions {
  unsigned timeout_ms = 20'000;  ///< of each question
  std::string smt_dir;           ///< where each question is written as SMT-LIB, "" for nowhere
};

/// The options with `smt_dir` from the environment variable LOCKSTEP_SMT_DIR, if it is set.
ProofOptions options_from_environment();

struct ProofResult {
  Verdict verdict = Verdict::Unknown;
  std::string where;           ///< the case that is not proved, or what is not reachable
  std::string counterexample;  ///< Refuted: the state, one line for each thing that holds
  std::size_t questions = 0;
  double seconds = 0;
};

/// Asks Z3 about all cases, up to the first that is not proved.
ProofResult prove(const Theorem& theorem, const ProofOptions& options);

/// All theorems. `full`: every combination of stack depths up to 3; else all saved frames of a state have Π of one depth.
std::vector<Theorem> theorems(bool full);
/// All twins, each of one of the theorems.
std::vector<Theorem> twins();
/// Some of the twins once more, with broken rules and without the one claim that these break: all else still holds, and they are proved.
std::vector<Theorem> controls();

}  // namespace lockstep::prove
