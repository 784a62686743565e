#pragma once
// Arbitrary states of typed programs, with one instruction to be executed in them.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "semantics/prove/collect.hpp"
#include "semantics/prove/theorem.hpp"
#include "semantics/prove/theorems/states.hpp"
#include "semantics/prove/typed_instruction.hpp"

namespace lockstep::prove {

using TypedState = TypedSymbolic::State;

/// Elements of every array and object of an arbitrary state.
inline constexpr std::uint64_t elements = 2;

/// The bytes of the buffer where the instruction puns global memory (docs/typed-mus.md, "Bytes"): room for a number of every type at more
/// than one place, and for no whole number of any but the smallest.
inline constexpr std::uint64_t bytes_of_buffer = 9;

/// How functions are called: what the kernel, `f` and `v` take, and what `f` gives.
struct Signature {
  std::string parameters = "char a, char b";
  std::string result = "char";
  std::string returned = "a";  ///< by the last line of `f`
  std::string target = "c";    ///< the register that waits for it
};

/// An instruction, as it is written, and registers that its function has besides those of every function:
///   char a, b; T c, row[2]; global T* p    (any may point into any object, whatever its type says)
/// Objects and rows are of type T; where global memory is punned, the buffer is a row of bytes, as the tile of chars is anyway. A line that
/// names `@fixed` has an object of constant memory, too, of any content.
struct Line {
  std::string text;
  std::string registers = {};
  enum class Where {
    Anywhere,
    Void,    ///< in a function that returns nothing: the kernel, or another
    Called,  ///< in a function that returns something, not in the kernel
  };
  Where where = Where::Anywhere;
  ScalarType type = ScalarType::Char;  ///< T
  Signature signature = {};
};

/// The number 1 as a program writes it: "true", "1c", "1.0f".
std::string written_one(ScalarType type);

/// Whether a state of these sizes executes the instruction.
bool fits(const Line& line, const Case& c);

/// What a pointer of an arbitrary state is, if the condition holds: one of the cases.
struct PointsTo {
  Truth condition;
  std::uint32_t object = 0;
  Value element;
};

/// All of the state unknown, with stacks of the sizes of a case: Θ, β, Π, Λ, the frames of the calls, the objects. The instruction is the
/// kernel's where the case has no calls, else that of a function which the kernel, or itself, has called.
struct World {
  std::shared_ptr<const typed::Program> program;
  std::shared_ptr<LaunchMemory> memory;
  std::shared_ptr<TypedSymbolic> d;
  TypedState state;
  TypedInstruction instruction;

  /// Whether global memory is punned: pointers count bytes, and none leads to registers, which have none.
  bool has_bytes() const { return memory->objects[1].bytes; }
  unsigned width() const { return program->wg_size; }
  const typed::Function& function() const { return program->functions[state.bank.back().function]; }
  typed::RegisterId id(const std::string& name) const;
  /// Element `e` of a register of the present frame.
  const Cell& cell(const std::string& name, unsigned item, std::uint64_t e = 0) const;
  std::vector<PointsTo> cases_of(const std::string& name, unsigned item) const;
};

/// `again`: the entry on top of Π was pushed by this instruction, as where a loop comes back to its branch.
World arbitrary_world(const Case& c, const Line& line, bool again = false);

/// The objects that an arbitrary pointer may lead to: memory, an array of the present frame, and of the frame below.
/// Its cells for an item; empty for the null pointer and what is gone.
std::vector<const Cell*> cells_of(const World& world, std::uint32_t object, unsigned item);

/// Saved frames from the oldest, blocks and calls in the order in which they were entered, then the present one.
std::vector<Frame> typed_frames(const TypedState& s);
/// Inv of one frame, and of all.
Truth frame_invariant(const TypedState& s, const Frame& frame);
Truth typed_invariant(const TypedState& s);
/// Whether a char is `number`.
Truth equal_number(const Value& v, std::uint64_t number);

/// The same number, or pointers to one place.
Truth same_value(const Value& a, const Value& b);
/// The truth that both are uninitialised, both poison, or both the same value.
Truth same_cell(const Cell& a, const Cell& b);
/// All registers of all frames, and all objects.
Truth same_bank(const TypedState& a, const TypedState& b);
Truth same_objects(const LaunchMemory& a, const LaunchMemory& b);
/// Θ, Π, Λ, what calls remember, and pc.
Truth same_control(const TypedState& a, const TypedState& b);

/// No register of a frame, and no cell of an object, is poison.
Truth no_poison(const TypedState& s, const LaunchMemory& memory);

void show(Shown& shown, const World& world);

// ---- the rules ---------------------------------------------------------------------------------------------------------

/// Every candidate of the instruction, in order. A broken rule does not ask one of its premises.
std::vector<Candidate> candidates_of(const World& world, std::optional<Skipped> skipped = std::nullopt);

/// With MT, where the instruction asks for the item's number.
std::vector<Firing> firings(const World& world, const std::vector<Candidate>& candidates);
std::vector<Firing> firings(const World& world);

struct TypedSuccessor {
  musimd::Fired rule;
  Truth condition;
  TypedState state;
  LaunchMemory memory;
};
/// The successors whose condition is not constantly false; the two rules of a shuffle conclude as one.
std::vector<TypedSuccessor> step(const World& world);

/// The conclusion of a data instruction's rules, whether their premises hold or not: what the items of Θ compute in the world's state is
/// written onto `onto` and the world's memory.
void conclude_onto(const World& world, TypedState& onto);

/// 1 to 4 items. `full`: 0 to 3 saved frames, blocks and calls in every order, 0 to 3 entries in each frame's Π, all saved frames of one
/// depth; else up to two frames in turns, each with one entry, and up to two entries in the present one.
std::vector<Case> typed_cases(bool full);
/// 1 to `most` items without stacks, in a block, and in a call.
std::vector<Case> typed_data_cases(unsigned most = 4);

}  // namespace lockstep::prove
