#pragma once
// Targets whose code is C++ that a compiler of this machine makes machine code of.

#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/host/compiler.hpp"
#include "semantics/infreg/kernel.hpp"
#include "targets/target.hpp"

namespace lockstep::targets {

NoCode no_code(const host::CompileFailure& failure, const host::Compiler& compiler);

/// C++ on a header of ours in place of another machine.
struct Emulation {
  std::string source;
  std::vector<host::TextFile> headers;
  std::function<differential::MachineCode(const host::Library&, void* entry)> call;  ///< of the function `emulation_entry`
};

constexpr std::string_view emulation_entry = "lockstep_run_on_host";

/// A kernel's arguments as C++ reads them from an array `arguments`, each with a comma behind.
std::string emulation_arguments(const infreg::Kernel& kernel);

/// A target without a name. The error of `emulated` is a sentence.
Target emulation_target(const std::function<std::expected<Emulation, std::string>(const infreg::Kernel&, const Asked&)>& emulated);

}  // namespace lockstep::targets
