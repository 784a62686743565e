#pragma once
// Where an object's code comes from, as its debug information says.

#include <cstdint>
#include <string>
#include <vector>

#include "semantics/ve/object.hpp"

namespace lockstep::ve {

/// A line of a text. Number 0: nobody says where the instruction comes from.
struct Line {
  std::uint32_t file = 0;  ///< in Lines::files
  std::uint32_t number = 0;
  bool operator==(const Line&) const = default;
};

/// The lines of an object.
struct Lines {
  std::vector<std::string> files;     ///< paths, as the compiler had them
  std::vector<std::vector<Line>> at;  ///< of each instruction of each section; none of one that is not executable
};

/// "saxpy.c:8", or nothing.
std::string line_name(const Lines& lines, const Line& line);

/// Debug information that is wrong says nothing.
Lines read_lines(const Object& object);

}  // namespace lockstep::ve
