#pragma once
// Which of the instruction sets that lane kernels are compiled for (cmake/LockstepLibrary.cmake) this processor has.

namespace lockstep {

/// The levels of the x86-64 psABI that matter here, ascending. Other processors have the baseline alone.
enum class InstructionSet { Baseline, V3, V4 };

/// The highest level whose instructions the processor runs.
InstructionSet instruction_set();

}  // namespace lockstep
