#pragma once

#include "targets/target.hpp"

namespace lockstep::targets {

Target cuda_target();
/// The same code, and PTX of nvcc.
Target cuda_nvcc_target();
/// The same code by a compiler of the host, without any PTX.
Target cuda_host_target();
/// Code alone: the one above runs it.
Target ptx_target();

}  // namespace lockstep::targets
