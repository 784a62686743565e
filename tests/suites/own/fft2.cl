// One pass of a radix-2 transform over many signals, twiddles from a table.
float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__kernel void fft2(__global const float2 *x, __global float2 *y, __constant float2 *w, int n, int p) {
  int i = get_global_id(0), signal = get_global_id(1);
  int t = n / 2;
  int k = i & (p - 1);
  x += signal * n;
  y += signal * n;
  float2 u0 = x[i], u1 = times(x[i + t], w[k * (t / p)]);
  int j = (i << 1) - k;
  y[j] = u0 + u1;
  y[j + p] = u0 - u1;
}
