// The first column of each step by one item, the rest by all: one group, global memory.
__kernel void cholesky(__global float *a, int n) {
  int i = get_local_id(0);
  for (int k = 0; k < n; ++k) {
    if (i == k) a[k * n + k] = sqrt(a[k * n + k]);
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i > k) a[i * n + k] /= a[k * n + k];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i > k)
      for (int j = k + 1; j <= i; ++j) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}
