// The header that stands in for a GPU: what lanes do together, what it says of lanes that do not, and numbers at the edges, as the PTX ISA
// describes them.

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

// The second one needs the first.
#include "codegen/emit/cuda/support/lockstep_cuda_host.h"
//
#include "codegen/emit/cuda/support/lockstep_cuda.h"

namespace v = lockstep_cuda;
using lockstep_cuda_host::run_grid;

namespace {

constexpr unsigned threads = 64;

struct End {
  int status = 0;
  std::string said;
};

/// Runs a grid in a process of its own.
End end_of(const std::function<void()>& kernel) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    run_grid(1, threads, kernel);
    _exit(0);
  }
  close(ends[1]);
  End end;
  std::array<char, 256> text{};
  for (ssize_t count = 0; (count = read(ends[0], text.data(), text.size())) > 0;) {
    end.said.append(text.data(), static_cast<std::size_t>(count));
  }
  close(ends[0]);
  REQUIRE(waitpid(child, &end.status, 0) == child);
  return end;
}

template <class To, class From>
To truncated(From from) {
  To to{};
  v::truncate(from, to);
  return to;
}

}  // namespace

TEST_CASE("lanes of a slot shuffle, vote and match among themselves") {
  std::array<double, 2UL * threads> shuffled{};
  std::array<unsigned, 2UL * threads> votes{};
  std::array<unsigned, 2UL * threads> matches{};
  run_grid(2, threads, [&] {
    const v::Slot slot = v::slot_of(12);
    if (slot.base >= 24) {
      return;
    }
    const unsigned thread = v::block_of_grid() * threads + v::thread_of_block();
    shuffled[thread] = v::of_lane(slot, 1000.0 + thread, 11 - slot.lane);
    for (int turn = 0; turn < slot.base; ++turn) {  // the slots of a warp go apart
      v::meet(slot);
    }
    votes[thread] = v::ballot(slot, slot.lane % 3 == 0);
    matches[thread] = v::lanes_with(slot, static_cast<std::uint64_t>(slot.lane / 5));
  });
  for (unsigned thread = 0; thread < 2 * threads; ++thread) {
    const unsigned lane = thread % 32;
    const unsigned of_slot = lane % 12;
    const bool is_there = lane < 24;
    REQUIRE(shuffled[thread] == (is_there ? 1000.0 + thread - of_slot + 11 - of_slot : 0));
    REQUIRE(votes[thread] == (is_there ? 0b001001001001U : 0));
    REQUIRE(matches[thread] == (!is_there ? 0 : of_slot < 5 ? 0b11111U : of_slot < 10 ? 0b1111100000U : 0b110000000000U));
  }
}

TEST_CASE("what lanes hand to one another has come where they meet, and else may not have") {
  const auto late = [](bool meets) {
    std::array<int, threads> cells{};
    int missed = 0;
    run_grid(1, threads, [&] {
      const v::Slot slot = v::slot_of(32);
      const unsigned thread = v::thread_of_block();
      cells[thread] = 1;
      if (meets) {
        v::meet(slot);
      }
      missed += cells[thread ^ 1U] == 1 ? 0 : 1;
    });
    return missed;
  };
  REQUIRE(late(true) == 0);
  REQUIRE(late(false) > 0);
}

TEST_CASE("lanes that do not come together end the run, with a message") {
  const auto says = [](const std::function<void(unsigned)>& kernel, const std::string& why) {
    const End end = end_of([&] { kernel(v::thread_of_block()); });
    INFO(end.said);
    REQUIRE((WIFEXITED(end.status) && WEXITSTATUS(end.status) == 1));
    REQUIRE_THAT(end.said, Catch::Matchers::Contains("block 0") && Catch::Matchers::Contains(why));
  };
  says([](unsigned thread) { thread % 32 == 5 ? void() : __syncwarp(~0U); }, "__syncwarp of the lanes 0xffffffff: one of them ");
  says([](unsigned thread) { thread % 32 == 5 ? void(__ballot_sync(~0U, true)) : __syncwarp(~0U); }, "has come to another collective");
  says([](unsigned thread) { __syncwarp(thread % 32 == 5 ? ~0U : ~1U); }, "");
  says([](unsigned) { __syncwarp(0xffff); }, "it is not one of them itself");
  says([](unsigned thread) { thread % 32 < 16 ? void(__shfl_sync(0xffff, 1, 20)) : void(); }, "it takes from none of them");
  // Lanes 0 to 15 wait for all, lane 20 for one that waits for another.
  says(
      [](unsigned thread) {
        __syncwarp(thread % 32 < 16 ? ~0U : thread % 32 == 20 ? 0x300000U : thread % 32 == 21 ? 0x600000U : ~0U);
      },
      "");
  const auto is_fine = [](const std::function<void(unsigned)>& kernel) {
    const End fine = end_of([&] { kernel(v::thread_of_block()); });
    INFO(fine.said);
    REQUIRE(fine.said.empty());
    REQUIRE(fine.status == 0);
  };
  is_fine([](unsigned) { __syncwarp(~0U); });
  // Both halves meet before all do.
  is_fine([](unsigned thread) {
    __syncwarp(thread % 32 < 16 ? 0xffffU : 0xffff0000U);
    __syncwarp(~0U);
    __ballot_sync(thread % 32 < 8 ? 0xffU : 0xffffff00U, true);
    __syncwarp(~0U);
  });
}

TEST_CASE("conversions to integers go to the nearest number that there is") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const double wide_nan = std::numeric_limits<double>::quiet_NaN();
  REQUIRE(truncated<std::int32_t>(-2.9F) == -2);
  REQUIRE(truncated<std::uint32_t>(-0.9) == 0);
  REQUIRE(truncated<std::int32_t>(2147483648.0F) == INT32_MAX);
  REQUIRE(truncated<std::int32_t>(2147483647.9) == INT32_MAX);
  REQUIRE(truncated<std::int32_t>(-1e30F) == INT32_MIN);
  REQUIRE(truncated<std::uint32_t>(-5.0F) == 0);
  REQUIRE(truncated<std::uint32_t>(4294967295.5) == UINT32_MAX);
  REQUIRE(truncated<std::uint32_t>(1e30) == UINT32_MAX);
  REQUIRE(truncated<std::int64_t>(9223372036854775807.0) == INT64_MAX);
  REQUIRE(truncated<std::int64_t>(-9223372036854775808.0) == INT64_MIN);
  REQUIRE(truncated<std::uint64_t>(18446744073709549568.0) == 18446744073709549568U);
  REQUIRE(truncated<std::uint64_t>(-std::numeric_limits<double>::infinity()) == 0);
  REQUIRE(truncated<std::int32_t>(nan) == 0);
  REQUIRE(truncated<std::int64_t>(nan) == INT64_MIN);
  REQUIRE(truncated<std::int32_t>(wide_nan) == INT32_MIN);
  REQUIRE(truncated<std::uint64_t>(wide_nan) == std::uint64_t{1} << 63U);
}

TEST_CASE("operations round once, and signs change no other bit") {
  const double tiny = std::numeric_limits<double>::denorm_min();
  REQUIRE(v::fma(1.0 + 0x1p-52, 1.0 - 0x1p-52, -1.0) == -0x1p-104);
  REQUIRE(v::fma(1.0F + 0x1p-23F, 1.0F - 0x1p-23F, -1.0F) == -0x1p-46F);
  REQUIRE(v::div(tiny, 2.0) == 0);
  REQUIRE(v::add(tiny, tiny) == 2 * tiny);
  REQUIRE(std::bit_cast<std::uint64_t>(v::with_other_sign(std::bit_cast<double>(0x7ff0000000000005U))) == 0xfff0000000000005U);
  REQUIRE(std::bit_cast<std::uint32_t>(v::without_sign(std::bit_cast<float>(0xff800001U))) == 0x7f800001U);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  REQUIRE(v::ne(nan, nan));
  REQUIRE(!v::eq(nan, nan));
  REQUIRE(!v::lt(nan, 1.0F));
  REQUIRE(std::bit_cast<std::uint32_t>(v::max(0.0F, -0.0F)) == 0);
  REQUIRE(std::bit_cast<std::uint32_t>(v::max(-0.0F, 0.0F)) == 0x80000000U);
}
