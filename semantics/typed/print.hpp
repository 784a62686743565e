#pragma once

#include <string>
#include <vector>

#include "semantics/typed/program.hpp"

namespace lockstep::typed {

struct PrintOptions {
  /// Above the instructions that come from a line of Program::source, that line as a comment ("// 12: x = a[i];"). The text can be
  /// read back like any other.
  bool source_lines = false;
};

/// The canonical text of a program (docs/typed-mus.md): parse(print(p)) is the same program (program.hpp, `same`). The fewest
/// parentheses that keep the trees, labels in a column of their own. The program must keep what program.hpp promises: names are words,
/// unique among the registers and labels of a function, the functions, and the objects; functions lie one behind the other, none is empty;
/// constants are in canonical form. Throws InternalError where it cannot be written.
std::string print(const Program& program, const PrintOptions& options = {});

/// One instruction as it stands in the canonical text, without label and line break: "x = ld a[i + 1ul]". `function` is the one that owns
/// it.
std::string print(const Program& program, const Function& function, const Instruction& instruction);

/// An expression of `function` in canonical form.
std::string print(const Program& program, const Function& function, const Expr& expression);

/// The head of a function without ".function": "float foo(uniform int n, global float* a)".
std::string signature(const Function& function);

}  // namespace lockstep::typed
