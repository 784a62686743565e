#include "semantics/ptx/resolve_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "semantics/base/nearest.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/ptx/print.hpp"

namespace lockstep::ptx {

FunctionResolver::FunctionResolver(const Function& function, const ModuleNames& names, resolved::Function& to, Diagnostics& found)
    : function_(function), names_(names), to_(to), found_(found) {}

void FunctionResolver::error(SourceSpan where, std::string message, Diagnostics notes) {
  found_.push_back({.span = where, .message = std::move(message), .notes = std::move(notes)});
}

void FunctionResolver::warning(SourceSpan where, std::string message) {
  found_.push_back({.severity = Severity::Warning, .span = where, .message = std::move(message), .notes = {}});
}

const Named* FunctionResolver::find(std::string_view name) {
  for (Scope& scope : std::views::reverse(scopes_)) {
    if (const Named* found = scope.find(name, to_)) {
      return found;
    }
  }
  return names_.scope->find(name, to_);
}

/// What the name means; an error if nothing.
const Named* FunctionResolver::known(const Name& name) {
  const std::string_view base = std::string_view(name.text).substr(0, name.text.find('.'));
  const Named* found = find(base);
  if (found != nullptr) {
    return found;
  }
  for (const Scope& scope : std::views::reverse(scopes_)) {
    if (const Variable* range = scope.near_range(base)) {
      const std::string last = *range->range == 0 ? "has no register" : fmt::format("goes to {}{}", range->name, *range->range - 1);
      error(name.place, fmt::format("{} is not declared: {}<{}> {}", quoted(base), range->name, *range->range, last));
      return nullptr;
    }
  }
  std::vector<std::string_view> candidates;
  for (const Scope& scope : scopes_) {
    scope.add_names(candidates);
  }
  names_.scope->add_names(candidates);
  std::ranges::sort(candidates);
  for (const SpecialInfo& row : special_table) {
    candidates.push_back(row.text);
  }
  error(name.place, fmt::format("{} is not declared{}", quoted(base), suggestion(base, candidates)));
  return nullptr;
}

void FunctionResolver::declare(std::string_view name, const Named& named) {
  if (name.empty() || name == "_") {
    return;
  }
  if (const Named* first = scopes_.back().declare(name, named)) {
    error(named.place, fmt::format("{} is declared twice in this block", quoted(name)), first_one(first->place));
  }
}

/// Labels are known in their whole block, also in front of them.
void FunctionResolver::collect_labels() {
  std::vector<std::size_t> open = {0};
  labels_.emplace_back();
  std::uint32_t instruction = 0;
  for (const Statement& statement : function_.body) {
    if (std::holds_alternative<Instruction>(statement)) {
      ++instruction;
    } else if (const auto* label = std::get_if<Label>(&statement)) {
      labels_[open.back()].emplace_back(label->name, Named{LabelName{instruction}, label->place});
    } else if (const auto* list = std::get_if<TargetList>(&statement)) {
      labels_[open.back()].emplace_back(list->name, Named{list, list->place});
    } else if (const auto* prototype = std::get_if<Prototype>(&statement)) {
      labels_[open.back()].emplace_back(prototype->name, Named{prototype, prototype->place});
    } else if (std::holds_alternative<BlockBegin>(statement)) {
      open.push_back(labels_.size());
      labels_.emplace_back();
    } else if (std::holds_alternative<BlockEnd>(statement)) {
      open.pop_back();
    }
  }
}

void FunctionResolver::parameters(const std::vector<Variable>& list, std::vector<resolved::Parameter>& to) {
  for (const Variable& parameter : list) {
    if (parameter.space == Space::Reg) {
      if (function_.entry) {
        error(parameter.place, fmt::format("the parameter {} of a kernel lies in .param, not in a register", quoted(parameter.name)));
      }
      RegisterName registers{&parameter, new_registers(to_, parameter, parameter.name)};
      to.emplace_back(resolved::Register{registers.numbers[0]});
      declare(parameter.name, {std::move(registers), parameter.place});
      continue;
    }
    const resolved::VariableRef variable{true, static_cast<std::uint32_t>(to_.variables.size())};
    to_.variables.push_back(resolve_variable(parameter, names_.find_symbol, found_));
    to.emplace_back(variable);
    declare(parameter.name, {variable, parameter.place});
  }
}

void FunctionResolver::declaration(const Variable& variable) {
  if (variable.space != Space::Reg) {
    const resolved::VariableRef local{true, static_cast<std::uint32_t>(to_.variables.size())};
    to_.variables.push_back(resolve_variable(variable, names_.find_symbol, found_));
    declare(variable.name, {local, variable.place});
    return;
  }
  if (!variable.dimensions.empty() || variable.initialiser) {
    error(variable.place, fmt::format("the register {} has {}, which registers have not", quoted(variable.name),
                                      variable.initialiser ? "an initial value" : "dimensions"));
  }
  if (variable.range) {
    scopes_.back().declare_range(variable);
  } else if (const Variable* range = scopes_.back().range_of(variable.name)) {
    error(variable.place, fmt::format("{} is declared twice in this block", quoted(variable.name)), first_one(range->place));
  } else {
    declare(variable.name, {RegisterName{&variable, {}}, variable.place});
  }
}

const resolved::VariableInfo& FunctionResolver::variable_info(resolved::VariableRef variable) const {
  return variable.local ? to_.variables[variable.index] : names_.module->variables[variable.index];
}

/// The carry flag is a register of the function that uses it.
std::uint32_t FunctionResolver::carry_flag() {
  if (!carry_flag_) {
    carry_flag_ = static_cast<std::uint32_t>(to_.registers.size());
    to_.registers.push_back({"%cc", Type::Pred});
  }
  return *carry_flag_;
}

void FunctionResolver::guard(const Instruction& instruction, resolved::Instruction& to) {
  if (!instruction.guard) {
    return;
  }
  const Name& predicate = instruction.guard->predicate;
  const Named* named = known(predicate);
  if (named == nullptr) {
    return;
  }
  const auto* found = std::get_if<RegisterName>(&named->meaning);
  if (found == nullptr || found->declaration->type != Type::Pred) {
    error(predicate.place, fmt::format("{} is no predicate", quoted(predicate.text)));
    return;
  }
  to.guard = resolved::Guard{found->numbers[0], predicate.negated};
}

std::optional<std::uint32_t> FunctionResolver::label(const Name& name) {
  const Named* named = find(name.text);
  const auto* found = named == nullptr ? nullptr : std::get_if<LabelName>(&named->meaning);
  if (found != nullptr) {
    return found->instruction;
  }
  if (named != nullptr) {
    error(name.place, fmt::format("{} is no label", quoted(name.text)));
    return std::nullopt;
  }
  std::vector<std::string_view> candidates;
  bool elsewhere = false;
  for (const auto& block : labels_) {
    for (const auto& [text, other] : block) {
      elsewhere = elsewhere || (text == name.text && std::holds_alternative<LabelName>(other.meaning));
      candidates.push_back(text);
    }
  }
  error(name.place, elsewhere
                        ? fmt::format("the label {} is in a block that this one is not in", quoted(name.text))
                        : fmt::format("there is no label {} in this function{}", quoted(name.text), suggestion(name.text, candidates)));
  return std::nullopt;
}

void FunctionResolver::branch(const Instruction& instruction, resolved::Instruction& to) {
  for (const Operand& operand : instruction.operands) {
    const auto* name = std::get_if<Name>(&operand);
    if (name == nullptr || &operand != &instruction.operands.back()) {
      continue;
    }
    if (info(instruction.form).kind == Kind::Branch) {
      to.targets.push_back(label(*name).value_or(0));
      continue;
    }
    const Named* named = find(name->text);
    const auto* list = named == nullptr ? nullptr : std::get_if<const TargetList*>(&named->meaning);
    if (list == nullptr || (*list)->calls) {
      error(name->place, fmt::format("there is no .branchtargets {} in reach", quoted(name->text)));
      continue;
    }
    for (const Name& target : (*list)->targets) {
      to.targets.push_back(label(target).value_or(0));
    }
  }
}

void FunctionResolver::instruction(const Instruction& instruction) {
  resolved::Instruction& to = to_.code.emplace_back();
  to.form = instruction.form;
  to.modifiers = instruction.modifiers;
  to.types = instruction.types;
  to.place = instruction.place;
  to.loc = static_cast<std::int32_t>(to_.locs.size()) - 1;
  guard(instruction, to);
  check_modifiers(instruction);
  operands(instruction, to);
  const Kind kind = info(instruction.form).kind;
  if (kind == Kind::Branch || kind == Kind::IndexedBranch) {
    branch(instruction, to);
  } else if (kind == Kind::Call) {
    call(instruction, to);
  } else if (kind == Kind::Refused) {
    warning(instruction.mnemonic_place, fmt::format("'{}' is read, but does not run", print_mnemonic(instruction)));
  }
}

void FunctionResolver::run() {
  collect_labels();
  scopes_.emplace_back();
  parameters(function_.signature.results, to_.results);
  parameters(function_.signature.parameters, to_.parameters);
  std::size_t block = 0;
  const auto open = [&] {
    scopes_.emplace_back();
    for (auto& [name, named] : labels_[block++]) {
      declare(name, named);
    }
  };
  open();
  for (const Statement& statement : function_.body) {
    if (const auto* node = std::get_if<Instruction>(&statement)) {
      instruction(*node);
    } else if (const auto* variable = std::get_if<Variable>(&statement)) {
      declaration(*variable);
    } else if (const auto* loc = std::get_if<Loc>(&statement)) {
      to_.locs.push_back(*loc);
    } else if (std::holds_alternative<BlockBegin>(statement)) {
      open();
    } else if (std::holds_alternative<BlockEnd>(statement)) {
      scopes_.pop_back();
    }
  }
}

}  // namespace lockstep::ptx
