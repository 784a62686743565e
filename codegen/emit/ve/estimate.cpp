#include "codegen/emit/ve/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "codegen/emit/ve/cycles.hpp"
#include "codegen/emit/ve/reads.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

class Estimate {
 public:
  Estimate(const Kernel& kernel, const Plan& plan, unsigned lanes)
      : kernel_(kernel), plan_(plan), reads_(kernel, plan.homes), cost_(lanes) {}

  Work of(RegionId id) const {
    Work work;
    for (const Run& run : plan_.runs[id]) {
      for (std::uint32_t k = run.first; k < run.last; ++k) {
        work += of(kernel_.regions[id].operations[k]);
      }
    }
    return work;
  }

 private:
  Work accesses(double count) const { return {count, count * cost_.access(), 0, 0, 0}; }
  Work moves(double count) const { return {count, 0, 0, count * cost_.move(), 0}; }

  Work of(const Operation& operation) const {
    if (const auto* loop = std::get_if<For>(&operation.node)) {
      return of(loop->body).times(rounds_of(kernel_, plan_, *loop));
    }
    if (const auto* loop = std::get_if<Loop>(&operation.node)) {
      return of(loop->body).times(some_rounds);
    }
    if (const auto* branch = std::get_if<If>(&operation.node)) {
      Work both = of(branch->then);
      both += of(branch->otherwise);
      return both.times(0.5);
    }
    if (operation.results.size() == 1 && plan_.homes[operation.results.front()] == Home::Expression) {
      return {};
    }
    return of_vectors(operation);
  }

  /// One operation for each vector of its layout, with what it reads and where its result goes.
  Work of_vectors(const Operation& operation) const {
    const auto* store = std::get_if<Store>(&operation.node);
    const Layout layout = store != nullptr                               ? layout_of(store->value)
                          : std::holds_alternative<Vote>(operation.node) ? layout_of(std::get<Vote>(operation.node).value)
                                                                         : layout_of(operation.results.front());
    if (layout.kind == Layout::Kind::Pack) {
      return {};
    }
    Work work = of_node(operation);
    if (!std::holds_alternative<Reorder>(operation.node)) {  // whose way has the source in it
      reads_.of(operation, [&](ValueId value, bool) { work += of_read(value); });
    }
    for_each_plain_operand(operation.node, [&](ValueId value) { work += of_expression(value); });
    for (const ValueId result : operation.results) {
      if (plan_.homes[result] == Home::Scratch) {
        work += accesses(1);
        work += moves(element_of(result) == truth ? 2 : 0);
      }
    }
    return work.times(static_cast<double>(plan_.vectors(layout)));
  }

  Work of_read(ValueId value) const {
    if (plan_.homes[value] != Home::Scratch || plan_.kept.contains(value)) {
      return {};
    }
    Work work = accesses(1);
    work += moves(element_of(value) == truth ? 1 : 0);
    return work;
  }

  /// What is made where it is used: masks and indices.
  Work of_expression(ValueId value) const {
    const Mask* mask = plan_.homes[value] == Home::Expression ? reads_.mask_of(value) : nullptr;
    if (mask == nullptr) {
      return {};
    }
    Work work = moves(2);
    for (const Mask::Comparison& one : mask->all_of) {
      if (plan_.arrangement == Arrangement::Rows && (plan_.differs(one.left) || plan_.differs(one.right))) {
        work += accesses(1);
      }
    }
    return work;
  }

  Work of_node(const Operation& operation) const {
    if (const auto* one = std::get_if<Elementwise>(&operation.node)) {
      return of_elementwise(*one);
    }
    if (std::holds_alternative<Reorder>(operation.node)) {
      const auto way = plan_.reorderings.find(operation.results.front());
      if (way == plan_.reorderings.end() || way->second.candidates.empty()) {
        return accesses(1);
      }
      const Reordering::Candidate& chosen = way->second.candidates.front();
      return {chosen.instructions, chosen.cache, 0, chosen.integers, 0};
    }
    if (std::holds_alternative<Shuffle>(operation.node)) {
      return {5, cost_.gather(), 0, 4 * cost_.move(), 0};
    }
    if (const Place* place = accessed_place(operation.node)) {
      if (plan_.is_paired) {
        Work both = accesses(2);
        both += moves(std::holds_alternative<Load>(operation.node) ? 1 : 0);
        return both;
      }
      const auto* load = std::get_if<Load>(&operation.node);
      if (std::holds_alternative<Atomic>(operation.node)) {
        return {4, 2 * cost_.gather(), 0, 8 * cost_.move(), 0};  // lane by lane
      }
      const bool is_masked = access_mask(operation.node).has_value();
      // A masked load gathers.
      return place->lanes || (load != nullptr && is_masked) ? Work{4, cost_.gather(), 0, 3 * cost_.move(), 0} : accesses(1);
    }
    if (std::holds_alternative<Vote>(operation.node)) {
      return moves(4);
    }
    return moves(std::holds_alternative<Convert>(operation.node) ? 2 : 1);
  }

  Work of_elementwise(const Elementwise& node) const {
    if (is_quotient(node.op)) {
      return {1, 0, 0, 0, cost_.quotient()};
    }
    const bool is_compared = is_comparison(node.op) || node.op == Op::Min || node.op == Op::Max;
    const bool is_of_signs = node.op == Op::Neg || node.op == Op::Fabs;
    return is_float(node.operand_type) && !is_compared && !is_of_signs ? Work{1, 0, cost_.floats(), 0, 0} : moves(is_compared ? 2 : 1);
  }

  Layout layout_of(ValueId value) const { return kernel_.type_of(value).layout; }
  Element element_of(ValueId value) const { return kernel_.type_of(value).element; }

  const Kernel& kernel_;
  const Plan& plan_;
  Reads reads_;
  VectorCost cost_;
};

}  // namespace

bool is_quotient(Op op) { return op == Op::Div || op == Op::Rem || op == Op::Sqrt || op == Op::Rcp; }

double rounds_of(const Kernel& kernel, const Plan& plan, const For& loop) {
  const auto range = plan.ranges.find(kernel.regions[loop.body].arguments.front());
  if (range == plan.ranges.end()) {
    return some_rounds;
  }
  const auto distance = static_cast<double>(range->second.most - range->second.least);
  return std::max(distance / std::abs(static_cast<double>(loop.step)) + 1, 0.0);
}

Work work_of(const Kernel& kernel, const Plan& plan, unsigned lanes) { return Estimate(kernel, plan, lanes).of(kernel.body); }

double cycles_of(const Kernel& kernel, const Plan& plan, unsigned lanes) { return work_of(kernel, plan, lanes).most(); }

}  // namespace lockstep::emit_ve
