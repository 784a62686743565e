#pragma once
// A .cl file as it is written: what the grammar reads and the printer prints, before names and types are looked up.
// Spans are places in the file that the user wrote; what comes out of a macro has the span of the macro's name there.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "semantics/base/scalar_type.hpp"
#include "semantics/base/source.hpp"
#include "semantics/core/unroll_hint.hpp"

namespace lockstep::core::syntax {

/// Parentheses, calls, operators and statements may nest this deep; the parser refuses more. Chains such as a+b+c… count as well.
inline constexpr unsigned max_nesting = 400;

struct Expr;
/// Never null in a parsed tree.
using ExprPtr = std::unique_ptr<Expr>;

struct Name {
  std::string text;
  SourceSpan span;
};

/// An integer or character constant: its value before typing, and the suffix that helps to type it.
struct IntegerLiteral {
  std::uint64_t value = 0;
  bool is_decimal = true;
  bool is_unsigned = false;  ///< u or U
  bool is_long = false;      ///< l or L
  bool is_character = false;
};
/// A floating constant: its digits exactly as written, without the suffix, so that it is rounded once, to its own type.
struct FloatLiteral {
  std::string digits;
  bool is_float = false;  ///< f or F
};
struct BoolLiteral {
  bool value = false;
};
struct Identifier {
  std::string name;
};

enum class UnaryOp : std::uint8_t {
  Plus,
  Minus,
  BitNot,
  Not,
  Dereference,
  AddressOf,
  PreIncrement,
  PreDecrement,
  PostIncrement,
  PostDecrement
};
enum class BinaryOp : std::uint8_t {
  Mul,
  Div,
  Rem,
  Add,
  Sub,
  Shl,
  Shr,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  BitAnd,
  BitXor,
  BitOr,
  And,
  Or
};

struct Unary {
  UnaryOp op;
  ExprPtr operand;
};
struct Binary {
  BinaryOp op;
  ExprPtr left;
  ExprPtr right;
  SourceSpan op_span;
};
/// `left = right`, or `left op= right`.
struct Assignment {
  std::optional<BinaryOp> op;
  ExprPtr left;
  ExprPtr right;
  SourceSpan op_span;
};
struct Conditional {
  ExprPtr condition;
  ExprPtr then;
  ExprPtr otherwise;
};
struct Comma {
  ExprPtr left;
  ExprPtr right;
};
struct Subscript {
  ExprPtr base;
  ExprPtr index;
};
/// `v.xyz`: components of a vector, or a member of a structure or union.
struct Member {
  ExprPtr base;
  Name name;
};
/// A function, a builtin or a crev call; `crev` stands in front of the name.
struct Call {
  Name function;
  std::vector<ExprPtr> arguments;
  bool is_crev = false;
};

enum class Uniformity : std::uint8_t { Unspecified, Uniform, Varying };

/// What stands in front of the declarators. `type` is empty for void and where a declared type is `named`; of a vector it is the
/// components' type.
struct Specifiers {
  std::optional<ScalarType> type;
  unsigned components = 1;  ///< 2, 3, 4, 8 or 16 of a vector
  std::string named;        ///< a type that the text declares: a Record or Typedef of this name
  SourceSpan type_span;
  std::optional<AddressSpace> space;
  bool is_const = false;
  bool is_kernel = false;
  Uniformity uniformity = Uniformity::Unspecified;
  SourceSpan span;
};
/// A type name as in a cast or sizeof: `(const __global float *)`.
struct TypeName {
  Specifiers specifiers;
  unsigned pointers = 0;
  std::vector<ExprPtr> extents;  ///< of arrays, outermost first (sizeof only)
};
struct Cast {
  TypeName type;
  ExprPtr operand;
};
struct SizeofType {
  TypeName type;
};
struct SizeofExpr {
  ExprPtr operand;
};
/// `.x` or `[2]`: which part of an object.
using Designator = std::variant<Name, ExprPtr>;
/// `offsetof(struct S, a[2].x)`.
struct Offsetof {
  TypeName type;
  std::vector<Designator> path;  ///< begins with a name
};
struct Initialiser;
/// `(struct S){1, 2}`: an object without a name.
struct CompoundLiteral {
  TypeName type;
  std::unique_ptr<Initialiser> initialiser;
};

/// `parenthesised` keeps what contraction asks for: (x*y)+z fuses all the same, but the printer gives back what was read.
struct Expr {
  std::variant<IntegerLiteral, FloatLiteral, BoolLiteral, Identifier, Unary, Binary, Assignment, Conditional, Comma, Subscript, Member,
               Call, Cast, SizeofType, SizeofExpr, Offsetof, CompoundLiteral>
      node;
  SourceSpan span;
  bool parenthesised = false;
  bool parenthesised_twice = false;  ///< ((a, b)) is one value, where (float2)(a, b) has two
};

/// `= e` or `= {e, {e, …}, .x = e, …}`; a list may end in a comma.
struct Initialiser {
  std::variant<ExprPtr, std::vector<Initialiser>> value;
  SourceSpan span;
  std::vector<Designator> designators = {};  ///< in a list: which part this is for; none where it is the next one
};

/// `__attribute__((packed))` and `aligned(n)`.
struct Layout {
  bool is_packed = false;
  std::vector<ExprPtr> alignments = {};
};

/// `*const p[4] = …` behind specifiers.
struct Declarator {
  unsigned pointers = 0;
  bool is_const = false;     ///< `* const`: the pointer itself
  bool is_restrict = false;  ///< `* restrict`
  Name name;
  std::vector<ExprPtr> extents;  ///< outermost first; null for `[]`, which parameters and initialised arrays may have
  std::optional<Initialiser> initialiser;
  Layout layout = {};  ///< of a member
};
struct Declaration {
  Specifiers specifiers;
  std::vector<Declarator> declarators;
};

struct Stmt;
struct Block {
  std::vector<Stmt> statements;
};
/// `e;`, or `;` with a null expression.
struct ExprStatement {
  ExprPtr expression;
};
struct If {
  ExprPtr condition;
  std::unique_ptr<Stmt> then;
  std::unique_ptr<Stmt> otherwise;  ///< may be null
};
struct While {
  ExprPtr condition;
  std::unique_ptr<Stmt> body;
};
struct DoWhile {
  std::unique_ptr<Stmt> body;
  ExprPtr condition;
};
struct For {
  std::unique_ptr<Stmt> init;  ///< a Declaration or ExprStatement
  ExprPtr condition;           ///< may be null
  ExprPtr step;                ///< may be null
  std::unique_ptr<Stmt> body;
};
/// `case e:` or `default:` (null) in front of a statement; sema allows it only directly inside a switch's block.
struct CaseLabel {
  ExprPtr value;
};
struct Switch {
  ExprPtr value;
  std::unique_ptr<Stmt> body;
};
/// `#pragma unroll N` or `__attribute__((opencl_unroll_hint(N)))` in front of a loop.
struct Hinted {
  UnrollHint hint;
  std::unique_ptr<Stmt> body;  ///< the loop
};
struct Break {};
struct Continue {};
struct Return {
  ExprPtr value;  ///< may be null
};
/// `#pragma OPENCL FP_CONTRACT ON|OFF|DEFAULT`; from here to the end of the enclosing block (or the file).
struct ContractPragma {
  std::optional<bool> on;  ///< empty: DEFAULT
};

struct Stmt {
  std::variant<Block, Declaration, ExprStatement, If, While, DoWhile, For, Hinted, CaseLabel, Switch, Break, Continue, Return,
               ContractPragma>
      node;
  SourceSpan span;
};

struct Parameter {
  Specifiers specifiers;
  Declarator declarator;  ///< the name may be empty in a prototype
  SourceSpan span;
};
/// `reqd_work_group_size(x, y, z)`.
struct GroupSize {
  std::vector<ExprPtr> sizes;
  SourceSpan span;
};
/// A definition, or a prototype (no body).
struct Function {
  Specifiers specifiers;
  unsigned pointers = 0;
  Name name;
  std::vector<Parameter> parameters;
  std::optional<Block> body;
  SourceSpan span;  ///< from the specifiers to the closing parenthesis
  std::optional<GroupSize> required_size;
};

/// `struct S {…};` or a union. All of them stand at file scope, with names that are theirs alone (fold_names.hpp).
struct Record {
  bool is_union = false;
  Name name;
  std::vector<Declaration> members;
  Layout layout = {};
};
/// `typedef` of a pointer or array type; of all else the names have been replaced.
struct Typedef {
  Specifiers specifiers;
  Declarator declarator;
};

struct Item {
  std::variant<Function, Declaration, ContractPragma, Record, Typedef> node;
};
struct TranslationUnit {
  std::vector<Item> items;
  std::vector<Name> unknown_attributes;  ///< they were read over
  std::vector<SourceSpan> lost_hints;    ///< pragmas about unrolling without a loop behind them, or with a count that is no number
};

}  // namespace lockstep::core::syntax
