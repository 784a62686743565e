// A running sum down each column of pixels: one item a column, float4 arithmetic, bytes in memory.
__kernel void box_columns(__global const uchar4 *in, __global uchar4 *out, int width, int height, int r, float scale) {
  int x = get_global_id(0);
  if (x >= width) return;
  __global const uchar4 *column = in + x;
  float4 sum = convert_float4(column[0]) * (float)r;
  for (int y = 0; y < r + 1; y++) sum += convert_float4(column[y * width]);
  out[x] = convert_uchar4_sat_rte(sum * scale);
  for (int y = 1; y < height; y++) {
    sum += convert_float4(column[min(y + r, height - 1) * width]);
    sum -= convert_float4(column[max(y - r - 1, 0) * width]);
    out[y * width + x] = convert_uchar4_sat_rte(sum * scale);
  }
}
