#include "bench/suite/ours.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>

#include "bench/suite/kernel_text.hpp"
#include "bench/suite/ours_common.hpp"
#include "codegen/compile/compile.hpp"
#include "interpreter/launch/launch.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"

namespace lockstep::bench {

unsigned wg_size_of(const Task& task, const OurOptions& options) {
  return task.n != 0 ? task.n : options.wg_size != 0 ? options.wg_size : 32;
}

std::uint64_t groups_of(const Data& data, unsigned wg_size) {
  return info(data.task().kernel).is_group_wise ? data.batch() : (data.batch() + wg_size - 1) / wg_size;
}

bool has_batch_parameter(const Task& task) { return !info(task.kernel).is_group_wise; }

std::vector<std::pair<std::string, std::string>> defines_of(const Task& task) {
  return {{"REAL", std::string(lockstep::info(task.real).name)}};
}

SourceFile source_of(const Task& task, const OurOptions& options) {
  return {std::string(info(task.kernel).name) + ".cl", options.text.empty() ? std::string(kernel_text(task.kernel)) : options.text};
}

std::expected<OurKernel, std::string> read_our_kernel(const Task& task, const OurOptions& options) {
  const auto source = std::make_shared<const SourceFile>(source_of(task, options));
  core::Options front_end;
  front_end.wg_size = wg_size_of(task, options);
  front_end.defines = defines_of(task);
  Diagnostics warnings;
  auto program = core::read_kernels(source, front_end, warnings);
  if (!program) {
    return std::unexpected(render(*source, program.error()));
  }
  return OurKernel{source, std::move(*program)};
}

Contestant our_contestant(const std::string& target, const Task& task, const OurOptions& options) {
  Contestant contestant;
  contestant.name = options.name.empty() ? target : options.name;
  contestant.side = Side::Ours;
  contestant.agreement = Agreement::Bits;
  contestant.wg_size = wg_size_of(task, options);
  contestant.wg_pack = options.wg_pack == 0 ? "auto" : std::to_string(options.wg_pack);
  return contestant;
}

namespace {

// ---- the interpreter -------------------------------------------------------------------------------------------------------------

using Translated = std::shared_ptr<const typed::Program>;

std::expected<Translated, std::string> translated(const Task& task, const OurOptions& options) {
  const auto read = read_our_kernel(task, options);
  if (!read) {
    return std::unexpected(read.error());
  }
  return std::make_shared<const typed::Program>(core::translate(read->program, *read->program.kernel("")));
}

std::expected<void, std::string> run_translated(const Translated& program, const Data& data, unsigned wg_size) {
  launch::Arguments arguments;
  for (const Array& array : data.arrays()) {
    const std::byte* const begin = array.memory.data();
    arguments.values.emplace_back(BufferNumber{arguments.buffers.size()});
    arguments.buffers.push_back({array.type, array.count, std::vector<std::byte>(begin, begin + array.bytes()), {array.count}, {}});
  }
  if (has_batch_parameter(data.task())) {
    arguments.values.emplace_back(ScalarBits{data.batch()});
  }
  launch::LaunchOptions options;
  options.groups = groups_of(data, wg_size);
  options.threads = 1;
  options.races = false;
  const auto outcome = launch::run(program, arguments, options);
  if (!outcome) {
    return std::unexpected(outcome.error());
  }
  if (outcome->fault) {
    return std::unexpected(launch::render(*program, *outcome->fault));
  }
  for (std::size_t k = 0; k < data.arrays().size(); ++k) {
    std::memcpy(data.arrays()[k].memory.data(), arguments.buffers[k].bytes.data(), data.arrays()[k].bytes());
  }
  return {};
}

/// What has run once runs again: a failure then is none of the kernel's.
void require(const std::expected<void, std::string>& outcome) {
  if (!outcome) {
    throw std::runtime_error(outcome.error());
  }
}

// ---- compiled --------------------------------------------------------------------------------------------------------------------

std::vector<KernelArgument> arguments_of(const Data& data) {
  std::vector<KernelArgument> arguments;
  for (const Array& array : data.arrays()) {
    arguments.emplace_back(KernelArgument::Value(PackedArgument{{array.type, false}, array.memory.data(), array.count}));
  }
  if (has_batch_parameter(data.task())) {
    arguments.emplace_back(static_cast<std::uint32_t>(data.batch()));
  }
  return arguments;
}

}  // namespace

std::expected<void, std::string> interpret(const Data& data, const OurOptions& options) {
  const auto program = translated(data.task(), options);
  return program ? run_translated(*program, data, wg_size_of(data.task(), options)) : std::unexpected(program.error());
}

Contestant by_interpreter(const Task& task, const OurOptions& options) {
  Contestant contestant = our_contestant("interpreter", task, options);
  contestant.is_for_hot = false;
  // About the same work for all kernels: some ten milliseconds.
  contestant.most = task.kernel == KernelId::Enumerate ? 64 : task.n == 0 ? 1024 : std::max(16U, 65536 / (task.n * task.n * task.n));
  contestant.prepare = [task, options](const Data& data, unsigned /*threads*/) -> std::expected<Run, std::string> {
    const auto program = translated(task, options);
    if (!program) {
      return std::unexpected(program.error());
    }
    return [program = *program, &data, wg_size = wg_size_of(task, options)] { require(run_translated(program, data, wg_size)); };
  };
  return contestant;
}

Contestant by_llvm(const Task& task, const OurOptions& options) {
  Contestant contestant = our_contestant("llvm", task, options);
  const auto made = std::make_shared<std::map<unsigned, CompiledKernel>>();  // by threads
  contestant.prepare = [=](const Data& data, unsigned threads) -> std::expected<Run, std::string> {
    if (!made->contains(threads)) {
      const SourceFile source = source_of(task, options);
      CompileOptions compile_options;
      compile_options.wg_size = wg_size_of(task, options);
      compile_options.wg_pack = options.wg_pack;
      compile_options.defines = defines_of(task);
      compile_options.threads = threads;
      compile_options.cache = false;
      auto kernel = compile(source, compile_options);
      if (!kernel) {
        return std::unexpected(render(source, kernel.error()));
      }
      made->emplace(threads, std::move(*kernel));
    }
    const CompiledKernel kernel = made->at(threads);
    const std::uint64_t groups = groups_of(data, kernel.wg_size());
    const auto arguments = arguments_of(data);
    if (const auto first = kernel.run(groups, arguments); !first) {
      return std::unexpected(first.error());
    }
    return [=] { require(kernel.run(groups, arguments)); };
  };
  return contestant;
}

Contestant by_target(std::string_view target, const Task& task, const OurOptions& options) {
  return target == "avx512" ? by_avx512(task, options) : target == "llvm" ? by_llvm(task, options) : by_interpreter(task, options);
}

}  // namespace lockstep::bench
