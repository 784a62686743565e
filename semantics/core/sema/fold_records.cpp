#include "semantics/core/sema/fold_records.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/half.hpp"
#include "semantics/core/sema/record_folder.hpp"
#include "semantics/core/sema/records.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::core::sema {
namespace {

/// A structure of more members stays in words, when it is a variable.
constexpr std::uint64_t max_pieces = 256;
/// Numbers that one assignment, argument or result copies, at most.
constexpr std::uint64_t max_copied = 4096;

}  // namespace

Function RecordFolder::run() {
  to_.name = from_.name;
  to_.is_kernel = from_.is_kernel;
  to_.is_crev_target = from_.is_crev_target;
  to_.local_parameters = from_.local_parameters;
  to_.span = from_.span;
  find_pieces();
  add_parameters();
  add_written_parameters();
  add_variables();
  body(from_.body, to_.body);
  return std::move(to_);
}

void RecordFolder::find_pieces() {
  in_pieces_.resize(from_.variables.size());
  for (std::size_t i = 0; i < in_pieces_.size(); ++i) {
    const Type& type = from_.variables[i].type;
    in_pieces_[i] = type.is_array() && type.record != nullptr && !type.record->has_union && type.record->pieces <= max_pieces;
  }
  for (const Expr& expr : from_.expressions) {
    const auto* address = std::get_if<AddressOf>(&expr.node);
    if (address == nullptr || old(address->place).type.record == nullptr) {
      continue;
    }
    ExprId place = address->place;
    while (const auto* subscript = std::get_if<Subscript>(&old(place).node)) {
      place = subscript->base;
    }
    if (const auto* var = std::get_if<Var>(&old(place).node)) {
      in_pieces_[var->id] = false;
    }
  }
}

void RecordFolder::add_parameters() {
  variables_.resize(from_.variables.size());
  pieces_.resize(from_.variables.size());
  std::vector<VarId> structures;
  for (VarId id = 0; id < from_.parameter_count; ++id) {
    const Variable& parameter = from_.variables[id];
    if (from_.group_parameters == id) {
      to_.group_parameters = static_cast<VarId>(to_.variables.size());
    }
    if (parameter.type.is_record()) {
      structures.push_back(id);
      parameters_of_[id] = static_cast<VarId>(to_.variables.size());
      for (const Leaf& leaf : leaves(parameter.type, parameter.span)) {
        add_variable(context_, {.name = free_name(parameter.name + leaf.name),
                                .type = Type::scalar_of(leaf.type),
                                .is_uniform = parameter.is_uniform,
                                .span = parameter.span});
      }
      continue;
    }
    if (parameter.type.is_pointer() && parameter.type.record != nullptr && from_.is_kernel && !is_half(parameter.type)) {
      to_.structure_parameters.push_back(
          {static_cast<VarId>(to_.variables.size()), parameter.type.record, words_.lowered(parameter.type).extents.back()});
    }
    variables_[id] = add_lowered(parameter);
  }
  to_.result = from_.result;
  if (from_.result.is_record()) {
    const Type pointer = pointer_to(words_.lowered(record_type(from_.result.record)), AddressSpace::Private, false);
    result_ = add_variable(context_, {.name = free_name("result"), .type = pointer, .span = from_.span});
    to_.result = {};
  } else {
    to_.result = words_.lowered(from_.result);
  }
  to_.parameter_count = to_.variables.size();
  for (const VarId id : structures) {
    add_structure(id);
  }
}

void RecordFolder::add_written_parameters() {
  for (const WrittenParameter& written : from_.written_parameters) {
    to_.written_parameters.push_back(written);
    WrittenParameter& folded = to_.written_parameters.back();
    const Variable& parameter = from_.variables[written.first];
    if (!parameter.type.is_record()) {
      folded.first = variables_[written.first];
      continue;
    }
    folded.first = parameters_of_.at(written.first);
    folded.offsets.clear();
    for (const Leaf& leaf : leaves(parameter.type, parameter.span)) {
      folded.offsets.push_back(leaf.offset);
    }
  }
}

std::string RecordFolder::free_name(std::string name) const {
  const auto is_taken = [&](const Variable& variable) { return variable.name == name; };
  while (std::ranges::any_of(std::span(from_.variables).first(from_.parameter_count), is_taken)) {
    name += '_';
  }
  return name;
}

VarId RecordFolder::add_lowered(Variable variable) {
  variable.type = words_.lowered(variable.type);
  return add_variable(context_, std::move(variable));
}

void RecordFolder::add_structure(VarId id) {
  Variable copy = from_.variables[id];
  copy.is_uniform = false;
  copy.is_const = false;
  add_memory(id, copy);
  const SourceSpan span = copy.span;
  declare(id, span, to_.body);
  const RecordPlace place = place_of_variable(id, span);
  VarId parameter = parameters_of_.at(id);
  for (const Leaf& leaf : leaves(copy.type, span)) {
    std::vector<ExprId> stores;
    places_.store(places_.leaf_at(place, leaf), variable(context_, parameter++, span), stores);
    for (const ExprId store : stores) {
      to_.body.push_back({Evaluate{store}, span});
    }
  }
  add_temporaries(0, to_.body, 0, span);
}

void RecordFolder::add_variables() {
  for (auto id = static_cast<VarId>(from_.parameter_count); id < from_.variables.size(); ++id) {
    add_memory(id, from_.variables[id]);
  }
}

void RecordFolder::add_memory(VarId id, const Variable& variable) {
  if (!in_pieces_[id]) {
    variables_[id] = add_lowered(variable);
    return;
  }
  std::vector<std::uint64_t> members;
  Type dimensions = variable.type;
  dimensions.extents.pop_back();
  add_pieces(id, variable, variable.type, variable.name, dimensions.extents, members);
}

void RecordFolder::add_pieces(VarId id, const Variable& whole, const Type& type, const std::string& name,
                              const std::vector<std::uint64_t>& extents, std::vector<std::uint64_t>& members) {
  for (std::uint64_t k = 0; k < type.record->members.size(); ++k) {
    const Member& member = type.record->members[k];
    members.push_back(k);
    Type piece = member.type;
    piece.extents = extents;
    std::ranges::copy(member.type.extents, std::back_inserter(piece.extents));
    if (member.type.record != nullptr) {
      piece.extents.pop_back();
      add_pieces(id, whole, member.type, name + "_" + member.name, piece.extents, members);
    } else {
      piece.kind = piece.extents.empty() ? Type::Kind::Scalar : Type::Kind::Array;
      piece.space = piece.is_array() ? whole.space : AddressSpace::Private;
      piece.is_const = piece.is_array() && whole.type.is_const;
      Variable variable = whole;
      variable.name = name + "_" + member.name;
      variable.type = piece;
      pieces_[id].emplace(members, add_variable(context_, std::move(variable)));
    }
    members.pop_back();
  }
}

void RecordFolder::declare(VarId id, SourceSpan span, Body& body) {
  if (!in_pieces_[id]) {
    body.push_back({Declare{variables_[id], {}}, span});
  }
  for (const auto& [members, piece] : pieces_[id]) {
    body.push_back({Declare{piece, {}}, span});
  }
}

std::vector<Leaf> RecordFolder::leaves(const Type& type, SourceSpan span) {
  if (number_count(type) > max_copied) {
    context_.unit.reporter.error(span, "'" + name_of(type) + "' has more than " + std::to_string(max_copied) +
                                           " numbers, too many to be copied at once; pass a pointer, or copy them in a loop");
    return {};
  }
  return words_.leaves(type);
}

void RecordFolder::add_temporaries(std::size_t known, Body& body, std::size_t first, SourceSpan span) {
  std::vector<Stmt> declared;
  for (std::size_t i = known; i < context_.temporaries.size(); ++i) {
    declared.push_back({Declare{context_.temporaries[i], {}}, span});
  }
  context_.temporaries.resize(known);
  body.insert(body.begin() + static_cast<std::ptrdiff_t>(first), std::make_move_iterator(declared.begin()),
              std::make_move_iterator(declared.end()));
}

void RecordFolder::body(const Body& from, Body& to) {
  for (const Stmt& stmt : from) {
    const std::size_t first = to.size();
    const std::size_t known = context_.temporaries.size();
    std::visit([&](const auto& node) { statement(node, stmt.span, to); }, stmt.node);
    add_temporaries(known, to, first, stmt.span);
  }
}

void RecordFolder::statement(const Declare& node, SourceSpan span, Body& to) {
  if (from_.variables[node.variable].type.record != nullptr && from_.variables[node.variable].type.is_array()) {
    declare(node.variable, span, to);
    return;
  }
  std::vector<ExprId> values;
  for (const ExprId id : node.values) {
    values.push_back(value(id));
  }
  to.push_back({Declare{variables_[node.variable], std::move(values)}, span});
}

void RecordFolder::statement(const Block& node, SourceSpan span, Body& to) {
  Block block;
  body(node.body, block.body);
  to.push_back({std::move(block), span});
}

void RecordFolder::statement(const If& node, SourceSpan span, Body& to) {
  If result;
  result.condition = value(node.condition);
  body(node.then, result.then);
  body(node.otherwise, result.otherwise);
  to.push_back({std::move(result), span});
}

void RecordFolder::statement(const Loop& node, SourceSpan span, Body& to) {
  Loop loop;
  loop.kind = node.kind;
  body(node.init, loop.init);
  if (node.condition) {
    loop.condition = value(*node.condition);
  }
  if (node.step) {
    loop.step = effect(*node.step);
  }
  body(node.body, loop.body);
  to.push_back({std::move(loop), span});
}

void RecordFolder::statement(const Switch& node, SourceSpan span, Body& to) {
  Switch result;
  result.value = value(node.value);
  for (const SwitchSection& section : node.sections) {
    result.sections.push_back({section.values, section.is_default, {}, section.span});
    body(section.body, result.sections.back().body);
  }
  to.push_back({std::move(result), span});
}

void RecordFolder::statement(const Return& node, SourceSpan span, Body& to) {
  if (!node.value || !old(*node.value).type.is_record()) {
    to.push_back({Return{node.value ? std::optional(value(*node.value)) : std::nullopt}, span});
    return;
  }
  const Type type = record_type(from_.result.record);
  RecordPlace source = place(*node.value);
  const ExprId pointer = variable(context_, *result_, span);
  const ExprId memory = add(context_, Subscript{pointer, add_integer(context_, 0, ScalarType::Long, span)}, words_.lowered(type), span);
  std::vector<ExprId> effects;
  copy({.type = type, .memory = memory}, source, span, effects);
  to.push_back({Evaluate{sequence(context_, effects)}, span});
  to.push_back({Return{}, span});
}

void RecordFolder::statement(const CrevCall& node, SourceSpan span, Body& to) {
  std::vector<ExprId> before;
  Call made = call({node.function, node.arguments}, before);
  if (!before.empty()) {
    to.push_back({Evaluate{sequence(context_, before)}, span});
  }
  to.push_back({CrevCall{made.function, std::move(made.arguments)}, span});
}

namespace {

/// A __constant object of bytes as one of words.
void fold_constant(const RecordWords& words, Constant& constant) {
  const Type type = words.lowered(constant.type);
  const std::uint64_t size = lockstep::size_of(type.scalar);
  std::vector<std::uint64_t> values(constant.values.size() / size);
  for (std::size_t i = 0; i < constant.values.size(); ++i) {
    values[i / size] |= constant.values[i] << (8 * (i % size));
  }
  for (std::uint64_t& value : values) {
    value = ops::bits_as(type.scalar, value);
  }
  constant.values = std::move(values);
  constant.type = type;
}

}  // namespace

void fold_records(Unit& unit) {
  const auto is_structure = [](const auto& named) { return named.second.type && named.second.type->record != nullptr; };
  if (unit.views.empty() && std::ranges::none_of(unit.types, is_structure)) {
    return;
  }
  const RecordWords words(unit);
  for (Constant& constant : unit.program.constants) {
    if (constant.type.record != nullptr) {
      fold_constant(words, constant);
    }
  }
  for (Function& function : unit.program.functions) {
    function = RecordFolder(unit, words, function).run();
  }
}

}  // namespace lockstep::core::sema
