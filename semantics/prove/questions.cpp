#include "semantics/prove/questions.hpp"

#include <z3++.h>

#include <algorithm>
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

/// Every part of the terms once, given to `visit`.
template <class Visit>
void each_part(const z3::expr_vector& terms, Visit visit) {
  std::vector<z3::expr> queue;
  std::unordered_set<unsigned> seen;
  for (unsigned k = 0; k < terms.size(); ++k) {
    queue.push_back(terms[static_cast<int>(k)]);
  }
  while (!queue.empty()) {
    const z3::expr each = queue.back();
    queue.pop_back();
    if (!each.is_app() || !seen.insert(each.id()).second) {
      continue;
    }
    visit(each);
    for (unsigned i = 0; i < each.num_args(); ++i) {
      queue.push_back(each.arg(i));
    }
  }
}

/// That the functions of floats which commute do, for all of their applications in the terms. The numbers do, not the bits of NaNs.
z3::expr_vector commutations(const z3::expr_vector& terms) {
  z3::expr_vector result(context());
  each_part(terms, [&](const z3::expr& part) {
    if (part.decl().decl_kind() != Z3_OP_UNINTERPRETED || part.num_args() < 2) {
      return;
    }
    const std::string name = part.decl().name().str();
    const bool gives_float = name.starts_with("add.") || name.starts_with("mul.") || name.starts_with("fma.");
    if ((gives_float && !FloatTheory::shows_bits()) || name.starts_with("equal.")) {
      z3::expr_vector exchanged(context());
      exchanged.push_back(part.arg(1));
      exchanged.push_back(part.arg(0));
      for (unsigned i = 2; i < part.num_args(); ++i) {
        exchanged.push_back(part.arg(i));
      }
      result.push_back(part == part.decl()(exchanged));
    }
  });
  return result;
}

/// Numbers of a scalar that are tried one by one, at most.
constexpr unsigned most_numbers = 16;

Answer answer_of(z3::check_result result) {
  return result == z3::sat ? Answer::Satisfiable : result == z3::unsat ? Answer::Unsatisfiable : Answer::Unknown;
}

bool mentions(const z3::expr_vector& terms, const z3::expr& constant) {
  bool result = false;
  each_part(terms, [&](const z3::expr& part) { result = result || z3::eq(part, constant); });
  return result;
}

/// The unknown numbers, truth values and memories of the terms, by Z3's numbers for them.
std::unordered_set<unsigned> unknowns_of(const z3::expr_vector& terms) {
  std::unordered_set<unsigned> result;
  each_part(terms, [&](const z3::expr& part) {
    if (part.num_args() == 0 && part.decl().decl_kind() == Z3_OP_UNINTERPRETED) {
      result.insert(part.id());
    }
  });
  return result;
}

/// What the solver does to an operation before its search, where products and such become gates: factor * bits^power units, which it
/// does not count itself. Measured on numbers of 32 and 64 bits, two units a microsecond.
struct Gates {
  std::vector<Z3_decl_kind> kinds;
  std::uint64_t factor;
  unsigned power;
};

const std::vector<Gates>& gates() {
  static const std::vector<Gates> all{
      {{Z3_OP_BMUL}, 10, 2},
      {{Z3_OP_BSDIV, Z3_OP_BUDIV, Z3_OP_BSREM, Z3_OP_BUREM, Z3_OP_BSDIV_I, Z3_OP_BUDIV_I, Z3_OP_BSREM_I, Z3_OP_BUREM_I}, 20, 2},
      {{Z3_OP_FPA_ADD, Z3_OP_FPA_SUB, Z3_OP_FPA_ROUND_TO_INTEGRAL}, 6, 2},
      {{Z3_OP_FPA_MUL, Z3_OP_FPA_TO_FP, Z3_OP_FPA_TO_FP_UNSIGNED, Z3_OP_FPA_TO_SBV, Z3_OP_FPA_TO_UBV}, 30, 2},
      {{Z3_OP_FPA_FMA}, 64, 2},
      {{Z3_OP_FPA_DIV}, 6, 3},
      {{Z3_OP_FPA_SQRT, Z3_OP_FPA_REM}, 14, 3},
  };
  return all;
}

std::uint64_t bits_of_term(const z3::expr& e) {
  return e.is_bv() ? e.get_sort().bv_size() : e.is_fpa() ? e.get_sort().fpa_ebits() + e.get_sort().fpa_sbits() : 0;
}

std::uint64_t work_before_search(const z3::expr_vector& terms) {
  std::uint64_t units = 0;
  each_part(terms, [&](const z3::expr& part) {
    const auto kind = part.decl().decl_kind();
    const auto is_of_kind = [&](const Gates& each) { return std::find(each.kinds.begin(), each.kinds.end(), kind) != each.kinds.end(); };
    const auto row = std::find_if(gates().begin(), gates().end(), is_of_kind);
    if (row == gates().end() || part.num_args() < 2 || part.is_numeral()) {
      return;
    }
    const std::uint64_t bits = std::max(bits_of_term(part), bits_of_term(part.arg(1)));
    const std::uint64_t all = row->factor * (row->power == 3 ? bits * bits * bits : bits * bits);
    units += kind == Z3_OP_BMUL && part.arg(0).is_numeral() ? all / 5 : all;  // of a constant, most bits are nothing to add
  });
  return units;
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
  std::vector<std::unordered_set<unsigned>> unknowns;  ///< of each assumption
  z3::expr_vector scalars{context()};
  unsigned timeout_ms = 0;
  std::unique_ptr<z3::model> model;

  void assume(const z3::expr& truth) {
    z3::expr_vector alone(context());
    alone.push_back(truth);
    assumptions.push_back(truth);
    unknowns.push_back(unknowns_of(alone));
  }

  z3::solver solver_for(const z3::expr_vector& what) const { return solver_of(joined(assumptions, what), timeout_ms); }

  static z3::solver solver_of(const z3::expr_vector& terms, unsigned timeout_ms) {
    z3::solver solver(context(), z3::solver::simple());
    solver.set(limits_of(timeout_ms));
    for (unsigned k = 0; k < terms.size(); ++k) {
      solver.add(terms[static_cast<int>(k)]);
    }
    return solver;
  }

  /// Whether the assumptions and `what` can hold together. What is impossible next to the assumptions about the same unknowns is so next
  /// to all of them, and that costs less to find.
  Answer possible(const z3::expr_vector& what) {
    const z3::expr_vector near = assumptions_about(what);
    if (near.size() < assumptions.size() && possible_at_once(joined(near, what), timeout_ms / 4) == Answer::Unsatisfiable) {
      return Answer::Unsatisfiable;
    }
    const z3::expr_vector terms = joined(assumptions, what);
    const bool has_scalars = !scalars.empty();
    const Answer answer = possible_at_once(terms, has_scalars ? timeout_ms / 4 : timeout_ms);
    return answer == Answer::Unknown && has_scalars ? possible_by_numbers(terms) : answer;
  }

 private:
  /// The assumptions that share an unknown with `what`, or with another one that does.
  z3::expr_vector assumptions_about(const z3::expr_vector& what) const {
    std::unordered_set<unsigned> about = unknowns_of(what);
    std::vector<bool> taken(unknowns.size());
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t k = 0; k < unknowns.size(); ++k) {
        const auto& its = unknowns[k];
        if (!taken[k] && std::any_of(its.begin(), its.end(), [&](unsigned id) { return about.contains(id); })) {
          about.insert(its.begin(), its.end());
          taken[k] = true;
          grows = true;
        }
      }
    }
    z3::expr_vector result(context());
    for (std::size_t k = 0; k < taken.size(); ++k) {
      if (taken[k]) {
        result.push_back(assumptions[static_cast<int>(k)]);
      }
    }
    return result;
  }

  Answer possible_at_once(const z3::expr_vector& terms, unsigned limit_ms) {
    Budget::check(work_before_search(terms));
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
    data_->assume(expression(each));
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
