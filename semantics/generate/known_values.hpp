#pragma once
// What an expression gives and how often a loop runs, where all variables are known: so that loops with heads of any form end.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "semantics/base/scalar_type.hpp"
#include "semantics/core/syntax.hpp"

namespace lockstep::generate {

/// A number and its type; bits as core::Literal.
struct Value {
  ScalarType type = ScalarType::Int;
  std::uint64_t bits = 0;
};

/// The values of variables, and of functions without arguments that matter, by their names; and whether a signed number has overflowed,
/// which OpenCL leaves undefined.
struct KnownValues {
  struct Entry {
    std::string name;
    Value value;
  };
  std::vector<Entry> entries;
  bool overflowed = false;

  void set(const std::string& name, Value value);
  const Value* find(const std::string& name) const;
};

/// The type of an integer constant (C99 6.4.4.1, with OpenCL's sizes).
ScalarType type_of(const core::syntax::IntegerLiteral& literal);

/// C's conversion. Empty where it is undefined.
std::optional<Value> converted(Value value, ScalarType to);

/// Numbers, variables, operators, casts and assignments to variables, which change `values`. Empty where it is undefined, or something is
/// not known.
std::optional<Value> value_of(const core::syntax::Expr& expression, KnownValues& values);

/// A statement `if (when) what;` of a loop's body; `when` may be null.
struct BodyChange {
  core::syntax::ExprPtr when;
  core::syntax::ExprPtr what;
};

/// All that decides how often a loop runs.
struct LoopHead {
  std::string counter;
  ScalarType type = ScalarType::Int;
  core::syntax::ExprPtr start;
  core::syntax::ExprPtr condition;
  core::syntax::ExprPtr step;
  std::vector<BodyChange> changes;  ///< in front of the step
  bool is_tested_last = false;
};

/// How many rounds it runs; empty if it is undefined or runs for more than `most`. `values` has the variables behind it then.
std::optional<unsigned> rounds_of(const LoopHead& head, KnownValues& values, unsigned most);

}  // namespace lockstep::generate
