#pragma once
// A call of a function on VE that goes step by step, an instruction each.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interpreter/debug/ve/program.hpp"
#include "interpreter/ve/launch.hpp"
#include "semantics/musimd/rule_table.hpp"

namespace lockstep {

/// One core, over buffers of its own.
class VeRun {
 public:
  // What LaunchHistory calls them. One core races with nobody.
  using Program = VeProgram;
  using Arguments = ve_machine::Arguments;
  using Fault = ve_machine::Fault;
  struct Options : ve_machine::LaunchOptions {
    static constexpr bool races = false;
    static constexpr bool strict = false;
  };
  struct Fired {};
  struct Race {};
  struct RaceLog {
    static std::span<const Race> races() { return {}; }
    static std::uint64_t count() { return 0; }
  };
  static Fault fault_of(const Race&) { return {}; }

  /// All that there was at a step.
  struct Start {
    struct Bytes {
      std::vector<std::byte> values;
      std::vector<std::uint8_t> states;
    };
    std::uint64_t number = 0;  ///< of the part that begins here
    std::uint64_t position = 0;
    ve_machine::State state;
    ve_machine::Counters counters;
    bool halted = false;
    std::vector<Bytes> objects;  ///< those that may be written, in their order
    std::size_t size() const;    ///< in bytes
  };

  /// What is wrong with a call: a sentence. Nothing, if a VeRun of it can be made.
  static std::optional<std::string> complaint(const VeProgram& program, const Arguments& arguments, const Options& options);

  /// At the first instruction.
  VeRun(std::shared_ptr<const VeProgram> program, const Arguments& arguments, const Options& options, bool log);
  VeRun(const VeRun&) = delete;
  VeRun& operator=(const VeRun&) = delete;

  const VeProgram& program() const { return *program_; }
  const Arguments& arguments() const { return arguments_; }
  ve_machine::Machine& machine() const { return call_->machine; }

  std::uint64_t position() const { return machine().counters.steps; }
  /// A run has no parts but those that begin where its state may be kept; values can be compared across them.
  std::uint64_t number() const { return position() / part_steps; }
  static std::uint64_t part() { return 0; }
  static const RaceLog* log() { return nullptr; }
  const std::optional<Fault>& fault() const { return machine().fault; }
  /// VE has no rules.
  static std::uint64_t rule_count(musimd::RuleId) { return 0; }

  std::size_t places() const { return program_->places(); }
  /// Where the next step is taken, if there is one.
  std::optional<VeProgram::Place> next_place() const;
  /// The next instruction; null if there is none.
  const ve::Instruction* next() const;

  /// Whether no step can be taken: the function has returned, or there is a fault.
  bool ended() const { return machine().halted || machine().fault; }

  /// One instruction. False when nothing was left to do, or a fault ended the run; positions count only steps that were taken.
  bool step(Fired* fired = nullptr);

  Start start() const;
  bool at_start() const { return position() % part_steps == 0; }
  void go_back_to(const Start& start);

 private:
  static constexpr std::uint64_t part_steps = 4096;

  std::shared_ptr<const VeProgram> program_;
  Arguments arguments_;
  Options options_;
  std::unique_ptr<ve_machine::Call> call_;
};

}  // namespace lockstep
