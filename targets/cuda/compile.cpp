#include "targets/cuda/compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
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

std::span<const NamedChoice> named_choices() {
  using emit_cuda::Choices;
  static constexpr std::array<NamedChoice, 9> all = {{{"leaving", &Choices::leaving},
                                                      {"deferring", &Choices::deferring},
                                                      {"hoisting", &Choices::hoisting},
                                                      {"merging", &Choices::merging},
                                                      {"widening", &Choices::widening},
                                                      {"tiling", &Choices::tiling},
                                                      {"staging", &Choices::staging},
                                                      {"picking", &Choices::picking},
                                                      {"shuffling", &Choices::shuffling}}};
  return all;
}

Option without_option(std::vector<Use> uses) {
  std::string names;
  for (const NamedChoice& one : named_choices()) {
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  return {"--cuda-without", "LIST", fmt::format("what is not to be done, with commas between them: {} (docs/cuda.md)", names), "",
          std::move(uses),  true};
}

std::optional<std::string> store_without(emit_cuda::Choices& into, const std::string& value) {
  std::istringstream words(value);
  for (std::string word; std::getline(words, word, ',');) {
    const auto found = std::ranges::find(named_choices(), word, &NamedChoice::name);
    if (found == named_choices().end()) {
      std::vector<std::string> names;
      std::ranges::transform(named_choices(), std::back_inserter(names), [](const NamedChoice& one) { return std::string(one.name); });
      return no_such_word(word, names);
    }
    into.*found->choice = false;
  }
  return std::nullopt;
}

Option clang_option(std::vector<Use> uses) {
  return {"--clang", "COMMAND", "clang and arguments for it: words, with blanks between them (default: clang-19, else clang)", "",
          std::move(uses)};
}

Option level_option(std::vector<Use> uses) { return {"--cuda-level", "N", "clang's level, as in -O2", "2", std::move(uses)}; }

}  // namespace lockstep::targets
