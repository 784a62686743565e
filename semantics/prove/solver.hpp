#pragma once
// One question to Z3.

#include <string>
#include <utility>
#include <vector>

#include "semantics/prove/term.hpp"

namespace lockstep::prove {

/// What Z3 says. Unknown (a timeout, or Z3 gives up) is an answer of its own and never counts as a proof.
enum class Answer { Satisfiable, Unsatisfiable, Unknown };

/// A term with a name for people.
struct NamedTruth {
  std::string name;
  Truth truth;
};
struct NamedWord {
  std::string name;
  Word word;
};

/// What to print of a model.
struct Shown {
  std::vector<NamedTruth> truths;
  std::vector<NamedWord> words;
};

/// A solver that holds assumptions. Questions add to them for the time of the question.
class Solver {
 public:
  /// `timeout_ms` limits each question, and a Budget all of them.
  explicit Solver(unsigned timeout_ms);
  ~Solver();
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  void assume(const Truth& truth);

  /// Whether the assumptions and `truth` can hold together. If so and `shown` is given, `model` becomes a line for each of the
  /// words shown and for each truth that holds. A model in which the assumptions do not evaluate to true is Unknown.
  Answer possible(const Truth& truth, const Shown* shown = nullptr, std::string* model = nullptr);

  /// The question `possible(truth)` as an SMT-LIB script.
  std::string smt_lib(const Truth& truth) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace lockstep::prove
