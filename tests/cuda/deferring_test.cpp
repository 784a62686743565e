// Quotients that are computed behind their loop: the same numbers by the evaluator, and none where somebody would look at a dividend.

#include "codegen/emit/cuda/deferring.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/verify.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;

namespace {

/// L D U of a matrix of 4 rows, one for each item. Row s is divided by its pivot in round s.
const std::string ldu = R"(kernel @ldu(%a: ptr<f64>) wg_size 4 wg_pack 1 {
  %load : f64[wi 4 x ix 4] = load %a [wg.ix*16 + wi*4 + ix] contiguous
  %none : f64[ix 4] = poison
  %end : f64[wi 4 x ix 4], %last : f64[ix 4] = for %s = 0 to 4 step 1 (%row = %load, %seen = %none) {
    %pivot : f64[ix 4] = reorder %row { (ix) <- (%s, ix) }
    %own : f64[wi 4 x ix 1] = reorder %row { (wi, ix) <- (wi, %s) }
    %one : f64[wi 4 x ix 1] = reorder %pivot { (wi, ix) <- (%s) }
    %left : f64[wi 4 x ix 1] = fdiv %own, %one
    %lefts : f64[wi 4 x ix 4] = spread %left
    %is_below : i1[wi 4 x ix 4] = mask { wi > %s }
    %is_left : i1[wi 4 x ix 4] = mask { ix == %s, wi > %s }
    %scaled : f64[wi 4 x ix 4] = select %is_left, %lefts, %row
    %divisor : f64[wi 4 x ix 4] = reorder %pivot { (wi, ix) <- (%s) }
    %quotient : f64[wi 4 x ix 4] = fdiv %scaled, %divisor
    %factor : f64[wi 4 x ix 4] = reorder %scaled { (wi, ix) <- (wi, %s) }
    %minus : f64[wi 4 x ix 4] = fneg %factor
    %top : f64[wi 4 x ix 4] = reorder %pivot { (wi, ix) <- (ix) }
    %less : f64[wi 4 x ix 4] = fma %minus, %top, %scaled
    %choice : f64[wi 4 x ix 4] = select %is_below, %less, %quotient
    %is_changed : i1[wi 4 x ix 4] = mask { ix >= %s + 1, wi >= %s }
    %next : f64[wi 4 x ix 4] = select %is_changed, %choice, %scaled
    yield %next, %pivot
  }
  store %a [wg.ix*16 + wi*4 + ix] contiguous, %end
}
)";

std::string with(std::string text, const std::vector<std::pair<std::string, std::string>>& changes) {
  for (const auto& [from, to] : changes) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
  }
  return text;
}

/// Quotients inside of loops and outside.
std::pair<int, int> quotients(const infreg::Kernel& kernel) {
  std::pair<int, int> count;
  for (infreg::RegionId region = 0; region < kernel.regions.size(); ++region) {
    for (const infreg::Operation& operation : kernel.regions[region].operations) {
      const auto* node = std::get_if<infreg::Elementwise>(&operation.node);
      if (node != nullptr && node->op == Op::Div) {
        ++(region == kernel.body ? count.second : count.first);
      }
    }
  }
  return count;
}

std::vector<std::byte> result_of(const infreg::Kernel& kernel) {
  constexpr std::uint64_t numbers = 32;
  infreg::Buffer buffer = infreg::make_buffer(ScalarType::Double, numbers);
  for (std::uint64_t k = 0; k < numbers; ++k) {
    const double number = 1 + static_cast<double>(k * 37 % 19) / 8;
    std::memcpy(&buffer.bytes[8 * k], &number, 8);
  }
  std::vector<infreg::Buffer> memory = {buffer};
  const std::vector<Argument> arguments = {BufferNumber{0}};
  const infreg::Outcome outcome = infreg::evaluate(kernel, arguments, memory, {.groups = 2, .limits = {}, .observer = {}});
  REQUIRE(std::holds_alternative<infreg::Finished>(outcome.end));
  return memory[0].bytes;
}

void check(const std::string& text, int inside, int outside) {
  const infreg::Kernel kernel = infreg::parsed(text);
  const infreg::Kernel deferred = emit_cuda::with_deferred_quotients(kernel);
  INFO(infreg::print(deferred));
  CHECK(infreg::verify(deferred).empty());
  CHECK(quotients(deferred) == std::pair(inside, outside));
  CHECK(result_of(deferred) == result_of(kernel));
}

}  // namespace

TEST_CASE("quotients of one item a round are computed behind the loop", "[cuda]") {
  check(ldu, 1, 1);
  check(with(ldu, {{"0 to 4", "1 to 3"}}), 1, 1);
  check(with(ldu, {{"ix >= %s + 1, wi >= %s", "ix >= %s + 2, wi >= %s"}}), 1, 1);
}

TEST_CASE("quotients that somebody looks at stay in the loop", "[cuda]") {
  // All items above the pivot's are divided as well, and so more than once.
  check(with(ldu, {{"ix >= %s + 1, wi >= %s", "ix >= %s + 1"}}), 2, 0);
  // The first item's row goes round in every round.
  check(with(ldu, {{"yield %next, %pivot", "%first : f64[ix 4] = reorder %row { (ix) <- (0, ix) }\n    yield %next, %first"}}), 2, 0);
  // The row above the pivot's is taken away.
  check(with(ldu, {{"reorder %row { (ix) <- (%s, ix) }", "reorder %row { (ix) <- (%s - 1, ix) }"}, {"0 to 4", "1 to 4"}}), 2, 0);
  // The quotient is what is carried besides.
  check(with(ldu, {{"yield %next, %pivot", "%first : f64[ix 4] = reorder %quotient { (ix) <- (%s, ix) }\n    yield %next, %first"}}), 2, 0);
  // Each element has a divisor of its own.
  check(with(ldu, {{"%divisor : f64[wi 4 x ix 4] = reorder %pivot { (wi, ix) <- (%s) }",
                    "%divisor : f64[wi 4 x ix 4] = reorder %pivot { (wi, ix) <- (ix) }"}}),
        2, 0);
  // Rounds in another order.
  check(with(ldu, {{"0 to 4 step 1", "0 to 4 step 2"}}), 2, 0);
}
