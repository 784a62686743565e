// C = A B through tiles in local memory; sides need not be multiples of a tile.
#define TS 4
__kernel void matmul_tiled(__global const float *A, __global const float *B, __global float *C, int n) {
  __local float As[TS][TS + 1];
  __local float Bs[TS][TS + 1];
  const int tx = get_local_id(0), ty = get_local_id(1);
  const int row = get_group_id(1) * TS + ty, column = get_group_id(0) * TS + tx;
  float sum = 0.0f;
  for (int t = 0; t < (n + TS - 1) / TS; ++t) {
    As[ty][tx] = (row < n && t * TS + tx < n) ? A[row * n + t * TS + tx] : 0.0f;
    Bs[ty][tx] = (column < n && t * TS + ty < n) ? B[(t * TS + ty) * n + column] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < TS; ++k) sum += As[ty][k] * Bs[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < n && column < n) C[row * n + column] = sum;
}
