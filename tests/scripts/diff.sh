#!/bin/sh
# diff.sh LOCKSTEP SOURCE_DIR
# From kernels to machine code on the command line: `lower --to infreg|llvm`, `emit`, and `diff`, which compares all of it with the
# interpreter. Of the matrix of borG kernels, sizes and packs a sample that changes from day to day (LOCKSTEP_SEED repeats it); all of it
# with LOCKSTEP_FULL in the environment.
# shellcheck disable=SC2086,SC2015
. "$(dirname "$0")/lib/command.sh"
time_limit=120
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
echo "LOCKSTEP_SEED=$seed repeats this run"

# equal PACKS ARGUMENT...: `lockstep diff ARGUMENT... --wg-pack PACKS` finds infreg and llvm equal, each with each pack. One in eight is proved
# first, as it is by default, and no counterexample is found.
compared=0
equal() {
  packs=$1
  shift
  compared=$((compared + 1))
  verify='--verify off'
  [ $((compared % 8)) -ne 1 ] || verify=
  expect 0 '' diff "$@" --wg-pack $packs $verify
  for pack in $(echo $packs | tr ',' ' '); do
    for target in infreg llvm; do
      grep -qE "^$target +WG_PACK $pack +equal " out && good || bad "$*: $target, WG_PACK $pack: is not equal"
    done
  done
}

# borg KERNEL WG_SIZE PACKS REAL SEED: three groups, so that no pack but those of one group is full at the end. Numbers are random, in [0, 1).
borg() {
  launch=$("$source/examples/borg/arguments.sh" "$1" "$2" 3 "$5")
  equal $3 "$source/examples/borg/$1.cl" $launch -D REAL=$4
}

# All borG kernels, both precisions.
kernels='gema gemm ldus trsv pade enumerate frcg'
if [ -z "${LOCKSTEP_FULL:-}" ]; then
  for kernel in $kernels; do
    for real in float double; do
      for size in 4 8; do borg $kernel $size 1,2 $real $seed; done
    done
  done
fi
case=0
for kernel in $kernels; do
  for real in float double; do
    for size in 4 8 12 16 20 24 28 32; do
      case=$((case + 1)) # of 112
      if [ -n "${LOCKSTEP_FULL:-}" ] || [ $((case % 37)) -eq $((seed % 37)) ]; then
        borg $kernel $size 1,2,4 $real $((seed + case))
      fi
    done
  done
done

# Infinities, NaNs, other contraction.
ldus="$source/examples/borg/ldus.cl --wg-size 4 --groups 2"
equal 1,2 $ldus --arg a=32:const:inf
equal 1,2 $ldus --arg a=32:const:nan
equal 1,2 $ldus --arg a=32:zeros
equal 1,2 $ldus --arg a=32:random:$seed --fp-contract=off

# Kernels with control of their own.
core=$source/examples/core
equal 1,2,4 $core/collatz.cl --wg-size 8 --groups 3 --arg steps=24:zeros
equal 1,2 $core/rotate.cl --wg-size 4 --groups 3 --arg x=12:iota
equal 1,2 $core/saxpy.cl --wg-size 4 --groups 3 --arg alpha=0.3 --arg x=12:random --arg y=12:random:1 --arg n=11
equal 1,2 $core/vecadd.cl --wg-size 4 --groups 3 --arg a=12:random --arg b=12:random:1 --arg c=12:zeros
equal 1,2 $core/sgemm_naive.cl --wg-size 8 --groups 3 --arg a=16:random --arg b=16:random:1 --arg c=16:zeros --arg n=4

# CREV's algorithms, without those that recurse. A graph of five nodes, each edge in both directions.
crev=$source/examples/crev
graph='--arg first=[0,2,4,6,7,8] --arg target=[1,2,0,3,0,4,1,2]'
words='--arg text=[111,116,104,101,114,32,116,104,101,109,101] --arg size=11 --arg pattern=[116,104,101] --arg length=3 --arg found=11:zeros'
book='--arg book=[97,98,10,99,100,10,98,98,97,10,97,98] --arg size=12 --arg pattern=[97,98] --arg length=2 --arg out=12:zeros'
for version in crev par seq; do
  equal 1,2 $crev/bellmanford.cl --kernel bellmanford_$version --wg-size 4 $graph --arg 'weight=[5,1,2,1,1,7,4,3]' --arg nodes=5 \
    --arg source=0 --arg distance=5:zeros --arg changed=1:zeros
  border=''
  [ $version != seq ] || border='--arg border=3:zeros'
  equal 1,2 $crev/stringmatch.cl --kernel stringmatch_$version --wg-size 4 $words $border
  start='--arg start=13:zeros'
  [ $version != seq ] || start=''
  equal 1,2 $crev/bookfilter.cl --kernel bookfilter_$version --wg-size 4 $book $start
done
equal 1,2 $crev/leader.cl --kernel leader_par --wg-size 4 $graph --arg nodes=5 --arg leader=5:zeros
equal 1,2 $crev/dfs.cl --kernel dfs_par --wg-size 4 $graph --arg nodes=5 --arg number=5:const:-1 --arg parent=5:zeros --arg count=1:zeros \
  --arg stack_node=9:zeros --arg stack_from=9:zeros
equal 1,2 $crev/composition.cl --wg-size 4 --arg calls=4:zeros --arg seen=4:zeros
for recursive in dfs_crev dfs_seq leader_crev leader_seq mergesort_crev mergesort_seq quicksort_crev quicksort_seq; do
  expect 2 'error: a recursive function cannot be compiled: ' lower $crev/${recursive%_*}.cl --kernel $recursive --to infreg
done
expect 2 'error: a recursive function cannot be compiled: ' diff $crev/dfs.cl --kernel dfs_seq
expect 2 'error: a recursive function cannot be compiled: ' emit $crev/dfs.cl --kernel dfs_seq --target llvm

# Poison equals anything; nothing to do is fine, too.
program poison.cl '__kernel void p(__global int *x) { size_t i = get_local_id(0); x[i] = shuffle((int)i + 1, i + 1); }'
equal 1,2 poison.cl --wg-size 4 --arg x=4:const:9
equal 1,2 $core/vecadd.cl --groups 0 --arg 'a=[]' --arg 'b=[]' --arg 'c=[]'

# What is said.
axpy='axpy.cl --wg-size 4 --groups 3 --arg a=3 --arg x=12:iota --arg y=12:const:100'
program axpy.cl '__kernel void axpy(int a, __global const int *x, __global int *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}'
expect 0 'axpy.cl: axpy, 3 groups of 4 items; the interpreter took ' diff $axpy
silent
says 'by our evaluator; passes '
says "by this machine's CPU ("
says ', by LLVM '
expect 0 '{"status":"equal","kernel":"axpy","groups":3,"wg_size":4,"interpreter_seconds":' diff $axpy --json --target infreg
says '"targets":[{"target":"infreg","wg_pack":1,"verdict":"equal","evidence":"our evaluator","seconds":{"passes":'
says '"mismatch":null,"failure":null,"evaluator_agrees":null,"writer":null,"parting":null,"counted":null}],"missing":[]}'
expect 0 '' diff $axpy --target llvm
grep -q '^infreg' out && bad '--target llvm: infreg runs' || good

# Nothing to compare.
program bounds.cl '__kernel void b(__global int *x) {
  size_t i = get_global_id(0);
  x[i] = 1;
}'
expect 1 "bounds.cl:3:3: error: index 6 is outside of 'x', which has 6 elements (group 1, item 2)" diff bounds.cl --wg-size 4 --groups 2 --arg x=6:zeros
says 'there is nothing to compare'
expect 1 '{"status":"undefined","reason":"index 6 is outside of ' diff bounds.cl --wg-size 4 --groups 2 --arg x=6:zeros --json
program race.cl '__kernel void r(__global int *x) { x[0] = (int)get_global_id(0); }'
expect 1 'the result depends on the order of the groups: there is nothing to compare' diff race.cl --wg-size 1 --groups 2 --arg x=1:zeros
says 'race.cl:1:'
expect 1 'the result depends on the order of the groups' diff race.cl --wg-size 2 --groups 2 --arg x=1:zeros
says '(group 0, item 1)'
says '(group 1, item 0)'
equal 1,2 race.cl --wg-size 4 --arg x=1:zeros # within a group the last item wins
program races.cl '__kernel void r(__global int *x) {
  __local int t[8];
  t[0] = get_local_id(0);
  x[get_group_id(0)] = t[0] + get_group_id(0);
}'
equal 1,2 races.cl --wg-size 3 --groups 3 --arg x=3:zeros # so it does in several groups
program endless.cl '__kernel void e(__global int *x) { while (true) x[0] = 1; }'
expect 3 'the interpreter has reached a limit: there is nothing to compare' diff endless.cl --wg-size 1 --arg x=1:zeros --max-steps 1000
says '(--max-steps)'
expect 3 '{"status":"limit","reason":"' diff endless.cl --wg-size 1 --arg x=1:zeros --max-steps 1000 --json

# Targets.
expect 4 "--target ve: there is no program 'no-such-clang'" diff $axpy --target ve,infreg --clang no-such-clang
grep -qE '^infreg +WG_PACK 1 +equal' out && good || bad 've: infreg does not run'
expect 4 '"missing":["ve"]}' diff $axpy --target ve --clang no-such-clang --json
says '{"status":"missing",'
expect 2 "--target x86: there is no such target; there are: infreg, llvm, avx512" diff $axpy --target x86
expect 2 "--target : there is no such target" diff $axpy --target infreg,
expect 2 "--target infreg: there is no such target; there are: llvm, avx512" emit axpy.cl --target infreg
expect 2 '--target' emit axpy.cl

# Wrong input of diff.
expect 2 "--arg is missing for a, x, y of the kernel 'axpy'" diff axpy.cl
expect 2 '{"status":"error","reason":"--arg is missing for a, x, y' diff axpy.cl --json
expect 2 '--wg-pack: 0 is not a number from 1 to ' diff $axpy --wg-pack 0
expect 2 "--wg-pack: '' is not a number" diff $axpy --wg-pack 1,
expect 2 '--wg-pack: x is not a number' diff $axpy --wg-pack 1,x
expect 2 '--wg-pack 300000: so many groups of 4 items have more than 1048576 items' diff $axpy --wg-pack 300000
expect 2 '--memory-limit' diff $axpy --memory-limit 12Q
expect 2 'do not fit' diff $axpy --memory-limit 10
expect 2 'nothing.cl: No such file' diff nothing.cl
expect 2 'is no file of kernels' diff "$source/examples/musimd/fig6.mus"
program syntax.cl '__kernel void k(__global int *x) {
  x[0] = ;
}'
for command in 'diff syntax.cl' 'emit syntax.cl --target llvm' 'lower syntax.cl --to infreg'; do
  expect 2 'syntax.cl:2:10: error: ' $command
done

# lower --to infreg: canonical text, which is read again.
expect 0 'kernel @axpy(%a: i32, %x: ptr<i32> const, %y: ptr<i32>) wg_size 4 wg_pack 2 {' lower axpy.cl --to infreg --wg-size 4 --wg-pack 2 --verify-each
silent
cp out axpy.ir
says 'load %x [wg.ix*4 + wi] contiguous'
expect 0 '' lower axpy.ir
cmp -s axpy.ir out && good || bad 'the text of InfReg-IR is not canonical'
expect 0 'define void @axpy(' lower axpy.ir --to llvm
# With metadata, which LLVM's assembler takes; without it, what `emit` writes.
says '!"wi.ix", <8 x i32>'
if command -v llvm-as-19 >/dev/null; then
  llvm-as-19 out -o axpy.bc && good || bad 'llvm-as does not take what lower --to llvm prints'
fi
sed '/^!/d; s/, !infreg .*//' out | sed '/^$/d' >plain.ll
expect 0 'define void @axpy(' emit axpy.ir --target llvm
sed '/^!/d; /^$/d; /^; InfReg-IR/d' out | cmp -s - plain.ll && good || bad 'metadata changes the program'
for kernel in $kernels; do
  expect 0 '' lower "$source/examples/borg/$kernel.cl" --to infreg -o $kernel.ir
  expect 0 '' lower $kernel.ir
  cmp -s $kernel.ir out && good || bad "$kernel.ir is not canonical"
done
expect 0 'axpy.ir: well-formed' check axpy.ir
expect 2 '--json: axpy.ir is InfReg-IR, which has no such option' check axpy.ir --json
sed 's/contiguous/scattered/' axpy.ir >words.ir
expect 2 'words.ir:' lower words.ir
says ' error: '
sed 's/\[wg.ix\*4 + wi\] contiguous/[wg.ix*4 + wi*2] contiguous/' axpy.ir >claim.ir
expect 1 '; ^ ' lower claim.ir
says 'claim.ir: the verifier refuses this kernel: '
expect 1 '; ^ ' check claim.ir
expect 1 '; ^ ' emit claim.ir --target llvm
expect 2 '--wg-size: axpy.ir is InfReg-IR, which has no such option' lower axpy.ir --wg-size 4
expect 2 '-D: axpy.ir is InfReg-IR, which has no such option' emit axpy.ir --target llvm -D X
expect 2 'axpy.ir: is InfReg-IR, for which there are --to infreg and --to llvm' lower axpy.ir --to musimd
expect 2 'axpy.ir: is read by this run and must not be written' lower axpy.ir -o axpy.ir

# The passes, one by one and explained.
expect 0 'to-infreg ' lower --passes
passes=$(awk '{ print $1 }' out)
for pass in $passes; do
  expect 0 'a' lower axpy.cl --wg-size 4 --dump-after=$pass
done
says 'kernel @axpy(' # by the last one
expect 0 'y[' lower axpy.cl --to infreg --wg-size 4 --dump-after normalise
expect 2 '--dump-after nothing: there is no such pass; there are: normalise, ' lower axpy.cl --dump-after nothing
expect 0 '// (a) The kernel: axpy.cl:1' lower axpy.cl --explain --wg-size 4
silent
says '  y[i] = a * x[i] + y[i];'
says '// (b) Elementary assignments, with masks for control'
says '// (c) The same, with what is done to each loop'
says '// (d) InfReg-IR'
says '// (e) The InfRegs that its values can share'
sed '1,/^\/\/ (d)/d; /^\/\/ (e)/,$d' out | sed '/^$/d' >explained.ir
expect 0 '' lower axpy.cl --to infreg --wg-size 4
cmp -s explained.ir out && good || bad '--explain shows the InfReg-IR'
expect 0 '/* vectorise */ for' lower "$source/examples/borg/gemm.cl" --explain --wg-size 4

# Options of lower that do not go together.
expect 2 '--to is required: musimd, layout, infreg or llvm' lower axpy.cl
expect 2 'FILE is required' lower --to infreg
expect 2 '--explain is for --to infreg' lower axpy.cl --to musimd --explain
expect 2 '--explain shows stages before LLVM IR' lower axpy.cl --to llvm --explain
expect 2 '--dump-after shows stages before LLVM IR' lower axpy.cl --to llvm --dump-after masks
expect 2 '--explain and --dump-after show different things' lower axpy.cl --explain --dump-after masks
expect 2 '--verify-each is for --to infreg' lower axpy.cl --to layout --verify-each
expect 2 '--streaming is for --to infreg' lower axpy.cl --to layout --streaming
expect 0 'kernel @axpy(' lower axpy.cl --streaming --wg-size 4
expect 2 '--ir excludes --streaming' diff axpy.cl --streaming --ir axpy.ir
expect 2 '--json is for --to layout' lower axpy.cl --to infreg --json
expect 2 '--wg-pack: 0 is not a number' lower axpy.cl --to infreg --wg-pack 0
expect 2 'is an untyped program' lower "$source/examples/musimd/fig6.mus" --to infreg
expect 0 '' lower axpy.cl --to musimd --wg-size 4 -o typed.mus
expect 2 'typed.mus: is a typed program, from which no way leads to InfReg-IR' lower typed.mus --to infreg
expect 2 'typed.mus: is a .mus program, from which no way leads to machine code' emit typed.mus --target llvm

# emit: what stands on standard output is what stands in the file; other machines.
gemm="$source/examples/borg/gemm.cl --target llvm --wg-size 4 --wg-pack 2"
expect 0 'define void @gemm(ptr' emit $gemm
silent
mv out gemm.text
expect 0 '' emit $gemm -o new --object --assembly
[ ! -s out ] && good || bad 'emit -o prints nothing'
cmp -s gemm.text new/gemm.ll && good || bad 'gemm.ll is not what is printed'
grep -qF 'void gemm(const double *a, const double *b, double *c, size_t num_groups);' new/gemm.llvm.h && good || bad 'the header declares the kernel'
grep -q 'gemm:' new/gemm.s && good || bad 'gemm.s is no assembly'
[ -s new/gemm.o ] && good || bad 'there is no gemm.o'
expect 0 '' emit $gemm -o new2
[ ! -e new2/gemm.o ] && [ ! -e new2/gemm.s ] && good || bad 'object code that nobody asked for'
expect 0 '' emit gemm.ir --target llvm -o new2
expect 0 'target triple = "aarch64-unknown-linux-gnu"' emit $gemm --triple aarch64-linux-gnu
expect 0 'target triple = "riscv64-unknown-linux-gnu"' emit $gemm --triple riscv64-linux-gnu
expect 0 '' emit $gemm --cpu haswell --features +avx2 -o old --assembly
if [ "$(uname -m)" = x86_64 ]; then
  grep -q zmm old/gemm.s && bad 'a Haswell has no zmm registers' || good
fi
expect 2 "LLVM cannot compile for 'nosuch'" emit $gemm --triple nosuch
expect 2 "'nosuch' is no processor of" emit $gemm --cpu nosuch
expect 2 "'+nosuch' is no feature of" emit $gemm --features +nosuch
expect 2 '--object makes a file; -o says in which folder' emit $gemm --object
expect 2 '-o no/such/folder: this folder cannot be made: No such file or directory' emit $gemm -o no/such/folder
expect 2 '-o axpy.cl: is no folder' emit $gemm -o axpy.cl
mkdir taken taken/gemm.ll
expect 2 'taken/gemm.ll: Is a directory' emit $gemm -o taken
cp axpy.ir new/axpy.ir
cp new/axpy.ir new/axpy.ll # a text in InfReg-IR has another name
expect 2 'new/axpy.ll' emit new/axpy.ll --target llvm
if [ -w /dev/full ]; then
  "$lockstep" emit $gemm >/dev/full 2>err </dev/null
  [ $? -eq 2 ] && grep -qF 'cannot write to standard output' err && good || bad 'emit: a full standard output is an error'
  "$lockstep" diff $axpy --json >/dev/full 2>err </dev/null
  [ $? -eq 2 ] && grep -qF 'cannot write to standard output' err && good || bad 'diff: a full standard output is an error'
fi

# A C program that calls the kernel through its header leaves the bytes that the interpreter leaves.
cat >main.c <<'EOF'
#include <stdio.h>
#include "gemm.llvm.h"
enum { count = 5 * 4 * 4 };
int main(void) {
  double a[count], b[count], c[count];
  for (int i = 0; i < count; ++i) {
    a[i] = i / 7.0;
    b[i] = 1 / (i + 1.0);
    c[i] = 0;
  }
  gemm(a, b, c, 5);
  return fwrite(c, sizeof c, 1, stdout) != 1;
}
EOF
program inputs.cl '__kernel void inputs(__global double *a, __global double *b) {
  size_t i = get_global_id();
  a[i] = i / 7.0;
  b[i] = 1 / (i + 1.0);
}'
expect 0 '' run inputs.cl --wg-size 80 --arg a=80:zeros --arg b=80:zeros --out a=a.npy --out b=b.npy -q
expect 0 '' run "$source/examples/borg/gemm.cl" --wg-size 4 --groups 5 --arg a=@a.npy --arg b=@b.npy --arg c=80:zeros --out c=c.npy -q
tail -c 640 c.npy >expected
if gcc -Wall -Wextra -Wpedantic -Werror -Inew main.c new/gemm.o -lm -o main >out 2>err; then
  ./main >out
  cmp out expected 2>err && good || bad 'the C program leaves other bytes than the interpreter'
else
  bad 'the C program does not compile'
fi
echo '#include "gemm.llvm.h"' | gcc -x c++ -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Inew - >out 2>err && good || bad 'the header is no C++'

# A bundle is compiled and run by whatever compiler there is.
expect 0 '' emit "$source/examples/borg/gemm.cl" --target llvm --wg-size 4 --wg-pack 2 --bundle bundle --groups 5 --arg a=80:random --arg b=80:random:1 --arg c=80:zeros
if command -v make >/dev/null; then
  make -s -C bundle CC=gcc >out 2>err && grep -q '^gemm: equal$' out && good || bad 'the bundle does not run'
  printf '\001' | dd of=bundle/c.expected.bin bs=1 seek=8 conv=notrunc 2>err
  make -s -C bundle CC=gcc >out 2>err && bad 'the bundle does not see a difference' || good
  grep -q '^c\[1\] differs: 0x' out && good || bad 'the bundle does not say what differs'
else
  skipped=$((skipped + 1))
fi
# Parameters that point into one buffer, of which one is const: it lies in memory once.
shared='--wg-size 4 --arg alpha=2 --arg x=y+1 --arg y=5:iota --arg n=4'
expect 0 'llvm    WG_PACK 2   equal' diff "$source/examples/core/saxpy.cl" --wg-pack 1,2 --target infreg,llvm $shared
expect 0 '' emit "$source/examples/core/saxpy.cl" --target llvm --wg-pack 1 --bundle shared $shared
[ -e shared/y.in.bin ] && [ ! -e shared/x.in.bin ] && good || bad 'a bundle has a shared buffer once'
if command -v make >/dev/null; then
  make -s -C shared CC=gcc >out 2>err && grep -q '^saxpy: equal$' out && good || bad 'the bundle with a shared buffer does not run'
else
  skipped=$((skipped + 1))
fi
expect 2 "--arg is missing for a, b, c of the kernel 'gemm'" emit $gemm --bundle bundle2
expect 2 '--arg is for --bundle' emit $gemm --arg a=80:zeros
expect 2 'both say in which folder' emit $gemm --bundle bundle2 -o bundle2

# InfReg-IR that somebody has changed: who stores the element, and which store goes wrong.
expect 0 '' lower axpy.cl --to infreg --wg-size 4 -o right.ir
expect 0 '' diff axpy.cl --wg-size 4 --groups 3 --arg a=3 --arg x=12:iota --arg y=12:const:100 --ir right.ir
sed 's/= add /= sub /' right.ir >wrong.ir
expect 1 'in the interpreter, group 0, item 0 stored that last, at axpy.cl:3' diff axpy.cl --wg-size 4 --groups 3 --arg a=3 --arg x=12:iota --arg y=12:const:100 --ir wrong.ir
says 'the first store in InfReg-IR that goes wrong is `store %y '
says 'from wrong.ir:7: it writes '
says 'look at the passes first'
expect 1 '"parting":{"operation":"store %y ' diff axpy.cl --wg-size 4 --groups 3 --arg a=3 --arg x=12:iota --arg y=12:const:100 --ir wrong.ir --json
expect 2 'has other parameters, or another WG_SIZE' diff axpy.cl --wg-size 8 --groups 3 --arg a=3 --arg x=24:iota --arg y=24:const:100 --ir right.ir
expect 0 '' diff $axpy --llvm-level 0 --chunk-lanes 2
expect 2 '--chunk-lanes' diff $axpy --chunk-lanes 3

# The examples of --help.
for command in lower emit diff; do
  "$lockstep" $command --help | sed -n 's/^\(Example:\)* *\(lockstep .*\)/\2/p' >examples.txt
  [ -s examples.txt ] || bad "$command --help has no example"
  while read -r _ line; do
    (cd "$dir" && ln -sfn "$source/examples" examples)
    expect 0 '' $line
  done <examples.txt
done
[ -s gemm-for-8/gemm.o ] && good || bad 'the example of emit makes gemm.o'

counts
