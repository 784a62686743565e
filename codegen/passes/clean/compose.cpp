#include "codegen/passes/clean/compose.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "codegen/passes/clean/facts.hpp"
#include "codegen/passes/clean/patterns.hpp"
#include "codegen/passes/clean/replacements.hpp"
#include "codegen/passes/clean/rules.hpp"

namespace lockstep::passes::clean {

using namespace infreg;

namespace {

class Composition {
 public:
  explicit Composition(Kernel& kernel) : kernel_(kernel), facts_(kernel), replacements_(kernel.values.size()) {}

  bool run() {
    region(kernel_.body);
    return has_changed_;
  }

 private:
  void region(RegionId id) {
    Region& r = kernel_.regions[id];
    for (Operation& operation : r.operations) {
      has_changed_ = replacements_.rename(operation.node) || has_changed_;
      simplify(operation);
      for_each_region(operation.node, [&](RegionId inner) { region(inner); });
      facts_.meet(operation);
    }
    has_changed_ = replacements_.rename(r.yields) || has_changed_;
  }

  void simplify(Operation& operation) {
    const auto step = [&]() -> Simpler {
      if (const auto* spread = std::get_if<Spread>(&operation.node)) {
        return composed(*spread);
      }
      const auto* reorder = std::get_if<Reorder>(&operation.node);
      if (reorder == nullptr) {
        return nothing();
      }
      const Simpler result = plain(*reorder);
      return std::holds_alternative<std::monostate>(result) ? composed(*reorder) : result;
    };
    has_changed_ = simplify_fully(operation, replacements_, step) || has_changed_;
  }

  Layout layout_of(ValueId value) const { return kernel_.type_of(value).layout; }
  std::uint64_t items(Layout layout) const { return layout.kind == Layout::Kind::Item ? kernel_.shape.wg_size : 1; }

  // ---- one reordering -------------------------------------------------------------------------------------------------------

  /// The shortest form of a reordering by itself.
  Simpler plain(const Reorder& node) const {
    const Layout from = layout_of(node.source);
    if (const auto* table = std::get_if<Reorder::Table>(&node.pattern)) {
      return from == node.layout && stays(*table) ? same_as(node.source) : nothing();
    }
    Reorder::Affine affine = std::get<Reorder::Affine>(node.pattern);
    if (from.elements == 1) {
      affine.element = 0;  // any other is nowhere
    }
    if (items(from) == 1) {
      affine.item = 0;
    }
    const bool own_item = from.kind == Layout::Kind::Item && (affine.item == Polynomial(Symbol::item()) || items(from) == 1);
    const bool own_element = affine.element == Polynomial(Symbol::element()) || from.elements == 1;
    if (from == node.layout && own_element && (own_item || from.kind == Layout::Kind::Group)) {
      return same_as(node.source);
    }
    if (node.layout.kind == Layout::Kind::Item && from.elements == 1 && (own_item || from.kind == Layout::Kind::Group)) {
      return becomes(Spread{node.source, node.layout});
    }
    return affine == std::get<Reorder::Affine>(node.pattern) ? nothing() : becomes(Reorder{node.source, node.layout, std::move(affine)});
  }

  static bool stays(const Reorder::Table& table) {
    for (std::size_t k = 0; k < table.source.size(); ++k) {
      if (table.source[k] != Reorder::Table::nowhere && table.source[k] != k) {
        return false;
      }
    }
    return true;
  }

  // ---- two ------------------------------------------------------------------------------------------------------------------

  Simpler composed(const Spread& node) const {
    if (const auto* inner = facts_.as<Spread>(node.source)) {
      return becomes(Spread{inner->source, node.layout});
    }
    if (const auto* inner = facts_.as<Reorder>(node.source)) {
      const Polynomial item = layout_of(node.source).kind == Layout::Kind::Item ? Polynomial(Symbol::item()) : Polynomial(0);
      return followed(*inner, Reorder{node.source, node.layout, Reorder::Affine{item, 0}});
    }
    return nothing();
  }

  Simpler composed(const Reorder& node) const {
    if (const auto* inner = facts_.as<Spread>(node.source)) {
      const Layout from = layout_of(inner->source);
      if (from.kind == Layout::Kind::Pack) {
        return becomes(Spread{inner->source, node.layout});
      }
      const Polynomial item = from.kind == Layout::Kind::Item ? Polynomial(Symbol::item()) : Polynomial(0);
      return followed(Reorder{inner->source, inner->layout, Reorder::Affine{item, 0}}, node);
    }
    const auto* inner = facts_.as<Reorder>(node.source);
    return inner != nullptr ? followed(*inner, node) : nothing();
  }

  /// First `inner`, then `outer`, whose source is its result.
  Simpler followed(const Reorder& inner, const Reorder& outer) const {
    const auto* first = std::get_if<Reorder::Affine>(&inner.pattern);
    const auto* second = std::get_if<Reorder::Affine>(&outer.pattern);
    if (first != nullptr && second != nullptr) {
      auto item = placed(first->item, second->item, second->element);
      auto element = placed(first->element, second->item, second->element);
      return item && element ? becomes(Reorder{inner.source, outer.layout, Reorder::Affine{std::move(*item), std::move(*element)}})
                             : nothing();
    }
    const auto inner_table = table_of(kernel_, inner);
    const auto outer_table = table_of(kernel_, outer);
    if (!inner_table || !outer_table) {
      return nothing();
    }
    Reorder::Table table;
    table.source.reserve(outer_table->size());
    for (const std::uint32_t lane : *outer_table) {
      table.source.push_back(lane == Reorder::Table::nowhere ? lane : (*inner_table)[lane]);
    }
    return becomes(Reorder{inner.source, outer.layout, std::move(table)});
  }

  Kernel& kernel_;
  Facts facts_;
  Replacements replacements_;
  bool has_changed_ = false;
};

}  // namespace

bool compose(Kernel& kernel) { return Composition(kernel).run(); }

}  // namespace lockstep::passes::clean
