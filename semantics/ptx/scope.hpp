#pragma once
// What names mean at a place of a function: its blocks' registers, variables and labels, then the module's variables and functions.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "semantics/ptx/resolve.hpp"

namespace lockstep::ptx {

/// A declaration of registers that a name is of.
struct RegisterName {
  const Variable* declaration = nullptr;
  std::vector<std::uint32_t> numbers;  ///< in the function; one for each component
};

struct LabelName {
  std::uint32_t instruction = 0;
};

using Meaning = std::variant<RegisterName, resolved::VariableRef, resolved::FunctionRef, LabelName, const TargetList*, const Prototype*>;

/// A name and where it is declared.
struct Named {
  Meaning meaning;
  SourceSpan place;
};

/// The names of one block.
class Scope {
 public:
  /// The earlier declaration of the same name; nullptr if there was none and it is declared now.
  const Named* declare(std::string_view name, const Named& named);

  /// `%r<5>`: the names %r0 to %r4.
  void declare_range(const Variable& declaration);

  /// What the name is in this block; nullptr if it is none of its names. Registers get numbers of `function` when they are first asked for.
  const Named* find(std::string_view name, resolved::Function& function);

  /// The range that the name is in; nullptr if it is in none.
  const Variable* range_of(std::string_view name) const;

  /// A range that the name begins like.
  const Variable* near_range(std::string_view name) const;

  void add_names(std::vector<std::string_view>& names) const;

 private:
  /// Lets a text be looked up without a copy of it.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  std::unordered_map<std::string, Named, Hash, std::equal_to<>> names_;
  std::vector<const Variable*> ranges_;
};

/// Registers of a declaration in the function: one, or as many as the vector has components, of which each has a name.
std::vector<std::uint32_t> new_registers(resolved::Function& function, const Variable& declaration, std::string_view name);

}  // namespace lockstep::ptx
