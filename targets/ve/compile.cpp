#include "targets/ve/compile.hpp"

#include <fmt/format.h>

#include "codegen/emit/ve/support/support.hpp"

namespace lockstep::targets {

namespace {

constexpr unsigned most_seconds = 300;

/// The rest of what clang says of such a fault is where in the compiler it was met.
std::string complaint_of(const std::string& sentence) {
  const std::size_t begin = sentence.find("fatal error: error in backend");
  return begin == std::string::npos ? sentence : sentence.substr(begin, sentence.find('\n', begin) - begin);
}

}  // namespace

host::TextFile ve_source(const infreg::Kernel& kernel, const std::string& text) { return {kernel.name + ".ve.c", text}; }

std::vector<host::TextFile> ve_headers(const infreg::Kernel& kernel, const std::string& header) {
  return {{kernel.name + ".ve.h", header}, {std::string(emit_ve::support_name), std::string(emit_ve::support_text())}};
}

std::expected<std::string, host::CompileFailure> compile_ve(const infreg::Kernel& kernel, const emit_ve::Emitted& emitted,
                                                            const VeRequest& request) {
  host::CompileRequest compile;
  compile.source = ve_source(kernel, emitted.source);
  compile.headers = ve_headers(kernel, emitted.header);
  compile.scratch = request.scratch;
  compile.seconds = most_seconds;
  compile.is_cancelled = request.is_cancelled;
  compile.options = {"--target=ve-linux-gnu",
                     "-std=c17",
                     "-Wall",
                     "-Wextra",
                     "-Werror",
                     "-fno-crash-diagnostics",
                     fmt::format("-O{}", request.level),
                     "-c"};
  auto object = host::compile_text(request.clang, compile);
  if (!object) {
    object.error().sentence = complaint_of(object.error().sentence);
  }
  return object;
}

}  // namespace lockstep::targets
