// What packs will come to is asked for before they do.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/emit/avx512/lowering.hpp"
#include "codegen/emit/avx512/ranges.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

/// Finds the parts of loaded buffers that packs will come to, some kilobytes ahead: what is read in rows, or in rows turned into columns,
/// is too irregular for the processor to foresee. (What is read from one end to the other it foresees, and is disturbed: GEMA takes 1.2
/// times as long.)
void Lowering::find_ahead() {
  constexpr std::int64_t ahead = 8 * 1024;
  constexpr std::int64_t fewest = 256;  // bytes of a pack: below that a buffer is read as a stream anyway
  std::set<ParameterId> done;
  for (const Operation& operation : kernel_.regions[kernel_.body].operations) {
    const auto* load = std::get_if<Load>(&operation.node);
    if (load == nullptr || load->mask || load->place.lanes || !std::holds_alternative<OfParameter>(load->place.base) || !plan_.streams ||
        load->type.layout.kind != Layout::Kind::Item || load->type.layout.elements == 1 || !in_memory_[operation.results.front()]) {
      continue;
    }
    const ParameterId id = std::get<OfParameter>(load->place.base).id;
    const auto size = std::int64_t{size_of(load->type.element.scalar)};
    const std::int64_t bytes = size * static_cast<std::int64_t>(lanes(load->type.layout, shape_));
    const auto per_group = Polynomial(static_cast<std::int64_t>(lanes_per_group(load->type.layout, shape_)));
    if (load->access != Access::Contiguous || load->place.index.slope(Symbol::group()) != per_group || bytes < fewest ||
        !done.insert(id).second) {
      continue;
    }
    Position first;
    first.layout = load->type.layout;
    const Polynomial begin = sum_of(load->place.index, first, Groups::OfLaunch).uniform + Polynomial(std::max(ahead, bytes) / size);
    ahead_.push_back({id, begin, load->type.layout, size});
  }
}

/// Whether rolled loops of the body go through tiles of rows.
bool Lowering::has_tiles() const {
  return std::ranges::any_of(kernel_.regions[kernel_.body].operations, [&](const Operation& operation) {
    const auto* loop = std::get_if<For>(&operation.node);
    return loop != nullptr && !operation.results.empty() && has_rows(kernel_.type_of(operation.results.front()).layout);
  });
}

/// Whether there is a loop within a sweep that stays one: what is asked for in its rounds comes while they compute.
bool Lowering::has_rounds() const {
  return std::ranges::any_of(kernel_.regions[kernel_.body].operations, [&](const Operation& operation) {
    const auto* loop = std::get_if<For>(&operation.node);
    const auto count = loop == nullptr || operation.results.empty() ? std::nullopt : rounds(loop->from, loop->limit, loop->step);
    return count && *count > most_rounds_unrolled && is_local(*loop, kernel_.type_of(operation.results.front()).layout);
  });
}

/// Asks for all of those at once. With groups side by side, what is only read is asked for square by square instead (load_whole): that
/// takes three quarters of the time at best, but a tenth more where the matrices are written back.
void Lowering::prefetch(const std::function<bool(ParameterId)>& wanted) {
  for (const Ahead& matrix : ahead_) {
    if (wanted(matrix.parameter)) {
      const std::int64_t bytes = matrix.size * static_cast<std::int64_t>(lanes(matrix.layout, shape_));
      code_.effect(fmt::format("v::prefetch<Stream, {}>({});", bytes, address_text(parameters_[matrix.parameter], matrix.begin)));
      prefetches_ = true;
    }
  }
  std::erase_if(ahead_, [&](const Ahead& matrix) { return wanted(matrix.parameter); });
}

/// `rows` rows of each, those of the same numbers as the rows of a tile, are to be asked for while the tile is computed.
void Lowering::prefetch_rows(Layout layout, const Polynomial& row, std::uint64_t rows) {
  for (const Ahead& matrix : ahead_) {
    if (matrix.layout == layout) {
      const Polynomial group = shape_.wg_pack == 1 ? Polynomial(0) : Polynomial(Symbol::group());
      const Polynomial first = (group * Polynomial(std::int64_t{shape_.wg_size}) + row) * Polynomial(std::int64_t{layout.elements});
      due_.push_back({matrix.parameter, matrix.begin + first, matrix.size, static_cast<std::int64_t>(rows * layout.elements)});
    }
  }
}

/// Asks for a part in each round of a loop that has been opened: all at once, they would hold up one another and what the tile loads.
void Lowering::prefetch_in_rounds(const Polynomial& round, std::int64_t rounds) {
  for (const Due& part : std::exchange(due_, {})) {
    const std::int64_t elements = (part.elements + rounds - 1) / rounds;
    code_.effect(fmt::format("v::prefetch<Stream, {}>({});", elements * part.size,
                             address_text(parameters_[part.parameter], part.begin + round * Polynomial(elements))));
    prefetches_ = true;
  }
}

/// What is asked for before anything else is done, and where for the rest.
void Lowering::begin_prefetch() {
  if (by_groups()) {
    prefetch([&](ParameterId parameter) { return stores_through_[parameter] != 0; });
  } else if (!has_tiles()) {
    if (has_rounds()) {
      for (const Ahead& matrix : std::exchange(ahead_, {})) {
        due_.push_back({matrix.parameter, matrix.begin, matrix.size, static_cast<std::int64_t>(lanes(matrix.layout, shape_))});
      }
    } else {
      prefetch([](ParameterId) { return true; });
    }
  }
}

/// What nothing has asked for while it computed.
void Lowering::end_prefetch() {
  prefetch([](ParameterId) { return true; });
  prefetch_in_rounds(0, 1);
}

}  // namespace lockstep::emit_avx512
