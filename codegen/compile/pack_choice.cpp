#include "codegen/compile/pack_choice.hpp"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "codegen/emit/llvm/emit.hpp"
#include "codegen/emit/llvm/uses.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep {

using namespace infreg;

namespace {

// The constants of the header.
constexpr double rounds_of_unknown_loop = 16;
constexpr double in_memory = 3;
constexpr double masked_access = 4;
constexpr double spilled = 0.3;
constexpr double latency = 2;
constexpr double look_ahead = 400;
constexpr double worthwhile = 0.87;
constexpr std::uint64_t most_items = std::uint64_t{1} << 20;

/// Needs no instruction of its own, or one in front of everything.
bool is_free(const Node& node) {
  return std::holds_alternative<Constant>(node) || std::holds_alternative<ConstantLanes>(node) || std::holds_alternative<Poison>(node) ||
         std::holds_alternative<Index>(node) || std::holds_alternative<Mask>(node) || std::holds_alternative<Spread>(node) ||
         std::holds_alternative<Bitcast>(node) || std::holds_alternative<AddressOf>(node);
}

class Model {
 public:
  Model(const Kernel& kernel, unsigned wg_pack, unsigned vector_bytes)
      : kernel_(kernel),
        shape_{kernel.shape.wg_size, wg_pack},
        registers_(vector_bytes >= 64 ? 32 : 16),
        lanes_(emit_llvm::chunk_lanes(kernel, shape_, vector_bytes)),
        uses_(emit_llvm::uses_of(kernel, [](Layout) { return false; })),
        depth_(kernel.values.size(), 0) {}

  double cost() {
    const Cost all = region(kernel_.body, 0);
    const double waiting = latency * all.chain * std::min(1.0, all.work / look_ahead);
    return (all.work + waiting) / shape_.wg_pack;
  }

 private:
  struct Cost {
    double work = 0;
    double chain = 0;
  };

  double chunks(Layout layout) const {
    const std::uint64_t count = (lanes(layout, shape_) + lanes_ - 1) / lanes_;
    return static_cast<double>(count);
  }

  /// Whether a value takes vector registers: truth values have others, numbers of the pack are scalars.
  bool takes_registers(ValueId value) const {
    const Type& type = kernel_.type_of(value);
    return type.layout.kind != Layout::Kind::Pack && type.element != truth &&
           chunks(type.layout) <= emit_llvm::EmitOptions().most_ssa_chunks;
  }

  /// `alive`: chunks that are kept meanwhile for what stands around.
  Cost region(RegionId id, double alive) {
    const Region& here = kernel_.regions[id];
    std::vector<double> ending(here.operations.size() + 1, 0);
    for (const ValueId argument : here.arguments) {
      begin(argument, 0, ending, alive);
    }
    Cost all;
    for (std::size_t i = 0; i < here.operations.size(); ++i) {
      const Operation& operation = here.operations[i];
      double start = 0;
      for_each_use(operation.node, [&](ValueId value) { start = std::max(start, uses_.home[value] == id ? depth_[value] : 0); });
      const Cost own = of(operation, alive);
      for (const ValueId result : operation.results) {
        depth_[result] = start + own.chain;
        if (!is_free(operation.node)) {
          begin(result, i, ending, alive);
        }
      }
      all.work += own.work;
      all.chain = std::max(all.chain, start + own.chain);
      alive -= ending[i];
    }
    return all;
  }

  void begin(ValueId value, std::size_t at, std::vector<double>& ending, double& alive) {
    if (takes_registers(value)) {
      const double size = chunks(kernel_.type_of(value).layout);
      alive += size;
      ending[std::max(at, uses_.last[value])] += size;
    }
  }

  Cost of(const Operation& operation, double alive) {
    if (is_free(operation.node)) {
      return {};
    }
    if (const auto* loop = std::get_if<For>(&operation.node)) {
      return times(region(loop->body, alive), rounds(*loop));
    }
    if (const auto* loop = std::get_if<Loop>(&operation.node)) {
      return times(region(loop->body, alive), rounds_of_unknown_loop);
    }
    if (const auto* branch = std::get_if<If>(&operation.node)) {
      const Cost then = region(branch->then, alive);
      const Cost otherwise = region(branch->otherwise, alive);
      return {(then.work + otherwise.work) / 2, std::max(then.chain, otherwise.chain)};
    }
    const Layout layout = emit_llvm::layout_of(kernel_, operation);
    double work = chunks(layout);
    if (work > emit_llvm::EmitOptions().most_ssa_chunks) {
      work += in_memory * work;
    } else if (alive > registers_) {
      work *= 1 + spilled * (1 - registers_ / alive);
    }
    const bool is_access = accessed_place(operation.node) != nullptr;
    if (is_access && layout.kind != Layout::Kind::Pack && lanes(layout, shape_) % lanes_ != 0) {
      work += masked_access;
    }
    return {work, 1};
  }

  static Cost times(Cost once, double rounds) { return {once.work * rounds, once.chain * rounds}; }

  static double rounds(const For& loop) {
    if (!loop.from.is_constant() || !loop.limit.is_constant()) {
      return rounds_of_unknown_loop;
    }
    const double distance = static_cast<double>(loop.limit.constant()) - static_cast<double>(loop.from.constant());
    return std::max(0.0, std::ceil(distance / static_cast<double>(loop.step)));
  }

  const Kernel& kernel_;
  Shape shape_;
  double registers_;
  unsigned lanes_;
  emit_llvm::Uses uses_;
  std::vector<double> depth_;  ///< of each value: operations in the longest chain to it within its region
};

}  // namespace

double modelled_cost(const Kernel& kernel, unsigned wg_pack, unsigned vector_bytes) { return Model(kernel, wg_pack, vector_bytes).cost(); }

unsigned choose_pack(const Kernel& kernel, const emit_llvm::Target& target) {
  const unsigned bytes = emit_llvm::vector_bytes(target).value_or(16);
  unsigned best = 1;
  double least = 0;
  for (const unsigned pack : pack_choices) {
    if (pack > 1 && (std::uint64_t{kernel.shape.wg_size} * pack > most_items || !emit_llvm::fits(kernel, pack, target))) {
      break;
    }
    const double cost = modelled_cost(kernel, pack, bytes);
    if (pack == 1 || cost < worthwhile * least) {
      best = pack;
      least = cost;
    }
  }
  return best;
}

}  // namespace lockstep
