#!/bin/sh
# machines.sh LOCKSTEP SOURCE_DIR
# Other machines than this one: bundles of `lockstep emit`, made for a processor with AVX2 and run here, for aarch64 and for riscv64 with
# and without vectors, run by qemu; each compares its bits with the interpreter's. Their own Makefiles compile and run them, every other one
# from the assembly and from the object code that lie there. What is not installed is skipped, and counted as that.
# All seven borG kernels, a size and a type of each that change from day to day (LOCKSTEP_SEED repeats them); all with LOCKSTEP_FULL.
# shellcheck disable=SC2086
. "$(dirname "$0")/lib/command.sh"
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
echo "LOCKSTEP_SEED=$seed repeats this run"

# on NAME MACHINE EMIT_OPTIONS [MAKE_ARGUMENT]: the kernel's bundle with these options of emit, compiled and run by its Makefile, says that
# it is equal. MACHINE is as `uname -m` has it.
on() {
  name=$1 machine=$2 options=$3
  shift 3
  needed="$machine-linux-gnu-gcc qemu-$machine"
  [ $machine = "$(uname -m)" ] && needed=cc
  for tool in make $needed; do
    if ! command -v $tool >/dev/null; then
      skipped=$((skipped + 1))
      missing="$missing $name"
      return
    fi
  done
  rm -rf bundle
  bundles=$((bundles + 1))
  object=--object
  [ $((bundles % 2)) -eq 0 ] && object=
  expect 0 '' emit $source/$kernel.cl --verify off --target llvm $object $launch $options --bundle bundle
  env -u CC -u RUN timeout $time_limit make -s -C bundle "$@" >out 2>err
  got=$?
  if [ $got -eq 0 ] && grep -q ': equal$' out; then good; else bad "$kernel $launch on $name, from ${object:-assembly}: status $got"; fi
}

# everywhere KERNEL OPTION...: on all machines.
everywhere() {
  kernel=$1
  shift
  launch=$*
  case $(uname -m) in
    x86_64) grep -q avx2 /proc/cpuinfo && on AVX2 x86_64 '--triple x86_64-pc-linux-gnu --cpu haswell' ;;
  esac
  on aarch64 aarch64 '--triple aarch64-linux-gnu'
  on riscv64 riscv64 '--triple riscv64-linux-gnu --features +m,+a,+f,+d,+c'
  on riscv64-vectors riscv64 '--triple riscv64-linux-gnu --features +m,+a,+f,+d,+c,+v' \
    'RUN=qemu-riscv64 -L /usr/riscv64-linux-gnu -cpu rv64,v=true,vext_spec=v1.0,vlen=128'
}

missing=
bundles=$seed
case=$seed
for kernel in gema gemm ldus trsv pade enumerate frcg; do
  for real in float double; do
    for size in 4 12 8; do
      case=$((case + 1)) # 6 of a kernel
      if [ -n "${LOCKSTEP_FULL:-}" ] || [ $((case % 6)) -eq 0 ]; then
        everywhere examples/borg/$kernel $(sh $source/examples/borg/arguments.sh $kernel $size 3 $case) --wg-pack 2 -D REAL=$real
      fi
    done
  done
done
# Control of their own, integers, calls of all items.
everywhere examples/core/collatz --wg-size 8 --groups 3 --arg steps=24:zeros
everywhere examples/core/saxpy --wg-size 4 --groups 3 --arg alpha=0.3 --arg x=12:random --arg y=12:random:1 --arg n=11
everywhere examples/crev/stringmatch --kernel stringmatch_crev --wg-size 4 --arg 'text=[111,116,104,101,114,32,116,104,101,109,101]' --arg size=11 \
  --arg 'pattern=[116,104,101]' --arg length=3 --arg found=11:zeros

# What LLVM 19 compiles wrongly in another form than that which it is given (docs/found.md): numbers that are rounded twice on the way to
# float by way of double, among others, and rotates.
exact=9007199254740993,9223372036854775807,-9223372036854775808,-1,1,16777217,36028799166447617
halves=4611686293305294849,-4611686293305294849,4611686293305294848,4611686018427387905,-4611686293305294848,-36028799166447617
others=-9007199254740993,-16777217,-4294967297
for size in 1 2 4 8; do
  groups=$((16 / size))
  everywhere tests/compiler_bugs/conversions --wg-size $size --groups $groups --wg-pack 1 --arg "x=[$halves,$exact,$others]" \
    --arg f=16:zeros --arg u=16:zeros --arg d=16:zeros --arg v=16:zeros --arg twice=16:zeros
  everywhere tests/compiler_bugs/rotates --wg-size $size --groups $groups --wg-pack 1 --arg x=16:random:1 --arg o=16:zeros \
    --arg y=16:random:2 --arg p=16:zeros --arg z=16:random:3 --arg q=16:zeros --arg n=5
done

# A bundle notices a wrong result: one that is expected is changed.
kernel=examples/core/saxpy launch='--wg-size 4 --arg alpha=2 --arg x=4:iota --arg y=4:zeros --arg n=4'
expect 0 '' emit $source/$kernel.cl --target llvm $launch --bundle wrong
printf '\001' | dd of=wrong/y.expected.bin bs=1 seek=4 conv=notrunc 2>/dev/null
make -s -C wrong CC=cc >out 2>err && bad 'a wrong result is not noticed' || good
says 'y[1] differs'

# What is refused: machines that cannot be compiled for, in every form, and names that programs have other functions for.
emit() {
  status=$1 text=$2
  shift 2
  for form in '' '-o refused --object' '-o refused --assembly'; do expect $status "$text" emit "$@" --target llvm $form; done
}
saxpy=$source/examples/core/saxpy.cl
for triple in powerpc64le-linux-gnu mips64el-linux-gnu wasm64 loongarch64-linux-gnu amdgcn bpf; do
  emit 2 'kernels are compiled for x86-64, AArch64 and RISC-V of 64 bits' $saxpy --triple $triple
done
emit 2 'kernels need 64-bit mode and SSE2' $saxpy --triple x86_64-linux-gnu --features=-64bit
emit 2 'kernels need 64-bit mode and SSE2' $saxpy --triple x86_64-linux-gnu --features=-sse2
emit 2 'kernels need registers of 64 bits, all 32, F and D' $saxpy --triple riscv64-linux-gnu --features=-d,-f
# A contradiction at which LLVM ends the process.
expect 2 'LLVM cannot compile this for the target' emit $saxpy --target llvm --triple riscv64-linux-gnu --features=+f,+d,+zfinx -o refused --object
echo 'kernel void memset(global char *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }' >memset.cl
emit 2 "memset.cl:1:1: error: 'memset' is a function of the C library" memset.cl --wg-size 1
expect 0 '' lower memset.cl --to infreg --wg-size 1 -o memset.ir
emit 2 "'memset' is a function of the C library" memset.ir
expect 0 ' equal ' diff memset.cl --wg-size 1 --arg a=100:iota --arg n=99
expect 2 '--groups is for --bundle' emit $saxpy --target llvm --groups 3
expect 2 '-o: an empty name is no folder' emit $saxpy --target llvm -o ''
expect 2 '--bundle: an empty name is no folder' emit $saxpy --target llvm --bundle ''
expect 2 '--bundle /dev/null: is no folder' emit $saxpy --target llvm $launch --bundle /dev/null

# A header is C and C++ whatever the kernel and its parameters are called: like types and macros of the headers and of compilers, and words of
# C++. Warnings are errors.
: >all.c
for name in num_groups int32_t size_t int_fast8_t nullptr_t max_align_t wchar_t INT8_MAX UINT64_C WINT_MIN SIZE_MAX INTPTR_WIDTH NULL offsetof \
  unix linux class new alignas bool true and xor_eq _Bool __x86_64__ __linux__ _ __ a.b 1 errno main; do
  printf 'kernel @k(%%%s: ptr<i32>, %%b: ptr<i32>) wg_size 2 wg_pack 1 {\n}\n' $name >named.ir
  expect 0 '' emit named.ir --target llvm -o header.$name
  echo "#include \"header.$name/k.llvm.h\"" >>all.c
  case $name in
    _* | 1 | main | errno) continue ;; # of which no kernel can be called
  esac
  printf 'kernel @%s(%%a: ptr<i32>, %%b: ptr<i32>) wg_size 2 wg_pack 1 {\n}\n' $name >named.ir
  expect 0 '' emit named.ir --target llvm -o header.$name
  echo "#include \"header.$name/$name.llvm.h\"" >>all.c
done
for compiler in 'gcc -x c' 'gcc -x c++' 'clang -x c' 'clang -x c++' 'aarch64-linux-gnu-gcc -x c' 'riscv64-linux-gnu-gcc -x c'; do
  if ! command -v ${compiler%% *} >/dev/null; then
    skipped=$((skipped + 1))
  elif $compiler -Wall -Wextra -Wpedantic -Werror -fsyntax-only all.c >out 2>err; then
    good
  else
    bad "a header cannot be read by $compiler"
  fi
done

for name in $(printf '%s\n' $missing | sort -u); do echo "skipped: what runs $name is not installed"; done
counts
