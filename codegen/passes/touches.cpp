#include "codegen/passes/touches.hpp"

#include <algorithm>

#include "codegen/passes/meeting.hpp"
#include "codegen/passes/walk.hpp"

namespace lockstep::passes {

namespace {

class Collector {
 public:
  Collector(const Assignments& in, const For& loop) : in_(in), loop_(loop) {}

  std::optional<Touches> run() {
    for (const Statement& statement : loop_.body) {
      if (const auto* assign = std::get_if<Assign>(&statement.node); assign != nullptr && !in_.variables[assign->target.var].is_array) {
        touches_.own.insert(assign->target.var);
      }
    }
    for (std::size_t i = 0; i < loop_.body.size(); ++i) {
      const Statement& statement = loop_.body[i];
      bool possible = true;
      for_each_read(statement, [&](VarId var) { possible = possible && (!touches_.own.contains(var) || begun_.contains(var)); });
      for_each_operand_of(statement, [&](const Operand& operand) {
        if (const auto* ref = std::get_if<Ref>(&operand); ref != nullptr && in_.variables[ref->var].is_array) {
          touches_.arrays[ref->var].push_back({i, false, ref->index});
        }
      });
      if (!possible || !std::visit([&](const auto& node) { return collect(node, i); }, statement.node)) {
        return std::nullopt;
      }
    }
    return std::move(touches_);
  }

 private:
  bool collect(const Assign& assign, std::size_t i) {
    const VarId var = assign.target.var;
    const Variable& target = in_.variables[var];
    if (target.is_array) {
      touches_.arrays[var].push_back({i, true, assign.target.index});
    } else if (target.is_implicit) {
      begun_.insert(var);
    } else if (!begun_.contains(var)) {
      return false;  // its value goes from round to round
    }
    if (const auto* shuffle = std::get_if<Shuffle>(&assign.right)) {
      const auto* lane = std::get_if<Number>(&shuffle->lane);
      return lane != nullptr && !touches_.is_changed(lane->value) && !lane->value.mentions(Symbol::group()) &&
             is_pack_known(in_, lane->value);
    }
    if (const auto* resolve = std::get_if<Resolve>(&assign.right)) {
      return std::ranges::none_of(resolve->all_of,
                                  [&](const auto& c) { return touches_.is_changed(c.left) || touches_.is_changed(c.right); });
    }
    if (const auto* load = std::get_if<Load>(&assign.right)) {
      return touch(load->place, i, false);
    }
    return !std::holds_alternative<Vote>(assign.right) && !std::holds_alternative<Atomic>(assign.right);
  }

  bool collect(const Store& store, std::size_t i) { return touch(store.place, i, true); }

  bool collect(const Forget& forget, std::size_t) {
    const auto* var = std::get_if<VarId>(&forget.what);
    if (var == nullptr || in_.variables[*var].is_array) {
      return false;
    }
    begun_.insert(*var);
    return true;
  }

  template <class Node>
  bool collect(const Node&, std::size_t) {
    return false;
  }

  bool touch(const Place& place, std::size_t i, bool writes) {
    if (std::holds_alternative<Operand>(place.base)) {
      return false;
    }
    const auto slope = place.index.slope(Symbol::of(loop_.var));
    const auto across = place.index.slope(Symbol::item());
    if (!slope || !across) {
      return false;
    }
    // Rounds that lie apart in memory while the items lie together are better done one by one.
    if (*across == Polynomial(1) && !(*slope == Polynomial(0)) && !(*slope == Polynomial(1))) {
      return false;
    }
    touches_.memory.push_back({place, {i, writes, place.index}});
    return true;
  }

  const Assignments& in_;
  const For& loop_;
  std::set<VarId> begun_;
  Touches touches_;
};

}  // namespace

bool Touches::is_changed(const Polynomial& polynomial) const {
  bool changed = false;
  polynomial.for_each_value([&](VarId var) { changed = changed || own.contains(var); });
  return changed;
}

std::optional<Touches> touches_of(const Assignments& assignments, const For& loop) { return Collector(assignments, loop).run(); }

bool may_be_same_memory(const Assignments& assignments, const Place& a, const Place& b) {
  if (a.base.index() != b.base.index()) {
    return false;
  }
  if (const auto* object = std::get_if<OfObject>(&a.base)) {
    return *object == std::get<OfObject>(b.base);
  }
  const auto is_restrict = [&](const Place& place) {
    const auto* parameter = std::get_if<OfParameter>(&place.base);
    return parameter != nullptr && assignments.parameters[parameter->id].is_restrict;
  };
  return a.base == b.base || (cell_type(a.element) == cell_type(b.element) && !is_restrict(a) && !is_restrict(b));
}

bool is_pack_known(const Assignments& assignments, const Polynomial& polynomial) {
  return std::ranges::all_of(polynomial.terms(), [&](const infreg::Monomial& term) {
    return std::ranges::all_of(term.factors, [&](Symbol symbol) {
      return symbol.kind != Symbol::Kind::Value || assignments.variables[symbol.value].kind == Layout::Kind::Pack;
    });
  });
}

}  // namespace lockstep::passes
