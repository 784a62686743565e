#pragma once
// The header that emitted CUDA C++ includes, for whoever writes it to files: it belongs beside it.

#include <string_view>

namespace lockstep::emit_cuda {

inline constexpr std::string_view support_name = "lockstep_cuda.h";

std::string_view support_text();

/// With this one in front, emitted CUDA C++ is for compilers of hosts.
inline constexpr std::string_view host_support_name = "lockstep_cuda_host.h";

std::string_view host_support_text();

}  // namespace lockstep::emit_cuda
