#pragma once
// From the texts of a command line (`--arg POSITION=VALUE`) to the arguments of a function of an object file, which does not say what it
// takes; so VALUE does:
//   12, -3                     an integer of 64 bits
//   1.5, 1e3, inf              a double
//   TYPE:12                    a number of that type
//   TYPE:BUFFER                the address of a buffer of elements of that type, BUFFER being [1,2,3], @FILE or
//   LEN:zeros|iota|const:V|random[:SEED]
//                              (interpreter/launch/arguments.hpp)
//   @FILE.npy                  the address of a buffer with what is in the file
//   arg3, arg3+N               what another position gets, from element N of its buffer on
// TYPE is f32, f64, or i, s or u with 8 to 64 bits.

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interpreter/launch/arguments.hpp"
#include "interpreter/ve/launch.hpp"

namespace lockstep::ve_machine {

/// The positions from 0 on have to be given, each once. All buffers together take at most `memory_limit` bytes. The error is a sentence
/// that begins with `--arg`.
std::expected<Arguments, std::string> parse_arguments(const std::vector<std::string>& texts, std::size_t memory_limit,
                                                      const launch::FileReader& read);

}  // namespace lockstep::ve_machine
