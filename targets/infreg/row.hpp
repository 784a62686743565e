#pragma once

#include "targets/target.hpp"

namespace lockstep::targets {

Target infreg_target();

}  // namespace lockstep::targets
