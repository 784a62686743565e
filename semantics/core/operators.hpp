#pragma once
// The operators of the kernel language: how they are spelled and how they bind.

#include <array>
#include <cstddef>
#include <string_view>

#include "semantics/core/syntax.hpp"

namespace lockstep::core::syntax {

/// How tightly a form binds, from the loosest to the tightest (C99 6.5.5 to 6.5.17).
enum class Precedence : std::uint8_t {
  Comma,
  Assignment,
  Conditional,
  Or,
  And,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relation,
  Shift,
  Sum,
  Product,
  Prefix,
  Postfix,
  Primary
};

struct BinaryInfo {
  BinaryOp op;
  std::string_view text;
  Precedence precedence;
  bool can_assign;  ///< there is `text=`
};

inline constexpr std::array<BinaryInfo, 18> binary_table = {{
    {BinaryOp::Mul, "*", Precedence::Product, true},
    {BinaryOp::Div, "/", Precedence::Product, true},
    {BinaryOp::Rem, "%", Precedence::Product, true},
    {BinaryOp::Add, "+", Precedence::Sum, true},
    {BinaryOp::Sub, "-", Precedence::Sum, true},
    {BinaryOp::Shl, "<<", Precedence::Shift, true},
    {BinaryOp::Shr, ">>", Precedence::Shift, true},
    {BinaryOp::Less, "<", Precedence::Relation, false},
    {BinaryOp::LessEqual, "<=", Precedence::Relation, false},
    {BinaryOp::Greater, ">", Precedence::Relation, false},
    {BinaryOp::GreaterEqual, ">=", Precedence::Relation, false},
    {BinaryOp::Equal, "==", Precedence::Equality, false},
    {BinaryOp::NotEqual, "!=", Precedence::Equality, false},
    {BinaryOp::BitAnd, "&", Precedence::BitAnd, true},
    {BinaryOp::BitXor, "^", Precedence::BitXor, true},
    {BinaryOp::BitOr, "|", Precedence::BitOr, true},
    {BinaryOp::And, "&&", Precedence::And, false},
    {BinaryOp::Or, "||", Precedence::Or, false},
}};

struct UnaryInfo {
  UnaryOp op;
  std::string_view text;
  bool is_postfix;
};

inline constexpr std::array<UnaryInfo, 10> unary_table = {{
    {UnaryOp::Plus, "+", false},
    {UnaryOp::Minus, "-", false},
    {UnaryOp::BitNot, "~", false},
    {UnaryOp::Not, "!", false},
    {UnaryOp::Dereference, "*", false},
    {UnaryOp::AddressOf, "&", false},
    {UnaryOp::PreIncrement, "++", false},
    {UnaryOp::PreDecrement, "--", false},
    {UnaryOp::PostIncrement, "++", true},
    {UnaryOp::PostDecrement, "--", true},
}};

/// The row of an operator. O(1).
constexpr const BinaryInfo& info(BinaryOp op) { return binary_table[static_cast<std::size_t>(op)]; }
constexpr const UnaryInfo& info(UnaryOp op) { return unary_table[static_cast<std::size_t>(op)]; }

}  // namespace lockstep::core::syntax
