#!/bin/sh
# suites.sh LOCKSTEP SOURCE_DIR
# The driver of other people's suites: a folder with one of each outcome, and some of our own kernels against oclgrind-kernel.
# shellcheck disable=SC1091,SC2015,SC2123,SC2154
. "$(dirname "$0")/lib/command.sh"
driver=$source/tests/suites/suites.sh
# tried STATUS FOLDER OPTION...: the driver ends with this status; what it says is in out.
tried() {
  wanted=$1
  shift
  sh "$driver" "$lockstep" "$@" >out 2>err </dev/null
  got=$?
  [ "$got" -eq "$wanted" ] && good || bad "suites.sh $*: status $got, not $wanted"
}
# line TEXT: a whole line of what it says.
line() { grep -qxF -e "$1" out && good || bad "no line '$1'"; }
no_line() { if grep -qF -e "$1" out; then bad "a line '$1'"; else good; fi; }

mkdir -p 'some/part one' empty
# Launches with references as Oclgrind has them.
cat >some/twice.cl <<'IN'
kernel void twice(global int *x, global float *f) {
  x[get_global_id(0)] *= 2;
  f[get_global_id(0)] /= 3.0f;
  printf("item %d\n", (int)get_global_id(0));
}
IN
printf 'twice.cl twice 2 1 1 2 1 1\n<size=8 dump> 4 5\n<size=8 dump> 1 0.5\n' >some/twice.sim
printf 'EXACT item 0\nMATCH em 1\nEXACT Argument x\nEXACT   x[0] = 8\nEXACT   x[1] = 10\nEXACT   f[0] = 0.333333\n' >some/twice.ref
for other in number text printing; do cp some/twice.sim some/$other.sim; done
sed 's/= 10/= 11/' some/twice.ref >some/number.ref
sed 's/0.333333/0.333334/' some/twice.ref >some/text.ref
sed 's/em 1/em 2/' some/twice.ref >some/printing.ref
echo 'kernel void beyond(global int *x) { x[get_global_id(0) + 1] = 1; }' >some/beyond.cl
printf 'beyond.cl beyond 2 1 1 2 1 1 <size=8 fill=0 dump>\n' >some/beyond.sim
printf 'ERROR Invalid write of size 4 at global memory address\n\nEXACT   x[0] = 0\n' >some/beyond.ref
sed 's/2 1 1 2 1 1/1 1 1 1 1 1/' some/beyond.sim >some/within.sim
cp some/beyond.ref some/within.ref
cp some/beyond.sim some/otherwise.sim
echo 'ERROR Write-write data race at global memory address' >some/otherwise.ref
printf 'beyond.cl beyond 2 1 1 2 1 1 <size=8 fill=0> <size=4> 1\n' >some/many.sim
printf 'beyond.cl beyond 1 1 1 1 1 1 <size=8 fill=0>\n' >some/alone.sim
# Those that GPUVerify labels; several kernels in a file, local memory, groups in two dimensions, a number that is required.
label() { printf '//%s\n//%s\n' "$2" "$3" >"some/part one/$1"; cat >>"some/part one/$1"; }
label clean.cl pass '--local_size=64 --num_groups=12 --no-inline' <<'IN'
kernel void first(global int *x, local int *t, int n) {
  __requires(n == 64);
  t[get_local_id(0)] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t[(get_local_id(0) + 1) % n] != get_local_size(0)) x[0] = get_global_id(0);
}
kernel void second(global float4 *v) { v[get_global_id(0)] = (float4)(get_local_size(0)); }
IN
label racy.cl xfail:BOOGIE_ERROR '--local_size=[8,2] --num_groups=[4,1]' <<'IN'
kernel void racy(global int *x) { x[get_global_id(0)] = get_local_id(1); }
IN
label group.cl xfail:RACE_ERROR '--local_size=1024 --num_groups=1024' <<'IN'
kernel void group(global int *x) { x[get_local_id(0)] = get_group_id(0); }
IN
label unlabelled.cl pass '--local_size=4 --num_groups=2' <<'IN'
kernel void unlabelled(global int *x) { *x = get_local_id(0); }
IN
label unfound.cl xfail:BOOGIE_ERROR '--local_size=4 --num_groups=2' <<'IN'
kernel void unfound(global int *x, int n) { if (n == 777) *x = get_local_id(0); }
IN
label asserted.cl xfail:BOOGIE_ERROR '--local_size=4 --num_groups=2' <<'IN'
kernel void asserted(global int *x) {
  __assert(get_global_id(0) <= 7);
  for (int i = 0; __invariant(i >= 0), __invariant(__implies(i > 1, i < 4)), i < 3; ++i) x[get_global_id(0)] = i;
  __assert(get_global_id(0) < 7);
}
IN
label benign.cl pass '--local_size=(4,2) --num_groups=2' <<'IN'
__axiom(get_local_size(0) == 4);
kernel void benign(global int *x) { __requires(1); *x = 7; }
IN
label malign.cl xfail:BOOGIE_ERROR '--local_size=4 --num_groups=2 --no-benign-tolerance' <<'IN'
kernel void malign(global int *x) { *x = 7; }
IN
label initial.cl pass '--local_size=4 --num_groups=2' <<'IN'
kernel void initial(global int *x, local int *t) { x[get_global_id(0)] = t[get_local_id(0)]; }
IN
label broken.cl xfail:CLANG_ERROR '--local_size=4 --num_groups=2' <<'IN'
kernel void broken(global int *x) { x = ; }
IN
# Files that are refused, two of them alike, and those without a kernel.
echo 'kernel void a1(global int *x) { goto end; end: x[0] = 1; }' >some/goto1.cl
echo 'kernel void b22(global int *x) { x[0] = 1; goto stop2; stop2: x[1] = 1; }' >some/goto2.cl
echo 'kernel void c(global int *x) { x[0] = unknown_thing(7); }' >some/unknown.cl
echo '#include "twice.cl"' >some/includes.cl
echo '// No kernel here.' >some/helper.cl
echo 'int helper(int x) { return x; }' >>some/helper.cl

mkdir path
for tool in awk basename cat cp dirname env find grep head mkdir mv rm sed sh sort timeout tr uniq wc; do
  ln -s "$(command -v $tool)" path/$tool
done
everything=$PATH
PATH=$dir/path
tried 1 some
PATH=$everything
line 'total: 15 files with kernels, 12 accepted, 3 refused, 2 without kernels; 19 launches, 18 ran, 9 right, 7 wrong, 2 without a reference'
line "     2  there is no 'NAME'; use loops, 'NAME' and 'NAME'"
line "        goto1.cl: there is no 'goto'; use loops, 'break' and 'continue'"
grep -q "^        unknown.cl: .*'unknown_thing'" out && good || bad 'no message with its name'
[ "$(sed -n 2p out | cut -c 1-6)" = '     2' ] && good || bad 'the most frequent message is not the first'
line "  many.sim: the kernel 'beyond' has 1 parameter, but the file has 2 arguments"
line '  number.sim: x[1] is 10, not 11'
line '  text.sim: f[0] is 0.33333334, not 0.333334'
line '  printing.sim: not printed: em 2'
line '  within.sim: ended clean, not with: Invalid write of size 4 at global memory address'
line '  otherwise.sim: ended out-of-bounds, not with: Write-write data race at global memory address'
line '  part one/unlabelled.cl: it is to pass, and ended race'
line '  part one/unfound.cl: it is to fail (xfail:BOOGIE_ERROR), and ended clean'
line '  part one/initial.cl: uninitialised-cell, which GPUVerify does not look for'
line '  alone.sim: clean; there is neither a .ref file nor oclgrind-kernel'
for right in twice.sim beyond.sim clean.cl racy.cl group.cl broken.cl asserted.cl benign.cl malign.cl; do no_line "$right:"; done
tried 1 some --json
[ "$(wc -l <out)" -eq 1 ] && good || bad 'not one line'
for part in '"files":15,"accepted":12,"refused":3,"without_kernels":2,"launches":19,"ran":18,' '"missing":[{"message":"there is no '"'NAME'; use loops, 'NAME' and 'NAME'"'","files":2,"first":{"file":"goto1.cl","why":"there is no '"'goto'"';' \
  '"wrong_launches":[{' '{"file":"number.sim","why":"x[1] is 10, not 11"}' '"not_run":[{"file":"many.sim",'; do
  says "$part"
done
tried 0 empty
line 'total: 0 files with kernels, 0 accepted, 0 refused, 0 without kernels; 0 launches, 0 ran, 0 right, 0 wrong, 0 without a reference'
tried 2 none
tried 2 some --html
sh "$driver" ./none some >out 2>err
[ $? -eq 2 ] && good || bad 'a command that is not there'

# Our own, of which a few change from day to day: oclgrind-kernel agrees with each that it runs.
own=$source/tests/suites/own
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
echo "LOCKSTEP_SEED=$seed repeats this run"
count=12
[ -z "${LOCKSTEP_FULL:-}" ] || count=1000
mkdir own
# (Oclgrind 21.10 converts -0.5 to -1 where it is to be rounded upwards.)
for file in "$own"/*.cl; do basename "$file" .cl; done | grep -v '^convert_sat$' | awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort | cut -f 2 | head -n $count | while read -r name; do
  cp "$own/$name.cl" "$own/$name.sim" own/
done
tried 0 own
ours=$(find own -name '*.cl' | wc -l)
says "total: $((ours)) files with kernels, $((ours)) accepted, 0 refused"
says ' 0 wrong,'
if command -v oclgrind-kernel >/dev/null; then
  [ "$(sed -n 's/^total:.* ran, \([0-9]*\) right.*/\1/p' out)" -ge $((ours * 3 / 4)) ] && good || bad 'few are compared'
else
  echo 'skipped: oclgrind-kernel is not installed'
  skipped=$((skipped + 1))
fi

# What one of them prints.
expect 0 'digits: int[4] 1 5 0 3' run --sim "$own/print_rows.sim" --model opencl
sed '/^halted/,$d' out >printed
printf 'row %d: %5d|%-4x|%8.3f|end\n' 0 7 7 1.5 1 -12345 199 -0.0625 2 0 0 1000 3 255 255 3.14159 >wanted
cmp -s wanted printed && good || bad 'print_rows prints something else'
counts
