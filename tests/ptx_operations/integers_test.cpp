// Integer arithmetic and carries against 128-bit numbers, by the text of the ISA.

#include <catch2/catch.hpp>

#include "tests/ptx_operations/numbers.hpp"

using namespace lockstep::ptx_test;

namespace {

__extension__ typedef __int128 Int;
__extension__ typedef unsigned __int128 UInt;

struct IntegerType {
  std::string name;
  unsigned bits;
  bool is_signed;

  std::string reg() const { return bits == 16 ? "%h" : bits == 32 ? "%r" : "%d"; }
  Int value(std::uint64_t a) const { return is_signed ? Int{as_signed(a, bits)} : Int{low_bits(a, bits)}; }
  std::uint64_t cut(Int a) const { return low_bits(static_cast<std::uint64_t>(a), bits); }
  Int least() const { return is_signed ? -(Int{1} << (bits - 1)) : Int{0}; }
  Int most() const { return (Int{1} << (is_signed ? bits - 1 : bits)) - 1; }
  std::uint64_t clamp(Int a) const { return cut(a < least() ? least() : a > most() ? most() : a); }
};

const std::vector<IntegerType> all_types = {{"u16", 16, false}, {"s16", 16, true},  {"u32", 32, false},
                                            {"s32", 32, true},  {"u64", 64, false}, {"s64", 64, true}};
const IntegerType s32 = {"s32", 32, true};

std::vector<IntegerType> types_of(unsigned least_bits, unsigned most_bits) {
  std::vector<IntegerType> types;
  for (const IntegerType& type : all_types) {
    if (type.bits >= least_bits && type.bits <= most_bits) {
      types.push_back(type);
    }
  }
  return types;
}

/// `mnemonic` with all operands of one register kind: "add.u32 %r7, %r0, %r1;"
std::string instruction(const std::string& mnemonic, const std::string& to, const std::vector<std::string>& from) {
  std::string text = mnemonic + " " + to + "7";
  for (std::size_t i = 0; i < from.size(); ++i) {
    text += ", " + from[i] + std::to_string(i);
  }
  return text + ";";
}
std::string instruction(const std::string& mnemonic, const IntegerType& type, std::size_t operands) {
  return instruction(mnemonic + "." + type.name, type.reg(), std::vector<std::string>(operands, type.reg()));
}

using Function = std::function<Int(const IntegerType&, Int, Int, Int)>;

/// One instruction of every type on all combinations of edges.
void check_types(const std::string& mnemonic, const std::vector<IntegerType>& types, std::size_t operands, const Function& f) {
  for (const IntegerType& type : types) {
    const Subject subject(instruction(mnemonic, type, operands));
    check(subject, integer_operands(std::vector<unsigned>(operands, type.bits)), [&](const std::vector<std::uint64_t>& x) {
      return type.cut(f(type, type.value(x[0]), type.value(x[operands > 1 ? 1 : 0]), type.value(x[operands > 2 ? 2 : 0])));
    });
  }
}

/// The upper half of a product of two numbers of the type; of 64 bits it takes 128.
Int high_product(const IntegerType& type, Int a, Int b) {
  return type.is_signed || type.bits < 64 ? (a * b) >> type.bits : static_cast<Int>((static_cast<UInt>(a) * static_cast<UInt>(b)) >> 64);
}
Int low24(const IntegerType& type, Int a) {
  const auto bits = static_cast<std::uint64_t>(a);
  return type.is_signed ? Int{as_signed(bits, 24)} : Int{low_bits(bits, 24)};
}

}  // namespace

TEST_CASE("sums, differences and products of PTX wrap", "[ptx][integers]") {
  check_types("add", types_of(16, 64), 2, [](auto&, Int a, Int b, Int) { return a + b; });
  check_types("sub", types_of(16, 64), 2, [](auto&, Int a, Int b, Int) { return a - b; });
  const auto low = [](auto&, Int a, Int b, Int) { return static_cast<Int>(static_cast<UInt>(a) * static_cast<UInt>(b)); };
  check_types("mul.lo", types_of(16, 64), 2, low);
  check_types("mul.hi", types_of(16, 64), 2, [](auto& type, Int a, Int b, Int) { return high_product(type, a, b); });
  check_types("mad.lo", types_of(16, 64), 3, [&](auto& type, Int a, Int b, Int c) { return low(type, a, b, c) + c; });
  check_types("mad.hi", types_of(16, 64), 3, [](auto& type, Int a, Int b, Int c) { return high_product(type, a, b) + c; });
  check_types("sad", types_of(16, 64), 3, [](auto&, Int a, Int b, Int c) { return c + (a < b ? b - a : a - b); });
}

TEST_CASE("products of full width", "[ptx][integers]") {
  for (const IntegerType& type : types_of(16, 32)) {
    const IntegerType wide = {"", 2 * type.bits, type.is_signed};
    const Subject mul(instruction("mul.wide." + type.name, wide.reg(), {type.reg(), type.reg()}));
    check(mul, integer_operands({type.bits, type.bits}), [&](auto& x) { return wide.cut(type.value(x[0]) * type.value(x[1])); });
    const Subject mad("mad.wide." + type.name + " " + wide.reg() + "7, " + type.reg() + "0, " + type.reg() + "1, " + wide.reg() + "2;");
    check(mad, integer_operands({type.bits, type.bits, wide.bits}),
          [&](auto& x) { return wide.cut(type.value(x[0]) * type.value(x[1]) + wide.value(x[2])); });
  }
}

TEST_CASE("saturation", "[ptx][integers]") {
  check(Subject("add.sat.s32 %r7, %r0, %r1;"), integer_operands({32, 32}),
        [](auto& x) { return s32.clamp(s32.value(x[0]) + s32.value(x[1])); });
  check(Subject("sub.sat.s32 %r7, %r0, %r1;"), integer_operands({32, 32}),
        [](auto& x) { return s32.clamp(s32.value(x[0]) - s32.value(x[1])); });
  check(Subject("mad.hi.sat.s32 %r7, %r0, %r1, %r2;"), integer_operands({32, 32, 32}),
        [](auto& x) { return s32.clamp(high_product(s32, s32.value(x[0]), s32.value(x[1])) + s32.value(x[2])); });
  check(Subject("mad24.hi.sat.s32 %r7, %r0, %r1, %r2;"), integer_operands({32, 32, 32}), [](auto& x) {
    const Int product = low24(s32, s32.value(x[0])) * low24(s32, s32.value(x[1]));
    return s32.clamp(Int{as_signed(static_cast<std::uint64_t>(product >> 16), 32)} + s32.value(x[2]));
  });
}

TEST_CASE("products of 24 bits", "[ptx][integers]") {
  for (const IntegerType& type : types_of(32, 32)) {
    const auto product = [&](auto& x) { return low24(type, type.value(x[0])) * low24(type, type.value(x[1])); };
    check(Subject(instruction("mul24.lo", type, 2)), integer_operands({32, 32}), [&](auto& x) { return type.cut(product(x)); });
    check(Subject(instruction("mul24.hi", type, 2)), integer_operands({32, 32}), [&](auto& x) { return type.cut(product(x) >> 16); });
    check(Subject(instruction("mad24.lo", type, 3)), integer_operands({32, 32, 32}),
          [&](auto& x) { return type.cut(product(x) + type.value(x[2])); });
    check(Subject(instruction("mad24.hi", type, 3)), integer_operands({32, 32, 32}),
          [&](auto& x) { return type.cut((product(x) >> 16) + type.value(x[2])); });
  }
}

TEST_CASE("quotients and remainders", "[ptx][integers]") {
  check_types("div", types_of(16, 64), 2, [](auto&, Int a, Int b, Int) { return b == 0 ? Int{-1} : a / b; });
  check_types("rem", types_of(16, 64), 2, [](auto&, Int a, Int b, Int) { return b == 0 ? a : a % b; });
  for (const std::string name : {"div.u16 %h7, %h0, %h1;", "rem.s32 %r7, %r0, %r1;", "div.s64 %d7, %d0, %d1;"}) {
    const std::vector<bool> open = Subject(name).unspecified({{1, 1, 0, 5}, {1, 0, 0, 0x100}});
    CHECK(open == std::vector<bool>{false, true, true, false});
  }
}

TEST_CASE("signs and order of integers", "[ptx][integers]") {
  for (const IntegerType& type : types_of(16, 64)) {
    if (type.is_signed) {
      check_types("abs", {type}, 1, [](auto&, Int a, Int, Int) { return a < 0 ? -a : a; });
      check_types("neg", {type}, 1, [](auto&, Int a, Int, Int) { return -a; });
    }
  }
  check_types("min", types_of(16, 64), 2, [](auto&, Int a, Int b, Int) { return std::min(a, b); });
  check_types("max", types_of(16, 64), 2, [](auto&, Int a, Int b, Int) { return std::max(a, b); });
  check(Subject("min.relu.s32 %r7, %r0, %r1;"), integer_operands({32, 32}),
        [](auto& x) { return s32.cut(std::max(std::min(s32.value(x[0]), s32.value(x[1])), Int{0})); });
  check(Subject("max.relu.s32 %r7, %r0, %r1;"), integer_operands({32, 32}),
        [](auto& x) { return s32.cut(std::max({s32.value(x[0]), s32.value(x[1]), Int{0}})); });
}

TEST_CASE("integers in pairs", "[ptx][integers]") {
  const auto by_halves = [](bool is_signed, const std::vector<std::uint64_t>& x, auto f) {
    const IntegerType half = {"", 16, is_signed};
    return half.cut(f(half.value(x[0]), half.value(x[1]))) | half.cut(f(half.value(x[0] >> 16), half.value(x[1] >> 16))) << 16;
  };
  const std::vector<Column> operands = integer_operands({32, 32}, 100000);
  for (const bool is_signed : {false, true}) {
    const std::string end = std::string(is_signed ? "s" : "u") + "16x2 %r7, %r0, %r1;";
    check(Subject("add." + end), operands, [&](auto& x) { return by_halves(is_signed, x, [](Int a, Int b) { return a + b; }); });
    check(Subject("min." + end), operands, [&](auto& x) { return by_halves(is_signed, x, [](Int a, Int b) { return std::min(a, b); }); });
    check(Subject("max." + end), operands, [&](auto& x) { return by_halves(is_signed, x, [](Int a, Int b) { return std::max(a, b); }); });
  }
  check(Subject("min.relu.s16x2 %r7, %r0, %r1;"), operands,
        [&](auto& x) { return by_halves(true, x, [](Int a, Int b) { return std::max(std::min(a, b), Int{0}); }); });
  check(Subject("max.relu.s16x2 %r7, %r0, %r1;"), operands,
        [&](auto& x) { return by_halves(true, x, [](Int a, Int b) { return std::max({a, b, Int{0}}); }); });
}

TEST_CASE("carries and borrows", "[ptx][integers]") {
  for (const IntegerType& type : types_of(32, 64)) {
    const IntegerType plain = {"", type.bits, false};
    const UInt beyond = UInt{1} << type.bits;
    // The whole sum, of which the carry is what lies above; of products, the half that the instruction takes, then the sum.
    struct Case {
      std::string mnemonic;
      std::size_t operands;
      bool in;
      bool out;
      std::function<UInt(const std::vector<std::uint64_t>&)> sum;
    };
    const auto unsigned_value = [&](std::uint64_t a) { return UInt{low_bits(a, type.bits)}; };
    const auto low = [&](auto& x) { return unsigned_value(static_cast<std::uint64_t>(UInt{x[0]} * UInt{x[1]})); };
    const auto high = [&](auto& x) {
      return unsigned_value(static_cast<std::uint64_t>(high_product(type, type.value(x[0]), type.value(x[1]))));
    };
    const std::vector<Case> cases = {
        {"add.cc", 2, false, true, [&](auto& x) { return unsigned_value(x[0]) + unsigned_value(x[1]); }},
        {"addc", 2, true, false, [&](auto& x) { return unsigned_value(x[0]) + unsigned_value(x[1]) + x[2]; }},
        {"addc.cc", 2, true, true, [&](auto& x) { return unsigned_value(x[0]) + unsigned_value(x[1]) + x[2]; }},
        // Behind a difference the flag says that nothing was borrowed.
        {"sub.cc", 2, false, true, [&](auto& x) { return unsigned_value(x[0]) - unsigned_value(x[1]) + beyond; }},
        {"subc", 2, true, false, [&](auto& x) { return unsigned_value(x[0]) - unsigned_value(x[1]) - (1 - x[2]) + beyond; }},
        {"subc.cc", 2, true, true, [&](auto& x) { return unsigned_value(x[0]) - unsigned_value(x[1]) - (1 - x[2]) + beyond; }},
        {"mad.lo.cc", 3, false, true, [&](auto& x) { return low(x) + unsigned_value(x[2]); }},
        {"madc.lo", 3, true, false, [&](auto& x) { return low(x) + unsigned_value(x[2]) + x[3]; }},
        {"madc.lo.cc", 3, true, true, [&](auto& x) { return low(x) + unsigned_value(x[2]) + x[3]; }},
        {"mad.hi.cc", 3, false, true, [&](auto& x) { return high(x) + unsigned_value(x[2]); }},
        {"madc.hi", 3, true, false, [&](auto& x) { return high(x) + unsigned_value(x[2]) + x[3]; }},
        {"madc.hi.cc", 3, true, true, [&](auto& x) { return high(x) + unsigned_value(x[2]) + x[3]; }},
    };
    for (const Case& one : cases) {
      const Subject subject(instruction(one.mnemonic, type, one.operands));
      std::vector<unsigned> widths(one.operands, type.bits);
      if (one.in) {
        widths.push_back(1);
      }
      const std::vector<Column> operands = integer_operands(widths);
      check(subject, operands, [&](auto& x) { return plain.cut(static_cast<Int>(one.sum(x))); });
      if (one.out) {
        check(subject, operands, [&](auto& x) { return static_cast<std::uint64_t>((one.sum(x) & beyond) != 0); }, 1);
      }
    }
  }
}

TEST_CASE("dot products of bytes", "[ptx][integers]") {
  const auto part = [](std::uint64_t a, unsigned bits, unsigned i, bool is_signed) {
    const std::uint64_t field = low_bits(a >> (bits * i), bits);
    return is_signed ? as_signed(field, bits) : static_cast<std::int64_t>(field);
  };
  const std::vector<Column> operands = integer_operands({32, 32, 32}, 20000);
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const std::string types = std::string(a ? ".s32" : ".u32") + (b ? ".s32" : ".u32") + " %r7, %r0, %r1, %r2;";
      check(Subject("dp4a" + types), operands, [&](auto& x) {
        std::int64_t sum = static_cast<std::int64_t>(x[2]);
        for (unsigned i = 0; i < 4; ++i) {
          sum += part(x[0], 8, i, a) * part(x[1], 8, i, b);
        }
        return low_bits(static_cast<std::uint64_t>(sum), 32);
      });
      for (const unsigned upper : {0U, 1U}) {
        check(Subject((upper != 0 ? "dp2a.hi" : "dp2a.lo") + types), operands, [&](auto& x) {
          std::int64_t sum = static_cast<std::int64_t>(x[2]);
          for (unsigned i = 0; i < 2; ++i) {
            sum += part(x[0], 16, i, a) * part(x[1], 8, 2 * upper + i, b);
          }
          return low_bits(static_cast<std::uint64_t>(sum), 32);
        });
      }
    }
  }
}

TEST_CASE("a destination may be an operand", "[ptx][integers]") {
  for (const std::string text :
       {"add.u32 %r0, %r0, %r1;", "mad.lo.u64 %d0, %d0, %d1, %d2;", "shl.b16 %h0, %h0, %r1;", "add.rm.f32 %r0, %r0, %r1;",
        "fma.rn.f16x2 %r0, %r0, %r1, %r2;", "xor.pred %p0, %p0, %p1;", "cvt.rna.tf32.f32 %r0, %r0;"}) {
    const Subject subject(text);
    const std::vector<Column> operands(subject.operands(), Column{1, 0, 1, 1});
    CHECK(subject.run(operands, 0, true) == subject.run(operands, 0, false));
  }
}
