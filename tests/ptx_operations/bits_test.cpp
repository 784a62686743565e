// Bits, shifts, bit fields, bytes and selection, bit by bit as the ISA's text says.

#include <catch2/catch.hpp>

#include "tests/ptx_operations/numbers.hpp"

using namespace lockstep::ptx_test;

namespace {

using Numbers = std::vector<std::uint64_t>;

bool bit(std::uint64_t a, unsigned i) { return (a >> i & 1) != 0; }
std::string reg(unsigned bits) { return bits == 16 ? "%h" : bits == 32 ? "%r" : "%d"; }

/// Counts and positions that matter for words of 16 to 64 bits, and for bytes of them.
const Column counts = {0,  1,  2,  7,  8,  15,  16,  17,  23,  24,  31,  32,  33,    47,      48,         63,
                       64, 65, 95, 96, 97, 127, 128, 200, 254, 255, 256, 257, 0x108, 0x10000, 0x80000000, 0xffffffff};

std::vector<Column> words_and_counts(const std::vector<unsigned>& words, std::size_t count_operands) {
  std::vector<Column> lists;
  lists.reserve(words.size() + count_operands);
  for (const unsigned bits : words) {
    lists.push_back(integer_edges(bits));
    const Column random = random_integers(bits, 6);
    lists.back().insert(lists.back().end(), random.begin(), random.end());
  }
  for (std::size_t i = 0; i < count_operands; ++i) {
    lists.push_back(counts);
  }
  return combinations(lists);
}

}  // namespace

TEST_CASE("logic of bits and predicates", "[ptx][bits]") {
  const std::vector<std::pair<std::string, std::function<std::uint64_t(std::uint64_t, std::uint64_t)>>> binary = {
      {"and", std::bit_and<>()}, {"or", std::bit_or<>()}, {"xor", std::bit_xor<>()}};
  for (const auto& [name, f] : binary) {
    for (const unsigned bits : {16U, 32U, 64U}) {
      const std::string r = reg(bits);
      check(Subject(name + ".b" + std::to_string(bits) + " " + r + "7, " + r + "0, " + r + "1;"), integer_operands({bits, bits}),
            [&](auto& x) { return f(x[0], x[1]); });
    }
    check(Subject(name + ".pred %p7, %p0, %p1;"), combinations({{0, 1}, {0, 1}}), [&](auto& x) { return f(x[0], x[1]); });
  }
  for (const unsigned bits : {16U, 32U, 64U}) {
    const std::string r = " " + reg(bits) + "7, " + reg(bits) + "0;";
    check(Subject("not.b" + std::to_string(bits) + r), integer_operands({bits}), [&](auto& x) { return low_bits(~x[0], bits); });
    check(Subject("cnot.b" + std::to_string(bits) + r), integer_operands({bits}), [](auto& x) { return std::uint64_t{x[0] == 0}; });
  }
  check(Subject("not.pred %p7, %p0;"), {{0, 1}}, [](auto& x) { return 1 - x[0]; });
}

TEST_CASE("lop3 by its table, for all 256", "[ptx][bits]") {
  for (unsigned table = 0; table < 256; ++table) {
    const std::vector<Column> operands = {random_integers(32, 64), random_integers(32, 64), random_integers(32, 64)};
    const auto result = [&](auto& x) {
      std::uint64_t d = 0;
      for (unsigned i = 0; i < 32; ++i) {
        d |= std::uint64_t{bit(table, 4U * bit(x[0], i) + 2U * bit(x[1], i) + bit(x[2], i))} << i;
      }
      return d;
    };
    check(Subject("lop3.b32 %r7, %r0, %r1, %r2, " + std::to_string(table) + ";"), operands, result);
  }
  // The ISA's own examples: (a & b | c) ^ a is 0x1A, a & b & ~c is 0x40.
  CHECK(Subject("lop3.b32 %r7, %r0, %r1, %r2, 0x1A;").one({0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa}) == 0x1a1a1a1a);
  CHECK(Subject("lop3.b32 %r7, %r0, %r1, %r2, 0x40;").one({0xf0, 0xcc, 0xaa}) == 0x40);
  const std::vector<Column> operands = combinations({{0, 1, 0xff}, {0, 1, 0xff}, {0}, {0, 1}});
  // With a predicate: what the table makes of all three operands, here a ? b : c, bit by bit, and whether any bit of it is set.
  const std::vector<Column> three = combinations({{0, 1, 0xf0, 0xff}, {0, 1, 0x3c}, {0, 0xff, 0xc0}, {0, 1}});
  const auto chosen = [](auto& x) { return (x[0] & x[1]) | (~x[0] & x[2]); };
  const Subject choice("lop3.and.b32 %r7|%p7, %r0, %r1, %r2, 0xCA, %p0;");
  check(choice, three, chosen);
  check(choice, three, [&](auto& x) { return std::uint64_t{chosen(x) != 0 && x[3] != 0}; }, 1);
  check(
      Subject("lop3.and.b32 _|%p7, %r0, %r1, %r2, 0xCA, %p0;"), three, [&](auto& x) { return std::uint64_t{chosen(x) != 0 && x[3] != 0}; },
      1);
  const Subject both("lop3.and.b32 %r7|%p7, %r0, %r1, %r2, 0xC0, %p0;");
  check(both, operands, [](auto& x) { return x[0] & x[1]; });
  check(both, operands, [](auto& x) { return std::uint64_t{(x[0] & x[1]) != 0 && x[3] != 0}; }, 1);
  check(
      Subject("lop3.or.b32 %r7|%p7, %r0, %r1, %r2, 0xC0, !%p0;"), operands,
      [](auto& x) { return std::uint64_t{(x[0] & x[1]) != 0 || x[3] == 0}; }, 1);
}

TEST_CASE("shifts clamp their count", "[ptx][bits]") {
  for (const unsigned bits : {16U, 32U, 64U}) {
    const std::string width = std::to_string(bits);
    const std::string operands = " " + reg(bits) + "7, " + reg(bits) + "0, %r1;";
    const std::vector<Column> columns = words_and_counts({bits}, 1);
    const auto at = [&](const Numbers& x, std::uint64_t i, bool beyond) { return i < bits ? bit(x[0], static_cast<unsigned>(i)) : beyond; };
    const auto shifted_right = [&](const Numbers& x, bool beyond) {
      std::uint64_t d = 0;
      for (unsigned i = 0; i < bits; ++i) {
        d |= std::uint64_t{at(x, i + x[1], beyond)} << i;
      }
      return d;
    };
    check(Subject("shl.b" + width + operands), columns, [&](auto& x) {
      std::uint64_t d = 0;
      for (unsigned i = 0; i < bits; ++i) {
        d |= std::uint64_t{i >= x[1] && at(x, i - x[1], false)} << i;
      }
      return d;
    });
    check(Subject("shr.b" + width + operands), columns, [&](auto& x) { return shifted_right(x, false); });
    check(Subject("shr.u" + width + operands), columns, [&](auto& x) { return shifted_right(x, false); });
    check(Subject("shr.s" + width + operands), columns, [&](auto& x) { return shifted_right(x, bit(x[0], bits - 1)); });
  }
}

TEST_CASE("funnel shifts", "[ptx][bits]") {
  for (const bool clamp : {false, true}) {
    const std::string mode = clamp ? "clamp" : "wrap";
    const auto count = [&](const Numbers& x) { return clamp ? std::min<std::uint64_t>(x[2], 32) : x[2] & 31; };
    const std::vector<Column> operands = words_and_counts({32, 32}, 1);
    // The ISA: of the 64 bits [b, a], the upper 32 after a shift to the left; the lower 32 after one to the right.
    check(Subject("shf.l." + mode + ".b32 %r7, %r0, %r1, %r2;"), operands,
          [&](auto& x) { return low_bits(((x[1] << 32 | x[0]) << count(x)) >> 32, 32); });
    check(Subject("shf.r." + mode + ".b32 %r7, %r0, %r1, %r2;"), operands,
          [&](auto& x) { return low_bits((x[1] << 32 | x[0]) >> count(x), 32); });
  }
}

TEST_CASE("counting bits", "[ptx][bits]") {
  for (const unsigned bits : {32U, 64U}) {
    const std::string type = "b" + std::to_string(bits) + " %r7, " + reg(bits) + "0;";
    const std::vector<Column> operands = integer_operands({bits}, 100000);
    const auto highest = [&](std::uint64_t a) {
      for (unsigned i = bits; i-- > 0;) {
        if (bit(a, i)) {
          return std::uint64_t{i};
        }
      }
      return std::uint64_t{0xffffffff};
    };
    check(Subject("popc." + type), operands, [&](auto& x) {
      std::uint64_t sum = 0;
      for (unsigned i = 0; i < bits; ++i) {
        sum += std::uint64_t{bit(x[0], i)};
      }
      return sum;
    });
    check(Subject("clz." + type), operands, [&](auto& x) { return low_bits(bits - 1 - highest(x[0]), 32); });
    check(Subject("brev.b" + std::to_string(bits) + " " + reg(bits) + "7, " + reg(bits) + "0;"), operands, [&](auto& x) {
      std::uint64_t d = 0;
      for (unsigned i = 0; i < bits; ++i) {
        d |= std::uint64_t{bit(x[0], bits - 1 - i)} << i;
      }
      return d;
    });
    for (const bool is_signed : {false, true}) {
      const std::string name = std::string(is_signed ? "s" : "u") + std::to_string(bits) + " %r7, " + reg(bits) + "0;";
      const auto found = [&](std::uint64_t a) { return highest(is_signed && bit(a, bits - 1) ? low_bits(~a, bits) : a); };
      check(Subject("bfind." + name), operands, [&](auto& x) { return found(x[0]); });
      check(Subject("bfind.shiftamt." + name), operands,
            [&](auto& x) { return found(x[0]) == 0xffffffff ? 0xffffffff : bits - 1 - found(x[0]); });
    }
  }
}

TEST_CASE("fns finds the n-th bit", "[ptx][bits]") {
  const Subject subject("fns.b32 %r7, %r0, %r1, %r2;");
  CHECK(subject.one({0xaaaaaaaa, 3, 1}) == 3);  // the ISA's examples
  CHECK(subject.one({0xaaaaaaaa, 3, 0xffffffff}) == 3);
  CHECK(subject.one({0xaaaaaaaa, 2, 1}) == 3);
  CHECK(subject.one({0xaaaaaaaa, 2, 0xffffffff}) == 1);
  Column bases;
  for (std::uint64_t base = 0; base < 32; ++base) {
    bases.push_back(base);
  }
  Column offsets = {0x7fffffff, 0x80000000};
  for (int offset = -34; offset <= 34; ++offset) {
    offsets.push_back(static_cast<std::uint32_t>(offset));
  }
  check(subject, combinations({{0, 1, 0x80000000, 0xaaaaaaaa, 0xffffffff, 0x00ff00f0, 0xdeadbeef}, bases, offsets}), [](auto& x) {
    const std::int64_t offset = as_signed(x[2], 32);
    if (offset == 0) {
      return bit(x[0], static_cast<unsigned>(x[1])) ? x[1] : 0xffffffff;
    }
    std::int64_t count = (offset < 0 ? -offset : offset) - 1;
    for (std::int64_t pos = static_cast<std::int64_t>(x[1]); pos >= 0 && pos < 32; pos += offset > 0 ? 1 : -1) {
      if (bit(x[0], static_cast<unsigned>(pos)) && count-- == 0) {
        return static_cast<std::uint64_t>(pos);
      }
    }
    return std::uint64_t{0xffffffff};
  });
  CHECK(subject.unspecified({{1, 1}, {31, 32}, {0, 0}}) == std::vector<bool>{false, true});
}

TEST_CASE("bit fields", "[ptx][bits]") {
  for (const unsigned bits : {32U, 64U}) {
    const std::string r = reg(bits);
    const unsigned msb = bits - 1;
    for (const bool is_signed : {false, true}) {
      const std::string type = std::string(is_signed ? "s" : "u") + std::to_string(bits);
      check(Subject("bfe." + type + " " + r + "7, " + r + "0, %r1, %r2;"), words_and_counts({bits}, 2), [&](auto& x) {
        const unsigned pos = x[1] & 0xff;
        const unsigned len = x[2] & 0xff;
        const bool sbit = is_signed && len != 0 && bit(x[0], std::min(pos + len - 1, msb));
        std::uint64_t d = 0;
        for (unsigned i = 0; i <= msb; ++i) {
          d |= std::uint64_t{i < len && pos + i <= msb ? bit(x[0], pos + i) : sbit} << i;
        }
        return d;
      });
    }
    const std::vector<Column> operands =
        combinations({integer_edges(bits), {0, ~std::uint64_t{0} >> (64 - bits), 0x1234567}, counts, counts});
    check(Subject("bfi.b" + std::to_string(bits) + " " + r + "7, " + r + "0, " + r + "1, %r2, %r3;"), operands, [&](auto& x) {
      const unsigned pos = x[2] & 0xff;
      const unsigned len = x[3] & 0xff;
      std::uint64_t d = x[1];
      for (unsigned i = 0; i < len && pos + i <= msb; ++i) {
        d = (d & ~(std::uint64_t{1} << (pos + i))) | std::uint64_t{bit(x[0], i)} << (pos + i);
      }
      return d;
    });
  }
}

TEST_CASE("masks and extensions", "[ptx][bits]") {
  for (const bool clamp : {false, true}) {
    const std::string mode = clamp ? "clamp" : "wrap";
    check(Subject("bmsk." + mode + ".b32 %r7, %r0, %r1;"), combinations({counts, counts}), [&](auto& x) {
      std::uint64_t d = 0;
      for (unsigned i = 0; i < 32; ++i) {
        const std::uint64_t a = clamp ? x[0] : x[0] & 31;
        const std::uint64_t b = clamp ? x[1] : x[1] & 31;
        d |= std::uint64_t{i >= a && i - a < b} << i;
      }
      return d;
    });
    for (const bool is_signed : {false, true}) {
      check(Subject("szext." + mode + (is_signed ? ".s32" : ".u32") + " %r7, %r0, %r1;"), words_and_counts({32}, 1), [&](auto& x) {
        const std::uint64_t n = clamp ? std::min<std::uint64_t>(x[1], 32) : x[1] & 31;
        const bool sign = is_signed && n != 0 && bit(x[0], static_cast<unsigned>(n - 1));
        std::uint64_t d = 0;
        for (unsigned i = 0; i < 32; ++i) {
          d |= std::uint64_t{i < n ? bit(x[0], i) : sign} << i;
        }
        return d;
      });
    }
  }
  CHECK(Subject("bmsk.wrap.b32 %r7, %r0, %r1;").one({1, 2}) == 6);  // the ISA's example
}

TEST_CASE("prmt chooses bytes", "[ptx][bits]") {
  const auto byte = [](const Numbers& x, unsigned i) { return (x[1] << 32 | x[0]) >> (8 * (i & 7)) & 0xff; };
  const std::vector<Column> operands = {random_integers(32, 0x10000), random_integers(32, 0x10000), [] {
                                          Column all(0x10000);
                                          for (std::uint64_t c = 0; c < all.size(); ++c) {
                                            all[c] = c;
                                          }
                                          return all;
                                        }()};
  check(Subject("prmt.b32 %r7, %r0, %r1, %r2;"), operands, [&](auto& x) {
    std::uint64_t d = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned selector = x[2] >> (4 * i) & 0xf;
      const std::uint64_t chosen = byte(x, selector);
      d |= ((selector & 8) == 0 ? chosen : (chosen & 0x80) != 0 ? 0xff : 0) << (8 * i);
    }
    return d;
  });
  // The ISA's tables: for selector 0 to 3, the source bytes of result bytes 3, 2, 1, 0.
  const std::vector<std::pair<std::string, std::vector<std::string>>> modes = {
      {"f4e", {"3210", "4321", "5432", "6543"}}, {"b4e", {"5670", "6701", "7012", "0123"}}, {"rc8", {"0000", "1111", "2222", "3333"}},
      {"ecl", {"3210", "3211", "3222", "3333"}}, {"ecr", {"0000", "1110", "2210", "3210"}}, {"rc16", {"1010", "3232", "1010", "3232"}}};
  for (const auto& [mode, table] : modes) {
    check(Subject("prmt.b32." + mode + " %r7, %r0, %r1, %r2;"), operands, [&](auto& x) {
      std::uint64_t d = 0;
      for (unsigned i = 0; i < 4; ++i) {
        d |= byte(x, static_cast<unsigned>(table[x[2] & 3][3 - i] - '0')) << (8 * i);
      }
      return d;
    });
  }
}

TEST_CASE("selection", "[ptx][bits]") {
  for (const unsigned bits : {16U, 32U, 64U}) {
    const std::string r = reg(bits);
    const std::string type = "b" + std::to_string(bits);
    const std::string operands = " " + r + "7, " + r + "0, " + r + "1, ";
    check(Subject("selp." + type + operands + "%p2;"), combinations({{1, 2}, {3, 4}, {0, 1}}),
          [](auto& x) { return x[2] != 0 ? x[0] : x[1]; });
    check(Subject("slct." + type + ".s32" + operands + "%r2;"), combinations({{1, 2}, {3, 4}, integer_edges(32)}),
          [](auto& x) { return as_signed(x[2], 32) >= 0 ? x[0] : x[1]; });
    // -0 and what .ftz makes of a negative subnormal number are not below 0; NaN is not above.
    const Column floats = {0,          0x80000000, 1,          0x80000001, 0x3f800000, 0xbf800000,
                           0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 0x807fffff};
    const auto not_negative = [](std::uint64_t a) {
      return (a & 0x7fffffff) <= 0x7f800000 && ((a & 0x80000000) == 0 || (a & 0x7fffffff) == 0);
    };
    check(Subject("slct." + type + ".f32" + operands + "%r2;"), combinations({{1, 2}, {3, 4}, floats}),
          [&](auto& x) { return not_negative(x[2]) ? x[0] : x[1]; });
    check(Subject("slct.ftz." + type + ".f32" + operands + "%r2;"), combinations({{1, 2}, {3, 4}, floats}),
          [&](auto& x) { return not_negative((x[2] & 0x7f800000) == 0 ? 0 : x[2]) ? x[0] : x[1]; });
  }
}
