#include "codegen/emit/avx512/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lockstep::emit_avx512 {

namespace {

constexpr std::uint64_t cost_of_long_call = 60;

/// The cost of the call whose name `text` begins with.
std::uint64_t cost_of_call(std::string_view text) {
  constexpr std::array<std::string_view, 4> long_ones = {"gather", "scatter", "div", "rem"};
  const bool is_long = std::ranges::any_of(long_ones, [&](std::string_view name) { return text.starts_with(name); });
  return 1 + (is_long ? cost_of_long_call : 0);
}

}  // namespace

std::uint64_t compile_cost(std::string_view source) {
  constexpr std::string_view function_end = "\n}\n";
  constexpr std::string_view call = "v::";
  std::uint64_t cost = 0;
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find(function_end, begin), source.size());
    const std::string_view function = source.substr(begin, end - begin);
    const std::uint64_t times = function.find("template <bool Stream>") == std::string_view::npos ? 1 : 2;
    for (std::size_t at = function.find(call); at != std::string_view::npos; at = function.find(call, at + call.size())) {
      cost += times * cost_of_call(function.substr(at + call.size()));
    }
    begin = std::min(end + function_end.size(), source.size());
  }
  return cost;
}

std::optional<std::string> too_large(std::string_view source) {
  const std::uint64_t cost = compile_cost(source);
  return cost <= most_compile_cost
             ? std::nullopt
             : std::optional(
                   fmt::format("there is more C++ of this kernel than a compiler can deal with in a minute (a measure of {}, more "
                               "than {}); smaller groups and packs have less",
                               cost, most_compile_cost));
}

}  // namespace lockstep::emit_avx512
