#!/bin/sh
# sim.sh LOCKSTEP SOURCE_DIR
# Launches from files of oclgrind-kernel: what they run leaves what oclgrind-kernel prints, and what is wrong is refused where it stands.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib/command.sh"
cat >forms.cl <<'IN'
typedef struct { char c; int i; } pair;
__kernel void forms(__global int *out, float4 v, pair p, __global const uchar *bytes, __local int *t, __global const double *d, short s,
                  __global int *none, float3 three, __global pair *pairs) {
  int i = get_global_id(0);
  t[get_local_id(0)] = p.i + s;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = (int)v.z + t[1 - get_local_id(0)] + bytes[i] + (int)d[i] + (none == 0 ? 1000 : 0) + (int)three.y * p.c + pairs[i].i;
}
IN
mkdir files
cat >files/forms.sim <<'IN'
# all kinds of arguments
forms.cl forms
4 1 1   2 1 1
<size=16 fill=0 dump>
<size=16 float> 1 2 3.5 4   # a vector
<size=8 int>
7 50
<size=4 range=10:2:16>
<size=8>
<size=32 double range=0.5:1:3.5>
<size=2 hex> ff
<null>
<size=16 float> 1 20 3 0
<size=32 uchar dump>
1 0 0 0 1 0 0 0   2 0 0 0 2 1 0 0   3 0 0 0 3 0 0 0   4 0 0 0 4 0 0 0
IN
cp forms.cl files/
# 3 + (50 + 255) + 10 + 0 + 1000 + 20 * 7 + 1, and so on
numbers='1459 1719 1467 1471'
expect 0 "out: int[4] $numbers" run --sim files/forms.sim
expect 0 "out: int[4] $numbers" run --sim files/forms.sim --model opencl --strict
# What is only read, or only written.
printf '%s\n' 'kernel void f(global int *x, global int *y) { y[get_global_id(0)] = x[get_global_id(0)]; }' >rights.cl
printf '%s\n' 'rights.cl f 2 1 1 1 1 1 <size=8 ro fill=3> <size=8 wo dump fill=0>' >rights.sim
expect 0 'y: int[2] 3 3' run --sim rights.sim
sed 's/ ro / wo /' rights.sim >unread.sim
expect 1 "error: 'x[0]' is read, but the launch says that the kernel only writes that buffer" run --sim unread.sim
sed 's/ wo / ro /' rights.sim >unwritten.sim
expect 1 "error: 'y[0]' is written, but the launch says that the kernel only reads that buffer" run --sim unwritten.sim
expect 1 "error: 'y[1]' is written, but" run rights.cl --local 1 --groups 2 --offset 1 --arg x=ro:3:iota --arg y=ro:3:zeros
# dumped FILE ARGUMENT: what oclgrind-kernel leaves there, in a line.
dumped() { (cd "$(dirname "$1")" && oclgrind-kernel "$(basename "$1")") | sed -n "s/^  $2\[[0-9]*\] = //p" | tr '\n' ' ' | sed 's/ $//'; }
if command -v oclgrind-kernel >/dev/null; then
  if [ "$(dumped files/forms.sim out)" = "$numbers" ]; then good; else bad 'oclgrind-kernel has other numbers'; fi
  cat >copy.cl <<'IN'
kernel void copy(global char *c, global ushort *u, global long *l, global float *f, global double *d, int n) {
  if (get_global_id(0) == 0) { c[0] += n; u[0] += n; l[0] += n; f[0] += n; d[0] += n; }
}
IN
  cat >copy.sim <<'IN'
copy.cl copy 1 1 1 1 1 1
<size=3 dump range=-1:1:1>
<size=6 dump fill=-1>
<size=16 dump> 9007199254740993 -5
<size=12 dump range=0.5:0.25:1>
<size=8 dump> 1
<size=4 hex> 1e
IN
  expect 0 'c: char[3] 29 0 1' run --sim copy.sim
  for name in c u l f d; do
    ours=$(sed -n "s/^  $name: [a-z]*\[[0-9]*\] //p" out)
    theirs=$(dumped copy.sim $name)
    if [ -n "$ours" ] && [ "$ours" = "$theirs" ]; then good; else bad "$name: '$ours', oclgrind-kernel '$theirs'"; fi
  done
else
  echo 'skipped: oclgrind-kernel is not installed'
  skipped=$((skipped + 1))
fi

# What has no value.
cat >open.cl <<'IN'
kernel void open(global int *x, global int *y) { if (get_global_id(0) != 2) x[get_global_id(0)] = 7; y[0] = x[1]; }
IN
printf 'open.cl open 4 1 1 4 1 1 <size=16 noinit> <size=4 fill=0>\n' >open.sim
expect 0 'x: int[4] 7 7 uninitialised 7' run --sim open.sim
expect 0 '"x":[7,7,null,7]' run --sim open.sim --json
sed 's/x\[1\]/x[2]/' open.cl >later.cl
sed 's/open.cl/later.cl/' open.sim >later.sim
expect 1 "'x[2]' is read before anything is stored there" run --sim later.sim
expect 0 'x: int[4] 7 7 uninitialised 7' run open.cl --wg-size 4 --arg x=4:uninitialised --arg y=1:zeros
expect 0 '1 element without a value, written as 0' run open.cl --wg-size 4 --arg x=4:uninitialised --arg y=1:zeros --out x=x.npy

# What is wrong.
printf 'open.cl open 4 1 1 4 1 1 <size=268435456 fill=0> <size=4 fill=0>\n' >large.sim
expect 2 'large.sim:1:50: error: 4 bytes do not fit into the 0 bytes that are left for the arguments of a file' run --sim large.sim
expect 2 '4000000000 elements without a value, which take 12 bytes each, do not fit' run open.cl --wg-size 4 --arg x=4000000000:uninitialised --arg y=1:zeros
expect 2 'lockstep: error: none.sim: No such file' run --sim none.sim
sed '/<null>/d' files/forms.sim >files/fewer.sim
expect 2 "fewer.sim:2:10: error: the kernel 'forms' has 10 parameters, but the file has 9 arguments" run --sim files/fewer.sim
sed 's/<size=2 hex>/<size=4 hex>/; s/ff/ff 0/' files/forms.sim >files/larger.sim
expect 2 'there are 4 bytes, but short has 2' run --sim files/larger.sim
sed 's/forms.cl/other.cl/' files/forms.sim >files/gone.sim
expect 2 'other.cl: No such file' run --sim files/gone.sim
sed 's/forms 4/forms 5/; s/^4 1 1/5 1 1/' files/forms.sim >files/odd.sim
expect 2 '--global 5,1,1: groups of 2 do not divide the 5 items of dimension 0' run --sim files/odd.sim
sed 's/2 1 1/200 200 200/' files/forms.sim >files/huge.sim
expect 2 'are more than' run --sim files/huge.sim
expect 2 '--wg-size excludes --sim' run --sim files/forms.sim --wg-size 4
expect 2 'FILE is required' run
for wrong in hex:0 hex:0g hex:010203; do
  expect 2 'lockstep: error: --arg x: ' run open.cl --wg-size 4 --arg x=$wrong --arg y=1:zeros
done
expect 0 'y: int[1] 7' run open.cl --wg-size 2 --arg x=hex:01000000020000000300000004000000 --arg y=1:zeros
counts
