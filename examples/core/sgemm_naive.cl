// C = A B for n x n matrices, row by row in memory: an item computes one element and reads a row and a column for it. Items beyond the
// last element have nothing to do. Plain OpenCL C.
__kernel void sgemm_naive(__global const float *a, __global const float *b, __global float *c, uint n) {
  const size_t element = get_global_id(0);
  if (element < (size_t)n * n) {
    const size_t row = element / n;
    const size_t column = element % n;
    float sum = 0.0f;
    for (uint k = 0; k < n; k += 1)
      sum += a[row * n + k] * b[k * n + column];
    c[element] = sum;
  }
}
