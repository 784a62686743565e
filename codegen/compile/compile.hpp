#pragma once
// Kernels for programs: lockstep::compile makes a function of a kernel's text, which is called with arrays. docs/library.md shows it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codegen/compile/argument.hpp"
#include "codegen/compile/footprint.hpp"
#include "codegen/verdict/verdict.hpp"
#include "semantics/base/diagnostic.hpp"
#include "semantics/base/source.hpp"
#include "semantics/core/inclusions.hpp"

namespace lockstep {

struct CompileOptions {
  std::string kernel{};  ///< which one; may stay empty if the source has only one
  unsigned wg_size = 0;  ///< items of a group, up to 2^20; 0: what the kernel requires (reqd_work_group_size), else 32
  unsigned wg_pack = 0;  ///< groups that share vectors; no result depends on it; 0: what promises to be fastest
  std::vector<std::pair<std::string, std::string>> defines{};  ///< macros: {"REAL", "float"}
  std::vector<std::string> include_directories{};              ///< of with_inclusions, as -I
  /// Of __local parameters, how many elements they point to: {"tmp", 64}. Arguments are only given for the other parameters.
  std::vector<std::pair<std::string, std::uint64_t>> local_lengths{};
  bool streaming = false;   ///< whether arrays stay in the memory that they are loaded from (docs/compile.md)
  bool fp_contract = true;  ///< whether x*y + z is one operation, fma(x, y, z)
  unsigned level = 3;       ///< LLVM's optimisation level, 0 to 3
  /// Whether the lowering is proved first (docs/library.md). A counterexample is an error, and what is not known is no error.
  VerifyLevel verify = VerifyLevel::Off;
  LoweringProver* prover = nullptr;          ///< who proves: prove_lowering of codegen/gate/gate.hpp, which needs Z3
  std::chrono::seconds verify_timeout{600};  ///< of VerifyLevel::Full
  unsigned threads = 0;                      ///< of a call, at most; 0: as many as the machine has for this process
  bool cache = true;                         ///< whether compiled kernels are looked for, and kept, on disk
  std::string cache_directory{};  ///< empty: lockstep/ below $XDG_CACHE_HOME, or else below ~/.cache; without both there is no cache
  std::uint64_t cache_bytes = std::uint64_t{256} << 20;  ///< what the folder may hold; beyond, kernels unused for longest are removed
};

struct KernelParameter {
  std::string name;
  ScalarType type = ScalarType::Int;  ///< of the number, or of the array's elements
  bool is_pointer = false;
  bool is_const = false;     ///< declared const: the array is not written
  bool is_restrict = false;  ///< declared restrict: what is written of the array is met through no other parameter, and the other way round
  Footprint footprint;       ///< of an array: what is known of the elements that are touched
};

/// A kernel as machine code for this processor. Copies share the code, which goes with the last of them. Any number of threads may call
/// it at a time.
class CompiledKernel {
 public:
  struct Code;
  explicit CompiledKernel(std::shared_ptr<const Code> code) : code_(std::move(code)) {}

  /// Runs groups 0 to `groups` - 1, an argument for each parameter in their order. Packs of groups are shared among threads by OpenMP, and
  /// what is left in memory are the same bits however many there are. Errors, before anything has run, are a sentence: a wrong number of
  /// arguments, a wrong type, a null pointer or one that is not aligned to its elements, an array that is certainly too small, one in
  /// blocks for a parameter of which the kernel touches more than a block of each group, or two that share memory where one is restrict or
  /// their elements may not meet (arrays of one type may overlap anywhere). What cannot be known beforehand is not checked:
  /// indices that depend on data, or stand under a condition.
  std::expected<void, std::string> run(std::uint64_t groups, std::span<const KernelArgument> arguments) const;

  /// The same for arguments that are written in the call: kernel(10'000, a, b, 2.5).
  template <class... Arguments>
  std::expected<void, std::string> operator()(std::uint64_t groups, Arguments&&... arguments) const {
    const std::array<KernelArgument, sizeof...(Arguments)> all{KernelArgument(std::forward<Arguments>(arguments))...};
    return run(groups, all);
  }

  const std::string& name() const;
  unsigned wg_size() const;
  unsigned wg_pack() const;
  const std::vector<KernelParameter>& parameters() const;
  /// What is suspicious in the text, but allowed.
  const Diagnostics& warnings() const;
  /// What is known of its lowering: what came of this proof, or of an earlier one that was kept with the kernel.
  const LoweringVerdict& verdict() const;
  /// Whether it was found on disk.
  bool is_from_cache() const;

 private:
  std::shared_ptr<const Code> code_;
};

/// The text with all that it includes, which is what `compile` takes: its diagnostics are places there. At most one error.
core::Inclusion with_inclusions(const SourceFile& source, const CompileOptions& options = {});

/// A kernel of `source`, an OpenCL C text (docs/kernel-language.md), for this processor. On failure at least one error; those about the
/// options stand at the beginning of the text. render(source, errors) makes lines of them. A cache that cannot be read or written, or
/// holds anything but what was put there, costs time only. May be called by several threads, and processes, at a time.
std::expected<CompiledKernel, Diagnostics> compile(const SourceFile& source, const CompileOptions& options = {});

}  // namespace lockstep
