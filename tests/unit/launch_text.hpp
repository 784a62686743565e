#pragma once
// Kernels given as text, run on small buffers: for the tests of the PIRCH machine.

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "interpreter/launch/launch.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"

namespace lockstep::launch_text {

/// A buffer of these numbers.
template <class T>
launch::Buffer buffer(ScalarType type, const std::vector<T>& values) {
  launch::Buffer b;
  b.type = type;
  b.count = values.size();
  b.shape = {b.count};
  b.bytes.resize(values.size() * sizeof(T));
  if (!values.empty()) {
    std::memcpy(b.bytes.data(), values.data(), b.bytes.size());
  }
  return b;
}

template <class T>
std::vector<T> numbers(const launch::Buffer& b) {
  std::vector<T> values(b.count);
  if (!values.empty()) {
    std::memcpy(values.data(), b.bytes.data(), b.bytes.size());
  }
  return values;
}

/// The arguments: these buffers, in order, then these scalars.
inline launch::Arguments arguments(std::vector<launch::Buffer> buffers, const std::vector<std::uint64_t>& scalars = {}) {
  launch::Arguments a;
  for (std::size_t k = 0; k < buffers.size(); ++k) {
    a.values.emplace_back(BufferNumber{k});
  }
  for (const std::uint64_t scalar : scalars) {
    a.values.emplace_back(ScalarBits{scalar});
  }
  a.buffers = std::move(buffers);
  return a;
}

/// The only kernel of `text`, translated for groups of `wg_size`.
inline std::shared_ptr<const typed::Program> program(const std::string& text, unsigned wg_size) {
  const auto source = std::make_shared<SourceFile>("k.cl", text);
  core::Options options;
  options.wg_size = wg_size;
  Diagnostics warnings;
  const auto read = core::read_kernels(source, options, warnings);
  if (!read) {
    FAIL(render(*source, read.error()));
  }
  const core::Function* kernel = read->kernel("");
  REQUIRE(kernel != nullptr);
  return std::make_shared<const typed::Program>(core::translate(*read, *kernel));
}

inline launch::Outcome run(const std::shared_ptr<const typed::Program>& p, launch::Arguments& a, const launch::LaunchOptions& options) {
  auto outcome = launch::run(p, a, options);
  if (!outcome) {
    FAIL(outcome.error());
  }
  return *outcome;
}

}  // namespace lockstep::launch_text
