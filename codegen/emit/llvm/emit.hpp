#pragma once
// The LLVM target: a kernel as plain LLVM IR, and as object code for whatever LLVM compiles for.
//
// The module of a kernel K defines either
//   void K(<the kernel's parameters>, size_t num_groups)
//     the entry point of docs/llvm.md: all groups, one after the other, on one thread; or, with EmitOptions::call_wrapper,
//   void K.call(const void* const* arguments, uint64_t first, uint64_t last, uint64_t num_groups)
//     groups first to last - 1 of num_groups: a name that nothing else in a process has, even if K is `memset`
// and, internal, K.range (groups first to last - 1), K.pack (one full pack) and K.one (one group: those beyond the last full pack).
// K and K.call set the floating-point control state of their thread and restore it: on x86 MXCSR (round to nearest, no FTZ, no DAZ, no
// traps), on AArch64 FPCR likewise, on RISC-V the rounding mode, which is all it has. Values that outgrow registers lie in scratch memory:
// on the stack up to 64 KiB, else on the heap; if there is none left the program ends with a line on standard error (perror, abort).

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>

#include "codegen/emit/llvm/target.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_llvm {

struct EmitOptions {
  Target target;                        ///< by default this host
  std::optional<unsigned> chunk_lanes;  ///< lanes of a chunk: a power of two up to 64; none: as many as fit a vector register
  unsigned most_ssa_chunks = 16;        ///< values with more chunks lie in memory, and loops work on them
  bool call_wrapper = false;            ///< K.call in place of K
  bool metadata = false;                ///< with the InfRegs' metadata (metadata.hpp); the program is the same
};

/// Why there is no code.
struct Failure {
  std::string sentence;
  bool is_llvms_own = false;  ///< LLVM went wrong: neither the kernel nor the target is to blame
};

/// LLVM's module of one kernel. Moving it is cheap; each has an LLVM context of its own, so that threads may work on different ones.
class Module {
 public:
  struct Impl;

  explicit Module(std::unique_ptr<Impl> impl);
  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;
  ~Module();

  /// The name of the kernel.
  const std::string& name() const;
  const Target& target() const;
  /// The module as LLVM's assembly language, as emitted: not optimised.
  std::string text() const;
  /// Object code, as the bytes of a file; level: LLVM's, 0 to 3. The module is optimised by it: text() is what was compiled from then on.
  std::expected<std::string, Failure> object(unsigned level);
  /// The same as assembly.
  std::expected<std::string, Failure> assembly(unsigned level);

 private:
  std::expected<std::string, Failure> compiled(unsigned level, bool assembly);

  std::unique_ptr<Impl> impl_;
};

/// The module of a verified kernel. Errors: a sentence about the target, the options, the kernel's name (wrong_symbol of names.hpp, unless
/// call_wrapper), or scratch memory beyond most_scratch_bytes.
std::expected<Module, std::string> emit(const infreg::Kernel& kernel, const EmitOptions& options = {});

/// What a pack may need of scratch memory: 1 GiB.
inline constexpr std::uint64_t most_scratch_bytes = std::uint64_t{1} << 30;

/// Whether the kernel in packs of `wg_pack` groups keeps to that, and its values to infreg::max_lanes. False for a wrong target.
bool fits(const infreg::Kernel& kernel, unsigned wg_pack, const Target& target);

/// How many lanes a chunk has by default (EmitOptions::chunk_lanes): as many of the kernel's widest element as a vector of `vector_bytes`
/// holds, and no more than the biggest value has in a pack of this shape.
unsigned chunk_lanes(const infreg::Kernel& kernel, infreg::Shape shape, unsigned vector_bytes);

}  // namespace lockstep::emit_llvm
