// Logic, shifts and fields of bits, by the pseudocode of the PTX ISA: bit by bit.

#include <algorithm>
#include <iterator>

#include "tests/ptx/cases/generate/case_text.hpp"

namespace lockstep::ptx_cases {

namespace {

using Bits = std::uint64_t;

constexpr std::size_t tuples = 48;

const std::vector<Bits> words = {0, 1, 0x80000000, 0xffffffff, 0x7fffffff, 0x00010000, 0x12345678, 0xf0f0a5c3};
const std::vector<Bits> long_words = {
    0, 1, 0x8000000000000000, 0xffffffffffffffff, 0x7fffffffffffffff, 0x100000000, 0x0123456789abcdef, 0xf0f0a5c3e1d2b498};
const std::vector<Bits> places = {0, 1, 7, 15, 16, 31, 32, 33, 63, 64, 255, 256, 257, 0xffffffff};

unsigned width(const std::string& type) { return 8 * type_of(type).bytes; }
const std::vector<Bits>& numbers(const std::string& type) { return width(type) == 64 ? long_words : words; }
Bits bit(Bits a, unsigned n) { return n < 64 ? (a >> n) & 1U : 0; }

template <class F>
CaseText logic(const std::string& name, F&& compute) {
  Elementwise e(name, {name}, name + ": bit by bit.");
  for (const std::string type : {"b16", "b32", "b64"}) {
    const auto edges = integer_edges(width(type));
    e.operation(name + "." + type + " %d, %a, %b;", type, crossed({type, type}, {edges, few_integer_edges(width(type))}),
                [&](const Inputs& v) { return compute(v[0], v[1]); });
  }
  return e.text();
}

template <class F>
CaseText predicates(const std::string& name, bool is_unary, F&& compute) {
  Elementwise e(name + ".pred", {name + ".pred"}, name + " of predicates.");
  const std::string operands = is_unary ? " %p2, %p0;" : " %p2, %p0, %p1;";
  e.operation("setp.ne.u32 %p0, %a, 0; setp.ne.u32 %p1, %b, 0; " + name + ".pred" + operands + " selp.u32 %d, 1, 0, %p2;", "u32",
              crossed({"u32", "u32"}, {{0, 1}, {0, 1}}), [&](const Inputs& v) -> Bits { return compute(v[0] != 0, v[1] != 0) ? 1 : 0; });
  return e.text();
}

/// The shift amounts of shl and shr are 32 bits, clamped to the width.
CaseText shift_left() {
  Elementwise e("shl", {"shl"}, "shl: amounts of the width and above give 0.");
  for (const std::string type : {"b16", "b32", "b64"}) {
    e.operation("shl." + type + " %d, %a, %b;", type, crossed({type, "u32"}, {few_integer_edges(width(type)), places}),
                [type](const Inputs& v) {
                  Bits result = 0;
                  for (unsigned n = 0; n < width(type); ++n) {
                    result |= n >= v[1] ? bit(v[0], n - static_cast<unsigned>(v[1])) << n : 0;
                  }
                  return result;
                });
  }
  return e.text();
}

CaseText shift_right() {
  Elementwise e("shr.i", {"shr.i"}, "shr: signed types fill up with the sign; amounts above the width count as the width.");
  for (const std::string type : {"u16", "s16", "u32", "s32", "u64", "s64", "b32"}) {
    e.operation("shr." + type + " %d, %a, %b;", type, crossed({type, "u32"}, {few_integer_edges(width(type)), places}),
                [type](const Inputs& v) {
                  const Bits fill = type[0] == 's' ? bit(v[0], width(type) - 1) : 0;
                  Bits result = 0;
                  for (unsigned n = 0; n < width(type); ++n) {
                    result |= (v[1] < width(type) - n ? bit(v[0], n + static_cast<unsigned>(v[1])) : fill) << n;
                  }
                  return result;
                });
  }
  return e.text();
}

/// shf: of 64 bits, b above a. l gives the upper half of the shift to the left, r the lower half of that to the right.
CaseText funnel(const std::string& direction, const std::string& mode) {
  const std::string name = "shf." + direction + "." + mode;
  Elementwise e(name + ".i", {name + ".i"},
                name + ": a shift of two words; amounts " + (mode == "wrap" ? "are taken modulo 32." : "above 32 count as 32."));
  e.operation(name + ".b32 %d, %a, %b, %c;", "b32", drawn({"b32", "b32", "u32"}, {words, words, places}, tuples), [=](const Inputs& v) {
    const Bits amount = mode == "wrap" ? v[2] & 31U : std::min<Bits>(v[2], 32);
    Bits result = 0;
    for (unsigned n = 0; n < 32; ++n) {
      const unsigned from = direction == "l" ? 32 + n - static_cast<unsigned>(amount) : n + static_cast<unsigned>(amount);
      result |= (from < 32 ? bit(v[0], from) : bit(v[1], from - 32)) << n;
    }
    return result;
  });
  return e.text();
}

CaseText bfe() {
  Elementwise e("bfe.i", {"bfe.i"},
                "bfe: position and length are the low 8 bits; beyond the number there are zeros, or copies of the sign.");
  for (const std::string type : {"u32", "s32", "u64", "s64"}) {
    e.operation("bfe." + type + " %d, %a, %b, %c;", type, drawn({type, "u32", "u32"}, {numbers(type), places, places}, tuples),
                [type](const Inputs& v) {
                  const auto position = static_cast<unsigned>(v[1] & 255U);
                  const auto length = static_cast<unsigned>(v[2] & 255U);
                  const unsigned top = width(type) - 1;
                  const Bits sign = type[0] == 'u' || length == 0 ? 0 : bit(v[0], std::min(position + length - 1, top));
                  Bits result = 0;
                  for (unsigned n = 0; n <= top; ++n) {
                    result |= (n < length && position + n <= top ? bit(v[0], position + n) : sign) << n;
                  }
                  return result;
                });
  }
  return e.text();
}

CaseText bfi() {
  Elementwise e("bfi.i", {"bfi.i"}, "bfi: the first number in a field of the second; position and length are the low 8 bits.");
  for (const std::string type : {"b32", "b64"}) {
    // Position and length come in one word, as there are no more than three inputs.
    e.operation("bfe.u32 %x0, %c, 0, 16; bfe.u32 %x1, %c, 16, 16; bfi." + type + " %d, %a, %b, %x0, %x1;", type,
                drawn({type, type, "u32"},
                      {numbers(type),
                       numbers(type),
                       {0, 0x00010000, 0x00010005, 0x00080018, 0x0020001f, 0x0020003f, 0x00400000, 0x00ff0000, 0x01000004, 0x00200000,
                        0x000800ff, 0x00030100}},
                      tuples),
                [type](const Inputs& v) {
                  const Bits position = v[2] & 255U;
                  const Bits length = (v[2] >> 16U) & 255U;
                  Bits result = 0;
                  for (unsigned n = 0; n < width(type); ++n) {
                    const bool inside = n >= position && n - position < length;
                    result |= (inside ? bit(v[0], n - static_cast<unsigned>(position)) : bit(v[1], n)) << n;
                  }
                  return result;
                });
  }
  return e.text();
}

/// The highest bit that differs from the sign, or -1.
int highest(const std::string& type, Bits a) {
  const Bits sign = type[0] == 's' ? bit(a, width(type) - 1) : 0;
  for (int n = static_cast<int>(width(type)) - 1; n >= 0; --n) {
    if (bit(a, static_cast<unsigned>(n)) != sign) {
      return n;
    }
  }
  return -1;
}

std::vector<CaseText> counts() {
  std::vector<CaseText> all;
  Elementwise shift(
      "bfind.shiftamt.i", {"bfind.shiftamt.i"},
      "bfind.shiftamt: by how much to shift left until the highest bit that differs from the sign is the highest; else 0xffffffff.");
  for (const std::string type : {"u32", "s32", "u64", "s64"}) {
    shift.operation("bfind.shiftamt." + type + " %d, %a;", "u32", {{type, numbers(type)}}, [type](const Inputs& v) -> Bits {
      const int n = highest(type, v[0]);
      return n < 0 ? 0xffffffff : width(type) - 1 - static_cast<unsigned>(n);
    });
  }
  all.push_back(shift.text());
  Elementwise reverse("brev.i", {"brev.i"}, "brev: the bits in reverse order.");
  Elementwise leading("clz.i", {"clz.i"}, "clz: of 0 it is the width.");
  Elementwise ones("popc.i", {"popc.i"}, "popc: how many bits are 1.");
  for (const std::string type : {"b32", "b64"}) {
    reverse.operation("brev." + type + " %d, %a;", type, {{type, numbers(type)}}, [type](const Inputs& v) {
      Bits result = 0;
      for (unsigned n = 0; n < width(type); ++n) {
        result |= bit(v[0], n) << (width(type) - 1 - n);
      }
      return result;
    });
    leading.operation("clz." + type + " %d, %a;", "u32", {{type, numbers(type)}}, [type](const Inputs& v) -> Bits {
      return static_cast<Bits>(static_cast<int>(width(type)) - 1 - highest("u" + type.substr(1), v[0]));
    });
    ones.operation("popc." + type + " %d, %a;", "u32", {{type, numbers(type)}}, [type](const Inputs& v) {
      Bits count = 0;
      for (unsigned n = 0; n < width(type); ++n) {
        count += bit(v[0], n);
      }
      return count;
    });
  }
  all.push_back(reverse.text());
  all.push_back(leading.text());
  all.push_back(ones.text());
  return all;
}

/// bmsk.clamp: position and length are 32 bits, clamped to 32.
CaseText mask() {
  Elementwise e("bmsk.clamp.i", {"bmsk.clamp.i"}, "bmsk.clamp: ones from a position on; position and length above 32 count as 32.");
  e.operation("bmsk.clamp.b32 %d, %a, %b;", "b32",
              crossed({"u32", "u32"}, {{0, 1, 5, 31, 32, 33, 255, 256, 0xffffffff}, {0, 1, 4, 27, 31, 32, 33, 256, 0xffffffff}}),
              [](const Inputs& v) {
                Bits result = 0;
                for (unsigned n = 0; n < 32; ++n) {
                  result |= n >= v[0] && n - v[0] < v[1] ? Bits{1} << n : 0;
                }
                return result;
              });
  return e.text();
}

/// prmt without a mode: each nibble of the selector names one of eight bytes, or with its highest bit the sign of that.
CaseText permute() {
  Elementwise e("prmt.i", {"prmt.i"}, "prmt: bytes of two words by a selector; with bit 3 of its nibble, copies of the byte's sign.");
  e.operation("prmt.b32 %d, %a, %b, %c;", "b32",
              drawn({"b32", "b32", "b32"},
                    {{0x03020100, 0x83828180, 0x7f80ff00},
                     {0x07060504, 0x87068504, 0x00ff807f},
                     {0x3210, 0x7654, 0x0123, 0xfedc, 0xba98, 0x8421, 0x7070, 0xffff3210, 0x5140}},
                    tuples),
              [](const Inputs& v) {
                const Bits both = v[0] | v[1] << 32U;
                Bits result = 0;
                for (unsigned n = 0; n < 4; ++n) {
                  const Bits selector = (v[2] >> (4 * n)) & 15U;
                  const Bits byte = (both >> (8 * (selector & 7U))) & 255U;
                  const Bits sign = (byte >> 7U) != 0 ? 255 : 0;
                  result |= ((selector & 8U) != 0 ? sign : byte) << (8 * n);
                }
                return result;
              });
  return e.text();
}

}  // namespace

std::vector<CaseText> bit_cases() {
  std::vector<CaseText> cases;
  cases.push_back(logic("and", [](Bits a, Bits b) { return a & b; }));
  cases.push_back(logic("or", [](Bits a, Bits b) { return a | b; }));
  cases.push_back(logic("xor", [](Bits a, Bits b) { return a ^ b; }));
  {
    Elementwise e("not", {"not"}, "not: bit by bit.");
    for (const std::string type : {"b16", "b32", "b64"}) {
      e.operation("not." + type + " %d, %a;", type, {{type, integer_edges(width(type))}}, [](const Inputs& v) { return ~v[0]; });
    }
    cases.push_back(e.text());
  }
  cases.push_back(predicates("and", false, [](bool a, bool b) { return a && b; }));
  cases.push_back(predicates("or", false, [](bool a, bool b) { return a || b; }));
  cases.push_back(predicates("xor", false, [](bool a, bool b) { return a != b; }));
  cases.push_back(predicates("not", true, [](bool a, bool) { return !a; }));
  cases.push_back(shift_left());
  cases.push_back(shift_right());
  for (const std::string direction : {"l", "r"}) {
    for (const std::string mode : {"clamp", "wrap"}) {
      cases.push_back(funnel(direction, mode));
    }
  }
  cases.push_back(bfe());
  cases.push_back(bfi());
  std::ranges::move(counts(), std::back_inserter(cases));
  cases.push_back(mask());
  cases.push_back(permute());
  return cases;
}

}  // namespace lockstep::ptx_cases
