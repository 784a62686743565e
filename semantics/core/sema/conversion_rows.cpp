#include "semantics/core/sema/conversion_rows.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace lockstep::core::sema {
namespace {

/// To a number of 16 bits: `up` where the magnitude r, whose bits behind the last one are `rest` (`tie` of them are half of a step), goes
/// to the next one, `infinite` where what is greater than all of them goes.
struct HalfRounding {
  std::string_view suffix;
  std::string_view up;
  std::string_view infinite;
};

constexpr auto half_roundings = std::to_array<HalfRounding>({
    {"_rte", "rest > tie || (rest == tie && (r & 1) != 0)", "1"},
    {"_rtz", "0", "0"},
    {"_rtp", "rest != 0 && s == 0", "s == 0"},
    {"_rtn", "rest != 0 && s != 0", "s != 0"},
});

void to_half(std::vector<ConversionText>& texts) {
  for (const HalfRounding& rounding : half_roundings) {
    std::string text = "ushort __half";
    text.append(rounding.suffix)
        .append(
            "(T x) { U u = AS_U(x), a = u & ~SIGN, top = (U)(2 * BIAS + 1) << FRACTION;"
            " int s = (int)(u >> (BITS - 16)) & 0x8000, e = (int)(a >> FRACTION) - BIAS;"
            " if (a >= top) return (ushort)(a > top ? 0x7e00 : s | 0x7c00);"
            " if (e > 15) return (ushort)(s | (")
        .append(rounding.infinite)
        // Below 2^-14 steps stay as large as they are there; below 2^-26 only that the number is not 0 matters.
        .append(
            " ? 0x7c00 : 0x7bff)); int n = FRACTION - 10 + (e < -14 ? min(-14 - e, 12) : 0);"
            " U m = a >> FRACTION != 0 ? (a & (((U)1 << FRACTION) - 1)) | (U)1 << FRACTION : a;"
            " U rest = m & (((U)1 << n) - 1), tie = (U)1 << (n - 1);"
            " int r = (int)(m >> n) + (e < -14 ? 0 : (e + 14) << 10); return (ushort)(s | (r + (")
        .append(rounding.up)
        .append(" ? 1 : 0))); }");
    texts.push_back({Domain::Floats, text});
  }
}

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
  to_half(texts);
  return texts;
}

}  // namespace lockstep::core::sema
