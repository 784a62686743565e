#include "codegen/emit/avx512/emit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/avx512/entry.hpp"
#include "codegen/emit/avx512/lowering.hpp"
#include "codegen/emit/avx512/pack.hpp"
#include "codegen/emit/c/header.hpp"
#include "semantics/infreg/limits.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

/// 16 lanes if what the lanes hold fits them: all but indices and what is made of them has 32 bits.
unsigned chunk_lanes(const Kernel& kernel) {
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      const bool of_memory = accessed_place(operation.node) != nullptr;
      const auto* elementwise = std::get_if<Elementwise>(&operation.node);
      if (of_memory) {
        const auto* store = std::get_if<Store>(&operation.node);
        const Type& type = kernel.type_of(store != nullptr ? store->value : operation.results.front());
        if (type.layout.kind != Layout::Kind::Pack && size_of(type.element.scalar) == 8) {
          return 8;
        }
      }
      if (elementwise != nullptr && elementwise->operand_type == ScalarType::Double) {
        return 8;
      }
    }
  }
  return 16;
}

std::expected<Emitted, std::string> emit(const Kernel& kernel, const EmitOptions& options) {
  const std::string symbol = options.symbol.empty() ? kernel.name : options.symbol;
  if (!emit_c::is_c_name(symbol)) {
    return std::unexpected(fmt::format("'{}' is no name for a function in C++; give the kernel another one", symbol));
  }
  Plan plan;
  plan.chunk_lanes = options.chunk_lanes != 0 ? options.chunk_lanes : emit_avx512::chunk_lanes(kernel);
  plan.most_chunks = options.most_chunks;
  plan.whole_packs = true;
  plan.forms = options.forms;
  plan.columns = options.columns;
  plan.from_memory = options.from_memory;
  plan.near = options.approx == Approx::Rcp14;
  plan.streams = options.nontemporal != Nontemporal::Off;
  if (plan.chunk_lanes != 8 && plan.chunk_lanes != 16) {
    return std::unexpected(fmt::format("a chunk of {} lanes is not possible: it has 8 or 16", plan.chunk_lanes));
  }
  const bool fits = kernel.shape.wg_pack == plan.chunk_lanes;
  if (options.layout == LayoutChoice::Groups && !fits) {
    return std::unexpected(
        fmt::format("groups side by side fill chunks: WG_PACK must be {}, it is {}", plan.chunk_lanes, kernel.shape.wg_pack));
  }
  if (options.layout == LayoutChoice::Groups ||
      (options.layout == LayoutChoice::Auto && fits && are_groups_better(kernel, plan.chunk_lanes))) {
    plan.arrangement = Arrangement::Groups;
    plan.most_chunks = most_chunks_of_groups(kernel, plan.chunk_lanes);
  }
  return emit_file(kernel, symbol, plan, options);
}

}  // namespace lockstep::emit_avx512
