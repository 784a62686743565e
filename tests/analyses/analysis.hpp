#pragma once
// The analyses of the compiler that decide what is correct: each transfer function with what shows that it is sound. docs/proofs.md,
// "Analyses of the compiler", says what each one claims.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "semantics/prove/solver.hpp"

namespace lockstep::analyses {

/// All cases at small widths.
struct Exhausted {
  std::uint64_t cases = 0;
  std::uint64_t wrong = 0;
  std::string first_wrong;

  /// One more case. `describe` gives a line for people if it is a wrong one.
  template <class F>
  void note(bool right, F&& describe) {
    ++cases;
    if (!right && wrong++ == 0) {
      first_wrong = describe();
    }
  }
};

/// Questions to Z3 at the widths of the language.
struct Proved {
  unsigned questions = 0;
  std::vector<std::string> failures;  ///< not proved, or proved where it should not be

  /// That `claim` follows from the premises, and that `twin`, a claim that is too strong, does not (so the premises are no contradiction).
  void ask(const std::string& name, const std::vector<prove::Truth>& premises, const prove::Truth& claim, const prove::Truth& twin);
};

struct TransferFunction {
  std::string name;
  std::function<Exhausted()> exhaust;
  std::function<Proved()> prove;
};

/// By analysis.
std::vector<TransferFunction> of_ranges();
std::vector<TransferFunction> of_polynomials();
std::vector<TransferFunction> of_distances();
std::vector<TransferFunction> of_counted_loops();
std::vector<TransferFunction> of_facts();

}  // namespace lockstep::analyses
