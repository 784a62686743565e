// Both products of BiCG in one launch: the first groups have the rows, the others the columns.
__kernel void bicg(__global const float *A, __global const float *p, __global const float *r, __global float *q, __global float *s, int nx, int ny) {
  int k = get_global_id(0);
  if (k < nx) {
    float sum = 0;
    for (int j = 0; j < ny; ++j) sum += A[k * ny + j] * p[j];
    q[k] = sum;
  } else if (k - nx < ny) {
    float sum = 0;
    for (int i = 0; i < nx; ++i) sum += r[i] * A[i * ny + (k - nx)];
    s[k - nx] = sum;
  }
}
