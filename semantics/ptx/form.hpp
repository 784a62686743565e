#pragma once
// The instructions of PTX as data. The table is forms.def.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "semantics/ptx/modifiers.hpp"
#include "semantics/ptx/types.hpp"

namespace lockstep::ptx {

enum class Form : std::uint16_t {
#define COMPUTE(id, mnemonic, modifiers, types, operands, function, specified, sentence) id,
#define RULE(id, mnemonic, modifiers, types, operands, kind, sentence) id,
#define REFUSED(id, mnemonic, modifiers, types, operands, sentence) id,
#include "semantics/ptx/forms.def"
};

/// Whose rule an instruction is.
enum class Kind : std::uint8_t {
  Compute,         ///< a function of the operands of each thread by itself
  Move,            ///< mov
  ConvertAddress,  ///< cvta
  IsSpace,
  Load,
  Store,
  Atomic,  ///< atom and red
  Fence,
  Branch,
  IndexedBranch,
  Call,
  Return,
  Exit,
  Trap,
  BarrierSync,
  BarrierArrive,
  BarrierReduce,
  WarpBarrier,
  Shuffle,
  Vote,
  Match,
  ActiveMask,
  Redux,
  Elect,
  Nothing,  ///< runs, and has no effect
  Refused,  ///< is read, and does not run
};

/// When PTX says what an instruction's result is.
enum class Specified : std::uint8_t {
  Always,
  Never,           ///< an approximation; here it is correctly rounded
  IfRounded,       ///< with a rounding modifier; without one it may be contracted with its neighbours, here it is not
  DivisorNotZero,  ///< where the last operand is not 0
};

/// One place for a modifier.
struct ModifierSlot {
  std::vector<Modifier> words;  ///< one of them
  std::string_view shown;       ///< what stands in the form's name; if it is empty, the word itself
  bool optional = false;
  bool hint = false;  ///< does not change what is computed, and is no part of the form's name
};

/// One place for a type.
struct TypeSlot {
  std::vector<Type> types;                ///< one of them
  std::optional<std::string_view> shown;  ///< what stands in the form's name ("" for nothing); without it, the type itself
};

enum class OperandRole : std::uint8_t {
  Written,    ///< a register, or what stands for a vector of them
  Read,       ///< a register, a number, …
  Address,    ///< [a+4]
  Number,     ///< has to be a number
  Predicate,  ///< read, and may be negated
  Label,
  Callee,
  Targets,  ///< the name of a .branchtargets
  FlagIn,   ///< the carry flag; it is not written out
  FlagOut,
  Rest,  ///< any further operands
};

/// What an operand's type is.
struct OperandType {
  enum class Source : std::uint8_t { None, Slot, TwiceSlot, Fixed };
  Source source = Source::None;
  std::uint8_t slot = 0;
  Type fixed = Type::B32;
};

/// What of an operand may be undefined, so that the instruction copies that: what comes of it in the result is undefined as well.
enum class Undefined : std::uint8_t {
  Nothing,
  Bytes,       ///< but not all of them; each bit of the result depends on one bit of the operand at most
  Everything,  ///< likewise
  Half,        ///< one of two halves, which are computed each by itself
};

/// One operand of a row.
struct OperandShape {
  OperandRole role = OperandRole::Read;
  OperandType type;
  bool optional = false;
  bool behind_bar = false;  ///< `d|p`
  bool vector = false;      ///< as many elements as the vector modifier says, in braces
  bool packed = false;      ///< may be elements in braces that together have the type's width
  bool wider = false;       ///< may be a register wider than the type
  bool minus = false;       ///< of Rest: a register may have a minus
  Undefined undefined = Undefined::Nothing;
};

/// One row of forms.def. The texts are as they stand there.
struct FormInfo {
  Form form{};
  std::string_view id;  ///< "AddInteger"
  std::string_view mnemonic;
  std::string_view modifiers_text;
  std::string_view types_text;
  std::string_view operands_text;
  Kind kind = Kind::Compute;
  std::string_view function;  ///< of Kind::Compute
  Specified specified = Specified::Always;
  std::string_view sentence;

  std::vector<ModifierSlot> modifiers;
  std::size_t types_behind = 0;              ///< so many slots of modifiers stand in front of the types
  std::vector<std::vector<TypeSlot>> types;  ///< alternatives; one empty list if there are no types
  std::vector<OperandShape> operands;

  bool runs() const { return kind != Kind::Refused; }
};

/// All rows, in the order of the table. A row that cannot be read is an InternalError.
std::span<const FormInfo> forms();

/// The row of `form`. O(1).
const FormInfo& info(Form form);

/// The rows of a mnemonic, in the order of the table; empty if there is none.
std::span<const FormInfo* const> forms_of(std::string_view mnemonic);

/// All mnemonics, each once, in the order of the table.
std::span<const std::string_view> mnemonics();

/// The type of an operand of an instruction with these types; none of a label, an address and the like.
std::optional<Type> type_of(const OperandShape& shape, const Types& types);

/// The form by the modifiers that change the meaning and the classes of its types: "ld.global.v", "setp.cmp.and.i", "mul.rn.f32".
std::string name_of(Form form, const Modifiers& modifiers, const Types& types);

}  // namespace lockstep::ptx
