#include "semantics/generate/kernel_census.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>

#include "semantics/generate/kernel_build.hpp"
#include "semantics/generate/kernel_parts.hpp"

namespace lockstep::generate {

namespace {

namespace syntax = core::syntax;
using build::ExprPtr;

constexpr std::array unary_signs = {"+", "-", "~", "!", "*p", "&x", "++", "--", "++", "--"};
constexpr std::array binary_signs = {"*", "/", "%", "+", "-", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|", "&&", "||"};

class Counter {
 public:
  explicit Counter(Census& census) : census_(census) {}

  void function(const syntax::Function& f) {
    if (!f.body) {
      add("declaration: prototype");
      return;
    }
    if (!f.specifiers.is_kernel) {
      add("declaration: function");
    }
    for (const syntax::Stmt& s : f.body->statements) {
      statement(s);
    }
  }

  void declaration(const syntax::Declaration& d) {
    for (const syntax::Declarator& one : d.declarators) {
      add(one.pointers > 0         ? "declaration: pointer"
          : one.extents.size() > 1 ? "declaration: array of several dimensions"
          : !one.extents.empty()   ? "declaration: array"
                                   : "declaration: scalar");
      if (d.specifiers.type) {
        type(*d.specifiers.type);
      }
      vector(d.specifiers);
      structure(d.specifiers);
      if (one.initialiser) {
        initialiser(*one.initialiser);
      }
    }
  }

 private:
  void add(const std::string& what) { ++census_[what]; }
  void vector(const syntax::Specifiers& s) {
    if (s.components > 1) {
      add("vector: of " + std::to_string(s.components));
    }
  }
  void structure(const syntax::Specifiers& s) {
    if (!s.named.empty()) {
      add("type: of a structure");
    }
  }
  void type(ScalarType t) { add("type: " + std::string(info(t).name)); }

  void initialiser(const syntax::Initialiser& value) {
    if (const auto* one = std::get_if<ExprPtr>(&value.value)) {
      return expression(*one);
    }
    for (const syntax::Initialiser& part : std::get<1>(value.value)) {
      if (!part.designators.empty()) {
        add("initialiser: designated");
      }
      initialiser(part);
    }
  }

  void statement(const syntax::Stmt& s) {
    std::visit(
        [&](const auto& node) {
          using T = std::remove_cvref_t<decltype(node)>;
          if constexpr (std::is_same_v<T, syntax::Block>) {
            for (const syntax::Stmt& inner : node.statements) {
              statement(inner);
            }
          } else if constexpr (std::is_same_v<T, syntax::Declaration>) {
            declaration(node);
          } else {
            add("statement: " + std::string(word(node)));
          }
        },
        s.node);
    std::visit(
        [&](const auto& node) {
          if constexpr (requires {
                          node.body;
                          node.condition;
                        }) {
            head(node.condition);
          }
          if constexpr (requires { node.step; }) {
            step(node.step);
          }
        },
        s.node);
    for_each_part(
        s.node, [&](const ExprPtr& part) { expression(part); }, [&](const std::unique_ptr<syntax::Stmt>& part) { statement(*part); });
  }

  static std::string_view word(const syntax::ExprStatement&) { return "expression"; }
  static std::string_view word(const syntax::If& s) { return s.otherwise == nullptr ? "if" : "if else"; }
  static std::string_view word(const syntax::While&) { return "while"; }
  static std::string_view word(const syntax::DoWhile&) { return "do"; }
  static std::string_view word(const syntax::For&) { return "for"; }
  static std::string_view word(const syntax::Hinted&) { return "hinted"; }
  static std::string_view word(const syntax::Switch&) { return "switch"; }
  static std::string_view word(const syntax::CaseLabel&) { return "case"; }
  static std::string_view word(const syntax::Break&) { return "break"; }
  static std::string_view word(const syntax::Continue&) { return "continue"; }
  static std::string_view word(const syntax::Return&) { return "return"; }
  static std::string_view word(const syntax::ContractPragma&) { return "FP_CONTRACT"; }

  /// What an index depends on: the first of these that stands in it.
  struct Asks {
    bool element = false;
    bool item = false;
    bool counter = false;
    bool variable = false;
  };
  static void ask(const ExprPtr& e, Asks& asks) {
    asks.element = asks.element || std::holds_alternative<syntax::Subscript>(e->node);
    asks.item = asks.item || std::holds_alternative<syntax::Call>(e->node);
    if (const auto* variable = std::get_if<syntax::Identifier>(&e->node)) {
      const std::string& name = variable->name;
      const bool counts = name.size() > 1 && name[0] == 'i' && std::isdigit(static_cast<unsigned char>(name[1])) != 0;
      (counts ? asks.counter : asks.variable) = true;
    }
    for_each_part(e->node, [&](const ExprPtr& part) { ask(part, asks); });
  }

  /// Of the condition of a loop.
  struct Speaks {
    std::set<std::string> variables;
    bool casts = false;
    bool divides = false;
  };
  static void ask(const ExprPtr& e, Speaks& speaks) {
    if (const auto* variable = std::get_if<syntax::Identifier>(&e->node)) {
      speaks.variables.insert(variable->name);
    } else if (const auto* binary = std::get_if<syntax::Binary>(&e->node)) {
      speaks.divides = speaks.divides || binary->op == syntax::BinaryOp::Div || binary->op == syntax::BinaryOp::Rem;
    }
    speaks.casts = speaks.casts || std::holds_alternative<syntax::Cast>(e->node);
    for_each_part(e->node, [&](const ExprPtr& part) { ask(part, speaks); });
  }

  void head(const ExprPtr& condition) {
    if (condition == nullptr) {
      return add("condition: none");
    }
    const auto* binary = std::get_if<syntax::Binary>(&condition->node);
    add(std::string("condition: ") + (binary != nullptr ? binary_signs[static_cast<std::size_t>(binary->op)] : "no comparison"));
    Speaks speaks;
    ask(condition, speaks);
    add(speaks.variables.size() > 2    ? "condition: of three variables or more"
        : speaks.variables.size() == 2 ? "condition: of two variables"
                                       : "condition: of one variable or none");
    if (speaks.casts) {
      add("condition: converts");
    }
    if (speaks.divides) {
      add("condition: divides");
    }
  }

  void step(const ExprPtr& e) {
    if (e == nullptr) {
      return;
    }
    const auto* unary = std::get_if<syntax::Unary>(&e->node);
    const auto* assignment = std::get_if<syntax::Assignment>(&e->node);
    add(std::string("step: ") + (unary != nullptr ? unary_signs[static_cast<std::size_t>(unary->op)]
                                 : assignment == nullptr || !assignment->op
                                     ? "="
                                     : std::string(binary_signs[static_cast<std::size_t>(*assignment->op)]) + "="));
  }

  void literal(const syntax::IntegerLiteral& number) {
    add(number.is_character           ? number.value > 0x7F ? "literal: a negative character" : "literal: a character"
        : number.value <= 0x7F        ? "literal: up to 127"
        : number.value <= 0xFFFF      ? "literal: up to 65535"
        : number.value <= 0xFFFF'FFFF ? "literal: up to 4294967295"
                                      : "literal: beyond");
  }

  /// How far a shift goes by a number in the text.
  void shift(const ExprPtr& count) {
    if (const auto* number = std::get_if<syntax::IntegerLiteral>(&count->node)) {
      add(number->value < 32 ? "shift: by less than 32" : number->value < 64 ? "shift: by 32 to 63" : "shift: by 64 or more");
    } else {
      add("shift: by an expression");
    }
  }

  static bool has_large_number(const ExprPtr& e) {
    const auto* number = std::get_if<syntax::IntegerLiteral>(&e->node);
    bool found = number != nullptr && number->value > 0x7FFF'FFFF;
    for_each_part(e->node, [&](const ExprPtr& part) { found = found || has_large_number(part); });
    return found;
  }

  void index(const ExprPtr& e) {
    if (has_large_number(e)) {
      add("index: with a number beyond 2147483647");
    }
    Asks asks;
    ask(e, asks);
    add(asks.element    ? "index: read from an array"
        : asks.counter  ? "index: of a loop"
        : asks.variable ? "index: of variables"
        : asks.item     ? "index: of the item"
                        : "index: a number");
  }

  void expression(const ExprPtr& e) {
    if (const auto* unary = std::get_if<syntax::Unary>(&e->node)) {
      add(std::string("operator: ") + unary_signs[static_cast<std::size_t>(unary->op)]);
    } else if (const auto* binary = std::get_if<syntax::Binary>(&e->node)) {
      add(std::string("operator: ") + binary_signs[static_cast<std::size_t>(binary->op)]);
      if (binary->op == syntax::BinaryOp::Shl || binary->op == syntax::BinaryOp::Shr) {
        shift(binary->right);
      }
    } else if (const auto* number = std::get_if<syntax::IntegerLiteral>(&e->node)) {
      literal(*number);
    } else if (const auto* assignment = std::get_if<syntax::Assignment>(&e->node)) {
      add(assignment->op ? std::string("operator: ") + binary_signs[static_cast<std::size_t>(*assignment->op)] + "=" : "operator: =");
    } else if (std::holds_alternative<syntax::Conditional>(e->node)) {
      add("operator: ?:");
    } else if (std::holds_alternative<syntax::Comma>(e->node)) {
      add("operator: ,");
    } else if (const auto* cast = std::get_if<syntax::Cast>(&e->node)) {
      add("operator: cast");
      if (cast->type.specifiers.type) {
        type(*cast->type.specifiers.type);
      }
      vector(cast->type.specifiers);
    } else if (const auto* selected = std::get_if<syntax::Member>(&e->node)) {
      const bool is_member = selected->name.text.size() > 1 && selected->name.text.front() == 'f';
      add("operator: ." + std::string(is_member                            ? "member"
                                      : selected->name.text.size() == 1    ? "x"
                                      : selected->name.text.front() == 's' ? "s01"
                                                                           : "xy"));
    } else if (const auto* literal = std::get_if<syntax::CompoundLiteral>(&e->node)) {
      add("operator: literal of a structure");
      initialiser(*literal->initialiser);
    } else if (const auto* element = std::get_if<syntax::Subscript>(&e->node)) {
      index(element->index);
    } else if (const auto* call = std::get_if<syntax::Call>(&e->node)) {
      const std::string& name = call->function.text;
      const bool ours = name.size() > 1 && std::isdigit(static_cast<unsigned char>(name.back())) != 0;
      add("call: " + (call->is_crev ? "crev" : ours ? "a function of the kernel's" : name));
    }
    for_each_part(e->node, [&](const ExprPtr& part) { expression(part); });
  }

  Census& census_;
};

}  // namespace

void count(const Kernel& kernel, Census& census) {
  Counter counter(census);
  for (const syntax::Item& item : kernel.unit.items) {
    if (const auto* function = std::get_if<syntax::Function>(&item.node)) {
      counter.function(*function);
    } else if (const auto* declared = std::get_if<syntax::Declaration>(&item.node)) {
      counter.declaration(*declared);
    }
  }
}

}  // namespace lockstep::generate
