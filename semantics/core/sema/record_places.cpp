#include "semantics/core/sema/record_places.hpp"

#include <algorithm>

#include "semantics/core/sema/conversions.hpp"
#include "semantics/core/sema/reinterpretation.hpp"
#include "semantics/core/sema/types.hpp"
#include "semantics/core/sema/vectors.hpp"
#include "semantics/core/walk.hpp"

namespace lockstep::core::sema {
namespace {

ExprId sum(FunctionContext& context, ExprId left, ExprId right) {
  const SourceSpan span = context.function.at(left).span;
  return add_scalar(context, Operate{Op::Add, ScalarType::Long, {left, right}}, ScalarType::Long, span);
}

bool stays(const FunctionContext& context, ExprId id, bool may_change) {
  const Expr& expr = context.function.at(id);
  return std::holds_alternative<Literal>(expr.node) || (!may_change && std::holds_alternative<Var>(expr.node));
}

}  // namespace

ExprId word_of_number(FunctionContext& context, ExprId value, ScalarType word) {
  return context.function.at(value).type.scalar == word ? value : part_of_bits(context, bits_of_part(context, value), word);
}

ExprId number_of_word(FunctionContext& context, ExprId word, ScalarType type) {
  return context.function.at(word).type.scalar == type ? word : part_of_bits(context, bits_of_part(context, word), type);
}

RecordPlace RecordPlaces::member(RecordPlace place, std::uint64_t number) const {
  const Type whole = place.type;
  const Member& member = whole.record->members[number];
  if (place.pieces != nullptr) {
    place.members.push_back(number);
  } else {
    place.word = words_.word(*whole.record);
    place.is_inside = true;
    place.offset += member.offset;
  }
  place.type = member.type;
  return place;
}

RecordPlace RecordPlaces::element_at(RecordPlace place, ExprId index) {
  const Type part = element(place.type);
  const SourceSpan span = context_.function.at(index).span;
  if (place.pieces != nullptr) {
    place.indices.push_back(index);
  } else if (!place.is_inside) {
    place.memory = add(context_, Subscript{place.memory, index}, words_.lowered(part), span);
  } else if (const auto* number = std::get_if<Literal>(&context_.function.at(index).node)) {
    place.offset += number->bits * size_of(part);
  } else {
    const std::uint64_t words = size_of(part) / lockstep::size_of(place.word);
    ExprId moved = convert(context_, index, ScalarType::Long);
    if (words != 1) {
      const ExprId factor = add_integer(context_, words, ScalarType::Long, span);
      moved = add_scalar(context_, Operate{Op::Mul, ScalarType::Long, {moved, factor}}, ScalarType::Long, span);
    }
    place.moved = place.moved ? sum(context_, *place.moved, moved) : moved;
  }
  place.type = part;
  return place;
}

RecordPlace RecordPlaces::leaf_at(const RecordPlace& place, const Leaf& leaf) {
  RecordPlace at = place;
  at.before.clear();
  if (at.pieces == nullptr) {
    at.memory = copy(context_, at.memory);
    if (at.moved) {
      at.moved = copy(context_, *at.moved);
    }
  }
  for (ExprId& index : at.indices) {
    index = copy(context_, index);
  }
  const SourceSpan span = span_of(place);
  for (const std::uint64_t number : leaf.path) {
    if (at.type.is_record() && at.type.record->is_union) {  // one of its words
      at.word = words_.word(*at.type.record);
      at.is_inside = true;
      at.offset += number * lockstep::size_of(at.word);
      at.type = Type::scalar_of(leaf.type);
    } else if (at.type.is_record()) {
      at = member(std::move(at), number);
    } else {
      const ExprId index = add_integer(context_, number, ScalarType::Long, span);
      at = element_at(std::move(at), index);
    }
  }
  return at;
}

SourceSpan RecordPlaces::span_of(const RecordPlace& place) const {
  return place.pieces != nullptr ? place.span : context_.function.at(place.memory).span;
}

void RecordPlaces::settle(RecordPlace& place, bool may_change) {
  for (ExprId& index : place.indices) {
    index = stays(context_, index, may_change) ? index : keep(context_, place.before, index);
  }
  if (place.pieces == nullptr) {
    place.memory = settled_place(context_, place.before, place.memory, may_change);
  }
  if (place.moved && !stays(context_, *place.moved, may_change)) {
    place.moved = keep(context_, place.before, *place.moved);
  }
}

std::uint64_t RecordPlaces::words_of(const RecordPlace& place) const {
  return lockstep::size_of(place.type.scalar) / lockstep::size_of(place.word);
}

std::optional<ExprId> RecordPlaces::ordinary(const RecordPlace& place) {
  if (place.pieces != nullptr) {
    const VarId id = place.pieces->at(place.members);
    ExprId result = variable(context_, id, place.span);
    for (const ExprId index : place.indices) {
      const Type part = element(context_.function.at(result).type);
      result = add(context_, Subscript{result, index}, part, context_.function.at(index).span);
    }
    return result;
  }
  if (!place.is_inside) {
    return place.memory;
  }
  return place.type.is_scalar() && place.type.scalar == place.word ? std::optional(word_at(place, 0)) : std::nullopt;
}

ExprId RecordPlaces::word_at(const RecordPlace& place, std::uint64_t number) {
  const SourceSpan span = span_of(place);
  const std::uint64_t first = place.offset / lockstep::size_of(place.word) + number;
  ExprId index = add_integer(context_, first, ScalarType::Long, span);
  if (place.moved) {
    const ExprId moved = number == 0 ? *place.moved : copy(context_, *place.moved);
    index = first == 0 ? moved : sum(context_, moved, index);
  }
  const ExprId memory = number == 0 ? place.memory : copy(context_, place.memory);
  return add_scalar(context_, Subscript{memory, index}, place.word, span);
}

ExprId RecordPlaces::load(const RecordPlace& place) {
  if (const std::optional<ExprId> whole = ordinary(place)) {
    return *whole;
  }
  if (words_of(place) == 1) {
    return number_of_word(context_, word_at(place, 0), place.type.scalar);
  }
  Vector words;
  for (std::uint64_t k = 0; k < words_of(place); ++k) {
    words.parts.push_back(bits_of_part(context_, word_at(place, k)));
  }
  const ExprId bits = regrouped(context_, words, lockstep::size_of(place.word), lockstep::size_of(place.type.scalar)).front();
  return part_of_bits(context_, bits, place.type.scalar);
}

void RecordPlaces::store(const RecordPlace& place, ExprId value, std::vector<ExprId>& stores) {
  const SourceSpan span = context_.function.at(value).span;
  const auto assign = [&](ExprId to, ExprId from) {
    const Type type = context_.function.at(to).type;
    stores.push_back(add(context_, Assign{to, from}, type, span));
  };
  if (const std::optional<ExprId> whole = ordinary(place)) {
    assign(*whole, value);
    return;
  }
  if (words_of(place) == 1) {
    const ExprId word = word_at(place, 0);
    assign(word, word_of_number(context_, value, place.word));
    return;
  }
  Vector number;
  number.parts = {bits_of_part(context_, value)};
  const std::vector<ExprId> words = regrouped(context_, number, lockstep::size_of(place.type.scalar), lockstep::size_of(place.word));
  std::ranges::copy(number.before, std::back_inserter(stores));
  for (std::uint64_t k = 0; k < words.size(); ++k) {
    assign(word_at(place, k), words[k]);
  }
}

void carry(FunctionContext& context, ExprId loaded) {
  const Expr expr = context.function.at(loaded);
  if (std::holds_alternative<Var>(expr.node) || std::holds_alternative<Subscript>(expr.node)) {
    context.function.expressions[loaded].carries = true;
  } else {
    for_each_operand(expr, [&](ExprId operand) { carry(context, operand); });
  }
}

void RecordPlaces::copy_all(const RecordPlace& to, const RecordPlace& from, std::vector<ExprId>& stores) {
  const std::vector<Leaf> leaves = words_.leaves(to.type);
  // Of a union one member has a value, and nobody knows which.
  const ExprId target = to.pieces != nullptr ? variable(context_, to.pieces->begin()->second, to.span) : to.memory;
  const bool is_own = to.type.record->has_union || is_private_place(context_.function, target);
  const auto read = [&](ExprId loaded) {
    if (is_own) {
      carry(context_, loaded);
    }
    return loaded;
  };
  if (to.pieces != nullptr || from.pieces != nullptr) {
    for (const Leaf& leaf : leaves) {
      store(leaf_at(to, leaf), read(load(leaf_at(from, leaf))), stores);
    }
    return;
  }
  // Word by word, but for those that nobody uses.
  const std::uint64_t bytes = lockstep::size_of(words_.word(*to.type.record));
  std::vector<bool> used(to.type.record->size / bytes);
  for (const Leaf& leaf : leaves) {
    std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(leaf.offset / bytes), lockstep::size_of(leaf.type) / bytes, true);
  }
  const ScalarType word = words_.word(*to.type.record);
  for (std::uint64_t k = 0; k < used.size(); ++k) {
    if (used[k]) {
      Leaf leaf;
      RecordPlace word_of_target = leaf_at(to, leaf);
      RecordPlace source = leaf_at(from, leaf);
      word_of_target.word = source.word = word;
      const ExprId place = word_at(word_of_target, k);
      stores.push_back(add_scalar(context_, Assign{place, read(word_at(source, k))}, word, span_of(to)));
    }
  }
}

}  // namespace lockstep::core::sema
