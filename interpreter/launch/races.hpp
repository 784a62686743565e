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

/// A warp in one of its barrier intervals; 0 is nobody. Group + 1 in the upper 32 bits, then 19 of the interval, then 13 of the warp.
using Visitor = std::uint64_t;
constexpr Visitor visitor(std::uint64_t group, std::uint64_t interval, std::uint64_t warp) {
  return (group + 1) << 32 | (interval & 0x7ffffU) << 13 | (warp & 0x1fffU);
}
constexpr bool same_group(Visitor a, Visitor b) { return a >> 32 == b >> 32; }
constexpr bool same_interval(Visitor a, Visitor b) { return a >> 13 == b >> 13; }
/// Whether two accesses, one of them a write, are a race: of different groups, or of two warps of a group between the same barriers.
constexpr bool unordered(Visitor a, Visitor b) { return !same_group(a, b) || (same_interval(a, b) && a != b); }

/// The last writer and the readers of each cell, in two words: enough to know that there is a race, not which one. Several host threads
/// may use it at once on __global buffers.
class Footprints {
 public:
  explicit Footprints(std::uint64_t cells) : cells_(std::make_unique<Cell[]>(cells)) {}

  /// True if this read races with a write seen before.
  bool read(std::uint64_t cell, Visitor who) {
    Cell& c = cells_[cell];
    const Visitor old = c.reader.load(std::memory_order_seq_cst);
    const Visitor now = old == who ? old : merged(old, who);
    if (now != old) {  // where many read one cell, the readers are already as many as can be told apart
      c.reader.store(now, std::memory_order_seq_cst);
    }
    const Visitor writer = c.writer.load(std::memory_order_seq_cst);
    return writer != 0 && unordered(writer, who);
  }
  /// True if this write races with an access seen before.
  bool write(std::uint64_t cell, Visitor who) {
    Cell& c = cells_[cell];
    const Visitor old = c.writer.load(std::memory_order_relaxed);
    Visitor before = old;
    if (old != who) {
      before = c.writer.exchange(who, std::memory_order_seq_cst);
    }
    const Visitor reader = c.reader.load(std::memory_order_seq_cst);
    return (before != 0 && unordered(before, who)) || (reader != 0 && (reader == many || reader_races(reader, who)));
  }

 private:
  struct Cell {
    std::atomic<Visitor> writer{0};
    std::atomic<Visitor> reader{0};
  };
  static constexpr Visitor many = ~Visitor{0};         ///< readers of different groups
  static constexpr std::uint64_t all_warps = 0x1fffU;  ///< as a warp: several of one interval

  static Visitor merged(Visitor old, Visitor who) {
    if (old == 0 || (old != many && same_group(old, who) && !same_interval(old, who))) {
      return who;  // earlier intervals of the group are ordered before whatever comes
    }
    return old != many && same_group(old, who) ? old | all_warps : many;
  }
  static bool reader_races(Visitor reader, Visitor who) { return unordered(reader, who); }

  std::unique_ptr<Cell[]> cells_;
};

/// What a message about an access needs.
struct AccessRecord {
  Visitor who = 0;
  std::uint32_t item = 0;  ///< in the group
  typed::Label pc = 0;
  std::uint64_t bits = 0;
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
