// C = A B, all row by row, without remainders: a group makes a tile of C that is as wide as it has items, and eight rows high. An item makes a column of it.
kernel void gemm(global const float *a, global const float *b, global float *c, int tiles_x, int n, int depth) {
  const int column = get_group_id(0) % tiles_x * get_local_size(0) + get_local_id(0);
  const int row = get_group_id(0) / tiles_x * 8;
  float acc[8];
  for (int r = 0; r < 8; ++r) acc[r] = 0;
  for (int k = 0; k < depth; ++k) {
    const float right = b[k * n + column];
    for (int r = 0; r < 8; ++r) acc[r] += a[(row + r) * depth + k] * right;
  }
  for (int r = 0; r < 8; ++r) c[(row + r) * n + column] = acc[r];
}
