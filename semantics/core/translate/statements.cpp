#include "semantics/core/translate/statements.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "semantics/core/control.hpp"
#include "semantics/core/translate/crev.hpp"
#include "semantics/core/translate/expressions.hpp"
#include "semantics/core/translate/facts.hpp"
#include "semantics/core/translate/value_types.hpp"

namespace lockstep::core::translation {

namespace {

using Flag = std::optional<typed::RegisterId>;

/// What a break, continue or return may lead out of. A flag is an int register: 1 while the item takes part. Leaving clears the flags of
/// everything that is left; one that nobody asks for does not exist.
struct Region {
  enum class Kind : std::uint8_t { Function, Loop, Switch };
  Kind kind = Kind::Function;
  Flag stays;           ///< cleared by what leaves the region for good: return in a function, break and return in a loop or switch
  Flag round;           ///< of a loop: cleared by all that, and by continue; set again in each round
  bool is_tail = true;  ///< at the present place: nothing in the region follows that asks for its guard

  /// Whom the rest of a block directly in this region asks for.
  Flag guard() const { return round ? round : stays; }
};

class Statements {
 public:
  Statements(const Function& function, Ending ending, const std::vector<bool>& poison_parameters, typed::FunctionId id,
             typed::Program& program, Module& module, Emitter& emitter)
      : function_(function),
        ending_(ending),
        module_(module),
        emitter_(emitter),
        control_(analyse_control(function)),
        facts_(analyse_values(function, control_, poison_parameters)),
        homes_(make_homes(id, program)),
        expressions_(emitter, module, function, facts_, homes_) {}

  void run() {
    copy_exposed_parameters();
    regions_.push_back({Region::Kind::Function, new_flag(control_.function.guards, function_.span), {}, true});
    if (!function_.result.is_void() && ending_.gives_value && control_.only_return == nullptr) {
      result_ = emitter_.add_own_register("result", value_type(function_.result), function_.span, !control_.falls);
    }
    body(function_.body);
    if (ending_.is_entry) {
      emitter_.emit(typed::Stop{}, function_.span);
    } else {
      std::optional<typed::Expr> value;
      if (result_) {
        value = expressions_.register_value(*result_, function_.span);
      }
      emitter_.emit(typed::Return{std::move(value)}, function_.span);
    }
  }

 private:
  // ---- variables ----

  std::vector<Home> make_homes(typed::FunctionId id, typed::Program& program) {
    program.functions[id].registers.clear();
    std::vector<Home> homes(function_.variables.size());
    for (VarId variable = 0; variable < function_.parameter_count; ++variable) {
      homes[variable] = {Home::Kind::Register, emitter_.add_register(register_info(variable, false))};
    }
    for (VarId variable = 0; variable < function_.variables.size(); ++variable) {
      const bool is_array = function_.variables[variable].type.is_array() || facts_.variables[variable].exposed;
      if (function_.variables[variable].space == AddressSpace::Local) {
        homes[variable] = {Home::Kind::Object, module_.local_object(function_, variable)};
      } else if (is_array) {
        homes[variable] = {Home::Kind::Array, emitter_.add_register(register_info(variable, true))};
      } else if (variable >= function_.parameter_count) {
        homes[variable] = {Home::Kind::Register, emitter_.add_register(register_info(variable, false))};
      }
    }
    return homes;
  }

  typed::RegisterInfo register_info(VarId id, bool is_array) const {
    const Variable& variable = function_.variables[id];
    typed::RegisterInfo info;
    info.name = variable.name;
    info.type = value_type(variable.type);
    info.variable = variable.name;
    info.span = variable.span;
    info.always_written = facts_.variables[id].always_written || id < function_.parameter_count;
    if (is_array) {
      info.count = 1;
      for (const std::uint64_t extent : variable.type.extents) {
        *info.count *= extent;
      }
      if (variable.type.extents.size() > 1) {
        info.extents = variable.type.extents;
      }
    }
    return info;
  }

  /// Arguments arrive in plain registers; a parameter whose address is taken lives in an array.
  void copy_exposed_parameters() {
    for (VarId id = 0; id < function_.parameter_count; ++id) {
      if (homes_[id].kind == Home::Kind::Array) {
        const SourceSpan span = function_.variables[id].span;
        const typed::Expr zero = Expressions::constant(long_type, 0, span);
        emitter_.emit(typed::Assign{{homes_[id].id, zero, span}, expressions_.register_value(id, span)}, span);
      }
    }
  }

  // ---- flags and guards ----

  Flag new_flag(bool is_needed, SourceSpan span) {
    if (!is_needed) {
      return std::nullopt;
    }
    const typed::RegisterId flag = emitter_.add_own_register("live", int_type, span);
    set(flag, 1, span);
    return flag;
  }

  void set(Flag flag, std::uint64_t value, SourceSpan span) {
    if (flag) {
      emitter_.emit(typed::Assign{{*flag, {}, span}, Expressions::constant(int_type, value, span)}, span);
    }
  }

  void leave(const Region& region, SourceSpan span) {
    if (!region.is_tail) {
      set(region.round, 0, span);
    }
    if (!region.is_tail || region.kind == Region::Kind::Loop) {  // a loop's own branch asks for it, too
      set(region.stays, 0, span);
    }
  }

  void of(const Break&, const Stmt& statement) { leave(regions_.back(), statement.span); }
  void of(const Continue&, const Stmt& statement) {
    std::size_t target = regions_.size() - 1;
    for (; regions_[target].kind == Region::Kind::Switch; --target) {
      leave(regions_[target], statement.span);
    }
    if (!regions_[target].is_tail) {
      set(regions_[target].round, 0, statement.span);
    }
  }
  void of(const Return& node, const Stmt& statement) {
    if (&statement == control_.only_return) {
      std::optional<typed::Expr> value;
      if (node.value) {
        value = expressions_.value(*node.value);
      }
      if (!ending_.is_entry) {
        emitter_.emit(typed::Return{std::move(value)}, statement.span);
      }
      return;
    }
    if (node.value && ending_.gives_value) {
      expressions_.assign(*result_, *node.value, statement.span);
    } else if (node.value) {
      expressions_.effect(*node.value);
    }
    for (auto region = regions_.rbegin(); region != regions_.rend(); ++region) {
      leave(*region, statement.span);
    }
  }

  /// What follows a statement that may leave is for those who have not left.
  void body(const Body& statements) {
    std::vector<std::pair<Mark, SourceSpan>> guards;
    const bool is_tail = regions_.back().is_tail;
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const Stmt& next = statements[i];
      const auto exits = control_.exits.find(&next);
      if (exits == control_.exits.end()) {
        break;  // no path leads here
      }
      regions_.back().is_tail = is_tail && (i + 1 == statements.size() || !exits->second.falls);
      statement(next);
      if (exits->second.leaves() && exits->second.falls && i + 1 < statements.size()) {
        const SourceSpan span = next.span;
        guards.emplace_back(emitter_.mark("Rest", emitter_.next_construct()), span);
        emitter_.branch_zero(expressions_.register_value(*regions_.back().guard(), span), guards.back().first, span);
      }
    }
    regions_.back().is_tail = is_tail;
    for (; !guards.empty(); guards.pop_back()) {
      emitter_.bind(guards.back().first);
      emitter_.emit(typed::Sync{}, guards.back().second);
    }
  }

  // ---- statements ----

  void statement(const Stmt& statement) {
    std::visit([&](const auto& node) { of(node, statement); }, statement.node);
    expressions_.end_statement();
  }

  void of(const Evaluate& node, const Stmt&) { expressions_.effect(node.expression); }

  void of(const Declare& node, const Stmt& statement) {
    const Home& home = homes_[node.variable];
    if (home.kind == Home::Kind::Object) {
      return;
    }
    if (node.values.empty()) {
      // In a new frame every register is uninitialised; only a declaration that is met again has something to forget.
      if (loop_depth_ > 0 && !facts_.variables[node.variable].always_written) {
        emitter_.emit(typed::Forget{home.id}, statement.span);
      }
    } else if (home.kind == Home::Kind::Register) {
      expressions_.assign(home.id, node.values.front(), statement.span);
    } else {
      for (std::size_t k = 0; k < node.values.size(); ++k) {
        expressions_.assign_element(home.id, k, node.values[k], statement.span);
        expressions_.end_statement();
      }
    }
  }

  void of(const Block& node, const Stmt&) { body(node.body); }

  void of(const If& node, const Stmt&) {
    const SourceSpan head = function_.at(node.condition).span;
    const unsigned construct = emitter_.next_construct();
    const Mark otherwise = emitter_.mark("Else", construct);
    const Mark join = emitter_.mark("Join", construct);
    emitter_.branch_zero(expressions_.condition(node.condition), node.otherwise.empty() ? join : otherwise, head);
    expressions_.end_statement();
    body(node.then);
    if (!node.otherwise.empty()) {
      emitter_.jump(join, head);
      emitter_.bind(otherwise);
      body(node.otherwise);
    }
    emitter_.bind(join);
    emitter_.emit(typed::Sync{}, head);
  }

  void of(const Loop& node, const Stmt& statement) {
    for (const Stmt& init : node.init) {
      this->statement(init);
    }
    const RegionFacts& facts = control_.regions.at(&statement);
    const SourceSpan head = node.condition ? function_.at(*node.condition).span : statement.span;
    if (runs_once(function_, node)) {
      regions_.push_back({Region::Kind::Loop, {}, new_flag(facts.guards, head), true});  // break and continue are the same
      body(node.body);
      regions_.pop_back();
      return;
    }
    const bool is_left = facts.breaks || facts.returns;
    const bool has_rounds = facts.guards && facts.continues;
    regions_.push_back({Region::Kind::Loop, new_flag(is_left, head), {}, true});
    if (has_rounds) {
      regions_.back().round = emitter_.add_own_register("round", int_type, head);
    }
    ++loop_depth_;
    if (node.kind == Loop::Kind::DoWhile) {
      do_while(node, head);
    } else {
      while_loop(node, head);
    }
    --loop_depth_;
    regions_.pop_back();
  }

  /// Whether an item goes on, as for `bz`; empty if all do. The condition is evaluated by those who have not left.
  std::optional<typed::Expr> loop_condition(const Loop& node, SourceSpan head) {
    const std::optional<ExprId> condition = real_condition(function_, node);
    const Flag stays = regions_.back().stays;
    if (!condition) {
      return stays ? std::optional(expressions_.register_value(*stays, head)) : std::nullopt;
    }
    return stays ? expressions_.guarded_condition(*stays, *condition) : expressions_.condition(*condition);
  }

  void while_loop(const Loop& node, SourceSpan head) {
    const unsigned construct = emitter_.next_construct();
    const Mark again = emitter_.mark("Loop", construct);
    const Mark end = emitter_.mark("End", construct);
    emitter_.bind(again);
    std::optional<typed::Expr> goes_on = loop_condition(node, head);
    if (goes_on) {
      emitter_.branch_zero(std::move(*goes_on), end, head);
    }
    expressions_.end_statement();
    set(regions_.back().round, 1, head);
    body(node.body);
    if (node.step) {
      step(*node.step);
    }
    emitter_.jump(again, head);
    emitter_.bind(end);
    emitter_.emit(typed::Sync{}, head);
  }

  /// Items that left with continue wait here; those that left for good stay away.
  void step(ExprId id) {
    const Flag stays = regions_.back().stays;
    const SourceSpan span = function_.at(id).span;
    if (!stays) {
      expressions_.effect(id);
      return expressions_.end_statement();
    }
    const Mark behind = emitter_.mark("Step", emitter_.next_construct());
    emitter_.branch_zero(expressions_.register_value(*stays, span), behind, span);
    expressions_.effect(id);
    expressions_.end_statement();
    emitter_.bind(behind);
    emitter_.emit(typed::Sync{}, span);
  }

  /// The branch stands at the end: `bz !e, Loop`, and behind it the sync at which those who are done wait.
  void do_while(const Loop& node, SourceSpan head) {
    const Mark again = emitter_.mark("Loop", emitter_.next_construct());
    emitter_.bind(again);
    set(regions_.back().round, 1, head);
    body(node.body);
    std::optional<typed::Expr> goes_on = loop_condition(node, head);
    if (!goes_on) {
      return emitter_.jump(again, head);
    }
    const ScalarType type = goes_on->type().scalar;
    goes_on->nodes.push_back({typed::Operation{Op::LogicalNot, type, false}, int_type, head});
    emitter_.branch_zero(std::move(*goes_on), again, head);
    emitter_.emit(typed::Sync{}, head);
    expressions_.end_statement();
  }

  /// Sections in the order of the text, each for the items whose value it names and those that fall into it.
  void of(const Switch& node, const Stmt& statement) {
    if (node.sections.empty()) {
      return expressions_.effect(node.value);
    }
    const SourceSpan head = function_.at(node.value).span;
    const RegionFacts& facts = control_.regions.at(&statement);
    const typed::ValueType type = value_type(function_.at(node.value).type);
    const typed::RegisterId value = emitter_.add_own_register("switch", type, head);
    expressions_.assign(value, node.value, head);
    expressions_.end_statement();
    regions_.push_back({Region::Kind::Switch, {}, {}, true});
    if (facts.guards) {
      regions_.back().stays = emitter_.add_own_register("live", int_type, head);
    }
    const Flag runs = regions_.back().stays;
    for (std::size_t k = 0; k < node.sections.size(); ++k) {
      const SwitchSection& section = node.sections[k];
      typed::Expr enters = matches(node, section, value, type);
      if (runs) {
        if (k > 0 && facts.section_falls[k - 1]) {
          enters.nodes.insert(enters.nodes.begin(), {typed::Register{*runs}, int_type, section.span});
          enters.nodes.push_back({typed::Operation{Op::LogicalOr, ScalarType::Int, false}, int_type, section.span});
        }
        emitter_.emit(typed::Assign{{*runs, {}, section.span}, std::move(enters)}, section.span);
        enters = expressions_.register_value(*runs, section.span);
      }
      const Mark next = emitter_.mark("Case", emitter_.next_construct());
      emitter_.branch_zero(std::move(enters), next, section.span);
      regions_.back().is_tail = k + 1 == node.sections.size() || !facts.section_falls[k];
      body(section.body);
      emitter_.bind(next);
      emitter_.emit(typed::Sync{}, section.span);
    }
    regions_.pop_back();
  }

  /// 1 for the items that come to this section from the head of the switch.
  static typed::Expr matches(const Switch& node, const SwitchSection& section, typed::RegisterId value, typed::ValueType type) {
    typed::Expr result;
    const auto add = [&](const SwitchSection& labels) {
      for (const std::uint64_t bits : labels.values) {
        const bool is_first = result.nodes.empty();
        result.nodes.push_back({typed::Register{value}, type, section.span});
        result.nodes.push_back({typed::Constant{bits}, type, section.span});
        result.nodes.push_back({typed::Operation{Op::Eq, type.scalar, false}, int_type, section.span});
        if (!is_first) {
          result.nodes.push_back({typed::Operation{Op::LogicalOr, ScalarType::Int, false}, int_type, section.span});
        }
      }
    };
    if (!section.is_default) {
      add(section);
      return result;
    }
    for (const SwitchSection& other : node.sections) {
      if (&other != &section) {
        add(other);
      }
    }
    if (result.nodes.empty()) {
      return Expressions::constant(int_type, 1, section.span);
    }
    result.nodes.push_back({typed::Operation{Op::LogicalNot, ScalarType::Int, false}, int_type, section.span});
    return result;
  }

  void of(const CrevCall& node, const Stmt& statement) {
    const std::vector<typed::RegisterId> arguments = expressions_.registers_of(node.arguments);
    crev_call(module_.function(node.function, false), arguments, statement.span, module_, emitter_);
  }

  void of(const Barrier& node, const Stmt& statement) { emitter_.emit(typed::Barrier{node.fences}, statement.span); }

  const Function& function_;
  const Ending ending_;
  Module& module_;
  Emitter& emitter_;
  const ControlFacts control_;
  const ValueFacts facts_;
  const std::vector<Home> homes_;
  Expressions expressions_;
  std::vector<Region> regions_;
  Flag result_;  // where the value of a return waits for the function's end
  unsigned loop_depth_ = 0;
};

}  // namespace

void translate_function(const Function& function, Ending ending, const std::vector<bool>& poison_parameters, typed::FunctionId id,
                        typed::Program& program, Module& module, Emitter& emitter) {
  emitter.begin_function(id);
  Statements(function, ending, poison_parameters, id, program, module, emitter).run();
  emitter.end_function();
}

}  // namespace lockstep::core::translation
