// Choices within choices: the same numbers by the evaluator with one mask, and nothing merged where the numbers would be others.

#include "codegen/emit/cuda/merging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/verify.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;

namespace {

std::string text(const std::string& inner, const std::string& outer, const std::string& more = "") {
  return fmt::format(R"(kernel @k(%a: ptr<i32>, %b: ptr<i32>) wg_size 4 wg_pack 1 {{
  %x : i32[wi 4 x ix 4] = load %a [wi*4 + ix] contiguous
  %y : i32[wi 4 x ix 4] = load %b [wi*4 + ix] contiguous
  %m : i1[wi 4 x ix 4] = mask {{ wi > 0, ix >= 1 }}
  %c : i1[wi 4 x ix 4] = mask {{ wi > ix }}
  %less : i1[wi 4 x ix 4] = lt %x, %y
  %inner : i32[wi 4 x ix 4] = select {}
  %outer : i32[wi 4 x ix 4] = select {}
  store %b [wi*4 + ix] contiguous, %outer
{}}}
)",
                     inner, outer, more);
}

std::vector<std::int32_t> results_of(const infreg::Kernel& kernel) {
  std::vector<infreg::Buffer> memory = {infreg::make_buffer(ScalarType::Int, 16), infreg::make_buffer(ScalarType::Int, 16)};
  for (std::int32_t k = 0; k < 16; ++k) {
    const std::int32_t number = k * 7 % 16;
    std::memcpy(&memory[0].bytes[4 * static_cast<std::size_t>(k)], &number, 4);
    std::memcpy(&memory[1].bytes[4 * static_cast<std::size_t>(k)], &k, 4);
  }
  const std::vector<Argument> arguments = {BufferNumber{0}, BufferNumber{1}};
  const infreg::Outcome outcome = infreg::evaluate(kernel, arguments, memory, {.groups = 1, .limits = {}, .observer = {}});
  REQUIRE(std::holds_alternative<infreg::Finished>(outcome.end));
  std::vector<std::int32_t> numbers(16);
  std::memcpy(numbers.data(), memory[1].bytes.data(), 64);
  return numbers;
}

void check(const std::string& text, bool is_merged) {
  const infreg::Kernel kernel = infreg::verified(text);
  const infreg::Kernel merged = emit_cuda::with_merged_choices(kernel);
  INFO(infreg::print(merged));
  CHECK(infreg::verify(merged).empty());
  CHECK((merged.values.size() > kernel.values.size()) == is_merged);
  CHECK(merged.regions[merged.body].operations.size() == kernel.regions[kernel.body].operations.size());
  CHECK(results_of(merged) == results_of(kernel));
}

}  // namespace

TEST_CASE("a choice within a choice becomes one", "[cuda]") {
  check(text("%c, %x, %y", "%m, %inner, %y"), true);
  const infreg::Kernel merged = emit_cuda::with_merged_choices(infreg::verified(text("%c, %x, %y", "%m, %inner, %y")));
  const std::vector<infreg::Operation>& operations = merged.regions[merged.body].operations;
  const auto outer = std::ranges::find_if(operations, [&](const infreg::Operation& operation) {
    return !operation.results.empty() && merged.values[operation.results.front()].name == "outer";
  });
  REQUIRE(outer != operations.end());
  CHECK(merged.values[std::get<infreg::Select>(outer->node).then].name == "x");
}

TEST_CASE("choices that would give other numbers stay", "[cuda]") {
  check(text("%c, %x, %y", "%m, %inner, %x"), false);     // what is left is another number
  check(text("%c, %y, %x", "%m, %inner, %y"), false);     // likewise
  check(text("%c, %x, %y", "%m, %y, %inner"), false);     // the inner choice is where the mask does not hold
  check(text("%less, %x, %y", "%m, %inner, %y"), false);  // no mask
  check(text("%c, %x, %y", "%less, %inner, %y"), false);  // likewise
  check(text("%c, %x, %y", "%m, %inner, %y", "  store %a [wi*4 + ix] contiguous, %inner\n"), false);  // wanted elsewhere
}
