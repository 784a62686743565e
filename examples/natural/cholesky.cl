// Each item solves one system of six equations, A x = b, where A is symmetric and positive definite: a Cholesky factorisation in place, and two substitutions.
kernel void cholesky(global const double *matrices, global const double *rights, global double *solutions) {
  const int id = get_global_id(0);
  double a[6][6], b[6];
  for (int i = 0; i < 6; ++i) {
    b[i] = rights[id * 6 + i];
    for (int j = 0; j < 6; ++j) a[i][j] = matrices[id * 36 + i * 6 + j];
  }
  for (int k = 0; k < 6; ++k) {
    a[k][k] = sqrt(a[k][k]);
    for (int i = k + 1; i < 6; ++i) a[i][k] /= a[k][k];
    for (int j = k + 1; j < 6; ++j)
      for (int i = j; i < 6; ++i) a[i][j] -= a[i][k] * a[j][k];
  }
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < i; ++j) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
  for (int i = 5; i >= 0; --i) {
    for (int j = i + 1; j < 6; ++j) b[i] -= a[j][i] * b[j];
    b[i] /= a[i][i];
  }
  for (int i = 0; i < 6; ++i) solutions[id * 6 + i] = b[i];
}
