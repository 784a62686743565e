// What is easily misread in C: an OpenCL implementation decides. Every kernel gets 64 ints and 64 uints full of edges, and writes eight
// longs (or doubles) an item.

#include <catch2/catch.hpp>

#include "tests/opencl/compare.hpp"
#include "tests/reference/inputs.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr unsigned wg_size = 16;
constexpr unsigned groups = 4;
constexpr unsigned items = wg_size * groups;

struct Kernel {
  const char* what;
  const char* body;  ///< with i the global item, l the local one, x = a[i], y = a[63 - i], u = b[i], v = b[63 - i], o = out + 8 * i
  const char* before = "";
};

const Kernel kernels[] = {
    {"conversions between integers",
     "o[0] = (char)x; o[1] = (uchar)x; o[2] = (short)x; o[3] = (ushort)u; o[4] = (long)u; o[5] = (ulong)x; o[6] = (uint)(long)x; "
     "o[7] = (char)(uchar)(short)u;"},
    {"conversions in assignments, arguments and results",
     "char c = u; uchar d = x; short s = (c = x + 1); ushort t = narrow(x); o[0] = c; o[1] = d; o[2] = s; o[3] = t; o[4] = narrow(u); "
     "o[5] = wide(x); bool q = x; o[6] = q; q = 0.25f; o[7] = q;",
     "uchar narrow(short s) { return s; }\nulong wide(int n) { return n; }\n"},
    {"integers to floats and back",
     "float f = x; float g = u; double h = (long)x * u; o[0] = (long)f; o[1] = (long)g; o[2] = (long)(h * 0.25); "
     "o[3] = (int)(f * 0.001f); o[4] = (long)(float)((ulong)u * (u & 0xffff)); o[5] = (uint)(g * 0.5f); o[6] = (char)(f / 134217728.0f); "
     "o[7] = (ulong)(double)u;"},
    {"promotions and the usual arithmetic conversions",
     "char c = x; uchar d = u; short s = x; ushort t = u; o[0] = c * c; o[1] = d - t; o[2] = s < t; o[3] = x < u; o[4] = (long)x < u; "
     "o[5] = -t; o[6] = ~d; o[7] = (uint)-1 > c;"},
    {"mixed signs and widths",
     "o[0] = x + u; o[1] = (long)x + u; o[2] = x * (ulong)y; o[3] = (x ^ u) | (long)y; o[4] = x == (int)u; "
     "o[5] = x & 0xffffffffL; o[6] = -u; o[7] = x - 1u > 0;"},
    {"shifts, also by more than the width",
     "uint n = u; o[0] = x << (n & 31); o[1] = x >> (n & 31); o[2] = u >> (n & 31); o[3] = x << n; o[4] = (long)x << n; o[5] = (ulong)u >> "
     "n; "
     "uchar c = u; o[6] = c << 4; short s = x; o[7] = s >> 3;"},
    {"integer division and remainder",
     "int p = y == 0 || y == -1 ? 3 : y; uint q = v == 0 ? 7 : v; o[0] = x / p; o[1] = x % p; o[2] = u / q; o[3] = u % q; "
     "o[4] = (long)x * 3 / p; o[5] = (char)x / (short)7; o[6] = -7 / 2 + -7 % 2; o[7] = x / q;"},
    {"compound assignment on narrow types",
     "char c = x; c += 100; o[0] = c; c *= 3; o[1] = c; uchar d = u; d -= 200; o[2] = d; d <<= 3; o[3] = d; d >>= 1; o[4] = d; "
     "short s = x; s /= -3; o[5] = s; s %= 5; s ^= 0x7fff; o[6] = s; ushort t = u; t *= t | 1u; o[7] = t;"},
    {"compound assignment with floats",
     "int n = x & 0xffff; n *= 1.5f; o[0] = n; n += 0.75; o[1] = n; uchar c = u & 15; c *= 2.5f; o[2] = c; "
     "float f = x; f += u; o[3] = (long)f; f -= 1; o[4] = (long)f; n = 10; n /= 4.0f; o[5] = n; "
     "long m = y; m -= v; o[6] = m; m = m * 3 - 1; o[7] = m;"},
    {"increments",
     "char c = x; o[0] = c++; o[1] = ++c; uchar d = u; o[2] = d--; o[3] = --d; float f = x; o[4] = (long)f++; "
     "o[5] = (long)f; int n = l; o[6] = n++ * 2; o[6] += n; __global long *p = o; p++; *p++ = 5; o[7] = p - o;"},
    {"short circuit and conditions",
     "int n = 0; o[0] = x > 0 && (n += 1); o[1] = n; o[2] = u > 5 || (n += 10); o[3] = n; "
     "o[4] = x > y ? n++ : n--; o[5] = n; o[6] = x ? u ? 1 : 2 : y ? 3 : 4; o[7] = !x + !!u;"},
    {"types of conditional operators",
     "o[0] = x > 0 ? x : u; o[1] = x > 0 ? (char)x : (uchar)u; o[2] = (long)(x > 0 ? x : 0.5f); "
     "o[3] = (x > 0 ? -1 : 1u) > 0; o[4] = x > 0 ? -1 : 1L; o[5] = 1; o[6] = 2; o[7] = 3;"},
    {"switch with sections that run on",
     "long n = 0; switch (x & 7) { case 0: n += 1; case 1: n += 10; break; default: n += 100; case 5: n += 1000; break; "
     "case 2: switch (u & 3) { case 0: n = 7; break; case 1: n = 8; } n += 5; case 3: { n *= 2; break; } } o[0] = n; "
     "for (int k = 0; k < 6; k++) { switch (k ^ (l & 3)) { case 1: continue; case 4: n += k; break; default: n ^= k; } n = n * 3 + k; } "
     "o[1] = n; switch ((char)u) { case -1: n = 1; break; case 'a': n = 2; break; default: n = 3; } o[2] = n; "
     "o[3] = 0; o[4] = 0; o[5] = 0; o[6] = 0; o[7] = 0;"},
    {"loops",
     "int n = x & 63; int c = 0; while (n) { c += n & 1; n >>= 1; if (c == 3) break; } o[0] = c; o[1] = n; "
     "do { n = n * 5 + 1; if (n & 2) continue; c++; } while (n < 1000); o[2] = n; o[3] = c; "
     "for (int p = 0, q = l; p < q; p += 2, q--) { if (q == 7) continue; c += p * q; } o[4] = c; "
     "for (;;) { if (++c > 50) { break; } } o[5] = c; o[6] = 0; o[7] = 0;"},
    {"functions with several returns, and pointers",
     "int w[6]; for (int k = 0; k < 6; k++) { w[k] = x + k; } swap(&w[0], w + 5); swap(w + 1, &w[l % 4 + 2]); "
     "for (int k = 0; k < 6; k++) { o[k] = w[k]; } o[6] = sign(x) + 3 * sign(y); o[7] = &w[4] - &w[1];",
     "void swap(int *p, int *q) { int t = *p; *p = *q; *q = t; }\nint sign(int n) { if (n < 0) return -1; if (n == 0) return 0; return 1; "
     "}\n"},
    {"arrays of arrays and constants",
     "short m[3][4]; for (int r = 0; r < 3; r++) for (int c = 0; c < 4; c++) m[r][c] = table[r][c] * (x & 15) + r; "
     "o[0] = m[l % 3][l % 4]; short *row = m[1]; o[1] = row[2] + *(row + 3) + *row; o[2] = table[2][l & 3]; o[3] = 'a' + '\\n'; "
     "int z[4] = {1, 2}; o[4] = z[0] + z[1] * 10 + z[3]; o[5] = 0x7fffffff + 1u; o[6] = 4294967295u + 1L; o[7] = 010 + 0xfUL;",
     "__constant short table[3][4] = {{1, -2, 3, -4}, {500, 600, 700, 800}, {-1, -1, 2, 2}};\n"},
    {"comparisons of floats, also of no numbers",
     "float n = 0.0f / (x & 1 ? 0.0f : 1.0f); float z = -0.0f; o[0] = n < 1; o[1] = n == n; o[2] = n != n; o[3] = z == 0; o[4] = !n; "
     "o[5] = n || 0; o[6] = 1.0f / z < 0; o[7] = n >= 0 ? 1 : 2;"},
    {"rounding",
     "float f = x; float g = f * 1.1f; float h = g + 0.3f; o[0] = scaled(f, 3.0f); o[1] = scaled(g, 7.0f); "
     "o[2] = (long)(fma(f, 1.1f, 0.3f) - h); o[3] = (long)(f * 1.1f + 0.3f - h); double d = x * 1.1; "
     "o[4] = (long)((d + 0.3) / 3.0); o[5] = (long)(sqrt((float)u) * 1000); o[6] = (long)fabs(f); o[7] = (long)(1e9f * f);",
     "long scaled(float f, float g) { return (long)(f / g * 1024.0f); }\n"},
    {"a reduction in local memory",
     "sum[l] = x; barrier(CLK_LOCAL_MEM_FENCE); for (uint n = get_local_size(0) / 2; n > 0; n /= 2) { "
     "if (l < n) sum[l] += sum[l + n]; barrier(CLK_LOCAL_MEM_FENCE); } o[0] = sum[0]; "
     "o[1] = get_group_id(0); o[2] = get_num_groups(0); o[3] = get_global_size(0); "
     "o[4] = get_local_size(0); o[5] = get_global_id(0); o[6] = 0; o[7] = 0;",
     "LOCAL"},
    {"a prefix sum between barriers",
     "sum[l] = u & 255; barrier(CLK_LOCAL_MEM_FENCE); for (int d = 1; d < 16; d *= 2) { long t = l >= d ? sum[l - d] : 0; "
     "barrier(CLK_LOCAL_MEM_FENCE); sum[l] += t; barrier(CLK_LOCAL_MEM_FENCE); } o[0] = sum[l]; o[1] = sum[15 - l]; "
     "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); sum[15 - l] = x; barrier(CLK_LOCAL_MEM_FENCE); o[2] = sum[l]; "
     "o[3] = 0; o[4] = 0; o[5] = 0; o[6] = 0; o[7] = 0;",
     "LOCAL"},
};

const std::vector<std::int32_t> ints = [] {
  std::vector<std::int32_t> numbers = {0,   1,   -1,    2,     -2,     127,    128,   -128,      -129,
                                       255, 256, 32767, 32768, -32768, -32769, 65535, INT32_MAX, INT32_MIN};
  reference::Random random(21);
  while (numbers.size() < items) {
    numbers.push_back(static_cast<std::int32_t>(random.below(std::uint64_t{1} << 32)) >> random.below(24));
  }
  return numbers;
}();

OpenClCase case_of(const Kernel& kernel) {
  const std::string before = kernel.before;
  const bool has_local = before == "LOCAL";
  OpenClCase c;
  c.text = (has_local ? "" : before) +
           std::string("__kernel void k(__global const int *a, __global const uint *b, __global long *out) {\n") +
           (has_local ? "  __local long sum[16];\n" : "") +
           "  int i = get_global_id(0);\n  int l = get_local_id(0);\n  int x = a[i], y = a[63 - i];\n  uint u = b[i], v = b[63 - i];\n"
           "  __global long *o = out + 8 * i;\n  " +
           kernel.body + "\n}\n";
  c.wg_size = wg_size;
  c.groups = groups;
  std::vector<std::uint32_t> uints(ints.rbegin(), ints.rend());
  for (unsigned k = 0; k < items; ++k) {
    uints[k] ^= k % 3 == 0 ? 0x5a5a5a5a : 0;
  }
  add_buffer(c.arguments, ScalarType::Int, ints);
  add_buffer(c.arguments, ScalarType::UInt, uints);
  add_buffer(c.arguments, ScalarType::Long, std::vector<std::int64_t>(8 * items, -77));
  return c;
}

}  // namespace

TEST_CASE("OpenCL agrees on the language", "[opencl]") {
  for (const Kernel& kernel : kernels) {
    const OpenClCase c = case_of(kernel);
    INFO(kernel.what << "\n" << c.text);
    const Agreement found = compare(c);
    CHECK(found.complaint == "");
    CHECK_FALSE(found.crashed);
    CHECK(found.difference == "");
  }
}

// The comparison would find a difference. Oclgrind and PoCL both read kernels with clang.
TEST_CASE("A kernel that tells the two apart is found", "[opencl]") {
  OpenClCase c = case_of({"", "\n#ifdef __clang__\no[0] = 1;\n#else\no[0] = 2;\n#endif\n"});
  const Agreement found = compare(c);
  CHECK(found.is_clean);
  CHECK(found.difference.find("out[0] is 2 in lockstep, and 1 in ") == 0);
}
