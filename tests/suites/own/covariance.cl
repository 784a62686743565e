// The covariance of columns whose means are known.
__kernel void covariance(__global const double *data, __global const double *mean, __global double *cov, int n, int m) {
  int a = get_global_id(0);
  if (a >= m) return;
  for (int b = a; b < m; b++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (data[i * m + a] - mean[a]) * (data[i * m + b] - mean[b]);
    cov[a * m + b] = cov[b * m + a] = sum / (n - 1);
  }
}
