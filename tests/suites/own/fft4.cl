// A radix-4 transform of sixteen numbers by four items, through local memory, forwards.
typedef float2 complex;
complex mul(complex a, complex b) { return (complex)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
#define TURNED(a) (complex)((a).y, -(a).x)
void dft4(complex *v) {
  complex a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = TURNED(v[1] - v[3]);
  v[0] = a + c;
  v[1] = b + d;
  v[2] = a - c;
  v[3] = b - d;
}
__kernel void fft4(__global const complex *in, __global complex *out, __constant complex *twiddles) {
  __local complex t[16];
  int i = get_local_id(0), base = 16 * get_group_id(0);
  complex v[4];
  for (int k = 0; k < 4; ++k) v[k] = in[base + i + 4 * k];
  dft4(v);
  for (int k = 0; k < 4; ++k) t[4 * i + k] = k == 0 || i == 0 ? v[k] : mul(v[k], twiddles[i * k]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 4; ++k) v[k] = t[4 * k + i];
  dft4(v);
  for (int k = 0; k < 4; ++k) out[base + 4 * k + i] = v[k];
}
