#pragma once
// Looking at a block of a PTX launch as people do: which fragment a thread belongs to, its registers, and what addresses name.

#include <cstdint>
#include <optional>
#include <string>

#include "interpreter/debug/kernel/value.hpp"
#include "interpreter/debug/ptx/run.hpp"

namespace lockstep {

/// A number of a PTX type, or of bits, as one of C's; a small float as a float. Of 128 bits, and of what has no number, none.
KernelValue value_of(ptx::Type type, const std::byte* bytes);

/// The type that PTX has for a buffer's elements.
ptx::Type ptx_type(ScalarType type);

/// A block as it is at the moment; it changes with the run. Lanes are threads of the block.
class PtxView {
 public:
  explicit PtxView(const PtxRun& run) : run_(&run) {}

  const PtxRun& run() const { return *run_; }
  const PtxProgram& program() const { return run_->program(); }
  const ptx_machine::Block& block() const { return run_->block(); }
  unsigned threads() const { return block().threads(); }
  unsigned warps() const { return (threads() + ptx_machine::warp_threads - 1) / ptx_machine::warp_threads; }
  /// Threads of a warp; the last one may have fewer.
  unsigned warp_size(unsigned warp) const { return std::min(ptx_machine::warp_threads, threads() - warp * ptx_machine::warp_threads); }

  /// The fragment that takes the next step; null if there is none.
  const ptx_machine::Fragment* next() const { return block().next_fragment(); }
  /// The fragment that the thread belongs to; null if it has ended.
  const ptx_machine::Fragment* fragment_of(unsigned lane) const;
  /// Whether the thread takes part in the next step.
  bool active(unsigned lane) const { return next() != nullptr && next()->lanes.contains(lane); }
  PtxProgram::Place place_of(const ptx_machine::Fragment& f) const { return program().place(f.function, f.pc); }

  /// The function at a level of a fragment's calls, the kernel being at 0.
  static std::uint32_t function_at(const ptx_machine::Fragment& f, std::size_t level) {
    return level < f.calls.size() ? f.calls[level].function : f.function;
  }
  /// Whether a register of a function has been written by the thread, in the innermost call of it at or below `level`.
  bool is_defined(unsigned lane, std::uint32_t function, std::uint32_t index, std::size_t level) const {
    const ptx_machine::Frame* frame = frame_of(lane, function, level);
    return frame != nullptr && (frame->defined(index)[lane / 64] >> (lane % 64) & 1U) != 0;
  }
  /// A register of a function, in the innermost call of it at or below `level`.
  KernelValue read(unsigned lane, std::uint32_t function, std::uint32_t index, ptx::Type type, std::size_t level) const;
  /// The number that a special register has; of a counter none.
  KernelValue special(ptx::Special special, unsigned lane) const;

  /// The object that a variable of a function, or of the module, is; null where the thread is not in that function.
  const ptx_machine::Object* variable(unsigned lane, std::uint32_t function, ptx::resolved::VariableRef variable, std::size_t level) const;
  const ptx_machine::Object& buffer(std::size_t number) const { return run_->memory().space[run_->memory().object_of_buffer(number)]; }
  /// What lies at a byte of an object, of the thread's copy.
  KernelValue element(const ptx_machine::Object& object, std::int64_t byte, ptx::Type type, unsigned lane) const;
  /// What lies at an address.
  KernelValue at_address(ptx::Space space, std::uint64_t address, ptx::Type type, unsigned lane) const;
  /// "out[3]" of an address that is accessed by `type`, "smem.f32[2]" where that is not the type that the object has, else "0x…".
  std::string address_text(ptx::Space space, std::uint64_t address, ptx::Type type) const;
  /// The type of an object's elements, where it has one.
  std::optional<ptx::Type> type_of(const ptx_machine::Object& object) const;

  /// An operand of the fragment's next instruction; none if it is not defined, or a counter.
  std::optional<std::uint64_t> operand(const ptx_machine::Fragment& f, const ptx_machine::Source& source, unsigned lane) const;

 private:
  /// The level of the innermost call of `function` that the thread is in, at or below `level`; none if it is in no such call.
  std::optional<std::size_t> level_of(unsigned lane, std::uint32_t function, std::size_t level) const;
  const ptx_machine::Frame* frame_of(unsigned lane, std::uint32_t function, std::size_t level) const {
    const auto depth = level_of(lane, function, level);
    return depth ? block().frame(*depth, function) : nullptr;
  }

  const PtxRun* run_;
};

/// "5", or "5 (1,1,0)" where a block has several dimensions.
std::string thread_text(const PtxView& view, unsigned lane);
/// "block 3", or "block (1,2,0)" where the grid has several dimensions.
std::string block_text(const PtxView& view, std::uint64_t block);
/// "threads {0-31}"
std::string threads_text(const LaneSet& set);

}  // namespace lockstep
