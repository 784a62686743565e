#pragma once
// A launch of PTX that goes step by step: block after block, each instruction that a fragment takes being one step.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "interpreter/debug/ptx/program.hpp"
#include "interpreter/ptx/block.hpp"
#include "interpreter/ptx/launch.hpp"
#include "interpreter/ptx/launch_memory.hpp"
#include "interpreter/ptx/race_log.hpp"
#include "semantics/musimd/rule_table.hpp"

namespace lockstep {

/// The blocks of a launch, one after the other, over buffers of its own.
class PtxRun {
 public:
  // What LaunchHistory calls them.
  using Program = PtxProgram;
  using Arguments = ptx_machine::Arguments;
  using Options = ptx_machine::LaunchOptions;
  using Race = ptx_machine::Race;
  using Fault = ptx_machine::Fault;
  struct Fired {};
  static Fault fault_of(const Race& race) { return ptx_machine::fault_of(race); }

  /// What there was at the start of a block.
  struct Start {
    struct ObjectState {
      bool open = false;
      std::uint32_t origin = 0;
      std::uint64_t unwritten = 0;
      std::vector<std::byte> bytes;       ///< empty where no block can have changed them, or each has its own
      std::vector<std::uint8_t> written;  ///< likewise
    };
    std::uint64_t number = 0;  ///< of the block
    std::uint64_t position = 0;
    std::uint64_t steps = 0;  ///< of the machine, which counts one that fails
    std::uint64_t thread_steps = 0;
    std::vector<ptx_machine::OpenResult> open_results;
    std::vector<ObjectState> objects;
    std::size_t size() const;  ///< in bytes
  };

  /// What is wrong with a launch: a sentence. Nothing, if a PtxRun of it can be made.
  static std::optional<std::string> complaint(const PtxProgram& program, const Arguments& arguments, const Options& options);

  /// At the start of the first block. With `log`, all races are found.
  PtxRun(std::shared_ptr<const PtxProgram> program, const Arguments& arguments, const Options& options, bool log);
  PtxRun(const PtxRun&) = delete;
  PtxRun& operator=(const PtxRun&) = delete;

  const PtxProgram& program() const { return *program_; }
  const Arguments& arguments() const { return arguments_; }
  const Options& options() const { return options_; }
  const ptx_machine::LaunchMemory& memory() const { return memory_; }
  const ptx_machine::Block& block() const { return block_; }

  std::uint64_t position() const { return position_; }  ///< steps from the start of the launch
  std::uint64_t number() const { return block_.index(); }
  std::uint64_t part() const { return number(); }
  std::uint64_t count() const { return options_.geometry.grid.count(); }
  const ptx_machine::RaceLog* log() const { return log_ ? &*log_ : nullptr; }
  const std::optional<Fault>& fault() const { return block_.fault(); }
  /// PTX has no rules.
  static std::uint64_t rule_count(musimd::RuleId) { return 0; }

  std::size_t places() const { return program_->places(); }
  /// Where the next step is taken, if there is one.
  std::optional<PtxProgram::Place> next_place() const;

  /// Whether no step can be taken: all blocks have ended, or there is a fault.
  bool ended() const { return ended_; }

  /// One step of the next fragment; at the end of a block the next one begins. False when nothing was left to do, or a fault ended the run;
  /// positions count only steps that were taken.
  bool step(Fired* fired = nullptr);

  Start start() const;  ///< only right at the start of a block
  bool at_start() const { return at_start_; }
  void go_back_to(const Start& start);

 private:
  void begin(std::uint64_t number);
  void settle();

  std::shared_ptr<const PtxProgram> program_;
  Arguments arguments_;
  Options options_;
  ptx_machine::LaunchMemory memory_;
  ptx_machine::Pool pool_;
  std::vector<ptx_machine::FunctionCode> code_;
  ptx_machine::Program prepared_;
  std::optional<ptx_machine::RaceLog> log_;
  ptx_machine::RaceWatch watch_;
  ptx_machine::Block block_;
  std::uint64_t position_ = 0;
  bool ended_ = false;
  bool at_start_ = true;
};

}  // namespace lockstep
