#pragma once
// A kernel and its .sim file, run by the library's interpreter.

#include <memory>
#include <string>
#include <vector>

#include "interpreter/launch/launch.hpp"
#include "tests/suites/references/launch.hpp"

namespace lockstep::suites {

struct Model {
  const char* name;
  launch::LaunchOptions options;
};
/// All items of a group in lockstep, and each on its own under two schedules.
std::vector<Model> models();

/// NAME.sim and what it names; the error is what is wrong with the files, with all warnings of the front end.
struct Loaded {
  std::shared_ptr<const typed::Program> program;  ///< null where the front end refuses the kernel
  std::string refusal;                            ///< "MESSAGE in line N"
  std::vector<std::string> warnings;
  Launch launch;
  launch::Arguments arguments;
  std::uint64_t groups = 0;
  std::vector<std::string> names;    ///< of the parameters, as they are written
  std::vector<std::size_t> buffers;  ///< of each parameter its number among the buffers, or none
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
};
Loaded load(const std::string& folder, const std::string& name, const std::array<std::int64_t, 3>& offset);

/// "clean", "KIND of 'OBJECT' in line N", "race of 'OBJECT' in lines N and M": how a run ends, as the first lines of wrong kernels say it.
std::string ending(const Loaded& loaded, const launch::Outcome& outcome);

}  // namespace lockstep::suites
