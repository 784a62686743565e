// What one chunk of a result is, from the same chunk of the operands. The rules are those of semantics/ops/scalar.hpp; the functions of
// lockstep_avx512.h do the same to vectors and to scalars.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/avx512/lowering.hpp"
#include "semantics/base/internal_error.hpp"

namespace lockstep::emit_avx512 {

using namespace infreg;

namespace {

bool is_narrow(ScalarType type) { return is_integer(type) && type != ScalarType::Bool && size_of(type) < 4; }

std::string_view function_of(Op op) {
  switch (op) {
    case Op::Neg:
      return "neg";
    case Op::BitNot:
      return "not_";
    case Op::Mul:
      return "mul";
    case Op::Div:
      return "div";
    case Op::Rem:
      return "rem";
    case Op::Add:
      return "add";
    case Op::Sub:
      return "sub";
    case Op::Shl:
      return "shl";
    case Op::Shr:
      return "shr";
    case Op::Lt:
      return "lt";
    case Op::Le:
      return "le";
    case Op::Gt:
      return "gt";
    case Op::Ge:
      return "ge";
    case Op::Eq:
      return "eq";
    case Op::Ne:
      return "ne";
    case Op::BitAnd:
      return "and_";
    case Op::BitXor:
      return "xor_";
    case Op::BitOr:
      return "or_";
    case Op::Min:
      return "min";
    case Op::Max:
      return "max";
    case Op::Abs:
    case Op::Fabs:
      return "abs";
    case Op::Popcount:
      return "popcount";
    case Op::Fma:
      return "fma";
    case Op::Sqrt:
      return "sqrt";
    case Op::Rcp:
      return "rcp";
    default:
      throw InternalError("no operation on elements");
  }
}

/// Whether the result of a narrow type may leave its range in 32 bits.
bool outgrows(Op op) {
  return op == Op::Neg || op == Op::BitNot || op == Op::Mul || op == Op::Add || op == Op::Sub || op == Op::Shl || op == Op::Div ||
         op == Op::Rem;
}

/// `v::f(a, b)`, wrapped to the narrow type if it has to be.
std::string wrapped(ScalarType type, std::string_view memory, std::string text) {
  return is_narrow(type) ? fmt::format("v::wrap<{}>({})", memory, text) : std::move(text);
}

}  // namespace

Piece Lowering::chunk(ValueId value, const Position& position) {
  if (const auto found = in_flight_.find(value); found != in_flight_.end()) {
    if (remaking_ && definitions_[value] != nullptr) {
      return chunk_of(*definitions_[value], position);
    }
    return found->second[found->second.size() == 1 ? 0 : position.slot];
  }
  if (remaking_ && waits(value) && definitions_[value] != nullptr) {
    return chunk_of(*definitions_[value], position);
  }
  const Kept& kept = kept_[value];
  const Type& type = kernel_.type_of(value);
  if (is_scalar(type.layout)) {
    return kept.chunks.front();
  }
  if (remaking_) {
    return from_lanes(value, {Polynomial(Symbol::item()), Polynomial(Symbol::element())}, position, name_of(value));
  }
  if (!kept.chunks.empty() && position.number) {
    return kept.chunks[*position.number];
  }
  if (kept.again != nullptr) {
    return chunk_of(*kept.again, position);
  }
  return read_own(value, position);
}

Piece Lowering::chunk_of(const Operation& operation, const Position& position) {
  return std::visit(
      [&](const auto& node) -> Piece {
        using T = std::remove_cvref_t<decltype(node)>;
        if constexpr (std::is_same_v<T, Constant>) {
          return node.type.element == truth ? mask((node.bits & 1) != 0 ? full() : 0)
                                            : uniform(node.type, number_text(node.type.element, node.bits));
        } else if constexpr (std::is_same_v<T, ConstantLanes>) {
          return constant_lanes(node, position);
        } else if constexpr (std::is_same_v<T, Poison>) {
          return node.type.element == truth ? mask(0) : uniform(node.type, number_text(node.type.element, 0));
        } else if constexpr (std::is_same_v<T, Index>) {
          return index(node, position);
        } else if constexpr (std::is_same_v<T, Mask>) {
          return compared(node, position);
        } else if constexpr (std::is_same_v<T, NumGroups>) {
          return {"num_groups", "num_groups", std::nullopt};
        } else if constexpr (std::is_same_v<T, Spread>) {
          return spread(operation, node, position);
        } else if constexpr (std::is_same_v<T, Elementwise>) {
          return elementwise(operation, node, position);
        } else if constexpr (std::is_same_v<T, Select>) {
          return select(operation, node, position);
        } else if constexpr (std::is_same_v<T, Convert>) {
          return convert(operation, node, position);
        } else if constexpr (std::is_same_v<T, Bitcast>) {
          return bitcast(operation, node, position);
        } else if constexpr (std::is_same_v<T, Reorder>) {
          return reorder(operation, node, position);
        } else if constexpr (std::is_same_v<T, Shuffle>) {
          return shuffle(operation, node, position);
        } else if constexpr (std::is_same_v<T, AddressOf>) {
          return address_of(operation, node, position);
        } else if constexpr (std::is_same_v<T, PointerOffset>) {
          return pointer_offset(operation, node, position);
        } else if constexpr (std::is_same_v<T, PointerDistance>) {
          return pointer_distance(operation, node, position);
        } else if constexpr (std::is_same_v<T, PointerCompare>) {
          return pointer_compare(operation, node, position);
        } else if constexpr (std::is_same_v<T, Load>) {
          return load(operation, node, position);
        } else if constexpr (std::is_same_v<T, Store>) {
          store(node, position);
          return {};
        } else if constexpr (std::is_same_v<T, Atomic>) {
          return change(operation, node, position);
        } else {
          throw InternalError("an operation that has no chunks");
        }
      },
      operation.node);
}

Piece Lowering::constant_lanes(const ConstantLanes& node, const Position& position) {
  const std::uint64_t per_group = lanes_per_group(node.type.layout, shape_);
  const Geometry g = geometry(node.type.layout);
  const auto bits_at = [&](std::uint64_t place) -> std::uint64_t {
    const auto lane = lane_at_place(node.type.layout, shape_, g, place);
    return lane ? node.bits[number_of(node.type.layout, shape_, *lane) % per_group] : 0;
  };
  if (is_scalar(node.type.layout)) {
    return node.type.element == truth ? mask((node.bits.front() & 1) != 0 ? full() : 0)
                                      : uniform(node.type, number_text(node.type.element, node.bits.front()));
  }
  const bool of_truths = node.type.element == truth;
  if (position.number) {
    const std::uint64_t first = *position.number * plan_.chunk_lanes;
    std::uint32_t bits = 0;
    std::vector<std::string> numbers;
    for (unsigned j = 0; j < plan_.chunk_lanes; ++j) {
      bits |= static_cast<std::uint32_t>((bits_at(first + j) & 1) << j);
      numbers.push_back(of_truths ? "" : number_text(node.type.element, bits_at(first + j)));
    }
    if (of_truths) {
      return mask(bits);
    }
    if (std::ranges::all_of(numbers, [&](const std::string& n) { return n == numbers.front(); })) {
      return uniform(node.type, numbers.front());
    }
    const std::string vector = vector_type(node.type.element);
    return named(node.type, "lanes", fmt::format("v::load<{}>({})", vector, table(held(node.type.element), "lanes", numbers)));
  }
  std::vector<std::string> numbers;
  for (std::uint64_t place = 0; place < g.chunks * plan_.chunk_lanes; ++place) {
    numbers.push_back(of_truths ? ((bits_at(place) & 1) != 0 ? "1" : "0") : number_text(node.type.element, bits_at(place)));
  }
  const std::string from = table(of_truths ? "uint8_t" : held(node.type.element), "lanes", numbers);
  const std::string at = fmt::format("{} + {}", from, index_text(position.place));
  return of_truths ? named(node.type, "mask", fmt::format("v::load_mask<W>({})", at))
                   : named(node.type, "lanes", fmt::format("v::load<{}>({})", vector_type(node.type.element), at));
}

Piece Lowering::index(const Index& node, const Position& position) {
  const Sum sum = sum_of(node.value, position, Groups::OfLaunch);
  const Type as_long{index_element, node.type.layout};
  const std::string wanted = "index";
  if (sum.is_uniform()) {
    if (sum.uniform.is_constant() && node.type.element.scalar != ScalarType::Bool) {
      return uniform(node.type, number_text(node.type.element, static_cast<std::uint64_t>(sum.uniform.constant())));
    }
    const Type scalar{index_element, Layout::pack()};
    const std::string number = sum.uniform.is_constant() ? number_text(index_element, static_cast<std::uint64_t>(sum.uniform.constant()))
                                                         : fmt::format("static_cast<int64_t>({})", index_text(sum.uniform));
    const Piece piece = converted({number, number, std::nullopt}, scalar, {node.type.element, Layout::pack()}, wanted);
    return is_scalar(node.type.layout)  ? piece
           : node.type.element == truth ? Piece{"", piece.text, std::nullopt}
                                        : uniform(node.type, piece.text);
  }
  return converted({vector_text(sum), "", std::nullopt}, as_long, node.type, wanted);
}

Piece Lowering::compared(const Mask& node, const Position& position) {
  Piece all = mask(full());
  for (const Mask::Comparison& one : node.all_of) {
    const Mask::Comparison known{with_known(one.left), one.op, with_known(one.right)};
    const Sum left = sum_of(known.left, position, Groups::OfLaunch);
    const Sum right = sum_of(known.right, position, Groups::OfLaunch);
    if (const auto decided = decide(known, position.ranges)) {
      all = both(all, mask(*decided ? full() : 0));
      continue;
    }
    if (left.vector.empty() && right.vector.empty() && left.uniform.is_constant() && right.uniform.is_constant()) {
      // Known lane by lane.
      std::uint32_t bits = 0;
      for (unsigned j = 0; j < plan_.chunk_lanes; ++j) {
        const auto side = [&](const Sum& sum) {
          const std::uint64_t step = sum.steps.empty() ? 0 : static_cast<std::uint64_t>(sum.steps[j]);
          return Polynomial(static_cast<std::int64_t>(static_cast<std::uint64_t>(sum.uniform.constant()) + step));
        };
        const std::int64_t a = side(left).constant();
        const std::int64_t b = side(right).constant();
        const bool holds = one.op == Op::Lt   ? a < b
                           : one.op == Op::Le ? a <= b
                           : one.op == Op::Gt ? a > b
                           : one.op == Op::Ge ? a >= b
                           : one.op == Op::Eq ? a == b
                                              : a != b;
        bits |= static_cast<std::uint32_t>(holds) << j;
      }
      all = both(all, mask(bits));
      continue;
    }
    if (left.is_uniform() && right.is_uniform()) {
      const auto number = [&](const Sum& sum) { return fmt::format("static_cast<int64_t>({})", index_text(sum.uniform)); };
      const std::string holds =
          code_.value("bool", "holds", fmt::format("v::{}({}, {})", function_of(one.op), number(left), number(right)));
      all = is_scalar(node.layout)
                ? (all.bits == full()
                       ? Piece{holds, "", std::nullopt}
                       : Piece{code_.value("bool", "holds", fmt::format("{} && {}", text_of(all, {truth, node.layout}), holds)), "",
                               std::nullopt})
                : both(all, {"", holds, std::nullopt});
      continue;
    }
    all = both(all, {code_.value("M", "mask", fmt::format("v::{}({}, {})", function_of(one.op), vector_text(left), vector_text(right))), "",
                     std::nullopt});
  }
  return all;
}

Piece Lowering::of_truths(const Elementwise& node, const Piece& a, const Piece& b, bool scalar) {
  if (scalar) {
    const Type type{truth, Layout::pack()};
    const std::string left = text_of(a, type);
    const std::string right = text_of(b, type);
    const bool keeps = node.op == Op::BitAnd || node.op == Op::BitOr;
    if (left == right) {  // compilers warn of comparisons of equal names
      return keeps ? a : mask(node.op == Op::Eq ? full() : 0);
    }
    const std::string_view op = node.op == Op::BitAnd ? "&&" : node.op == Op::BitOr ? "||" : node.op == Op::Eq ? "==" : "!=";
    return {code_.value("bool", "truth", fmt::format("{} {} {}", left, op, right)), "", std::nullopt};
  }
  if (node.op == Op::BitAnd) {
    return both(a, b);
  }
  if (a.bits && b.bits) {
    const std::uint32_t bits = node.op == Op::BitOr ? *a.bits | *b.bits : node.op == Op::Eq ? ~(*a.bits ^ *b.bits) : *a.bits ^ *b.bits;
    return mask(bits & full());
  }
  const std::string left = mask_text(a);
  const std::string right = mask_text(b);
  const std::string text = node.op == Op::BitOr  ? fmt::format("M({} | {})", left, right)
                           : (node.op == Op::Eq) ? fmt::format("M(~({} ^ {}))", left, right)
                                                 : fmt::format("M({} ^ {})", left, right);
  return {code_.value("M", "mask", text), "", std::nullopt};
}

/// Whether v::near_div and its like may take the place of v::div.
bool Lowering::is_near(const Elementwise& node) const {
  const bool is_quotient = node.op == Op::Div || node.op == Op::Rcp;
  const bool is_root = node.op == Op::Sqrt;
  return plan_.near && (is_quotient || is_root) && is_float(node.operand_type);
}

Piece Lowering::elementwise(const Operation& operation, const Elementwise& node, const Position& position) {
  const Type of{Element::of(node.operand_type), position.layout};
  const Type& result = kernel_.type_of(operation.results.front());
  const std::string name = name_of(operation.results.front());
  std::vector<Piece> pieces;
  for (const ValueId operand : node.operands) {
    pieces.push_back(chunk(operand, position));
  }
  if (node.operand_type == ScalarType::Bool) {
    return of_truths(node, pieces[0], pieces[1], is_scalar(position.layout));
  }
  std::string function(function_of(node.op));
  if (node.op == Op::Fma) {
    // -a * b + c has an instruction of its own.
    for (std::size_t i = 0; i < 2; ++i) {
      const Operation* factor = defined_by(node.operands[i]);
      const auto* negated = factor == nullptr ? nullptr : std::get_if<Elementwise>(&factor->node);
      if (negated != nullptr && negated->op == Op::Neg && function == "fma" && (in_flight_.contains(node.operands[i]) || position.number)) {
        const ValueId source = negated->operands[0];
        const bool there = in_flight_.contains(source) || kept_[source].again != nullptr || !kept_[source].chunks.empty();
        if (there) {
          pieces[i] = chunk(source, position);
          function = "fnma";
        }
      }
    }
  }
  const bool is_vector = !is_scalar(position.layout);
  const bool all_uniform =
      is_vector && std::ranges::all_of(pieces, [](const Piece& piece) { return piece.text.empty() && !piece.scalar.empty(); });
  std::vector<std::string> texts;
  for (const Piece& piece : pieces) {
    texts.push_back(all_uniform ? piece.scalar : text_of(piece, of));
  }
  const std::string memory = in_memory(of.element);
  const std::string vector = all_uniform || !is_vector ? held(of.element) : vector_type(of.element);
  const auto number = [&](std::uint64_t bits) {
    const std::string text = number_text({is_signed(node.operand_type) ? ScalarType::Int : ScalarType::UInt, false}, bits);
    return all_uniform || !is_vector ? text : fmt::format("v::set1<{}>({})", vector, text);
  };
  if (is_narrow(node.operand_type)) {
    const std::uint64_t width = bits_of(node.operand_type);
    if (node.op == Op::Shl || node.op == Op::Shr) {
      texts[1] = fmt::format("v::and_({}, {})", texts[1], number(width - 1));
    } else if (node.op == Op::Popcount) {
      texts[0] = fmt::format("v::and_({}, {})", texts[0], number((std::uint64_t{1} << width) - 1));
    }
  }
  // One number for all lanes is computed exactly: that takes no longer.
  if (is_near(node) && is_vector && !all_uniform) {
    function = "near_" + function;
    const std::string choice = fmt::format("{}: {}, not rounded exactly", name, node.op == Op::Sqrt ? "root" : "quotient");
    if (std::ranges::find(choices_, choice) == choices_.end()) {
      choices_.push_back(choice);
    }
  }
  std::string text = fmt::format("v::{}({})", function, fmt::join(texts, ", "));
  if (outgrows(node.op)) {
    text = wrapped(node.operand_type, memory, text);
  }
  if (all_uniform) {
    const std::string scalar = code_.value(held(result.element), name, text);
    return {"", scalar, std::nullopt};
  }
  return named(result, name, text);
}

Piece Lowering::select(const Operation& operation, const Select& node, const Position& position) {
  const Piece condition = chunk(node.condition, position);
  const Type& type = kernel_.type_of(operation.results.front());
  const std::uint32_t valid = is_scalar(position.layout) ? full() : position.valid;
  if (condition.bits && (*condition.bits & valid) == valid) {
    return chunk(node.then, position);
  }
  if (condition.bits && (*condition.bits & valid) == 0) {
    return chunk(node.otherwise, position);
  }
  Piece then = chunk(node.then, position);
  const Piece otherwise = chunk(node.otherwise, position);
  const std::string name = name_of(operation.results.front());
  if (type.element == truth && !is_scalar(position.layout)) {
    if (then.bits && otherwise.bits && *then.bits == *otherwise.bits) {
      return then;
    }
    if (otherwise.bits == 0U) {
      return both(condition, then);
    }
    const std::string c = mask_text(condition);
    if (then.bits == 0U) {
      return {code_.value("M", "mask", fmt::format("M(~{} & {})", c, mask_text(otherwise))), "", std::nullopt};
    }
    return {code_.value("M", "mask", fmt::format("M(({0} & {1}) | (~{0} & {2}))", c, mask_text(then), mask_text(otherwise))), "",
            std::nullopt};
  }
  if (!then.text.empty() && then.text == otherwise.text) {
    return then;
  }
  if (!is_scalar(position.layout) && condition.text.empty() && !condition.scalar.empty() && then.text.empty() && otherwise.text.empty()) {
    return {"",
            code_.value(held(type.element), name, fmt::format("v::select({}, {}, {})", condition.scalar, then.scalar, otherwise.scalar)),
            std::nullopt};
  }
  return named(
      type, name,
      fmt::format("v::select({}, {}, {})", text_of(condition, {truth, type.layout}), text_of(then, type), text_of(otherwise, type)));
}

Piece Lowering::convert(const Operation& operation, const Convert& node, const Position& position) {
  if (const Piece choice = converted_choice(operation, node, position); !choice.text.empty()) {
    return choice;
  }
  return converted(chunk(node.source, position), kernel_.type_of(node.source), kernel_.type_of(operation.results.front()),
                   name_of(operation.results.front()));
}

/// What is chosen from two numbers, each of which is the same in all lanes: they are converted instead. Empty for all else.
Piece Lowering::converted_choice(const Operation& operation, const Convert& node, const Position& position) {
  const Operation* source = definitions_[node.source];
  const auto* choice = source == nullptr ? nullptr : std::get_if<Select>(&source->node);
  const Type& from = kernel_.type_of(node.source);
  const Type& to = kernel_.type_of(operation.results.front());
  if (choice == nullptr || is_scalar(position.layout) || remaking_ || !in_flight_.contains(node.source) || from.element == truth ||
      to.element == truth) {
    return {};
  }
  const Piece condition = chunk(choice->condition, position);
  const Piece then = chunk(choice->then, position);
  const Piece otherwise = chunk(choice->otherwise, position);
  const auto is_uniform = [](const Piece& piece) { return piece.text.empty() && !piece.scalar.empty(); };
  if (condition.text.empty() || condition.bits || !is_uniform(then) || !is_uniform(otherwise)) {
    return {};
  }
  const std::string name = name_of(operation.results.front());
  const std::string first = text_of(converted(then, from, to, name), to);
  const std::string second = text_of(converted(otherwise, from, to, name), to);
  return named(to, name, fmt::format("v::select({}, {}, {})", mask_text(condition), first, second));
}

/// Between integers it is the conversion.
Piece Lowering::bitcast(const Operation& operation, const Bitcast& node, const Position& position) {
  const Type& from = kernel_.type_of(node.source);
  const Type& to = kernel_.type_of(operation.results.front());
  const bool of_integers = is_integer(from.element.scalar) && is_integer(node.to);
  return converted(chunk(node.source, position), from, to, name_of(operation.results.front()), of_integers ? "convert" : "bits_as");
}

/// `function` is what it is done by where masks are not concerned: v::convert or its like.
Piece Lowering::converted(const Piece& source, const Type& from, const Type& to, std::string_view wanted, std::string_view function) {
  if (from.element == to.element) {
    return source;
  }
  const bool scalar = is_scalar(to.layout);
  const bool is_uniform = !scalar && source.text.empty() && !source.scalar.empty() && from.element != truth && to.element != truth;
  const Type to_type = is_uniform ? Type{to.element, Layout::pack()} : to;
  const Type from_type = is_uniform ? Type{from.element, Layout::pack()} : from;
  const std::string text = is_uniform ? source.scalar : text_of(source, from_type);
  const bool as_scalar = scalar || is_uniform;
  const std::string target = as_scalar ? held(to.element) : vector_type(to.element);
  Piece result;
  if (to.element == truth) {
    const std::string zero = as_scalar ? number_text(from.element, 0) : fmt::format("v::zero<{}>()", vector_type(from.element));
    result = named(to_type, wanted, fmt::format("v::ne({}, {})", text, zero));
  } else if (from.element == truth) {
    result = named(to_type, wanted, fmt::format("v::from_mask<{}>({})", target, text));
  } else {
    const bool same = held(from.element) == held(to.element);
    const std::string plain = same ? text : fmt::format("v::{}<{}>({})", function, target, text);
    const ScalarType scalar_type = to.element.scalar;
    // A narrow type that holds all of the source's numbers needs no wrapping.
    const bool widens = is_narrow(from.element.scalar) && is_integer(from.element.scalar) &&
                        size_of(from.element.scalar) < size_of(scalar_type) && (is_signed(scalar_type) || !is_signed(from.element.scalar));
    const std::string all = is_narrow(scalar_type) && !widens ? wrapped(scalar_type, in_memory(to.element), plain) : plain;
    if (all == text) {
      result = {text, as_scalar ? text : "", std::nullopt};
    } else {
      result = named(to_type, wanted, all);
    }
  }
  return is_uniform ? Piece{"", result.text, std::nullopt} : result;
}

}  // namespace lockstep::emit_avx512
