// One or two wrong control instructions: where the conditions of well-formedness are tested from outside.

#include <array>
#include <utility>

#include "semantics/generate/program.hpp"

namespace lockstep::generate {

using namespace musimd;

namespace {

Target* target(Instruction& i) {
  return std::visit(
      [](auto& each) -> Target* {
        if constexpr (requires { each.target; }) {
          return &each.target;
        } else {
          return nullptr;
        }
      },
      i);
}

bool is_control(const Instruction& i) {
  return !std::holds_alternative<Assign>(i) && !std::holds_alternative<Load>(i) && !std::holds_alternative<Store>(i) &&
         !std::holds_alternative<Shuffle>(i);
}

/// Moves all targets and labels behind `pc` by `distance`, which is 1 or -1.
void shift(Program& program, Label pc, int distance) {
  const auto moved = [&](Label old) { return old > pc ? static_cast<Label>(static_cast<std::int64_t>(old) + distance) : old; };
  for (musimd::Statement& s : program.code) {
    if (Target* t = target(s.instruction)) {
      t->pc = moved(t->pc);
    }
  }
  for (LabelDefinition& label : program.labels) {
    label.pc = moved(label.pc);
  }
}

Expr constant(std::int64_t value) { return {{Constant{value, {}}}, {}}; }
Expr thread_number() { return {{ThreadId{}}, {}}; }

Instruction random_control(Choices& choices, std::size_t size) {
  const Target anywhere{choices(static_cast<unsigned>(size) + 1), std::nullopt, {}};
  switch (choices(9)) {
    case 0:
    case 1:
      return Sync{};
    case 2:
      return Everywhere{};
    case 3:
      return EndEverywhere{};
    case 4:
      return Stop{};
    case 5:
      return Jump{anywhere};
    case 6:
      return BranchZero{constant(choices(2)), anywhere};
    case 7:
      return BranchZero{thread_number(), anywhere};
    default:
      return JumpMask{constant(choices(3)), anywhere};
  }
}

}  // namespace

Program with_changed_control(Program program, Choices& choices) {
  for (unsigned count = 1 + choices(2); count > 0; --count) {
    std::vector<Label> control;
    std::vector<Label> jumps;
    for (Label pc = 0; pc < program.code.size(); ++pc) {
      if (is_control(program.code[pc].instruction)) {
        control.push_back(pc);
      }
      if (target(program.code[pc].instruction) != nullptr) {
        jumps.push_back(pc);
      }
    }
    const unsigned kind = choices(3);
    const auto size = static_cast<unsigned>(program.code.size());
    if (kind == 0 && !control.empty()) {
      const Label pc = control[choices(static_cast<unsigned>(control.size()))];
      program.code.erase(program.code.begin() + pc);
      shift(program, pc, -1);
    } else if (kind == 1 && !jumps.empty()) {
      *target(program.code[jumps[choices(static_cast<unsigned>(jumps.size()))]].instruction) = {choices(size + 1), std::nullopt, {}};
    } else {
      const Label pc = choices(size + 1);
      shift(program, pc, 1);
      program.code.insert(program.code.begin() + pc, {random_control(choices, size), {}});
    }
  }
  return program;
}

}  // namespace lockstep::generate
