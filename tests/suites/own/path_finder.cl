// The cheapest way down, several rows a launch, with a halo that shrinks row by row.
__kernel void path_finder(int iteration, __global const int *wall, __global const int *src, __global int *results, int cols, int rows, int startStep,
                          int border, int halo, __local int *prev, __local int *result) {
  int size = get_local_size(0), bx = get_group_id(0), tx = get_local_id(0);
  int small_block_cols = size - (iteration * halo * 2);
  int blkX = (small_block_cols * bx) - border;
  int blkXmax = blkX + size - 1;
  int xidx = blkX + tx;
  int validXmin = (blkX < 0) ? -blkX : 0;
  int validXmax = (blkXmax > cols - 1) ? size - 1 - (blkXmax - cols + 1) : size - 1;
  int W = tx - 1, E = tx + 1;
  W = (W < validXmin) ? validXmin : W;
  E = (E > validXmax) ? validXmax : E;
  bool isValid = tx >= validXmin && tx <= validXmax;
  if (xidx >= 0 && xidx <= cols - 1) prev[tx] = src[xidx];
  barrier(CLK_LOCAL_MEM_FENCE);
  bool computed;
  for (int i = 0; i < iteration; i++) {
    computed = false;
    if (tx >= i + 1 && tx <= size - i - 2 && isValid) {
      computed = true;
      int shortest = min(prev[W], prev[tx]);
      shortest = min(shortest, prev[E]);
      result[tx] = shortest + wall[cols * (startStep + i) + xidx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == iteration - 1) break;
    if (computed) prev[tx] = result[tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (computed) results[xidx] = result[tx];
}
