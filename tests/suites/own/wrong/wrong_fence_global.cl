// opencl: race of 'x' in lines 4 and 6; pirch: clean
// The barrier orders local memory, the numbers are in global memory.
__kernel void k(__global int *x, __global int *out) {
  x[get_local_id(0)] = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_local_id(0)] = x[3 - get_local_id(0)];
}
