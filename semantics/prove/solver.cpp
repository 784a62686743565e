#include "semantics/prove/solver.hpp"

#include <z3++.h>

#include <bit>

#include "semantics/prove/context.hpp"

namespace lockstep::prove {

struct Solver::Data {
  z3::solver solver{context(), z3::solver::simple()};
  unsigned timeout_ms = 0;
};

namespace {

/// A line for each word shown and for each truth that holds in the model.
std::string describe(const z3::model& model, const Shown& shown) {
  std::string result;
  for (const NamedTruth& each : shown.truths) {
    if (model.eval(expression(each.truth), true).is_true()) {
      result += each.name + "\n";
    }
  }
  for (const NamedWord& each : shown.words) {
    std::uint64_t number = 0;
    model.eval(*each.word.node(), true).is_numeral_u64(number);
    result += each.name + " = " + std::to_string(std::bit_cast<std::int64_t>(number)) + "\n";
  }
  return result;
}

/// The model is asked back: every assertion must be true in it.
bool confirms(const z3::model& model, z3::solver& solver) {
  const z3::expr_vector assertions = solver.assertions();
  for (unsigned k = 0; k < assertions.size(); ++k) {
    if (!model.eval(assertions[static_cast<int>(k)], true).is_true()) {
      return false;
    }
  }
  return true;
}

Answer ask(z3::solver& solver, const Shown* shown, std::string* description) {
  const z3::check_result result = solver.check();
  if (result == z3::unsat) {
    return Answer::Unsatisfiable;
  }
  if (result == z3::unknown) {
    return Answer::Unknown;
  }
  const z3::model model = solver.get_model();
  if (!confirms(model, solver)) {
    return Answer::Unknown;
  }
  if (shown != nullptr && description != nullptr) {
    *description = describe(model, *shown);
  }
  return Answer::Satisfiable;
}

}  // namespace

Solver::Solver(unsigned timeout_ms) : data_(std::make_unique<Data>()) { data_->timeout_ms = timeout_ms; }

Solver::~Solver() = default;

void Solver::assume(const Truth& truth) { data_->solver.add(expression(truth)); }

Answer Solver::possible(const Truth& truth, const Shown* shown, std::string* model) {
  z3::solver& solver = data_->solver;
  solver.set(limits_of(data_->timeout_ms));
  solver.push();
  solver.add(expression(truth));
  Answer answer = Answer::Unknown;
  try {
    answer = ask(solver, shown, model);
  } catch (const z3::exception&) {  // Z3 gave up, for lack of memory for example
    answer = Answer::Unknown;
  }
  solver.pop();
  return answer;
}

std::string Solver::smt_lib(const Truth& truth) const {
  z3::solver& solver = data_->solver;
  solver.push();
  solver.add(expression(truth));
  const std::string text = solver.to_smt2();
  solver.pop();
  return text;
}

}  // namespace lockstep::prove
