#pragma once
// What language a text is written in: the subcommands take all of them.

#include <cstdint>
#include <optional>
#include <string>

#include "semantics/base/source.hpp"

namespace lockstep::tools {

enum class SourceKind : std::uint8_t {
  Untyped,  ///< μ-SIMD, `.mus`
  Typed,    ///< typed μ-SIMD, also `.mus`
  Kernels   ///< the kernel language, `.cl`
};

/// By the file's name if it ends in .cl or .mus, by the text otherwise (standard input). A `.typed` in front of everything but comments
/// makes a typed program; of the others only kernels have both braces and `void` outside of comments.
SourceKind kind_of(const SourceFile& source);

/// Whether a text is PTX: its name ends in .ptx, or its first line that has more than comments begins with `.version`.
bool is_ptx_text(const SourceFile& source);

/// A sentence about an object file of VE, where a subcommand does not take any.
std::optional<std::string> not_for_objects(const SourceFile& source);

}  // namespace lockstep::tools
