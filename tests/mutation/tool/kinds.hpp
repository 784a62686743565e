#pragma once
// The kinds of faults, and what is exchanged for what.

#include <array>
#include <string_view>
#include <utility>

namespace lockstep::mutate {

inline constexpr const char* kind_comparison = "comparison";
inline constexpr const char* kind_arithmetic = "arithmetic";
inline constexpr const char* kind_sets = "sets";  ///< union and intersection, and
inline constexpr const char* kind_condition = "condition";
inline constexpr const char* kind_constant = "constant";
inline constexpr const char* kind_statement = "statement";
inline constexpr const char* kind_arguments = "arguments";
inline constexpr const char* kind_ends = "ends";
inline constexpr const char* kind_premise = "premise";  ///< of a rule, dropped or negated

struct OperatorExchange {
  std::string_view sign;
  std::string_view other;
  const char* kind;
  bool only_sets = false;  ///< not for numbers
};
/// What makes no sense of the operands does not compile, and is left out.
inline constexpr auto operator_exchanges = std::to_array<OperatorExchange>({
    {"<", "<=", kind_comparison},  {"<", ">", kind_comparison},     {"<=", "<", kind_comparison},    {"<=", ">=", kind_comparison},
    {">", ">=", kind_comparison},  {">", "<", kind_comparison},     {">=", ">", kind_comparison},    {">=", "<=", kind_comparison},
    {"==", "!=", kind_comparison}, {"!=", "==", kind_comparison},   {"+", "-", kind_arithmetic},     {"-", "+", kind_arithmetic},
    {"*", "+", kind_arithmetic},   {"/", "*", kind_arithmetic},     {"%", "/", kind_arithmetic},     {"<<", ">>", kind_arithmetic},
    {">>", "<<", kind_arithmetic}, {"+=", "-=", kind_arithmetic},   {"-=", "+=", kind_arithmetic},   {"*=", "+=", kind_arithmetic},
    {"/=", "*=", kind_arithmetic}, {"<<=", ">>=", kind_arithmetic}, {">>=", "<<=", kind_arithmetic}, {"&", "|", kind_sets},
    {"|", "&", kind_sets},         {"^", "|", kind_sets},           {"-", "&", kind_sets, true},     {"&=", "|=", kind_sets},
    {"|=", "&=", kind_sets},       {"^=", "|=", kind_sets},         {"-=", "&=", kind_sets, true},   {"&&", "||", kind_sets},
    {"||", "&&", kind_sets},
});

/// Ends of ranges, and functions that are one another's opposite.
inline constexpr auto name_exchanges = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"begin", "end"},
    {"end", "begin"},
    {"front", "back"},
    {"back", "front"},
    {"min", "max"},
    {"max", "min"},
    {"any_of", "all_of"},
    {"all_of", "any_of"},
    {"none_of", "any_of"},
    {"lower_bound", "upper_bound"},
    {"upper_bound", "lower_bound"},
});

}  // namespace lockstep::mutate
