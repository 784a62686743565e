#pragma once
// What the checker knows while it walks through a file: the functions and constants declared so far, and inside a function the names in
// sight and the tree built so far.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "semantics/core/options.hpp"
#include "semantics/core/sema/reporter.hpp"
#include "semantics/core/syntax.hpp"
#include "semantics/core/tree.hpp"

namespace lockstep::core::sema {

/// A declared function, as its callers see it.
struct Signature {
  std::string name;
  Type result;
  std::vector<Variable> parameters;
  bool is_kernel = false;
  SourceSpan span;                       ///< of the name in the first declaration
  std::optional<FunctionId> definition;  ///< where its body will stand; empty if the file has none
  bool is_defined = false;               ///< its body has been seen
  bool is_dimensional = false;           ///< the last two parameters are num_groups_x and num_groups_y, which calls do not write
  bool is_broken = false;                ///< an error was reported: calls of it say nothing more
};

/// A name whose declaration was wrong: its uses say nothing more.
struct Broken {};
/// A name that was used without a declaration, which was said once; a declaration that comes later counts as the first one.
struct Undeclared {};
struct VariableSymbol {
  VarId id = 0;
};
struct ConstantSymbol {
  ConstantId id = 0;
};
using Symbol = std::variant<Broken, Undeclared, VariableSymbol, ConstantSymbol>;
struct NamedSymbol {
  Symbol symbol;
  SourceSpan span;  ///< of the name in its declaration
};
using Scope = std::unordered_map<std::string, NamedSymbol>;

/// What a function asks of its place among the groups, and whom it calls.
struct Asking {
  bool groups = false;      ///< for a group's number, or how many there are, in whatever dimension
  bool dimensions = false;  ///< and not only in the first one
  std::vector<std::string> calls;
};

/// A function of the library that a text calls, for one type (library.hpp).
struct WantedFunction {
  std::string name;
  ScalarType type = ScalarType::Int;
  AddressSpace space = AddressSpace::Private;  ///< of what its pointer points to, if it has one
  SourceSpan span;                             ///< of the call
};

/// A structure, union or pointer or array type that the text has declared.
struct DeclaredType {
  std::optional<Type> type;  ///< empty where an error was reported
  bool is_const = false;     ///< of a pointer: itself
};

/// A translation unit on its way to a program.
struct Unit {
  Program program;
  Reporter reporter;
  std::unordered_map<std::string, Signature> functions;     ///< declared so far
  std::unordered_map<std::string, FunctionId> definitions;  ///< of the whole file
  std::unordered_map<std::string, Asking> asking;           ///< of functions whose bodies have been seen
  std::unordered_set<std::string> breaks_const;  ///< functions with a cast of a pointer to const memory to one that may be written
  bool in_library = false;                       ///< its own definitions are read, whose names are none of the text's
  std::vector<WantedFunction> wanted;            ///< calls whose definitions are not there yet
  std::unordered_set<std::string> dimensional;   ///< functions that get num_groups_x and num_groups_y (dimensions.hpp)
  std::unordered_map<std::string, SourceSpan> declarations;  ///< functions of the whole file: where the first declaration stands
  Scope constants;                                           ///< file-scope names declared so far
  std::unordered_map<std::string, DeclaredType> types;       ///< declared so far
  /// What pointers that are cast to another type lead to: by the new type and the one of what lies there.
  std::map<std::pair<ScalarType, ScalarType>, std::shared_ptr<const Record>> views;
};

/// The value of an expression of vector type that is not stored anywhere, or of components of one that is (vectors.hpp).
struct Vector {
  std::vector<ExprId> before;  ///< what happens before, in order
  std::vector<ExprId> parts;   ///< of each component: the place or value, without effects
  bool is_place = false;       ///< the parts are places, all different
};

/// A function on its way. At file scope (initialisers, array sizes) `function` is a nameless one that is thrown away.
struct FunctionContext {
  Unit& unit;
  Function& function;
  const Signature* signature = nullptr;                  ///< null at file scope
  std::vector<Scope> scopes = {};                        ///< innermost last
  std::vector<std::optional<std::uint64_t>> known = {};  ///< by VarId: the value of a const scalar with a constant initialiser
  std::unordered_map<ExprId, Vector> vectors = {};       ///< the values of expressions that stand for vectors
  std::vector<VarId> temporaries = {};                   ///< variables that come into being in front of the statement
  std::optional<VarId> result = {};                      ///< the parameter that points to where the result goes, if that is a vector
  bool contract = true;                                  ///< what option and pragma say here
  unsigned loops = 0;                                    ///< that `continue` may mean
  unsigned breakable = 0;                                ///< loops and switches that `break` may mean
  unsigned blocks = 0;                                   ///< how deep; 1 is the function's own block
};

/// Adds a node.
ExprId add(FunctionContext& context, decltype(Expr::node) node, Type type, SourceSpan span);
ExprId add_scalar(FunctionContext& context, decltype(Expr::node) node, ScalarType type, SourceSpan span);
/// A number of an integer type.
ExprId add_integer(FunctionContext& context, std::uint64_t value, ScalarType type, SourceSpan span);

/// What the name means here, from the inside out; null if nothing (functions are looked up elsewhere).
const NamedSymbol* find(const FunctionContext& context, const std::string& name);

/// Puts a name into the innermost scope. Says so and returns false if the scope has it already.
bool declare(FunctionContext& context, const syntax::Name& name, Symbol symbol);

/// A new variable, in no scope yet.
VarId add_variable(FunctionContext& context, Variable variable);

/// Reports a name that is declared nowhere, with what it might have been, once for each function.
void report_undeclared(FunctionContext& context, const std::string& name, SourceSpan span);

/// "; did you mean 'sqrt'?" among functions, declared or built in.
std::string function_suggestion(const Unit& unit, std::string_view name);

}  // namespace lockstep::core::sema
