// opencl: uninitialised-cell of 't[3]' in line 6; pirch: uninitialised-cell of 't[3]' in line 6
// Local memory is not zero when a group begins.
__kernel void k(__global int *out) {
  __local int t[4];
  if (get_local_id(0) < 3) t[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE);
  out[get_local_id(0)] = t[get_local_id(0)];
}
