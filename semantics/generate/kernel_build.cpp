#include "semantics/generate/kernel_build.hpp"

#include <algorithm>
#include <iterator>

namespace lockstep::generate::build {

namespace {

constexpr unsigned comma_precedence = 0;
constexpr unsigned assignment_precedence = 1;
constexpr unsigned conditional_precedence = 2;
constexpr unsigned unary_precedence = 13;
constexpr unsigned postfix_precedence = 14;
constexpr unsigned primary_precedence = 15;

unsigned precedence_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or:
      return 3;
    case BinaryOp::And:
      return 4;
    case BinaryOp::BitOr:
      return 5;
    case BinaryOp::BitXor:
      return 6;
    case BinaryOp::BitAnd:
      return 7;
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
      return 8;
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Greater:
    case BinaryOp::GreaterEqual:
      return 9;
    case BinaryOp::Shl:
    case BinaryOp::Shr:
      return 10;
    case BinaryOp::Add:
    case BinaryOp::Sub:
      return 11;
    default:
      return 12;
  }
}

/// The operand, in parentheses if it binds less tightly than `least`.
ExprPtr operand(ExprPtr e, unsigned least) {
  if (precedence(*e) < least) {
    e->parenthesised = true;
  }
  return e;
}

bool is_postfix(UnaryOp op) { return op == UnaryOp::PostIncrement || op == UnaryOp::PostDecrement; }

template <class... F>
struct Cases : F... {
  using F::operator()...;
};

std::vector<ExprPtr> copy_all(const std::vector<ExprPtr>& list) {
  std::vector<ExprPtr> result;
  std::transform(list.begin(), list.end(), std::back_inserter(result), [](const ExprPtr& e) { return copy(e); });
  return result;
}

syntax::TypeName copy_type(const syntax::TypeName& type) { return {type.specifiers, type.pointers, copy_all(type.extents)}; }

std::unique_ptr<syntax::Stmt> copy_boxed(const std::unique_ptr<syntax::Stmt>& s) { return s == nullptr ? nullptr : boxed(copy(*s)); }

syntax::Block copy_block(const syntax::Block& block) {
  syntax::Block result;
  std::transform(block.statements.begin(), block.statements.end(), std::back_inserter(result.statements),
                 [](const syntax::Stmt& s) { return copy(s); });
  return result;
}

std::vector<syntax::Designator> copy_path(const std::vector<syntax::Designator>& path) {
  std::vector<syntax::Designator> result;
  for (const syntax::Designator& part : path) {
    const auto* name = std::get_if<syntax::Name>(&part);
    result.push_back(name != nullptr ? syntax::Designator(*name) : syntax::Designator(copy(std::get<ExprPtr>(part))));
  }
  return result;
}

syntax::Initialiser copy_initialiser(const syntax::Initialiser& value) {
  syntax::Initialiser result;
  result.span = value.span;
  result.designators = copy_path(value.designators);
  if (const auto* one = std::get_if<ExprPtr>(&value.value)) {
    result.value = copy(*one);
  } else {
    std::vector<syntax::Initialiser> list;
    for (const syntax::Initialiser& element : std::get<1>(value.value)) {
      list.push_back(copy_initialiser(element));
    }
    result.value = std::move(list);
  }
  return result;
}

syntax::Layout copy_layout(const syntax::Layout& layout) { return {layout.is_packed, copy_all(layout.alignments)}; }

syntax::Declarator copy_declarator(const syntax::Declarator& d) {
  syntax::Declarator result;
  result.pointers = d.pointers;
  result.is_const = d.is_const;
  result.name = d.name;
  result.extents = copy_all(d.extents);
  result.layout = copy_layout(d.layout);
  if (d.initialiser) {
    result.initialiser = copy_initialiser(*d.initialiser);
  }
  return result;
}

syntax::Declaration copy_declaration(const syntax::Declaration& declaration) {
  syntax::Declaration result;
  result.specifiers = declaration.specifiers;
  for (const syntax::Declarator& d : declaration.declarators) {
    result.declarators.push_back(copy_declarator(d));
  }
  return result;
}

syntax::Record copy_record(const syntax::Record& record) {
  syntax::Record result{.is_union = record.is_union, .name = record.name, .members = {}, .layout = copy_layout(record.layout)};
  for (const syntax::Declaration& member : record.members) {
    result.members.push_back(copy_declaration(member));
  }
  return result;
}

syntax::Function copy_function(const syntax::Function& function) {
  syntax::Function result;
  result.specifiers = function.specifiers;
  result.pointers = function.pointers;
  result.name = function.name;
  result.span = function.span;
  for (const syntax::Parameter& p : function.parameters) {
    result.parameters.push_back({p.specifiers, copy_declarator(p.declarator), p.span});
  }
  if (function.body) {
    result.body = copy_block(*function.body);
  }
  return result;
}

using ExprNode = decltype(syntax::Expr::node);
using StmtNode = decltype(syntax::Stmt::node);

ExprNode copy_node(const ExprNode& node) {
  return std::visit(
      Cases{
          [](const syntax::Unary& e) -> ExprNode { return syntax::Unary{e.op, copy(e.operand)}; },
          [](const syntax::Binary& e) -> ExprNode { return syntax::Binary{e.op, copy(e.left), copy(e.right), e.op_span}; },
          [](const syntax::Assignment& e) -> ExprNode { return syntax::Assignment{e.op, copy(e.left), copy(e.right), e.op_span}; },
          [](const syntax::Conditional& e) -> ExprNode { return syntax::Conditional{copy(e.condition), copy(e.then), copy(e.otherwise)}; },
          [](const syntax::Comma& e) -> ExprNode { return syntax::Comma{copy(e.left), copy(e.right)}; },
          [](const syntax::Subscript& e) -> ExprNode { return syntax::Subscript{copy(e.base), copy(e.index)}; },
          [](const syntax::Member& e) -> ExprNode { return syntax::Member{copy(e.base), e.name}; },
          [](const syntax::Call& e) -> ExprNode { return syntax::Call{e.function, copy_all(e.arguments), e.is_crev}; },
          [](const syntax::Cast& e) -> ExprNode { return syntax::Cast{copy_type(e.type), copy(e.operand)}; },
          [](const syntax::SizeofType& e) -> ExprNode { return syntax::SizeofType{copy_type(e.type)}; },
          [](const syntax::SizeofExpr& e) -> ExprNode { return syntax::SizeofExpr{copy(e.operand)}; },
          [](const syntax::Offsetof& e) -> ExprNode { return syntax::Offsetof{copy_type(e.type), copy_path(e.path)}; },
          [](const syntax::CompoundLiteral& e) -> ExprNode {
            return syntax::CompoundLiteral{copy_type(e.type), std::make_unique<syntax::Initialiser>(copy_initialiser(*e.initialiser))};
          },
          [](const auto& e) -> ExprNode { return e; }},
      node);
}

StmtNode copy_node(const StmtNode& node) {
  return std::visit(
      Cases{[](const syntax::Block& s) -> StmtNode { return copy_block(s); },
            [](const syntax::Declaration& s) -> StmtNode { return copy_declaration(s); },
            [](const syntax::ExprStatement& s) -> StmtNode { return syntax::ExprStatement{copy(s.expression)}; },
            [](const syntax::If& s) -> StmtNode { return syntax::If{copy(s.condition), copy_boxed(s.then), copy_boxed(s.otherwise)}; },
            [](const syntax::While& s) -> StmtNode { return syntax::While{copy(s.condition), copy_boxed(s.body)}; },
            [](const syntax::DoWhile& s) -> StmtNode { return syntax::DoWhile{copy_boxed(s.body), copy(s.condition)}; },
            [](const syntax::For& s) -> StmtNode {
              return syntax::For{copy_boxed(s.init), copy(s.condition), copy(s.step), copy_boxed(s.body)};
            },
            [](const syntax::Hinted& s) -> StmtNode { return syntax::Hinted{s.hint, copy_boxed(s.body)}; },
            [](const syntax::CaseLabel& s) -> StmtNode { return syntax::CaseLabel{copy(s.value)}; },
            [](const syntax::Switch& s) -> StmtNode { return syntax::Switch{copy(s.value), copy_boxed(s.body)}; },
            [](const syntax::Return& s) -> StmtNode { return syntax::Return{copy(s.value)}; }, [](const auto& s) -> StmtNode { return s; }},
      node);
}

}  // namespace

unsigned precedence(const syntax::Expr& e) {
  if (e.parenthesised) {
    return primary_precedence;
  }
  return std::visit(
      Cases{[](const syntax::Comma&) { return comma_precedence; }, [](const syntax::Assignment&) { return assignment_precedence; },
            [](const syntax::Conditional&) { return conditional_precedence; }, [](const syntax::Binary& b) { return precedence_of(b.op); },
            [](const syntax::Unary& u) { return is_postfix(u.op) ? postfix_precedence : unary_precedence; },
            [](const syntax::Cast&) { return unary_precedence; }, [](const syntax::SizeofType&) { return unary_precedence; },
            [](const syntax::SizeofExpr&) { return unary_precedence; }, [](const syntax::Subscript&) { return postfix_precedence; },
            [](const syntax::Member&) { return postfix_precedence; }, [](const syntax::Call&) { return postfix_precedence; },
            [](const auto&) { return primary_precedence; }},
      e.node);
}

ExprPtr expression(ExprNode node) {
  auto e = std::make_unique<syntax::Expr>();
  e->node = std::move(node);
  return e;
}

ExprPtr name(std::string text) { return expression(syntax::Identifier{std::move(text)}); }
ExprPtr integer(std::uint64_t value) { return literal({value, true, false, false, false}); }
ExprPtr literal(syntax::IntegerLiteral value) { return expression(value); }
ExprPtr real(std::string digits, bool is_float) { return expression(syntax::FloatLiteral{std::move(digits), is_float}); }

ExprPtr unary(UnaryOp op, ExprPtr e) {
  return expression(syntax::Unary{op, operand(std::move(e), is_postfix(op) ? postfix_precedence : unary_precedence)});
}

ExprPtr binary(BinaryOp op, ExprPtr left, ExprPtr right) {
  const unsigned own = precedence_of(op);
  return expression(syntax::Binary{op, operand(std::move(left), own), operand(std::move(right), own + 1), {}});
}

ExprPtr assignment(std::optional<BinaryOp> op, ExprPtr left, ExprPtr right) {
  return expression(
      syntax::Assignment{op, operand(std::move(left), unary_precedence), operand(std::move(right), assignment_precedence), {}});
}

ExprPtr conditional(ExprPtr condition, ExprPtr then, ExprPtr otherwise) {
  return expression(syntax::Conditional{operand(std::move(condition), conditional_precedence + 1),
                                        operand(std::move(then), assignment_precedence),
                                        operand(std::move(otherwise), conditional_precedence)});
}

ExprPtr comma(ExprPtr left, ExprPtr right) {
  return expression(syntax::Comma{std::move(left), operand(std::move(right), assignment_precedence)});
}

ExprPtr element(ExprPtr base, ExprPtr index) {
  return expression(syntax::Subscript{operand(std::move(base), postfix_precedence), std::move(index)});
}

ExprPtr cast(ScalarType type, ExprPtr e) {
  return expression(syntax::Cast{{specifiers(type), 0, {}}, operand(std::move(e), unary_precedence)});
}

ExprPtr member(ExprPtr base, std::string component) {
  return expression(syntax::Member{operand(std::move(base), postfix_precedence), {std::move(component), {}}});
}

ExprPtr vector_cast(ScalarType type, unsigned components, ExprPtr list) {
  ExprPtr result = cast(type, parenthesised(std::move(list)));
  auto& written = std::get<syntax::Cast>(result->node);
  written.operand->parenthesised_twice = false;
  written.type.specifiers.components = components;
  return result;
}

ExprPtr call(const std::string& function, std::vector<ExprPtr> arguments, bool is_crev) {
  for (ExprPtr& argument : arguments) {
    argument = operand(std::move(argument), assignment_precedence);
  }
  return expression(syntax::Call{{function, {}}, std::move(arguments), is_crev});
}

ExprPtr parenthesised(ExprPtr e) {
  e->parenthesised = true;
  return e;
}

syntax::Stmt statement(StmtNode node) {
  syntax::Stmt s;
  s.node = std::move(node);
  return s;
}

syntax::Stmt evaluate(ExprPtr e) { return statement(syntax::ExprStatement{std::move(e)}); }
syntax::Stmt block(std::vector<syntax::Stmt> statements) { return statement(syntax::Block{std::move(statements)}); }

syntax::Specifiers specifiers(std::optional<ScalarType> type) {
  syntax::Specifiers result;
  result.type = type;
  return result;
}

syntax::Declarator declarator(std::string text) {
  syntax::Declarator result;
  result.name.text = std::move(text);
  return result;
}

syntax::Initialiser initialiser(ExprPtr value) {
  syntax::Initialiser result;
  result.value = operand(std::move(value), assignment_precedence);
  return result;
}

syntax::Stmt declare(ScalarType type, std::string text, ExprPtr value) {
  syntax::Declaration declaration;
  declaration.specifiers = specifiers(type);
  declaration.declarators.push_back(declarator(std::move(text)));
  if (value != nullptr) {
    declaration.declarators.back().initialiser = initialiser(std::move(value));
  }
  return statement(std::move(declaration));
}

std::unique_ptr<syntax::Stmt> boxed(syntax::Stmt s) { return std::make_unique<syntax::Stmt>(std::move(s)); }

syntax::Item item(decltype(syntax::Item::node) node) {
  syntax::Item result;
  result.node = std::move(node);
  return result;
}

ExprPtr copy(const ExprPtr& e) {
  if (e == nullptr) {
    return nullptr;
  }
  ExprPtr result = expression(copy_node(e->node));
  result->span = e->span;
  result->parenthesised = e->parenthesised;
  result->parenthesised_twice = e->parenthesised_twice;
  return result;
}

syntax::Stmt copy(const syntax::Stmt& s) {
  syntax::Stmt result = statement(copy_node(s.node));
  result.span = s.span;
  return result;
}

syntax::TranslationUnit copy(const syntax::TranslationUnit& unit) {
  syntax::TranslationUnit result;
  for (const syntax::Item& one : unit.items) {
    result.items.push_back(std::visit(
        Cases{[](const syntax::Function& f) { return build::item(copy_function(f)); },
              [](const syntax::Declaration& d) { return build::item(copy_declaration(d)); },
              [](const syntax::ContractPragma& p) { return build::item(p); },
              [](const syntax::Record& r) { return build::item(copy_record(r)); },
              [](const syntax::Typedef& t) { return build::item(syntax::Typedef{t.specifiers, copy_declarator(t.declarator)}); }},
        one.node));
  }
  return result;
}

}  // namespace lockstep::generate::build
