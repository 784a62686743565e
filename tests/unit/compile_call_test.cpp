// Calling what lockstep::compile makes: the three forms of arrays, numbers, threads, and everything that is refused.

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <thread>

#include "tests/unit/compile_kernels.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

CompiledKernel compiled(const std::string& text, const CompileOptions& options) {
  const SourceFile source("test.cl", text);
  auto kernel = compile(source, options);
  INFO((kernel ? "" : render(source, kernel.error())));
  REQUIRE(kernel);
  return *kernel;
}

/// The first error's message.
std::string refused(const std::string& text, const CompileOptions& options) {
  const auto kernel = compile(SourceFile("test.cl", text), options);
  REQUIRE(!kernel);
  REQUIRE(!kernel.error().empty());
  return kernel.error().front().message;
}

std::string error_of(const std::expected<void, std::string>& outcome) { return outcome ? "" : outcome.error(); }

/// A = L D U in place, one matrix, as examples/borg/ldus.cl describes it; the kernel language fuses the product.
void ldu(double* a, std::size_t n) {
  for (std::size_t s = 0; s < n; ++s) {
    const std::vector<double> pivot(a + s * n, a + (s + 1) * n);
    for (std::size_t i = s + 1; i < n; ++i) {
      a[i * n + s] = a[i * n + s] / pivot[s];
      for (std::size_t j = s + 1; j < n; ++j) {
        a[i * n + j] = std::fma(-a[i * n + s], pivot[j], a[i * n + j]);
      }
    }
    for (std::size_t j = s + 1; j < n; ++j) {
      a[s * n + j] = a[s * n + j] / pivot[s];
    }
  }
}

std::string ldus_text() {
  return R"(
__kernel void ldus(__global double *a) {
  const size_t row = get_global_id() * get_local_size();
  double row_a[get_local_size()];
  double pivot[get_local_size()];
  for (int j = 0; j < get_local_size(); j += 1)
    row_a[j] = a[row + j];
  for (int s = 0; s < get_local_size(); s += 1) {
    for (int j = s; j < get_local_size(); j += 1)
      pivot[j] = shuffle(row_a[j], s);
    if (get_local_id() > s)
      row_a[s] = row_a[s] / pivot[s];
    for (int j = s + 1; j < get_local_size(); j += 1)
      if (get_local_id() >= s)
        row_a[j] = get_local_id() == s ? row_a[j] / pivot[s] : row_a[j] - row_a[s] * pivot[j];
  }
  for (int j = 0; j < get_local_size(); j += 1)
    a[row + j] = row_a[j];
}
)";
}

std::vector<double> matrices(std::size_t groups, std::size_t n) {
  std::vector<double> a(groups * n * n);
  for (std::size_t k = 0; k < a.size(); ++k) {
    a[k] = static_cast<double>(k * 37 % 101) / 16 + (k % (n * n) % (n + 1) == 0 ? static_cast<double>(8 * n) : 0.0);
  }
  return a;
}

}  // namespace

TEST_CASE("compile: packed, strided and by pointers, whatever the pack and the threads", "[compile]") {
  constexpr std::size_t groups = 13;  // some are left behind the last full pack
  for (const unsigned n : {3U, 4U, 8U, 17U}) {
    const std::vector<double> input = matrices(groups, n);
    std::vector<double> expected = input;
    for (std::size_t g = 0; g < groups; ++g) {
      ldu(&expected[g * n * n], n);
    }
    for (const unsigned pack : {0U, 1U, 4U}) {
      for (const unsigned threads : {1U, 3U}) {
        const CompiledKernel kernel = compiled(ldus_text(), without_cache(n, pack, threads));
        INFO("n " << n << ", pack " << pack << ", threads " << threads);
        std::vector<double> a = input;
        REQUIRE(error_of(kernel(groups, a)) == "");
        CHECK(a == expected);

        const std::size_t stride = n * n + 5;
        std::vector<double> records(groups * stride, -1);
        std::vector<double*> pointers;
        for (std::size_t g = 0; g < groups; ++g) {
          pointers.push_back(&records[(g * 5 % groups) * stride]);  // in no order
        }
        for (const bool by_pointers : {false, true}) {
          const auto block = [&](std::size_t g) { return by_pointers ? pointers[g] : &records[g * stride]; };
          for (std::size_t g = 0; g < groups; ++g) {
            std::copy_n(&input[g * n * n], n * n, block(g));
          }
          REQUIRE(error_of(by_pointers ? kernel(groups, each(pointers)) : kernel(groups, strided(records, stride))) == "");
          for (std::size_t g = 0; g < groups; ++g) {
            CHECK(std::equal(block(g), block(g) + n * n, &expected[g * n * n]));
            CHECK(std::all_of(block(g) + n * n, block(g) + stride, [](double x) { return x == -1; }));
          }
        }
      }
    }
  }
}

TEST_CASE("compile: forms may be mixed, and groups may share a block that is only read", "[compile]") {
  const auto kernel = compile(scaled_sum, without_cache(2));
  REQUIRE(kernel);
  const std::array<float, 4> ones = {1, 1, 1, 1};
  const std::vector<float> b = {10, 20, 30, 40, 50, 60, 70, 80};
  std::array<float, 4> second{};
  std::array<float, 4> first{};
  const std::vector<float*> c = {first.data(), second.data()};
  REQUIRE(error_of((*kernel)(2, 3, strided(ones, 0), b, each(c))) == "");
  CHECK(first == std::array<float, 4>{13, 23, 33, 43});
  CHECK(second == std::array<float, 4>{53, 63, 73, 83});

  // Memory that two parameters share is what the kernel sees, as in one array.
  std::vector<float> both = b;
  REQUIRE(error_of((*kernel)(2, 2.0, both, strided(both.data(), 4), both.data())) == "");
  CHECK(both == std::vector<float>{30, 60, 90, 120, 150, 180, 210, 240});
}

TEST_CASE("compile: groups keep their numbers in every form", "[compile]") {
  const CompiledKernel kernel = compiled(
      "__kernel void numbers(__global ulong *out) { out[get_global_id()] = get_group_id() * 1000 + get_num_groups() * 10 + get_local_id(); "
      "}",
      without_cache(2, 2, 2));
  std::vector<std::uint64_t> packed(10);
  std::vector<std::uint64_t> apart(50);
  REQUIRE(error_of(kernel(5, packed)) == "");
  REQUIRE(error_of(kernel(5, strided(apart, 10))) == "");
  for (std::size_t g = 0; g < 5; ++g) {
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(packed[2 * g + i] == g * 1000 + 50 + i);
      CHECK(apart[10 * g + i] == g * 1000 + 50 + i);
    }
  }
}

TEST_CASE("compile: numbers arrive as they are, or not at all", "[compile]") {
  const CompiledKernel kernel = compiled(
      "__kernel void take(bool t, char c, ushort s, int i, ulong l, float f, double d, __global double *out) {"
      " out[0] = t; out[1] = c; out[2] = s; out[3] = i; out[4] = l; out[5] = f; out[6] = d; }",
      without_cache(1));
  std::vector<double> out(7);
  REQUIRE(error_of(kernel(1, true, -128, 65535U, -1LL, std::uint64_t{1} << 53, 0.1, 7, out)) == "");
  CHECK(out == std::vector<double>{1, -128, 65535, -1, 9007199254740992.0, static_cast<double>(0.1F), 7});
  REQUIRE(error_of(kernel(1, 0, 127, std::uint8_t{3}, std::numeric_limits<int>::min(), 0, 1.5F, -2.5, out)) == "");
  CHECK(out == std::vector<double>{0, 127, 3, -2147483648.0, 0, 1.5, -2.5});

  const std::string does_not_fit = ", in which the number does not fit";
  CHECK(error_of(kernel(1, 2, 0, 0, 0, 0, 0, 0, out)) == "parameter 't' of 'take' is bool" + does_not_fit);
  CHECK(error_of(kernel(1, 0, 128, 0, 0, 0, 0, 0, out)) == "parameter 'c' of 'take' is char" + does_not_fit);
  CHECK(error_of(kernel(1, 0, -129, 0, 0, 0, 0, 0, out)) == "parameter 'c' of 'take' is char" + does_not_fit);
  CHECK(error_of(kernel(1, 0, 0, -1, 0, 0, 0, 0, out)) == "parameter 's' of 'take' is ushort" + does_not_fit);
  CHECK(error_of(kernel(1, 0, 0, 0, std::int64_t{1} << 31, 0, 0, 0, out)) == "parameter 'i' of 'take' is int" + does_not_fit);
  CHECK(error_of(kernel(1, 0, 0, 0, 0, -1, 0, 0, out)) == "parameter 'l' of 'take' is ulong" + does_not_fit);
  CHECK(error_of(kernel(1, 0, 0, 0, 1.0, 0, 0, 0, out)) == "parameter 'i' of 'take' is int, which takes no number of type double");
}

TEST_CASE("compile: wrong arguments are refused before anything runs", "[compile]") {
  const auto kernel = compile(scaled_sum, without_cache(2));
  REQUIRE(kernel);
  const std::vector<float> in(12, 1);
  std::vector<float> out(12, -1);
  std::vector<double> wide(12);
  float* const none = nullptr;
  std::vector<float*> pointers = {&out[0], nullptr, &out[8]};
  const auto* crooked = reinterpret_cast<const float*>(reinterpret_cast<const char*>(in.data()) + 1);
  const std::string a = "parameter 'A' of 'scaled_sum' ";
  const std::string c = "parameter 'C' of 'scaled_sum' ";
  const auto call = [&](const KernelArgument& number, const KernelArgument& first, const KernelArgument& last, std::uint64_t groups = 3) {
    return error_of((*kernel)(groups, number, first, in, last));
  };
  CHECK(error_of((*kernel)(3, 1.0F, in, in)) == "'scaled_sum' has 4 parameters, not 3");
  CHECK(call(in, in, out) == "parameter 'a' of 'scaled_sum' is a number of type float, not an array");
  CHECK(call(1, 5, out) == a + "is an array of float, not a number");
  CHECK(call(1, wide, out) == a + "is an array of float, not of double");
  CHECK(call(1, in, in) == c + "is written, and the argument must not be (const)");
  CHECK(call(1, none, out) == a + "is a null pointer");
  CHECK(call(1, crooked, out) == a + "begins at an address that is no multiple of its elements' size");
  CHECK(call(1, in, std::span(out).first(11)) == c + "has 11 elements; group 2 touches element 11");
  CHECK(call(1, in, out, std::uint64_t{1} << 62) == a + "is touched by group 4611686018427387903 far from all memory");
  CHECK(call(1, in, strided(out, 3)) == c + "is written, and groups 3 elements apart would share some: each has 4");
  CHECK(call(1, strided(in, 5), out) == a + "has 12 elements; 3 groups of 4, 5 apart, need 14");
  CHECK(call(1, strided(in.data(), std::size_t{1} << 62), out) ==
        a + "would need more than all memory for 3 groups that are 4611686018427387904 elements apart");
  CHECK(call(1, in, each(pointers)) == c + "has a pointer for group 1 that is null");
  CHECK(call(1, in, each(std::span(pointers).first(2))) == c + "has 2 pointers for 3 groups");
  const auto shared = [&](std::array<std::size_t, 3> first, bool is_written) {
    const std::array<float*, 3> blocks = {&out[first[0]], &out[first[1]], &out[first[2]]};
    return is_written ? call(1, in, each(blocks)) : call(1, each(blocks), out);
  };
  CHECK(shared({0, 8, 5}, true) == c + "is written, and the blocks of groups 1 and 2 share some memory: each has 4 elements");
  CHECK(shared({4, 0, 4}, true) == c + "is written, and the blocks of groups 0 and 2 share some memory: each has 4 elements");
  CHECK(std::ranges::all_of(out, [](float x) { return x == -1; }));
  CHECK(shared({8, 0, 4}, true) == "");
  CHECK(shared({8, 8, 7}, false) == "");

  CHECK(call(1, in, std::span(out).first(0), 0) == "");
  CHECK(call(1, in, none, 0) == "");
}

TEST_CASE("compile: what a kernel touches decides what can be given in blocks", "[compile]") {
  const auto blocks = [](const std::string& body, unsigned wg_size = 4) {
    const CompiledKernel kernel =
        compiled("__kernel void k(__global int *x, __global const int *y, int n) {" + body + "}", without_cache(wg_size));
    return kernel.parameters()[0].footprint;
  };
  const auto of = [](std::uint64_t block) { return std::optional(block); };
  CHECK(blocks("x[get_global_id()] = n;").block == of(4));
  CHECK(blocks("x[get_group_id() * 10 + get_local_id()] = n;").block == of(10));
  CHECK(blocks("for (int j = 0; j < 3; j += 1) x[get_global_id() * 3 + j] = n;").block == of(12));
  CHECK(blocks("if (n > 0) x[get_group_id()] = n;").block == of(1));
  CHECK(blocks("x[get_group_id() * 3 + get_local_id()] = n;").block == std::nullopt);  // item 3 is in the next group's block
  CHECK(blocks("x[get_local_id()] = n;").block == std::nullopt);
  CHECK(blocks("x[get_global_id() + n] = n;").block == std::nullopt);
  CHECK(blocks("x[y[get_global_id()]] = n;").block == std::nullopt);
  CHECK(blocks("x[get_global_id()] = n; x[get_group_id() * 8] = n;").block == std::nullopt);
  CHECK(blocks("__global int *p = x; p += n; p[get_global_id()] = n;").block == std::nullopt);

  CHECK(blocks("x[get_global_id()] = n;").certain == std::vector<CertainAccess>{{4, 0, 3}});
  CHECK(blocks("x[5] = n;").certain == std::vector<CertainAccess>{{0, 5, 5}});
  CHECK(blocks("x[7 - get_local_id()] = n;").certain == std::vector<CertainAccess>{{0, 4, 7}});
  CHECK(blocks("if (n > 0) x[get_global_id()] = n;").certain.empty());
  CHECK(blocks("while (n > 0) { x[get_global_id()] = n; n -= 1; }").certain.empty());

  const CompiledKernel shared = compiled("__kernel void k(__global int *x) { x[get_local_id()] = 1; }", without_cache(4));
  std::vector<int> x(8);
  CHECK(error_of(shared(2, strided(x, 4))).find("cannot be given in blocks") != std::string::npos);
}

TEST_CASE("compile: errors of the text and of the options", "[compile]") {
  const CompileOptions plain = without_cache(4);
  CHECK(refused("__kernel void k(__global int *x) { x[0] = y; }", plain).find("'y'") != std::string::npos);
  CHECK(refused("__kernel void f(int n) {} __kernel void g(int n) {}", plain) ==
        "there are several kernels; the options have to choose one: f, g");
  CompileOptions options = plain;
  options.kernel = "h";
  CHECK(refused("__kernel void f(int n) {} __kernel void g(int n) {}", options) == "there is no kernel 'h', only f, g");
  CHECK(refused("int f(int n) { return n; }", plain).find("kernel") != std::string::npos);
  CHECK(
      refused("int f(int n) { return n > 0 ? f(n - 1) : 0; } __kernel void k(__global int *x) { x[0] = f(3); }", plain).find("recursive") !=
      std::string::npos);
  CHECK(refused("__kernel void k(__global int *x) { x[0] = 1; }", without_cache((1U << 20) + 1)) ==
        "wg_size 1048577: a group has at most 1048576 items");
  CHECK(refused("__kernel void k(__global int *x) { x[0] = 1; }", without_cache(4, 4'000'000'000U)) ==
        "wg_pack 4000000000: so many groups of 4 items have more than 1048576 items");
  // It speaks of no command line.
  CHECK(refused("__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(__global int *x) { x[0] = 1; }", plain) ==
        "'k' requires work groups of 8 items, but they have 4");
  options = plain;
  options.level = 4;
  CHECK(refused("", options) == "level 4: LLVM's levels are 0 to 3");
  options = plain;
  options.defines = {{"2", "x"}};
  CHECK(!refused("", options).empty());
  CHECK(!refused("__kernel void k(__global long *x) { long m[4096]; for (int j = 0; j < 4096; j += 1) m[j] = x[j]; "
                 "for (int j = 0; j < 4096; j += 1) x[m[j]] = m[4095 - j]; }",
                 without_cache(1U << 20))
             .empty());
}

TEST_CASE("compile: a kernel may be called like a function that its machine code calls", "[compile]") {
  CompileOptions options = without_cache(1);
  options.level = 3;  // at which a loop of zeros becomes a call of memset
  std::vector<std::int8_t> zeros(1000, 1);
  const CompiledKernel set = compiled("__kernel void memset(__global char *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }", options);
  REQUIRE(set(1, zeros, 999));
  CHECK(std::ranges::count(zeros, 0) == 999);
  CHECK(zeros.back() == 1);
  // Scratch memory beyond what lies on the stack.
  std::vector<int> sums(3);
  const CompiledKernel allocate = compiled(
      "__kernel void aligned_alloc(__global int *a, int n) { __local int l[100000]; l[n] = 5; l[n + 1] = 6; a[get_group_id()] = l[n] + l[n "
      "+ 1]; }",
      options);
  REQUIRE(allocate(3, sums, 70000));
  CHECK(sums == std::vector<int>{11, 11, 11});
}

TEST_CASE("compile: warnings, macros and contraction", "[compile]") {
  CompileOptions options = without_cache(1);
  options.defines = {{"T", "float"}, {"N", "2"}};
  const std::string text = "__kernel void k(__global T *x) { x[0] = x[0] * x[0] - N; }";
  const CompiledKernel fused = compiled(text, options);
  CHECK(fused.parameters()[0].type == ScalarType::Float);
  CHECK(fused.warnings().empty());
  options.fp_contract = false;
  const CompiledKernel apart = compiled(text, options);
  const float x = 1.41421354F;
  std::array<float, 1> a = {x};
  std::array<float, 1> b = {x};
  REQUIRE(fused(1, a));
  REQUIRE(apart(1, b));
  CHECK(a[0] == std::fma(x, x, -2.0F));
  CHECK(b[0] == static_cast<float>(static_cast<double>(x) * x) - 2.0F);
  CHECK(a[0] != b[0]);
}

TEST_CASE("compile: many threads may call one kernel", "[compile]") {
  constexpr unsigned n = 4;
  constexpr std::size_t groups = 64;
  const CompiledKernel kernel = compiled(ldus_text(), without_cache(n, 1, 2));
  const std::vector<double> input = matrices(groups, n);
  std::vector<double> expected = input;
  for (std::size_t g = 0; g < groups; ++g) {
    ldu(&expected[g * n * n], n);
  }
  std::array<bool, 4> is_right{};
  {
    std::vector<std::jthread> callers;
    for (bool& right : is_right) {
      callers.emplace_back([&right, copy = kernel, &input, &expected] {
        right = true;
        for (int round = 0; round < 20; ++round) {
          std::vector<double> a = input;
          right = right && copy(groups, a) && a == expected;
        }
      });
    }
  }
  CHECK(std::ranges::all_of(is_right, [](bool right) { return right; }));
}

// By hand: four items of one group, so that round j of all items comes before round j + 1.
TEST_CASE("compile: arrays of one type may overlap anywhere", "[compile]") {
  const CompiledKernel shift = compiled(
      "__kernel void k(__global int *to, __global const int *from, int n) {\n"
      "  for (int j = 0; j < 3; ++j) to[4 * j + get_local_id()] = from[4 * j + get_local_id()] + 1;\n}",
      without_cache(4, 1));
  std::vector<int> m(16);
  REQUIRE(shift(1, m.data() + 4, m.data(), 0));  // each round reads what the one before wrote
  CHECK(m == std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3});
  REQUIRE(shift(1, m.data(), m.data() + 4, 0));
  CHECK(m == std::vector<int>{2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 3, 3, 3, 3});
}

TEST_CASE("compile: memory that two parameters must not share", "[compile]") {
  std::vector<int> m(8);
  const std::span<int> all(m);
  const CompiledKernel alone = compiled(
      "__kernel void k(__global int *restrict a, __global const int *b) { a[get_global_id()] = b[get_global_id()]; }", without_cache(4, 1));
  CHECK(error_of(alone(1, all.first(4), all.last(4))) == "");
  CHECK(error_of(alone(1, all.first(5), all.last(4))) == "parameters 'a' and 'b' of 'k' share memory, but 'a' is declared restrict");
  CHECK(error_of(alone(1, all, all)) == "parameters 'a' and 'b' of 'k' share memory, but 'a' is declared restrict");
  const CompiledKernel read = compiled(
      "__kernel void k(__global const int *restrict a, __global const int *b, __global int *c) {"
      " c[get_global_id()] = a[get_global_id()] + b[get_global_id()]; }",
      without_cache(4, 1));
  CHECK(error_of(read(1, all.first(4), all.first(4), all.last(4))) == "");
  CHECK(error_of(read(1, all.first(4), all.last(4), all.first(4))) ==
        "parameters 'a' and 'c' of 'k' share memory, but 'a' is declared restrict");
  const CompiledKernel mixed = compiled(
      "__kernel void k(__global int *a, __global const uint *b) { a[get_global_id()] = b[get_global_id()]; }", without_cache(4, 1));
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the two types may meet in C++, too
  const std::span<const unsigned> as_unsigned(reinterpret_cast<const unsigned*>(m.data()), m.size());
  CHECK(error_of(mixed(1, all.first(4), as_unsigned.last(4))) == "");
  CHECK(error_of(mixed(1, all.first(5), as_unsigned.last(4))) ==
        "parameters 'a' and 'b' of 'k' share memory, but have elements of types int and uint");
}

#ifdef __x86_64__
TEST_CASE("compile: the caller's control state of floats neither matters nor changes", "[compile]") {
  const CompiledKernel kernel =
      compiled("__kernel void k(__global float *x) { x[get_global_id()] = x[get_global_id()] / 3.0f; }", without_cache(4, 1, 2));
  const std::vector<float> input = {1.0F, 1e-39F, 5e-38F, -7.0F, 2.0F, 1e-45F, 1e-40F, 9.0F};
  std::vector<float> expected = input;
  REQUIRE(kernel(2, expected));
  CHECK(expected[1] == 1e-39F / 3.0F);
  CHECK(expected[1] > 0);
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | _MM_FLUSH_ZERO_ON | _MM_ROUND_UP | 0x40U);  // denormals are zero, too
  std::vector<float> x = input;
  const bool has_run = kernel(2, x).has_value();
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  REQUIRE(has_run);
  CHECK((after & ~0x3FU) == ((before | _MM_FLUSH_ZERO_ON | _MM_ROUND_UP | 0x40U) & ~0x3FU));
  CHECK(x == expected);
}
#endif
