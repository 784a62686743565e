#pragma once
// The inside of random_kernel: what is in scope, and the makers of expressions, statements and functions.

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "semantics/base/scalar_type.hpp"
#include "semantics/generate/kernel.hpp"
#include "semantics/generate/kernel_build.hpp"
#include "semantics/generate/known_values.hpp"

namespace lockstep::generate {

namespace syntax = core::syntax;
using build::ExprPtr;
using syntax::BinaryOp;

/// A scalar that holds a number wherever it is in scope.
struct KnownScalar {
  std::string name;
  ScalarType type = ScalarType::Int;
  bool is_fixed = false;  ///< counts rounds, or is a parameter that must stay uniform: never assigned
  unsigned depth = 1;     ///< of the block that declares it
};

/// An array all of whose elements hold numbers: what may be indexed, and how.
struct KnownArray {
  enum class Kind : std::uint8_t {
    Whole,  ///< any index below the extents
    Own     ///< a buffer in which [item * extents[0] + k] belongs to the item
  };
  std::string name;
  ScalarType type = ScalarType::Int;
  std::vector<unsigned> extents;
  Kind kind = Kind::Whole;
  bool is_writable = true;
  bool is_private = true;  ///< may be passed to a function that takes a pointer
  std::string row;         ///< of an Own array: an int expression's name that stands for the item; empty: the global id
};

struct Scope {
  std::vector<KnownScalar> scalars;
  std::vector<KnownArray> arrays;
  std::vector<KnownScalar> poison;  ///< scalars that may hold poison
};

/// Where a statement stands.
struct Site {
  unsigned depth = 0;
  unsigned rounds = 1;      ///< how often it is reached at the most
  bool is_uniform = false;  ///< all items of the group come here together
  bool in_loop = false;
  bool in_switch = false;
  bool must_stay = false;  ///< in a loop that all items go round together: no return
};

/// A function that has been made.
struct KnownFunction {
  std::string name;
  std::optional<ScalarType> result;
  std::vector<ScalarType> parameters;  ///< scalars only
  std::optional<KnownArray> array;     ///< a pointer in front of them to at least so many elements
  unsigned cost = 1;                   ///< statements that it runs, about
  bool is_recursive = false;           ///< the first scalar is the depth
};

/// An r-function: who (a number for each activation), then scalars, then the rows that it may write.
struct KnownTask {
  std::string name;
  std::vector<ScalarType> parameters;
  unsigned cost = 1;
  unsigned level = 0;         ///< the first row of a nested call's rows: see KernelMaker::rows
  bool is_recursive = false;  ///< with an int depth behind `who`
};

/// An expression and its type.
struct Typed {
  ExprPtr e;
  ScalarType type = ScalarType::Int;
};

/// Vectors of one type in scope: variables, and an array of two.
struct KnownVectors {
  ScalarType type = ScalarType::Int;
  unsigned components = 0;
  std::vector<std::string> names;
  std::string array;
};

/// What the head of a loop speaks of.
struct HeadNames {
  std::string counter;
  ScalarType type = ScalarType::Int;  ///< of the counter
  std::string second;                 ///< a variable that the body changes; empty: there is none
  std::vector<ExprPtr> limits;        ///< numbers, parameters, what depends on the item
};

class KernelMaker {
 public:
  KernelMaker(Choices& choices, const KernelOptions& options) : choices_(choices), options_(options) {}
  Kernel make();

 private:
  // ---- choices
  unsigned below(unsigned n) { return choices_(n); }
  bool one_in(unsigned n) { return below(n) == n - 1; }
  bool is_plain() const { return options_.profile == Profile::Plain; }
  /// Whether something undefined is done here.
  bool strikes() { return reckless_ && one_in(10); }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(static_cast<unsigned>(from.size()))];
  }
  std::string fresh(const char* stem) { return stem + std::to_string(names_++); }

  // ---- kernel_leaves.cpp
  Typed integer_literal();
  std::uint64_t any_number();
  Typed real_literal(ScalarType type);
  /// A number of the type as a constant expression; small.
  ExprPtr constant(ScalarType type);
  std::optional<Typed> scalar_leaf(bool real);
  /// An index below `extent`.
  ExprPtr index(unsigned extent, unsigned depth);
  /// The same number, below 256, by arithmetic that wraps.
  ExprPtr wrapped(ExprPtr e);
  ExprPtr row_of(const std::string& who);
  ExprPtr element_of(const KnownArray& array, unsigned depth);
  std::optional<Typed> array_leaf(bool real, unsigned depth);
  Typed item_number();
  Typed leaf(bool real, unsigned depth);

  // ---- kernel_expressions.cpp
  ScalarType any_type();
  ScalarType integer_type();
  Typed integer_expression(unsigned depth);
  Typed real_expression(unsigned depth);
  Typed arithmetic(unsigned depth);
  Typed division(unsigned depth);
  Typed comparison(unsigned depth);
  Typed logical(unsigned depth);
  Typed choice(bool real, unsigned depth);
  Typed builtin_of_integers(unsigned depth);
  Typed builtin_of_reals(unsigned depth);
  Typed size_of_something();
  Typed collective(unsigned depth);
  std::optional<Typed> effect(bool real, unsigned depth);
  std::optional<Typed> function_call(bool real, unsigned depth);
  Typed expression(bool real, unsigned depth);
  Typed any_expression(unsigned depth) { return expression(one_in(3), depth); }
  /// Of a type that converts to `to` without being undefined.
  ExprPtr value_for(ScalarType to, unsigned depth);
  /// Of exactly the type `to`, by a cast if need be.
  ExprPtr exactly(ScalarType to, unsigned depth);
  ExprPtr guarded(ScalarType to, Typed value);
  ExprPtr condition(unsigned depth);
  Typed poisonous(ScalarType type, unsigned depth);
  ExprPtr safe_lane();
  ExprPtr shuffle_of(ExprPtr value, ExprPtr lane);
  ExprPtr global_id();
  ExprPtr query(const char* function);
  ExprPtr extra_parentheses(ExprPtr e);
  ExprPtr defined_everywhere(BinaryOp op, Typed left, Typed right);
  bool may_overflow(BinaryOp op, ScalarType left, ScalarType right) const;
  bool may_step(ScalarType type) const;
  bool may_read(const std::string& name) const { return !changed_.contains(name) || !is_plain(); }
  bool may_change(const std::string& name) const;
  /// Starts a full expression: nothing of it has been read or changed yet.
  void start_expression();

  // ---- kernel_statements.cpp
  using Statements = std::vector<syntax::Stmt>;
  void simple(Statements& out, const Site& site);
  void assign_scalar(Statements& out);
  void store_element(Statements& out);
  void call_function(Statements& out, const Site& site);
  void declaration(Statements& out);
  void array_declaration(Statements& out);
  void pointer_declaration(Statements& out);
  void through_pointer(Statements& out);
  syntax::Initialiser array_values(const KnownArray& array, std::size_t dimension);

  // ---- kernel_vectors.cpp
  void vectors(Statements& out);
  void change_vector(Statements& out, const KnownVectors& known);
  ExprPtr vector_place(const KnownVectors& known);
  ExprPtr vector_literal(ScalarType type, unsigned components, const KnownVectors& known);
  ExprPtr vector_relation(const KnownVectors& known, unsigned components, unsigned depth);
  ExprPtr vector_expression(const KnownVectors& known, unsigned components, unsigned depth);
  std::string selector(const KnownVectors& known, unsigned count, bool distinct);

  // ---- kernel_control.cpp
  void statement(Statements& out, const Site& site);
  Statements sequence(const Site& site, unsigned most);
  std::unique_ptr<syntax::Stmt> arm(const Site& site);
  void branch(Statements& out, const Site& site);
  void loop(Statements& out, const Site& site);
  void choose(Statements& out, const Site& site);
  void leave(Statements& out, const Site& site);
  void return_here(Statements& out);

  // ---- kernel_heads.cpp
  ExprPtr head_number(ScalarType type);
  ExprPtr head_operand(const HeadNames& names, unsigned depth);
  ExprPtr head_condition(const HeadNames& names);
  ExprPtr head_step(const HeadNames& names);
  BodyChange head_change(const HeadNames& names);
  void head_limits(Statements& out, HeadNames& names, std::vector<KnownValues>& cases);
  std::optional<LoopHead> ending_head(const HeadNames& names, const std::vector<KnownValues>& cases, const ExprPtr& guard, unsigned most);
  /// A loop with such a head; false: none that ends was found, and nothing is made.
  bool any_head(Statements& out, const Site& site);

  // ---- kernel_sweeps.cpp
  void sweep(Statements& out, const Site& site);
  void sweep_array(Statements& out, const Site& site);
  void sweep_rows(Statements& out);
  void sweep_items(Statements& out);
  ExprPtr swept_index(const std::string& counter, unsigned extent);
  ExprPtr swept_element(const KnownArray& array, const std::string& counter, unsigned extent);
  Statements swept_body(const KnownArray& target, const std::string& counter, unsigned extent);
  std::vector<KnownArray> sweepable(bool writable) const;

  // ---- kernel_teamwork.cpp
  void barrier(Statements& out);
  void neighbours(Statements& out);
  void exchange(Statements& out, const Site& site);
  void traffic(Statements& out, const Site& site);
  void counters(Statements& out);
  void poison_step(Statements& out);
  void group_vote(Statements& out);
  void crev_call(Statements& out, const Site& site);

  // ---- kernel.cpp
  void choose_size();
  void file_scope();
  void make_function();
  syntax::Function function_head(std::optional<ScalarType> result, const std::string& name);
  void add_scalar_parameter(syntax::Function& f, ScalarType type, const std::string& name, bool uniform);
  void add_pointer_parameter(syntax::Function& f, const KnownArray& array, std::optional<AddressSpace> space);
  void recursion(Statements& body, const KnownFunction& self);
  void make_task();
  void task_body(Statements& out, const KnownTask& task);
  void kernel_parameters(syntax::Function& f);
  void kernel_body(syntax::Function& f);
  void initial_variables(Statements& out, unsigned count);
  void final_stores(Statements& out);
  void add_buffer(syntax::Function& f, const KnownArray& array, std::size_t count, bool is_const);
  std::uint64_t input_number(ScalarType type);
  unsigned rows_before(unsigned level) const;

  Choices& choices_;
  KernelOptions options_;
  Kernel kernel_;
  Scope scope_;
  Scope file_scope_;  ///< constants
  std::vector<KnownFunction> functions_;
  std::vector<KnownTask> tasks_;
  bool reckless_ = false;
  unsigned names_ = 0;
  // Of the function that is being made.
  enum class Within : std::uint8_t { Kernel, Function, Task } within_ = Within::Kernel;
  std::optional<ScalarType> result_;
  unsigned cost_ = 0;
  unsigned rounds_limit_ = 24;
  bool has_left_ = false;               ///< some items may have returned: no place is uniform from here on
  std::optional<KnownArray> counters_;  ///< of a group, which its items change atomically
  std::optional<KnownArray> local_;     ///< a __local array with a cell for each item
  std::string who_;                     ///< of a task: its first parameter
  unsigned level_ = 0;
  bool is_recursive_ = false;
  // Of the expression that is being made.
  std::set<std::string> read_;
  std::set<std::string> changed_;
  std::set<std::string> targets_;  ///< assigned by the statement: may be read, but not changed once more
  bool effects_ = false;
  Site site_;
};

}  // namespace lockstep::generate
