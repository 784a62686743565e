#pragma once
// All races of a launch, byte by byte, with both of their sides.
//
// Each thread of a block has a clock of its own: how far it has come, and how far it knows the others to have come. What threads know of
// each other is passed on by barriers of the block and of warps, and by what the PTX ISA calls release and acquire patterns (Memory
// Consistency Model): a strong write, with .release or behind a fence, whose number a strong read takes, with .acquire or in front of a
// fence; a chain of atomic operations passes it on. Blocks run one after the other, so that what a read takes is the last that was written.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "interpreter/ptx/address_space.hpp"
#include "interpreter/ptx/geometry.hpp"
#include "interpreter/ptx/launch.hpp"
#include "interpreter/ptx/races.hpp"
#include "semantics/base/lane_set.hpp"
#include "semantics/memory/access_log.hpp"

namespace lockstep::ptx_machine {

class RaceLog {
 public:
  struct Access {
    std::uint64_t block = 0;
    std::uint32_t thread = 0;
    std::uint32_t function = 0;
    std::uint32_t pc = 0;
    MemoryOrder order;
  };

  void begin_block(std::uint64_t block, unsigned threads);
  /// All threads of the block have met.
  void all_meet();
  /// The threads of a warp that have met, as bits.
  void warp_meets(unsigned warp, std::uint32_t members);
  /// These threads have come to a barrier of the block; those that wait there leave it when all have come.
  void arrive(unsigned barrier, const LaneSet& threads);
  void leave(unsigned barrier, const LaneSet& threads);
  void fence(unsigned thread, const MemoryOrder& order);

  void access(const Object& object, std::uint64_t offset, unsigned bytes, const Access& access, bool writes, bool reads,
              const Geometry& geometry);

  std::uint64_t count() const { return reports_.count(); }
  const std::vector<Race>& races() const { return reports_.races(); }

 private:
  /// An access with the time that it took place at.
  struct Record {
    Access access;
    std::uint32_t interval = 0;
    std::uint32_t time = 0;
  };
  /// Of readers that nothing orders, a writer meets one of the first just as well.
  using Log = memory::AccessLog<Record, 8>;
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;  ///< two places, and the object
  /// How far each thread of a block had come.
  struct Times {
    std::uint32_t interval = 0;
    std::vector<std::uint32_t> of_thread;
  };
  /// By block, what is known of it.
  using Knowledge = std::map<std::uint64_t, std::shared_ptr<const Times>>;
  /// What those get to know who read from a place, if both scopes are larger than the block, and otherwise.
  struct Released {
    Knowledge wide;
    Knowledge narrow;
    std::uint64_t narrow_block = 0;
    std::uint32_t thread = 0;  ///< of that block, who has written there last
  };
  struct Thread {
    Knowledge known;  ///< of other blocks
    Released read;    ///< what becomes known at the next fence
    Released fenced;  ///< what was known at the last one
  };
  struct BarrierKnowledge {
    std::vector<std::uint32_t> times;
    Knowledge known;
  };

  std::uint32_t* clock(std::uint32_t thread) { return clocks_.data() + std::size_t{thread} * threads_; }
  std::span<const std::uint32_t> times_of(std::uint32_t thread) const {
    return std::span(clocks_).subspan(std::size_t{thread} * threads_, threads_);
  }
  static void join(Knowledge& to, const Knowledge& from);
  void learn(std::uint32_t thread, const Knowledge& what);
  void learn(std::uint32_t thread, const Released& what, bool wide);
  Knowledge known_to(std::uint32_t thread) const;
  Released released_by(std::uint32_t thread, bool wide) const;
  void add(Released& to, const Released& more) const;
  void synchronise(const std::tuple<std::uint32_t, std::uint64_t, unsigned>& place, const Access& access, bool writes, bool reads);
  bool ordered(const Record& earlier, const Record& later) const;
  bool races(const Record& earlier, const Record& later) const;
  bool stands_for(const Record& later, const Record& earlier) const;
  void report(const Object& object, std::uint64_t byte, const Record& first, bool first_writes, const Record& second, bool second_writes,
              const Geometry& geometry);

  Log global_;
  Log shared_;  ///< of this block
  std::uint64_t block_ = 0;
  unsigned threads_ = 0;
  std::uint32_t interval_ = 0;         ///< barriers of all threads of the block so far
  std::vector<std::uint32_t> clocks_;  ///< of each thread of the block, what it knows in this interval of each
  std::vector<Thread> others_;
  Knowledge common_;  ///< what all threads of the block know of other blocks
  std::array<BarrierKnowledge, 16> barriers_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, unsigned>, Released> released_;  ///< by object, offset and bytes
  memory::RaceReports<Race, Key> reports_;
};

}  // namespace lockstep::ptx_machine
