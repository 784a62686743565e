// What only the whole text of a program can tell: targets of jumps, and calls.

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "semantics/base/nearest.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/typed/parse_program.hpp"
#include "semantics/typed/parse_words.hpp"

namespace lockstep::typed {
namespace {

Label& target_of(Instruction& instruction) {
  if (auto* branch = std::get_if<BranchZero>(&instruction)) {
    return branch->target;
  }
  if (auto* jump = std::get_if<Jump>(&instruction)) {
    return jump->target;
  }
  return std::get<JumpMask>(instruction).target;
}

}  // namespace

void ProgramBuilder::resolve_targets(bool complete, Diagnostics& errors) {
  const std::size_t enough = errors.size() + max_errors;
  for (const PendingTarget& pending : targets_) {
    if (errors.size() > enough) {
      return;
    }
    const Function& function = program_.functions[pending.function];
    Label& target = target_of(program_.code[pending.instruction].instruction);
    const TargetToken& token = pending.target;
    if (!token.label.text.empty()) {
      const Names& labels = labels_[pending.function];
      const auto found = labels.find(token.label.text);
      if (found != labels.end()) {
        target = program_.labels[found->second].pc;
      } else if (complete) {
        std::vector<std::string_view> names;
        for (const auto& [name, index] : labels) {
          names.push_back(program_.labels[index].name);
        }
        std::ranges::sort(names);
        errors.push_back(
            {Severity::Error,
             token.span,
             "the label " + quoted(token.label.text) + " is not defined in " + quoted(function.name) + suggestion(token.label.text, names),
             {}});
      }
    } else if (token.number >= function.begin && token.number < function.end) {
      target = static_cast<Label>(token.number);
    } else if (complete) {
      errors.push_back({Severity::Error,
                        token.span,
                        "jump out of the function: the instructions of " + quoted(function.name) + " have the numbers " +
                            std::to_string(function.begin) + " to " + std::to_string(function.end - 1),
                        {}});
    }
  }
}

void ProgramBuilder::check_call(const Call& call, const PendingCall& pending, Diagnostics& errors) const {
  const Function& callee = program_.functions[call.function];
  const auto complain = [&](SourceSpan span, std::string message) {
    errors.push_back({Severity::Error, span, std::move(message), {{Severity::Note, callee.span, "the function is here", {}}}});
  };
  if (call.function == 0) {
    return complain(pending.function.span, "the kernel cannot be called");
  }
  if (call.arguments.size() != callee.parameter_count) {
    complain(pending.function.span, quoted(callee.name) + " takes " + std::to_string(callee.parameter_count) +
                                        (callee.parameter_count == 1 ? " argument, not " : " arguments, not ") +
                                        std::to_string(call.arguments.size()));
  }
  for (std::size_t i = 0; i < std::min(call.arguments.size(), callee.parameter_count); ++i) {
    const ValueType& wanted = callee.registers[i].type;
    const Expr& given = call.arguments[i];
    if (given.type() != wanted) {
      complain(given.span(), "the parameter " + quoted(callee.registers[i].name) + " has the type " + quoted(wanted) + ", this has " +
                                 quoted(given.type()));
    }
  }
  if (call.result && !callee.result) {
    complain(*pending.result, quoted(callee.name) + " has no result");
  }
}

void ProgramBuilder::resolve_calls(bool complete, Diagnostics& errors) {
  const std::size_t enough = errors.size() + max_errors;
  for (const PendingCall& pending : calls_) {
    if (errors.size() > enough) {
      return;
    }
    auto& call = std::get<Call>(program_.code[pending.instruction].instruction);
    const auto found = functions_.find(pending.function.text);
    if (found == functions_.end()) {
      if (complete) {
        errors.push_back({Severity::Error,
                          pending.function.span,
                          "the function " + quoted(pending.function.text) + " is not defined" +
                              suggestion(pending.function.text, program_.functions, &Function::name),
                          {}});
      }
      continue;
    }
    call.function = found->second;
    check_call(call, pending, errors);
    const Function& callee = program_.functions[call.function];
    const Function& caller = program_.functions[pending.caller];
    if (call.result && callee.result && caller.registers[*call.result].type != *callee.result) {
      errors.push_back({Severity::Error,
                        *pending.result,
                        "the result of " + quoted(callee.name) + " has the type " + quoted(*callee.result) + ", " +
                            quoted(caller.registers[*call.result].name) + " has " + quoted(caller.registers[*call.result].type),
                        {{Severity::Note, callee.span, "the function is here", {}}}});
    }
  }
}

Program ProgramBuilder::finish(bool complete, Diagnostics& errors) {
  for (std::size_t i = 0; i < program_.functions.size(); ++i) {
    program_.functions[i].end =
        i + 1 < program_.functions.size() ? program_.functions[i + 1].begin : static_cast<Label>(program_.code.size());
  }
  const bool declarations_known = errors.empty();
  if (complete) {
    end_function(errors);
  }
  std::ranges::move(late_, std::back_inserter(errors));
  if (complete && declarations_known && program_.functions.empty()) {
    errors.push_back({Severity::Error, {}, "the program has no '.kernel'", {}});
  }
  if (complete && declarations_known && !wg_size_) {
    errors.push_back({Severity::Error, {}, "the program has no '.wg_size'", {}});
  }
  if (first_ballot_ && program_.wg_size > max_ballot_items) {
    errors.push_back({Severity::Error,
                      *first_ballot_,
                      "'ballot.active' has a bit for each of at most " + std::to_string(max_ballot_items) + " items, but the group has " +
                          std::to_string(program_.wg_size),
                      {{Severity::Note, *wg_size_, "its size is given here", {}}}});
  }
  resolve_targets(complete, errors);
  resolve_calls(complete && declarations_known, errors);
  return std::move(program_);
}

}  // namespace lockstep::typed