#pragma once

#include "targets/target.hpp"

namespace lockstep::targets {

Target clang_ptx_target();

}  // namespace lockstep::targets
