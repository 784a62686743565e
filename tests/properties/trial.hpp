#pragma once
// One program under test, and what a law about programs looks like. A law is a function, so that the property tests, a file that
// reruns a failure, and the mutation tests all ask the same.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/machine/machine.hpp"
#include "semantics/generate/choices.hpp"
#include "semantics/musimd/print.hpp"
#include "semantics/musimd/syntax.hpp"

namespace lockstep::test {

struct Trial {
  std::shared_ptr<const musimd::Program> program;
  std::string text;        ///< the program in canonical form
  std::uint64_t salt = 0;  ///< decides what else a law has to choose: thread orders, sets of threads, switches
};

/// Nothing if the law holds; else what is wrong, in a few words.
using Verdict = std::optional<std::string>;
using Law = Verdict (*)(const Trial&);

/// Every well-formed generated program ends within this many steps; others may be cut short.
inline constexpr std::uint64_t max_steps = 8000;

inline Trial trial_of(musimd::Program program, std::uint64_t salt) {
  std::string text = musimd::print(program);
  return {std::make_shared<const musimd::Program>(std::move(program)), std::move(text), salt};
}

inline unsigned threads_of(const musimd::Program& program) { return program.threads.value_or(musimd::default_threads); }

/// A machine for `program`. The options must be right: an error ends the test with an exception.
inline std::unique_ptr<Machine> machine_for(std::shared_ptr<const musimd::Program> program, MachineOptions options = {}) {
  auto made = Machine::make(std::move(program), std::move(options));
  return std::move(made).value();
}

/// A random permutation of the threads.
inline std::vector<unsigned> random_order(generate::Choices& choices, unsigned threads) {
  std::vector<unsigned> order(threads);
  for (unsigned k = 0; k < threads; ++k) {
    const unsigned place = choices(k + 1);
    order[k] = order[place];
    order[place] = k;
  }
  return order;
}

/// A random set of threads that is not empty, ascending.
inline std::vector<unsigned> random_threads(generate::Choices& choices, unsigned threads) {
  std::vector<unsigned> set;
  for (unsigned t = 0; t < threads; ++t) {
    if (choices(2) == 0) {
      set.push_back(t);
    }
  }
  if (set.empty()) {
    set.push_back(choices(threads));
  }
  return set;
}

/// The name of a rule as the big-step evaluator writes it: "BD", "IT/BP".
inline std::string rule_text(const musimd::Fired& fired) {
  const std::string rule(musimd::name(fired.rule));
  return fired.root == fired.rule ? rule : rule + "/" + std::string(musimd::name(fired.root));
}

/// Whether two machines for the same program are in the same state: (Θ, β, Σ, Π, Λ, pc). If not, where they differ.
inline Verdict difference(const Machine& a, const Machine& b) {
  const auto same_cells = [](const Cells& x, const Cells& y) {
    bool same = true;
    x.for_each([&](std::int64_t address, Cell cell) { same = same && y.read(address) == cell; });
    y.for_each([&](std::int64_t address, Cell cell) { same = same && x.read(address) == cell; });
    return same;
  };
  const Machine::State& s = a.state();
  const Machine::State& t = b.state();
  if (s.pc != t.pc || !(s.active == t.active)) {
    return "pc or active threads differ";
  }
  if (s.sync.size() != t.sync.size() || s.context.size() != t.context.size() || s.frame_base != t.frame_base) {
    return "the depths of the stacks differ";
  }
  for (std::size_t k = 0; k < s.sync.size(); ++k) {
    if (s.sync[k].branch_pc != t.sync[k].branch_pc || s.sync[k].resume_at != t.sync[k].resume_at || !(s.sync[k].done == t.sync[k].done) ||
        !(s.sync[k].todo == t.sync[k].todo)) {
      return "the sync stacks differ";
    }
  }
  for (std::size_t k = 0; k < s.context.size(); ++k) {
    if (s.context[k].sync_base != t.context[k].sync_base || !(s.context[k].mask == t.context[k].mask)) {
      return "the context stacks differ";
    }
  }
  for (musimd::VarId v = 0; v < a.program().variables.size(); ++v) {
    for (unsigned lane = 0; lane < a.threads(); ++lane) {
      if (s.bank.read(v, lane) != t.bank.read(v, lane)) {
        return a.program().variables[v] + " differs in thread " + std::to_string(lane);
      }
    }
  }
  if (!same_cells(s.shared, t.shared)) {
    return "shared memory differs";
  }
  return std::nullopt;
}

}  // namespace lockstep::test
