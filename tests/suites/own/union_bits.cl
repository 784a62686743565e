// The parts of a float by a union.
typedef union {
  float f;
  uint u;
  uchar b[4];
} word;

__kernel void union_bits(__global const float *x, __global int *exponent, __global uint *mantissa, __global uint *swapped) {
  size_t i = get_global_id(0);
  word w;
  w.f = x[i];
  exponent[i] = (int)((w.u >> 23) & 0xff) - 127;
  mantissa[i] = w.u & 0x7fffff;
  word turned;
  for (int k = 0; k < 4; k++) turned.b[k] = w.b[3 - k];
  swapped[i] = turned.u;
}
