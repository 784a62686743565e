#pragma once
// Kernels of the language as InfReg-IR: for tests of the passes, and of what chooses by their result.

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>

#include "codegen/passes/pipeline.hpp"
#include "semantics/core/front_end.hpp"

namespace lockstep::test {

/// The only kernel of `text`, for groups of `wg_size`. The test fails if the text is wrong.
inline infreg::Kernel lowered(const std::string& text, unsigned wg_size, const passes::PipelineOptions& pipeline = {}) {
  const auto source = std::make_shared<const SourceFile>("k.cl", text);
  core::Options options;
  options.wg_size = wg_size;
  Diagnostics warnings;
  const auto program = core::read_kernels(source, options, warnings);
  INFO((program ? std::string() : render(*source, program.error())));
  REQUIRE(program);
  auto kernel = passes::lower(*program, *program->kernel(""), pipeline);
  INFO((kernel ? std::string() : render(*source, kernel.error())));
  REQUIRE(kernel);
  return std::move(*kernel);
}

}  // namespace lockstep::test
