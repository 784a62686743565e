#pragma once
// When the buffers of a kernel do not meet, so that loads need not wait for stores: asked once, when the kernel is called.

#include <optional>
#include <string>
#include <vector>

#include "codegen/emit/avx512/scalars.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_avx512 {

/// C++ that finds out, from the kernel's pointers and scalars and the groups `first` to `last` - 1, that no store touches what is loaded or
/// stored through another parameter.
struct Apart {
  std::vector<std::string> buffers;  ///< `const v::Bytes NAME = v::bytes(…);`: what a parameter's loads and stores touch
  std::string condition;             ///< v::apart() of buffers, joined by &&, or "true"
};

/// `names`: of the parameters. None if that cannot be said beforehand.
std::optional<Apart> apart_condition(const infreg::Kernel& kernel, const std::vector<std::string>& names);

/// C++ that finds out whether runs of `lanes` elements that begin so many elements from one another are apart, or the same. None if the
/// distance is not a number of the whole launch.
std::optional<std::string> far_condition(const Scalars& scalars, const infreg::Polynomial& distance, std::uint64_t lanes);

}  // namespace lockstep::emit_avx512
