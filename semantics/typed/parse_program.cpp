#include "semantics/typed/parse_program.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "semantics/base/lane_set.hpp"
#include "semantics/base/nearest.hpp"
#include "semantics/musimd/resolve.hpp"
#include "semantics/typed/parse_expression.hpp"
#include "semantics/typed/parse_words.hpp"

namespace lockstep::typed {
namespace {

std::string quoted(std::string_view text) { return "'" + shortened(text) + "'"; }
std::string quoted(const ValueType& type) { return "'" + name_of(type) + "'"; }

bool is_integer(const ValueType& type) { return !type.is_pointer && lockstep::is_integer(type.scalar); }

Diagnostics first_one(SourceSpan span) { return {{Severity::Note, span, "the first one is here", {}}}; }

/// An unknown name where the text that could have declared it was refused: it is left out, and nothing is said.
[[noreturn]] void leave_out() { refuse({}, ""); }

template <class Rows, class Name>
std::string near_name(std::string_view name, const Rows& rows, Name name_of_row) {
  std::vector<std::string_view> names;
  names.reserve(rows.size());
  for (const auto& row : rows) {
    names.push_back(row.*name_of_row);
  }
  return suggestion(name, names);
}

/// The number of elements that the extents make.
std::uint64_t element_count(const Declarator& declarator) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : declarator.extents) {
    if (extent == 0) {
      refuse(declarator.extents_span, "an array has at least one element");
    }
    if (extent > max_elements / count) {
      refuse(declarator.extents_span, "an array has at most " + std::to_string(max_elements) + " elements");
    }
    count *= extent;
  }
  return count;
}

std::vector<std::uint64_t> kept_extents(const Declarator& declarator) {
  return declarator.extents.size() > 1 ? declarator.extents : std::vector<std::uint64_t>{};
}

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

// ---- declarations ------------------------------------------------------------------------------------------------------

void ProgramBuilder::wg_size(std::uint64_t value, SourceSpan span) {
  if (wg_size_) {
    refuse(span, "'.wg_size' stands twice", first_one(*wg_size_));
  }
  wg_size_ = span;
  if (value < 1 || value > LaneSet::max_width) {
    refuse(span, "a work group has 1 to " + std::to_string(LaneSet::max_width) + " items");
  }
  program_.wg_size = static_cast<unsigned>(value);
}

void ProgramBuilder::object(AddressSpace space, ScalarType element, const Declarator& declarator, SourceSpan span) {
  const auto [entry, added] = objects_.try_emplace(declarator.name.text, static_cast<ObjectId>(program_.objects.size()));
  if (!added) {
    refuse(declarator.name.span, "the object " + quoted(declarator.name.text) + " stands twice",
           first_one(program_.objects[entry->second].span));
  }
  // The object is known even if its extents are wrong, so that nothing more is said about its name.
  program_.objects.push_back({std::string(declarator.name.text), element, space, 1, {}, {}, span});
  if (declarator.variable) {
    refuse(declarator.variable->span, "an object has no other name");
  }
  program_.objects.back().count = element_count(declarator);
  program_.objects.back().extents = kept_extents(declarator);
}

void ProgramBuilder::object_value(ScalarType type, std::uint64_t bits, SourceSpan span) {
  Object& object = program_.objects.back();
  if (type != object.element) {
    refuse(span, "the values of " + quoted(object.name) + " have the type '" + std::string(info(object.element).name) + "', this one '" +
                     std::string(info(type).name) + "'");
  }
  object.values.push_back(bits);
}

void ProgramBuilder::object_end() {
  const Object& object = program_.objects.back();
  if (object.values.size() != object.count) {
    refuse(object.span, quoted(object.name) + " has " + std::to_string(object.count) + (object.count == 1 ? " element" : " elements") +
                            ", but " + std::to_string(object.values.size()) +
                            (object.values.size() == 1 ? " value stands here" : " values stand here"));
  }
}

void ProgramBuilder::end_function(Diagnostics& errors) const {
  if (program_.functions.empty()) {
    return;
  }
  const Function& function = program_.functions.back();
  if (function.begin == program_.code.size()) {
    errors.push_back({Severity::Error, function.span, quoted(function.name) + " has no instruction", {}});
  }
  for (std::size_t i = program_.labels.size(); i > 0 && program_.labels[i - 1].pc == program_.code.size(); --i) {
    errors.push_back(
        {Severity::Error, label_spans_[i - 1], "no instruction of " + quoted(function.name) + " stands behind this label", {}});
  }
}

void ProgramBuilder::function(bool kernel, NameToken name, std::optional<ValueType> result, SourceSpan span) {
  const bool first = program_.functions.empty();
  const auto known = functions_.find(name.text);
  const std::optional<SourceSpan> before = known == functions_.end() ? std::nullopt : std::optional(program_.functions[known->second].span);
  function_lost(span);
  lost_ = false;
  functions_.try_emplace(name.text, static_cast<FunctionId>(program_.functions.size() - 1));
  current().name = name.text;
  current().result = result;
  if (kernel != first) {
    refuse(name.span, kernel ? "a program has one kernel, which is its first function" : "the first function is the '.kernel'");
  }
  if (before) {
    refuse(name.span, "the function " + quoted(name.text) + " stands twice", first_one(*before));
  }
}

void ProgramBuilder::function_lost(SourceSpan span) {
  lost_ = true;
  if (!program_.functions.empty() && current().span == span) {
    return;  // its head was wrong, but it is here
  }
  end_function(late_);
  registers_.clear();
  labels_.emplace_back();
  Function function;
  function.span = span;
  function.begin = static_cast<Label>(program_.code.size());
  program_.functions.push_back(std::move(function));
}

void ProgramBuilder::parameter(const RegisterKind& kind, const Declarator& declarator) {
  if (!declarator.extents.empty()) {
    refuse(declarator.extents_span, "a parameter is a number or a pointer, not an array");
  }
  add_register(kind, declarator);
  current().uniform_parameters.push_back(kind.uniform);
  current().parameter_count = current().registers.size();
}

void ProgramBuilder::declare(const RegisterKind& kind, const Declarator& declarator) {
  if (program_.functions.empty()) {
    refuse(declarator.name.span, "registers belong to a function: '.kernel' comes first");
  }
  if (kind.uniform) {
    refuse(declarator.name.span, "only a parameter can be 'uniform'");
  }
  add_register(kind, declarator);
}

void ProgramBuilder::add_register(const RegisterKind& kind, const Declarator& declarator) {
  Function& function = current();
  const auto [entry, added] = registers_.try_emplace(declarator.name.text, static_cast<RegisterId>(function.registers.size()));
  if (!added) {
    refuse(declarator.name.span, quoted(declarator.name.text) + " is declared twice", first_one(function.registers[entry->second].span));
  }
  RegisterInfo info;
  info.name = declarator.name.text;
  info.type = kind.type;
  info.span = declarator.name.span;
  info.always_written = kind.written;
  if (!declarator.extents.empty()) {
    info.count = 1;  // known as an array, even if its extents are wrong
  }
  function.registers.push_back(std::move(info));
  if (kind.temporary && declarator.variable) {
    refuse(declarator.variable->span, "a temporary belongs to no variable");
  }
  RegisterInfo& kept = function.registers.back();
  if (!kind.temporary) {
    kept.variable = declarator.variable ? declarator.variable->text : stem(declarator.name.text);
  }
  if (kept.count) {
    kept.count = element_count(declarator);
    kept.extents = kept_extents(declarator);
  }
}

// ---- names and places --------------------------------------------------------------------------------------------------

void ProgramBuilder::require_function(SourceSpan span) const {
  if (program_.functions.empty()) {
    refuse(span, "instructions belong to a function: '.kernel' comes first");
  }
}

RegisterId ProgramBuilder::find_register(NameToken name) const {
  const auto found = registers_.find(name.text);
  if (found != registers_.end()) {
    return found->second;
  }
  if (lost_) {
    leave_out();
  }
  if (objects_.contains(name.text)) {
    refuse(name.span, quoted(name.text) + " is an object; its address is written '@" + name_text(name.text) + "'");
  }
  refuse(name.span, "the register " + quoted(name.text) + " is not declared" +
                        near_name(name.text, program_.functions.back().registers, &RegisterInfo::name));
}

ObjectId ProgramBuilder::find_object(NameToken name) const {
  const auto found = objects_.find(name.text);
  if (found != objects_.end()) {
    return found->second;
  }
  if (lost_) {
    leave_out();
  }
  if (registers_.contains(name.text)) {
    refuse(name.span, quoted(name.text) + " is a register; the address of an array is written '&" + name_text(name.text) + "'");
  }
  refuse(name.span, "the object " + quoted(name.text) + " is not declared" + near_name(name.text, program_.objects, &Object::name));
}

RegisterId ProgramBuilder::find_single(NameToken name) const {
  const RegisterId id = find_register(name);
  if (register_info(id).count) {
    refuse(name.span, quoted(name.text) + " is an array; here a single register is needed");
  }
  return id;
}

Place ProgramBuilder::place(NameToken name, std::optional<Expr> index) const {
  const RegisterId id = find_register(name);
  const bool is_array = register_info(id).count.has_value();
  if (is_array && !index) {
    refuse(name.span, quoted(name.text) + " is an array: which element is written as in '" + name_text(name.text) + "[0] = …'");
  }
  if (!is_array && index) {
    refuse(name.span, quoted(name.text) + " is no array and has no elements");
  }
  if (index && !is_integer(index->type())) {
    refuse(index->span(), "an array index is an integer, not " + quoted(index->type()));
  }
  const std::uint32_t end = index ? index->span().end + 1 : name.span.end;
  return {id, std::move(index), {name.span.begin, end}};
}

void ProgramBuilder::label(NameToken name) {
  if (program_.functions.empty()) {
    refuse(name.span, "labels belong to a function: '.kernel' comes first");
  }
  const auto [entry, added] = labels_.back().try_emplace(name.text, static_cast<std::uint32_t>(program_.labels.size()));
  if (!added) {
    refuse(name.span, "the label " + quoted(name.text) + " stands twice", first_one(label_spans_[entry->second]));
  }
  program_.labels.push_back({std::string(name.text), static_cast<Label>(program_.code.size())});
  label_spans_.push_back(name.span);
}

// ---- instructions ------------------------------------------------------------------------------------------------------

void ProgramBuilder::check_value(const std::string& what, const ValueType& wanted, const Expr& value) {
  if (value.type() != wanted) {
    const bool convertible = !wanted.is_pointer && !value.type().is_pointer;
    refuse(value.span(), what + " has the type " + quoted(wanted) + ", this has " + quoted(value.type()) +
                             (convertible ? "; a conversion is written '" + name_of(wanted) + "(…)'" : ""));
  }
}

void ProgramBuilder::add_jump(Instruction instruction, const TargetToken& target, SourceSpan span) {
  targets_.push_back({program_.code.size(), static_cast<FunctionId>(program_.functions.size() - 1), target});
  add(std::move(instruction), span);
}

void ProgramBuilder::branch(Expr condition, const TargetToken& target, SourceSpan span) {
  if (condition.type().is_pointer) {
    refuse(condition.span(), "'bz' asks whether a number is 0: this is a " + quoted(condition.type()));
  }
  add_jump(BranchZero{std::move(condition), 0}, target, span);
}

void ProgramBuilder::jump(const TargetToken& target, SourceSpan span) { add_jump(Jump{0}, target, span); }

void ProgramBuilder::jump_mask(Expr thread, const TargetToken& target, SourceSpan span) {
  if (!is_integer(thread.type())) {
    refuse(thread.span(), "'jmp_mask' takes the integer number of a lane, not a " + quoted(thread.type()));
  }
  add_jump(JumpMask{std::move(thread), 0}, target, span);
}

void ProgramBuilder::assign(Place place, Expr value, SourceSpan span) {
  check_value(quoted(register_info(place.id).name), register_info(place.id).type, value);
  add(Assign{std::move(place), std::move(value)}, span);
}

void ProgramBuilder::forget(NameToken name, SourceSpan span) { add(Forget{find_register(name)}, span); }

void ProgramBuilder::check_cell(const Expr& base, const Expr& index) {
  if (!base.type().is_pointer) {
    refuse(base.span(), "memory is reached through a pointer: this is a " + quoted(base.type()));
  }
  if (!is_integer(index.type())) {
    refuse(index.span(), "an index is an integer, not " + quoted(index.type()));
  }
}

void ProgramBuilder::load(Place place, Expr base, Expr index, SourceSpan span) {
  check_cell(base, index);
  const RegisterInfo& target = register_info(place.id);
  const ValueType loaded{base.type().scalar, false, AddressSpace::Private};
  if (target.type != loaded) {
    refuse(base.span(),
           quoted(target.name) + " has the type " + quoted(target.type) + ", a " + quoted(base.type()) + " leads to " + quoted(loaded));
  }
  add(Load{std::move(place), std::move(base), std::move(index)}, span);
}

void ProgramBuilder::store(Expr base, Expr index, Expr value, SourceSpan span) {
  check_cell(base, index);
  if (base.type().space == AddressSpace::Constant) {
    refuse(base.span(), "constant memory is never written: this is a " + quoted(base.type()));
  }
  check_value("the cell", {base.type().scalar, false, AddressSpace::Private}, value);
  add(Store{std::move(base), std::move(index), std::move(value)}, span);
}

void ProgramBuilder::shuffle(const Place& place, NameToken source, Expr lane, bool active, SourceSpan span) {
  const std::string name = active ? "shfl.active" : "shfl";
  if (place.index) {
    refuse(place.span, quoted(name) + " writes a register, not an element of an array");
  }
  const RegisterId from = find_single(source);
  const ValueType& type = register_info(from).type;
  if (register_info(place.id).type != type) {
    refuse(source.span, quoted(register_info(place.id).name) + " has the type " + quoted(register_info(place.id).type) + ", " +
                            quoted(source.text) + " has " + quoted(type));
  }
  if (!is_integer(lane.type())) {
    refuse(lane.span(), "the lane of " + quoted(name) + " is an integer, not a " + quoted(lane.type()));
  }
  add(Shuffle{place.id, from, std::move(lane), active}, span);
}

void ProgramBuilder::vote(VoteKind kind, const Place& place, Expr value, SourceSpan span) {
  if (place.index) {
    refuse(place.span, "a vote writes a register, not an element of an array");
  }
  const ValueType wanted{kind == VoteKind::Ballot ? ScalarType::ULong : ScalarType::Int, false, AddressSpace::Private};
  if (register_info(place.id).type != wanted) {
    refuse(place.span, "the result of this vote has the type " + quoted(wanted) + ", " + quoted(register_info(place.id).name) + " has " +
                           quoted(register_info(place.id).type));
  }
  if (value.type().is_pointer) {
    refuse(value.span(), "a vote counts numbers that are not 0: this is a " + quoted(value.type()));
  }
  if (kind == VoteKind::Ballot && !first_ballot_) {
    first_ballot_ = span;
  }
  add(Vote{kind, place.id, std::move(value)}, span);
}

void ProgramBuilder::call(NameToken function, std::vector<Expr> arguments, const std::optional<Place>& place, SourceSpan span) {
  std::optional<RegisterId> result;
  std::optional<SourceSpan> result_span;
  if (place) {
    if (place->index) {
      refuse(place->span, "a call writes a register, not an element of an array");
    }
    result = place->id;
    result_span = place->span;
  }
  calls_.push_back({program_.code.size(), static_cast<FunctionId>(program_.functions.size() - 1), function, result_span});
  add(Call{0, std::move(arguments), result}, span);
}

void ProgramBuilder::return_value(std::optional<Expr> value, SourceSpan span) {
  const Function& function = current();
  if (!lost_ && value && !function.result) {
    refuse(value->span(), quoted(function.name) + " has no result");
  }
  if (!lost_ && !value && function.result) {
    refuse(span, quoted(function.name) + " returns a " + quoted(*function.result) + ", as in 'ret e'");
  }
  if (value && function.result) {
    check_value("the result of " + quoted(function.name), *function.result, *value);
  }
  add(Return{std::move(value)}, span);
}

// ---- the whole ---------------------------------------------------------------------------------------------------------

void ProgramBuilder::resolve_targets(bool complete, Diagnostics& errors) {
  const std::size_t enough = errors.size() + musimd::max_errors;
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
  const std::size_t enough = errors.size() + musimd::max_errors;
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
                              near_name(pending.function.text, program_.functions, &Function::name),
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
