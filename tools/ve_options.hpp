#pragma once
// What `run` and `step` of VE have in common: options, and object code of a file.

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/ve/arguments.hpp"
#include "interpreter/ve/launch.hpp"
#include "semantics/base/source.hpp"
#include "semantics/ve/decode.hpp"
#include "semantics/ve/object.hpp"
#include "tools/kernel_options.hpp"
#include "tools/machine_options.hpp"

namespace CLI {
class App;
}

namespace lockstep::tools {

/// The options that only VE has, as they were given.
struct VeFlags {
  std::string target;
  std::string clang;
};
void add_ve_options(CLI::App& command, VeFlags& flags);

/// Whether this is for VE: an object file, or --target ve.
bool is_for_ve(const SourceFile& source, const VeFlags& flags);

/// A sentence about an option that object code does not have.
std::optional<std::string> misplaced_ve_option(const CLI::App& command, const std::string& file);

/// Why nothing can be run, with the exit status.
struct VeFailure {
  int status = 0;
  std::string sentence;
};

/// What the options ask for, once they have been understood.
struct VeRequest {
  ve_machine::LaunchOptions launch;
  std::size_t memory_limit = 0;
};
std::expected<VeRequest, std::string> ve_request(const CLI::App& command, const MachineFlags& machine, const LaunchFlags& launch);

struct VeCode {
  ve::Decoder decoder;
  ve::Object object;
};
/// Of an object file, or of a C file that clang makes one of.
std::expected<VeCode, VeFailure> load_ve(const SourceFile& source, const VeFlags& flags, std::size_t memory_limit);

std::expected<ve_machine::Arguments, std::string> ve_arguments(const std::vector<std::string>& texts, std::size_t memory_limit);

}  // namespace lockstep::tools
