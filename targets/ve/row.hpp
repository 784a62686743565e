#pragma once

#include "targets/target.hpp"

namespace lockstep::targets {

Target ve_target();

}  // namespace lockstep::targets
