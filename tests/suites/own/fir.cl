// A filter of whole numbers with saturation, as signal processors have it; a history in vectors.
__kernel void fir(__global const short *x, __constant short *taps, __global short *y, int n) {
  int i = get_global_id(0);
  int4 acc = (int4)0;
  for (int k = 0; k < n; k += 4) {
    short4 t = vload4(k / 4, taps);
    short4 v = (short4)(x[i + k], x[i + k + 1], x[i + k + 2], x[i + k + 3]);
    acc = mad24(convert_int4(t), convert_int4(v), acc);
  }
  y[i] = convert_short_sat((acc.x + acc.y + acc.z + acc.w + (1 << 11)) >> 12);
}
