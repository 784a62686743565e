#pragma once
// The machine against the big-step evaluator.

#include <string>

#include "interpreter/machine/machine.hpp"
#include "semantics/musimd/directives.hpp"
#include "tests/bigstep/bigstep.hpp"
#include "tests/runner/recording.hpp"

namespace lockstep::runner {

/// The same program with the same settings, evaluated from the rules alone.
bigstep::Result evaluate(const musimd::Program& program, const musimd::RunSettings& settings, unsigned threads);

/// The first difference between what the machine and the evaluator did, as a sentence; "" if there is none.
std::string difference(const Machine& machine, const Ending& ending, const Recording& recording, const bigstep::Result& reference);

}  // namespace lockstep::runner
