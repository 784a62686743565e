#include "codegen/passes/kinds.hpp"

#include <algorithm>
#include <type_traits>

#include "codegen/passes/walk.hpp"

namespace lockstep::passes {

namespace {

using Kind = Layout::Kind;

Kind join(Kind a, Kind b) { return std::max(a, b); }

class Kinds {
 public:
  explicit Kinds(Assignments& assignments) : assignments_(assignments) {}

  void run() {
    for (Variable& variable : assignments_.variables) {
      variable.kind = variable.is_array ? Kind::Group : Kind::Pack;  // the pack has single numbers only
    }
    do {
      changed_ = false;
      body(assignments_.body);
    } while (changed_);
  }

 private:
  void raise(VarId var, Kind kind) {
    Kind& present = assignments_.variables[var].kind;
    if (join(present, kind) != present) {
      present = join(present, kind);
      changed_ = true;
    }
  }

  void body(const Body& statements) {
    for (const Statement& statement : statements) {
      if (const auto* assign = std::get_if<Assign>(&statement.node)) {
        Kind kind = join(kind_of(assignments_, assign->right), kind_of(assignments_, assign->target.index));
        if (assign->mask.has_value()) {
          kind = join(kind, kind_of(assignments_, *assign->mask));
        }
        raise(assign->target.var, kind);
      }
      for_each_body(statement, [&](const Body& inner) { body(inner); });
    }
  }

  Assignments& assignments_;
  bool changed_ = false;
};

}  // namespace

Kind kind_of(const Assignments& assignments, const Polynomial& polynomial) {
  Kind kind = Kind::Pack;
  for (const infreg::Monomial& term : polynomial.terms()) {
    for (const Symbol symbol : term.factors) {
      kind = join(kind, symbol.kind == Symbol::Kind::Value   ? assignments.variables[symbol.value].kind
                        : symbol.kind == Symbol::Kind::Group ? Kind::Group
                                                             : Kind::Item);
    }
  }
  return kind;
}

Kind kind_of(const Assignments& assignments, const Operand& operand) {
  return std::visit(
      [&](const auto& o) {
        using O = std::decay_t<decltype(o)>;
        if constexpr (std::is_same_v<O, Literal>) {
          return Kind::Pack;
        } else if constexpr (std::is_same_v<O, Number>) {
          return kind_of(assignments, o.value);
        } else {
          return join(assignments.variables[o.var].kind, kind_of(assignments, o.index));
        }
      },
      operand);
}

Kind kind_of(const Assignments& assignments, const Place& place) {
  Kind kind = kind_of(assignments, place.index);
  if (const auto* pointer = std::get_if<Operand>(&place.base)) {
    return join(kind, kind_of(assignments, *pointer));
  }
  if (const auto* object = std::get_if<OfObject>(&place.base)) {
    const AddressSpace space = assignments.objects[object->id].space;
    kind = join(kind, space == AddressSpace::Private ? Kind::Item : space == AddressSpace::Local ? Kind::Group : Kind::Pack);
  }
  return kind;
}

Kind kind_of(const Assignments& assignments, const Right& right) {
  return std::visit(
      [&](const auto& r) {
        using R = std::decay_t<decltype(r)>;
        if constexpr (std::is_same_v<R, Copy> || std::is_same_v<R, Convert> || std::is_same_v<R, Bitcast>) {
          return kind_of(assignments, r.source);
        } else if constexpr (std::is_same_v<R, Operate>) {
          Kind kind = Kind::Pack;
          for (const Operand& operand : r.operands) {
            kind = join(kind, kind_of(assignments, operand));
          }
          return kind;
        } else if constexpr (std::is_same_v<R, Choose>) {
          return join(kind_of(assignments, r.condition), join(kind_of(assignments, r.then), kind_of(assignments, r.otherwise)));
        } else if constexpr (std::is_same_v<R, Resolve>) {
          Kind kind = Kind::Pack;
          for (const infreg::Mask::Comparison& comparison : r.all_of) {
            kind = join(kind, join(kind_of(assignments, comparison.left), kind_of(assignments, comparison.right)));
          }
          return kind;
        } else if constexpr (std::is_same_v<R, Shuffle>) {
          // What all items of a group take from one item is the same for all of them.
          const Kind source = kind_of(assignments, r.source);
          const bool is_one_lane = std::holds_alternative<Number>(r.lane) && kind_of(assignments, r.lane) == Kind::Pack;
          return is_one_lane ? std::min(source, Kind::Group) : source;
        } else if constexpr (std::is_same_v<R, NumGroups>) {
          return Kind::Pack;
        } else if constexpr (std::is_same_v<R, Vote>) {
          return Kind::Group;
        } else if constexpr (std::is_same_v<R, Atomic>) {
          return Kind::Item;  // each item does it, and finds what others have left
        } else if constexpr (std::is_same_v<R, Load> || std::is_same_v<R, Address>) {
          return kind_of(assignments, r.place);
        } else {
          return join(kind_of(assignments, r.left), kind_of(assignments, r.right));
        }
      },
      right);
}

void find_kinds(Assignments& assignments) { Kinds(assignments).run(); }

}  // namespace lockstep::passes
