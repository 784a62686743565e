#include "semantics/core/translate/arguments.hpp"

#include <utility>
#include <variant>

#include "semantics/core/control.hpp"
#include "semantics/core/translate/facts.hpp"

namespace lockstep::core::translation {

namespace {

class Analysis {
 public:
  explicit Analysis(const Program& program) : program_(program), reached_(program.functions.size(), false) {
    for (const Function& function : program.functions) {
      poison_.emplace_back(function.parameter_count, false);
    }
  }

  std::vector<std::vector<bool>> run(const Function& kernel) {
    look_at(kernel, {});
    while (!work_.empty()) {
      const FunctionId next = work_.back();
      work_.pop_back();
      look_at(program_.functions[next], poison_[next]);
    }
    return std::move(poison_);
  }

 private:
  void look_at(const Function& function, const std::vector<bool>& poison) {
    const ControlFacts control = analyse_control(function);
    const ValueFacts values = analyse_values(function, control, poison);
    for (const Expr& expression : function.expressions) {
      if (const auto* call = std::get_if<Call>(&expression.node)) {
        add_call(call->function, call->arguments, values);
      }
    }
    for (const auto& [statement, exits] : control.exits) {
      if (const auto* call = std::get_if<CrevCall>(&statement->node); call != nullptr) {
        add_call(call->function, call->arguments, values);
      }
    }
  }

  void add_call(FunctionId callee, const std::vector<ExprId>& arguments, const ValueFacts& values) {
    bool is_new = !reached_[callee];
    reached_[callee] = true;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (values.expressions[arguments[k]].may_poison && !poison_[callee][k]) {
        poison_[callee][k] = true;
        is_new = true;
      }
    }
    if (is_new) {
      work_.push_back(callee);
    }
  }

  const Program& program_;
  std::vector<bool> reached_;
  std::vector<std::vector<bool>> poison_;
  std::vector<FunctionId> work_;
};

}  // namespace

std::vector<std::vector<bool>> poison_parameters(const Program& program, const Function& kernel) { return Analysis(program).run(kernel); }

}  // namespace lockstep::core::translation
