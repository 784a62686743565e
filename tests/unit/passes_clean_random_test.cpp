// All clean-ups on random kernels of InfReg-IR, whose results may only become better defined.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/verify.hpp"
#include "semantics/ops/bits.hpp"
#include "tests/unit/clean_ups.hpp"
#include "tests/unit/emit_llvm_random.hpp"
#include "tests/unit/infreg_random.hpp"

using namespace lockstep;
using namespace lockstep::passes;

namespace {

/// Where `found` is no refinement of `expected` (docs/kernel-language.md: poison matches anything, a NaN any NaN); "" if it is one.
std::string difference(const std::vector<infreg::Buffer>& expected, const std::vector<infreg::Buffer>& found) {
  for (std::size_t b = 0; b < expected.size(); ++b) {
    const std::size_t size = size_of(expected[b].type);
    for (std::size_t k = 0; k < expected[b].count; ++k) {
      const std::uint64_t wanted = ops::bits_at(expected[b].type, expected[b].bytes.data() + k * size);
      const std::uint64_t got = ops::bits_at(expected[b].type, found[b].bytes.data() + k * size);
      const bool is_same = ops::same_number(expected[b].type, wanted, got);
      if (expected[b].poison[k] == 0 && (found[b].poison[k] != 0 || !is_same)) {
        return "buffer " + std::to_string(b) + ", element " + std::to_string(k) + (found[b].poison[k] != 0 ? " is poison" : " differs");
      }
    }
  }
  return "";
}

/// Runs the clean-ups in turn until nothing changes, and asks after each that the kernel verifies and does what it did. False if the kernel
/// as it is does not come to an end.
bool refines(infreg::Kernel kernel, const std::vector<Argument>& arguments, const std::vector<infreg::Buffer>& memory,
             std::uint64_t groups) {
  infreg::EvaluateOptions options;
  options.groups = groups;
  options.limits.lane_operations = 1'000'000;
  std::vector<infreg::Buffer> expected = memory;
  const infreg::Outcome outcome = infreg::evaluate(kernel, arguments, expected, options);
  const bool ends = std::holds_alternative<infreg::Finished>(outcome.end);
  bool has_changed = true;
  for (int round = 0; has_changed && round < 8; ++round) {
    has_changed = false;
    for (const Named& pass : clean_ups) {
      const infreg::Kernel before = kernel;
      has_changed = pass.run(kernel) || has_changed;
      const std::vector<infreg::Fault> faults = infreg::verify(kernel);
      INFO("before " << pass.name << ":\n" << infreg::print(before) << "\nafter:\n" << infreg::print_marked(kernel, faults));
      REQUIRE(faults.empty());
      if (ends) {
        std::vector<infreg::Buffer> found = memory;
        const infreg::Outcome after = infreg::evaluate(kernel, arguments, found, options);
        const auto* undefined = std::get_if<infreg::Undefined>(&after.end);
        REQUIRE((undefined == nullptr ? "" : undefined->sentence) == "");
        REQUIRE(std::holds_alternative<infreg::Finished>(after.end));
        REQUIRE(difference(expected, found) == "");
      }
    }
  }
  return ends;
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace

TEST_CASE("clean: random kernels that are defined do what they did", "[passes_clean]") {
  const std::uint64_t first = from_environment("LOCKSTEP_FIRST_SEED", 1);
  const std::uint64_t count = from_environment("LOCKSTEP_RANDOM_KERNELS", 150);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    INFO("seed " << seed);
    emit_llvm::trial::DefinedKernel random(seed, 1 + seed % 12);
    random.make();
    CHECK(refines(random.kernel(), random.arguments, random.memory, random.groups()));
  }
}

TEST_CASE("clean: random kernels of all operations do what they did, if they end", "[passes_clean]") {
  const std::uint64_t first = from_environment("LOCKSTEP_FIRST_SEED", 1);
  const std::uint64_t count = from_environment("LOCKSTEP_RANDOM_KERNELS", 600);
  std::uint64_t ended = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    std::vector<std::uint64_t> choices(400);
    for (std::uint64_t& choice : choices) {
      choice = random();
    }
    const infreg::Kernel kernel = infreg::RandomKernel(std::move(choices)).make();
    std::vector<Argument> arguments;
    std::vector<infreg::Buffer> memory;
    for (const infreg::Parameter& parameter : kernel.parameters) {
      if (parameter.is_pointer) {
        arguments.emplace_back(BufferNumber{memory.size()});
        memory.push_back(infreg::make_buffer(parameter.scalar, 64));
        for (std::byte& byte : memory.back().bytes) {
          byte = static_cast<std::byte>(parameter.scalar == ScalarType::Bool ? random() % 2 : random());
        }
      } else {
        arguments.emplace_back(ScalarBits{random() % 2});
      }
    }
    ended += refines(kernel, arguments, memory, 3) ? 1U : 0U;
  }
  CHECK(ended > count / 10);
}
