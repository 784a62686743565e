#include "semantics/core/control.hpp"

#include <type_traits>
#include <utility>
#include <variant>

namespace lockstep::core {

namespace {

const Literal* literal(const Function& function, ExprId id) { return std::get_if<Literal>(&function.at(id).node); }

class Analysis {
 public:
  explicit Analysis(const Function& function) : function_(function) {}

  ControlFacts run() {
    const Exits exits = body(function_.body, facts_.function);
    facts_.function.returns = exits.returns;
    facts_.falls = exits.falls;
    if (returns_ == 1) {
      const Body* tail = &function_.body;
      while (!tail->empty() && std::holds_alternative<Block>(tail->back().node)) {
        tail = &std::get<Block>(tail->back().node).body;
      }
      if (!tail->empty() && std::holds_alternative<Return>(tail->back().node) && facts_.exits.contains(&tail->back())) {
        facts_.only_return = &tail->back();
      }
    }
    return std::move(facts_);
  }

 private:
  Exits body(const Body& statements, RegionFacts& region) {
    Exits all;
    for (std::size_t i = 0; i < statements.size() && all.falls; ++i) {
      const Exits exits = statement(statements[i], region);
      all.breaks |= exits.breaks;
      all.continues |= exits.continues;
      all.returns |= exits.returns;
      all.falls = exits.falls;
      if (exits.leaves() && exits.falls && i + 1 < statements.size()) {
        region.guards = true;
      }
    }
    return all;
  }

  Exits statement(const Stmt& statement, RegionFacts& region) {
    const Exits exits = std::visit([&](const auto& node) { return of(node, statement, region); }, statement.node);
    facts_.exits.emplace(&statement, exits);
    return exits;
  }

  Exits of(const Block& block, const Stmt&, RegionFacts& region) { return body(block.body, region); }
  Exits of(const If& node, const Stmt&, RegionFacts& region) {
    const Exits then = body(node.then, region);
    const Exits otherwise = body(node.otherwise, region);
    return {then.breaks || otherwise.breaks, then.continues || otherwise.continues, then.returns || otherwise.returns,
            then.falls || otherwise.falls};
  }
  Exits of(const Loop& loop, const Stmt& statement, RegionFacts& region) {
    body(loop.init, region);
    RegionFacts own;
    const Exits exits = body(loop.body, own);
    own.breaks = exits.breaks;
    own.continues = exits.continues;
    own.returns = exits.returns;
    Exits out{false, false, exits.returns, exits.breaks};
    if (loop.kind == Loop::Kind::DoWhile) {
      out.falls |= (exits.falls || exits.continues) && (real_condition(function_, loop) || runs_once(function_, loop));
    } else {
      out.falls |= real_condition(function_, loop).has_value();
    }
    facts_.regions.emplace(&statement, std::move(own));
    return out;
  }
  Exits of(const Switch& node, const Stmt& statement, RegionFacts&) {
    RegionFacts own;
    Exits out{false, false, false, true};
    bool has_default = false;
    bool last_falls = true;
    for (std::size_t k = 0; k < node.sections.size(); ++k) {
      const Exits exits = body(node.sections[k].body, own);
      own.breaks |= exits.breaks;
      own.returns |= exits.returns;
      out.continues |= exits.continues;
      own.guards |= exits.falls && k + 1 < node.sections.size();
      own.section_falls.push_back(exits.falls);
      has_default |= node.sections[k].is_default;
      last_falls = exits.falls;
    }
    out.returns = own.returns;
    out.falls = own.breaks || last_falls || !has_default;
    facts_.regions.emplace(&statement, std::move(own));
    return out;
  }
  Exits of(const Break&, const Stmt&, RegionFacts&) { return {true, false, false, false}; }
  Exits of(const Continue&, const Stmt&, RegionFacts&) { return {false, true, false, false}; }
  Exits of(const Return&, const Stmt&, RegionFacts&) {
    ++returns_;
    return {false, false, true, false};
  }
  template <class Other>
  Exits of(const Other&, const Stmt&, RegionFacts&) {
    return {};
  }

  const Function& function_;
  ControlFacts facts_;
  std::size_t returns_ = 0;
};

}  // namespace

bool runs_once(const Function& function, const Loop& loop) {
  if (loop.kind != Loop::Kind::DoWhile || !loop.condition) {
    return false;
  }
  const Literal* number = literal(function, *loop.condition);
  return number != nullptr && number->bits == 0;
}

std::optional<ExprId> real_condition(const Function& function, const Loop& loop) {
  if (!loop.condition) {
    return std::nullopt;
  }
  const Type& type = function.at(*loop.condition).type;
  const Literal* number = literal(function, *loop.condition);
  const bool is_true = number != nullptr && type.is_scalar() && is_integer(type.scalar) && number->bits != 0;
  return is_true ? std::nullopt : loop.condition;
}

ControlFacts analyse_control(const Function& function) { return Analysis(function).run(); }

}  // namespace lockstep::core
