#pragma once
// PTX as it is written: a module, its variables and functions, and their statements in order. What names mean is resolve.hpp's.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "semantics/base/source.hpp"
#include "semantics/ptx/form.hpp"

namespace lockstep::ptx {

/// Where a node stands. It is no part of what the node is: all places are equal, so that trees of different texts can be compared.
struct Place : SourceSpan {
  Place() = default;
  Place(SourceSpan span) : SourceSpan(span) {}  // NOLINT(google-explicit-constructor): a place is a span
  bool operator==(const Place&) const { return true; }
};

/// A number as it is written, computed if it is an expression.
struct Number {
  enum class Kind : std::uint8_t {
    Signed,    ///< bits is an .s64
    Unsigned,  ///< bits is a .u64
    Single,    ///< bits is an .f32: 0f3F800000
    Double,    ///< bits is an .f64: 0d3FF0000000000000, 1.5
  };
  Kind kind = Kind::Signed;
  std::uint64_t bits = 0;

  bool operator==(const Number&) const = default;
};

/// A register, a special register, a variable, a label or a function; `text` has the component too: "%tid.x".
struct Name {
  std::string text;
  bool negated = false;                                 ///< `!%p1`
  bool minus = false;                                   ///< `-%r1`
  std::int64_t offset = 0;                              ///< `table+8`
  std::optional<std::uint64_t> element = std::nullopt;  ///< `table[2]`
  Place place{};

  bool operator==(const Name&) const = default;
};

/// A number as an operand.
struct Immediate {
  Number number;
  Place place;

  bool operator==(const Immediate&) const = default;
};

/// `_`: an operand that is not wanted.
struct Sink {
  Place place;

  bool operator==(const Sink&) const = default;
};

using Scalar = std::variant<Name, Immediate, Sink>;

/// `{%r1, %r2}`
struct Vector {
  std::vector<Scalar> elements;
  Place place;

  bool operator==(const Vector&) const = default;
};

/// `[%rd1+8]`; of further operands in the brackets (`[tex, {x, y}]`), `more`.
struct Address {
  std::variant<Name, Immediate> base;  ///< a name's offset is the address's
  std::vector<std::variant<Scalar, Vector>> more;
  Place place;

  bool operator==(const Address&) const = default;
};

/// What a call has: `(results), callee, (arguments), prototype`.
struct CallOperand {
  std::vector<Scalar> results;
  Name callee;  ///< a function, or, with a prototype or a list of targets, a register
  std::vector<Scalar> arguments;
  std::optional<Name> prototype;  ///< or a list of targets
  Place place;

  bool operator==(const CallOperand&) const = default;
};

/// An operand that is left out is none at its place, so that operand i is what info(form).operands[i] says. The carry flag has no place.
struct Absent {
  bool operator==(const Absent&) const = default;
};

using Operand = std::variant<Absent, Name, Immediate, Sink, Vector, Address, CallOperand>;

/// `@%p1` or `@!%p1`.
struct Guard {
  Name predicate;  ///< negated is whether it has a `!`

  bool operator==(const Guard&) const = default;
};

struct Instruction {
  std::optional<Guard> guard;
  Form form{};
  Modifiers modifiers;
  Types types;
  std::vector<Operand> operands;
  Place place;           ///< of the whole instruction
  Place mnemonic_place;  ///< of the mnemonic with its modifiers

  bool operator==(const Instruction&) const = default;
};

struct Label {
  std::string name;
  Place place;

  bool operator==(const Label&) const = default;
};

/// The address of a symbol in an initialiser: `generic(table)+8`, `mask(symbol, 0xff)`.
struct SymbolValue {
  std::string name;
  std::int64_t offset = 0;
  bool generic = false;
  std::optional<std::uint64_t> mask;  ///< 0xff, 0xff00, …: which byte of the address
  Place place;

  bool operator==(const SymbolValue&) const = default;
};

using InitialValue = std::variant<Number, SymbolValue>;

/// `= {1, 2, {3}}`. Nested braces are flattened: each value has the element that it is for.
struct Initialiser {
  struct Item {
    std::uint64_t element = 0;
    InitialValue value;
    bool operator==(const Item&) const = default;
  };
  std::vector<Item> items;  ///< by rising element

  bool operator==(const Initialiser&) const = default;
};

enum class Linkage : std::uint8_t { None, Visible, Extern, Weak, Common };

/// A variable in any space, registers and parameters too.
struct Variable {
  Linkage linkage = Linkage::None;
  Space space = Space::Reg;
  std::uint32_t bank = 0;              ///< .const[2]
  std::optional<std::uint32_t> align;  ///< in bytes
  std::uint32_t vector = 1;            ///< 2, 4 or 8 with .v2, .v4, .v8
  Type type = Type::B32;
  std::string name;
  std::optional<std::uint32_t> range;     ///< of `%r<5>`: 5 registers
  std::vector<std::uint64_t> dimensions;  ///< `[2][3]`; 0 is one that is not said
  std::optional<Initialiser> initialiser;
  /// Of a parameter: `.ptr .global .align 8`; align 0 is one that is not said.
  struct Pointer {
    Space space = Space::Generic;
    std::uint32_t align = 0;
    bool operator==(const Pointer&) const = default;
  };
  std::optional<Pointer> pointer;
  std::vector<std::string> attributes;  ///< `.attribute(.managed)`: "managed", "unified(1,2)"
  Place place;                          ///< of the name

  bool operator==(const Variable&) const = default;
};

/// `.loc 1 20 3, function_name $L__info, inlined_at 1 5 2`
struct Loc {
  std::uint64_t file = 0;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  struct Inlined {
    std::optional<std::string> function;  ///< a label in .debug_str
    std::int64_t function_offset = 0;
    std::uint64_t file = 0;
    std::uint64_t line = 0;
    std::uint64_t column = 0;
    bool operator==(const Inlined&) const = default;
  };
  std::optional<Inlined> inlined_at;
  std::vector<std::string> flags;  ///< what follows: "prologue_end"
  Place place;

  bool operator==(const Loc&) const = default;
};

struct Pragma {
  std::vector<std::string> texts;
  Place place;

  bool operator==(const Pragma&) const = default;
};

/// `label: .branchtargets L0, L1;` and `.calltargets f, g;`
struct TargetList {
  std::string name;
  bool calls = false;
  std::vector<Name> targets;
  Place place;

  bool operator==(const TargetList&) const = default;
};

/// Results and parameters of a function, as in its head and in a prototype.
struct Signature {
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  bool noreturn = false;

  bool operator==(const Signature&) const = default;
};

/// `name: .callprototype (.param .b32 _) _ (.param .b64 _);`
struct Prototype {
  std::string name;
  Signature signature;
  Place place;

  bool operator==(const Prototype&) const = default;
};

/// `{` and `}` in a function's body.
struct BlockBegin {
  Place place;
  bool operator==(const BlockBegin&) const = default;
};
struct BlockEnd {
  Place place;
  bool operator==(const BlockEnd&) const = default;
};

using Statement = std::variant<Instruction, Label, Variable, Loc, Pragma, TargetList, Prototype, BlockBegin, BlockEnd>;

/// `.maxntid 128, 1, 1` and the like: the word without its dot, and its numbers.
struct PerformanceDirective {
  std::string word;
  std::vector<std::uint64_t> numbers;
  Place place;

  bool operator==(const PerformanceDirective&) const = default;
};

/// A kernel or a function.
struct Function {
  Linkage linkage = Linkage::None;
  bool entry = false;
  std::string name;
  Signature signature;
  std::vector<PerformanceDirective> directives;
  std::vector<std::string> attributes;
  bool has_body = false;        ///< else it is declared only
  std::vector<Statement> body;  ///< blocks are flat: BlockBegin and BlockEnd stand in pairs
  Place place;                  ///< of the name

  bool operator==(const Function&) const = default;
};

/// `.file 1 "kernel.cu"`
struct File {
  std::uint64_t number = 0;
  std::string name;
  std::vector<std::uint64_t> more;  ///< time and size, where they are given
  Place place;

  bool operator==(const File&) const = default;
};

/// `.alias name, aliasee;`
struct Alias {
  Name name;
  Name aliasee;

  bool operator==(const Alias&) const = default;
};

using Item = std::variant<Variable, Function, File, Pragma, Alias>;

struct Module {
  std::uint32_t major = 0;  ///< .version 8.5
  std::uint32_t minor = 0;
  std::vector<std::string> target;  ///< "sm_70", "debug"
  std::uint32_t address_size = 64;  ///< 32 or 64
  Place address_size_place;
  std::vector<Item> items;  ///< in the order of the text; sections of debugging information are left out

  bool operator==(const Module&) const = default;
};

}  // namespace lockstep::ptx
