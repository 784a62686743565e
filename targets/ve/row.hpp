#pragma once

#include "targets/target.hpp"

namespace lockstep::targets {

Target ve_target();
/// The same source on this machine.
Target ve_host_target();

}  // namespace lockstep::targets
