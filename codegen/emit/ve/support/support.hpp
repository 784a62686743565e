#pragma once
// The headers that go with emitted C for VE, for whoever writes it to files.

#include <string_view>

namespace lockstep::emit_ve {

/// What emitted files include: it belongs beside them.
inline constexpr std::string_view support_name = "lockstep_ve.h";
std::string_view support_text();

/// VE's intrinsics for another machine, in front of an emitted file that is compiled for it.
inline constexpr std::string_view host_support_name = "lockstep_ve_host.h";
std::string_view host_support_text();

}  // namespace lockstep::emit_ve
