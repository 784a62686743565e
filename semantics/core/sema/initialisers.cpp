#include "semantics/core/sema/initialisers.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <span>

#include "semantics/core/sema/constants.hpp"
#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/declarations.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/records.hpp"
#include "semantics/core/sema/sequencing.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

using List = std::vector<syntax::Initialiser>;
using Checked = std::optional<ExprId>;
using Designators = std::span<const syntax::Designator>;

/// Numbers of a structure with an initialiser, at most: each is assigned by itself.
constexpr std::uint64_t max_assigned = 4096;

/// One value: an expression of its own, with the sequence points at its end.
Checked check_single(FunctionContext& context, const syntax::Expr& expr) {
  const Checked value = check_value(context, expr);
  if (value && !is_vector(context, *value)) {
    check_sequencing(context, *value);
  }
  return value;
}

Checked check_element(FunctionContext& context, const syntax::Expr& expr, const Type& type, const std::string& purpose) {
  const Checked value = check_single(context, expr);
  return value ? convert_as_if_assigned(context, *value, type, purpose) : std::nullopt;
}

ExprId zero(FunctionContext& context, ScalarType type, SourceSpan span) {
  return convert(context, add_integer(context, 0, ScalarType::Int, span), type);
}

/// The components of a vector: a value that may be assigned to it, or a list of them, vectors among them.
std::optional<std::vector<ExprId>> check_vector_list(FunctionContext& context, const List& list, SourceSpan span, const Type& type,
                                                     const std::string& purpose) {
  std::vector<Vector> elements;
  std::size_t count = 0;
  for (const syntax::Initialiser& item : list) {
    const auto* written = std::get_if<syntax::ExprPtr>(&item.value);
    if (written == nullptr || !item.designators.empty()) {
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
    context.unit.reporter.error(span, quoted(name_of(type)) + " has " + counted(type.components, "component") + ", but " +
                                          std::to_string(count) + (count == 1 ? " is" : " are") + " given");
    return std::nullopt;
  }
  Vector all;
  all.before = in_order(context, elements);
  for (const Vector& element : elements) {
    std::ranges::copy(element.parts, std::back_inserter(all.parts));
  }
  return listed(context, vector_of(context, std::move(all), type.scalar, span));
}

/// A number, component or whole structure, and where in the object it goes.
struct Value {
  std::uint64_t offset = 0;  ///< in bytes
  ExprId id = 0;
  Type type;
  std::vector<std::uint64_t> path;  ///< numbers of members and elements
};

/// The items of a list, one after the other.
struct Cursor {
  const List& list;
  std::size_t next = 0;
  Checked value = std::nullopt;  ///< of the next one, where it has been looked at

  bool at_end() const { return next == list.size(); }
  const syntax::Initialiser& item() const { return list[next]; }
  void step() {
    ++next;
    value.reset();
  }
};

/// Fills an object from a list; braces around rows and members may be left out as in C.
class Filler {
 public:
  Filler(FunctionContext& context, std::string purpose) : context_(context), purpose_(std::move(purpose)) {}

  bool failed() const { return failed_; }
  const std::vector<Value>& values() const { return values_; }

  /// All of it; how many elements of its first dimension have been set.
  std::uint64_t fill(const syntax::Initialiser& initialiser, const Type& type) {
    if (const auto* list = std::get_if<List>(&initialiser.value)) {
      return fill_from_list(*list, initialiser.span, type, 0);
    }
    const Checked value = check_single(context_, *std::get<syntax::ExprPtr>(initialiser.value));
    const bool is_whole = value && same_record(context_.function.at(*value).type, type);
    if (is_whole) {
      put(0, *value, type);
    } else if (value) {
      const std::string what = type.is_record() ? "'" + name_of(type) + "' is initialised by a list in braces or another one"
                                                : "an array is initialised by a list in braces";
      fail(initialiser.span, what);
    }
    failed_ = failed_ || !is_whole;
    return 0;
  }

 private:
  void fail(SourceSpan span, const std::string& message) {
    context_.unit.reporter.error(span, message);
    failed_ = true;
  }

  static std::uint64_t count_of(const Type& type) {
    const bool is_union = type.is_record() && type.record->is_union;
    const std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    return is_union ? 1 : type.extents.front() == 0 ? most : type.extents.front();
  }

  static bool is_aggregate(const Type& type) { return type.is_array() && !type.is_vector(); }

  /// Calls f(type, offset) for that part of an aggregate.
  template <class F>
  void in_part(const Type& type, std::uint64_t offset, std::uint64_t index, F&& f) {
    path_.push_back(index);
    if (type.is_record()) {
      const Member& member = type.record->members[index];
      f(member.type, offset + member.offset);
    } else {
      const Type part = element(type);
      f(part, offset + index * size_of(part));
    }
    path_.pop_back();
  }

  std::uint64_t fill_from_list(const List& list, SourceSpan span, const Type& type, std::uint64_t offset) {
    Cursor cursor{list};
    std::uint64_t index = 0;
    std::uint64_t filled = 0;
    while (!cursor.at_end() && !failed_) {
      const Designators designators = cursor.item().designators;
      if (!designators.empty()) {
        index = designated(type, designators.front()).value_or(0);
        if (!failed_) {
          fill_designated(type, offset, index, designators.subspan(1), cursor);
        }
      } else if (index >= count_of(type)) {
        fail(cursor.item().span, type.is_record() ? "there are more initialisers than members: '" + name_of(type) + "' has " +
                                                        counted(static_cast<std::size_t>(count_of(type)), "member")
                                                  : "there are more initialisers than elements: the array has " +
                                                        counted(static_cast<std::size_t>(type.extents.front()), "element"));
      } else {
        in_part(type, offset, index, [&](const Type& part, std::uint64_t at) { fill_part(part, at, cursor); });
      }
      filled = std::max(filled, ++index);
    }
    if (list.empty() && !type.is_record() && type.extents.front() == 0) {
      fail(span, "an array without a size needs at least one value");
    }
    return filled;
  }

  /// Which part it means; fails where there is none.
  std::optional<std::uint64_t> designated(const Type& type, const syntax::Designator& designator) {
    std::optional<std::uint64_t> index;
    if (const auto* name = std::get_if<syntax::Name>(&designator)) {
      if (type.is_record()) {
        index = member_named(context_, type, *name);
      } else {
        context_.unit.reporter.error(name->span, "elements of an array are designated by [number]");
      }
    } else {
      const syntax::Expr& written = *std::get<syntax::ExprPtr>(designator);
      const Checked id = check_integer(context_, written, "an index");
      index = id ? require_constant(context_, *id, "the index") : std::nullopt;
      if (index && (type.is_record() || *index >= count_of(type))) {
        context_.unit.reporter.error(
            written.span, type.is_record() ? "members are designated by .name" : "the array has no element " + std::to_string(*index));
        index = std::nullopt;
      }
    }
    failed_ = failed_ || !index;
    return index;
  }

  /// What the designators lead to, and then what comes behind it in the parts that they go through.
  void fill_designated(const Type& type, std::uint64_t offset, std::uint64_t index, Designators rest, Cursor& cursor) {
    in_part(type, offset, index, [&](const Type& part, std::uint64_t at) {
      if (rest.empty()) {
        fill_part(part, at, cursor);
        return;
      }
      if (!is_aggregate(part)) {
        fail(cursor.item().span, "'" + name_of(part) + "' has no parts that could be designated");
        return;
      }
      const std::optional<std::uint64_t> inner = designated(part, rest.front());
      if (inner) {
        fill_designated(part, at, *inner, rest.subspan(1), cursor);
        fill_from(part, at, *inner + 1, cursor);
      }
    });
  }

  /// Parts from number `index` on, as long as there are values without designators.
  void fill_from(const Type& type, std::uint64_t offset, std::uint64_t index, Cursor& cursor) {
    for (; index < count_of(type) && !cursor.at_end() && cursor.item().designators.empty() && !failed_; ++index) {
      in_part(type, offset, index, [&](const Type& part, std::uint64_t at) { fill_part(part, at, cursor); });
    }
  }

  /// The next item, and of a part without braces of its own as many as it takes.
  void fill_part(const Type& type, std::uint64_t offset, Cursor& cursor) {
    const syntax::Initialiser& item = cursor.item();
    if (const auto* list = std::get_if<List>(&item.value)) {
      if (is_aggregate(type)) {
        fill_from_list(*list, item.span, type, offset);
      } else {
        fill_from_braces(*list, item.span, type, offset);
      }
      cursor.step();
      return;
    }
    if (!cursor.value) {
      cursor.value = check_single(context_, *std::get<syntax::ExprPtr>(item.value));
    }
    if (!cursor.value) {
      failed_ = true;
    } else if (is_aggregate(type) && !same_record(context_.function.at(*cursor.value).type, type)) {
      fill_from(type, offset, 0, cursor);
    } else {
      put_converted(offset, *cursor.value, type);
      cursor.step();
    }
  }

  /// A number or vector in braces.
  void fill_from_braces(const List& list, SourceSpan span, const Type& type, std::uint64_t offset) {
    if (type.is_vector()) {
      put_components(offset, check_vector_list(context_, list, span, type, purpose_), type);
      return;
    }
    const auto* only = list.size() == 1 && list.front().designators.empty() ? &list.front() : nullptr;
    if (only == nullptr) {
      fail(span, "a single value is needed here, not a list");
    } else if (const auto* inner = std::get_if<List>(&only->value)) {
      fill_from_braces(*inner, only->span, type, offset);
    } else {
      const Checked value = check_single(context_, *std::get<syntax::ExprPtr>(only->value));
      failed_ = failed_ || !value;
      if (value) {
        put_converted(offset, *value, type);
      }
    }
  }

  void put_converted(std::uint64_t offset, ExprId value, const Type& type) {
    const Checked converted = convert_as_if_assigned(context_, value, type, purpose_);
    if (converted && type.is_vector()) {
      put_components(offset, listed(context_, *converted), type);
    } else if (converted) {
      put(offset, *converted, type);
    }
    failed_ = failed_ || !converted;
  }

  void put_components(std::uint64_t offset, const std::optional<std::vector<ExprId>>& parts, const Type& type) {
    failed_ = failed_ || !parts;
    for (std::size_t k = 0; parts && k < parts->size(); ++k) {
      path_.push_back(k);
      put(offset + k * lockstep::size_of(type.scalar), (*parts)[k], Type::scalar_of(type.scalar));
      path_.pop_back();
    }
  }

  void put(std::uint64_t offset, ExprId value, const Type& type) {
    if (offset / size_of(type) >= max_initialised_elements || values_.size() >= max_initialised_elements) {
      fail(context_.function.at(value).span,
           "an array with an initialiser has at most " + std::to_string(max_initialised_elements) + " elements");
      return;
    }
    values_.push_back({offset, value, type, path_});
  }

  FunctionContext& context_;
  std::string purpose_;
  std::vector<std::uint64_t> path_;
  std::vector<Value> values_;  ///< in the order of the text; of two in one place the later one counts
  bool failed_ = false;
};

/// Fills the object, and settles how large an array without a size is. Nothing where an error was reported.
std::optional<std::vector<Value>> filled(FunctionContext& context, const syntax::Initialiser& initialiser, Type& type,
                                         const std::string& name) {
  Filler filler(context, "in the initialiser of " + quoted(name));
  const std::uint64_t count = filler.fill(initialiser, type);
  if (filler.failed()) {
    return std::nullopt;
  }
  if (!type.is_record() && type.extents.front() == 0) {
    type.extents.front() = count;
  }
  return filler.values();
}

Checked check_scalar(FunctionContext& context, const syntax::Initialiser& initialiser, const Type& type, const std::string& purpose) {
  if (const auto* list = std::get_if<List>(&initialiser.value)) {
    if (list->size() == 1 && list->front().designators.empty()) {
      return check_scalar(context, list->front(), type, purpose);
    }
    context.unit.reporter.error(initialiser.span, "a single value is needed here, not a list");
    return std::nullopt;
  }
  return check_element(context, *std::get<syntax::ExprPtr>(initialiser.value), type, purpose);
}

std::optional<std::vector<ExprId>> check_vector(FunctionContext& context, const syntax::Initialiser& initialiser, const Type& type,
                                                const std::string& purpose) {
  if (const auto* list = std::get_if<List>(&initialiser.value)) {
    return check_vector_list(context, *list, initialiser.span, type, purpose);
  }
  const Checked value = check_element(context, *std::get<syntax::ExprPtr>(initialiser.value), type, purpose);
  return value ? std::optional(listed(context, *value)) : std::nullopt;
}

/// The place in a variable that a path leads to.
ExprId place_at(FunctionContext& context, VarId id, std::span<const std::uint64_t> path, SourceSpan span) {
  ExprId place = variable(context, id, span);
  for (const std::uint64_t index : path) {
    const Type type = context.function.at(place).type;
    place = type.is_record() ? member_at(context, place, index, span)
                             : add(context, Subscript{place, add_integer(context, index, ScalarType::Long, span)}, element(type), span);
  }
  return place;
}

/// f(offset, path, scalar type) for each number of an object that gets 0 where nothing is written: of a union that begins where one of
/// `is_set` does none, else those of its first member.
template <class IsSet, class F>
void for_each_number(const Type& type, std::uint64_t offset, std::vector<std::uint64_t>& path, IsSet&& is_set, F&& f) {
  if (!type.is_array()) {
    f(offset, path, type.scalar);
    return;
  }
  const bool is_union = type.is_record() && type.record->is_union;
  if (is_union && is_set(offset, type.record->size)) {
    return;
  }
  const std::uint64_t count = is_union ? 1 : type.is_vector() ? type.components : type.extents.front();
  for (std::uint64_t i = 0; i < count; ++i) {
    path.push_back(i);
    if (type.is_record()) {
      const Member& member = type.record->members[i];
      for_each_number(member.type, offset + member.offset, path, is_set, f);
    } else {
      const Type part = element(type);
      for_each_number(part, offset + i * size_of(part), path, is_set, f);
    }
    path.pop_back();
  }
}

}  // namespace

std::optional<std::vector<ExprId>> check_initialiser(FunctionContext& context, const syntax::Initialiser& initialiser, Type& type,
                                                     const std::string& name) {
  const std::string purpose = "in the initialiser of " + quoted(name);
  if (const auto* written = std::get_if<syntax::ExprPtr>(&initialiser.value); written != nullptr && type.is_pointer()) {
    Checked value = check_single(context, **written);
    if (value && !pointer_converts(context.function.at(*value).type, type)) {
      const Checked pointer = without_cast(context, *value, type, purpose);
      value = pointer ? pointer : value;
    }
    const Type from = value ? context.function.at(*value).type : Type{};
    if (value && is_view(from) && pointer_converts(seen_as(from), type)) {
      const bool is_const = type.is_const;
      type = from;  // the variable knows what really lies there
      type.is_const = is_const;
      return std::vector{*value};
    }
    const Checked converted = value ? convert_as_if_assigned(context, *value, type, purpose) : std::nullopt;
    return converted ? std::optional(std::vector{*converted}) : std::nullopt;
  }
  if (!type.is_array()) {
    const Checked value = check_scalar(context, initialiser, type, purpose);
    return value ? std::optional(std::vector{*value}) : std::nullopt;
  }
  std::vector<Checked> values;
  if (type.is_vector()) {
    const std::optional<std::vector<ExprId>> parts = check_vector(context, initialiser, type, purpose);
    if (!parts) {
      return std::nullopt;
    }
    values.assign(parts->begin(), parts->end());
    values.resize(type.extents.front());
  } else {
    const std::optional<std::vector<Value>> written = filled(context, initialiser, type, name);
    if (!written) {
      return std::nullopt;
    }
    if (element_count(type) > max_initialised_elements) {
      context.unit.reporter.error(initialiser.span,
                                  "an array with an initialiser has at most " + std::to_string(max_initialised_elements) + " elements");
      return std::nullopt;
    }
    values.resize(element_count(type));
    for (const Value& value : *written) {
      values[value.offset / lockstep::size_of(type.scalar)] = value.id;
    }
  }
  const ExprId nothing = zero(context, type.scalar, initialiser.span);
  std::vector<ExprId> result;
  for (const Checked& value : values) {
    result.push_back(value.value_or(nothing));
  }
  return result;
}

std::optional<std::vector<ExprId>> check_record_initialiser(FunctionContext& context, const syntax::Initialiser& initialiser, VarId id,
                                                            Type& type, const std::string& name) {
  const std::optional<std::vector<Value>> written = filled(context, initialiser, type, name);
  if (!written) {
    return std::nullopt;
  }
  if (number_count(type) > max_assigned) {
    context.unit.reporter.error(initialiser.span, "structures with an initialiser have at most " + std::to_string(max_assigned) +
                                                      " numbers in all; assign these in a loop");
    return std::nullopt;
  }
  Type& known = context.function.variables[id].type;
  known = type;
  std::vector<bool> covered(size_of(type));
  for (const Value& value : *written) {
    std::fill_n(covered.begin() + static_cast<std::ptrdiff_t>(value.offset), size_of(value.type), true);
  }
  const auto is_set = [&](std::uint64_t offset, std::uint64_t bytes) {
    const auto first = covered.begin() + static_cast<std::ptrdiff_t>(offset);
    return std::find(first, first + static_cast<std::ptrdiff_t>(bytes), true) != first + static_cast<std::ptrdiff_t>(bytes);
  };
  std::vector<ExprId> stores;
  std::vector<std::uint64_t> path;
  for_each_number(type, 0, path, is_set, [&](std::uint64_t offset, std::span<const std::uint64_t> to, ScalarType scalar) {
    if (!covered[offset]) {
      const ExprId place = place_at(context, id, to, initialiser.span);
      stores.push_back(add(context, Assign{place, zero(context, scalar, initialiser.span)}, Type::scalar_of(scalar), initialiser.span));
    }
  });
  for (const Value& value : *written) {
    const SourceSpan span = context.function.at(value.id).span;
    const ExprId place = place_at(context, id, value.path, span);
    stores.push_back(add(context, Assign{place, value.id}, context.function.at(place).type, span));
  }
  return stores;
}

std::optional<std::vector<std::uint64_t>> check_record_constant(FunctionContext& context, const syntax::Initialiser& initialiser,
                                                                Type& type, const std::string& name) {
  const std::optional<std::vector<Value>> written = filled(context, initialiser, type, name);
  if (!written) {
    return std::nullopt;
  }
  if (size_of(type) > max_initialised_elements) {
    context.unit.reporter.error(initialiser.span,
                                "structures of the file have at most " + std::to_string(max_initialised_elements) + " bytes in all");
    return std::nullopt;
  }
  std::vector<std::uint64_t> bytes(size_of(type));
  for (const Value& value : *written) {
    const std::optional<std::uint64_t> bits = require_constant(context, value.id, "the initialiser of " + quoted(name));
    if (!bits) {
      return std::nullopt;
    }
    for (std::uint64_t k = 0; k < size_of(value.type); ++k) {
      bytes[value.offset + k] = *bits >> (8 * k) & 0xff;
    }
  }
  return bytes;
}

Checked compound_literal(FunctionContext& context, const Type& type, const syntax::Initialiser& initialiser, SourceSpan span) {
  constexpr const char* name = "the literal";
  if (type.is_vector()) {
    const auto parts = check_vector(context, initialiser, type, "in a literal");
    Vector value;
    value.parts = parts.value_or(std::vector<ExprId>());
    return parts ? Checked(vector_of(context, std::move(value), type.scalar, span)) : std::nullopt;
  }
  if (!type.is_array() && !type.is_void()) {
    return check_scalar(context, initialiser, type, "in a literal");
  }
  if (!type.is_record()) {
    context.unit.reporter.error(span, "there are no literals of type '" + name_of(type) + "'; declare a variable");
    return std::nullopt;
  }
  const VarId id = add_temporary(context, record_type(type.record), span);
  Type complete = record_type(type.record);
  const std::optional<std::vector<ExprId>> stores = check_record_initialiser(context, initialiser, id, complete, name);
  return stores ? Checked(behind(context, *stores, variable(context, id, span))) : std::nullopt;
}

}  // namespace lockstep::core::sema
