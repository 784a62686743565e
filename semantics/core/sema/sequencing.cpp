#include "semantics/core/sema/sequencing.hpp"

#include <map>
#include <optional>

#include "semantics/core/walk.hpp"

namespace lockstep::core::sema {
namespace {

/// An object by name: kind and number of the variable at its root, then kind and number of each index.
using ObjectKey = std::vector<std::uint64_t>;
/// Objects that are changed, and where.
using Changes = std::map<ObjectKey, SourceSpan>;

/// The changes of an expression: `all` that happen somewhere in it, and those `open` that need not be finished when its value is known.
struct Effects {
  Changes all;
  Changes open;
};

constexpr std::uint64_t of_variable = 0;
constexpr std::uint64_t of_number = 1;

/// The smaller map goes into the larger one.
void merge(Changes& into, Changes&& from) {
  if (into.size() < from.size()) {
    into.swap(from);
  }
  into.merge(from);
}

/// Two changes of one object.
struct Clash {
  ObjectKey object;
  SourceSpan first;
  SourceSpan second;
};

class Sequencing {
 public:
  explicit Sequencing(FunctionContext& context) : context_(context) {}

  Effects effects(ExprId id) {
    const Expr& expr = context_.function.at(id);
    if (const auto* assign = std::get_if<Assign>(&expr.node)) {
      return of_assign(*assign, expr.span);
    }
    if (const auto* comma = std::get_if<Comma>(&expr.node)) {
      return one_after_another(comma->left, comma->right);
    }
    if (const auto* logical = std::get_if<ShortCircuit>(&expr.node)) {
      return one_after_another(logical->left, logical->right);
    }
    if (const auto* choice = std::get_if<Conditional>(&expr.node)) {
      return of_conditional(*choice);
    }
    Effects result;
    for_each_operand(expr, [&](ExprId operand) { result = together(std::move(result), effects(operand)); });
    if (std::holds_alternative<Call>(expr.node)) {
      result.open.clear();  // arguments are complete when the call begins
    }
    return result;
  }

  Effects of_arguments(std::span<const ExprId> arguments) {
    Effects result;
    for (const ExprId argument : arguments) {
      result = together(std::move(result), effects(argument));
    }
    return result;
  }

  void report(const Changes& all) {
    for (const Clash& clash : clashes_) {
      if (!is_moving(clash.object, all)) {
        context_.unit.reporter.error(clash.second, "two unsequenced changes of one object" + name(clash.object),
                                     {note(clash.first, "the other one is here")});
        return;
      }
    }
  }

 private:
  /// Two operands of which neither comes first.
  Effects together(Effects left, Effects right) {
    clash(left.all, right.all);
    merge(left.all, std::move(right.all));
    merge(left.open, std::move(right.open));
    return left;
  }

  Effects one_after_another(ExprId first, ExprId second) {
    Effects before = effects(first);
    Effects after = effects(second);
    merge(before.all, std::move(after.all));
    return {std::move(before.all), std::move(after.open)};
  }

  Effects of_conditional(const Conditional& choice) {
    Effects result = effects(choice.condition);
    result.open.clear();
    for (const ExprId arm : {choice.then, choice.otherwise}) {
      Effects inside = effects(arm);
      merge(result.all, std::move(inside.all));
      merge(result.open, std::move(inside.open));
    }
    return result;
  }

  Effects of_assign(const Assign& assign, SourceSpan span) {
    Effects place = effects(assign.place);
    Effects result = together(std::move(place), effects(assign.value));
    if (std::optional<ObjectKey> object = key(assign.place)) {
      const Changes own = {{std::move(*object), span}};
      clash(result.open, own);
      result.all.insert(own.begin(), own.end());
      result.open.insert(own.begin(), own.end());
    }
    return result;
  }

  /// True if the key's variables are themselves changed, so that equal keys may mean different objects.
  static bool is_moving(const ObjectKey& object, const Changes& changes) {
    for (std::size_t i = 1; i < object.size(); i += 2) {
      if (object[i] == of_variable && changes.contains({object[i + 1]})) {
        return true;
      }
    }
    return object.size() > 1 && changes.contains({object.front()});
  }

  void clash(const Changes& left, const Changes& right) {
    const Changes& smaller = left.size() < right.size() ? left : right;
    const Changes& larger = left.size() < right.size() ? right : left;
    for (const auto& [object, span] : smaller) {
      const auto other = larger.find(object);
      if (other != larger.end()) {
        clashes_.push_back({object, std::min(span, other->second), std::max(span, other->second)});
      }
    }
  }

  std::string name(const ObjectKey& object) const {
    return object.size() == 1 ? ": " + quoted(context_.function.variables[object.front()].name) : "";
  }

  std::optional<ObjectKey> key(ExprId place) const {
    const Expr& expr = context_.function.at(place);
    if (const auto* var = std::get_if<Var>(&expr.node)) {
      return ObjectKey{var->id};
    }
    const auto* subscript = std::get_if<Subscript>(&expr.node);
    if (subscript == nullptr) {
      return std::nullopt;
    }
    std::optional<ObjectKey> object = key(subscript->base);
    ExprId index = subscript->index;
    while (const auto* conversion = std::get_if<Convert>(&context_.function.at(index).node)) {
      index = conversion->operand;
    }
    if (!object) {
      return std::nullopt;
    }
    if (const auto* literal = std::get_if<Literal>(&context_.function.at(index).node)) {
      object->insert(object->end(), {of_number, literal->bits});
      return object;
    }
    if (const auto* var = std::get_if<Var>(&context_.function.at(index).node)) {
      object->insert(object->end(), {of_variable, var->id});
      return object;
    }
    return std::nullopt;
  }

  FunctionContext& context_;
  std::vector<Clash> clashes_;
};

}  // namespace

void check_sequencing(FunctionContext& context, ExprId id) { check_sequencing(context, std::span(&id, 1)); }

void check_sequencing(FunctionContext& context, std::span<const ExprId> arguments) {
  Sequencing sequencing(context);
  const Effects effects = sequencing.of_arguments(arguments);
  sequencing.report(effects.all);
}

}  // namespace lockstep::core::sema
