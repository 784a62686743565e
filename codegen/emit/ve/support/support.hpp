#pragma once
// The header that emitted C for VE includes, for whoever writes it to files: it belongs beside it.

#include <string_view>

namespace lockstep::emit_ve {

inline constexpr std::string_view support_name = "lockstep_ve.h";

std::string_view support_text();

}  // namespace lockstep::emit_ve
