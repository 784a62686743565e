#include "differential/compare/orders.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interpreter/launch/arguments.hpp"
#include "interpreter/launch/changes.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/typed/visit.hpp"

namespace lockstep::differential {

namespace {

/// Orders that are tried beside the defining one: backwards, and shuffled. (They alone would miss some: an item may by chance be the first
/// one in none of them.)
constexpr std::uint64_t orders = 8;

/// Groups that take turns in an order: 2, 4, 8 and 16 in every other one, as compiled packs do.
unsigned groups_in_turns(std::uint64_t order) { return order % 2 == 0 ? 1U << (order / 2) : 0; }

bool is_same(const launch::Buffer& a, const launch::Buffer& b, std::uint64_t index) {
  return is_poison(a, index) == is_poison(b, index) && launch::element_bits(a, index) == launch::element_bits(b, index);
}

/// What the launch leaves where all is poison that is computed of what depends on the order, whatever few orders happen to leave. Nothing
/// where an address or a branch depends on it: there orders are tried alone.
std::optional<launch::Arguments> poisoned(const LoadedKernel& kernel, const launch::Arguments& before, launch::LaunchOptions options) {
  launch::Changes changes;
  options.changes = &changes;
  options.progress = nullptr;
  launch::Arguments noted = before;
  const auto first = launch::run(kernel.program, noted, options);
  if (!first || first->fault) {
    return std::nullopt;
  }
  changes.know();
  launch::Arguments left = before;
  const auto second = launch::run(kernel.program, left, options);
  return second && !second->fault ? std::optional(std::move(left)) : std::nullopt;
}

std::vector<std::uint64_t> sorted_numbers(const launch::Buffer& buffer, const std::vector<std::uint64_t>& indices) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(indices.size());
  for (const std::uint64_t index : indices) {
    numbers.push_back(launch::element_bits(buffer, index));
  }
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace

std::expected<std::vector<OpenElements>, launch::Fault> open_elements(const LoadedKernel& kernel, const launch::Arguments& before,
                                                                      const launch::Arguments& after,
                                                                      const launch::LaunchOptions& options) {
  std::vector<OpenElements> open(before.buffers.size());
  if (typed::atomic_order(*kernel.program) != typed::AtomicOrder::Matters) {
    return open;
  }
  std::vector<launch::Arguments> others;
  for (std::uint64_t order = 1; order <= orders; ++order) {
    launch::Arguments& left = others.emplace_back(before);
    launch::LaunchOptions other = options;
    other.order = order;
    other.pack = groups_in_turns(order);
    other.progress = nullptr;
    if (options.warp_size != 0) {  // several warps, whose order nobody says either
      other.schedule = launch::Schedule::Random;
      other.seed = order;
    }
    const auto outcome = launch::run(kernel.program, left, other);
    if (outcome && outcome->fault) {
      return std::unexpected(*outcome->fault);
    }
  }
  const std::optional<launch::Arguments> followed = poisoned(kernel, before, options);
  for (std::size_t b = 0; b < open.size(); ++b) {
    const launch::Buffer& defining = after.buffers[b];
    for (std::uint64_t i = 0; i < defining.count; ++i) {
      if (!std::ranges::all_of(others, [&](const launch::Arguments& other) { return is_same(defining, other.buffers[b], i); }) ||
          (followed && !is_poison(defining, i) && is_poison(followed->buffers[b], i))) {
        open[b].indices.push_back(i);
      }
    }
    const std::vector<std::uint64_t> numbers = sorted_numbers(defining, open[b].indices);
    open[b].are_moved = std::ranges::all_of(
        others, [&](const launch::Arguments& other) { return sorted_numbers(other.buffers[b], open[b].indices) == numbers; });
  }
  return open;
}

std::string text_of(const std::vector<OpenElements>& open, const LoadedKernel& kernel, const launch::Arguments& before) {
  std::string text;
  for (std::size_t b = 0; b < open.size(); ++b) {
    if (!open[b].indices.empty()) {
      text += fmt::format("{} of {} of '{}' depend on the order of atomic changes: {}\n", open[b].indices.size(),
                          counted(before.buffers[b].count, "element"), launch::parameter_name(*kernel.program, owner_of(before.values, b)),
                          open[b].are_moved ? "compared as numbers in any order" : "left out");
    }
  }
  return text;
}

}  // namespace lockstep::differential
