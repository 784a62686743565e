#include "semantics/infreg/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "semantics/base/internal_error.hpp"
#include "semantics/ops/apply.hpp"

namespace lockstep::infreg {

namespace {

constexpr std::array<std::string_view, scalar_table.size()> scalar_words = {"i1",  "i8",  "u8",  "i16", "u16", "i32",
                                                                            "u32", "i64", "u64", "f32", "f64"};

/// An operation's word on integers and on floats; empty where there is none.
struct Words {
  Op op;
  std::string_view integers;
  std::string_view floats;
};
constexpr std::array elementwise_words = {
    Words{Op::Add, "add", "fadd"}, Words{Op::Sub, "sub", "fsub"},       Words{Op::Mul, "mul", "fmul"}, Words{Op::Div, "div", "fdiv"},
    Words{Op::Rem, "rem", ""},     Words{Op::Min, "min", "fmin"},       Words{Op::Max, "max", "fmax"}, Words{Op::Neg, "neg", "fneg"},
    Words{Op::BitNot, "not", ""},  Words{Op::BitAnd, "and", ""},        Words{Op::BitOr, "or", ""},    Words{Op::BitXor, "xor", ""},
    Words{Op::Shl, "shl", ""},     Words{Op::Shr, "shr", ""},           Words{Op::Lt, "lt", "flt"},    Words{Op::Le, "le", "fle"},
    Words{Op::Gt, "gt", "fgt"},    Words{Op::Ge, "ge", "fge"},          Words{Op::Eq, "eq", "feq"},    Words{Op::Ne, "ne", "fne"},
    Words{Op::Abs, "abs", ""},     Words{Op::Popcount, "popcount", ""}, Words{Op::Fma, "", "fma"},     Words{Op::Sqrt, "", "sqrt"},
    Words{Op::Fabs, "", "fabs"},   Words{Op::Rcp, "", "rcp"},
};

}  // namespace

bool is_name(std::string_view text) {
  const auto is_word_char = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  return !text.empty() && std::ranges::all_of(text, is_word_char);
}

std::string_view text_of(ScalarType type) { return scalar_words.at(static_cast<std::size_t>(type)); }

std::optional<ScalarType> scalar_named(std::string_view word) {
  const auto found = std::ranges::find(scalar_words, word);
  if (found == scalar_words.end()) {
    return std::nullopt;
  }
  return static_cast<ScalarType>(found - scalar_words.begin());
}

std::string_view text_of(Element element) { return element.is_pointer ? "ptr" : text_of(element.scalar); }

std::string text_of(Layout layout, Shape shape) {
  if (layout.kind == Layout::Kind::Pack) {
    return "";
  }
  const std::string pack = shape.wg_pack == 1 ? "" : fmt::format("wg {} x ", shape.wg_pack);
  const std::string item = layout.kind == Layout::Kind::Item ? fmt::format("wi {} x ", shape.wg_size) : "";
  return fmt::format("[{}{}ix {}]", pack, item, layout.elements);
}

std::string text_of(const Type& type, Shape shape) { return fmt::format("{}{}", text_of(type.element), text_of(type.layout, shape)); }

bool is_elementwise(Op op) { return std::ranges::find(elementwise_words, op, &Words::op) != elementwise_words.end(); }

std::string_view mnemonic(Op op, ScalarType type) {
  const auto row = std::ranges::find(elementwise_words, op, &Words::op);
  if (row == elementwise_words.end() || !ops::takes(op, type)) {
    throw InternalError(fmt::format("no word for {} on {}", info(op).name, text_of(type)));
  }
  return is_float(type) ? row->floats : row->integers;
}

std::optional<Mnemonic> mnemonic_named(std::string_view word) {
  for (const Words& row : elementwise_words) {
    if (!word.empty() && (word == row.integers || word == row.floats)) {
      return Mnemonic{row.op, word == row.floats};
    }
  }
  return std::nullopt;
}

std::span<const std::string_view> operation_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all = {"constant",     "lanes",
                                         "poison",       "index",
                                         "mask",         "num_groups",
                                         "spread",       "select",
                                         "convert",      "reorder",
                                         "shuffle",      "address",
                                         "offset",       "distance",
                                         "load",         "store",
                                         "if",           "for",
                                         "loop",         "any.group",
                                         "all.group",    "popcount.group",
                                         "ballot.group", "any.pack",
                                         "all.pack",     "popcount.pack",
                                         "peq",          "pne",
                                         "plt",          "ple",
                                         "pgt",          "pge",
                                         "bitcast"};
    for (const Words& row : elementwise_words) {
      for (const std::string_view word : {row.integers, row.floats}) {
        if (!word.empty()) {
          all.push_back(word);
        }
      }
    }
    return all;
  }();
  return words;
}

std::string_view text_of(Vote::Kind kind) {
  constexpr std::array<std::string_view, 4> words = {"any", "all", "popcount", "ballot"};
  return words.at(static_cast<std::size_t>(kind));
}

std::string_view text_of(Access access) {
  constexpr std::array<std::string_view, 3> words = {"contiguous", "strided", "gather"};
  return words.at(static_cast<std::size_t>(access));
}

}  // namespace lockstep::infreg
