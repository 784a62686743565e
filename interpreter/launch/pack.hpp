#pragma once
// A pack of work groups on the PIRCH machine. Each warp (by default the whole group) has its own Θ, Π, Λ, frames and pc; warps that agree
// on all but Θ are a fragment, which takes its steps at once, and falls apart where they stop agreeing. Nobody can tell, except by the
// clock.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "interpreter/launch/code.hpp"
#include "interpreter/launch/domain.hpp"
#include "interpreter/launch/fragments.hpp"
#include "interpreter/launch/launch.hpp"
#include "interpreter/launch/races.hpp"

namespace lockstep::launch {

/// What the premises of a rule say of a fragment, in the order in which they are asked, up to the first that does not hold.
struct CandidateReport {
  struct Premise {
    musimd::RuleId rule = musimd::RuleId::SP;  ///< whose premise it is: under IT also IT's own, and those of operands
    int number = 0;
    bool holds = false;
    LaneSet failing;  ///< of a premise about every item
  };
  musimd::Fired fired;
  bool applies = false;
  std::vector<Premise> premises;
};

/// A count of what crev calls have set to work.
struct CrevCount {
  std::uint64_t activations = 0;
  std::uint64_t tasks = 0;
};

class Pack {
 public:
  /// A machine for `groups` groups at a time. `buffers`: what the kernel's pointers may point to; the program's own objects are made here.
  Pack(const typed::Program& program, const std::vector<FrameLayout>& layouts, const LaunchOptions& options, unsigned groups,
       const std::vector<Object>& buffers, RaceWatch* races);

  /// Begins groups first_group, first_group + 1, …, forgetting all that was before.
  void start(std::uint64_t first_group, const std::vector<Argument>& arguments);

  /// One step of the next fragment; false when the pack has ended: all warps have stopped, or there is a fault.
  bool step();
  /// All that is left; with a log, up to the first race in it.
  void run(const RaceLog* until_race = nullptr);

  const std::optional<Fault>& fault() const { return fault_; }
  /// The pack has ended early: its groups need more memory together than the limit allows one of them. Alone they may go on.
  bool crowded() const { return crowded_; }
  std::uint64_t steps() const { return steps_; }
  const std::array<std::uint64_t, musimd::rule_count>& rule_counts() const { return rule_counts_; }
  std::size_t most_contexts() const { return most_contexts_; }
  std::size_t most_frames() const { return most_frames_; }
  std::uint64_t most_pending() const { return most_pending_; }
  const std::vector<CrevCount>& crev() const { return crev_; }  ///< by function

  // For the stepper.
  const std::vector<Fragment>& fragments() const { return fragments_; }
  /// The fragment that takes the next step: an index, or fragments().size() when nothing is left.
  std::size_t next_fragment();
  /// The same, and after a fault the one that took the last step: an index, or fragments().size().
  std::size_t present_fragment() { return fault_ ? std::min(current_, fragments_.size()) : next_fragment(); }
  /// What the candidates of the present fragment's instruction say, for the fragment as a whole. Empty where there is no instruction.
  /// Changes nothing, but must not be asked while races are watched.
  std::vector<CandidateReport> explain();
  const Pirch& domain() const { return domain_; }
  const typed::Program& program() const { return program_; }

 private:
  void make_objects(const std::vector<Object>& buffers);
  void reset_objects();
  void update_visitors();
  bool take_step(Fragment& f);
  template <class I>
  bool execute(Fragment& f, const I& i);
  template <class I, class F>
  bool fire(Fragment& f, const I& i, const F& found);
  template <class I, class F>
  LaneSet disagreeing(const Fragment& f, const I& i, const F& facts);
  template <class I, class F>
  void note_poison(const I& i, const F& facts);
  template <class I, class F>
  void count_apart(const Fragment& f, const I& i, const F& facts, musimd::Fired fired);
  void count(const Fragment& f, musimd::Fired fired);
  bool split(std::size_t index, const LaneSet& away);
  Fragment& new_fragment();
  void erase(std::size_t index);
  void merge_equals();
  void set_watch();
  bool choose();
  void find_items();
  bool several_warps() const { return domain_.lanes().warps.size() > domain_.lanes().groups; }
  std::uint64_t warps_in_group() const { return domain_.lanes().warps.size() / domain_.lanes().groups; }
  bool arrive(Fragment& f);
  bool release();
  void finish(std::size_t index);
  void fail(const Fragment& f, std::optional<FaultKind> kind);
  std::string why_stuck(const Fragment& f);
  bool give_up(const Fragment& f, const char* what);
  bool all_at_barriers();
  bool in_function(const Fragment& f) const {
    const typed::Function& function = program_.functions[f.state.bank.top().function];
    return f.state.pc >= function.begin && f.state.pc < function.end;
  }
  bool within_limits(const Fragment& f);
  bool room_for(const Fragment& f, typed::FunctionId function);
  void settle(const LaneSet& lanes, std::uint64_t steps);
  bool within_steps(Fragment& f);
  std::vector<CandidateReport> candidates_at(const Pirch::State& s);
  std::size_t next_ready();
  void note_depths(const Fragment& f);

  const typed::Program& program_;
  LaunchOptions options_;
  bool is_atomic_ = false;  ///< some instruction is
  Pirch domain_;
  std::vector<std::vector<std::byte>> storage_;  // of the program's objects
  std::vector<std::vector<std::uint8_t>> states_;
  std::vector<Instruction> code_;
  std::vector<Fragment> fragments_;
  std::vector<Fragment> spare_;  // of which nothing but the room is used again
  std::size_t current_ = 0;
  bool chosen_ = false;
  std::size_t chosen_depth_ = 0;
  typed::Label watch_pc_ = 0;  // where the chosen fragment may meet another one
  LaneSet live_;
  std::vector<std::uint32_t> first_of_warp_;  // lanes that have an item; the pack's width where the warp has none
  LaneSet votes_;                             // who said yes in a group-wide vote that is not complete
  struct Passed {
    std::uint64_t local = 0;
    std::uint64_t global = 0;
  };
  std::vector<Passed> passed_;  // by group: barriers passed that order this memory
  std::mt19937_64 random_;
  std::optional<Fault> fault_;
  bool crowded_ = false;
  bool releasing_ = false;                 // all warps of the groups are at the barrier that is executed
  bool is_settled_ = false;                // something is in lane_steps_
  std::vector<std::uint64_t> lane_steps_;  // of the lane's warp, without its fragment's Fragment::steps (modulo 2^64)
  std::vector<std::size_t> fragment_at_;   // of each lane, while barriers are released
  std::uint64_t steps_ = 0;
  std::array<std::uint64_t, musimd::rule_count> rule_counts_{};
  std::size_t most_contexts_ = 0;
  std::size_t most_frames_ = 0;
  std::uint64_t most_pending_ = 0;
  std::vector<CrevCount> crev_;
};

}  // namespace lockstep::launch
