#pragma once
// Arbitrary states and instructions, and what the theorems say about them.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "semantics/prove/symbolic.hpp"
#include "semantics/prove/theorem.hpp"

namespace lockstep::prove {

/// Variables of an arbitrary state; v0 is what instructions write, v1 is what copies and shuffles read.
inline constexpr unsigned variables = 3;

/// The kinds of instruction; an assignment's operand decides between CT, AS and BP.
enum class Kind { Stop, Jmp, Bz, JmpMask, Sync, Everywhere, EndEverywhere, AssignConstant, AssignCopy, AssignOperation, Ld, St, Shfl };

inline constexpr Kind all_kinds[] = {Kind::Stop,
                                     Kind::Jmp,
                                     Kind::Bz,
                                     Kind::JmpMask,
                                     Kind::Sync,
                                     Kind::Everywhere,
                                     Kind::EndEverywhere,
                                     Kind::AssignConstant,
                                     Kind::AssignCopy,
                                     Kind::AssignOperation,
                                     Kind::Ld,
                                     Kind::St,
                                     Kind::Shfl};
inline constexpr Kind data_kinds[] = {Kind::AssignConstant, Kind::AssignCopy, Kind::AssignOperation, Kind::Ld, Kind::St, Kind::Shfl};

/// "bz", "end_everywhere", "assign_copy".
std::string name(Kind kind);

/// An instruction of a kind with an arbitrary operand of one shape, and when a rule should apply to it in a given state: said
/// from the operands, in the terms of the paper, without the rules' code.
struct Subject {
  Instruction instruction;
  Truth applicable;
};

/// The subjects of a kind in state `s`: one for each shape that its operands may have.
std::vector<Subject> subjects(Kind kind, const Symbolic& d, const State& s);

/// The rules that candidates stand for, and where each fires: those that they are, IT and TL if they are under them, and MV, MM and BP of
/// their operands. None that cannot fire by its form, as CT of an operation.
std::vector<Firing> firings(const std::vector<Candidate>& candidates);
void append(std::vector<Firing>& fires, std::vector<Firing> more);
/// Where `assumed` holds.
std::vector<Firing> where(const Truth& assumed, std::vector<Firing> fires);
Rules rules_of(const std::vector<Firing>& fires);
/// Those of instructions, in states with and without stacks.
Rules rules_of(const std::function<std::vector<Subject>(const Symbolic&, const State&)>& subjects);
/// Those of a kind, whatever its operand.
Rules rules_of(Kind kind);

/// Any value in each thread: a number, poison, or undefined by an uninitialised variable or a division by zero; constants are
/// one number, copies are never divisions by zero.
Symbolic::Operand arbitrary_operand(const Symbolic& d, Symbolic::Shape shape, const std::string& name);

/// All of the state unknown, with stacks of the sizes of `c`. Nothing is assumed: Inv is a hypothesis of its own.
State arbitrary_state(const Symbolic& d, const Case& c);

/// Whether a candidate applies; whether no two do.
Truth any(const std::vector<Candidate>& candidates);
Truth at_most_one(const std::vector<Candidate>& candidates);
/// Where a shuffle is defined, each thread of Θ takes one of SV and SI.shfl, and no other thread takes any.
Truth each_thread_one(const ThreadSet& active, const Truth& applicable, const std::vector<Candidate>& candidates);

/// A frame's Θ (or saved mask) and its part of State::sync.
struct Frame {
  ThreadSet mask;
  std::size_t begin = 0;
  std::size_t end = 0;
};
/// Saved frames from the oldest, then the present one.
std::vector<Frame> frames(const State& s);

/// Inv of one frame: its Θ is not empty; Θ and all done and todo sets of its Π are pairwise disjoint.
Truth invariant(const State& s, const Frame& frame);
/// Inv of the present frame and of every saved frame with its mask.
Truth invariant(const State& s);

/// Every cell of β is the same in both, and so is Σ at an arbitrary address.
Truth same_data(const State& a, const State& b);
/// Θ, Π and Λ are the same; the numbers of entries must be equal or the answer is false.
Truth same_control(const State& a, const State& b);

/// What a counterexample prints of a state.
void show(Shown& shown, const std::string& title, const State& s);

/// All sizes of the given stack depths: 1 to 4 threads, Λ up to 3 and Π up to 3 deep.
std::vector<Case> stack_cases(bool full);
/// 1 to 4 threads without stacks, and with one saved frame.
std::vector<Case> data_cases();

}  // namespace lockstep::prove
