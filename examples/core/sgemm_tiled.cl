// C = A B for n x n matrices, row by row in memory; n is a multiple of TILE. A group of TILE x TILE items computes one tile of C: it
// brings a tile of A and one of B into local memory, adds their product, and goes on to the next pair. Plain OpenCL C; the local size
// must be TILE * TILE.
#ifndef TILE
#define TILE 16
#endif

__kernel void sgemm_tiled(__global const float *a, __global const float *b, __global float *c, uint n) {
  __local float tile_a[TILE][TILE];
  __local float tile_b[TILE][TILE];
  const uint tiles = n / TILE;
  const uint y = get_local_id(0) / TILE;
  const uint x = get_local_id(0) % TILE;
  const uint row = get_group_id(0) / tiles * TILE + y;
  const uint column = get_group_id(0) % tiles * TILE + x;

  float sum = 0.0f;
  for (uint t = 0; t < tiles; t += 1) {
    tile_a[y][x] = a[row * n + t * TILE + x];
    tile_b[y][x] = b[(t * TILE + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; k += 1)
      sum += tile_a[y][k] * tile_b[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
