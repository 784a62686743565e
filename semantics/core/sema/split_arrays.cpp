#include "semantics/core/sema/split_arrays.hpp"

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "semantics/core/sema/vectors.hpp"
#include "semantics/core/walk.hpp"

namespace lockstep::core::sema {
namespace {

/// An array of more elements stays one: the program would have a variable for each.
constexpr std::uint64_t most_elements = 256;

/// An element of a variable: `base[1][2]` with numbers for all indices.
struct Element {
  VarId variable;
  std::uint64_t index;  ///< row by row
};

/// The element that the expression is, if it is one as a whole.
std::optional<Element> element_of(const Function& function, ExprId id) {
  const Expr* expr = &function.at(id);
  if (!expr->type.is_scalar()) {
    return std::nullopt;
  }
  std::uint64_t index = 0;
  std::uint64_t stride = 1;
  while (const auto* subscript = std::get_if<Subscript>(&expr->node)) {
    const Expr& base = function.at(subscript->base);
    const auto* number = std::get_if<Literal>(&function.at(subscript->index).node);
    if (number == nullptr || !base.type.is_array() || number->bits >= base.type.extents.front()) {
      return std::nullopt;
    }
    index += number->bits * stride;
    stride *= base.type.extents.front();
    expr = &base;
  }
  const auto* var = std::get_if<Var>(&expr->node);
  return var != nullptr && expr->type.is_array() ? std::optional(Element{var->id, index}) : std::nullopt;
}

/// f(expression) for all that a statement evaluates itself, g(body) for the statements in it.
template <class F, class G>
void for_each_part(Stmt& statement, F&& f, G&& g) {
  std::visit(
      [&](auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Evaluate>) {
          f(node.expression);
        } else if constexpr (std::is_same_v<Node, Declare>) {
          std::ranges::for_each(node.values, f);
        } else if constexpr (std::is_same_v<Node, Block>) {
          g(node.body);
        } else if constexpr (std::is_same_v<Node, If>) {
          f(node.condition);
          g(node.then);
          g(node.otherwise);
        } else if constexpr (std::is_same_v<Node, Loop>) {
          g(node.init);
          if (node.condition) {
            f(*node.condition);
          }
          if (node.step) {
            f(*node.step);
          }
          g(node.body);
        } else if constexpr (std::is_same_v<Node, Switch>) {
          f(node.value);
          for (SwitchSection& section : node.sections) {
            g(section.body);
          }
        } else if constexpr (std::is_same_v<Node, Return>) {
          if (node.value) {
            f(*node.value);
          }
        } else if constexpr (std::is_same_v<Node, CrevCall>) {
          std::ranges::for_each(node.arguments, f);
        }
      },
      statement.node);
}

class Splitter {
 public:
  explicit Splitter(Function& function) : function_(function), stays_(function.variables.size()) {
    for (std::size_t i = 0; i < stays_.size(); ++i) {
      const Variable& variable = function.variables[i];
      stays_[i] = i < function.parameter_count || !variable.type.is_array() || variable.type.components == 0 ||
                  variable.space != AddressSpace::Private || product(variable.type.extents) > most_elements;
    }
    elements_.resize(stays_.size());
  }

  void run() {
    if (std::ranges::find(stays_, false) == stays_.end()) {
      return;
    }
    look(function_.body);
    for (const auto& [id, element] : mentioned_) {
      if (!stays_[element.variable]) {
        function_.expressions[id].node = Var{variable_of(element)};
      }
    }
    declare(function_.body);
  }

 private:
  void look(Body& body) {
    for (Stmt& statement : body) {
      for_each_part(statement, [&](ExprId id) { look(id); }, [&](Body& inner) { look(inner); });
    }
  }

  void look(ExprId id) {
    if (const auto element = element_of(function_, id)) {
      mentioned_.emplace_back(id, *element);
      return;
    }
    const Expr& expr = function_.at(id);
    if (const auto* address = std::get_if<AddressOf>(&expr.node)) {
      look_inside(address->place);  // a pointer to an element may go on to others
    } else {
      look_inside(id);
    }
  }

  void look_inside(ExprId id) {
    const Expr& expr = function_.at(id);
    if (const auto* var = std::get_if<Var>(&expr.node)) {
      stays_[var->id] = true;
    }
    for_each_operand(expr, [&](ExprId operand) { look(operand); });
  }

  VarId variable_of(const Element& element) {
    auto& known = elements_[element.variable];
    const auto [entry, added] = known.try_emplace(element.index, static_cast<VarId>(function_.variables.size()));
    if (added) {
      const Variable array = function_.variables[element.variable];
      function_.variables.push_back({.name = array.name + "_" + name_of_element(array.type, element.index),
                                     .type = Type::scalar_of(array.type.scalar),
                                     .is_const = array.type.is_const,
                                     .span = array.span});
    }
    return entry->second;
  }

  static std::string name_of_element(const Type& type, std::uint64_t index) {
    std::vector<std::string> digits;
    for (std::size_t i = type.extents.size(); i-- > 0; index /= type.extents[i]) {
      const std::uint64_t digit = index % type.extents[i];
      const bool is_component = i + 1 == type.extents.size() && digit < type.components;
      digits.push_back(is_component ? component_name(type.components, digit) : std::to_string(digit));
    }
    std::string name;
    for (const std::string& digit : digits | std::views::reverse) {
      name += (name.empty() ? "" : "_") + digit;
    }
    return name;
  }

  /// Each declaration of an array that goes becomes those of its elements, with their initial values in order.
  void declare(Body& body) {
    Body result;
    for (Stmt& statement : body) {
      const auto* declared = std::get_if<Declare>(&statement.node);
      if (declared == nullptr || stays_[declared->variable]) {
        for_each_part(statement, [](ExprId) {}, [&](Body& inner) { declare(inner); });
        result.push_back(std::move(statement));
        continue;
      }
      for (std::uint64_t i = 0; i < product(function_.variables[declared->variable].type.extents); ++i) {
        declare(*declared, i, statement.span, result);
      }
    }
    body = std::move(result);
  }

  void declare(const Declare& array, std::uint64_t index, SourceSpan span, Body& body) {
    const auto known = elements_[array.variable].find(index);
    std::vector<ExprId> values;
    if (!array.values.empty()) {
      values = {array.values[index]};
    }
    if (known != elements_[array.variable].end()) {
      body.push_back({Declare{known->second, std::move(values)}, span});
    } else if (!values.empty() && !std::holds_alternative<Literal>(function_.at(values.front()).node)) {
      body.push_back({Evaluate{values.front()}, span});
    }
  }

  Function& function_;
  std::vector<bool> stays_;
  std::vector<std::pair<ExprId, Element>> mentioned_;
  std::vector<std::unordered_map<std::uint64_t, VarId>> elements_;  ///< by array and index: their own variables
};

}  // namespace

void split_arrays(Function& function) { Splitter(function).run(); }

}  // namespace lockstep::core::sema
