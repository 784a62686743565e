#include "interpreter/ptx/postdominators.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace lockstep::ptx_machine {

namespace {

constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();

/// Where threads can go on behind an instruction; the number of instructions is the function's end.
std::vector<std::uint32_t> successors(const FunctionCode& code, std::uint32_t pc) {
  const auto end = static_cast<std::uint32_t>(code.steps.size());
  const Step& step = code.steps[pc];
  std::vector<std::uint32_t> next;
  if (const auto* branch = std::get_if<Branch>(&step.action)) {
    next.push_back(branch->target);
  } else if (const auto* indexed = std::get_if<IndexedBranch>(&step.action)) {
    next = indexed->targets;
  } else if (std::holds_alternative<Return>(step.action) || std::holds_alternative<Exit>(step.action) ||
             std::holds_alternative<Trap>(step.action)) {
    next.push_back(end);
  } else {
    next.push_back(pc + 1);
  }
  if (step.guard) {
    next.push_back(pc + 1);
  }
  return next;
}

}  // namespace

PostDominators post_dominators(const FunctionCode& code) {
  // Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm, on the graph with all edges turned round.
  const auto end = static_cast<std::uint32_t>(code.steps.size());
  std::vector<std::vector<std::uint32_t>> next(end + 1);
  std::vector<std::vector<std::uint32_t>> before(end + 1);
  for (std::uint32_t pc = 0; pc < end; ++pc) {
    next[pc] = successors(code, pc);
    for (const std::uint32_t s : next[pc]) {
      before[s].push_back(pc);
    }
  }
  // Number instructions in postorder of a walk backwards from the end.
  std::vector<std::uint32_t> number(end + 1, unknown);
  std::vector<std::uint32_t> order;
  std::vector<std::pair<std::uint32_t, std::size_t>> walk = {{end, 0}};
  std::vector<bool> seen(end + 1);
  seen[end] = true;
  while (!walk.empty()) {
    auto& [pc, edge] = walk.back();
    if (edge < before[pc].size()) {
      const std::uint32_t to = before[pc][edge++];
      if (!seen[to]) {
        seen[to] = true;
        walk.emplace_back(to, 0);
      }
    } else {
      number[pc] = static_cast<std::uint32_t>(order.size());
      order.push_back(pc);
      walk.pop_back();
    }
  }
  std::vector<std::uint32_t> meeting(end + 1, unknown);
  meeting[end] = end;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      if (*at == end) {
        continue;
      }
      std::uint32_t found = unknown;
      for (std::uint32_t s : next[*at]) {
        if (meeting[s] == unknown) {
          continue;
        }
        if (found == unknown) {
          found = s;
          continue;
        }
        while (found != s) {
          if (number[found] < number[s]) {
            found = meeting[found];
          } else {
            s = meeting[s];
          }
        }
      }
      if (found != meeting[*at]) {
        meeting[*at] = found;
        changed = true;
      }
    }
  }
  // How many instructions post-dominate it; from where no way leads to the end, none.
  std::vector<std::uint32_t> depth(end + 1, 0);
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    depth[*at] = *at == end ? 1 : depth[meeting[*at]] + 1;
  }
  std::vector<std::uint32_t> sorted(end + 1);
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::ranges::sort(sorted, [&](std::uint32_t a, std::uint32_t b) { return depth[a] != depth[b] ? depth[a] > depth[b] : a < b; });
  PostDominators result{std::move(meeting), std::vector<std::uint32_t>(end + 1)};
  for (std::uint32_t k = 0; k <= end; ++k) {
    result.rank[sorted[k]] = k;
  }
  std::ranges::replace(result.meeting, unknown, end);
  return result;
}

}  // namespace lockstep::ptx_machine
