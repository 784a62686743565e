// opencl: race of 'x' in lines 4 and 6; pirch: race of 'x' in lines 4 and 6
// A barrier does not reach the next group.
__kernel void k(__global int *x, __global int *out) {
  x[get_global_id(0)] = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = x[(get_global_id(0) + get_local_size(0)) % get_global_size(0)];
}
