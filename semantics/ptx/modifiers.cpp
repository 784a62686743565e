#include "semantics/ptx/modifiers.hpp"

#include <unordered_map>

namespace lockstep::ptx {

std::optional<Modifier> modifier_named(std::string_view word) {
  static const auto by_text = [] {
    std::unordered_map<std::string_view, Modifier> modifiers;
    for (const ModifierInfo& row : modifier_table) {
      modifiers.emplace(row.text, row.modifier);
    }
    return modifiers;
  }();
  const auto found = by_text.find(word);
  return found == by_text.end() ? std::nullopt : std::optional(found->second);
}

Space space_of(const Modifiers& modifiers) {
  switch (modifiers.of(ModifierGroup::Space).value_or(Modifier::Rn)) {
    case Modifier::SpaceConst:
      return Space::Const;
    case Modifier::SpaceGlobal:
      return Space::Global;
    case Modifier::SpaceLocal:
      return Space::Local;
    case Modifier::SpaceParam:
    case Modifier::SpaceParamEntry:
    case Modifier::SpaceParamFunc:
      return Space::Param;
    case Modifier::SpaceShared:
    case Modifier::SpaceSharedCta:
    case Modifier::SpaceSharedCluster:
      return Space::Shared;
    default:
      return Space::Generic;
  }
}

std::uint32_t vector_size(const Modifiers& modifiers) {
  switch (modifiers.of(ModifierGroup::Vector).value_or(Modifier::Rn)) {
    case Modifier::V2:
      return 2;
    case Modifier::V4:
      return 4;
    case Modifier::V8:
      return 8;
    case Modifier::V16:
      return 16;
    default:
      return 1;
  }
}

}  // namespace lockstep::ptx
