#pragma once
// What is taken for granted while a kernel is executed, and the questions that are asked on the way.

#include <cstdint>
#include <vector>

#include "semantics/prove/solver.hpp"
#include "semantics/prove/term.hpp"

namespace lockstep::prove {

class Explorer {
 public:
  /// Each question takes at most `question_ms`; where the Budget is spent no more are asked, and executions end.
  explicit Explorer(unsigned question_ms) : solver_(question_ms) {}

  void assume(const Truth& truth);
  const std::vector<Truth>& assumptions() const { return assumptions_; }
  /// False if what is assumed contradicts itself, by its form.
  bool is_consistent() const { return is_consistent_; }

  /// False only if `truth` cannot hold together with what is assumed.
  bool possible(const Truth& truth);

  std::uint64_t questions() const { return questions_; }

 private:
  Solver solver_;
  std::vector<Truth> assumptions_;
  bool is_consistent_ = true;
  std::uint64_t questions_ = 0;
};

}  // namespace lockstep::prove
