// C = alpha A (A transposed) + beta C, the lower triangle alone.
__kernel void syrk(__global const float *a, __global float *c, float alpha, float beta, int n, int m) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i < n && j <= i) {
    float sum = c[i * n + j] * beta;
    for (int k = 0; k < m; k++) sum += alpha * a[i * m + k] * a[j * m + k];
    c[i * n + j] = sum;
  }
}
