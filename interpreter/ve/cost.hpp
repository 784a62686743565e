#pragma once
// A model of how long a core of VE 10B takes (docs/ve-model.md): it ranks variants of a program, and proves no speed. All that is assumed
// of hardware stands here.

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "semantics/ve/instruction.hpp"

namespace lockstep::ve_machine {

struct Machine;

namespace cost_model {

inline constexpr double clock = 1.4e9;                       ///< cycles a second
inline constexpr unsigned lanes = 32;                        ///< of a pipe: a full vector takes it 8 cycles
inline constexpr double float_pipes = 3;                     ///< additions, products, fused ones
inline constexpr double integer_pipes = 2;                   ///< integers, moves, masks
inline constexpr double divide_pipes = 1;                    ///< quotients and square roots
inline constexpr double cached_bytes = 400e9 / clock;        ///< a cycle, between a core and the last-level cache
inline constexpr double memory_bytes = 1.22e12 / 8 / clock;  ///< a cycle, between memory and a core, if all eight take as much
inline constexpr unsigned line = 128;                        ///< bytes that come from memory together
inline constexpr double steps = 4;                           ///< instructions that begin in a cycle
inline constexpr double vector_steps = 1;                    ///< of them on vectors
inline constexpr double length_change = 1;                   ///< cycles for another vector length
inline constexpr double gather_element = 0.2;                ///< cycles for an element that lies anywhere; see the page
/// Cycles until the next instruction can have a result, of a scalar and of the first elements of a vector.
inline constexpr double scalar_latency = 1;
inline constexpr double vector_latency = 8;
inline constexpr double divide_latency = 32;
inline constexpr double load_latency = 100;

}  // namespace cost_model

/// What the time is at least, for each reason, in cycles.
struct Cycles {
  enum class Bound : std::uint8_t { Steps, VectorSteps, Floats, Integers, Quotients, Cache, Memory, Chain };
  static constexpr std::size_t bounds = 8;
  std::array<double, bounds> least{};
  double lengths = 0;  ///< for changes of the vector length, beside all others

  double operator[](Bound bound) const { return least[static_cast<std::size_t>(bound)]; }
  Bound largest() const;
  /// The largest of them, and the changes.
  double total() const;
};

/// "memory"
std::string_view name_of(Cycles::Bound bound);

class Cost {
 public:
  /// In front of an instruction that is about to be executed.
  void add(Machine& machine, const ve::Instruction& instruction);
  Cycles cycles() const;

 private:
  /// Lines of an object that have been read and written.
  struct Lines {
    std::vector<bool> read;
    std::vector<bool> written;
  };
  template <class AddressOf>
  void touch(Machine& machine, unsigned length, bool writes, AddressOf address_of);
  void access(Machine& machine, const ve::Instruction& instruction, unsigned length, bool is_strided, bool writes);
  double& ready(const ve::Operand& operand);
  void follow(Machine& machine, const ve::Instruction& instruction, double latency, double busy);

  std::uint64_t steps_ = 0;
  std::uint64_t vector_steps_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t last_length_ = 0;
  double floats_ = 0;
  double integers_ = 0;
  double quotients_ = 0;
  double cache_ = 0;
  std::uint64_t lines_ = 0;
  std::unordered_map<std::uint32_t, Lines> touched_;
  /// When a register has its first element, on the longest way through what depends on one another.
  std::array<double, ve::scalar_registers> scalars_{};
  std::array<double, ve::vector_registers> vectors_{};
  std::array<double, ve::mask_registers> masks_{};
  std::unordered_map<std::uint64_t, double> stored_;  ///< by where a vector begins
  double chain_ = 0;
  double nothing_ = 0;
};

}  // namespace lockstep::ve_machine
