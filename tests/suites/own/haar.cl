// All levels of a wavelet transform of one line, differences behind sums, in local memory.
__kernel void haar(__global const float *in, __global float *out, __local float *work, int levels) {
  int i = get_local_id(0), n = get_local_size(0) * 2;
  work[i] = in[i];
  work[i + n / 2] = in[i + n / 2];
  for (int level = 0; level < levels; ++level) {
    int half_n = n >> (level + 1);
    float a = 0, d = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < half_n) {
      a = (work[2 * i] + work[2 * i + 1]) * 0.70710678f;
      d = (work[2 * i] - work[2 * i + 1]) * 0.70710678f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < half_n) {
      work[i] = a;
      out[half_n + i] = d;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < (n >> levels)) out[i] = work[i];
}
