// All operations and conversions on edges of their types, as vectors and as numbers that all groups have alike: random kernels meet these
// edges rarely, and conversions of 64 bits go ways of their own.

#include <fmt/format.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/verify.hpp"
#include "tests/ve_emitted/support.hpp"

using namespace lockstep;

namespace {

struct Named {
  ScalarType type;
  const char* name;
};
constexpr std::array<Named, 10> types = {{{ScalarType::Char, "i8"},
                                          {ScalarType::UChar, "u8"},
                                          {ScalarType::Short, "i16"},
                                          {ScalarType::UShort, "u16"},
                                          {ScalarType::Int, "i32"},
                                          {ScalarType::UInt, "u32"},
                                          {ScalarType::Long, "i64"},
                                          {ScalarType::ULong, "u64"},
                                          {ScalarType::Float, "f32"},
                                          {ScalarType::Double, "f64"}}};

/// One after the other in all operands, so that all pairs meet.
template <class T>
std::vector<T> edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> all;
  if constexpr (std::is_floating_point_v<T>) {
    for (const T x : {T{0}, T{1}, T{1.5}, T{3}, Limits::denorm_min(), Limits::min(), Limits::max(), Limits::infinity(),
                      T{1} + Limits::epsilon(), T{0x1p23F}, T{0x1p31F}, std::nextafter(T{0x1p31F}, T{0}), T{0x1p63F},
                      std::nextafter(T{0x1p63F}, T{0}), std::nextafter(T{0x1p64F}, T{0}), T{0.1F}}) {
      all.insert(all.end(), {x, -x});
    }
    all.push_back(Limits::quiet_NaN());
  } else {
    for (const std::uint64_t x : {0x0ULL,
                                  0x1ULL,
                                  0x2ULL,
                                  0x3ULL,
                                  0x7ULL,
                                  0x7fULL,
                                  0x80ULL,
                                  0xffULL,
                                  0x7fffULL,
                                  0x8000ULL,
                                  0x1000001ULL,
                                  0x7fffffffULL,
                                  0x80000000ULL,
                                  0xffffffffULL,
                                  0x20000000000001ULL,
                                  0x4000004000000001ULL,
                                  0x4000004000000000ULL,
                                  0x7fffffffffffffffULL,
                                  0x8000000000000000ULL,
                                  0x8000000000000401ULL,
                                  0x8000008000000001ULL,
                                  0xfffffffffffffbffULL,
                                  0x123456789abcdefULL}) {
      all.insert(all.end(), {static_cast<T>(x), static_cast<T>(0 - x)});
    }
  }
  return all;
}

constexpr std::uint64_t count = 47 * 47;  ///< at least all pairs

/// Operand `which` of all combinations.
infreg::Buffer operands(ScalarType type, unsigned which) {
  infreg::Buffer buffer = infreg::make_buffer(type, count);
  with_type(type, [&]<class T>(T) {
    const std::vector<T> all = edges<T>();
    REQUIRE(all.size() * all.size() <= count);
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t at = which == 0 ? k : which == 1 ? k / all.size() : k * 7 + k / all.size();
      std::memcpy(buffer.bytes.data() + k * sizeof(T), &all[at % all.size()], sizeof(T));
    }
  });
  return buffer;
}

/// A result, by the lines that compute it.
struct Result {
  std::string name;  ///< of the value that is stored
  ScalarType type = ScalarType::Int;
  std::string lines;  ///< `T` and `B` stand for the operands' type and for i1, with their layout
};

std::string name_of(ScalarType type) {
  for (const Named& one : types) {
    if (one.type == type) {
      return one.name;
    }
  }
  return "i1";
}

std::vector<Result> operations(ScalarType type) {
  const bool floats = is_float(type);
  std::vector<Result> all;
  const auto add = [&](const std::string& operation, int arity) {
    const bool is_truth = std::string("lt le gt ge eq ne flt fle fgt fge feq fne").find(operation) != std::string::npos && arity == 2;
    const bool is_unsigned = operation == "abs";
    const ScalarType result = is_truth                         ? ScalarType::Bool
                              : is_unsigned && is_signed(type) ? static_cast<ScalarType>(static_cast<unsigned>(type) + 1)
                                                               : type;
    all.push_back({"r_" + operation, result,
                   fmt::format("  %r_{0} : {1} = {0} %x{2}{3}\n", operation, name_of(result) + "LAYOUT", arity > 1 ? ", %y" : "",
                               arity > 2 ? ", %z" : "")});
  };
  if (floats) {
    for (const char* name : {"fadd", "fsub", "fmul", "fdiv", "fmin", "fmax", "flt", "fle", "fgt", "fge", "feq", "fne"}) {
      add(name, 2);
    }
    for (const char* name : {"fneg", "fabs", "sqrt", "rcp"}) {
      add(name, 1);
    }
    add("fma", 3);
  } else {
    for (const char* name :
         {"add", "sub", "mul", "div", "rem", "min", "max", "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "xor", "shl", "shr"}) {
      add(name, 2);
    }
    for (const char* name : {"neg", "abs", "not", "popcount"}) {
      add(name, 1);
    }
  }
  return all;
}

/// Floats that do not fit become 0.
std::vector<Result> conversions(ScalarType type) {
  std::vector<Result> all;
  all.push_back({"r_i1", ScalarType::Bool, "  %r_i1 : i1LAYOUT = convert %x\n"});
  for (const Named& to : types) {
    const std::string result = std::string("r_") + to.name;
    std::string lines = fmt::format("  %{0} : {1}LAYOUT = convert %x\n", result, to.name);
    std::string stored = result;
    if (is_float(type) && !is_float(to.type)) {
      const auto bits = static_cast<int>(bits_of(to.type));
      const double least = is_signed(to.type) ? -std::ldexp(1.0, bits - 1) : 0;
      const double most = std::ldexp(1.0, is_signed(to.type) ? bits - 1 : bits);
      stored += "_fit";
      lines += fmt::format(
          "  %least_{0} : {1}LAYOUT = constant {2:.1f}\n  %most_{0} : {1}LAYOUT = constant {3:.1f}\n  %zero_{0} : {0}LAYOUT = constant 0\n"
          "  %above_{0} : i1LAYOUT = fge %x, %least_{0}\n  %below_{0} : i1LAYOUT = flt %x, %most_{0}\n"
          "  %fits_{0} : i1LAYOUT = and %above_{0}, %below_{0}\n  %{4} : {0}LAYOUT = select %fits_{0}, %r_{0}, %zero_{0}\n",
          to.name, name_of(type), least, most, stored);
    }
    all.push_back({stored, to.type, lines});
  }
  return all;
}

/// In each group for the elements with its number; or, of numbers, in a loop.
std::string kernel_of(ScalarType type, const std::vector<Result>& results, bool as_vectors) {
  const std::string name = name_of(type);
  const std::string layout = as_vectors ? "[wi 1 x ix 1]" : "";
  const std::string place = as_vectors ? "[wg.ix] gather" : "[%s] gather";
  std::string text = fmt::format("kernel @k(%a: ptr<{0}> const, %b: ptr<{0}> const, %c: ptr<{0}> const", name);
  for (const Result& one : results) {
    text += fmt::format(", %to_{}: ptr<{}>", one.name, name_of(one.type));
  }
  text += ") wg_size 1 wg_pack 1 {\n";
  text += as_vectors ? "" : fmt::format("  for %s = 0 to {} step 1 {{\n", count);
  for (const auto& [value, from] : {std::pair("x", "a"), std::pair("y", "b"), std::pair("z", "c")}) {
    text += fmt::format("  %{} : {}{} = load %{} {}\n", value, name, layout, from, place);
  }
  for (const Result& one : results) {
    std::string lines = one.lines;
    for (std::size_t at = lines.find("LAYOUT"); at != std::string::npos; at = lines.find("LAYOUT")) {
      lines.replace(at, 6, layout);
    }
    text += lines + fmt::format("  store %to_{} {}, %{}\n", one.name, place, one.name);
  }
  return text + (as_vectors ? "}\n" : "  }\n}\n");
}

void compare_results(ScalarType type, const std::vector<Result>& results, const host::Compiler& clang) {
  for (const bool as_vectors : {true, false}) {
    const std::string text = kernel_of(type, results, as_vectors);
    INFO(text);
    const auto kernel = infreg::parse(std::make_shared<SourceFile>("case.ir", text));
    if (!kernel) {
      FAIL(kernel.error().front().message);
    }
    REQUIRE(infreg::verify(*kernel).empty());
    std::vector<infreg::Buffer> memory = {operands(type, 0), operands(type, 1), operands(type, 2)};
    std::vector<Argument> arguments = {BufferNumber{0}, BufferNumber{1}, BufferNumber{2}};
    for (const Result& one : results) {
      arguments.emplace_back(BufferNumber{memory.size()});
      memory.push_back(infreg::make_buffer(one.type, count));
    }
    const auto answer = ve_emitted::compared(*kernel, arguments, memory, as_vectors ? count : 1, clang, {});
    REQUIRE((answer == ve_emitted::Answer::Agrees));
  }
}

}  // namespace

TEST_CASE("operations on the edges of their types", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  for (const Named& one : types) {
    if (clang) {
      compare_results(one.type, operations(one.type), *clang);
    }
  }
}

TEST_CASE("conversions of the edges of their types", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  for (const Named& one : types) {
    if (clang) {
      compare_results(one.type, conversions(one.type), *clang);
    }
  }
}
