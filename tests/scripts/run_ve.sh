#!/bin/sh
# run_ve.sh LOCKSTEP SOURCE_DIR
# `lockstep run` of object files of VE and of C for VE from the command line: results, options, and wrong input of every kind.
. "$(dirname "$0")/lib/command.sh"
subcommand=run

if ! printf 'int f(void) { return 1; }' | clang-19 --target=ve-linux -x c -c -o try.o - 2>err; then
  echo "SKIPPED: clang-19 makes no objects for VE"
  skipped=$((skipped + 1))
  expect 2 'no.o' no.o
  counts
  exit
fi
saxpy=$source/examples/ve/saxpy.c
clang-19 --target=ve-linux -O2 -c "$saxpy" -o saxpy.o
cat >two.c <<'C'
#include "two.h"
double sqrt(double);
float half(float a) { return a / two; }
int twice(int a) { return two * a; }
double root(double a) { return sqrt(a); }
long outside(long *x, long i) { return x[i]; }
void endless(long *x) { for (;;) ++*(volatile long *)x; }
C
echo '#define two 2' >two.h
printf 'double sin(double); double f(double a) { return sin(a); }' >sine.c
printf 'int f(void) { return' >broken.c
printf 'long f(long a) { __asm__ volatile("lcr %%0, %%0, %%0" : "+r"(a)); return a; }' >lcr.c

# Objects, and C.
expect 0 'halted after 41 steps' saxpy.o --arg 0=2.0 --arg 1=f64:600:iota --arg 2=f64:600:const:1 --arg 3=600
says 'vectors: 12 instructions with 2400 elements; lengths 256 (8), 88 (4)'
says 'memory:  9600 bytes read, 4800 bytes written'
says 'modelled: 136 cycles, 0.0971 us on a core of VE 10B, most for memory'
says '2: double[600] 1 3 5 7 9'
expect 0 '2: double[3] 2 4 6' "$saxpy" --target ve --arg 0=1.0 --arg '1=f64:[1,2,3]' --arg '2=f64:[1,2,3]' --arg 3=3
expect 0 '1: double[4] 1 3 4 3' "$saxpy" --target ve --arg 0=1.0 --arg '1=f64:[1,2,2,3]' --arg 2=arg1+1 --arg 3=2
expect 0 '%s0:     0x0000000000000006' two.c --target ve --kernel twice --arg 0=i32:3
expect 0 '%s0:     0x3fc0000000000000' two.c --target ve --kernel half --arg 0=f32:3
expect 0 '%s0:     0x4000000000000000' two.c --target ve --kernel root --arg 0=4.0
expect 0 '' saxpy.o --arg 0=2.0 --arg 1=f64:3:iota --arg 2=f64:3:zeros --arg 3=3 --out 2=y.npy -q
expect 0 '2: double[3] 0 4 8' saxpy.o --arg 0=2.0 --arg 1=@y.npy --arg 2=f64:3:zeros --arg 3=3

# JSON, the whole object.
expect 0 '"status":"halted"' two.c --target ve --kernel outside --arg '0=i64:[5,7]' --arg 1=1 --json
same 'json' '{"status":"halted","reason":"","kernel":"outside","steps":3,"instructions":{"scalar":1,"memory":1,"control":1},"elements":0,"lengths":{},"bytes_read":8,"bytes_written":0,"approximations":0,"modelled":{"cycles":2,"most":"dependences","instructions":1,"vector instructions":0,"floats":0,"integers":0,"quotients":0,"the cache":0,"memory":0,"dependences":2,"lengths":0},"s0":"0x0000000000000007","buffers":{"0":[5,7]},"fault":null}'
expect 1 '"fault":{"kind":"out-of-bounds","place":"outside+0x8"}' two.c --target ve --kernel outside --arg 0=i64:2:zeros --arg 1=2 --json

# Faults and limits.
expect 1 'saxpy.o:saxpy+0x40: error: byte 4000 is outside of argument 2, which has 4000 bytes (element 244)' saxpy.o --arg 0=2.0 --arg 1=f64:600:iota --arg 2=f64:500:zeros --arg 3=600
says 'vld %v1, 8, %s2'
expect 1 '    vld %v1, 8, %s2   from saxpy.c:8' "$saxpy" --target ve --arg 0=2.0 --arg 1=f64:600:iota --arg 2=f64:500:zeros --arg 3=600
expect 3 'the step limit of 100 is reached (--max-steps)' two.c --target ve --kernel endless --arg 0=i64:1:zeros --max-steps 100

# What cannot run, before anything has.
expect 2 "needs 'sin', which nobody has; there are fma, fmaf" sine.c --target ve --arg 0=1.0
expect 2 "lcr.c: f+0x0: the machine has no 'lcr" lcr.c --target ve --arg 0=1
expect 2 'broken.c' broken.c --target ve
expect 4 'no-such-clang' two.c --target ve --clang no-such-clang
expect 2 'is for the machine number 62, and not for VE (251)' "$lockstep"
head -c 700 saxpy.o >cut.o
expect 2 'cut.o is cut off' cut.o

# Wrong options and arguments.
expect 2 '--kernel: the object has several functions: half, twice, root, outside, endless' two.c --target ve
expect 2 "the object has no function 'third'" two.c --target ve --kernel third
expect 2 '--arg x: object code has no names of parameters; give the position, from 0 on' saxpy.o --arg x=1
expect 2 'one of the positions below is missing' saxpy.o --arg 1=1
expect 2 '--arg 0: it is given twice' saxpy.o --arg 0=1 --arg 0=2
expect 2 "--arg 0: 'f65' is no type; there are f32, f64, and i8 to i64 and u8 to u64" saxpy.o --arg 0=f65:1
expect 2 '--arg 0: argument 1 has no buffer of its own' saxpy.o --arg 0=arg1 --arg 1=2
expect 2 '--arg 1: argument 0 has 2 elements' saxpy.o --arg 0=f64:2:zeros --arg 1=arg0+3
expect 2 '--out 0: no buffer has that position' saxpy.o --arg 0=1 --out 0=y.npy
expect 2 '--frame-memory: it is more than half of the memory limit' saxpy.o --frame-memory 3G
expect 2 '--memory-limit: ' saxpy.o --memory-limit much
expect 2 '--groups: saxpy.o is for VE, which has no such option' saxpy.o --groups 2
expect 2 '--target: ' "$source/examples/musimd/fig6.mus" --target gpu

# Beside qemu, where that is installed.
export SIZE=8 BATCH=16384 RUNS=1
qemu_script=$source/scripts/ve_qemu.sh
sh "$qemu_script" "$lockstep" "$source" >out 2>err && good || bad 've_qemu.sh'
says ' million lane-operations a second, '
if command -v qemu-aarch64 >/dev/null && command -v aarch64-linux-gnu-gcc >/dev/null; then
  says 'the VE machine takes '
  # Another bit in a result is found out.
  mkdir wrong
  printf '#!/bin/sh\n%s "$@" && printf x | dd of="$2" bs=1 seek=9 conv=notrunc 2>/dev/null\n' "$(command -v qemu-aarch64)" >wrong/qemu-aarch64
  chmod +x wrong/qemu-aarch64
  PATH=$PWD/wrong:$PATH sh "$qemu_script" "$lockstep" "$source" >out 2>err && bad 'a wrong bit' || good
  says 'the results differ'
else
  says 'skipped: qemu-aarch64'
fi
unset SIZE BATCH RUNS

# What objects do not have.
subcommand=
expect 2 'saxpy.o: is an object file' check saxpy.o
expect 2 'saxpy.o: is an object file' rules --coverage saxpy.o
expect 2 'saxpy.o: is no file of kernels' diff saxpy.o --target infreg

counts
