#pragma once
// How the stepper of kernels shows fragments, sets, stacks and steps.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/debug/kernel/lines.hpp"
#include "interpreter/debug/kernel/run.hpp"
#include "interpreter/debug/kernel/view.hpp"

namespace lockstep {

/// Items of one group as {0-3}; of several "{0-3} in group 0, {1} in groups 1,2".
std::string set_text(const KernelView& view, const LaneSet& set);

/// "group 3", "groups 0-2", or "group 3, items {2,3}" where a fragment has not all items of its groups.
std::string fragment_text(const KernelView& view, const launch::Fragment& fragment);

/// "Loop1: bz k < 3, End1"; "(behind the last instruction)" where there is none.
std::string instruction_text(const typed::Program& program, typed::Label pc);

/// The source line of an instruction without the blanks around it; of a long one the beginning.
std::string source_text(const typed::Program& program, std::uint32_t line);

/// A part of Π with what saved it: Λ's frame, or a call; or the present one.
struct StackPart {
  enum class Kind : std::uint8_t { Context, Call, Present };
  Kind kind = Kind::Present;
  std::size_t index = 0;  ///< into State::context, or into the calls
  std::size_t begin = 0;  ///< into State::sync
  std::size_t end = 0;
};
/// In the order in which they were pushed, the present part last.
std::vector<StackPart> stack_parts(const launch::Pirch::State& state);

/// "[(line 3 bz, done {}, resume line 7, todo {1,2}), …]" from the top, at most `most` entries.
std::string sync_text(const KernelView& view, const KernelLines& lines, const launch::Pirch::State& state, const StackPart& part,
                      std::size_t most);
std::string entry_text(const KernelView& view, const KernelLines& lines, const musimd::SyncEntry<launch::Pirch>& entry);
/// Λ, "[(Θ {0,3}, Π […]), …]", likewise.
std::string context_text(const KernelView& view, const KernelLines& lines, const launch::Pirch::State& state, std::size_t most);

/// What one step does: made before it, asked after it.
class KernelRecord {
 public:
  /// `group`: whose items' values are told; else those of the fragment's first group.
  KernelRecord(const KernelView& view, const KernelLines& lines, std::uint64_t pack, std::optional<std::uint64_t> group);

  /// The rules that `fired`, the instruction and what changed, several lines; `run` is behind the step.
  std::string text(KernelRun& run, std::uint64_t step, const KernelRun::RuleCounts& fired) const;

  /// The same of the step before which `view` stands again.
  std::string undone_text(const KernelView& view, std::uint64_t step) const;

 private:
  struct Stacks {
    std::string active;
    std::string sync;
    std::string context;
    std::string calls;
  };
  Stacks stacks(const KernelView& view, const launch::Fragment& f) const;
  std::string values(const KernelView& view, const char* arrow) const;
  std::string row(const KernelView& view, const launch::Frame* frame, typed::FunctionId function, typed::RegisterId id,
                  const char* arrow) const;
  std::string cells(const KernelView& view, const char* arrow) const;
  std::string parts_text(const KernelView& view) const;
  void note_access(const KernelView& view, const typed::Expr& base, const typed::Expr& index);

  const KernelLines& lines_;
  std::uint64_t pack_;
  unsigned begin_ = 0;  // lanes that are told of
  unsigned end_ = 0;
  typed::Label pc_ = 0;
  LaneSet active_;
  LaneSet lanes_of_fragment_;
  const launch::Frame* frame_ = nullptr;
  typed::FunctionId function_ = 0;
  std::size_t depth_ = 0;
  Stacks before_;
  std::string parts_;
  std::vector<std::pair<unsigned, KernelValue>> pointers_;  // what is accessed, and where
  std::vector<std::int64_t> indices_;
  bool stores_ = false;
};

}  // namespace lockstep
