#include "semantics/core/sema/records.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "semantics/base/nearest.hpp"
#include "semantics/core/fold_half.hpp"
#include "semantics/core/sema/constants.hpp"
#include "semantics/core/sema/declarations.hpp"
#include "semantics/core/sema/expressions.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"

namespace lockstep::core::sema {
namespace {

using Checked = std::optional<ExprId>;

constexpr std::uint64_t max_alignment = 4096;

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

/// What the attributes ask for at least; 1 where they ask for nothing. Empty where an error was reported.
std::optional<std::uint64_t> asked_alignment(FunctionContext& context, const syntax::Layout& layout) {
  std::uint64_t most = 1;
  for (const syntax::ExprPtr& written : layout.alignments) {
    const Checked id = check_integer(context, *written, "an alignment");
    const std::optional<std::uint64_t> bytes = id ? require_constant(context, *id, "the alignment") : std::nullopt;
    if (!bytes) {
      return std::nullopt;
    }
    if (!std::has_single_bit(*bytes) || *bytes > max_alignment) {
      context.unit.reporter.error(written->span, "an alignment is a power of two from 1 to " + std::to_string(max_alignment));
      return std::nullopt;
    }
    most = std::max(most, *bytes);
  }
  return most;
}

/// Why a declaration cannot be one of members; nothing if it can.
std::optional<Diagnostic> wrong_member(const syntax::Specifiers& specifiers, const syntax::Declarator& declarator) {
  const std::string name = quoted(declarator.name.text);
  const auto error = [](SourceSpan span, std::string message) { return Diagnostic{Severity::Error, span, std::move(message), {}}; };
  if (declarator.pointers > 0) {
    return error(declarator.name.span, name + " cannot be a pointer: pointers are not stored in memory; an index into a buffer can be");
  }
  if (specifiers.space) {
    return error(specifiers.span, "a member lies where its structure lies; it has no address space of its own");
  }
  if (specifiers.uniformity != syntax::Uniformity::Unspecified) {
    return error(specifiers.span, "'uniform' and 'varying' stand only in front of parameters");
  }
  if (declarator.initialiser) {
    return error(declarator.initialiser->span, "a member has no initial value; the variables of the type get theirs");
  }
  if (!declarator.extents.empty() && declarator.extents.front() == nullptr) {
    return error(declarator.name.span, name + " needs a size");
  }
  return std::nullopt;
}

/// A structure on its way: members, one after the other.
class Layouter {
 public:
  Layouter(FunctionContext& context, const syntax::Record& written) : context_(context), written_(written) {
    record_.name = (written.name.text == half_name ? "" : written.is_union ? "union " : "struct ") + written.name.text;
    record_.is_union = written.is_union;
    record_.has_union = written.is_union;
  }

  std::optional<Type> run() {
    for (const syntax::Declaration& declaration : written_.members) {
      for (const syntax::Declarator& declarator : declaration.declarators) {
        if (!add(declaration.specifiers, declarator)) {
          return std::nullopt;
        }
      }
    }
    const std::optional<std::uint64_t> asked = asked_alignment(context_, written_.layout);
    if (!asked) {
      return std::nullopt;
    }
    record_.alignment = std::max(record_.alignment, *asked);
    record_.size = rounded_up(record_.size, record_.alignment);
    record_.numbers = record_.is_union ? record_.size : record_.numbers;
    if (record_.size > max_object_bytes) {
      context_.unit.reporter.error(
          written_.name.span, "'" + record_.name + "' is too large: an object has at most " + std::to_string(max_object_bytes) + " bytes");
      return std::nullopt;
    }
    return record_type(std::make_shared<const Record>(std::move(record_)));
  }

 private:
  bool add(const syntax::Specifiers& specifiers, const syntax::Declarator& declarator) {
    if (std::optional<Diagnostic> wrong = wrong_member(specifiers, declarator)) {
      context_.unit.reporter.error(wrong->span, std::move(wrong->message));
      return false;
    }
    if (specifiers.named == written_.name.text) {
      context_.unit.reporter.error(specifiers.type_span,
                                   "a structure cannot contain itself; an index into an array of them can be a member");
      return false;
    }
    const std::optional<Type> type = member_type(context_, specifiers, declarator);
    const std::optional<std::uint64_t> asked = asked_alignment(context_, declarator.layout);
    if (!type || !asked) {
      return false;
    }
    if (const auto known = std::ranges::find(record_.members, declarator.name.text, &Member::name); known != record_.members.end()) {
      context_.unit.reporter.error(declarator.name.span, "there are two members " + quoted(declarator.name.text),
                                   {note(known->span, "the first one is here")});
      return false;
    }
    const bool is_packed = written_.layout.is_packed || declarator.layout.is_packed;
    const std::uint64_t alignment = std::max(is_packed ? 1 : alignment_of(*type), *asked);
    const std::uint64_t offset = record_.is_union ? 0 : rounded_up(record_.size, alignment);
    record_.members.push_back({declarator.name.text, *type, offset, specifiers.is_const, declarator.name.span});
    record_.has_const = record_.has_const || specifiers.is_const;
    if (const Record* inner = type->record.get()) {
      record_.depth = std::max(record_.depth, inner->depth + 1);
      record_.has_union = record_.has_union || inner->has_union;
      record_.has_const = record_.has_const || inner->has_const;
    }
    if (record_.depth > syntax::max_nesting) {
      context_.unit.reporter.error(declarator.name.span,
                                   "structures lie in one another more than " + std::to_string(syntax::max_nesting) + " levels deep here");
      return false;
    }
    record_.pieces += type->record != nullptr ? type->record->pieces : 1;
    record_.numbers += number_count(*type);
    record_.alignment = std::max(record_.alignment, alignment);
    record_.size = std::max(record_.size, offset + size_of(*type));
    if (record_.size > max_object_bytes) {
      context_.unit.reporter.error(declarator.name.span, "'" + record_.name + "' is too large: an object has at most " +
                                                             std::to_string(max_object_bytes) + " bytes");
      return false;
    }
    return true;
  }

  FunctionContext& context_;
  const syntax::Record& written_;
  Record record_;
};

}  // namespace

void check_record(FunctionContext& context, const syntax::Record& record) {
  context.unit.types.insert_or_assign(record.name.text, DeclaredType{Layouter(context, record).run()});
}

void check_typedef(FunctionContext& context, const syntax::Typedef& definition) {
  DeclaredType result{typedef_type(context, definition.specifiers, definition.declarator)};
  result.is_const = definition.declarator.is_const;
  context.unit.types.insert_or_assign(definition.declarator.name.text, std::move(result));
}

std::optional<DeclaredType> declared_type(FunctionContext& context, const syntax::Specifiers& specifiers) {
  const auto found = context.unit.types.find(specifiers.named);
  if (found != context.unit.types.end()) {
    return found->second.type ? std::optional(found->second) : std::nullopt;
  }
  std::vector<std::string_view> candidates;
  for (const auto& [name, type] : context.unit.types) {
    candidates.push_back(name);
  }
  std::ranges::sort(candidates);
  context.unit.reporter.error(specifiers.type_span, "there is no complete structure or union " + quoted(specifiers.named) + " here" +
                                                        (specifiers.named.size() > 1 ? suggestion(specifiers.named, candidates) : ""));
  context.unit.types.emplace(specifiers.named, DeclaredType{});
  return std::nullopt;
}

Type record_type(std::shared_ptr<const Record> record) {
  Type type{Type::Kind::Array, ScalarType::UChar, AddressSpace::Private, false, {record->members.size()}};
  type.record = std::move(record);
  return type;
}

Type view_of(FunctionContext& context, const Type& pointer, ScalarType to) {
  const ScalarType from = is_view(pointer) ? *pointer.record->seen_in : pointer.scalar;
  Type result = pointer;
  result.extents.clear();
  result.record = nullptr;
  result.scalar = from;
  if (from == to) {
    return result;
  }
  std::shared_ptr<const Record>& view = context.unit.views[{to, from}];
  if (view == nullptr) {
    Record made;
    made.name = info(to).name;
    made.members.push_back({"", Type::scalar_of(to), 0, false, {}});
    made.size = made.alignment = lockstep::size_of(to);
    made.seen_in = from;
    view = std::make_shared<const Record>(std::move(made));
  }
  result.extents = {1};
  result.record = view;
  return result;
}

bool is_view(const Type& pointer) { return pointer.is_pointer() && pointer.record != nullptr && pointer.record->seen_in.has_value(); }

Type seen_as(const Type& view) {
  Type result = view;
  result.scalar = view.record->members.front().type.scalar;
  result.extents.clear();
  result.record = nullptr;
  return result;
}

std::uint64_t number_count(const Type& type) {
  if (type.record == nullptr) {
    return element_count(type);
  }
  return type.record->numbers * product(std::span(type.extents).first(type.extents.size() - 1));
}

bool same_record(const Type& a, const Type& b) { return a.is_record() && b.is_record() && a.record == b.record; }

std::optional<std::size_t> member_named(FunctionContext& context, const Type& record, const syntax::Name& name) {
  const std::vector<Member>& members = record.record->members;
  const auto found = std::ranges::find(members, name.text, &Member::name);
  if (found == members.end()) {
    context.unit.reporter.error(name.span, "'" + record.record->name + "' has no member " + quoted(shortened(name.text)) +
                                               (name.text.size() > 1 ? suggestion(name.text, members, &Member::name) : ""));
    return std::nullopt;
  }
  return static_cast<std::size_t>(found - members.begin());
}

ExprId member_at(FunctionContext& context, ExprId place, std::size_t number, SourceSpan span) {
  const Type whole = context.function.at(place).type;
  const Member& member = whole.record->members[number];
  Type type = member.type;
  if (type.is_array()) {
    type.space = whole.space;
    type.is_const = whole.is_const || member.is_const;
  }
  return add(context, Subscript{place, add_integer(context, number, ScalarType::Long, span)}, std::move(type), span);
}

ExprId after(FunctionContext& context, std::span<const ExprId> before, ExprId id) {
  if (before.empty() || !is_vector(context, id)) {
    return behind(context, before, id);
  }
  Vector value = components_of(context, id);
  value.before.insert(value.before.begin(), before.begin(), before.end());
  value.is_place = false;
  return vector_of(context, std::move(value), context.function.at(id).type.scalar, context.function.at(id).span);
}

ExprId place_of_value(FunctionContext& context, std::vector<ExprId>& before, ExprId id) {
  while (const auto* comma = std::get_if<Comma>(&context.function.at(id).node)) {
    before.push_back(comma->left);
    id = comma->right;
  }
  const Expr& expr = context.function.at(id);
  if (is_place(expr)) {
    return id;
  }
  Type type = expr.type;
  type.space = AddressSpace::Private;
  type.is_const = false;
  const SourceSpan span = expr.span;
  const VarId temporary = add_temporary(context, type, span);
  before.push_back(add(context, Assign{variable(context, temporary, span), id}, type, span));
  return variable(context, temporary, span);
}

Checked record_member(FunctionContext& context, ExprId base, const syntax::Name& name, SourceSpan span) {
  const std::optional<std::size_t> number = member_named(context, context.function.at(base).type, name);
  if (!number) {
    return std::nullopt;
  }
  std::vector<ExprId> before;
  const ExprId place = place_of_value(context, before, base);
  return after(context, before, member_at(context, place, *number, span));
}

std::optional<std::uint64_t> offset_of(FunctionContext& context, const Type& type, std::span<const syntax::Designator> path) {
  Type at = type;
  std::uint64_t offset = 0;
  for (const syntax::Designator& part : path) {
    if (const auto* name = std::get_if<syntax::Name>(&part)) {
      if (!at.is_record()) {
        context.unit.reporter.error(name->span, quoted(shortened(name->text)) + " is no member: this is '" + name_of(at) + "'");
        return std::nullopt;
      }
      const std::optional<std::size_t> number = member_named(context, at, *name);
      if (!number) {
        return std::nullopt;
      }
      const Member member = at.record->members[*number];
      offset += member.offset;
      at = member.type;
      continue;
    }
    const syntax::Expr& written = *std::get<syntax::ExprPtr>(part);
    const Checked index = check_integer(context, written, "an index");
    const std::optional<std::uint64_t> number = index ? require_constant(context, *index, "the index") : std::nullopt;
    if (!number) {
      return std::nullopt;
    }
    if (!at.is_array() || at.is_record() || *number >= at.extents.front()) {
      context.unit.reporter.error(written.span, "'" + name_of(at) + "' has no element " + std::to_string(*number));
      return std::nullopt;
    }
    at = element(at);
    offset += *number * size_of(at);
  }
  return offset;
}

}  // namespace lockstep::core::sema
