// opencl: race of 't' in lines 5 and 7; pirch: clean
// The barrier orders global memory, the numbers are in local memory.
__kernel void k(__global int *out) {
  __local int t[4];
  t[get_local_id(0)] = get_local_id(0);
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_local_id(0)] = t[3 - get_local_id(0)];
}
