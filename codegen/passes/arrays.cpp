#include "codegen/passes/arrays.hpp"

#include <vector>

#include "codegen/passes/kinds.hpp"
#include "codegen/passes/walk.hpp"

namespace lockstep::passes {

namespace {

/// Lanes of one group beyond which an array is no value any more.
constexpr std::uint64_t most_lanes = std::uint64_t{1} << 14;

/// An index in terms of the item's number and of what the whole pack has alike.
bool is_known(const Assignments& assignments, const Polynomial& index) {
  for (const infreg::Monomial& term : index.terms()) {
    for (const Symbol symbol : term.factors) {
      const bool is_good = symbol.kind == Symbol::Kind::Item ||
                           (symbol.kind == Symbol::Kind::Value && assignments.variables[symbol.value].kind == Layout::Kind::Pack);
      if (!is_good) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

void promote_arrays(Assignments& assignments) {
  std::vector<bool> promoted;
  for (const infreg::Object& object : assignments.objects) {
    promoted.push_back(object.space == AddressSpace::Private && object.count * assignments.wg_size <= most_lanes);
  }
  const auto object_of = [](const Place& place) {
    const auto* base = std::get_if<OfObject>(&place.base);
    return base == nullptr ? std::nullopt : std::optional(base->id);
  };
  for_each_statement(assignments.body, [&](const Statement& statement) {
    if (const auto* store = std::get_if<Store>(&statement.node)) {
      if (const auto object = object_of(store->place); object && !is_known(assignments, store->place.index)) {
        promoted[*object] = false;
      }
    } else if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      const auto* load = std::get_if<Load>(&assign->right);
      const auto* address = std::get_if<Address>(&assign->right);
      if (load != nullptr) {
        if (const auto object = object_of(load->place); object && !is_known(assignments, load->place.index)) {
          promoted[*object] = false;
        }
      } else if (address != nullptr) {
        if (const auto object = object_of(address->place)) {
          promoted[*object] = false;
        }
      }
    }
  });

  std::vector<VarId> variables(promoted.size());
  for (ObjectId object = 0; object < promoted.size(); ++object) {
    if (promoted[object]) {
      Variable variable;
      variable.name = assignments.objects[object].name;
      variable.element = Element::of(assignments.objects[object].element);
      variable.count = static_cast<std::uint32_t>(assignments.objects[object].count);
      variable.is_array = true;
      variables[object] = static_cast<VarId>(assignments.variables.size());
      assignments.variables.push_back(std::move(variable));
    }
  }
  for_each_statement(assignments.body, [&](Statement& statement) {
    if (auto* store = std::get_if<Store>(&statement.node)) {
      if (const auto object = object_of(store->place); object && promoted[*object]) {
        statement.node = Assign{{variables[*object], store->place.index}, Copy{store->value}, store->mask};
      }
    } else if (auto* assign = std::get_if<Assign>(&statement.node)) {
      if (const auto* load = std::get_if<Load>(&assign->right)) {
        if (const auto object = object_of(load->place); object && promoted[*object]) {
          assign->right = Copy{Ref{variables[*object], load->place.index}};
        }
      }
    } else if (auto* forget = std::get_if<Forget>(&statement.node)) {
      if (const auto* object = std::get_if<OfObject>(&forget->what); object != nullptr && promoted[object->id]) {
        forget->what = variables[object->id];
      }
    }
  });
}

}  // namespace lockstep::passes
