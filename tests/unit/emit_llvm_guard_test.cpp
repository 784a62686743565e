// Failures of LLVM, planted: a compiler that is ended by a signal is told of, and the process goes on.

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "codegen/emit/llvm/guard.hpp"

using namespace lockstep::emit_llvm;

namespace {

/// Uses up the stack.
unsigned endless(unsigned depth) {
  volatile unsigned char all[4096];
  all[0] = static_cast<unsigned char>(depth);
  return depth == 0 ? 0U : endless(depth + 1) + all[0];
}

}  // namespace

TEST_CASE("emit llvm: a failure of LLVM is told as LLVM's", "[emit_llvm]") {
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    const auto failure = failure_of([&] { std::raise(signal); });
    REQUIRE(failure.has_value());
    CHECK(failure->is_llvms_own);
    CHECK(failure->sentence.find("a fault of LLVM, not of the kernel") != std::string::npos);
    CHECK(failure->sentence.find("signal " + std::to_string(signal) + " ") != std::string::npos);
  }
}

TEST_CASE("emit llvm: a stack that is used up is caught", "[emit_llvm]") {
  const auto failure = failure_of([] { static_cast<void>(endless(1)); });
  REQUIRE(failure.has_value());
  CHECK(failure->is_llvms_own);
  CHECK(failure->sentence.find("signal 11 ") != std::string::npos);
}

TEST_CASE("emit llvm: where nothing fails a guard changes nothing", "[emit_llvm]") {
  struct sigaction before = {};
  struct sigaction after = {};
  sigaction(SIGSEGV, nullptr, &before);
  int done = 0;
  CHECK_FALSE(failure_of([&] { ++done; }).has_value());
  CHECK_THROWS_WITH(failure_of([&] { throw std::runtime_error("as it was"); }), "as it was");
  static_cast<void>(failure_of([] { std::raise(SIGSEGV); }));
  sigaction(SIGSEGV, nullptr, &after);
  CHECK(done == 1);
  CHECK(before.sa_handler == after.sa_handler);
}

TEST_CASE("emit llvm: guards inside of guards, and of other threads, are apart", "[emit_llvm]") {
  std::optional<Failure> inner;
  CHECK_FALSE(failure_of([&] { inner = failure_of([] { std::raise(SIGSEGV); }); }).has_value());
  CHECK(inner.has_value());
  constexpr unsigned threads = 8;
  std::array<std::optional<Failure>, threads> found;
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t) {
    running.emplace_back([&found, t] {
      for (unsigned round = 0; round < 50; ++round) {
        found[t] = failure_of([&] {
          if (t % 2 == 0) {
            std::raise(SIGSEGV);
          }
        });
      }
    });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
  for (unsigned t = 0; t < threads; ++t) {
    CHECK(found[t].has_value() == (t % 2 == 0));
  }
}
