// Which operations --approx=rcp14 is about.

#include <catch2/catch.hpp>
#include <string>

#include "codegen/emit/avx512/emit.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;
using emit_avx512::EmitOptions;
using emit_avx512::Emitted;

namespace {

// One group, so that the emitter makes one function.
constexpr const char* quotients =
    R"(kernel @k(%x: ptr<f32> const, %m: ptr<i32>, %u: ptr<f64>, %f: f32) wg_size 8 wg_pack 1 {
  %one : f32[wi 8 x ix 1] = load %x [wg.ix*8 + wi] contiguous
  %other : f32[wi 8 x ix 1] = load %x [wg.ix*8 + wi + 8] contiguous
  %quotient : f32[wi 8 x ix 1] = fdiv %one, %other
  %half : f32 = fdiv %f, %f
  %halves : f32[wi 8 x ix 1] = spread %half
  %alike : f32[wi 8 x ix 1] = fdiv %halves, %halves
  %sum : f32[wi 8 x ix 1] = fadd %quotient, %alike
  %whole : i32[wi 8 x ix 1] = convert %sum
  %number : i32[wi 8 x ix 1] = load %m [wg.ix*8 + wi] contiguous
  %integer : i32[wi 8 x ix 1] = div %number, %whole
  store %m [wg.ix*8 + wi] contiguous, %integer
  %wide : f64[wi 8 x ix 1] = load %u [wg.ix*8 + wi] contiguous
  %root : f64[wi 8 x ix 1] = sqrt %wide
  %reciprocal : f64[wi 8 x ix 1] = rcp %root
  store %u [wg.ix*8 + wi] contiguous, %reciprocal
}
)";

Emitted emitted(emit_avx512::Approx approx) {
  EmitOptions options;
  options.approx = approx;
  auto result = emit_avx512::emit(infreg::parsed(quotients), options);
  REQUIRE(result);
  return *result;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("emit_avx512: quotients and roots are exact unless something else is asked for") {
  const Emitted exact = emitted(emit_avx512::Approx::None);
  CHECK((EmitOptions().approx == emit_avx512::Approx::None));
  CHECK(!has(exact.source, "near_"));
  CHECK(!has(exact.explain, "not rounded exactly"));
}

TEST_CASE("emit_avx512: near quotients and roots take the place of those of vectors of floats") {
  const Emitted near = emitted(emit_avx512::Approx::Rcp14);
  CHECK(has(near.source, "quotient = v::near_div(one, other);"));
  CHECK(has(near.source, "root = v::near_sqrt(wide);"));
  CHECK(has(near.source, "reciprocal = v::near_rcp(root);"));
  CHECK(has(near.source, "half = v::div(f, f);"));
  CHECK(has(near.source, "alike = v::div(half, half);"));
  CHECK(has(near.source, "integer = v::div(number, whole);"));
  for (const char* choice : {"  quotient: quotient, not", "  root: root, not", "  reciprocal: quotient, not"}) {
    CHECK(has(near.explain, choice));
  }
  for (const char* exact : {"  half: ", "  alike: ", "  integer: "}) {
    CHECK(!has(near.explain, exact));
  }
}
