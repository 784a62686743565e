// Integer arithmetic, by the section "Integer Arithmetic Instructions" and "Extended-Precision" of the PTX ISA, in 128 bits.

#include <algorithm>

#include "tests/ptx/cases/generate/case_text.hpp"

namespace lockstep::ptx_cases {

namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

constexpr std::size_t tuples = 48;

/// A number of so many bits, with its sign if the type has one.
Wide number(const std::string& type, std::uint64_t bits) {
  const ElementType t = type_of(type);
  const unsigned width = 8 * t.bytes;
  const bool is_negative = t.kind == 's' && ((bits >> (width - 1)) & 1U) != 0;
  return static_cast<Wide>(bits) - (is_negative ? static_cast<Wide>(1) << width : 0);
}

std::uint64_t low(Wide n) { return static_cast<std::uint64_t>(n); }

unsigned width(const std::string& type) { return 8 * type_of(type).bytes; }

std::vector<Column> pairs(const std::string& type) {
  return crossed({type, type}, {integer_edges(width(type)), few_integer_edges(width(type))});
}
std::vector<Column> triples(const std::string& type) {
  return drawn({type, type, type}, {integer_edges(width(type)), integer_edges(width(type)), integer_edges(width(type))}, tuples);
}
std::vector<Column> singles(const std::string& type) { return {{type, integer_edges(width(type))}}; }

template <class F>
CaseText binary(const std::string& file, const std::string& form, const std::string& meaning, const std::string& mnemonic,
                const std::vector<std::string>& types, F&& compute, bool no_zero = false) {
  Elementwise e(file, {form}, meaning);
  for (const std::string& type : types) {
    auto columns = pairs(type);
    if (no_zero) {
      columns = crossed({type, type}, {integer_edges(width(type)), {1, 2, 3, 7, low(number(type, integer_edges(width(type))[3]))}});
    }
    e.operation(mnemonic + "." + type + " %d, %a, %b;", type, columns,
                [&, type](const Inputs& v) { return low(compute(number(type, v[0]), number(type, v[1]), width(type))); });
  }
  return e.text();
}

template <class F>
CaseText unary(const std::string& form, const std::string& meaning, const std::vector<std::string>& types, F&& compute) {
  Elementwise e(form, {form}, meaning);
  for (const std::string& type : types) {
    e.operation(form.substr(0, form.find('.')) + "." + type + " %d, %a;", type, singles(type),
                [&, type](const Inputs& v) { return low(compute(number(type, v[0]))); });
  }
  return e.text();
}

Wide high_half(Wide product, unsigned bits) { return product >> bits; }

/// Bits `first` on of the product of the lower 24 bits, which have a sign in signed types.
Wide product24(const std::string& type, std::uint64_t a, std::uint64_t b, unsigned first) {
  const auto part = [&](std::uint64_t bits) {
    const auto low24 = static_cast<Wide>(bits & 0xffffffU);
    return type[0] == 's' && (bits & 0x800000U) != 0 ? low24 - (static_cast<Wide>(1) << 24) : low24;
  };
  return (part(a) * part(b)) >> first;
}

CaseText mul24(const std::string& half, unsigned first) {
  Elementwise e(
      "mul24." + half + ".i", {"mul24." + half + ".i"},
      half == "lo" ? "mul24.lo: bits 0 to 31 of a product of 24-bit numbers." : "mul24.hi: bits 16 to 47 of a product of 24-bit numbers.");
  for (const std::string type : {"u32", "s32"}) {
    const std::vector<std::uint64_t> edges = {0, 1, 0x7fffff, 0x800000, 0xffffff, 0x1000001, 0xff800001, 0x12345678, 0xffffffff};
    e.operation("mul24." + half + "." + type + " %d, %a, %b;", type, crossed({type, type}, {edges, {3, 0x7fffff, 0x800001, 0xfffffe}}),
                [type, first](const Inputs& v) { return low(product24(type, v[0], v[1], first)); });
  }
  return e.text();
}

/// The sum of a carry chain in two words: the low one by `first`, the high one by `second`.
CaseText chain(const std::string& form, const std::string& meaning, const std::string& instructions, const std::string& type,
               unsigned inputs, const std::function<std::uint64_t(const Inputs&)>& expected) {
  Elementwise e(form, {form}, meaning);
  const std::vector<std::string> types(inputs, type);
  const std::vector<std::vector<std::uint64_t>> lists(inputs, integer_edges(width(type)));
  e.operation(instructions, "u64", drawn(types, lists, tuples), expected);
  return e.text();
}

std::uint64_t joined(std::uint64_t low_word, std::uint64_t high_word) { return (low_word & 0xffffffffU) | (high_word << 32U); }

/// Chains of 32-bit words: numbers of 64 bits and of 96 bits in place of what they do word by word.
std::vector<CaseText> chains() {
  const std::string join = " mov.b64 %d, {%x0, %x1};";
  const std::string join_upper = " mov.b64 %d, {%x1, %x2};";
  std::vector<CaseText> all;
  all.push_back(chain("add.cc.i", "add.cc: the carry out of a sum of 32 bits, as addc gives it to a sum of zeros.",
                      "add.cc.u32 %x0, %a, %b; addc.u32 %x1, 0, 0;" + join, "u32", 2, [](const Inputs& v) { return v[0] + v[1]; }));
  all.push_back(chain("addc.i", "addc: the upper half of a sum of 64 bits.", "add.cc.u32 %x0, %a, %b; addc.u32 %x1, %c, %a;" + join, "u32",
                      3, [](const Inputs& v) { return joined(v[0], v[2]) + joined(v[1], v[0]); }));
  all.push_back(chain("addc.cc.i", "addc.cc: the middle and the upper word of a sum of 96 bits.",
                      "add.cc.u32 %x0, %a, %b; addc.cc.u32 %x1, %b, %c; addc.u32 %x2, %c, %a;" + join_upper, "u32", 3, [](const Inputs& v) {
                        const auto wide = [](std::uint64_t w0, std::uint64_t w1, std::uint64_t w2) {
                          return static_cast<UnsignedWide>(w0) | static_cast<UnsignedWide>(w1) << 32 | static_cast<UnsignedWide>(w2) << 64;
                        };
                        return static_cast<std::uint64_t>((wide(v[0], v[1], v[2]) + wide(v[1], v[2], v[0])) >> 32);
                      }));
  Elementwise difference("sub.cc.i", {"sub.cc.i"},
                         "sub.cc: of a difference of 32 bits, subc takes what is borrowed from zero, and addc adds 1 where nothing is.");
  const std::vector<std::vector<std::uint64_t>> edges(2, integer_edges(32));
  difference.operation("sub.cc.u32 %x0, %a, %b; subc.u32 %x1, 0, 0;" + join, "u64", drawn({"u32", "u32"}, edges, tuples),
                       [](const Inputs& v) { return v[0] - v[1]; });
  difference.operation("sub.cc.u32 %x0, %a, %b; addc.u32 %x1, 0, 0;" + join, "u64", drawn({"u32", "u32"}, edges, tuples),
                       [](const Inputs& v) { return joined(v[0] - v[1], v[0] >= v[1] ? 1 : 0); });
  all.push_back(difference.text());
  all.push_back(chain("subc.i", "subc: the upper half of a difference of 64 bits.", "sub.cc.u32 %x0, %a, %b; subc.u32 %x1, %c, %a;" + join,
                      "u32", 3, [](const Inputs& v) { return joined(v[0], v[2]) - joined(v[1], v[0]); }));
  all.push_back(chain("subc.cc.i", "subc.cc: the middle and the upper word of a difference of 96 bits.",
                      "sub.cc.u32 %x0, %a, %b; subc.cc.u32 %x1, %b, %c; subc.u32 %x2, %c, %a;" + join_upper, "u32", 3, [](const Inputs& v) {
                        const auto wide = [](std::uint64_t w0, std::uint64_t w1, std::uint64_t w2) {
                          return static_cast<UnsignedWide>(w0) | static_cast<UnsignedWide>(w1) << 32 | static_cast<UnsignedWide>(w2) << 64;
                        };
                        return static_cast<std::uint64_t>((wide(v[0], v[1], v[2]) - wide(v[1], v[2], v[0])) >> 32);
                      }));
  all.push_back(chain("mad.lo.cc.i", "mad.lo.cc: the carry out of the lower half of a product plus a number.",
                      "mad.lo.cc.u32 %x0, %a, %b, %c; addc.u32 %x1, 0, 0;" + join, "u32", 3,
                      [](const Inputs& v) { return (v[0] * v[1] & 0xffffffffU) + v[2]; }));
  all.push_back(chain("madc.lo.i", "madc.lo: the lower half of a product plus a number plus the carry.",
                      "add.cc.u32 %x0, %a, %b; madc.lo.u32 %x1, %a, %b, %c;" + join, "u32", 3, [](const Inputs& v) {
                        const std::uint64_t sum = v[0] + v[1];
                        return joined(sum, v[0] * v[1] + v[2] + (sum >> 32U));
                      }));
  all.push_back(chain("madc.lo.cc.i", "madc.lo.cc: the same, and its carry.",
                      "add.cc.u32 %x0, %a, %b; madc.lo.cc.u32 %x0, %a, %b, %c; addc.u32 %x1, 0, 0;" + join, "u32", 3, [](const Inputs& v) {
                        const std::uint64_t carry = (v[0] + v[1]) >> 32U;
                        return (v[0] * v[1] & 0xffffffffU) + v[2] + carry;
                      }));
  return all;
}

bool holds(const std::string& comparison, Wide a, Wide b) {
  return comparison == "eq"   ? a == b
         : comparison == "ne" ? a != b
         : comparison == "lt" ? a < b
         : comparison == "le" ? a <= b
         : comparison == "gt" ? a > b
                              : a >= b;
}

CaseText comparisons() {
  Elementwise e("setp.cmp.i", {"setp.cmp.i"}, "setp: all comparisons of integers; lo, ls, hi, hs are those of unsigned numbers.");
  for (const std::string type : {"s32", "u64", "s16"}) {
    for (const std::string comparison : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      e.operation("setp." + comparison + "." + type + " %p0, %a, %b; selp.u32 %d, 1, 0, %p0;", "u32",
                  crossed({type, type}, {few_integer_edges(width(type)), few_integer_edges(width(type))}),
                  [=](const Inputs& v) { return holds(comparison, number(type, v[0]), number(type, v[1])) ? 1U : 0U; });
    }
  }
  for (const auto& [word, comparison] : {std::pair("lo", "lt"), std::pair("ls", "le"), std::pair("hi", "gt"), std::pair("hs", "ge")}) {
    e.operation(std::string("setp.") + word + ".u32 %p0, %a, %b; selp.u32 %d, 1, 0, %p0;", "u32",
                crossed({"u32", "u32"}, {few_integer_edges(32), few_integer_edges(32)}),
                [comparison](const Inputs& v) { return holds(comparison, number("u32", v[0]), number("u32", v[1])) ? 1U : 0U; });
  }
  return e.text();
}

CaseText combined_comparisons() {
  Elementwise e("setp.cmp.and.i", {"setp.cmp.and.i"},
                "setp with a second predicate: p is the comparison and the third operand, q its opposite and the third operand.");
  const auto columns = crossed({"s32", "s32", "u32"}, {few_integer_edges(32), few_integer_edges(32), {0, 1}});
  const auto expected = [](bool negates) {
    return [negates](const Inputs& v) {
      const bool less = number("s32", v[0]) < number("s32", v[1]);
      const bool third = (v[2] != 0) != negates;
      return (less && third ? 1U : 0U) + (!less && third ? 2U : 0U);
    };
  };
  const std::string add = " selp.u32 %x0, 1, 0, %p1; selp.u32 %x1, 2, 0, %p2; add.u32 %d, %x0, %x1;";
  e.operation("setp.ne.u32 %p0, %c, 0; setp.lt.and.s32 %p1|%p2, %a, %b, %p0;" + add, "u32", columns, expected(false));
  e.operation("setp.ne.u32 %p0, %c, 0; setp.lt.and.s32 %p1|%p2, %a, %b, !%p0;" + add, "u32", columns, expected(true));
  return e.text();
}

}  // namespace

std::vector<CaseText> integer_cases() {
  const std::vector<std::string> all = {"u16", "s16", "u32", "s32", "u64", "s64"};
  const std::vector<std::string> signed_types = {"s16", "s32", "s64"};
  std::vector<CaseText> cases = chains();
  cases.push_back(
      unary("abs.i", "abs: of the smallest number it is that number itself.", signed_types, [](Wide a) { return a < 0 ? -a : a; }));
  cases.push_back(unary("neg.i", "neg: of the smallest number it is that number itself.", signed_types, [](Wide a) { return -a; }));
  cases.push_back(binary("add.i", "add.i", "add: wraps.", "add", all, [](Wide a, Wide b, unsigned) { return a + b; }));
  cases.push_back(binary("sub.i", "sub.i", "sub: wraps.", "sub", all, [](Wide a, Wide b, unsigned) { return a - b; }));
  cases.push_back(binary("add.sat.i", "add.sat.i", "add.sat: clamps to the range of the type.", "add.sat", {"s32"},
                         [](Wide a, Wide b, unsigned) { return std::clamp<Wide>(a + b, -0x80000000LL, 0x7fffffff); }));
  cases.push_back(binary("mul.lo.i", "mul.lo.i", "mul.lo: the lower half of the product.", "mul.lo", all, [](Wide a, Wide b, unsigned) {
    return static_cast<Wide>(static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b));
  }));
  {
    Elementwise e("mul.hi.i", {"mul.hi.i"}, "mul.hi: the upper half of the product.");
    for (const std::string& type : all) {
      e.operation("mul.hi." + type + " %d, %a, %b;", type, pairs(type), [type](const Inputs& v) {
        if (type == "u64") {
          return static_cast<std::uint64_t>((static_cast<UnsignedWide>(v[0]) * v[1]) >> 64);
        }
        return low(high_half(number(type, v[0]) * number(type, v[1]), width(type)));
      });
    }
    cases.push_back(e.text());
  }
  {
    Elementwise e("mul.wide.i", {"mul.wide.i"}, "mul.wide: the whole product, twice as wide.");
    Elementwise m("mad.wide.i", {"mad.wide.i"}, "mad.wide: the whole product plus a number that is twice as wide.");
    for (const auto& [type, wide] : {std::pair<std::string, std::string>("u16", "u32"), {"s16", "s32"}, {"u32", "u64"}, {"s32", "s64"}}) {
      e.operation("mul.wide." + type + " %d, %a, %b;", wide, pairs(type),
                  [type = type](const Inputs& v) { return low(number(type, v[0]) * number(type, v[1])); });
      m.operation("mad.wide." + type + " %d, %a, %b, %c;", wide,
                  drawn({type, type, wide}, {integer_edges(width(type)), integer_edges(width(type)), integer_edges(width(wide))}, tuples),
                  [type = type](const Inputs& v) { return low(number(type, v[0]) * number(type, v[1])) + v[2]; });
    }
    cases.push_back(e.text());
    cases.push_back(m.text());
  }
  {
    Elementwise e("mad.lo.i", {"mad.lo.i"}, "mad.lo: the lower half of the product, plus a number.");
    Elementwise s("sad.i", {"sad.i"}, "sad: the distance of two numbers, plus a third.");
    for (const std::string& type : all) {
      e.operation("mad.lo." + type + " %d, %a, %b, %c;", type, triples(type), [](const Inputs& v) { return v[0] * v[1] + v[2]; });
      s.operation("sad." + type + " %d, %a, %b, %c;", type, triples(type), [type](const Inputs& v) {
        const Wide a = number(type, v[0]);
        const Wide b = number(type, v[1]);
        return low((a < b ? b - a : a - b) + number(type, v[2]));
      });
    }
    cases.push_back(e.text());
    cases.push_back(s.text());
  }
  cases.push_back(binary(
      "div.i", "div.i", "div: truncates. (What a division by 0 gives is not specified, and not tried.)", "div", all,
      [](Wide a, Wide b, unsigned) { return a / b; }, true));
  cases.push_back(
      binary("rem.i", "rem.i", "rem: has the sign of the dividend.", "rem", all, [](Wide a, Wide b, unsigned) { return a % b; }, true));
  cases.push_back(binary("min.i", "min.i", "min", "min", all, [](Wide a, Wide b, unsigned) { return std::min(a, b); }));
  cases.push_back(binary("max.i", "max.i", "max", "max", all, [](Wide a, Wide b, unsigned) { return std::max(a, b); }));
  cases.push_back(mul24("lo", 0));
  cases.push_back(mul24("hi", 16));
  {
    Elementwise e("dp4a.i.i", {"dp4a.i.i"}, "dp4a: four products of bytes, summed up, plus a number.");
    Elementwise h("dp2a.hi.i.i", {"dp2a.hi.i.i"},
                  "dp2a.hi: two products of a half and one of the upper two bytes, summed up, plus a number.");
    const std::vector<std::uint64_t> words = {0x00000000, 0x01020304, 0x7f7f7f7f, 0x80808080, 0xffffffff, 0x80017fff, 0xff807f01};
    for (const std::string a : {"u32", "s32"}) {
      for (const std::string b : {"u32", "s32"}) {
        const std::string sum = a == "u32" && b == "u32" ? "u32" : "s32";
        const auto columns = drawn({a, b, sum}, {words, words, {0, 5, 0x7fffffff, 0xffffff00}}, 40);
        const auto part = [](const std::string& type, std::uint64_t word, unsigned index, unsigned bits) {
          const std::uint64_t field = (word >> (index * bits)) & ((1U << bits) - 1);
          return static_cast<Wide>(field) - (type == "s32" && (field >> (bits - 1)) != 0 ? static_cast<Wide>(1) << bits : 0);
        };
        e.operation("dp4a." + a + "." + b + " %d, %a, %b, %c;", sum, columns, [=](const Inputs& v) {
          Wide total = static_cast<Wide>(v[2]);
          for (unsigned n = 0; n < 4; ++n) {
            total += part(a, v[0], n, 8) * part(b, v[1], n, 8);
          }
          return low(total);
        });
        h.operation("dp2a.hi." + a + "." + b + " %d, %a, %b, %c;", sum, columns, [=](const Inputs& v) {
          return low(static_cast<Wide>(v[2]) + part(a, v[0], 0, 16) * part(b, v[1], 2, 8) + part(a, v[0], 1, 16) * part(b, v[1], 3, 8));
        });
      }
    }
    cases.push_back(e.text());
    cases.push_back(h.text());
  }
  cases.push_back(comparisons());
  cases.push_back(combined_comparisons());
  return cases;
}

}  // namespace lockstep::ptx_cases
