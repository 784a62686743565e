// Scores of two sequences by diagonals, a block by one group in local memory.
#define B 8
int maximum(int a, int b, int c) {
  int k = a <= b ? b : a;
  return k <= c ? c : k;
}
__kernel void needleman(__global const uchar *first, __global const uchar *second, __constant int *scores, __global int *table, int penalty) {
  __local int t[B + 1][B + 1];
  int tid = get_local_id(0);
  if (tid == 0) t[0][0] = 0;
  t[0][tid + 1] = -(tid + 1) * penalty;
  t[tid + 1][0] = -(tid + 1) * penalty;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int m = 0; m < 2 * B - 1; m++) {
    int x = tid + 1, y = m - tid + 1;
    if (y >= 1 && y <= B) {
      int s = scores[first[x - 1] * 4 + second[y - 1]];
      t[y][x] = maximum(t[y - 1][x - 1] + s, t[y][x - 1] - penalty, t[y - 1][x] - penalty);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int y = 0; y < B; y++) table[y * B + tid] = t[y + 1][tid + 1];
}
