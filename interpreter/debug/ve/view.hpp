#pragma once
// Looking at a core of VE as people do: numbers in registers, and what addresses name.

#include <cstdint>
#include <string>
#include <string_view>

#include "interpreter/debug/kernel/value.hpp"
#include "interpreter/debug/ve/run.hpp"
#include "semantics/base/lane_set.hpp"

namespace lockstep {

/// As what the bits of a register, or of memory, are seen.
struct VeType {
  std::string_view name;
  ScalarType type = ScalarType::Long;
  unsigned shift = 0;  ///< where they begin in a register

  unsigned bytes() const { return size_of(type); }
};
/// Null if there is none of that name.
const VeType* ve_type_named(std::string_view name);
/// One that has that name.
const VeType& ve_type(std::string_view name);

/// A core as it is at the moment; it changes with the run. Lanes are elements.
class VeView {
 public:
  explicit VeView(const VeRun& run) : run_(&run) {}

  const VeRun& run() const { return *run_; }
  const ve_machine::State& state() const { return run_->machine().state; }

  /// The elements that the next instruction works on, if it is one on vectors: those of the vector length that its mask has.
  LaneSet active() const;

  static KernelValue value(const ve_machine::Word& word, const VeType& type);
  KernelValue scalar(unsigned number, const VeType& type) const { return value(state().scalars[number], type); }
  KernelValue element(unsigned number, unsigned element, const VeType& type) const;
  KernelValue mask_bit(unsigned number, unsigned element) const;
  KernelValue length() const;
  KernelValue at_address(std::uint64_t address, const VeType& type) const;
  /// The buffer at a position of the function's arguments has it, `index` elements from where the argument points.
  KernelValue buffer_element(std::size_t position, std::int64_t index, const VeType& type) const;

  /// "arg1[3]" where an element of so many bytes begins, or of any size if that is 0; "the stack+0x40"; or "0x…" where nothing lies there.
  std::string address_text(std::uint64_t address, unsigned bytes = 0) const;
  /// Whether an address lies in something, or right behind it.
  bool is_address(std::uint64_t address) const;
  /// The type of the buffer's elements at an address, if they have so many bytes; else `otherwise`.
  const VeType& type_at(std::uint64_t address, const VeType& otherwise) const;
  static const VeType& type_of(ScalarType element);

  /// "%vm1": its elements, those that are not defined left out.
  LaneSet mask(unsigned number) const;

 private:
  const launch::Buffer* buffer_at(std::uint64_t address) const;

  const VeRun* run_;
};

}  // namespace lockstep
