// What is told of mistakes: by kind, place and words.

#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "tests/ve/support.hpp"

namespace lockstep::test {

namespace {

using ve_machine::FaultKind;

/// The fault that a call ends with.
ve_machine::Fault fault_of(const std::string& c, const std::vector<Given>& arguments,
                           const ve_machine::LaunchOptions& options = {100'000, 1 << 14}) {
  const ve::Object object = object_of("#include <velintrin.h>\n" + c);
  const Called called = call(object, "f", arguments, options);
  REQUIRE(called.outcome.fault.has_value());
  return *called.outcome.fault;
}

std::vector<std::uint64_t> numbers(std::size_t count) { return std::vector<std::uint64_t>(count, 3); }

}  // namespace

TEST_CASE("wrong accesses name the object, the byte and the element", "[ve]") {
  if (!has_clang()) {
    return;
  }
  const auto outside = fault_of("long f(long *x) { return x[7]; }", {numbers(7)});
  CHECK(outside.kind == FaultKind::OutOfBounds);
  CHECK(outside.message == "byte 56 is outside of argument 0, which has 56 bytes");
  const auto before = fault_of("long f(long *x) { return x[-1]; }", {numbers(7)});
  CHECK(before.message == "byte -8 is outside of argument 0, which has 56 bytes");
  const auto vector = fault_of("void f(long *x) { _vel_vst_vssl(_vel_vbrdl_vsl(1, 20), 8, x, 20); }", {numbers(19)});
  CHECK(vector.message == "byte 152 is outside of argument 0, which has 152 bytes (element 19)");
  const auto backward = fault_of("void f(long *x) { _vel_vst_vssl(_vel_vbrdl_vsl(1, 20), -8, x + 10, 20); }", {numbers(19)});
  CHECK(backward.message == "byte -8 is outside of argument 0, which has 152 bytes (element 11)");
  const auto swapped = fault_of("long f(char *x) { return __sync_val_compare_and_swap((long *)(x + 4), 1, 2); }", {numbers(7)});
  CHECK(swapped.kind == FaultKind::Misaligned);
  const auto apart = fault_of("void f(long *x) { _vel_vst_vssl(_vel_vbrdl_vsl(1, 3), 12, x, 3); }", {numbers(7)});
  CHECK(apart.message == "byte 12 of argument 0 is no place for 8 bytes: it is no multiple of that (element 1)");
  const auto null = fault_of("long f(long *x) { return *x; }", {std::uint64_t{0}});
  CHECK(null.kind == FaultKind::OutOfBounds);
  CHECK(null.message == "nothing lies at the address 0x0");
  const auto constant =
      fault_of("static const long t[3] = {1, 2, 3}; void f(long k) { *(volatile long *)(t + k) = 5; }", {std::uint64_t{1}});
  CHECK(constant.kind == FaultKind::Forbidden);
  CHECK(constant.message == "section '.rodata' may not be written");
  const auto gathered = fault_of(
      "void f(long *x) { __vr a = _vel_vsfa_vvssl(_vel_vseq_vl(9), 3, x, 9); _vel_vst_vssl(_vel_vgt_vvssl(a, 0, 0, 9), 8, x, 8); }",
      {numbers(8)});
  CHECK(gathered.message == "byte 64 is outside of argument 0, which has 64 bytes (element 8)");
}

TEST_CASE("masked-off elements may lie anywhere", "[ve]") {
  if (!has_clang()) {
    return;
  }
  const ve::Object object = object_of(
      "#include <velintrin.h>\n"
      "void f(long *x) { __vr i = _vel_vseq_vl(256); __vm256 m = _vel_vfmklgt_mvl(_vel_vcmpsl_vsvl(8, i, 256), 256);\n"
      "  _vel_vst_vssml(i, 8, x, m, 256); }");
  const Called called = call(object, "f", {numbers(8)});
  CHECK_FALSE(called.outcome.fault.has_value());
  CHECK(called.buffers[0] == std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("what was never written is followed to where it counts", "[ve]") {
  if (!has_clang()) {
    return;
  }
  const std::string head = "long f(long *x, long k) { volatile long y[4]; y[1] = 3; ";
  CHECK(fault_of(head + "return x[y[2]]; }", {numbers(4), std::uint64_t{1}}).kind == FaultKind::UndefinedAddress);
  CHECK(fault_of(head + "if (y[k + 1] > 3) x[0] = 1; return 0; }", {numbers(4), std::uint64_t{1}}).kind == FaultKind::UndefinedCondition);
  const auto stored = fault_of(head + "x[1] = y[0] + 1; return 0; }", {numbers(4), std::uint64_t{1}});
  CHECK(stored.kind == FaultKind::UndefinedStored);
  CHECK(stored.message == "what is stored in argument 0 depends on what was never written");
  const auto element = fault_of("void f(long *x) { _vel_vst_vssl(_vel_vld_vssl(8, x, 3), 8, x, 4); }", {numbers(4)});
  CHECK(element.kind == FaultKind::UndefinedStored);
  CHECK(element.message == "what is stored in argument 0 depends on what was never written (element 3)");
  CHECK(fault_of("void f(long *x, long n) { volatile int y[2]; _vel_vst_vssl(_vel_vbrdl_vsl(1, 4), 8, x, y[1]); }",
                 {numbers(4), std::uint64_t{4}})
            .kind == FaultKind::UndefinedLength);
  // Of a float that does not fit, an integer is as good as never written.
  const std::vector<std::uint64_t> floats = {std::bit_cast<std::uint64_t>(1.5), std::bit_cast<std::uint64_t>(-9.0e18),
                                             std::bit_cast<std::uint64_t>(1e19), std::bit_cast<std::uint64_t>(4.0)};
  const auto open = fault_of("void f(long *x) { _vel_vst_vssl(_vel_vcvtldrz_vvl(_vel_vld_vssl(8, x, 4), 4), 8, x, 4); }", {floats});
  CHECK(open.kind == FaultKind::UndefinedStored);
  CHECK(open.message == "what is stored in argument 0 depends on what was never written (element 2)");
  // A half that was never written does not matter where the other one is looked at.
  const ve::Object object = object_of(
      "int f(int k) { volatile struct { int a, b; } s; s.b = k; struct { int a, b; } t = *(volatile __typeof__(t) *)&s; return t.b + 1; }");
  const Called called = call(object, "f", {std::uint64_t{4}});
  CHECK_FALSE(called.outcome.fault.has_value());
  CHECK(called.outcome.result.bits == 5);
}

TEST_CASE("other mistakes", "[ve]") {
  if (!has_clang()) {
    return;
  }
  CHECK(fault_of("long f(long a, long b) { return a / b; }", {std::uint64_t{4}, std::uint64_t{0}}).kind == FaultKind::DivisionByZero);
  const auto divided = fault_of("void f(long *x) { _vel_vst_vssl(_vel_vdivsl_vsvl(5, _vel_vseq_vl(4), 4), 8, x, 4); }", {numbers(4)});
  CHECK(divided.kind == FaultKind::DivisionByZero);
  CHECK(divided.message == "division by zero (element 0)");
  const auto length =
      fault_of("void f(long *x, unsigned n) { _vel_vst_vssl(_vel_vbrdl_vsl(1, n), 8, x, n); }", {numbers(4), std::uint64_t{257}});
  CHECK(length.kind == FaultKind::BadLength);
  CHECK(length.message == "a vector length of 257; it can be 0 to 256");
  CHECK(fault_of("long f(long *x, int i) { return _vel_lvsl_svs(_vel_vld_vssl(8, x, 4), i); }", {numbers(4), std::uint64_t{300}}).kind ==
        FaultKind::BadElement);
  CHECK(fault_of("long f(long (*g)(void)) { return g() + 1; }", {std::uint64_t{0x1000}}).kind == FaultKind::BadJump);
  CHECK(fault_of("volatile int k; void f(void) { for (;;) k = 1; }", {}).kind == FaultKind::StepLimit);
  const auto stack = fault_of("long f(long n) { volatile long a[100]; a[0] = n; return n == 0 ? 1 : f(n - 1) + a[0]; }",
                              {std::uint64_t{100'000}}, {10'000'000, 1 << 16});
  CHECK(stack.kind == FaultKind::StackLimit);
  // What a call changes of registers is unknown behind it, also where the function here does not change it.
  const ve::Object object = object_of("double sqrt(double); double f(double a) { return sqrt(a) + a; }");
  const Called called = call(object, "f", {std::uint64_t{0x4010000000000000U}});
  CHECK_FALSE(called.outcome.fault.has_value());
  CHECK(called.outcome.result.bits == 0x4018000000000000U);
}

TEST_CASE("each fault has its name, and two are limits", "[ve]") {
  using enum FaultKind;
  const std::vector<std::pair<FaultKind, std::string_view>> all = {{OutOfBounds, "out-of-bounds"},
                                                                   {Misaligned, "misaligned"},
                                                                   {Forbidden, "forbidden"},
                                                                   {UndefinedAddress, "undefined-address"},
                                                                   {UndefinedCondition, "undefined-condition"},
                                                                   {UndefinedLength, "undefined-length"},
                                                                   {UndefinedMask, "undefined-mask"},
                                                                   {UndefinedStored, "undefined-stored"},
                                                                   {UndefinedPassed, "undefined-passed"},
                                                                   {BadLength, "bad-length"},
                                                                   {BadElement, "bad-element"},
                                                                   {BadJump, "bad-jump"},
                                                                   {DivisionByZero, "division-by-zero"},
                                                                   {StackLimit, "stack-limit"},
                                                                   {StepLimit, "step-limit"}};
  for (const auto& [kind, name] : all) {
    CHECK(ve_machine::name_of(kind) == name);
    CHECK(ve_machine::is_limit(kind) == name.ends_with("limit"));
  }
}

TEST_CASE("a message names file, function and instruction", "[ve]") {
  if (!has_clang()) {
    return;
  }
  const ve::Object object = object_of("long g(void) { return 1; } long f(long a, long b) { return a / b; }");
  const Called called = call(object, "f", {std::uint64_t{4}, std::uint64_t{0}});
  REQUIRE(called.outcome.fault.has_value());
  CHECK(ve_machine::render(object, decoder(), *called.outcome.fault) ==
        "case.o:f+0x0: error: division by zero\n    divs.l %s0, %s0, %s1\n");
}

}  // namespace lockstep::test
