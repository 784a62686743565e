// opencl: race of 't' in lines 5 and 7; pirch: clean
// mem_fence orders what one item does, nobody waits.
__kernel void k(__global int *out) {
  __local int t[4];
  t[get_local_id(0)] = get_local_id(0);
  mem_fence(CLK_LOCAL_MEM_FENCE);
  out[get_local_id(0)] = t[3 - get_local_id(0)];
}
