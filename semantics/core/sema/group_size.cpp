#include "semantics/core/sema/group_size.hpp"

#include <algorithm>
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
  std::array<unsigned, 3> shape;

  unsigned items() const { return shape[0] * shape[1] * shape[2]; }
};

/// "8", "8 × 8": without dimensions behind the last one that has several items.
std::string shape_text(const std::array<unsigned, 3>& shape) {
  const std::size_t dimensions = shape[2] > 1 ? 3 : shape[1] > 1 ? 2 : 1;
  std::string text = std::to_string(shape[0]);
  for (std::size_t d = 1; d < dimensions; ++d) {
    text += " × " + std::to_string(shape.at(d));
  }
  return text;
}

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
  std::array<unsigned, 3> shape{};
  std::uint64_t items = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    items = (*numbers)[d] > max_wg_size ? 0 : items * (*numbers)[d];
    if (items == 0 || items > max_wg_size) {
      unit.reporter.error(span, "a work group has 1 to " + std::to_string(max_wg_size) + " work items, and not " +
                                    std::to_string((*numbers)[0]) + " × " + std::to_string((*numbers)[1]) + " × " +
                                    std::to_string((*numbers)[2]));
      return std::nullopt;
    }
    shape.at(d) = static_cast<unsigned>((*numbers)[d]);
  }
  return Requirement{function, shape};
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
  // A number of items alone leaves it to the kernel how they lie.
  const bool is_asked_for = options.wg_shape[0] != 0;
  if (options.wg_size == 0) {
    options.wg_size = requirements.empty() ? default_wg_size : requirements.front().items();
  }
  if (!is_asked_for) {
    const bool fits = !requirements.empty() && requirements.front().items() == options.wg_size;
    options.wg_shape = fits ? requirements.front().shape : std::array<unsigned, 3>{options.wg_size, 1, 1};
  }
  options.dimensions = std::max(options.dimensions, options.wg_shape[2] > 1 ? 3U : options.wg_shape[1] > 1 ? 2U : 1U);
  for (const Requirement& required : requirements) {
    if (required.shape == options.wg_shape) {
      continue;
    }
    const Requirement& first = requirements.front();
    Diagnostics notes;
    if (first.shape == options.wg_shape) {
      notes.push_back(note(first.kernel.required_size->span,
                           quoted(first.kernel.name.text) + " requires that; one of the two kernels has to be chosen"));
    }
    unit.reporter.error(required.kernel.required_size->span,
                        quoted(required.kernel.name.text) + " requires work groups of " + shape_text(required.shape) +
                            " items, but they have " + shape_text(options.wg_shape),
                        std::move(notes));
  }
}

}  // namespace lockstep::core::sema
