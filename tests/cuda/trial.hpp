#pragma once
// Kernels as CUDA C++, compiled by clang and run on the PTX machine: what they leave, against the evaluator.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/emit/cuda/emit.hpp"
#include "semantics/base/argument.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/kernel.hpp"
#include "tests/unit/borg_call.hpp"

namespace lockstep::cuda_trial {

using test::put_number;

/// A kernel with what it is called with.
struct Trial {
  std::string name;  ///< also in the PTX
  infreg::Kernel kernel;
  std::vector<Argument> arguments;
  std::vector<infreg::Buffer> memory;  ///< BufferNumber i is the i-th
  std::uint64_t groups = 1;
  bool has_poison = false;  ///< which may be stored: `is_harmless`
  emit_cuda::Choices choices = {};
  emit_cuda::Emitted emitted = {};  ///< after emit_into()
};

/// What is wrong if the emitter refuses.
std::optional<std::string> emit_into(Trial& trial);

/// What went wrong: a sentence of the machine, or the first number that differs. Empty: nothing.
struct Wrong {
  std::string failure;
  std::string difference;

  bool is_none() const { return failure.empty() && difference.empty(); }
  std::string text() const { return failure + difference; }
};

/// Runs the kernel, which is part of the PTX, under three schedules. LOCKSTEP_PTX_CASES of the environment: a folder in which it is kept as
/// a case for ptx_hardware.
Wrong wrong_with(const Trial& trial, const std::string& ptx);

/// What the PTX machine says of code that is right: shared memory that nobody has written, which is poison in InfReg-IR and may be stored;
/// and bytes that clang packs into a register and does not look at again, one of them out of a register that nobody has written.
bool is_harmless(const std::string& failure);

/// Of a text that is right.
infreg::Kernel kernel_of(const std::string& text);

/// Kernels that were wrong once, or nearly: lanes that have to meet, stores into one cell, what the lanes that nobody asks send, and names;
/// each in groups of several sizes, and packs.
std::vector<Trial> directed_trials();

/// Every operation on numbers of every type, every conversion, and constants at the ends of the types.
std::vector<Trial> operation_trials();

/// Random InfReg-IR: reorderings of every kind, votes, shuffles, loops, objects and packs, in groups of less than a warp, of a warp, and of
/// more.
Trial random_trial(std::uint64_t seed);

/// Random kernels whose items hand rows to one another, and load and store them. Buffers begin at multiples of 16 bytes, or not.
Trial rows_trial(std::uint64_t seed);

/// Random kernels whose items load and store rows of all lengths, types and distances, forwards and backwards, under masks and control, of
/// buffers that may be one; and cells of them one by one.
Trial tiles_trial(std::uint64_t seed);

/// Of which an item copies a row, twice as large: `stride` elements behind that of the item before. `besides` stands in front.
infreg::Kernel copying(unsigned items, unsigned elements, int stride, const std::string& type, const std::string& besides = "");

/// Of examples/borg, with numbers of its own and little work an item.
Trial borg_trial(const std::string& name, const std::string& real, unsigned wg_size, unsigned wg_pack);

}  // namespace lockstep::cuda_trial
