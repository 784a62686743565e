// C++ with AVX512 intrinsics, compiled by the compiler of this machine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "bench/suite/ours.hpp"
#include "bench/suite/ours_common.hpp"
#include "codegen/emit/avx512/pack.hpp"
#include "codegen/host/avx512.hpp"
#include "codegen/passes/pipeline.hpp"
#include "semantics/infreg/with_pack.hpp"

namespace lockstep::bench {

namespace {

struct Made {
  host::Avx512Callable call;
  unsigned wg_pack;
};

std::expected<infreg::Kernel, std::string> lowered(const Task& task, const OurOptions& options) {
  const auto read = read_our_kernel(task, options);
  if (!read) {
    return std::unexpected(read.error());
  }
  passes::PipelineOptions pipeline;
  pipeline.wg_pack = std::max(1U, options.wg_pack);
  auto kernel = passes::lower(read->program, *read->program.kernel(""), pipeline);
  if (!kernel) {
    return std::unexpected(render(*read->source, kernel.error()));
  }
  if (options.wg_pack == 0) {
    const unsigned chosen = emit_avx512::choose_pack(*kernel, options.emit);
    kernel = infreg::with_pack(std::move(*kernel), chosen);
  }
  return std::move(*kernel);
}

struct Emitted {
  host::Avx512Source source;
  unsigned wg_pack;
};

std::expected<Emitted, std::string> emitted(const Task& task, const OurOptions& options) {
  const auto kernel = lowered(task, options);
  if (!kernel) {
    return std::unexpected(kernel.error());
  }
  auto source = host::source_for_calls(*kernel, kernel->name, options.emit);
  if (!source) {
    return std::unexpected(source.error());
  }
  return Emitted{std::move(*source), kernel->shape.wg_pack};
}

std::expected<Made, std::string> make(const Task& task, const OurOptions& options) {
  const auto made = emitted(task, options);
  if (!made) {
    return std::unexpected(made.error());
  }
  const auto compiler = host::find_compiler();
  if (!compiler) {
    return std::unexpected(compiler.error());
  }
  host::Avx512Options compile_options;
  compile_options.compiler = *compiler;
  auto code = host::compile_avx512({made->source}, compile_options);
  if (!code) {
    return std::unexpected(code.error().sentence);
  }
  if (code->is_emulated) {
    return std::unexpected("this machine has no AVX512: times of its emulation would say nothing");
  }
  return Made{code->kernels.front(), made->wg_pack};
}

}  // namespace

std::expected<std::string, std::string> cpp_by_avx512(const Task& task, const OurOptions& options) {
  auto made = emitted(task, options);
  if (!made) {
    return std::unexpected(made.error());
  }
  return std::move(made->source.text);
}

std::string compiler_of_avx512() {
  const auto compiler = host::find_compiler();
  return compiler ? fmt::format("{} -O{}", fmt::join(compiler->command, " "), host::Avx512Options().level) : compiler.error();
}

Contestant by_avx512(const Task& task, const OurOptions& options) {
  Contestant contestant = our_contestant("avx512", task, options);
  const auto made = std::make_shared<std::optional<std::expected<Made, std::string>>>();
  contestant.prepare = [=](const Data& data, unsigned threads) -> std::expected<Run, std::string> {
    if (!*made) {
      *made = make(task, options);
    }
    if (!**made) {
      return std::unexpected((**made).error());
    }
    const Made& code = ***made;
    std::vector<const void*> arguments(data.pointers().begin(), data.pointers().end());
    const auto batch = std::make_shared<const std::uint32_t>(static_cast<std::uint32_t>(data.batch()));
    if (has_batch_parameter(task)) {
      arguments.push_back(batch.get());
    }
    const std::uint64_t groups = groups_of(data, wg_size_of(task, options));
    const std::uint64_t packs = (groups + code.wg_pack - 1) / code.wg_pack;
    return [code, arguments, batch, groups, packs, threads] {
      if (threads == 1) {
        code.call(arguments.data(), 0, groups, groups);
        return;
      }
#pragma omp parallel for schedule(static, 1) num_threads(static_cast<int>(threads))
      for (unsigned t = 0; t < threads; ++t) {
        code.call(arguments.data(), packs * t / threads * code.wg_pack, std::min(groups, packs * (t + 1) / threads * code.wg_pack), groups);
      }
    };
  };
  return contestant;
}

}  // namespace lockstep::bench
