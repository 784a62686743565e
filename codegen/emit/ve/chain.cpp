#include <algorithm>
#include <span>

#include "codegen/emit/ve/estimate.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

namespace model = ve::cost_model;

/// When values are there, by the longest way to each. Vectors wait for those that they are made of, wherever these lie.
class Chain {
 public:
  Chain(const Kernel& kernel, const Plan& plan)
      : kernel_(kernel), plan_(plan), definitions_(kernel.values.size(), nullptr), made_(kernel.values.size(), 0) {
    for (const Region& region : kernel.regions) {
      for (const Operation& operation : region.operations) {
        for (const ValueId result : operation.results) {
          definitions_[result] = &operation;
        }
      }
    }
  }

  double longest() {
    visit(kernel_.body);
    return longest_;
  }

 private:
  void visit(RegionId id) {
    for (const Operation& operation : kernel_.regions[id].operations) {
      if (const auto* loop = std::get_if<For>(&operation.node)) {
        const std::vector<ValueId>& arguments = kernel_.regions[loop->body].arguments;
        visit_rounds(operation, loop->inits, loop->body, std::span(arguments).subspan(1), rounds_of(kernel_, plan_, *loop));
      } else if (const auto* rounds = std::get_if<Loop>(&operation.node)) {
        visit_rounds(operation, rounds->inits, rounds->body, kernel_.regions[rounds->body].arguments, some_rounds);
      } else if (const auto* branch = std::get_if<If>(&operation.node)) {
        for (const RegionId arm : {branch->then, branch->otherwise}) {
          visit(arm);
          for (std::size_t k = 0; k < operation.results.size(); ++k) {
            double& made = made_[operation.results[k]];
            made = std::max(made, ready(kernel_.regions[arm].yields[k]));
          }
        }
      } else {
        make(operation);
      }
    }
  }

  /// Each round after the first one takes as much longer as the second one does.
  void visit_rounds(const Operation& operation, const std::vector<ValueId>& inits, RegionId body, std::span<const ValueId> arguments,
                    double rounds) {
    const std::vector<ValueId>& yields = kernel_.regions[body].yields;
    std::vector<double> first(arguments.size());
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      made_[arguments[k]] = made_[inits[k]];
    }
    visit(body);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      first[k] = made_[yields[k]];
      made_[arguments[k]] = made_[yields[k]];
    }
    visit(body);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const double more = std::max(made_[yields[k]] - first[k], 0.0);
      made_[operation.results[k]] = first[k] + more * std::max(rounds - 1, 0.0);
      longest_ = std::max(longest_, made_[operation.results[k]]);
    }
  }

  /// When an operation has the value in a register.
  double ready(ValueId value) const {
    if (plan_.homes[value] == Home::Expression && definitions_[value] != nullptr) {
      const Node& node = definitions_[value]->node;
      const auto way = plan_.reorderings.find(value);
      if (way != plan_.reorderings.end() && way->second.way == Way::Number) {
        return made_[std::get<Reorder>(node).source] + model::scalar_latency;
      }
      double last = 0;
      for_each_use(node, [&](ValueId used) { last = std::max(last, ready(used)); });
      return last;
    }
    const bool is_loaded = plan_.homes[value] == Home::Scratch && !plan_.kept.contains(value);
    return made_[value] + (is_loaded ? model::load_latency : 0);
  }

  void make(const Operation& operation) {
    double begin = 0;
    if (const auto* reorder = std::get_if<Reorder>(&operation.node)) {  // whose way has the load in it
      begin = made_[reorder->source];
    } else {
      for_each_use(operation.node, [&](ValueId used) { begin = std::max(begin, ready(used)); });
    }
    const double end = begin + latency_of(operation);
    for (const ValueId result : operation.results) {
      if (plan_.homes[result] != Home::Expression) {
        made_[result] = end + (plan_.homes[result] == Home::Scratch ? model::vector_latency : 0);
      }
    }
    longest_ = std::max(longest_, end);
  }

  double latency_of(const Operation& operation) const {
    const Node& node = operation.node;
    if (!operation.results.empty() && kernel_.type_of(operation.results.front()).layout.kind == Layout::Kind::Pack) {
      return model::scalar_latency;
    }
    if (const auto* one = std::get_if<Elementwise>(&node)) {
      const bool is_compared = is_comparison(one->op) || one->op == Op::Min || one->op == Op::Max;
      return is_quotient(one->op) ? model::divide_latency : model::vector_latency * (is_compared ? 2 : 1);
    }
    if (std::holds_alternative<Reorder>(node)) {
      const auto way = plan_.reorderings.find(operation.results.front());
      return way == plan_.reorderings.end() ? model::load_latency : latency_of(way->second);
    }
    if (std::holds_alternative<Load>(node) || std::holds_alternative<Shuffle>(node)) {
      return model::load_latency;
    }
    return model::vector_latency;
  }

  double latency_of(const Reordering& reordering) const {
    const double vectors = model::vector_latency;
    switch (reordering.way) {
      case Way::Name:
        return 0;
      case Way::Number:
        return model::scalar_latency;
      case Way::Memory:
      case Way::Gather:
        return model::load_latency;
      case Way::Move:
        return model::load_latency + vectors;
      case Way::Moves:
        return model::load_latency + vectors * static_cast<double>(reordering.distances.size());
      case Way::Segments:
        return model::scalar_latency + vectors * plan_.shape.wg_pack;
      case Way::Doubling:
        return model::load_latency + vectors * (1 + 2 * static_cast<double>(reordering.masks));
      case Way::Compress:
        return model::load_latency + 2 * vectors;
    }
    return vectors;
  }

  const Kernel& kernel_;
  const Plan& plan_;
  std::vector<const Operation*> definitions_;
  std::vector<double> made_;  ///< by values: when they are computed, and stored where they lie in memory
  double longest_ = 0;
};

}  // namespace

double chain_of(const Kernel& kernel, const Plan& plan) { return Chain(kernel, plan).longest(); }

}  // namespace lockstep::emit_ve
