// Floats of two packs in each element: every operation that has a packed form, with vectors and numbers as operands, on both halves; and
// kernels in which some operation has none.

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <string>

#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/infreg/with_pack.hpp"
#include "tests/ve_emitted/support.hpp"

using namespace lockstep;

namespace {

constexpr std::uint64_t most_groups = 700;

/// %x and %y are vectors, %n what all groups have alike, %r the result; all f32[wi 3 x ix 2].
std::string kernel_of(const std::string& body) {
  return "kernel @k(%a: ptr<f32>, %k: i64) wg_size 3 wg_pack 1 {\n"
         "  constant %table : f32[4] = [1.5, -0.25, 3.0, 0.1]\n"
         "  %x : f32[wi 3 x ix 2] = load %a [wg.ix*12 + wi*4 + ix] gather\n"
         "  %y : f32[wi 3 x ix 2] = load %a [wg.ix*12 + wi*4 + ix + 2] gather\n"
         "  %n : f32[wi 3 x ix 2] = load %table [wi + ix] gather\n" +
         body + "  store %a [wg.ix*12 + wi*4 + ix] gather, %r\n}\n";
}

/// All kinds of numbers but those whose sum or product is a NaN.
infreg::Buffer numbers() {
  infreg::Buffer buffer = infreg::make_buffer(ScalarType::Float, most_groups * 12);
  std::uint32_t state = 1;
  for (std::uint64_t k = 0; k < buffer.count; ++k) {
    state = state * 1664525U + 1013904223U;
    const std::uint32_t exponent = state % 7 == 0 ? 0 : state % 7 == 1 ? 1 + state % 30 : 100 + state % 50;
    const std::uint32_t bits = (state & 0x80000000U) | exponent << 23U | (state >> 8U & 0x7fffffU);
    std::memcpy(buffer.bytes.data() + 4 * k, &bits, 4);
  }
  return buffer;
}

infreg::Kernel read(const std::string& text) {
  const auto kernel = infreg::parse(std::make_shared<SourceFile>("case.ir", text));
  INFO(text << (kernel ? "" : kernel.error().front().message));
  REQUIRE(kernel.has_value());
  REQUIRE(infreg::verify(*kernel).empty());
  return *kernel;
}

bool is_paired(const infreg::Kernel& kernel, bool pairs = true) {
  const auto emitted = emit_ve::emit(kernel, {emit_ve::LayoutChoice::Groups, {}, pairs});
  REQUIRE(emitted.has_value());
  return emitted->source.find("k_pack_of_pairs") != std::string::npos;
}

const std::vector<std::string>& paired() {
  static const std::vector<std::string> bodies = {
      "  %r : f32[wi 3 x ix 2] = fadd %x, %y\n",
      "  %r : f32[wi 3 x ix 2] = fadd %n, %y\n",
      "  %r : f32[wi 3 x ix 2] = fsub %x, %y\n",
      "  %r : f32[wi 3 x ix 2] = fsub %x, %n\n",
      "  %r : f32[wi 3 x ix 2] = fsub %n, %x\n",
      "  %r : f32[wi 3 x ix 2] = fmul %x, %y\n",
      "  %r : f32[wi 3 x ix 2] = fmul %x, %n\n",
      "  %r : f32[wi 3 x ix 2] = fma %x, %y, %x\n",
      "  %r : f32[wi 3 x ix 2] = fma %n, %y, %x\n",
      "  %r : f32[wi 3 x ix 2] = fma %x, %n, %y\n",
      "  %r : f32[wi 3 x ix 2] = fma %x, %y, %n\n",
      "  %r : f32[wi 3 x ix 2] = fma %x, %n, %n\n",
      "  %s : f32[wi 3 x ix 2] = fneg %x\n  %r : f32[wi 3 x ix 2] = fsub %s, %y\n",
      "  %s : f32[wi 3 x ix 2] = fabs %x\n  %r : f32[wi 3 x ix 2] = fmul %s, %y\n",
      "  %m : i1[wi 3 x ix 2] = mask { ix <= wi - 1 }\n  %s : f32[wi 3 x ix 2] = fadd %x, %y\n  %r : f32[wi 3 x ix 2] = select %m, %s, "
      "%n\n",
      "  %s : f32[wi 3 x ix 2] = fadd %x, %y\n  %r : f32[wi 3 x ix 2] = reorder %s { (wi, ix) <- (-wi + 2, -ix + 1) }\n",
      "  %r : f32[wi 3 x ix 2] = for %s = 0 to %k step 1 (%p = %x) {\n    %q : f32[wi 3 x ix 2] = reorder %p { [5, 3, 0, 2, 4, 1] }\n    "
      "%t : f32[wi 3 x ix 2] = fma %q, %n, %y\n    yield %t\n  }\n"};
  return bodies;
}

}  // namespace

TEST_CASE("pairs of floats leave what the evaluator leaves", "[ve]") {
  const auto clang = ve_emitted::clang_with("-w");
  if (!clang) {
    return;
  }
  std::size_t case_number = 0;
  for (const std::string& body : paired()) {
    const infreg::Kernel kernel = read(kernel_of(body));
    INFO(kernel_of(body));
    REQUIRE(is_paired(kernel));
    REQUIRE_FALSE(is_paired(kernel, false));
    // Whole vectors of pairs and what is left over; one group alone; packs.
    constexpr std::array counts = {most_groups - 1, std::uint64_t{1}, std::uint64_t{6}};
    const std::uint64_t groups = counts[case_number++ % counts.size()];
    for (const std::uint32_t pack : {1U, 2U}) {
      const auto answer = ve_emitted::compared(infreg::with_pack(kernel, pack), {BufferNumber{0}, ScalarBits{3}}, {numbers()}, groups,
                                               *clang, {emit_ve::LayoutChoice::Groups, {}});
      REQUIRE((answer == ve_emitted::Answer::Agrees));
    }
  }
}

TEST_CASE("there are no pairs where an operation has no packed form", "[ve]") {
  for (const char* body :
       {"  %r : f32[wi 3 x ix 2] = fdiv %x, %y\n", "  %r : f32[wi 3 x ix 2] = sqrt %x\n", "  %r : f32[wi 3 x ix 2] = fmin %x, %y\n",
        "  %m : i1[wi 3 x ix 2] = flt %x, %y\n  %r : f32[wi 3 x ix 2] = select %m, %x, %y\n",
        "  %m : i1[wi 3 x ix 2] = mask { wg.ix < 5 }\n  %r : f32[wi 3 x ix 2] = select %m, %x, %y\n",
        "  %i : i32[wi 3 x ix 2] = bitcast %x\n  %r : f32[wi 3 x ix 2] = bitcast %i\n",
        "  %m : i1[wi 3 x ix 2] = mask { wg.ix < 5 }\n  %r : f32[wi 3 x ix 2] = load %a [wg.ix*12] gather, %m\n",
        "  %r : f32[wi 3 x ix 2] = load %a [wg.ix*wg.ix] gather\n",
        "  %m : i1[wi 3 x ix 2] = mask { wg.ix < 5 }\n  %r : f32[wi 3 x ix 2] = fadd %x, %y\n  store %a [wg.ix*12 + wi*4 + ix] gather, %r, "
        "%m\n",
        "  %r : f32[wi 3 x ix 2] = fadd %x, %y\n  store %a [wg.ix*wg.ix] gather, %r\n",
        "  %m : i1[wi 3 x ix 2] = mask { ix <= wi - 1 }\n  %r : f32[wi 3 x ix 2] = fadd %x, %y\n  store %a [wg.ix*wg.ix] gather, %r, "
        "%m\n"}) {
    INFO(body);
    REQUIRE_FALSE(is_paired(read(kernel_of(body))));
  }
  std::string of_doubles = kernel_of("  %r : f32[wi 3 x ix 2] = fadd %x, %y\n");
  for (std::size_t at = of_doubles.find("f32"); at != std::string::npos; at = of_doubles.find("f32")) {
    of_doubles.replace(at, 3, "f64");
  }
  REQUIRE_FALSE(is_paired(read(of_doubles)));
}
