#include "codegen/host/avx512.hpp"

#include <fmt/format.h>

#include <string_view>

#include "codegen/emit/avx512/support/support.hpp"

namespace lockstep::host {

namespace {

/// Behind the kernels: the code itself knows best what it has become.
constexpr std::string_view description = R"(
extern "C" const bool lockstep_is_emulated;
const bool lockstep_is_emulated = lockstep_avx512::emulated;
extern "C" const char lockstep_compiler[];
#define LOCKSTEP_TEXT(x) #x
#define LOCKSTEP_TEXT_OF(x) LOCKSTEP_TEXT(x)
#if defined(__clang__)
const char lockstep_compiler[] = "clang++ " LOCKSTEP_TEXT_OF(__clang_major__);
#else
const char lockstep_compiler[] = "g++ " LOCKSTEP_TEXT_OF(__GNUC__);
#endif
)";

CompileFailure without(const std::string& symbol) {
  return {CompileFailure::Kind::Refused, fmt::format("what the compiler made has no '{}'", symbol)};
}

CompileRequest request_for(const std::vector<Avx512Source>& kernels, const Avx512Options& options) {
  std::string text = fmt::format("#{} \"lockstep_avx512.h\"\n", "include");
  for (const Avx512Source& kernel : kernels) {
    text += kernel.text;
  }
  CompileRequest request;
  request.source = {"kernels.avx512.cpp", text + std::string(description)};
  request.headers = avx512_support_files();
  request.options = {"-std=c++17", fmt::format("-O{}", options.level)};
  request.scratch = options.scratch;
  request.seconds = options.seconds;
  request.is_cancelled = options.is_cancelled;
  return request;
}

}  // namespace

std::vector<TextFile> avx512_support_files() {
  std::vector<TextFile> files;
  for (const emit_avx512::SupportFile& file : emit_avx512::support_files()) {
    files.push_back({std::string(file.name), std::string(file.text)});
  }
  return files;
}

std::expected<Avx512Source, std::string> source_for_calls(const infreg::Kernel& kernel, const std::string& symbol,
                                                          emit_avx512::EmitOptions options) {
  options.symbol = symbol;
  options.call_wrapper = true;
  options.include_support = false;
  auto emitted = emit_avx512::emit(kernel, options);
  return emitted ? std::expected<Avx512Source, std::string>(Avx512Source{symbol, std::move(emitted->source)})
                 : std::unexpected(std::move(emitted.error()));
}

std::string Avx512Code::evidence() const { return fmt::format("{}, {}", is_emulated ? "emulated" : "hardware", compiler); }

std::expected<Avx512Code, CompileFailure> compile_avx512(const std::vector<Avx512Source>& kernels, const Avx512Options& options) {
  const auto library = compile_library(options.compiler, request_for(kernels, options));
  if (!library && library.error().kind == CompileFailure::Kind::Refused) {
    const auto nothing = compile_library(options.compiler, request_for({}, options));
    return std::unexpected(nothing ? library.error()
                                   : CompileFailure{CompileFailure::Kind::Broken,
                                                    "the compiler does not even take a file without kernels: " + nothing.error().sentence});
  }
  if (!library) {
    return std::unexpected(library.error());
  }
  Avx512Code code;
  const auto* is_emulated = static_cast<const bool*>(library->find("lockstep_is_emulated"));
  const auto* compiler = static_cast<const char*>(library->find("lockstep_compiler"));
  if (is_emulated == nullptr || compiler == nullptr) {
    return std::unexpected(without(is_emulated == nullptr ? "lockstep_is_emulated" : "lockstep_compiler"));
  }
  code.is_emulated = *is_emulated;
  code.compiler = compiler;
  for (const Avx512Source& kernel : kernels) {
    const std::string symbol = kernel.symbol + "_call";
    void* function = library->find(symbol);
    if (function == nullptr) {
      return std::unexpected(without(symbol));
    }
    code.kernels.emplace_back(*library, reinterpret_cast<Avx512Callable::Function>(function));
  }
  return code;
}

}  // namespace lockstep::host
