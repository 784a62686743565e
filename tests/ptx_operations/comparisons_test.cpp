// setp and set on all types, with all comparisons and Boolean operators.

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/ptx_operations/numbers.hpp"

using namespace lockstep::ptx_test;

namespace {

using Numbers = std::vector<std::uint64_t>;

/// How two numbers compare.
enum class Order { Less, Equal, Greater, Unordered };

/// Whether a comparison of the ISA's table holds.
bool holds(const std::string& name, Order order) {
  if (name == "num" || name == "nan") {
    return (order == Order::Unordered) == (name == "nan");
  }
  if (order == Order::Unordered) {
    return name.size() == 3;  // equ, neu, ltu, leu, gtu, geu
  }
  const std::string plain = name == "lo" ? "lt" : name == "ls" ? "le" : name == "hi" ? "gt" : name == "hs" ? "ge" : name.substr(0, 2);
  return plain == "eq"   ? order == Order::Equal
         : plain == "ne" ? order != Order::Equal
         : plain == "lt" ? order == Order::Less
         : plain == "le" ? order != Order::Greater
         : plain == "gt" ? order == Order::Greater
                         : order != Order::Less;
}

bool combined(const std::string& name, bool t, bool c) { return name == "and" ? t && c : name == "or" ? t || c : t != c; }

struct Subtype {
  std::string name;
  unsigned bits;
  std::string reg;
  std::function<Order(std::uint64_t, std::uint64_t)> order;
  Column edges;
  bool is_float;
  bool has_ftz;
};

template <class T>
Order order_of(T a, T b) {
  return a < b ? Order::Less : a == b ? Order::Equal : a > b ? Order::Greater : Order::Unordered;
}
double half_value(std::uint64_t a) {
  const int exponent = static_cast<int>(a >> 10 & 31);
  const auto fraction = static_cast<double>(a & 1023);
  const double size = exponent == 31  ? (fraction > 0 ? NAN : INFINITY)
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(fraction + 1024, exponent - 25);
  return (a & 0x8000) != 0 ? -size : size;
}
float single(std::uint64_t a) { return std::bit_cast<float>(static_cast<std::uint32_t>(a)); }

std::vector<Subtype> integer_types(bool bits_only) {
  std::vector<Subtype> types;
  for (const unsigned bits : {16U, 32U, 64U}) {
    const std::string reg = bits == 16 ? "%h" : bits == 32 ? "%r" : "%d";
    const std::string width = std::to_string(bits);
    const auto unsigned_order = [](std::uint64_t a, std::uint64_t b) { return order_of(a, b); };
    types.push_back({bits_only ? "b" + width : "u" + width, bits, reg, unsigned_order, integer_edges(bits), false, false});
    if (!bits_only) {
      types.push_back({"s" + width, bits, reg, [bits](auto a, auto b) { return order_of(as_signed(a, bits), as_signed(b, bits)); },
                       integer_edges(bits), false, false});
    }
  }
  return types;
}
const Column single_edges = {0,          0x80000000, 1,          0x80000001, 0x7fffff,   0x807fffff, 0x800000,   0x80800000, 0x3f800000,
                             0xbf800000, 0x3f800001, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffffffff};
const Column double_edges = {0,
                             1,
                             0x8000000000000000,
                             0x8000000000000001,
                             0x3ff0000000000000,
                             0xbff0000000000000,
                             0x3ff0000000000001,
                             0x7fefffffffffffff,
                             0x7ff0000000000000,
                             0xfff0000000000000,
                             0x7ff0000000000001,
                             0x7fffffffffffffff};
const Column half_edges = {0,      0x8000, 1,      0x8001, 0x3ff,  0x83ff, 0x400,  0x3c00,
                           0xbc00, 0x3c01, 0x7bff, 0x7c00, 0xfc00, 0x7c01, 0x7fff, 0xffff};
const Column bhalf_edges = {0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x3f80, 0xbf80, 0x3f81, 0x7f7f, 0x7f80, 0xff80, 0x7f81, 0x7fff, 0xffff};

const Subtype f32 = {"f32", 32, "%r", [](auto a, auto b) { return order_of(single(a), single(b)); }, single_edges, true, true};
const Subtype f64 = {"f64",        64,   "%d", [](auto a, auto b) { return order_of(std::bit_cast<double>(a), std::bit_cast<double>(b)); },
                     double_edges, true, false};
const Subtype f16 = {"f16", 16, "%h", [](auto a, auto b) { return order_of(half_value(a), half_value(b)); }, half_edges, true, true};
const Subtype bf16 = {"bf16",      16,   "%h", [](auto a, auto b) { return order_of(single(a << 16), single(b << 16)); },
                      bhalf_edges, true, false};

/// Operands, a flushed subnormal number being a zero.
Order order(const Subtype& type, bool ftz, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t exponent = type.bits == 32 ? 0x7f800000 : 0x7c00;
  const auto flushed = [&](std::uint64_t x) { return ftz && (x & exponent) == 0 ? 0 : x; };
  return type.order(flushed(a), flushed(b));
}

std::vector<std::string> comparisons(const Subtype& type) {
  if (type.is_float) {
    return {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  }
  if (type.name[0] == 'b') {
    return {"eq", "ne"};
  }
  if (type.name[0] == 's') {
    return {"eq", "ne", "lt", "le", "gt", "ge"};
  }
  return {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
}

std::vector<Column> pairs(const Subtype& type, std::size_t predicates) {
  std::vector<Column> lists = {type.edges, type.edges};
  if (predicates != 0) {
    lists.push_back({0, 1});
  }
  return combinations(lists);
}

/// Calls f(comparison, ".ftz" or "", ftz) for all that the type has.
template <class F>
void for_comparisons(const Subtype& type, F f) {
  for (const std::string& name : comparisons(type)) {
    f(name, std::string(), false);
    if (type.has_ftz) {
      f(name, std::string(".ftz"), true);
    }
  }
}

std::vector<Subtype> all_types() {
  std::vector<Subtype> types = integer_types(false);
  for (const Subtype& type : integer_types(true)) {
    types.push_back(type);
  }
  for (const Subtype& type : {f32, f64, f16, bf16}) {
    types.push_back(type);
  }
  return types;
}

}  // namespace

TEST_CASE("setp", "[ptx][comparisons]") {
  for (const Subtype& type : all_types()) {
    const std::string operands = type.reg + "0, " + type.reg + "1";
    for_comparisons(type, [&](const std::string& name, const std::string& ftz_text, bool ftz) {
      const auto t = [&](const Numbers& x) { return holds(name, order(type, ftz, x[0], x[1])); };
      const std::string setp = "setp." + name + ftz_text + "." + type.name + " ";
      check(Subject(setp + "%p7, " + operands + ";"), pairs(type, 0), [&](auto& x) { return std::uint64_t{t(x)}; });
      const bool half = type.bits == 16 && type.is_float;  // has no second result
      if (!half) {
        const Subject both(setp + "%p7|%p6, " + operands + ";");
        check(both, pairs(type, 0), [&](auto& x) { return std::uint64_t{t(x)}; }, 0);
        check(both, pairs(type, 0), [&](auto& x) { return std::uint64_t{!t(x)}; }, 1);
        // Either one can be left out.
        check(Subject(setp + "%p7|_, " + operands + ";"), pairs(type, 0), [&](auto& x) { return std::uint64_t{t(x)}; }, 0);
        check(Subject(setp + "_|%p6, " + operands + ";"), pairs(type, 0), [&](auto& x) { return std::uint64_t{!t(x)}; }, 1);
      }
      for (const std::string op : {"and", "or", "xor"}) {
        for (const bool negated : {false, true}) {
          const Subject with("setp." + name + "." + op + ftz_text + "." + type.name + (half ? " %p7, " : " %p7|%p6, ") + operands +
                             (negated ? ", !%p0;" : ", %p0;"));
          check(with, pairs(type, 1), [&](auto& x) { return std::uint64_t{combined(op, t(x), (x[2] != 0) != negated)}; }, 0);
          if (!half) {
            check(with, pairs(type, 1), [&](auto& x) { return std::uint64_t{combined(op, !t(x), (x[2] != 0) != negated)}; }, 1);
          }
        }
      }
    });
  }
}

TEST_CASE("set", "[ptx][comparisons]") {
  struct Result {
    std::string name;
    std::string reg;
    std::uint64_t if_true;
  };
  const Result words[] = {{"u32", "%r7", 0xffffffff}, {"s32", "%r7", 0xffffffff}, {"f32", "%r7", 0x3f800000}};
  const Result halves[] = {{"u16", "%h7", 0xffff}, {"s16", "%h7", 0xffff}, {"u32", "%r7", 0xffffffff}, {"s32", "%r7", 0xffffffff}};
  const auto check_result = [](const Result& to, const Subtype& type) {
    const std::string end = "." + to.name + "." + type.name + " " + to.reg + ", " + type.reg + "0, " + type.reg + "1";
    for_comparisons(type, [&](const std::string& name, const std::string& ftz_text, bool ftz) {
      if (ftz && to.name == "bf16") {
        return;  // there is none
      }
      const auto t = [&](const Numbers& x) { return holds(name, order(type, ftz, x[0], x[1])); };
      check(Subject("set." + name + ftz_text + end + ";"), pairs(type, 0), [&](auto& x) { return t(x) ? to.if_true : 0; });
      check(Subject("set." + name + ".xor" + ftz_text + end + ", !%p0;"), pairs(type, 1),
            [&](auto& x) { return t(x) != (x[2] == 0) ? to.if_true : 0; });
    });
  };
  for (const Subtype& type : all_types()) {
    if (type.bits == 16 && type.is_float) {
      for (const Result& to : halves) {
        check_result(to, type);
      }
      check_result({"bf16", "%h7", 0x3f80}, type);
      if (type.name == "f16") {
        check_result({"f16", "%h7", 0x3c00}, type);
      }
    } else {
      for (const Result& to : words) {
        check_result(to, type);
      }
      check_result({"f16", "%h7", 0x3c00}, type);
      check_result({"bf16", "%h7", 0x3f80}, type);
    }
  }
}

TEST_CASE("comparisons of halves in pairs", "[ptx][comparisons]") {
  for (const Subtype& type : {f16, bf16}) {
    Column a;
    Column b;
    Column c;
    for (std::size_t i = 0; i < 2000; ++i) {
      const auto any = [&] { return type.edges[generator()() % type.edges.size()]; };
      a.push_back(any() | any() << 16);
      b.push_back(any() | any() << 16);
      c.push_back(generator()() & 1);
    }
    const std::uint64_t one = type.name == "f16" ? 0x3c00 : 0x3f80;
    for_comparisons(type, [&](const std::string& name, const std::string& ftz_text, bool ftz) {
      const auto t = [&](const Numbers& x, unsigned half) {
        return holds(name, order(type, ftz, x[0] >> (16 * half) & 0xffff, x[1] >> (16 * half) & 0xffff));
      };
      const std::string pair = type.name + "x2";
      const Subject setp("setp." + name + ftz_text + "." + pair + " %p7|%p6, %r0, %r1;");
      const Subject with("setp." + name + ".and" + ftz_text + "." + pair + " %p7|%p6, %r0, %r1, !%p0;");
      for (const unsigned half : {0U, 1U}) {
        check(setp, {a, b}, [&](auto& x) { return std::uint64_t{t(x, half)}; }, half);
        check(with, {a, b, c}, [&](auto& x) { return std::uint64_t{t(x, half) && x[2] == 0}; }, half);
      }
      const auto both = [&](const Numbers& x, std::uint64_t if_true) { return (t(x, 0) ? if_true : 0) | (t(x, 1) ? if_true << 16 : 0); };
      check(Subject("set." + name + ftz_text + "." + pair + "." + pair + " %r7, %r0, %r1;"), {a, b}, [&](auto& x) { return both(x, one); });
      check(Subject("set." + name + ftz_text + ".u32." + pair + " %r7, %r0, %r1;"), {a, b}, [&](auto& x) { return both(x, 0xffff); });
      check(Subject("set." + name + ".or" + ftz_text + ".s32." + pair + " %r7, %r0, %r1, %p0;"), {a, b, c},
            [&](auto& x) { return x[2] != 0 ? 0xffffffff : both(x, 0xffff); });
    });
  }
}
