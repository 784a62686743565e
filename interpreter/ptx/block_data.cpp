// Instructions that compute rows from rows.

#include <algorithm>
#include <cstring>

#include "interpreter/ptx/block.hpp"
#include "interpreter/ptx/specials.hpp"
#include "interpreter/ptx/with_bytes.hpp"

namespace lockstep::ptx_machine {

/// The operand's row. One that is inverted is there until the next but one.
const std::byte* Block::row(const Source& source) {
  if (source.inverted) [[unlikely]] {
    const std::byte* from = frame_->row(source.index);
    std::swap(inverted_[0], inverted_[1]);
    std::transform(from, from + padded_, inverted_[0].data(), [](std::byte p) { return p ^ std::byte{1}; });
    return inverted_[0].data();
  }
  if (source.clock) [[unlikely]] {
    set_clock(pool_, source.index, source.bytes, block_steps_);
  }
  return source.pooled ? pool_.row(source.index) : frame_->row(source.index);
}

/// The low 64 bits of the operand in one lane.
std::uint64_t Block::lane_number(const Source& source, unsigned lane) const {
  const std::byte* row = source.pooled ? pool_.row(source.index) : frame_->row(source.index);
  std::uint64_t number = 0;
  std::memcpy(&number, row + std::size_t{lane} * source.bytes, std::min<std::size_t>(source.bytes, 8));
  return source.negated ? number ^ 1 : number;
}

void Block::define(const Destination& to) {
  std::uint64_t* defined = frame_->defined(to.row);
  const auto lanes = lanes_->set.words();
  for (unsigned w = lanes_->first_word; w < lanes_->end_word; ++w) {
    defined[w] |= lanes[w];
  }
}

/// Takes the elements of the instruction's threads from a scratch row, and has them defined.
void Block::put(const Destination& to, const std::byte* scratch) {
  define(to);
  std::byte* row = frame_->row(to.row);
  if (lanes_->is_range) {
    const std::size_t begin = std::size_t{lanes_->first} * to.bytes;
    std::memcpy(row + begin, scratch + begin, std::size_t{lanes_->last - lanes_->first + 1} * to.bytes);
    return;
  }
  with_bytes(to.bytes, [&](auto element) {
    using T = decltype(element);
    lanes_->set.for_each([&](unsigned lane) { std::memcpy(row + lane * sizeof(T), scratch + lane * sizeof(T), sizeof(T)); });
  });
}

Block::Flow Block::execute(const Compute& a) {
  LaneRows rows;
  const std::size_t begin = lanes_->begin();
  const std::size_t lanes = lanes_->end() - begin;
  bool all_defined = true;
  for (std::size_t k = 0; k < a.sources.size(); ++k) {
    const Source& source = a.sources[k];
    if (!is_defined(source)) [[unlikely]] {
      if (!require_operand(source)) {
        return Flow::Stop;
      }
      all_defined = false;
    }
    rows.from[k] = row(source) + begin * source.bytes;
  }
  if (!all_defined) [[unlikely]] {
    return compute_undefined(a);
  }
  for (std::size_t k = 0; k < a.destinations.size(); ++k) {
    if (const auto& to = a.destinations[k]) {
      rows.to[k] = (lanes_->all ? frame_->row(to->row) : scratch_[k].data()) + begin * to->bytes;
    }
  }
  a.operation(rows, lanes);
  for (std::size_t k = 0; k < a.destinations.size(); ++k) {
    if (const auto& to = a.destinations[k]) {
      if (lanes_->all) {
        define(*to);
      } else {
        put(*to, scratch_[k].data());
      }
    }
  }
  return Flow::Next;
}

/// A register that has no number may be copied: compilers move values that are used on no way that is taken.
Block::Flow Block::execute(const Move& a) {
  const std::byte* from = row(a.from);
  std::byte* to = frame_->row(a.to.row);
  const std::size_t common = std::min(a.to.bytes, a.from.bytes);
  if (lanes_->is_range && a.to.bytes == a.from.bytes) {
    const std::size_t begin = lanes_->first * common;
    std::memmove(to + begin, from + begin, (lanes_->last - lanes_->first + 1) * common);
  } else {
    for_each_lane(*lanes_, [&](unsigned lane) {
      std::array<std::byte, 16> element{};
      std::memcpy(element.data(), from + std::size_t{lane} * a.from.bytes, common);
      std::memcpy(to + std::size_t{lane} * a.to.bytes, element.data(), a.to.bytes);
    });
  }
  if (is_defined(a.from)) [[likely]] {
    define(a.to);
    return Flow::Next;
  }
  const std::uint64_t* has = frame_->defined(a.from.index);
  for_each_lane(*lanes_, [&](unsigned lane) {
    const std::uint64_t bit = std::uint64_t{1} << (lane % 64);
    if ((has[lane / 64] & bit) != 0) {
      frame_->defined(a.to.row)[lane / 64] |= bit;
    } else if (a.to.row != a.from.index) {
      frame_->undefine(a.to.row, lane, frame_->hole(a.from.index, lane));
    }
  });
  return Flow::Next;
}

Block::Flow Block::execute(const Pack& a) {
  std::byte* whole = scratch_[0].data();
  std::size_t offset = 0;
  for (const Source& element : a.elements) {
    const std::byte* from = row(element);
    for_each_lane(*lanes_, [&](unsigned lane) {
      std::memcpy(whole + std::size_t{lane} * a.to.bytes + offset, from + std::size_t{lane} * element.bytes, element.bytes);
    });
    offset += element.bytes;
  }
  put(a.to, whole);
  pack_holes(a);
  return Flow::Next;
}

Block::Flow Block::execute(const Unpack& a) {
  // A copy, since an element may be the register itself.
  const std::byte* from = row(a.from);
  std::byte* whole = scratch_[0].data();
  std::memcpy(whole, from, std::size_t{padded_} * a.from.bytes);
  std::size_t offset = 0;
  for (const std::optional<Destination>& element : a.elements) {
    if (element) {
      std::byte* to = frame_->row(element->row);
      for_each_lane(*lanes_, [&](unsigned lane) {
        std::array<std::byte, 16> number{};
        std::memcpy(number.data(), whole + std::size_t{lane} * a.from.bytes + offset, a.element_bytes);
        std::memcpy(to + std::size_t{lane} * element->bytes, number.data(), element->bytes);
      });
      define(*element);
    }
    offset += a.element_bytes;
  }
  unpack_holes(a);
  return Flow::Next;
}

Block::Flow Block::execute(const Repack& a) {
  const Flow flow = execute(a.pack);
  return flow == Flow::Next ? execute(a.unpack) : flow;
}

Block::Flow Block::execute(const Resized& a) {
  for (const Move& part : a.narrow) {
    if (!require(part.from)) {
      return Flow::Stop;
    }
    execute(part);
  }
  const Flow flow = execute(a.compute);
  return flow == Flow::Next && a.widen ? execute(*a.widen) : flow;
}

Block::Flow Block::execute(const ConvertAddress& a) {
  if (!require(a.from)) {
    return Flow::Stop;
  }
  std::byte* to = scratch_[0].data();
  for_each_lane(*lanes_, [&](unsigned lane) {
    const std::uint64_t address = lane_number(a.from, lane);
    const std::uint64_t result = a.from_generic ? AddressSpace::from_generic(a.space, address) : AddressSpace::to_generic(a.space, address);
    std::memcpy(to + std::size_t{lane} * a.to.bytes, &result, a.to.bytes);
  });
  put(a.to, to);
  return Flow::Next;
}

Block::Flow Block::execute(const IsSpace& a) {
  if (!require(a.from)) {
    return Flow::Stop;
  }
  std::byte* to = scratch_[0].data();
  for_each_lane(*lanes_, [&](unsigned lane) {
    // The window of a kernel's parameters lies within that of global memory (PTX ISA, isspacep).
    const ptx::Space space = AddressSpace::space_of_generic(lane_number(a.from, lane));
    const bool is = space == a.space || (space == ptx::Space::Param && a.space == ptx::Space::Global);
    to[lane] = std::byte{is ? std::uint8_t{1} : std::uint8_t{0}};
  });
  put(a.to, to);
  return Flow::Next;
}

}  // namespace lockstep::ptx_machine
