// Exclusive prefix sums, up the tree and down again; the group's sum goes to another buffer.
__kernel void scan_blelloch(__global const float *input, __global float *output, __global float *sums, __local float *block, const uint length) {
  int tid = get_local_id(0), gid = get_global_id(0), bid = get_group_id(0);
  block[2 * tid] = input[2 * gid];
  block[2 * tid + 1] = input[2 * gid + 1];
  int offset = 1;
  for (int d = length >> 1; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid < d) {
      int ai = offset * (2 * tid + 1) - 1;
      int bi = offset * (2 * tid + 2) - 1;
      block[bi] += block[ai];
    }
    offset *= 2;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (tid == 0) {
    sums[bid] = block[length - 1];
    block[length - 1] = 0;
  }
  for (int d = 1; d < length; d *= 2) {
    offset >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid < d) {
      int ai = offset * (2 * tid + 1) - 1;
      int bi = offset * (2 * tid + 2) - 1;
      float t = block[ai];
      block[ai] = block[bi];
      block[bi] += t;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  output[2 * gid] = block[2 * tid];
  output[2 * gid + 1] = block[2 * tid + 1];
}
