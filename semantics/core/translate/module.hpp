#pragma once
// What the functions of one translated program share: the numbers of functions and objects.

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "semantics/core/tree.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::core::translation {

/// A scalar or pointer type, or the element's of an array.
typed::ValueType value_type(const Type& type);

/// One translation of a function. A function that may end without the value it owes has two: C asks for the value only where the caller
/// uses it (C99 6.9.1, paragraph 12), so that calls which do not get one that gives none.
struct Called {
  FunctionId id = 0;
  bool gives_value = true;
  bool operator==(const Called&) const = default;
};

/// Hands out ids on demand: functions, constants and __local variables get theirs when something names them.
class Module {
 public:
  Module(const Program& program, typed::Program& out) : program_(program), out_(out) {}

  const Program& program() const { return program_; }

  /// The typed function that a call of `id` names; `uses_value`: and the caller wants its value. (The kernel that is launched is another
  /// copy of its own, which ends in `stop`.)
  typed::FunctionId function(FunctionId id, bool uses_value);
  /// The functions in the order of their typed ids from 1 on.
  const std::vector<Called>& called() const { return called_; }

  typed::ObjectId constant_object(ConstantId id);
  /// The object of a __local variable of `function`.
  typed::ObjectId local_object(const Function& function, VarId id);
  /// The order in which Options::crev_order = Permuted serves callers: a table of all lanes that a warp can have.
  typed::ObjectId crev_order();

  /// What is known of a function without its body. Its name is unique in the program.
  typed::Function head(const Function& function, bool gives_value);

 private:
  std::string object_name(const std::string& name);
  bool may_owe(FunctionId id);

  const Program& program_;
  typed::Program& out_;
  std::vector<Called> called_;
  std::map<std::pair<FunctionId, bool>, typed::FunctionId> functions_;  // by id and gives_value
  std::unordered_map<FunctionId, bool> may_owe_;                        // whether the function may end without the value it owes
  std::unordered_map<ConstantId, typed::ObjectId> constants_;
  std::map<std::pair<const Function*, VarId>, typed::ObjectId> locals_;
  std::optional<typed::ObjectId> crev_order_;
  std::unordered_set<std::string> object_names_;
};

}  // namespace lockstep::core::translation
