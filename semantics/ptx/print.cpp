#include "semantics/ptx/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace lockstep::ptx {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

using Out = std::back_insert_iterator<std::string>;

/// Appends to a text.
class Printer {
 public:
  explicit Printer(std::string& text) : text_(text), out_(text) {}

  void number(const Number& number) {
    switch (number.kind) {
      case Number::Kind::Single:
        fmt::format_to(out_, "0f{:08X}", number.bits);
        break;
      case Number::Kind::Double:
        fmt::format_to(out_, "0d{:016X}", number.bits);
        break;
      case Number::Kind::Unsigned:
        fmt::format_to(out_, "{}U", number.bits);
        break;
      case Number::Kind::Signed: {
        const auto value = static_cast<std::int64_t>(number.bits);
        // The smallest number has no literal that is signed.
        value == INT64_MIN ? add("(.s64)0x8000000000000000") : static_cast<void>(fmt::format_to(out_, "{}", value));
        break;
      }
    }
  }

  void offset(std::int64_t offset) {
    if (offset > 0) {
      fmt::format_to(out_, "+{}", offset);
    } else if (offset < 0) {
      fmt::format_to(out_, "-{}", -static_cast<std::uint64_t>(offset));
    }
  }

  void name(const Name& name) {
    add(name.negated ? "!" : name.minus ? "-" : "");
    add(name.text);
    if (name.element) {
      fmt::format_to(out_, "[{}]", *name.element);
    }
    offset(name.offset);
  }

  void scalar(const Scalar& scalar) {
    std::visit(Overloaded{[&](const Name& operand) { name(operand); }, [&](const Immediate& operand) { number(operand.number); },
                          [&](const Sink&) { add("_"); }},
               scalar);
  }

  template <class List, class Print>
  void list(const List& items, Print print) {
    bool first = true;
    for (const auto& item : items) {
      add(first ? "" : ", ");
      print(item);
      first = false;
    }
  }

  void vector(const Vector& vector) {
    add("{");
    list(vector.elements, [&](const Scalar& element) { scalar(element); });
    add("}");
  }

  void address(const Address& address) {
    add("[");
    std::visit(Overloaded{[&](const Name& base) { name(base); }, [&](const Immediate& base) { number(base.number); }}, address.base);
    for (const auto& more : address.more) {
      add(", ");
      std::visit(Overloaded{[&](const Scalar& operand) { scalar(operand); }, [&](const Vector& operand) { vector(operand); }}, more);
    }
    add("]");
  }

  void call(const CallOperand& call) {
    const auto scalars = [&](const std::vector<Scalar>& operands) {
      add("(");
      list(operands, [&](const Scalar& operand) { scalar(operand); });
      add(")");
    };
    if (!call.results.empty()) {
      scalars(call.results);
      add(", ");
    }
    name(call.callee);
    if (!call.arguments.empty()) {
      add(", ");
      scalars(call.arguments);
    }
    if (call.prototype) {
      add(", ");
      name(*call.prototype);
    }
  }

  void operand(const Operand& operand) {
    std::visit(
        Overloaded{[](const Absent&) {}, [&](const Name& value) { name(value); }, [&](const Immediate& value) { number(value.number); },
                   [&](const Sink&) { add("_"); }, [&](const Vector& value) { vector(value); },
                   [&](const Address& value) { address(value); }, [&](const CallOperand& value) { call(value); }},
        operand);
  }

  void mnemonic(Form form, const Modifiers& modifiers, const Types& types) {
    const FormInfo& row = info(form);
    add(row.mnemonic);
    const auto add_types = [&] {
      for (const Type type : types) {
        fmt::format_to(out_, ".{}", info(type).text);
      }
    };
    std::size_t next = 0;
    for (std::size_t i = 0; i < row.modifiers.size(); ++i) {
      if (i == row.types_behind) {
        add_types();
      }
      // Modifiers are in the order of their slots, so each is of the next slot that has it.
      const auto& words = row.modifiers[i].words;
      if (next < modifiers.size() && std::ranges::find(words, modifiers[next]) != words.end()) {
        fmt::format_to(out_, ".{}", info(modifiers[next++]).text);
      }
    }
    if (row.types_behind == row.modifiers.size()) {
      add_types();
    }
  }

  void instruction(const Instruction& instruction) {
    if (instruction.guard) {
      add("@");
      name(instruction.guard->predicate);
      add(" ");
    }
    mnemonic(instruction.form, instruction.modifiers, instruction.types);
    const auto& shapes = info(instruction.form).operands;
    bool first = true;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      if (std::holds_alternative<Absent>(instruction.operands[i])) {
        continue;
      }
      const bool bar = i < shapes.size() && shapes[i].behind_bar;
      add(first ? " " : bar ? "|" : ", ");
      operand(instruction.operands[i]);
      first = false;
    }
    add(";");
  }

  void initial(const InitialValue& value) {
    if (const auto* plain = std::get_if<Number>(&value)) {
      number(*plain);
      return;
    }
    const auto& symbol = std::get<SymbolValue>(value);
    if (symbol.mask) {
      fmt::format_to(out_, "0x{:x}(", *symbol.mask);
    }
    add(symbol.generic ? "generic(" : "");
    add(symbol.name);
    add(symbol.generic ? ")" : "");
    offset(symbol.offset);
    add(symbol.mask ? ")" : "");
  }

  /// The items from `at` on that belong to `elements` elements from `begin` on, in braces. Elements that are left out at the end of a
  /// row are left out again, and those in front of values are what ends a row early, so that both read back alike.
  void values(const Initialiser& list, std::size_t& at, const std::vector<std::uint64_t>& sizes, std::size_t level, std::uint64_t begin,
              std::uint64_t end) {
    std::uint64_t step = 1;
    for (std::size_t i = level + 1; i < sizes.size(); ++i) {
      step *= std::max<std::uint64_t>(sizes[i], 1);
    }
    add("{");
    bool first = true;
    std::uint64_t element = begin;
    while (at < list.items.size() && list.items[at].element < end) {
      add(first ? "" : ", ");
      first = false;
      if (step == 1) {
        initial(list.items[at++].value);
      } else {
        values(list, at, sizes, level + 1, element, element + step);
      }
      element += step;
    }
    add("}");
  }

  void type_and_name(const Variable& variable) {
    fmt::format_to(out_, ".{}", text_of(variable.space));
    if (variable.bank != 0) {
      fmt::format_to(out_, "[{}]", variable.bank);
    }
    if (!variable.attributes.empty()) {
      add(" ");
      attributes(variable.attributes);
    }
    if (variable.align) {
      fmt::format_to(out_, " .align {}", *variable.align);
    }
    if (variable.vector > 1) {
      fmt::format_to(out_, " .v{}", variable.vector);
    }
    fmt::format_to(out_, " .{}", info(variable.type).text);
    if (variable.pointer) {
      add(" .ptr");
      if (variable.pointer->space != Space::Generic) {
        fmt::format_to(out_, " .{}", text_of(variable.pointer->space));
      }
      if (variable.pointer->align != 0) {
        fmt::format_to(out_, " .align {}", variable.pointer->align);
      }
    }
    add(variable.name.empty() ? "" : " ");
    add(variable.name);
    if (variable.range) {
      fmt::format_to(out_, "<{}>", *variable.range);
    }
    for (const std::uint64_t size : variable.dimensions) {
      add(size == 0 ? "[]" : fmt::format("[{}]", size));
    }
  }

  void variable(const Variable& variable) {
    linkage(variable.linkage);
    type_and_name(variable);
    if (variable.initialiser) {
      add(" = ");
      std::vector<std::uint64_t> sizes = variable.dimensions;
      if (variable.vector > 1) {
        sizes.push_back(variable.vector);
      }
      if (sizes.empty()) {
        initial(variable.initialiser->items.at(0).value);
      } else {
        std::size_t at = 0;
        values(*variable.initialiser, at, sizes, 0, 0, UINT64_MAX);
      }
    }
    add(";");
  }

  void linkage(Linkage linkage) {
    constexpr std::array<std::string_view, 5> words = {"", ".visible ", ".extern ", ".weak ", ".common "};
    add(words[static_cast<std::size_t>(linkage)]);
  }

  void attributes(const std::vector<std::string>& words) {
    if (!words.empty()) {
      add(".attribute(");
      list(words, [&](const std::string& attribute) { fmt::format_to(out_, ".{}", attribute); });
      add(")");
    }
  }

  void parameters(const std::vector<Variable>& parameters) {
    add("(");
    list(parameters, [&](const Variable& parameter) { type_and_name(parameter); });
    add(")");
  }

  void pragma(const Pragma& pragma) {
    add(".pragma ");
    list(pragma.texts, [&](const std::string& text) { fmt::format_to(out_, "\"{}\"", text); });
    add(";");
  }

  void loc(const Loc& loc) {
    fmt::format_to(out_, ".loc {} {} {}", loc.file, loc.line, loc.column);
    if (loc.inlined_at) {
      if (loc.inlined_at->function) {
        fmt::format_to(out_, ", function_name {}", *loc.inlined_at->function);
        offset(loc.inlined_at->function_offset);
      }
      fmt::format_to(out_, ", inlined_at {} {} {}", loc.inlined_at->file, loc.inlined_at->line, loc.inlined_at->column);
    }
    for (const std::string& flag : loc.flags) {
      fmt::format_to(out_, " {}", flag);
    }
  }

  void prototype(const Prototype& prototype) {
    fmt::format_to(out_, "{}: .callprototype ", prototype.name);
    if (!prototype.signature.results.empty()) {
      parameters(prototype.signature.results);
      add(" ");
    }
    add("_ ");
    parameters(prototype.signature.parameters);
    add(prototype.signature.noreturn ? " .noreturn;" : ";");
  }

  void statement(const Statement& statement) {
    std::visit(Overloaded{[&](const Instruction& node) { instruction(node); },
                          [&](const Label& node) { fmt::format_to(out_, "{}:", node.name); }, [&](const Variable& node) { variable(node); },
                          [&](const Loc& node) { loc(node); }, [&](const Pragma& node) { pragma(node); },
                          [&](const TargetList& node) {
                            fmt::format_to(out_, "{}: {} ", node.name, node.calls ? ".calltargets" : ".branchtargets");
                            list(node.targets, [&](const Name& target) { name(target); });
                            add(";");
                          },
                          [&](const Prototype& node) { prototype(node); }, [&](const BlockBegin&) { add("{"); },
                          [&](const BlockEnd&) { add("}"); }},
               statement);
  }

  void body(const std::vector<Statement>& body) {
    std::size_t depth = 1;
    add("{\n");
    for (const Statement& node : body) {
      depth -= std::holds_alternative<BlockEnd>(node) ? 1U : 0U;
      // Deep blocks are not indented without bound.
      const bool outdented = std::holds_alternative<Label>(node);
      text_.append(outdented ? 0 : 2 * std::min<std::size_t>(depth, 16), ' ');
      statement(node);
      add("\n");
      depth += std::holds_alternative<BlockBegin>(node) ? 1U : 0U;
    }
    add("}");
  }

  void function(const Function& function) {
    linkage(function.linkage);
    add(function.entry ? ".entry " : ".func ");
    attributes(function.attributes);
    add(function.attributes.empty() ? "" : " ");
    if (!function.signature.results.empty()) {
      parameters(function.signature.results);
      add(" ");
    }
    add(function.name);
    parameters(function.signature.parameters);
    for (const PerformanceDirective& directive : function.directives) {
      fmt::format_to(out_, "\n.{} ", directive.word);
      list(directive.numbers, [&](std::uint64_t value) { fmt::format_to(out_, "{}", value); });
    }
    add(function.signature.noreturn ? "\n.noreturn" : "");
    if (function.has_body) {
      add("\n");
      body(function.body);
    } else {
      add(";");
    }
  }

  void item(const Item& item) {
    std::visit(Overloaded{[&](const Variable& node) { variable(node); }, [&](const Function& node) { function(node); },
                          [&](const File& node) {
                            fmt::format_to(out_, ".file {} \"{}\"", node.number, node.name);
                            for (const std::uint64_t more : node.more) {
                              fmt::format_to(out_, ", {}", more);
                            }
                          },
                          [&](const Pragma& node) { pragma(node); },
                          [&](const Alias& node) { fmt::format_to(out_, ".alias {}, {};", node.name.text, node.aliasee.text); }},
               item);
  }

 private:
  void add(std::string_view text) { text_ += text; }

  std::string& text_;
  Out out_;
};

}  // namespace

std::string print(const Instruction& instruction) {
  std::string text;
  Printer(text).instruction(instruction);
  return text;
}

std::string print_mnemonic(Form form, const Modifiers& modifiers, const Types& types) {
  std::string text;
  Printer(text).mnemonic(form, modifiers, types);
  return text;
}

std::string print_mnemonic(const Instruction& instruction) {
  return print_mnemonic(instruction.form, instruction.modifiers, instruction.types);
}

std::string print(const Item& item) {
  std::string text;
  Printer(text).item(item);
  return text;
}

std::string print(const Module& module) {
  std::string text = fmt::format(".version {}.{}\n", module.major, module.minor);
  if (!module.target.empty()) {
    text += fmt::format(".target {}\n", fmt::join(module.target, ", "));
  }
  text += fmt::format(".address_size {}\n", module.address_size);
  Printer printer(text);
  for (const Item& item : module.items) {
    text += "\n";
    printer.item(item);
    text += "\n";
  }
  return text;
}

}  // namespace lockstep::ptx
