#pragma once
// A model of how long a core of VE 10B takes (docs/ve-model.md): it ranks variants of a program, and proves no speed. What is
// assumed of hardware stands in semantics/ve/cost_model.hpp.

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "semantics/ve/cost_model.hpp"
#include "semantics/ve/instruction.hpp"

namespace lockstep::ve_machine {

struct Machine;

namespace cost_model = ve::cost_model;

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
