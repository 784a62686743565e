// The parser of expressions over VE.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "interpreter/debug/value_parser.hpp"
#include "interpreter/debug/ve/expression.hpp"

namespace lockstep {

class VeExpressionParser : ValueParser<VeExpressionParser, VeExpression> {
 public:
  VeExpressionParser(std::string_view text, const VeRun& run) : ValueParser(text), run_(run) {}

  std::expected<VeExpression, ConditionError> parse() { return whole("an operator, 'in element' or the end of the expression"); }

 private:
  friend OperatorParser;
  friend ValueParser;
  static constexpr std::string_view depths = "a stack, which VE has not";

  /// A name: %v1, arg2.
  std::string_view word() {
    peek();
    const std::size_t begin = at_;
    at_ += at_ < text_.size() && text_[at_] == '%' ? 1U : 0U;
    while (at_ < text_.size() && is_letter_or_digit(text_[at_])) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  void suffixes() {
    if (error_ || !is_letter(peek())) {
      return;
    }
    const std::size_t begin = at_;
    if (word() != "in" || word() != "element") {
      fail_at(begin, "expected an operator, or 'in element E'");
      return;
    }
    peek();
    const std::size_t number_at = at_;
    const auto number = plain_number();
    if (!number || *number >= ve::max_length) {
      fail_at(number_at, fmt::format("a vector has elements 0 to {}", ve::max_length - 1));
      return;
    }
    result_.element_ = static_cast<unsigned>(*number);
  }

  static bool unary_first() { return false; }
  static void behind_operand() {}
  static bool stack(std::string_view) { return false; }

  void primary() {
    const char c = peek();
    if (c != '%' && !is_letter(c)) {
      fail("expected a number, a register, a name or '('");
      return;
    }
    const std::size_t begin = at_;
    const std::string_view id = word();
    if (accept('(')) {
      if (!common_function(id)) {
        fail_at(begin, "there is no function '" + shortened(id) + "' here");
      }
      expect(')', "to end the call");
      return;
    }
    const VeType* seen_as = type_behind();
    if (!error_ && !registers(id, seen_as) && !buffer(begin, id, seen_as) && !memory_of(id) && (seen_as != nullptr || !builtin(id))) {
      fail_at(begin,
              fmt::format("there is no '{}'; there are %s0 to %s63, %v0 to %v63, %vm0 to %vm15, vl, arg0[I], f64[ADDRESS]", shortened(id)));
    }
  }

  /// `.f32`; null if nothing of the kind stands here.
  const VeType* type_behind() {
    if (at_ >= text_.size() || text_[at_] != '.') {
      return nullptr;
    }
    ++at_;
    const std::size_t begin = at_;
    const std::string_view name = word();
    const VeType* type = ve_type_named(name);
    if (type == nullptr) {
      fail_at(begin,
              fmt::format("'{}' is no type; there are f64, f32, i64, u64, i32, u32, i16, u16, i8, u8, and f32lo, i32up, u32up of packed "
                          "numbers",
                          shortened(name)));
    }
    return type;
  }

  /// The number behind `prefix`, if it is below `count`.
  static std::optional<std::uint32_t> numbered(std::string_view id, std::string_view prefix, std::size_t count) {
    if (!id.starts_with(prefix)) {
      return std::nullopt;
    }
    const auto number = number_in(id.substr(prefix.size()));
    return number && *number < count ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
  }

  bool index() {
    if (!accept('[')) {
      return false;
    }
    expression();
    expect(']', "to match '['");
    return true;
  }

  bool registers(std::string_view id, const VeType* seen_as) {
    if (const auto scalar = numbered(id, "%s", ve::scalar_registers)) {
      VeExpression::Node& node = emit(Kind::Scalar);
      node.id = *scalar;
      node.seen_as = seen_as != nullptr ? seen_as : &ve_type("i64");
      return true;
    }
    const auto vector = numbered(id, "%v", ve::vector_registers);
    const auto mask = numbered(id, "%vm", ve::mask_registers);
    if (!vector && !(mask && seen_as == nullptr)) {
      return false;
    }
    const bool indexed = index();
    VeExpression::Node& node = emit(vector ? (indexed ? Kind::VectorAt : Kind::Vector) : (indexed ? Kind::MaskAt : Kind::Mask));
    node.id = vector ? *vector : *mask;
    node.seen_as = seen_as != nullptr ? seen_as : &ve_type("f64");
    note_per_item(!indexed);
    return true;
  }

  bool buffer(std::size_t begin, std::string_view id, const VeType* seen_as) {
    const auto position = numbered(id, "arg", SIZE_MAX);
    if (!position) {
      return false;
    }
    const auto& values = run_.arguments().values;
    const auto* of = *position < values.size() ? std::get_if<BufferNumber>(&values[*position]) : nullptr;
    if (of == nullptr) {
      fail_at(begin, fmt::format("argument {} has no buffer", *position));
    } else if (!index()) {
      fail(fmt::format("name an element, as in {}[0]", id));
    } else {
      VeExpression::Node& node = emit(Kind::Buffer);
      node.id = *position;
      node.seen_as = seen_as != nullptr ? seen_as : &VeView::type_of(run_.arguments().buffers[of->number].type);
    }
    return true;
  }

  /// `f64[ADDRESS]`
  bool memory_of(std::string_view id) {
    const VeType* type = ve_type_named(id);
    if (type == nullptr) {
      return false;
    }
    if (index()) {
      emit(Kind::Access).seen_as = type;
    } else {
      fail(fmt::format("expected {}[ADDRESS]", id));
    }
    return true;
  }

  bool builtin(std::string_view id) {
    static constexpr auto words = std::to_array<std::pair<std::string_view, Kind>>(
        {{"vl", Kind::Length}, {"element", Kind::Element}, {"line", Kind::Line}, {"step", Kind::Step}});
    const auto* found = std::ranges::find(words, id, [](const auto& word) { return word.first; });
    if (found == words.end()) {
      return false;
    }
    emit(found->second);
    note_per_item(found->second == Kind::Element);
    return true;
  }

  const VeRun& run_;
};

std::expected<VeExpression, ConditionError> VeExpression::parse(std::string_view text, const VeRun& run) {
  return VeExpressionParser(text, run).parse();
}

}  // namespace lockstep
