#include "semantics/prove/questions.hpp"

#include <z3++.h>

#include <optional>
#include <unordered_set>

#include "semantics/base/internal_error.hpp"
#include "semantics/prove/budget.hpp"
#include "semantics/prove/context.hpp"
#include "semantics/prove/value_expression.hpp"

namespace lockstep::prove {

namespace {

/// A case of a question: what holds in it, and what is left to be shown.
struct Case {
  std::vector<z3::expr> path;
  z3::expr goal;
};

/// Cases of one question, at most; where there would be more, the question is asked as a whole.
constexpr std::size_t most_cases = 256;

/// A condition that decides between two parts of `e`, outside of all unknown functions; an atom. Looks at each term once.
std::optional<z3::expr> deciding_atom(const z3::expr& e) {
  std::vector<z3::expr> queue{e};
  std::unordered_set<unsigned> seen;
  for (std::size_t k = 0; k < queue.size(); ++k) {
    const z3::expr each = queue[k];
    if (!each.is_app() || !seen.insert(each.id()).second) {
      continue;
    }
    if (each.is_ite()) {
      z3::expr atom = each.arg(0);
      while (atom.is_not() || atom.is_and() || atom.is_or()) {
        atom = atom.arg(0);
      }
      return atom;
    }
    if (each.decl().decl_kind() == Z3_OP_UNINTERPRETED) {
      continue;
    }
    for (unsigned i = 0; i < each.num_args(); ++i) {
      queue.push_back(each.arg(i));
    }
  }
  return std::nullopt;
}

z3::expr replaced(const z3::expr& e, const z3::expr& atom, bool by) {
  z3::expr_vector from(context());
  z3::expr_vector to(context());
  from.push_back(atom);
  to.push_back(context().bool_val(by));
  z3::expr where = e;
  return simplified(where.substitute(from, to));
}

/// Takes a question apart along the conditions of its terms: where a kernel computes under a mask, the two sides are one term once the mask
/// is known. Gives up at most_cases. Throws OutOfBudget.
bool take_apart(const z3::expr& goal, std::vector<z3::expr>& path, std::vector<Case>& cases, std::size_t& splits) {
  Budget::check();
  if (goal.is_true()) {
    return true;
  }
  const auto atom = deciding_atom(goal);
  if (!atom) {
    cases.push_back({path, goal});
    return cases.size() <= most_cases;
  }
  if (++splits > most_cases) {
    return false;
  }
  for (const bool holds : {true, false}) {
    path.push_back(holds ? *atom : !*atom);
    if (!take_apart(replaced(goal, *atom, holds), path, cases, splits)) {
      return false;
    }
    path.pop_back();
  }
  return true;
}

/// That the functions of floats which commute do, for all of their applications in the terms.
z3::expr_vector commutations(const z3::expr_vector& terms) {
  z3::expr_vector result(context());
  std::vector<z3::expr> queue;
  std::unordered_set<unsigned> seen;
  for (unsigned k = 0; k < terms.size(); ++k) {
    queue.push_back(terms[static_cast<int>(k)]);
  }
  for (std::size_t k = 0; k < queue.size(); ++k) {
    const z3::expr each = queue[k];
    if (!each.is_app() || !seen.insert(each.id()).second) {
      continue;
    }
    for (unsigned i = 0; i < each.num_args(); ++i) {
      queue.push_back(each.arg(i));
    }
    if (each.decl().decl_kind() != Z3_OP_UNINTERPRETED || each.num_args() < 2) {
      continue;
    }
    const std::string name = each.decl().name().str();
    if (name.starts_with("add.") || name.starts_with("mul.") || name.starts_with("fma.") || name.starts_with("equal.")) {
      z3::expr_vector exchanged(context());
      exchanged.push_back(each.arg(1));
      exchanged.push_back(each.arg(0));
      for (unsigned i = 2; i < each.num_args(); ++i) {
        exchanged.push_back(each.arg(i));
      }
      result.push_back(each == each.decl()(exchanged));
    }
  }
  return result;
}

}  // namespace

namespace {

/// Numbers of a scalar that are tried one by one, at most.
constexpr unsigned most_numbers = 16;

Answer answer_of(z3::check_result result) {
  return result == z3::sat ? Answer::Satisfiable : result == z3::unsat ? Answer::Unsatisfiable : Answer::Unknown;
}

bool mentions(const z3::expr_vector& terms, const z3::expr& constant) {
  std::vector<z3::expr> queue;
  std::unordered_set<unsigned> seen;
  for (unsigned k = 0; k < terms.size(); ++k) {
    queue.push_back(terms[static_cast<int>(k)]);
  }
  for (std::size_t k = 0; k < queue.size(); ++k) {
    const z3::expr each = queue[k];
    if (z3::eq(each, constant)) {
      return true;
    }
    if (each.is_app() && seen.insert(each.id()).second) {
      for (unsigned i = 0; i < each.num_args(); ++i) {
        queue.push_back(each.arg(i));
      }
    }
  }
  return false;
}

z3::expr_vector joined(const z3::expr_vector& a, const z3::expr_vector& b) {
  z3::expr_vector all(context());
  for (const z3::expr_vector* each : {&a, &b}) {
    for (unsigned k = 0; k < each->size(); ++k) {
      all.push_back((*each)[static_cast<int>(k)]);
    }
  }
  return all;
}

/// The terms with a number for a constant.
z3::expr_vector with_number(const z3::expr_vector& terms, const z3::expr& constant, const z3::expr& number) {
  z3::expr_vector from(context());
  z3::expr_vector to(context());
  from.push_back(constant);
  to.push_back(number);
  z3::expr_vector result(context());
  for (unsigned k = 0; k < terms.size(); ++k) {
    z3::expr term = terms[static_cast<int>(k)];
    result.push_back(simplified(term.substitute(from, to)));
  }
  result.push_back(constant == number);
  return result;
}

}  // namespace

struct Questions::Data {
  z3::expr_vector assumptions{context()};
  z3::expr_vector scalars{context()};
  unsigned timeout_ms = 0;
  std::unique_ptr<z3::model> model;

  z3::solver solver_for(const z3::expr_vector& what) const { return solver_of(joined(assumptions, what), timeout_ms); }

  static z3::solver solver_of(const z3::expr_vector& terms, unsigned timeout_ms) {
    z3::solver solver(context(), z3::solver::simple());
    solver.set(limits_of(timeout_ms));
    for (unsigned k = 0; k < terms.size(); ++k) {
      solver.add(terms[static_cast<int>(k)]);
    }
    return solver;
  }

  /// Whether the assumptions and `what` can hold together.
  Answer possible(const z3::expr_vector& what) {
    const z3::expr_vector terms = joined(assumptions, what);
    const bool has_scalars = !scalars.empty();
    const Answer answer = possible_at_once(terms, has_scalars ? timeout_ms / 4 : timeout_ms);
    return answer == Answer::Unknown && has_scalars ? possible_by_numbers(terms) : answer;
  }

 private:
  Answer possible_at_once(const z3::expr_vector& terms, unsigned limit_ms) {
    z3::solver solver = solver_of(terms, limit_ms);
    z3::check_result result = solver.check();
    if (result == z3::sat) {
      const z3::expr_vector more = commutations(solver.assertions());
      for (unsigned k = 0; k < more.size(); ++k) {
        solver.add(more[static_cast<int>(k)]);
      }
      solver.set(limits_of(limit_ms));
      result = more.empty() ? result : solver.check();
    }
    if (result == z3::sat) {
      model = std::make_unique<z3::model>(solver.get_model());
    }
    return answer_of(result);
  }

  /// Tries the numbers that the first of the scalars in the terms can be: sizes, mostly, which the sizes of buffers keep small.
  Answer possible_by_numbers(const z3::expr_vector& terms) {
    for (unsigned k = 0; k < scalars.size(); ++k) {
      const z3::expr scalar = scalars[static_cast<int>(k)];
      if (!mentions(terms, scalar)) {
        continue;
      }
      z3::solver numbers = solver_of(assumptions, timeout_ms);
      for (unsigned tried = 0; tried < most_numbers && !Budget::is_over(); ++tried) {
        numbers.set(limits_of(timeout_ms));
        const z3::check_result result = numbers.check();
        if (result != z3::sat) {
          return result == z3::unsat ? Answer::Unsatisfiable : Answer::Unknown;
        }
        const z3::expr number = numbers.get_model().eval(scalar, true);
        const Answer answer = possible_at_once(with_number(terms, scalar, number), timeout_ms);
        if (answer != Answer::Unsatisfiable) {
          return answer;
        }
        numbers.add(scalar != number);
      }
      return Answer::Unknown;
    }
    return Answer::Unknown;
  }
};

Questions::Questions(const std::vector<Truth>& assumptions, const std::vector<Value>& scalars, unsigned timeout_ms)
    : data_(std::make_unique<Data>()) {
  data_->timeout_ms = timeout_ms;
  for (const Value& each : scalars) {
    if (each.as_term() != nullptr && !is_float(each.type())) {
      data_->scalars.push_back(*each.as_term());
    }
  }
  for (const Truth& each : assumptions) {
    data_->assumptions.push_back(expression(each));
  }
}
Questions::~Questions() = default;

bool Questions::holds_by_form(const Truth& truth) const { return simplified(expression(truth)).is_true(); }

Answer Questions::ask(const Truth& truth) {
  data_->model.reset();
  try {
    const z3::expr goal = simplified(expression(truth));
    std::vector<Case> cases;
    std::vector<z3::expr> path;
    std::size_t splits = 0;
    if (!take_apart(goal, path, cases, splits)) {
      cases = {{{}, goal}};
    }
    Answer answer = Answer::Unsatisfiable;
    for (const Case& each : cases) {
      if (Budget::is_over()) {
        return Answer::Unknown;
      }
      z3::expr_vector what(context());
      for (const z3::expr& condition : each.path) {
        what.push_back(condition);
      }
      what.push_back(!each.goal);
      const Answer here = data_->possible(what);
      if (here == Answer::Satisfiable) {
        return here;
      }
      answer = here == Answer::Unknown ? here : answer;
    }
    return answer;
  } catch (const z3::exception&) {  // Z3 gave up, for lack of memory for example
    return Answer::Unknown;
  }
}

std::string Questions::smt_lib(const Truth& truth) const {
  z3::expr_vector what(context());
  what.push_back(expression(!truth));
  return data_->solver_for(what).to_smt2();
}

std::uint64_t Questions::bits_of(const Value& value) const {
  if (data_->model == nullptr) {
    throw InternalError("a question without a model is asked for numbers");
  }
  return bits_in(*data_->model, value);
}

Answer answer_to_script(const std::string& smt_lib, unsigned timeout_ms) {
  z3::solver solver(context());
  solver.set(limits_of(timeout_ms));
  solver.from_string(smt_lib.c_str());
  return answer_of(solver.check());
}

}  // namespace lockstep::prove
