#pragma once

#include <string>

#include "semantics/musimd/syntax.hpp"

namespace lockstep::musimd {

/// The canonical text of a program: parse(print(p)) is the same program (syntax.hpp, `same`). ASCII, one instruction a
/// line, labels in a column of their own, the fewest parentheses that keep the tree.
std::string print(const Program& program);

/// One instruction as it stands in the canonical text, without label and line break: "v4 = v3 + tid".
std::string print(const Program& program, const Instruction& instruction);

/// An expression of `program` in canonical form.
std::string print(const Program& program, const Expr& expression);

/// The names of the labels that stand before instruction `pc`, in textual order.
std::vector<std::string> labels_at(const Program& program, Label pc);

}  // namespace lockstep::musimd
