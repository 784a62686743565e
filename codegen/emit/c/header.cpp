#include "codegen/emit/c/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_c {

using namespace infreg;

namespace {

/// Words that are no names in C or C++ (C17, C++23 and their alternative tokens).
constexpr auto keywords = std::to_array<std::string_view>(
    {"alignas",  "alignof",  "and",       "and_eq",    "asm",          "auto",       "bitand",       "bitor",         "bool",
     "break",    "case",     "catch",     "char",      "char8_t",      "char16_t",   "char32_t",     "class",         "compl",
     "concept",  "const",    "consteval", "constexpr", "constinit",    "const_cast", "continue",     "co_await",      "co_return",
     "co_yield", "decltype", "default",   "delete",    "do",           "double",     "dynamic_cast", "else",          "enum",
     "explicit", "export",   "extern",    "false",     "float",        "for",        "friend",       "goto",          "if",
     "inline",   "int",      "long",      "mutable",   "namespace",    "new",        "noexcept",     "not",           "not_eq",
     "nullptr",  "operator", "or",        "or_eq",     "private",      "protected",  "public",       "register",      "reinterpret_cast",
     "requires", "restrict", "return",    "short",     "signed",       "sizeof",     "static",       "static_assert", "static_cast",
     "struct",   "switch",   "template",  "this",      "thread_local", "throw",      "true",         "try",           "typedef",
     "typeid",   "typename", "typeof",    "union",     "unsigned",     "using",      "virtual",      "void",          "volatile",
     "wchar_t",  "while",    "xor",       "xor_eq"});

/// What the three headers define as macros, or compilers before anything is read, and no rule of is_c_name covers.
constexpr auto macros = std::to_array<std::string_view>({"NULL", "linux", "offsetof", "unix", "unreachable"});

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// C17, 7.1.3: reserved for any use.
bool is_reserved(std::string_view name) {
  return name.size() > 1 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

/// The types of <stddef.h> and <stdint.h>, and their macros of limits and constants, with all names that later headers may add in that
/// manner (C17, 7.31.12; POSIX: names that end in _t).
bool is_of_the_headers(std::string_view name) {
  constexpr auto endings = std::to_array<std::string_view>({"_t", "_C", "_MAX", "_MIN", "_WIDTH"});
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); }) ||
         std::ranges::find(macros, name) != macros.end();
}

constexpr std::string_view last_parameter = "num_groups";

}  // namespace

bool is_c_name(std::string_view name) {
  const auto is_part = [](char c) { return is_letter(c) || c == '_' || (c >= '0' && c <= '9'); };
  return !name.empty() && (is_letter(name.front()) || name.front() == '_') && std::ranges::all_of(name, is_part) &&
         std::ranges::find(keywords, name) == keywords.end() && !is_reserved(name) && !is_of_the_headers(name);
}

bool may_be_macro(std::string_view name) {
  return name.size() > 1 && std::ranges::any_of(name, [](char c) { return c >= 'A' && c <= 'Z'; }) &&
         std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

std::string_view c_type(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return "bool";
    case ScalarType::Char:
      return "int8_t";
    case ScalarType::UChar:
      return "uint8_t";
    case ScalarType::Short:
      return "int16_t";
    case ScalarType::UShort:
      return "uint16_t";
    case ScalarType::Int:
      return "int32_t";
    case ScalarType::UInt:
      return "uint32_t";
    case ScalarType::Long:
      return "int64_t";
    case ScalarType::ULong:
      return "uint64_t";
    case ScalarType::Float:
      return "float";
    case ScalarType::Double:
      return "double";
  }
  throw InternalError("no scalar type");
}

std::string c_name(const std::string& name) {
  if (is_c_name(name)) {
    return name;
  }
  std::string result = name;
  std::ranges::replace_if(result, [](char c) { return !is_c_name(std::string("x") + c + "x"); }, '_');
  return is_c_name(result) ? result : result + "_";
}

namespace {

/// Which arrays may overlap, as sentences behind another one.
std::string sharing(const Kernel& kernel) {
  std::string alone;
  for (const Parameter& parameter : kernel.parameters) {
    alone += parameter.is_restrict ? (alone.empty() ? "" : ", ") + parameter.name : "";
  }
  return "\n   Arrays of one type may overlap, those of different types must not where one of them is written." +
         (alone.empty() ? "" : "\n   Restrict, so that it shares with no other array what either writes: " + alone + ".");
}

}  // namespace

std::string c_header(const Kernel& kernel, const std::string& name, std::string_view manner) {
  std::string parameters;
  for (const Parameter& parameter : kernel.parameters) {
    const bool has_name = is_c_name(parameter.name) && !may_be_macro(parameter.name) && parameter.name != last_parameter;
    parameters += fmt::format("{}{} {}{}, ", parameter.is_pointer && parameter.is_const ? "const " : "", c_type(parameter.scalar),
                              parameter.is_pointer ? "*" : "", has_name ? parameter.name : "");
  }
  const auto number_of_pointers = std::ranges::count_if(kernel.parameters, &Parameter::is_pointer);
  const std::string symbol = name == kernel.name ? "" : fmt::format(" __asm__(\"{}\")", kernel.name);
  return fmt::format(
      "#pragma once\n"
      "/* {0}: runs num_groups work groups of {1} items, {5}.{6} */\n"
      "#include <stdbool.h>\n"
      "#include <stddef.h>\n"
      "#include <stdint.h>\n"
      "\n"
      "#ifdef __cplusplus\n"
      "extern \"C\"\n"
      "#endif\n"
      "void {0}({2}size_t {4}){3};\n",
      name, kernel.shape.wg_size, parameters, symbol, last_parameter, manner, number_of_pointers > 1 ? sharing(kernel) : "");
}

}  // namespace lockstep::emit_c
