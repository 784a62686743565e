#!/bin/sh
# cuda_matrix.sh LOCKSTEP SOURCE_DIR [KERNEL...]
# The kernels of examples/borg by the CUDA target in both precisions, all sizes and packs of the paper, and some other sizes: by clang on the
# PTX machine, and by a compiler of this machine, against the interpreter. A few of them, which change from day to day (LOCKSTEP_SEED repeats
# them), or all with LOCKSTEP_FULL in the environment; of all kernels, or those that are named.
# shellcheck disable=SC2086,SC2015,SC2154,SC1091
. "$(dirname "$0")/lib/command.sh"
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
if ! command -v clang-19 >/dev/null; then
  echo 'skipped: clang-19 is not installed'
  echo 'counts: 0 passed, 0 failed, 1 skipped'
  exit 0
fi
echo "LOCKSTEP_SEED=$seed repeats this run"
time_limit=300
borg=$source/examples/borg

shift 2
[ $# -gt 0 ] || set -- gema gemm ldus trsv pade enumerate frcg

# compare EVIDENCE TARGET KERNEL OPTION...
compare() {
  evidence=$1 target=$2 kernel=$3
  shift 3
  expect 0 "$evidence" diff $borg/$kernel.cl --target $target --verify off "$@"
  says ' equal '
}
# is_of_today N: whether today's sample, one of N, has this case; every case is counted.
cases=0
is_of_today() {
  cases=$((cases + 1))
  [ -n "${LOCKSTEP_FULL:-}" ] || [ $(((cases + seed) % $1)) -eq 0 ]
}
# sampled N KERNEL OPTION...: on both machines.
sampled() {
  every=$1
  shift
  is_of_today $every || return 0
  compare 'our PTX machine under lowest-pc, fair, random:1, PTX by clang at -O2' cuda "$@"
  ! command -v g++ >/dev/null || compare ' by host emulation, ' cuda-host "$@"
}

# spills KERNEL REAL SIZE: how much of the registers ptxas moves to local memory, for two GPUs: nothing, or of GEMM of 32 in double a few
# numbers, as a thread has 255.
spills() {
  most=0
  [ "$*" != 'gemm double 32' ] || most=64
  for architecture in sm_75 sm_90; do
    if ptxas -arch=$architecture -v out -o kernel.cubin >ptxas.log 2>&1; then
      bytes=$(sed -n 's/.* \([0-9]*\) bytes spill stores.*/\1/p' ptxas.log)
      [ -n "$bytes" ] && [ "$bytes" -le $most ] && good || bad "$*: '$bytes' bytes are spilled for $architecture"
    else
      bad "$*: ptxas for $architecture"
    fi
  done
}
if ! command -v ptxas >/dev/null; then
  echo 'skipped: ptxas is not installed'
  skipped=$((skipped + 1))
fi

for kernel in "$@"; do
  for real in float double; do
    # In packs that are chosen by the model, all values are in registers.
    for size in 4 8 12 16 20 24 28 32; do
      is_of_today 24 || continue
      expect 0 '.visible .entry' emit $borg/$kernel.cl --target ptx --verify off -D REAL=$real --wg-size $size
      grep -qE '(ld|st)\.local|__local_depot' out && bad "$kernel, $real, $size: local memory" || good
      ! command -v ptxas >/dev/null || spills $kernel $real $size
    done
    for size in 4 8 12 16 20 24 28 32; do
      for pack in 1 2 4; do
        sampled 50 $kernel -D REAL=$real --wg-pack $pack $($borg/arguments.sh $kernel $size 7 $seed)
      done
    done
    # Other sizes than those of the paper: alone in a slot, and several vectors a group.
    for size in 1 3 33 48; do
      sampled 24 $kernel -D REAL=$real $($borg/arguments.sh $kernel $size 3 $seed)
    done
  done
done
echo "of $cases cases"
counts
