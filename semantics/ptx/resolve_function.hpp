#pragma once
// One function made ready to run.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "semantics/base/diagnostic.hpp"
#include "semantics/ptx/resolve_variable.hpp"
#include "semantics/ptx/scope.hpp"

namespace lockstep::ptx {

/// What a function's body can see of its module.
struct ModuleNames {
  Scope* scope = nullptr;  ///< of the module's level
  const resolved::Module* module = nullptr;
  std::vector<const Signature*> signatures;  ///< of the functions, by index
  FindSymbol find_symbol;
};

/// Resolves the body of `function` into `to`, whose head is resolved already; what is wrong goes to `found`.
class FunctionResolver {
 public:
  FunctionResolver(const Function& function, const ModuleNames& names, resolved::Function& to, Diagnostics& found);

  void run();

 private:
  // statements (resolve_function.cpp)
  void collect_labels();
  void parameters(const std::vector<Variable>& list, std::vector<resolved::Parameter>& to);
  void declare(std::string_view name, const Named& named);
  void declaration(const Variable& variable);
  void instruction(const Instruction& instruction);
  void guard(const Instruction& instruction, resolved::Instruction& to);
  void branch(const Instruction& instruction, resolved::Instruction& to);
  std::optional<std::uint32_t> label(const Name& name);

  // names
  const Named* find(std::string_view name);
  const Named* known(const Name& name);
  const resolved::VariableInfo& variable_info(resolved::VariableRef variable) const;
  std::uint32_t carry_flag();

  // calls (resolve_call.cpp)
  void call(const Instruction& instruction, resolved::Instruction& to);
  std::vector<resolved::Value> pass(const std::vector<Scalar>& list, const std::vector<Variable>& expected, SourceSpan where, bool results);

  // operands (resolve_operand.cpp)
  void operands(const Instruction& instruction, resolved::Instruction& to);
  resolved::Operand operand(const Instruction& instruction, const OperandShape& shape, std::optional<Type> type, const Operand& operand);
  resolved::Operand single(const Instruction& instruction, const OperandShape& shape, Type type, const Operand& operand);
  resolved::Operand loose(const Operand& operand);
  std::string unreachable(const Instruction& instruction, resolved::VariableRef variable) const;
  resolved::Address address(const Address& address, const Instruction* instruction);
  resolved::Operand vector(const Instruction& instruction, const OperandShape& shape, Type type, const Vector& vector);
  resolved::Operand named(const Instruction& instruction, const OperandShape& shape, Type type, const Name& name);
  resolved::Value element(const Instruction& instruction, const OperandShape& shape, std::optional<Type> type, const Scalar& scalar);
  resolved::Value number(const Immediate& immediate, Type type);
  std::optional<resolved::Operand> special(const Instruction& instruction, const OperandShape& shape, Type type, const Name& name);
  resolved::Operand special_vector(const Instruction& instruction, const Name& name, SpecialRegister whole);
  resolved::Value register_value(const Instruction& instruction, const OperandShape& shape, std::optional<Type> type, const Name& name,
                                 const RegisterName& found, std::uint32_t component);
  void check_numbers(const Instruction& instruction, const resolved::Instruction& to);
  void check_modifiers(const Instruction& instruction);

  void error(SourceSpan where, std::string message, Diagnostics notes = {});
  void warning(SourceSpan where, std::string message);

  const Function& function_;
  const ModuleNames& names_;
  resolved::Function& to_;
  Diagnostics& found_;
  std::vector<Scope> scopes_;                                            ///< from the function's parameters to the innermost block
  std::vector<std::vector<std::pair<std::string_view, Named>>> labels_;  ///< of each block, in the order in which blocks begin
  std::optional<std::uint32_t> carry_flag_;
};

}  // namespace lockstep::ptx
