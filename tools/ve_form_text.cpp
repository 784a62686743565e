#include "tools/ve_form_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "tools/pages.hpp"

namespace lockstep::tools {

namespace {

std::string_view text_of(ve::Class c) {
  switch (c) {
    case ve::Class::Scalar:
      return "Scalar instructions";
    case ve::Class::Memory:
      return "Scalar instructions that access memory";
    case ve::Class::Control:
      return "Control";
    case ve::Class::VectorMove:
      return "Elements that are moved";
    case ve::Class::VectorInteger:
      return "Integers and bits, element by element";
    case ve::Class::VectorFloat:
      return "Floats, element by element";
    case ve::Class::VectorDivide:
      return "Quotients and square roots, element by element";
    case ve::Class::Reduction:
      return "Reductions";
    case ve::Class::Mask:
      return "Masks";
    case ve::Class::VectorLoad:
      return "Vector loads";
    case ve::Class::VectorStore:
      return "Vector stores";
    case ve::Class::Gather:
      return "Gathers";
    case ve::Class::Scatter:
      return "Scatters";
  }
  return "";
}

/// "Binary<F64, Add>", without the parentheses that the table needs.
std::string_view function_text(std::string_view function) {
  return function.starts_with('(') && function.ends_with(')') ? function.substr(1, function.size() - 2) : function;
}

/// What an instruction has, by the letters of the table.
std::string operands_text(std::string_view operands) {
  std::vector<std::string_view> parts;
  for (const char role : operands) {
    parts.emplace_back(role == '='   ? "result"
                       : role == 's' ? "operand"
                       : role == 'c' ? "condition or rounding"
                       : role == 'o' ? "number"
                                     : "result, also read");
  }
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string ve_class_page(ve::Class c) {
  std::string out = fmt::format("{}# {}\n", page_mark("forms --machine ve --markdown"), text_of(c));
  for (const ve::RowInfo& row : ve::rows()) {
    if (row.kind_class != c) {
      continue;
    }
    out += fmt::format("\n## {} ({})\n\n{}\n\nOperands: {}.\n", row.mnemonic, row.name, row.sentence, operands_text(row.operands));
    if (!row.function.empty()) {
      out += fmt::format("\nWhat computes it: `{}` ([semantics/ve/operations.hpp](../../semantics/ve/operations.hpp)).\n",
                         function_text(row.function));
    }
  }
  return out;
}

std::string ve_index() {
  std::string out = fmt::format(
      "{}# The instructions of VE\n\nThose that the machine runs, from the tables [scalars.def](../../semantics/ve/scalars.def) and "
      "[vectors.def](../../semantics/ve/vectors.def).\nA name in capitals is LLVM's, without the shape of the operands.\n\n"
      "| class | instructions |\n|---|---|\n",
      page_mark("forms --machine ve --markdown"));
  for (std::size_t k = 0; k < ve::class_count; ++k) {
    const auto c = static_cast<ve::Class>(k);
    std::vector<std::string> names;
    for (const ve::RowInfo& row : ve::rows()) {
      if (row.kind_class == c) {
        names.push_back(fmt::format("`{}`", row.mnemonic));
      }
    }
    out += fmt::format("| [{0}]({0}.md) | {1} |\n", ve::name_of(c), fmt::join(names, " "));
  }
  return out;
}

}  // namespace lockstep::tools
