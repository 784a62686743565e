// Values in memory: what may share a loop over chunks, and which pieces of memory values may share.

#include <catch2/catch.hpp>

#include "tests/unit/emit_llvm.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::infreg::sketch;
using namespace lockstep::emit_llvm;

namespace {

/// A kernel of 4 items with 8 ints each (V) or truth values (M), in packs of 2, with the parameters %a and %b.
Kernel kernel_of(std::string body) {
  const auto expand = [&](const std::string& word, const std::string& text) {
    for (std::size_t at = body.find(word); at != std::string::npos; at = body.find(word, at)) {
      body.replace(at, word.size(), text);
    }
  };
  expand("V", "i32[wg 2 x wi 4 x ix 8]");
  expand("M", "i1[wg 2 x wi 4 x ix 8]");
  expand("OWN", "wg.ix*32 + wi*8 + ix");
  return parsed("kernel @k(%a: ptr<i32>, %b: ptr<i32>) wg_size 4 wg_pack 2 {\n" + body + "}\n");
}

/// The same as the evaluator for three groups, in all cuts.
void check(const std::string& body) {
  std::vector<std::int32_t> numbers(3 * 32 + 40);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::int32_t>(i * i + 1);
  }
  INFO(body);
  trial::agrees(kernel_of(body), buffers({0, 1}), {buffer_of(ScalarType::Int, numbers), make_buffer(ScalarType::Int, numbers.size())}, 3,
                trial::all_cuts(), 0);
}

}  // namespace

TEST_CASE("emit llvm: loads and stores keep their order, lane by lane and as a whole", "[emit_llvm]") {
  check(R"(
  %x : V = load %a [OWN + 1] contiguous
  store %a [OWN] contiguous, %x
  %y : V = load %a [OWN + 3] contiguous
  store %b [OWN] contiguous, %y
)");
  check(R"(
  %x : V = load %a [OWN] contiguous
  store %a [wg.ix*32 - wi*8 - ix + 31] strided, %x
  %y : V = load %a [OWN] contiguous
  store %b [OWN] contiguous, %y
)");
  check(R"(
  %x : V = load %a [OWN] contiguous
  %y : V = add %x, %x
  store %b [OWN + 1] contiguous, %x
  store %b [OWN] contiguous, %y
)");
}

TEST_CASE("emit llvm: a carried value is not overwritten while somebody needs it", "[emit_llvm]") {
  check(R"(
  %x : V = load %a [OWN] contiguous
  %r : V = for %s = 0 to 4 step 1 (%c = %x) {
    %row : V = reorder %c { (wi, ix) <- (%s, ix) }
    %next : V = sub %c, %row
    yield %next
  }
  store %b [OWN] contiguous, %r
)");
  check(R"(
  %x : V = load %a [OWN] contiguous
  %r : V, %q : V = for %s = 0 to 3 step 1 (%c = %x, %d = %x) {
    %next : V = add %c, %d
    %turned : V = reorder %c { (wi, ix) <- (3 - wi, ix + 1) }
    %known : M = mask { ix < 7 }
    %fine : V = select %known, %turned, %d
    yield %next, %fine
  }
  %sum : V = add %r, %q
  store %b [OWN] contiguous, %sum
)");
  check(R"(
  %x : V = load %a [OWN] contiguous
  %y : V = load %a [OWN + 5] contiguous
  %r : V, %q : V = for %s = 0 to 3 step 1 (%c = %x, %d = %y) {
    yield %d, %c
  }
  %e : V = sub %r, %q
  store %b [OWN] contiguous, %e
)");
  check(R"(
  %x : V = load %a [OWN] contiguous
  %r : V = for %s = 0 to 3 step 1 (%c = %x) {
    %next : V = add %c, %x
    yield %next
  }
  store %b [OWN] contiguous, %r
)");
  check(R"(
  %x : V = load %a [OWN] contiguous
  %r : V = for %s = 0 to 3 step 1 (%c = %x) {
    %next : V = add %c, %c
    yield %next
  }
  %e : V = sub %r, %x
  store %b [OWN] contiguous, %e
)");
}

TEST_CASE("emit llvm: reorderings of big values with rows that stick out", "[emit_llvm]") {
  for (const char* pattern :
       {"(wi, ix) <- (wi, ix - 3)", "(wi, ix) <- (wi, ix + 5)", "(wi, ix) <- (wi + 2, ix)", "(wi, ix) <- (wi - 1, 7 - ix)",
        "(wi, ix) <- (wi, %s)", "(wi, ix) <- (%s, wi)", "(wi, ix) <- (%s - 2, ix + %s)", "(wi, ix) <- (wi, wi)"}) {
    check(std::string(R"(
  %x : V = load %a [OWN] contiguous
  %none : V = constant 0
  %r : V = for %s = -2 to 9 step 1 (%c = %none) {
    %t : V = reorder %x { )") +
          pattern + R"( }
    %n : V = add %c, %t
    %all : M = mask { ix == %s }
    %m : V = select %all, %n, %c
    yield %m
  }
  store %b [OWN] contiguous, %r
)");
  }
}

TEST_CASE("emit llvm: from a value in memory to one in registers", "[emit_llvm]") {
  Sketch s(8, 1);
  const ParameterId a = s.pointer(ScalarType::Int, "a");
  const ParameterId b = s.pointer(ScalarType::Int, "b");
  const Polynomial own = Polynomial(wg) * 16 + Polynomial(wi) * 2 + ix;
  const ValueId x = s.add(Load{typed(ScalarType::Int, Layout::item(2)), {parameter(a), own, {}}, Access::Contiguous, {}});
  constexpr std::uint32_t none = Reorder::Table::nowhere;
  for (const std::vector<std::uint32_t>& lanes :
       {std::vector<std::uint32_t>{none, 3, 4, 5}, {3, 3, none, 3}, {none, none, none, none}, {15, 0, 7, 8}, {5, 6, 7, none}}) {
    const ValueId picked = s.add(Reorder{x, Layout::group(4), Reorder::Table{lanes}});
    s.store(b, Polynomial(wg) * 4 + ix, picked);
  }
  EmitOptions options;
  options.chunk_lanes = 4;
  options.most_ssa_chunks = 2;
  std::vector<std::int32_t> numbers(48);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::int32_t>(7 * i + 1);
  }
  // The stores are of different patterns into the same cells: each pattern alone, so that each is seen.
  std::vector<Operation> operations = s.kernel.regions[s.kernel.body].operations;
  for (std::size_t pattern = 0; pattern < 5; ++pattern) {
    Kernel alone = s.kernel;
    alone.regions[alone.body].operations = {operations[0], operations[1 + 2 * pattern], operations[2 + 2 * pattern]};
    trial::agrees(alone, buffers({0, 1}), {buffer_of(ScalarType::Int, numbers), make_buffer(ScalarType::Int, 12)}, 3, {options}, 0);
  }
}

TEST_CASE("emit llvm: a piece of memory is free when nobody reads it any more, and not before", "[emit_llvm]") {
  check(R"(
  %x : V = load %a [OWN] contiguous
  %t : V = reorder %x { (wi, ix) <- (3 - wi, 7 - ix) }
  %u : V = reorder %t { (wi, ix) <- (wi, ix + 1) }
  %v : V = reorder %u { (wi, ix) <- (wi + 1, ix) }
  %w : V = reorder %v { (wi, ix) <- (wi - 1, ix - 1) }
  store %b [OWN] contiguous, %w
)");
  check(R"(
  %x : V = load %a [OWN] contiguous
  %t : V = reorder %x { (wi, ix) <- (3 - wi, 7 - ix) }
  %r : V = for %s = 0 to 2 step 1 (%c = %t) {
    %next : V = add %c, %x
    yield %next
  }
  %e : V = mul %r, %t
  store %b [OWN] contiguous, %e
)");
}

TEST_CASE("emit llvm: a loop's variable that would wrap is past the limit", "[emit_llvm]") {
  check(R"(
  %x : V = load %a [OWN] contiguous
  %r : V = for %s = 9223372036854775800 to 9223372036854775807 step 3 (%c = %x) {
    %next : V = add %c, %x
    yield %next
  }
  store %b [OWN] contiguous, %r
)");
}

TEST_CASE("emit llvm: a carried value whose lanes move is not overwritten on the way", "[emit_llvm]") {
  check(R"(
  %x : V = load %a [OWN] contiguous
  %r : V = for %s = 0 to 3 step 1 (%c = %x) {
    %next : V = reorder %c { (wi, ix) <- (3 - wi, 7 - ix) }
    yield %next
  }
  store %b [OWN] contiguous, %r
)");
}

TEST_CASE("emit llvm: two parameters may point to the same cells", "[emit_llvm]") {
  const std::string body = R"(
  %x : V = load %a [OWN] contiguous
  %y : V = add %x, %x
  store %b [OWN + 1] contiguous, %y
  %z : V = load %a [OWN] contiguous
  store %b [OWN + 1] contiguous, %z
)";
  std::vector<std::int32_t> numbers(32 + 40);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::int32_t>(i * i + 1);
  }
  trial::agrees(kernel_of(body), buffers({0, 0}), {buffer_of(ScalarType::Int, numbers)}, 1, trial::all_cuts(), 0);
}
