#pragma once
// A launch that goes step by step: pack after pack, each fragment's instruction being one step.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "interpreter/launch/launch.hpp"
#include "interpreter/launch/pack.hpp"
#include "interpreter/launch/prepared.hpp"
#include "interpreter/launch/races.hpp"

namespace lockstep {

/// The packs of a launch, one after the other in the order of their groups, over buffers of its own.
class KernelRun {
 public:
  using RuleCounts = std::array<std::uint64_t, musimd::rule_count>;

  // What LaunchHistory calls them.
  using Program = typed::Program;
  using Arguments = launch::Arguments;
  using Options = launch::LaunchOptions;
  using Race = launch::Race;
  using Fault = launch::Fault;
  using Fired = RuleCounts;
  static Fault fault_of(const Race& race) { return launch::fault_of(race); }

  /// What the buffers held at the start of a pack.
  struct Start {
    std::uint64_t number = 0;  ///< of the pack
    std::uint64_t position = 0;
    RuleCounts rule_counts{};                       ///< of the packs before
    std::vector<std::vector<std::byte>> bytes;      ///< by buffer; empty where no store can reach it
    std::vector<std::vector<std::uint8_t>> states;  ///< likewise; empty: all cells are numbers
    std::size_t size() const;                       ///< in bytes
  };

  /// At the start of the first pack. The launch is one that launch::complaint and launch::too_large have nothing to say about, with at
  /// least one group. With `log`, all races are found.
  KernelRun(std::shared_ptr<const typed::Program> program, launch::Arguments arguments, const launch::LaunchOptions& options, bool log);
  KernelRun(const KernelRun&) = delete;
  KernelRun& operator=(const KernelRun&) = delete;

  const typed::Program& program() const { return *program_; }
  const launch::Arguments& arguments() const { return arguments_; }
  const launch::PreparedBuffers& buffers() const { return buffers_; }
  launch::Pack& pack() { return *pack_; }
  const launch::Pack& pack() const { return *pack_; }

  std::uint64_t position() const { return position_; }  ///< steps from the start of the launch
  std::uint64_t number() const { return number_; }      ///< of the pack that runs
  std::uint64_t part() const { return number_; }
  std::uint64_t count() const { return count_; }  ///< packs of the launch
  unsigned width() const { return width_; }       ///< groups of a pack; the last one may have fewer
  /// How often a rule was used since the start of the launch.
  std::uint64_t rule_count(musimd::RuleId rule) const {
    const auto r = static_cast<std::size_t>(rule);
    return counts_before_[r] + pack_->rule_counts()[r];
  }
  const launch::RaceLog* log() const { return log_ ? &*log_ : nullptr; }

  const std::optional<launch::Fault>& fault() const { return pack_->fault(); }

  /// Instructions and the end of the program: where control may be.
  std::size_t places() const { return program_->code.size() + 1; }
  /// Where the next step is taken, if there is one.
  std::optional<typed::Label> next_place() const {
    const std::size_t next = pack_->present_fragment();
    return ended_ || next >= pack_->fragments().size() ? std::nullopt : std::optional(pack_->fragments()[next].state.pc);
  }

  /// Whether no step can be taken: all packs have ended, or there is a fault.
  bool ended() const { return ended_; }

  /// One step of the next fragment; at the end of a pack the next one begins. False when nothing was left to do, or a fault ended the run;
  /// positions count only steps that were taken. `fired` gets how often each rule was used by it, if asked for.
  bool step(RuleCounts* fired = nullptr);

  Start start() const;  ///< only right at the start of a pack
  bool at_start() const { return at_start_; }
  void go_back_to(const Start& start);

 private:
  void begin(std::uint64_t number);
  void settle();

  std::shared_ptr<const typed::Program> program_;
  launch::Arguments arguments_;
  launch::LaunchOptions options_;
  launch::PreparedBuffers buffers_;
  std::uint64_t position_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t count_ = 0;
  unsigned width_ = 1;
  RuleCounts counts_before_{};  // of the packs before the present one
  bool ended_ = false;
  bool at_start_ = true;
  std::optional<launch::RaceLog> log_;
  launch::RaceWatch watch_;
  launch::RaceWatch rest_watch_;
  std::vector<launch::FrameLayout> layouts_;
  std::vector<launch::FrameLayout> rest_layouts_;
  std::optional<launch::Pack> whole_;
  std::optional<launch::Pack> rest_;  // the last groups, too few for a whole pack
  launch::Pack* pack_ = nullptr;
};

}  // namespace lockstep
