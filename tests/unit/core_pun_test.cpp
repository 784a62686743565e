// Pointers that are cast to elements of another size, against memcpy.

#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "codegen/passes/pipeline.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;

namespace {

template <class To, class From>
std::vector<To> seen_as(const std::vector<From>& from) {
  std::vector<To> to(from.size() * sizeof(From) / sizeof(To));
  std::memcpy(to.data(), from.data(), to.size() * sizeof(To));
  return to;
}

launch::Outcome run(const std::string& text, unsigned wg_size, launch::Arguments& a, unsigned warp_size = 0) {
  launch::LaunchOptions options;
  options.warp_size = warp_size;
  return launch_text::run(launch_text::program(text, wg_size), a, options);
}

}  // namespace

TEST_CASE("memory is seen as elements of another size", "[launch][memory]") {
  std::vector<std::uint16_t> numbers(16);
  std::iota(numbers.begin(), numbers.end(), 65530);
  for (const unsigned warp_size : {0U, 1U}) {
    launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::UShort, numbers)});
    const auto outcome =
        run("__kernel void k(__global ushort *s) {\n"
            "  __local ushort l[16];\n"
            "  const int i = get_local_id(0);\n"
            "  for (int k = 0; k < 4; k++) l[4 * i + k] = s[4 * i + k];\n"
            "  barrier(CLK_LOCAL_MEM_FENCE);\n"
            "  __local uint2 *pairs = (__local uint2 *)l;\n"
            "  __global uint2 *out = (__global uint2 *)s;\n"
            "  out[i] = pairs[3 - i] + (uint2)(1, 0x10000);\n"
            "  ((__global uchar *)s)[8 * i + 7] ^= 0xff;\n"
            "}\n",
            4, a, warp_size);
    REQUIRE_FALSE(outcome.fault);
    CHECK(outcome.race_count == 0);
    const std::vector<std::uint32_t> words = seen_as<std::uint32_t>(numbers);
    std::vector<std::uint32_t> wanted;
    for (std::size_t i = 0; i < 4; ++i) {
      wanted.push_back(words[2 * (3 - i)] + 1);
      wanted.push_back((words[2 * (3 - i) + 1] + 0x10000) ^ 0xff000000U);
    }
    CHECK(launch_text::numbers<std::uint16_t>(a.buffers[0]) == seen_as<std::uint16_t>(wanted));
  }
}

TEST_CASE("what is stored as elements of one size is loaded as others, by helpers, too", "[launch][memory]") {
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Double, std::vector<double>{1.5, -2, 3, 4}),
                                                launch_text::buffer(ScalarType::UInt, std::vector<std::uint32_t>(8))});
  const auto outcome =
      run("uint high(__global const uint *word) { return word[1]; }\n"
          "__kernel void k(__global double *d, __global uint *out) {\n"
          "  const int i = get_local_id(0);\n"
          "  out[i] = high((__global const uint *)(d + i));\n"
          "  __global ulong *bits = (__global ulong *)(out + 4);\n"
          "  if (i < 2) bits[i] = (ulong)i << 40 | 7;\n"
          "}\n",
          4, a);
  REQUIRE_FALSE(outcome.fault);
  const auto words = seen_as<std::uint32_t>(std::vector<double>{1.5, -2, 3, 4});
  CHECK(launch_text::numbers<std::uint32_t>(a.buffers[1]) ==
        std::vector<std::uint32_t>{words[1], words[3], words[5], words[7], 7, 0, 7, 256});
}

TEST_CASE("elements of another size keep bounds, alignment and races", "[launch][memory]") {
  const auto fault = [](const std::string& body, unsigned items = 1) {
    launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::UShort, std::vector<std::uint16_t>(5))});
    const auto outcome = run("__kernel void k(__global ushort *s) {\n" + body + "\n}\n", items, a, 1);
    return outcome.fault ? std::string(launch::name_of(outcome.fault->kind)) : outcome.race_count != 0 ? "race" : "none";
  };
  CHECK(fault("((__global uint *)s)[1] = 1;") == "none");
  CHECK(fault("((__global uint *)s)[2] = 1;") == "out-of-bounds");
  CHECK(fault("((__global uint *)(s + 3))[-1] = 1;") != "none");  // not aligned
  CHECK(fault("if (get_local_id(0) == 0) s[1] = 1; else ((__global uint *)s)[0] = 2;", 2) == "race");
  CHECK(fault("if (get_local_id(0) == 0) s[2] = 1; else ((__global uint *)s)[0] = 2;", 2) == "none");
  CHECK(fault("if (get_local_id(0) == 0) ((__global uchar *)s)[0] = 1; else ((__global uchar *)s)[1] = 2;", 2) == "none");
}

TEST_CASE("a pointer becomes one to another type without a cast, or one to memory that may be written with one", "[launch][memory]") {
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::Float, std::vector<float>{1, 2, 3, 4}),
                                                launch_text::buffer(ScalarType::UShort, std::vector<std::uint16_t>{1, 2, 3, 4})});
  const auto outcome =
      run("void set(__global int *p, int i) { p[i] = i; }\n"
          "__kernel void k(__global const float *x, __global ushort *y) {\n"
          "  __global float *f = (__global float *)x;\n"
          "  __global uint *bits = f; __global const uint *pairs = y; __global float4 *v = (__global float4 *)x;\n"
          "  uint low = pairs[1]; set((__global int *)f, 1); set(f, 2); __global int *late; late = (__global int *)x; late[1] += "
          "0x40000000 - 1; f[0] = as_float(bits[1] + 1); ((__global uint *)y)[0] = low; v->w = v->x + 1; }",
          1, a);
  REQUIRE_FALSE(outcome.fault);
  const auto above = std::bit_cast<float>(std::bit_cast<std::uint32_t>(2.0F) + 1);
  CHECK(launch_text::numbers<float>(a.buffers[0]) == std::vector<float>{above, 2, std::bit_cast<float>(2), above + 1});
  CHECK(launch_text::numbers<std::uint16_t>(a.buffers[1]) == std::vector<std::uint16_t>{3, 4, 3, 4});
}

TEST_CASE("a cast from const takes the promise of those kernels that can reach it", "[core]") {
  const auto source = std::make_shared<SourceFile>("k.cl",
                                                   "void set(__global const int *p) { *(__global int *)p = 3; }\n"
                                                   "__kernel void k(__global const int *a, __global const int *b) { set(a); }\n"
                                                   "__kernel void other(__global const int *a, __global int *b) { b[0] = a[0]; }");
  Diagnostics warnings;
  const auto program = core::read_kernels(source, {}, warnings);
  REQUIRE(program);
  CHECK_FALSE(program->kernel("k")->variables[0].type.is_const);
  CHECK(program->kernel("other")->variables[0].type.is_const);
}

TEST_CASE("kernels with elements of another size are not compiled", "[passes]") {
  const auto source = std::make_shared<SourceFile>("k.cl", "__kernel void k(__global ushort *s) { ((__global uint *)s)[0] = 1; }");
  Diagnostics warnings;
  const auto program = core::read_kernels(source, {}, warnings);
  REQUIRE(program);
  const auto kernel = passes::lower(*program, *program->kernel(""), {});
  REQUIRE_FALSE(kernel);
  CHECK(kernel.error().front().message ==
        "memory that is seen as elements of another type or size cannot be compiled; `lockstep run` executes it");
}

TEST_CASE("the address of a member of another type than the words of its structure", "[launch][memory]") {
  launch::Arguments a = launch_text::arguments({launch_text::buffer(ScalarType::UInt, std::vector<std::uint32_t>(12, 7)),
                                                launch_text::buffer(ScalarType::Float, std::vector<float>(1))});
  // { n: 0, f: 1, (2, 3), v: 4 to 7, y: 8 to 10, (11) }
  const auto outcome =
      run("typedef struct { int n; float f; float4 v; float y[3]; } S;\n"
          "void next(__global int *p) { *p += 1; } void nearer(__local int *p) { *p -= 1; }\n"
          "float sum(__global const float *y) { return y[0] + y[1] + y[2]; }\n"
          "__kernel void k(__global S *s, __global float *o) {\n"
          "  __global float4 *v = &s->v; v->y = 5; for (int k = 0; k < 3; k++) s->y[k] = k; next(&s[0].n); o[0] = sum(s->y) + s->v.y;\n"
          "  __local S l[2]; l[1].n = 3; nearer(&l[1].n); *(&s->f) = l[1].n; }",
          1, a);
  REQUIRE_FALSE(outcome.fault);
  CHECK(launch_text::numbers<float>(a.buffers[1]) == std::vector<float>{8});
  CHECK(launch_text::numbers<std::uint32_t>(a.buffers[0]) ==
        std::vector<std::uint32_t>{8, std::bit_cast<std::uint32_t>(2.0F), 7, 7, 7, std::bit_cast<std::uint32_t>(5.0F), 7, 7, 0,
                                   std::bit_cast<std::uint32_t>(1.0F), std::bit_cast<std::uint32_t>(2.0F), 7});
}
