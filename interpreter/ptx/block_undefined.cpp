// Registers and bytes without a number. Loads, stores, mov, and what else only moves bits, copy what is undefined, byte by byte, since
// compilers copy structures with the holes between their members, vectors of which nobody looks at some element, and values that are used
// on no way that is taken; everything else needs numbers. What was never written at all is an error to store where others can see it, and
// to load from where others have to write it.

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
  return fail_undefined(source, undefined.first());
}

/// The fault of a thread that needs a number there. Returns false.
bool Block::fail_undefined(const Source& source, unsigned lane) {
  const Hole* hole = frame_->hole(source.index, lane);
  if (hole == nullptr) {
    return fail(FaultKind::UndefinedRegister, lane,
                fmt::format("the register {} is read, but has never been written", register_name(source)));
  }
  if (!hole->loaded) {
    return fail(FaultKind::UndefinedRegister, lane,
                fmt::format("the register {} is read, but has no number: line {} copies a register to it that has never been written",
                            register_name(source), hole->line));
  }
  return fail(FaultKind::UndefinedByte, lane,
              fmt::format("the register {} is read, but has no number: line {} loads byte {} of '{}', to which no number has been written",
                          register_name(source), hole->line, hole->loaded->byte, shortened(space_[hole->loaded->object].name)));
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
        Hole hole{0, Hole::Byte{object.number, 0}, line_of(step_of(fragments_[current_]))};
        for (unsigned k = element->bytes; k-- > 0;) {
          // Beyond the bytes that are loaded there are zeros, or copies of a sign.
          const unsigned from = std::min<unsigned>(k, a.place.bytes - 1U);
          if ((k >= a.place.bytes && !a.is_signed) || written[from] == Written) {
            hole.defined = static_cast<std::uint16_t>(hole.defined | 1U << k);
          } else {
            hole.loaded->byte = static_cast<std::uint64_t>(written + from - object.written) - lane * object.stride;
          }
        }
        frame_->undefine(element->row, lane, &hole);
      }
      written += a.place.bytes;
    }
  });
}

/// Whether what is stored without a number may be so: it is stored where its thread alone can see it, or was copied from memory or with
/// something that has a number. False: a fault.
bool Block::require_stored(const Store& a) {
  if (std::ranges::all_of(a.elements, [&](const Source& element) { return is_defined(element); })) {
    return true;
  }
  const std::uint32_t stored = (std::uint32_t{1} << a.place.bytes) - 1;
  bool good = true;
  for_each_lane(*lanes_, [&](unsigned lane) {
    if (!good || object_of_lane(lane).space == Space::Local) {
      return;
    }
    const Source* missing = nullptr;
    bool any = false;
    for (std::size_t k = 0; k < a.elements.size(); ++k) {
      const Hole* hole = nullptr;
      const std::uint32_t defined = defined_bytes(a.elements[k], lane, hole) & stored;
      any = any || defined != 0 || (hole != nullptr && hole->loaded);
      missing = missing == nullptr && defined != stored ? &a.elements[k] : missing;
      // A vector of three is stored as one of four.
      const bool is_fourth = k == 3 && a.elements.size() == 4;
      if (good && defined == 0 && hole == nullptr && !is_fourth) {
        good = fail_undefined(a.elements[k], lane);
      }
    }
    good = good && (any || fail_undefined(*missing, lane));
  });
  return good;
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

/// Whether a computation copies what is undefined of its operand. False: a fault.
bool Block::require_operand(const Source& source) {
  if (source.undefined == ptx::Undefined::Nothing) {
    return require(source);
  }
  bool good = true;
  for_each_lane(*lanes_, [&](unsigned lane) {
    const Hole* hole = nullptr;
    const bool copies = source.undefined == ptx::Undefined::Everything || defined_bytes(source, lane, hole) != 0;
    good = good && (copies || fail_undefined(source, lane));
  });
  return good;
}

/// A computation of which some operands are partly undefined, as its row of forms.def allows.
///
/// What of the result is undefined is asked of the operation itself: it computes with undefined bytes that are 0, and with others that are
/// 0xff, in all combinations of operands. Since each bit of the result depends on one bit of each of them at most, a byte that is always
/// the same depends on none. Halves that are computed each by itself are undefined where those of an operand are.
Block::Flow Block::compute_undefined(const Compute& a) {
  constexpr std::uint32_t lower_bytes_of_halves = 0b0101;
  const std::optional<Destination>& to = a.destinations[0];
  const std::size_t begin = lanes_->begin();
  LaneRows rows;
  std::vector<std::size_t> lacking;
  std::vector<RowStorage> filled(a.sources.size());
  std::vector<std::vector<std::uint32_t>> has(a.sources.size());   // by operand and lane, bytes as bits
  std::vector<std::uint32_t> defined(padded_, ~std::uint32_t{0});  // of the result
  std::vector<std::optional<Hole>> holes(padded_);
  for (std::size_t k = 0; k < a.sources.size(); ++k) {
    const Source& source = a.sources[k];
    rows.from[k] = row(source) + begin * source.bytes;
    if (is_defined(source)) {
      continue;
    }
    lacking.push_back(k);
    filled[k] = RowStorage(std::size_t{padded_} * source.bytes);
    has[k].resize(padded_);
    std::memcpy(filled[k].data(), row(source), std::size_t{padded_} * source.bytes);
    rows.from[k] = filled[k].data() + begin * source.bytes;
    for_each_lane(*lanes_, [&](unsigned lane) {
      const Hole* hole = nullptr;
      has[k][lane] = defined_bytes(source, lane, hole);
      if (hole != nullptr && !holes[lane]) {
        holes[lane] = *hole;
      }
      if (source.undefined == ptx::Undefined::Half) {
        const std::uint32_t halves = has[k][lane] & has[k][lane] >> 1 & lower_bytes_of_halves;
        defined[lane] &= halves | halves << 1;
      }
    });
  }
  const bool by_halves = a.sources[lacking[0]].undefined == ptx::Undefined::Half;
  for (unsigned ones = 0; ones < (by_halves ? 1U : 1U << lacking.size()); ++ones) {
    for (std::size_t i = 0; i < lacking.size(); ++i) {
      const Source& source = a.sources[lacking[i]];
      const std::byte undefined{static_cast<std::uint8_t>((ones >> i & 1U) != 0 ? 0xff : 0)};
      for_each_lane(*lanes_, [&](unsigned lane) {
        for (unsigned byte = 0; byte < source.bytes; ++byte) {
          if ((has[lacking[i]][lane] >> byte & 1U) == 0) {
            filled[lacking[i]].data()[std::size_t{lane} * source.bytes + byte] = undefined;
          }
        }
      });
    }
    const std::size_t result = ones == 0 ? 0 : 1;
    rows.to[0] = scratch_[result].data() + begin * to->bytes;
    a.operation(rows, lanes_->end() - begin);
    for_each_lane(*lanes_, [&](unsigned lane) {
      for (std::size_t byte = 0; ones != 0 && byte < to->bytes; ++byte) {
        const std::size_t at = std::size_t{lane} * to->bytes + byte;
        defined[lane] &= ~(scratch_[0].data()[at] != scratch_[1].data()[at] ? std::uint32_t{1} << byte : 0);
      }
    });
  }
  put(*to, scratch_[0].data());
  for_each_lane(*lanes_, [&](unsigned lane) { put_hole(*to, lane, defined[lane], holes[lane] ? &*holes[lane] : nullptr); });
  return Flow::Next;
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
  Hole hole = first != nullptr ? *first : Hole{0, std::nullopt, line_of(step_of(fragments_[current_]))};
  hole.defined = static_cast<std::uint16_t>(defined & all);
  frame_->undefine(to.row, lane, &hole);
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
