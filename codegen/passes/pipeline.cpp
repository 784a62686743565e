#include "codegen/passes/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/passes/arrays.hpp"
#include "codegen/passes/clean/common.hpp"
#include "codegen/passes/clean/compose.hpp"
#include "codegen/passes/clean/dead_values.hpp"
#include "codegen/passes/clean/decide.hpp"
#include "codegen/passes/clean/demand.hpp"
#include "codegen/passes/clean/fold.hpp"
#include "codegen/passes/clean/hoist.hpp"
#include "codegen/passes/clean/turn.hpp"
#include "codegen/passes/dead.hpp"
#include "codegen/passes/elements.hpp"
#include "codegen/passes/kinds.hpp"
#include "codegen/passes/loops.hpp"
#include "codegen/passes/masks.hpp"
#include "codegen/passes/normalise.hpp"
#include "codegen/passes/print.hpp"
#include "codegen/passes/streaming.hpp"
#include "codegen/passes/to_infreg.hpp"
#include "codegen/passes/walk.hpp"
#include "semantics/base/internal_error.hpp"
#include "semantics/infreg/limits.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/verify.hpp"

namespace lockstep::passes {

namespace {

constexpr std::array list = {
    Pass{"dead", "takes away what inlining left behind, so that the next passes see the kernel's own work only", &remove_dead},
    Pass{"streaming", "with --streaming: leaves arrays in the memory that they are loaded from; before arrays, which would take them",
         &stream_arrays, true},
    Pass{"arrays", "brings arrays with known indices into registers; before masks, because a register needs none to be read",
         &promote_arrays},
    Pass{"masks", "turns control into masks at assignments; from here on every statement is executed by all items", &propagate_masks},
    Pass{"dead-masks", "takes away the masks that nobody asks", &remove_dead},
    Pass{"kinds", "finds what is the same for a group or the pack, so that it is computed once", &find_kinds},
    Pass{"loops", "decides which loops are done for all elements at once, unrolled, or kept", &classify_loops},
    Pass{"elements", "makes variables of the elements of arrays that are only met one by one; behind loops, which says where they are",
         &part_elements},
    // On InfReg-IR. Each makes work for those behind it, the last ones for the first: hence the rounds.
    Pass{"fold", "computes what is known when compiling; first, because the others look for constants, equal operations and dead ones",
         &clean::fold},
    Pass{"decide", "puts branches that are always taken in their place; behind fold, which finds out that they are",
         &clean::decide_control},
    Pass{"turn",
         "asks the condition of a whole pack in front of rounds, so that they need no mask for it; behind fold, which makes it one value",
         &clean::turn_loops},
    Pass{"compose", "makes one reordering of several; before common, because it shows that two of them bring the same lanes",
         &clean::compose},
    Pass{"common", "computes once what is computed twice; before hoist, so that no operation is moved with its equal",
         &clean::share_common},
    Pass{"hoist", "computes in front of a loop what is the same in all its rounds, when everything else is as short as it gets",
         &clean::hoist_invariants},
    Pass{"demand", "drops choices by the mask under which their results are wanted anyway; behind common, which makes equal masks one",
         &clean::drop_unwanted_choices},
    Pass{"dead-values", "takes away what nobody asks for; last, because the others leave behind what they replaced",
         &clean::remove_dead_values},
};

/// Of the clean-ups. Examples take three, random kernels six; what a ninth would find may stay.
constexpr int most_rounds = 8;

void check(const infreg::Kernel& kernel, std::string_view pass) {
  const auto faults = infreg::verify(kernel);
  if (!faults.empty()) {
    throw InternalError(fmt::format("the pass '{}' made an ill-formed kernel:\n{}", pass, infreg::print_marked(kernel, faults)));
  }
}

/// A function that is inlined more than once says the same more than once.
void add_once(Diagnostics& all, const Diagnostics& remarks) {
  for (const Diagnostic& remark : remarks) {
    const auto is_same = [&](const Diagnostic& other) { return other.span == remark.span && other.message == remark.message; };
    if (std::ranges::none_of(all, is_same)) {
      all.push_back(remark);
    }
  }
}

/// An error if a pack's values would have more lanes than InfReg-IR allows.
std::optional<Diagnostic> too_wide(const Assignments& assignments, unsigned wg_pack, SourceSpan span) {
  std::uint64_t elements = 1;
  for (const Variable& variable : assignments.variables) {
    elements = std::max<std::uint64_t>(elements, variable.first_element ? 1 : variable.count);
  }
  for_each_statement(assignments.body, [&](const Statement& statement) {
    if (const auto* loop = std::get_if<For>(&statement.node)) {
      elements = std::max<std::uint64_t>(elements, loop->elements);
      for (const RoundSet& set : loop->sets) {
        elements = std::max<std::uint64_t>(elements, set.count);
      }
    }
  });
  if (std::uint64_t{assignments.wg_size} * wg_pack <= infreg::max_lanes / elements) {
    return std::nullopt;
  }
  return Diagnostic{
      Severity::Error,
      span,
      fmt::format("packs of {} groups are too large for this kernel: a value of {} items with {} elements each would have more "
                  "than {} lanes; choose a smaller WG_PACK",
                  wg_pack, assignments.wg_size, elements, infreg::max_lanes),
      {}};
}

}  // namespace

std::span<const Pass> pipeline() { return list; }

std::expected<infreg::Kernel, Diagnostics> lower(const core::Program& program, const core::Function& kernel,
                                                 const PipelineOptions& options) {
  auto assignments = normalise(program, kernel);
  if (!assignments) {
    return std::unexpected(std::move(assignments.error()));
  }
  const auto tell = [&](std::string_view pass, const std::function<std::string()>& text) {
    if (options.after) {
      options.after(pass, text);
    }
  };
  tell("normalise", [&] { return print(*assignments); });
  for (const Pass& pass : list) {
    if (const auto* run = std::get_if<void (*)(Assignments&)>(&pass.run)) {
      if (options.streaming || !pass.on_request) {
        (*run)(*assignments);
      }
      tell(pass.name, [&] { return print(*assignments); });
    }
  }
  if (options.remarks != nullptr) {
    add_once(*options.remarks, assignments->remarks);
  }
  if (auto problem = too_wide(*assignments, options.wg_pack, kernel.span)) {
    return std::unexpected(Diagnostics{std::move(*problem)});
  }
  infreg::Kernel lowered = to_infreg(*assignments, options.wg_pack);
  const auto finished = [&](std::string_view pass) {
    if (options.verify_each) {
      check(lowered, pass);
    }
    tell(pass, [&] { return infreg::print(lowered); });
  };
  finished("to-infreg");
  bool has_changed = true;
  for (int round = 0; has_changed && round < most_rounds; ++round) {
    has_changed = false;
    for (const Pass& pass : list) {
      if (const auto* run = std::get_if<bool (*)(infreg::Kernel&)>(&pass.run)) {
        has_changed = (*run)(lowered) || has_changed;
        finished(pass.name);
      }
    }
  }
  return lowered;
}

}  // namespace lockstep::passes
