// opencl: race of 't' in lines 7 and 9; pirch: clean
// The barrier behind the reading is missing, so that the next round writes too early.
__kernel void k(__global const int *x, __global int *out) {
  __local int t[4];
  int i = get_local_id(0), sum = 0;
  for (int r = 0; r < 2; ++r) {
    t[i] = x[4 * r + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += t[3 - i];
  }
  out[i] = sum;
}
