#include "targets/cuda/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "codegen/emit/cuda/support/support.hpp"

namespace lockstep::targets {

namespace {

constexpr unsigned most_seconds = 300;

std::expected<std::string, host::CompileFailure> ptx_of(const emit_cuda::Emitted& emitted, const CudaRequest& request,
                                                        std::vector<std::string> options) {
  host::CompileRequest compile;
  compile.source = {"kernel.cu",
                    fmt::format("#{} \"{}\"\nnamespace v = lockstep_cuda;\n{}", "include", emit_cuda::support_name, emitted.source)};
  compile.headers = {{std::string(emit_cuda::support_name), std::string(emit_cuda::support_text())}};
  compile.options = std::move(options);
  compile.scratch = request.scratch;
  compile.seconds = most_seconds;
  compile.is_cancelled = request.is_cancelled;
  return host::compile_text(request.compiler, compile);
}

}  // namespace

std::vector<std::string> clang_device_options() {
  return {"-x",
          "cuda",
          "-std=c++17",
          "--cuda-gpu-arch=sm_75",
          "--cuda-feature=+ptx63",
          "--cuda-device-only",
          "-nocudainc",
          "-nocudalib",
          "-Wno-unknown-cuda-version",
          "-S"};
}

std::expected<std::string, host::CompileFailure> compile_cuda(const emit_cuda::Emitted& emitted, const CudaRequest& request) {
  std::vector<std::string> options = clang_device_options();
  options.insert(options.end(), {"-Wall", "-Wextra", fmt::format("-O{}", request.level)});
  return ptx_of(emitted, request, std::move(options));
}

std::expected<std::string, host::CompileFailure> compile_by_nvcc(const emit_cuda::Emitted& emitted, const CudaRequest& request) {
  return ptx_of(emitted, request, {"-std=c++17", "-arch=sm_75", "-Wno-deprecated-gpu-targets", "-ptx"});
}

unsigned blocks_for(const emit_cuda::Emitted& emitted, infreg::Shape shape, std::uint64_t groups) {
  constexpr std::uint64_t most = 3;
  const std::uint64_t packs = groups / shape.wg_pack + groups % shape.wg_pack;
  return static_cast<unsigned>(std::clamp<std::uint64_t>((packs + emitted.packs_of_block - 1) / emitted.packs_of_block, 1, most));
}

Option without_option(std::vector<Use> uses) {
  return {"--cuda-without",
          "LIST",
          "what is not to be done, with commas between them: leaving, deferring, hoisting, merging, widening, staging (docs/cuda.md)",
          "",
          std::move(uses),
          true};
}

std::optional<std::string> store_without(emit_cuda::Choices& into, const std::string& value) {
  static const std::vector<std::pair<std::string, bool emit_cuda::Choices::*>> choices = {
      {"leaving", &emit_cuda::Choices::leaving}, {"deferring", &emit_cuda::Choices::deferring}, {"hoisting", &emit_cuda::Choices::hoisting},
      {"merging", &emit_cuda::Choices::merging}, {"widening", &emit_cuda::Choices::widening},   {"staging", &emit_cuda::Choices::staging}};
  std::istringstream words(value);
  for (std::string word; std::getline(words, word, ',');) {
    const auto found = std::ranges::find(choices, word, &std::pair<std::string, bool emit_cuda::Choices::*>::first);
    if (found == choices.end()) {
      return no_such_word(word, {"leaving", "deferring", "hoisting", "merging", "widening", "staging"});
    }
    into.*found->second = false;
  }
  return std::nullopt;
}

Option clang_option(std::vector<Use> uses) {
  return {"--clang", "COMMAND", "clang and arguments for it: words, with blanks between them (default: clang-19, else clang)", "",
          std::move(uses)};
}

Option level_option(std::vector<Use> uses) { return {"--cuda-level", "N", "clang's level, as in -O2", "2", std::move(uses)}; }

}  // namespace lockstep::targets
