// Programs that leave what is provided for: ill-formed typed programs end in a fault, kernels that change their pointers keep their races,
// and the limits are those of a group or warp that runs alone.

#include <catch2/catch.hpp>
#include <limits>

#include "semantics/typed/parse.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;
using launch::FaultKind;

namespace {

launch::Outcome run_typed(const std::string& text) {
  const auto source = std::make_shared<SourceFile>("p.mus", ".typed\n.wg_size 4\n" + text);
  auto p = typed::parse(source);
  if (!p) {
    FAIL(render(*source, p.error()));
  }
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(8))});
  return launch_text::run(std::make_shared<const typed::Program>(std::move(*p)), a, {});
}

launch::Outcome run_kernel(const std::string& text, unsigned wg_size, launch::Arguments& a, const launch::LaunchOptions& options) {
  return launch_text::run(launch_text::program(text, wg_size), a, options);
}

}  // namespace

TEST_CASE("a typed program that leaves its function is stuck", "[launch]") {
  const launch::Outcome returns = run_typed(".kernel k(global int* o)\n  st o[0] = 1\n  ret\n");
  REQUIRE(returns.fault.has_value());
  CHECK(returns.fault->kind == FaultKind::Stuck);
  CHECK(returns.fault->message.find("there is a caller") != std::string::npos);

  const launch::Outcome falls =
      run_typed(".kernel k(global int* o)\n  st o[0] = 1\n.function void g(global int* o)\n.var long a[1000]\n  a[999] = 3l\n  ret\n");
  REQUIRE(falls.fault.has_value());
  CHECK(falls.fault->kind == FaultKind::Stuck);
  CHECK(falls.fault->message == "control has run off the end of 'k'");

  const launch::Outcome called = run_typed(
      ".kernel k(global int* o)\n  call f(o)\n  stop\n.function void f(global int* o)\n  st o[0] = 1\n.function void g(global int* o)\n  "
      "ret\n");
  REQUIRE(called.fault.has_value());
  CHECK(called.fault->message == "control has run off the end of 'f'");
}

TEST_CASE("a buffer that is written through another parameter is watched", "[launch]") {
  const std::string text = "__kernel void k(__global int *a, __global int *b) { a = b; a[get_local_id()] = a[get_local_id()] + 1; }\n";
  for (const unsigned pack : {0U, 1U, 2U}) {
    launch::Arguments a = launch_text::arguments(
        {launch_text::buffer(ScalarType::Int, std::vector<int>(4)), launch_text::buffer(ScalarType::Int, std::vector<int>(4))});
    launch::LaunchOptions options;
    options.groups = 3;
    options.pack = pack;
    CHECK(run_kernel(text, 4, a, options).race_count != 0);
    CHECK(launch_text::numbers<int>(a.buffers[1]) == std::vector<int>{3, 3, 3, 3});  // group after group
  }
  // A fault leaves what was written before it once, not twice.
  launch::Arguments a = launch_text::arguments(
      {launch_text::buffer(ScalarType::Int, std::vector<int>(8)), launch_text::buffer(ScalarType::Int, std::vector<int>(8))});
  const launch::Outcome fault = run_kernel(
      "__kernel void k(__global int *a, __global int *b) { a = b; a[get_local_id()] = a[get_local_id()] + 1; int q = 5 / b[7]; a[0] = q; "
      "}\n",
      4, a, {});
  REQUIRE(fault.fault.has_value());
  CHECK(fault.fault->kind == FaultKind::DivisionByZero);
  CHECK(launch_text::numbers<int>(a.buffers[1]) == std::vector<int>{1, 1, 1, 1, 0, 0, 0, 0});
}

TEST_CASE("memory limits are those of a group alone", "[launch]") {
  // Each call takes 400 bytes an item: sixty of them fit for a group, not for sixty-four groups together.
  const std::string text =
      "void f(int n, __global int *o) { int a[100]; a[n] = n; if (n > 0) f(n - 1, o); o[get_global_id()] += a[n]; }\n"
      "__kernel void k(__global int *o) { f(60, o); }\n";
  for (const std::uint64_t groups : {std::uint64_t{1}, std::uint64_t{64}}) {
    launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(4 * groups))});
    launch::LaunchOptions options;
    options.groups = groups;
    options.pack = 64;
    options.frame_memory = std::size_t{64} * 450 * 16;
    CHECK_FALSE(run_kernel(text, 4, a, options).fault.has_value());
    CHECK(launch_text::numbers<int>(a.buffers[0]) == std::vector<int>(4 * groups, 60 * 61 / 2));
    options.frame_memory /= 2;
    const launch::Outcome small = run_kernel(text, 4, a, options);
    REQUIRE(small.fault.has_value());
    CHECK(small.fault->kind == FaultKind::MemoryLimit);
    CHECK(small.fault->party.group == 0);
  }
  // A frame that is too large is refused before it is made.
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(4))});
  const launch::Outcome huge = run_kernel(
      "void f(__global int *o) { int a[200000000]; a[1] = 1; o[0] = a[1]; }\n__kernel void k(__global int *o) { f(o); }\n", 64, a, {});
  REQUIRE(huge.fault.has_value());
  CHECK(huge.fault->kind == FaultKind::MemoryLimit);
}

TEST_CASE("the step limit counts the steps of one warp", "[launch]") {
  // Each of 64 warps goes through the inner loop once, at another time: none does more than a few thousand steps.
  const std::string text =
      "__kernel void k(__global int *o) { int s = 0; for (int i = 0; i < 64; i++) if (i == get_local_id()) for (int j = 0; j < 1000; j++) "
      "s += "
      "j; o[get_local_id()] = s; }\n";
  for (const launch::Schedule schedule : {launch::Schedule::LowestPc, launch::Schedule::Fair}) {
    launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(64))});
    launch::LaunchOptions options;
    options.warp_size = 1;
    options.schedule = schedule;
    options.max_steps = 6000;
    CHECK_FALSE(run_kernel(text, 64, a, options).fault.has_value());
    options.max_steps = 3000;
    const launch::Outcome limited = run_kernel(text, 64, a, options);
    REQUIRE(limited.fault.has_value());
    CHECK(limited.fault->kind == FaultKind::StepLimit);
  }
}

TEST_CASE("a barrier that is called from two places is two barriers", "[launch]") {
  const std::string text =
      "void wait() { barrier(); }\n__kernel void k(__global int *o) { if (get_local_id() < 2) wait(); else wait(); o[get_local_id()] = 1; "
      "}\n";
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(4))});
  launch::LaunchOptions options;
  options.warp_size = 2;
  const launch::Outcome outcome = run_kernel(text, 4, a, options);
  REQUIRE(outcome.fault.has_value());
  CHECK(outcome.fault->kind == FaultKind::BarrierNotReached);
}

TEST_CASE("arrays and frames that are too large are refused before anything is allocated", "[launch]") {
  const auto refused = [](const std::string& text, unsigned wg_size, launch::LaunchOptions options) {
    launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(1))});
    const launch::Outcome outcome = run_kernel(text, wg_size, a, options);
    return outcome.fault && outcome.fault->kind == FaultKind::MemoryLimit;
  };
  launch::LaunchOptions options;
  options.groups = 3;
  options.threads = 1;
  const std::string local =
      "__kernel void k(__global int *o) { __local char t[100000000]; t[5] = 1; if (get_global_id() == 0) o[0] = t[5]; }\n";
  CHECK_FALSE(refused(local, 1, options));  // a byte and its state: 200 MB
  options.frame_memory = std::size_t{1} << 27;
  CHECK(refused(local, 1, options));
  const std::string own = "__kernel void k(__global int *o) { int t[1000000]; t[5] = 1; if (get_global_id() == 0) o[0] = t[5]; }\n";
  options.frame_memory = std::size_t{1} << 28;
  CHECK_FALSE(refused(own, 1, options));  // 16 padded lanes of 4 bytes and two bits: 68 MB
  CHECK_FALSE(refused(own, 16, options));
  CHECK(refused(own, 64, options));
  options.frame_memory = std::size_t{1} << 26;
  CHECK(refused(own, 1, options));
  options.pack = 4'000'000'000;
  options.frame_memory = std::numeric_limits<std::size_t>::max();
  options.groups = 1;
  CHECK_FALSE(refused(own, 1, options));
  // The message says how many items made it too much.
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(1))});
  options.frame_memory = 1000;
  const launch::Outcome small = run_kernel(own, 2, a, options);
  REQUIRE(small.fault.has_value());
  CHECK(small.fault->message == "the kernel's registers and arrays take more than 1000 bytes for a group of 2 items (--frame-memory)");
}

TEST_CASE("buffers and arrays of no element are no trouble to anybody", "[launch]") {
  const auto p = launch_text::program("__kernel void k(__global int *o, int n) { if (n != 0) o[get_global_id()] = n; }\n", 4);
  for (const unsigned pack : {0U, 1U, 3U, 1000U}) {
    launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>())}, {0});
    launch::LaunchOptions options;
    options.groups = 7;
    options.pack = pack;
    CHECK_FALSE(launch_text::run(p, a, options).fault.has_value());
    a.values[1] = ScalarBits{1};
    const launch::Outcome outcome = launch_text::run(p, a, options);
    REQUIRE(outcome.fault.has_value());
    CHECK(outcome.fault->kind == FaultKind::OutOfBounds);
  }
  // The parsers refuse objects without elements; a program that is made otherwise may have them.
  for (const AddressSpace space : {AddressSpace::Local, AddressSpace::Constant}) {
    typed::Program program = *p;
    program.objects.push_back({});
    program.objects.back().name = "nothing";
    program.objects.back().space = space;
    launch::LaunchOptions options;
    options.groups = 2;
    launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(8))}, {1});
    CHECK_FALSE(launch_text::run(std::make_shared<const typed::Program>(program), a, options).fault.has_value());
    CHECK(launch_text::numbers<int>(a.buffers[0]) == std::vector<int>(8, 1));
  }
}

TEST_CASE("groups of very many items", "[launch]") {
  for (const unsigned items : {5000U, 10000U, 100000U}) {
    for (const unsigned warp_size : {0U, 1U, 96U}) {
      INFO(items << " items in warps of " << warp_size);
      const auto p = launch_text::program(
          "__kernel void saxpy(__global float *x, __global float *y, float a) { size_t i = get_global_id(); if (i % 3 != 1) y[i] = a * "
          "x[i] + "
          "y[i]; }\n",
          items);
      std::vector<float> x(2 * items);
      std::vector<float> expected(2 * items);
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i % 1000);
        expected[i] = i % 3 != 1 ? 2 * x[i] + 1 : 1;
      }
      launch::Arguments a = launch_text::arguments(
          {launch_text::buffer(ScalarType::Float, x), launch_text::buffer(ScalarType::Float, std::vector<float>(x.size(), 1))},
          {0x40000000});
      launch::LaunchOptions options;
      options.groups = 2;
      options.warp_size = warp_size;
      const launch::Outcome outcome = launch_text::run(p, a, options);
      CHECK_FALSE(outcome.fault.has_value());
      CHECK(outcome.race_count == 0);
      CHECK(launch_text::numbers<float>(a.buffers[1]) == expected);
    }
  }
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(1))});
  const launch::Outcome outcome =
      run_kernel("__kernel void k(__global int *o) { int t[1000]; t[0] = 1; if (get_local_id() == 7) o[0] = t[0]; }\n", 100000, a, {});
  REQUIRE(outcome.fault.has_value());
  CHECK(outcome.fault->kind == FaultKind::MemoryLimit);
}

TEST_CASE("warps that go apart end at the memory limit", "[launch]") {
  launch::LaunchOptions options;
  options.warp_size = 1;
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Int, std::vector<int>(16))});
  // Sets of 2^16 threads for each of 2^16 warps are gigabytes.
  options.schedule = launch::Schedule::Fair;
  const launch::Outcome apart = run_kernel("__kernel void k(__global int *o) { o[get_local_id() % 16] = 1; }\n", 1 << 16, a, options);
  REQUIRE(apart.fault.has_value());
  CHECK(apart.fault->kind == FaultKind::MemoryLimit);
  CHECK(apart.fault->message == "the sets of threads of warps that have gone apart take more than 268435456 bytes (--frame-memory)");
  // Each warp recurses alone, so that none shares frames with another: 16 warps need 16 times what one needs.
  const std::string text =
      "int f(int n) { int a[16]; a[n % 16] = n; return n == 0 ? 0 : f(n - 1) + (a[n % 16] == n); }\n"
      "__kernel void k(__global int *o) { int s = 0; for (int i = 0; i < 16; i++) if (i == get_local_id()) s = f(100); o[get_local_id()] = "
      "s; "
      "}\n";
  options.frame_memory = std::size_t{1} << 20;
  for (const launch::Schedule schedule : {launch::Schedule::LowestPc, launch::Schedule::Fair}) {
    options.schedule = schedule;
    const launch::Outcome deep = run_kernel(text, 16, a, options);
    if (schedule == launch::Schedule::LowestPc) {  // one after the other: frames are used again
      CHECK_FALSE(deep.fault.has_value());
      CHECK(launch_text::numbers<int>(a.buffers[0]) == std::vector<int>(16, 100));
    } else {
      REQUIRE(deep.fault.has_value());
      CHECK(deep.fault->kind == FaultKind::MemoryLimit);
    }
  }
}
