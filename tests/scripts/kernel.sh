#!/bin/sh
# kernel.sh LOCKSTEP SOURCE_DIR
# Kernels from the command line: `lockstep run`, `check` and `lower` on .cl files and typed programs, with good and wrong input.
# shellcheck disable=SC2086,SC2015
. "$(dirname "$0")/lib/command.sh"

program axpy.cl '__kernel void axpy(int a, __global const int *x, __global int *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}'
program two.cl '__kernel void one(__global int *x) { x[get_global_id(0)] = 1; }
__kernel void two(__global int *x) { x[get_global_id(0)] = 2; }'
axpy='axpy.cl --wg-size 4 --groups 2 --arg a=3 --arg x=8:iota --arg y=8:const:100'

# A run: y = 3 x + 100.
expect 0 'y: int[8] 100 103 106 109 112 115 118 121' run $axpy
silent
says 'halted after '
says 'kernel:  axpy, 2 groups of 4 items'
says 'races:   none'
says 'a = 3'
expect 0 '"buffers":{"y":[100,103,106,109,112,115,118,121]},"poison":{}' run $axpy --json
says '{"status":"halted","reason":"","kernel":"axpy","groups":2,"wg_size":4,"steps":'
says '"races":0,"race_reports":[]'
says '"fault":null}'
expect 0 '' run $axpy -q
[ ! -s out ] && good || bad '--quiet prints nothing'
"$lockstep" run - --wg-size 4 --groups 2 --arg a=3 --arg x=8:iota --arg y=8:const:100 <axpy.cl >out 2>err
says 'y: int[8] 100 103'
expect 0 'y: int[0]' run axpy.cl --groups 0 --arg a=3 --arg 'x=[]' --arg 'y=[]'
says '0 groups of 32 items'
expect 0 'y: int[40] 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 … 8 more' \
  run axpy.cl --arg a=1 --arg x=40:iota --arg y=40:zeros
expect 0 'kernel:  axpy, 1 group of 32 items' run axpy.cl --arg a=1 --arg x=40:iota --arg y=40:zeros

# Groups that part: the last item of the second one has nothing to do.
expect 0 'y: float[8] 1 1.5 2 2.5 3 3.5 4 1' \
  run "$source/examples/core/saxpy.cl" --wg-size 4 --groups 2 --arg alpha=0.5 --arg x=8:iota --arg y=8:const:1 --arg n=7

# No result depends on these.
for option in '--wg-pack 1' '--wg-pack 2' '--wg-pack auto' '--threads 1' '--warp-size 1' '--warp-size 2' '--model opencl' '--model pirch' \
  '--schedule fair' '--schedule random:7' '--schedule lowest-pc' '--races=off' '--strict' '--fp-contract=off' '--max-steps 1000' \
  '--crev-order descending' '--crev-order random:3' '--frame-memory 64K' '--max-depth 5'; do
  expect 0 '"buffers":{"y":[100,103,106,109,112,115,118,121]}' run $axpy --json $option
done
expect 0 '"races":null,"race_reports":null' run $axpy --json --races=off

# Which kernel.
expect 2 'two.cl: there are several kernels; choose one with --kernel: one, two' run two.cl --arg x=32:zeros
expect 0 'x: int[4] 2 2 2 2' run two.cl --kernel two --wg-size 4 --arg x=4:zeros
expect 2 '--kernel three: two.cl has no such kernel, only one, two' run two.cl --kernel three
program none.cl 'int f(int x) { return x; }'
expect 2 'none.cl:1:5: error: no function is marked __kernel' run none.cl

# Macros.
program macro.cl '#ifndef REAL
#define REAL float
#endif
__kernel void fill(__global REAL *x) { x[get_global_id(0)] = (REAL)VALUE / 3; }'
expect 0 'x: double[2] 0.3333333333333333 0.3333333333333333' run macro.cl -D REAL=double -D VALUE --wg-size 2 --arg x=2:zeros
expect 0 'x: float[2] 0.6666667 0.6666667' run macro.cl -DVALUE=2 --wg-size 2 --arg x=2:zeros
expect 2 "-D 2x=3: '2x' is no name of a macro: it begins with a letter or '_'" run macro.cl -D 2x=3
expect 2 "-D a-b: 'a-b' is no name of a macro: it has only letters, digits and '_'" run macro.cl -D a-b
expect 2 '-D =3: the name is missing; it is written NAME=VALUE' check macro.cl -D =3
expect 2 "-D A=2: 'A' is defined already, with another text" check macro.cl -D A=1 -D A=2
expect 2 "-D A=/*: this comment is not closed: '*/' is missing" check macro.cl -D 'A=/*'
expect 2 "-D F(1)=2: expected the name of a parameter, not '1'" check macro.cl -D 'F(1)=2'
program call.cl '__kernel void call(__global int *x) { x[0] = F(20, 1); }'
expect 0 'x: int[1] 41' run call.cl -D 'F(x,y)=x*2+y' --wg-size 1 --arg x=1:zeros

# A kernel may require the size of its groups, which then is the default.
program sized.cl '__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void four(__global int *x) { x[get_global_id(0)] = 4; }
__attribute__((reqd_work_group_size(2, 1, 1))) __kernel void two(__global int *x) { x[get_global_id(0)] = get_local_size(0); }'
expect 0 'kernel:  two, 2 groups of 2 items' run sized.cl --kernel two --groups 2 --arg x=4:zeros
says 'x: int[4] 2 2 2 2'
expect 2 "sized.cl:1:25: error: 'four' requires work groups of 8 items, but they have 4" run sized.cl --kernel four --wg-size 4 --arg x=8:zeros
expect 0 'sized.cl: well-formed' check sized.cl --kernel four
expect 0 'sized.cl: well-formed' check sized.cl # each with its own size
expect 2 "sized.cl:2:16: error: 'two' requires work groups of 2 items, but they have 8" check sized.cl --wg-size 8
program spelled.cl '__attribute((always_inline)) __inline__ int g(int a) { return a; }
static __inline __attribute__((noinline)) int h(__const int a) { (void)a, (void)0; return a ? (void)0, a : g(a); }
kernel void k(global int *__restrict__ x) { struct { int a, b[2]; } s = {}; int t[2] = {}; for (int i = 0; (void)0, i < 2; i++) x[i] = h(i) + s.b[1] + t[i]; }'
expect 0 'x: int[2] 0 1' run spelled.cl --wg-size 1 --arg x=2:iota

# What reports call things: a scalar, an element of two dimensions, a function.
program named.cl '__kernel void named(__global int *x, int n) {
  __local int s, t[2][2];
  s = get_local_id();
  if (n == 1) x[0] = t[1][0];
  if (n == 2) x[0] = t[n][0];
}'
expect 0 'named.cl:3:3: warning: race: this item writes s, storing 1 (group 0, item 1)' run named.cl --wg-size 2 --arg x=1:zeros --arg n=0
expect 1 "named.cl:4:22: error: 't[1][0]' is read before anything is stored there (group 0, item 0)" run named.cl --wg-size 1 --arg x=1:zeros --arg n=1
expect 1 "named.cl:5:24: error: the first index of 't' is 2, outside of 0 to 1 (group 0, item 0)" run named.cl --wg-size 1 --arg x=1:zeros --arg n=2
program owes.cl 'int owes(int x) { if (x > 1) return x; }
__kernel void k(__global int *x) { owes(x[0]); x[0] = owes(x[1]); }'
expect 1 "owes.cl:2:55: error: 'owes' has ended without a value, which is used here (group 0, item 0)" run owes.cl --wg-size 1 --arg x=2:zeros
expect 0 'x: int[2] 2 2' run owes.cl --wg-size 1 --arg 'x=[0,2]'

# Contraction: 2^-24 beside 1 is lost when x*y is rounded first. (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24.
program fma.cl '__kernel void k(float x, __global float *r) { r[get_global_id(0)] = x * x - 1.00048828125f; }'
expect 0 'r: float[1] 5.9604645e-08' run fma.cl --wg-size 1 --arg x=0x1.001p0 --arg r=1:zeros
expect 0 'r: float[1] 0' run fma.cl --wg-size 1 --arg x=0x1.001p0 --arg r=1:zeros --fp-contract=off

# All scalar types: scalars, lists, files; a buffer that goes to a file is not printed, and comes back as it was.
for type in bool char uchar short ushort int uint long ulong float double; do
  program copy.cl "__kernel void copy(__global const $type *x, $type c, __global $type *y) {
  size_t i = get_global_id(0);
  y[i] = i == 0 ? c : x[i];
}"
  program same.cl "__kernel void same(__global $type *x) { x[1] = x[1]; }"
  expect 0 "y: ${type}[3] 1 0 1" run copy.cl --wg-size 3 --arg 'x=[0,0,1]' --arg c=1 --arg y=3:zeros
  expect 0 '"buffers":{},' run copy.cl --wg-size 3 --arg 'x=[0,0,1]' --arg c=1 --arg y=3:zeros --out y=$type.npy --json
  expect 0 "x: ${type}[3] 1 0 1" run same.cl --wg-size 1 --arg x=@$type.npy
done
expect 2 "--arg x: float.npy has elements of type '<f4' (float), but '<f8' (double) is wanted (the parameter is '__global double *x')" \
  run same.cl --arg x=@float.npy

# The shape of the file that came in is that of the file that goes out: a header as NumPy writes it, and six ints.
{
  printf '\223NUMPY\001\000\166\000'
  printf "%-117s\n" "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }"
  printf '\001\000\000\000\002\000\000\000\003\000\000\000\377\377\377\377\005\000\000\000\006\000\000\000'
} >six.npy
program negate.cl '__kernel void negate(__global int *x) { size_t i = get_global_id(0); x[i] = -x[i]; }'
expect 0 'x: int[2, 3] -1 -2 -3 1 -5 -6' run negate.cl --wg-size 6 --arg x=@six.npy
expect 0 '' run negate.cl --wg-size 6 --arg x=@six.npy --out x=minus.npy -q
expect 0 '' run negate.cl --wg-size 6 --arg x=@minus.npy --out x=again.npy -q
cmp -s six.npy again.npy && good || bad 'minus minus the file is the file'
cmp -s six.npy minus.npy && bad 'the file was not changed' || good

# Text files.
printf 'lockstep' >text
program upper.cl '__kernel void upper(__global const char *in, __global uchar *out) { size_t i = get_global_id(0); out[i] = in[i] - 32; }'
expect 0 'out: uchar[8] 76 79 67 75 83 84 69 80' run upper.cl --wg-size 8 --arg in=@text --arg out=8:zeros
expect 2 '--arg x: text is no .npy file; the bytes of any file can only be elements of type char or uchar' run negate.cl --arg x=@text

# Numbers that JSON does not have, and those that it has in another way.
program zero.cl '__kernel void zero(float a, __global float *x) { if (a != 0) x[0] = 1; }'
program odd.cl '__kernel void odd(__global float *x) { x[0] = INFINITY; x[1] = -INFINITY; x[2] = NAN; }'
expect 0 '"buffers":{"x":["inf","-inf","nan"]}' run odd.cl --wg-size 1 --arg x=3:zeros --json
expect 0 'x: float[3] inf -inf nan' run odd.cl --wg-size 1 --arg x=3:zeros

expect 0 '"buffers":{"x":[-0.0,1e-45,2.5]}' run zero.cl --wg-size 3 --arg a=1e-50 --arg 'x=[-0,1e-45,2.5]' --json
expect 2 '--arg a: 1e39 does not fit float' run zero.cl --arg a=1e39

# Poison: null in JSON, listed, 0 in files.
program poison.cl '__kernel void p(__global int *x) { size_t i = get_local_id(0); x[i] = shuffle((int)i + 1, i + 1); }'
expect 0 '"buffers":{"x":[2,3,4,null]},"poison":{"x":[3]}' run poison.cl --wg-size 4 --arg x=4:const:9 --json
expect 0 'x: int[4] 2 3 4 poison' run poison.cl --wg-size 4 --arg x=4:const:9
expect 0 'p.npy: 1 element poison, written as 0' run poison.cl --wg-size 4 --arg x=4:const:9 --out x=p.npy
expect 0 'x: int[4] -2 -3 -4 0' run negate.cl --wg-size 4 --arg x=@p.npy
expect 0 '"buffers":{},"poison":{"x":[3]}' run poison.cl --wg-size 4 --arg x=4:const:9 --out x=p.npy --json

# Undefined behaviour: line, column, group, item, variable, value; status 1.
program bounds.cl '__kernel void b(__global int *x) {
  size_t i = get_global_id(0);
  x[i] = 1;
}'
expect 1 'bounds.cl:3:' run bounds.cl --wg-size 4 --groups 2 --arg x=6:zeros
says ' error: '
says 'group 1, item 2'
says '  x[i] = 1;'
expect 1 '"status":"error","reason":"' run bounds.cl --wg-size 4 --groups 2 --arg x=6:zeros --json
says '"fault":{"kind":"out-of-bounds","line":3,"column":'
says '"group":1,"item":2,"variable":"x","value":"6"}'
says '"buffers":{"x":[1,1,1,1,0,0]}'
program divide.cl '__kernel void d(__global int *x) { size_t i = get_global_id(0); x[i] = 8 / x[i]; }'
expect 1 '"kind":"division-by-zero","line":1,"column":72,"group":0,"item":2,' run divide.cl --wg-size 4 --arg 'x=[1,2,0,4]' --json
program fresh.cl '__kernel void u(__global int *x) { int v; if (get_local_id(0) == 1) v = 1; x[get_local_id(0)] = v; }'
expect 1 '"kind":"uninitialised-variable","line":1,' run fresh.cl --wg-size 2 --arg x=2:zeros --json
says '"group":0,"item":0,"variable":"v"'

# Races: reported with both parties and status 0; with --strict status 1.
program race.cl '__kernel void r(__global int *x) {
  x[0] = (int)get_global_id(0);
}'
expect 0 'race.cl:2:' run race.cl --wg-size 1 --groups 2 --arg x=1:zeros
says 'races:   1'
says 'group 0'
says 'group 1'
expect 0 '"races":1,"race_reports":[{"object":"x","index":0,"equal_values":false,"first":{"line":2,' run race.cl --wg-size 1 --groups 2 --arg x=1:zeros --json
says '"writes":true,"value":"0"'
expect 0 'races:   not looked for' run race.cl --wg-size 1 --groups 2 --arg x=1:zeros --races=off
silent
expect 1 'race.cl:2:' run race.cl --wg-size 1 --groups 2 --arg x=1:zeros --strict
says 'group 0'
says 'group 1'
expect 1 '"status":"error",' run race.cl --wg-size 1 --groups 2 --arg x=1:zeros --strict --json
says '"fault":{"kind":"race","line":2,'
expect 2 '--strict wants the races that --races=off does not look for' run race.cl --arg x=1:zeros --strict --races=off

# Limits: status 3 and the option that moves them.
program endless.cl '__kernel void e(__global int *x) { while (true) x[0] = 1; }'
expect 3 '(--max-steps)' run endless.cl --wg-size 1 --arg x=1:zeros --max-steps 1000
expect 3 '"status":"limit","reason":"' run endless.cl --wg-size 1 --arg x=1:zeros --max-steps 1000 --json
says '"fault":{"kind":"step-limit","line":1,'
program deep.cl 'int f(int n) { return n == 0 ? 0 : 1 + f(n - 1); }
__kernel void k(int n, __global int *x) { x[0] = f(n); }'
expect 0 'x: int[1] 9' run deep.cl --wg-size 1 --arg n=9 --arg x=1:zeros
expect 3 '(--max-depth)' run deep.cl --wg-size 1 --arg n=1000 --arg x=1:zeros --max-depth 100
expect 3 '(--frame-memory)' run deep.cl --wg-size 1 --arg n=100000 --arg x=1:zeros --frame-memory 64K
says '1:'

# crev: every item's call is served by all items, in any order of service.
program crev.cl 'void add(uniform int amount, __global int *sum) { sum[get_local_id(0)] += amount; }
__kernel void k(__global int *sum) { crev add((int)get_local_id(0) + 1, sum); }'
for order in ascending descending random random:5; do
  expect 0 'sum: int[3] 6 6 6' run crev.cl --wg-size 3 --arg sum=3:zeros --crev-order $order
done
says 'add: 3 activations, 9 tasks'
expect 0 '"functions":{"add":{"activations":3,"tasks":9}}' run crev.cl --wg-size 3 --arg sum=3:zeros --json

# Arguments that are wrong.
list="its parameters: int a, const __global int *x, __global int *y"
expect 2 "--arg is missing for a, x, y of the kernel 'axpy'; $list" run axpy.cl
expect 2 "--arg z: the kernel 'axpy' has no such parameter; $list" run axpy.cl --arg z=1
expect 2 '--arg a: it is given twice' run axpy.cl --arg a=1 --arg a=1
expect 2 '--arg a: it is not written NAME=VALUE' run axpy.cl --arg a
expect 2 "--arg a: '1.5' is not an integer (the parameter is 'int a')" run axpy.cl --arg a=1.5
expect 2 '--arg a: 2147483648 does not fit int' run axpy.cl --arg a=2147483648
expect 2 "--arg a: '' is not an integer" run axpy.cl --arg a=
expect 2 "--arg a: '[1]' is not an integer" run axpy.cl --arg 'a=[1]'
expect 2 '--arg x: element 1: ' run axpy.cl --arg 'x=[1,nan]'
expect 2 "--arg x: '-1' is no number of elements" run axpy.cl --arg x=-1:zeros
expect 2 '--arg x: 9223372036854775807 elements of 4 bytes do not fit' run axpy.cl --arg x=9223372036854775807:zeros
expect 2 'do not fit into the 1024 bytes that are left of the memory limit' run axpy.cl --arg x=257:zeros --memory-limit 1K
expect 2 "--arg x: '18446744073709551616' is no number of elements" run axpy.cl --arg x=18446744073709551616:zeros
expect 2 "--arg x: 'ones' is not one of zeros, iota, const:V, random[:SEED] and uninitialised" run axpy.cl --arg x=3:ones
expect 2 'missing.npy: No such file or directory' run axpy.cl --arg x=@missing.npy
expect 2 'is a directory' run axpy.cl --arg x=@.
expect 2 'has more than' run upper.cl --arg in=@/dev/zero --memory-limit 1M
cp text text.npy
expect 2 'text.npy: it is no .npy file' run axpy.cl --arg x=@text.npy
head -c 140 six.npy >short.npy
expect 2 'short.npy: the elements take 24 bytes, but 12 stand behind the header' run axpy.cl --arg x=@short.npy
sed 's/(2, 3), /(9999), /' six.npy >shape.npy
expect 2 'shape.npy: ' run axpy.cl --arg x=@shape.npy
sed 's/(2, 3)/(2, x)/' six.npy >header.npy
expect 2 'header.npy: the header is not one that NumPy writes' run axpy.cl --arg x=@header.npy
sed 's/False/True /' six.npy >fortran.npy
expect 2 'fortran.npy: the array is in Fortran order; only C order can be read' run axpy.cl --arg x=@fortran.npy

# Parameters that point into one buffer.
program shift.cl '__kernel void shift(__global int *to, __global const int *from, int n) {
  for (int i = 0; i < n; i++) to[i] = from[i] + 10;
}'
shift='shift.cl --wg-size 1 --arg n=3'
expect 0 'from: int[4] 1 11 21 31' run $shift --arg 'from=[1,2,3,4]' --arg to=from+1
says '  to = from + 1'
expect 0 'to: int[4] 12 13 14 4' run $shift --arg 'from=to+1' --arg 'to=[1,2,3,4]'
says '  from = to + 1'
expect 0 'to: int[4] 11 12 13 4' run $shift --arg 'to=[1,2,3,4]' --arg from=to
says '  from = to'
expect 0 '"buffers":{"from":[1,11,21,31]},"poison":{}' run $shift --arg 'from=[1,2,3,4]' --arg to=from+1 --json
expect 1 "index 4 is outside of 'from', which has 4 elements (group 0, item 0)" run $shift --arg 'from=[1,2,3,4]' --arg to=from+2
expect 0 '' run $shift --arg 'from=[1,2,3,4]' --arg to=from+1 --out to=part.npy --out from=whole.npy -q
expect 0 'to: int[3] 21 31 41' run $shift --arg to=@part.npy --arg from=to
expect 0 'to: int[4] 11 21 31 31' run $shift --arg to=@whole.npy --arg from=to
expect 2 "--arg to: 'from' has 4 elements; 5 lies behind their end" run $shift --arg 'from=[1,2,3,4]' --arg to=from+5
expect 2 "--arg to: it cannot point into its own buffer" run $shift --arg 'from=[1,2,3,4]' --arg to=to
program types.cl '__kernel void types(__global int *a, __global uint *b) { b[0] = a[0]; }'
expect 2 "--arg b: 'a' has elements of type int, and a buffer has elements of one type only" run types.cl --arg a=4:zeros --arg b=a
expect 2 "--arg b: 'a' has elements of type int" diff types.cl --arg a=4:zeros --arg b=a
expect 2 '--arg to=from+1: a proof gives each pointer a buffer of its own' verify shift.cl --wg-size 1 --arg n=3 --arg to=from+1

# Outputs that are wrong: seen before the run.
{
  expect 2 "--out z: the kernel 'axpy' has no such buffer; $list" run $axpy --out z=z.npy
  expect 2 '--out a: ' run $axpy --out a=z.npy
  expect 2 '--out y: it is not written NAME=FILE' run $axpy --out y
  expect 2 '--out y=: it is not written NAME=FILE' run $axpy --out y=
  expect 2 '--out: y is given twice' run $axpy --out y=a.npy --out y=b.npy
  expect 2 '--out: a.npy is given twice' run $axpy --out y=a.npy --out x=a.npy
  expect 2 'no-such-folder/y.npy' run $axpy --out y=no-such-folder/y.npy
  expect 2 '.: Is a directory' run $axpy --out y=.
  expect 2 'axpy.cl: is read by this run and must not be written' run $axpy --out y=./axpy.cl
}
expect 2 'six.npy: is read by this run and must not be written' run negate.cl --wg-size 6 --arg x=@six.npy --out x=six.npy

# Options that are wrong.
{
  expect 2 '--wg-size: 0 is not a number from 1 to 1048576' run axpy.cl --wg-size 0
  expect 2 '--wg-size: 1048577 is not' run axpy.cl --wg-size 1048577
  expect 2 '--groups: -1 is not' run axpy.cl --groups -1
  expect 2 '--wg-pack: 0 is not a number from 1 to 2147483647, nor auto' run $axpy --wg-pack 0
  expect 2 '--warp-size: 0 is not' run $axpy --warp-size 0
  expect 2 "--schedule: 'slow' is not one of fair, lowest-pc and random:SEED" run $axpy --schedule slow
  expect 2 '--schedule: the seed x is not a number' run $axpy --schedule random:x
  expect 2 '--model' run $axpy --model cuda
  expect 2 '--model opencl runs every item on its own; --warp-size 2 contradicts it' run $axpy --model opencl --warp-size 2
  expect 2 "--crev-order: 'sideways' is not one of ascending, descending and random:SEED" run $axpy --crev-order sideways
  expect 2 "--frame-memory: '12Q' is no number of bytes" run $axpy --frame-memory 12Q
  expect 2 "--memory-limit: 'x' is no number of bytes" run $axpy --memory-limit x
  expect 2 '--max-depth: 0 is not' run $axpy --max-depth 0
  expect 2 '--fp-contract' run $axpy --fp-contract=maybe
  expect 2 '--races' run $axpy --races=maybe
  expect 2 '--shared: axpy.cl is a file of kernels, which has no such option' run $axpy --shared '0:[1]'
  expect 2 '--trace: axpy.cl is a file of kernels, which has no such option' run $axpy --trace=table
}
expect 2 '--arg: ' run "$source/examples/musimd/fig6.mus" --arg a=1
says 'is an untyped program, which has no such option'

# Files that are wrong.
expect 2 'nothing.cl: No such file or directory' run nothing.cl
mkdir folder.cl
expect 2 'folder.cl: is a directory' run folder.cl
: >empty.cl
expect 2 'empty.cl' run empty.cl
head -c 4096 "$lockstep" >binary.cl
expect 2 'binary.cl:' run binary.cl
program syntax.cl '__kernel void k(__global int *x) {
  x[0] = ;
}'
expect 2 'syntax.cl:2:10: error: ' run syntax.cl --arg x=1:zeros
program types.cl '__kernel void k(__global int *x) {
  x[0] = cout;
}'
expect 2 'types.cl:2:10: error: ' run types.cl --arg x=1:zeros

expect 2 '{"status":"error","reason":"syntax.cl:2:10: ' run syntax.cl --arg x=1:zeros --json
says 'syntax.cl:2:10: error: '
expect 2 '{"status":"error","reason":"types.cl:2:10: ' run types.cl --arg x=1:zeros --json
expect 2 '{"status":"error","reason":"--arg a: it is given twice' run axpy.cl --arg a=1 --arg a=1 --json
expect 2 '{"status":"error","reason":"nothing.cl: No such file' run nothing.cl --json

# check
expect 0 '"kernels":["two"]' check --json two.cl --kernel two
expect 2 '--kernel three: two.cl has no such kernel, only one, two' check two.cl --kernel three
expect 0 'two.cl: well-formed' check two.cl
expect 0 '{"status":"well-formed","kernels":["one","two"],"findings":[]}' check --json two.cl
expect 2 'types.cl:2:10: error: ' check types.cl
expect 2 '{"status":"error","kernels":[],"findings":[{"severity":"error","line":2,"column":10,"message":"' check --json types.cl
expect 2 'syntax.cl:2:10: error: ' check syntax.cl
expect 0 'macro.cl: well-formed' check macro.cl -D VALUE=1 --wg-size 8 --fp-contract=off
expect 2 'macro.cl:4:' check macro.cl
expect 2 '--wg-size: ' check "$source/examples/musimd/fig6.mus" --wg-size 8
expect 0 'check examples/core/saxpy.cl' check --help
for file in "$source"/examples/core/*.cl "$source"/examples/borg/*.cl "$source"/examples/crev/*.cl; do
  [ ! -e "$file" ] || expect 0 ': well-formed' check "$file"
done

# lower, and what it prints as a program of its own.
expect 0 'y[i] = a * x[i] + y[i];' lower axpy.cl --to musimd --wg-size 4
says '.typed'
says '.wg_size 4'
says '.kernel axpy('
expect 0 '' lower axpy.cl --to musimd --wg-size 4 -o axpy.mus
expect 0 'axpy.mus: well-formed' check axpy.mus
expect 0 '{"status":"well-formed","kernels":["axpy"],"findings":[]}' check --json axpy.mus
for file in axpy.cl axpy.mus; do
  expect 0 '' run $file --wg-size 4 --groups 2 --arg a=3 --arg x=8:iota --arg y=8:const:100 --json
  sed 's/"buffers":{"x":\[[^]]*\],/"buffers":{/' out >$file.json  # a typed program does not say that x is const
done
cmp -s axpy.cl.json axpy.mus.json && good || bad 'the printed program does the same as the kernel'
"$lockstep" lower "$source/examples/core/saxpy.cl" --to musimd --wg-size 4 2>err |
  "$lockstep" run - --arg alpha=2 --arg x=4:iota --arg y=4:zeros --arg n=4 >out 2>>err
says 'y: float[4] 0 2 4 6'
expect 0 '' lower axpy.mus --to musimd -o again.mus
expect 0 '' lower again.mus --to musimd
cmp -s again.mus out && good || bad 'what is printed is canonical'
expect 2 'axpy.mus is a typed program for groups of 4 items' run axpy.mus --wg-size 8
expect 2 '-D: axpy.mus is a typed program, which has no such option' run axpy.mus -D X
expect 2 '--kernel other: axpy.mus has no such kernel, only axpy' run axpy.mus --kernel other
program broken.mus '.typed
.wg_size 4

.kernel k(int a)
  b = a
  stop'
expect 2 'broken.mus:5:' run broken.mus --arg a=1
expect 2 'broken.mus:5:' check broken.mus
expect 2 '"status":"error"' check --json broken.mus
expect 2 '--to' lower axpy.cl
expect 2 '--to' lower axpy.cl --to cuda

# lower --to layout: each item's variables have a lane of their own; of both groups of a pack.
expect 0 "layout of 'axpy', WG_SIZE 4, WG_PACK 1: " lower axpy.cl --to layout --wg-size 4
says 'wi.ix  0  1  2  3'
expect 0 '"wg_size":4,"wg_pack":2,"group_lanes":4,"lanes":8,' lower axpy.cl --to layout --wg-size 4 --wg-pack 2 --json
says '{"kernel":"axpy","functions":[{"function":"axpy",'
expect 0 '{"function":"add",' lower crev.cl --to layout --json
expect 0 '' lower axpy.cl --to layout -o layout
[ -s layout ] && good || bad 'the layout stands in a file'
expect 2 '--wg-pack: 0 is not a number' lower axpy.cl --to layout --wg-pack 0
expect 2 '--json is for --to layout' lower axpy.cl --to musimd --json
expect 2 '--wg-pack is for --to layout, infreg and llvm' lower axpy.cl --to musimd --wg-pack 2
expect 2 'is an untyped program' lower "$source/examples/musimd/fig6.mus" --to musimd
expect 2 'no-such-folder/x: No such file or directory' lower axpy.cl --to musimd -o no-such-folder/x
expect 2 'axpy.cl: is read by this run and must not be written' lower axpy.cl --to musimd -o axpy.cl
expect 2 'there are several kernels' lower two.cl --to musimd
expect 0 '.kernel two(' lower two.cl --to musimd --kernel two
expect 2 'types.cl:2:10: error: ' lower types.cl --to musimd
expect 0 'Example: lockstep lower' lower --help
expect 0 'Kernels (.cl)' run --help

# A standard output that is full.
if [ -w /dev/full ]; then
  for command in "run $axpy" "run $axpy --json" 'check two.cl' 'lower axpy.cl --to musimd'; do
    "$lockstep" $command >/dev/full 2>err </dev/null
    [ $? -eq 2 ] && grep -qF 'lockstep: error: cannot write to standard output: ' err && good || bad "$command: a full standard output is an error"
  done
  expect 2 '/dev/full: cannot be written' run negate.cl --wg-size 6 --arg x=@six.npy --out x=/dev/full --json
  expect 2 '/dev/full: cannot be written' run negate.cl --wg-size 6 --arg x=@six.npy --out x=/dev/full -q
fi

counts
