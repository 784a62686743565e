#pragma once
// Statements of PTX, right and wrong ones, made from the table of instructions.

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::ptxas {

/// What stands in front of a statement: a kernel's beginning, with registers of every type and variables of every space.
std::string head();
/// What stands behind it.
std::string tail();

/// One instruction on one line.
struct Statement {
  std::string text;
  std::size_t ordered = 0;  ///< the statement with the same modifiers in the order of the table; often itself
};

/// For every row of the table that runs: each of its types, each of its modifiers and each pair of them; and of these such as leave out a
/// word, double it, move it, exchange it or have a further one, and that leave out, double or exchange an operand.
std::vector<Statement> statements();

}  // namespace lockstep::ptxas
