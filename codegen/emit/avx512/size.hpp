#pragma once
// How much C++ a kernel has become: what its compiler's time depends on.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::emit_avx512 {

/// Of a text that emit() makes: 1 for each call of a function of lockstep_avx512.h, 60 more for those that become loops over lanes or
/// long sequences (gather, scatter, quotients and remainders); everything twice in functions that exist for stores past the caches too.
std::uint64_t compile_cost(std::string_view source);

/// g++ 12 takes some 0.2 to 0.6 ms for each at -O3, and so a minute at most for so many (docs/avx512.md, bench/compile_time.cpp).
inline constexpr std::uint64_t most_compile_cost = 100'000;

/// A sentence if the text has more.
std::optional<std::string> too_large(std::string_view source);

}  // namespace lockstep::emit_avx512
