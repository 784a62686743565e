#pragma once
// Who touched which cell: races between groups, between warps in one barrier interval, and within one instruction
// (docs/kernel-language.md).

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "interpreter/launch/launch.hpp"
#include "interpreter/launch/objects.hpp"
#include "semantics/memory/access_log.hpp"

namespace lockstep::launch {

/// Who touches a cell: a warp of a group, after as many barriers as `interval` says.
struct Visitor {
  static constexpr std::uint32_t nobody = 0xffffffffU;  ///< as a group; a launch has fewer
  std::uint32_t group = nobody;
  std::uint32_t warp = 0;
  std::uint64_t interval = 0;

  friend constexpr bool operator==(const Visitor&, const Visitor&) = default;
};
constexpr Visitor visitor(std::uint64_t group, std::uint64_t interval, std::uint64_t warp) {
  return {static_cast<std::uint32_t>(group), static_cast<std::uint32_t>(warp), interval};
}
constexpr bool is_somebody(const Visitor& v) { return v.group != Visitor::nobody; }
constexpr bool same_group(const Visitor& a, const Visitor& b) { return a.group == b.group; }
constexpr bool same_interval(const Visitor& a, const Visitor& b) { return a.group == b.group && a.interval == b.interval; }
/// Whether two accesses, one of them a write, are a race: of different groups, or of two warps of a group between the same barriers.
constexpr bool unordered(const Visitor& a, const Visitor& b) { return !same_group(a, b) || (same_interval(a, b) && a.warp != b.warp); }

/// The last writer and the readers of each cell, in two words: enough to know that there is a race, not which one. Several host threads
/// may use it at once on __global buffers, each group being run by one of them.
///
/// Of two accesses of different groups, one of them a write, at least one finds the other. A read makes sure that it is among the cell's
/// readers, and then looks for the writer; a write makes itself the writer, and then looks for the readers. All these are seq_cst, so in
/// their one order either the write's mark comes before the read's look, or the read's mark, which precedes that look, comes before the
/// write's. What is found there may be a later mark than the other party's. A later writer has found the earlier one, from whom it took
/// the cell, to be unordered with itself; or it is of the same group, and as unordered with the read as the earlier one. Readers of
/// several groups are never forgotten, and those of one group only in favour of later ones of that group. Nothing of this changes when a
/// mark that is there already is not written again: it was put there before, and found still there, or replaced as just said.
class Footprints {
 public:
  /// Barriers after which footprints have no number for an interval, in groups of `warps` warps.
  static constexpr std::uint64_t intervals(std::uint64_t warps) { return std::uint64_t{1} << (32 - warp_bits(warps)); }

  static constexpr std::size_t bytes_per_cell = 2 * sizeof(std::uint64_t);

  /// `atomic`: some of the accesses may be changes.
  Footprints(std::uint64_t cells, std::uint64_t warps, bool atomic = false)
      : warp_bits_(warp_bits(warps)),
        cells_(std::make_unique<Cell[]>(cells)),
        mixed_(atomic ? std::make_unique<Mixed[]>(cells) : nullptr) {}

  /// True if this read races with a write seen before, and beyond `intervals`, where it cannot be told.
  bool read(std::uint64_t cell, const Visitor& who) {
    if (who.interval >> (32 - warp_bits_) != 0) [[unlikely]] {
      return true;
    }
    const bool races = look(cell, who);
    const bool is_mixed = mixed_ != nullptr && mixes(mixed_[cell].plain, mixed_[cell].atomic, mark(who));
    return races || is_mixed;
  }
  /// Likewise of an atomic read: changes are no race with it.
  bool look(std::uint64_t cell, const Visitor& who) {
    if (who.interval >> (32 - warp_bits_) != 0) [[unlikely]] {
      return true;
    }
    const Mark me = mark(who);
    Cell& c = cells_[cell];
    add(c.reader, me);
    const Mark writer = c.writer.load();
    return writer != 0 && unordered_marks(writer, me);
  }
  /// True if this write races with an access seen before, and beyond `intervals`, where it cannot be told.
  bool write(std::uint64_t cell, const Visitor& who) {
    if (who.interval >> (32 - warp_bits_) != 0) [[unlikely]] {
      return true;
    }
    const Mark me = mark(who);
    Cell& c = cells_[cell];
    const Mark before = c.writer.load() == me ? me : c.writer.exchange(me);
    const Mark reader = c.reader.load();
    const bool is_mixed = mixed_ != nullptr && mixes(mixed_[cell].plain, mixed_[cell].atomic, me);
    return (before != 0 && unordered_marks(before, me)) || meets(reader, me) || is_mixed;
  }
  /// True if this atomic change races with another access that is none, and beyond `intervals`, where it cannot be told.
  bool change(std::uint64_t cell, const Visitor& who) {
    return who.interval >> (32 - warp_bits_) != 0 || mixes(mixed_[cell].atomic, mixed_[cell].plain, mark(who));
  }

 private:
  /// A visitor; 0 is nobody. Group + 1 in the upper 32 bits; below them the interval, and the warp in the lowest `warp_bits_`.
  using Mark = std::uint64_t;
  struct Cell {
    std::atomic<Mark> writer{0};
    std::atomic<Mark> reader{0};
  };
  /// Who changes a cell atomically, and who meets it otherwise: one of each kind is a race, as of readers and writers above. Both are kept
  /// as readers are, so that the same holds of them.
  struct Mixed {
    std::atomic<Mark> plain{0};
    std::atomic<Mark> atomic{0};
  };
  static constexpr Mark many = ~Mark{0};  ///< visitors of different groups

  /// So many that one number is left over for `all_warps`.
  static constexpr unsigned warp_bits(std::uint64_t warps) { return std::max(13U, static_cast<unsigned>(std::bit_width(warps))); }
  /// As a warp: several of one interval.
  Mark all_warps() const { return (Mark{1} << warp_bits_) - 1; }
  Mark mark(const Visitor& v) const { return (Mark{v.group} + 1) << 32 | v.interval << warp_bits_ | v.warp; }
  static constexpr bool of_one_group(Mark a, Mark b) { return a >> 32 == b >> 32; }
  bool of_one_interval(Mark a, Mark b) const { return a >> warp_bits_ == b >> warp_bits_; }
  bool unordered_marks(Mark a, Mark b) const { return !of_one_group(a, b) || (of_one_interval(a, b) && a != b); }
  Mark merged(Mark old, Mark me) const {
    if (old == 0 || (old != many && of_one_group(old, me) && !of_one_interval(old, me))) {
      return me;  // earlier intervals of the group are ordered before whatever comes
    }
    return old != many && of_one_group(old, me) ? old | all_warps() : many;
  }

  /// Makes sure that `me` is among the visitors. Where there are many, they are soon as many as can be told apart; until then nobody who
  /// came in between may be lost.
  void add(std::atomic<Mark>& visitors, Mark me) const {
    Mark old = visitors.load();
    while (old != me && old != merged(old, me) && !visitors.compare_exchange_weak(old, merged(old, me))) {
    }
  }
  bool meets(Mark visitors, Mark me) const { return visitors != 0 && (visitors == many || unordered_marks(visitors, me)); }
  bool mixes(std::atomic<Mark>& own, const std::atomic<Mark>& others, Mark me) const {
    add(own, me);
    return meets(others.load(), me);
  }

  unsigned warp_bits_;
  std::unique_ptr<Cell[]> cells_;
  std::unique_ptr<Mixed[]> mixed_;  ///< null where no access is a change
};

/// What a message about an access needs.
struct AccessRecord {
  Visitor who;
  std::uint32_t item = 0;  ///< in the group
  typed::Label pc = 0;
  ScalarType type = ScalarType::Int;  ///< that was read or written
  std::uint64_t bits = 0;
  bool poison = false;     ///< instead of the bits
  bool is_atomic = false;  ///< a change, or one that was not made, which is no race with others of its kind
  bool writes = false;
};

/// Collects races with both parties, for a launch that runs in the defining order on one host thread.
class RaceLog {
 public:
  /// `equal_races`: stores of equal values are none.
  explicit RaceLog(const typed::Program& program, std::vector<std::string> buffer_names, bool equal_races = false)
      : program_(program), buffer_names_(std::move(buffer_names)), equal_races_(equal_races) {}

  void read(const Object& object, std::uint64_t index, const AccessRecord& access) { note(object, index, access, false); }
  void write(const Object& object, std::uint64_t index, const AccessRecord& access) { note(object, index, access, true); }
  /// Two items stored different values to one cell in one instruction.
  void clash(const Object& object, std::uint64_t index, const AccessRecord& first, const AccessRecord& second) {
    report(object, index, first, true, second, true);
  }
  /// Local arrays of the group that has ended are new ones for the next.
  void forget_locals() { local_.clear(); }

  std::uint64_t count() const { return reports_.count(); }
  /// Of two groups, whose order then may decide the result.
  std::uint64_t between_groups() const { return between_groups_; }
  const std::vector<Race>& races() const { return reports_.races(); }

 private:
  /// The last writer, and of readers, of those who only look, and of those who change it two different visitors each: two are enough to
  /// find one that is unordered with a writer, since those of one visitor and kind are alike.
  using Log = memory::AccessLog<AccessRecord, 5>;
  using Key = std::tuple<typed::Label, typed::Label, const std::byte*, bool>;  ///< the bool: in one group

  void note(const Object& object, std::uint64_t index, AccessRecord access, bool writes);
  void report(const Object& object, std::uint64_t index, const AccessRecord& first, bool first_writes, const AccessRecord& second,
              bool second_writes);

  const typed::Program& program_;
  std::vector<std::string> buffer_names_;
  bool equal_races_;
  Log global_;
  Log local_;
  memory::RaceReports<Race, Key> reports_;
  std::uint64_t between_groups_ = 0;
};

/// Of the items that store in one instruction, the last one of each warp at each cell: a hash table that is emptied by a count.
class LastStores {
 public:
  /// Nobody has stored; at most `items` will.
  void begin(std::size_t items) {
    if (slots_.size() < 2 * items) {
      slots_.assign(std::bit_ceil(2 * items), {});
    }
    ++instruction_;
  }
  /// The lane of the item of warp `who` that has stored to `cell`; 0 before one has.
  std::uint32_t& lane_of(const Visitor& who, std::uint64_t cell) {
    const std::uint64_t warp = std::uint64_t{who.group} << 32 | who.warp;
    std::uint64_t at = (cell ^ warp * 0xc2b2ae3d27d4eb4fU) * 0x9e3779b97f4a7c15U >> 32;
    for (;; ++at) {
      Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.instruction != instruction_) {
        slot = {instruction_, cell, warp, 0};
      }
      if (slot.cell == cell && slot.warp == warp) {
        return slot.lane;
      }
    }
  }

 private:
  struct Slot {
    std::uint64_t instruction = 0;  ///< in which it was filled
    std::uint64_t cell = 0;
    std::uint64_t warp = 0;  ///< and its group
    std::uint32_t lane = 0;
  };
  std::vector<Slot> slots_;
  std::uint64_t instruction_ = 0;
};

/// One pack's way to the watch: quick footprints, or the full log.
class RaceWatch {
 public:
  std::vector<std::unique_ptr<Footprints>>* global = nullptr;  ///< by buffer number; null when the log is kept
  RaceLog* log = nullptr;
  bool found = false;  ///< by the footprints
  bool several_warps = false;
  std::vector<std::unique_ptr<Footprints>> local;  ///< by ObjectId; of this pack's groups
  std::vector<Visitor> of_local;                   ///< by lane: who touches local memory, with the barriers that order it
  std::vector<Visitor> of_global;
  const std::vector<Visitor>& visitors(const Object& object) const { return object.space == AddressSpace::Global ? of_global : of_local; }
  LastStores last_stores;  ///< of the log
};

}  // namespace lockstep::launch
