#pragma once
// Running a law on many programs: making, shrinking, writing and rereading them.

#include <cstdint>
#include <optional>
#include <string>

#include "semantics/generate/program.hpp"
#include "tests/campaign/campaign.hpp"
#include "tests/properties/trial.hpp"

namespace lockstep::test {

/// How a campaign makes its programs, and what it asks of them.
struct Campaign {
  std::string property;  ///< also the name in the file of a failure
  Law law = nullptr;
  generate::ProgramOptions options;
  bool changed_control = false;  ///< programs with wrong control instructions (then shrunk without regard to structure)
};

/// The number of programs a property is tested with: ten times the usual one if LOCKSTEP_FULL is set in the environment.
unsigned sample(unsigned usual);

/// What the law says of one program; an exception counts as a failure.
Verdict verdict(Law law, const Trial& trial);

/// Asks the law of program number `seed` of the campaign. A failing program is shrunk and written to a file in
/// LOCKSTEP_REPRO_DIR, or else the current folder.
std::optional<Finding> try_seed(const Campaign& campaign, std::uint64_t seed);

/// The law's answer to the program in a file that try_seed wrote; nothing if the file is of another property, or the law holds.
/// Throws std::runtime_error if there is no such file or it holds no program.
std::optional<Finding> rerun(const Campaign& campaign, const std::string& file);

/// Runs the campaign on sample(usual) programs; fails the present Catch2 test with the finding. With LOCKSTEP_REPRO=FILE in the
/// environment it runs that file instead, if it is of this property, and nothing otherwise.
void hold(const Campaign& campaign, unsigned usual = 2000);

}  // namespace lockstep::test
