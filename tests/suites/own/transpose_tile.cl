// A transposed through a tile with one column more, several rows an item.
#define TILE 8
#define ROWS 2
__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1))) void transpose_tile(__global uint *out, __global const uint *in, int width, int height) {
  __local uint tile[TILE][TILE + 1];
  int x = get_group_id(0) * TILE + get_local_id(0);
  int y = get_group_id(1) * TILE + get_local_id(1);
  for (int j = 0; j < TILE; j += ROWS)
    if (x < width && y + j < height) tile[get_local_id(1) + j][get_local_id(0)] = in[(y + j) * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * TILE + get_local_id(0);
  y = get_group_id(0) * TILE + get_local_id(1);
  for (int j = 0; j < TILE; j += ROWS)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[get_local_id(0)][get_local_id(1) + j];
}
