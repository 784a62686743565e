#pragma once
// Parts of structures as the finished program has them: while structures fold away (fold_records.hpp), a place is one in a variable of its
// own, or words somewhere in memory.

#include <map>
#include <optional>
#include <vector>

#include "semantics/core/sema/record_words.hpp"

namespace lockstep::core::sema {

/// A variable that is one for each member: by the numbers of members that lead there, without the indices in between.
using Pieces = std::map<std::vector<std::uint64_t>, VarId>;

/// A place on its way from the outside in. Its expressions are those of the finished program.
struct RecordPlace {
  std::vector<ExprId> before = {};  ///< what happens before, in order
  Type type;                        ///< of what lies there, as the text has it

  // In a variable that is one for each member:
  const Pieces* pieces = nullptr;
  SourceSpan span = {};  ///< where the text names it
  std::vector<std::uint64_t> members = {};
  std::vector<ExprId> indices = {};  ///< outermost first

  // Anywhere else:
  ExprId memory = 0;                   ///< the place itself, or the array of words that it lies in
  bool is_inside = false;              ///< it lies in such words
  std::uint64_t offset = 0;            ///< in bytes
  std::optional<ExprId> moved = {};    ///< by so many words in addition, a long
  ScalarType word = ScalarType::UInt;  ///< of these words
};

/// The number that is loaded from a place is read as a part of the structure: Expr::carries.
void carry(FunctionContext& context, ExprId loaded);

/// What is done with such places.
class RecordPlaces {
 public:
  RecordPlaces(FunctionContext& context, const RecordWords& words) : context_(context), words_(words) {}

  /// The member with that number of a structure.
  RecordPlace member(RecordPlace place, std::uint64_t number) const;
  /// The element of an array.
  RecordPlace element_at(RecordPlace place, ExprId index);
  /// The number in it that the path leads to; the place may be used again.
  RecordPlace leaf_at(const RecordPlace& place, const Leaf& leaf);

  /// Makes it one that may be evaluated several times, and stays the same where `may_change` says that variables change in between.
  void settle(RecordPlace& place, bool may_change);

  /// The place as an ordinary one, if its words are numbers of its own type; it is evaluated once.
  std::optional<ExprId> ordinary(const RecordPlace& place);
  /// The word at which it begins, or one behind it.
  ExprId word_at(const RecordPlace& place, std::uint64_t number);
  std::uint64_t words_of(const RecordPlace& place) const;

  /// The number that lies there, without what happens before. A place of several words must be settled.
  ExprId load(const RecordPlace& place);
  /// Appends what stores a number there. A place of several words must be settled.
  void store(const RecordPlace& place, ExprId value, std::vector<ExprId>& stores);

  /// Appends what copies all numbers of one structure to another place that holds one; both must be settled.
  void copy_all(const RecordPlace& to, const RecordPlace& from, std::vector<ExprId>& stores);

 private:
  /// Where the text has the place.
  SourceSpan span_of(const RecordPlace& place) const;

  FunctionContext& context_;
  const RecordWords& words_;
};

/// A number as the word of its size, and back.
ExprId word_of_number(FunctionContext& context, ExprId value, ScalarType word);
ExprId number_of_word(FunctionContext& context, ExprId word, ScalarType type);

}  // namespace lockstep::core::sema
