// opencl: race of 't' in lines 9 and 9; pirch: clean
// A tree whose rounds have a barrier in front, but one too few: the last rounds rely on lockstep.
__kernel void k(__global const int *x, __global int *out) {
  __local int t[8];
  int i = get_local_id(0);
  t[i] = x[i];
  for (int s = 4; s > 0; s /= 2) {
    if (s > 1) barrier(CLK_LOCAL_MEM_FENCE);
    if (i < s) t[i] = t[i] + t[i + s];
  }
  if (i == 0) out[0] = t[0];
}
