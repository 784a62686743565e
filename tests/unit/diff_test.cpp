// differential/compare: when results are equal, and that targets which go wrong are found out. (tests/scripts/diff.sh has those that do
// not.)
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>

#include "differential/compare/compare.hpp"
#include "differential/compare/execute.hpp"
#include "differential/compare/orders.hpp"
#include "semantics/core/front_end.hpp"
#include "semantics/core/translate.hpp"
#include "targets/llvm/row.hpp"
#include "targets/run.hpp"
#include "tests/unit/infreg_parsed.hpp"

using namespace lockstep;
using namespace lockstep::differential;

namespace {

template <class T>
launch::Buffer buffer(ScalarType type, const std::vector<T>& numbers, const std::vector<std::uint64_t>& poison = {}) {
  launch::Buffer result{type, numbers.size(), std::vector<std::byte>(numbers.size() * sizeof(T)), {numbers.size()}, poison};
  if (!numbers.empty()) {
    std::memcpy(result.bytes.data(), numbers.data(), result.bytes.size());
  }
  return result;
}
launch::Buffer floats(const std::vector<float>& numbers, const std::vector<std::uint64_t>& poison = {}) {
  return buffer(ScalarType::Float, numbers, poison);
}
launch::Buffer ints(const std::vector<std::int32_t>& numbers, const std::vector<std::uint64_t>& poison = {}) {
  return buffer(ScalarType::Int, numbers, poison);
}

/// A kernel with a scalar and two buffers, of which it may write only one: `n`, `x` and `y`.
LoadedKernel three_parameters() {
  const auto source =
      std::make_shared<const SourceFile>("k.cl", "__kernel void k(int n, __global const float *x, __global int *y) { y[0] = n; }");
  Diagnostics warnings;
  const auto program = core::read_kernels(source, {}, warnings);
  REQUIRE(program);
  return {std::make_shared<const typed::Program>(core::translate(*program, *program->kernel("k"))), {false, false, true}, {}};
}

launch::Arguments arguments(const launch::Buffer& x, const launch::Buffer& y) {
  const auto number = [](std::size_t n) { return Argument(BufferNumber{n}); };
  return {{Argument(ScalarBits{7}), number(0), number(1)}, {x, y}};
}

Comparison compared(const launch::Arguments& expected, const std::vector<launch::Buffer>& found) {
  const LoadedKernel kernel = three_parameters();
  return compare({kernel, 1, expected, expected, 0}, found);
}

infreg::Kernel kernel_of(const std::string& operations) {
  const std::string head =
      "kernel @k(%n: i32, %x: ptr<f32>, %y: ptr<i32>) wg_size 4 wg_pack 1 {\n  %v : i32[wi 4 x ix 1] = index { wi + 1 }\n";
  return infreg::verified(head + operations + "}\n");
}

struct Both {
  Ran infreg;
  Ran llvm;
  Comparison infreg_comparison;  ///< where there are results
  Comparison llvm_comparison;
};

/// Runs operations on x = 0 0 0 0 and y = 0 0 0 0, as if the interpreter had left y = 1 2 3 4.
Both run(const std::string& operations) {
  const LoadedKernel loaded = three_parameters();
  const infreg::Kernel kernel = kernel_of(operations);
  const launch::Arguments before = arguments(floats({0, 0, 0, 0}), ints({0, 0, 0, 0}));
  const launch::Arguments after = arguments(floats({0, 0, 0, 0}), ints({1, 2, 3, 4}));
  const Reference reference{loaded, 1, before, after, 0};
  auto llvm = targets::run(targets::llvm_target(), kernel, reference, {});
  REQUIRE(llvm);
  Both both{run_infreg(kernel, reference), std::move(*llvm), {}, {}};
  if (const auto* buffers = std::get_if<0>(&both.infreg.result)) {
    both.infreg_comparison = compare(reference, *buffers);
  }
  if (const auto* buffers = std::get_if<0>(&both.llvm.result)) {
    both.llvm_comparison = compare(reference, *buffers);
  }
  return both;
}

/// Elements of `y` that depend on the order, of a kernel that has `x` and `y`.
std::vector<std::uint64_t> open_of(const std::string& text, std::uint64_t groups) {
  const auto source = std::make_shared<const SourceFile>("k.cl", "__kernel void k(__global int *x, __global int *y) { " + text + " }");
  Diagnostics warnings;
  core::Options options;
  options.wg_size = 4;
  const auto program = core::read_kernels(source, options, warnings);
  REQUIRE(program);
  const LoadedKernel kernel{std::make_shared<const typed::Program>(core::translate(*program, *program->kernel("k"))), {true, true}, {}};
  const std::vector<std::int32_t> zeros(groups * 4);
  const launch::Arguments before{{Argument(BufferNumber{0}), Argument(BufferNumber{1})}, {ints(zeros), ints(zeros)}};
  launch::LaunchOptions launch;
  launch.groups = groups;
  launch::Arguments after = before;
  const auto outcome = launch::run(kernel.program, after, launch);
  REQUIRE((outcome && !outcome->fault));
  const auto open = open_elements(kernel, before, after, launch);
  REQUIRE(open);
  return (*open)[1].indices;
}

}  // namespace

TEST_CASE("diff: the same bits are equal, others are not", "[diff]") {
  const launch::Arguments expected = arguments(floats({1, 0, -2.5F}), ints({1, -1}));
  CHECK(compared(expected, {floats({1, 0, -2.5F}), ints({1, -1})}).different == 0);

  const Comparison floats_differ = compared(expected, {floats({1, -0.0F, 2.5F}), ints({1, 3})});
  CHECK(floats_differ.different == 3);
  REQUIRE(floats_differ.first);
  CHECK(floats_differ.first->buffer == "x");
  CHECK(floats_differ.first->index == 1);
  CHECK(floats_differ.first->expected_bits == "0x00000000");
  CHECK(floats_differ.first->found_bits == "0x80000000");

  const Comparison ints_differ = compared(expected, {floats({1, 0, -2.5F}), ints({1, 3})});
  CHECK(ints_differ.different == 1);
  REQUIRE(ints_differ.first);
  CHECK(ints_differ.first->buffer == "y");
  CHECK(ints_differ.first->index == 1);
  CHECK(ints_differ.first->expected == "-1");
  CHECK(ints_differ.first->expected_bits == "0xffffffff");
  CHECK(ints_differ.first->found == "3");
  CHECK(ints_differ.first->found_bits == "0x00000003");
}

TEST_CASE("diff: a NaN equals every NaN and no number", "[diff]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const launch::Arguments expected = arguments(floats({nan, nan, 1}), ints({}));
  CHECK(compared(expected, {floats({-nan, std::bit_cast<float>(0x7fc00123U), 1}), ints({})}).different == 0);
  CHECK(compared(expected, {floats({nan, 1, nan}), ints({})}).different == 2);
  // The bits of a NaN, as an integer.
  const launch::Arguments integers = arguments(floats({}), ints({0x7fc00000}));
  CHECK(compared(integers, {floats({}), ints({0x7fc00001})}).different == 1);
}

TEST_CASE("diff: poison in the reference equals anything, in the target only poison", "[diff]") {
  const launch::Arguments expected = arguments(floats({}), ints({0, 5}, {0}));
  CHECK(compared(expected, {floats({}), ints({17, 5})}).different == 0);
  CHECK(compared(expected, {floats({}), ints({17, 5}, {0})}).different == 0);
  const Comparison comparison = compared(expected, {floats({}), ints({0, 5}, {1})});
  CHECK(comparison.different == 1);
  REQUIRE(comparison.first);
  CHECK(comparison.first->index == 1);
  CHECK(comparison.first->found == "poison");
}

TEST_CASE("diff: both targets leave what the kernel says", "[diff]") {
  const Both right = run("  store %y [wi] contiguous, %v\n");
  REQUIRE(std::holds_alternative<std::vector<launch::Buffer>>(right.infreg.result));
  REQUIRE(std::holds_alternative<std::vector<launch::Buffer>>(right.llvm.result));
  CHECK(right.infreg_comparison.different == 0);
  CHECK(right.llvm_comparison.different == 0);

  const Both wrong = run("  store %y [-wi + 3] strided, %v\n");
  CHECK(wrong.infreg_comparison.different == 4);
  CHECK(wrong.llvm_comparison.different == 4);

  const Both poisoned =
      run("  %p : i32[wi 4 x ix 1] = poison\n  store %y [wi] contiguous, %v\n  %m : i1[wi 4 x ix 1] = mask { wi == 2 }\n"
          "  store %y [wi] contiguous, %p, %m\n");
  REQUIRE(poisoned.infreg_comparison.different == 1);
  CHECK(poisoned.infreg_comparison.first->index == 2);
  CHECK(poisoned.infreg_comparison.first->found == "poison");
}

TEST_CASE("diff: an access beside a buffer is found", "[diff]") {
  const std::string_view place = GENERATE("[wi + 4]", "[wi - 4]", "[wi + 1]", "[wi - 1]");
  CAPTURE(place);
  const Both both = run("  store %y " + std::string(place) + " contiguous, %v\n");
  const auto* undefined = std::get_if<Failure>(&both.infreg.result);
  REQUIRE(undefined != nullptr);
  CHECK(undefined->kind == Failure::Kind::Undefined);
  CHECK_THAT(undefined->sentence, Catch::StartsWith("k.ir:3:") && Catch::Contains("lies outside of %y, which has 4 elements"));
  const auto* crash = std::get_if<Failure>(&both.llvm.result);
  REQUIRE(crash != nullptr);
  CHECK(crash->kind == Failure::Kind::Crashed);
}

TEST_CASE("diff: machine code must not write where the kernel may not", "[diff]") {
  // The kernel's `x` is const, which this InfReg-IR has forgotten.
  const Both both = run("  store %y [wi] contiguous, %v\n  %f : f32[wi 4 x ix 1] = constant 0.0\n  store %x [wi] contiguous, %f\n");
  CHECK(both.infreg_comparison.different == 0);
  const auto* crash = std::get_if<Failure>(&both.llvm.result);
  REQUIRE(crash != nullptr);
  CHECK(crash->kind == Failure::Kind::Crashed);
}

namespace {

/// Code on x = 1 2 and y = 0 0 0 0, which the interpreter left as 1 2 3 4, for at most a second.
Ran run_code(const MachineCode& code, Alignment alignment = Alignment::Elements) {
  const LoadedKernel loaded = three_parameters();
  const launch::Arguments before = arguments(floats({1, 2}), ints({0, 0, 0, 0}));
  const launch::Arguments after = arguments(floats({1, 2}), ints({1, 2, 3, 4}));
  const Reference reference{loaded, 3, before, after, 0};
  auto ran = run_apart(code, reference, 1, alignment);
  REQUIRE(ran);
  return std::move(*ran);
}

std::byte* bytes_of(const void* const* arguments, std::size_t which) {
  return const_cast<std::byte*>(static_cast<const std::byte*>(arguments[which]));
}

}  // namespace

TEST_CASE("diff: code gets its arguments, and what it leaves comes back", "[diff]") {
  const auto right = [](const void* const* arguments, std::uint64_t groups) {
    std::int32_t n = 0;
    std::array<float, 2> x{};
    std::memcpy(&n, arguments[0], sizeof n);
    std::memcpy(x.data(), arguments[1], sizeof x);
    const std::array<std::int32_t, 4> y = {n, static_cast<std::int32_t>(groups), static_cast<std::int32_t>(x[0] + x[1]), 4};
    std::memcpy(bytes_of(arguments, 2), y.data(), sizeof y);
  };
  for (const Alignment alignment : {Alignment::Elements, Alignment::Bytes}) {
    const Ran ran = run_code(right, alignment);
    const auto* buffers = std::get_if<0>(&ran.result);
    REQUIRE(buffers != nullptr);
    CHECK((*buffers)[0].bytes == floats({1, 2}).bytes);
    CHECK((*buffers)[1].bytes == ints({7, 3, 3, 4}).bytes);
  }
}

TEST_CASE("diff: buffers begin where elements may, or where none should", "[diff]") {
  const auto is_aligned = [](const void* const* arguments, std::uint64_t) {
    for (const std::size_t which : {1U, 2U}) {
      const auto rest = reinterpret_cast<std::uintptr_t>(arguments[which]) % 4;
      std::memcpy(bytes_of(arguments, 2) + 4 * which, &rest, 4);
    }
  };
  const auto rests = [&](Alignment alignment) { return std::get<0>(run_code(is_aligned, alignment).result)[1].bytes; };
  CHECK(rests(Alignment::Elements) == ints({0, 0, 0, 0}).bytes);
  CHECK(rests(Alignment::Bytes) == ints({0, 3, 2, 0}).bytes);  // with 1 and 2 bytes behind them
}

TEST_CASE("diff: code that goes wrong is a failure, and of the kind that it is", "[diff]") {
  const auto kind = [](const MachineCode& code, Alignment alignment = Alignment::Elements) {
    const Ran ran = run_code(code, alignment);
    const auto* failure = std::get_if<Failure>(&ran.result);
    REQUIRE(failure != nullptr);
    return failure->kind;
  };
  const auto touch = [](std::size_t which, std::ptrdiff_t at) {
    return [=](const void* const* arguments, std::uint64_t) {
      static_cast<volatile std::byte*>(bytes_of(arguments, which))[at] = std::byte{1};
    };
  };
  CHECK(kind(touch(2, 16)) == Failure::Kind::Crashed);
  CHECK(kind(touch(2, -1)) == Failure::Kind::Crashed);
  CHECK(kind(touch(1, 0)) == Failure::Kind::Crashed);  // which it may not write
  CHECK(kind(touch(2, 16), Alignment::Bytes) == Failure::Kind::Crashed);
  CHECK(kind(touch(2, 17), Alignment::Bytes) == Failure::Kind::Crashed);
  CHECK(kind(touch(2, 18), Alignment::Bytes) == Failure::Kind::Crashed);
  CHECK(kind(touch(2, -1), Alignment::Bytes) == Failure::Kind::Crashed);
  CHECK(kind([](const void* const*, std::uint64_t) { std::_Exit(3); }) == Failure::Kind::Crashed);
  const auto forever = [](const void* const*, std::uint64_t) {
    for (volatile bool is_on = true; is_on;) {
    }
  };
  CHECK(kind(forever) == Failure::Kind::Endless);
}

TEST_CASE("each item may be the first to change what others change as well") {
  std::vector<std::uint64_t> all(64);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  CHECK(open_of("y[get_global_id(0)] = atomic_inc(&x[get_group_id(0)]) == 0;", 16) == all);
  CHECK(open_of("local int m[1]; m[0] = 1; barrier(CLK_LOCAL_MEM_FENCE); int v = atomic_and(m, 0); y[get_global_id(0)] = 2 * v;", 16) ==
        all);
  CHECK(open_of("y[get_global_id(0)] = atomic_xchg(&x[0], (int)get_global_id(0)) == 1;", 16) == all);
  // What one item alone changes is what it always is, and so is a sum.
  CHECK(open_of("y[get_global_id(0)] = atomic_inc(&x[get_global_id(0)]) + 3;", 16).empty());
  CHECK(open_of("atomic_add(&y[get_group_id(0)], (int)get_local_id(0)); atomic_xchg(&x[get_global_id(0)], 1);", 16).empty());
  // The instructions of a group come one after the other, those of several do not.
  const std::string mixed = "atomic_add(&y[0], 1); atomic_max(&y[0], 3); atomic_inc(&y[1]);";
  CHECK(open_of(mixed, 1).empty());
  CHECK(open_of(mixed, 2) == std::vector<std::uint64_t>{0});
  CHECK(open_of("local int c; if (get_local_id(0) == 0) atomic_xchg(&c, 0); barrier(CLK_LOCAL_MEM_FENCE); atomic_add(&c, 2);"
                "barrier(CLK_LOCAL_MEM_FENCE); y[get_global_id(0)] = c;",
                16)
            .empty());
  CHECK(open_of("local int c; c = 0; barrier(CLK_LOCAL_MEM_FENCE); atomic_xchg(&c, (int)get_local_id(0)); barrier(CLK_LOCAL_MEM_FENCE);"
                "y[get_global_id(0)] = c;",
                16) == all);
}
