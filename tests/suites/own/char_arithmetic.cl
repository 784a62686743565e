// Small integers are computed as int, wrap when they are stored, and compare as what they are.
__kernel void char_arithmetic(__global const char *c, __global const uchar *u, __global const short *s, __global char *sum, __global uchar *product,
                              __global short *mixed) {
  int i = get_global_id(0);
  sum[i] = c[i] + u[i];
  product[i] = c[i] * u[i] + (c[i] < u[i]);
  short t = s[i];
  t += c[i] << 4;
  t >>= 2;
  t = -t;
  mixed[i] = t / 3 + (uchar)c[i] % 7 + abs_diff(c[i], (char)u[i]);
}
