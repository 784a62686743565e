// Which InfRegs values share: small kernels whose answer follows from Fig. 2's rules by hand, and the rules themselves on random kernels.

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>

#include "semantics/infreg/parse.hpp"
#include "semantics/infreg/storage.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/infreg/walk.hpp"
#include "tests/unit/infreg_random.hpp"

using namespace lockstep;
using namespace lockstep::infreg;

namespace {

Kernel parsed(const std::string& body) {
  const auto source = std::make_shared<const SourceFile>("k.ir", "kernel @k(%a: ptr<f64>, %n: i64) wg_size 4 wg_pack 1 {\n" + body + "}\n");
  auto kernel = parse(source);
  REQUIRE(kernel);
  REQUIRE(verify(*kernel).empty());
  return std::move(*kernel);
}

std::map<std::string, Stored> by_name(const Kernel& kernel, const Storage& storage) {
  std::map<std::string, Stored> result;
  for (const Stored& stored : storage.values) {
    result.emplace(kernel.values[stored.value].name, stored);
  }
  return result;
}

}  // namespace

TEST_CASE("infreg storage: what is no longer needed gives its lanes to its successor", "[infreg]") {
  const Kernel kernel = parsed(
      "  %x : f64[wi 4 x ix 2] = load %a [wi*2 + ix] contiguous\n"
      "  %y : f64[wi 4 x ix 2] = load %a [wi*2 + ix + 8] contiguous\n"
      "  %s : f64[wi 4 x ix 2] = fadd %x, %y\n"
      "  %p : f64[wi 4 x ix 2] = fmul %s, %y\n"
      "  store %a [wi*2 + ix] contiguous, %p\n");
  const Storage storage = storage_of(kernel);
  const auto at = by_name(kernel, storage);
  CHECK(storage.sets == 1);
  CHECK(storage.infregs.size() == 2);  // x and y are needed together; s takes x's lanes, p those of s or y
  CHECK(storage.group_lanes == 8);
  CHECK(at.at("s").infreg == at.at("x").infreg);
  CHECK(at.at("y").infreg != at.at("x").infreg);
}

TEST_CASE("infreg storage: sets that do not interact lie side by side", "[infreg]") {
  const Kernel kernel = parsed(
      "  %x : f64[wi 4 x ix 2] = load %a [wi*2 + ix] contiguous\n"
      "  %l : f64[wi 4 x ix 1] = load %a [wi] contiguous\n"
      "  %r : f64[wi 4 x ix 1] = reorder %x { (wi, ix) <- (wi, 1) }\n"
      "  %s : f64[wi 4 x ix 1] = fadd %l, %r\n"
      "  store %a [wi*2 + ix + 16] contiguous, %x\n"
      "  store %a [wi] contiguous, %s\n");
  const Storage storage = storage_of(kernel);
  const auto at = by_name(kernel, storage);
  CHECK(storage.sets == 2);
  CHECK(storage.group_lanes == 12);
  CHECK(storage.infregs.size() == 2);
  CHECK(at.at("l").first == at.at("r").first);  // they interact: the same lanes, different InfRegs
  CHECK(at.at("l").infreg != at.at("r").infreg);
  CHECK(at.at("x").first != at.at("l").first);
}

TEST_CASE("infreg storage: what a loop needs again keeps its lanes", "[infreg]") {
  const Kernel kernel = parsed(
      "  %x : f64[wi 4 x ix 1] = load %a [wi] contiguous\n"
      "  %y : f64[wi 4 x ix 1] = load %a [wi + 4] contiguous\n"
      "  %r : f64[wi 4 x ix 1] = for %i = 0 to %n step 1 (%c = %y) {\n"
      "    %d : f64[wi 4 x ix 1] = fadd %c, %x\n"
      "    %e : f64[wi 4 x ix 1] = fmul %d, %d\n"
      "    yield %e\n"
      "  }\n"
      "  store %a [wi] contiguous, %r\n");
  const auto at = by_name(kernel, storage_of(kernel));
  CHECK(at.at("e").infreg != at.at("x").infreg);  // x is read in the next round
  CHECK(at.at("c").infreg == at.at("y").infreg);
}

TEST_CASE("infreg storage: the rules hold on random kernels", "[infreg]") {
  const bool holds = rc::check("storage_of", [](const std::vector<std::uint64_t>& choices) {
    const Kernel kernel = RandomKernel(choices).make();
    const Storage storage = storage_of(kernel);
    for (std::size_t i = 0; i < storage.values.size(); ++i) {
      const Stored& a = storage.values[i];
      const Type& type = kernel.type_of(a.value);
      RC_ASSERT(storage.infregs[a.infreg] == type.element);
      RC_ASSERT(a.first + lanes_per_group(type.layout, kernel.shape) <= storage.group_lanes);
      for (std::size_t k = 0; k < i; ++k) {
        const Stored& b = storage.values[k];
        if (a.set == b.set) {
          RC_ASSERT(a.first == b.first);
          RC_ASSERT(kernel.type_of(b.value).layout == type.layout);
        }
        const bool meet = a.first < b.first + lanes_per_group(kernel.type_of(b.value).layout, kernel.shape) &&
                          b.first < a.first + lanes_per_group(type.layout, kernel.shape);
        RC_ASSERT(!(a.infreg == b.infreg && meet && a.begin < b.end && b.begin < a.end));
      }
    }
  });
  CHECK(holds);
}
