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

/// The functions `W NAME(W a, W b)` that the text has once macros are gone; without one that remembers calls.
std::vector<std::string> functions_in(const ve::Object& object) {
  std::vector<std::string> names;
  for (const ve::Symbol* function : ve::functions_of(object)) {
    if (function->name != "eleven" && function->name != "globals") {
      names.push_back(function->name);
    }
  }
  return names;
}

/// `void call_each(long k, const W *a, const W *b, W *out, long count)` calls function k with each pair of operands. By a pointer, so that
/// each is compiled as it stands.
std::string caller_of(const std::vector<std::string>& names) {
  std::string text = "\ntypedef W (*Called)(W, W);\nstatic const Called all[] = {";
  for (const std::string& name : names) {
    text += name + ", ";
  }
  return text +
         "};\nvoid call_each(long k, const W *a, const W *b, W *out, long count) {\n"
         "  for (long i = 0; i < count; i++) out[i] = all[k](a[i], b[i]);\n}\n";
}

struct Operands {
  std::vector<std::uint64_t> first;
  std::vector<std::uint64_t> second;
};

Operands operands() {
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
  Operands made;
  const auto add = [&](std::uint64_t a, std::uint64_t b) {
    made.first.push_back(a);
    made.second.push_back(b);
  };
  for (const std::uint64_t a : edges) {
    for (const std::uint64_t b : edges) {
      add(a, b);
    }
  }
  std::mt19937_64 random(11);
  for (int k = 0; k < 300; ++k) {
    const std::uint64_t a = random() >> random() % 64;
    add(a, random() >> random() % 64);
  }
  return made;
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
  const Operands given = operands();
  for (const std::string level : {"-O0", "-O2"}) {
    const std::vector<std::string> names = functions_in(object_of(*text, {level, "-fwrapv"}));
    REQUIRE(names.size() > 200);
    const ve::Object object = object_of(*text + caller_of(names), {level, "-fwrapv"});
    for (std::size_t k = 0; k < names.size(); ++k) {
      const auto function = reinterpret_cast<Function>(library->find(names[k]));
      REQUIRE(function != nullptr);
      const std::size_t count = given.first.size();
      const Called called =
          call(object, "call_each", {k, given.first, given.second, std::vector<std::uint64_t>(count), count}, {100'000'000, 1 << 16});
      CAPTURE(level, names[k]);
      if (called.outcome.fault) {
        FAIL(called.outcome.fault->message);
      }
      for (std::size_t n = 0; n < count; ++n) {
        const std::uint64_t expected = function(given.first[n], given.second[n]);
        if (called.buffers[2][n] != expected) {
          CAPTURE(std::hex, given.first[n], given.second[n], called.buffers[2][n], expected);
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
