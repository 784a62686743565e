#include "semantics/core/sema/initialisers.hpp"

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

/// Fills an array from a list; braces around rows may be left out as in C.
class Filler {
 public:
  Filler(FunctionContext& context, const Type& array, std::string purpose)
      : context_(context),
        element_(Type::scalar_of(array.scalar)),
        vector_(array.components != 0 ? vector_type(array.scalar, array.components) : Type{}),
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
    const bool is_vector_here = extents.size() == 1 && vector_.is_vector();
    const std::uint64_t count = is_vector_here ? vector_.components : extents.front();
    std::uint64_t i = 0;
    for (; i < count && next < list.size() && !failed_; ++i) {
      const syntax::Initialiser& item = list[next];
      const std::uint64_t at = offset + i * stride;
      if (is_vector_here && i == 0 && std::holds_alternative<syntax::ExprPtr>(item.value)) {
        ++next;
        if (set_vector(at, *std::get<syntax::ExprPtr>(item.value))) {
          return count;
        }
      } else if (extents.size() == 1) {
        ++next;
        set(at, item);
      } else if (const auto* row = std::get_if<List>(&item.value)) {
        ++next;
        fill_from_list(*row, item.span, extents.subspan(1), at);
      } else {
        fill(list, next, extents.subspan(1), at);
      }
    }
    return i;
  }

  void set(std::uint64_t at, const syntax::Initialiser& item) {
    if (has_room(at, item.span)) {
      put(at, scalar(item));
    }
  }

  bool has_room(std::uint64_t last, SourceSpan span) {
    if (last >= max_initialised_elements) {
      context_.unit.reporter.error(span,
                                   "an array with an initialiser has at most " + std::to_string(max_initialised_elements) + " elements");
      failed_ = true;
    }
    return !failed_;
  }

  void put(std::uint64_t at, Checked value) {
    values_.resize(std::max<std::size_t>(values_.size(), at + 1));
    values_[at] = value;
    failed_ = failed_ || !value;
  }

  /// A whole vector, or its first component; true if it was a vector, or nothing.
  bool set_vector(std::uint64_t at, const syntax::Expr& expr) {
    if (!has_room(at + vector_.components, expr.span)) {
      return true;
    }
    const Checked value = check_value(context_, expr);
    if (!value || !is_vector(context_, *value)) {
      put(at, value ? convert_as_if_assigned(context_, *value, element_, purpose_) : std::nullopt);
      return !value;
    }
    const Checked vector = convert_as_if_assigned(context_, *value, vector_, purpose_);
    failed_ = failed_ || !vector;
    for (const ExprId part : vector ? listed(context_, *vector) : std::vector<ExprId>()) {
      put(at++, part);
    }
    return true;
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
  Type element_;
  Type vector_;  ///< void where the elements are none
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

/// With zeros for the elements that are not written.
std::vector<ExprId> padded(FunctionContext& context, std::vector<ExprId> values, const Type& type, SourceSpan span) {
  const ExprId zero = convert(context, add_integer(context, 0, ScalarType::Int, span), type.scalar);
  values.resize(element_count(type), zero);
  return values;
}

}  // namespace

std::optional<std::vector<ExprId>> check_initialiser(FunctionContext& context, const syntax::Initialiser& initialiser, Type& type,
                                                     const std::string& name) {
  const std::string purpose = "in the initialiser of " + quoted(name);
  if (const auto* value = std::get_if<syntax::ExprPtr>(&initialiser.value); value != nullptr && type.is_vector()) {
    const Checked vector = check_element(context, **value, type, purpose);
    return vector ? std::optional(padded(context, listed(context, *vector), type, initialiser.span)) : std::nullopt;
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
