#pragma once
// Kernels as text to typed μ-SIMD as text, for the tests of the translation.

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/source.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"
#include "semantics/typed/print.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep {

/// The translation of the kernel `name` (empty: the only one). Fails the test if the front end refuses the text.
inline typed::Program translated(std::string text, const core::Options& options = {}, const std::string& name = {}) {
  const auto source = std::make_shared<const SourceFile>("test.cl", std::move(text));
  Diagnostics warnings;
  const auto program = core::read_kernels(source, options, warnings);
  if (!program) {
    FAIL(render(*source, program.error()));
  }
  const core::Function* kernel = program->kernel(name);
  REQUIRE(kernel != nullptr);
  return core::translate(*program, *kernel);
}

/// The code of one function, an instruction a line, labels in front of it.
inline std::string listing(const typed::Program& program, const std::string& function = "k") {
  std::string text;
  for (const typed::Function& owner : program.functions) {
    if (owner.name != function) {
      continue;
    }
    for (typed::Label pc = owner.begin; pc < owner.end; ++pc) {
      for (const typed::LabelDefinition& label : program.labels) {
        text += label.pc == pc ? label.name + ": " : "";
      }
      text += typed::print(program, owner, program.code[pc].instruction) + "\n";
    }
  }
  return text;
}

}  // namespace lockstep
