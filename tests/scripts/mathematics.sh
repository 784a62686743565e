#!/bin/sh
# mathematics.sh LOCKSTEP SOURCE_DIR
# The mathematical functions of numbers close by and of any bits, and the conversions: every target has the interpreter's results. How exact
# those are, mathematics_tests says.
# shellcheck disable=SC2086,SC2015,SC2154,SC1091
. "$(dirname "$0")/lib/command.sh"
seed=${LOCKSTEP_SEED:-$(($(date +%s) / 86400))}
echo "LOCKSTEP_SEED=$seed repeats this run"
targets=infreg,llvm
! command -v clang-19 >/dev/null || targets=infreg,llvm,cuda,ve
time_limit=300
cat >mathematics.cl <<'END'
#define EACH(value) o[j++ * get_global_size(0) + g] = value;
#define BOTH(f) EACH(f(a)) EACH(f(w))
__kernel void mathematics(__global const REAL *x, __global const BITS *bits, __global const int *n, __global REAL *o, __global REAL *q) {
  const size_t g = get_global_id(0);
  const REAL a = x[g] * 24 - 8, w = AS_REAL(bits[g]), b = x[g] * (REAL)0.9;
  const int m = n[g], s = m % 16;
  size_t j = 0;
  __local REAL t[8];
  REAL p;
  int e;
#if PART == 0
  BOTH(exp) BOTH(exp2) BOTH(exp10) BOTH(expm1) BOTH(log) BOTH(log2) BOTH(log10) BOTH(log1p) EACH(native_exp(a)) EACH(half_log2(a))
#elif PART == 1
  EACH(pow(a, b)) EACH(pow(w, a)) EACH(powr(b, a)) EACH(powr(w, w)) EACH(pown(a, s)) EACH(pown(w, m)) EACH(rootn(a, s)) EACH(rootn(w, m)) BOTH(cbrt) EACH(hypot(a, b)) EACH(hypot(w, a))
#elif PART == 2
  BOTH(sin) BOTH(cos) BOTH(tan) BOTH(sinpi) BOTH(cospi) BOTH(tanpi) EACH(sincos(a, &p)) EACH(p) EACH(sincos(w, t + get_local_id(0))) EACH(t[get_local_id(0)])
#elif PART == 3
  BOTH(asin) BOTH(acos) BOTH(atan) EACH(asin(b)) EACH(acos(b)) EACH(atan2(a, b)) EACH(atan2(w, a)) EACH(asinpi(b)) EACH(acospi(b)) EACH(atanpi(w)) EACH(atan2pi(a, w))
#elif PART == 4
  BOTH(sinh) BOTH(cosh) BOTH(tanh) BOTH(asinh) BOTH(acosh) BOTH(atanh) EACH(atanh(b)) BOTH(erf) BOTH(erfc)
#else
  BOTH(tgamma) BOTH(lgamma) EACH(lgamma_r(a, &e)) EACH(e) EACH(fract(a, q + g)) EACH(fract(w, &p)) EACH(p) EACH(modf(w, &p)) EACH(p) EACH(frexp(w, &e)) EACH(e) EACH(remquo(a, b, &e)) EACH(e) EACH(remquo(w, a, &e)) EACH(nan(as_uint(m)))
#endif
}
END
for part in 0 1 2 3 4 5; do
  # A C++ compiler takes long for the AVX512 target: one part a day.
  run_on=$targets
  if [ -n "${LOCKSTEP_FULL:-}" ] || [ "$part" -eq $((seed % 6)) ]; then
    ! command -v g++ >/dev/null || run_on=$targets,avx512
  fi
  for real in float,uint double,ulong; do
    launch="-D REAL=${real%,*} -D BITS=${real#*,} -D AS_REAL=as_${real%,*} -D PART=$part --wg-size 8 --groups 3 --arg o=528:zeros --arg q=24:zeros"
    expect 0 ' equal ' diff mathematics.cl $launch --target $run_on --arg x=24:random:$seed --arg bits=24:random --arg n=24:random
    [ "$(grep -c ' WG_PACK 1  *equal ' out)" -eq "$(echo $run_on | tr , '\n' | wc -l)" ] && good || bad "mathematics of $real, part $part: a target is not equal"
  done
done

# Conversions that say how they round or saturate.
cat >conversions.cl <<'END'
__kernel void conversions(__global const uint4 *bits, __global const long *n, __global uchar4 *bytes, __global long *o, __global double *d) {
  const size_t g = get_global_id(0);
  const float4 x = as_float4(bits[g]), near = convert_float4(as_int4(bits[g])) * 0x1p-22f;
  bytes[3 * g] = convert_uchar4_sat(x);
  bytes[3 * g + 1] = convert_uchar4_sat_rte(near);
  bytes[3 * g + 2] = as_uchar4(convert_char4_sat_rtn(near));
  o[4 * g] = convert_long_sat_rtp(x.x);
  o[4 * g + 1] = convert_uint_sat(n[g]);
  o[4 * g + 2] = convert_int_rte(near.y * 0.01f);
  o[4 * g + 3] = convert_short_sat_rtz(near.z * 100);
  d[4 * g] = convert_double_rtp(n[g]);
  d[4 * g + 1] = convert_float_rtz((double)x.w * 1.1);
  d[4 * g + 2] = convert_float_rtn(as_ulong(n[g]));
  d[4 * g + 3] = convert_double_rtz(n[g] / 3);
}
END
launch="--wg-size 8 --groups 3 --arg bits=96:random:$seed --arg n=24:random --arg bytes=288:zeros --arg o=96:zeros --arg d=96:zeros"
run_on=$targets
! command -v g++ >/dev/null || run_on=$targets,avx512
expect 0 ' equal ' diff conversions.cl $launch --target $run_on
[ "$(grep -c ' WG_PACK 1  *equal ' out)" -eq "$(echo $run_on | tr , '\n' | wc -l)" ] && good || bad 'conversions: a target is not equal'
counts
