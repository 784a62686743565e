#pragma once

#include "semantics/infreg/kernel.hpp"

namespace lockstep::infreg {

/// Whether two kernels are the same but for the numbers of values and regions, spans, sources, and values and regions that nothing
/// mentions. Names count. Of kernels that do not verify nothing is promised but an answer.
bool same(const Kernel& left, const Kernel& right);

}  // namespace lockstep::infreg
