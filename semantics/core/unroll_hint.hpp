#pragma once

#include "semantics/base/source.hpp"

namespace lockstep::core {

/// What stands in front of a loop: how many of its rounds are to be written out.
struct UnrollHint {
  unsigned rounds = 0;  ///< at a time: 1 is not to unroll at all, 0 is all of them
  SourceSpan span;
};

}  // namespace lockstep::core
