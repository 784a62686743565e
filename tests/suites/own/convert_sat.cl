// Conversions that saturate, and that round in the four ways.
__kernel void convert_sat(__global const int *n, __global const float *x, __global char *c, __global ushort *u, __global int *r) {
  int i = get_global_id(0);
  c[i] = convert_char_sat(n[i]);
  u[i] = convert_ushort_sat_rte(x[i] * 1000.0f);
  r[4 * i] = convert_int_rte(x[i]);
  r[4 * i + 1] = convert_int_rtz(x[i]);
  r[4 * i + 2] = convert_int_rtp(x[i]);
  r[4 * i + 3] = convert_int_rtn(x[i]);
}
