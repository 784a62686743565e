#include "semantics/typed/parse_program.hpp"

#include <algorithm>
#include <utility>

#include "semantics/base/lane_set.hpp"
#include "semantics/base/nearest.hpp"
#include "semantics/base/program_text.hpp"
#include "semantics/typed/parse_words.hpp"

namespace lockstep::typed {
namespace {

/// An unknown name where the text that could have declared it was refused: it is left out, and nothing is said.
[[noreturn]] void leave_out() { refuse({}, ""); }

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
                        suggestion(name.text, program_.functions.back().registers, &RegisterInfo::name));
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
  refuse(name.span, "the object " + quoted(name.text) + " is not declared" + suggestion(name.text, program_.objects, &Object::name));
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

}  // namespace lockstep::typed
