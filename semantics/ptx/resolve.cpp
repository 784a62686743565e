#include "semantics/ptx/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "semantics/base/program_text.hpp"
#include "semantics/ptx/check.hpp"
#include "semantics/ptx/resolve_function.hpp"

namespace lockstep::ptx {
namespace {

/// Resolves the items of a module, first their names, then their insides.
class ModuleResolver {
 public:
  explicit ModuleResolver(const Module& module) : written_(module) {}

  resolved::Module run(Diagnostics& found) {
    found_ = &found;
    names_.scope = &scope_;
    names_.module = &module_;
    names_.find_symbol = [this](std::string_view name) { return symbol(name); };
    module_.address_size = written_.address_size;
    if (module_.address_size != 64) {
      found.push_back({.severity = Severity::Warning,
                       .span = written_.address_size_place,
                       .message = "a module with addresses of 32 bits is read, but does not run",
                       .notes = {}});
    }
    for (const Item& item : written_.items) {
      if (const auto* variable = std::get_if<Variable>(&item)) {
        declare(*variable);
      } else if (const auto* function = std::get_if<Function>(&item)) {
        declare(*function);
      } else if (const auto* file = std::get_if<File>(&item)) {
        module_.files.push_back(*file);
      } else if (const auto* alias = std::get_if<Alias>(&item)) {
        declare(*alias);
      }
    }
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      module_.variables[i] = resolve_variable(*variables_[i], names_.find_symbol, found);
    }
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      head(*functions_[i], module_.functions[i]);
    }
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      FunctionResolver(*functions_[i], names_, module_.functions[i], found).run();
    }
    std::ranges::stable_sort(found, {}, &Diagnostic::span);
    return std::move(module_);
  }

 private:
  std::optional<std::variant<resolved::AddressOf, resolved::FunctionRef>> symbol(std::string_view name) {
    resolved::Function none;
    const Named* found = scope_.find(name, none);
    if (found == nullptr) {
      return std::nullopt;
    }
    if (const auto* variable = std::get_if<resolved::VariableRef>(&found->meaning)) {
      return resolved::AddressOf{*variable, 0};
    }
    return std::get<resolved::FunctionRef>(found->meaning);
  }

  void error(SourceSpan where, std::string message, Diagnostics notes = {}) {
    found_->push_back({.span = where, .message = std::move(message), .notes = std::move(notes)});
  }

  void twice(std::string_view name, SourceSpan where, const Named& first) {
    error(where, fmt::format("{} is declared twice", quoted(name)), first_one(first.place));
  }

  void declare(const Variable& variable) {
    if (variable.space == Space::Reg || variable.space == Space::Local || variable.space == Space::Param) {
      error(variable.place, fmt::format("{} lies in .{}, which only functions have", quoted(variable.name), text_of(variable.space)));
      return;
    }
    const auto index = static_cast<std::uint32_t>(variables_.size());
    const Named* first = scope_.declare(variable.name, {resolved::VariableRef{false, index}, variable.place});
    if (first == nullptr) {
      variables_.push_back(&variable);
      module_.variables.emplace_back();
      return;
    }
    // What is .extern may be defined further down, and said again.
    const auto* earlier = std::get_if<resolved::VariableRef>(&first->meaning);
    if (earlier != nullptr && variables_[earlier->index]->linkage == Linkage::Extern) {
      variables_[earlier->index] = &variable;
    } else if (earlier == nullptr || variable.linkage != Linkage::Extern) {
      twice(variable.name, variable.place, *first);
    }
  }

  void declare(const Function& function) {
    const auto index = static_cast<std::uint32_t>(functions_.size());
    const Named* first = scope_.declare(function.name, {resolved::FunctionRef{index}, function.place});
    if (first == nullptr) {
      functions_.push_back(&function);
      names_.signatures.push_back(&function.signature);
      module_.functions.emplace_back();
      module_.function_names.emplace(function.name, index);
      return;
    }
    const auto* earlier = std::get_if<resolved::FunctionRef>(&first->meaning);
    if (earlier == nullptr || (functions_[earlier->index]->has_body && function.has_body)) {
      twice(function.name, function.place, *first);
      return;
    }
    const auto types = [](const std::vector<Variable>& list) {
      std::vector<std::pair<std::uint32_t, std::vector<std::uint64_t>>> shapes;
      for (const Variable& parameter : list) {
        shapes.emplace_back(bytes_of(parameter.type), parameter.dimensions);
      }
      return shapes;
    };
    const Signature& before = functions_[earlier->index]->signature;
    if (types(before.parameters) != types(function.signature.parameters) || types(before.results) != types(function.signature.results)) {
      error(function.place, fmt::format("{} is declared with other parameters further up", quoted(function.name)), first_one(first->place));
    }
    if (function.has_body) {
      functions_[earlier->index] = &function;
      names_.signatures[earlier->index] = &function.signature;
    }
  }

  void declare(const Alias& alias) {
    resolved::Function none;
    const Named* target = scope_.find(alias.aliasee.text, none);
    const auto* function = target == nullptr ? nullptr : std::get_if<resolved::FunctionRef>(&target->meaning);
    if (function == nullptr) {
      error(alias.aliasee.place, fmt::format("there is no function {}", quoted(alias.aliasee.text)));
      return;
    }
    const std::uint32_t index = function->index;
    // A declaration of the alias may stand in front of it: calls of that go to the aliasee, too.
    const Named* first = scope_.declare(alias.name.text, {resolved::FunctionRef{index}, alias.name.place});
    const auto* declared = first == nullptr ? nullptr : std::get_if<resolved::FunctionRef>(&first->meaning);
    if (declared != nullptr && !functions_[declared->index]->has_body) {
      functions_[declared->index] = functions_[index];
      names_.signatures[declared->index] = names_.signatures[index];
    } else if (first != nullptr) {
      twice(alias.name.text, alias.name.place, *first);
    }
    module_.function_names.insert_or_assign(alias.name.text, index);
  }

  static void head(const Function& function, resolved::Function& to) {
    to.name = function.name;
    to.entry = function.entry;
    to.defined = function.has_body;
    to.directives = function.directives;
    to.noreturn = function.signature.noreturn;
    to.place = function.place;
  }

  const Module& written_;
  Scope scope_;
  ModuleNames names_;
  resolved::Module module_;
  std::vector<const Variable*> variables_;  ///< by index
  std::vector<const Function*> functions_;
  Diagnostics* found_ = nullptr;
};

}  // namespace

Diagnostics check(const Module& module) {
  Diagnostics found;
  ModuleResolver(module).run(found);
  return found;
}

std::expected<resolved::Module, Diagnostics> resolve(const Module& module, std::shared_ptr<const SourceFile> source) {
  Diagnostics found;
  resolved::Module resolved = ModuleResolver(module).run(found);
  std::erase_if(found, [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::Error; });
  if (!found.empty()) {
    return std::unexpected(limited(std::move(found)));
  }
  resolved.source = std::move(source);
  return resolved;
}

namespace resolved {

const PerformanceDirective* Function::directive(std::string_view word) const {
  const auto found = std::ranges::find(directives, word, &PerformanceDirective::word);
  return found == directives.end() ? nullptr : &*found;
}

const Function* Module::function(std::string_view name) const {
  const auto found = function_names.find(std::string(name));
  return found == function_names.end() ? nullptr : &functions[found->second];
}

}  // namespace resolved
}  // namespace lockstep::ptx
