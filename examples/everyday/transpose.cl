// out = in transposed, tile by tile through local memory, which has a column more than a tile, so that its columns lie in different banks.
// A tile has as many items as numbers; width and height are multiples of its side.
__kernel void transpose(__global const int *in, __global int *out, uint width, uint height, __local int *tile) {
  const uint side = get_local_size(0);
  const uint x = get_local_id(0), y = get_local_id(1);
  tile[y * (side + 1) + x] = in[get_global_id(1) * width + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint column = get_group_id(1) * side + x;
  const uint row = get_group_id(0) * side + y;
  out[row * height + column] = tile[x * (side + 1) + y];
}
