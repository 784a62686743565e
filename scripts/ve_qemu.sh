#!/bin/sh
# scripts/ve_qemu.sh [LOCKSTEP [SOURCE_DIR]]
# How fast the VE machine is on GEMM in double precision: lane-operations a second, which are elements of vector instructions; and the same
# batch by qemu-user, as C for aarch64 by gcc -O3. Both give the same bits, or it ends with status 1. All is processor time, of the best of
# several runs, less that of a run of no groups. In the environment:
#   SIZE, BATCH   of the matrices, and how many of them (default 16, 8192)
#   RUNS          (default 3)
set -eu
case ${1:-} in
  --help | -h)
    sed -n '2,7s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
source=${2:-$(dirname "$0")/..}
lockstep=${1:-$source/build/release/tools/lockstep}
if [ ! -x "$lockstep" ]; then
  echo "ve_qemu: there is no program '$lockstep'" >&2
  exit 2
fi
size=${SIZE:-16}
batch=${BATCH:-8192}
runs=${RUNS:-3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
if ! printf 'int f(void) { return 1; }' | clang-19 --target=ve-linux -x c -c -o "$dir/try.o" - 2>"$dir/err"; then
  echo 'skipped: clang-19 is not installed, or makes no code for VE'
  exit 0
fi
elements=$((batch * size * size))

# seconds COMMAND...: of the processor; in a shell of its own, whose times begin at 0.
seconds() {
  if ! "$@" >"$dir/out" 2>"$dir/err"; then
    head -c 1000 "$dir/err" >&2
    return 1
  fi
  times >"$dir/times"
  awk 'NR == 2 { for (k = 1; k <= 2; k++) { split($k, t, /[ms]/); sum += 60 * t[1] + t[2] } } END { print sum }' "$dir/times"
}
# best COMMAND...: the last word is the number of groups.
best() {
  : >"$dir/runs"
  for run in $(seq "$runs"); do
    full=$(seconds "$@" "$batch")
    empty=$(seconds "$@" 0)
    echo "$full $empty" >>"$dir/runs"
  done
  awk 'NR == 1 || $1 < full { full = $1 } NR == 1 || $2 < empty { empty = $2 } END { if (full - empty > 0) print full - empty }' "$dir/runs" >"$dir/best"
  grep -q . "$dir/best" || { echo "ve_qemu: too little to be timed; BATCH says how much" >&2; exit 1; }
  cat "$dir/best"
}

"$lockstep" emit "$source/examples/borg/gemm.cl" -D REAL=double --target ve --verify off --wg-size "$size" -o "$dir/ve"
clang-19 --target=ve-linux-gnu -O2 -c "$dir/ve/gemm.ve.c" -o "$dir/gemm.o"
ve() {
  "$lockstep" run "$dir/gemm.o" --kernel gemm --arg 0=f64:$elements:iota --arg 1=f64:$elements:iota --arg 2=f64:$elements:zeros \
    --arg 3="$1" --out "2=$dir/c.npy" --frame-memory 32M
}
ours=$(best ve)
ve "$batch" >"$dir/counted"
lanes=$(sed -n 's/^vectors: .* with \([0-9]*\) elements.*/\1/p' "$dir/counted")
awk -v n="$size" -v batch="$batch" -v lanes="$lanes" -v s="$ours" 'BEGIN {
  printf "GEMM, double, %d x %d, %d groups\n", n, n, batch
  printf "VE machine   %6.0f million lane-operations a second, %.0f million products a second\n", lanes / s / 1e6, batch * n * n * n / s / 1e6
}'

if ! command -v qemu-aarch64 >/dev/null || ! command -v aarch64-linux-gnu-gcc >/dev/null; then
  echo 'skipped: qemu-aarch64 or aarch64-linux-gnu-gcc is not installed'
  exit 0
fi
cat >"$dir/gemm.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
static void gemm(const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) c[i * N + j] = 0;
    for (int k = 0; k < N; k++)
      for (int j = 0; j < N; j++) c[i * N + j] += a[i * N + k] * b[k * N + j];
  }
}
int main(int argc, char **argv) {
  long groups = argc > 2 ? atol(argv[2]) : 0;
  double *a = malloc(BATCH * N * N * sizeof *a), *b = malloc(BATCH * N * N * sizeof *b), *c = calloc(BATCH * N * N, sizeof *c);
  FILE *out = fopen(argv[1], "wb");
  if (!a || !b || !c || !out) return 1;
  for (long i = 0; i < BATCH * N * N; i++) a[i] = b[i] = i;
  for (long g = 0; g < groups; g++) gemm(a + g * N * N, b + g * N * N, c + g * N * N);
  return fwrite(c, sizeof *c, BATCH * N * N, out) != BATCH * N * N || fclose(out) != 0;
}
C
aarch64-linux-gnu-gcc -O3 -ffp-contract=off -static -D N="$size" -D "BATCH=${batch}L" "$dir/gemm.c" -o "$dir/gemm"
qemu() { qemu-aarch64 "$dir/gemm" "$dir/c.bin" "$1"; }
theirs=$(best qemu)
qemu "$batch"
tail -c $((8 * elements)) "$dir/c.npy" | cmp - "$dir/c.bin" || {
  echo 've_qemu: the results differ' >&2
  exit 1
}
awk -v n="$size" -v batch="$batch" -v ours="$ours" -v theirs="$theirs" 'BEGIN {
  printf "qemu-aarch64 %6.0f million products a second, gcc -O3\n", batch * n * n * n / theirs / 1e6
  printf "the VE machine takes %.2f times as long\n", ours / theirs
}'
