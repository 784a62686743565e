#pragma once
// Whether a finished run is as a directive says.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "semantics/musimd/directives.hpp"
#include "tests/bigstep/bigstep.hpp"
#include "tests/runner/recording.hpp"

namespace lockstep::runner {

/// A run that has ended, with everything that expectations speak of.
struct Finished {
  const SourceFile& source;
  const Machine& machine;
  Ending ending;
  Recording recording;
  std::optional<bigstep::Result> reference;  ///< not where the run met a limit that the evaluator does not have
};

/// Why the expectation is not met; nothing if it is. Traces are not looked at here.
std::optional<std::string> unmet(const Finished& run, const musimd::Expectation& expectation);

/// The Fig. 7 table of a run.
std::vector<std::string> trace_lines(std::shared_ptr<const musimd::Program> program, const musimd::RunSettings& settings, unsigned threads);

}  // namespace lockstep::runner
