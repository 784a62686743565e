// opencl: out-of-bounds of 't' in line 5; pirch: out-of-bounds of 't' in line 5
// An array in local memory is too short for the group.
__kernel void k(__global int *out) {
  __local int t[3];
  t[get_local_id(0)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_local_id(0)] = t[0];
}
