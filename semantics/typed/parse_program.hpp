#pragma once
// Puts the parts of a typed text together: ties names to what they name, and checks types, places, arguments and targets.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::typed {

/// A name in the text, without its "$".
struct NameToken {
  std::string_view text;
  SourceSpan span;
};

/// What a declaration says before the name.
struct RegisterKind {
  ValueType type;
  bool uniform = false;
  bool temporary = false;
  bool written = false;
};

/// The name and what is behind it.
struct Declarator {
  NameToken name;
  std::vector<std::uint64_t> extents;
  SourceSpan extents_span;
  std::optional<NameToken> variable;
};

/// A label's name or an instruction's number.
struct TargetToken {
  NameToken label;  ///< empty for a number
  std::uint64_t number = 0;
  SourceSpan span;
};

/// Builds a program from its parts in the order of the text. What is wrong with a part ends in a Refused error (program_text.hpp), or,
/// where only the whole text can tell, in the result of `finish`. After `declaration_lost` nothing is said of names that may have been
/// declared there.
class ProgramBuilder {
 public:
  void wg_size(std::uint64_t value, SourceSpan span);
  void object(AddressSpace space, ScalarType element, const Declarator& declarator, SourceSpan span);
  void object_value(ScalarType type, std::uint64_t bits, SourceSpan span);
  void object_end();  ///< no more values of the last __constant object

  void function(bool kernel, NameToken name, std::optional<ValueType> result, SourceSpan span);
  void parameter(const RegisterKind& kind, const Declarator& declarator);
  void declare(const RegisterKind& kind, const Declarator& declarator);
  void declaration_lost() { lost_ = true; }
  void function_lost(SourceSpan span);  ///< a function begins here, of which nothing is known

  RegisterId find_register(NameToken name) const;
  const RegisterInfo& register_info(RegisterId id) const { return program_.functions.back().registers[id]; }
  ObjectId find_object(NameToken name) const;
  const Object& object_info(ObjectId id) const { return program_.objects[id]; }
  /// A register that is no array.
  RegisterId find_single(NameToken name) const;
  Place place(NameToken name, std::optional<Expr> index) const;

  void label(NameToken name);
  void require_function(SourceSpan span) const;  ///< an instruction is about to be read

  void branch(Expr condition, const TargetToken& target, SourceSpan span);
  void jump(const TargetToken& target, SourceSpan span);
  void jump_mask(Expr thread, const TargetToken& target, SourceSpan span);
  void assign(Place place, Expr value, SourceSpan span);
  void forget(NameToken name, SourceSpan span);
  void load(Place place, Expr base, Expr index, SourceSpan span);
  void store(Expr base, Expr index, Expr value, SourceSpan span);
  void shuffle(const Place& place, NameToken source, Expr lane, bool active, SourceSpan span);
  /// `operands`: base, index and one or two values.
  void atomic(AtomicOp op, const std::optional<Place>& place, std::vector<Expr> operands, SourceSpan span);
  void vote(VoteKind kind, const Place& place, Expr value, SourceSpan span);
  void call(NameToken function, std::vector<Expr> arguments, const std::optional<Place>& place, SourceSpan span);
  void return_value(std::optional<Expr> value, SourceSpan span);
  void plain(Instruction instruction, SourceSpan span) { add(std::move(instruction), span); }

  /// The program, and what is wrong with the whole (appended to `errors`). With `complete` false the text was not read to its end.
  Program finish(bool complete, Diagnostics& errors);

 private:
  struct PendingTarget {
    std::size_t instruction;
    FunctionId function;
    TargetToken target;
  };
  struct PendingCall {
    std::size_t instruction;
    FunctionId caller;
    NameToken function;
    std::optional<SourceSpan> result;
  };
  using Names = std::unordered_map<std::string_view, std::uint32_t>;

  Function& current() { return program_.functions.back(); }
  void add(Instruction instruction, SourceSpan span) { program_.code.push_back({std::move(instruction), span}); }
  void add_jump(Instruction instruction, const TargetToken& target, SourceSpan span);
  void add_register(const RegisterKind& kind, const Declarator& declarator);
  void end_function(Diagnostics& errors) const;
  static void check_cell(const Expr& base, const Expr& index);
  static void check_value(const std::string& what, const ValueType& wanted, const Expr& value);
  void resolve_targets(bool complete, Diagnostics& errors);
  void resolve_calls(bool complete, Diagnostics& errors);
  void check_call(const Call& call, const PendingCall& pending, Diagnostics& errors) const;

  Program program_;
  std::optional<SourceSpan> wg_size_;
  std::optional<SourceSpan> first_ballot_;
  bool lost_ = false;  // a declaration was refused
  Names objects_;
  Names functions_;
  Names registers_;            // of the current function
  std::vector<Names> labels_;  // by function: index into program_.labels
  std::vector<SourceSpan> label_spans_;
  std::vector<PendingTarget> targets_;
  std::vector<PendingCall> calls_;
  Diagnostics late_;  // found when a function ended
};

}  // namespace lockstep::typed
