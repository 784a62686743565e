#pragma once

#include "targets/target.hpp"

namespace lockstep::targets {

Target cuda_target();
/// Code alone: the one above runs it.
Target ptx_target();

}  // namespace lockstep::targets
