#pragma once
// One block of threads after the other on the PTX machine. Threads that are at one place are a fragment, which takes its steps at once; it
// falls apart where its threads go different ways, and becomes one with others that it meets.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "interpreter/ptx/code.hpp"
#include "interpreter/ptx/counts.hpp"
#include "interpreter/ptx/fragment.hpp"
#include "interpreter/ptx/frame.hpp"
#include "interpreter/ptx/lanes.hpp"
#include "interpreter/ptx/launch.hpp"
#include "interpreter/ptx/postdominators.hpp"
#include "interpreter/ptx/race_log.hpp"
#include "semantics/base/lane_set.hpp"

namespace lockstep::ptx_machine {

/// What all blocks of a launch run and have in common.
struct Program {
  const ptx::resolved::Module& module;
  const Placement& placement;
  const std::vector<FunctionCode>& code;
  const LaunchOptions& options;
};

/// What looks for races while blocks run: the log if there is one, else the objects' marks.
struct RaceWatch {
  RaceClock clock;
  RaceLog* log = nullptr;
  bool found = false;  ///< by marks
};

class Block {
 public:
  /// `watch` may be null: nobody looks for races. So may `counter`: nobody counts.
  Block(const Program& program, AddressSpace& space, Pool& pool, RaceWatch* watch, Counter* counter = nullptr);

  /// Runs block number `index` of the grid to its end, or to its first fault.
  std::optional<Fault> run(std::uint64_t index);

  /// The same step by step: begins with the block; next_fragment() is known from then on.
  void begin(std::uint64_t index);
  /// One instruction of the next fragment. False: there is none, or a fault.
  bool step();

  /// Of all blocks so far.
  std::uint64_t steps() const { return steps_; }
  std::uint64_t thread_steps() const { return thread_steps_; }
  const std::vector<OpenResult>& open_results() const { return open_results_; }
  /// Sets them back to what they were.
  void set_back(std::uint64_t steps, std::uint64_t thread_steps, const std::vector<OpenResult>& open_results);

  // What there is to see at a step.
  const std::optional<Fault>& fault() const { return fault_; }
  const Program& program() const { return program_; }
  AddressSpace& space() const { return space_; }
  const Pool& pool() const { return pool_; }
  std::uint64_t index() const { return index_; }  ///< in the grid
  unsigned threads() const { return threads_; }
  const std::vector<Fragment>& fragments() const { return fragments_; }
  /// Who takes the next step, or would have, had there been no fault; null: nobody.
  const Fragment* next_fragment() const { return chosen_ ? &fragments_[current_] : nullptr; }
  /// The frame of a function at a depth of calls; null if it was never entered there.
  const Frame* frame(std::size_t depth, std::uint32_t function) const {
    return depth < frames_.size() && function < frames_[depth].size() ? frames_[depth][function].get() : nullptr;
  }
  const LaneSet& live() const { return live_; }
  /// Of a thread that waits for others of its warp.
  std::uint32_t waiting_mask(unsigned lane) const { return masks_[lane]; }
  /// Threads that have come by a barrier and gone on.
  struct CameBy {
    std::uint32_t function = 0;
    std::uint32_t pc = 0;
    LaneSet lanes;
  };
  /// Who has come to a barrier.
  struct BarrierState {
    LaneSet arrived;
    std::uint64_t count = 0;     ///< arrivals; also of threads that the last warp does not have
    std::uint64_t expected = 0;  ///< such arrivals; 0: nobody has come
    bool reduces = false;        ///< it is one of bar.red
    bool yes_all = true;         ///< of bar.red
    bool yes_any = false;
    std::uint32_t yes = 0;
    std::optional<std::uint32_t> open{};  ///< the line of what PTX leaves open, on which somebody's predicate depends
    std::vector<CameBy> came_by{};        ///< by bar.arrive, which a warp's threads do in one place
  };
  const BarrierState& barrier(unsigned id) const { return barriers_[id]; }
  /// How many threads a barrier waits for: of those that it counts, the last warp may not have all.
  std::uint64_t awaited(const BarrierState& barrier) const {
    const std::uint64_t all = (std::uint64_t{threads_} + warp_threads - 1) / warp_threads * warp_threads;
    return barrier.expected == all ? threads_ : barrier.expected;
  }

 private:
  /// What the fragment does behind an instruction.
  enum class Flow : std::uint8_t {
    Next,    ///< goes on behind it
    Jumped,  ///< its pc has been set
    Choose,  ///< likewise, and another one may be next
    Stop,    ///< there is a fault
  };

  // block.cpp: which fragment runs, and how
  void start(std::uint64_t index);
  void set_specials();
  void settle();
  bool choose();
  void run_fragment();
  bool advance();
  Flow step(Fragment& f);
  bool guarded(const ptx::resolved::Guard& guard);
  void use(const Fragment& f);
  std::size_t split(std::size_t index, const LaneSet& away);
  void merge_at_current();
  void set_watch();
  void finish(std::size_t index);
  void count_issue(const Fragment& f);
  std::uint32_t rank_of(const Fragment& f) const {
    const std::vector<std::uint32_t>& rank = orders_[f.function].rank;
    return rank[std::min<std::size_t>(f.pc, rank.size() - 1)];
  }
  Frame& frame_of(const Fragment& f) { return *frames_[f.calls.size()][f.function]; }

  // block_data.cpp: rows
  const std::byte* row(const Source& source);
  std::uint64_t lane_number(const Source& source, unsigned lane) const;
  void define(const Destination& to);
  void put(const Destination& to, const std::byte* scratch);
  Flow execute(const Compute& a);
  Flow execute(const Move& a);
  Flow execute(const Pack& a);
  Flow execute(const Unpack& a);
  Flow execute(const Repack& a);
  Flow execute(const Resized& a);
  Flow execute(const ConvertAddress& a);
  Flow execute(const IsSpace& a);
  Flow execute(const Nothing&) { return Flow::Next; }

  // block_memory.cpp
  bool locate(const Place& place, bool writes);
  bool locate_apart(const Place& place, bool writes);
  bool locate_alike(const Place& place, bool writes);
  std::uint64_t lane_address(const Place& place, unsigned lane);
  bool addresses_ascend(const Place& place);
  /// Where a thread's access of `size` bytes begins.
  std::byte* pointer(unsigned lane, unsigned size) const {
    return contiguous_ != nullptr ? contiguous_ + std::size_t{lane - lanes_->first} * size : pointers_[lane];
  }
  bool access_fault(const Place& place, bool writes, unsigned lane, std::uint64_t address);
  void note_access(const Place& place, bool writes, bool reads);
  void count_access(unsigned size, bool writes, bool reads);
  Object& object_of_lane(unsigned lane) { return alike_object_ != nullptr ? *alike_object_ : *objects_[lane]; }
  Flow execute(const Load& a);
  Flow execute(const Store& a);
  Flow execute(const Atomic& a);
  Flow execute(const Fence& a);

  // block_undefined.cpp: bytes and registers without a number
  bool is_defined(const Source& source) const;
  bool require(const Source& source);
  bool fail_undefined(const Source& source, unsigned lane);
  bool require_written(const Place& place);
  bool require_something(const Place& place);
  void note_written(const Place& place);
  void load_holes(const Load& a);
  bool require_operand(const Source& source);
  Flow compute_undefined(const Compute& a);
  void unpack_holes(const Unpack& a);
  void pack_holes(const Pack& a);
  void put_hole(const Destination& to, unsigned lane, std::uint32_t defined, const Hole* first);
  std::uint32_t defined_bytes(const Source& source, unsigned lane, const Hole*& first) const;
  bool require_stored(const Store& a);
  void store_holes(const Store& a);
  std::uint8_t* written_of(unsigned lane, unsigned size) {
    const Object& object = object_of_lane(lane);
    return object.written + (pointer(lane, size) - object.data);
  }

  // block_control.cpp
  Flow execute(const Branch& a);
  Flow execute(const IndexedBranch& a);
  Flow execute(const Call& a);
  Flow execute(const Return&);
  Flow execute(const Exit&);
  Flow execute(const Trap&);
  Flow execute(const Refused& a);
  Flow go_apart(const LaneSet& taken, std::uint32_t target);
  void part(Fragment& a, Fragment& b, std::uint32_t pc);
  void wait_at_meetings();
  void join_partings(const Reconvergence& parting);
  bool enter(std::uint32_t function, std::size_t depth);
  void forget_lanes(Frame& frame);
  bool make_variables(std::uint32_t function, std::size_t depth);
  struct Passed;
  Passed passed(const ptx::resolved::Value& value, Frame& frame);
  void pass(const ptx::resolved::Value& value, Frame& caller, const ptx::resolved::Parameter& parameter, Frame& callee, bool back);
  bool end_threads();

  // block_barrier.cpp
  Flow execute(const Barrier& a);
  bool check_places(unsigned id, const BarrierState& barrier);
  bool release(unsigned id);
  void note_meeting(unsigned id, const LaneSet& waited);

  // block_collective.cpp
  /// A thread that takes part in what its warp does together.
  struct Participant {
    unsigned lane = 0;  ///< in the block
    const Collective* action = nullptr;
    Frame* frame = nullptr;
  };
  Flow execute(const Collective& a);
  bool check_masks(const Collective& a, LaneSet& waiting);
  void perform(unsigned warp, std::uint32_t members, const std::array<Participant, warp_threads>& participants);
  bool try_complete(unsigned warp);
  const Step& step_of(const Fragment& f) const { return program_.code[f.function].steps[f.pc]; }

  // block_open.cpp: what PTX leaves open
  void spread_open(const Step& step);
  void spread_open_access(const Step& step);
  void spread_open_members(std::uint32_t members, const std::array<Participant, warp_threads>& participants);
  bool gather_open(const Source& source);
  void give_open(const Destination& to, bool any);
  bool begin_open(const Step& step, const std::uint64_t* here);
  void report_open(OpenResult::What what);
  std::uint32_t line_of(const Step& step) const;

  // block_deadlock.cpp
  void explain_deadlock();

  // faults
  bool fail(FaultKind kind, unsigned lane, std::string message);
  void fail_at(const Fragment& f, FaultKind kind, unsigned lane, std::string message);
  std::string register_name(const Source& source) const;
  std::string thread_text(unsigned lane) const;

  const Program& program_;
  AddressSpace& space_;
  Pool& pool_;
  RaceWatch* watch_;
  Counter* counter_;
  std::vector<std::vector<IssueClass>> classes_;  // of each function's instructions; empty if nobody counts
  std::vector<Counter::Touch> touches_;

  unsigned threads_;         // of the block
  unsigned padded_;          // lanes of a row
  std::uint64_t index_ = 0;  // of the block in the grid
  std::vector<FrameLayout> layouts_;
  std::vector<PostDominators> orders_;                       // by function
  std::vector<std::vector<std::unique_ptr<Frame>>> frames_;  // by depth of calls and function
  std::size_t frame_bytes_ = 0;

  std::vector<Fragment> fragments_;
  std::size_t current_ = 0;
  bool chosen_ = false;  // the present fragment takes the next step
  LaneSet live_;
  std::uint64_t splits_ = 0;
  std::mt19937_64 random_;
  std::uint64_t block_steps_ = 0;
  std::uint64_t until_ = 0;       // the step before which the chosen fragment is chosen again at the latest
  std::size_t watch_depth_ = 0;   // of calls, of the chosen fragment
  std::uint32_t watch_rank_ = 0;  // where the chosen fragment may meet another one
  std::optional<Fault> fault_;

  // The instruction that is executed.
  Active active_;
  Active guarded_;
  const Active* lanes_ = nullptr;  // for which
  Frame* frame_ = nullptr;
  std::array<RowStorage, 3> scratch_;
  std::array<RowStorage, 2> inverted_;  ///< predicates

  // What PTX leaves open; nothing is kept unless some instruction of the program does that.
  bool watches_open_ = false;
  std::vector<std::uint64_t> open_;  // the threads of which the present result is open
  std::uint32_t open_origin_ = 0;
  std::vector<OpenResult> open_results_;

  // The access that is executed.
  std::byte* contiguous_ = nullptr;   // the first lane's bytes, where those of the others follow without a gap
  std::vector<std::byte*> pointers_;  // by lane, where they do not
  std::vector<Object*> objects_;      // by lane, where alike_object_ is null
  Object* alike_object_ = nullptr;

  std::array<BarrierState, 16> barriers_;
  std::vector<std::uint32_t> masks_;  // of each lane that waits for its warp

  std::uint64_t steps_ = 0;
  std::uint64_t thread_steps_ = 0;
};

}  // namespace lockstep::ptx_machine
