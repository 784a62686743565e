// Components in all spellings.
__kernel void swizzle(__global const int4 *in, __global int8 *out) {
  size_t i = get_global_id(0);
  int4 v = in[i];
  int8 r;
  r.lo = v.wzyx;
  r.hi = (int4)(v.lo + v.hi, v.odd);
  r.s0 += v.x;
  r.s7 = r.s0 - v.s3;
  r.even.lo = r.even.hi;
  out[i] = r;
}
