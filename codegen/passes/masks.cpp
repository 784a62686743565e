#include "codegen/passes/masks.hpp"

#include <algorithm>
#include <set>
#include <type_traits>
#include <unordered_map>

#include "codegen/passes/walk.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::passes {

namespace {

/// Who is active: all items, those where a truth value is true, or nobody any more.
struct Active {
  std::optional<Operand> mask;
  bool nobody = false;

  bool operator==(const Active&) const = default;
};

class Masks {
 public:
  explicit Masks(Assignments& assignments) : assignments_(assignments) {}

  void run() {
    Body out;
    body(assignments_.body, {}, out);
    assignments_.body = std::move(out);
  }

 private:
  VarId new_variable(const char* name, bool implicit) {
    Variable variable;
    variable.name = name;
    variable.element = infreg::truth;
    variable.is_implicit = implicit;
    assignments_.variables.push_back(std::move(variable));
    return static_cast<VarId>(assignments_.variables.size() - 1);
  }

  Operand temporary(Right right, const char* name, SourceSpan span, Body& out) {
    const VarId var = new_variable(name, /*implicit=*/true);
    out.push_back({Assign{{var, 0}, std::move(right), std::nullopt}, span});
    return Ref{var, 0};
  }

  static Operand literal(bool value) { return Literal{infreg::truth, value ? 1U : 0U}; }

  Operand negated(const Operand& operand, SourceSpan span, Body& out) {
    return temporary(Operate{Op::Eq, ScalarType::Bool, {operand, literal(false)}}, "not", span, out);
  }

  /// Those of `active` in which the condition is true.
  Active narrowed(const Active& active, const Operand& condition, SourceSpan span, Body& out) {
    return {active.mask ? temporary(Choose{*active.mask, condition, literal(false)}, "if", span, out) : condition};
  }

  /// The labels that are left from inside and do not belong to a block inside.
  static void find_escapes(const Body& statements, std::set<LabelId>& labels) {
    for (const Statement& statement : statements) {
      if (const auto* leave = std::get_if<Leave>(&statement.node)) {
        labels.insert(leave->label);
      }
      for_each_body(statement, [&](const Body& inner) { find_escapes(inner, labels); });
      if (const auto* block = std::get_if<Block>(&statement.node)) {
        labels.erase(block->label);
      }
    }
  }

  Active body(Body& statements, Active active, Body& out) {
    for (Statement& statement : statements) {
      if (active.nobody) {
        break;
      }
      active = std::visit([&](auto& node) { return lower(node, active, statement.span, out); }, statement.node);
    }
    return active;
  }

  Active lower(Assign& assign, const Active& active, SourceSpan span, Body& out) {
    const bool looks = std::holds_alternative<Load>(assign.right) || std::holds_alternative<Atomic>(assign.right) ||
                       std::holds_alternative<Shuffle>(assign.right) || std::holds_alternative<Vote>(assign.right);
    if (looks || !assignments_.variables[assign.target.var].is_implicit) {
      assign.mask = active.mask;
    }
    out.push_back({std::move(assign), span});
    return active;
  }

  Active lower(Store& store, const Active& active, SourceSpan span, Body& out) {
    store.mask = active.mask;
    out.push_back({std::move(store), span});
    return active;
  }

  Active lower(Forget& forget, const Active& active, SourceSpan span, Body& out) {
    out.push_back({forget, span});
    return active;
  }

  Active lower(If& branch, const Active& active, SourceSpan span, Body& out) {
    // The arms may assign to the variable that the condition stands in.
    const auto* ref = std::get_if<Ref>(&branch.condition);
    const bool is_fixed = ref == nullptr || assignments_.variables[ref->var].is_implicit;
    const Operand condition = is_fixed ? branch.condition : temporary(Copy{branch.condition}, "if", span, out);
    const Active then = branch.then.empty() ? Active{} : narrowed(active, condition, span, out);
    const Active after_then = branch.then.empty() ? Active{} : body(branch.then, then, out);
    if (branch.then.empty() || !(after_then == then) || !branch.otherwise.empty()) {
      const Active otherwise = narrowed(active, negated(condition, span, out), span, out);
      const Active after_otherwise = body(branch.otherwise, otherwise, out);
      const bool then_whole = branch.then.empty() || after_then == then;
      if (then_whole && after_otherwise == otherwise) {
        return active;
      }
      const Active rest = branch.then.empty() ? narrowed(active, condition, span, out) : after_then;
      if (rest.nobody || after_otherwise.nobody) {
        return rest.nobody ? after_otherwise : rest;
      }
      return {temporary(Operate{Op::BitOr, ScalarType::Bool, {*rest.mask, *after_otherwise.mask}}, "active", span, out)};
    }
    return active;
  }

  Active lower(Block& block, const Active& active, SourceSpan span, Body& out) {
    std::set<LabelId> escapes;
    find_escapes(block.body, escapes);
    escapes.erase(block.label);
    const std::size_t depth = open_.size();
    open_.push_back(block.label);
    Body inner;
    Active end = body(block.body, active, inner);
    open_.resize(depth);
    if (const auto left = left_.find(block.label); left != left_.end()) {
      out.push_back({Forget{{left->second}}, span});
      out.push_back({Assign{{left->second, 0}, Copy{literal(false)}, std::nullopt}, span});
    }
    std::ranges::move(inner, std::back_inserter(out));
    if (escapes.empty()) {
      return active;
    }
    if (end.nobody && !leaves_itself(block)) {
      return end;
    }
    Active rest = active;
    for (const LabelId label : escapes) {
      // A label that nobody can reach the leaving of has no variable.
      if (const auto left = left_.find(label); left != left_.end()) {
        rest = {temporary(Choose{Ref{left->second, 0}, literal(false), rest.mask.value_or(literal(true))}, "active", span, out)};
      }
    }
    return rest;
  }

  static bool leaves_itself(const Block& block) {
    std::set<LabelId> labels;
    find_escapes(block.body, labels);
    return labels.contains(block.label);
  }

  Active lower(Leave& leave, const Active& active, SourceSpan span, Body& out) {
    // A block or loop between here and the label's block has to know who left.
    if (open_.empty() || open_.back() != leave.label) {
      auto [entry, is_new] = left_.emplace(leave.label, 0);
      if (is_new) {
        entry->second = new_variable("left", /*implicit=*/false);
      }
      out.push_back({Assign{{entry->second, 0}, Copy{literal(true)}, active.mask}, span});
    }
    return {std::nullopt, true};
  }

  Active lower(Everywhere& everywhere, const Active& active, SourceSpan, Body& out) {
    body(everywhere.body, {}, out);
    return active;
  }

  Active lower(Loop& loop, const Active& active, SourceSpan span, Body& out) {
    const VarId live = new_variable("live", /*implicit=*/false);
    out.push_back({Forget{{live}}, span});
    out.push_back({Assign{{live, 0}, Copy{active.mask.value_or(literal(true))}, std::nullopt}, span});
    Loop lowered{{}, live};
    const Active end = body(loop.body, {Ref{live, 0}}, lowered.body);
    lowered.body.push_back({Assign{{live, 0}, Copy{end.nobody ? literal(false) : *end.mask}, std::nullopt}, span});
    out.push_back({std::move(lowered), span});
    return {std::nullopt, true};
  }

  Active lower(For& loop, const Active& active, SourceSpan span, Body& out) {
    Body inner;
    body(loop.body, active, inner);
    loop.body = std::move(inner);
    loop.guard = active.mask;
    out.push_back({std::move(loop), span});
    return active;
  }

  Assignments& assignments_;
  std::vector<LabelId> open_;  ///< blocks around, innermost last
  std::unordered_map<LabelId, VarId> left_;
};

}  // namespace

void propagate_masks(Assignments& assignments) { Masks(assignments).run(); }

}  // namespace lockstep::passes
