#pragma once
// What NVIDIA's assembler says of statements.

#include <string>
#include <vector>

#include "tests/ptxas/statements.hpp"

namespace lockstep::ptxas {

/// Why ptxas refuses each statement; empty where it takes it. Throws std::runtime_error if it says what cannot be understood.
std::vector<std::string> verdicts(const std::string& ptxas, const std::vector<Statement>& statements);

}  // namespace lockstep::ptxas
