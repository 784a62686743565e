#include "semantics/core/front_end.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "semantics/core/sema/declarations.hpp"
#include "semantics/core/sema/dimensions.hpp"
#include "semantics/core/sema/functions.hpp"
#include "semantics/core/sema/group_size.hpp"
#include "semantics/core/sema/uniformity.hpp"

namespace lockstep::core {
namespace {

/// The items of a file, in order; a name is in sight behind its declaration.
void check_items(sema::Unit& unit, const syntax::TranslationUnit& file) {
  bool contract = unit.program.options.contract;
  for (const syntax::Item& item : file.items) {
    if (const auto* function = std::get_if<syntax::Function>(&item.node)) {
      sema::check_function(unit, *function, contract);
    } else if (const auto* declaration = std::get_if<syntax::Declaration>(&item.node)) {
      Function nowhere;
      sema::FunctionContext context{.unit = unit, .function = nowhere};
      sema::check_file_scope(context, *declaration);
    } else {
      const std::optional<bool> on = std::get<syntax::ContractPragma>(item.node).on;
      contract = unit.program.options.contract && on.value_or(true);
    }
  }
}

void check_for_kernel(sema::Unit& unit, const syntax::TranslationUnit& file) {
  SourceSpan first;
  for (const syntax::Item& item : file.items) {
    if (const auto* function = std::get_if<syntax::Function>(&item.node)) {
      if (function->specifiers.is_kernel && function->body) {
        return;
      }
      first = first == SourceSpan{} ? function->name.span : first;
    }
  }
  unit.reporter.error(first, "no function is marked __kernel, so there is nothing to run");
}

/// `dimensional`: the functions that get the numbers of groups in the first two dimensions.
sema::Unit checked_unit(const syntax::TranslationUnit& unit, std::shared_ptr<const SourceFile> source, const Options& options,
                        std::unordered_set<std::string> dimensional) {
  sema::Unit checked;
  checked.program.source = std::move(source);
  checked.program.options = options;
  checked.dimensional = std::move(dimensional);
  for (const syntax::Name& attribute : unit.unknown_attributes) {
    checked.reporter.warning(attribute.span, "the attribute " + quoted(attribute.text) + " is unknown here and says nothing");
  }
  sema::settle_group_size(checked, unit);
  sema::collect_functions(checked, unit);
  check_items(checked, unit);
  check_for_kernel(checked, unit);
  sema::check_uniformity(checked.program, checked.reporter);
  return checked;
}

}  // namespace

std::expected<Program, Diagnostics> check_types(const syntax::TranslationUnit& unit, std::shared_ptr<const SourceFile> source,
                                                const Options& options, Diagnostics& warnings) {
  sema::Unit checked = checked_unit(unit, source, options, {});
  if (auto dimensional = sema::dimensional_functions(checked); !dimensional.empty() && !checked.reporter.has_errors()) {
    checked = checked_unit(unit, std::move(source), options, std::move(dimensional));
  }
  std::ranges::move(checked.reporter.warnings(), std::back_inserter(warnings));
  if (checked.reporter.has_errors()) {
    return std::unexpected(checked.reporter.errors());
  }
  return std::move(checked.program);
}

std::optional<std::string> wrong_lengths(const Program& program, const Function& kernel, bool needed) {
  for (const auto& [name, length] : program.options.local_lengths) {
    if (std::ranges::find(kernel.local_parameters, name, &LocalParameter::name) == kernel.local_parameters.end()) {
      return "the kernel " + quoted(kernel.name) + " has no __local parameter " + quoted(shortened(name));
    }
  }
  const auto open = [](const LocalParameter& parameter) { return !parameter.length; };
  const auto first = std::ranges::find_if(kernel.local_parameters, open);
  if (!needed || first == kernel.local_parameters.end()) {
    return std::nullopt;
  }
  return "a kernel is compiled for __local arrays of known length, but nobody says how many elements " + quoted(first->name) + " points to";
}

std::expected<Program, Diagnostics> read_kernels(std::shared_ptr<const SourceFile> source, const Options& options, Diagnostics& warnings) {
  const std::expected<syntax::TranslationUnit, Diagnostics> unit = parse(*source, options);
  if (!unit) {
    return std::unexpected(unit.error());
  }
  return check_types(*unit, std::move(source), options, warnings);
}

}  // namespace lockstep::core
