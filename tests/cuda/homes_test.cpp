// Numbers that are computed element by element are read in their loop alone, and all others that could be so are read elsewhere: of
// random kernels, and of examples.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/emit/cuda/plan.hpp"
#include "codegen/emit/cuda/rewriting.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/infreg/walk.hpp"
#include "tests/cuda/trial.hpp"

using namespace lockstep;
using namespace lockstep::infreg;
using namespace lockstep::emit_cuda;

namespace {

/// The loop over elements that computes a value, by its first operation.
using Loops = std::map<ValueId, OperationId>;

struct Found {
  int elements = 0;
  int registers = 0;
};

/// Who reads what, through what is computed where it is used.
class Readers {
 public:
  Readers(const Kernel& kernel, const Plan& plan) : kernel_(kernel), plan_(plan) {
    for (RegionId region = 0; region < kernel.regions.size(); ++region) {
      for (const Operation& operation : kernel.regions[region].operations) {
        for (const ValueId result : operation.results) {
          definitions_[result] = &operation;
        }
      }
      for (const Run& run : plan.runs[region]) {
        for (std::uint32_t k = run.first; k < run.last; ++k) {
          for (const ValueId result : kernel.regions[region].operations[k].results) {
            loops_[result] = {region, run.first};
          }
        }
      }
    }
    for (RegionId region = 0; region < kernel.regions.size(); ++region) {
      for (const Run& run : plan.runs[region]) {
        for (std::uint32_t k = run.first; k < run.last; ++k) {
          for_each_use(kernel.regions[region].operations[k].node, [&](ValueId value) { read(value, OperationId{region, run.first}); });
        }
      }
      std::ranges::for_each(kernel.regions[region].yields, [&](ValueId value) { read(value, std::nullopt); });
    }
  }

  void check(Found& found) const {
    for (const auto& [value, operation] : definitions_) {
      const Node& node = operation->node;
      const auto way = plan_.ways.find(value);
      const bool is_loop = !std::holds_alternative<Vote>(node) && !std::holds_alternative<If>(node) && !std::holds_alternative<For>(node) &&
                           !std::holds_alternative<Loop>(node) && (way == plan_.ways.end() || way->second != Way::Memory);
      if (!is_loop || plan_.homes[value] == Home::Expression) {
        continue;
      }
      INFO(kernel_.values[value].name);
      REQUIRE((plan_.homes[value] == Home::Element) == !elsewhere_.contains(value));
      ++(plan_.homes[value] == Home::Element ? found.elements : found.registers);
    }
  }

 private:
  void read(ValueId value, const std::optional<OperationId>& by) {
    if (const auto covered = plan_.covered.find(value); covered != plan_.covered.end()) {
      read(covered->second, by);
    } else if (plan_.homes[value] == Home::Expression) {
      for_each_use(definitions_.at(value)->node, [&](ValueId used) { read(used, by); });
    } else if (const auto loop = loops_.find(value); loop != loops_.end() && loop->second != by) {
      elsewhere_.insert(value);
    }
  }

  const Kernel& kernel_;
  const Plan& plan_;
  std::map<ValueId, const Operation*> definitions_;
  Loops loops_;
  std::set<ValueId> elsewhere_;  ///< what is read in another loop, or behind all of them
};

void check(const cuda_trial::Trial& trial, Found& found) {
  const Kernel kernel = rewritten(trial.kernel, trial.choices);
  INFO(print(kernel));
  Readers(kernel, plan_of(kernel, kernel.shape, trial.choices)).check(found);
}

/// Whether what stands in front of each loop over registers tells compilers to write it out, or not to: the first one that is without.
std::string without_word(const std::string& source) {
  std::istringstream lines(source);
  std::string before;
  for (std::string line; std::getline(lines, line); before = line) {
    const bool is_over_registers = std::ranges::any_of(std::array{"ix", "part", "k", "p", "vector"}, [&](const char* variable) {
      return line.contains(fmt::format("for (int {} = ", variable));
    });
    if (is_over_registers && !before.contains("LOCKSTEP_UNROLL") && !before.contains("LOCKSTEP_ROLLED")) {
      return line;
    }
  }
  return "";
}

}  // namespace

TEST_CASE("compilers are told of every loop over registers whether to write it out", "[cuda]") {
  int loops = 0;
  const auto check_text = [&](cuda_trial::Trial trial) {
    REQUIRE(!emit_into(trial));
    INFO(trial.emitted.source);
    CHECK(without_word(trial.emitted.source).empty());
    loops += trial.emitted.source.contains("for (int ") ? 1 : 0;
  };
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    check_text(cuda_trial::random_trial(seed));
    check_text(cuda_trial::rows_trial(seed));
  }
  for (const char* name : {"gema", "gemm", "trsv", "ldus", "pade", "enumerate", "frcg"}) {
    check_text(cuda_trial::borg_trial(name, "float", 33, 1));
    check_text(cuda_trial::borg_trial(name, "float", 8, 2));
  }
  CHECK(loops > 100);
}

TEST_CASE("what one loop alone reads is there element by element", "[cuda]") {
  Found found;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    check(cuda_trial::random_trial(seed), found);
    check(cuda_trial::rows_trial(seed), found);
  }
  for (const char* name : {"gema", "gemm", "trsv", "ldus", "pade", "enumerate", "frcg"}) {
    check(cuda_trial::borg_trial(name, "double", 4, 1), found);
  }
  REQUIRE(found.elements > 500);
  REQUIRE(found.registers > 500);
}

TEST_CASE("all is done that can be left out", "[cuda]") {
  const auto differs = [](cuda_trial::Trial trial, bool Choices::* choice) {
    REQUIRE(!emit_into(trial));
    const std::string usual = trial.emitted.source;
    trial.choices.*choice = false;
    REQUIRE(!emit_into(trial));
    return trial.emitted.source != usual;
  };
  CHECK(differs(cuda_trial::borg_trial("frcg", "double", 8, 1), &Choices::leaving));
  CHECK(differs(cuda_trial::borg_trial("ldus", "double", 8, 1), &Choices::deferring));
  CHECK(differs(cuda_trial::borg_trial("ldus", "double", 8, 1), &Choices::merging));
  CHECK(differs(cuda_trial::borg_trial("gema", "float", 8, 1), &Choices::widening));
  CHECK(differs(cuda_trial::borg_trial("gema", "float", 8, 1), &Choices::tiling));
  CHECK(differs(cuda_trial::borg_trial("gemm", "double", 8, 1), &Choices::staging));
  CHECK(differs(cuda_trial::borg_trial("trsv", "double", 8, 1), &Choices::shuffling));
  cuda_trial::Trial picked;
  picked.name = "picked";
  picked.kernel = cuda_trial::kernel_of(R"(kernel @k(%a: ptr<i32>) wg_size 8 wg_pack 1 {
  %x : i32[wi 8 x ix 6] = load %a [wi*6 + ix] contiguous
  %y : i32[wi 8 x ix 1] = reorder %x { (wi, ix) <- (wi, wi) }
  store %a [wi] contiguous, %y
}
)");
  CHECK(differs(picked, &Choices::picking));
  cuda_trial::Trial hoisted;
  hoisted.name = "hoisted";
  hoisted.kernel = cuda_trial::kernel_of(R"(kernel @k(%a: ptr<i32>) wg_size 8 wg_pack 1 {
  %zero : i32[wi 8 x ix 1] = constant 0
  %end : i32[wi 8 x ix 1] = for %j = 0 to 9 step 1 (%sum = %zero) {
    %more : i32[wi 8 x ix 1] = for %k = 0 to 5 step 1 (%part = %sum) {
      %x : i32[wi 8 x ix 1] = load %a [wi + %k*8] contiguous
      %next : i32[wi 8 x ix 1] = add %part, %x
      yield %next
    }
    yield %more
  }
  store %a [wi] contiguous, %end
}
)");
  CHECK(differs(hoisted, &Choices::hoisting));
}
