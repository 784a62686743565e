#include "semantics/core/sema/group_size.hpp"

#include <array>
#include <utility>
#include <vector>

#include "semantics/core/sema/constants.hpp"
#include "semantics/core/sema/expressions.hpp"

namespace lockstep::core::sema {
namespace {

/// A kernel and the size that it requires.
struct Requirement {
  const syntax::Function& kernel;
  unsigned items;
};

/// The three sizes as numbers; nothing where an error was reported.
std::optional<std::array<std::uint64_t, 3>> sizes_of(Unit& unit, const syntax::GroupSize& size) {
  if (size.sizes.size() != 3) {
    unit.reporter.error(size.span, "reqd_work_group_size takes 3 sizes, but " + std::to_string(size.sizes.size()) +
                                       (size.sizes.size() == 1 ? " is" : " are") + " given");
    return std::nullopt;
  }
  Function nowhere;
  FunctionContext context{.unit = unit, .function = nowhere};
  std::array<std::uint64_t, 3> numbers{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<ExprId> id = check_integer(context, *size.sizes[i], "the size of a work group");
    const std::optional<std::uint64_t> number = id ? require_constant(context, *id, "the size of a work group") : std::nullopt;
    if (!number) {
      return std::nullopt;
    }
    numbers.at(i) = *number;
  }
  return numbers;
}

/// What the function requires, if it does and rightly.
std::optional<Requirement> requirement(Unit& unit, const syntax::Function& function) {
  if (!function.required_size) {
    return std::nullopt;
  }
  const SourceSpan span = function.required_size->span;
  if (!function.specifiers.is_kernel) {
    unit.reporter.error(span, "only a kernel can require a size of its work groups");
    return std::nullopt;
  }
  const auto numbers = sizes_of(unit, *function.required_size);
  if (!numbers) {
    return std::nullopt;
  }
  const auto [x, y, z] = *numbers;
  if (x == 0 || x > max_wg_size) {
    unit.reporter.error(span, "a work group has 1 to " + std::to_string(max_wg_size) + " work items, not " + std::to_string(x));
    return std::nullopt;
  }
  if (y != 1 || z != 1) {
    unit.reporter.error(span, "work groups have one dimension here: the second and the third size must be 1");
    return std::nullopt;
  }
  return Requirement{function, static_cast<unsigned>(x)};
}

}  // namespace

void settle_group_size(Unit& unit, const syntax::TranslationUnit& file) {
  Options& options = unit.program.options;
  std::vector<Requirement> requirements;
  for (const syntax::Item& item : file.items) {
    if (const auto* function = std::get_if<syntax::Function>(&item.node)) {
      const std::optional<Requirement> found = requirement(unit, *function);
      if (found && (options.kernel.empty() || function->name.text == options.kernel)) {
        requirements.push_back(*found);
      }
    }
  }
  if (options.wg_size == 0) {
    options.wg_size = requirements.empty() ? default_wg_size : requirements.front().items;
  }
  for (const Requirement& required : requirements) {
    if (required.items == options.wg_size) {
      continue;
    }
    const Requirement& first = requirements.front();
    Diagnostics notes;
    if (first.items == options.wg_size) {
      notes.push_back(note(first.kernel.required_size->span,
                           quoted(first.kernel.name.text) + " requires that; one of the two kernels has to be chosen"));
    }
    unit.reporter.error(required.kernel.required_size->span,
                        quoted(required.kernel.name.text) + " requires work groups of " + std::to_string(required.items) +
                            " items, but they have " + std::to_string(options.wg_size),
                        std::move(notes));
  }
}

}  // namespace lockstep::core::sema
