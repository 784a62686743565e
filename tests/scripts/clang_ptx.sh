#!/bin/sh
# clang_ptx.sh LOCKSTEP SOURCE_DIR
# `diff` and `fuzz --target clang-ptx`: kernels that are plain OpenCL C, by clang's front end to PTX, on the PTX machine. The examples, and random
# kernels that change from day to day (LOCKSTEP_SEED repeats them); 3,000 with LOCKSTEP_FULL in the environment. Compilers and kernels that go
# wrong are found out.
# shellcheck disable=SC2086,SC2015,SC2154,SC1091
. "$(dirname "$0")/lib/command.sh"
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
if ! command -v clang-19 >/dev/null; then
  echo 'skipped: clang-19 is not installed'
  echo 'counts: 0 passed, 0 failed, 1 skipped'
  exit 0
fi
echo "LOCKSTEP_SEED=$seed repeats this run"
time_limit=120

equal() {
  expect 0 'by clang at -O0 and -O2, the PTX machine under lowest-pc, fair, random:1' diff "$@" --target clang-ptx
  says ' equal '
}
core=$source/examples/core
equal "$core/vecadd.cl" --wg-size 32 --groups 8 --arg a=256:random:$seed --arg b=256:random --arg c=256:zeros
equal "$core/saxpy.cl" --wg-size 24 --groups 5 --arg alpha=0.1 --arg x=111:random:$seed --arg y=111:random --arg n=111
equal "$core/saxpy.cl" --wg-size 24 --groups 5 --arg alpha=0.1 --arg x=222:random:$seed --arg y=x+111 --arg n=111
equal "$core/collatz.cl" --wg-size 30 --groups 10 --arg steps=300:zeros
equal "$core/sgemm_naive.cl" --wg-size 16 --groups 16 --arg a=256:random:$seed --arg b=256:random --arg c=256:zeros --arg n=16
equal "$core/sgemm_tiled.cl" -D TILE=4 --wg-size 16 --groups 16 --arg a=256:random:$seed --arg b=256:random --arg c=256:zeros --arg n=16
equal "$core/rotate.cl" -D BARRIER --wg-size 48 --groups 4 --arg x=192:iota
for kernel in gema pade frcg enumerate; do
  for real in float double; do
    equal "$source/examples/borg/$kernel.cl" -D REAL=$real $("$source/examples/borg/arguments.sh" $kernel 8 2 $seed)
  done
done
expect 0 'clang at -O3, the PTX machine under stack;' diff "$core/vecadd.cl" --target clang-ptx --clang-level 3 --ptx-schedule stack --wg-size 4 \
  --arg a=4:iota --arg b=4:iota --arg c=4:zeros
expect 0 '"status":"equal"' diff "$core/vecadd.cl" --target clang-ptx --json --wg-size 4 --arg a=4:iota --arg b=4:iota --arg c=4:zeros

# clang reads a register that nobody has written, in a prmt whose selector takes no byte of it: the result is defined.
cat >toggles.cl <<'END'
kernel void k(global long *out) {
  uchar value = 0;
  uchar count = 0;
  while (count++ < get_local_id(0)) {
    value ^= 1;
  }
  out[get_global_id(0)] = value;
}
END
equal toggles.cl --wg-size 13 --arg out=13:zeros

# Functions of vectors, and vectors as parameters: three components lie in memory as four.
cat >vectors.cl <<'END'
kernel void k(global float *o, global const float *a, global const int *b) {
  float4 x = vload4(0, a), y = vload4(1, a);
  int4 m = vload4(0, b), n = vload4(1, b);
  float3 u = x.xyz, w = y.xyz;
  vstore4(min(x, y), 0, o);
  vstore4(max(x, 0.5f), 1, o);
  vstore4(clamp(x, y, y + 1), 2, o);
  vstore4(clamp(x, 0.2f, 0.5f), 3, o);
  vstore4(fma(x, y, x), 4, o);
  vstore4(floor(x * 8), 5, o);
  vstore4(fmin(x, y), 6, o);
  vstore4(step(0.5f, x), 7, o);
  vstore4(select(x, y, m - n), 8, o);
  vstore4(convert_float4(isnan(x)), 9, o);
  o[40] = dot(x, y);
  o[41] = length(u);
  o[42] = distance(u, w);
  vstore3(normalize(u), 0, o + 43);
  vstore3(cross(u, w), 0, o + 46);
  vstore4(cross(x, y), 0, o + 49);
  o[53] = any(m - n);
  o[54] = all(m - n);
  vstore4(convert_float4(abs(m - n)), 0, o + 55);
  vstore4(convert_float4(popcount(m)), 0, o + 59);
  vstore4(convert_float4(add_sat(m * 1000000000, n * 1000000000)), 0, o + 63);
  vstore4(convert_float4(isless(x, y)), 0, o + 67);
  vstore2(copysign(fabs(-x.xy), -y.xy), 0, o + 71);
  vstore2(sqrt(x.xy), 0, o + 73);
  vstore2(select(x.xy, y.xy, (uint2)(0x80000000, 1)), 0, o + 75);
}
END
equal vectors.cl --wg-size 1 --arg o=77:zeros --arg a=8:random:$seed --arg b=8:random:$seed
cat >given.cl <<'END'
kernel void k(global double *o, char3 a, float4 b, int n, double2 c, local int *t, ushort16 d) {
  vstore3(convert_double3(a), 0, o);
  vstore4(convert_double4(b), 0, o + 3);
  vstore2(c, 0, o + 7);
  vstore16(convert_double16(d), 0, o + 9);
  t[0] = n;
  o[25] = t[0];
}
END
equal given.cl --wg-size 1 --arg o=26:zeros --arg 'a=[1,-2,3]' --arg 'b=[0.5,1.5,-2,8]' --arg n=7 --arg 'c=[0.1,-1e300]' --arg t=local:1 \
  --arg 'd=[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,65535]'

kernels=40
[ -z "${LOCKSTEP_FULL:-}" ] || kernels=3000
time_limit=3600
expect 0 ', 0 findings' fuzz --target clang-ptx --kernels $kernels --seed $seed --out findings
says 'run by      clang at -O0 and -O2'
time_limit=120

# Nothing to compare, or to compile.
expect 1 'the result depends on the order of the items' diff "$core/rotate.cl" --target clang-ptx --wg-size 8 --arg x=8:iota
expect 1 "use of undeclared identifier 'shuffle'" diff "$source/examples/borg/gemm.cl" --target clang-ptx \
  $("$source/examples/borg/arguments.sh" gemm 4 1)
arguments='--wg-size 4 --arg a=4:iota --arg b=4:iota --arg c=4:zeros'
expect 2 'they are compared one at a time' diff "$core/vecadd.cl" --target clang-ptx,llvm $arguments
expect 2 '--wg-pack means nothing to --target clang-ptx' diff "$core/vecadd.cl" --target clang-ptx --wg-pack 2 $arguments
expect 2 'only random has a seed' diff "$core/vecadd.cl" --target clang-ptx --ptx-schedule fair:1 $arguments
expect 2 '--clang is for --target clang-ptx' diff "$core/vecadd.cl" --target llvm --clang clang-19 $arguments
expect 4 "there is no program 'no-such-clang'" diff "$core/vecadd.cl" --target clang-ptx --clang no-such-clang $arguments
expect 4 "there is no program 'no-such-clang'" fuzz --target clang-ptx --clang no-such-clang

# A compiler that subtracts floats instead of adding them, and one whose PTX is none.
cat >wrong-clang <<'END'
#!/bin/sh
clang-19 "$@" && sed -i 's/add\.rn\.f/sub.rn.f/' code.so
END
cat >broken-clang <<'END'
#!/bin/sh
clang-19 "$@" && sed -i 's/ld\.param/ld.parameter/' code.so
END
chmod +x wrong-clang broken-clang
expect 1 'c[1] is 0 (0x00000000), but the interpreter has 2 (0x40000000)' diff "$core/vecadd.cl" --target clang-ptx --clang ./wrong-clang $arguments
says 'by clang at -O0, the PTX machine under lowest-pc'
expect 1 'kernel.ptx:' diff "$core/vecadd.cl" --target clang-ptx --clang ./broken-clang $arguments
expect 1 'clang-ptx differs' fuzz --target clang-ptx --clang "$dir/wrong-clang" --clang-level 0 --kernels 24 --seed 3 --out wrong
for script in wrong/clang-ptx-differs-*/run.sh; do
  LOCKSTEP=$lockstep sh "$script" >out 2>err && bad "$script finds nothing" || good
  grep -q -e '--target clang-ptx --clang' "$script" && good || bad "$script does not say how clang was called"
done
counts
