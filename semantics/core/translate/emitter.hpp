#pragma once
// Writing instructions, labels and registers of one typed program, function by function.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "semantics/typed/program.hpp"

namespace lockstep::core::translation {

/// A place in the code that branches name before or after it is known.
using Mark = std::size_t;

/// Appends to a program. What no path leads to is not written: behind a jump, `ret` or `stop`, instructions are dropped until a mark is
/// bound that a written branch names.
class Emitter {
 public:
  explicit Emitter(typed::Program& program) : program_(program) {}

  /// The code that follows belongs to `program.functions[id]`, which gets its `begin`.
  void begin_function(typed::FunctionId id);
  /// Sets its `end`.
  void end_function();

  bool reachable() const { return reachable_; }
  void emit(typed::Instruction instruction, SourceSpan span);

  /// The number that the marks of the next construct have in common, so that `Else3` and `Join3` are seen to belong together.
  unsigned next_construct() { return ++constructs_; }
  Mark mark(std::string_view name, unsigned construct);
  void bind(Mark mark);
  void branch_zero(typed::Expr condition, Mark target, SourceSpan span);
  void jump(Mark target, SourceSpan span);
  void jump_mask(typed::Expr thread, Mark target, SourceSpan span);

  /// A register of the present function. Its name is `info.name` if that is free, else with ".2", ".3" … behind it.
  typed::RegisterId add_register(typed::RegisterInfo info);
  /// One that the program does not name: its name is `stem` with ".1", ".2" … behind it.
  typed::RegisterId add_own_register(std::string_view stem, typed::ValueType type, SourceSpan span, bool always_written = true);
  const typed::RegisterInfo& info(typed::RegisterId id) const { return function().registers[id]; }
  std::size_t register_count() const { return function().registers.size(); }

  /// Puts the labels into the program; no function may be open.
  void finish();

 private:
  struct MarkState {
    std::string name;
    bool is_bound = false;
    typed::Label pc = 0;
    std::vector<typed::Label> uses;  // branches that name it
  };

  typed::Function& function() { return program_.functions[current_]; }
  const typed::Function& function() const { return program_.functions[current_]; }
  typed::Label here() const { return static_cast<typed::Label>(program_.code.size()); }
  void use(Mark mark);
  std::string free_name(const std::string& stem, unsigned first);

  typed::Program& program_;
  typed::FunctionId current_ = 0;
  bool reachable_ = true;
  unsigned constructs_ = 0;
  std::vector<MarkState> marks_;
  std::unordered_set<std::string> names_;              // of the present function's registers and labels
  std::unordered_map<std::string, unsigned> numbers_;  // the next number behind a stem
};

}  // namespace lockstep::core::translation
