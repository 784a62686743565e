#include "codegen/passes/clean/patterns.hpp"

#include "codegen/passes/clean/polynomials.hpp"

namespace lockstep::passes::clean {

using namespace infreg;

std::optional<Polynomial> placed(const Polynomial& polynomial, const Polynomial& item, const Polynomial& element) {
  return replaced(polynomial, [&](Symbol symbol) {
    return symbol.kind == Symbol::Kind::Item      ? std::optional(item)
           : symbol.kind == Symbol::Kind::Element ? std::optional(element)
                                                  : std::nullopt;
  });
}

std::optional<std::vector<std::uint32_t>> table_of(const Kernel& kernel, const Reorder& node) {
  if (const auto* table = std::get_if<Reorder::Table>(&node.pattern)) {
    return table->source;
  }
  const auto& affine = std::get<Reorder::Affine>(node.pattern);
  bool has_values = false;
  affine.item.for_each_value([&](ValueId) { has_values = true; });
  affine.element.for_each_value([&](ValueId) { has_values = true; });
  const std::uint64_t count = lanes_per_group(node.layout, kernel.shape);
  if (has_values || count > most_folded_lanes) {
    return std::nullopt;
  }
  const Layout from = kernel.type_of(node.source).layout;
  const std::uint64_t items = from.kind == Layout::Kind::Item ? kernel.shape.wg_size : 1;
  std::vector<std::uint32_t> result;
  for (std::uint64_t k = 0; k < count; ++k) {
    const Lane lane = lane_at(node.layout, kernel.shape, k);
    const auto at = [&](Symbol symbol) -> std::int64_t { return symbol.kind == Symbol::Kind::Item ? lane.wi : lane.ix; };
    const auto item = static_cast<std::uint64_t>(affine.item.evaluate(at));
    const auto element = static_cast<std::uint64_t>(affine.element.evaluate(at));
    result.push_back(item < items && element < from.elements ? static_cast<std::uint32_t>(item * from.elements + element)
                                                             : Reorder::Table::nowhere);
  }
  return result;
}

}  // namespace lockstep::passes::clean
