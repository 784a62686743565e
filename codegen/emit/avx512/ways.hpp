#pragma once
// The ways to reorder lanes that can be switched off to see what they bring, by name: the words of --without, and of the suite's ablation.

#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/avx512/emit.hpp"

namespace lockstep::emit_avx512 {

/// "columns", "memory" (EmitOptions::columns, from_memory), and the forms that Allowed can forbid: "scalar-broadcast", …
std::vector<std::string> ways_to_reorder();

/// Switches a way off. False if none has that name.
bool switch_off(EmitOptions& options, std::string_view way);

}  // namespace lockstep::emit_avx512
