// Registers and bytes without a number. Loads, stores and mov copy what is undefined, byte by byte, since compilers copy structures with
// the holes between their members, and values that are used on no way that is taken; everything else needs numbers. What was never written
// at all is an error to store where others can see it, and to load from where others have to write it.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interpreter/ptx/block.hpp"

namespace lockstep::ptx_machine {

using ptx::Space;

/// Whether all threads of the instruction have a number there.
bool Block::is_defined(const Source& source) const {
  if (source.pooled || source.always_defined) {
    return true;
  }
  const std::uint64_t* defined = frame_->defined(source.index);
  const auto lanes = lanes_->set.words();
  std::uint64_t missing = 0;
  for (unsigned w = lanes_->first_word; w < lanes_->end_word; ++w) {
    missing |= lanes[w] & ~defined[w];
  }
  return missing == 0;
}

/// The same. False: a fault.
bool Block::require(const Source& source) {
  if (is_defined(source)) [[likely]] {
    return true;
  }
  const std::uint64_t* defined = frame_->defined(source.index);
  LaneSet undefined = lanes_->set;
  for (unsigned w = 0; w < undefined.word_count(); ++w) {
    undefined.words()[w] &= ~defined[w];
  }
  const unsigned lane = undefined.first();
  const Hole* hole = frame_->hole(source.index, lane);
  if (hole == nullptr) {
    return fail(FaultKind::UndefinedRegister, lane,
                fmt::format("the register {} is read, but has never been written", register_name(source)));
  }
  return fail(FaultKind::UndefinedByte, lane,
              fmt::format("the register {} is read, but has no number: line {} loads byte {} of '{}', to which no number has been written",
                          register_name(source), hole->line, hole->byte, shortened(space_[hole->object].name)));
}

/// Whether all bytes that are read have been written. False: a fault.
bool Block::require_written(const Place& place) {
  if (alike_object_ != nullptr && alike_object_->unwritten == 0) {
    return true;
  }
  const unsigned size = place.bytes * place.count;
  bool good = true;
  for_each_lane(*lanes_, [&](unsigned lane) {
    const Object& object = object_of_lane(lane);
    if (!good || object.unwritten == 0) {
      return;
    }
    const std::uint8_t* written = written_of(lane, size);
    const auto* hole = std::find_if(written, written + size, [](std::uint8_t state) { return state != Written; });
    if (hole != written + size) {
      const auto at = static_cast<std::uint64_t>(hole - object.written - static_cast<std::ptrdiff_t>(lane * object.stride));
      good = fail(FaultKind::UndefinedByte, lane,
                  fmt::format("byte {} of '{}' is read, but has never been written", at, shortened(object.name)));
    }
  });
  return good;
}

/// Whether, where others have to write it, something of what is read has been written. False: a fault.
bool Block::require_something(const Place& place) {
  if (alike_object_ != nullptr && alike_object_->unwritten == 0) {
    return true;
  }
  const unsigned size = place.bytes * place.count;
  bool good = true;
  for_each_lane(*lanes_, [&](unsigned lane) {
    const Object& object = object_of_lane(lane);
    if (!good || object.unwritten == 0 || object.space == Space::Local) {
      return;
    }
    const std::uint8_t* written = written_of(lane, size);
    if (std::all_of(written, written + size, [](std::uint8_t state) { return state == Unwritten; })) {
      const auto at = static_cast<std::uint64_t>(written - object.written);
      good = fail(FaultKind::UndefinedByte, lane,
                  fmt::format("byte {} of '{}' is read, but has never been written", at, shortened(object.name)));
    }
  });
  return good;
}

void Block::note_written(const Place& place) {
  if (alike_object_ != nullptr && alike_object_->unwritten == 0) {
    return;
  }
  const unsigned size = place.bytes * place.count;
  for_each_lane(*lanes_, [&](unsigned lane) {
    Object& object = object_of_lane(lane);
    if (object.unwritten == 0) {
      return;
    }
    std::uint8_t* written = written_of(lane, size);
    for (unsigned k = 0; k < size; ++k) {
      object.unwritten -= written[k] == Written ? 0U : 1U;
      written[k] = Written;
    }
  });
}

/// Behind a load: registers that got bytes without a number are not defined.
void Block::load_holes(const Load& a) {
  if (alike_object_ != nullptr && alike_object_->unwritten == 0) {
    return;
  }
  const unsigned size = a.place.bytes * a.place.count;
  for_each_lane(*lanes_, [&](unsigned lane) {
    const Object& object = object_of_lane(lane);
    if (object.unwritten == 0) {
      return;
    }
    const std::uint8_t* written = written_of(lane, size);
    for (const std::optional<Destination>& element : a.elements) {
      if (element && std::any_of(written, written + a.place.bytes, [](std::uint8_t state) { return state != Written; })) {
        Hole hole{0, object.number, 0, line_of(step_of(fragments_[current_]))};
        for (unsigned k = element->bytes; k-- > 0;) {
          // Beyond the bytes that are loaded there are zeros, or copies of a sign.
          const unsigned from = std::min<unsigned>(k, a.place.bytes - 1U);
          if ((k >= a.place.bytes && !a.is_signed) || written[from] == Written) {
            hole.defined = static_cast<std::uint16_t>(hole.defined | 1U << k);
          } else {
            hole.byte = static_cast<std::uint64_t>(written + from - object.written) - lane * object.stride;
          }
        }
        frame_->undefine(element->row, lane, &hole);
      }
      written += a.place.bytes;
    }
  });
}

/// Whether what is stored without a number may be so: it was copied, or is stored where its thread alone can see it. False: a fault.
bool Block::require_stored(const Store& a) {
  for (const Source& element : a.elements) {
    if (is_defined(element)) {
      continue;
    }
    bool good = true;
    for_each_lane(*lanes_, [&](unsigned lane) {
      const bool defined = (frame_->defined(element.index)[lane / 64] >> (lane % 64) & 1U) != 0;
      if (good && !defined && frame_->hole(element.index, lane) == nullptr && object_of_lane(lane).space != Space::Local) {
        good = fail(FaultKind::UndefinedRegister, lane,
                    fmt::format("the register {} is read, but has never been written", register_name(element)));
      }
    });
    if (!good) {
      return false;
    }
  }
  return true;
}

/// Which bytes of an operand have a number, as bits; `first` gets the hole of one that has not.
std::uint32_t Block::defined_bytes(const Source& source, unsigned lane, const Hole*& first) const {
  const std::uint32_t all = (std::uint32_t{1} << source.bytes) - 1;
  if (source.pooled || source.always_defined || (frame_->defined(source.index)[lane / 64] >> (lane % 64) & 1U) != 0) {
    return all;
  }
  const Hole* hole = frame_->hole(source.index, lane);
  first = first == nullptr ? hole : first;
  return hole == nullptr ? 0 : hole->defined & all;
}

/// Whether all threads of the instruction have a number there, or copied what has none. False: a fault.
bool Block::require_copied(const Source& source) {
  bool good = true;
  if (!is_defined(source)) {
    for_each_lane(*lanes_, [&](unsigned lane) {
      const Hole* hole = nullptr;
      good = good && (defined_bytes(source, lane, hole) != 0 || hole != nullptr || require(source));
    });
  }
  return good;
}

/// Behind a mov that makes one number of elements, or elements of one number: what is undefined of them stays so.
void Block::unpack_holes(const Unpack& a) {
  if (is_defined(a.from)) {
    return;
  }
  for_each_lane(*lanes_, [&](unsigned lane) {
    const Hole* hole = nullptr;
    std::uint32_t defined = defined_bytes(a.from, lane, hole);
    for (const std::optional<Destination>& element : a.elements) {
      if (element) {
        put_hole(*element, lane, defined, hole);
      }
      defined >>= a.element_bytes;
    }
  });
}
void Block::pack_holes(const Pack& a) {
  if (std::ranges::all_of(a.elements, [&](const Source& element) { return is_defined(element); })) {
    return;
  }
  for_each_lane(*lanes_, [&](unsigned lane) {
    const Hole* first = nullptr;
    std::uint32_t defined = 0;
    unsigned offset = 0;
    for (const Source& element : a.elements) {
      defined |= defined_bytes(element, lane, first) << offset;
      offset += element.bytes;
    }
    put_hole(a.to, lane, defined, first);
  });
}
void Block::put_hole(const Destination& to, unsigned lane, std::uint32_t defined, const Hole* first) {
  const std::uint32_t all = (std::uint32_t{1} << to.bytes) - 1;
  if ((defined & all) == all) {
    return;
  }
  Hole hole = first == nullptr ? Hole() : *first;
  hole.defined = static_cast<std::uint16_t>(defined);
  frame_->undefine(to.row, lane, first == nullptr ? nullptr : &hole);
}

/// Behind a store of such registers.
void Block::store_holes(const Store& a) {
  const unsigned size = a.place.bytes * a.place.count;
  unsigned offset = 0;
  for (const Source& element : a.elements) {
    if (!is_defined(element)) {
      for_each_lane(*lanes_, [&](unsigned lane) {
        if ((frame_->defined(element.index)[lane / 64] >> (lane % 64) & 1U) != 0) {
          return;
        }
        const Hole* hole = frame_->hole(element.index, lane);
        Object& object = object_of_lane(lane);
        space_.watch_written(object);
        std::uint8_t* written = written_of(lane, size) + offset;
        for (unsigned k = 0; k < a.place.bytes; ++k) {
          if (hole == nullptr || (hole->defined >> k & 1U) == 0) {
            object.unwritten += written[k] == Written ? 1U : 0U;
            written[k] = Copied;
          }
        }
      });
    }
    offset += a.place.bytes;
  }
}

}  // namespace lockstep::ptx_machine
