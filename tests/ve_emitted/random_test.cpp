// Random kernels of InfReg-IR as C for VE, compiled by clang and run on the VE machine, against the evaluator: all operations on all types,
// reorderings of every kind, votes, shuffles, loops, objects and packs. A pack at a time: several packs may store different numbers into
// one cell, and which of them stays is not said.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>

#include "semantics/infreg/print.hpp"
#include "semantics/infreg/verify.hpp"
#include "targets/clang_ptx/compile.hpp"
#include "targets/ve/compile.hpp"
#include "targets/ve/machine.hpp"
#include "tests/unit/emit_llvm.hpp"
#include "tests/unit/emit_llvm_random.hpp"

using namespace lockstep;
using emit_llvm::trial::DefinedKernel;

namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* wanted = std::getenv(variable);
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : otherwise;
}

launch::Arguments arguments_of(const DefinedKernel& random) {
  launch::Arguments arguments;
  arguments.values = random.arguments;
  for (const infreg::Buffer& buffer : random.memory) {
    arguments.buffers.push_back({buffer.type, buffer.count, buffer.bytes, {buffer.count}, {}});
  }
  return arguments;
}

/// A pack, or a group alone.
std::uint64_t groups_of(const DefinedKernel& random) {
  const std::uint64_t pack = random.kernel().shape.wg_pack;
  return random.groups() >= pack ? pack : std::min<std::uint64_t>(random.groups(), 1);
}

/// What the machine says of poison that is stored: a float that does not fit an integer has no bits there.
bool is_poison(const std::string& sentence) { return sentence.find("was never written") != std::string::npos; }

enum class Answer : std::uint8_t { Agrees, StoresPoison };

Answer answer_of(const DefinedKernel& random, const host::Compiler& clang) {
  const infreg::Kernel& kernel = random.kernel();
  std::vector<infreg::Buffer> expected = random.memory;
  const infreg::Outcome outcome =
      infreg::evaluate(kernel, random.arguments, expected, {.groups = groups_of(random), .limits = {}, .observer = {}});
  REQUIRE(std::holds_alternative<infreg::Finished>(outcome.end));
  const auto emitted = emit_ve::emit(kernel);
  if (!emitted) {
    FAIL(emitted.error());
  }
  const auto object = targets::compile_ve(kernel, *emitted, {clang, 2, "", nullptr});
  if (!object) {
    FAIL(object.error().sentence);
  }
  const auto ran = targets::run_ve(*object, emitted->symbol, kernel, arguments_of(random), groups_of(random), emitted->stack_bytes);
  if (const auto* failure = std::get_if<differential::Failure>(&ran)) {
    if (is_poison(failure->sentence)) {
      return Answer::StoresPoison;
    }
    FAIL(failure->sentence);
  }
  std::vector<infreg::Buffer> found = random.memory;
  for (std::size_t k = 0; k < found.size(); ++k) {
    found[k].bytes = std::get<std::vector<launch::Buffer>>(ran)[k].bytes;
  }
  const std::string difference = emit_llvm::trial::difference(expected, found);
  INFO(difference);
  REQUIRE(difference.empty());
  return Answer::Agrees;
}

}  // namespace

TEST_CASE("random kernels leave what the evaluator leaves", "[ve]") {
  // Random kernels have operations whose results nobody wants.
  const auto clang = targets::find_clang("clang-19 -w");
  if (!clang) {
    std::cout << "skipped: " << clang.error() << '\n';
    return;
  }
  const std::uint64_t count = number_of("LOCKSTEP_RANDOM_KERNELS", 60);
  const std::uint64_t first = number_of("LOCKSTEP_FIRST_SEED", 1);
  std::uint64_t agreeing = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    DefinedKernel random(seed, 4 + seed % 12);
    random.make();
    INFO("seed " << seed << ", " << groups_of(random) << " groups\n" << infreg::print(random.kernel()));
    REQUIRE(infreg::verify(random.kernel()).empty());
    agreeing += answer_of(random, *clang) == Answer::Agrees ? 1U : 0U;
  }
  std::cout << agreeing << " of " << count << " kernels agree, the others store poison\n";
  REQUIRE(10 * agreeing >= 9 * count);
}
