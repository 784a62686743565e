#pragma once

#include "targets/target.hpp"

namespace lockstep::targets {

Target llvm_target();

}  // namespace lockstep::targets
