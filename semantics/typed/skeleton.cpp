#include "semantics/typed/skeleton.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "semantics/ops/op.hpp"
#include "semantics/typed/visit.hpp"

namespace lockstep::typed {
namespace {

class SkeletonBuilder {
 public:
  SkeletonBuilder(const Program& program, const Function& function)
      : program_(program), function_(function), always_differs_(function.registers.size(), false), never_differs_(always_differs_) {
    const bool is_kernel = &function == program.functions.data();
    std::fill_n(never_differs_.begin(), is_kernel ? function.parameter_count : 0, true);
    for (Label pc = function.begin; pc < function.end; ++pc) {
      if (const auto written = written_by(program.code[pc].instruction)) {
        never_differs_[written->id] = false;
      }
      for_each_expression(program.code[pc].instruction, [&](const Expr& expression) {
        for (const ExprNode& node : expression.nodes) {
          if (const auto* address = std::get_if<RegisterAddress>(&node.node)) {
            always_differs_[address->array] = true;
          }
        }
      });
    }
  }

  musimd::Program run() {
    for (const RegisterInfo& info : function_.registers) {
      result_.variables.push_back(info.name);
    }
    result_.variables.emplace_back("nothing");
    if (program_.wg_size == 1) {
      result_.threads = 1;
    }
    for (Label pc = function_.begin; pc < function_.end; ++pc) {
      const Statement& statement = program_.code[pc];
      result_.code.push_back({std::visit([&](const auto& i) { return control(i); }, statement.instruction), statement.span});
    }
    return std::move(result_);
  }

 private:
  musimd::Target target(Label pc) const { return {pc - function_.begin, std::nullopt, {}}; }

  /// Adds one more operand to an expression that is a sum of all that a value depends on.
  static void add(musimd::Expr& sum, const musimd::ExprNode& node) {
    sum.nodes.push_back(node);
    sum.nodes.emplace_back(musimd::Operation{Op::Add, {}});
  }

  void add_register(musimd::Expr& sum, RegisterId id) const {
    if (always_differs_[id]) {
      add(sum, musimd::ThreadId{});
    } else if (!never_differs_[id]) {
      add(sum, musimd::Variable{id, {}});
    }
  }

  void add_node(musimd::Expr& sum, const ExprNode& node) const {
    if (const auto* single = std::get_if<Register>(&node.node)) {
      add_register(sum, single->id);
    } else if (const auto* element = std::get_if<Element>(&node.node)) {
      add_register(sum, element->array);
    } else if (const auto* ask = std::get_if<Ask>(&node.node)) {
      if (ask->query == Query::LocalId || ask->query == Query::LaneId) {
        add(sum, musimd::ThreadId{});
      }
    } else if (std::holds_alternative<RegisterAddress>(node.node)) {
      add(sum, musimd::ThreadId{});
    }
  }

  template <class... Exprs>
  musimd::Expr depends_on(const Exprs&... expressions) const {
    musimd::Expr sum;
    sum.nodes.emplace_back(musimd::Constant{});
    [[maybe_unused]] const auto add_all = [&](const Expr& expression) {
      for (const ExprNode& node : expression.nodes) {
        add_node(sum, node);
      }
    };
    (add_all(expressions), ...);
    return sum;
  }

  /// An element that is written leaves the others as they are.
  musimd::Instruction write(const Place& place, musimd::Expr value) const {
    if (place.index) {
      add_register(value, place.id);
      for (const ExprNode& node : place.index->nodes) {
        add_node(value, node);
      }
    }
    return musimd::Assign{place.id, std::move(value)};
  }

  musimd::Instruction nothing() const { return musimd::Assign{static_cast<musimd::VarId>(function_.registers.size()), depends_on()}; }

  /// A value of which nothing is known.
  musimd::Expr anything() const {
    musimd::Expr sum = depends_on();
    add(sum, musimd::ThreadId{});
    return sum;
  }

  // One overload per instruction.

  musimd::Instruction control(const BranchZero& i) const { return musimd::BranchZero{depends_on(i.condition), target(i.target)}; }
  musimd::Instruction control(const Jump& i) const { return musimd::Jump{target(i.target)}; }
  musimd::Instruction control(const JumpMask& i) const { return musimd::JumpMask{depends_on(i.thread), target(i.target)}; }
  musimd::Instruction control(const Sync&) const { return musimd::Sync{}; }
  musimd::Instruction control(const Stop&) const { return musimd::Stop{}; }
  musimd::Instruction control(const Return&) const { return musimd::Stop{}; }
  musimd::Instruction control(const Everywhere&) const { return musimd::Everywhere{}; }
  musimd::Instruction control(const EndEverywhere&) const { return musimd::EndEverywhere{}; }

  musimd::Instruction control(const Assign& i) const { return write(i.place, depends_on(i.value)); }
  musimd::Instruction control(const Forget& i) const { return musimd::Assign{i.id, depends_on()}; }
  musimd::Instruction control(const Load& i) const {
    const bool is_private = i.base.type().space == AddressSpace::Private;
    return write(i.place, is_private ? anything() : depends_on(i.base, i.index));
  }
  musimd::Instruction control(const Atomic& i) const { return i.dst ? musimd::Assign{*i.dst, anything()} : nothing(); }
  musimd::Instruction control(const Shuffle& i) const { return musimd::Assign{i.dst, depends_on(i.lane)}; }
  musimd::Instruction control(const Vote& i) const { return musimd::Assign{i.dst, depends_on()}; }
  musimd::Instruction control(const Call& i) const { return i.result ? musimd::Assign{*i.result, anything()} : nothing(); }
  musimd::Instruction control(const Store&) const { return nothing(); }
  musimd::Instruction control(const Barrier&) const { return nothing(); }

  const Program& program_;
  const Function& function_;
  std::vector<bool> always_differs_;  // per register: an array that is also written through pointers
  std::vector<bool> never_differs_;   // per register: a parameter of the kernel that keeps what the launch gave to all
  musimd::Program result_;
};

}  // namespace

musimd::Program skeleton(const Program& program, const Function& function) { return SkeletonBuilder(program, function).run(); }

}  // namespace lockstep::typed
