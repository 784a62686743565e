#include <algorithm>
#include <span>

#include "codegen/emit/ve/estimate.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

namespace model = ve::cost_model;

/// Loops that stand in fewer others are looked at twice: a body in so many loops 2^4 times.
constexpr unsigned most_doubled = 4;

/// When values are there, by the longest way to each. Vectors wait for those that they are made of, wherever these lie.
class Chain {
 public:
  Chain(const Kernel& kernel, const Plan& plan) : kernel_(kernel), plan_(plan), made_(kernel.values.size(), 0) {}

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

  /// Each round after the first one takes as much longer as the second one does; in nests of many loops as the first one, which alone is
  /// looked at there.
  void visit_rounds(const Operation& operation, const std::vector<ValueId>& inits, RegionId body, std::span<const ValueId> arguments,
                    double rounds) {
    const std::vector<ValueId>& yields = kernel_.regions[body].yields;
    std::vector<double> first(arguments.size());
    std::vector<double> more(arguments.size());
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      made_[arguments[k]] = made_[inits[k]];
    }
    const bool is_looked_at_twice = depth_ < most_doubled;
    ++depth_;
    visit(body);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      first[k] = made_[yields[k]];
      more[k] = first[k] - made_[inits[k]];
      made_[arguments[k]] = made_[yields[k]];
    }
    if (is_looked_at_twice) {
      visit(body);
    }
    --depth_;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      more[k] = is_looked_at_twice ? made_[yields[k]] - first[k] : more[k];
      made_[operation.results[k]] = first[k] + std::max(more[k], 0.0) * std::max(rounds - 1, 0.0);
      longest_ = std::max(longest_, made_[operation.results[k]]);
    }
  }

  /// When an operation has the value in a register.
  double ready(ValueId value) const {
    const bool is_loaded = plan_.homes[value] == Home::Scratch && !plan_.kept.contains(value);
    return made_[value] + (is_loaded ? model::load_latency : 0);
  }

  double ready(const Operation& operation) const {
    double last = 0;
    for_each_use(operation.node, [&](ValueId used) { last = std::max(last, ready(used)); });
    return last;
  }

  void make(const Operation& operation) {
    const auto* reorder = std::get_if<Reorder>(&operation.node);
    const double begin = reorder != nullptr ? made_[reorder->source] : ready(operation);  // a reordering's way has the load in it
    const double end = begin + latency_of(operation);
    for (const ValueId result : operation.results) {
      const auto way = plan_.reorderings.find(result);
      if (plan_.homes[result] != Home::Expression) {
        made_[result] = end + (plan_.homes[result] == Home::Scratch ? model::vector_latency : 0);
      } else if (way != plan_.reorderings.end() && way->second.way == Way::Number) {
        made_[result] = begin + model::scalar_latency;
      } else {
        made_[result] = ready(operation);  // it is written where it is used
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
    if (std::holds_alternative<Load>(node) || std::holds_alternative<Atomic>(node) || std::holds_alternative<Shuffle>(node)) {
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
  std::vector<double> made_;  ///< by values: when they are computed, and stored where they lie in memory
  double longest_ = 0;
  unsigned depth_ = 0;  ///< of loops
};

}  // namespace

double chain_of(const Kernel& kernel, const Plan& plan) { return Chain(kernel, plan).longest(); }

}  // namespace lockstep::emit_ve
