// Plans as lines for people.
#include <fmt/format.h>

#include <array>

#include "codegen/emit/ve/plan.hpp"

namespace lockstep::emit_ve {

using namespace infreg;

namespace {

std::string_view name_of(Home home) {
  static constexpr std::array<std::string_view, 4> names = {"where it is used", "item by item", "a variable", "in scratch memory"};
  return names[static_cast<std::size_t>(home)];
}

std::string text_of(const Reordering& reordering) {
  std::string text = fmt::format(", by {}", name_of(reordering.way));
  for (const Reordering::Candidate& one : reordering.candidates) {
    text += fmt::format("{}{} {:.3g}", &one == &reordering.candidates.front() ? " (cycles: " : ", ", name_of(one.way), one.cost());
  }
  return text + (reordering.candidates.empty() ? "" : ")");
}

}  // namespace

std::string explain(const Kernel& kernel, const Plan& plan) {
  const std::string heading =
      plan.arrangement == Arrangement::Rows
          ? fmt::format("rows: {} items side by side, of {} groups", plan.lanes, plan.shape.wg_pack)
          : fmt::format("{}: up to {} packs of {} groups side by side", plan.is_paired ? "pairs of groups" : "groups",
                        plan.lanes * (plan.is_paired ? 2 : 1), plan.shape.wg_pack);
  std::string text = fmt::format("{}: {}; {} bytes of scratch memory for each\n", kernel.name, heading, plan.lane_bytes);
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      for (const ValueId result : operation.results) {
        const std::uint64_t vectors = plan.vectors(kernel.type_of(result).layout);
        const ValueId named = plan.named[plan.storage[result]];
        const std::string shared = named == result ? "" : fmt::format(", those of {}", kernel.values[named].name);
        const auto reordering = plan.reorderings.find(result);
        text += fmt::format("  {}: {}{}{}\n", kernel.values[result].name, name_of(plan.homes[result]),
                            plan.homes[result] == Home::Scratch ? fmt::format(", {} vector{}{}", vectors, vectors == 1 ? "" : "s", shared)
                            : plan.alike[result]                ? ", the same for all groups"
                                                                : "",
                            reordering == plan.reorderings.end() ? "" : text_of(reordering->second));
      }
    }
  }
  return text;
}

}  // namespace lockstep::emit_ve
