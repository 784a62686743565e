#pragma once
// Object code of VE on our VE machine, for kernels that have been emitted for it.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "differential/compare/execute.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::targets {

struct VeRun {
  std::variant<std::vector<launch::Buffer>, differential::Failure> result;  ///< what the entry point leaves of the buffers
  std::string counted;                                                      ///< as Ran has it
  std::string counted_json;
};

VeRun run_ve(const std::string& object, const std::string& symbol, const infreg::Kernel& kernel, const launch::Arguments& before,
             std::uint64_t groups, std::uint64_t stack_bytes);

}  // namespace lockstep::targets
