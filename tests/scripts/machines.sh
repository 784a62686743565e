#!/bin/sh
# machines.sh LOCKSTEP SOURCE_DIR
# Other machines than this one: bundles of `lockstep emit`, compiled for a processor with AVX2 and run here, for aarch64 and for riscv64 with
# and without vectors, run by qemu; each compares its bits with the interpreter's. What is not installed is skipped, and counted as that.
# All seven borG kernels, a size and a type of each that change from day to day (LOCKSTEP_SEED repeats them); all with LOCKSTEP_FULL.
# shellcheck disable=SC2086
. "$(dirname "$0")/lib/command.sh"
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
echo "LOCKSTEP_SEED=$seed repeats this run"

# on NAME COMPILER RUNNER EMIT_OPTIONS: the kernel's bundle with these options of emit, compiled and run, says that it is equal.
on() {
  name=$1 compiler=$2 runner=$3 options=$4
  if ! command -v "${compiler%% *}" >/dev/null || { [ -n "$runner" ] && ! command -v "${runner%% *}" >/dev/null; }; then
    skipped=$((skipped + 1))
    missing="$missing $name"
    return
  fi
  rm -rf bundle
  expect 0 '' emit $source/examples/$kernel.cl --target llvm --object $launch $options --bundle bundle
  if ! (cd bundle && $compiler -O1 -static -o run main.c *.o -lm) >out 2>err; then
    bad "$kernel on $name: the driver does not compile"
    return
  fi
  (cd bundle && timeout $time_limit $runner ./run) >out 2>err
  got=$?
  if [ $got -eq 0 ] && grep -q ': equal$' out; then good; else bad "$kernel $launch on $name: status $got"; fi
}

# everywhere KERNEL OPTION...: on all machines.
everywhere() {
  kernel=$1
  shift
  launch=$*
  case $(uname -m) in
    x86_64) grep -q avx2 /proc/cpuinfo && on AVX2 cc '' '--triple x86_64-pc-linux-gnu --cpu haswell' ;;
  esac
  on aarch64 aarch64-linux-gnu-gcc qemu-aarch64 '--triple aarch64-linux-gnu'
  on riscv64 riscv64-linux-gnu-gcc qemu-riscv64 '--triple riscv64-linux-gnu --features +m,+a,+f,+d,+c'
  on riscv64-vectors riscv64-linux-gnu-gcc 'qemu-riscv64 -cpu rv64,v=true,vext_spec=v1.0,vlen=128' \
    '--triple riscv64-linux-gnu --features +m,+a,+f,+d,+c,+v'
}

missing=
case=$seed
for kernel in gema gemm ldus trsv pade enumerate frcg; do
  for real in float double; do
    for size in 4 12 8; do
      case=$((case + 1)) # 6 of a kernel
      if [ -n "${LOCKSTEP_FULL:-}" ] || [ $((case % 6)) -eq 0 ]; then
        everywhere borg/$kernel $(sh $source/examples/borg/arguments.sh $kernel $size 3 $case) --wg-pack 2 -D REAL=$real
      fi
    done
  done
done
# Control of their own, integers, calls of all items.
everywhere core/collatz --wg-size 8 --groups 3 --arg steps=24:zeros
everywhere core/saxpy --wg-size 4 --groups 3 --arg alpha=0.3 --arg x=12:random --arg y=12:random:1 --arg n=11
everywhere crev/stringmatch --kernel stringmatch_crev --wg-size 4 --arg 'text=[111,116,104,101,114,32,116,104,101,109,101]' --arg size=11 \
  --arg 'pattern=[116,104,101]' --arg length=3 --arg found=11:zeros

# A bundle notices a wrong result: one that is expected is changed.
kernel=core/saxpy launch='--wg-size 4 --arg alpha=2 --arg x=4:iota --arg y=4:zeros --arg n=4'
expect 0 '' emit $source/examples/$kernel.cl --target llvm --object $launch --bundle wrong
printf '\001' | dd of=wrong/y.expected.bin bs=1 seek=4 conv=notrunc 2>/dev/null
(cd wrong && cc -O1 -o run main.c saxpy.o -lm && ./run) >out 2>err
[ $? -eq 1 ] && good || bad 'a wrong result is not noticed'
says 'y[1] differs'

for name in $(printf '%s\n' $missing | sort -u); do echo "skipped: what runs $name is not installed"; done
counts
