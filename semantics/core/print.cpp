#include "semantics/core/print.hpp"

#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "semantics/core/operators.hpp"

namespace lockstep::core {
namespace {

using namespace syntax;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};

Precedence tighter(Precedence precedence) { return static_cast<Precedence>(static_cast<unsigned>(precedence) + 1); }

Precedence precedence_of(const Expr& expression) {
  return std::visit(
      Overloaded{[](const Unary& node) { return info(node.op).is_postfix ? Precedence::Postfix : Precedence::Prefix; },
                 [](const Binary& node) { return info(node.op).precedence; }, [](const Assignment&) { return Precedence::Assignment; },
                 [](const Conditional&) { return Precedence::Conditional; }, [](const Comma&) { return Precedence::Comma; },
                 [](const Cast&) { return Precedence::Prefix; }, [](const SizeofType&) { return Precedence::Prefix; },
                 [](const SizeofExpr&) { return Precedence::Prefix; }, [](const auto&) { return Precedence::Postfix; }},
      expression.node);
}

/// True where an `else` behind the statement would belong to an `if` inside it.
bool takes_else(const Stmt& statement) {
  return std::visit(
      Overloaded{[](const If& node) { return node.otherwise == nullptr || takes_else(*node.otherwise); },
                 [](const While& node) { return takes_else(*node.body); }, [](const For& node) { return takes_else(*node.body); },
                 [](const Switch& node) { return takes_else(*node.body); }, [](const Hinted& node) { return takes_else(*node.body); },
                 [](const auto&) { return false; }},
      statement.node);
}

bool needs_block(const Stmt& statement) {
  return std::holds_alternative<Declaration>(statement.node) || std::holds_alternative<CaseLabel>(statement.node) ||
         std::holds_alternative<ContractPragma>(statement.node);
}

std::string character_text(std::uint64_t value) {
  const auto c = static_cast<unsigned char>(value);
  constexpr std::string_view escaped = "\a\b\f\n\r\t\v\\'";
  constexpr std::string_view letters = "abfnrtv\\'";
  if (const std::size_t found = escaped.find(static_cast<char>(c)); found != std::string_view::npos) {
    return std::string("'\\") + letters[found] + "'";
  }
  if (c >= 0x20 && c < 0x7f) {
    return std::string("'") + static_cast<char>(c) + "'";
  }
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "'\\x%02x'", static_cast<unsigned>(c));
  return text.data();
}

std::string integer_text(const IntegerLiteral& literal) {
  if (literal.is_character) {
    return character_text(literal.value);
  }
  std::array<char, 24> text{};
  const auto value = static_cast<unsigned long long>(literal.value);
  std::snprintf(text.data(), text.size(), literal.is_decimal ? "%llu" : "0x%llx", value);
  return std::string(text.data()) + (literal.is_unsigned ? "u" : "") + (literal.is_long ? "l" : "");
}

class Printer {
 public:
  void unit(const TranslationUnit& unit);
  void expression(const Expr& expression, Precedence at_least);
  std::string take() { return std::move(out_); }

 private:
  void prefix(std::string_view sign, const Expr& operand);
  void node(const Expr& whole);
  void list(const std::vector<ExprPtr>& expressions);
  void specifiers(const Specifiers& specifiers);
  void extents(const std::vector<ExprPtr>& extents);
  void type_name(const TypeName& type);
  void designators(std::span<const Designator> path);
  void initialiser(const Initialiser& initialiser);
  void layout(const Layout& layout);
  void record(const Record& record);
  void type_definition(const Typedef& definition);
  void declarator(const Declarator& declarator);
  void declaration(const Declaration& declaration);
  void pragma(const ContractPragma& pragma);
  void function(const Function& function);

  void line() { out_ += "\n" + std::string(std::size_t{2} * level_, ' '); }
  void statement(const Stmt& whole);
  void block(const Block& block);
  void block_of(const Stmt& statement);
  void condition(std::string_view word, const Expr& condition);
  bool body(const Stmt& statement);
  void if_statement(const If& node);
  void do_statement(const DoWhile& node);
  void for_statement(const For& node);

  std::string out_;
  std::unordered_map<std::string, std::string> keywords_;  ///< of structures and unions: with a blank
  unsigned level_ = 0;
};

// Expressions.

void Printer::expression(const Expr& expression, Precedence at_least) {
  const bool parenthesis = expression.parenthesised || precedence_of(expression) < at_least;
  const std::size_t pairs = expression.parenthesised_twice ? 2 : parenthesis ? 1 : 0;
  out_.append(pairs, '(');
  node(expression);
  out_.append(pairs, ')');
}

/// A sign and its operand; a blank keeps -(-x), +(++x) and &(&x) two signs.
void Printer::prefix(std::string_view sign, const Expr& operand) {
  out_ += sign;
  const std::size_t begin = out_.size();
  expression(operand, Precedence::Prefix);
  const char last = sign.back();
  if (out_[begin] == last && (last == '+' || last == '-' || last == '&')) {
    out_.insert(begin, " ");
  }
}

void Printer::list(const std::vector<ExprPtr>& expressions) {
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    out_ += i > 0 ? ", " : "";
    expression(*expressions[i], Precedence::Assignment);
  }
}

void Printer::node(const Expr& whole) {
  std::visit(Overloaded{
                 [&](const IntegerLiteral& literal) { out_ += integer_text(literal); },
                 [&](const FloatLiteral& literal) { out_ += literal.digits + (literal.is_float ? "f" : ""); },
                 [&](const BoolLiteral& literal) { out_ += literal.value ? "true" : "false"; },
                 [&](const Identifier& name) { out_ += name.name; },
                 [&](const Unary& unary) {
                   if (info(unary.op).is_postfix) {
                     const bool is_number = std::holds_alternative<IntegerLiteral>(unary.operand->node);
                     expression(*unary.operand, Precedence::Postfix);
                     out_ += (is_number ? " " : "") + std::string(info(unary.op).text);  // 0xe++ would begin with the number 0xe+
                   } else {
                     prefix(info(unary.op).text, *unary.operand);
                   }
                 },
                 [&](const Binary& binary) {
                   const BinaryInfo& row = info(binary.op);
                   expression(*binary.left, row.precedence);
                   out_ += " " + std::string(row.text) + " ";
                   expression(*binary.right, tighter(row.precedence));
                 },
                 [&](const Assignment& assignment) {
                   expression(*assignment.left, Precedence::Conditional);
                   out_ += " " + std::string(assignment.op ? info(*assignment.op).text : "") + "= ";
                   expression(*assignment.right, Precedence::Assignment);
                 },
                 [&](const Conditional& conditional) {
                   expression(*conditional.condition, Precedence::Or);
                   out_ += " ? ";
                   expression(*conditional.then, Precedence::Comma);
                   out_ += " : ";
                   expression(*conditional.otherwise, Precedence::Conditional);
                 },
                 [&](const Comma& comma) {
                   expression(*comma.left, Precedence::Comma);
                   out_ += ", ";
                   expression(*comma.right, Precedence::Assignment);
                 },
                 [&](const Subscript& subscript) {
                   expression(*subscript.base, Precedence::Postfix);
                   out_ += "[";
                   expression(*subscript.index, Precedence::Comma);
                   out_ += "]";
                 },
                 [&](const Member& member) {
                   const bool is_number = std::holds_alternative<IntegerLiteral>(member.base->node);
                   expression(*member.base, Precedence::Postfix);
                   out_ += (is_number ? " ." : ".") + member.name.text;  // 1.x would be one number
                 },
                 [&](const Call& call) {
                   out_ += (call.is_crev ? "crev " : "") + call.function.text + "(";
                   list(call.arguments);
                   out_ += ")";
                 },
                 [&](const Cast& cast) {
                   out_ += "(";
                   type_name(cast.type);
                   out_ += ")";
                   expression(*cast.operand, Precedence::Prefix);
                 },
                 [&](const SizeofType& size) {
                   out_ += "sizeof(";
                   type_name(size.type);
                   out_ += ")";
                 },
                 [&](const Offsetof& offset) {
                   out_ += "offsetof(";
                   type_name(offset.type);
                   out_ += ", " + std::get<Name>(offset.path.front()).text;
                   designators(std::span(offset.path).subspan(1));
                   out_ += ")";
                 },
                 [&](const CompoundLiteral& literal) {
                   out_ += "(";
                   type_name(literal.type);
                   out_ += ")";
                   initialiser(*literal.initialiser);
                 },
                 [&](const SizeofExpr& size) {
                   const bool is_cast = std::holds_alternative<Cast>(size.operand->node);
                   out_ += is_cast || size.operand->parenthesised ? "sizeof" : "sizeof ";
                   expression(*size.operand, is_cast ? Precedence::Postfix : Precedence::Prefix);
                 },
             },
             whole.node);
}

// Declarations.

void Printer::specifiers(const Specifiers& specifiers) {
  out_ += specifiers.is_kernel ? "kernel " : "";
  out_ += specifiers.space ? std::string(name_of(*specifiers.space)) + " " : "";
  out_ += specifiers.is_const ? "const " : "";
  if (specifiers.uniformity != Uniformity::Unspecified) {
    out_ += specifiers.uniformity == Uniformity::Uniform ? "uniform " : "varying ";
  }
  if (!specifiers.named.empty()) {
    const auto keyword = keywords_.find(specifiers.named);
    out_ += (keyword == keywords_.end() ? "" : keyword->second) + specifiers.named;
    return;
  }
  out_ += specifiers.type ? info(*specifiers.type).name : "void";
  out_ += specifiers.components > 1 ? std::to_string(specifiers.components) : "";
}

void Printer::extents(const std::vector<ExprPtr>& extents) {
  for (const ExprPtr& extent : extents) {
    out_ += "[";
    if (extent) {
      expression(*extent, Precedence::Assignment);
    }
    out_ += "]";
  }
}

void Printer::type_name(const TypeName& type) {
  specifiers(type.specifiers);
  out_ += (type.pointers > 0 ? " " : "") + std::string(type.pointers, '*');
  extents(type.extents);
}

void Printer::designators(std::span<const Designator> path) {
  for (const Designator& part : path) {
    if (const auto* name = std::get_if<Name>(&part)) {
      out_ += "." + name->text;
    } else {
      out_ += "[";
      expression(*std::get<ExprPtr>(part), Precedence::Assignment);
      out_ += "]";
    }
  }
}

void Printer::initialiser(const Initialiser& initialiser) {
  designators(initialiser.designators);
  out_ += initialiser.designators.empty() ? "" : " = ";
  if (const auto* value = std::get_if<ExprPtr>(&initialiser.value)) {
    expression(**value, Precedence::Assignment);
    return;
  }
  out_ += "{";
  std::string_view between;
  for (const Initialiser& value : std::get<std::vector<Initialiser>>(initialiser.value)) {
    out_ += between;
    this->initialiser(value);
    between = ", ";
  }
  out_ += "}";
}

/// With the blank between the specifiers and it.
void Printer::declarator(const Declarator& declarator) {
  if (declarator.pointers > 0 || !declarator.name.text.empty()) {
    out_ += " " + std::string(declarator.pointers, '*');
  }
  const char* const end = declarator.name.text.empty() ? "" : " ";
  if (declarator.is_const) {
    out_ += std::string("const") + (declarator.is_restrict ? " " : end);
  }
  if (declarator.is_restrict) {
    out_ += std::string("restrict") + end;
  }
  out_ += declarator.name.text;
  extents(declarator.extents);
  layout(declarator.layout);
  if (declarator.initialiser) {
    out_ += " = ";
    initialiser(*declarator.initialiser);
  }
}

void Printer::declaration(const Declaration& declaration) {
  specifiers(declaration.specifiers);
  for (std::size_t i = 0; i < declaration.declarators.size(); ++i) {
    out_ += i > 0 ? "," : "";
    declarator(declaration.declarators[i]);
  }
  out_ += ";";
}

/// `__attribute__((packed, aligned(8)))` with a blank in front of it, or nothing.
void Printer::layout(const Layout& layout) {
  if (!layout.is_packed && layout.alignments.empty()) {
    return;
  }
  out_ += layout.is_packed ? " __attribute__((packed" : " __attribute__((";
  std::string_view between = layout.is_packed ? ", " : "";
  for (const ExprPtr& alignment : layout.alignments) {
    out_ += std::string(between) + "aligned(";
    expression(*alignment, Precedence::Assignment);
    out_ += ")";
    between = ", ";
  }
  out_ += "))";
}

void Printer::record(const Record& record) {
  const std::string keyword = record.is_union ? "union " : "struct ";
  keywords_.emplace(record.name.text, keyword);
  out_ += keyword + record.name.text + " {";
  ++level_;
  for (const Declaration& member : record.members) {
    line();
    declaration(member);
  }
  --level_;
  line();
  out_ += "}";
  layout(record.layout);
  out_ += ";";
}

void Printer::type_definition(const Typedef& definition) {
  out_ += "typedef ";
  specifiers(definition.specifiers);
  declarator(definition.declarator);
  out_ += ";";
}

void Printer::pragma(const ContractPragma& pragma) {
  out_ += "#pragma OPENCL FP_CONTRACT " + std::string(!pragma.on ? "DEFAULT" : *pragma.on ? "ON" : "OFF");
}

void Printer::function(const Function& function) {
  specifiers(function.specifiers);
  out_ += " " + std::string(function.pointers, '*') + function.name.text + "(";
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    out_ += i > 0 ? ", " : "";
    specifiers(function.parameters[i].specifiers);
    declarator(function.parameters[i].declarator);
  }
  out_ += ")";
  if (function.required_size) {
    out_ += " __attribute__((reqd_work_group_size(";
    std::string_view between;
    for (const ExprPtr& size : function.required_size->sizes) {
      out_ += between;
      expression(*size, Precedence::Assignment);
      between = ", ";
    }
    out_ += ")))";
  }
  if (function.body) {
    out_ += " ";
    block(*function.body);
  } else {
    out_ += ";";
  }
}

void Printer::unit(const TranslationUnit& unit) {
  bool after_function = false;
  for (const Item& item : unit.items) {
    const auto* written = std::get_if<Function>(&item.node);
    const bool is_definition = written != nullptr && written->body;
    if (!out_.empty() && (after_function || is_definition)) {
      out_ += "\n";
    }
    std::visit(Overloaded{[&](const Function& node) { function(node); }, [&](const Declaration& node) { declaration(node); },
                          [&](const ContractPragma& node) { pragma(node); }, [&](const Record& node) { record(node); },
                          [&](const Typedef& node) { type_definition(node); }},
               item.node);
    out_ += "\n";
    after_function = is_definition;
  }
}

// Statements. They begin where the line stands, and end without a line break.

void Printer::block(const Block& block) {
  out_ += "{";
  ++level_;
  bool behind_label = false;  // statements stand one level below the labels
  for (const Stmt& item : block.statements) {
    const bool is_label = std::holds_alternative<CaseLabel>(item.node);
    level_ += behind_label && !is_label ? 1U : 0U;
    line();
    statement(item);
    level_ -= behind_label && !is_label ? 1U : 0U;
    behind_label = behind_label || is_label;
  }
  --level_;
  line();
  out_ += "}";
}

/// A statement that cannot be a body, in braces of its own.
void Printer::block_of(const Stmt& statement) {
  out_ += " {";
  ++level_;
  line();
  this->statement(statement);
  --level_;
  line();
  out_ += "}";
}

/// What stands behind if (…), for (…), else, …; true where it ends in '}' on a level with its owner.
bool Printer::body(const Stmt& statement) {
  if (std::holds_alternative<Block>(statement.node)) {
    out_ += " ";
    this->statement(statement);
    return true;
  }
  if (needs_block(statement)) {
    block_of(statement);
    return true;
  }
  ++level_;
  line();
  this->statement(statement);
  --level_;
  return false;
}

void Printer::condition(std::string_view word, const Expr& condition) {
  out_ += std::string(word) + " (";
  expression(condition, Precedence::Comma);
  out_ += ")";
}

void Printer::if_statement(const If& node) {
  condition("if", *node.condition);
  bool braces = true;
  if (node.otherwise && takes_else(*node.then)) {
    block_of(*node.then);
  } else {
    braces = body(*node.then);
  }
  if (!node.otherwise) {
    return;
  }
  if (braces) {
    out_ += " ";
  } else {
    line();
  }
  out_ += "else";
  if (std::holds_alternative<If>(node.otherwise->node)) {
    out_ += " ";
    statement(*node.otherwise);
  } else {
    body(*node.otherwise);
  }
}

void Printer::do_statement(const DoWhile& node) {
  out_ += "do";
  if (body(*node.body)) {
    out_ += " ";
  } else {
    line();
  }
  condition("while", *node.condition);
  out_ += ";";
}

void Printer::for_statement(const For& node) {
  out_ += "for (";
  statement(*node.init);
  if (node.condition) {
    out_ += " ";
    expression(*node.condition, Precedence::Comma);
  }
  out_ += ";";
  if (node.step) {
    out_ += " ";
    expression(*node.step, Precedence::Comma);
  }
  out_ += ")";
  body(*node.body);
}

void Printer::statement(const Stmt& whole) {
  std::visit(Overloaded{
                 [&](const Block& node) { block(node); },
                 [&](const Declaration& node) { declaration(node); },
                 [&](const ExprStatement& node) {
                   if (node.expression) {
                     expression(*node.expression, Precedence::Comma);
                   }
                   out_ += ";";
                 },
                 [&](const If& node) { if_statement(node); },
                 [&](const While& node) {
                   condition("while", *node.condition);
                   body(*node.body);
                 },
                 [&](const DoWhile& node) { do_statement(node); },
                 [&](const For& node) { for_statement(node); },
                 [&](const Hinted& node) {
                   out_ += "__attribute__((opencl_unroll_hint";
                   out_ += node.hint.rounds == 0 ? ")) " : "(" + std::to_string(node.hint.rounds) + "))) ";
                   statement(*node.body);
                 },
                 [&](const CaseLabel& node) {
                   out_ += node.value ? "case " : "default";
                   if (node.value) {
                     expression(*node.value, Precedence::Assignment);
                   }
                   out_ += ":";
                 },
                 [&](const Switch& node) {
                   condition("switch", *node.value);
                   body(*node.body);
                 },
                 [&](const Break&) { out_ += "break;"; },
                 [&](const Continue&) { out_ += "continue;"; },
                 [&](const Return& node) {
                   out_ += "return";
                   if (node.value) {
                     out_ += " ";
                     expression(*node.value, Precedence::Comma);
                   }
                   out_ += ";";
                 },
                 [&](const ContractPragma& node) { pragma(node); },
             },
             whole.node);
}

}  // namespace

std::string print(const TranslationUnit& unit) {
  Printer printer;
  printer.unit(unit);
  return printer.take();
}

std::string print(const Expr& expression) {
  Printer printer;
  printer.expression(expression, Precedence::Comma);
  return printer.take();
}

}  // namespace lockstep::core
