#pragma once
// Which compiler this is.

#include <string_view>

namespace lockstep {

/// The version, and a hash of all sources that decide what a kernel is compiled to: another text, another code. The build makes it.
extern const std::string_view compiler_fingerprint;

}  // namespace lockstep
