#pragma once
// The inside of fold_records: one function, read from the tree with structures and built anew without.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "semantics/core/sema/record_places.hpp"
#include "semantics/core/sema/record_words.hpp"

namespace lockstep::core::sema {

/// What the assignment that is being made has for its place's old value.
struct OldNumber {
  ScalarType word;                        ///< of the place
  std::vector<ExprId>* before = nullptr;  ///< of several words: where its loading goes
  const RecordPlace* place = nullptr;
  std::optional<ExprId> kept = {};
};

/// One function, read from the tree with structures and built anew without.
class RecordFolder {
 public:
  RecordFolder(Unit& unit, const RecordWords& words, const Function& from)
      : from_(from), words_(words), context_{.unit = unit, .function = to_}, places_(context_, words) {}

  Function run();

 private:
  const Expr& old(ExprId id) const { return from_.at(id); }

  // Variables.

  /// A structure stays in words where something points into it.
  void find_pieces();
  void add_parameters();
  void add_written_parameters();

  /// The name with '_' behind it where a parameter has it already.
  std::string free_name(std::string name) const;
  VarId add_lowered(Variable variable);

  /// A structure that is a parameter is a variable, which gets the numbers that are passed.
  void add_structure(VarId id);
  void add_variables();
  void add_memory(VarId id, const Variable& variable);

  /// One variable for each member that is no structure itself; `extents` are of the arrays that lie around it.
  void add_pieces(VarId id, const Variable& whole, const Type& type, const std::string& name, const std::vector<std::uint64_t>& extents,
                  std::vector<std::uint64_t>& members);
  void declare(VarId id, SourceSpan span, Body& body);
  std::vector<Leaf> leaves(const Type& type, SourceSpan span);

  // Places.

  RecordPlace place_of_variable(VarId id, SourceSpan span);
  RecordPlace place(ExprId id);

  /// The result of a call, an assignment or a choice.
  RecordPlace place_of_value(ExprId id);

  /// Appends what happens before `from`, and the assignments.
  void copy(const RecordPlace& to, RecordPlace& from, SourceSpan span, std::vector<ExprId>& effects);
  RecordPlace assigned(const Assign& assign, SourceSpan span);

  // Values.

  /// For what it does; of a structure as well.
  ExprId effect(ExprId id);

  /// A number or pointer, or nothing where it is void.
  ExprId value(ExprId id);
  bool needs_words(const RecordPlace& place) const;

  /// The operands of a node that has nothing to do with places, in the order of evaluation.
  void rebuild(decltype(Expr::node)& node);
  ExprId old_value(const Expr& expr);
  ExprId assignment(const Assign& assign, const Expr& expr);

  /// Of a member that is a word as large: its bits change as those of the word do, but for what looks at the sign.
  ExprId atomic_change(const Atomic& atomic, const Expr& expr);
  ExprId assignment_of_words(const Assign& assign, const Expr& expr, RecordPlace& to);
  ExprId address_of(const AddressOf& address, const Expr& expr);

  /// Arguments of calls: of a structure its numbers.
  Call call(const Call& from, std::vector<ExprId>& before);

  // Statements.

  void add_temporaries(std::size_t known, Body& body, std::size_t first, SourceSpan span);
  void body(const Body& from, Body& to);
  void statement(const Evaluate& node, SourceSpan span, Body& to) { to.push_back({Evaluate{effect(node.expression)}, span}); }

  void statement(const Declare& node, SourceSpan span, Body& to);
  void statement(const Block& node, SourceSpan span, Body& to);
  void statement(const If& node, SourceSpan span, Body& to);
  void statement(const Loop& node, SourceSpan span, Body& to);
  void statement(const Switch& node, SourceSpan span, Body& to);
  void statement(const Return& node, SourceSpan span, Body& to);
  void statement(const CrevCall& node, SourceSpan span, Body& to);
  template <class Node>
  void statement(const Node& node, SourceSpan span, Body& to) {
    to.push_back({node, span});
  }

  const Function& from_;
  const RecordWords& words_;
  Function to_;
  FunctionContext context_;
  RecordPlaces places_;
  std::vector<bool> in_pieces_;                     ///< by variable of the text
  std::vector<VarId> variables_;                    ///< what it is, if it is one
  std::vector<Pieces> pieces_;                      ///< what it is, else
  std::unordered_map<VarId, VarId> parameters_of_;  ///< of a parameter that is a structure: the first of its numbers
  std::optional<VarId> result_;                     ///< the parameter that points to where the result goes
  std::vector<OldNumber> olds_;                     ///< of the assignments that are being made, innermost last
};

}  // namespace lockstep::core::sema
