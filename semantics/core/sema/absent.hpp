#pragma once
// Functions that a programmer of kernels knows from OpenCL, and that are not there.

#include <string_view>

namespace lockstep::core::sema {

/// What to do instead of calling `name`, without a full stop; empty where it is no function of OpenCL or C.
std::string_view instead_of(std::string_view name);

}  // namespace lockstep::core::sema
