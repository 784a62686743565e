#pragma once
// From the texts of a command line (`--arg NAME=VALUE`) to the arguments of a PTX kernel. NAME is a parameter's name, or its position from
// 0.
//
// PTX says how wide a parameter is, and not what it is for; so VALUE says that:
//   12, -1.5           a number of the parameter's type; of .b32 and .b64, what is written with a point or an exponent is a float
//   TYPE:12            a number of that type
//   TYPE:BUFFER        the address of a buffer of elements of that type, BUFFER being [1,2,3], @FILE or
//   LEN:zeros|iota|const:V|random[:SEED]
//                      (interpreter/launch/arguments.hpp)
//   @FILE.npy          the address of a buffer with what is in the file; of a parameter that is no 64-bit number, the bytes of the file
//   shared:BYTES       the address of so much shared memory, of each block: what OpenCL's __local parameters are in PTX
//   OTHER, OTHER+N     what another parameter gets, from element N of its buffer on
// TYPE is one of PTX's of 8 to 64 bits.

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/launch/arguments.hpp"
#include "interpreter/ptx/launch.hpp"
#include "semantics/ptx/resolve.hpp"

namespace lockstep::ptx_machine {

/// The name of a parameter of the kernel.
const std::string& parameter_name(const ptx::resolved::Function& kernel, std::size_t index);

/// The parameter of that name or at that position.
std::optional<std::size_t> parameter_named(const ptx::resolved::Function& kernel, std::string_view name);

/// ".u64 x, .f32 a": the kernel's parameters; "none" if it has none.
std::string parameter_list(const ptx::resolved::Function& kernel);

/// One argument for each parameter. All buffers together take at most `memory_limit` bytes. The error is a sentence that begins with
/// `--arg`.
std::expected<Arguments, std::string> parse_arguments(const ptx::resolved::Function& kernel, const std::vector<std::string>& texts,
                                                      std::size_t memory_limit, const launch::FileReader& read);

}  // namespace lockstep::ptx_machine
