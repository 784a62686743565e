#include "semantics/core/sema/fold_records.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/record_places.hpp"
#include "semantics/core/sema/record_words.hpp"
#include "semantics/core/sema/records.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"
#include "semantics/ops/bits.hpp"

namespace lockstep::core::sema {
namespace {

/// A structure of more members stays in words, when it is a variable.
constexpr std::uint64_t max_pieces = 256;
/// Numbers that one assignment, argument or result copies, at most.
constexpr std::uint64_t max_copied = 4096;

/// What the assignment that is being made has for its place's old value.
struct Old {
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

  Function run() {
    to_.name = from_.name;
    to_.is_kernel = from_.is_kernel;
    to_.is_crev_target = from_.is_crev_target;
    to_.local_parameters = from_.local_parameters;
    to_.span = from_.span;
    find_pieces();
    add_parameters();
    add_variables();
    body(from_.body, to_.body);
    return std::move(to_);
  }

 private:
  const Expr& old(ExprId id) const { return from_.at(id); }

  // Variables.

  /// A structure stays in words where something points into it.
  void find_pieces() {
    in_pieces_.resize(from_.variables.size());
    for (std::size_t i = 0; i < in_pieces_.size(); ++i) {
      const Type& type = from_.variables[i].type;
      in_pieces_[i] = type.is_array() && type.record != nullptr && !has_union(type) && piece_count(type) <= max_pieces;
    }
    for (const Expr& expr : from_.expressions) {
      const auto* address = std::get_if<AddressOf>(&expr.node);
      if (address == nullptr || old(address->place).type.record == nullptr) {
        continue;
      }
      ExprId place = address->place;
      while (const auto* subscript = std::get_if<Subscript>(&old(place).node)) {
        place = subscript->base;
      }
      if (const auto* var = std::get_if<Var>(&old(place).node)) {
        in_pieces_[var->id] = false;
      }
    }
  }

  static std::uint64_t piece_count(const Type& type) {
    if (type.record == nullptr) {
      return 1;
    }
    std::uint64_t sum = 0;
    for (const Member& member : type.record->members) {
      sum = std::min(sum + piece_count(member.type), max_pieces + 1);
    }
    return sum;
  }

  void add_parameters() {
    variables_.resize(from_.variables.size());
    pieces_.resize(from_.variables.size());
    std::vector<VarId> structures;
    for (VarId id = 0; id < from_.parameter_count; ++id) {
      const Variable& parameter = from_.variables[id];
      if (from_.group_parameters == id) {
        to_.group_parameters = static_cast<VarId>(to_.variables.size());
      }
      if (parameter.type.is_record()) {
        structures.push_back(id);
        parameters_of_[id] = static_cast<VarId>(to_.variables.size());
        for (const Leaf& leaf : leaves(parameter.type, parameter.span)) {
          add_variable(context_, {.name = free_name(parameter.name + leaf.name),
                                  .type = Type::scalar_of(leaf.type),
                                  .is_uniform = parameter.is_uniform,
                                  .span = parameter.span});
        }
        continue;
      }
      if (parameter.type.is_pointer() && parameter.type.record != nullptr && from_.is_kernel) {
        to_.structure_parameters.push_back(
            {static_cast<VarId>(to_.variables.size()), parameter.type.record, words_.lowered(parameter.type).extents.back()});
      }
      variables_[id] = add_lowered(parameter);
    }
    to_.result = from_.result;
    if (from_.result.is_record()) {
      const Type pointer = pointer_to(words_.lowered(record_type(from_.result.record)), AddressSpace::Private, false);
      result_ = add_variable(context_, {.name = free_name("result"), .type = pointer, .span = from_.span});
      to_.result = {};
    } else {
      to_.result = words_.lowered(from_.result);
    }
    to_.parameter_count = to_.variables.size();
    for (const VarId id : structures) {
      add_structure(id);
    }
  }

  /// The name with '_' behind it where a parameter has it already.
  std::string free_name(std::string name) const {
    const auto is_taken = [&](const Variable& variable) { return variable.name == name; };
    while (std::ranges::any_of(std::span(from_.variables).first(from_.parameter_count), is_taken)) {
      name += '_';
    }
    return name;
  }

  VarId add_lowered(Variable variable) {
    variable.type = words_.lowered(variable.type);
    return add_variable(context_, std::move(variable));
  }

  /// A structure that is a parameter is a variable, which gets the numbers that are passed.
  void add_structure(VarId id) {
    Variable copy = from_.variables[id];
    copy.is_uniform = false;
    copy.is_const = false;
    add_memory(id, copy);
    const SourceSpan span = copy.span;
    declare(id, span, to_.body);
    const RecordPlace place = place_of_variable(id, span);
    VarId parameter = parameters_of_.at(id);
    for (const Leaf& leaf : leaves(copy.type, span)) {
      std::vector<ExprId> stores;
      places_.store(places_.leaf_at(place, leaf), variable(context_, parameter++, span), stores);
      for (const ExprId store : stores) {
        to_.body.push_back({Evaluate{store}, span});
      }
    }
    add_temporaries(0, to_.body, 0, span);
  }

  void add_variables() {
    for (VarId id = static_cast<VarId>(from_.parameter_count); id < from_.variables.size(); ++id) {
      add_memory(id, from_.variables[id]);
    }
  }

  void add_memory(VarId id, const Variable& variable) {
    if (!in_pieces_[id]) {
      variables_[id] = add_lowered(variable);
      return;
    }
    std::vector<std::uint64_t> members;
    Type dimensions = variable.type;
    dimensions.extents.pop_back();
    add_pieces(id, variable, variable.type, variable.name, dimensions.extents, members);
  }

  /// One variable for each member that is no structure itself; `extents` are of the arrays that lie around it.
  void add_pieces(VarId id, const Variable& whole, const Type& type, const std::string& name, const std::vector<std::uint64_t>& extents,
                  std::vector<std::uint64_t>& members) {
    for (std::uint64_t k = 0; k < type.record->members.size(); ++k) {
      const Member& member = type.record->members[k];
      members.push_back(k);
      Type piece = member.type;
      piece.extents = extents;
      std::ranges::copy(member.type.extents, std::back_inserter(piece.extents));
      if (member.type.record != nullptr) {
        piece.extents.pop_back();
        add_pieces(id, whole, member.type, name + "_" + member.name, piece.extents, members);
      } else {
        piece.kind = piece.extents.empty() ? Type::Kind::Scalar : Type::Kind::Array;
        piece.space = piece.is_array() ? whole.space : AddressSpace::Private;
        piece.is_const = piece.is_array() && whole.type.is_const;
        Variable variable = whole;
        variable.name = name + "_" + member.name;
        variable.type = piece;
        pieces_[id].emplace(members, add_variable(context_, std::move(variable)));
      }
      members.pop_back();
    }
  }

  void declare(VarId id, SourceSpan span, Body& body) {
    if (!in_pieces_[id]) {
      body.push_back({Declare{variables_[id], {}}, span});
    }
    for (const auto& [members, piece] : pieces_[id]) {
      body.push_back({Declare{piece, {}}, span});
    }
  }

  std::vector<Leaf> leaves(const Type& type, SourceSpan span) {
    if (words_.count(type, max_copied) > max_copied) {
      context_.unit.reporter.error(span, "'" + name_of(type) + "' has more than " + std::to_string(max_copied) +
                                             " numbers, too many to be copied at once; pass a pointer, or copy them in a loop");
      return {};
    }
    return words_.leaves(type);
  }

  // Places.

  RecordPlace place_of_variable(VarId id, SourceSpan span) {
    RecordPlace place{.type = from_.variables[id].type};
    if (in_pieces_[id]) {
      place.pieces = &pieces_[id];
    } else {
      place.memory = variable(context_, variables_[id], span);
    }
    return place;
  }

  RecordPlace place(ExprId id) {
    const Expr& expr = old(id);
    if (const auto* var = std::get_if<Var>(&expr.node)) {
      return place_of_variable(var->id, expr.span);
    }
    if (std::holds_alternative<GlobalConstant>(expr.node)) {
      return {.type = expr.type, .memory = add(context_, expr.node, words_.lowered(expr.type), expr.span)};
    }
    if (const auto* comma = std::get_if<Comma>(&expr.node)) {
      const ExprId first = effect(comma->left);
      RecordPlace result = place(comma->right);
      result.before.insert(result.before.begin(), first);
      return result;
    }
    const auto* subscript = std::get_if<Subscript>(&expr.node);
    if (subscript == nullptr) {
      return place_of_value(id);
    }
    const Type& whole = old(subscript->base).type;
    if (whole.is_pointer()) {
      const ExprId pointer = value(subscript->base);
      const ExprId index = value(subscript->index);
      return {.type = expr.type, .memory = add(context_, Subscript{pointer, index}, words_.lowered(expr.type), expr.span)};
    }
    RecordPlace around = place(subscript->base);
    if (whole.is_record()) {
      return places_.member(std::move(around), std::get<Literal>(old(subscript->index).node).bits);
    }
    RecordPlace result = places_.element_at(std::move(around), value(subscript->index));
    result.type = expr.type;
    return result;
  }

  /// The result of a call, an assignment or a choice.
  RecordPlace place_of_value(ExprId id) {
    const Expr& expr = old(id);
    if (const auto* assign = std::get_if<Assign>(&expr.node)) {
      return assigned(*assign, expr.span);
    }
    const Type type = record_type(expr.type.record);
    const VarId temporary = add_temporary(context_, words_.lowered(type), expr.span);
    RecordPlace result{.type = type, .memory = variable(context_, temporary, expr.span)};
    if (const auto* call = std::get_if<Call>(&expr.node)) {
      Call made = this->call(*call, result.before);
      const ExprId memory = variable(context_, temporary, expr.span);
      made.arguments.push_back(add(context_, AddressOf{memory}, pointer_to(words_.lowered(type), AddressSpace::Private, false), expr.span));
      result.before.push_back(add(context_, std::move(made), Type{}, expr.span));
      return result;
    }
    const auto& choice = std::get<Conditional>(expr.node);
    const ExprId condition = value(choice.condition);
    const auto arm = [&](ExprId from) {
      RecordPlace source = place(from);
      std::vector<ExprId> effects;
      copy(result, source, expr.span, effects);
      return sequence(context_, effects);
    };
    const ExprId then = arm(choice.then);
    const ExprId otherwise = arm(choice.otherwise);
    const Type arms = context_.function.at(then).type;
    result.before.push_back(add(context_, Conditional{condition, then, otherwise}, arms, expr.span));
    return result;
  }

  /// Appends what happens before `from`, and the assignments.
  void copy(const RecordPlace& to, RecordPlace& from, SourceSpan span, std::vector<ExprId>& effects) {
    places_.settle(from, false);
    std::ranges::copy(from.before, std::back_inserter(effects));
    if (!leaves(to.type, span).empty()) {
      places_.copy_all(to, from, effects);
    }
    if (effects.empty()) {  // an error was reported
      effects.push_back(add_integer(context_, 0, ScalarType::Int, span));
    }
  }

  RecordPlace assigned(const Assign& assign, SourceSpan span) {
    RecordPlace to = place(assign.place);
    RecordPlace from = place(assign.value);
    places_.settle(to, has_effect(from_, assign.value));
    std::vector<ExprId> effects = std::exchange(to.before, {});
    copy(to, from, span, effects);
    const Leaf all;
    RecordPlace result = places_.leaf_at(to, all);
    result.before = std::move(effects);
    return result;
  }

  // Values.

  /// For what it does; of a structure as well.
  ExprId effect(ExprId id) {
    if (!old(id).type.is_record()) {
      return value(id);
    }
    const RecordPlace result = place(id);
    return result.before.empty() ? add_integer(context_, 0, ScalarType::Int, old(id).span) : sequence(context_, result.before);
  }

  /// A number or pointer, or nothing where it is void.
  ExprId value(ExprId id) {
    const Expr& expr = old(id);
    if (is_place(expr)) {
      RecordPlace from = place(id);
      if (needs_words(from)) {
        places_.settle(from, false);
      }
      const ExprId loaded = places_.load(from);
      context_.function.expressions[loaded].span = expr.span;
      return behind(context_, from.before, loaded);
    }
    if (const auto* assign = std::get_if<Assign>(&expr.node)) {
      return assignment(*assign, expr);
    }
    if (const auto* comma = std::get_if<Comma>(&expr.node)) {
      const ExprId left = effect(comma->left);
      const ExprId right = value(comma->right);
      return add(context_, Comma{left, right}, context_.function.at(right).type, expr.span);
    }
    if (const auto* address = std::get_if<AddressOf>(&expr.node)) {
      return address_of(*address, expr);
    }
    if (const auto* call = std::get_if<Call>(&expr.node)) {
      std::vector<ExprId> before;
      Call made = this->call(*call, before);
      return behind(context_, before, add(context_, std::move(made), words_.lowered(expr.type), expr.span));
    }
    if (std::holds_alternative<OldValue>(expr.node)) {
      return old_value(expr);
    }
    decltype(Expr::node) node = expr.node;
    rebuild(node);
    return add(context_, std::move(node), words_.lowered(expr.type), expr.span);
  }

  bool needs_words(const RecordPlace& place) const {
    return place.pieces == nullptr && place.is_inside && place.type.is_scalar() && places_.words_of(place) > 1;
  }

  /// The operands of a node that has nothing to do with places, in the order of evaluation.
  void rebuild(decltype(Expr::node)& node) {
    std::visit(
        [&](auto& part) {
          using Node = std::decay_t<decltype(part)>;
          if constexpr (std::is_same_v<Node, PointerAdd>) {
            part.pointer = value(part.pointer);
            part.index = value(part.index);
          } else if constexpr (std::is_same_v<Node, PointerDifference> || std::is_same_v<Node, ShortCircuit>) {
            part.left = value(part.left);
            part.right = value(part.right);
          } else if constexpr (std::is_same_v<Node, Operate> || std::is_same_v<Node, Collective>) {
            for (ExprId& operand : part.operands) {
              operand = value(operand);
            }
          } else if constexpr (std::is_same_v<Node, Convert> || std::is_same_v<Node, Bitcast>) {
            part.operand = value(part.operand);
          } else if constexpr (std::is_same_v<Node, Conditional>) {
            part.condition = value(part.condition);
            part.then = value(part.then);
            part.otherwise = value(part.otherwise);
          }
        },
        node);
  }

  ExprId old_value(const Expr& expr) {
    Old& old = olds_.back();
    if (old.place == nullptr) {
      const ExprId word =
          add(context_, OldValue{}, expr.type.is_scalar() ? Type::scalar_of(old.word) : words_.lowered(expr.type), expr.span);
      return expr.type.is_scalar() ? number_of_word(context_, word, expr.type.scalar) : word;
    }
    if (!old.kept) {
      const Leaf here;
      old.kept = keep(context_, *old.before, places_.load(places_.leaf_at(*old.place, here)));
    }
    return sema::copy(context_, *old.kept);
  }

  ExprId assignment(const Assign& assign, const Expr& expr) {
    RecordPlace to = place(assign.place);
    if (needs_words(to)) {
      return assignment_of_words(assign, expr, to);
    }
    const std::optional<ExprId> ordinary = places_.ordinary(to);
    const ExprId target = ordinary ? *ordinary : places_.word_at(to, 0);
    context_.function.expressions[target].span = old(assign.place).span;
    const Type stored = context_.function.at(target).type;
    olds_.push_back({.word = stored.scalar});
    ExprId from = value(assign.value);
    olds_.pop_back();
    if (!ordinary) {
      from = word_of_number(context_, from, stored.scalar);
    }
    const ExprId made = add(context_, Assign{target, from, assign.yields_old}, stored, expr.span);
    return behind(context_, to.before, ordinary ? made : number_of_word(context_, made, expr.type.scalar));
  }

  ExprId assignment_of_words(const Assign& assign, const Expr& expr, RecordPlace& to) {
    places_.settle(to, has_effect(from_, assign.value));
    std::vector<ExprId> effects = std::exchange(to.before, {});
    olds_.push_back({.word = to.word, .before = &effects, .place = &to, .kept = {}});
    std::optional<ExprId> before;
    if (assign.yields_old) {
      before = old_value(expr);
    }
    const ExprId from = keep(context_, effects, value(assign.value));
    olds_.pop_back();
    places_.store(to, from, effects);
    return behind(context_, effects, before ? *before : sema::copy(context_, from));
  }

  ExprId address_of(const AddressOf& address, const Expr& expr) {
    const RecordPlace at = place(address.place);
    const Type pointer = words_.lowered(expr.type);
    if (at.pieces != nullptr || !at.is_inside) {
      const ExprId place = *places_.ordinary(at);
      if (const auto* var = std::get_if<Var>(&context_.function.at(place).node)) {
        Variable& variable = context_.function.variables[var->id];
        variable.address_taken = variable.address_taken || (variable.type.is_scalar() && variable.space == AddressSpace::Private);
      }
      return behind(context_, at.before, add(context_, AddressOf{place}, pointer, expr.span));
    }
    if (at.type.record == nullptr && at.type.scalar != at.word) {
      context_.unit.reporter.error(expr.span, "the address of a '" + name_of(at.type) +
                                                  "' cannot be taken here: the memory of this structure is made of '" +
                                                  std::string(info(at.word).name) +
                                                  "' words; pass the address of the structure, or copy the member into a variable");
    }
    const ExprId first = places_.word_at(at, 0);
    const Type word = pointer_to(context_.function.at(first).type, expr.type.space, expr.type.is_const);
    const ExprId made = add(context_, AddressOf{first}, word, expr.span);
    const ExprId same = add(context_, PointerAdd{made, add_integer(context_, 0, ScalarType::Long, expr.span)}, pointer, expr.span);
    return behind(context_, at.before, pointer == word ? made : same);
  }

  /// Arguments of calls: of a structure its numbers.
  Call call(const Call& from, std::vector<ExprId>& before) {
    std::vector<Vector> operands;
    const bool has_structures = std::ranges::any_of(from.arguments, [&](ExprId id) { return old(id).type.is_record(); });
    if (!has_structures) {
      Call made{from.function, {}};
      for (const ExprId argument : from.arguments) {
        made.arguments.push_back(value(argument));
      }
      return made;
    }
    for (const ExprId argument : from.arguments) {
      if (!old(argument).type.is_record()) {
        operands.push_back(scalar_as_operand(context_, value(argument)));
        continue;
      }
      RecordPlace source = place(argument);
      places_.settle(source, false);
      Vector numbers;
      for (const Leaf& leaf : leaves(source.type, old(argument).span)) {
        numbers.parts.push_back(places_.load(places_.leaf_at(source, leaf)));
      }
      numbers.before = std::move(source.before);
      operands.push_back(std::move(numbers));
    }
    std::ranges::copy(in_order(context_, operands), std::back_inserter(before));
    Call made{from.function, {}};
    for (const Vector& operand : operands) {
      std::ranges::copy(operand.parts, std::back_inserter(made.arguments));
    }
    return made;
  }

  // Statements.

  void add_temporaries(std::size_t known, Body& body, std::size_t first, SourceSpan span) {
    std::vector<Stmt> declared;
    for (std::size_t i = known; i < context_.temporaries.size(); ++i) {
      declared.push_back({Declare{context_.temporaries[i], {}}, span});
    }
    context_.temporaries.resize(known);
    body.insert(body.begin() + static_cast<std::ptrdiff_t>(first), std::make_move_iterator(declared.begin()),
                std::make_move_iterator(declared.end()));
  }

  void body(const Body& from, Body& to) {
    for (const Stmt& stmt : from) {
      const std::size_t first = to.size();
      const std::size_t known = context_.temporaries.size();
      std::visit([&](const auto& node) { statement(node, stmt.span, to); }, stmt.node);
      add_temporaries(known, to, first, stmt.span);
    }
  }

  void statement(const Evaluate& node, SourceSpan span, Body& to) { to.push_back({Evaluate{effect(node.expression)}, span}); }

  void statement(const Declare& node, SourceSpan span, Body& to) {
    if (from_.variables[node.variable].type.record != nullptr && from_.variables[node.variable].type.is_array()) {
      declare(node.variable, span, to);
      return;
    }
    std::vector<ExprId> values;
    for (const ExprId id : node.values) {
      values.push_back(value(id));
    }
    to.push_back({Declare{variables_[node.variable], std::move(values)}, span});
  }

  void statement(const Block& node, SourceSpan span, Body& to) {
    Block block;
    body(node.body, block.body);
    to.push_back({std::move(block), span});
  }

  void statement(const If& node, SourceSpan span, Body& to) {
    If result;
    result.condition = value(node.condition);
    body(node.then, result.then);
    body(node.otherwise, result.otherwise);
    to.push_back({std::move(result), span});
  }

  void statement(const Loop& node, SourceSpan span, Body& to) {
    Loop loop;
    loop.kind = node.kind;
    body(node.init, loop.init);
    if (node.condition) {
      loop.condition = value(*node.condition);
    }
    if (node.step) {
      loop.step = effect(*node.step);
    }
    body(node.body, loop.body);
    to.push_back({std::move(loop), span});
  }

  void statement(const Switch& node, SourceSpan span, Body& to) {
    Switch result;
    result.value = value(node.value);
    for (const SwitchSection& section : node.sections) {
      result.sections.push_back({section.values, section.is_default, {}, section.span});
      body(section.body, result.sections.back().body);
    }
    to.push_back({std::move(result), span});
  }

  void statement(const Return& node, SourceSpan span, Body& to) {
    if (!node.value || !old(*node.value).type.is_record()) {
      to.push_back({Return{node.value ? std::optional(value(*node.value)) : std::nullopt}, span});
      return;
    }
    const Type type = record_type(from_.result.record);
    RecordPlace source = place(*node.value);
    const ExprId pointer = variable(context_, *result_, span);
    const ExprId memory = add(context_, Subscript{pointer, add_integer(context_, 0, ScalarType::Long, span)}, words_.lowered(type), span);
    std::vector<ExprId> effects;
    copy({.type = type, .memory = memory}, source, span, effects);
    to.push_back({Evaluate{sequence(context_, effects)}, span});
    to.push_back({Return{}, span});
  }

  void statement(const CrevCall& node, SourceSpan span, Body& to) {
    std::vector<ExprId> before;
    Call made = call({node.function, node.arguments}, before);
    if (!before.empty()) {
      to.push_back({Evaluate{sequence(context_, before)}, span});
    }
    to.push_back({CrevCall{made.function, std::move(made.arguments)}, span});
  }

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
  std::vector<Old> olds_;                           ///< of the assignments that are being made, innermost last
};

/// A __constant object of bytes as one of words.
void fold_constant(const RecordWords& words, Constant& constant) {
  const Type type = words.lowered(constant.type);
  const std::uint64_t size = lockstep::size_of(type.scalar);
  std::vector<std::uint64_t> values(constant.values.size() / size);
  for (std::size_t i = 0; i < constant.values.size(); ++i) {
    values[i / size] |= constant.values[i] << (8 * (i % size));
  }
  for (std::uint64_t& value : values) {
    value = ops::bits_as(type.scalar, value);
  }
  constant.values = std::move(values);
  constant.type = type;
}

}  // namespace

void fold_records(Unit& unit) {
  if (std::ranges::none_of(unit.types, [](const auto& named) { return named.second.type && named.second.type->record != nullptr; })) {
    return;
  }
  const RecordWords words(unit);
  for (Constant& constant : unit.program.constants) {
    if (constant.type.record != nullptr) {
      fold_constant(words, constant);
    }
  }
  for (Function& function : unit.program.functions) {
    function = RecordFolder(unit, words, function).run();
  }
}

}  // namespace lockstep::core::sema
