#include "differential/compare/kernel.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "semantics/core/record.hpp"
#include "semantics/core/translate.hpp"

namespace lockstep::differential {
namespace {

/// Structures of more numbers are given and shown by their words.
constexpr std::size_t most_members = 4096;

/// The numbers of something in a structure, in their order.
void add_members(const core::Type& type, const std::string& name, std::uint64_t offset, std::vector<launch::StructureMember>& members) {
  if (members.size() > most_members) {
    return;
  }
  if (!type.is_array()) {
    members.push_back({name, type.scalar, offset});
    return;
  }
  if (type.is_record()) {
    for (const core::Member& member : type.record->members) {
      add_members(member.type, name + (name.empty() ? "" : ".") + member.name, offset + member.offset, members);
    }
    return;
  }
  core::Type part = type;
  part.extents.erase(part.extents.begin());
  part.kind = part.extents.empty() ? core::Type::Kind::Scalar : core::Type::Kind::Array;
  const std::uint64_t count = type.is_vector() ? type.components : type.extents.front();
  const std::size_t inner = part.extents.size() - (part.record != nullptr ? 1 : 0);
  const std::uint64_t bytes =
      (part.record != nullptr ? part.record->size : size_of(part.scalar)) * core::product(std::span(part.extents).first(inner));
  for (std::uint64_t k = 0; k < count && members.size() <= most_members; ++k) {
    add_members(part, name + "[" + std::to_string(k) + "]", offset + k * bytes, members);
  }
}

}  // namespace

LoadedKernel load(const core::Program& program, const core::Function& kernel) {
  LoadedKernel loaded{
      std::make_shared<const typed::Program>(core::translate(program, kernel)), {}, {}, program.options.wg_shape, kernel.group_parameters};
  for (std::size_t i = 0; i < kernel.parameter_count; ++i) {
    const core::Type& type = kernel.variables[i].type;
    loaded.writable.push_back(type.is_pointer() && type.space == AddressSpace::Global && !type.is_const);
    loaded.restricted.push_back(kernel.variables[i].is_restrict);
  }
  for (const core::WrittenParameter& parameter : kernel.written_parameters) {
    launch::WrittenParameter written{parameter.name, parameter.first, {}, parameter.bytes};
    for (std::size_t k = 0; k < parameter.offsets.size(); ++k) {
      const core::Type& type = kernel.variables[parameter.first + k].type;
      written.pieces.push_back({parameter.offsets[k], type.is_pointer() ? unsigned{sizeof(std::uint64_t)} : size_of(type.scalar)});
    }
    if (const core::Type& type = kernel.variables[parameter.first].type; type.is_pointer()) {
      const auto structure = std::ranges::find(kernel.structure_parameters, parameter.first, &core::StructureParameter::variable);
      written.element_bytes = structure == kernel.structure_parameters.end() ? size_of(type.scalar) : structure->record->size;
    }
    loaded.written_parameters.push_back(std::move(written));
  }
  for (const core::LocalParameter& parameter : kernel.local_parameters) {
    const auto at = loaded.written_parameters.begin() + static_cast<std::ptrdiff_t>(parameter.position);
    loaded.written_parameters.insert(at, {parameter.name, 0, {}, 0, parameter.unit, true});
  }
  for (const core::StructureParameter& parameter : kernel.structure_parameters) {
    launch::Structure structure{parameter.variable, parameter.record->size, {}};
    const std::uint64_t members = parameter.record->members.size();
    core::Type type{core::Type::Kind::Array, ScalarType::UChar, AddressSpace::Private, false, {members}};
    type.record = parameter.record;
    add_members(type, "", 0, structure.members);
    if (structure.members.size() <= most_members) {
      loaded.structures.push_back(std::move(structure));
    }
  }
  return loaded;
}

}  // namespace lockstep::differential
