#include "semantics/generate/kernel_change.hpp"

#include <utility>

#include "semantics/generate/kernel_build.hpp"
#include "semantics/generate/kernel_parts.hpp"

namespace lockstep::generate {

namespace {

namespace syntax = core::syntax;
using build::ExprPtr;
using syntax::BinaryOp;

/// What stands beside an operator in the same kind of expression.
std::optional<BinaryOp> beside(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add:
      return BinaryOp::Sub;
    case BinaryOp::Sub:
      return BinaryOp::Add;
    case BinaryOp::Mul:
      return BinaryOp::Add;
    case BinaryOp::Div:
      return BinaryOp::Mul;
    case BinaryOp::Shl:
      return BinaryOp::Shr;
    case BinaryOp::Shr:
      return BinaryOp::Shl;
    case BinaryOp::Less:
      return BinaryOp::LessEqual;
    case BinaryOp::LessEqual:
      return BinaryOp::Less;
    case BinaryOp::Greater:
      return BinaryOp::GreaterEqual;
    case BinaryOp::GreaterEqual:
      return BinaryOp::Greater;
    case BinaryOp::Equal:
      return BinaryOp::NotEqual;
    case BinaryOp::NotEqual:
      return BinaryOp::Equal;
    case BinaryOp::BitAnd:
      return BinaryOp::BitOr;
    case BinaryOp::BitOr:
      return BinaryOp::BitXor;
    case BinaryOp::BitXor:
      return BinaryOp::BitOr;
    case BinaryOp::And:
      return BinaryOp::Or;
    case BinaryOp::Or:
      return BinaryOp::And;
    case BinaryOp::Rem:
      break;
  }
  return std::nullopt;
}

/// The order that holds of exchanged operands.
std::optional<BinaryOp> turned_round(BinaryOp op) {
  switch (op) {
    case BinaryOp::Less:
      return BinaryOp::Greater;
    case BinaryOp::Greater:
      return BinaryOp::Less;
    case BinaryOp::LessEqual:
      return BinaryOp::GreaterEqual;
    case BinaryOp::GreaterEqual:
      return BinaryOp::LessEqual;
    default:
      return std::nullopt;
  }
}

void negate(ExprPtr& condition) { condition = build::unary(syntax::UnaryOp::Not, build::parenthesised(std::move(condition))); }

bool is_assignment(const syntax::Stmt& s) {
  const auto* statement = std::get_if<syntax::ExprStatement>(&s.node);
  return statement != nullptr && statement->expression != nullptr &&
         std::holds_alternative<syntax::Assignment>(statement->expression->node);
}

/// Whether a statement may change its place with a neighbour: a label or declaration may not.
bool can_move(const syntax::Stmt& s) {
  return !std::holds_alternative<syntax::CaseLabel>(s.node) && !std::holds_alternative<syntax::Declaration>(s.node) &&
         !std::holds_alternative<syntax::Break>(s.node) && !std::holds_alternative<syntax::Continue>(s.node) &&
         !std::holds_alternative<syntax::Return>(s.node);
}

/// Goes through a text, counts the places for a kind of change, and makes it at one of them.
class Changer {
 public:
  Changer(ChangeKind kind, std::optional<std::size_t> place) : kind_(kind), place_(place) {}

  void go(syntax::TranslationUnit& unit) {
    for (syntax::Item& item : unit.items) {
      auto* function = std::get_if<syntax::Function>(&item.node);
      if (function != nullptr && function->body) {
        block(*function->body);
      }
    }
  }
  std::size_t met() const { return met_; }

 private:
  /// True at the place where the change is to be made.
  bool here() { return met_++ == place_; }

  // NOLINTNEXTLINE(misc-no-recursion)
  void block(syntax::Block& block) {
    std::vector<syntax::Stmt>& list = block.statements;
    for (syntax::Stmt& s : list) {
      statement(s);
    }
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (kind_ == ChangeKind::Dropped && is_assignment(list[k]) && here()) {
        list[k] = build::evaluate(nullptr);
      } else if (kind_ == ChangeKind::Repeated && is_assignment(list[k]) && here()) {
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(k), build::copy(list[k]));
        return;
      } else if (kind_ == ChangeKind::Exchanged && k > 0 && can_move(list[k]) && can_move(list[k - 1]) && here()) {
        std::swap(list[k], list[k - 1]);
      }
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void statement(syntax::Stmt& s) {
    if (auto* inner = std::get_if<syntax::Block>(&s.node)) {
      return block(*inner);
    }
    if (auto* branch = std::get_if<syntax::If>(&s.node)) {
      if (kind_ == ChangeKind::Negation && here()) {
        negate(branch->condition);
      } else if (kind_ == ChangeKind::Arms && branch->otherwise != nullptr && here()) {
        std::swap(branch->then, branch->otherwise);
      }
    }
    if (auto* declaration = std::get_if<syntax::Declaration>(&s.node)) {
      for (syntax::Declarator& d : declaration->declarators) {
        auto* value = d.initialiser ? std::get_if<ExprPtr>(&d.initialiser->value) : nullptr;
        if (value != nullptr) {
          assigned(*value, d.pointers == 0 && d.extents.empty());
          expression(*value);
        }
      }
      return;
    }
    for_each_part(s.node, [&](ExprPtr& part) { expression(part); }, [&](std::unique_ptr<syntax::Stmt>& part) { statement(*part); });
  }

  /// What a variable or cell gets.
  void assigned(ExprPtr& value, bool is_number) {
    if (kind_ == ChangeKind::Neutral && is_number && here()) {
      value = build::binary(BinaryOp::Add, build::parenthesised(std::move(value)), build::integer(0));
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void expression(ExprPtr& e) {
    for_each_part(e->node, [&](ExprPtr& part) { expression(part); });
    if (auto* binary = std::get_if<syntax::Binary>(&e->node)) {
      change(*binary);
    } else if (auto* literal = std::get_if<syntax::IntegerLiteral>(&e->node)) {
      if (kind_ == ChangeKind::Constant && here()) {
        literal->value += 1;
      }
    } else if (auto* choice = std::get_if<syntax::Conditional>(&e->node)) {
      if (kind_ == ChangeKind::Negation && here()) {
        negate(choice->condition);
      } else if (kind_ == ChangeKind::Arms && here()) {
        std::swap(choice->then, choice->otherwise);
      }
    } else if (auto* assignment = std::get_if<syntax::Assignment>(&e->node)) {
      assigned(assignment->right, true);
      if (assignment->op) {
        divisor(*assignment->op, assignment->right);
      }
    }
  }

  void divisor(BinaryOp op, ExprPtr& by) {
    auto* sum = op == BinaryOp::Div || op == BinaryOp::Rem ? std::get_if<syntax::Binary>(&by->node) : nullptr;
    if (kind_ == ChangeKind::Divisor && sum != nullptr && sum->op == BinaryOp::Add && here()) {
      by = ExprPtr(std::move(sum->left));
    }
  }

  void change(syntax::Binary& binary) {
    divisor(binary.op, binary.right);
    if (kind_ == ChangeKind::Operator) {
      const auto other = beside(binary.op);
      if (other && here()) {
        replace(binary, *other, false);
      }
    } else if (kind_ == ChangeKind::Operands && here()) {
      replace(binary, binary.op, true);
    } else if (kind_ == ChangeKind::TurnedRound) {
      const auto other = turned_round(binary.op);
      if (other && here()) {
        replace(binary, *other, true);
      }
    }
  }

  static void replace(syntax::Binary& binary, BinaryOp op, bool exchanged) {
    binary.op = op;
    binary.left = build::parenthesised(std::move(binary.left));
    binary.right = build::parenthesised(std::move(binary.right));
    if (exchanged) {
      std::swap(binary.left, binary.right);
    }
  }

  ChangeKind kind_;
  std::optional<std::size_t> place_;
  std::size_t met_ = 0;
};

}  // namespace

std::string_view name_of(ChangeKind kind) {
  static constexpr std::array<std::string_view, change_kinds.size()> names = {
      "operator", "operands", "turned round", "constant", "divisor", "negation", "arms", "neutral", "dropped", "exchanged", "repeated"};
  return names.at(static_cast<std::size_t>(kind));
}

std::size_t places(const Kernel& kernel, ChangeKind kind) {
  Kernel copied = copy(kernel);
  Changer changer(kind, std::nullopt);
  changer.go(copied.unit);
  return changer.met();
}

std::optional<Kernel> changed(const Kernel& kernel, const Change& change) {
  Kernel result = copy(kernel);
  Changer changer(change.kind, change.place);
  changer.go(result.unit);
  return change.place < changer.met() ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace lockstep::generate
