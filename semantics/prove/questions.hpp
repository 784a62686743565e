#pragma once
// The questions of a proof: whether something holds for all inputs of which the assumptions hold.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "semantics/prove/solver.hpp"
#include "semantics/prove/value.hpp"

namespace lockstep::prove {

class Questions {
 public:
  /// `scalars`: unknown numbers that may be tried one by one where the solver does not know. `timeout_ms` limits each question,
  /// and the Budget all of them.
  Questions(const std::vector<Truth>& assumptions, const std::vector<Value>& scalars, unsigned timeout_ms);
  ~Questions();
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;

  /// True if `truth` simplifies to true.
  bool holds_by_form(const Truth& truth) const;

  /// Whether `truth` can be false: Unsatisfiable means that it holds always. After Satisfiable there is a model. Throws OutOfBudget.
  Answer ask(const Truth& truth);
  /// The question as an SMT-LIB script.
  std::string smt_lib(const Truth& truth) const;
  /// A value's bits in the last model.
  std::uint64_t bits_of(const Value& value) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// What the solver says of an SMT-LIB script, read back.
Answer answer_to_script(const std::string& smt_lib, unsigned timeout_ms);

}  // namespace lockstep::prove
