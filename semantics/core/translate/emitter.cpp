#include "semantics/core/translate/emitter.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "semantics/base/internal_error.hpp"

namespace lockstep::core::translation {

void Emitter::begin_function(typed::FunctionId id) {
  current_ = id;
  function().begin = here();
  reachable_ = true;
  names_.clear();
  numbers_.clear();
}

void Emitter::end_function() {
  if (reachable_) {
    throw InternalError("control runs off the end of a translated function");
  }
  function().end = here();
}

void Emitter::emit(typed::Instruction instruction, SourceSpan span) {
  if (!reachable_) {
    return;
  }
  reachable_ = !std::holds_alternative<typed::Jump>(instruction) && !std::holds_alternative<typed::Return>(instruction) &&
               !std::holds_alternative<typed::Stop>(instruction);
  program_.code.push_back({std::move(instruction), span});
}

Mark Emitter::mark(std::string_view name, unsigned construct) {
  std::string text = std::string(name) + std::to_string(construct);
  if (!names_.insert(text).second) {
    text = free_name(text, 2);
  }
  marks_.push_back({std::move(text), false, 0, {}});
  return marks_.size() - 1;
}

void Emitter::bind(Mark mark) {
  MarkState& state = marks_[mark];
  state.is_bound = true;
  state.pc = here();
  for (const typed::Label use : state.uses) {
    std::visit(
        [&](auto& instruction) {
          if constexpr (requires { instruction.target; }) {
            instruction.target = state.pc;
          }
        },
        program_.code[use].instruction);
  }
  reachable_ |= !state.uses.empty();
}

void Emitter::use(Mark mark) {
  if (reachable_) {
    marks_[mark].uses.push_back(here());
  }
}

void Emitter::branch_zero(typed::Expr condition, Mark target, SourceSpan span) {
  use(target);
  emit(typed::BranchZero{std::move(condition), marks_[target].pc}, span);
}

void Emitter::jump(Mark target, SourceSpan span) {
  use(target);
  emit(typed::Jump{marks_[target].pc}, span);
}

void Emitter::jump_mask(typed::Expr thread, Mark target, SourceSpan span) {
  use(target);
  emit(typed::JumpMask{std::move(thread), marks_[target].pc}, span);
}

std::string Emitter::free_name(const std::string& stem, unsigned first) {
  unsigned& number = numbers_.try_emplace(stem, first).first->second;
  std::string name;
  do {
    name = stem + "." + std::to_string(number++);
  } while (!names_.insert(name).second);
  return name;
}

typed::RegisterId Emitter::add_register(typed::RegisterInfo info) {
  if (!names_.insert(info.name).second) {
    info.name = free_name(info.name, 2);
  }
  function().registers.push_back(std::move(info));
  return static_cast<typed::RegisterId>(function().registers.size() - 1);
}

typed::RegisterId Emitter::add_own_register(std::string_view stem, typed::ValueType type, SourceSpan span, bool always_written) {
  typed::RegisterInfo info;
  info.name = free_name(std::string(stem), 1);
  info.type = type;
  info.span = span;
  info.always_written = always_written;
  function().registers.push_back(std::move(info));
  return static_cast<typed::RegisterId>(function().registers.size() - 1);
}

void Emitter::finish() {
  for (const MarkState& state : marks_) {
    if (state.is_bound && !state.uses.empty()) {
      program_.labels.push_back({state.name, state.pc});
    }
  }
  std::ranges::sort(program_.labels, {}, [](const typed::LabelDefinition& label) { return std::tie(label.pc, label.name); });
}

}  // namespace lockstep::core::translation
