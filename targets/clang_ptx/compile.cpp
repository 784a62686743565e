#include "targets/clang_ptx/compile.hpp"

#include <fmt/format.h>

#include <initializer_list>

namespace lockstep::targets {

namespace {

/// opencl.h
const std::string& header() {
  static const std::string text = [] {
    std::string joined;
    for (const char* piece : std::initializer_list<const char*>{
#include <opencl.h.inc>
         }) {
      joined += piece;
    }
    return joined;
  }();
  return text;
}

/// Whether it has the name of a vector type in it.
bool has_vectors(const std::string& text) {
  for (const char* type : {"char", "short", "int", "long", "float", "double"}) {
    for (const char* size : {"2", "3", "4", "8", "16"}) {
      if (text.contains(std::string(type) + size)) {
        return true;
      }
    }
  }
  return false;
}

constexpr unsigned most_seconds = 60;

}  // namespace

std::expected<host::Compiler, std::string> find_clang(const std::string& wanted) {
  if (!wanted.empty()) {
    auto found = host::find_compiler(wanted);
    return found ? found : std::unexpected(fmt::format("there is no program '{}'", wanted));
  }
  for (const char* name : {"clang-19", "clang"}) {
    if (auto found = host::find_compiler(name)) {
      return found;
    }
  }
  return std::unexpected("there is no clang on this machine: neither clang-19 nor clang is on the PATH");
}

std::expected<std::string, host::CompileFailure> compile_by_clang(const SourceKernel& kernel, const ClangRequest& request) {
  host::CompileRequest compile;
  compile.source = {"kernel.cl", kernel.text};
  compile.headers = {{"opencl.h", header()}};
  compile.scratch = request.scratch;
  compile.seconds = most_seconds;
  compile.is_cancelled = request.is_cancelled;
  compile.options = {"-x",
                     "cl",
                     "-cl-std=CL2.0",
                     "-cl-no-stdinc",
                     "--target=nvptx64-nvidia-cuda",
                     "-march=sm_75",
                     "-ffp-contract=off",
                     "-fwrapv",
                     "-cl-fp32-correctly-rounded-divide-sqrt",
                     "-w",
                     "-include",
                     "opencl.h",
                     fmt::format("-O{}", request.level),
                     fmt::format("-DWORK_DIM={}", kernel.dimensions),
                     fmt::format("-DWG_SIZE_X={}", kernel.shape[0]),
                     fmt::format("-DWG_SIZE_Y={}", kernel.shape[1]),
                     fmt::format("-DWG_SIZE_Z={}", kernel.shape[2]),
                     fmt::format("-DOFFSET_X={}UL", kernel.offset[0]),
                     fmt::format("-DOFFSET_Y={}UL", kernel.offset[1]),
                     fmt::format("-DOFFSET_Z={}UL", kernel.offset[2])};
  if (has_vectors(kernel.text)) {
    compile.options.emplace_back("-DHAS_VECTORS");
  }
  for (const auto& [name, value] : kernel.defines) {
    compile.options.push_back(fmt::format("-D{}={}", name, value));
  }
  compile.options.emplace_back("-S");
  return host::compile_text(request.clang, compile);
}

}  // namespace lockstep::targets
