// The properties of the kernel language (docs/testing.md), each on many kernels.

#include <catch2/catch.hpp>

#include "tests/kernel_properties/laws.hpp"
#include "tests/kernel_properties/support.hpp"

using namespace lockstep;
using namespace lockstep::test;
using generate::Profile;

// The second number of each is the least percentage of kernels that must say something about the law.
TEST_CASE("Printed kernels are read as the same kernels", "[kernels]") {
  hold({"kernel-print-and-parse", print_and_parse, {.profile = Profile::Plain}}, 200, 100);
  hold({"kernel-print-and-parse", print_and_parse, {.profile = Profile::Crev, .undefined = true}}, 200, 100);
}

TEST_CASE("Property 6: translations are well-formed, and survive print and parse", "[kernels]") {
  hold({"kernel-translation", translation, {.profile = Profile::Lockstep, .undefined = true}}, 150, 100);
  hold({"kernel-translation", translation, {.profile = Profile::Crev, .undefined = true}}, 150, 100);
}

TEST_CASE("Machine and evaluator agree", "[kernels]") {
  hold({"kernel-agreement-plain", agreement, {.profile = Profile::Plain}}, 150, 95);
  hold({"kernel-agreement", agreement, {.profile = Profile::Lockstep, .heads = true}}, 150, 95);
  hold({"kernel-agreement-crev", agreement, {.profile = Profile::Crev}}, 150, 95);
  hold({"kernel-agreement-of-overlaps", agreement_of_overlaps, {.profile = Profile::Lockstep}}, 150, 95);
}

TEST_CASE("Machine and evaluator agree on what is undefined", "[kernels]") {
  hold({"kernel-agreement-undefined", agreement, {.profile = Profile::Lockstep, .undefined = true}}, 250, 95);
  hold({"kernel-agreement-undefined-crev", agreement, {.profile = Profile::Crev, .undefined = true}}, 150, 95);
}

TEST_CASE("Machine and evaluator agree on groups of several warps", "[kernels]") {
  hold({"kernel-agreement-of-warps", agreement_of_warps, {.profile = Profile::Plain}}, 100, 90);
  hold({"kernel-agreement-of-warps", agreement_of_warps, {.profile = Profile::Lockstep, .undefined = true}}, 100, 45);
}

TEST_CASE("Property 3: items that do not look at each other can run one after the other", "[kernels]") {
  hold({"kernel-one-item-at-a-time", one_item_at_a_time, {.profile = Profile::Plain, .undefined = true}}, 150, 55);
}

TEST_CASE("WG_PACK and host threads change nothing", "[kernels]") {
  hold({"kernel-packs", pack_independence, {.profile = Profile::Lockstep, .undefined = true}}, 100, 55);
  hold({"kernel-packs-crev", pack_independence, {.profile = Profile::Crev, .undefined = true}}, 50, 55);
}

TEST_CASE("Property 12: what is clean for independent items is the same at every warp size", "[kernels]") {
  // Without shuffles and votes: what those see is the warp.
  hold({"kernel-synchrony", synchrony, {.profile = Profile::Plain}}, 150, 75);
}

TEST_CASE("Property 8: the order of service does not matter to activations with cells of their own", "[kernels]") {
  hold({"kernel-commutativity", commutativity, {.profile = Profile::Crev, .disjoint_calls = true}}, 100, 55);
}

TEST_CASE("Property 9: a fragment cannot tell whether it runs in an r-function", "[kernels]") {
  hold({"kernel-parity", synchronization_parity, {.profile = Profile::Parity, .disjoint_calls = true}}, 100, 90);
}
