// opencl: barrier-not-reached in line 4; pirch: clean
// Only some items come to the barrier.
__kernel void k(__global int *out) {
  if (get_local_id(0) < 2) barrier(CLK_LOCAL_MEM_FENCE);
  out[get_local_id(0)] = 1;
}
