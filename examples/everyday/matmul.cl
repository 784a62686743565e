// C = A B for n × n matrices, n a multiple of TILE: groups of TILE × TILE items, a tile of C each.
#ifndef TILE
#define TILE 8
#endif

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul(__global const float *A, __global const float *B, __global float *C, int n) {
  __local float a[TILE][TILE], b[TILE][TILE];
  const int x = get_local_id(0), y = get_local_id(1);
  const int row = get_global_id(1), column = get_global_id(0);
  float sum = 0.0f;
  for (int t = 0; t < n; t += TILE) {
    a[y][x] = A[row * n + t + x];
    b[y][x] = B[(t + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k)
      sum += a[y][k] * b[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[row * n + column] = sum;
}
