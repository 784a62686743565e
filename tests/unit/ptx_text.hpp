#pragma once
// Small PTX texts for tests.

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "semantics/ptx/check.hpp"
#include "semantics/ptx/parse.hpp"
#include "semantics/ptx/resolve.hpp"

namespace lockstep::ptx {

inline std::shared_ptr<const SourceFile> ptx_source(std::string text) { return std::make_shared<const SourceFile>("t", std::move(text)); }

inline Module parsed(const std::string& text) {
  const auto source = ptx_source(text);
  auto module = parse(*source);
  INFO((module ? "" : render(*source, module.error())));
  REQUIRE(module);
  return std::move(*module);
}

inline resolved::Module resolved_from(const std::string& text) {
  const auto source = ptx_source(text);
  auto module = resolve(parsed(text), source);
  INFO((module ? "" : render(*source, module.error())));
  REQUIRE(module);
  return std::move(*module);
}

/// What `parse`, and then `check`, say of a text named "t"; nothing if all is well.
inline std::string report_of(const std::string& text) {
  const auto source = ptx_source(text);
  const auto module = parse(*source);
  return render(*source, module ? check(*module) : module.error());
}

/// A kernel with these statements, and registers of some names.
inline std::string kernel_of(const std::string& statements) {
  return ".version 8.5\n.target sm_80\n.address_size 64\n.entry k(.param .u64 a, .param .u32 n) {\n"
         ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %d<8>; .reg .f64 %e<8>;\n" +
         statements + "\n}\n";
}

/// The first instruction of kernel_of(statements).
inline Instruction first_instruction(const std::string& statements) {
  const Module module = parsed(kernel_of(statements));
  for (const Statement& statement : std::get<Function>(module.items.back()).body) {
    if (const auto* instruction = std::get_if<Instruction>(&statement)) {
      return *instruction;
    }
  }
  FAIL("no instruction");
  return {};
}

}  // namespace lockstep::ptx
