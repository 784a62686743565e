// L x = b for many right sides at once, an item for each.
__kernel void triangular_solve(__global const double *L, __global double *x, int n, int sides) {
  int s = get_global_id(0);
  for (int i = 0; i < n; i++) {
    double v = x[i * sides + s];
    for (int j = 0; j < i; j++) v -= L[i * n + j] * x[j * sides + s];
    x[i * sides + s] = v / L[i * n + i];
  }
}
