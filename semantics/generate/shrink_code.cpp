// Shrinking code instruction by instruction.

#include <algorithm>
#include <utility>

#include "semantics/generate/shrink.hpp"

namespace lockstep::generate {

using namespace musimd;

namespace {

/// `program` without the instructions [first, last); jumps into the gap go to what follows it.
Program without(const Program& program, Label first, Label last) {
  Program result = program;
  const auto moved = [&](Label old) { return old < first ? old : old < last ? first : old - (last - first); };
  result.code.erase(result.code.begin() + first, result.code.begin() + last);
  for (musimd::Statement& s : result.code) {
    std::visit(
        [&](auto& i) {
          if constexpr (requires { i.target; }) {
            i.target.pc = moved(i.target.pc);
          }
        },
        s.instruction);
  }
  for (LabelDefinition& label : result.labels) {
    label.pc = moved(label.pc);
  }
  return result;
}

std::vector<Expr*> expressions(Instruction& instruction) {
  std::vector<Expr*> result;
  std::visit(
      [&](auto& i) {
        if constexpr (requires { i.condition; }) {
          result.push_back(&i.condition);
        }
        if constexpr (requires { i.thread; }) {
          result.push_back(&i.thread);
        }
        if constexpr (requires { i.address; }) {
          result.push_back(&i.address);
        }
        if constexpr (requires { i.value; }) {
          result.push_back(&i.value);
        }
        if constexpr (requires { i.lane; }) {
          result.push_back(&i.lane);
        }
      },
      instruction);
  return result;
}

class CodeShrinker {
 public:
  CodeShrinker(Program start, const std::function<bool(const Program&)>& still_fails)
      : best_(std::move(start)), still_fails_(still_fails) {}

  Program run() {
    while (fewer_instructions() || fewer_threads() || simpler_expressions() || fewer_cells()) {
    }
    return std::move(best_);
  }

 private:
  bool accepted(Program candidate) {
    if (tries_left_ == 0) {
      return false;
    }
    --tries_left_;
    if (!still_fails_(candidate)) {
      return false;
    }
    best_ = std::move(candidate);
    return true;
  }

  bool fewer_instructions() {
    const auto size = static_cast<Label>(best_.code.size());
    for (Label run = size / 2; run > 0; run /= 2) {
      for (Label first = 0; first + run <= size; first += run) {
        if (accepted(without(best_, first, first + run))) {
          return true;
        }
      }
    }
    return false;
  }

  bool fewer_threads() {
    const unsigned now = best_.threads.value_or(default_threads);
    for (const unsigned threads : {1U, 2U, 3U, 4U, now / 2, now - 1}) {
      if (threads > 0 && threads < now) {
        Program candidate = best_;
        candidate.threads = threads;
        if (accepted(std::move(candidate))) {
          return true;
        }
      }
    }
    return false;
  }

  bool simpler_expressions() {
    for (std::size_t pc = 0; pc < best_.code.size(); ++pc) {
      for (std::size_t k = 0; k < expressions(best_.code[pc].instruction).size(); ++k) {
        const std::size_t nodes = expressions(best_.code[pc].instruction)[k]->nodes.size();
        for (const ExprNode& leaf : {ExprNode(Constant{0, {}}), ExprNode(Constant{1, {}}), ExprNode(ThreadId{})}) {
          Program candidate = best_;
          expressions(candidate.code[pc].instruction)[k]->nodes = {leaf};
          if (nodes > 1 && accepted(std::move(candidate))) {
            return true;
          }
        }
      }
    }
    return false;
  }

  bool fewer_cells() {
    for (std::size_t k = 0; k < best_.shared.size(); ++k) {
      Program candidate = best_;
      candidate.shared.erase(candidate.shared.begin() + static_cast<std::ptrdiff_t>(k));
      if (accepted(std::move(candidate))) {
        return true;
      }
    }
    return false;
  }

  Program best_;
  const std::function<bool(const Program&)>& still_fails_;
  std::size_t tries_left_ = max_shrink_tries;
};

/// Labels that no instruction names are only in the way of a reader.
Program without_unused_labels(Program program) {
  std::vector<bool> used(program.labels.size());
  for (const musimd::Statement& s : program.code) {
    std::visit(
        [&](const auto& i) {
          if constexpr (requires { i.target; }) {
            if (i.target.label) {
              used[*i.target.label] = true;
            }
          }
        },
        s.instruction);
  }
  std::vector<std::uint32_t> place(program.labels.size());
  std::vector<LabelDefinition> labels;
  for (std::size_t k = 0; k < used.size(); ++k) {
    place[k] = static_cast<std::uint32_t>(labels.size());
    if (used[k]) {
      labels.push_back(program.labels[k]);
    }
  }
  program.labels = std::move(labels);
  for (musimd::Statement& s : program.code) {
    std::visit(
        [&](auto& i) {
          if constexpr (requires { i.target; }) {
            if (i.target.label) {
              i.target.label = place[*i.target.label];
            }
          }
        },
        s.instruction);
  }
  return program;
}

}  // namespace

Program shrink(Program program, const std::function<bool(const Program&)>& still_fails) {
  return without_unused_labels(CodeShrinker(std::move(program), still_fails).run());
}

}  // namespace lockstep::generate
