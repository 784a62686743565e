// any, all, popcount and ballot: each group counts the bits of its own lanes.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/avx512/lowering.hpp"
#include "codegen/emit/avx512/sweeps.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

/// counter op= bits, the bits being those of 64 lanes at most, the first of which is number `first` of the group.
std::string count_text(const Vote& node, const std::string& counter, const std::string& bits, const std::string& first) {
  switch (node.kind) {
    case Vote::Kind::Any:
    case Vote::Kind::All:
      return fmt::format("{} |= {};", counter, bits);
    case Vote::Kind::Popcount:
      return fmt::format("{} += v::bit_count({});", counter, bits);
    case Vote::Kind::Ballot:
      break;
  }
  return fmt::format("{} |= v::moved({}, {});", counter, bits, first);
}

std::string result_text(const Vote& node, const std::string& counter) {
  switch (node.kind) {
    case Vote::Kind::Any:
      return fmt::format("{} != 0", counter);
    case Vote::Kind::All:
      return fmt::format("{} == 0", counter);
    case Vote::Kind::Popcount:
    case Vote::Kind::Ballot:
      break;
  }
  return counter;
}

}  // namespace

/// The lanes that count: the active ones whose value is true, for `all` those whose value is false.
Piece Lowering::ayes(const Vote& node, const Position& position) {
  const Piece value = chunk(node.value, position);
  const Piece active = both(mask(position.valid), chunk(node.mask, position));
  if (node.kind != Vote::Kind::All) {
    return both(active, value);
  }
  const Piece noes =
      value.bits ? mask(~*value.bits & full()) : Piece{code_.value("M", "noes", fmt::format("M(~{})", mask_text(value))), "", std::nullopt};
  return both(active, noes);
}

void Lowering::vote(const Operation& operation, const Vote& node) {
  const Layout layout = kernel_.type_of(node.value).layout;
  const ValueId result = operation.results.front();
  if (is_scalar(layout)) {
    scalar_vote(result, node);
    return;
  }
  const std::uint64_t counters = node.whole_pack ? 1 : shape_.wg_pack;
  const std::string votes = new_counters(counters);
  const std::string counter = code_.unique("i");
  const auto add = [&](std::string text) { code_.assign(votes, std::move(text)); };
  add(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {2}[{0}] = 0;", counter, counters, votes));
  const auto per_group = static_cast<std::int64_t>(lanes_per_group(layout, shape_));
  sweep(*this, layout, [&](std::span<const Position> positions) {
    for (const Position& position : positions) {
      const Piece yes = ayes(node, position);
      const std::string bits = fmt::format("uint64_t{{v::bits({})}}", mask_text(yes));
      const Polynomial item = position.wi.first;
      if (node.whole_pack || (position.wg.steps.empty() && position.wg.vector.empty())) {
        const std::string group = node.whole_pack ? "0" : index_text(position.wg.first);
        add(count_text(node, fmt::format("{}[{}]", votes, group), bits, index_text(item)));
        continue;
      }
      if (position.number && !by_groups()) {
        // Each group's lanes are known.
        std::map<std::int64_t, std::uint32_t> lanes;
        for (unsigned j = 0; j < plan_.chunk_lanes; ++j) {
          if ((position.valid >> j & 1) != 0) {
            lanes[position.wg.first.constant() + position.wg.steps[j]] |= 1U << j;
          }
        }
        for (const auto& [group, own] : lanes) {
          const auto first_lane = static_cast<std::int64_t>(*position.number * plan_.chunk_lanes);
          add(count_text(node, fmt::format("{}[{}]", votes, group), fmt::format("({} & {:#x}u)", bits, own),
                         fmt::format("{}", first_lane - group * per_group)));
        }
        continue;
      }
      const Sum wg = coordinate(position.wg);
      const Sum wi = coordinate(position.wi);
      add(fmt::format("v::count_by_group<{}>({}, {}, {}, {});",
                      node.kind == Vote::Kind::Popcount ? 1
                      : node.kind == Vote::Kind::Ballot ? 2
                                                        : 0,
                      votes, bits, vector_text(wg), vector_text(wi)));
    }
  });
  code_.memory_changes();
  const Type& type = kernel_.type_of(result);
  if (node.whole_pack || is_scalar(type.layout)) {
    define(result, {named({type.element, Layout::pack()}, name_of(result),
                          result_text(node, code_.read("uint64_t", "votes", fmt::format("{}[0]", votes))))});
    return;
  }
  const auto finished = [&](const Position& position) -> Piece {
    const std::string counted = code_.read("U64", "votes", fmt::format("v::load<U64>({})", address_text(votes, position.place)));
    if (type.element != truth) {
      return {counted, "", std::nullopt};
    }
    return named(type, name_of(result), fmt::format("v::{}({}, v::zero<U64>())", node.kind == Vote::Kind::All ? "eq" : "ne", counted));
  };
  if (!is_big(type.layout)) {
    std::vector<Piece> pieces;
    for (std::uint64_t k = 0; k < geometry(type.layout).chunks; ++k) {
      pieces.push_back(finished(position(type.layout, k)));
    }
    define(result, std::move(pieces));
    return;
  }
  kept_[result] = {};
  kept_[result].array = array_for(result);
  sweep(*this, type.layout, [&](std::span<const Position> positions) {
    for (const Position& position : positions) {
      code_.assign(kept_[result].array, store_text(result, position, finished(position)));
    }
  });
  code_.memory_changes();
}

/// Of one lane.
void Lowering::scalar_vote(ValueId result, const Vote& node) {
  const Type of{truth, Layout::pack()};
  const std::string value = text_of(kept_[node.value].chunks.front(), of);
  const std::string active = text_of(kept_[node.mask].chunks.front(), of);
  const std::string text = node.kind == Vote::Kind::All   ? fmt::format("!{} || {}", active, value)
                           : node.kind == Vote::Kind::Any ? fmt::format("{} && {}", active, value)
                                                          : fmt::format("uint64_t({} && {})", active, value);
  define(result, {named({kernel_.type_of(result).element, Layout::pack()}, name_of(result), text)});
}

/// An array of counters, filled up to whole chunks.
std::string Lowering::new_counters(std::uint64_t count) {
  const std::string name = code_.unique("votes");
  const std::uint64_t filled = (count + plan_.chunk_lanes - 1) / plan_.chunk_lanes * plan_.chunk_lanes;
  arrays_.push_back({"uint64_t", name, filled, filled * 8});
  return name;
}

}  // namespace lockstep::emit_avx512
