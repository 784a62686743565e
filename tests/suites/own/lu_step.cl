// One step of LU decomposition in two dimensions: row k is divided by its pivot already.
__kernel void lu_step(__global float *a, int k, int n) {
  int j = get_global_id(0) + k + 1, i = get_global_id(1) + k + 1;
  if (i < n && j < n) a[i * n + j] = a[i * n + j] - a[i * n + k] * a[k * n + j];
}
