#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "codegen/emit/llvm/emit.hpp"
#include "codegen/emit/llvm/names.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_llvm {

using namespace infreg;

namespace {

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

constexpr std::string_view last_parameter = "num_groups";

/// A name that C and C++ take, as near to the kernel's as can be.
std::string c_name(const std::string& name) {
  if (is_c_name(name)) {
    return name;
  }
  std::string result = name;
  std::ranges::replace_if(result, [](char c) { return !is_c_name(std::string("x") + c + "x"); }, '_');
  return is_c_name(result) ? result : result + "_";
}

}  // namespace

std::string c_header(const Kernel& kernel) {
  std::string parameters;
  for (const Parameter& parameter : kernel.parameters) {
    const bool has_name = is_c_name(parameter.name) && parameter.name != last_parameter;
    parameters += fmt::format("{}{} {}{}, ", parameter.is_pointer && parameter.is_const ? "const " : "", c_type(parameter.scalar),
                              parameter.is_pointer ? "*" : "", has_name ? parameter.name : "");
  }
  const std::string name = c_name(kernel.name);
  const std::string symbol = name == kernel.name ? "" : fmt::format(" __asm__(\"{}\")", kernel.name);
  return fmt::format(
      "#pragma once\n"
      "/* {0}: runs num_groups work groups of {1} items, one after the other, on the calling thread. */\n"
      "#include <stdbool.h>\n"
      "#include <stddef.h>\n"
      "#include <stdint.h>\n"
      "\n"
      "#ifdef __cplusplus\n"
      "extern \"C\"\n"
      "#endif\n"
      "void {0}({2}size_t {4}){3};\n",
      name, kernel.shape.wg_size, parameters, symbol, last_parameter);
}

}  // namespace lockstep::emit_llvm
