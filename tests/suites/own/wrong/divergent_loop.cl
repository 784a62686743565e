// opencl: barrier-not-reached in line 5; pirch: clean
// As many barriers as an item's number.
__kernel void k(__global int *out) {
  for (int r = 0; r <= get_local_id(0); ++r) {
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_local_id(0)] = r;
  }
}
