// C = alpha (A B' + B A') + beta C.
__kernel void syr2k(__global const float *a, __global const float *b, __global float *c, float alpha, float beta, int n, int m) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j >= n) return;
  c[i * n + j] *= beta;
  for (int k = 0; k < m; k++) c[i * n + j] += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
}
