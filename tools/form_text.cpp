#include "tools/form_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tools/pages.hpp"

namespace lockstep::tools {

using namespace ptx;

namespace {

template <class Word>
std::string alternatives(const std::vector<Word>& words) {
  std::string out;
  for (const Word word : words) {
    out += fmt::format("{}.{}", out.empty() ? "" : "|", info(word).text);
  }
  return out;
}

std::string slot_text(const ModifierSlot& slot) {
  const std::string words = alternatives(slot.words);
  return slot.optional ? fmt::format("{{{}}}", words) : slot.words.size() > 1 ? fmt::format("({})", words) : words;
}

std::string types_of(const std::vector<TypeSlot>& slots) {
  std::string out;
  for (const TypeSlot& slot : slots) {
    out += slot.types.size() > 1 ? fmt::format("({})", alternatives(slot.types)) : alternatives(slot.types);
  }
  return out;
}

bool written_out(const OperandShape& shape) { return shape.role != OperandRole::FlagIn && shape.role != OperandRole::FlagOut; }

/// A name for each operand: d and p for results, a, b, c … for what is read.
std::vector<std::string> operand_names(const FormInfo& row) {
  std::vector<std::string> names;
  char next = 'a';
  for (const OperandShape& shape : row.operands) {
    switch (shape.role) {
      case OperandRole::Written:
        names.emplace_back(shape.behind_bar ? "p" : "d");
        break;
      case OperandRole::FlagIn:
      case OperandRole::FlagOut:
        names.emplace_back("carry flag");
        break;
      case OperandRole::Rest:
        names.emplace_back("...");
        break;
      case OperandRole::Label:
        names.emplace_back("label");
        break;
      case OperandRole::Targets:
        names.emplace_back("targets");
        break;
      case OperandRole::Callee:
        names.emplace_back("(results), function, (arguments), prototype");
        break;
      case OperandRole::Address:
        names.push_back(fmt::format("[{}]", next));
        ++next;
        break;
      default:
        names.emplace_back(1, next);
        next = next == 'c' ? 'e' : static_cast<char>(next + 1);  // d is the result
        break;
    }
  }
  return names;
}

std::string operands_of(const FormInfo& row) {
  std::string out;
  const std::vector<std::string> names = operand_names(row);
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    const OperandShape& shape = row.operands[i];
    if (!written_out(shape)) {
      continue;
    }
    const std::string separator = out.empty() ? " " : shape.behind_bar ? "|" : ", ";
    out += shape.optional ? fmt::format("{{{}{}}}", separator, names[i]) : separator + names[i];
  }
  return out;
}

std::string type_text(const FormInfo& row, const OperandShape& shape) {
  constexpr std::string_view ordinals[] = {"first", "second", "third", "fourth"};
  std::string slot =
      row.types.front().size() == 1 ? "the type" : fmt::format("the {} type", ordinals[std::min<std::size_t>(shape.type.slot, 3)]);
  switch (shape.type.source) {
    case OperandType::Source::None:
      return "";
    case OperandType::Source::Slot:
      return slot;
    case OperandType::Source::TwiceSlot:
      return "twice as wide as " + slot;
    case OperandType::Source::Fixed:
      return fmt::format("`.{}`", info(shape.type.fixed).text);
  }
  return "";
}

std::string_view role_text(OperandRole role) {
  switch (role) {
    case OperandRole::Written:
      return "written";
    case OperandRole::Read:
      return "read";
    case OperandRole::Address:
      return "an address: a register, a variable or a number, plus an offset";
    case OperandRole::Number:
      return "a number";
    case OperandRole::Predicate:
      return "read, may be negated";
    case OperandRole::Label:
      return "where to go on";
    case OperandRole::Targets:
      return "the name of a `.branchtargets`";
    case OperandRole::Callee:
      return "what is called and passed";
    case OperandRole::FlagIn:
      return "read; it does not stand in the text";
    case OperandRole::FlagOut:
      return "written; it does not stand in the text";
    case OperandRole::Rest:
      return "not looked at";
  }
  return "";
}

std::string operand_table(const FormInfo& row) {
  if (row.operands.empty()) {
    return "";
  }
  std::string out = "\n| operand | is | type |\n|---|---|---|\n";
  const std::vector<std::string> names = operand_names(row);
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    const OperandShape& shape = row.operands[i];
    std::string is(role_text(shape.role));
    is += shape.optional ? ", may be left out" : "";
    is += shape.vector ? ", in braces as many as a vector modifier says" : "";
    is += shape.packed ? ", may be the parts of the whole in braces" : "";
    is += shape.wider ? ", a register may be wider" : "";
    out += fmt::format("| {} | {} | {} |\n", names[i], is, type_text(row, shape));
  }
  return out;
}

std::string row_section(const FormInfo& row) {
  std::string out = fmt::format("\n## {}\n\n{}{}\n\n```text\n{}\n```\n", row.id, row.sentence,
                                row.runs() ? "" : " It is read, and does not run.", form_syntax(row));
  out += operand_table(row);
  if (!specified_text(row.specified).empty()) {
    out += fmt::format("\n{}\n", specified_text(row.specified));
  }
  if (row.kind == Kind::Compute) {
    out += fmt::format("\nWhat computes it: `{}` in [semantics/ptx/operations](../../semantics/ptx/operations).\n", row.function);
  }
  return out;
}

}  // namespace

std::string form_syntax(const FormInfo& row) {
  std::string out;
  for (const auto& alternative : row.types) {
    out += fmt::format("{}{}", out.empty() ? "" : "\n", row.mnemonic);
    for (std::size_t i = 0; i < row.modifiers.size(); ++i) {
      out += i == row.types_behind ? types_of(alternative) : "";
      out += slot_text(row.modifiers[i]);
    }
    out += row.types_behind == row.modifiers.size() ? types_of(alternative) : "";
    out += operands_of(row) + ";";
  }
  return out;
}

std::string_view specified_text(Specified specified) {
  switch (specified) {
    case Specified::Always:
      return "";
    case Specified::Never:
      return "PTX leaves the last bits of the result open: here it is correctly rounded, and *unspecified*.";
    case Specified::IfRounded:
      return "Without a rounding modifier it may be contracted with its neighbours: here it is not, and its result is *unspecified*.";
    case Specified::DivisorNotZero:
      return "Where the divisor is 0, PTX leaves the result open: here it is a fixed number, and *unspecified*.";
  }
  return "";
}

std::string form_page(std::string_view mnemonic, const std::vector<std::string>& cases) {
  std::string out = fmt::format("{}# {}\n", page_mark("forms --markdown"), mnemonic);
  for (const FormInfo* row : forms_of(mnemonic)) {
    out += row_section(*row);
  }
  if (!cases.empty()) {
    out += "\n## Cases\n\n";
    for (const std::string& path : cases) {
      out += fmt::format("- [{0}](../../{0})\n", path);
    }
  }
  return out;
}

std::string form_index() {
  std::string out = fmt::format(
      "{}# The instructions of PTX\n\nOne page for each mnemonic, from the table [semantics/ptx/forms.def](../../semantics/ptx/forms.def). "
      "In "
      "what is written, `{{…}}` may be left out,\n`|` is between alternatives, and modifiers may stand in any order. What does not run is "
      "read "
      "and checked.\n\n| instruction | does | runs |\n|---|---|---|\n",
      page_mark("forms --markdown"));
  for (const std::string_view mnemonic : mnemonics()) {
    const auto rows = forms_of(mnemonic);
    const auto running = std::ranges::count_if(rows, [](const FormInfo* row) { return row->runs(); });
    const std::string_view runs = running == 0 ? "no" : static_cast<std::size_t>(running) == rows.size() ? "yes" : "in part";
    out += fmt::format("| [{0}]({0}.md) | {1} | {2} |\n", mnemonic, rows.front()->sentence, runs);
  }
  return out;
}

}  // namespace lockstep::tools
