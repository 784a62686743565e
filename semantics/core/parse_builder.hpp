#pragma once
// Builds the syntax tree from what the grammar recognises, piece by piece.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "semantics/core/operators.hpp"
#include "semantics/core/syntax.hpp"
#include "semantics/core/token.hpp"

namespace lockstep::core {

/// The grammar's actions, in the order of the grammar. Each is called when its piece has been read; `at` points to the token behind it.
/// Finished pieces wait on stacks, and operators until both operands are complete, so that neither precedence nor a long chain needs
/// recursion. The calls must come in the order of a correct text; what is wrong beyond the grammar (a number without value, words that
/// make no type, too deep nesting) throws Refused.
class TreeBuilder {
 public:
  const Token* at = nullptr;

  // Brackets, for messages about those that are not closed.
  void open_bracket() { open_brackets_.push_back(&last()); }
  void close_bracket() { open_brackets_.pop_back(); }

  // Expressions. `name`, `number` and the like push a value; the rest takes values off the stack.
  void number();
  void character();
  void truth();
  void name();
  void crev_name();
  void prefix();
  void infix();
  void question();
  void colon();
  void open();
  void close_parenthesis();
  void close_subscript();
  void close_call();
  void post_step();
  void member();
  void arrow();  ///< what stands before it is a pointer
  void close_cast();
  void close_sizeof();
  void close_offsetof_type();
  void close_offsetof();
  void close_compound_type();
  void close_compound();
  void finish();
  void comma();
  void no_expression();

  // Specifiers and declarators; a type name is one without a name.
  void open_declaration();
  void specifier();
  void close_specifiers();
  void pointer();
  void pointer_qualifier();
  void declared_name();
  void extent();
  void no_extent();
  void initialised();
  void close_declarator();

  // Initialisers.
  void value_initialiser();
  void open_list();
  void close_list();
  void open_path();
  void designated_name();
  void designated_index();  ///< behind its ']'
  void close_designators();
  void designated();  ///< the initialiser behind the '=' has been read

  // Attributes.
  void required_size();  ///< the call that it looks like has been read
  void attribute();
  void packed();
  void aligned();  ///< the call that it looks like has been read
  void aligned_most();

  // Functions and the file.
  void open_function();
  void close_parameter();
  void close_parameters();
  void close_function();
  void file_declaration();
  void file_typedef();
  void open_record();
  void record_name();
  void record_member();
  void bit_field();
  void close_record();
  void file_pragma();
  syntax::TranslationUnit take() { return std::move(unit_); }

  // Statements.
  void open_statement();  ///< behind its keyword
  void open_block();
  void close_block();
  void expression_statement();
  void declaration_statement();
  void pragma_statement();
  void no_statement();
  void close_if();
  void close_while();
  void close_do();
  void close_for();
  void open_hinted();  ///< in front of all that stands in front of the loop
  void close_hinted();
  void lost_hint();
  void close_switch();
  void close_case();
  void close_default();
  void close_break();
  void close_continue();
  void close_return();

  /// The innermost '(', '[' or '{' that is not closed; null where there is none.
  const Token* innermost_open() const { return open_brackets_.empty() ? nullptr : open_brackets_.back(); }

 private:
  struct Value {
    syntax::ExprPtr expr;
    unsigned height = 0;  ///< of the tree; 0 for none
  };
  enum class Kind : std::uint8_t { Prefix, Cast, Sizeof, Infix, Question, Conditional, Fence };
  /// An operator that waits for its right operand, or the begin of a bracket, behind which a new expression begins.
  struct Pending {
    Kind kind;
    syntax::Precedence precedence;
    const Token* token;
    std::size_t values = 0;       ///< Fence: how many values lie below it
    const Token* crev = nullptr;  ///< Fence: of a crev call
  };
  struct Declaring {
    const Token* first;
    syntax::Specifiers specifiers;
    std::vector<std::string_view> type_words;
    const Token* storage = nullptr;  ///< `static` or `inline`
    const Token* kernel = nullptr;
    syntax::Declarator declarator;
    std::vector<syntax::Declarator> finished;
    unsigned height = 0;  ///< of the extents
    syntax::Layout layout;
    std::optional<syntax::GroupSize> required_size;
  };
  struct Lists {
    const Token* open;
    std::size_t initialisers;  ///< how many lie below it
    unsigned height = 0;       ///< of the values
  };
  struct Path {
    std::vector<syntax::Designator> designators;
    unsigned height = 0;  ///< of the indices
  };
  struct Open {
    const Token* first;
    std::size_t statements;  ///< how many lie below it
  };
  struct CastType {
    syntax::TypeName type;
    unsigned height;
  };

  const Token& last() const { return at[-1]; }
  SourceSpan from(const Token* first) const { return join(first->span, last().span); }
  void enter(const Token& token);
  void leave() { --nesting_; }

  [[noreturn]] static void refuse_depth(const Token& token);
  template <class Node>
  void push(Node node, SourceSpan span, unsigned height, const Token& blame);
  unsigned open_levels() const { return static_cast<unsigned>(open_.size() + lists_.size()); }
  Value pop();
  syntax::ExprPtr pop_expression() { return pop().expr; }
  Value& top() { return values_.back(); }
  void wait(Kind kind, syntax::Precedence precedence, const Token* token);
  void reduce(syntax::Precedence at_least);
  void apply();
  void apply_infix(const Pending& pending);
  Pending close_fence();
  CastType take_type_name();
  syntax::Declaration take_declaration();
  void set_space(AddressSpace space);
  void set_uniformity(syntax::Uniformity uniformity);
  syntax::Layout* layout();
  static void refuse_required_size(const Declaring& declaring);
  [[noreturn]] void refuse_type(const Declaring& declaring) const;

  template <class Node>
  void push_statement(Node node);
  std::unique_ptr<syntax::Stmt> pop_statement();
  syntax::ContractPragma contract() const;

  std::vector<Value> values_;
  std::vector<Pending> pending_;
  std::vector<CastType> casts_;  // of the pending casts
  const Token* crev_ = nullptr;  // read, but not its '('
  std::vector<Declaring> declaring_;
  std::vector<syntax::Initialiser> initialisers_;
  std::vector<Lists> lists_;
  unsigned list_height_ = 0;  // of the last list
  std::vector<Path> paths_;   // of initialisers and offsetof that are being read
  std::vector<Open> open_;
  std::vector<std::optional<UnrollHint>> hints_;  // of the loops that are being read
  std::vector<std::optional<syntax::Stmt>> statements_;
  std::vector<const Token*> open_brackets_;
  syntax::Function function_;
  std::optional<syntax::Record> record_;
  syntax::TranslationUnit unit_;
  unsigned nesting_ = 0;  // of statements, brackets and prefix operators
};

}  // namespace lockstep::core
