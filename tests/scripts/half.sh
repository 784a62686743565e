#!/bin/sh
# half.sh LOCKSTEP SOURCE_DIR
# Numbers of 16 bits in memory, from the command line: run, compared on the targets, proved. The numbers are those of IEEE 754's tables.
# shellcheck disable=SC1091
. "$(dirname "$0")/lib/command.sh"
cat >scale.cl <<'IN'
kernel void scale(global half *x, global const half *by, local half *tile) {
  int i = get_global_id(0), k = get_local_id(0);
  tile[k] = by[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  vstore_half(vload_half(i, x) * vload_half(k, tile), i, x);
}
IN
# 1 * 2, 65504 * 2, the smallest number halved (a tie, to even) and three of them halved (to the even one above), -0 * inf, which is NaN
set -- --wg-size 5 --arg 'x=[0x3c00,0x7bff,1,3,0x8000]' --arg 'by=[0x4000,0x4000,0x3800,0x3800,0x7c00]' --arg tile=local:5
expect 0 'x: ushort[5] 16384 31744 0 2 32256' run scale.cl "$@"
targets=infreg,llvm
! command -v clang-19 >/dev/null || targets=infreg,llvm,cuda,ve
time_limit=120
expect 0 'equal' diff scale.cl "$@" --target $targets
for target in $(echo $targets | tr , ' '); do
  if grep -q "^$target  *WG_PACK 1  *equal " out; then good; else bad "$target is not equal"; fi
done
printf 'kernel void k(global half *x, global float *y) { int i = get_global_id(0); vstore_half_rtz(y[i], i, x); y[i] = vload_half(i, x); }\n' >both.cl
expect 0 ': refines' verify both.cl --wg-size 2
sed 's/vload_half(i, x) [*]/x[i] */' scale.cl >wrong.cl
expect 2 "wrong.cl:5:20: error: '*' is not defined for 'half' and 'float'" check wrong.cl
says 'half is a type of memory alone (there is no cl_khr_fp16): vload_half(i, p) makes a float of p[i]'
counts
