// C = A B, an item for each number.
__kernel void matmul(__global const float *A, __global const float *B, __global float *C, int rows, int columns, int depth) {
  int column = get_global_id(0);
  int row = get_global_id(1);
  if (row >= rows || column >= columns) return;
  float sum = 0.0f;
  for (int k = 0; k < depth; ++k)
    sum += A[row * depth + k] * B[k * columns + column];
  C[row * columns + column] = sum;
}
