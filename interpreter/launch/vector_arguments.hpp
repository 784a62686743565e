#pragma once
// Arguments of vector parameters, which the front end makes one parameter a component of.

#include <expected>
#include <string>
#include <vector>

#include "interpreter/launch/arguments.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::launch {

/// Texts NAME=VALUE as parse_arguments takes them: `c=[1,2]` of a vector parameter as `c_x=1` and `c_y=2`, and the bytes of a vector or a
/// structure, `c=hex:…`, as those of its numbers; all else as it is. The error is a sentence that begins with `--arg`.
std::expected<std::vector<std::string>, std::string> by_components(const typed::Program& program, const std::vector<std::string>& texts,
                                                                   const WrittenParameters& written);

}  // namespace lockstep::launch
