#pragma once

#include "targets/target.hpp"

namespace lockstep::targets {

Target toy_target();

}  // namespace lockstep::targets
