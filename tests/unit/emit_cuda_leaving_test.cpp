// Which threads leave at once: those for which a condition does not hold that every store asks for, if nobody wants anything of them.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "codegen/emit/cuda/plan.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::emit_cuda;

namespace {

/// The condition's name, or nothing. `items` and `pack`: of a group, and of groups.
std::string stays(const std::string& body, unsigned items = 8, unsigned pack = 1, bool leaving = true) {
  std::string text = fmt::format(R"(kernel @k(%a: ptr<i32>, %b: ptr<i32>, %n: i64) wg_size @I wg_pack {} {{
  private %p : i32[4]
  %i : i64[@L x ix 1] = index {{ wi }}
  %all : i64[@L x ix 1] = spread %n
  %is : i1[@L x ix 1] = lt %i, %all
  %is_even : i1[@L x ix 1] = ne %i, %all
  %both : i1[@L x ix 1] = and %is_even, %is
  %mask : i1[@L x ix 1] = mask {{ wi < %n }}
  %x : i32[@L x ix 1] = load %b [wi] contiguous
  %y : i32[@L x ix 4] = load %b [wi*4 + ix] contiguous
{}}}
)",
                                 pack, body);
  const auto replace = [&](const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what)) {
      text.replace(at, what.size(), by);
    }
  };
  replace("@I", std::to_string(items));
  replace("@L", (pack > 1 ? fmt::format("wg {} x ", pack) : "") + fmt::format("wi {}", items));
  const Kernel kernel = verified(text);
  Choices choices;
  choices.leaving = leaving;
  const Plan plan = plan_of(kernel, kernel.shape, choices);
  return plan.stays ? kernel.values[*plan.stays].name : "";
}

const std::string store = "  store %a [wi] contiguous, %x, %is\n";

}  // namespace

TEST_CASE("threads leave that no store asks for") {
  CHECK(stays(store) == "is");
  CHECK(stays(store + "  store %p [0] strided, %x\n") == "is");  // nobody else sees that
  CHECK(stays(store + "  store %b [wi] contiguous, %x, %is\n") == "is");
  // `both` is not without `is`.
  CHECK(stays(store + "  store %b [wi] contiguous, %x, %both\n") == "is");
  CHECK(stays("  store %b [wi] contiguous, %x, %both\n" + store) == "is");
  CHECK(stays("  store %a [wi] contiguous, %x, %is_even\n  store %b [wi] contiguous, %x, %both\n") == "is_even");
  // The condition of an item is that of all its elements.
  CHECK(stays("  %for_all : i1[@L x ix 4] = spread %is\n  store %a [wi*4 + ix] contiguous, %y, %for_all\n") == "is");
  CHECK(stays("  for %j = 0 to %n step 1 {\n    store %a [wi + %j*8] contiguous, %x, %is\n  }\n") == "is");
  // Numbers of the thread's own.
  CHECK(stays("  %z : i32[@L x ix 4] = reorder %y { (wi, ix) <- (wi, 3 - wi) }\n" + store) == "is");
  CHECK(stays("  %z : i32[@L x ix 1] = reorder %y { (wi, ix) <- (wi, 2) }\n" + store) == "is");
}

TEST_CASE("threads stay whose stores are not all under one condition") {
  CHECK(stays("").empty());  // nobody stores
  CHECK(stays("  store %p [0] strided, %x, %is\n").empty());
  CHECK(stays(store + "  store %b [wi] contiguous, %x\n").empty());
  CHECK(stays(store + "  store %b [wi] contiguous, %x, %is_even\n").empty());
  CHECK(stays("  store %a [wi] contiguous, %x, %mask\n").empty());  // no register: each store asks again
  CHECK(stays("  %each : i1[@L x ix 4] = lt %y, %y\n  store %a [wi*4 + ix] contiguous, %y, %each\n").empty());  // of each element
  CHECK(stays(store, 8, 1, false).empty());
  // All items have the same, or the last one of them is to be found: for that all are wanted.
  CHECK(stays(store + "  %c : i32 = constant 3\n  store %b [0] strided, %c\n").empty());
  CHECK(stays(store + "  store %b [0] strided, %x, %is\n").empty());
  // "or" says nothing of either.
  CHECK(stays("  %some : i1[@L x ix 1] = or %is, %is_even\n  store %a [wi] contiguous, %x, %some\n") == "some");
  CHECK(stays(store + "  %some : i1[@L x ix 1] = or %is, %is_even\n  store %b [wi] contiguous, %x, %some\n").empty());
}

TEST_CASE("threads stay of which others want something") {
  CHECK(stays("  %z : i32[@L x ix 1] = reorder %x { (wi, ix) <- (3, 0) }\n" + store).empty());
  CHECK(stays("  %z : i32[@L x ix 1] = reorder %x { (wi, ix) <- (7 - wi, 0) }\n" + store).empty());
  CHECK(stays("  %z : i32[@L x ix 1] = reorder %y { (wi, ix) <- (7 - wi, wi) }\n" + store).empty());
  CHECK(stays("  %z : i32[@L x ix 1] = shuffle %x, %i, %is\n" + store).empty());
  CHECK(stays("  %z : i1[ix 1] = any.group %is, %is\n" + store).empty());
  CHECK(stays("  for %j = 0 to 3 step 1 {\n    %z : i32[@L x ix 1] = reorder %x { (wi, ix) <- (%j, 0) }\n  }\n" + store).empty());
  CHECK(stays(store, 32) == "is");
  CHECK(stays(store, 33).empty());     // a thread has several items
  CHECK(stays(store, 8, 2).empty());   // likewise
  CHECK(stays(store, 40, 2).empty());  // likewise
}

TEST_CASE("threads do not leave by what a loop leaves behind, or carries") {
  CHECK(stays("  %late : i1[@L x ix 1] = for %j = 0 to 3 step 1 (%so_far = %is) {\n"
              "    store %a [wi] contiguous, %x, %so_far\n    yield %is_even\n  }\n")
            .empty());
  CHECK(stays("  %late : i1[@L x ix 1] = for %j = 0 to 3 step 1 (%so_far = %is) {\n"
              "    %next : i1[@L x ix 1] = and %so_far, %is_even\n    yield %next\n  }\n"
              "  store %a [wi] contiguous, %x, %late\n")
            .empty());
  CHECK(stays("  for %j = 0 to 3 step 1 {\n    %inner : i1[@L x ix 1] = and %is, %is_even\n"
              "    store %a [wi] contiguous, %x, %inner\n  }\n") == "is");
}
