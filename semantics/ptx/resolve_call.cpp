// Calls: whether what is passed is what the callee takes.

#include <fmt/format.h>

#include "semantics/ptx/fit.hpp"
#include "semantics/ptx/resolve_function.hpp"

namespace lockstep::ptx {

std::vector<resolved::Value> FunctionResolver::pass(const std::vector<Scalar>& list, const std::vector<Variable>& expected,
                                                    SourceSpan where, bool results) {
  std::vector<resolved::Value> values;
  if (list.size() != expected.size()) {
    error(where, fmt::format("the function has {} {}{}, and the call {}", expected.size(), results ? "result" : "parameter",
                             expected.size() == 1 ? "" : "s", list.size()));
    return values;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Variable& wanted = expected[i];
    if (const auto* number = std::get_if<Immediate>(&list[i])) {
      if (results || !wanted.dimensions.empty()) {
        error(number->place, results ? "a call's result goes to a register or a variable" : "this parameter is no single number");
        continue;
      }
      bool cut = false;
      const auto constant = constant_of(number->number, wanted.type, cut);
      if (!constant) {
        error(number->place, constant.error());
      }
      values.emplace_back(constant.value_or(resolved::Constant{}));
      continue;
    }
    const auto* name = std::get_if<Name>(&list[i]);
    if (name == nullptr) {
      values.emplace_back(resolved::None{});
      continue;
    }
    const Named* named = known(*name);
    if (named == nullptr) {
      continue;
    }
    if (const auto* found = std::get_if<RegisterName>(&named->meaning)) {
      if (!fits(found->declaration->type, wanted.type, false) || !wanted.dimensions.empty()) {
        error(name->place, fmt::format("{} is {} register, and the function has .{} there", quoted(name->text),
                                       with_article(found->declaration->type), info(wanted.type).text));
      }
      values.emplace_back(resolved::Register{found->numbers[0]});
    } else if (const auto* variable = std::get_if<resolved::VariableRef>(&named->meaning); variable != nullptr && variable->local) {
      const resolved::VariableInfo& passed = to_.variables[variable->index];
      Diagnostics ignored;
      const std::uint64_t wanted_bytes =
          wanted.space == Space::Reg ? bytes_of(wanted.type) : resolve_variable(wanted, names_.find_symbol, ignored).bytes;
      if (passed.space != Space::Param) {
        error(name->place, fmt::format("{} lies in .{}; a call passes registers, numbers and variables in .param", quoted(name->text),
                                       text_of(passed.space)));
      } else if (passed.bytes != wanted_bytes && wanted_bytes != 0) {
        error(name->place, fmt::format("{} has {} bytes, and the function has {} there", quoted(name->text), passed.bytes, wanted_bytes));
      }
      values.emplace_back(resolved::AddressOf{*variable, 0});
    } else {
      error(name->place, fmt::format("{} is nothing that a call can pass", quoted(name->text)));
    }
  }
  return values;
}

void FunctionResolver::call(const Instruction& instruction, resolved::Instruction& to) {
  const auto& written = std::get<CallOperand>(instruction.operands.at(0));
  const auto made = std::make_shared<resolved::Call>();
  to.call = made;
  const Named* callee = known(written.callee);
  if (callee == nullptr) {
    return;
  }
  const Signature* signature = nullptr;
  if (const auto* function = std::get_if<resolved::FunctionRef>(&callee->meaning)) {
    made->callee = *function;
    signature = names_.signatures[function->index];
    if (names_.module->functions[function->index].entry) {
      error(written.callee.place, fmt::format("{} is a kernel, which cannot be called", quoted(written.callee.text)));
      return;
    }
    if (written.prototype) {
      error(written.prototype->place, "a call by name has no prototype");
    }
  } else if (const auto* found = std::get_if<RegisterName>(&callee->meaning)) {
    made->callee = resolved::Register{found->numbers[0]};
    const Type type = found->declaration->type;
    if (is_float(type) || bits_of(type) < 32) {
      error(written.callee.place,
            fmt::format("{} is {} register, which holds no address", quoted(written.callee.text), with_article(type)));
    }
    const Named* kind = written.prototype ? known(*written.prototype) : nullptr;
    if (!written.prototype) {
      error(written.callee.place, "a call through a register has a .callprototype or .calltargets behind it");
    }
    if (kind == nullptr) {
      return;
    }
    if (const auto* prototype = std::get_if<const Prototype*>(&kind->meaning)) {
      signature = &(*prototype)->signature;
    } else if (const auto* list = std::get_if<const TargetList*>(&kind->meaning); list != nullptr && (*list)->calls) {
      for (const Name& target : (*list)->targets) {
        const Named* possible = known(target);
        if (possible == nullptr) {
          return;
        }
        const auto* reference = std::get_if<resolved::FunctionRef>(&possible->meaning);
        if (reference == nullptr) {
          error(target.place, fmt::format("{} is no function", quoted(target.text)));
          return;
        }
        made->possible.push_back(reference->index);
      }
      signature = names_.signatures[made->possible.at(0)];
    } else {
      error(written.prototype->place, fmt::format("{} is no .callprototype and no .calltargets", quoted(written.prototype->text)));
      return;
    }
    made->signature = std::make_shared<const Signature>(*signature);
  } else {
    error(written.callee.place, fmt::format("{} is no function", quoted(written.callee.text)));
    return;
  }
  made->results = pass(written.results, signature->results, written.place, true);
  made->arguments = pass(written.arguments, signature->parameters, written.place, false);
}

}  // namespace lockstep::ptx
