// One direction of a separable filter: a row with its halo in local memory, the filter in constant memory.
#define RADIUS 2
__kernel void conv_rows(__global float *dst, __global const float *src, __constant float *filter, int width, __local float *line) {
  const int lid = get_local_id(0), n = get_local_size(0);
  const int x = get_global_id(0), y = get_global_id(1);
  line[lid + RADIUS] = src[y * width + x];
  if (lid < RADIUS) {
    line[lid] = x >= RADIUS ? src[y * width + x - RADIUS] : 0.0f;
    line[lid + n + RADIUS] = x + n < width ? src[y * width + x + n] : 0.0f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int k = -RADIUS; k <= RADIUS; k++) sum += line[lid + RADIUS + k] * filter[RADIUS - k];
  dst[y * width + x] = sum;
}
