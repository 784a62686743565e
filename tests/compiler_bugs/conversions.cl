// 64-bit integers become floats: by way of double they would be rounded twice, as LLVM 19 does for vectors on aarch64 (docs/found.md).
kernel void conversions(global const long *x, global float *f, global float *u, global double *d, global double *v, global float *twice) {
  const size_t i = get_global_id();
  f[i] = (float)x[i];
  u[i] = (float)(ulong)x[i];
  d[i] = (double)x[i];
  v[i] = (double)(ulong)x[i];
  twice[i] = (float)(double)x[i];  // as it is written
}
