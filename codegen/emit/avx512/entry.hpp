#pragma once
// What surrounds a kernel's operations in its C++: constants, functions that run packs, and the entry point.

#include <expected>
#include <string>

#include "codegen/emit/avx512/emit.hpp"
#include "codegen/emit/avx512/lowering.hpp"

namespace lockstep::emit_avx512 {

/// The file. An error: memory beyond most_scratch_bytes.
std::expected<Emitted, std::string> emit_file(const infreg::Kernel& kernel, const std::string& symbol, const Plan& plan,
                                              const EmitOptions& options);

/// What a pack may need of memory beyond registers: 1 GiB.
inline constexpr std::uint64_t most_scratch_bytes = std::uint64_t{1} << 30;

}  // namespace lockstep::emit_avx512
