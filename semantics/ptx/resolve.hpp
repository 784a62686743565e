#pragma once
// A module made ready to run: registers have numbers, labels are indices of instructions, names are what they stand for.

#include <array>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/ptx/form.hpp"
#include "semantics/ptx/special.hpp"
#include "semantics/ptx/syntax.hpp"

namespace lockstep::ptx::resolved {

/// A register by its number in its function.
struct Register {
  std::uint32_t index = 0;
  bool negated = false;  ///< of a predicate that is read: `!%p1`

  bool operator==(const Register&) const = default;
};

/// A number in the operand's type: a float is rounded to it, an integer is cut to its bits. 128 bits: low and high.
struct Constant {
  std::array<std::uint64_t, 2> bits{};

  bool operator==(const Constant&) const = default;
};

/// A variable of the module (`Module::variables`) or of the function that is running (`Function::variables`).
struct VariableRef {
  bool local = false;
  std::uint32_t index = 0;

  bool operator==(const VariableRef&) const = default;
};

/// The address of a variable in its space, plus an offset in bytes.
struct AddressOf {
  VariableRef variable;
  std::int64_t offset = 0;

  bool operator==(const AddressOf&) const = default;
};

/// The address of a function of the module.
struct FunctionRef {
  std::uint32_t index = 0;

  bool operator==(const FunctionRef&) const = default;
};

/// What is left out, or `_`.
struct None {
  bool operator==(const None&) const = default;
};

using Value = std::variant<None, Register, Constant, Special, AddressOf, FunctionRef>;

/// `{a, b}`, or a vector register.
struct Vector {
  std::vector<Value> elements;

  bool operator==(const Vector&) const = default;
};

/// An address: base plus offset. The base is a Register, a Constant, or AddressOf (whose own offset is 0).
struct Address {
  Value base;
  std::int64_t offset = 0;

  bool operator==(const Address&) const = default;
};

using Operand = std::variant<None, Register, Constant, Special, AddressOf, FunctionRef, Vector, Address>;

/// A call's callee: a function of the module, or a register with the address of one; then `signature` says how it is called.
/// Arguments and results are variables of the function's .param space (AddressOf, of offset 0), registers or constants, one for each
/// parameter of the callee.
struct Call {
  std::variant<FunctionRef, Register> callee;
  std::vector<Value> results;
  std::vector<Value> arguments;
  std::shared_ptr<const Signature> signature;  ///< of a call through a register with a prototype
  std::vector<std::uint32_t> possible;         ///< of a call through a register with a list of targets: their indices
};

struct Guard {
  std::uint32_t predicate = 0;  ///< a register
  bool negated = false;
};

/// Operand i is what info(form).operands[i] says; the carry flag is a register here. Of a branch `targets` has one instruction, of an
/// indexed one as many as its list.
struct Instruction {
  std::optional<Guard> guard;
  Form form{};
  Modifiers modifiers;
  Types types;
  std::vector<Operand> operands;
  std::vector<std::uint32_t> targets;  ///< indices of instructions in the function's code; the code's size is its end
  std::shared_ptr<const Call> call;
  SourceSpan place;
  std::int32_t loc = -1;  ///< index in Function::locs of the .loc in force, or -1
};

/// Its number is its index.
struct RegisterInfo {
  std::string name;  ///< "%r5"; components of a vector register "%v.x"; the carry flag "%cc"
  Type type = Type::B32;

  std::uint32_t bytes() const { return bytes_of(type); }
};

/// A value of an initialiser at its byte.
struct InitialBytes {
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  /// A number in the variable's type, or an address; a mask of 0 is the whole of it, else one byte of it (0xff00: the second).
  struct Symbol {
    std::variant<AddressOf, FunctionRef> target;
    bool generic = false;
    std::uint64_t mask = 0;
    std::int64_t offset = 0;
  };
  std::variant<Constant, Symbol> value;
};

/// A variable in memory.
struct VariableInfo {
  std::string name;
  Space space = Space::Global;
  Type type = Type::B8;
  std::uint64_t bytes = 0;  ///< 0 if it is .extern without a size: dynamic shared memory, when it is shared
  std::uint64_t align = 1;  ///< in bytes, a power of two
  bool is_extern = false;   ///< declared here, defined elsewhere
  std::vector<InitialBytes> initial;
  bool zeroed = false;                            ///< the rest of its bytes are 0: .global and .const; else they are undefined
  std::optional<ptx::Variable::Pointer> pointer;  ///< of a parameter of a kernel
};

/// A parameter or result of a function: in .param space (a variable) or in registers (of .func only).
using Parameter = std::variant<VariableRef, Register>;

struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;  ///< has a body
  std::vector<RegisterInfo> registers;
  std::vector<VariableInfo> variables;  ///< its parameters and results in .param space, then those of its body in any space but .reg
  std::vector<Parameter> results;
  std::vector<Parameter> parameters;
  std::vector<Instruction> code;
  std::vector<Loc> locs;
  std::vector<PerformanceDirective> directives;
  bool noreturn = false;
  SourceSpan place;

  /// Whether the directive is there, and its numbers: "maxntid", "reqntid".
  const PerformanceDirective* directive(std::string_view word) const;
};

struct Module {
  std::vector<VariableInfo> variables;  ///< of the module's level
  std::vector<Function> functions;
  std::unordered_map<std::string, std::uint32_t> function_names;  ///< their indices; an alias is the function that it stands for
  std::vector<File> files;
  std::uint32_t address_size = 64;
  std::shared_ptr<const SourceFile> source;

  /// The kernel or function of this name; nullptr if there is none.
  const Function* function(std::string_view name) const;
};

}  // namespace lockstep::ptx::resolved

namespace lockstep::ptx {

/// What `module` means, or the errors that `check` finds in it. `source` is the text that its places are in.
std::expected<resolved::Module, Diagnostics> resolve(const Module& module, std::shared_ptr<const SourceFile> source);

}  // namespace lockstep::ptx
