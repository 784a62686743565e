#pragma once
// clang, which compiles emitted CUDA C++ to PTX without any CUDA toolkit.

#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/cuda/emit.hpp"
#include "codegen/host/compiler.hpp"
#include "targets/option.hpp"

namespace lockstep::targets {

struct CudaRequest {
  host::Compiler compiler;
  unsigned level = 2;   ///< 0 to 3: -O2
  std::string scratch;  ///< the folder in which its files are made; empty: the system's
  std::function<bool()> is_cancelled;
};

/// What makes clang compile device code to PTX, whether there is a CUDA toolkit or not: its version of PTX would be that of the toolkit,
/// and without one a version that has no lanes that go apart.
std::vector<std::string> clang_device_options();

/// The device code as PTX. It has been emitted without entry points for hosts.
std::expected<std::string, host::CompileFailure> compile_cuda(const emit_cuda::Emitted& emitted, const CudaRequest& request);

/// The same by nvcc, whose level means nothing.
std::expected<std::string, host::CompileFailure> compile_by_nvcc(const emit_cuda::Emitted& emitted, const CudaRequest& request);

/// Blocks of a grid for so many groups: few, so that they take packs in turn, too.
unsigned blocks_for(const emit_cuda::Emitted& emitted, infreg::Shape shape, std::uint64_t groups);

/// What shapes the code, and can be left out.
struct NamedChoice {
  std::string_view name;
  bool emit_cuda::Choices::* choice;
};
std::span<const NamedChoice> named_choices();

/// `--cuda-without`
Option without_option(std::vector<Use> uses);
std::optional<std::string> store_without(emit_cuda::Choices& into, const std::string& value);

/// `--clang` and `--cuda-level`.
Option clang_option(std::vector<Use> uses);
Option level_option(std::vector<Use> uses);

}  // namespace lockstep::targets
