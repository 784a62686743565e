#pragma once
// Quotients that one item alone wants, each in another round of a loop: the lanes of the others would wait for each of them.

#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_cuda {

/// The kernel with such quotients behind their loops, where all items compute theirs at once: a round keeps the dividends where the
/// quotients would be, and of the divisor each item keeps its own. That is done where the loop's rounds are known, each lane's dividends
/// are put there once, and no later round looks at them, which is found out round by round and lane by lane. Bits stay the same.
infreg::Kernel with_deferred_quotients(infreg::Kernel kernel);

}  // namespace lockstep::emit_cuda
