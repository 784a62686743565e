// The properties of the semantics (docs/testing.md), each on many programs.

#include <catch2/catch.hpp>

#include "tests/properties/agreement.hpp"
#include "tests/properties/invariants.hpp"
#include "tests/properties/laws.hpp"
#include "tests/properties/support.hpp"

using namespace lockstep;
using namespace lockstep::test;

TEST_CASE("Property 1: exactly one rule applies, and every rule keeps the invariant", "[property]") {
  hold({"determinism", determinism, {}});
}

TEST_CASE("Property 1 for programs that are not well-formed", "[property]") {
  hold({"determinism-ill-formed", determinism, {.max_threads = 8}, true});
}

TEST_CASE("Property 2: a well-formed program is never stuck", "[property]") { hold({"progress", progress, {}}); }

TEST_CASE("Property 2 for programs with wrong control instructions", "[property]") {
  hold({"progress-of-accepted", accepted_is_not_stuck, {.undefined = false}, true});
}

TEST_CASE("Property 3: lanes are independent", "[property]") {
  hold({"lane-independence", lane_independence, {.shared_writes = false, .shuffles = false, .blocks = false}});
}

TEST_CASE("Property 4: without a race the thread order does not matter", "[property]") {
  hold({"thread-order", thread_order, {.races = false}});
  hold({"thread-order-with-races", thread_order, {}});
}

TEST_CASE("Property 5: a branch's threads meet again", "[property]") { hold({"reconvergence", reconvergence, {}}); }

TEST_CASE("Property 9: a fragment cannot tell whether it runs in an r-function", "[property]") {
  hold({"parity", parity, {.shuffles = false, .mask_tests = false}});
}

TEST_CASE("Property 10: machine and big-step evaluator agree", "[property]") {
  hold({"agreement", agreement, {}});
  hold({"agreement-as-it-stands", plain_agreement, {}});
}

TEST_CASE("Property 10 for programs with wrong control instructions", "[property]") {
  hold({"agreement-ill-formed", agreement, {.max_threads = 8}, true});
}

TEST_CASE("Property 11: the laws of shuffles", "[property]") { hold({"shuffle-laws", shuffle_laws, {}}); }

TEST_CASE("Printed programs are read as the same programs", "[property]") { hold({"print-and-parse", print_and_parse, {}}); }
