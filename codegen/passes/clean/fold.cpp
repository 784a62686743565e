#include "codegen/passes/clean/fold.hpp"

#include <utility>

#include "codegen/passes/clean/replacements.hpp"
#include "codegen/passes/clean/rules.hpp"
#include "semantics/infreg/access.hpp"

namespace lockstep::passes::clean {

using namespace infreg;

namespace {

class Folding {
 public:
  explicit Folding(Kernel& kernel) : kernel_(kernel), facts_(kernel), replacements_(kernel.values.size()) {}

  bool run() {
    region(kernel_.body);
    return has_changed_;
  }

 private:
  void region(RegionId id) {
    Region& r = kernel_.regions[id];
    for (Operation& operation : r.operations) {
      has_changed_ = replacements_.rename(operation.node) || has_changed_;
      const Type type = lanes_of(operation);
      fold_polynomials(operation.node, type.layout);
      simplify(operation, type);
      control(operation);
      facts_.meet(operation);
    }
    has_changed_ = replacements_.rename(r.yields) || has_changed_;
  }

  /// The type of the lanes that the operation works on.
  Type lanes_of(const Operation& operation) const {
    if (const auto* store = std::get_if<Store>(&operation.node)) {
      return kernel_.type_of(store->value);
    }
    return operation.results.empty() || std::holds_alternative<For>(operation.node) ? Type{index_element, Layout::pack()}
                                                                                    : kernel_.type_of(operation.results.front());
  }

  // ---- operations ----------------------------------------------------------------------------------------------------------

  void simplify(Operation& operation, const Type& type) {
    const auto step = [&] {
      return std::visit(
          [&]<class T>(const T& node) -> Simpler {
            if constexpr (requires { simpler(kernel_, facts_, node, type); }) {
              return simpler(kernel_, facts_, node, type);
            } else {
              return nothing();
            }
          },
          operation.node);
    };
    has_changed_ = simplify_fully(operation, replacements_, step) || has_changed_;
  }

  /// Puts in what is known of the symbols, where that keeps the polynomials small.
  void fold_polynomials(Node& node, Layout layout) {
    const auto known = [&](Symbol symbol) -> std::optional<Polynomial> {
      switch (symbol.kind) {
        case Symbol::Kind::Item:
          return kernel_.shape.wg_size == 1 ? std::optional(Polynomial(0)) : std::nullopt;
        case Symbol::Kind::Element:
          return layout.elements == 1 ? std::optional(Polynomial(0)) : std::nullopt;
        case Symbol::Kind::Group:
          return std::nullopt;
        case Symbol::Kind::Value:
          break;
      }
      return number(symbol.value);
    };
    for_each_polynomial(node, [&](Polynomial& polynomial) {
      bool is_concerned = false;
      for (const Monomial& term : polynomial.terms()) {
        for (const Symbol symbol : term.factors) {
          is_concerned = is_concerned || known(symbol).has_value();
        }
      }
      if (!is_concerned) {
        return;
      }
      if (auto result = replaced(polynomial, known)) {
        polynomial = std::move(*result);
        has_changed_ = true;
      }
    });
  }

  /// What the value of layout Pack is in terms of others.
  std::optional<Polynomial> number(ValueId value) const {
    if (const auto* index = facts_.as<Index>(value)) {
      return index->value;
    }
    if (const auto bits = facts_.constant(value)) {
      return Polynomial(static_cast<std::int64_t>(*bits));
    }
    if (const auto* convert = facts_.as<Convert>(value); convert != nullptr && is_counter(kernel_.type_of(convert->source))) {
      return Polynomial(Symbol::of(convert->source));
    }
    return std::nullopt;
  }

  // ---- control -------------------------------------------------------------------------------------------------------------

  void control(Operation& operation) {
    if (const auto* branch = std::get_if<If>(&operation.node)) {
      region(branch->then);
      region(branch->otherwise);
      const std::vector<ValueId>& then = kernel_.regions[branch->then].yields;
      const std::vector<ValueId>& otherwise = kernel_.regions[branch->otherwise].yields;
      for (std::size_t i = 0; i < then.size(); ++i) {
        if (then[i] == otherwise[i]) {
          replacements_.replace(operation.results[i], then[i]);
        }
      }
    } else if (const auto* counted = std::get_if<For>(&operation.node)) {
      facts_.enter(*counted);
      carried(operation, counted->inits, counted->body, 1);
      region(counted->body);
    } else if (const auto* loop = std::get_if<Loop>(&operation.node)) {
      carried(operation, loop->inits, loop->body, 0);
      region(loop->body);
    }
  }

  /// What is the same in all rounds is the same in front of the loop.
  void carried(const Operation& operation, const std::vector<ValueId>& inits, RegionId body, std::size_t first_argument) {
    const Region& region = kernel_.regions[body];
    for (std::size_t i = 0; i < inits.size(); ++i) {
      const ValueId argument = region.arguments[first_argument + i];
      const ValueId next = replacements_(region.yields[i]);
      if (next == argument || next == inits[i]) {
        replacements_.replace(argument, inits[i]);
        replacements_.replace(operation.results[i], inits[i]);
      }
    }
  }

  Kernel& kernel_;
  Facts facts_;
  Replacements replacements_;
  bool has_changed_ = false;
};

}  // namespace

bool fold(Kernel& kernel) { return Folding(kernel).run(); }

}  // namespace lockstep::passes::clean
