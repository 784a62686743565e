// Temperatures of a chip: a tile in local memory, borders as their own neighbours.
#define SIDE 4
#define IN_RANGE(x, min, max) ((x) >= (min) && (x) <= (max))
__kernel void hotspot(__global const float *power, __global const float *temp_src, __global float *temp_dst, int grid_cols, int grid_rows, float Cap,
                      float Rx, float Ry, float Rz, float step) {
  __local float temp_on_chip[SIDE][SIDE];
  const float amb_temp = 80.0f;
  float step_div_Cap = step / Cap, Rx_1 = 1 / Rx, Ry_1 = 1 / Ry, Rz_1 = 1 / Rz;
  int tx = get_local_id(0), ty = get_local_id(1);
  int yidx = (SIDE - 2) * (int)get_group_id(1) - 1 + ty, xidx = (SIDE - 2) * (int)get_group_id(0) - 1 + tx;
  int index = grid_cols * yidx + xidx;
  if (IN_RANGE(yidx, 0, grid_rows - 1) && IN_RANGE(xidx, 0, grid_cols - 1)) temp_on_chip[ty][tx] = temp_src[index];
  barrier(CLK_LOCAL_MEM_FENCE);
  int N = ty - 1, S = ty + 1, W = tx - 1, E = tx + 1;
  N = yidx == 0 ? ty : N;
  S = yidx == grid_rows - 1 ? ty : S;
  W = xidx == 0 ? tx : W;
  E = xidx == grid_cols - 1 ? tx : E;
  if (IN_RANGE(tx, 1, SIDE - 2) && IN_RANGE(ty, 1, SIDE - 2) && yidx < grid_rows && xidx < grid_cols) {
    float t = temp_on_chip[ty][tx];
    temp_dst[index] = t + step_div_Cap * (power[index] + (temp_on_chip[S][tx] + temp_on_chip[N][tx] - 2.0f * t) * Ry_1 +
                                          (temp_on_chip[ty][E] + temp_on_chip[ty][W] - 2.0f * t) * Rx_1 + (amb_temp - t) * Rz_1);
  }
}
