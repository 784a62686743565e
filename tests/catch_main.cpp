// The main function of every Catch2 test program. Behind Catch2's own report it prints the line that the test scripts add up
// (docs/building.md): the number of test cases, not of assertions.

#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdio>

namespace {

std::size_t passed = 0;
std::size_t failed = 0;
std::size_t excused = 0;  // marked [!mayfail] or [!shouldfail], and did fail

class CountTestCases : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testRunEnded(const Catch::TestRunStats& stats) override {
    passed = stats.totals.testCases.passed;
    failed = stats.totals.testCases.failed;
    excused = stats.totals.testCases.failedButOk;
  }
};

CATCH_REGISTER_LISTENER(CountTestCases)

}  // namespace

int main(int argc, char* argv[]) {
  const int status = Catch::Session().run(argc, argv);
  std::printf("counts: %zu passed, %zu failed, %zu skipped\n", passed, failed, excused);
  return status;
}
