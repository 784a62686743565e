#pragma once
// What a kernel prints (semantics/base/print_format.hpp): `lockstep run` gives it the buffer, and prints what is in there at the end.

#include <optional>
#include <string>
#include <vector>

#include "interpreter/launch/arguments.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::tools {

/// The parameter that points to the buffer; empty for a kernel that does not print.
std::optional<std::size_t> print_parameter(const typed::Program& program);

/// The texts of --arg, and one for the buffer if there is one.
std::vector<std::string> with_print_buffer(std::vector<std::string> arguments, const typed::Program& program);

/// All that was printed: group after group, of each in the order in which its items did it.
std::string print_output(const typed::Program& program, const launch::Arguments& arguments);

}  // namespace lockstep::tools
