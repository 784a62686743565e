#pragma once

#include <expected>
#include <string>

#include "codegen/host/avx512.hpp"
#include "targets/target.hpp"

namespace lockstep::targets {

Target avx512_target();

/// A kernel's C++ as it is asked for; `symbol` is what its entry point is called.
std::expected<host::Avx512Source, std::string> avx512_source(const infreg::Kernel& kernel, const std::string& symbol, const Asked& asked);

}  // namespace lockstep::targets
