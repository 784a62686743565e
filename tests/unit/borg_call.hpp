#pragma once
// A kernel of examples/borg as InfReg-IR, with what it is called with: numbers of its own, and little work an item.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "codegen/passes/pipeline.hpp"
#include "semantics/base/argument.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::test {

/// Element k becomes the number, in the buffer's type.
inline void put_number(infreg::Buffer& buffer, std::uint64_t k, std::int64_t number) {
  with_type(buffer.type, [&]<class T>(T) {
    const auto as = static_cast<T>(number);
    std::memcpy(&buffer.bytes[k * sizeof as], &as, sizeof as);
  });
}

struct BorgCall {
  infreg::Kernel kernel;
  std::vector<Argument> arguments;
  std::vector<infreg::Buffer> memory;  ///< BufferNumber i is the i-th
  std::uint64_t groups = 1;
};

inline BorgCall borg_call(const std::string& name, const std::string& real, unsigned wg_size, unsigned wg_pack) {
  const std::string path = fmt::format("{}/examples/borg/{}.cl", LOCKSTEP_SOURCE_DIR, name);
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (name == "enumerate") {
    const std::string variables = "VARIABLES 10";
    text.replace(text.find(variables), variables.size(), "VARIABLES 3");
  }
  const auto source = std::make_shared<const SourceFile>(name + ".cl", text);
  core::Options options;
  options.wg_size = wg_size;
  options.defines = {{"REAL", real}};
  Diagnostics warnings;
  const auto program = core::read_kernels(source, options, warnings);
  if (!program) {
    throw std::runtime_error(render(*source, program.error()));
  }
  passes::PipelineOptions pipeline;
  pipeline.wg_pack = wg_pack;
  auto kernel = passes::lower(*program, *program->kernel(""), pipeline);
  if (!kernel) {
    throw std::runtime_error(render(*source, kernel.error()));
  }
  BorgCall call{std::move(*kernel), {}, {}, 2UL * wg_pack + 3};
  const std::uint64_t items = call.groups * wg_size;
  for (const infreg::Parameter& parameter : call.kernel.parameters) {
    if (!parameter.is_pointer) {
      call.arguments.emplace_back(ScalarBits{items - 1});  // problems
      continue;
    }
    call.arguments.emplace_back(BufferNumber{call.memory.size()});
    infreg::Buffer& buffer = call.memory.emplace_back(infreg::make_buffer(parameter.scalar, items * std::max(wg_size, 8U)));
    for (std::uint64_t k = 0; k < buffer.count; ++k) {
      put_number(buffer, k, static_cast<std::int64_t>(1 + k * 37 % 211));
    }
  }
  return call;
}

}  // namespace lockstep::test
