// Scalar C, compiled for VE and for this machine from one text: the same results.

#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "codegen/host/compiler.hpp"
#include "semantics/base/files.hpp"
#include "tests/ve/support.hpp"

namespace lockstep::test {

namespace {

using Function = std::uint64_t (*)(std::uint64_t, std::uint64_t);

/// The functions `W NAME(W a, W b)` that the text has once macros are gone.
std::vector<std::string> functions_in(const ve::Object& object) {
  std::vector<std::string> names;
  for (const ve::Symbol* function : ve::functions_of(object)) {
    if (function->name != "eleven") {
      names.push_back(function->name);
    }
  }
  return names;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> operands() {
  constexpr auto edges = std::to_array<std::uint64_t>({0,
                                                       1,
                                                       2,
                                                       7,
                                                       ~std::uint64_t{0},
                                                       0x8000000000000000U,
                                                       0x7fffffffffffffffU,
                                                       0x80000000U,
                                                       0x7fffffffU,
                                                       0xffffffffU,
                                                       0xffffffff80000000U,
                                                       0x3ff0000000000000U,
                                                       0xc024000000000000U,
                                                       0x7ff0000000000000U,
                                                       0x7ff8000000000000U,
                                                       0x3f8000003f800000U,
                                                       0xc1200000U,
                                                       0x7f800000U,
                                                       0x7fc00000U,
                                                       0x0000000000000001U,
                                                       0x43e0000000000000U,
                                                       0x80U,
                                                       0xff7fU});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  for (const std::uint64_t a : edges) {
    for (const std::uint64_t b : edges) {
      pairs.emplace_back(a, b);
    }
  }
  std::mt19937_64 random(11);
  for (int k = 0; k < 300; ++k) {
    pairs.emplace_back(random() >> random() % 64, random() >> random() % 64);
  }
  return pairs;
}

}  // namespace

TEST_CASE("scalar C does the same for VE as for this machine", "[ve]") {
  if (!has_clang()) {
    return;
  }
  const auto text = read_file(LOCKSTEP_SOURCE_DIR "/tests/ve/scalar.c");
  REQUIRE(text.has_value());
  host::CompileRequest request;
  request.source = {"scalar.c", *text};
  request.options = {"-x", "c", "-O1", "-fwrapv", "-ffp-contract=off", "-w"};
  const auto compiler = host::find_compiler();
  REQUIRE(compiler.has_value());
  const auto library = host::compile_library(*compiler, request);
  INFO((library ? std::string() : library.error().sentence));
  REQUIRE(library.has_value());
  const auto pairs = operands();
  for (const std::string level : {"-O0", "-O2"}) {
    const ve::Object object = object_of(*text, {level, "-fwrapv"});
    const std::vector<std::string> names = functions_in(object);
    REQUIRE(names.size() > 200);
    for (std::size_t k = 0; k < names.size(); ++k) {
      const auto function = reinterpret_cast<Function>(library->find(names[k]));
      REQUIRE(function != nullptr);
      for (std::size_t n = k % 41; n < pairs.size(); n += 41) {
        const auto [a, b] = pairs[n];
        if (names[k] == "globals") {
          continue;  // it remembers calls
        }
        const Called called = call(object, names[k], {a, b});
        CAPTURE(level, names[k], std::hex, a, b);
        if (called.outcome.fault) {
          FAIL(called.outcome.fault->message);
        }
        const ve_machine::Word result = called.outcome.result;
        if (result.undefined != 0 || result.bits != function(a, b)) {
          CAPTURE(result.bits, result.undefined, function(a, b));
          FAIL("the results differ");
        }
      }
    }
  }
}

TEST_CASE("variables keep what functions write", "[ve]") {
  if (!has_clang()) {
    return;
  }
  const ve::Object object = object_of("static long n = 5; long f(long a) { n += a; return n * 2; }");
  CHECK(call(object, "f", {std::uint64_t{4}}).outcome.result.bits == 18);
  CHECK(call(object, "f", {std::uint64_t{4}}).outcome.result.bits == 18);  // each call begins with what the file says
}

}  // namespace lockstep::test
