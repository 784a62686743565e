#include "tests/compile_properties/overlap_kernels.hpp"

namespace lockstep::test {

namespace {

constexpr std::string_view from_b = "__global int *a, __global const int *b";
constexpr std::string_view both = "__global int *a, __global int *b";
constexpr std::string_view three = "__global int *a, __global const int *b, __global const int *c";

}  // namespace

const std::vector<OverlapKernel>& overlap_kernels() {
  static const std::vector<OverlapKernel> kernels = {
      {"forward", from_b, "for (int i = 0; i < 4; i++) a[o + 4 * i + l] = b[o + 4 * i + l] + 1;"},
      {"backward", from_b, "for (int i = 3; i >= 0; i--) a[o + 4 * i + l] = b[o + 4 * i + l] + 1;"},
      {"rounds that are not known", from_b, "for (int i = 0; i < n; i++) a[o + 4 * i + l] = b[o + 4 * i + l] + 1;"},
      {"backward, rounds that are not known", from_b, "for (int i = n - 1; i >= 0; i--) a[o + 4 * i + l] = b[o + 4 * i + l] + 1;"},
      {"a stride that is not known", from_b, "for (int i = 0; i < 4; i++) a[o + n * i + l] = b[o + n * i + l] - 3;"},
      {"a loop that is not counted", from_b, "int i = 0; while (i < n && b[o + i] != 12345678) { a[o + 4 * i + l] = b[o + i] * 3; i++; }"},
      {"a row for each item", from_b, "for (int i = 0; i < 4; i++) a[o + 4 * l + i] = 2 * b[o + 4 * l + i];"},
      {"a row for each item, backward", from_b, "for (int i = 3; i >= 0; i--) a[o + 4 * l + i] = 2 * b[o + 4 * l + i];"},
      {"every second element", from_b, "for (int i = 0; i < 2; i++) a[o + 8 * i + 2 * l] = b[o + 8 * i + 2 * l + 1];"},
      {"one goes up, the other down", from_b, "for (int i = 0; i < 4; i++) a[o + 4 * i + l] = b[o + 15 - 4 * i - l] + i;"},
      {"the group's own element", from_b, "for (int i = 1; i < 16; i++) a[o + i] = a[o + i] + b[o + i - 1];"},
      {"one element for all rounds", from_b, "for (int i = 0; i < 5; i++) a[o + l] = a[o + l] + b[o + 4 * i + l];"},
      {"stored before it is loaded", from_b,
       "int s = 0; for (int i = 0; i < 4; i++) { a[o + 4 * i + l] = i - l; s += b[o + 4 * i + l]; } a[o + 16 + l] = s;"},
      {"loaded before it is stored", from_b,
       "int s = 0; for (int i = 0; i < 4; i++) { s += b[o + 4 * i + l]; a[o + 4 * i + l] = s; } a[o + 16 + l] = s;"},
      {"stored in one loop, loaded in the next", from_b,
       "for (int i = 0; i < 4; i++) a[o + 4 * i + l] = i; int s = 0; for (int i = 0; i < 4; i++) s = s * 3 + b[o + 4 * l + i]; "
       "a[o + 16 + l] = s;"},
      {"no loop", from_b,
       "int x = b[o + l + 1]; a[o + l] = x; int y = b[o + l + 2] + a[o + l + 1]; a[o + l + 1] = y; a[o + l + 2] = b[o + l] + x;"},
      {"exchanged", both,
       "for (int i = 0; i < 4; i++) { int x = a[o + 4 * i + l], y = b[o + 4 * i + l]; a[o + 4 * i + l] = y; b[o + 4 * i + l] = x; }"},
      {"changed through both", both,
       "for (int i = 0; i < 4; i++) { a[o + 4 * i + l] += b[o + 4 * i + l]; b[o + 4 * i + l] = a[o + 4 * i + l] - 1; }"},
      {"stored through both", both,
       "for (int i = 0; i < 4; i++) { a[o + 4 * i + l] = i; b[o + 4 * i + l] = -i; } for (int i = 0; i < 4; i++) a[o + 4 * l + i] *= 5;"},
      {"in front of the pointer", both,
       "for (int i = 0; i < 3; i++) { a[o + 4 * i + l + 4] = b[o + 4 * i + l + 3]; b[o + 4 * i + l] = a[o + 4 * i + l + 1]; }"},
      {"an array, filled and stored", from_b,
       "int x[4]; for (int i = 0; i < 4; i++) x[i] = b[o + 4 * l + i]; for (int i = 0; i < 4; i++) a[o + 4 * l + i] = x[3 - i];"},
      {"an array, filled, changed and stored", from_b,
       "int x[4]; for (int i = 0; i < 4; i++) x[i] = b[o + 4 * i + l]; for (int i = 0; i < 4; i++) { x[i] = x[i] * 3 + 1; a[o + 4 * i + l] "
       "= "
       "x[i]; }"},
      {"an array, filled while another is stored", from_b,
       "int x[4] = {1, 2, 3, 4}; for (int i = 0; i < 4; i++) { a[o + 4 * l + i] = x[i]; x[3 - i] = b[o + 4 * l + i]; } for (int i = 0; i < "
       "4; i++) a[o + 16 + l] = a[o + 16 + l] * 2 + x[i];"},
      {"an array of both", both,
       "int x[4], y[4]; for (int i = 0; i < 4; i++) { x[i] = a[o + 4 * l + i]; y[i] = b[o + 4 * i + l]; } for (int i = 0; i < 4; i++) { "
       "a[o + "
       "4 * i + l] = x[i] + y[3 - i]; b[o + 4 * l + i] = x[3 - i] - y[i]; }"},
      {"a triangle", from_b,
       "int x[4]; for (int i = 0; i < 4; i++) x[i] = a[o + 4 * l + i]; for (int s = 0; s < 4; s++) for (int j = s + 1; j < 4; j++) x[j] -= "
       "x[s] * b[o + 4 * s + j]; for (int i = 0; i < 4; i++) a[o + 4 * l + i] = x[i];"},
      {"a triangle in memory", from_b,
       "for (int s = 0; s < 4; s++) for (int j = s + 1; j < 4; j++) a[o + 4 * l + j] -= a[o + 4 * l + s] * b[o + 4 * s + j];"},
      {"shuffled rows", from_b,
       "int x[4], p[4]; for (int i = 0; i < 4; i++) x[i] = b[o + 4 * l + i]; for (int s = 0; s < 4; s++) { for (int j = 0; j < 4; j++) "
       "p[j] = "
       "shuffle(x[j], s); a[o + 4 * s + l] = p[3] - p[0]; if (l > s) for (int j = 0; j < 4; j++) x[j] -= p[j]; } for (int i = 0; i < 4; "
       "i++) "
       "a[o + 4 * l + i] += x[i];"},
      {"local memory", from_b,
       "__local int t[16]; for (int i = 0; i < 4; i++) t[4 * i + l] = b[o + 4 * i + l]; barrier(CLK_LOCAL_MEM_FENCE); for (int i = 0; i < "
       "4; "
       "i++) a[o + 4 * i + l] = t[15 - 4 * i - l];"},
      {"local memory, round by round", from_b,
       "__local int t[4]; for (int i = 0; i < 4; i++) { t[l] = b[o + 4 * i + l]; barrier(CLK_LOCAL_MEM_FENCE); a[o + 4 * i + l] = t[3 - "
       "l]; "
       "barrier(CLK_LOCAL_MEM_FENCE); }"},
      {"where it is odd", from_b, "for (int i = 0; i < 4; i++) if (b[o + 4 * i + l] & 1) a[o + 4 * i + l] = b[o + 4 * l + i] + 7;"},
      {"where it is odd, or else", both,
       "for (int i = 0; i < 4; i++) { if (b[o + 4 * i + l] & 1) a[o + 4 * i + l] = b[o + i] + 7; else b[o + 4 * l + i] = a[o + 4 * i + l]; "
       "}"},
      {"left early", from_b,
       "for (int i = 0; i < 4; i++) { if (b[o + 4 * i + l] % 7 == 3) break; a[o + 4 * i + l] = b[o + 4 * i + l] + 5; }"},
      {"an index from memory", from_b, "for (int i = 0; i < 4; i++) a[o + (b[o + 4 * i + l] & 15)] = b[o + 4 * l + i];"},
      {"pointers that move", both,
       "__global int *p = a + o + l, *q = b + o + l; for (int i = 0; i < 4; i++) { *p = *q + i; p += 4; q += 4; }"},
      {"pointers that are compared", both,
       "a[o + l] = (a < b) + 2 * (a == b) + 4 * (a + l >= b); b[o + 4 + l] = (int)(b - a) + (&a[o + l] == &b[o + 3]);"},
      {"one of two pointers", both,
       "__global int *p = l & 1 ? a : b; for (int i = 0; i < 4; i++) p[o + 4 * i + l] = b[o + 4 * i + l] + a[o + 4 * l + i];"},
      {"three", three, "for (int i = 0; i < 4; i++) a[o + 4 * i + l] = b[o + 4 * i + l] + 3 * c[o + 4 * i + l];"},
      {"three, with an array", three,
       "int x[4]; for (int i = 0; i < 4; i++) x[i] = b[o + 4 * l + i]; for (int i = 0; i < 4; i++) a[o + 4 * l + i] = x[i] - c[o + 4 * i + "
       "l];"},
      {"a product of matrices", three,
       "for (int k = 0; k < 4; k++) for (int j = 0; j < 4; j++) a[o + 4 * l + j] += b[o + 4 * l + k] * c[o + 4 * k + j];"},
      {"a product of matrices in rows", three,
       "int x[4]; for (int j = 0; j < 4; j++) x[j] = 0; for (int k = 0; k < 4; k++) for (int j = 0; j < 4; j++) x[j] += b[o + 4 * l + k] * "
       "c[o "
       "+ 4 * k + j]; for (int j = 0; j < 4; j++) a[o + 4 * l + j] = x[j];"},
      {"bytes", "__global uchar *a, __global const uchar *b", "for (int i = 0; i < 4; i++) a[o + 4 * i + l] = b[o + 4 * i + l] * 3 + 1;"},
      {"doubles in rows", "__global double *a, __global const double *b",
       "double x[4]; for (int i = 0; i < 4; i++) x[i] = b[o + 4 * l + i]; for (int i = 0; i < 4; i++) a[o + 4 * l + i] = x[i] * 0.5 + "
       "b[o + 4 * i + l];"},
      {"longs, backward", "__global long *a, __global long *b",
       "for (int i = 3; i >= 0; i--) { a[o + 4 * i + l] = b[o + 4 * i + l] + 1; b[o + 4 * i + l] *= 2; }"},
  };
  return kernels;
}

}  // namespace lockstep::test
