// opencl: barrier-not-reached in line 5; pirch: clean
// A guard in front of a barrier.
__kernel void k(__global int *out, int n) {
  if (get_global_id(0) >= n) return;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = 1;
}
