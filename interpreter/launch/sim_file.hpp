#pragma once
// Launches as the files of `oclgrind-kernel` have them: a program, a kernel, an NDRange, and the bytes of each argument.
//
//   vecadd.cl          the file of kernels
//   vecadd             the kernel
//   16 1 1             work items in each dimension
//   4 1 1              those of a group
//   <size=64 fill=1>   an argument: so many bytes, here all numbers 1
//   <size=16 float>    floats …
//   0.5 1.5 2.5 3.5    … which follow
//
// Words are separated by blanks and lines; what stands behind # is a comment.

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/launch/arguments.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/source.hpp"

namespace lockstep::launch {

struct SimWord {
  std::string text;
  SourceSpan span;
};

/// `<…>` and the numbers behind it.
struct SimArgument {
  SourceSpan span;                    ///< of the head
  std::optional<std::uint64_t> size;  ///< in bytes; none of a null pointer alone
  std::optional<ScalarType> type;     ///< of the numbers; otherwise the parameter's
  std::optional<SimWord> fill;        ///< all numbers are this one
  std::optional<SimWord> range;       ///< FIRST:STEP:LAST
  bool is_hexadecimal = false;        ///< the numbers are
  bool is_null = false;
  bool is_uninitialised = false;
  bool is_read_only = false;
  bool is_write_only = false;
  bool is_shown = false;  ///< at the end; here all buffers are that the kernel may write to
  std::vector<SimWord> numbers;
};

struct SimFile {
  SimWord program;
  SimWord kernel;
  std::array<std::uint64_t, 3> items{};
  std::array<std::uint64_t, 3> group{};
  std::vector<SimArgument> arguments;
};

std::expected<SimFile, Diagnostic> parse_sim(const SourceFile& source);

/// What stands behind `NAME=` in a text that parse_arguments takes. `type`: of the parameter's numbers; `left`: bytes that may be made.
std::expected<std::string, Diagnostic> text_of(const SimArgument& argument, const WrittenParameter& parameter, ScalarType type,
                                               std::size_t left);

}  // namespace lockstep::launch
