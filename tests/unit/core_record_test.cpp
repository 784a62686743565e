// Structures against those of C++, whose layout is the same: one text, read by both.

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "semantics/core/translate.hpp"
#include "tests/unit/core_tree_text.hpp"
#include "tests/unit/launch_text.hpp"

using namespace lockstep;

namespace {

// OpenCL's types by their names.
using uchar = std::uint8_t;
using ushort = std::uint16_t;
using uint = std::uint32_t;
using ulong = std::uint64_t;
struct alignas(4) uchar3 {
  uchar x, y, z;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(8) short4 {
  short x, y, z, w;
};

/// A text for the kernel that is also one of this file.
#define IN_BOTH(name, ...)               \
  const std::string name = #__VA_ARGS__; \
  __VA_ARGS__

IN_BOTH(
    mixed_text, struct Mixed {
      char c;
      double d;
      short s;
      int n;
      float f;
      uchar3 v;
      bool b;
      uchar last[3];
    };)
IN_BOTH(
    packed_text, struct Packed {
      char c;
      double d;
      short s;
      uint n;
    } __attribute__((packed));)
IN_BOTH(
    floats_text, struct Floats {
      float x;
      float m[2][3];
      float4 v;
    };)
IN_BOTH(
    nested_text,
    struct Inner {
      int a;
      ushort b[3];
    };
    struct Outer {
      uchar head;
      struct Inner in[2];
      ulong big;
      struct Inner alone;
    };)
IN_BOTH(
    aligned_text, struct Aligned {
      int a;
      char b __attribute__((aligned(16)));
      short4 c;
    } __attribute__((aligned(64)));)

/// What one item leaves in the buffers, which are the kernel's parameters in order: bytes of whatever its words are.
std::vector<std::vector<std::byte>> launched(const std::string& text, const std::vector<std::vector<std::byte>>& buffers) {
  core::Options options;
  options.wg_size = 1;
  const core_test::Reading reading = core_test::read(text, options);
  INFO(text);
  INFO(reading.errors());
  REQUIRE(reading.program);
  const auto program = std::make_shared<const typed::Program>(core::translate(*reading.program, *reading.program->kernel("k")));
  std::vector<launch::Buffer> given;
  for (std::size_t k = 0; k < buffers.size(); ++k) {
    const ScalarType word = program->kernel().registers[k].type.scalar;
    const std::uint64_t count = buffers[k].size() / size_of(word);
    given.push_back({word, count, buffers[k], {count}, {}});
  }
  launch::Arguments arguments = launch_text::arguments(std::move(given));
  const auto outcome = launch::run(program, arguments, {});
  REQUIRE(outcome);
  if (outcome->fault) {
    FAIL(launch::render(*program, *outcome->fault));
  }
  std::vector<std::vector<std::byte>> result;
  for (const launch::Buffer& buffer : arguments.buffers) {
    result.push_back(buffer.bytes);
  }
  return result;
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The longs that a kernel `k(__global long *o)` with this body writes.
std::vector<std::int64_t> longs(const std::string& body, std::size_t count, const std::string& before = "") {
  const auto buffers =
      launched(before + "\n__kernel void k(__global long *o) {\n" + body + "\n}", {bytes_of(std::vector<std::int64_t>(count, -7))});
  return values_of<std::int64_t>(buffers.front());
}

std::string error_of(const std::string& text) {
  core::Options options;
  options.wg_size = 1;
  return core_test::read(text, options).errors();
}

}  // namespace

TEST_CASE("structures: sizes and offsets are those of C", "[core][records]") {
  CHECK(longs("o[0] = sizeof(struct Mixed); o[1] = offsetof(struct Mixed, d); o[2] = offsetof(struct Mixed, s); o[3] = offsetof(struct "
              "Mixed, n);"
              "o[4] = offsetof(struct Mixed, f); o[5] = offsetof(struct Mixed, v); o[6] = offsetof(struct Mixed, b);"
              "o[7] = offsetof(struct Mixed, last[2]);",
              8, mixed_text) == std::vector<std::int64_t>{sizeof(Mixed), offsetof(Mixed, d), offsetof(Mixed, s), offsetof(Mixed, n),
                                                          offsetof(Mixed, f), offsetof(Mixed, v), offsetof(Mixed, b),
                                                          offsetof(Mixed, last) + 2});
  CHECK(longs("o[0] = sizeof(struct Packed); o[1] = offsetof(struct Packed, d); o[2] = offsetof(struct Packed, s); o[3] = offsetof(struct "
              "Packed, n);",
              4, packed_text) == std::vector<std::int64_t>{sizeof(Packed), offsetof(Packed, d), offsetof(Packed, s), offsetof(Packed, n)});
  CHECK(longs("o[0] = sizeof(struct Floats); o[1] = offsetof(struct Floats, m[1][2]); o[2] = offsetof(struct Floats, v);", 3,
              floats_text) == std::vector<std::int64_t>{sizeof(Floats), offsetof(Floats, m) + 5 * sizeof(float), offsetof(Floats, v)});
  CHECK(longs("o[0] = sizeof(struct Outer); o[1] = offsetof(struct Outer, in[1].b[2]); o[2] = offsetof(struct Outer, big);"
              "o[3] = offsetof(struct Outer, alone.b); struct Outer x[3]; o[4] = sizeof x; o[5] = sizeof x[0].in;",
              6, nested_text) == std::vector<std::int64_t>{sizeof(Outer), offsetof(Outer, in) + sizeof(Inner) + offsetof(Inner, b) + 4,
                                                           offsetof(Outer, big), offsetof(Outer, alone) + offsetof(Inner, b),
                                                           3 * sizeof(Outer), 2 * sizeof(Inner)});
  CHECK(longs("o[0] = sizeof(struct Aligned); o[1] = offsetof(struct Aligned, b); o[2] = offsetof(struct Aligned, c);", 3, aligned_text) ==
        std::vector<std::int64_t>{sizeof(Aligned), offsetof(Aligned, b), offsetof(Aligned, c)});
}

TEST_CASE("structures: members of every size in a buffer", "[core][records]") {
  std::vector<Mixed> given(3);
  std::memset(static_cast<void*>(given.data()), 0x5a, sizeof(Mixed) * given.size());
  for (int i = 0; i < 3; ++i) {
    given.at(static_cast<std::size_t>(i)) = {static_cast<char>(-3 - i),
                                             1.5 * i,
                                             static_cast<short>(-300 * i),
                                             70000 * i,
                                             -0.25F * static_cast<float>(i),
                                             {1, 2, 255},
                                             i == 1,
                                             {7, 8, 9}};
  }
  std::vector<Mixed> expected = given;
  for (Mixed& m : expected) {
    m.d = m.d * 2 + m.s;
    m.n += m.c;
    ++m.s;
    m.f = -m.f;
    m.v.y = static_cast<uchar>(m.v.y + 250);
    m.b = !m.b;
    m.last[1] = static_cast<uchar>(m.last[0] ^ m.last[2]);
  }
  std::swap(expected[0], expected[2]);
  const auto buffers = launched(mixed_text + R"(
__kernel void k(__global struct Mixed *p) {
  for (int i = 0; i < 3; i++) {
    p[i].d = p[i].d * 2 + p[i].s;
    p[i].n += p[i].c;
    ++(p + i)->s;
    p[i].f = -p[i].f;
    p[i].v.y += 250;
    p[i].b = !p[i].b;
    int j = 1;
    p[i].last[j] = p[i].last[j - 1] ^ p[i].last[j + 1];
  }
  struct Mixed old = p[0];
  p[0] = p[2];
  p[2] = old;
})",
                                {bytes_of(given)});
  const auto found = values_of<Mixed>(buffers.front());
  for (std::size_t i = 0; i < 3; ++i) {
    INFO(i);
    CHECK(found[i].c == expected[i].c);
    CHECK(found[i].d == expected[i].d);
    CHECK(found[i].s == expected[i].s);
    CHECK(found[i].n == expected[i].n);
    CHECK(found[i].f == expected[i].f);
    CHECK(std::memcmp(&found[i].v, &expected[i].v, 3) == 0);
    CHECK(found[i].b == expected[i].b);
    CHECK(std::memcmp(found[i].last, expected[i].last, 3) == 0);
  }
}

TEST_CASE("structures: packed, nested and of one type in memory of all kinds", "[core][records]") {
  const std::vector<Packed> packed = {{1, 2.5, -3, 4000000000U}, {-5, -1e300, 7, 8}};
  const auto twice = values_of<Packed>(launched(packed_text + R"(
__kernel void k(__global struct Packed *p) {
  __local struct Packed two[2];
  for (int i = 0; i < 2; i++) two[1 - i] = p[i];
  p[0].c = two[0].c; p[0].d = two[0].d * two[1].d; p[0].s = two[0].s++; p[0].n = two[0].n-- + two[0].n;
  p[1].s = two[0].s; double old = p[1].d--; p[1].d = old;
})",
                                                {bytes_of(packed)})
                                           .front());
  CHECK((twice[0].c == -5 && twice[0].d == -1e300 * 2.5 && twice[0].s == 7 && twice[0].n == 15));
  CHECK((twice[1].c == -5 && twice[1].d == -1e300 && twice[1].s == 8 && twice[1].n == 8));

  std::vector<Outer> outer(2);
  outer[0] = {9, {{1, {2, 3, 4}}, {5, {6, 7, 8}}}, 1ULL << 60, {-1, {1, 2, 3}}};
  const auto moved = values_of<Outer>(launched(nested_text + R"(
struct Inner next(struct Inner in, int by) { in.a += by; for (int i = 0; i < 3; i++) in.b[i] *= by; return in; }
void set(__global struct Inner *in, int a) { in->a = a; in[1].b[2] = a; }
__kernel void k(__global struct Outer *p) {
  p[1] = *p;
  set(p[1].in, 77);
  p[1].alone = next(p[0].in[1], 3);
  p[1].big += p[1].alone.a;
  p->in[0] = next(next(p->in[0], 2), 2);
})",
                                               {bytes_of(outer)})
                                          .front());
  CHECK((moved[0].in[0].a == 5 && moved[0].in[0].b[0] == 8 && moved[0].in[0].b[2] == 16 && moved[0].in[1].a == 5));
  CHECK((moved[1].head == 9 && moved[1].in[0].a == 77 && moved[1].in[1].b[2] == 77 && moved[1].in[1].b[1] == 7));
  CHECK((moved[1].alone.a == 8 && moved[1].alone.b[2] == 24 && moved[1].big == (1ULL << 60) + 8));

  // Of floats alone: the memory is floats, and members have addresses.
  std::vector<Floats> floats(1);
  floats[0] = {1, {{2, 3, 4}, {5, 6, 7}}, {8, 9, 10, 11}};
  const auto changed = values_of<Floats>(launched(floats_text + R"(
void twice(__global float *p, int n) { for (int i = 0; i < n; i++) p[i] *= 2; }
__kernel void k(__global struct Floats *p) {
  twice(&p->x, 1); twice(p->m[1], 3); p->v.xy = p->v.wz; float4 v = p->v; p->m[0][0] = v.x + v.w;
})",
                                                  {bytes_of(floats)})
                                             .front())[0];
  CHECK((changed.x == 2 && changed.m[0][0] == 22 && changed.m[0][1] == 3 && changed.m[1][0] == 10 && changed.m[1][2] == 14));
  CHECK((changed.v.x == 11 && changed.v.y == 10 && changed.v.z == 10));
}

TEST_CASE("structures: variables, whole values and what has effects", "[core][records]") {
  const std::string types = "typedef struct { int a, b; } Pair; struct Both { Pair p, q; int n; };";
  CHECK(longs("Pair p = {1, 2}, q = p; q.a = 5; p = q; q = (Pair){p.b, p.a}; o[0] = p.a; o[1] = p.b; o[2] = q.a; o[3] = q.b;", 4, types) ==
        std::vector<std::int64_t>{5, 2, 2, 5});
  CHECK(longs("struct Both s = {{1, 2}, {3, 4}, 5}; s.p = s.q; s.q.b = 9; o[0] = s.p.a * 10 + s.p.b; o[1] = s.q.a * 10 + s.q.b;"
              "struct Both t[2] = {s, {.n = 7}}; t[1].q = t[0].p = (Pair){8, t[0].n}; o[2] = t[0].p.b; o[3] = t[1].q.a; o[4] = t[1].n;",
              5, types) == std::vector<std::int64_t>{34, 39, 5, 8, 7});
  CHECK(
      longs(
          "int n = 0; Pair a[3] = {{1, 1}, {2, 2}, {3, 3}}; a[n++] = a[next(&n) + 1]; o[0] = n; o[1] = a[0].a; a[n].a += 10; o[2] = a[2].a;"
          "o[3] = (n > 5 ? a[0] : a[1]).b; o[4] = (n++, a[1]).a; o[5] = n;",
          6, types + "int next(int *n) { return (*n)++ - 1; }") == std::vector<std::int64_t>{2, 2, 13, 2, 2, 3});
  CHECK(longs("Pair p = {1, 2}; swap(&p); o[0] = p.a; o[1] = p.b; Pair a[2] = {{3, 4}, {5, 6}}; Pair *at = a; swap(at + 1); at++;"
              "o[2] = at->a; o[3] = (*at).b; o[4] = at - a; o[5] = at == &a[1]; swap(a); o[6] = a->a;",
              7, types + "void swap(Pair *p) { Pair old = *p; p->a = old.b; p->b = old.a; }") ==
        std::vector<std::int64_t>{2, 1, 6, 5, 1, 1, 4});
  CHECK(longs("o[0] = made(3, 4).b; Pair p = down((Pair){10, 0}); o[1] = p.a; o[2] = p.b; o[3] = sum(made(1, 2), made(3, 4), 5);", 4,
              types + "Pair made(int a, int b) { Pair p; p.a = a; p.b = b; return p; }"
                      "Pair down(Pair p) { if (p.a == 0) return p; return down((Pair){p.a - 1, p.b + p.a}); }"
                      "int sum(const Pair p, Pair q, int n) { q.a *= 100; return p.a + p.b + q.a + q.b + n; }") ==
        std::vector<std::int64_t>{4, 0, 55, 312});
  CHECK(longs("for (int i = 0; i < 4; i++) { o[i] = t[i].p.a + t[i].q.b * 10 + t[i].n * 100; }", 4,
              types + "__constant struct Both t[] = {[1] = {{1}, .n = 2}, {{3, 4}, {5, 6}, 7}, [0].q.b = 8, [3].p = {9}};") ==
        std::vector<std::int64_t>{80, 201, 763, 9});
  // The source's index is a member of the target; it is read once, before.
  CHECK(longs("Pair t = {1, 7}, u[3] = {{2, 10}, {0, 20}, {1, 30}}; t = u[t.a]; o[0] = t.a; o[1] = t.b; t = u[2]; t = u[t.a]; o[2] = t.b;"
              "Pair w[2][3] = {{{0, 0}, {1, 1}, {2, 2}}, {{1, 10}, {2, 11}, {0, 12}}}; t = w[0][2]; t = w[1][t.a]; o[3] = t.b;"
              "Pair x = {0, 9}; (t = w[t.a + 1][x.a + 2], x = t); o[4] = x.b; o[5] = x.a;",
              6, types) == std::vector<std::int64_t>{0, 20, 20, 12, 12, 0});
}

TEST_CASE("structures: initialisers", "[core][records]") {
  const std::string types = "struct In { int a; int m[2]; }; struct Out { struct In x, y[2]; char c; float4 v; };";
  // Braces left out, designators in the middle, and the zeros.
  CHECK(longs("struct Out s = {1, 2, 3, {{4}, {5, {6, 7}}}, 8, {1, 2, 3, 4}}; o[0] = s.x.a; o[1] = s.x.m[1]; o[2] = s.y[0].a; o[3] = "
              "s.y[0].m[0];"
              "o[4] = s.y[1].m[1]; o[5] = s.c; o[6] = s.v.w;",
              7, types) == std::vector<std::int64_t>{1, 3, 4, 0, 7, 8, 4});
  CHECK(longs("struct Out s = {.y[1].m[0] = 1, 2, 3, .x = {.m[1] = 4}, .x.a = 5, .v = (float4)(6)}; o[0] = s.y[1].m[0]; o[1] = s.y[1].m[1];"
              "o[2] = s.c; o[3] = s.x.m[1]; o[4] = s.x.a; o[5] = s.v.z; o[6] = s.y[0].a;",
              7, types) == std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 0});
  CHECK(longs("int a[] = {1, [4] = 5, 6, [1] = 7}; o[0] = sizeof a / sizeof a[0]; for (int i = 0; i < 6; i++) o[i + 1] = a[i];", 7) ==
        std::vector<std::int64_t>{6, 1, 7, 0, 0, 5, 6});
  CHECK(longs("int a[2][3] = {[1] = {[1] = 4}, [0][2] = 5, 6}; for (int i = 0; i < 6; i++) o[i] = a[i / 3][i % 3];", 6) ==
        std::vector<std::int64_t>{0, 0, 5, 6, 4, 0});
}

TEST_CASE("structures: names in scopes", "[core][records]") {
  CHECK(longs("o[0] = sizeof(struct S);", 1,
              "#pragma OPENCL FP_CONTRACT OFF\nstruct S { char c[3]; };\n#pragma OPENCL FP_CONTRACT ON\nenum { A };\n") ==
        std::vector<std::int64_t>{3});
  CHECK(longs("{ struct S { double d; } x = {3}; o[0] = sizeof x + x.d; } struct S y; o[1] = sizeof y; T z = 4; o[2] = z;"
              "{ int T = 5, E = 6; o[3] = T + E; } o[4] = E + f(1, 2);",
              5, "struct S { char c; }; typedef long T; enum { E = 9 }; int f(int T, int E) { return T * 10 + E; }") ==
        std::vector<std::int64_t>{11, 1, 4, 11, 21});
  // A loop is a scope, to the end of its statement.
  const std::string short_type = "typedef short T; enum { E = 9 };";
  CHECK(longs("for (int T = 0, q = 1; T < 3; T++, q++) { o[0] = T * q; } o[1] = sizeof(T);"
              "for (int T = 0; T < 2; T++) for (int E = 0; E < 2; E++) if (T) o[2] = E; else o[3] = T; o[4] = E + sizeof(T);"
              "for (int E = 0; E < 1; E++) do { o[5] = E; } while (E > 3); o[6] = E;"
              "for (int E = 0; E < 1; E++) if (E) ; else if (E == 0) { o[7] = 5 + E; } else { o[7] = E; } o[8] = E;"
              "if (o[0]) for (int E = 4; E < 5; E++) while (o[9] < E) o[9]++; else o[9] = E; o[10] = E;"
              "o[11] = 0; for (int E = 0; E < 2; ++E) { for (int T = E; T < 2; T++) { int a[] = {T, E}; o[11] += a[0] + a[1]; } } o[12] = "
              "E + sizeof(T);",
              13, short_type) == std::vector<std::int64_t>{6, 2, 1, 0, 11, 0, 9, 5, 9, 4, 9, 3, 11});
  // Where a member is named, its name is no other; one may be called like a type that stands elsewhere.
  CHECK(longs("struct P p = {.x = 5, .T = 1}; o[0] = p.x * 10 + p.T; o[1] = offsetof(struct P, x); o[2] = offsetof(struct P, T); o[3] = x;"
              "struct Q { T const T; } q = {3}; o[4] = q.T + sizeof q;",
              5, "enum { x = 3 }; typedef char T; struct P { int a; short T; int b, x; };") == std::vector<std::int64_t>{51, 12, 4, 3, 4});
  // A parameter of such a type needs no name.
  CHECK(longs("P p = {4}; o[0] = of(p) + of_number(5);", 1,
              "typedef struct { int a; } P; typedef int N; int of(P); int of_number(N); int of(P p) { return 2 * p.a; }"
              "int of_number(N n) { return n; }") == std::vector<std::int64_t>{13});
}

TEST_CASE("structures: unions show one value as another", "[core][records]") {
  const std::string types =
      "union Bits { float f; uint u; uchar b[4]; }; struct Tagged { char tag; union { double d; int i[2]; short4 s; } as; };";
  CHECK(longs("union Bits x; x.f = 1.0f; o[0] = x.u; o[1] = x.b[3]; x.b[0] = 1; o[2] = x.u; x = (union Bits){.u = 0x40400000}; o[3] = x.f;"
              "union Bits y = {2.0f}, z = y; o[4] = z.u; o[5] = sizeof x;",
              6, types) == std::vector<std::int64_t>{0x3f800000, 0x3f, 0x3f800001, 3, 0x40000000, 4});
  CHECK(longs("struct Tagged t[2] = {{1, {.i = {7, 8}}}, {2, {-2.0}}}; for (int k = 0; k < 2; k++) { o[2 * k] = t[k].as.i[1]; o[2 * k + 1] "
              "= t[k].as.s.w; }"
              "t[0].as.d = t[1].as.d * 2; o[4] = t[0].as.i[1]; o[5] = t[0].as.i[0] + t[0].tag; struct Tagged u = t[0]; o[6] = u.as.d; o[7] "
              "= sizeof u;",
              8, types) == std::vector<std::int64_t>{8, 0, static_cast<std::int32_t>(0xc0000000), static_cast<std::int16_t>(0xc000),
                                                     static_cast<std::int32_t>(0xc0100000), 1, -4, 16});
  CHECK(longs("o[0] = t.as.i[0]; o[1] = t.tag; o[2] = pass(t).as.i[1];", 3,
              types + "__constant struct Tagged t = {3, {.i = {4, 5}}}; struct Tagged pass(struct Tagged t) { t.as.i[1]++; return t; }") ==
        std::vector<std::int64_t>{4, 3, 6});
  // Bytes behind all members are copied by nobody.
  CHECK(longs("union Wide a, b = {.n = 7}; b.c[4] = 3; a = b; o[0] = a.n; o[1] = sizeof a; o[2] = a.c[4]; union Wide t[2] = {b, a}; o[3] = "
              "t[1].n;",
              4, "union Wide { int n; char c[5]; } __attribute__((aligned(16)));") == std::vector<std::int64_t>{7, 16, 3, 7});
}

TEST_CASE("structures: atomic changes of members", "[core][records]") {
  struct Slot {
    float sum;
    int count;
    uint most;
  };
  const auto slots = values_of<Slot>(launched(R"(
struct Slot { float sum; int count; uint most; };
__kernel void k(__global struct Slot *p) {
  int old = atomic_add(&p[1].count, -5);
  atomic_max(&p[1].most, 9u);
  p->count = old + atomic_xchg(&p->most, 3u);
})",
                                              {bytes_of(std::vector<Slot>{{1, 2, 4}, {5, 6, 7}})})
                                         .front());
  CHECK((slots[0].count == 10 && slots[0].most == 3 && slots[1].count == 1 && slots[1].most == 9 && slots[1].sum == 5));
}

TEST_CASE("structures: a variable is one for each member, unless something points to it", "[core][records]") {
  core::Options options;
  options.wg_size = 1;
  const auto names = [&](const std::string& body) {
    const core_test::Reading reading = core_test::read(
        "struct In { char c; float f[2]; }; struct S { int n; struct In in[3]; float4 v; }; void g(struct S *s) { s->n = 1; }"
        "__kernel void k(__global int *o) { " +
            body + " }",
        options);
    INFO(reading.errors());
    REQUIRE(reading.program);
    std::string text;
    for (const core::Variable& variable : reading.program->kernel("k")->variables) {
      text += variable.name + ":" + name_of(variable.type) + " ";
    }
    return text;
  };
  CHECK(names("struct S s; s.n = 1; s.in[o[0]].f[1] = 2; s.v.x = 3; o[0] = s.n;") ==
        "o:__global int * s_n:int s_in_c:char[3] s_in_f:float[3][2] s_v:float4 s_v_x:float ");
  CHECK(names("struct S s[2]; s[1].n = 1; o[0] = s[o[0]].n;").starts_with("o:__global int * s_n:int[2] s_in_c:char[2][3] "));
  CHECK(names("struct S s; g(&s);") == "o:__global int * s:uchar[64] ");
}

TEST_CASE("structures: what is wrong", "[core][records][errors]") {
  const std::string type = "struct S { int count; float f[2]; };\n";
  const auto said = [&](const std::string& body, const std::string& where, const std::string& what) {
    INFO(body);
    const std::string text = error_of(type + "__kernel void k(__global int *o, __global struct S *p) { " + body + " }");
    CHECK(text.starts_with("k.cl:" + where + ": error: " + what + "\n"));
  };
  said("p->cuont = 1;", "2:61", "'struct S' has no member 'cuont'; did you mean 'count'?");
  said("p.count = 1;", "2:60",
       "'count' is a component of a vector or a member, but this is '__global struct S *'; '->' goes through a pointer");
  said("struct S s = 3;", "2:71", "'struct S' is initialised by a list in braces or another one");
  said("struct S s = {1, {2, 3}, 4};", "2:83", "there are more initialisers than members: 'struct S' has 2 members");
  said("struct S s = {.x = 1};", "2:73", "'struct S' has no member 'x'");
  said("struct S s = {[0] = 1};", "2:73", "members are designated by .name");
  said("int a[2] = {[2] = 1};", "2:71", "the array has no element 2");
  said("int a[2] = {.x = 1};", "2:71", "elements of an array are designated by [number]");
  said("struct S s; if (s) o[0] = 1;", "2:74", "'struct S' is neither true nor false; its members may be");
  said("struct S s; o[0] = s && 1;", "2:77", "'struct S' is neither true nor false; its members may be");
  said("struct S s, t; s = s + t;", "2:79", "'+' cannot add these types: 'struct S' and 'struct S'");
  said("o[0] = p[0];", "2:65", "cannot convert 'struct S' to 'int' in this assignment");
  said("p[0][1] = 2;", "2:58", "only arrays and pointers have elements, but this is 'struct S'");
  said("const struct S s = {1}; s.count = 2;", "2:82", "this is const and cannot be changed; the type is 'struct S'");
  said("const struct S s = {1}, t = s; struct C { const int n; int m; } u = {1, 2}, v; u.m = 3; v = u;", "2:146",
       "a 'struct C' has const members and cannot be changed as a whole");
  said("int n = 4; struct T { char c[sizeof(n)]; } t;", "2:94",
       "a size in a type cannot be that of 'n', a variable of this function; write the number");
  said("int n = 4; typedef char T[sizeof(n)];", "2:91",
       "a size in a type cannot be that of 'n', a variable of this function; write the number");
  said("struct T t;", "2:65", "there is no complete structure or union 'T' here");
  said("struct S s; struct S *q = &s; float *f = q->f; f[0] = 1;", "2:99",
       "the address of a 'float[2]' cannot be taken here: the memory of this structure is made of 'uint' words; pass the address of the "
       "structure, or copy the member into a variable");
  said("atomic_max(&p->count, 1);", "2:58",
       "this cannot change a 'int' here: the memory is made of 'uint' words; make all its members 'int', or use a buffer "
       "of them");
  CHECK(
      error_of("struct S { int x; struct S s; }; __kernel void k() {}").starts_with("k.cl:1:26: error: a structure cannot contain itself"));
  CHECK(error_of("struct S { int *p; }; __kernel void k() {}")
            .starts_with("k.cl:1:17: error: 'p' cannot be a pointer: pointers are not stored"));
  CHECK(error_of("struct S { char a[1 << 30]; char b[1 << 30]; }; __kernel void k() {}")
            .starts_with("k.cl:1:34: error: 'struct S' is too large"));
  CHECK(error_of("struct S { int x; int x; }; __kernel void k() {}").starts_with("k.cl:1:23: error: there are two members 'x'"));
  CHECK(error_of("struct S { int x __attribute__((aligned(3))); }; __kernel void k() {}")
            .starts_with("k.cl:1:41: error: an alignment is a power of two"));
  CHECK(error_of("struct S { int a[5000]; }; __kernel void k() { struct S s, t; t = s; }")
            .starts_with("k.cl:1:63: error: 'struct S' has more than 4096 numbers"));
  std::string deep = "struct A0 { int x; };";
  for (int i = 1; i < 3000; ++i) {
    deep += "struct A" + std::to_string(i) + " { struct A" + std::to_string(i - 1) + " a[2]; };";
  }
  CHECK(error_of(deep + "__kernel void k() {}").find("too large") != std::string::npos);
  // As deep as wide: what is asked of a type is known with it.
  std::string wide = "struct B0 { char c; };";
  for (int i = 1; i < 30; ++i) {
    wide += "struct B" + std::to_string(i) + " { struct B" + std::to_string(i - 1) + " a, b; };";
  }
  CHECK(error_of(wide + "__kernel void k() { struct B29 x; struct B29 y; y = x; }").find("more than 4096 numbers") != std::string::npos);
  std::string chain = "struct C0 { char c; };";
  for (int i = 1; i < 1000; ++i) {
    chain += "struct C" + std::to_string(i) + " { struct C" + std::to_string(i - 1) + " a; };";
  }
  CHECK(error_of(chain + "__kernel void k() {}").find("structures lie in one another more than 400 levels deep here") != std::string::npos);
  std::string nested;
  for (int i = 0; i < 500; ++i) {
    nested += "struct { ";
  }
  CHECK(error_of(nested).find("nested too deeply: at most 400 levels") != std::string::npos);
}

TEST_CASE("structures: pointers that are cast see the same bits", "[core][records]") {
  const std::vector<float> given = {1, -2.5F, 0.125F, 3};
  const auto result = launched(R"(
uint first(__global uint *p) { return p[0]; }
__kernel void k(__global float *p, __global uint *o) {
  __global uint *q = (__global uint *)p;
  o[0] = q[1];
  q[2] ^= 0x80000000u;
  *(__global int *)(p + 3) += 1;
  __global const int *r = (__global const int *)&q[1];
  r++;
  o[1] = r[-1] < 0;
  o[2] = ((__global const float *)r == p + 2);
  o[3] = r - (__global const int *)p;
  float4 v = *(__global float4 *)p;
  o[4] = as_uint(v.y);
  ((__global uint2 *)o)[3] = (uint2)(5, 6);
  o[7] = atomic_cmpxchg((volatile __global uint *)p, as_uint(1.0f), as_uint(2.5f));
})",
                               {bytes_of(given), bytes_of(std::vector<uint>(8, 9))});
  const auto bits = [](float value) {
    uint word = 0;
    std::memcpy(&word, &value, sizeof word);
    return word;
  };
  const auto words = values_of<uint>(result[0]);
  CHECK(words == std::vector<uint>{bits(2.5F), bits(-2.5F), bits(-0.125F), bits(3) + 1});
  CHECK(values_of<uint>(result[1]) == std::vector<uint>{bits(-2.5F), 1, 1, 2, bits(-2.5F), 9, 5, bits(1)});
}
