#include "codegen/emit/ve/choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/ve/estimate.hpp"
#include "codegen/emit/ve/pairs.hpp"
#include "codegen/emit/ve/stack.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

/// Gathers keep the cache busy, and what does without them other parts: of both plans the one that is expected to be faster.
Plan rows_plan(const Kernel& kernel, Shape shape, const EmitOptions& options) {
  Plan plan = plan_of(kernel, shape, Arrangement::Rows, options.without);
  std::set<Way> without = options.without;
  without.insert(Way::Gather);
  Plan other = plan_of(kernel, shape, Arrangement::Rows, without);
  return cycles_of(kernel, other, other.lanes) < cycles_of(kernel, plan, plan.lanes) ? other : plan;
}

Plan plan_in(Arrangement arrangement, const Kernel& kernel, Shape shape, const EmitOptions& options) {
  return arrangement == Arrangement::Rows ? rows_plan(kernel, shape, options) : plan_of(kernel, shape, arrangement, options.without);
}

/// As the kernel's packs are, and packs of one group for what is left over.
Arranged arrange(const Kernel& kernel, Arrangement arrangement, const EmitOptions& options) {
  Arranged result{plan_in(arrangement, kernel, kernel.shape, options), std::nullopt};
  // A vector of rows may have fewer groups, if no vote asks how many there are.
  const bool needs_one = kernel.shape.wg_pack > 1 && (arrangement == Arrangement::Groups || result.plan.asks_pack);
  if (needs_one) {
    result.one = plan_in(arrangement, kernel, {kernel.shape.wg_size, 1}, options);
  }
  return result;
}

/// Rows of so many groups, if no vote asks how many there are.
std::optional<Arranged> rows_of(const Kernel& kernel, unsigned together, const EmitOptions& options) {
  Arranged result{rows_plan(kernel, {kernel.shape.wg_size, together}, options), std::nullopt};
  const bool is_possible = !result.plan.asks_pack && result.stack_bytes() <= most_usual_stack;
  return is_possible ? std::optional(std::move(result)) : std::nullopt;
}

/// For so many packs side by side.
double cycles_of_groups(const Kernel& kernel, const Choice& choice, unsigned packs) {
  return choice.pairs && packs > 1 ? cycles_of(kernel, *choice.pairs, (packs + 1) / 2) : cycles_of(kernel, choice.groups->plan, packs);
}

void add_pairs(Choice& choice, const Kernel& kernel) {
  Plan pairs = choice.groups->plan;
  pairs.is_paired = true;
  if (has_pairs(kernel, choice.groups->plan) &&
      cycles_of(kernel, pairs, pairs.lanes) < 2 * cycles_of(kernel, choice.groups->plan, pairs.lanes)) {
    choice.pairs = std::move(pairs);
  }
}

/// Up to how many groups rows are expected to be faster, of those that would lie side by side.
std::uint64_t groups_in_rows(const Kernel& kernel, const Choice& choice, const Plan& rows) {
  const Plan& groups = choice.groups->plan;
  const unsigned together = rows.shape.wg_pack;
  const double full = cycles_of(kernel, rows, rows.lanes);
  const double chain = chain_of(kernel, rows);
  const double chain_of_groups = chain_of(kernel, groups);
  const std::uint64_t most = std::uint64_t{groups.lanes} * groups.shape.wg_pack;
  std::uint64_t last = 0;
  for (std::uint64_t count = 1; count <= most; count = count < together ? std::min<std::uint64_t>(2 * count, together) : count + together) {
    const auto packs = static_cast<unsigned>((count + groups.shape.wg_pack - 1) / groups.shape.wg_pack);
    const std::uint64_t vectors = count / together;
    const double in_rows =
        count < together ? cycles_of(kernel, rows, static_cast<unsigned>(count) * rows.shape.wg_size) : full * static_cast<double>(vectors);
    if (std::max(in_rows, chain) >= std::max(cycles_of_groups(kernel, choice, packs), chain_of_groups)) {
      return last;
    }
    last = count;
  }
  return Choice::always;
}

/// Of one group, whose items read one another's numbers most quickly, or of as many as fit into a vector: rows for the largest launches.
void add_rows(Choice& choice, const Kernel& kernel, const EmitOptions& options) {
  for (const unsigned together : {1U, most_lanes / kernel.shape.wg_size}) {
    auto rows = together > 0 && kernel.shape.wg_size <= most_lanes ? rows_of(kernel, together, options) : std::nullopt;
    const std::uint64_t up_to = rows ? groups_in_rows(kernel, choice, rows->plan) : 0;
    if (up_to > choice.rows_up_to) {
      choice.rows = std::move(rows);
      choice.rows_up_to = up_to;
    }
  }
  if (choice.rows_up_to == Choice::always) {
    choice.groups.reset();
    choice.pairs.reset();
  }
}

}  // namespace

std::expected<Choice, std::string> choose(const Kernel& kernel, const EmitOptions& options) {
  const std::uint64_t items = std::uint64_t{kernel.shape.wg_size} * kernel.shape.wg_pack;
  if (options.layout == LayoutChoice::Rows && items > most_lanes) {
    return std::unexpected(fmt::format("the {} items of a pack are more than a vector of rows has elements, {}", items, most_lanes));
  }
  Choice choice;
  if (options.layout != LayoutChoice::Rows) {
    choice.groups = arrange(kernel, Arrangement::Groups, options);
    if (options.pairs) {
      add_pairs(choice, kernel);
    }
  }
  if (options.layout == LayoutChoice::Rows) {
    choice.rows = arrange(kernel, Arrangement::Rows, options);
  } else if (options.layout == LayoutChoice::Auto) {
    add_rows(choice, kernel, options);
  }
  return choice;
}

std::string explain(const Kernel& kernel, const Choice& choice) {
  std::string pairs = choice.pairs ? fmt::format("{}: floats of two packs in each element, {:.0f} cycles for those of {} elements\n",
                                                 kernel.name, cycles_of(kernel, *choice.pairs, choice.pairs->lanes), choice.pairs->lanes)
                                   : "";
  if (!choice.groups || !choice.rows) {
    return pairs;
  }
  const auto expected = [&](const Plan& plan) { return std::max(cycles_of(kernel, plan, plan.lanes), chain_of(kernel, plan)); };
  const double rows = expected(choice.rows->plan);
  const double groups = expected(choice.groups->plan);
  return pairs + fmt::format("{}: rows for up to {} groups, else groups; expected are {:.0f} cycles for {} of rows, and {:.0f} for {}\n",
                             kernel.name, choice.rows_up_to, rows, choice.rows->plan.shape.wg_pack, groups,
                             std::uint64_t{choice.groups->plan.lanes} * kernel.shape.wg_pack);
}

}  // namespace lockstep::emit_ve
