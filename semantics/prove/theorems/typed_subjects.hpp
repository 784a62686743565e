#pragma once
// Instructions of typed programs, as they are written, and when one of their rules should apply: said from the operands, in the words of
// docs/typed-mus.md and docs/kernel-language.md, without the rules' code and without the domain's evaluation.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "semantics/prove/theorems/typed_states.hpp"

namespace lockstep::prove {

enum class TypedKind {
  Stop,
  Jmp,
  Bz,
  JmpMask,
  Sync,
  Everywhere,
  EndEverywhere,
  Move,
  Drop,
  Fetch,
  Put,
  Change,
  Shfl,
  Exchange,
  Poll,
  Enter,
  Leave,
  Wait
};

inline constexpr TypedKind typed_kinds[] = {
    TypedKind::Stop,          TypedKind::Jmp,      TypedKind::Bz,   TypedKind::JmpMask, TypedKind::Sync,  TypedKind::Everywhere,
    TypedKind::EndEverywhere, TypedKind::Move,     TypedKind::Drop, TypedKind::Fetch,   TypedKind::Put,   TypedKind::Change,
    TypedKind::Shfl,          TypedKind::Exchange, TypedKind::Poll, TypedKind::Enter,   TypedKind::Leave, TypedKind::Wait};
inline constexpr TypedKind typed_data_kinds[] = {TypedKind::Move,   TypedKind::Drop, TypedKind::Fetch,    TypedKind::Put,
                                                 TypedKind::Change, TypedKind::Shfl, TypedKind::Exchange, TypedKind::Poll};

/// "typed.bz", "typed.put".
std::string name(TypedKind kind);
/// The states in which the instructions of a kind are executed. Those that follow pointers make hard questions: a normal run takes 1 and 2
/// items, `full` 1 to 4.
std::vector<Case> cases_of(TypedKind kind, bool full);

/// What an operand is in an item, if it is active. `fails`: it is undefined, or reads what is uninitialised.
struct Reading {
  Value value;
  Truth fails{false};
  Truth poison{false};
};
using Operand = std::function<Reading(const World&, unsigned item)>;

/// When a rule should apply.
struct Expected {
  bool not_stuck = true;  ///< the stacks are as the instruction wants them
  Truth defined{true};
  std::vector<Truth> chosen = {};  ///< of an instruction's rules, in order: where it is this one that applies, if one does
};

/// Where a store goes, or a load comes from, if `here` holds: cells of an object, as cells_of gives them.
struct Spot {
  Truth here;
  std::uint32_t object = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 1;
  bool bytes = false;  ///< they are a number's bytes
};
using Spots = std::function<std::vector<Spot>(const World&, unsigned item)>;

struct TypedSubject {
  Line line;
  std::function<Expected(const World&)> expected;
  Operand result = {};                  ///< of instructions that compute one for each item: what it is
  Operand index = {};                   ///< of those that write it to an element of an array: which one
  Spots spots = {};                     ///< of stores: where to
  std::vector<Operand> arguments = {};  ///< of calls
};

/// What a wrong reading of the pages takes memory of bytes for.
enum class Slip {
  None,
  Misaligned,     ///< any place in the object will do
  PartlyOutside,  ///< it is enough that the first byte lies in the object
  PartlyWritten,  ///< it is enough that the first byte has been written
  PartlyPoison,   ///< it is the first byte alone that makes a number poison
};

/// A register of the present frame, which may be poison or uninitialised.
Operand register_named(const std::string& name);
/// Of integers a division by 0 is undefined, and a quotient that its type does not hold.
Truth has_no_quotient(ScalarType type, const Value& a, const Value& b);
/// An instruction that needs no more than that its operands can be evaluated.
TypedSubject plain(const Line& line, const std::vector<Operand>& operands, Operand result = {});
/// `p[i]`, of a pointer and an integer in registers: an element of its object. `bytes`: `(as.global.T(p))[i]`, an element of that type
/// where there are bytes.
Spots spots_of(const std::string& pointer, const std::string& index, std::optional<ScalarType> bytes = std::nullopt,
               Slip slip = Slip::None);
/// Byte `k` of a number.
Value byte_of(const Value& number, unsigned k);
/// Whether what two items write differs nowhere where they write to one cell.
Truth same_where_they_meet(const World& world, const TypedSubject& a, unsigned item, const TypedSubject& b, unsigned other);
/// Whether there is a cell of memory in both places.
Truth meet(const World& world, const Spots& a, unsigned item, const Spots& b, unsigned other);

/// The instructions of a kind: with an operand of each shape.
std::vector<TypedSubject> typed_subjects(TypedKind kind);
/// All of a state of these sizes with an instruction of a kind to be executed, for each that fits; of `bz` also where a loop comes back to
/// it.
std::vector<World> typed_worlds(TypedKind kind, const Case& c);
/// The rules that speak of instructions, as of untyped ones.
Rules rules_of(const std::vector<TypedSubject>& subjects);
Rules rules_of(TypedKind kind);
/// Branches and votes on a register of each type.
std::vector<TypedSubject> typed_conditions();

/// Instructions on one type.
struct TypedGroup {
  enum class What {
    Values,       ///< copies, elements, shuffles, loads and stores
    Operations,   ///< `x = …` for each operation of the language
    Conversions,  ///< `x = T(a)` to all other types
    Bitcasts,     ///< `x = as.T(a)` to all types of the same size
    Pointers,     ///< moved, subtracted and compared, of elements and of bytes
    Bytes,        ///< loads and stores through reinterpreted pointers
    Lanes,        ///< lanes of `jmp_mask`, `shfl` and `shfl.active`
    Calls,        ///< arguments and results: numbers, and pointers to them in constant memory
  };
  What what = What::Values;
  ScalarType type = ScalarType::Int;
};
std::vector<TypedGroup> typed_groups();
/// "typed.operations.int"
std::string name(const TypedGroup& group);
std::vector<TypedSubject> typed_subjects(const TypedGroup& group);
/// Loads and stores of bytes, as a reading of the pages has it, at an index of type char.
/// `far`: at an index of type long, too, which may be too large for any object.
std::vector<TypedSubject> typed_bytes(ScalarType type, Slip slip, bool far);
std::vector<TypedSubject> typed_values(ScalarType type);
std::vector<TypedSubject> typed_calls(ScalarType type);

/// The truth that `f(t)` holds for all items of Θ.
Truth for_active(const World& world, const std::function<Truth(unsigned)>& f);
/// What a shuffle of `source` gives an item that names a lane of this type. `active`: over Θ, else over the mask on top of Λ.
Operand shuffled(bool active, const std::string& source, const Operand& lane, ScalarType type);
TypedSubject mask_jump(const Line& line, const Operand& lane, ScalarType type);

}  // namespace lockstep::prove
