#include "semantics/core/front_end.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "semantics/base/internal_error.hpp"
#include "semantics/core/sema/declarations.hpp"
#include "semantics/core/sema/dimensions.hpp"
#include "semantics/core/sema/fold_records.hpp"
#include "semantics/core/sema/functions.hpp"
#include "semantics/core/sema/group_size.hpp"
#include "semantics/core/sema/half.hpp"
#include "semantics/core/sema/library.hpp"
#include "semantics/core/sema/records.hpp"
#include "semantics/core/sema/split_arrays.hpp"
#include "semantics/core/sema/uniformity.hpp"

namespace lockstep::core {
namespace {

/// The items of a file, in order; a name is in sight behind its declaration.
void check_items(sema::Unit& unit, const syntax::TranslationUnit& file, bool contract_by_default) {
  bool contract = contract_by_default;
  for (const syntax::Item& item : file.items) {
    if (const auto* function = std::get_if<syntax::Function>(&item.node)) {
      sema::check_function(unit, *function, contract);
    } else if (const auto* declaration = std::get_if<syntax::Declaration>(&item.node)) {
      Function nowhere;
      sema::FunctionContext context{.unit = unit, .function = nowhere};
      sema::check_file_scope(context, *declaration);
    } else if (const auto* record = std::get_if<syntax::Record>(&item.node)) {
      Function nowhere;
      sema::FunctionContext context{.unit = unit, .function = nowhere};
      sema::check_record(context, *record);
    } else if (const auto* definition = std::get_if<syntax::Typedef>(&item.node)) {
      Function nowhere;
      sema::FunctionContext context{.unit = unit, .function = nowhere};
      sema::check_typedef(context, *definition);
    } else {
      const std::optional<bool> on = std::get<syntax::ContractPragma>(item.node).on;
      contract = contract_by_default && on.value_or(true);
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

/// What a look at a file has found out that changes what becomes of it.
struct FoundOut {
  std::unordered_set<std::string> dimensional;   ///< the functions that get the numbers of groups in the first two dimensions
  std::vector<syntax::TranslationUnit> library;  ///< definitions that it calls
};

sema::Unit checked_unit(const syntax::TranslationUnit& unit, std::shared_ptr<const SourceFile> source, const Options& options,
                        const FoundOut& known) {
  sema::Unit checked;
  checked.program.source = std::move(source);
  checked.program.options = options;
  checked.dimensional = known.dimensional;
  for (const SourceSpan& hint : unit.lost_hints) {
    checked.reporter.warning(hint,
                             "this is read over: a hint about unrolling stands in front of a loop, with a number from 1 or without one");
  }
  for (const syntax::Name& attribute : unit.unknown_attributes) {
    checked.reporter.warning(attribute.span, "the attribute " + quoted(attribute.text) + " is unknown here and says nothing");
  }
  sema::settle_group_size(checked, unit);
  for (const syntax::TranslationUnit& definition : known.library) {
    sema::collect_functions(checked, definition);
  }
  sema::collect_functions(checked, unit);
  for (const syntax::TranslationUnit& definition : known.library) {
    sema::declare_functions(checked, definition);
  }
  checked.in_library = true;
  for (const syntax::TranslationUnit& definition : known.library) {
    check_items(checked, definition, false);
  }
  checked.in_library = false;
  check_items(checked, unit, options.contract);
  check_for_kernel(checked, unit);
  return checked;
}

/// What a kernel promises not to write may be written where a cast takes the promise away, in it or in what it calls.
void forget_const(sema::Unit& unit) {
  for (Function& function : unit.program.functions) {
    const auto breaks = [&](const std::string& name) { return unit.breaks_const.contains(name); };
    if (!function.is_kernel || std::ranges::none_of(sema::reached(unit, function.name), breaks)) {
      continue;
    }
    for (Variable& parameter : std::span(function.variables).first(function.parameter_count)) {
      const bool is_global = parameter.type.is_pointer() && parameter.type.space == AddressSpace::Global;
      parameter.type.is_const = parameter.type.is_const && !is_global;
    }
  }
}

}  // namespace

std::expected<Program, Diagnostics> check_types(const syntax::TranslationUnit& unit, std::shared_ptr<const SourceFile> source,
                                                const Options& options, Diagnostics& warnings) {
  const std::shared_ptr<const SourceFile> text = std::move(source);
  FoundOut known;
  sema::Unit checked = checked_unit(unit, text, options, known);
  while (!checked.reporter.has_errors()) {
    const bool misses_definitions = !checked.wanted.empty();
    std::set<std::tuple<std::string, ScalarType, AddressSpace>> added;  // of several calls the first
    for (const sema::WantedFunction& wanted : checked.wanted) {
      if (added.emplace(wanted.name, wanted.type, wanted.space).second) {
        auto definition = sema::definition_of(wanted, options.scattered_copies);
        if (!definition) {
          throw InternalError("the library has a mistake: " + definition.error().front().message);
        }
        known.library.push_back(std::move(*definition));
      }
    }
    auto dimensional = sema::dimensional_functions(checked);
    if (!misses_definitions && dimensional == known.dimensional) {
      break;
    }
    known.dimensional = std::move(dimensional);
    checked = checked_unit(unit, text, options, known);
  }
  if (!checked.reporter.has_errors()) {
    forget_const(checked);
    sema::fold_records(checked);
    for (Function& function : checked.program.functions) {
      sema::split_arrays(function);
    }
  }
  sema::check_uniformity(checked.program, checked.reporter);
  std::ranges::move(checked.reporter.warnings(), std::back_inserter(warnings));
  if (checked.reporter.has_errors()) {
    Diagnostics errors = checked.reporter.errors();
    sema::explain_half(errors);
    return std::unexpected(std::move(errors));
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
