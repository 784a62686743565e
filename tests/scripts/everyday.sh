#!/bin/sh
# everyday.sh LOCKSTEP SOURCE_DIR
# Kernels as people write them (examples/everyday): groups and items in several dimensions, __local parameters. Run, stepped through, compiled for
# every target, and by clang's front end; expected values are computed by awk.
# shellcheck disable=SC2086,SC2015,SC2154,SC1091
. "$(dirname "$0")/lib/command.sh"
everyday=$source/examples/everyday
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
echo "LOCKSTEP_SEED=$seed repeats this run"
targets=infreg,llvm
! command -v clang-19 >/dev/null || targets=infreg,llvm,cuda,ve
time_limit=120

# alike KERNEL OPTION...: all targets agree with the interpreter, and so does what clang makes of the kernel, which knows nothing of ours.
alike() {
  kernel=$1
  shift
  expect 0 '' diff "$everyday/$kernel.cl" --target $targets "$@"
  for target in $(echo $targets | tr , ' '); do
    grep -q "^$target  *WG_PACK 1  *equal " out && good || bad "$kernel: $target is not equal"
  done
  if command -v clang-19 >/dev/null; then
    expect 0 ' equal ' diff "$everyday/$kernel.cl" --target clang-ptx "$@"
  else
    skipped=$((skipped + 1))
  fi
}

# A tree in __local memory whose length the launch gives.
sums=$(awk 'BEGIN { for (g = 0; g < 6; ++g) { s = 0; for (i = 0; i < 16; ++i) s += 16 * g + i; printf " %d", s } }')
expect 0 "out: float[6]$sums" run "$everyday/reduce.cl" --wg-size 16 --groups 6 --model opencl --arg in=96:iota --arg out=6:zeros --arg tmp=local:16
alike reduce --wg-size 16 --groups 6 --arg in=96:random:$seed --arg out=6:zeros --arg tmp=local:16
alike reduce --wg-size 64 --groups 3 --arg in=192:random:$seed --arg out=3:zeros --arg tmp=local:100
expect 1 "index 15 is outside of 'tmp', which has 15 elements (group 0, item 15)" run "$everyday/reduce.cl" --wg-size 16 --arg in=16:iota \
  --arg out=1:zeros --arg tmp=local:15
expect 2 "nobody says how many elements 'tmp' points to" run "$everyday/reduce.cl" --arg in=32:iota --arg out=1:zeros
expect 2 "the kernel 'reduce' has no __local parameter 'tm'" check "$everyday/reduce.cl" --arg tm=local:4
expect 2 "--arg tmp=local:0: the length 0 is not a number from 1" check "$everyday/reduce.cl" --arg tmp=local:0
expect 2 "--arg tmp=local:many: the length many is not a number" lower "$everyday/reduce.cl" --to infreg --arg tmp=local:many
expect 2 "'tmp' has a length already" check "$everyday/reduce.cl" --arg tmp=local:4 --arg tmp=local:5
expect 2 'nothing is launched here, so that only lengths of __local parameters mean something' check "$everyday/reduce.cl" --arg in=4:iota
expect 2 "'tmp' points to 268435457 elements, but a __local array has 1 to 268435456 of them" check "$everyday/reduce.cl" --arg tmp=local:268435457
"$lockstep" lower "$everyday/reduce.cl" --to musimd --wg-size 4 --arg tmp=local:4 >reduce.mus 2>err
expect 0 'out: float[1] 6' run reduce.mus --arg in=4:iota --arg out=1:zeros
expect 2 'a typed program has no __local parameters' run reduce.mus --arg in=4:iota --arg out=1:zeros --arg tmp=local:4
expect 0 'local %tmp : f32[8]' lower "$everyday/reduce.cl" --to infreg --wg-size 8 --arg tmp=local:8
expect 0 'reduce: 8 items a group' emit "$everyday/reduce.cl" --target avx512 --wg-size 8 --arg tmp=local:8
expect 0 ': refines' verify "$everyday/reduce.cl" --wg-size 4 --arg tmp=local:4
session "$everyday/reduce.cl" --wg-size 4 --arg in=4:iota --arg out=1:zeros --arg tmp=local:4 <<'IN'
break 6
continue
print tmp
IN
reached 'a step through memory of the launch' 0 'tmp'

# What items change at once. Of 200 numbers each bin gets those of one remainder; a ticket gives each a place of its own.
bins=$(awk 'BEGIN { for (i = 0; i < 200; ++i) ++n[i % 16]; for (b = 0; b < 16; ++b) printf " %d", n[b] }')
for sizes in '--wg-size 16 --groups 4' '--wg-size 7 --groups 3' '--wg-size 32 --groups 1' '--wg-size 1 --groups 5'; do
  expect 0 "bins: uint[16]$bins" run "$everyday/histogram.cl" $sizes --model opencl --strict --arg x=200:iota --arg bins=16:zeros --arg n=200
  alike histogram $sizes --arg x=150:random:$seed --arg bins=16:zeros --arg n=150
  alike compact $sizes --arg x=64:random:$seed --arg positive=64:zeros --arg count=1:zeros
done
expect 0 'count: int[1] 63' run "$everyday/compact.cl" --wg-size 16 --groups 4 --arg x=64:iota --arg positive=64:zeros --arg count=1:zeros
expect 0 "63 of 64 elements of 'positive' depend on the order of atomic changes: compared as numbers in any order" diff "$everyday/compact.cl" \
  --wg-size 16 --groups 4 --target infreg --arg x=64:iota --arg positive=64:zeros --arg count=1:zeros
expect 0 '"depend_on_order":[{"buffer":"positive","elements":63,"compared":"in any order"}]' diff "$everyday/compact.cl" --json --wg-size 16 \
  --groups 4 --target infreg --arg x=64:iota --arg positive=64:zeros --arg count=1:zeros
for sizes in '--wg-size 8 --groups 5' '--wg-size 40 --groups 1'; do
  alike extremes --kernel extremes $sizes --arg x=40:random:$seed --arg least=1:zeros --arg greatest=1:zeros --arg seen=1:zeros
  alike extremes --kernel sums $sizes --arg x=5:random:$seed --arg sum=1:zeros
done
expect 0 'least: int[1] -3' run "$everyday/extremes.cl" --kernel extremes --wg-size 4 --arg x=[4,-3,9,2] --arg least=1:zeros --arg greatest=1:zeros --arg seen=1:zeros
says 'greatest: int[1] 9'
says 'seen: ulong[1] 2305843009213694484'
expect 0 'sum: uint[1] 1083179008' run "$everyday/extremes.cl" --kernel sums --wg-size 2 --groups 3 --arg x=[1.5,2,1] --arg sum=1:zeros
expect 0 '' run "$everyday/extremes.cl" --kernel sums --wg-size 2 --groups 3 --model opencl --schedule random:3 --strict --arg x=[1.5,2,1] --arg sum=1:zeros
# What groups find depends on their order: nothing is proved of packs of several.
expect 0 ': refines' verify "$everyday/compact.cl" --wg-size 2 --groups 2 --wg-pack 1
expect 3 'ask for one group' verify "$everyday/compact.cl" --wg-size 2 --groups 2 --wg-pack 2
expect 0 ': refines' verify "$everyday/extremes.cl" --kernel extremes --wg-size 2 --groups 2 --wg-pack 2
cat >mixed.cl <<'END'
__kernel void mixed(__global int *n, __global int *o) { if (get_group_id(0) == 0) atomic_inc(n); else o[0] = n[0]; }
END
expect 1 'race: this item reads n[0], finding 4 (group 1, item 0)' run mixed.cl --strict --wg-size 4 --groups 2 --arg n=1:zeros --arg o=1:zeros
# A flag that several groups raise.
echo '__kernel void flag(__global int *n) { *n = 1; }' >flag.cl
expect 0 'warning: race of equal values: this item writes n[0], storing 1 (group 1, item 0)' run flag.cl --groups 2 --arg n=1:zeros
expect 0 'races:   none' run flag.cl --groups 2 --equal-races --strict --arg n=1:zeros
expect 1 '"equal_values":true' run flag.cl --groups 2 --strict --json --arg n=1:zeros

# Two dimensions, of which some items have nothing to do.
sums=$(awk 'BEGIN { for (i = 0; i < 15; ++i) printf " %d", 2 * i }')
launch='--arg a=15:iota --arg b=15:iota --arg c=15:zeros --arg width=5 --arg height=3'
for sizes in '--local 4,2 --groups 2,2' '--wg-size 4,2 --global 8,4' '--local 5,3 --groups 1' '--local 1,1 --groups 7,3' '--local 3,1,1 --global 6,3,1'; do
  expect 0 "c: float[15]$sums" run "$everyday/vecadd2d.cl" $sizes $launch
  alike vecadd2d $sizes --arg a=15:random:$seed --arg b=15:random --arg c=15:zeros --arg width=5 --arg height=3
done
expect 1 '(group (0,0), item (0,0,1))' diff "$everyday/vecadd2d.cl" --target clang-ptx --local 2,1,2 --global 6,4,2 $launch
says 'the result depends on the order of the items'
expect 0 'kernel:  vecadd2d, 2 × 2 groups of 4 × 2 items' run "$everyday/vecadd2d.cl" --local 4,2 --groups 2,2 $launch
expect 1 '(group 1, item (0,2))' run "$everyday/vecadd2d.cl" --local 4,3 --groups 2,1 --arg a=14:iota --arg b=15:iota --arg c=15:zeros --arg width=5 \
  --arg height=3
says "index 14 is outside of 'a'"
# A launch that begins with item (2, 1) leaves what lies in front of it alone.
sums=$(awk 'BEGIN { for (i = 0; i < 15; ++i) printf " %d", (i >= 5 && i % 5 >= 2 ? 2 * i : 0) }')
expect 0 "c: float[15]$sums" run "$everyday/vecadd2d.cl" --local 2,2 --global 4,2 --offset 2,1 $launch
alike vecadd2d --local 2,2 --global 4,2 --offset 2,1 --arg a=15:random:$seed --arg b=15:random --arg c=15:zeros --arg width=5 --arg height=3
expect 2 "--offset: '1,2,3,4' has more than three dimensions" check "$everyday/vecadd2d.cl" --offset 1,2,3,4
"$lockstep" lower "$everyday/vecadd2d.cl" --to musimd --wg-size 4 >typed.mus 2>err
expect 2 '--offset: typed.mus is a typed program, which has no such option' run typed.mus --offset 1
expect 2 '--offset: x is not a number' check "$everyday/vecadd2d.cl" --offset x
expect 2 '--global 8,3: groups of 2 do not divide the 3 items of dimension 1' run "$everyday/vecadd2d.cl" --local 4,2 --global 8,3 $launch
expect 2 "'1,1,1,1' has more than three dimensions, X,Y,Z" run "$everyday/vecadd2d.cl" --groups 1,1,1,1 $launch
expect 2 "--groups: x is not a number" run "$everyday/vecadd2d.cl" --groups 2,x $launch
expect 2 "are more than 1048576" run "$everyday/vecadd2d.cl" --local 1025,1024 $launch
expect 2 '--groups excludes --global' run "$everyday/vecadd2d.cl" --groups 2 --global 4 $launch
expect 2 'a .mus program has 1 to 1024 threads, in one dimension' run "$source/examples/musimd/fig6.mus" --wg-size 2,2
expect 0 'c: float[15] 0 0 0 0' run "$everyday/vecadd2d.cl" --local 4,2 --groups 0,2 $launch

# Through local memory, with both.
expected=$(awk 'BEGIN { for (c = 0; c < 8; ++c) for (r = 0; r < 4; ++r) printf " %d", r * 8 + c }')
expect 0 "out: int[32]$expected" run "$everyday/transpose.cl" --local 4,4 --groups 2,1 --model opencl --arg in=32:iota --arg out=32:zeros --arg width=8 \
  --arg height=4 --arg tile=local:20
alike transpose --local 4,4 --groups 3,2 --arg in=96:random:$seed --arg out=96:zeros --arg width=12 --arg height=8 --arg tile=local:20
expected=$(awk 'BEGIN { for (r = 0; r < 4; ++r) for (c = 0; c < 4; ++c) { s = 0; for (k = 0; k < 4; ++k) s += (4 * r + k) * (4 * k + c); printf " %d", s } }')
expect 0 "C: float[16]$expected" run "$everyday/matmul.cl" -D TILE=2 --groups 2,2 --model opencl --arg A=16:iota --arg B=16:iota --arg C=16:zeros --arg n=4
alike matmul -D TILE=4 --groups 3,3 --arg A=144:random:$seed --arg B=144:random --arg C=144:zeros --arg n=12
expect 2 "'matmul' requires work groups of 8 × 8 items, but they have 4 × 16" check "$everyday/matmul.cl" --wg-size 4,16
expect 0 'well-formed' check "$everyday/matmul.cl" --wg-size 64

# Three.
expected=$(awk 'BEGIN {
  for (z = 0; z < 4; ++z) for (y = 0; y < 4; ++y) for (x = 0; x < 4; ++x) {
    i = (z * 4 + y) * 4 + x
    inside = x % 3 && y % 3 && z % 3
    printf i < 32 ? " %d" : "", inside ? 7 * i : i
  }
}')
expect 0 "out: int[64]$expected" run "$everyday/stencil3d.cl" --local 2,2,2 --groups 2,2,2 --arg in=64:iota --arg out=64:zeros
alike stencil3d --local 3,2,1 --groups 2,2,5 --arg in=120:random:$seed --arg out=120:zeros
alike stencil3d --local 2,2,2 --global 6,4,4 --arg in=96:random:$seed --arg out=96:zeros
expect 0 '' emit "$everyday/stencil3d.cl" --target llvm --local 2,2,2 --bundle bundle --groups 2,2,2 --arg in=64:iota --arg out=64:zeros
make -C bundle >out 2>err && good || bad 'the bundle of a launch in three dimensions is wrong'

# Vectors, in all address spaces; clang has its own. Of two bodies whose distance and softening make 4, so that all numbers are exact.
everyday=$source/examples/everyday
expect 0 'velocity: float[8] 1 0 0 0 -0.5 0 0 0' run "$everyday/nbody.cl" --wg-size 2 --model opencl --arg 'position=[0,0,0,8,1,0,0,16]' \
  --arg velocity=8:zeros --arg moved=8:zeros --arg tile=local:8 --arg bodies=2 --arg dt=0.5 --arg softening=3
says 'moved: float[8] 0.5 0 0 8 0.75 0 0 16'
alike nbody --wg-size 8 --groups 2 --arg position=64:random:$seed --arg velocity=64:random --arg moved=64:zeros --arg tile=local:32 \
  --arg bodies=16 --arg dt=0.125 --arg softening=0.5
sides='--local 4,2 --global 8,6 --arg width=7 --arg height=5'
alike blur $sides --arg image=140:random:$seed --arg blurred=140:zeros
expected=$(awk 'function in_range(v, n) { return v < 0 ? 0 : v >= n ? n - 1 : v }
  BEGIN { for (y = 0; y < 5; ++y) for (x = 0; x < 7; ++x) for (c = 0; c < 4; ++c) {
    s = 0
    for (dy = -1; dy <= 1; ++dy) for (dx = -1; dx <= 1; ++dx) s += 4 * (7 * in_range(y + dy, 5) + in_range(x + dx, 7)) + c
    if (i++ < 32) printf " %d", int((s + 4) / 9)
  } }')
expect 0 "blurred: uchar[140]$expected" run "$everyday/blur.cl" $sides --arg image=140:iota --arg blurred=140:zeros
cat >vectors.cl <<'END'
typedef float4 quad;
quad twice(quad a, float s) { return a * s + (float4)(1.0f, 2.0f, a.xy); }
void bump(float4 *p, int4 by) { (*p).x += 1; p[0].zw -= convert_float2(by.lo); }
__constant float4 table[2] = {(float4)(1, 2, 3, 4), {5, 6, 7, 8}};
__constant int4 three = (int4)(7, -8, 9, 0);
__kernel void vectors(__global const float4 *x, __global float4 *y, __global int4 *m, __global short8 *h, __global uchar2 *b) {
  size_t i = get_global_id(0);
  __local float4 tile[8];
  quad v = x[i], a[3];
  v = v.wzyx;
  v.xy += (float2)(i, 2);
  float4 w = twice(v, 2.0f);
  int4 less = v < w;
  y[i] = less.x ? v : w;
  m[i] = less;
  for (int k = 0; k < 3; ++k) a[k] = v * (float)k + table[k & 1];
  bump(&a[1], m[i]);
  y[i] += a[0] - a[1] * a[2];
  tile[get_local_id(0)] = y[i].even.xyxy;
  barrier(CLK_LOCAL_MEM_FENCE);
  y[i].hi = tile[(get_local_id(0) + 1) % get_local_size(0)].lo;
  m[i] = less ? m[i] << (int4)(1, 2, 3, 33) : -m[i].wzyx ^ 5;
  m[i].s021 = three.xyz * (m[i].xyz % (three.xyz | 1));
  m[i] = m[i] && !(less == -1) || (int4)(0, 1, 0, 1);
  h[i] = (short8)(h[i].s01, h[i].hi, (short2)(i, -i)) >> (short)1;
  h[i]++;
  h[i].s7 = h[i].s6-- * 2;
  h[i].odd *= h[i].even + (short)(h[i].s0 / 3);
  uchar2 c = b[i];
  c = ~c + (uchar2)(200, 100);
  b[i] = c >= (uchar)100 ? c : (uchar2)(c.y, 7) << c;
  float f = v[i % 4] + (v + w)[(i + 1) % 4];
  y[i].w = (v = w, v.zzzz).y + f;
  v.w = sizeof(float3) + sizeof(h[0]);
  y[i].x = v.w;
}
END
everyday=.
for packs in 1 3; do
  alike vectors --wg-size 8 --groups $packs --arg x=$((32 * packs)):random:$seed --arg y=$((32 * packs)):zeros --arg m=$((32 * packs)):zeros \
    --arg h=$((64 * packs)):random --arg b=$((16 * packs)):random
done
# The same bits as other types.
cat >bits.cl <<'END'
__kernel void bits(__global const float *x, __global int *o, __global uchar4 *b, __global double *d) {
  size_t i = get_global_id(0);
  o[i] = as_int(x[i]) + as_int(as_uchar4(as_uint(x[i]) ^ 0x80u).wzyx);
  b[i] = as_uchar4(x[i] * 2.0f);
  short2 h = as_short2(x[i]);
  d[i] = as_double((int2)(as_int(x[i]), as_int(h.yx))) + as_float(0x3f800000) + as_float4((uchar16)(i)).y + as_int3((float4)(x[i])).y * 0.5 + as_long(d[i]) + copysign(1.0, (double)x[i]);
}
END
alike bits --wg-size 8 --groups 2 --arg x=16:random:$seed --arg o=16:zeros --arg b=64:zeros --arg d=16:random
# Vectors as a kernel's parameters are given whole, or by components.
cat >given.cl <<'END'
__kernel void given(__global float *o, float4 c, int16 v) { o[0] = c.x + c.w * 10; o[1] = v.sf; }
END
numbers='[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]'
expect 0 'o: float[2] 41 15' run given.cl --wg-size 1 --arg o=2:zeros --arg 'c=[1,2,3,4]' --arg "v=$numbers"
expect 0 'o: float[2] 41 15' run given.cl --wg-size 1 --arg o=2:zeros --arg c_x=1 --arg c_y=2 --arg c_z=3 --arg c_w=4 --arg "v=$numbers"
expect 2 '--arg c: it has 4 components, but 3 are given' run given.cl --wg-size 1 --arg o=2:zeros --arg 'c=[1,2,3]' --arg "v=$numbers"
expect 2 '--arg c: it has 4 components, but 1 is given' run given.cl --wg-size 1 --arg o=2:zeros --arg 'c=[]' --arg "v=$numbers"
expect 0 'o: float[2] 41 15' run given.cl --wg-size 1 --arg o=2:zeros --arg 'c=[ 1, 2 ,3, 4 ]' --arg "v=$numbers"
expect 2 '--arg c_x: it is given twice' run given.cl --wg-size 1 --arg o=2:zeros --arg 'c=[1,2,3,4]' --arg c_x=3 --arg "v=$numbers"
expect 2 '--arg d: the kernel' run given.cl --wg-size 1 --arg o=2:zeros --arg 'd=[1,2,3,4]' --arg "v=$numbers"
# Pointers to rows move by whole rows.
cat >rows.cl <<'END'
float last(__global const float row[][3], long k) { row += k; return (*(row - 1))[2] + row[-1][0]; }
__kernel void rows(__global const float a[][3], __global float *o, __global float b[][2][2], __global float4 *v, __global long *d) {
  size_t i = get_global_id(0);
  __local float t[8][3];
  __global const float *flat = (__global const float *)(a + i);
  __local float *local_flat = (__local float *)(t + get_local_id(0));
  __global float4 *w = v + i;
  local_flat[0] = flat[1]; local_flat[1] = flat[2]; local_flat[2] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[i] = last(a, i + 1) + (*(t + (get_local_id(0) + 1) % 8))[1] + t[get_local_id(0)][0];
  (*(b + i))[1][0] = a[i][0];
  (b[i] + 1)[0][1] = flat[0] * 2;
  for (__global float4 *p = w; p < w + 1; ++p) { p[0].x = flat[0]; (*p).yz = (*p).xx; }
  d[i] = (w - v) * 100 + ((a + 2 * i) - a) + (w + 3 == v + i + 3) + (&t[7] - &t[get_local_id(0)]) * 10000;
}
END
alike rows --wg-size 8 --groups 2 --arg a=48:random:$seed --arg o=16:zeros --arg b=64:zeros --arg v=64:zeros --arg d=16:zeros
# Copies by all items of a group; clang's header has none.
cat >tiles.cl <<'END'
__kernel void tiles(__global const float *in, __global float *out, __global const float4 *vectors, __local float *tile, int width) {
  __local float4 quads[4];
  event_t e[2];
  size_t first = get_group_id(0) * 8;
  e[0] = async_work_group_copy(tile, in + first, 8, 0);
  e[1] = async_work_group_strided_copy(tile + 8, in + get_group_id(0), (size_t)4, (size_t)width, e[0]);
  event_t q = async_work_group_copy(quads, vectors + get_group_id(0), 3, 0);
  prefetch(in, 4);
  wait_group_events(2, e);
  wait_group_events(1, &q);
  size_t i = get_local_id(0);
  tile[i] = tile[i] * 2 + tile[8 + i % 4] + quads[i % 3].z;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t last = async_work_group_copy(out + first, (__local const float *)tile, 8, 0);
  wait_group_events(1, &last);
}
END
launch="--wg-size 8 --groups 2 --arg out=16:zeros --arg tile=local:16 --arg width=3"
expected=$(awk 'BEGIN { for (g = 0; g < 2; ++g) for (i = 0; i < 8; ++i) printf " %d", (8 * g + i) * 2 + (g + 3 * (i % 4)) + 4 * (g + i % 3) + 2 }')
expect 0 "out: float[16]$expected" run tiles.cl $launch --model opencl --arg in=16:iota --arg vectors=20:iota
expect 0 ' equal ' diff tiles.cl $launch --target $targets --arg in=16:random:$seed --arg vectors=20:random
# Who meets a copy before it has been waited for, and who does not come to it.
early() {
  cat >early.cl <<END
__kernel void early(__global int *in, __global int *out, __local int *t) {
  int i = get_local_id(0);
  $1
  wait_group_events(1, &e);
  $2
}
END
  for order in lowest-pc fair random:3; do
    expect $3 "$4" run early.cl --model opencl --policy $order --wg-size 8 --groups 2 --arg in=16:iota --arg out=16:zeros --arg t=local:8
  done
}
copied='event_t e = async_work_group_copy(t, in + 8 * get_group_id(0), 8, 0);'
early "$copied" 'out[get_global_id(0)] = t[7 - i];' 0 'out: int[16] 7 6 5 4 3 2 1 0 15 14 13 12 11 10 9 8'
early "t[i] = 0; barrier(CLK_LOCAL_MEM_FENCE); $copied out[get_global_id(0)] = t[i];" '' 0 'race: this item '
early "t[i] = 0; barrier(CLK_LOCAL_MEM_FENCE); $copied if (i == 0) out[0] = t[0]; if (i == 4) out[1] = t[4];" '' 0 'race: this item '
early "$copied in[get_global_id(0)] = 0;" '' 0 'race: this item '
early "t[i] = 100; $copied" '' 0 'race: this item '
early "t[7 - i] = 100; $copied" '' 0 'race: this item '
early "$copied if (i == 0) async_work_group_copy(out, t, 4, 0);" '' 1 'does not come to the barrier'
# What a copy had no value of, where others see it.
printf '%s\n' 'kernel void k(global int *o) { int4 v; v.x = 1; int4 w = v; o[0] = w.x; o[1] = w.y; }' >partly.cl
expect 0 "warning: 1 element of 'o' is poison, the first one is o[1]: " run partly.cl --local 1 --arg o=2:zeros
says 'o: int[2] 1 poison'
cat >wrong.cl <<'END'
__kernel void k(__global float *a, __global const int *b, __local float *t) {
  async_work_group_copy(t, b, 4, 0);
  async_work_group_copy(a, a, 4, 0);
  async_work_group_copy(t, a, 4);
  wait_group_events(t, 1);
}
END
expect 2 "wrong.cl:2:3: error: 'async_work_group_copy' copies elements of one type between __local and __global memory" check wrong.cl
says "wrong.cl:4:3: error: 'async_work_group_copy' takes where to, from where, how many and an event"
says "wrong.cl:5:3: error: 'wait_group_events' takes how many events and a pointer to them"
# As many vectors as there are no numbers for.
cat >many.cl <<'END'
__kernel void k(__global const int4 *from) {
  __local int4 to[8];
  async_work_group_copy(to, from, 1L << 62, 0);
}
END
expect 1 "index 32 is outside of 'to'" run many.cl --wg-size 4 --arg from=64:iota

# Names of types and constants, and the functions that are one or two operations.
cat >names.cl <<'END'
typedef float real;
typedef unsigned int uint;
typedef const __global real input;
enum mode { SUM, PRODUCT = 4, MAXIMUM, LAST = MAXIMUM + 10, };
typedef enum { RED, GREEN } colour;
real f(real x, enum mode m) {
  typedef int inner;
  inner y = 3;
  return m == SUM ? x : m == MAXIMUM ? clamp(x, (real)0.25, (real)0.5) : rsqrt(x + y);
}
__kernel void names(__global real *o, input *i, int m) {
  size_t g = get_global_id(0);
  colour c = GREEN;
  real buffer[LAST];
  buffer[c] = mad(i[g], 2.0f, 1.0f);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  o[g] = f(buffer[1], (enum mode)m) + sizeof(real) + LAST + isnan(i[g]) + isfinite(i[g] / 0.0f) + step(0.5f, i[g]) + mad24((int)g, 3, 1) +
         convert_int(i[g] * 100.0f) + radians(i[g]) + degrees(i[g]) + native_divide(i[g], 3.0f);
  work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_work_group);
}
END
everyday=.
for mode in 0 4 5; do
  alike names --wg-size 8 --groups 2 --arg o=16:zeros --arg i=16:random:$seed --arg m=$mode
done
cat >constants.cl <<'END'
enum { A = 1u, B, C = sizeof(int), D = 'a' };
__kernel void constants(__global int *o) { o[0] = (A - 2 < 0) + 10 * (B - 3 < 0) + 100 * (C - 5 < 0) + 1000 * (sizeof(C) == 4); o[1] = D; }
END
everyday=.
alike constants --wg-size 1 --arg o=2:zeros
expect 0 'o: int[2] 1111 97' run constants.cl --wg-size 1 --arg o=2:zeros
cat >plain.cl <<'END'
__kernel void plain(__global double *o) {
  o[0] = clamp(5.0, 1.0, 3.0); o[1] = clamp(-5, -1, 3); o[2] = rsqrt(4.0); o[3] = step(2.0, 2.0); o[4] = step(2.0, 1.5);
  o[5] = isnan(NAN) + 10 * isnan(INFINITY) + 100 * isinf(-INFINITY) + 1000 * isinf(1.0) + 10000 * isfinite(1.0) + 100000 * isfinite(NAN);
  o[6] = mad24(3, 4, 5) + mul24(2u, 3u); o[7] = convert_int(2.9) + convert_uchar(257) + convert_long(-2.9f); o[8] = degrees(0.0) + radians(180.0);
  o[9] = mad(2.0, 3.0, 4.0) + native_recip(4.0) + half_divide(1.0, 8.0);
}
END
expect 0 'o: double[10] 3 -1 0.5 1 0 10101 23 1 3.141592653589793 10.375' run plain.cl --wg-size 1 --arg o=10:zeros
wrong() { printf '%b' "$2" >wrong.cl; expect 2 "$1" check wrong.cl; }
wrong 'there are no pointers to pointers' 'typedef float *p; __kernel void k(p *q) {}'
wrong 'wrong.cl:1:13: error: there are no pointers to functions' 'typedef int (*f)(int);'
wrong "'next' cannot be a pointer: pointers are not stored in memory" 'struct S { int x; struct S *next; };'
wrong 'wrong.cl:1:1: error: these words together are no type' 'typedef unsigned float x;'
wrong "wrong.cl:1:30: error: 'a' is declared already" 'typedef float a; typedef int a;'
wrong "'a' names a type here, so that nothing else can be called so" 'typedef float a; typedef float a; __kernel void a() {}'
wrong "'B' is a constant of an enumeration here" 'enum { A } ; __kernel void k() { enum { B }; int A = 3; int B = A; }'
wrong "'n' is no constant" 'enum { A = n };'
wrong "there is no enumeration 'x'" 'enum x y;'
wrong "'A' is not declared" '__kernel void k(__global int *o) { { enum { A = 7 }; o[0] = A; } o[1] = A; }'
wrong 'a typedef begins with the type that gets another name' 'typedef'
wrong 'but the text ends here' 'typedef float'
wrong 'but the text ends here' 'enum { A = (1,'
wrong "expected a name for the type, not ';'" 'typedef int;'
doubled=$(awk 'BEGIN { printf "enum { A0 = 1"; for (i = 1; i < 40; ++i) printf ", A%d = A%d + A%d", i, i - 1, i - 1; print " };" }')
wrong 'this value becomes too long: it has more than 4096 tokens' "$doubled"

# Structures and unions, in all address spaces; clang has its own layout.
cat >structures.cl <<'END'
typedef struct { float2 at, speed; int hits; char tag; } particle;
struct __attribute__((packed)) mixed { char c; double d; short s[3]; struct { uchar b; ulong n; } in[2]; };
union bits { float f; uint u; uchar4 b; };
typedef struct mixed row[2];
enum { Steps = 3 };
particle moved(particle p, float by) { p.at += p.speed * by; p.hits++; return p; }
void bump(particle *p, int n) { for (int i = 0; i < n; i++) p[i].hits += p->tag; }
void turn(__global struct mixed *m) { short old = m->s[0]; m->s[0] = m->s[2]; m->s[2] = old; m->in[1].n++; }
__constant particle start[2] = {{{1, 2}, {3, 4}, .tag = 5}, {.speed = (float2)(0.5f, -1), .hits = 7}};
__kernel void structures(__global particle *p, __global struct mixed *m, __global const union bits *u, __global int *o, const particle by) {
  int hits = 0, Steps = 2;
  __local particle tile[8];
  size_t i = get_global_id(0), l = get_local_id(0);
  particle q = p[i], a[3] = {q, [2] = {.at = q.speed}, };
  for (int k = 0; k < Steps; k++) q = moved(k == 1 ? a[k] : q, 0.5f);
  bump(a + 1, 2);
  bump(&q, 1);
  tile[l] = q;
  barrier(CLK_LOCAL_MEM_FENCE);
  p[i] = tile[l ^ 1];
  p[i].speed.x += start[i & 1].speed.y + by.at.y;
  p[i].hits -= by.hits;
  m[i].d = m[i].d * 2 + m[i].s[i % 3];
  m[i].in[i & 1].b ^= m[i].in[1 - (i & 1)].b;
  turn(m + i);
  struct mixed n = m[i];
  n.in[0] = n.in[1];
  n.c += sizeof(row);
  m[i] = n;
  union bits b = u[i];
  b.b.w |= 1;
  o[i] = a[1].hits + a[2].hits + (int)b.u + (b.f > 1) + (int)offsetof(struct mixed, in[1].n) + ((particle){.hits = i}).hits;
}
END
launch='--wg-size 8 --groups 3 --arg o=24:zeros'
for name in at_x at_y speed_x speed_y hits tag; do launch="$launch --arg by_$name=1"; done
expect 0 '' diff structures.cl --target $targets $launch --arg p=24:random:$seed --arg m=24:random:$seed --arg u=24:random:7
# Clang gets a structure by value in one piece, and has no offsetof.
sed 's/, const particle by)/)/; s/ + (int)offsetof([^)]*)//; s/^  int hits = 0/  const particle by = {.at = (float2)(0, 1), .hits = 1};\n&/' structures.cl >memory.cl
! command -v clang-19 >/dev/null || expect 0 ' equal ' diff memory.cl --target clang-ptx --wg-size 8 --groups 3 --arg o=24:zeros \
  --arg p=24:random:$seed --arg m=24:random:$seed --arg u=24:random:7
expect 0 'p: structure[2] {at[0]: 1, at[1]: 2, speed[0]: 0, speed[1]: 0, hits: 3, tag: 4} {at[0]: 0, at[1]: 0, speed[0]: 5.5, speed[1]: 0, hits: 0, tag: 0}' \
  run memory.cl --wg-size 1 --groups 0 --arg 'p=[{"at":[1,2],"hits":3,"tag":4},{"speed":[5.5]}]' --arg m=0:zeros --arg u=0:zeros --arg o=0:zeros
says 'm: structure[0]'

# Functions that are written in the language: on every target, and against clang's own.
cat >library.cl <<'END'
__kernel void library(__global const REAL *x, __global const REAL *y, __global REAL *o, __global int *n) {
  const size_t g = get_global_id(0);
  const REAL a = x[g] * 9 - 4, b = y[g];
  o[8 * g] = floor(a);
  o[8 * g + 1] = ceil(a);
  o[8 * g + 2] = trunc(a);
  o[8 * g + 3] = rint(a);
  o[8 * g + 4] = round(a);
  o[8 * g + 5] = fmin(a, b);
  o[8 * g + 6] = fmax(a, b);
  o[8 * g + 7] = isnan(a) + 2 * isinf(b);
}
END
for real in float double; do
  alike library -D REAL=$real --wg-size 16 --groups 2 --arg x=32:random:$seed --arg y=32:random --arg o=256:zeros --arg n=32:zeros
done
cat >integers.cl <<'END'
__kernel void integers(__global const int *x, __global const int *y, __global int *o) {
  const size_t g = get_global_id(0);
  const int a = x[g], b = y[g];
  const uchar c = (uchar)a;
  o[g] = abs_diff(a, b) ^ hadd(a, b) ^ rhadd(a, b) ^ add_sat(a, b) ^ sub_sat(a, b) ^ mul_hi(a, b) ^ mad_hi(a, b, a) ^ mad_sat(a, b, b) ^ rotate(a, b) ^
         bitselect(a, b, a) ^ clz(a) ^ ctz(b) ^ (int)mad_sat((long)a, (long)b, (long)a) ^ rotate(c, (uchar)b) ^ select(a, b, a & 1);
}
END
expect 0 '' diff integers.cl --target $targets --wg-size 8 --groups 3 --arg x=24:random:$seed --arg y=24:random:7 --arg o=24:zeros
[ "$(grep -c ' WG_PACK 1  *equal ' out)" -eq "$(echo $targets | tr , '\n' | wc -l)" ] && good || bad 'functions on integers differ'
"$lockstep" lower library.cl -D REAL=float --to musimd --wg-size 4 >library.mus 2>err
expect 0 'n: int[4] 0 0 0 0' run library.mus --arg x=4:iota --arg y=4:iota --arg o=32:zeros --arg n=4:zeros
says 'o: float[32] -4 -4 -4 -4 -4 -4 0 0 5 5 5 5 5 1 5 0 14 14 14 14 14 2 14 0 23 23 23 23 23 3 23 0'
expect 0 ': refines' verify library.cl -D REAL=float --wg-size 2
counts
