#pragma once
// What one step of a PTX launch does: made before it, asked after it.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interpreter/debug/ptx/view.hpp"

namespace lockstep {

class PtxRecord {
 public:
  /// There is a next step. `warp`: whose threads' values are told; else those of the fragment's first warp.
  PtxRecord(const PtxView& view, std::optional<unsigned> warp);

  /// The instruction and what changed, several lines; `view` is behind the step.
  std::string text(const PtxView& view, std::uint64_t step) const;

  /// The same of the step before which `view` stands again.
  std::string undone_text(const PtxView& view, std::uint64_t step) const;

 private:
  std::string header(const PtxView& view) const;
  std::string values(const PtxView& view, const char* arrow) const;
  std::string row(const PtxView& view, std::uint32_t function, std::uint32_t index, std::size_t level, const char* arrow) const;
  std::string cells(const PtxView& view, const char* arrow) const;

  PtxProgram::Place place_ = 0;
  std::uint64_t block_ = 0;
  std::uint32_t function_ = 0;
  std::size_t level_ = 0;
  LaneSet lanes_;    // that take the step
  LaneSet does_;     // of them, those for which the guard holds
  LaneSet waiting_;  // before it, of the block
  unsigned begin_ = 0;
  unsigned end_ = 0;
  std::vector<std::uint32_t> written_;  // registers
  ptx::Space space_ = ptx::Space::Generic;
  ptx::Type type_ = ptx::Type::B32;
  std::vector<std::pair<unsigned, std::uint64_t>> addresses_;  // lanes of the warp, and what they access
  bool accesses_ = false;
  bool stores_ = false;
  std::string parts_;
};

/// Which threads are together, where not all are: "{0-15} | {16-31} waiting".
std::string parts_text(const PtxView& view);

}  // namespace lockstep
