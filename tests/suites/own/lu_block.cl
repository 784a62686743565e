// All of a small LU decomposition by one group, in local memory, column after column.
#define N 6
__kernel void lu_block(__global float *a) {
  __local float block[N][N];
  int t = get_local_id(0);
  for (int i = 0; i < N; i++) block[i][t] = a[i * N + t];
  for (int k = 0; k < N - 1; k++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t > k) block[t][k] /= block[k][k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t > k)
      for (int i = k + 1; i < N; i++) block[i][t] -= block[i][k] * block[k][t];
  }
  for (int i = 0; i < N; i++) a[i * N + t] = block[i][t];
}
