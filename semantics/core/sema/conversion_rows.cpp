#include "semantics/core/sema/conversion_rows.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace lockstep::core::sema {
namespace {

struct Rounding {
  std::string_view suffix;
  std::string_view integral;     ///< of a float x: the float without a fraction that is cast
  std::string_view from_number;  ///< of y, which is x rounded to nearest even, what it is for an integer x
  std::string_view from_float;   ///< and for a float x
};

// Above and below are exact: y, an integer where it is not x, reaches `top` only from below, and all else fits x's type widened.
#define LOCKSTEP_ABOVE "(y >= top || (WIDE)y > (WIDE)x)"
#define LOCKSTEP_BELOW "(y < top && (WIDE)y < (WIDE)x)"
constexpr auto roundings = std::to_array<Rounding>({
    {"_rte", "rint(x)", "y", "y"},
    {"_rtz", "x", "(x < 0 ? " LOCKSTEP_BELOW " : " LOCKSTEP_ABOVE ") ? nextafter(y, (D)0) : y",
     "fabs((double)y) > fabs((double)x) ? nextafter(y, (D)0) : y"},
    {"_rtp", "ceil(x)", LOCKSTEP_BELOW " ? nextafter(y, (D)INFINITY) : y", "(double)y < (double)x ? nextafter(y, (D)INFINITY) : y"},
    {"_rtn", "floor(x)", LOCKSTEP_ABOVE " ? nextafter(y, -(D)INFINITY) : y", "(double)y > (double)x ? nextafter(y, -(D)INFINITY) : y"},
});
#undef LOCKSTEP_ABOVE
#undef LOCKSTEP_BELOW

/// With `type` for each D that is a word.
std::string with_type(std::string_view text, std::string_view type) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with("(D)")) {
      result += "(" + std::string(type) + ")";
      at += 2;
    } else {
      result += text[at];
    }
  }
  return result;
}

void to_float(const ScalarInfo& to, std::vector<ConversionText>& texts) {
  const std::string type(to.name);
  for (const Rounding& rounding : roundings) {
    std::string head = type;
    head.append(" convert_").append(type).append(rounding.suffix).append("(T x) { ");
    head.append(type).append(" y = (").append(type).append(")x; ");
    std::string top = type;
    top.append(" top = (WIDE)-1 < 0 ? (").append(type).append(")9223372036854775807l : (").append(type).append(")18446744073709551615ul; ");
    texts.push_back({Domain::Floats, head + "return " + with_type(rounding.from_float, type) + "; }"});
    texts.push_back({Domain::Integers, head + top + "return " + with_type(rounding.from_number, type) + "; }"});
  }
}

void to_integer(const ScalarInfo& to, std::vector<ConversionText>& texts) {
  const std::string type(to.name);
  const unsigned bits = bits_of(to.type);
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
  const std::string most = std::to_string(is_signed(to.type) ? all >> 1 : all) + "ul";
  const std::string least = is_signed(to.type) ? "(-" + std::to_string(all >> 1) + "l - 1)" : "0l";
  const std::string low = "(" + type + ")" + least;
  const std::string high = "(" + type + ")" + most;
  const auto add = [&](const std::string& suffix, std::string_view integral) {
    const std::string head = type + " convert_" + type;
    const std::string rest = suffix + "(T x) { ";
    if (!suffix.empty()) {
      texts.push_back({Domain::Floats, head + rest + "return (" + type + ")" + std::string(integral) + "; }"});
      texts.push_back({Domain::Integers, head + rest + "return (" + type + ")x; }"});
    }
    // A limit that a float cannot have is rounded to one that the type does not reach.
    texts.push_back({Domain::Floats, head + "_sat" + rest + "T t = " + std::string(integral) + "; return t != t ? 0 : t <= (T)" + low +
                                         " ? " + low + " : t >= (T)" + high + " ? " + high + " : (" + type + ")t; }"});
    texts.push_back({Domain::Integers, head + "_sat" + rest + "return x < 0 && (long)x < " + least + " ? " + low +
                                           " : x > 0 && (ulong)x > " + most + " ? " + high + " : (" + type + ")x; }"});
  };
  add("", "x");
  for (const Rounding& rounding : roundings) {
    add(std::string(rounding.suffix), rounding.integral);
  }
}

}  // namespace

std::vector<ConversionText> conversion_texts() {
  std::vector<ConversionText> texts;
  for (const ScalarInfo& to : scalar_table) {
    if (is_float(to.type)) {
      to_float(to, texts);
    } else if (is_integer(to.type) && to.type != ScalarType::Bool) {
      to_integer(to, texts);
    }
  }
  return texts;
}

}  // namespace lockstep::core::sema
