#include <algorithm>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "semantics/core/print.hpp"

namespace lockstep::core {
namespace {

using namespace syntax;

/// One overload for each kind of node; all may call each other.
struct Same {
  template <class T>
  bool operator()(const std::unique_ptr<T>& a, const std::unique_ptr<T>& b) const {
    return a == nullptr || b == nullptr ? a == b : (*this)(*a, *b);
  }
  template <class T>
  bool operator()(const std::vector<T>& a, const std::vector<T>& b) const {
    return std::ranges::equal(a, b, *this);
  }
  template <class T>
  bool operator()(const std::optional<T>& a, const std::optional<T>& b) const {
    return a && b ? (*this)(*a, *b) : a.has_value() == b.has_value();
  }
  template <class... T>
  bool operator()(const std::variant<T...>& a, const std::variant<T...>& b) const {
    return a.index() == b.index() && std::visit(
                                         [&](const auto& node) {
                                           using Node = std::remove_cvref_t<decltype(node)>;
                                           return (*this)(node, std::get<Node>(b));
                                         },
                                         a);
  }

  bool operator()(const Name& a, const Name& b) const { return a.text == b.text; }
  bool operator()(const IntegerLiteral& a, const IntegerLiteral& b) const {
    return a.value == b.value && a.is_decimal == b.is_decimal && a.is_unsigned == b.is_unsigned && a.is_long == b.is_long &&
           a.is_character == b.is_character;
  }
  bool operator()(const FloatLiteral& a, const FloatLiteral& b) const { return a.digits == b.digits && a.is_float == b.is_float; }
  bool operator()(const BoolLiteral& a, const BoolLiteral& b) const { return a.value == b.value; }
  bool operator()(const Identifier& a, const Identifier& b) const { return a.name == b.name; }
  bool operator()(const Unary& a, const Unary& b) const { return a.op == b.op && (*this)(a.operand, b.operand); }
  bool operator()(const Binary& a, const Binary& b) const { return a.op == b.op && (*this)(a.left, b.left) && (*this)(a.right, b.right); }
  bool operator()(const Assignment& a, const Assignment& b) const {
    return a.op == b.op && (*this)(a.left, b.left) && (*this)(a.right, b.right);
  }
  bool operator()(const Conditional& a, const Conditional& b) const {
    return (*this)(a.condition, b.condition) && (*this)(a.then, b.then) && (*this)(a.otherwise, b.otherwise);
  }
  bool operator()(const Comma& a, const Comma& b) const { return (*this)(a.left, b.left) && (*this)(a.right, b.right); }
  bool operator()(const Subscript& a, const Subscript& b) const { return (*this)(a.base, b.base) && (*this)(a.index, b.index); }
  bool operator()(const Member& a, const Member& b) const { return (*this)(a.base, b.base) && (*this)(a.name, b.name); }
  bool operator()(const Call& a, const Call& b) const {
    return a.is_crev == b.is_crev && (*this)(a.function, b.function) && (*this)(a.arguments, b.arguments);
  }
  bool operator()(const Specifiers& a, const Specifiers& b) const {
    return a.type == b.type && a.components == b.components && a.named == b.named && a.space == b.space && a.is_const == b.is_const &&
           a.is_kernel == b.is_kernel && a.uniformity == b.uniformity;
  }
  bool operator()(const TypeName& a, const TypeName& b) const {
    return a.pointers == b.pointers && (*this)(a.specifiers, b.specifiers) && (*this)(a.extents, b.extents);
  }
  bool operator()(const Cast& a, const Cast& b) const { return (*this)(a.type, b.type) && (*this)(a.operand, b.operand); }
  bool operator()(const SizeofType& a, const SizeofType& b) const { return (*this)(a.type, b.type); }
  bool operator()(const SizeofExpr& a, const SizeofExpr& b) const { return (*this)(a.operand, b.operand); }
  bool operator()(const Offsetof& a, const Offsetof& b) const { return (*this)(a.type, b.type) && (*this)(a.path, b.path); }
  bool operator()(const CompoundLiteral& a, const CompoundLiteral& b) const {
    return (*this)(a.type, b.type) && (*this)(a.initialiser, b.initialiser);
  }
  bool operator()(const Expr& a, const Expr& b) const { return (*this)(a.node, b.node); }

  bool operator()(const Initialiser& a, const Initialiser& b) const {
    return (*this)(a.value, b.value) && (*this)(a.designators, b.designators);
  }
  bool operator()(const Layout& a, const Layout& b) const { return a.is_packed == b.is_packed && (*this)(a.alignments, b.alignments); }
  bool operator()(const Declarator& a, const Declarator& b) const {
    return a.pointers == b.pointers && a.is_const == b.is_const && a.is_restrict == b.is_restrict && (*this)(a.name, b.name) &&
           (*this)(a.extents, b.extents) && (*this)(a.initialiser, b.initialiser) && (*this)(a.layout, b.layout);
  }
  bool operator()(const Record& a, const Record& b) const {
    return a.is_union == b.is_union && (*this)(a.name, b.name) && (*this)(a.members, b.members) && (*this)(a.layout, b.layout);
  }
  bool operator()(const Typedef& a, const Typedef& b) const {
    return (*this)(a.specifiers, b.specifiers) && (*this)(a.declarator, b.declarator);
  }
  bool operator()(const Declaration& a, const Declaration& b) const {
    return (*this)(a.specifiers, b.specifiers) && (*this)(a.declarators, b.declarators);
  }

  bool operator()(const Block& a, const Block& b) const { return (*this)(a.statements, b.statements); }
  bool operator()(const ExprStatement& a, const ExprStatement& b) const { return (*this)(a.expression, b.expression); }
  bool operator()(const If& a, const If& b) const {
    return (*this)(a.condition, b.condition) && (*this)(a.then, b.then) && (*this)(a.otherwise, b.otherwise);
  }
  bool operator()(const While& a, const While& b) const { return (*this)(a.condition, b.condition) && (*this)(a.body, b.body); }
  bool operator()(const DoWhile& a, const DoWhile& b) const { return (*this)(a.body, b.body) && (*this)(a.condition, b.condition); }
  bool operator()(const For& a, const For& b) const {
    return (*this)(a.init, b.init) && (*this)(a.condition, b.condition) && (*this)(a.step, b.step) && (*this)(a.body, b.body);
  }
  bool operator()(const CaseLabel& a, const CaseLabel& b) const { return (*this)(a.value, b.value); }
  bool operator()(const Switch& a, const Switch& b) const { return (*this)(a.value, b.value) && (*this)(a.body, b.body); }
  bool operator()(const Hinted& a, const Hinted& b) const { return a.hint.rounds == b.hint.rounds && (*this)(a.body, b.body); }
  bool operator()(const Break&, const Break&) const { return true; }
  bool operator()(const Continue&, const Continue&) const { return true; }
  bool operator()(const Return& a, const Return& b) const { return (*this)(a.value, b.value); }
  bool operator()(const ContractPragma& a, const ContractPragma& b) const { return a.on == b.on; }
  bool operator()(const Stmt& a, const Stmt& b) const { return (*this)(a.node, b.node); }

  bool operator()(const Parameter& a, const Parameter& b) const {
    return (*this)(a.specifiers, b.specifiers) && (*this)(a.declarator, b.declarator);
  }
  bool operator()(const Function& a, const Function& b) const {
    return a.pointers == b.pointers && (*this)(a.specifiers, b.specifiers) && (*this)(a.name, b.name) &&
           (*this)(a.parameters, b.parameters) && (*this)(a.body, b.body) && (*this)(a.required_size, b.required_size);
  }
  bool operator()(const GroupSize& a, const GroupSize& b) const { return (*this)(a.sizes, b.sizes); }
  bool operator()(const Item& a, const Item& b) const { return (*this)(a.node, b.node); }
};

}  // namespace

bool same(const TranslationUnit& a, const TranslationUnit& b) { return Same{}(a.items, b.items); }
bool same(const Expr& a, const Expr& b) { return Same{}(a, b); }

}  // namespace lockstep::core
