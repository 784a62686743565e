#pragma once
// The files of the case corpus, and how each is launched.

#include <string>
#include <vector>

#include "interpreter/ptx/launch.hpp"
#include "tests/ptx/cases/case_file.hpp"
#include "tests/ptx/machine.hpp"

namespace lockstep::test {

/// The .ptx files of a folder below the sources, sorted.
std::vector<std::string> ptx_files_in(const std::string& folder);
/// tests/files/ptx
inline std::vector<std::string> case_files() { return ptx_files_in("tests/files/ptx"); }

/// Throws std::runtime_error.
ptx_cases::Case read_case(const std::string& file);

ptx_machine::Arguments arguments_of(const ptx_cases::Case& given);
ptx_machine::LaunchOptions options_of(const ptx_cases::Case& given, const NamedSchedule& schedule);

}  // namespace lockstep::test
