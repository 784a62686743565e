#include "semantics/core/sema/initialisers.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>

#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/declarations.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/sequencing.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

using List = std::vector<syntax::Initialiser>;
using Checked = std::optional<ExprId>;
using Extents = std::span<const std::uint64_t>;

/// One value: an expression of its own, with the sequence points at its end.
Checked check_element(FunctionContext& context, const syntax::Expr& expr, const Type& type, const std::string& purpose) {
  const Checked value = check_value(context, expr);
  if (!value) {
    return std::nullopt;
  }
  if (!is_vector(context, *value)) {
    check_sequencing(context, *value);
  }
  return convert_as_if_assigned(context, *value, type, purpose);
}

/// With zeros for the elements that are not written.
std::vector<ExprId> padded(FunctionContext& context, std::vector<ExprId> values, const Type& type, SourceSpan span) {
  const ExprId zero = convert(context, add_integer(context, 0, ScalarType::Int, span), type.scalar);
  values.resize(element_count(type), zero);
  return values;
}

/// The scalars of a vector: from a value that may be assigned to it, or from a list of its components, vectors among them.
std::optional<std::vector<ExprId>> check_vector(FunctionContext& context, const syntax::Initialiser& initialiser, const Type& type,
                                                const std::string& purpose) {
  if (const auto* value = std::get_if<syntax::ExprPtr>(&initialiser.value)) {
    const Checked vector = check_element(context, **value, type, purpose);
    return vector ? std::optional(padded(context, listed(context, *vector), type, initialiser.span)) : std::nullopt;
  }
  std::vector<Vector> elements;
  std::size_t count = 0;
  for (const syntax::Initialiser& item : std::get<List>(initialiser.value)) {
    const auto* written = std::get_if<syntax::ExprPtr>(&item.value);
    if (written == nullptr) {
      context.unit.reporter.error(item.span, "a component is needed here, not a list");
      return std::nullopt;
    }
    const Checked value = check_value(context, **written);
    if (!value) {
      return std::nullopt;
    }
    const Type own = context.function.at(*value).type;
    const bool is_part = own.is_vector() && own.scalar == type.scalar;
    const Checked part = is_part ? value : convert_as_if_assigned(context, *value, Type::scalar_of(type.scalar), purpose);
    if (!part) {
      return std::nullopt;
    }
    elements.push_back(is_part ? components_of(context, *part) : scalar_as_operand(context, *part));
    count += elements.back().parts.size();
  }
  if (count != type.components) {
    context.unit.reporter.error(initialiser.span, quoted(name_of(type)) + " has " + counted(type.components, "component") + ", but " +
                                                      std::to_string(count) + (count == 1 ? " is" : " are") + " given");
    return std::nullopt;
  }
  Vector all;
  all.before = in_order(context, elements);
  for (const Vector& element : elements) {
    std::ranges::copy(element.parts, std::back_inserter(all.parts));
  }
  return padded(context, listed(context, vector_of(context, std::move(all), type.scalar, initialiser.span)), type, initialiser.span);
}

/// Fills an array from a list; braces around rows may be left out as in C.
class Filler {
 public:
  Filler(FunctionContext& context, const Type& array, std::string purpose)
      : context_(context),
        element_(array.components != 0 ? vector_type(array.scalar, array.components) : Type::scalar_of(array.scalar)),
        purpose_(std::move(purpose)) {}

  bool failed() const { return failed_; }
  std::vector<Checked>& values() { return values_; }

  /// The whole list for the array at `offset`; how many elements of its first dimension it has set.
  std::uint64_t fill_from_list(const List& list, SourceSpan span, Extents extents, std::uint64_t offset) {
    std::size_t next = 0;
    const std::uint64_t filled = fill(list, next, extents, offset);
    if (next < list.size() && !failed_) {
      context_.unit.reporter.error(list[next].span, "there are more initialisers than elements: the array has " +
                                                        counted(static_cast<std::size_t>(extents.front()), "element"));
      failed_ = true;
    }
    if (list.empty()) {
      context_.unit.reporter.error(span, "an initialiser list needs at least one value");
      failed_ = true;
    }
    return filled;
  }

 private:
  std::uint64_t fill(const List& list, std::size_t& next, Extents extents, std::uint64_t offset) {
    const std::uint64_t stride = product(extents.subspan(1));
    std::uint64_t i = 0;
    for (; i < extents.front() && next < list.size() && !failed_; ++i) {
      const syntax::Initialiser& item = list[next];
      const std::uint64_t at = offset + i * stride;
      if (extents.size() == 1) {
        ++next;
        set(at * element_count(element_), item);
      } else if (const auto* row = std::get_if<List>(&item.value)) {
        ++next;
        fill_from_list(*row, item.span, extents.subspan(1), at);
      } else {
        fill(list, next, extents.subspan(1), at);
      }
    }
    return i;
  }

  /// One element, which begins at that scalar.
  void set(std::uint64_t at, const syntax::Initialiser& item) {
    const std::uint64_t count = element_count(element_);
    if (at + count > max_initialised_elements) {
      context_.unit.reporter.error(item.span,
                                   "an array with an initialiser has at most " + std::to_string(max_initialised_elements) + " elements");
      failed_ = true;
      return;
    }
    values_.resize(std::max<std::size_t>(values_.size(), at + count));
    if (element_.is_vector()) {
      const std::optional<std::vector<ExprId>> parts = check_vector(context_, item, element_, purpose_);
      failed_ = failed_ || !parts;
      std::ranges::copy(parts.value_or(std::vector<ExprId>()), values_.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    }
    values_[at] = scalar(item);
    failed_ = failed_ || !values_[at];
  }

  Checked scalar(const syntax::Initialiser& item) {
    if (const auto* list = std::get_if<List>(&item.value)) {
      if (list->size() == 1 && std::holds_alternative<syntax::ExprPtr>(list->front().value)) {
        return scalar(list->front());
      }
      context_.unit.reporter.error(item.span, "a single value is needed here, not a list");
      return std::nullopt;
    }
    return check_element(context_, *std::get<syntax::ExprPtr>(item.value), element_, purpose_);
  }

  FunctionContext& context_;
  Type element_;  ///< a scalar or vector
  std::string purpose_;
  std::vector<Checked> values_;
  bool failed_ = false;
};

std::optional<std::vector<ExprId>> single(FunctionContext& context, const syntax::Initialiser& initialiser, const Type& type,
                                          const std::string& purpose) {
  if (const auto* list = std::get_if<List>(&initialiser.value)) {
    if (list->size() == 1) {
      return single(context, list->front(), type, purpose);
    }
    context.unit.reporter.error(initialiser.span, "a single value is needed here, not a list");
    return std::nullopt;
  }
  const Checked converted = check_element(context, *std::get<syntax::ExprPtr>(initialiser.value), type, purpose);
  return converted ? std::optional(std::vector{*converted}) : std::nullopt;
}

}  // namespace

std::optional<std::vector<ExprId>> check_initialiser(FunctionContext& context, const syntax::Initialiser& initialiser, Type& type,
                                                     const std::string& name) {
  const std::string purpose = "in the initialiser of " + quoted(name);
  if (type.is_vector()) {
    return check_vector(context, initialiser, type, purpose);
  }
  if (!type.is_array()) {
    return single(context, initialiser, type, purpose);
  }
  const auto* list = std::get_if<List>(&initialiser.value);
  if (list == nullptr) {
    context.unit.reporter.error(initialiser.span, "an array is initialised by a list in braces");
    return std::nullopt;
  }
  Filler filler(context, type, purpose);
  std::vector<std::uint64_t> extents = type.extents;
  extents.resize(extents.size() - (type.components != 0 ? 1 : 0));
  const bool is_open = extents.front() == 0;
  if (is_open) {
    extents.front() = std::numeric_limits<std::uint32_t>::max();
  }
  const std::uint64_t filled = filler.fill_from_list(*list, initialiser.span, extents, 0);
  if (filler.failed()) {
    return std::nullopt;
  }
  type.extents.front() = is_open ? filled : type.extents.front();
  const std::uint64_t count = element_count(type);
  if (count > max_initialised_elements) {
    context.unit.reporter.error(initialiser.span,
                                "an array with an initialiser has at most " + std::to_string(max_initialised_elements) + " elements");
    return std::nullopt;
  }
  const ExprId zero = convert(context, add_integer(context, 0, ScalarType::Int, initialiser.span), type.scalar);
  std::vector<ExprId> values;
  for (const Checked& value : filler.values()) {
    values.push_back(value.value_or(zero));
  }
  return padded(context, std::move(values), type, initialiser.span);
}

}  // namespace lockstep::core::sema
