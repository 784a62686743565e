// opencl: barrier-not-reached in line 5; pirch: clean
// Two barriers, half of the items at each.
__kernel void k(__global int *out) {
  if (get_local_id(0) < 2)
    barrier(CLK_LOCAL_MEM_FENCE);
  else
    barrier(CLK_LOCAL_MEM_FENCE);
  out[get_local_id(0)] = 1;
}
