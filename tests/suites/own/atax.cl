// y = transposed A times t: items walk down columns.
__kernel void atax(__global const float *A, __global float *y, __global const float *t, int rows, int columns) {
  int j = get_global_id(0);
  if (j < columns) {
    y[j] = 0;
    for (int i = 0; i < rows; i++) y[j] += A[i * columns + j] * t[i];
  }
}
