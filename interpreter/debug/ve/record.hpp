#pragma once
// What one step on VE does: made before it, asked after it.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "interpreter/debug/ve/view.hpp"
#include "interpreter/ve/rules.hpp"

namespace lockstep {

class VeRecord {
 public:
  /// There is a next step.
  explicit VeRecord(const VeView& view);

  /// The instruction and what it changed, several lines; `view` is behind the step.
  std::string text(const VeView& view, std::uint64_t step) const;

  /// The same of the step before which `view` stands again.
  std::string undone_text(const VeView& view, std::uint64_t step) const;

 private:
  std::string header(const VeView& view) const;
  std::string values(const VeView& view, const char* arrow) const;
  std::string cells(const VeView& view, const char* arrow) const;

  VeProgram::Place place_ = 0;
  ve::Instruction instruction_;
  const VeType* type_ = nullptr;
  LaneSet active_;
  ve_machine::Accesses accesses_;
  std::array<ve_machine::Word, ve::scalar_registers> scalars_;
};

/// As what an instruction's result is best seen; of one that reads memory, as what lies there.
const VeType& result_type(const ve::Instruction& instruction);

/// The register's number, or what it points to.
std::string scalar_text(const VeView& view, const ve_machine::Word& word, const VeType& type);
/// A vector's first elements, those that are not in `told` as •; "… 248 more".
std::string vector_text(const VeView& view, unsigned number, const VeType& type, const LaneSet& told);
/// "arg1[0], arg1[1], …"; with `arrow`, what lies there.
std::string accesses_text(const VeView& view, const ve_machine::Accesses& accesses, const VeType& type, const char* arrow);

}  // namespace lockstep
