// Unit tests as checks: those of one file are one check. Catch2 runs them quietly up to the first assertion that fails.

#define CATCH_CONFIG_RUNNER
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <ranges>
#include <set>

#include "tests/mutation/checks.hpp"

namespace lockstep::test {

namespace {

const std::string unit_prefix = "unit: ";

/// The first assertion that failed in this process.
std::string first_failure;

class FirstFailure : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  bool assertionEnded(const Catch::AssertionStats& stats) override {
    const Catch::AssertionResult& result = stats.assertionResult;
    if (!result.isOk() && first_failure.empty()) {
      first_failure = fmt::format("line {}: {}", result.getSourceInfo().line,
                                  result.hasExpression() ? result.getExpandedExpression() : std::string(result.getMessage()));
      if (!stats.infoMessages.empty()) {
        first_failure += fmt::format(" ({})", stats.infoMessages.back().message);
      }
    }
    return false;
  }
};
CATCH_REGISTER_LISTENER(FirstFailure)

std::optional<std::string> run(const std::string& file) {
  static Catch::Session session;  // Catch2 allows one in a process
  Catch::ConfigData config;
  config.outputFilename = "/dev/null";
  config.abortAfter = 1;
  config.filenamesAsTags = true;
  config.testsOrTags = {"[#" + file + "]"};
  session.useConfigData(config);
  if (session.run() == 0) {
    return std::nullopt;
  }
  return first_failure.empty() ? "a test fails" : first_failure;
}

/// Those that take longer than all others together.
bool is_slow(const std::string& file) {
  static const std::set<std::string> slow = {"check_test",         "core_translate_wellformed_test",
                                             "divergence_test",    "launch_lanes_test",
                                             "launch_limits_test", "launch_threads_test",
                                             "launch_races_test",  "approximations_test",
                                             "conversions_test",   "floats_test",
                                             "kernelgen_test"};
  return slow.contains(file);
}

/// Which faults a file's tests are for; slow ones come last for all.
std::vector<std::string> parts_of(const std::string& file) {
  static const std::map<std::string, std::vector<std::string>> parts = {
      {"apply", {"ops"}},
      {"lane_rules", {"ops"}},
      {"arguments", {"launch"}},
      {"core_contract", {"sema"}},
      {"core_error", {"sema"}},
      {"core_sema", {"sema"}},
      {"core_translate", {"translate"}},
      {"directed", {"typed", "sema", "translate", "launch", "passes", "emit"}},
      {"lane_kernels", {"ops"}},
      {"machine", {"rules"}},
      {"premises", {"rules"}},
      {"launch", {"typed", "launch"}},
      {"typed", {"layout"}},
      {"passes", {"passes"}},
      {"infreg_evaluate", {"evaluate"}},
      {"infreg_verify", {"verifier"}},
      {"cfg", {"verifier"}},
      {"typed_check", {"verifier"}},
      {"symbolic", {"terms"}},
      {"values", {"terms"}},
      {"history_of_cell", {"terms"}},
      {"emit_avx512_permute", {"emit"}},
      {"emit_avx512_apart", {"avx512"}},
      {"emit_avx512_code", {"avx512"}},
      {"emit_avx512_near", {"avx512"}},
      {"emit_avx512_pack", {"avx512"}},
      {"emit_avx512_ranges", {"avx512"}},
      {"emit_avx512_size", {"avx512"}},
      {"emit_avx512_ways", {"avx512"}},
      {"emit_llvm", {"emit"}},
      {"emit_cuda", {"cuda"}},
      {"deferring", {"cuda"}},
      {"entry", {"CUDA"}},
      {"hoisting", {"cuda"}},
      {"homes", {"cuda"}},
      {"meetings", {"cuda"}},
      {"merging", {"cuda"}},
      {"tiles", {"cuda"}},
      {"together", {"cuda"}},
      {"cost", {"ve"}},
      {"counters", {"ve"}},
      {"library", {"ve"}},
      {"faults", {"ve"}},
      {"memory", {"ve"}},
      {"object", {"ve"}},
      {"borg", {"emitve"}},
      {"chosen", {"emitve"}},
      {"estimate", {"emitve"}},
      {"carried", {"emitve"}},
      {"numbers", {"emitve"}},
      {"pairs", {"emitve"}},
      {"places", {"emitve"}},
      {"seldom", {"emitve"}},
      {"ways", {"emitve"}},
  };
  for (const auto& [prefix, names] : std::views::reverse(parts)) {  // a longer prefix before a shorter one
    if (file.starts_with(prefix) && !is_slow(file)) {
      return names;
    }
  }
  return {};
}

}  // namespace

std::vector<Check> unit_test_checks() {
  std::map<std::string, std::vector<std::string>> files;
  for (const Catch::TestCase& test : Catch::getRegistryHub().getTestCaseRegistry().getAllTests()) {
    const std::string file = std::filesystem::path(test.lineInfo.file).stem();
    files.emplace(file, parts_of(file));
  }
  std::vector<Check> checks;
  for (const auto& [file, parts] : files) {
    checks.push_back({unit_prefix + file, parts, [file = file] { return run(file); }});
  }
  std::ranges::stable_sort(checks, {}, [&](const Check& check) { return is_slow(check.name.substr(unit_prefix.size())); });
  return checks;
}

}  // namespace lockstep::test
