#pragma once
// Who touched which cell: races between groups, between warps in one barrier interval, and within one instruction (DESIGN.md 5).

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "interpreter/launch/launch.hpp"
#include "interpreter/launch/objects.hpp"

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
  /// Barriers after which footprints have no number for an interval.
  static constexpr std::uint64_t intervals = std::uint64_t{1} << 19;

  explicit Footprints(std::uint64_t cells) : cells_(std::make_unique<Cell[]>(cells)) {}

  /// True if this read races with a write seen before, and beyond `intervals`, where it cannot be told.
  bool read(std::uint64_t cell, const Visitor& who) {
    if (who.interval >= intervals) [[unlikely]] {
      return true;
    }
    const Mark me = mark(who);
    Cell& c = cells_[cell];
    Mark old = c.reader.load();
    // Where many read one cell, the readers are soon as many as can be told apart; until then nobody who came in between may be lost.
    while (old != me && old != merged(old, me) && !c.reader.compare_exchange_weak(old, merged(old, me))) {
    }
    const Mark writer = c.writer.load();
    return writer != 0 && unordered_marks(writer, me);
  }
  /// True if this write races with an access seen before, and beyond `intervals`, where it cannot be told.
  bool write(std::uint64_t cell, const Visitor& who) {
    if (who.interval >= intervals) [[unlikely]] {
      return true;
    }
    const Mark me = mark(who);
    Cell& c = cells_[cell];
    const Mark before = c.writer.load() == me ? me : c.writer.exchange(me);
    const Mark reader = c.reader.load();
    return (before != 0 && unordered_marks(before, me)) || (reader != 0 && (reader == many || unordered_marks(reader, me)));
  }

 private:
  /// A visitor; 0 is nobody. Group + 1 in the upper 32 bits, then 19 of the interval, then 13 of the warp.
  using Mark = std::uint64_t;
  struct Cell {
    std::atomic<Mark> writer{0};
    std::atomic<Mark> reader{0};
  };
  static constexpr Mark many = ~Mark{0};      ///< readers of different groups
  static constexpr Mark all_warps = 0x1fffU;  ///< as a warp: several of one interval; a group has fewer warps

  static constexpr Mark mark(const Visitor& v) { return (Mark{v.group} + 1) << 32 | v.interval << 13 | v.warp; }
  static constexpr bool of_one_group(Mark a, Mark b) { return a >> 32 == b >> 32; }
  static constexpr bool of_one_interval(Mark a, Mark b) { return a >> 13 == b >> 13; }
  static constexpr bool unordered_marks(Mark a, Mark b) { return !of_one_group(a, b) || (of_one_interval(a, b) && a != b); }
  static constexpr Mark merged(Mark old, Mark me) {
    if (old == 0 || (old != many && of_one_group(old, me) && !of_one_interval(old, me))) {
      return me;  // earlier intervals of the group are ordered before whatever comes
    }
    return old != many && of_one_group(old, me) ? old | all_warps : many;
  }

  std::unique_ptr<Cell[]> cells_;
};

/// What a message about an access needs.
struct AccessRecord {
  Visitor who;
  std::uint32_t item = 0;  ///< in the group
  typed::Label pc = 0;
  std::uint64_t bits = 0;
  bool poison = false;  ///< instead of the bits
};

/// Collects races with both parties, for a launch that runs in the defining order on one host thread.
class RaceLog {
 public:
  explicit RaceLog(const typed::Program& program, std::vector<std::string> buffer_names)
      : program_(program), buffer_names_(std::move(buffer_names)) {}

  void read(const Object& object, std::uint64_t cell, const AccessRecord& access);
  void write(const Object& object, std::uint64_t cell, const AccessRecord& access);
  /// Two items stored different values to one cell in one instruction.
  void clash(const Object& object, std::uint64_t cell, const AccessRecord& first, const AccessRecord& second);
  /// Local arrays of the group that has ended are new ones for the next.
  void forget_locals() { local_.clear(); }

  std::uint64_t count() const { return count_; }
  const std::vector<Race>& races() const { return races_; }
  static constexpr std::size_t most_reports = 100;

 private:
  /// The last writer, and the last readers of two different visitors (two are enough to find one that is unordered with a writer, since
  /// readers of one visitor are alike).
  struct Cell {
    AccessRecord writer;
    AccessRecord readers[2];
  };
  Cell& cell(const Object& object, std::uint64_t index);
  void report(const Object& object, std::uint64_t index, const AccessRecord& first, bool first_writes, const AccessRecord& second,
              bool second_writes);

  const typed::Program& program_;
  std::vector<std::string> buffer_names_;
  std::map<std::uint32_t, std::vector<Cell>> global_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Cell>> local_;
  std::vector<Race> races_;
  std::map<std::tuple<typed::Label, typed::Label, const std::byte*>, bool> seen_;
  std::uint64_t count_ = 0;
};

/// One pack's way to the watch: quick footprints, or the full log.
class RaceWatch {
 public:
  std::vector<std::unique_ptr<Footprints>>* global = nullptr;  ///< by buffer number; null when the log is kept
  RaceLog* log = nullptr;
  bool found = false;  ///< by the footprints
  bool several_warps = false;
  std::vector<std::unique_ptr<Footprints>> local;  ///< by ObjectId; of this pack's groups
  std::vector<Visitor> visitor_of_lane;
};

}  // namespace lockstep::launch
