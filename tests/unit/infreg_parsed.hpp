#pragma once
// Kernels of InfReg-IR from their text.

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>

#include "semantics/infreg/parse.hpp"

namespace lockstep::infreg {

/// The test fails if the text is wrong.
inline Kernel parsed(const std::string& text) {
  const auto source = std::make_shared<const SourceFile>("k.ir", text);
  auto result = parse(source);
  INFO(text);
  INFO((result ? std::string() : render(*source, result.error())));
  REQUIRE(result.has_value());
  return std::move(*result);
}

}  // namespace lockstep::infreg
