#pragma once
// Who touched which bytes: two accesses to a byte, one of them a write, are a race if nothing orders them and not both are strong (atomic,
// volatile, or with a memory order of their own; PTX ISA, Memory Consistency Model: Data-races).
//
// What orders two accesses of different threads is a barrier between them, of the block or of the warp, or what a strong read takes from a
// strong write. Two detectors look. Marks are two words for each four bytes (or each byte, where the module has narrower accesses); they
// know of barriers for all threads of a block or warp only, so that they miss no race, but may see one where there is none. The log
// (race_log.hpp) is exact, knows both parties, and is slow. A launch runs with marks first, and with the log when they have seen something.
//
// A read of what nothing may write while the kernel runs (ld.global.nc) is wrong with any write to it, whatever orders them.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "interpreter/ptx/geometry.hpp"

namespace lockstep::ptx_machine {

/// How an access, or a fence, takes part in the order of others.
struct MemoryOrder {
  bool strong = false;    ///< atomic, volatile, or with an order of its own
  bool wide = false;      ///< its scope is larger than the block
  bool acquire = false;   ///< what comes behind it knows of what came before those that it has read from
  bool release = false;   ///< those who read from it know of what comes before it
  bool constant = false;  ///< a read of what nothing may write while the kernel runs
};

/// How far the block and its warps have come, in barriers that all of their threads took part in.
struct RaceClock {
  std::uint32_t interval = 1;        ///< of the launch: begins anew with each block and at each barrier of all its threads
  std::uint32_t block_interval = 1;  ///< the first one of this block
  std::array<std::uint32_t, max_block_threads / warp_threads> warps{};  ///< barriers of the whole warp in this interval
};

/// Of one object, who has read and written each granule.
class Marks {
 public:
  /// `per_block`: the object is another one in each block.
  Marks(std::uint64_t bytes, unsigned granule_shift, bool per_block)
      : shift_(granule_shift), per_block_(per_block), granules_((bytes >> granule_shift) + 1) {}

  /// At most.
  static std::uint64_t bytes_for(std::uint64_t bytes, unsigned granule_shift) {
    return ((bytes >> granule_shift) + 1) * (2 * sizeof(std::uint64_t) + 1);
  }

  /// True if the accesses of threads first … first + count - 1, which lie side by side, may race with earlier ones.
  bool access_range(const RaceClock& clock, std::uint64_t offset, unsigned bytes, unsigned first, unsigned count, const MemoryOrder& order,
                    bool writes) {
    bool found = false;
    if (order.constant) {
      return read_constant(offset, std::uint64_t{count} * bytes);
    }
    if (bytes != 1U << shift_) {
      for (unsigned k = 0; k < count; ++k) {
        found |= access(clock, offset + std::uint64_t{k} * bytes, bytes, first + k, order, writes, !writes);
      }
      return found;
    }
    // Whole granules: one after the other, in each list that there is.
    const std::uint64_t at = offset >> shift_;
    const auto meets = [&](const std::vector<std::uint64_t>& earlier) {
      for (unsigned k = 0; k < count && !earlier.empty(); ++k) {
        found |= conflict(clock, earlier[at + k], mark(clock, first + k, order));
      }
    };
    meets(writers_);
    if (writes) {
      meets(readers_);
      found |= is_constant(at, at + count - 1);
    }
    std::uint64_t* marks = &made(writes ? writers_ : readers_)[at];
    for (unsigned k = 0; k < count; ++k) {
      marks[k] = merged(clock, marks[k], mark(clock, first + k, order));
    }
    return found;
  }

  /// True if the access may race with an earlier one.
  bool access(const RaceClock& clock, std::uint64_t offset, unsigned bytes, unsigned thread, const MemoryOrder& order, bool writes,
              bool reads) {
    if (order.constant) {
      return read_constant(offset, bytes);
    }
    const std::uint64_t me = mark(clock, thread, order);
    bool found = writes && is_constant(offset >> shift_, (offset + bytes - 1) >> shift_);
    for (std::uint64_t k = offset >> shift_; k <= (offset + bytes - 1) >> shift_; ++k) {
      found = found || (!writers_.empty() && conflict(clock, writers_[k], me));
      found = found || (writes && !readers_.empty() && conflict(clock, readers_[k], me));
      if (writes) {
        std::uint64_t& writer = made(writers_)[k];
        writer = merged(clock, writer, me);
      }
      if (reads) {
        std::uint64_t& reader = made(readers_)[k];
        reader = merged(clock, reader, me);
      }
    }
    return found;
  }

 private:
  /// A mark: the interval in the upper 32 bits, 16 bits of the warp's barriers, 10 of the thread, and flags. 0 is nobody.
  static constexpr std::uint64_t present = 1;
  static constexpr std::uint64_t strong_only = 2;      ///< all of those that it stands for
  static constexpr std::uint64_t many_in_warp = 4;     ///< several threads of the thread's warp
  static constexpr std::uint64_t many_in_block = 8;    ///< threads of several warps
  static constexpr std::uint64_t earlier_blocks = 16;  ///< threads of earlier blocks too
  static constexpr std::uint64_t narrow = 32;          ///< of some of them, the scope is the block
  static constexpr std::uint32_t most_warp_barriers = 0xffff;

  static std::uint64_t mark(const RaceClock& clock, unsigned thread, const MemoryOrder& order) {
    const std::uint64_t at = std::min(clock.warps[thread / warp_threads], most_warp_barriers);
    return std::uint64_t{clock.interval} << 32 | at << 16 | std::uint64_t{thread} << 6 | present | (order.strong ? strong_only : 0) |
           (order.wide ? 0 : narrow);
  }
  std::vector<std::uint64_t>& made(std::vector<std::uint64_t>& marks) const {
    if (marks.empty()) [[unlikely]] {
      marks.resize(granules_);
    }
    return marks;
  }
  static std::uint32_t interval_of(std::uint64_t m) { return static_cast<std::uint32_t>(m >> 32); }
  static std::uint64_t thread_of(std::uint64_t m) { return m >> 6 & 0x3ff; }
  static bool one_warp(std::uint64_t a, std::uint64_t b) { return thread_of(a) / warp_threads == thread_of(b) / warp_threads; }
  static std::uint64_t warp_time(std::uint64_t m) { return m >> 16 & 0xffff; }
  /// Whether barriers of their warp lie between the two, which are of one interval and one warp.
  static bool warp_ordered(std::uint64_t earlier, std::uint64_t me) {
    return warp_time(earlier) < warp_time(me) && warp_time(me) != most_warp_barriers;
  }

  bool conflict(const RaceClock& clock, std::uint64_t earlier, std::uint64_t me) const {
    const bool one_block = interval_of(earlier) >= clock.block_interval && (earlier & earlier_blocks) == 0;
    if (earlier == 0 || ((earlier & me & strong_only) != 0 && (one_block || ((earlier | me) & narrow) == 0))) {
      return false;
    }
    if (interval_of(earlier) < clock.block_interval) {
      return !per_block_;
    }
    if ((earlier & earlier_blocks) != 0) {
      return true;
    }
    if (interval_of(earlier) < clock.interval) {
      return false;
    }
    if ((earlier & many_in_block) != 0 || !one_warp(earlier, me)) {
      return true;
    }
    return ((earlier & many_in_warp) != 0 || thread_of(earlier) != thread_of(me)) && !warp_ordered(earlier, me);
  }

  std::uint64_t merged(const RaceClock& clock, std::uint64_t old, std::uint64_t me) const {
    constexpr std::uint64_t in_warp = std::uint64_t{warp_threads - 1} << 6;
    if (((old ^ me) & ~(in_warp | 0x3f)) == 0 && old != 0) {  // one warp, between the same barriers: the usual case
      return ((((old ^ me) & in_warp) == 0 ? old : old | many_in_warp) & (me | ~std::uint64_t{strong_only})) | (me & narrow);
    }
    if (old == 0) {
      return me;
    }
    if (interval_of(old) < clock.block_interval) {
      return per_block_ ? me : weaken(old, me) | earlier_blocks;
    }
    const std::uint64_t kept = old & earlier_blocks;
    if (interval_of(old) < clock.interval) {
      // The barrier between them orders nothing for other blocks: to these what was not strong before it is as good as of narrow scope.
      const std::uint64_t for_others = (old & strong_only) != 0 ? old & narrow : narrow;
      return (kept == 0 ? me : weaken(old, me) | kept) | for_others;
    }
    if (!one_warp(old, me)) {
      return weaken(old, me) | kept | many_in_block;
    }
    if ((old & many_in_block) == 0 && warp_ordered(old, me)) {
      return weaken(old, me) | kept;
    }
    const bool another = thread_of(old) != thread_of(me);
    return weaken(old, me) | (old & (earlier_blocks | many_in_block | many_in_warp)) | (another ? many_in_warp : 0);
  }
  /// `me`, strong and wide only if `old` is as well.
  static std::uint64_t weaken(std::uint64_t old, std::uint64_t me) {
    return ((old & strong_only) != 0 ? me : me & ~std::uint64_t{strong_only}) | (old & narrow);
  }

  /// True if somebody has written there.
  bool read_constant(std::uint64_t offset, std::uint64_t bytes) {
    constants_.resize(granules_);
    bool found = false;
    for (std::uint64_t k = offset >> shift_; k <= (offset + bytes - 1) >> shift_; ++k) {
      constants_[k] = 1;
      found = found || (!writers_.empty() && writers_[k] != 0);
    }
    return found;
  }
  /// Whether one of these granules is read as if nothing wrote it.
  bool is_constant(std::uint64_t first, std::uint64_t last) const {
    return !constants_.empty() &&
           std::any_of(constants_.begin() + static_cast<std::ptrdiff_t>(first), constants_.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                       [](std::uint8_t c) { return c != 0; });
  }

  unsigned shift_;
  bool per_block_;
  std::uint64_t granules_;
  // By granule; empty until somebody writes, reads, or reads what nothing may write.
  std::vector<std::uint64_t> writers_;
  std::vector<std::uint64_t> readers_;
  std::vector<std::uint8_t> constants_;
};

}  // namespace lockstep::ptx_machine
