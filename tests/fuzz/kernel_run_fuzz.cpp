// Any text that is a kernel file is run within narrow limits: it ends, is never stuck, and nobody can tell how its groups were packed.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "interpreter/launch/launch.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"

namespace {

using namespace lockstep;

constexpr std::uint64_t elements = 64;

/// A buffer of 64 elements for each pointer, some bits that are a small number of any type for each scalar.
launch::Arguments arguments(const typed::Function& kernel) {
  launch::Arguments a;
  for (std::size_t k = 0; k < kernel.parameter_count; ++k) {
    const typed::ValueType& type = kernel.registers[k].type;
    if (!type.is_pointer) {
      a.values.emplace_back(ScalarBits{std::uint64_t{type.scalar == ScalarType::Bool ? 1U : 5U}});
      continue;
    }
    launch::Buffer buffer;
    buffer.type = type.scalar;
    buffer.count = elements;
    buffer.shape = {elements};
    buffer.bytes.resize(elements * size_of(type.scalar));
    for (std::size_t byte = 0; byte < buffer.bytes.size(); byte += size_of(type.scalar)) {
      buffer.bytes[byte] = static_cast<std::byte>(type.scalar == ScalarType::Bool ? byte % 2 : byte % 7);
    }
    a.values.emplace_back(BufferNumber{a.buffers.size()});
    a.buffers.push_back(std::move(buffer));
  }
  return a;
}

struct Ran {
  launch::Outcome outcome;
  launch::Arguments arguments;
};

Ran run(const std::shared_ptr<const typed::Program>& program, unsigned pack, unsigned warp_size) {
  launch::LaunchOptions options;
  options.groups = 2;
  options.pack = pack;
  options.warp_size = warp_size;
  options.threads = 1;
  options.max_steps = 300;
  options.frame_memory = std::size_t{1} << 20;
  options.max_depth = 30;
  Ran ran{{}, arguments(program->kernel())};
  auto outcome = launch::run(program, ran.arguments, options);
  if (!outcome) {
    if (outcome.error().empty()) {
      std::abort();
    }
    return ran;
  }
  ran.outcome = std::move(*outcome);
  if (ran.outcome.fault) {
    if (ran.outcome.fault->kind == launch::FaultKind::Stuck || launch::render(*program, *ran.outcome.fault).empty()) {
      std::abort();
    }
  }
  for (const launch::Race& race : ran.outcome.races) {
    if (launch::render(*program, race).empty()) {
      std::abort();
    }
  }
  return ran;
}

bool same(const Ran& a, const Ran& b) {
  const bool faults =
      a.outcome.fault.has_value() == b.outcome.fault.has_value() &&
      (!a.outcome.fault || (a.outcome.fault->kind == b.outcome.fault->kind && a.outcome.fault->message == b.outcome.fault->message));
  bool buffers = true;
  for (std::size_t k = 0; k < a.arguments.buffers.size(); ++k) {
    buffers = buffers && a.arguments.buffers[k].bytes == b.arguments.buffers[k].bytes &&
              a.arguments.buffers[k].poison == b.arguments.buffers[k].poison;
  }
  return faults && buffers && a.outcome.steps == b.outcome.steps && a.outcome.rule_counts == b.outcome.rule_counts &&
         a.outcome.race_count == b.outcome.race_count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  core::Options options;
  options.wg_size = 4;
  options.defines = {{"TILE", "2"}};
  Diagnostics warnings;
  const auto read = core::read_kernels(std::make_shared<const SourceFile>("fuzz.cl", std::string(data, data + size)), options, warnings);
  if (!read) {
    return 0;
  }
  for (const core::Function& function : read->functions) {
    if (function.is_kernel) {
      const auto program = std::make_shared<const typed::Program>(core::translate(*read, function));
      if (!same(run(program, 1, 0), run(program, 2, 0))) {
        std::abort();
      }
      run(program, 2, 3);
    }
  }
  return 0;
}
