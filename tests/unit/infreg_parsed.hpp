#pragma once
// Kernels of InfReg-IR from their text.

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/verify.hpp"

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

/// The test fails if the text is wrong, or the verifier refuses the kernel.
inline Kernel verified(const std::string& text) {
  Kernel kernel = parsed(text);
  const std::vector<Fault> faults = verify(kernel);
  INFO(print_marked(kernel, faults));
  REQUIRE(faults.empty());
  return kernel;
}

}  // namespace lockstep::infreg
