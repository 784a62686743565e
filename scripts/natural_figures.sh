#!/bin/sh
# natural_figures.sh [LOCKSTEP [SYSTEMS [N]]]
# The kernels of examples/natural as they are, and with a variable for each element of their arrays and size_t in place of int: C++ of the AVX512 target,
# compiled by ${CXX:-g++} for this machine, one thread. Each program checks its results; the status is 1 if some are wrong.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
lockstep=${1:-$source/build/release/tools/lockstep}
systems=${2:-2048}
n=${3:-256}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The Cholesky solver, loops written out, element (i, j) of a as a_i_j.
awk 'BEGIN {
  n = 6
  print "kernel void cholesky(global const double *matrices, global const double *rights, global double *solutions) {\n  const size_t id = get_global_id(0);"
  for (i = 0; i < n; ++i) {
    printf "  double b_%d = rights[id * %d + %d];\n", i, n, i
    for (j = 0; j < n; ++j) printf "  double a_%d_%d = matrices[id * %d + %d];\n", i, j, n * n, i * n + j
  }
  for (k = 0; k < n; ++k) {
    printf "  a_%d_%d = sqrt(a_%d_%d);\n", k, k, k, k
    for (i = k + 1; i < n; ++i) printf "  a_%d_%d /= a_%d_%d;\n", i, k, k, k
    for (j = k + 1; j < n; ++j) for (i = j; i < n; ++i) printf "  a_%d_%d -= a_%d_%d * a_%d_%d;\n", i, j, i, k, j, k
  }
  for (i = 0; i < n; ++i) {
    for (j = 0; j < i; ++j) printf "  b_%d -= a_%d_%d * b_%d;\n", i, i, j, j
    printf "  b_%d /= a_%d_%d;\n", i, i, i
  }
  for (i = n - 1; i >= 0; --i) {
    for (j = i + 1; j < n; ++j) printf "  b_%d -= a_%d_%d * b_%d;\n", i, j, i, j
    printf "  b_%d /= a_%d_%d;\n", i, i, i
  }
  for (i = 0; i < n; ++i) printf "  solutions[id * %d + %d] = b_%d;\n", n, i, i
  print "}"
}' >"$work/cholesky_scalars.cl"

# The product, with acc_0 to acc_7.
awk 'BEGIN {
  print "kernel void gemm(global const float *a, global const float *b, global float *c, size_t tiles_x, size_t n, size_t depth) {"
  print "  const size_t column = get_group_id(0) % tiles_x * get_local_size(0) + get_local_id(0);\n  const size_t row = get_group_id(0) / tiles_x * 8;"
  for (r = 0; r < 8; ++r) printf "  float acc_%d = 0;\n", r
  print "  for (size_t k = 0; k < depth; ++k) {\n    const float right = b[k * n + column];"
  for (r = 0; r < 8; ++r) printf "    acc_%d += a[(row + %d) * depth + k] * right;\n", r, r
  print "  }"
  for (r = 0; r < 8; ++r) printf "  c[(row + %d) * n + column] = acc_%d;\n", r, r
  print "}"
}' >"$work/gemm_scalars.cl"

# figure LABEL KERNEL TEXT ITEMS SIZE [FLAG]
figure() {
  "$lockstep" emit "$3" --target avx512 --wg-size "$4" --verify off -o "$work/$2.$1" >/dev/null
  ${CXX:-g++} -std=c++17 -O3 -march=native ${6:-} -I "$work/$2.$1" "$work/$2.$1/$2.avx512.cpp" "$source/bench/natural/$2.cpp" -o "$work/$2.$1/run"
  printf '%-9s %-8s ' "$2" "$1"
  "$work/$2.$1/run" "$4" "$5"
}
cp "$source/examples/natural/cholesky.cl" "$source/examples/natural/gemm.cl" "$work"
figure written cholesky "$work/cholesky.cl" 16 "$systems"
figure scalars cholesky "$work/cholesky_scalars.cl" 16 "$systems"
figure written gemm "$work/gemm.cl" 64 "$n"
figure scalars gemm "$work/gemm_scalars.cl" 64 "$n" -DNUMBER=std::size_t
