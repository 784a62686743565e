// atom and red: lane after lane, in ascending order.

#include <fmt/format.h>

#include <cstring>

#include "interpreter/ptx/atomics.hpp"
#include "interpreter/ptx/block.hpp"
#include "interpreter/ptx/with_bytes.hpp"

namespace lockstep::ptx_machine {

Block::Flow Block::execute(const Atomic& a) {
  if (!require(a.operand) || (a.swap && !require(*a.swap)) || !locate(a.place, true) || !require_written(a.place)) {
    return Flow::Stop;
  }
  if (a.place.space == ptx::Space::Generic) {
    // Generic addresses of other spaces are none that an atomic operation may have (PTX ISA, atom: .global and .shared).
    bool good = true;
    for_each_lane(*lanes_, [&](unsigned lane) {
      if (good && object_of_lane(lane).space == ptx::Space::Local) {
        good = fail(FaultKind::Forbidden, lane,
                    fmt::format("'{}' lies in local space, where there are no atomic operations", shortened(object_of_lane(lane).name)));
      }
    });
    if (!good) {
      return Flow::Stop;
    }
  }
  note_access(a.place, true, true);
  if (watches_open_) {
    spread_open_access(step_of(fragments_[current_]));
  }
  const std::byte* operand = row(a.operand);
  const std::byte* swap = a.swap ? row(*a.swap) : operand;
  const std::uint8_t swap_bytes = a.swap ? a.swap->bytes : a.operand.bytes;
  std::byte* old = scratch_[2].data();
  const unsigned width = a.to ? a.to->bytes : a.place.bytes;
  for_each_lane(*lanes_, [&](unsigned lane) {
    // .f32 addition flushes subnormal numbers in global memory, and does not in shared memory (PTX ISA, atom).
    const bool flush = object_of_lane(lane).space == ptx::Space::Global;
    AtomicOperands operands;
    std::memcpy(&operands.memory, pointer(lane, a.place.bytes), a.place.bytes);
    std::memcpy(&operands.first, operand + std::size_t{lane} * a.operand.bytes, std::min(a.operand.bytes, a.place.bytes));
    std::memcpy(&operands.second, swap + std::size_t{lane} * swap_bytes, std::min(swap_bytes, a.place.bytes));
    const Wide result = atomic_result(a.operation, a.type, operands, flush);
    std::memcpy(pointer(lane, a.place.bytes), &result, a.place.bytes);
    std::memcpy(old + std::size_t{lane} * width, &operands.memory, width);
  });
  if (a.to) {
    put(*a.to, old);
  }
  return Flow::Next;
}

}  // namespace lockstep::ptx_machine
