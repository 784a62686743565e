#pragma once
// The AVX512 target: a kernel as C++ with vector intrinsics (docs/avx512.md), which any C++17 compiler for x86-64 builds.
//
// The source of a kernel K includes lockstep_avx512.h (support/), which is written beside it, and defines
//   extern "C" void K(<the kernel's parameters>, size_t num_groups)
//     all groups; packs run in parallel if it is compiled with OpenMP; and, with EmitOptions::call_wrapper, in its place
//   extern "C" void K_call(const void* const* arguments, uint64_t first, uint64_t last, uint64_t num_groups)
//     groups first to last - 1 of num_groups, one after the other; arguments[i] is the buffer itself, or points to the scalar.
// Both set the floating-point control state of their threads and restore it. Everything else is in an unnamed namespace, in one of the
// kernel's own, so that many kernels may stand in one file.

#include <cstdint>
#include <expected>
#include <string>

#include "codegen/emit/avx512/permute.hpp"
#include "semantics/infreg/kernel.hpp"

namespace lockstep::emit_avx512 {

/// Whether a call is made for data that is larger than the caches: then stores to buffers that are written only go past them, and matrices
/// are asked for before their turn comes.
enum class Nontemporal : std::uint8_t {
  Auto,  ///< if what the call loads and stores is larger than stream_from
  On,
  Off,
};
inline constexpr std::uint64_t stream_from = std::uint64_t{4} << 20;  ///< bytes

/// What lies side by side in vectors.
enum class LayoutChoice : std::uint8_t {
  Auto,    ///< groups if a pack has as many as a chunk has lanes, and pack.hpp says that it pays
  Rows,    ///< the items of a group, or an item's elements
  Groups,  ///< the groups of a pack, which has as many as a chunk has lanes
};

/// Whether quotients, reciprocals and roots of vectors of floats are rounded exactly, or near: made of the processor's approximations of 14
/// bits, off by less than 0.63 of the distance to the next number (lockstep_avx512.h has the bounds).
enum class Approx : std::uint8_t {
  None,
  Rcp14,
};

struct EmitOptions {
  std::string symbol;           ///< what the C++ functions are called; empty: as the kernel
  bool call_wrapper = false;    ///< K_call in place of K
  bool include_support = true;  ///< with the #include line; without it the file needs one above its first kernel
  LayoutChoice layout = LayoutChoice::Auto;
  unsigned chunk_lanes = 0;  ///< lanes of a chunk: 8 or 16; 0: 16 if no value wider than 32 bits has lanes that are data, else 8
  Nontemporal nontemporal = Nontemporal::Auto;
  Approx approx = Approx::None;
  Allowed forms;              ///< of reorderings in registers, for comparing them
  bool columns = true;        ///< rows may be turned into columns, where many reorderings take a column
  bool from_memory = true;    ///< lanes may be taken from the kernel's buffers, instead of from registers
  unsigned most_chunks = 16;  ///< values of up to so many chunks live in registers, and code for them is unrolled; others in memory
};

/// A kernel's C++.
struct Emitted {
  std::string source;   ///< of KERNEL.avx512.cpp
  std::string header;   ///< of KERNEL.avx512.h: declares K for C and C++
  std::string explain;  ///< a line for each choice that was made
};

/// How many lanes a chunk has by default (EmitOptions::chunk_lanes).
unsigned chunk_lanes(const infreg::Kernel& kernel);

/// Of a verified kernel. Errors: a sentence about the kernel's name or the memory that it needs.
std::expected<Emitted, std::string> emit(const infreg::Kernel& kernel, const EmitOptions& options = {});

}  // namespace lockstep::emit_avx512
